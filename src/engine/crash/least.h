/*
 * least.h - which lost stores a failure needs, found out by forcing others to be durable.
 *
 * A recovery that fails has found some lines as they were after fewer stores than there were. Those
 * lines are the suspects. Recovery is executed again from the same crash with one suspect after the
 * other as it is newest, then with each of those that are needed after as many stores as it can be
 * and still fails. What is left is proven: with all of it lost recovery fails, and with any one of
 * the stores that come next durable it does not fail like this.
 *
 * A state is given as versions of lines, not as picks: a recovery that goes another way is still of
 * the same crash.
 */
#ifndef PD_ENGINE_CRASH_LEAST_H
#define PD_ENGINE_CRASH_LEAST_H

#include "engine/crash/run.h"
#include "engine/crash/tx.h"
#include "model/model.h"

/* Who executes. */
struct pd_least {
	/*
	 * An execution from the crash at hand with these suspects as they say and all other lines
	 * newest; false where there is to be no more. If `trial` it is the account of it, and
	 * nothing else remembers that it was executed. Else *bad is how it went, if that was not
	 * well.
	 */
	bool (*execute)(void *ctx, struct pd_suspects s, struct pd_crash_run *trial,
			const struct pd_crash_run **bad);
	void *ctx;
	const struct pd_model *model; /* as it is at the crash */
	struct pd_tree_memory memory; /* that executions see */
	const struct pd_tx *tx; /* of the execution that crashed; NULL: nothing is known of them */
};

/*
 * The failure again with as few stores lost as it needs; `from` itself where it does not fail
 * again, NULL where there was no time left.
 */
const struct pd_crash_run *pd_least(const struct pd_least *front, const struct pd_crash_run *from);

/* Whether another failure after the same crash has lost all that this one needs. */
bool pd_least_within(const struct pd_crash_run *least, const struct pd_crash_run *run,
		     uint32_t line_shift);

/* In a recovery with suspects: which class of the line that is asked about is the one. */
uint32_t pd_least_pick(struct pd_suspects all, const struct pd_line *line,
		       const pd_classes *classes);

/* In a recovery with suspects: if this read is the one that shows a needed store, the choice says
 * so. */
void pd_least_blame(struct pd_suspects all, const struct pd_line *line, const pd_classes *classes,
		    uint64_t mask, struct pd_crash_choice *c);

#endif
