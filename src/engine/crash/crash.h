/*
 * crash.h - one crash: when power fails, and what the execution was about to do.
 */
#ifndef PD_ENGINE_CRASH_CRASH_H
#define PD_ENGINE_CRASH_CRASH_H

#include "engine/crash/run.h"

/* An operation of a structure that a crash interrupts: stores of thread `tid` belong to it from log
 * length `from` on. */
struct pd_crash_under_way {
	uint32_t tid;
	uint32_t from;
};

enum { PD_CRASH_UNDER_WAY = 8 };

struct pd_crash {
	uint32_t depth; /* of the recovery that follows; the first one has 1 */
	uint32_t point; /* crash point, from 1, of the execution that crashes */
	/* Position among the crashes of all executions, for comparison (pd_point_when) */
	uint64_t when;
	uint64_t seed;	     /* of the schedule */
	uint32_t work;	     /* number of the tool's workload; 0: the program's own */
	uint32_t site;	     /* where that execution stands ... */
	uint32_t kind;	     /* ... and its next event: enum pd_event_kind */
	uint32_t last_store; /* site of the last store before it */
	uint32_t idle_flush; /* site of the last flush before it that had nothing to write back */
	uint32_t idle_order; /* length of the log at that flush ... */
	uint32_t length;     /* ... and at the crash */
	uint32_t nunder_way; /* above PD_CRASH_UNDER_WAY: some are not listed */
	struct pd_crash_under_way under_way[PD_CRASH_UNDER_WAY];
	uint32_t nstack;
	uint64_t stack[24];
	const struct pd_crash_run
		*parent; /* the recovery that crashes; NULL: the first execution */
};

#endif
