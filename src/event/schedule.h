/*
 * schedule.h - which thread runs when, as a value with a name: a policy, and what it draws from.
 *
 * A schedule of an exploration also has a number: orders, the board and records of recoveries carry
 * it, and are sorted by it. Number and name are equivalent; only this file converts them. A number
 * fits into JSON exactly. Changing the meaning of a number would invalidate old witnesses, so the
 * name has everything that the policy depends on, and a reader that finds another name for a number
 * refuses it.
 */
#ifndef PD_EVENT_SCHEDULE_H
#define PD_EVENT_SCHEDULE_H

#include "base/types.h"

enum pd_policy {
	PD_POLICY_DEFAULT, /* each thread runs until it blocks */
	PD_POLICY_PCT,	   /* priorities that change at random (runtime/thread/sched.h) */
	PD_POLICY_LATE,	   /* a thread stops where it is about to flush, and the others go on */
	PD_POLICY_TEST,	   /* as a test of linear holds them (engine/linear/plan.h) */
	PD_POLICY_BOUNDED, /* one of all with few preemptions (engine/linear/bounded.h) */
	PD_POLICY_HELD,	   /* random, but a race is made to happen (engine/lockset/meet.h) */
	PD_POLICIES
};

struct pd_schedule {
	enum pd_policy policy;
	uint64_t seed;	/* seed of what is drawn; the test; where threads take turns */
	uint64_t nth;	/* late: which schedule of that seed */
	uint64_t depth; /* pct: number of changes of priority ... */
	uint64_t steps; /* ... in this many steps */
};

/* Bit in the number of a test; the rest is which one. */
#define PD_SCHEDULE_TEST (1ULL << 51)
/* Bit of late ones; together with that of tests, of bounded ones. */
#define PD_SCHEDULE_LATE (1ULL << 52)
/* Bit of those in which threads are held; the rest is the seed. */
#define PD_SCHEDULE_HELD (1ULL << 50)

extern const char *const pd_policy_name[PD_POLICIES];

struct pd_schedule pd_schedule_of(uint64_t number);
uint64_t pd_schedule_number(const struct pd_schedule *s);

static inline bool pd_schedule_same(const struct pd_schedule *a, const struct pd_schedule *b)
{
	return a->policy == b->policy && a->seed == b->seed && a->nth == b->nth &&
	       a->depth == b->depth && a->steps == b->steps;
}

#endif
