/*
 * wait.h - who waits for what when threads are stuck: facts, and the text that lists them.
 */
#ifndef PD_EVENT_WAIT_H
#define PD_EVENT_WAIT_H

#include "base/hash.h"
#include "base/out.h"

/* What a blocked thread waits for. */
enum pd_wait {
	PD_WAIT_NOTHING,
	PD_WAIT_MUTEX,
	PD_WAIT_ROBUST,
	PD_WAIT_READ,
	PD_WAIT_WRITE,
	PD_WAIT_SPIN,
	PD_WAIT_COND,
	PD_WAIT_BARRIER,
	PD_WAIT_SEM,
	PD_WAIT_ONCE,
	PD_WAIT_FUTEX,
	PD_WAIT_JOIN,
	PD_WAIT_SLEEP,
	PD_WAIT_ALL, /* main called pthread_exit: every other thread's end */
};

/* Who holds the lock, if the lock itself shows that. */
enum pd_holder {
	PD_HOLDER_UNKNOWN,
	PD_HOLDER_NOBODY, /* no thread of this execution */
	PD_HOLDER_LIVE,
	PD_HOLDER_ENDED, /* a thread that has ended */
};

enum { PD_WAITERS = 40 };

struct pd_waiter {
	uint32_t thread;
	uint32_t holder; /* the thread, if there is one */
	uint8_t wait;	 /* enum pd_wait */
	uint8_t held;	 /* enum pd_holder */
	uint64_t on;	 /* address of the lock, or number of the thread */
};

/* Threads that have not ended; only the first PD_WAITERS are listed. */
struct pd_waits {
	uint32_t n;
	struct pd_waiter v[PD_WAITERS];
};

static inline uint32_t pd_waits_listed(const struct pd_waits *w)
{
	return PD_MIN(w->n, PD_WAITERS);
}

/* A thread waits for a lock that no thread of this execution holds. */
bool pd_waits_for_nobody(const struct pd_waits *w);

void pd_waits_digest(struct pd_digest *d, const struct pd_waits *w);

/* "thread 0 waits for mutex 0x1000 held by thread 1; thread 1 ..." */
void pd_waits_put(struct pd_out *o, const struct pd_waits *w);

#endif
