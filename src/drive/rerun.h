/*
 * rerun.h - the command of an earlier run, again: the words that a result has kept of it.
 *
 * Options that say where results go are left out: those are for whoever runs it now.
 */
#ifndef PD_DRIVE_RERUN_H
#define PD_DRIVE_RERUN_H

#include "report/result.h"

struct pd_rerun {
	PD_VEC(char *) words;
	struct pd_arena *arena;
};

void pd_rerun_push(struct pd_rerun *w, const char *word);

/* Where this word is such an option, or `also` (NULL: no other); *value: its value is in the same word. */
bool pd_rerun_drops(const char *word, const char *also, bool *value);

/*
 * VERB OLD-OPTIONS NEW-OPTIONS -- PROGRAM ARGS, ending with NULL: what `r` was made by, without a time limit, with
 * other options after its own. NULL: it does not say, or memory ran out.
 */
char **pd_rerun_command(struct pd_arena *a, const struct pd_result *r, const char *const *options,
			uint32_t n, int *argc);

#endif
