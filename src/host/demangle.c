/* demangle.c - see demangle.h. By the C++ runtime library, which has the only complete demangler. */
#include "host/demangle.h"
#include <stdlib.h>
#include <string.h>

/* Of the C++ ABI; there is no C header for it. */
extern char *__cxa_demangle(const char *name, char *buf, size_t *n, int *status);

const char *pd_demangle(struct pd_arena *a, const char *name)
{
	const char *kept;
	char *plain;
	int status;

	if (!name || strncmp(name, "_Z", 2) != 0)
		return name;
	plain = __cxa_demangle(name, NULL, NULL, &status);
	if (!plain)
		return name;
	kept = pd_arena_strndup(a, plain, strlen(plain));
	free(plain);
	return kept ? kept : name;
}
