/*
 * limits.h - what kept a run from being complete, in words: each function adds a limit to a result.
 *
 * Thread rule: as result.h.
 */
#ifndef PD_REPORT_WORDS_LIMITS_H
#define PD_REPORT_WORDS_LIMITS_H

#include "finding/unknown.h"
#include "report/result.h"

/* ---- check: what was not explored ----------------------------------------------------------- */

void pd_limit_interrupt(struct pd_result *r, const char *by);
void pd_limit_time(struct pd_result *r);
/* ... and no recovery was executed. */
void pd_limit_no_end(struct pd_result *r);
void pd_limit_random(struct pd_result *r, uint64_t recoveries);
/* Recoveries that behaved differently with equal values of PM; how the first did. */
void pd_limit_diverged(struct pd_result *r, uint32_t recoveries, const struct pd_unknown *first);
/* The number of crash points, and the different number in a second run. */
void pd_limit_not_deterministic(struct pd_result *r, uint32_t points, uint32_t again);
void pd_limit_moved(struct pd_result *r);
void pd_limit_not_run(struct pd_result *r, uint32_t recoveries, const struct pd_unknown *first);
void pd_limit_memory(struct pd_result *r, uint32_t times);
void pd_limit_torn_memory(struct pd_result *r, uint32_t times);
void pd_limit_coverage(struct pd_result *r);
/* Uninstrumented code changed or read PM; suspects may be "". */
void pd_limit_blind(struct pd_result *r, const char *suspects);
/* ... and the program has inline asm that was not understood. */
void pd_limit_blind_asm(struct pd_result *r, const char *example);
void pd_limit_child(struct pd_result *r);
void pd_limit_call(struct pd_result *r, const char *example);
/* standard: in a library of the C or C++ compiler; other: in any other code. */
void pd_limit_readers(struct pd_result *r, const char *names, bool standard, bool other);
/* The same by inline asm of the program that was not understood. */
void pd_limit_readers_asm(struct pd_result *r);
void pd_limit_schedules(struct pd_result *r, uint32_t failed, uint32_t all, const char *why);
/* Of linear: `n` workloads with which the program fails before any crash, the first one like
 * this */
void pd_limit_refused(struct pd_result *r, uint32_t n, const char *why);
void pd_limit_bypassed_exit(struct pd_result *r);

enum pd_untested {
	PD_UNTESTED_NO_STORE,
	PD_UNTESTED_NO_NAME, /* it uses files that no recovery can open */
	/* Recovery read nothing that was at stake: */
	PD_UNTESTED_DELETES,
	PD_UNTESTED_NOT_OPENED,
	PD_UNTESTED_NOT_READ,
	PD_UNTESTED_OTHER_DATA,
};

/* recovery: the command; NULL: the program's own. */
void pd_limit_untested(struct pd_result *r, enum pd_untested why, const char *recovery);

/* ---- check: what is not sure of its findings ------------------------------------------------ */

void pd_limit_doubtful(struct pd_result *r, uint32_t recoveries);
void pd_limit_not_run_again(struct pd_result *r, uint32_t failures, uint32_t most);
/* `drifted` of them: the program had stored another value. */
void pd_limit_not_replayed(struct pd_result *r, uint32_t findings, uint32_t drifted);

/* ---- linear --------------------------------------------------------------------------------- */

/* Tests without a name: beyond this operation, or this store of an operation. */
void pd_limit_tests_beyond(struct pd_result *r, uint32_t tests, uint32_t operation, uint32_t store);
void pd_limit_tests_not_started(struct pd_result *r, uint32_t tests);
void pd_limit_points_gone(struct pd_result *r, uint32_t points);
void pd_limit_result_differs(struct pd_result *r, uint32_t operation);
/* recovery: the command; NULL: the program's own. nothing: it announced no operation after any
 * crash. */
void pd_limit_not_announced(struct pd_result *r, const char *recovery, bool nothing);

/* ---- linear --exhaustive -------------------------------------------------------------------- */

void pd_limit_schedules_left(struct pd_result *r, uint64_t schedules);
void pd_limit_schedules_beyond(struct pd_result *r, uint64_t steps);

/* ---- lint and lockset: the run that was watched --------------------------------------------- */

/* unmapped: no PM was mapped until then, which --pm this should have matched; NULL: it was. */
void pd_limit_watch_time(struct pd_result *r, const char *unmapped);
void pd_limit_watch_interrupt(struct pd_result *r, const char *by);
void pd_limit_watch_signal(struct pd_result *r, int signal);
void pd_limit_watch_exit_unseen(struct pd_result *r);
void pd_limit_watch_status(struct pd_result *r, int status);
/* The program wants PM at an address that is not available; what is mapped there. */
void pd_limit_watch_elsewhere(struct pd_result *r, const char *what);

/* ---- lockset -------------------------------------------------------------------------------- */

void pd_limit_one_thread(struct pd_result *r);
void pd_limit_one_thread_of_pm(struct pd_result *r);
void pd_limit_never_synced(struct pd_result *r);
void pd_limit_races_blind(struct pd_result *r);
void pd_limit_races_not_tried(struct pd_result *r, const char *why);
/* Of no recovery was it seen that it needs what these store. */
void pd_limit_races_unread(struct pd_result *r, uint32_t races);
void pd_limit_races_not_replayed(struct pd_result *r, uint32_t races);

enum pd_unconfirmed { PD_UNCONFIRMED_INTERRUPT, PD_UNCONFIRMED_TIME_LIMIT, PD_UNCONFIRMED_CONFIRM };

void pd_limit_races_left(struct pd_result *r, enum pd_unconfirmed why, uint32_t races);

/* ---- explore (limits_explore.c) -------------------------------------------------------------- */

/* Paths that were found but not run; 0: unknown whether there are any. */
void pd_limit_explore_interrupt(struct pd_result *r, const char *by, uint64_t left);
void pd_limit_explore_time(struct pd_result *r, uint64_t left);
void pd_limit_explore_paths(struct pd_result *r, uint64_t max, uint64_t left);
void pd_limit_explore_stopped(struct pd_result *r, uint64_t left);
/* Runs that did not follow the path their input had led to before; where the first one left it, or
 * "". */
void pd_limit_explore_diverged(struct pd_result *r, uint64_t runs, const char *where);
void pd_limit_explore_unknown(struct pd_result *r, uint64_t questions, bool no_solver,
			      uint64_t limit_ms);
void pd_limit_explore_steps(struct pd_result *r, uint64_t steps, uint32_t most);
void pd_limit_explore_pins(struct pd_result *r, uint64_t values, uint32_t most);
void pd_limit_explore_frontier(struct pd_result *r, uint64_t paths);
void pd_limit_explore_lost(struct pd_result *r, uint64_t paths);
void pd_limit_explore_findings(struct pd_result *r, uint64_t times);
void pd_limit_explore_in_part(struct pd_result *r, uint32_t objects, const char *first);
void pd_limit_explore_failed(struct pd_result *r, uint64_t paths, const char *first);
/* The losses give the reasons. */
void pd_limit_explore_concrete(struct pd_result *r);
void pd_limit_explore_unseen(struct pd_result *r);
void pd_limit_explore_foreign(struct pd_result *r, const char *callee, uint32_t more);
/* The function that reads it; of a stream in memory, that writes it. */
void pd_limit_explore_outside(struct pd_result *r, const char *by);
void pd_limit_explore_memory(struct pd_result *r, uint32_t asked, uint32_t have);
void pd_limit_explore_faults(struct pd_result *r, uint32_t calls, uint32_t asked, uint32_t most);
void pd_limit_explore_packets(struct pd_result *r, uint32_t received, uint32_t sent);
void pd_limit_explore_not_judged(struct pd_result *r, uint64_t paths, const char *why);
void pd_limit_explore_not_again(struct pd_result *r, uint32_t paths);
void pd_limit_explore_not_reported(struct pd_result *r, uint32_t findings);
void pd_limit_explore_not_checked(struct pd_result *r, uint32_t paths, const char *why);
/* A limit of the check of a path, in its own words. */
void pd_limit_explore_check(struct pd_result *r, const char *limit);
void pd_limit_explore_check_time(struct pd_result *r, uint32_t paths);
void pd_limit_explore_not_kept(struct pd_result *r, uint64_t inputs, const char *why);

/* Something symbolic was replaced by its value: the reason is an enum pd_sym_why
 * (event/symbolic.h); the next number: `what` gives it; beyond: labels that did not match. */
void pd_loss_explore(struct pd_result *r, uint32_t why, uint64_t count, const char *what);

#endif
