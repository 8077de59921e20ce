/*
 * rank.h - derives the order in which values went in from how they come out.
 *
 * For specifications in which what goes in comes out in an order (queue, stack). Each operation
 * that puts a value in is matched with the responses that show it at the exit: the one that takes
 * it out, those that look at it. Where a value goes in more than once in a history nothing is known
 * of it.
 *
 * First in, first out. Each response is a time interval in which the value was at the exit. If one
 * of X's ends before one of Y's begins, X was there first, so it went in first. `seen` is the
 * earliest end of X's, `last` the latest beginning of Y's: an order in which Y goes in while some X
 * with seen(X) < last(Y) has not is wrong, and the search leaves it out. What that does not decide
 * is decided by rank: the one seen first goes first; those that it must wait for pass its rank on
 * (deadlines that are passed on to predecessors, as in list scheduling, Lawler 1973).
 *
 * Last in, first out: what comes out last goes in first. That is a rank, and rules nothing out.
 */
#ifndef PD_ENGINE_LINEAR_RANK_H
#define PD_ENGINE_LINEAR_RANK_H

#include "engine/linear/history.h"

/* An operation, as the search has it, and what is found out about it. */
struct pd_ranked {
	const struct pd_linear_op *op;
	uint64_t call, ret;
	uint64_t rank; /* PD_NEVER: it puts nothing in */
	uint64_t seen; /* PD_NEVER: it is not known to come out */
	uint64_t last; /* 0: likewise */
};

/*
 * Of n operations, of which the first nret have returned, in the order of calls; by_ret: these in
 * the order of responses. False: memory ran out.
 */
bool pd_rank(const struct pd_linear_spec *spec, struct pd_ranked *x, uint32_t n,
	     const uint32_t *by_ret, uint32_t nret, struct pd_arena *a);

#endif
