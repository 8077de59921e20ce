/*
 * judge.h - is a history with crashes in it what the specification and the condition allow?
 *
 *   durable   Leaving out the crashes, there is a linearization: all that returned, and any of the
 *             pending ones, at any time after their calls (Izraelevitz et al., DISC 2016,
 *             Definition 4: recovery, or somebody who helps, may complete them after the crash).
 *   strict    The same, but what is pending takes effect before the crash that ended it or never
 *             (Aguilera and Frolund, 2003).
 *   buffered  Each era has a linearization from the state in which it begins; and it begins in a
 *             state to which a *cut* of the era before leads: some of its operations, none without
 *             those that returned before it was called, in an order of their own, and all that
 *             returned before the last sync that returned was called (ibid., Definition 5). Here, one
 *             state stands for the cut in all checks that it takes part in: recovery leaves one.
 *
 * Keys. Where every operation belongs to one key, each key is judged by itself: linearizability is
 * local, and so are durable and strict. Buffered is not: what survives must be one cut of
 * everything.
 *
 * No silent yes. A limit (of memory, of steps) makes the answer PD_ANSWER_LIMIT, with the cost so
 * far. A no for one key is a no, whatever the others give; of several, the first is described.
 *
 * The answer no comes with facts: the culprit, what it returned, and for each result that the
 * specification would have had for it, an order of the operations before it.
 */
#ifndef PD_ENGINE_LINEAR_JUDGE_H
#define PD_ENGINE_LINEAR_JUDGE_H

#include "engine/linear/search.h"

struct pd_verdict {
	enum pd_answer answer;
	enum pd_op_history_fault fault; /* not OK: not a history; `culprit` is where */
	/* No: */
	uint32_t culprit; /* the first response that nothing explains */
	/* Else it may be a later one: a limit was hit, or the condition is PD_BUFFERED */
	bool exact;
	bool has_key; /* the operations of this key alone cannot be explained: */
	uint64_t key;
	uint32_t era;	     /* of the culprit */
	uint32_t nops;	     /* operations that were judged together ... */
	const uint32_t *ops; /* ... by call */
	struct pd_tries tries;
	/* Cost: */
	uint32_t parts; /* keys */
	uint32_t parts_wrong, parts_unknown;
	uint64_t steps, configurations;
	uint64_t bytes; /* peak memory */
};

/* The verdict's lists are in the arena `keep`. */
struct pd_verdict pd_judge(const struct pd_op_history *h, const struct pd_linear_spec *spec,
			   enum pd_linear_condition condition, struct pd_limits limits,
			   struct pd_arena *keep);

#endif
