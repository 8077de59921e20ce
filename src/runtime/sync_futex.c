/*
 * sync_futex.c - syscall(2), for those who make their own primitives of futexes.
 *
 * libstdc++'s atomic wait, latch, barrier and semaphore, and some libraries of users, call futex
 * through libc's syscall function. Wait and wake are served by the scheduler; the atomics around
 * them are what orders memory, so there is no event here. System calls about threads answer for the
 * coroutine. What cannot be served (PI futexes, waiting on several) goes to the kernel and is
 * counted as a loss; calls on files go to file_syscall.c, and all others to the kernel as they are.
 *
 * Lost: code that has the syscall instruction inlined. A futex wait in there stops the whole
 * program.
 */
#include "runtime/file.h"
#include "runtime/rt.h"
#include "runtime/sched.h"
#include "runtime/sync.h"
#include "runtime/thread.h"
#include "runtime/thread_real.h"
#include <errno.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <sys/syscall.h>

static long fail(int error)
{
	errno = error;
	return -1;
}

static long futex_wait(const long *a, uint64_t deadline, uint32_t bits)
{
	const void *word = (const void *)a[0];
	enum pd_wake why;

	if (!bits)
		return fail(EINVAL);
	pd_sched_point();
	pd_sched_hold();
	if (pd_word_load(word) != (uint32_t)a[2]) {
		pd_sched_release();
		pd_sched_spin();
		return fail(EAGAIN);
	}
	pd_sched.cur->wait_bits = bits;
	why = pd_sched_block(PD_WAIT_FUTEX, word, deadline);
	pd_sched_release();
	if (why == PD_WAKE_TIMEOUT)
		return fail(ETIMEDOUT);
	return why == PD_WAKE_INTERRUPT && pd_sched.cur->eintr ? fail(EINTR) : 0;
}

/* FUTEX_WAIT has a duration, FUTEX_WAIT_BITSET a point in time. */
static long futex_wait_any(const long *a)
{
	const struct timespec *t = (const struct timespec *)a[3];
	bool bitset = (a[1] & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET;
	clockid_t clock = a[1] & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC;
	uint64_t deadline = PD_NEVER;

	if (t && (t->tv_nsec < 0 || t->tv_nsec >= 1000000000 || t->tv_sec < 0))
		return fail(EINVAL);
	if (t && bitset)
		pd_sync_deadline(clock, t, &deadline);
	else if (t)
		deadline = pd_sync_after(t);
	return futex_wait(a, deadline, bitset ? (uint32_t)a[5] : UINT32_MAX);
}

static long futex_wake(const void *word, long n, uint32_t bits)
{
	uint32_t woken;

	pd_sched_point();
	woken = pd_sched_wake_bits(word, n < 0 ? 0 : (uint32_t)PD_MIN(n, INT_MAX), bits);
	if (woken)
		pd_sched_progress();
	pd_sched_point();
	return woken;
}

static long futex_requeue(const long *a, bool compare)
{
	uint32_t before;
	uint32_t woken;

	pd_sched_point();
	if (compare && pd_word_load((const void *)a[0]) != (uint32_t)a[5])
		return fail(EAGAIN);
	woken = pd_sched_wake((const void *)a[0], (uint32_t)a[2]);
	before = pd_sched_waiters((const void *)a[0]);
	pd_sched_requeue((const void *)a[0], (const void *)a[4], (uint32_t)a[3]);
	return woken + (compare ? before - pd_sched_waiters((const void *)a[0]) : 0);
}

static long futex(const long *a)
{
	switch (a[1] & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
		return futex_wait_any(a);
	case FUTEX_WAKE:
		return futex_wake((const void *)a[0], a[2], UINT32_MAX);
	case FUTEX_WAKE_BITSET:
		return futex_wake((const void *)a[0], a[2], (uint32_t)a[5]);
	case FUTEX_REQUEUE:
	case FUTEX_CMP_REQUEUE:
		return futex_requeue(a, (a[1] & FUTEX_CMD_MASK) == FUTEX_CMP_REQUEUE);
	default:
		pd_rt_loss(PD_LOSS_SYSCALL, 0, "futex operation that is not served");
		return pd_real.syscall(SYS_futex, a[0], a[1], a[2], a[3], a[4], a[5]);
	}
}

static long forward(long n, const long *a)
{
	return pd_real.syscall(n, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static long driven(long n, const long *a)
{
	long r;

	switch (n) {
	case SYS_futex:
		return futex(a);
	case SYS_gettid:
		return gettid();
	case SYS_tgkill:
		return tgkill((pid_t)a[0], (pid_t)a[1], (int)a[2]);
	case SYS_tkill:
		return tgkill(getpid(), (pid_t)a[0], (int)a[1]);
	case SYS_sched_yield:
		return sched_yield();
	case SYS_nanosleep:
		return nanosleep((const struct timespec *)a[0], (struct timespec *)a[1]);
	case SYS_fork:
	case SYS_vfork:
		return _Fork();
	case SYS_clone:
	case SYS_clone3:
		pd_rt_loss(PD_LOSS_SYSCALL, 0, "a raw clone");
		return forward(n, a);
#ifdef SYS_futex_waitv
	case SYS_futex_waitv:
		pd_rt_loss(PD_LOSS_SYSCALL, 0, "futex_waitv");
		return forward(n, a);
#endif
	default:
		return pd_file_syscall(n, a, &r) ? r : forward(n, a);
	}
}

PD_EXPORT long syscall(long n, ...)
{
	long a[6];
	va_list ap;
	int i;

	va_start(ap, n);
	for (i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	return pd_thread_driven() ? driven(n, a) : forward(n, a);
}
