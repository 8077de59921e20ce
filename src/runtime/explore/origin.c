/*
 * origin.c - the checkpoint. See explore.h.
 *
 * All paths are the same up to the first use of the input. There the process stops. It splits off
 * as many workers as there are jobs, waits for them, and replaces each that has died: because of
 * what its program did to it, or because it was killed.
 */
#include "runtime/base/listen.h"
#include "runtime/base/raw.h"
#include "runtime/explore/explore.h"
#include "runtime/pm/shadow.h"
#include "runtime/symbolic/symbolic.h"
#include "runtime/thread/snapshot.h"
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

struct pd_exploring pd_exploring;

/* ---- waiting -------------------------------------------------------------------------------- */

void pd_explore_wait(uint32_t *word, uint32_t was, uint32_t ms)
{
	struct timespec t = {ms / 1000, (long)(ms % 1000) * 1000000};

	if (__atomic_load_n(word, __ATOMIC_ACQUIRE) == was)
		pd_raw(SYS_futex, (long)word, FUTEX_WAIT, was, (long)&t, 0, 0);
}

void pd_explore_wake(uint32_t *word)
{
	__atomic_add_fetch(word, 1, __ATOMIC_ACQ_REL);
	pd_raw(SYS_futex, (long)word, FUTEX_WAKE, INT_MAX, 0, 0, 0);
}

void pd_explore_lock(uint32_t *lock)
{
	uint32_t self = pd_exploring.pid, by, gone = 0;

	for (uint32_t tries = 1; !pd_explore_try_lock(lock, self, gone, &by); tries++) {
		gone = 0;
		if (tries % 64 == 0) {
			if (by && pd_raw(SYS_kill, by, 0, 0, 0, 0, 0) == -ESRCH)
				gone = by;
			pd_raw(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
		}
		__builtin_ia32_pause();
	}
}

void pd_explore_renew(void)
{
	pd_exploring.pid = (uint32_t)pd_raw(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

void pd_explore_number_inputs(struct pd_exprs *x)
{
	for (uint32_t i = 0; i < pd_exploring.board->input_size; i++)
		pd_expr_input(x, i);
}

/* ---- workers -------------------------------------------------------------------------------- */

/* Returns true in the worker's runs. */
static bool split_off(uint32_t number)
{
	struct pd_explore_worker *w = &pd_exploring.board->worker[number];
	pid_t pid = pd_snapshot_fork();

	if (pid == 0) {
		pd_worker_work(number);
		return true;
	}
	if (pid < 0)
		pd_rt_fail(4, "no process for a worker");
	w->pid = (uint32_t)pid;
	return false;
}

/* Puts its record back into the frontier, unless another worker died of it before. */
static void bury(struct pd_explore_worker *w)
{
	struct pd_explore *b = pd_exploring.board;
	struct pd_record *r = (struct pd_record *)(uintptr_t)w->record;
	struct pd_search_judge judge = pd_worker_judge();

	pd_explore_lock(&b->lock);
	if (r) {
		b->busy--;
		if (w->retried) {
			b->lost++;
			pd_search_drop(&b->search, r);
		} else {
			pd_search_return(&b->search, r, &judge);
		}
	}
	w->retried = r && !w->retried;
	w->record = 0;
	w->state = PD_WORKER_NONE;
	pd_explore_unlock(&b->lock);
	pd_explore_wake(&b->waiting);
}

static uint32_t find_worker(uint32_t pid)
{
	struct pd_explore *b = pd_exploring.board;

	for (uint32_t i = 0; i < b->jobs; i++)
		if (b->worker[i].pid == pid)
			return i;
	return b->jobs;
}

/* Waits for the next one that ends: true if it has to be replaced. */
static bool await(uint32_t *number)
{
	struct pd_explore *b = pd_exploring.board;
	long pid;
	int status;

	do
		pid = pd_raw(SYS_wait4, -1, (long)&status, __WALL, 0, 0, 0);
	while (pid == -EINTR);
	if (pid < 0)
		pd_rt_leave(0); /* no worker is left */
	*number = find_worker((uint32_t)pid);
	if (*number == b->jobs)
		return false;
	b->worker[*number].pid = 0;
	if (b->worker[*number].state == PD_WORKER_GONE)
		return false;
	bury(&b->worker[*number]);
	return !b->stop && !b->over;
}

void pd_explore_checkpoint(void)
{
	struct pd_explore *b = pd_exploring.board;
	uint32_t number = 0;

	pd_symbolic.first_use = NULL;
	pd_shadow_check_all(); /* a run checks its own writes */
	pd_labels_settle();
	pd_reach_start();
	pd_result_checkpoint();
	b->checkpoint = 1;
	pd_rt.channel->done = 1;
	pd_explore_wake(&b->ended_event);
	for (uint32_t i = 0; i < b->jobs; i++)
		if (split_off(i))
			return;
	for (;;)
		if (await(&number) && split_off(number))
			return;
}
