/*
 * thread/sched_io.c - waiting for the kernel without stopping the other threads.
 *
 * A coroutine that blocks in the kernel blocks all of them, and it may wait for what another thread
 * is about to write. So functions that wait poll instead, and let others run in between. Only when
 * no other thread can run, now or after a timeout, does the thread wait in the kernel: then the
 * answer must come from outside, at a time that no schedule can repeat; unless the outside is
 * simulated (base/outside.h), which acts just then.
 *
 * Timeouts are virtual time. After a wait in the kernel, the clock advances by the whole timeout.
 */
#include "runtime/base/listen.h"
#include "runtime/base/outside.h"
#include "runtime/base/raw.h"
#include "runtime/base/rt.h"
#include "runtime/thread/sched.h"
#include "runtime/thread/thread.h"
#include "runtime/thread/real.h"
#include <poll.h>

enum { PATIENCE = 64 }; /* fruitless turns before real milliseconds pass between them */

/*
 * With a simulated outside: which threads have polled without success since the last success of
 * any. Once all that are not blocked have, the outside acts.
 */
static struct {
	uint64_t round;
	uint32_t waiting;
} look = {.round = 1};

struct wait {
	uint32_t turns;
	uint64_t round; /* in which it was last counted */
};

static void new_round(void)
{
	look.round++;
	look.waiting = 0;
}

static void count(struct wait *w)
{
	look.waiting += w->round != look.round;
	w->round = look.round;
}

/*
 * All threads wait for the kernel or are blocked: a sleeping one wakes up first, once before each
 * act.
 */
static bool outside_acts(void)
{
	static bool has_slept;

	if (!pd_outside.act || look.waiting < pd_sched.nlive - pd_sched.nblocked)
		return false;
	has_slept = !has_slept && pd_sched_pass_time();
	if (!has_slept && !pd_outside.act())
		return false;
	new_round();
	return true;
}

/*
 * Nothing there yet: others run, or the outside acts. False: neither can, the caller may wait in
 * the kernel.
 */
static bool others_run(struct wait *w)
{
	pd_thread_testcancel();
	count(w);
	if (!pd_sched_idle())
		return outside_acts();
	/* All threads may be waiting for the kernel. */
	if (!outside_acts() && ++w->turns > PATIENCE)
		pd_raw(SYS_nanosleep, (long)&(struct timespec){0, 1000000}, 0, 0, 0, 0, 0);
	return true;
}

void pd_sched_wait_fd(int fd, short events)
{
	struct pollfd p = {fd, events, 0};
	struct wait w = {0};
	long flags;

	if (pd_sched.nlive <= 1 && !pd_outside.act)
		return;
	pd_rt_drain(); /* another process may read what it writes, and look at PM */
	flags = pd_raw(SYS_fcntl, fd, F_GETFL, 0, 0, 0, 0);
	if (flags < 0 || flags & O_NONBLOCK)
		return;
	while (pd_raw(SYS_poll, (long)&p, 1, 0, 0, 0, 0) == 0)
		if (!others_run(&w))
			break;
	new_round();
}

static uint64_t after_ms(int ms)
{
	return ms < 0 ? PD_NEVER : pd_sched_clock() + (uint64_t)ms * 1000000;
}

static int ms_until(uint64_t deadline)
{
	uint64_t now = pd_sched_clock();

	if (deadline == PD_NEVER)
		return -1;
	return deadline > now ? (int)PD_MIN((deadline - now + 999999) / 1000000, (uint64_t)INT_MAX)
			      : 0;
}

/* ---- poll, select, epoll: `ask` is one of them, given the milliseconds to wait ---------- */

struct question {
	int (*ask)(struct question *q, int ms);
	union {
		struct {
			struct pollfd *fds;
			nfds_t n;
		} poll;
		struct {
			int n;
			fd_set *set[3];
			fd_set given[3];
		} select;
		struct {
			int fd;
			struct epoll_event *events;
			int max;
		} epoll;
	};
};

static int wait_for(struct question *q, uint64_t deadline)
{
	struct wait w = {0};
	int r;

	pd_listen_asked_outside();
	for (;;) {
		r = q->ask(q, 0);
		if (r || pd_sched_clock() >= deadline)
			break;
		if (others_run(&w))
			continue;
		r = q->ask(q, ms_until(deadline));
		if (!r)
			pd_sched_advance(deadline);
		break;
	}
	new_round();
	return r;
}

/* There is nothing to wait for but time. */
static int only_sleep(uint64_t deadline)
{
	pd_thread_testcancel();
	if (pd_sched_block(PD_WAIT_SLEEP, pd_sched.cur, deadline) != PD_WAKE_INTERRUPT)
		return 0;
	pd_thread_testcancel();
	errno = EINTR;
	return -1;
}

static int ask_poll(struct question *q, int ms)
{
	return pd_real.poll(q->poll.fds, q->poll.n, ms);
}

PD_EXPORT int poll(struct pollfd *fds, nfds_t n, int ms)
{
	struct question q = {ask_poll, {.poll = {fds, n}}};

	if (!pd_thread_driven())
		return pd_real.poll(fds, n, ms);
	pd_sched_point();
	return n ? wait_for(&q, after_ms(ms)) : only_sleep(after_ms(ms));
}

/* With a mask it goes to the kernel: the mask must hold exactly while it waits. A simulated outside
 * sends no signals, so there the mask has no effect. */
PD_EXPORT int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *t, const sigset_t *mask)
{
	struct question q = {ask_poll, {.poll = {fds, n}}};
	uint64_t deadline;

	if (!pd_thread_driven() || (mask && !pd_outside.act))
		return pd_real.ppoll(fds, n, t, mask);
	pd_sched_point();
	deadline = t ? pd_sched_after(t) : PD_NEVER;
	return n ? wait_for(&q, deadline) : only_sleep(deadline);
}

/* The answer overwrites the sets: restores them before each query. */
static int ask_select(struct question *q, int ms)
{
	struct timeval t = {ms / 1000, ms % 1000 * 1000};
	int i;

	for (i = 0; i < 3; i++)
		if (q->select.set[i])
			*q->select.set[i] = q->select.given[i];
	return pd_real.select(q->select.n, q->select.set[0], q->select.set[1], q->select.set[2],
			      ms < 0 ? NULL : &t);
}

static int select_until(int n, fd_set *r, fd_set *w, fd_set *e, uint64_t deadline)
{
	struct question q = {ask_select, {.select = {n, {r, w, e}, {{{0}}}}}};
	int i;

	for (i = 0; i < 3; i++)
		if (q.select.set[i])
			q.select.given[i] = *q.select.set[i];
	pd_sched_point();
	return r || w || e ? wait_for(&q, deadline) : only_sleep(deadline);
}

PD_EXPORT int select(int n, fd_set *restrict r, fd_set *restrict w, fd_set *restrict e,
		     struct timeval *restrict t)
{
	uint64_t deadline = PD_NEVER;
	int got;

	if (!pd_thread_driven())
		return pd_real.select(n, r, w, e, t);
	if (t)
		deadline = pd_sched_after(&(struct timespec){t->tv_sec, t->tv_usec * 1000});
	got = select_until(n, r, w, e, deadline);
	if (t) { /* Linux stores the remaining time there */
		uint64_t now = pd_sched_clock();
		uint64_t left = deadline > now ? deadline - now : 0;

		*t = (struct timeval){(time_t)(left / 1000000000),
				      (long)(left % 1000000000 / 1000)};
	}
	return got;
}

PD_EXPORT int pselect(int n, fd_set *restrict r, fd_set *restrict w, fd_set *restrict e,
		      const struct timespec *restrict t, const sigset_t *restrict mask)
{
	if (!pd_thread_driven() || (mask && !pd_outside.act))
		return pd_real.pselect(n, r, w, e, t, mask);
	return select_until(n, r, w, e, t ? pd_sched_after(t) : PD_NEVER);
}

static int ask_epoll(struct question *q, int ms)
{
	return pd_real.epoll_wait(q->epoll.fd, q->epoll.events, q->epoll.max, ms);
}

PD_EXPORT int epoll_wait(int fd, struct epoll_event *events, int max, int ms)
{
	struct question q = {ask_epoll, {.epoll = {fd, events, max}}};

	if (!pd_thread_driven())
		return pd_real.epoll_wait(fd, events, max, ms);
	pd_sched_point();
	return wait_for(&q, after_ms(ms));
}

PD_EXPORT int epoll_pwait(int fd, struct epoll_event *events, int max, int ms, const sigset_t *mask)
{
	if (!pd_thread_driven() || (mask && !pd_outside.act))
		return pd_real.epoll_pwait(fd, events, max, ms, mask);
	return epoll_wait(fd, events, max, ms);
}

PD_EXPORT int epoll_pwait2(int fd, struct epoll_event *events, int max, const struct timespec *t,
			   const sigset_t *mask)
{
	struct question q = {ask_epoll, {.epoll = {fd, events, max}}};

	if (!pd_thread_driven() || (mask && !pd_outside.act))
		return pd_real.epoll_pwait2(fd, events, max, t, mask);
	pd_sched_point();
	return wait_for(&q, t ? pd_sched_after(t) : PD_NEVER);
}

/* ---- connections and children --------------------------------------------------------------- */

PD_EXPORT int accept4(int fd, struct sockaddr *restrict addr, socklen_t *restrict n, int flags)
{
	socklen_t room = addr && n ? *n : 0;
	int got;

	if (pd_thread_driven())
		pd_sched_wait_fd(fd, POLLIN);
	got = pd_real.accept4(fd, addr, n, flags);
	if (got >= 0 && room && pd_outside.name)
		pd_outside.name(got, addr, n, room);
	return got;
}

PD_EXPORT int accept(int fd, struct sockaddr *restrict addr, socklen_t *restrict n)
{
	return accept4(fd, addr, n, 0);
}

PD_EXPORT pid_t wait4(pid_t pid, int *status, int flags, struct rusage *usage)
{
	struct wait w = {0};

	if (!pd_thread_driven() || flags & WNOHANG)
		return pd_real.wait4(pid, status, flags, usage);
	do {
		pid_t r = pd_real.wait4(pid, status, flags | WNOHANG, usage);

		if (r)
			return r;
	} while (others_run(&w));
	return pd_real.wait4(pid, status, flags, usage);
}

PD_EXPORT pid_t waitpid(pid_t pid, int *status, int flags)
{
	return wait4(pid, status, flags, NULL);
}

PD_EXPORT pid_t wait(int *status)
{
	return wait4(-1, status, 0, NULL);
}

PD_EXPORT int waitid(idtype_t type, id_t id, siginfo_t *info, int flags)
{
	struct wait w = {0};

	if (!pd_thread_driven() || flags & WNOHANG)
		return pd_real.waitid(type, id, info, flags);
	do {
		int r;

		if (info)
			info->si_pid = 0;
		r = pd_real.waitid(type, id, info, flags | WNOHANG);
		if (r || (info && info->si_pid))
			return r;
	} while (info && others_run(&w));
	return pd_real.waitid(type, id, info, flags);
}
