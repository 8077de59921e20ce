/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * preload_keep.c - a part of the library inside the program (preload.c): keeps closed libraries
 * loaded.
 *
 * Places are addresses, which get names only when they are reported. If a closed library were
 * unloaded, the next one could get its addresses, and be blamed for what the first one did.
 */
#include "request.h"
#include <dlfcn.h>
#include <link.h>
#include <stddef.h>

#pragma weak dlopen /* in older systems some programs lack it */

/* Whether it was loaded from a path; the program itself has none. */
static int has_path(const struct link_map *l)
{
	const char *p = l ? l->l_name : NULL;

	while (p && *p && *p != '/')
		p++;
	return p && *p;
}

long I_WRAP_SONAME_FNNAME_ZZ(libcZdsoZa, dlclose)(struct link_map *l);

long I_WRAP_SONAME_FNNAME_ZZ(libcZdsoZa, dlclose)(struct link_map *l)
{
	void *again = dlopen && has_path(l)
			      ? dlopen(l->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE)
			      : NULL;
	unsigned long r;
	OrigFn fn;

	VALGRIND_GET_ORIG_FN(fn);
	if (again)
		CALL_FN_W_W(r, fn, again);
	CALL_FN_W_W(r, fn, l);
	return (int)r;
}
