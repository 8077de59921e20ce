/*
 * clock.h - vector clocks: what happens before what between threads.
 *
 * Component t counts the steps of thread t that are known. A clock is as long as the highest thread
 * in it; components beyond are 0. A release copies the thread's clock to the object and ticks; an
 * acquire joins the object's clock into the thread's (Yashme §5, HawkSet §4.2 use them so).
 *
 * Thread rule: a clock belongs to its owner; sharing is by copy.
 */
#ifndef PD_MODEL_CLOCK_H
#define PD_MODEL_CLOCK_H

#include "base/vec.h"

struct pd_clock {
	PD_VEC(uint32_t) at;
};

static inline uint32_t pd_clock_get(const struct pd_clock *c, uint32_t tid)
{
	return tid < c->at.n ? c->at.v[tid] : 0;
}

/* One step of thread tid; false: memory ran out. */
bool pd_clock_tick(struct pd_clock *c, struct pd_arena *a, uint32_t tid);

/* into = the larger of both, component by component. */
bool pd_clock_join(struct pd_clock *into, struct pd_arena *a, const struct pd_clock *from);

/* into = from. */
bool pd_clock_copy(struct pd_clock *into, struct pd_arena *a, const struct pd_clock *from);

/* All of a is known in b: a happened before b, or they are equal. */
bool pd_clock_leq(const struct pd_clock *a, const struct pd_clock *b);

#endif
