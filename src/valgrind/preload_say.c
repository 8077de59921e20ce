/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * preload_say.c - the functions of perdure.h for a program that runs in Valgrind.
 *
 * In a library of its own, too: where nobody wants to know of locks it is preloaded without their
 * wrappers, which cost time.
 */
#include "perdure.h"
#include "request.h"

void __pd_say_check(int holds, const char *what, const char *file, int line)
{
	VALGRIND_DO_CLIENT_REQUEST_STMT(VG_REQUEST_SAY_CHECK, holds, what, file, line, 0);
}

void __pd_say_mark(const char *name)
{
	VALGRIND_DO_CLIENT_REQUEST_STMT(VG_REQUEST_SAY_MARK, name, 0, 0, 0, 0);
}

void __pd_say_checksum(const void *p, size_t n, int begin, int matched)
{
	VALGRIND_DO_CLIENT_REQUEST_STMT(VG_REQUEST_SAY_CHECKSUM, p, n, begin, matched, 0);
}

void __pd_say_range(int what, const void *p, size_t n)
{
	VALGRIND_DO_CLIENT_REQUEST_STMT(VG_REQUEST_SAY_RANGE, what, p, n, 0, 0);
}
