/*
 * bug.h - our own defects.
 *
 * A broken invariant is never carried on with: PD_CHECK is on in release builds too. What happens
 * then belongs to the host (print and exit, or Valgrind's panic), which defines pd_bug_report.
 */
#ifndef PD_BASE_BUG_H
#define PD_BASE_BUG_H

/* Defined once by each program that links the core; must not return. */
_Noreturn void pd_bug_report(const char *file, int line, const char *what);

#define PD_BUG(what) pd_bug_report(__FILE__, __LINE__, (what))
#define PD_CHECK(cond, what)                                                                       \
	do {                                                                                       \
		if (__builtin_expect(!(cond), 0))                                                  \
			PD_BUG(what);                                                              \
	} while (0)

#endif
