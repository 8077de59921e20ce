/*
 * pace.h - does a recovery hang, or is it only slow?
 *
 * A recovery may go on for some time without an event (--hang), and for some number of events.
 * Where that is not enough, the program itself is asked what it takes: it runs once more, from its
 * start to its end and without crashes, while somebody watches how long it computes between events
 * and how many events it has. Until that is known, nothing is said to hang; afterwards a recovery
 * has a multiple of it. So a program that computes for seconds before it touches PM costs one more
 * execution, and one that does not costs nothing.
 *
 * Time is what a process has computed, and, while it sleeps, what has gone by: on a machine with
 * too much to do, a process that gets nowhere hangs no more than others.
 */
#ifndef PD_ENGINE_CRASH_PACE_H
#define PD_ENGINE_CRASH_PACE_H

#include "base/types.h"

enum pd_pace_state {
	PD_PACE_UNKNOWN,
	PD_PACE_WANTED, /* a recovery may hang: somebody is to measure the program */
	PD_PACE_KNOWN,
};

/* What the program takes. */
struct pd_pace {
	uint32_t state;	  /* enum pd_pace_state */
	uint64_t events;  /* of the whole program */
	uint64_t idle_us; /* between two of them, at most */
};

/* True: it is known. Otherwise it is wanted from now on. */
bool pd_pace_ask(struct pd_pace *p);

/* One process, as looks at it show it. */
struct pd_pace_seen {
	uint64_t events;
	uint64_t computed, now; /* us */
	uint64_t idle;		/* us since the last event */
};

/* A look: what the process has by now; `waits`: for another recovery. */
void pd_pace_see(struct pd_pace_seen *s, uint64_t events, uint64_t computed, uint64_t now,
		 bool asleep, bool waits);

/* It has been idle for too long. */
bool pd_pace_is_idle(const struct pd_pace_seen *s, struct pd_pace *program, uint64_t hang_ms);

/* How many events a recovery may have, of a program that has so many. `trial`: it only explains
 * another one. */
uint64_t pd_pace_budget(uint64_t hang_ms, uint64_t program_events, bool trial);

/* Between two looks, ms. */
uint64_t pd_pace_tick(uint64_t hang_ms);

#endif
