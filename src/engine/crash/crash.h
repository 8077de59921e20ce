/*
 * crash.h - one crash: when power fails, and what was about to happen.
 */
#ifndef PD_ENGINE_CRASH_CRASH_H
#define PD_ENGINE_CRASH_CRASH_H

#include "engine/crash/run.h"

/* An operation of a structure that a crash interrupts: a store of this thread is its own if the log was
 * at least this long before it. */
struct pd_crash_under_way {
	uint32_t tid;
	uint32_t from;
};

enum { PD_CRASH_UNDER_WAY = 8 };

struct pd_crash {
	uint32_t depth;	     /* of the recovery that follows; 1 is the first */
	uint32_t point;	     /* crash point, from 1, of the execution that crashes */
	uint64_t when;	     /* the same with those of all executions before, to be compared */
	uint64_t seed;	     /* of the schedule */
	uint32_t work;	     /* which workload it was, of those that the tool has; 0: its own */
	uint32_t site;	     /* where that execution is ... */
	uint32_t kind;	     /* ... and what it is about to do: enum pd_event_kind */
	uint32_t last_store; /* site of the last store before it */
	uint32_t idle_flush; /* site of the last flush before it that had nothing to write back */
	uint32_t idle_order; /* and how long the log was then */
	uint32_t nunder_way; /* more than that: it is not known of all */
	struct pd_crash_under_way under_way[PD_CRASH_UNDER_WAY];
	uint32_t nstack;
	uint64_t stack[24];
	const struct pd_crash_run
		*parent; /* the recovery that crashes; NULL: the first execution */
};

#endif
