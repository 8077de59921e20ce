/*
 * bounded.h - all schedules with up to a number of preemptions, each once.
 *
 * A schedule is described by where it departs from the ordinary course, in which a thread runs
 * until it blocks or ends and then the first of the others runs. A *step* is a moment at which more
 * than one thread can run. Running another thread than the ordinary one is a *turn*; it is a
 * preemption if the thread that ran could have gone on. An execution records what it could have
 * done at each step; from that follow the schedules with one turn more, after its last one. So the
 * first execution, without any turn, leads to all of them (Musuvathi and Qadeer, "Iterative context
 * bounding for systematic testing of multithreaded programs", PLDI 2007).
 *
 * A schedule is a number, so that a witness can have it (event/schedule.h); schedules that do not
 * fit are counted, and then not all were tried. Steps interleave accesses: a store is visible to
 * all as soon as it is made.
 */
#ifndef PD_ENGINE_LINEAR_BOUNDED_H
#define PD_ENGINE_LINEAR_BOUNDED_H

#include "base/vec.h"

enum {
	PD_BOUNDED_STEPS = 1023, /* per execution, at most */
	PD_BOUNDED_PICKS = 3,	 /* other runnable threads at a step, at most */
	PD_BOUNDED_TURNS = 4,
	/* In a log: the ordinary course is that the current thread goes on */
	PD_BOUNDED_PREEMPTS = 0x80,
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
	uint32_t n;	   /* steps, including those without room */
	uint32_t left_out; /* runnable threads without a number */
	uint8_t others[PD_BOUNDED_STEPS +
		       1]; /* by step: how many, and whether it is a preemption */
};

/*
 * At a step with n runnable threads, the first being the ordinary one: returns which one runs, and
 * records the step.
 */
uint32_t pd_bounded_pick(const struct pd_bounded *s, struct pd_bounded_log *log, uint32_t n,
			 bool preempts);

struct pd_bounded_todo {
	uint64_t number;
	uint32_t preemptions;
};

/* All zero to begin with, but for the arena and the bound. */
struct pd_bounded_search {
	struct pd_arena *arena;
	uint32_t bound;
	PD_VEC(struct pd_bounded_todo) todo;
	struct pd_bounded_todo now;
	uint32_t given;	 /* so far */
	uint64_t beyond; /* schedules left out because they have no number */
};

/* The next schedule; false: that was the last one. */
bool pd_bounded_next(struct pd_bounded_search *s, uint64_t *number);

/* It was executed, and could have done this. */
void pd_bounded_feed(struct pd_bounded_search *s, const struct pd_bounded_log *log);

#endif
