/*
 * check/least.h - which lost stores a failure needs, found out by forcing others to be durable.
 *
 * A recovery that fails has found some lines as they were after fewer stores than there were. Those
 * lines are the suspects. Recovery is executed again from the same crash with one suspect after the
 * other as it is newest, then with each of those that are needed after as many stores as it can be
 * and still fails. What is left is proven: with all of it lost recovery fails, and with any one of
 * the stores that come next durable it does not fail like this.
 *
 * A state is given as versions of lines, not as picks: a recovery that goes another way is still of
 * the same crash.
 *
 * Thread rule: as in rt.h.
 */
#ifndef PD_RUNTIME_CHECK_LEAST_H
#define PD_RUNTIME_CHECK_LEAST_H

#include "protocol/board.h"
#include "model/line.h"

/*
 * An execution from the crash at hand with these suspects as they say and all other lines newest;
 * false where there is to be no more. If `trial` it is the account of it, and nothing else
 * remembers that it was executed. Else *bad is how it went, if that was not well.
 */
typedef bool (*pd_least_execute)(const struct pd_board_suspect *suspects, uint32_t n,
				 struct pd_board_run *trial, const struct pd_board_run **bad);

/*
 * The failure again with as few stores lost as it needs; `from` itself where it does not fail
 * again, NULL where there was no time left.
 */
const struct pd_board_run *pd_least(const struct pd_board_run *from, pd_least_execute execute);

/* Whether another failure after the same crash has lost all that this one needs. */
bool pd_least_within(const struct pd_board_run *least, const struct pd_board_run *run);

/* In a recovery with suspects: which class of the line that is asked about is the one. */
uint32_t pd_least_pick(const struct pd_board_order *o, const struct pd_line *line,
		       const pd_classes *classes);

/* In a recovery with suspects: if this read is the one that tells a needed store, the choice says
 * so. */
void pd_least_blame(const struct pd_board_order *o, const struct pd_line *line,
		    const pd_classes *classes, uint64_t mask, struct pd_board_choice *c);

#endif
