/*
 * check/run.h - what the parts of running an exploration share: processes.c starts and stops the
 * processes, run.c runs one execution to its end, schedules.c chooses the executions. For others:
 * check.h.
 */
#ifndef PD_DRIVE_CHECK_RUN_H
#define PD_DRIVE_CHECK_RUN_H

#include "drive/check/check.h"

/* ---- processes.c ---------------------------------------------------------------------------- */

/* All processes but the origins, which remain. */
bool pd_check_start(struct pd_check_run *c, struct pd_error *e);
void pd_check_stop(struct pd_check_run *c);

/* The machine limits the number of processes (`err`): halves the jobs. False: it is one already. */
bool pd_check_take_fewer_jobs(struct pd_check_run *c, int err, struct pd_error *e);

/* Every execution of the program loses the same, except for effects of schedules. */
void pd_check_keep_losses(struct pd_check_run *c);

/* ---- run.c ---------------------------------------------------------------------------------- */

bool pd_check_time_is_over(const struct pd_check_run *c);

struct pd_check_counts pd_check_save_counts(const struct pd_board *b);
void pd_check_restore_counts(struct pd_board *b, const struct pd_check_counts *n);

/*
 * Runs the schedule of the board. If a process of ours was killed, its work is unknown: all
 * processes are started anew and repeat the schedule, using what the others have found. The third
 * time, a killed recovery is assumed to have caused it.
 */
bool pd_check_run_schedule(struct pd_check_run *c, struct pd_error *e);

#endif
