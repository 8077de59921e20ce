/*
 * loop.h - a recovery that goes round in circles, noticed before its budget of events is used up.
 *
 * A program whose whole state is what it was before, and that nothing from outside can disturb,
 * will do the same for ever. So from time to time a recovery remembers its state, and if it reaches
 * the same place with the same state again, it hangs: that is proven, and no guess. What belongs to
 * the state, and when it cannot be known, is the front end's business; a state is a digest of 128
 * bits. Since it was taken PM must not have changed, and nothing of it must have been read for the
 * first time (`changes`).
 *
 * Threads that wait with plain loads do not give way by themselves: nothing says that they wait.
 * One that comes back to the same state alone does from then on, each time it reaches that place,
 * so that all others have their turns. If one of them has something to do, it does it; if all go
 * round, the state of all of them comes back at last.
 *
 * A recovery that does a finite list of things one after the other says when it is done with one, and
 * circles are then looked for in the next one.
 *
 * The state is all memory of a process. It is taken only where what is at hand (registers) comes back:
 * a loop that counts, which is most of them, is known by that.
 *
 * How often: at 10,000 events and then at twice as many, and so on; what is seen then is compared
 * with what is seen afterwards, a few times. A loop of any length is found at last.
 */
#ifndef PD_ENGINE_CRASH_LOOP_H
#define PD_ENGINE_CRASH_LOOP_H

#include "base/types.h"

enum { PD_LOOP_THREADS = 64 }; /* of which it is known that they go round */

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
	uint64_t look; /* after so many events: pd_loop_look */
	bool armed;
	uint32_t site;
	uint32_t tries;
	uint64_t addr;
	uint64_t since;	  /* events */
	uint64_t changes; /* of PM, and so on */
	struct pd_loop_state turn;
	uint64_t switches; /* of threads */
	struct pd_loop_state here;
	struct pd_loop_state state;
	bool whole;    /* there is a state; only `here` otherwise */
	uint64_t next; /* events: no state is taken before that */
	bool any;
	struct {
		bool on;
		uint32_t site;
		uint64_t addr;
	} round[PD_LOOP_THREADS]; /* it goes round by this place, and gives way there */
};

/* The event at hand. */
struct pd_loop_now {
	uint64_t events, changes;
	uint64_t addr;
	uint32_t site;
	uint32_t thread;
	uint32_t can_run;  /* threads */
	uint64_t switches; /* of threads, so far */
};

struct pd_loop_front {
	/* Whose turn it is, and for how long: cheap. False: what comes next does not follow from
	 * that. */
	bool (*turn)(void *ctx, struct pd_loop_state *s);
	/* All of it; false: it cannot be known. */
	bool (*state)(void *ctx, struct pd_loop_state *s);
	void *ctx;
	/* A part of the state that is cheap to have; NULL: there is none. */
	bool (*here)(void *ctx, struct pd_loop_state *s);
};

void pd_loop_init(struct pd_loop *l);

/* It has done one of a number of things that is known to be finite, after so many events: what comes now
 * is looked at as from the start. */
void pd_loop_advance(struct pd_loop *l, uint64_t events);

enum {
	PD_LOOP_GIVE_WAY = 1, /* others are to run at the next step of this thread */
	PD_LOOP_ENDLESS = 2,  /* it hangs: proven */
};

/* Flags of what is to be done. */
uint32_t pd_loop_look(struct pd_loop *l, const struct pd_loop_now *now,
		      const struct pd_loop_front *front);

#endif
