/*
 * check/again.h - an execution that is run again for somebody who wants to know more of it: its
 * journal, the files as the crash left them, a debugger. What is asked for is on the board
 * (engine/crash/again.h).
 *
 * Thread rule: as in rt.h.
 */
#ifndef PD_RUNTIME_CHECK_AGAIN_H
#define PD_RUNTIME_CHECK_AGAIN_H

#include "protocol/board.h"
#include "model/line.h"
#include "runtime/base/rt.h"

/* ---- the journal (check/journal.c) ---------------------------------------------------------- */

/* An execution begins: if somebody wants to know what happens to PM, it is written down. */
void pd_journal_begin(void);

/* The power fails here. */
void pd_journal_crash(void);

/* A read of recovery had several values and sees this one. */
void pd_journal_choice(const struct pd_crash_choice *c, uint32_t number);

/* ---- what became of each store (check/survey.c) --------------------------------------------- */

/* The first execution begins; it has come to its end. */
void pd_survey_begin(void);

/* An operation (of linear) has returned: what it has not flushed by now is left to chance. */
void pd_survey_returned(void);
void pd_survey_end(void);

/* Where the program is, as a number of the survey; 0: not known. */
uint32_t pd_survey_place(uint32_t site);

/* ---- what transactions have logged (check/tx.c) --------------------------------------------- */

struct pd_tx;

/* An execution begins. */
void pd_check_tx_begin(void);

/* Those of the first execution so far; NULL: nobody has asked for them. */
const struct pd_tx *pd_check_tx(void);

/* ---- the crashed files (check/image.c) ------------------------------------------------------ */

/* A recovery is about to go to main: what the crash left is in the pools, each line as it is
 * newest. */
void pd_image_begin(void);

/* A read has decided something about the line of this address: only these versions are left. */
void pd_image_line(uint64_t off, const struct pd_vset *set);

/* ---- a debugger (check/debug.c) ------------------------------------------------------------- */

void pd_debug_crash(void);
void pd_debug_start(uint32_t depth);
void pd_debug_choice(uint32_t depth, uint32_t number);

/* ---- where recovery fails (check/fail.c) ---------------------------------------------------- */

/* Notes the stack of a failure that is happening now; the first one counts. */
void pd_fail_here(void);

/* An execution is about to end with this status. */
void pd_fail_exit(int status);

/* In a recovery, before main: signals that kill are noted before they do. */
void pd_fail_watch(void);

#endif
