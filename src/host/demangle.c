/* demangle.c - see demangle.h. Uses the C++ runtime library, the only complete demangler. */
#include "host/demangle.h"
#include "event/name.h"
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
