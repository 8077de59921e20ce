/*
 * library.c - stores in a shared library, in a header that came with it, and in the program. For portable.t:
 *
 *	-DLIBRARY        the library: lib_name copies a name in place
 *	else             library MODE FILE: own, lib or header says who stores
 */
#define FIXED 1
#include "../../bugs/pm.h"

struct pool {
	LINE char name[24];
	LINE uint64_t count;
};

#ifdef LIBRARY
void lib_name(struct pool *p, const char *name);

void lib_name(struct pool *p, const char *name)
{
	memcpy(p->name, name, 20);
	pm_persist(p->name, sizeof(p->name));
}
#else
void lib_name(struct pool *p, const char *name);

#line 30 "/usr/include/libpmemobj/inline.h"
static inline void header_name(struct pool *p, const char *name)
{
	memcpy(p->name, name, 20);
	pm_persist(p->name, sizeof(p->name));
}
#line 41 "library.c"

int main(int argc, char **argv)
{
	const char *mode = argc > 2 ? argv[1] : "";
	struct pool *p = pm_map(argc > 2 ? argv[2] : NULL, sizeof(*p));

	printf("%c\n", p->name[9]);
	if (strcmp(mode, "lib") == 0)
		lib_name(p, "a-name-of-some-length");
	else if (strcmp(mode, "header") == 0)
		header_name(p, "a-name-of-some-length");
	else
		memcpy(p->name, "a-name-of-some-length", 20);
	pm_persist(p, sizeof(*p));
	return 0;
}
#endif
