/* wanted.h - finds a finding by the id on the command line, and its run. */
#ifndef PD_DRIVE_WANTED_H
#define PD_DRIVE_WANTED_H

#include "report/report.h"

/* What is asked for, and where it was found. */
struct pd_wanted {
	const char *id;
	uint64_t number;
	char dir[PATH_MAX];
	struct pd_result result;
};

/* In a directory or JSON file; dir NULL: in any run of this directory, the newest first; then `say`
 * gets a line if it is not the last. */
const struct pd_finding *pd_wanted_find(struct pd_wanted *w, struct pd_arena *a, const char *dir,
					FILE *say, struct pd_error *e);

#endif
