/*
 * bounded.h - all schedules with up to so many preemptions, each once.
 *
 * A schedule is where it departs from the ordinary course, in which a thread runs until it blocks or
 * ends and then the first of the others goes on. A *step* is a moment at which more than one thread can
 * run. To take another one than the ordinary is a *turn*; it is a preemption where the thread that ran
 * could have gone on. An execution notes what it could have done at each step; from that come the
 * schedules with one turn more, after its last one. So the first execution, without any turn, leads to
 * all of them (Musuvathi and Qadeer, "Iterative context bounding for systematic testing of
 * multithreaded programs", PLDI 2007).
 *
 * A schedule is a number, so that a witness has it (event/schedule.h); what does not fit is counted, and
 * then it was not all of them. Steps are interleavings of accesses: a store is seen by all as soon as it
 * is made.
 */
#ifndef PD_ENGINE_LINEAR_BOUNDED_H
#define PD_ENGINE_LINEAR_BOUNDED_H

#include "base/vec.h"

enum {
	PD_BOUNDED_STEPS = 1023, /* of an execution */
	PD_BOUNDED_PICKS = 3,	 /* other threads that can run at a step */
	PD_BOUNDED_TURNS = 4,
	PD_BOUNDED_PREEMPTS = 0x80, /* in a log: the ordinary course is that the thread goes on */
};

struct pd_bounded {
	uint32_t n;
	struct {
		uint32_t step; /* from 1 */
		uint32_t pick; /* from 1: which of the others */
	} turn[PD_BOUNDED_TURNS];
};

uint64_t pd_bounded_number(const struct pd_bounded *s);
struct pd_bounded pd_bounded_of(uint64_t number);

/* What an execution could have done. */
struct pd_bounded_log {
	uint32_t n;	   /* steps, also those that have no room */
	uint32_t left_out; /* threads that could have run and have no number */
	uint8_t others[PD_BOUNDED_STEPS +
		       1]; /* by step: how many, and whether it is a preemption */
};

/* At a step: of `n` threads, the first being the ordinary one, which is to run; and notes it. */
uint32_t pd_bounded_pick(const struct pd_bounded *s, struct pd_bounded_log *log, uint32_t n,
			 bool preempts);

struct pd_bounded_todo {
	uint64_t number;
	uint32_t preemptions;
};

/* All zero but for the arena and the bound, to begin with. */
struct pd_bounded_search {
	struct pd_arena *arena;
	uint32_t bound;
	PD_VEC(struct pd_bounded_todo) todo;
	struct pd_bounded_todo now;
	uint32_t given;	 /* so far */
	uint64_t beyond; /* schedules that are not among them for want of a number */
};

/* The next schedule; false: that was the last one. */
bool pd_bounded_next(struct pd_bounded_search *s, uint64_t *number);

/* It was executed, and could have done this. */
void pd_bounded_feed(struct pd_bounded_search *s, const struct pd_bounded_log *log);

#endif
