/*
 * check/account.h - accounts of recoveries (engine/crash/run.h) on the board: memory for them, and what becomes
 * of one when its process has ended.
 *
 * A worker has its own lists of what can be used again, so nothing is locked. A zygote says which worker it
 * is, and its recoveries inherit that.
 */
#ifndef PD_RUNTIME_CHECK_ACCOUNT_H
#define PD_RUNTIME_CHECK_ACCOUNT_H

#include "engine/crash/run.h"
#include <sys/types.h>

void pd_account_begin(uint32_t worker);

/* Zeroed; NULL: the board is full. */
struct pd_crash_run *pd_account_take(void);

/* A choice of one; the recovery ends where the board is full. */
struct pd_crash_choice *pd_account_choice(void);

/* What this recovery alone has chosen, but for what failures that branched off have on their paths. */
void pd_account_reuse_choices(struct pd_crash_run *run);

/* Nobody looks at it any more. */
void pd_account_reuse(struct pd_crash_run *run);

/* Waits for the process, or ends it if it hangs. Its leaf of the tree gets the outcome, and a bad one is a
 * finding. */
void pd_account_await(pid_t pid, struct pd_crash_run *run, int output);

#endif
