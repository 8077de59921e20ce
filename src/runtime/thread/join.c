/*
 * thread/join.c - pthread_join, pthread_detach, pthread_exit.
 *
 * When a joiner runs again the thread is already buried (sched.c: the next thread to run buries
 * it), so glibc's own join returns immediately with the result and frees the stack.
 *
 * main's pthread_exit is special: its kernel thread must not end, since it carries the others.
 * glibc is made to believe that main is the last thread, so that it unwinds main and calls exit(0);
 * there, in an atexit handler that was registered last and so runs first, main waits for the
 * others.
 */
#include "runtime/base/listen.h"
#include "runtime/base/rt.h"
#include "runtime/thread/sched.h"
#include "runtime/thread/thread.h"
#include "runtime/thread/real.h"
#include <errno.h>
#include <stdlib.h>

unsigned *pd_thread_unwinding;

static int may_join(struct pd_thread *t)
{
	struct pd_thread *self = pd_sched.cur;

	if (!t)
		return ESRCH;
	if (t->detached || t->joiner)
		return EINVAL;
	if (t == self || (self->joiner == t && !t->ended))
		return EDEADLK;
	return 0;
}

static bool joinable(const struct pd_thread *t)
{
	return t->number ? t->buried : t->ended;
}

static int take_result(struct pd_thread *t, void **ret)
{
	pd_thread_emit(PD_EV_THREAD_JOIN, NULL, t->number);
	pd_sched_progress();
	if (!t->number) {
		if (ret)
			*ret = t->ret;
		t->detached = true;
		return 0;
	}
	pd_thread_unlist(t);
	pd_thread_join_real(t, ret);
	pd_thread_drop(t);
	return 0;
}

static int join(pthread_t real, void **ret, uint64_t deadline)
{
	struct pd_thread *t;
	int r;

	pd_sched_point();
	pd_thread_testcancel();
	t = pd_thread_find(real);
	r = may_join(t);
	while (!r && !joinable(t)) {
		enum pd_wake why;

		t->joiner = pd_sched.cur;
		why = pd_sched_block(PD_WAIT_JOIN, t, deadline);
		t->joiner = NULL;
		if (why == PD_WAKE_TIMEOUT)
			r = ETIMEDOUT;
		else if (why == PD_WAKE_INTERRUPT)
			pd_thread_testcancel();
	}
	return r ? r : take_result(t, ret);
}

PD_EXPORT int pthread_join(pthread_t t, void **ret)
{
	if (!pd_thread_driven())
		return pd_real.pthread_join(t, ret);
	return join(t, ret, PD_NEVER);
}

PD_EXPORT int pthread_tryjoin_np(pthread_t real, void **ret)
{
	struct pd_thread *t;
	int r;

	if (!pd_thread_driven())
		return pd_real.pthread_tryjoin_np(real, ret);
	pd_sched_point();
	t = pd_thread_find(real);
	r = may_join(t);
	if (r)
		return r;
	if (joinable(t))
		return take_result(t, ret);
	pd_sched_spin();
	return EBUSY;
}

PD_EXPORT int pthread_timedjoin_np(pthread_t t, void **ret, const struct timespec *abs)
{
	uint64_t deadline = PD_NEVER;
	int r;

	if (!pd_thread_driven())
		return pd_real.pthread_timedjoin_np(t, ret, abs);
	r = abs ? pd_sched_deadline(CLOCK_REALTIME, abs, &deadline) : 0;
	return r ? r : join(t, ret, deadline);
}

PD_EXPORT int pthread_clockjoin_np(pthread_t t, void **ret, clockid_t clock,
				   const struct timespec *abs)
{
	uint64_t deadline = PD_NEVER;
	int r;

	if (!pd_thread_driven())
		return pd_real.pthread_clockjoin_np(t, ret, clock, abs);
	r = abs ? pd_sched_deadline(clock, abs, &deadline) : 0;
	return r ? r : join(t, ret, deadline);
}

PD_EXPORT int pthread_detach(pthread_t real)
{
	struct pd_thread *t;
	int r;

	if (!pd_thread_driven())
		return pd_real.pthread_detach(real);
	t = pd_thread_find(real);
	if (!t)
		return ESRCH;
	if (t->detached)
		return EINVAL;
	if (!pd_thread_own_malloc || !t->number) {
		r = pd_real.pthread_detach(real);
		if (r)
			return r;
	}
	t->detached = true;
	if (t->buried)
		pd_thread_forget(t);
	return 0;
}

/* ---- the end of main ------------------------------------------------------------------------ */

static void wait_for_all(void)
{
	struct pd_thread *self = pd_sched.cur;

	if (!pd_thread_unwinding || self->number)
		return;
	pd_thread_unwinding = NULL;
	/* One more than there are: the end of another thread must not look like the program's. */
	*pd_thread_glibc_count() = pd_sched.nlive;
	pd_listen_thread_ending(self);
	pd_thread_emit(PD_EV_THREAD_END, NULL, 0);
	self->ended = true;
	pd_sched_wake(self, UINT32_MAX);
	while (pd_sched.nlive > 1)
		pd_sched_block(PD_WAIT_ALL, &pd_sched, PD_NEVER);
}

PD_EXPORT void pthread_exit(void *ret)
{
	if (pd_thread_driven() && !pd_sched.cur->number && pd_sched.nlive > 1) {
		if (!pd_thread_glibc_count())
			pd_rt_fail(4, "main ends by pthread_exit, which this libc hides from us");
		pd_sched.cur->ret = ret;
		pd_thread_unwinding = pd_thread_glibc_count();
		atexit(wait_for_all);
		*pd_thread_glibc_count() = 1;
	}
	pd_real.pthread_exit(ret);
	__builtin_unreachable();
}
