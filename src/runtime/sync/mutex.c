/*
 * sync/mutex.c - mutexes of every kind.
 *
 * Ordinary kinds: __lock is 0 or 1, __owner the holder's tid, __count the depth of a recursive one,
 * __nusers as glibc counts it. Robust kinds: __lock is the holder's tid; FUTEX_OWNER_DIED replaces
 * it when the holder ends, and the next to lock gets EOWNERDEAD and has to call
 * pthread_mutex_consistent, or the mutex is lost at unlock. Priority protocols change nothing here
 * (one thread runs at a time by the scheduler's choice), process-shared ones are private: there is
 * no other process in the overlay.
 *
 * A thread that locks a normal mutex twice blocks for ever, as natively: a deadlock, found as such.
 * A mutex in PM that was held at a crash is held still.
 */
#include "runtime/base/rt.h"
#include "runtime/thread/sched.h"
#include "runtime/sync/sync.h"
#include "runtime/thread/thread.h"
#include "runtime/thread/real.h"
#include <errno.h>
#include <linux/futex.h>
#include <string.h>

enum {
	KIND_TYPE = 3,
	KIND_ROBUST = 16,
	KIND_PROTECT = 64, /* PTHREAD_PRIO_PROTECT: the ceiling is in the lock word */
	CEILING_SHIFT = 19,
	OWNER_INCONSISTENT = INT32_MAX,
	OWNER_LOST = INT32_MAX - 1,
};

#define LOCK(m)	  (&(m)->__data.__lock)
#define COUNT(m)  (&(m)->__data.__count)
#define OWNER(m)  (&(m)->__data.__owner)
#define NUSERS(m) (&(m)->__data.__nusers)
#define KIND(m)	  (&(m)->__data.__kind)

static uint32_t my_tid(void)
{
	return pd_sched.cur->tid;
}

/* ---- robust: which of them a thread holds --------------------------------------------------- */

static void robust_note(struct pd_thread *t, pthread_mutex_t *m)
{
	static struct pd_arena memory;

	if (!memory.next_size)
		pd_arena_init(&memory, pd_rt_memory());
	if (t->nrobust == t->robust_cap) {
		uint32_t to = t->robust_cap ? t->robust_cap * 2 : 8;
		pthread_mutex_t **v = pd_arena_grow(&memory, t->robust, t->robust_cap * sizeof(*v),
						    to * sizeof(*v));

		if (!v) {
			pd_rt_loss(PD_LOSS_CAPPED, 0, "robust mutexes held by one thread");
			return;
		}
		t->robust = v;
		t->robust_cap = to;
	}
	t->robust[t->nrobust++] = m;
}

static void robust_forget(struct pd_thread *t, pthread_mutex_t *m)
{
	uint32_t i;

	for (i = 0; i < t->nrobust; i++)
		if (t->robust[i] == m) {
			t->robust[i] = t->robust[--t->nrobust];
			return;
		}
}

/* Does what the kernel does natively, from the list of robust mutexes. */
void pd_sync_end(struct pd_thread *t)
{
	while (t->nrobust) {
		pthread_mutex_t *m = t->robust[--t->nrobust];

		pd_thread_emit(PD_EV_RELEASE, m, PD_LOCK_EXCLUSIVE);
		pd_word_swap(LOCK(m), FUTEX_OWNER_DIED);
		pd_sched_wake(m, UINT32_MAX);
	}
}

static int robust_try(pthread_mutex_t *m)
{
	uint32_t tid = my_tid();
	uint32_t was = pd_word_cas(LOCK(m), 0, tid);
	bool died = false;

	if (was & FUTEX_OWNER_DIED) {
		was = pd_word_cas(LOCK(m), was, tid) == was ? 0 : was;
		died = true;
	}
	if (was)
		return EBUSY;
	if (pd_word_load(OWNER(m)) == OWNER_LOST) {
		pd_word_swap(LOCK(m), 0);
		pd_sched_wake(m, UINT32_MAX);
		return ENOTRECOVERABLE;
	}
	pd_word_store(COUNT(m), 1);
	pd_word_store(OWNER(m), died ? OWNER_INCONSISTENT : tid);
	/* glibc keeps counting the dead owner's use: it was never released. */
	if (!died)
		pd_word_store(NUSERS(m), pd_word_load(NUSERS(m)) + 1);
	robust_note(pd_sched.cur, m);
	return died ? EOWNERDEAD : 0;
}

static bool robust_is_mine(pthread_mutex_t *m)
{
	return (pd_word_load(LOCK(m)) & FUTEX_TID_MASK) == my_tid();
}

/* ---- taking --------------------------------------------------------------------------------- */

/* The holder locks it again; -1: no special case, go on and block. */
static int lock_again(pthread_mutex_t *m, uint32_t kind, bool try)
{
	uint32_t depth;

	if ((kind & KIND_TYPE) == PTHREAD_MUTEX_RECURSIVE) {
		depth = pd_word_load(COUNT(m));
		if (depth == UINT32_MAX)
			return EAGAIN;
		pd_word_store(COUNT(m), depth + 1);
		return 0;
	}
	if ((kind & KIND_TYPE) == PTHREAD_MUTEX_ERRORCHECK)
		return try ? EBUSY : EDEADLK;
	return -1;
}

static bool is_mine(pthread_mutex_t *m, uint32_t kind)
{
	if (kind & KIND_ROBUST)
		return robust_is_mine(m);
	return pd_word_load(OWNER(m)) == my_tid();
}

/* The lock word of a free mutex. */
static uint32_t free_word(pthread_mutex_t *m, uint32_t kind)
{
	if (pd_likely(!(kind & KIND_PROTECT)))
		return 0;
	return pd_word_load(LOCK(m)) >> CEILING_SHIFT << CEILING_SHIFT;
}

static int plain_try(pthread_mutex_t *m, uint32_t kind)
{
	uint32_t unlocked = free_word(m, kind);

	if (pd_word_cas(LOCK(m), unlocked, unlocked | 1) != unlocked)
		return EBUSY;
	if ((kind & KIND_TYPE) == PTHREAD_MUTEX_RECURSIVE)
		pd_word_store(COUNT(m), 1);
	pd_word_store(OWNER(m), my_tid());
	pd_word_store(NUSERS(m), pd_word_load(NUSERS(m)) + 1);
	return 0;
}

static int acquire(pthread_mutex_t *m, bool try, uint64_t deadline)
{
	uint32_t kind = pd_word_load(KIND(m));
	int r;

	if (kind & ~0x3ffU) /* destroyed, or never a mutex */
		return EINVAL;
	if ((kind & KIND_TYPE) == PTHREAD_MUTEX_RECURSIVE ||
	    (kind & KIND_TYPE) == PTHREAD_MUTEX_ERRORCHECK) {
		r = is_mine(m, kind) ? lock_again(m, kind, try) : -1;
		if (r >= 0)
			return r;
	}
	while ((r = kind & KIND_ROBUST ? robust_try(m) : plain_try(m, kind)) == EBUSY) {
		if (try)
			return EBUSY;
		/* Interrupted: a mutex is no cancellation point, so it goes on. */
		if (pd_sched_block(kind & KIND_ROBUST ? PD_WAIT_ROBUST : PD_WAIT_MUTEX, m,
				   deadline) == PD_WAKE_TIMEOUT)
			return ETIMEDOUT;
	}
	if (r == 0 || r == EOWNERDEAD)
		pd_thread_emit(PD_EV_ACQUIRE, m, PD_LOCK_EXCLUSIVE);
	return r;
}

int pd_mutex_lock(pthread_mutex_t *m, uint64_t deadline)
{
	int r;

	pd_sched_point();
	pd_sched_hold();
	r = acquire(m, false, deadline);
	pd_sched_release();
	pd_sched_progress();
	return r;
}

static int try_lock(pthread_mutex_t *m)
{
	int r;

	pd_sched_point();
	pd_sched_hold();
	r = acquire(m, true, PD_NEVER);
	pd_sched_release();
	if (r == EBUSY)
		pd_sched_spin();
	else
		pd_sched_progress();
	return r;
}

/* ---- giving back ---------------------------------------------------------------------------- */

static int release(pthread_mutex_t *m)
{
	uint32_t kind = pd_word_load(KIND(m));
	uint32_t type = kind & KIND_TYPE;
	bool lost;

	if (kind & ~0x3ffU)
		return EINVAL;
	if ((type == PTHREAD_MUTEX_RECURSIVE || type == PTHREAD_MUTEX_ERRORCHECK ||
	     kind & KIND_ROBUST) &&
	    !is_mine(m, kind))
		return EPERM;
	if (type == PTHREAD_MUTEX_RECURSIVE) {
		uint32_t depth = pd_word_load(COUNT(m)) - 1;

		pd_word_store(COUNT(m), depth);
		if (depth)
			return 0;
	}
	pd_thread_emit(PD_EV_RELEASE, m, PD_LOCK_EXCLUSIVE);
	lost = kind & KIND_ROBUST && pd_word_load(OWNER(m)) == OWNER_INCONSISTENT;
	pd_word_store(OWNER(m), lost ? OWNER_LOST : 0);
	pd_word_store(NUSERS(m), pd_word_load(NUSERS(m)) - 1);
	if (kind & KIND_ROBUST)
		robust_forget(pd_sched.cur, m);
	pd_word_swap(LOCK(m), free_word(m, kind));
	pd_sched_wake(m, UINT32_MAX);
	return 0;
}

int pd_mutex_unlock(pthread_mutex_t *m)
{
	int r;

	pd_sched_hold();
	r = release(m);
	pd_sched_release();
	return r;
}

/* ---- what the program calls ----------------------------------------------------------------- */

PD_EXPORT int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attr)
{
	int r;
	PD_FROM_COPY(pthread_mutexattr_t, attr)

	PD_ON_COPY(r, m, true, pd_real.pthread_mutex_init, attr);
	return r;
}

PD_EXPORT int pthread_mutex_destroy(pthread_mutex_t *m)
{
	int r;

	PD_ON_COPY(r, m, false, pd_real.pthread_mutex_destroy);
	return r;
}

PD_EXPORT int pthread_mutex_lock(pthread_mutex_t *m)
{
	return pd_thread_driven() ? pd_mutex_lock(m, PD_NEVER) : pd_real.pthread_mutex_lock(m);
}

PD_EXPORT int pthread_mutex_trylock(pthread_mutex_t *m)
{
	return pd_thread_driven() ? try_lock(m) : pd_real.pthread_mutex_trylock(m);
}

/* A mutex that is free is taken, whatever the time. */
static int lock_timed(pthread_mutex_t *m, clockid_t clock, const struct timespec *abs)
{
	uint64_t deadline = 0;
	int r = pd_sched_deadline(clock, abs, &deadline);

	if (r) {
		int got = try_lock(m);

		return got == EBUSY ? r : got;
	}
	return pd_mutex_lock(m, deadline);
}

PD_EXPORT int pthread_mutex_timedlock(pthread_mutex_t *restrict m,
				      const struct timespec *restrict abs)
{
	return pd_thread_driven() ? lock_timed(m, CLOCK_REALTIME, abs)
				  : pd_real.pthread_mutex_timedlock(m, abs);
}

PD_EXPORT int pthread_mutex_clocklock(pthread_mutex_t *restrict m, clockid_t clock,
				      const struct timespec *restrict abs)
{
	return pd_thread_driven() ? lock_timed(m, clock, abs)
				  : pd_real.pthread_mutex_clocklock(m, clock, abs);
}

PD_EXPORT int pthread_mutex_unlock(pthread_mutex_t *m)
{
	int r;

	if (!pd_thread_driven())
		return pd_real.pthread_mutex_unlock(m);
	r = pd_mutex_unlock(m);
	pd_sched_point();
	return r;
}

PD_EXPORT int pthread_mutex_consistent(pthread_mutex_t *m)
{
	if (!pd_thread_driven())
		return pd_real.pthread_mutex_consistent(m);
	if (!(pd_word_load(KIND(m)) & KIND_ROBUST) || pd_word_load(OWNER(m)) != OWNER_INCONSISTENT)
		return EINVAL;
	pd_word_store(OWNER(m), my_tid());
	return 0;
}
