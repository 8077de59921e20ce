/*
 * loop.h - detects a recovery that loops for ever, before its budget of events is used up.
 *
 * A program whose whole state is the same as before, and that nothing from outside can disturb,
 * repeats itself for ever. So from time to time a recovery records its state; if it reaches the
 * same place in the same state again, it hangs, and that is proven, not guessed. The front end
 * decides what belongs to the state and when the state cannot be known; here it is a 128-bit
 * digest. In addition PM must not have changed in between, nor any of it been read for the first
 * time (`changes`).
 *
 * Threads that wait with plain loads do not yield: nothing shows that they wait. Once a thread
 * alone has returned to the same state, it yields each time it reaches that place, so that all
 * others get their turns. If one of them has work to do, it does it; if all loop, the state of all
 * of them repeats eventually.
 *
 * A recovery that works through a finite list of items announces the end of each (pd_loop_advance),
 * and loops are then looked for in the next one.
 *
 * A digest of the state reads all memory of the process. It is taken only where the cheap part
 * (registers, `here`) repeats: that already rules out loops that count, which most do.
 *
 * States are recorded at 10,000 events, then at twice as many, and so on; each record is compared a
 * few times with what follows. So a loop of any length is found eventually.
 */
#ifndef PD_ENGINE_CRASH_LOOP_H
#define PD_ENGINE_CRASH_LOOP_H

#include "base/types.h"

enum { PD_LOOP_THREADS = 64 }; /* threads known to loop, at most */

struct pd_loop_state {
	uint64_t a, b;
};

static inline void pd_loop_digest(struct pd_loop_state *s, uint64_t w)
{
	s->a = (s->a ^ w) * 0x9e3779b97f4a7c15ULL;
	s->a ^= s->a >> 29;
	s->b = (s->b + w + 1) * 0xc2b2ae3d27d4eb4fULL;
	s->b ^= s->b >> 31;
}

struct pd_loop {
	uint64_t look; /* call pd_loop_look from this number of events on */
	bool armed;
	uint32_t site;
	uint32_t tries;
	uint64_t addr;
	uint64_t since;	  /* number of events when it was recorded */
	uint64_t changes; /* front end's count of changes then */
	struct pd_loop_state turn;
	uint64_t switches; /* of threads */
	struct pd_loop_state here;
	struct pd_loop_state state;
	bool whole;    /* `state` is valid; otherwise only `here` is */
	uint64_t next; /* no state is taken before this number of events */
	bool any;
	struct {
		bool on;
		uint32_t site;
		uint64_t addr;
	} round[PD_LOOP_THREADS]; /* this thread loops through this place, and yields there */
};

/* The current event. */
struct pd_loop_now {
	uint64_t events, changes;
	uint64_t addr;
	uint32_t site;
	uint32_t thread;
	uint32_t can_run;  /* number of runnable threads */
	uint64_t switches; /* between threads, so far */
};

struct pd_loop_front {
	/* Which thread runs, and for how long: cheap. False: the next step does not follow from
	 * that. */
	bool (*turn)(void *ctx, struct pd_loop_state *s);
	/* The whole state; false: it cannot be known. */
	bool (*state)(void *ctx, struct pd_loop_state *s);
	void *ctx;
	/* A part of the state that is cheap to compute; NULL: there is none. */
	bool (*here)(void *ctx, struct pd_loop_state *s);
};

void pd_loop_init(struct pd_loop *l);

/* The recovery has finished one item of a finite list: start over at this number of events. */
void pd_loop_advance(struct pd_loop *l, uint64_t events);

enum {
	PD_LOOP_GIVE_WAY = 1, /* let other threads run at the next step of this thread */
	PD_LOOP_ENDLESS = 2,  /* it hangs: proven */
};

/* Returns these flags. */
uint32_t pd_loop_look(struct pd_loop *l, const struct pd_loop_now *now,
		      const struct pd_loop_front *front);

#endif
