/*
 * sync/rwlock.c - reader-writer locks and spin locks.
 *
 * __readers is glibc's word: bit 0 write phase, bit 1 held by a writer (or, in a read phase, wanted
 * by one, which never happens here: the scheduler has the waiters), the rest the number of readers.
 * __cur_writer is the writer's tid. Every unlock wakes all waiting readers and writers, which try
 * again, so that each order is a schedule; the preference attribute is ignored.
 *
 * A spin lock is 1 when free and 0 when held (glibc, x86). Waiting for it blocks: a spinning thread
 * on a machine with one runner would only burn its turns.
 */
#include "runtime/base/rt.h"
#include "runtime/thread/sched.h"
#include "runtime/sync/sync.h"
#include "runtime/thread/thread.h"
#include "runtime/thread/real.h"
#include <errno.h>
#include <string.h>

enum {
	WRPHASE = 1,
	WRLOCKED = 2,
	READER = 8,
	READERS_MAX = 0x1fffffff,
};

#define READERS(l) (&(l)->__data.__readers)
#define WRITER(l)  (&(l)->__data.__cur_writer)
#define PHASE(l)   (&(l)->__data.__wrphase_futex)

static bool has_writer(uint32_t r)
{
	return (r & (WRPHASE | WRLOCKED)) == (WRPHASE | WRLOCKED);
}

static int read_try(pthread_rwlock_t *l)
{
	uint32_t r = pd_word_load(READERS(l));

	if (has_writer(r))
		return EBUSY;
	if (r / READER == READERS_MAX)
		return EAGAIN;
	if (pd_word_cas(READERS(l), r, (r & ~(uint32_t)WRPHASE) + READER) != r)
		return EBUSY;
	if (r & WRPHASE)
		pd_word_store(PHASE(l), 0);
	return 0;
}

static int write_try(pthread_rwlock_t *l)
{
	uint32_t r = pd_word_load(READERS(l));

	if (r & WRLOCKED || r / READER)
		return EBUSY;
	if (pd_word_cas(READERS(l), r, r | WRPHASE | WRLOCKED) != r)
		return EBUSY;
	pd_word_store(PHASE(l), 1);
	pd_word_store(WRITER(l), pd_sched.cur->tid);
	return 0;
}

static int acquire(pthread_rwlock_t *l, bool write, bool try, uint64_t deadline)
{
	int r;

	if (!try && pd_word_load(WRITER(l)) == pd_sched.cur->tid)
		return EDEADLK;
	while ((r = write ? write_try(l) : read_try(l)) == EBUSY) {
		if (try)
			return EBUSY;
		if (pd_sched_block(write ? PD_WAIT_WRITE : PD_WAIT_READ, l, deadline) ==
		    PD_WAKE_TIMEOUT)
			return ETIMEDOUT;
	}
	if (!r)
		pd_thread_emit(PD_EV_ACQUIRE, l, write ? PD_LOCK_EXCLUSIVE : PD_LOCK_SHARED);
	return r;
}

static int lock(pthread_rwlock_t *l, bool write, bool try, uint64_t deadline)
{
	int r;

	pd_sched_point();
	pd_sched_hold();
	r = acquire(l, write, try, deadline);
	pd_sched_release();
	if (r == EBUSY)
		pd_sched_spin();
	else
		pd_sched_progress();
	return r;
}

static int lock_until(pthread_rwlock_t *l, bool write, clockid_t clock, const struct timespec *abs)
{
	uint64_t deadline = 0;
	int r = pd_sched_deadline(clock, abs, &deadline);

	return r ? r : lock(l, write, false, deadline);
}

PD_EXPORT int pthread_rwlock_init(pthread_rwlock_t *restrict l,
				  const pthread_rwlockattr_t *restrict attr)
{
	int r;
	PD_FROM_COPY(pthread_rwlockattr_t, attr)

	PD_ON_COPY(r, l, true, pd_real.pthread_rwlock_init, attr);
	return r;
}

PD_EXPORT int pthread_rwlock_destroy(pthread_rwlock_t *l)
{
	int r;

	PD_ON_COPY(r, l, false, pd_real.pthread_rwlock_destroy);
	return r;
}

PD_EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *l)
{
	return pd_thread_driven() ? lock(l, false, false, PD_NEVER)
				  : pd_real.pthread_rwlock_rdlock(l);
}

PD_EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *l)
{
	return pd_thread_driven() ? lock(l, true, false, PD_NEVER)
				  : pd_real.pthread_rwlock_wrlock(l);
}

PD_EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t *l)
{
	return pd_thread_driven() ? lock(l, false, true, 0) : pd_real.pthread_rwlock_tryrdlock(l);
}

PD_EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t *l)
{
	return pd_thread_driven() ? lock(l, true, true, 0) : pd_real.pthread_rwlock_trywrlock(l);
}

PD_EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *restrict l,
					 const struct timespec *restrict abs)
{
	return pd_thread_driven() ? lock_until(l, false, CLOCK_REALTIME, abs)
				  : pd_real.pthread_rwlock_timedrdlock(l, abs);
}

PD_EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *restrict l,
					 const struct timespec *restrict abs)
{
	return pd_thread_driven() ? lock_until(l, true, CLOCK_REALTIME, abs)
				  : pd_real.pthread_rwlock_timedwrlock(l, abs);
}

PD_EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *restrict l, clockid_t clock,
					 const struct timespec *restrict abs)
{
	return pd_thread_driven() ? lock_until(l, false, clock, abs)
				  : pd_real.pthread_rwlock_clockrdlock(l, clock, abs);
}

PD_EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *restrict l, clockid_t clock,
					 const struct timespec *restrict abs)
{
	return pd_thread_driven() ? lock_until(l, true, clock, abs)
				  : pd_real.pthread_rwlock_clockwrlock(l, clock, abs);
}

static void unlock(pthread_rwlock_t *l)
{
	uint32_t r = pd_word_load(READERS(l));

	if (pd_word_load(WRITER(l)) == pd_sched.cur->tid) {
		pd_thread_emit(PD_EV_RELEASE, l, PD_LOCK_EXCLUSIVE);
		pd_word_store(WRITER(l), 0);
		pd_word_swap(READERS(l), r & ~(uint32_t)WRLOCKED);
	} else {
		pd_thread_emit(PD_EV_RELEASE, l, PD_LOCK_SHARED);
		pd_word_swap(READERS(l), r - READER);
	}
	pd_sched_wake(l, UINT32_MAX);
}

PD_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *l)
{
	if (!pd_thread_driven())
		return pd_real.pthread_rwlock_unlock(l);
	pd_sched_hold();
	unlock(l);
	pd_sched_release();
	pd_sched_point();
	return 0;
}

/* ---- spin locks ----------------------------------------------------------------------------- */

enum {
	SPIN_HELD = 0,
	SPIN_FREE = 1,
};

PD_EXPORT int pthread_spin_init(pthread_spinlock_t *l, int shared)
{
	if (!pd_thread_driven())
		return pd_real.pthread_spin_init(l, shared);
	pd_word_store((void *)(uintptr_t)l, SPIN_FREE);
	return 0;
}

PD_EXPORT int pthread_spin_destroy(pthread_spinlock_t *l)
{
	pd_thread_driven();
	return pd_real.pthread_spin_destroy(l);
}

static bool spin_take(pthread_spinlock_t *l)
{
	if (pd_word_cas((void *)(uintptr_t)l, SPIN_FREE, SPIN_HELD) != SPIN_FREE)
		return false;
	pd_thread_emit(PD_EV_ACQUIRE, (const void *)(uintptr_t)l, PD_LOCK_EXCLUSIVE);
	pd_sched_progress();
	return true;
}

PD_EXPORT int pthread_spin_lock(pthread_spinlock_t *l)
{
	if (!pd_thread_driven())
		return pd_real.pthread_spin_lock(l);
	pd_sched_point();
	pd_sched_hold();
	while (!spin_take(l))
		pd_sched_block(PD_WAIT_SPIN, (const void *)(uintptr_t)l, PD_NEVER);
	pd_sched_release();
	return 0;
}

PD_EXPORT int pthread_spin_trylock(pthread_spinlock_t *l)
{
	bool got;

	if (!pd_thread_driven())
		return pd_real.pthread_spin_trylock(l);
	pd_sched_point();
	pd_sched_hold();
	got = spin_take(l);
	pd_sched_release();
	if (!got)
		pd_sched_spin();
	return got ? 0 : EBUSY;
}

PD_EXPORT int pthread_spin_unlock(pthread_spinlock_t *l)
{
	if (!pd_thread_driven())
		return pd_real.pthread_spin_unlock(l);
	pd_sched_hold();
	pd_thread_emit(PD_EV_RELEASE, (const void *)(uintptr_t)l, PD_LOCK_EXCLUSIVE);
	pd_word_store((void *)(uintptr_t)l, SPIN_FREE);
	pd_sched_wake((const void *)(uintptr_t)l, UINT32_MAX);
	pd_sched_release();
	pd_sched_point();
	return 0;
}
