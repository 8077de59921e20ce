/*
 * witness.h - what makes a finding of explore happen again: the settings of a plain run, with its
 * input, as `check` keeps them (drive/check/save.c); and running it.
 *
 * Separate from explore.h, because the explorations of explore and of check have names in common.
 */
#ifndef PD_DRIVE_EXPLORE_WITNESS_H
#define PD_DRIVE_EXPLORE_WITNESS_H

#include "drive/input.h"
#include "report/result.h"

struct pd_explore_run;
struct pd_check_run;

/* What the settings of a run consist of. */
struct pd_explore_settings {
	struct pd_options *options; /* argv with @@ */
	struct pd_result *result;
	struct pd_arena *arena;
	const char *model;
	uint64_t hang_ms;
};

/* The number, in the result, of the settings of a run on this input. */
bool pd_explore_witness(struct pd_explore_run *x, struct pd_input *in, uint32_t *number,
			struct pd_error *e);
bool pd_explore_settings(const struct pd_explore_settings *s, struct pd_input *in, uint32_t *number,
			 struct pd_error *e);

/* Whether `perdure replay` runs it under lint, not with a crash. */
bool pd_explore_is_replayed(const struct pd_finding *f);

/* Runs it as loaded by pd_check_load; 1: it happened again, 3: not, or an error; prints
 * everything. */
int pd_explore_replay(struct pd_check_run *c, const struct pd_finding *f);

#endif
