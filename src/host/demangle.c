/* demangle.c - see demangle.h. Uses the C++ runtime library, the only complete demangler. */
#include "host/demangle.h"
#include "event/name.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From the C++ ABI; it has no C header. */
extern char *__cxa_demangle(const char *name, char *buf, size_t *n, int *status);

const char *pd_demangle(struct pd_arena *a, const char *name)
{
	char plain[PD_NAME_MAX], *whole;
	const char *kept;
	int status;

	if (!name)
		return name;
	whole = strncmp(name, "_Z", 2) == 0 ? __cxa_demangle(name, NULL, NULL, &status) : NULL;
	pd_name_plain(whole ? whole : name, plain, sizeof(plain));
	free(whole);
	if (!*plain || strcmp(plain, name) == 0)
		return name;
	kept = pd_arena_strndup(a, plain, strlen(plain));
	return kept ? kept : name;
}

const char *pd_demangle_all(struct pd_arena *a, const char *text)
{
	char *all = NULL;
	const char *kept;
	size_t n;
	FILE *to = strstr(text, "_Z") ? open_memstream(&all, &n) : NULL;

	if (!to)
		return text;
	for (const char *at = text; *at;) {
		size_t word = strcspn(at, " ,()");

		const char *one = word ? pd_demangle(a, pd_arena_strndup(a, at, word)) : NULL;

		if (one)
			fputs(one, to);
		else
			fwrite(at, 1, word ? word : 1, to);
		at += word ? word : 1;
	}
	kept = fclose(to) == 0 ? pd_arena_strndup(a, all, n) : NULL;
	free(all);
	return kept ? kept : text;
}
