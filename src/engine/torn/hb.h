/*
 * hb.h - happens-before in one execution: clocks of threads, through everything that orders them.
 * (Yashme §5; C11 for atomics.)
 *
 * Time. The log numbers the stores already, so a store needs no clock of its own: its time is its
 * number. Any other event (a flush, a fence, a release, an acquire) gets a time between the stores
 * before and after it:
 *
 *	store number i              i << 32
 *	anything else               stores so far << 32 | 1, 2, 3 ...
 *
 * A locked instruction acquires, and completes flushes, right before its own store: stores before
 * it << 32 | ffffffff.
 *
 * A thread's clock has the time up to which it knows each other thread; it knows all of itself. The
 * clock changes only when the thread learns something (an acquire). So a thread keeps a list of
 * *segments*, each with the clock that holds from then on, and the clock of any of its events,
 * however long ago, is found by its time. With a single thread there is nothing to keep: a store
 * costs nothing.
 *
 * Atomics order by their memory order, as C11 has it: release and acquire, release sequences
 * through read-modify-writes, fences. volatile orders nothing.
 *
 * Precision lost: a condition variable, semaphore or barrier orders all who signalled before all
 * who wait later, also where only one of the signals was consumed. So two events may count as
 * ordered that are not.
 *
 * Thread rule: one execution, one thread at a time.
 */
#ifndef PD_ENGINE_TORN_HB_H
#define PD_ENGINE_TORN_HB_H

#include "base/map.h"
#include "base/vec.h"
#include "event/event.h"

typedef PD_VEC(uint64_t) pd_hb_clock;

struct pd_hb_segment {
	uint64_t from;
	const uint64_t *at; /* by thread */
	uint32_t n;
};

struct pd_hb_thread {
	/* Of the other threads; its own component is unused */
	pd_hb_clock now;
	PD_VEC(struct pd_hb_segment) segments; /* by time */
	pd_hb_clock acquired;		       /* by relaxed loads, for a later acquire fence */
	/* At the last release fence, for later relaxed stores */
	pd_hb_clock released;
	pd_hb_clock end; /* when it ended */
};

struct pd_hb {
	struct pd_arena *arena;
	PD_VEC(struct pd_hb_thread) threads;
	struct pd_map objects; /* address -> pd_hb_clock of what was released there */
	uint64_t last;	       /* time of the last event that is not a store */
};

/* The time of an event, and of its locked part (the same if it has none). */
struct pd_hb_now {
	uint64_t at;
	uint64_t locked;
};

static inline uint64_t pd_hb_store_time(uint32_t number)
{
	return (uint64_t)number << 32;
}

/* The event has just happened; `stores` is the length of the log now. */
struct pd_hb_now pd_hb_tick(struct pd_hb *hb, const struct pd_event *e, uint32_t stores);

/* Adds the edges that the event makes. */
void pd_hb_event(struct pd_hb *hb, const struct pd_event *e, struct pd_hb_now now);

/* Whether event (tid, at) happens before event (tid2, at2). */
bool pd_hb_before(const struct pd_hb *hb, uint32_t tid, uint64_t at, uint32_t tid2, uint64_t at2);

/* The clock of event (tid, at), by thread; *n is its length. */
const uint64_t *pd_hb_clock_at(const struct pd_hb *hb, uint32_t tid, uint64_t at, uint32_t *n);

#endif
