/* check/pace.c - see check/pace.h. */
#include "runtime/check/pace.h"
#include "protocol/board.h"
#include "runtime/base/listen.h"
#include "runtime/check/check.h"
#include "runtime/base/raw.h"
#include "runtime/thread/snapshot.h"
#include <time.h>

static uint64_t clock_us(clockid_t which)
{
	struct timespec t = {0};

	pd_raw(SYS_clock_gettime, which, (long)&t, 0, 0, 0, 0);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

/* The clock of another process: the kernel's CPUCLOCK_SCHED, as clock_getcpuclockid makes it. */
static uint64_t computed_us(pid_t pid)
{
	return clock_us((clockid_t)(~(unsigned)pid << 3 | 2));
}

void pd_pace_watch(struct pd_pace_watch *w, pid_t pid)
{
	*w = (struct pd_pace_watch){
		.pid = pid,
		.seen = {.computed = computed_us(pid), .now = clock_us(CLOCK_MONOTONIC)}};
	w->fd = (int)pd_raw(SYS_pidfd_open, pid, 0, 0, 0, 0, 0);
}

bool pd_pace_ended(const struct pd_pace_watch *w)
{
	return pd_snapshot_ended(w->pid, w->fd, (int)pd_pace_tick(pd_board()->hang_ms));
}

void pd_pace_finish(struct pd_pace_watch *w)
{
	if (w->fd >= 0)
		pd_raw_close(w->fd);
}

/* It neither runs nor waits for a CPU. If /proc does not say, a process that has not computed
 * counts as asleep. */
static bool is_asleep(pid_t pid, bool computed)
{
	char state = pd_snapshot_state(pid);

	return state ? state == 'S' : !computed;
}

void pd_pace_look(struct pd_pace_watch *w, uint64_t events, bool waits)
{
	uint64_t computed = computed_us(w->pid);

	pd_pace_see(&w->seen, events, computed, clock_us(CLOCK_MONOTONIC),
		    is_asleep(w->pid, computed != w->seen.computed), waits);
}

bool pd_pace_hangs(const struct pd_pace_watch *w)
{
	struct pd_board *b = pd_board();

	return pd_pace_is_idle(&w->seen, &b->pace, b->hang_ms);
}

/* ---- what the program takes ----------------------------------------------------------------- */

uint64_t pd_pace_events(bool trial)
{
	struct pd_board *b = pd_board();

	return pd_pace_budget(&b->pace, b->hang_ms, b->first_events, trial);
}

uint64_t pd_pace_all_events(bool trial)
{
	struct pd_board *b = pd_board();
	struct timespec nap = {0, 5000000};

	pd_check_waits(true);
	while (!pd_pace_ask(&b->pace) && !b->stop)
		pd_raw(SYS_nanosleep, (long)&nap, 0, 0, 0, 0, 0);
	pd_check_waits(false);
	return pd_pace_budget(&b->pace, b->hang_ms, PD_MAX(b->pace.events, b->first_events), trial);
}

static void count_event(struct pd_event *e)
{
	(void)e;
	pd_board()->pace.events = ++pd_check.events;
}

static void watch_to_its_end(pid_t pid)
{
	struct pd_pace *p = &pd_board()->pace;
	struct pd_pace_watch w;

	pd_pace_watch(&w, pid);
	while (!pd_pace_ended(&w)) {
		pd_pace_look(&w, p->events, false);
		p->idle_us = PD_MAX(p->idle_us, w.seen.idle);
	}
	pd_pace_finish(&w);
}

bool pd_pace_measure(void)
{
	static const struct pd_listener measured = {.wants = PD_EV_ACCESSES, .event = count_event};
	struct pd_pace *p = &pd_board()->pace;
	pid_t pid;
	int status;

	p->events = p->idle_us = 0;
	pid = pd_snapshot_fork();
	if (pid == 0) {
		pd_listen_add(&measured);
		pd_check_input_again(0);
		return true;
	}
	if (pid > 0) {
		watch_to_its_end(pid);
		pd_snapshot_wait(pid, &status);
	}
	__atomic_store_n(&p->state, PD_PACE_KNOWN, __ATOMIC_RELEASE);
	return false;
}
