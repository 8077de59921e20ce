/*
 * plan.h - what to try: the decisions of the engine, as functions of facts.
 *
 * A front end runs the workload once, in one thread, and gives the events of each operation (struct
 * pd_act). From them follow
 *
 *   points  likely linearization points (Durinn, section 5.2): stores that others may act on. A locked
 *           instruction is one; so is a store to bytes that some load which decides a branch reads (a
 *           guarded read, told by the compiler's data flow). Not: stores to memory that the operation
 *           itself has allocated, or that nobody has touched before it stored to it, because nobody
 *           knows of it yet (publish after initialisation).
 *   pairs   (DL3, section 5.3.3) two operations, one with a point, the other one with an access to the
 *           same bytes: run after a common prefix, the first one stops between visible and durable,
 *           the second one acts on it and returns, power fails.
 *   tests   at each point two crashes, after each operation one, and the pairs; those whose like was
 *           tried least often come first, so that every line of the structure has its turn early.
 *   versions (sections 5.3.1, 5.3.2) which version of each line the crash leaves, among those that
 *           the model allows: as few durable as possible with the point's store in it; as many as
 *           possible without it; as few as possible.
 *
 * Nothing is run here and nothing is stored but in the caller's arena.
 *
 * Deviations from Durinn: first touch instead of calls of an allocator alone (structures have their
 * own); the crash follows the point at once, with the store written back by the cache, instead of
 * waiting for its flush: fewer other stores have to be durable then, so it is the worse state; an
 * operation that returned is crashed once more with nothing durable that need not be.
 */
#ifndef PD_ENGINE_LINEAR_PLAN_H
#define PD_ENGINE_LINEAR_PLAN_H

#include "base/vec.h"

enum pd_act_kind {
	PD_ACT_LOAD,
	PD_ACT_STORE,
	PD_ACT_LOCKED, /* a locked instruction that stored */
	PD_ACT_FAILED, /* one that did not: it reads */
	PD_ACT_ALLOC,  /* the memory is new to everybody */
};

enum { PD_ACT_GUARDED = 1 }; /* a load whose value decides a branch */

#define PD_NO_OP UINT32_MAX /* outside of any operation: opening, recovery */

struct pd_act {
	uint8_t kind;
	uint8_t flags;
	uint32_t op; /* of the workload */
	uint32_t site;
	uint64_t seq; /* of the event in the run; ascending */
	uint64_t addr;
	uint32_t size;
};

enum pd_point_reason { PD_POINT_LOCKED, PD_POINT_GUARDED };

struct pd_point {
	uint32_t act; /* in the list of acts */
	uint32_t op, site;
	uint64_t seq, addr;
	uint32_t size;
	uint8_t reason;
};

struct pd_pair {
	uint32_t point; /* the first operation and what it makes visible */
	uint32_t other; /* the act of the second one */
	uint32_t op;	/* the second operation */
	uint32_t site;	/* of that act */
	bool writes;	/* the second one stores there, too */
};

struct pd_plan {
	PD_VEC(struct pd_point) points;
	PD_VEC(struct pd_pair) pairs;
	uint32_t stores;     /* seen in operations */
	uint32_t fresh;	     /* of those, to memory that nobody knows yet */
	uint32_t pairs_left; /* more than max_pairs of the same two sites */
};

/* Finds points and pairs. At most max_pairs (0: any number) for each two sites. False: memory. */
bool pd_plan_make(struct pd_plan *p, struct pd_arena *a, const struct pd_act *acts, uint32_t n,
		  uint32_t max_pairs);

/* ---- tests ---------------------------------------------------------------------------------- */

enum pd_test_kind {
	PD_TEST_INCOMPLETE,  /* DL1: right after the point: it is durable, little else is */
	PD_TEST_UNRECOVERED, /* DL2: right after the point: it is not, all else is */
	PD_TEST_RETURNED,    /* right after the operation returned: as little as possible is */
	PD_TEST_VISIBLE,     /* DL3: a pair; when the second one has returned, the first's is not */
};

struct pd_test {
	uint8_t kind;
	uint32_t op;	/* that is crashed; of a pair: the first */
	uint32_t point; /* RETURNED: its last one */
	uint32_t pair;	/* VISIBLE */
};

struct pd_tests {
	PD_VEC(struct pd_test) v;
	uint32_t next;
};

/* All tests of the plan, in the order in which to run them. */
bool pd_tests_make(struct pd_tests *t, struct pd_arena *a, const struct pd_plan *p);

/* The next one; NULL: all were run. */
const struct pd_test *pd_tests_next(struct pd_tests *t);

/*
 * The workload of a pair, as numbers of operations of the original one: the common prefix, which is
 * all before the later of the two but these two; returns its length. The two come after it.
 */
uint32_t pd_pair_prefix(const struct pd_plan *p, const struct pd_pair *pair, uint32_t *ops);

/* ---- versions ------------------------------------------------------------------------------- */

/* A line at the crash, as the model has it (model/line.h): versions `must` to `last` may be there. */
struct pd_choosable {
	uint64_t must, last;
	bool has_point;	  /* the point's store is in this line: */
	uint64_t version; /* the first version that has it */
};

/* The version that the test wants there; false: the model does not allow such a state (DL2, where the
 * point's store is durable already). */
bool pd_test_version(enum pd_test_kind kind, const struct pd_choosable *line, uint64_t *version);

#endif
