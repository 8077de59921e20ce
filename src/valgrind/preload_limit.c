/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * preload_limit.c - a part of the library inside the program (preload.c): lets servers lower the
 * limit on open files.
 *
 * Valgrind keeps descriptors for itself above the program's, and rejects any change of the hard
 * limit. Servers that lower it would end. Here only the soft limit changes, and that is the one
 * that counts.
 */
#include "request.h"
#include <stddef.h>
#include <sys/resource.h>

long I_WRAP_SONAME_FNNAME_ZZ(libcZdsoZa, setrlimit)(long resource, const struct rlimit *want);

long I_WRAP_SONAME_FNNAME_ZZ(libcZdsoZa, setrlimit)(long resource, const struct rlimit *want)
{
	const struct rlimit *give = want;
	struct rlimit now;
	unsigned long r;
	OrigFn fn;

	VALGRIND_GET_ORIG_FN(fn);
	if ((int)resource == RLIMIT_NOFILE && want && getrlimit(RLIMIT_NOFILE, &now) == 0 &&
	    want->rlim_max < now.rlim_max && want->rlim_cur <= want->rlim_max) {
		now.rlim_cur = want->rlim_cur;
		give = &now;
	}
	CALL_FN_W_WW(r, fn, resource, give);
	return (int)r;
}
