/*
 * sync/once.c - things that are done once: pthread_once and the guards of C++'s local statics.
 *
 * The once control is glibc's word: 0, then 1 with the fork generation while the function runs,
 * then 2. A function that is left by an exception or a cancellation has not run: the word goes back
 * to 0. In the child of a fork no thread runs it any more, which the generation shows.
 *
 * A guard is the C++ ABI's: byte 0 says done (compiled code looks at it by itself), byte 1 in use.
 * The guards are ours in both modes, since libstdc++ may be loaded where we cannot see it: alone, a
 * thread that finds one in use waits with the kernel's futex, as libstdc++ does.
 */
#include "runtime/base/raw.h"
#include "runtime/base/rt.h"
#include "runtime/thread/sched.h"
#include "runtime/sync/sync.h"
#include "runtime/thread/thread.h"
#include "runtime/thread/real.h"
#include <linux/futex.h>

enum {
	ONCE_RUNS = 1,
	ONCE_DONE = 2,
	ONCE_GENERATION = 4,
};

static uint32_t generation;

void pd_once_forked(void)
{
	generation += ONCE_GENERATION;
}

struct running {
	pthread_once_t *control;
	bool done;
};

static void leave(struct running *r)
{
	pd_sched_hold();
	pd_thread_emit(PD_EV_SIGNAL, r->control, 0);
	pd_word_swap(r->control, r->done ? ONCE_DONE : 0);
	pd_sched_wake(r->control, UINT32_MAX);
	pd_sched_release();
}

static void run(pthread_once_t *control, void (*fn)(void))
{
	struct running r __attribute__((cleanup(leave))) = {control, false};

	fn();
	r.done = true;
}

static int once(pthread_once_t *control, void (*fn)(void))
{
	pd_sched_point();
	for (;;) {
		uint32_t v;

		pd_sched_hold();
		v = pd_word_load(control);
		if (v & ONCE_DONE) {
			pd_sched_release();
			pd_thread_emit(PD_EV_WAIT, control, 0);
			return 0;
		}
		if (v == (generation | ONCE_RUNS)) {
			pd_sched_block(PD_WAIT_ONCE, control, PD_NEVER);
			pd_sched_release();
			continue;
		}
		pd_word_cas(control, v, generation | ONCE_RUNS);
		pd_sched_release();
		run(control, fn);
		pd_sched_progress();
		return 0;
	}
}

PD_EXPORT int pthread_once(pthread_once_t *control, void (*fn)(void))
{
	return pd_thread_driven() ? once(control, fn) : pd_real.pthread_once(control, fn);
}

PD_EXPORT void call_once(once_flag *flag, void (*fn)(void))
{
	if (pd_thread_driven())
		once((pthread_once_t *)flag, fn);
	else
		pd_real.call_once(flag, fn);
}

/* ---- guards --------------------------------------------------------------------------------- */

enum {
	GUARD_DONE = 1,
	GUARD_IN_USE = 1 << 8,
	GUARD_WAITED = 1 << 16,
};

static int guard_acquire(uint32_t *guard)
{
	pd_sched_point();
	while (!(*guard & GUARD_DONE)) {
		if (!(*guard & GUARD_IN_USE)) {
			*guard |= GUARD_IN_USE;
			return 1;
		}
		pd_sched_block(PD_WAIT_ONCE, guard, PD_NEVER);
	}
	pd_thread_emit(PD_EV_WAIT, guard, 0);
	return 0;
}

static int guard_acquire_alone(uint32_t *guard)
{
	for (;;) {
		uint32_t v = __atomic_load_n(guard, __ATOMIC_ACQUIRE);

		if (v & GUARD_DONE)
			return 0;
		if (!v) {
			if (__atomic_compare_exchange_n(guard, &v, GUARD_IN_USE, false,
							__ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
				return 1;
			continue;
		}
		__atomic_compare_exchange_n(guard, &v, v | GUARD_WAITED, false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED);
		pd_raw(SYS_futex, (long)guard, FUTEX_WAIT_PRIVATE, GUARD_IN_USE | GUARD_WAITED, 0,
		       0, 0);
	}
}

static void guard_leave(uint32_t *guard, uint32_t v)
{
	if (!pd_thread_driven()) {
		if (__atomic_exchange_n(guard, v, __ATOMIC_ACQ_REL) & GUARD_WAITED)
			pd_raw(SYS_futex, (long)guard, FUTEX_WAKE_PRIVATE, INT_MAX, 0, 0, 0);
		return;
	}
	pd_thread_emit(PD_EV_SIGNAL, guard, 0);
	*guard = v;
	pd_sched_wake(guard, UINT32_MAX);
	pd_sched_progress();
}

PD_EXPORT int __cxa_guard_acquire(void *guard)
{
	return pd_thread_driven() ? guard_acquire(guard) : guard_acquire_alone(guard);
}

PD_EXPORT void __cxa_guard_release(void *guard)
{
	guard_leave(guard, GUARD_DONE);
}

PD_EXPORT void __cxa_guard_abort(void *guard)
{
	guard_leave(guard, 0);
}
