/*
 * rerun.h - repeats an earlier run: the command that its result has recorded.
 *
 * Options that say where results go are left out: the new run has its own.
 */
#ifndef PD_DRIVE_RERUN_H
#define PD_DRIVE_RERUN_H

#include "report/result.h"

struct pd_rerun {
	PD_VEC(char *) words;
	struct pd_arena *arena;
};

void pd_rerun_push(struct pd_rerun *w, const char *word);

/* Whether this word is such an option, or `also` (NULL: no other); *value: the same word contains
 * its value. */
bool pd_rerun_drops(const char *word, const char *also, bool *value);

/* VERB OLD-OPTIONS NEW-OPTIONS -- PROGRAM ARGS, ending with NULL: the command that made `r`,
 * without a time limit, with other options after its own. NULL: not recorded, or out of memory. */
char **pd_rerun_command(struct pd_arena *a, const struct pd_result *r, const char *const *options,
			uint32_t n, int *argc);

#endif
