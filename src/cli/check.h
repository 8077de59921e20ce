/*
 * check.h - the parts of `perdure check` and `perdure replay`: running it (check_run.c), telling what came
 * of it (check_findings.c), and keeping what a replay needs (check_save.c).
 */
#ifndef PD_CLI_CHECK_H
#define PD_CLI_CHECK_H

#include "cli/options.h"
#include "engine/crash/board.h"
#include "host/driven.h"
#include "report/symbols.h"
#include "report/result.h"

struct pd_check_run {
	struct pd_arena arena;
	struct pd_options options;
	struct pd_result result;
	struct pd_board *board;
	int board_fd;
	int capture; /* what the first execution prints */
	const char *model;
	char **recover; /* another command for recovery; NULL: the same */
	uint64_t hang_ms;
	uint64_t ok_exit[4];
	uint32_t crashes;
	uint32_t schedules;
	uint32_t ran; /* schedules that were run */
	uint64_t replay_seed;
	bool no_incremental;
	bool eager;
	bool interrupted;
	struct pd_driven first;
	struct pd_driven worker[PD_BOARD_DEPTH];
	double started;
};

bool pd_check_board(struct pd_check_run *c, struct pd_error *e);

/* Runs everything to its end, or until it is stopped. */
bool pd_check_execute(struct pd_check_run *c, struct pd_error *e);
double pd_check_seconds(const struct pd_check_run *c);
void pd_check_finish(struct pd_check_run *c);

/* Turns what is on the board into findings: one a cause. symbols may be NULL. */
void pd_check_findings(const struct pd_board *b, struct pd_symbols *symbols, struct pd_result *r);

/* "recovery aborts" and the like. */
const char *pd_check_outcome_text(const struct pd_board_run *run, char *buf, size_t n);

/* The settings of a run, beside its result, and back. */
bool pd_check_save(const struct pd_check_run *c, const struct pd_outdir *d, struct pd_error *e);
bool pd_check_load(struct pd_check_run *c, const char *dir, struct pd_error *e);

#endif
