/* thread/real.c - see thread/real.h. */
#include "runtime/thread/real.h"
#include <dlfcn.h>

struct pd_real pd_real;

static void *find(const char *name, const char *version)
{
	void *p = version ? dlvsym(RTLD_NEXT, name, version) : NULL;

	return p ? p : dlsym(RTLD_NEXT, name);
}

void pd_real_init(void)
{
/* The cast through void ** is POSIX's own way to store what dlsym returns. */
#define FIND(name, version) *(void **)&pd_real.name = find(#name, version);
	PD_REAL_LIST(FIND)
#undef FIND
}
