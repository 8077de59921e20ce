/*
 * plan.h - which tests to make: the decisions of the engine, as functions of facts.
 *
 * A front end runs the workload once, in one thread, and gives the events of each operation (struct
 * pd_act). From them follow
 *
 *   points  likely linearization points (Durinn, section 5.2): stores that others may act on. A locked
 *           instruction is one; so is a store to bytes that some load which decides a branch reads (a
 *           guarded read: the compiler knows by its data flow). Not: stores to memory that the
 *           operation itself has allocated, or that nobody has touched before it stored to it, because
 *           nobody knows of it yet (publish after initialisation).
 *   pairs   (DL3, section 5.3.3) two operations, one with a point, the other one with an access to the
 *           same bytes: run after a common prefix, the first one stops between visible and durable,
 *           the second one acts on it and returns, power fails.
 *           And the other way round: the one that reads stops there, the one that stores runs and
 *           returns, then the first one goes on with what it has read.
 *           What they do to each other may be in ordinary memory, where nobody looks. So each point
 *           is also paired with an operation of each entry of the table, the next one.
 *           Two operations that meet may store where no operation does by itself: the second one
 *           completes what the first one has begun, say. Such stores are seen when pairs are run, and
 *           then the second one is held where it is about to make them durable: the first one goes on
 *           and returns; and a third one, of each entry of the table, acts and returns.
 *   threes  the same once more: the second operation stops where it is about to make durable what it
 *           did, a third one acts on that and returns. And the other way round: one that reads is
 *           overtaken by two, in the places that it reads first and later.
 *
 * At each point power fails twice (sections 5.3.1, 5.3.2): with the point's store durable and as
 * little else as the model allows, and with everything durable but that. Once more after each
 * operation, with as little durable as allowed. The front end names these states (crash/pick.h).
 *
 * Pure: nothing runs here, and all memory is the caller's arena.
 *
 * Deviations from Durinn: first touch instead of calls of an allocator alone (structures have their
 * own); the crash follows the point immediately, with the store written back by the cache, instead
 * of waiting for its flush: fewer other stores have to be durable then, so it is the worse state;
 * an operation that returned is crashed once more with nothing durable that need not be.
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

enum {
	PD_ACT_GUARDED = 1, /* a load whose value decides a branch */
	PD_ACT_GIVEN = 2,   /* a store that the user declares a point */
};

#define PD_NO_OP UINT32_MAX /* outside of any operation: opening, recovery */

struct pd_act {
	uint8_t kind;
	uint8_t flags;
	uint32_t op; /* of the workload */
	uint32_t site;
	uint32_t store; /* of a store: its number in the operation, from 1 */
	uint32_t load;	/* of a load: the same */
	uint32_t nth;	/* of those at its site in the operation, from 1 */
	uint64_t addr;
	uint32_t size;
};

enum pd_lp_reason { PD_LP_LOCKED, PD_LP_GUARDED, PD_LP_GIVEN, PD_LP_ALL };

/* A likely linearization point. */
struct pd_lp {
	uint32_t op, site;
	uint32_t store; /* which one of the operation */
	uint32_t nth;	/* which one at that site */
	uint32_t size;
	uint64_t addr;
	uint8_t reason;
};

struct pd_pair {
	uint32_t point; /* the point of the first operation */
	uint32_t op;	/* the second operation */
	uint32_t site;	/* of its access */
	uint32_t load;	/* number of that load; 0: it is a store */
	uint32_t nth;	/* which access at that site */
	bool writes;	/* it stores there, too */
};

struct pd_three {
	uint32_t pair;
	uint32_t op; /* the third operation */
	/* It stores to what the second operation of the pair reads later: both overtake that one */
	bool overtakes;
};

struct pd_plan {
	PD_VEC(struct pd_lp) points; /* in the order in which they were stored */
	PD_VEC(struct pd_pair) pairs;
	PD_VEC(struct pd_three) threes;
	uint32_t stores; /* seen in operations */
	uint32_t fresh;	 /* of those, to memory that is not known to others yet */
	/* Of all, atomic ones or to what decides a branch, whether or not it is known */
	uint32_t guarded;
	uint32_t pairs_left;   /* similar to others, and not tried */
	const uint8_t *wanted; /* as in struct pd_planning */
};

/* The properties of an operation by which pairs count as similar. */
struct pd_plan_op {
	uint32_t entry; /* of the driver's table */
	uint64_t key;	/* its first argument */
};

struct pd_planning {
	const struct pd_plan_op *ops; /* by number; NULL: not known */
	uint32_t nops;
	bool alone;	/* one thread: no two operations meet, so there are no pairs */
	bool all_pairs; /* all pairs, not fewer and fewer of similar ones */
	bool given;	/* only given points count */
	/* By operation: points of these alone, with whichever operations they meet; NULL: of all */
	const uint8_t *wanted;
	/* All stores are points, without regard to guards or new memory */
	bool all_stores;
};

/* Finds points, pairs and threes. False: memory ran out. */
bool pd_plan_make(struct pd_plan *p, struct pd_arena *a, const struct pd_act *acts, uint32_t n,
		  const struct pd_planning *how);

/* ---- what a test is called ------------------------------------------------------------------ */

/*
 * A test is an execution of its own, and its name is the seed of that execution: operations of the
 * workload in one order, threads held in one way, and one crash. So a witness with the name is
 * complete, and a replay runs nothing else.
 */
enum pd_named_kind {
	PD_NAMED_LOOK,	/* all operations, one after the other, then a look at everything */
	PD_NAMED_PLAN,	/* all operations, to record what they do */
	PD_NAMED_TESTS, /* the same, and all tests of the plan on the way */
	PD_NAMED_AT,   /* the same, and power fails after this store, or (0) when it has returned */
	PD_NAMED_PAIR, /* the first operation stops right after the store */
	PD_NAMED_LATE, /* it stops where it is about to flush what it stored */
	/* It stops after a load (instead of a store) of what the second one changes */
	PD_NAMED_STALE,
	PD_NAMED_THREE,
	PD_NAMED_OVERTAKEN, /* stale, and a third one after the second */
	PD_NAMED_GROW,	    /* all operations, to record which code they reach */
	/* Like THREE, but the first one continues where the second one is held, and returns */
	PD_NAMED_CROSSED,
	PD_NAMED_CROSSES, /* all operations, and the tests of what only meetings have revealed */
	PD_NAMED_CLOSE,	  /* all operations, and power fails when the structure has been closed */
	PD_NAMED_KINDS
};

struct pd_named {
	uint8_t kind;
	uint32_t op;
	uint32_t store;
	uint32_t second, third; /* operations */
};

/* How far operations of a pair may be apart, and the largest numbers that a name can hold: of one
 * with three operations less, where other names have no third one. */
enum {
	PD_NAMED_APART = 1023,
	PD_NAMED_OPS = 1 << 14,
	PD_NAMED_STORES_OF_THREE = (1 << 11) - 1,
	PD_NAMED_STORES = (1 << 22) - 1
};

/* Number of operations that a test brings together. */
uint32_t pd_named_roles(const struct pd_named *t);

/* 0: it cannot be named. */
uint64_t pd_named_seed(const struct pd_named *t);

/* False: the seed is not that of a test. */
bool pd_named_of(uint64_t seed, struct pd_named *t);

/*
 * The execution that does the same without a crash: for all tests without threads it is the same
 * one.
 */
uint64_t pd_named_without_crash(uint64_t seed);

#endif
