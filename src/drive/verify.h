/*
 * verify.h - tests whether a patch helps: applies it to a copy of the sources (fix/scratch.h),
 * builds that with the user's command, and repeats the run that had the finding.
 *
 * In the copy a #line directive keeps the number of each line (fix/edit.h), so that findings keep
 * their ids and the two results can be compared as --baseline does.
 */
#ifndef PD_DRIVE_VERIFY_H
#define PD_DRIVE_VERIFY_H

#include "fix/patch.h"
#include "fix/scratch.h"
#include "report/report.h"

struct pd_verify {
	struct pd_arena *arena;
	const char *build; /* the user's command */
	const char *root;  /* contains all files that change, the program and the directory */
	const struct pd_result *before;
	const struct pd_finding *finding;
	struct pd_scratch scratch;
	struct pd_result after;
	bool rebuilt; /* the build has changed the program */
};

/* Copies the sources, and makes sure that the run can be repeated there. */
bool pd_verify_start(struct pd_verify *v, struct pd_error *e);

/* Applies the patch, builds, runs, and reads the result (after). May be called again. */
bool pd_verify_try(struct pd_verify *v, const struct pd_patch *p, struct pd_error *e);

/* The nth finding that only the second run has, from 0, in the order of reports; NULL: no more.
 * Either of those that decide the exit status, or of the others. */
const struct pd_finding *pd_verify_new(const struct pd_verify *v, bool deciding, uint32_t nth);

void pd_verify_finish(struct pd_verify *v);

#endif
