/*
 * sync/futex.c - futexes, and syscall(2), for code that builds its own primitives on them.
 *
 * libstdc++'s atomic wait, latch, barrier and semaphore, and some libraries of users, call futex
 * through libc's syscall function; others have the instruction in their own code, and get here
 * through thread/trap.c. The scheduler serves wait and wake; the atomics around them order memory,
 * so there is no event here. System calls about threads answer for the coroutine. What cannot be
 * served (PI futexes, waiting on several) goes to the kernel and is counted as a loss; calls on
 * files go to file/syscall.c, and all others to the kernel as they are.
 */
#include "runtime/base/raw.h"
#include "runtime/base/rt.h"
#include "runtime/thread/sched.h"
#include "runtime/sync/sync.h"
#include "runtime/thread/thread.h"
#include "runtime/thread/real.h"
#include "runtime/thread/trap.h"
#include <errno.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <sys/syscall.h>

static long futex_wait(const long *a, uint64_t deadline, uint32_t bits)
{
	const void *word = (const void *)a[0];
	enum pd_wake why;

	if (!bits)
		return -EINVAL;
	pd_sched_point();
	pd_sched_hold();
	if (pd_word_load(word) != (uint32_t)a[2]) {
		pd_sched_release();
		pd_sched_spin();
		return -EAGAIN;
	}
	pd_sched.cur->wait_bits = bits;
	why = pd_sched_block(PD_WAIT_FUTEX, word, deadline);
	pd_sched_release();
	if (why == PD_WAKE_TIMEOUT)
		return -ETIMEDOUT;
	return why == PD_WAKE_INTERRUPT && pd_sched.cur->eintr ? -EINTR : 0;
}

/* FUTEX_WAIT has a duration, FUTEX_WAIT_BITSET a point in time. */
static long futex_wait_any(const long *a)
{
	const struct timespec *t = (const struct timespec *)a[3];
	bool bitset = (a[1] & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET;
	clockid_t clock = a[1] & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC;
	uint64_t deadline = PD_NEVER;

	if (t && (t->tv_nsec < 0 || t->tv_nsec >= 1000000000 || t->tv_sec < 0))
		return -EINVAL;
	if (t && bitset)
		pd_sched_deadline(clock, t, &deadline);
	else if (t)
		deadline = pd_sched_after(t);
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
		return -EAGAIN;
	woken = pd_sched_wake((const void *)a[0], (uint32_t)a[2]);
	before = pd_sched_waiters((const void *)a[0]);
	pd_sched_requeue((const void *)a[0], (const void *)a[4], (uint32_t)a[3]);
	return woken + (compare ? before - pd_sched_waiters((const void *)a[0]) : 0);
}

/* The effect of FUTEX_WAKE_OP on the second word; false: no such operation. */
static bool wake_op_value(uint32_t op, uint32_t old, uint32_t *value)
{
	uint32_t arg = op >> 12 & 0xfff;

	if (op >> 28 & FUTEX_OP_OPARG_SHIFT)
		arg = 1u << (arg & 31);
	switch (op >> 28 & 7) {
	case FUTEX_OP_SET:
		*value = arg;
		return true;
	case FUTEX_OP_ADD:
		*value = old + arg;
		return true;
	case FUTEX_OP_OR:
		*value = old | arg;
		return true;
	case FUTEX_OP_ANDN:
		*value = old & ~arg;
		return true;
	case FUTEX_OP_XOR:
		*value = old ^ arg;
		return true;
	default:
		return false;
	}
}

static bool wake_op_holds(uint32_t op, int32_t old)
{
	int32_t arg = (int32_t)(op << 20) >> 20;

	switch (op >> 24 & 15) {
	case FUTEX_OP_CMP_EQ:
		return old == arg;
	case FUTEX_OP_CMP_NE:
		return old != arg;
	case FUTEX_OP_CMP_LT:
		return old < arg;
	case FUTEX_OP_CMP_LE:
		return old <= arg;
	case FUTEX_OP_CMP_GT:
		return old > arg;
	case FUTEX_OP_CMP_GE:
		return old >= arg;
	default:
		return false;
	}
}

/* Changes the second word, wakes at the first and, if the old value matches, at the second. */
static long futex_wake_op(const long *a)
{
	uint32_t *second = (uint32_t *)a[4];
	uint32_t old, value;
	long woken;

	pd_sched_point();
	old = pd_word_load(second);
	if (!wake_op_value((uint32_t)a[5], old, &value))
		return -ENOSYS;
	__atomic_store_n(second, value, __ATOMIC_SEQ_CST);
	pd_sched_hold();
	woken = futex_wake((const void *)a[0], a[2], UINT32_MAX);
	if (wake_op_holds((uint32_t)a[5], (int32_t)old))
		woken += futex_wake(second, a[3], UINT32_MAX);
	pd_sched_release();
	pd_sched_point();
	return woken;
}

long pd_futex(const long *a)
{
	switch (a[1] & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
		return futex_wait_any(a);
	case FUTEX_WAKE:
		return futex_wake((const void *)a[0], a[2], UINT32_MAX);
	case FUTEX_WAKE_BITSET:
		return futex_wake((const void *)a[0], a[2], (uint32_t)a[5]);
	case FUTEX_WAKE_OP:
		return futex_wake_op(a);
	case FUTEX_REQUEUE:
	case FUTEX_CMP_REQUEUE:
		return futex_requeue(a, (a[1] & FUTEX_CMD_MASK) == FUTEX_CMP_REQUEUE);
	case FUTEX_UNLOCK_PI: /* libc uses it to ask the kernel whether such futexes exist */
		return pd_raw(SYS_futex, a[0], a[1], a[2], a[3], a[4], a[5]);
	default:
		pd_rt_loss(PD_LOSS_SYSCALL, 0, "futex operation that is not served");
		return pd_raw(SYS_futex, a[0], a[1], a[2], a[3], a[4], a[5]);
	}
}

static long as_errno(long r)
{
	if (r >= 0)
		return r;
	errno = (int)-r;
	return -1;
}

static long forward(long n, const long *a)
{
	return pd_real.syscall(n, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static long futex_driven(long n, const long *a)
{
	long r;

	switch (n) {
	case SYS_futex:
		return as_errno(pd_futex(a));
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
		return pd_trap_calls.file && pd_trap_calls.file(n, a, &r) ? r : forward(n, a);
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
	return pd_thread_driven() ? futex_driven(n, a) : forward(n, a);
}
