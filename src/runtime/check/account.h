/*
 * check/account.h - records of recoveries (engine/crash/run.h) on the board: their memory, and what
 * happens to a record when its process has ended.
 *
 * Each worker has its own free lists, so nothing is locked. A zygote announces which worker it is
 * (pd_account_begin), and its recoveries inherit that.
 */
#ifndef PD_RUNTIME_CHECK_ACCOUNT_H
#define PD_RUNTIME_CHECK_ACCOUNT_H

#include "engine/crash/run.h"
#include <sys/types.h>

void pd_account_begin(uint32_t worker);

/* Zeroed; NULL: the board is full. */
struct pd_crash_run *pd_account_take(void);

/* Memory for one choice; if the board is full, ends the recovery. */
struct pd_crash_choice *pd_account_choice(void);

/*
 * Frees the choices that only this recovery made, except those on the path of a failure that
 * branched off.
 */
void pd_account_reuse_choices(struct pd_crash_run *run);

/* Frees a record that nobody refers to. */
void pd_account_reuse(struct pd_crash_run *run);

/* Waits for the process, or kills it if it hangs. Enters the outcome at its leaf of the tree; a bad
 * one becomes a finding. */
void pd_account_await(pid_t pid, struct pd_crash_run *run, int output);

#endif
