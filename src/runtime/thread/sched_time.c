/*
 * thread/sched_time.c - yielding and sleeping, the processor number, and the lock of a FILE.
 *
 * A sleep takes virtual time only: the thread is blocked until the clock gets there.
 *
 * A FILE's lock is inside libc, where the scheduler sees no waiting. So between flockfile and
 * funlockfile no other thread is scheduled, unless the holder itself blocks; a thread that then
 * wants the same FILE waits by libc's own futex call (thread/trap.c).
 */
#include "runtime/base/rt.h"
#include "runtime/thread/sched.h"
#include "runtime/thread/thread.h"
#include "runtime/thread/real.h"
#include <errno.h>

static uint64_t saturating_ns(int64_t sec, int64_t nsec)
{
	if (sec < 0)
		return 0;
	if ((uint64_t)sec > INT64_MAX / 1000000000 - 1)
		return INT64_MAX;
	return (uint64_t)sec * 1000000000 + (uint64_t)nsec;
}

int pd_sched_deadline(clockid_t clock, const struct timespec *abs, uint64_t *deadline)
{
	struct timespec now;
	uint64_t at;
	uint64_t from;

	if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
		return EINVAL;
	if (abs->tv_nsec < 0 || abs->tv_nsec >= 1000000000)
		return EINVAL;
	clock_gettime(clock, &now);
	at = saturating_ns(abs->tv_sec, abs->tv_nsec);
	from = saturating_ns(now.tv_sec, now.tv_nsec);
	*deadline = pd_sched_clock() + (at > from ? at - from : 0);
	return 0;
}

uint64_t pd_sched_after(const struct timespec *rel)
{
	return pd_sched_clock() + saturating_ns(rel->tv_sec, rel->tv_nsec);
}

PD_EXPORT int sched_yield(void)
{
	if (!pd_thread_driven())
		return pd_real.sched_yield();
	pd_sched_yield();
	return 0;
}

/* All threads are always on the same processor. */
PD_EXPORT int sched_getcpu(void)
{
	return pd_thread_driven() ? 0 : pd_real.sched_getcpu();
}

static struct timespec to_timespec(uint64_t ns)
{
	return (struct timespec){(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
}

/* Returns 0, or EINTR with the remaining time. */
static int sleep_until(uint64_t deadline, struct timespec *left)
{
	struct pd_thread *self = pd_sched.cur;

	pd_thread_testcancel();
	for (;;) {
		enum pd_wake why = pd_sched_block(PD_WAIT_SLEEP, self, deadline);
		uint64_t now = pd_sched_clock();

		if (why != PD_WAKE_INTERRUPT)
			return 0;
		pd_thread_testcancel();
		if (!self->handled)
			continue;
		if (left)
			*left = to_timespec(deadline > now ? deadline - now : 0);
		return EINTR;
	}
}

static bool valid(const struct timespec *t)
{
	return t->tv_nsec >= 0 && t->tv_nsec < 1000000000 && t->tv_sec >= 0;
}

PD_EXPORT int nanosleep(const struct timespec *rel, struct timespec *left)
{
	int r;

	if (!pd_thread_driven())
		return pd_real.nanosleep(rel, left);
	r = valid(rel) ? sleep_until(pd_sched_after(rel), left) : EINVAL;
	if (r)
		errno = r;
	return r ? -1 : 0;
}

PD_EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *t,
			      struct timespec *left)
{
	uint64_t deadline = 0;
	int r;

	if (!pd_thread_driven())
		return pd_real.clock_nanosleep(clock, flags, t, left);
	if (!valid(t))
		return EINVAL;
	if (!(flags & TIMER_ABSTIME))
		return sleep_until(pd_sched_after(t), left);
	/* pd_sched_deadline refuses other clocks, as the kernel refuses some. */
	r = pd_sched_deadline(clock == CLOCK_BOOTTIME || clock == CLOCK_TAI ? CLOCK_MONOTONIC
									    : clock,
			      t, &deadline);
	return r ? r : sleep_until(deadline, NULL);
}

PD_EXPORT int usleep(useconds_t us)
{
	struct timespec t = to_timespec((uint64_t)us * 1000);

	return pd_thread_driven() ? nanosleep(&t, NULL) : pd_real.usleep(us);
}

PD_EXPORT unsigned sleep(unsigned s)
{
	struct timespec t = {(time_t)s, 0};
	struct timespec left = {0};

	if (!pd_thread_driven())
		return pd_real.sleep(s);
	return nanosleep(&t, &left) ? (unsigned)left.tv_sec + (left.tv_nsec >= 500000000) : 0;
}

/* ---- FILE ----------------------------------------------------------------------------------- */

PD_EXPORT void flockfile(FILE *f)
{
	if (!pd_thread_driven()) {
		pd_real.flockfile(f);
		return;
	}
	while (pd_real.ftrylockfile(f))
		pd_sched_yield();
	pd_sched_hold();
}

PD_EXPORT int ftrylockfile(FILE *f)
{
	int r;

	pd_thread_driven();
	r = pd_real.ftrylockfile(f);
	if (!r && pd_thread_driven())
		pd_sched_hold();
	return r;
}

PD_EXPORT void funlockfile(FILE *f)
{
	if (pd_thread_driven() && pd_sched.hold)
		pd_sched_release();
	pd_real.funlockfile(f);
}
