/*
 * check/again.h - an execution that is run again to show more: its journal, the files as the crash
 * left them, a stop for a debugger. The request is on the board (engine/crash/again.h).
 *
 * Thread rule: as in rt.h.
 */
#ifndef PD_RUNTIME_CHECK_AGAIN_H
#define PD_RUNTIME_CHECK_AGAIN_H

#include "protocol/board.h"
#include "model/line.h"
#include "runtime/base/rt.h"

/* ---- the journal (check/journal.c) ---------------------------------------------------------- */

/* An execution begins: starts its journal, if one is asked for. */
void pd_journal_begin(void);

/* Power fails here. */
void pd_journal_crash(void);

/* A read of recovery had several values and sees this one. */
void pd_journal_choice(const struct pd_crash_choice *c, uint32_t number);

/* ---- what became of each store (check/survey.c) --------------------------------------------- */

/* The first execution begins; pd_survey_end: it has reached its end. */
void pd_survey_begin(void);

/* An operation (of linear) has returned: a flush of its stores from now on is by chance. */
void pd_survey_returned(void);
void pd_survey_end(void);

/* The number, in the survey, of the current place; 0: not known. */
uint32_t pd_survey_place(uint32_t site);

/* The same of a transaction that begins or ends, which is noted with the length of the log. */
uint32_t pd_survey_step(const struct pd_event *e, uint32_t order);

/* ---- what transactions have logged (check/tx.c) --------------------------------------------- */

struct pd_tx;

/* An execution begins. */
void pd_check_tx_begin(void);

/* Those of the first execution so far; NULL: they are not asked for. */
const struct pd_tx *pd_check_tx(void);

/* ---- the crashed files (check/image.c) ------------------------------------------------------ */

/* A recovery is about to enter main: the pools hold what the crash left, each line in its newest
 * version. */
void pd_image_begin(void);

/* A read has narrowed the line of this address: only the versions in `set` are left. */
void pd_image_line(uint64_t off, const struct pd_vset *set);

/* ---- a debugger (check/debug.c) ------------------------------------------------------------- */

void pd_debug_crash(void);
void pd_debug_start(uint32_t depth);
void pd_debug_choice(uint32_t depth, uint32_t number);

/* ---- where recovery fails (check/fail.c) ---------------------------------------------------- */

/* Records the stack of a failure that is happening now; only the first one counts. */
void pd_fail_here(void);

/* An execution is about to end with this status. */
void pd_fail_exit(int status);

/* Before main: has the stack of a recovery recorded before a signal kills it. */
void pd_fail_watch(void);

#endif
