/*
 * clock.c - the clock, process ids and random numbers that the program asks for (base/env.h).
 *
 * rand() and random() are left alone: they are deterministic by themselves. What cannot be caught:
 * rdtsc, rdrand and rdseed (std::random_device uses them), the kernel's clock asked by a raw system
 * call, and /proc.
 *
 * The program sees one process id wherever an execution runs; the functions that take one are given
 * the real one.
 */
#include "runtime/base/env.h"
#include "runtime/base/raw.h"
#include "runtime/file/file.h"
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/timeb.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000LL
#define START  PD_ENV_START
#define BOOT   (1000 * SECOND) /* the monotonic clock at START */

/* Before the constructor has run the answer may be wrong for one call, but never blocks. */
static bool is_driven(void)
{
	pd_rt_init();
	return pd_inside();
}

/* ---- clock ---------------------------------------------------------------------------------- */

PD_EXPORT time_t time(time_t *t)
{
	time_t now;

	if (!is_driven())
		return PD_REAL(time)(t);
	now = (time_t)(pd_env_tick() / SECOND);
	if (t)
		pd_file_to_user(t, &now, sizeof(now));
	return now;
}

PD_EXPORT int gettimeofday(struct timeval *restrict t, void *restrict zone)
{
	struct timeval now;
	void *to = t;
	int64_t ns;

	if (!is_driven())
		return PD_REAL(gettimeofday)(t, zone);
	ns = pd_env_tick();
	now = (struct timeval){ns / SECOND, ns % SECOND / 1000};
	__asm__("" : "+r"(to)); /* declared nonnull, but NULL works */
	if (to)
		pd_file_to_user(to, &now, sizeof(now));
	if (zone)
		memset(zone, 0, sizeof(struct timezone));
	return 0;
}

static int64_t clock_value(clockid_t clock)
{
	int64_t now = pd_env_tick();

	switch (clock) {
	case CLOCK_REALTIME:
	case CLOCK_REALTIME_COARSE:
	case CLOCK_TAI:
		return now;
	case CLOCK_MONOTONIC:
	case CLOCK_MONOTONIC_RAW:
	case CLOCK_MONOTONIC_COARSE:
	case CLOCK_BOOTTIME:
		return now - START + BOOT;
	default: /* processor time: nothing else runs */
		return now - START;
	}
}

PD_EXPORT int clock_gettime(clockid_t clock, struct timespec *t)
{
	struct timespec now;
	int64_t ns;

	if (!is_driven())
		return PD_REAL(clock_gettime)(clock, t);
	if ((clock < 0 || clock > CLOCK_TAI) && pd_raw(SYS_clock_getres, clock, 0, 0, 0, 0, 0) < 0)
		return (int)pd_file_result(-EINVAL);
	ns = clock_value(clock);
	now = (struct timespec){ns / SECOND, ns % SECOND};
	pd_file_to_user(t, &now, sizeof(now));
	return 0;
}

PD_EXPORT int timespec_get(struct timespec *t, int base)
{
	if (!is_driven() || base != TIME_UTC)
		return PD_REAL(timespec_get)(t, base);
	clock_gettime(CLOCK_REALTIME, t);
	return base;
}

PD_EXPORT clock_t clock(void)
{
	if (!is_driven())
		return PD_REAL(clock)();
	return (clock_t)((pd_env_tick() - START) / (SECOND / CLOCKS_PER_SEC));
}

PD_EXPORT clock_t times(struct tms *t)
{
	clock_t ticks;

	if (!is_driven())
		return PD_REAL(times)(t);
	ticks = (clock_t)((pd_env_tick() - START) / (SECOND / 100));
	if (t)
		*t = (struct tms){.tms_utime = ticks};
	return ticks + BOOT / (SECOND / 100);
}

PD_EXPORT int getrusage(__rusage_who_t who, struct rusage *u)
{
	int r = PD_REAL(getrusage)(who, u);
	int64_t ns;

	if (r || !is_driven())
		return r;
	ns = pd_env_tick() - START;
	memset(u, 0, sizeof(*u)); /* memory and faults differ from run to run too */
	u->ru_utime = (struct timeval){ns / SECOND, ns % SECOND / 1000};
	return 0;
}

/* ---- process ids ---------------------------------------------------------------------------- */

PD_EXPORT pid_t getpid(void)
{
	return is_driven() ? pd_env_pid() : PD_REAL(getpid)();
}

PD_EXPORT pid_t getppid(void)
{
	return is_driven() ? PD_ENV_PID - 1 : PD_REAL(getppid)();
}

/* The process that the program means: itself under our name for it, or any other as it is. */
static pid_t real_pid(pid_t pid)
{
	if (!is_driven())
		return pid;
	if (pid == pd_env_pid())
		return (pid_t)pd_raw(SYS_getpid, 0, 0, 0, 0, 0, 0);
	if (pid == -pd_env_pid())
		return -(pid_t)pd_raw(SYS_getpid, 0, 0, 0, 0, 0, 0);
	return pid;
}

PD_EXPORT int kill(pid_t pid, int sig)
{
	return PD_REAL(kill)(real_pid(pid), sig);
}

PD_EXPORT int sigqueue(pid_t pid, int sig, const union sigval value)
{
	return PD_REAL(sigqueue)(real_pid(pid), sig, value);
}

PD_EXPORT pid_t getpgid(pid_t pid)
{
	return PD_REAL(getpgid)(real_pid(pid));
}

PD_EXPORT pid_t getsid(pid_t pid)
{
	return PD_REAL(getsid)(real_pid(pid));
}

PD_EXPORT int setpgid(pid_t pid, pid_t group)
{
	return PD_REAL(setpgid)(real_pid(pid), real_pid(group));
}

PD_EXPORT int sched_getaffinity(pid_t pid, size_t n, cpu_set_t *set)
{
	return PD_REAL(sched_getaffinity)(real_pid(pid), n, set);
}

PD_EXPORT int sched_setaffinity(pid_t pid, size_t n, const cpu_set_t *set)
{
	return PD_REAL(sched_setaffinity)(real_pid(pid), n, set);
}

/* ---- random numbers ------------------------------------------------------------------------- */

/* Into memory of the program, which may be PM. */
static void fill(void *buf, size_t n)
{
	uint8_t piece[256];

	while (n) {
		size_t k = PD_MIN(n, sizeof(piece));

		pd_env_random(piece, k);
		pd_file_to_user(buf, piece, k);
		buf = (char *)buf + k;
		n -= k;
	}
}

PD_EXPORT ssize_t getrandom(void *buf, size_t n, unsigned flags)
{
	if (!is_driven())
		return PD_REAL(getrandom)(buf, n, flags);
	if (flags & ~7u)
		return pd_file_result(-EINVAL);
	fill(buf, n);
	return (ssize_t)n;
}

PD_EXPORT int getentropy(void *buf, size_t n)
{
	if (!is_driven())
		return PD_REAL(getentropy)(buf, n);
	if (n > 256)
		return (int)pd_file_result(-EIO);
	fill(buf, n);
	return 0;
}

/* Newer than the oldest libc that we build with. */
uint32_t arc4random(void);
void arc4random_buf(void *buf, size_t n);
uint32_t arc4random_uniform(uint32_t bound);

PD_EXPORT uint32_t arc4random(void)
{
	uint32_t x;

	if (!is_driven())
		return PD_REAL(arc4random)();
	pd_env_random(&x, sizeof(x));
	return x;
}

PD_EXPORT void arc4random_buf(void *buf, size_t n)
{
	if (is_driven())
		fill(buf, n);
	else
		PD_REAL(arc4random_buf)(buf, n);
}

PD_EXPORT uint32_t arc4random_uniform(uint32_t bound)
{
	if (!is_driven())
		return PD_REAL(arc4random_uniform)(bound);
	return bound ? (uint32_t)((uint64_t)arc4random() * bound >> 32) : 0;
}
