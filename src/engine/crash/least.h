/*
 * least.h - which lost stores a failure needs, found by forcing the others durable.
 *
 * A failed recovery has found some lines in a version older than the newest possible one. These
 * lines are the suspects. Recovery is executed again from the same crash with one suspect after the
 * other at its newest version; then each suspect that is needed is moved to the newest version with
 * which recovery still fails. What is left is proven: with all of it lost recovery fails, and with
 * any one of the next stores durable it does not fail in this way.
 *
 * A state is given as versions of lines, not as picks, so that a recovery that takes another path
 * still starts from the same crash.
 */
#ifndef PD_ENGINE_CRASH_LEAST_H
#define PD_ENGINE_CRASH_LEAST_H

#include "engine/crash/run.h"
#include "engine/crash/tx.h"
#include "model/model.h"

/* The front end, which executes. */
struct pd_least {
	/*
	 * Executes one recovery from this crash, with the suspects at the versions that they give
	 * and all other lines newest. False: stop, no more executions. With `trial` set the
	 * execution is recorded there and nowhere else; otherwise *bad is set to its record if it
	 * ended badly.
	 */
	bool (*execute)(void *ctx, struct pd_suspects s, struct pd_crash_run *trial,
			const struct pd_crash_run **bad);
	void *ctx;
	const struct pd_model *model; /* its state at the crash */
	struct pd_tree_memory memory; /* shared with the executions */
	/* Of the execution that crashed; NULL: transactions were not tracked */
	const struct pd_tx *tx;
};

/*
 * The failure again with as few stores lost as it needs. Returns `from` itself if it does not fail
 * again, NULL if time ran out.
 */
const struct pd_crash_run *pd_least(const struct pd_least *front, const struct pd_crash_run *from);

/* Whether another failure after the same crash has lost all that `least` needs. */
bool pd_least_within(const struct pd_crash_run *least, const struct pd_crash_run *run,
		     uint32_t line_shift);

/* In a recovery with suspects: the class of the line that its suspect prescribes. */
uint32_t pd_least_pick(struct pd_suspects all, const struct pd_line *line,
		       const pd_classes *classes);

/* In a recovery with suspects: marks the choice as blamed if this read is the one that shows a
 * needed store. */
void pd_least_blame(struct pd_suspects all, const struct pd_line *line, const pd_classes *classes,
		    uint64_t mask, struct pd_crash_choice *c);

#endif
