/*
 * sync/cond.c - condition variables.
 *
 * The scheduler has the waiters; the object itself is only read for its clock. Which of several
 * waiters a signal wakes is a choice (the one that came first is alternative 0). There are no
 * spurious wakeups, except that a waiter which is interrupted by a signal handler returns, as POSIX
 * allows.
 *
 * Precision lost: glibc counts waiters inside the object, so a condition variable in PM that had
 * waiters at a crash can swallow a signal natively after recovery. Here it is as new.
 */
#include "runtime/base/rt.h"
#include "runtime/thread/sched.h"
#include "runtime/sync/sync.h"
#include "runtime/thread/thread.h"
#include "runtime/thread/real.h"
#include <errno.h>
#include <string.h>

enum { WREFS_MONOTONIC = 2 };

static int wait_until(pthread_cond_t *c, pthread_mutex_t *m, uint64_t deadline)
{
	enum pd_wake why;
	int r;

	pd_sched_point();
	/* After the scheduling point: a thread that cancels us later finds us blocked. */
	pd_thread_testcancel();
	pd_sched_hold();
	r = pd_mutex_unlock(m);
	if (r) {
		pd_sched_release();
		return r;
	}
	why = pd_sched_block(PD_WAIT_COND, c, deadline);
	pd_sched_release();
	if (why == PD_WAKE_NORMAL)
		pd_thread_emit(PD_EV_WAIT, c, 0);
	r = pd_mutex_lock(m, PD_NEVER);
	/* Only now: cleanup handlers expect to hold the mutex. */
	if (why == PD_WAKE_INTERRUPT)
		pd_thread_testcancel();
	return !r && why == PD_WAKE_TIMEOUT ? ETIMEDOUT : r;
}

static int wait_clock(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
		      const struct timespec *abs)
{
	uint64_t deadline = 0;
	int r = pd_sched_deadline(clock, abs, &deadline);

	return r ? r : wait_until(c, m, deadline);
}

static int wake(pthread_cond_t *c, uint32_t n)
{
	pd_sched_point();
	pd_thread_emit(PD_EV_SIGNAL, c, 0);
	pd_sched_wake(c, n);
	pd_sched_progress();
	pd_sched_point();
	return 0;
}

PD_EXPORT int pthread_cond_init(pthread_cond_t *restrict c, const pthread_condattr_t *restrict attr)
{
	int r;
	PD_FROM_COPY(pthread_condattr_t, attr)

	PD_ON_COPY(r, c, true, pd_real.pthread_cond_init, attr);
	return r;
}

/* glibc's would wait for the waiters that the object counts; ours are not counted there. */
PD_EXPORT int pthread_cond_destroy(pthread_cond_t *c)
{
	return pd_thread_driven() ? 0 : pd_real.pthread_cond_destroy(c);
}

PD_EXPORT int pthread_cond_wait(pthread_cond_t *restrict c, pthread_mutex_t *restrict m)
{
	return pd_thread_driven() ? wait_until(c, m, PD_NEVER) : pd_real.pthread_cond_wait(c, m);
}

PD_EXPORT int pthread_cond_timedwait(pthread_cond_t *restrict c, pthread_mutex_t *restrict m,
				     const struct timespec *restrict abs)
{
	clockid_t clock = CLOCK_REALTIME;

	if (!pd_thread_driven())
		return pd_real.pthread_cond_timedwait(c, m, abs);
	if (pd_word_load(&c->__data.__wrefs) & WREFS_MONOTONIC)
		clock = CLOCK_MONOTONIC;
	return wait_clock(c, m, clock, abs);
}

PD_EXPORT int pthread_cond_clockwait(pthread_cond_t *restrict c, pthread_mutex_t *restrict m,
				     clockid_t clock, const struct timespec *restrict abs)
{
	return pd_thread_driven() ? wait_clock(c, m, clock, abs)
				  : pd_real.pthread_cond_clockwait(c, m, clock, abs);
}

PD_EXPORT int pthread_cond_signal(pthread_cond_t *c)
{
	return pd_thread_driven() ? wake(c, 1) : pd_real.pthread_cond_signal(c);
}

PD_EXPORT int pthread_cond_broadcast(pthread_cond_t *c)
{
	return pd_thread_driven() ? wake(c, UINT32_MAX) : pd_real.pthread_cond_broadcast(c);
}
