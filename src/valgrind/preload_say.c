/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * preload_say.c - the functions of perdure.h for a program that runs in Valgrind; and what
 * libpmemobj does not report: it skips ranges that its transaction has already logged, so nothing
 * else shows that it was asked to log them again.
 *
 * Also built as a library without the wrappers, for runs in which locks do not matter: wrappers
 * cost time.
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

/* ---- libpmemobj ----------------------------------------------------------------------------- */

/* A PMEMoid, which is passed in two registers. */
struct oid {
	unsigned long pool;
	unsigned long off;
};
extern void *pmemobj_direct(struct oid oid) __attribute__((weak));

static unsigned long log_length(void)
{
	return VALGRIND_DO_CLIENT_REQUEST_EXPR(0, VG_REQUEST_LOGGED, 0, 0, 0, 0, 0);
}

/* It was asked to log the range, and logged nothing. */
static void report_again(unsigned long before, unsigned long failed, const void *p, unsigned long n)
{
	if (!failed && n && log_length() == before)
		__pd_say_range(PD_RANGE_TX_ADD, p, n);
}

#define PMEMOBJ(f) I_WRAP_SONAME_FNNAME_ZZ(libpmemobjZdsoZa, f)

int PMEMOBJ(pmemobjZutxZuaddZurangeZudirect)(const void *p, unsigned long n);
int PMEMOBJ(pmemobjZutxZuaddZurangeZudirect)(const void *p, unsigned long n)
{
	unsigned long before = log_length(), r;
	OrigFn fn;

	VALGRIND_GET_ORIG_FN(fn);
	CALL_FN_W_WW(r, fn, p, n);
	report_again(before, (unsigned)r, p, n);
	return (int)r;
}

int PMEMOBJ(pmemobjZutxZuaddZurange)(struct oid oid, unsigned long off, unsigned long n);
int PMEMOBJ(pmemobjZutxZuaddZurange)(struct oid oid, unsigned long off, unsigned long n)
{
	unsigned long before = log_length(), r;
	OrigFn fn;

	VALGRIND_GET_ORIG_FN(fn);
	CALL_FN_W_WWWW(r, fn, oid.pool, oid.off, off, n);
	if (pmemobj_direct)
		report_again(before, (unsigned)r, (const char *)pmemobj_direct(oid) + off, n);
	return (int)r;
}
