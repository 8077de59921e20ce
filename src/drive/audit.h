/*
 * audit.h - a second look at a result, for tests: is anything in it false?
 *
 * With PERDURE_AUDIT=1 in the environment each result is read back from the JSON that was written,
 * its statements are compared with each other, and each finding that is called confirmed (of more
 * than 32, some that are spread over all) is replayed by a process of its own, as a user would. A
 * contradiction is a failure of perdure (exit status 4). The test suite runs with it, so every
 * result of every test is checked twice.
 */
#ifndef PD_DRIVE_AUDIT_H
#define PD_DRIVE_AUDIT_H

#include "report/result.h"
#include <stdlib.h>

/* Checks the result in this directory, which was delivered with this exit status; false and *e if a
 * statement is false. */
bool pd_audit(const char *dir, enum pd_exit status, struct pd_error *e);

static inline bool pd_audit_wanted(void)
{
	const char *s = getenv("PERDURE_AUDIT");

	return s && *s == '1';
}

#endif
