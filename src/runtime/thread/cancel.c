/*
 * thread/cancel.c - cancellation.
 *
 * glibc keeps the cancellation state of a thread and does the unwinding: its flags are in its
 * record of the thread, which follows the FS base, so that libc's own cancellation points (read,
 * write, ...) work as well. We add what a coroutine needs. A blocked target is roused: the
 * primitive that it blocks in tests for cancellation and blocks again if that is disabled. glibc's
 * signal cannot reach a target of asynchronous type (all threads share one kernel thread); it is
 * cancelled when it is switched to, that is, at the scheduling point where it stands.
 *
 * Precision lost: a thread that computes without any scheduling point is not interrupted there.
 */
#include "runtime/base/rt.h"
#include "runtime/thread/sched.h"
#include "runtime/thread/thread.h"
#include "runtime/thread/real.h"
#include <errno.h>

/*
 * May send a signal, which the running thread ignores. From glibc 2.41 on it always does; and since
 * it allocates first, another thread may have run, and the record may have the thread's own number
 * again: then the signal reaches nobody, and the thread is cancelled all the same.
 */
static int cancel_real(struct pd_thread *t)
{
	int r;

	pd_thread_show_kernel(t);
	r = pd_real.pthread_cancel(t->real);
	pd_thread_show_own(t);
	return r == ESRCH ? 0 : r;
}

/* glibc acts immediately on a thread of deferred type; the type ends with the thread anyway. */
static void cancel_self(struct pd_thread *self)
{
	int old;

	self->cancel_asap = false;
	pd_sched.hold = 0; /* it never returns to where it was held */
	pd_real.pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &old);
	cancel_real(self);
	pd_real.pthread_testcancel();
}

void pd_thread_testcancel(void)
{
	struct pd_thread *self = pd_sched.cur;

	if (pd_unlikely(self->cancel_asap && !self->cancel_off))
		cancel_self(self);
	pd_real.pthread_testcancel();
}

PD_EXPORT void pthread_testcancel(void)
{
	if (!pd_thread_driven()) {
		pd_real.pthread_testcancel();
		return;
	}
	pd_sched_point();
	pd_thread_testcancel();
}

PD_EXPORT int pthread_setcancelstate(int state, int *old)
{
	int r;

	if (!pd_thread_driven())
		return pd_real.pthread_setcancelstate(state, old);
	r = pd_real.pthread_setcancelstate(state, old);
	if (r)
		return r;
	pd_sched.cur->cancel_off = state == PTHREAD_CANCEL_DISABLE;
	if (pd_sched.cur->async_type)
		pd_thread_testcancel();
	return 0;
}

PD_EXPORT int pthread_setcanceltype(int type, int *old)
{
	int r;

	if (!pd_thread_driven())
		return pd_real.pthread_setcanceltype(type, old);
	r = pd_real.pthread_setcanceltype(type, old);
	if (!r)
		pd_sched.cur->async_type = type == PTHREAD_CANCEL_ASYNCHRONOUS;
	return r;
}

PD_EXPORT int pthread_cancel(pthread_t real)
{
	struct pd_thread *t;
	int r = 0;

	if (!pd_thread_driven())
		return pd_real.pthread_cancel(real);
	t = pd_thread_find(real);
	if (!t)
		return ESRCH;
	if (t->ended)
		return 0;
	if (t->async_type && !t->cancel_off) {
		if (t == pd_sched.cur)
			cancel_self(t);
		t->cancel_asap = true;
	} else {
		r = cancel_real(t);
	}
	pd_sched_rouse(t, PD_WAKE_INTERRUPT);
	pd_sched_point();
	return r;
}
