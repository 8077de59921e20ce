/*
 * search.h - is there an order of these operations that the specification explains?
 *
 * Wing and Gong's search (JPDC 1993) with Lowe's cache (Concurrency & Computation 2017, section 3):
 * depth first, one operation more at each step. Operations that returned must all be placed,
 * pending ones may. An operation may come next if no other one that is still to be placed returned
 * before it was called. A *configuration* is the set of operations placed and the state that they
 * led to: one that was seen before leads nowhere and is not tried again.
 *
 * The operation with the earliest response comes first at each step, pending ones last. That is
 * Lowe's just-in-time order: others go before it only where it does not fit as it is.
 *
 * Queues and stacks need more: in which order two values went in shows only when they come out, and
 * until then there are as many states as orders. Where the specification says so (order),
 * operations that put in are *ranked* by when their values come out (rank.h), and the one of the
 * lowest rank is tried before the others.
 *
 * Sets are kept as the number up to which everything is placed and the bits after it, so a
 * configuration takes the room of what overlaps and not of the whole history.
 *
 * For a no, `farthest` is the latest response at which an attempt ended. Up to any earlier one
 * there is an order. Searching again, with what comes after some response left out (until), finds
 * the first response that no order explains: the *culprit* (judge.c); and once more, for each
 * result that the specification would have had there, one order that leads to it (tries).
 *
 * Thread rule: none; all memory is the caller's arena.
 */
#ifndef PD_ENGINE_LINEAR_SEARCH_H
#define PD_ENGINE_LINEAR_SEARCH_H

#include "engine/linear/history.h"
#include "engine/linear/spec.h"

enum pd_answer {
	PD_ANSWER_YES,
	PD_ANSWER_NO,
	PD_ANSWER_LIMIT,     /* a limit was hit: nothing is known */
	PD_ANSWER_NO_MEMORY, /* the host had none: nothing is known */
};

struct pd_limits {
	uint64_t bytes; /* of memory; 0: no limit */
	uint64_t steps; /* operations tried; 0: no limit */
};

enum { PD_TRIES = 8 };

/* An order that was tried, and what the culprit would have returned after it. */
struct pd_try {
	struct pd_linear_value expected;
	const uint32_t *order; /* operations of the history */
	uint32_t n;
};

struct pd_tries {
	uint32_t n;
	uint32_t left_off; /* further expected results without room */
	struct pd_try v[PD_TRIES];
};

/* An operation comes after all those whose `last` is less than its `first`; 0: whenever it
 * likes. */
struct pd_turn {
	uint32_t first, last;
};

struct pd_search {
	const struct pd_linear_spec *spec;
	const struct pd_op_history *history;
	const uint32_t *which; /* the operations, by the time of their call; no syncs */
	uint32_t n;
	const void *start; /* a state; NULL: the first one */
	uint64_t until;	   /* events after this time are ignored; PD_NEVER: none are */
	bool strict;	   /* a pending operation is placed before the next crash or never */
	/* For queues and stacks: when what puts in has its turn, by operation of the history; NULL:
	 * in any order */
	const struct pd_turn *turns;
	struct pd_limits limits;
	/*
	 * For conditions under which a crash may lose the last operations (judge.c). NULL: the
	 * answer is yes if all that returned are placed. Otherwise it is called for each
	 * configuration that has all required operations, the latest first; the answer is yes if it
	 * returns true.
	 */
	bool (*cut)(void *ctx, const void *state);
	void *ctx;
	uint64_t required_before; /* with cut: those that returned before this time are required */
	/* Record the tries at this culprit; NULL: do not */
	struct pd_tries *tries;
	uint32_t culprit;      /* for tries */
	struct pd_arena *keep; /* where tries and order go */
	/* Results. */
	uint32_t farthest; /* of a no: the culprit */
	uint64_t farthest_ret;
	const uint32_t *order; /* of a yes, if keep is set: the linearization */
	uint32_t norder;
	uint64_t steps, configurations;
	bool decided; /* without a search (decide.h): farthest is not known */
};

/* When the operation has taken effect at the latest: its response, if it is known; of a pending one
 * by the strict condition the crash that ended it. */
uint64_t pd_search_deadline(const struct pd_search *s, const struct pd_hop *x);

/* The way in which the specification applies it: it takes effect, or fails if it returned that. */
unsigned pd_search_way(const struct pd_linear_op *op, bool pending);

/* Uses `arena` for scratch memory; the caller resets it afterwards. */
enum pd_answer pd_search_run(struct pd_search *s, struct pd_arena *arena);

#endif
