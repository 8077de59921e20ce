/* check/pace.c - see check/pace.h. */
#include "runtime/check/pace.h"
#include "protocol/board.h"
#include "runtime/check/check.h"
#include "runtime/base/raw.h"
#include "runtime/thread/snapshot.h"
#include <time.h>

enum {
	SLOWER = 4,	  /* than the program ever was, and it hangs */
	TICKS = 8,	  /* looks in the time that --hang gives */
	LONGEST_MS = 250, /* between two looks */
	/* Events: so many for each ms of --hang, but never fewer than LEAST; and so many for each
	 * of the program's. */
	PER_MS = 400,
	LEAST = 4000000,
	PER_EVENT = 100,
	/* Of a trial. If it hangs, the last one, which is none, has to show that. */
	TRIAL_LEAST = 200000,
	TRIAL_PER_EVENT = 20,
};

PD_OWN bool pd_pace_measured;

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
		.pid = pid, .computed = computed_us(pid), .now = clock_us(CLOCK_MONOTONIC)};
	w->fd = (int)pd_raw(SYS_pidfd_open, pid, 0, 0, 0, 0, 0);
}

bool pd_pace_ended(const struct pd_pace_watch *w)
{
	uint64_t tick = PD_MIN(pd_board()->hang_ms / TICKS, LONGEST_MS);

	return pd_snapshot_ended(w->pid, w->fd, (int)PD_MAX(tick, 1));
}

void pd_pace_finish(struct pd_pace_watch *w)
{
	if (w->fd >= 0)
		pd_raw_close(w->fd);
}

/* It neither runs nor wants to. Where nobody can say, what has not computed at all counts as
 * asleep. */
static bool is_asleep(pid_t pid, bool computed)
{
	char state = pd_snapshot_state(pid);

	return state ? state == 'S' : !computed;
}

void pd_pace_look(struct pd_pace_watch *w, uint64_t events, bool waits)
{
	uint64_t computed = computed_us(w->pid), now = clock_us(CLOCK_MONOTONIC);

	if (events != w->events || waits)
		w->idle = 0;
	else
		w->idle += is_asleep(w->pid, computed != w->computed) ? now - w->now
								      : computed - w->computed;
	w->events = events;
	w->computed = computed;
	w->now = now;
}

/* ---- what the program takes ----------------------------------------------------------------- */

/* True: it is known. Otherwise the tool starts the execution that shows it (drive/check/run.c). */
static bool ask(void)
{
	struct pd_board_pace *p = &pd_board()->pace;
	uint32_t nobody = PD_PACE_UNKNOWN;

	__atomic_compare_exchange_n(&p->state, &nobody, PD_PACE_WANTED, false, __ATOMIC_ACQ_REL,
				    __ATOMIC_ACQUIRE);
	return nobody == PD_PACE_KNOWN;
}

bool pd_pace_hangs(const struct pd_pace_watch *w)
{
	const struct pd_board *b = pd_board();

	return w->idle / 1000 >= b->hang_ms && ask() && w->idle >= SLOWER * b->pace.idle_us;
}

static uint64_t budget(bool trial, uint64_t program)
{
	uint64_t all = PD_MAX(LEAST, pd_board()->hang_ms * PER_MS) + PER_EVENT * program;

	return trial ? PD_MIN(all, TRIAL_LEAST + TRIAL_PER_EVENT * program) : all;
}

uint64_t pd_pace_events(bool trial)
{
	return budget(trial, pd_board()->first_events);
}

uint64_t pd_pace_all_events(bool trial)
{
	const struct pd_board *b = pd_board();
	struct timespec nap = {0, 5000000};

	pd_check_waits(true);
	while (!ask() && !b->stop)
		pd_raw(SYS_nanosleep, (long)&nap, 0, 0, 0, 0, 0);
	pd_check_waits(false);
	return budget(trial, PD_MAX(b->pace.events, b->first_events));
}

void pd_pace_event(uint64_t events)
{
	pd_board()->pace.events = events;
}

static void watch_to_its_end(pid_t pid)
{
	struct pd_board_pace *p = &pd_board()->pace;
	struct pd_pace_watch w;

	pd_pace_watch(&w, pid);
	while (!pd_pace_ended(&w)) {
		pd_pace_look(&w, p->events, false);
		p->idle_us = PD_MAX(p->idle_us, w.idle);
	}
	pd_pace_finish(&w);
}

bool pd_pace_measure(void)
{
	struct pd_board_pace *p = &pd_board()->pace;
	pid_t pid;
	int status;

	p->events = p->idle_us = 0;
	pid = pd_snapshot_fork();
	if (pid == 0) {
		pd_pace_measured = true;
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
