/*
 * pace.h - does a recovery hang, or is it only slow?
 *
 * A recovery may go without an event for some time (--hang), and may have some number of events.
 * When it exceeds either, the program itself is the yardstick: it runs once more, from start to end
 * without crashes, and its watcher measures how long it computes between events and how many events
 * it has. Until that is known, no recovery counts as hanging; afterwards a recovery gets a multiple
 * of it. So a program that computes for seconds before it touches PM costs one more execution, and
 * any other costs nothing.
 *
 * Time is CPU time, or wall-clock time while the process sleeps: on an overloaded machine a process
 * that is not scheduled does not count as hanging.
 */
#ifndef PD_ENGINE_CRASH_PACE_H
#define PD_ENGINE_CRASH_PACE_H

#include "base/types.h"

enum pd_pace_state {
	PD_PACE_UNKNOWN,
	PD_PACE_WANTED, /* a recovery may hang: the program has to be measured */
	PD_PACE_KNOWN,
};

/* What the program itself needs. */
struct pd_pace {
	uint32_t state;	  /* enum pd_pace_state */
	uint64_t events;  /* of the whole program */
	uint64_t idle_us; /* longest time between two events */
	uint32_t hangs;	  /* recoveries so far that used up a whole budget of events */
	uint64_t longest; /* the most that a recovery has spent of its budget and ended */
};

/* Whether the pace is known; if not, requests it. */
bool pd_pace_ask(struct pd_pace *p);

/* One process, as seen by successive looks. */
struct pd_pace_seen {
	uint64_t events;
	uint64_t computed, now; /* us */
	uint64_t idle;		/* us since the last event */
};

/* Updates the state with a look at the process; `waits`: it waits for another recovery. */
void pd_pace_see(struct pd_pace_seen *s, uint64_t events, uint64_t computed, uint64_t now,
		 bool asleep, bool waits);

/* Whether it has been idle for too long. */
bool pd_pace_is_idle(const struct pd_pace_seen *s, struct pd_pace *program, uint64_t hang_ms);

/*
 * How many events a recovery may have when the program has `program_events`. `trial`: it only
 * explains another one. Once a few have used up the whole budget, all others get that of a trial: a
 * structure that is inconsistent often hangs each time that it is used. What is reported is
 * executed again, with the whole budget. No budget is less than some times what a recovery has
 * spent that ended: recoveries may take longer than the program, as they visit every key.
 */
uint64_t pd_pace_budget(const struct pd_pace *p, uint64_t hang_ms, uint64_t program_events,
			bool trial);

/* A recovery has ended. */
void pd_pace_ends(struct pd_pace *p, uint64_t spent);

/* A recovery has used up its budget. */
void pd_pace_used_up(struct pd_pace *p);

/* Time between two looks, ms. */
uint64_t pd_pace_tick(uint64_t hang_ms);

#endif
