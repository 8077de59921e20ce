/* check/account.c - see account.h. */
#include "runtime/check/account.h"
#include "engine/crash/end.h"
#include "protocol/board.h"
#include "runtime/base/raw.h"
#include "runtime/check/check.h"
#include "runtime/check/pace.h"
#include "runtime/thread/snapshot.h"
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

static uint32_t worker;

void pd_account_begin(uint32_t of)
{
	worker = of;
}

/* ---- memory --------------------------------------------------------------------------------- */

struct pd_crash_run *pd_account_take(void)
{
	struct pd_board_worker *w = &pd_board()->worker[worker];
	struct pd_crash_run *run = w->free_runs;

	if (!run)
		return pd_board_alloc(NULL, sizeof(*run));
	w->free_runs = run->next;
	memset(run, 0, sizeof(*run));
	return run;
}

struct pd_crash_choice *pd_account_choice(void)
{
	struct pd_board_worker *w = &pd_board()->worker[worker];
	struct pd_crash_choice *c = w->free_choices;

	if (c)
		w->free_choices = c->before;
	else
		c = pd_board_alloc(NULL, sizeof(*c));
	if (!c)
		pd_check_end_unknown(PD_UNKNOWN_BOARD, "");
	return c;
}

void pd_account_reuse_choices(struct pd_crash_run *run)
{
	struct pd_board_worker *w = &pd_board()->worker[worker];

	while (run->last != run->inherited && run->last && !run->last->kept) {
		struct pd_crash_choice *c = run->last;

		run->last = c->before;
		c->before = w->free_choices;
		w->free_choices = c;
	}
}

void pd_account_reuse(struct pd_crash_run *run)
{
	struct pd_board_worker *w = &pd_board()->worker[worker];

	pd_account_reuse_choices(run);
	run->next = w->free_runs;
	w->free_runs = run;
}

/* ---- the end -------------------------------------------------------------------------------- */

static struct pd_end_status end_status(int status)
{
	bool signalled = WIFSIGNALED(status);
	int number = signalled ? WTERMSIG(status) : WEXITSTATUS(status);

	return (struct pd_end_status){.signalled = signalled,
				      .number = (uint32_t)number,
				      .aborted = signalled && number == SIGABRT,
				      .killed = signalled && number == SIGKILL &&
						!pd_board()->last_try};
}

static void keep_output(struct pd_crash_run *run, int fd)
{
	struct stat st;
	uint64_t skip;
	long n;

	if (pd_raw(SYS_fstat, fd, (long)&st, 0, 0, 0, 0) != 0)
		return;
	skip = (uint64_t)st.st_size > sizeof(run->output)
		       ? (uint64_t)st.st_size - sizeof(run->output)
		       : 0;
	n = pd_raw(SYS_pread64, fd, (long)run->output, sizeof(run->output), (long)skip, 0, 0);
	run->noutput = n > 0 ? (uint32_t)n : 0;
}

static struct pd_digest digest_of_output(int fd)
{
	struct pd_digest d = PD_DIGEST_INIT;
	char buf[4096];
	long n, at = 0;

	while ((n = pd_raw(SYS_pread64, fd, (long)buf, sizeof(buf), at, 0, 0)) > 0) {
		pd_digest_bytes(&d, buf, (size_t)n);
		at += n;
	}
	return d;
}

/* Adds the end and output of a recovery to the set of outcomes. */
static void count_outcome(const struct pd_crash_run *run, int output)
{
	struct pd_digest d = digest_of_output(output);

	pd_digest_u64(&d, (uint64_t)run->outcome << 32 | run->detail);
	pd_outcomes_add(&pd_board()->outcomes, d.a);
}

/* Counts a recovery whose end is unknown, and marks its pending node LOST. */
static void mark_lost(struct pd_crash_run *run, uint32_t *counter, struct pd_unknown *first)
{
	if (!__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED))
		*first = run->unknown;
	if (pd_tree_pending(run->node))
		pd_tree_end(run->node, PD_OUTCOME_LOST, 0);
}

/* Records the end of a recovery: its leaf gets the outcome, and a bad one becomes a finding. */
static void record_end(struct pd_crash_run *run, int status, int output)
{
	struct pd_board *b = pd_board();
	struct pd_tree_memory mem = pd_board_memory();
	struct pd_end_status how = end_status(status);
	struct pd_tree_bad *bad;
	uint32_t outcome;

	if (pd_end_was_killed(run, &how)) {
		pd_board_count(b->killed);
		return;
	}
	pd_end_judge(run, &how, b->ok_exit);
	outcome = run->outcome;
	if (outcome == PD_OUTCOME_GOOD || outcome == PD_OUTCOME_HISTORY)
		pd_pace_ends(&b->pace, run->spent);
	if (run->trial) {
		pd_board_count(b->trials);
		return;
	}
	if (outcome == PD_OUTCOME_KNOWN) {
		pd_account_reuse(run);
		return;
	}
	if (run->forced)
		pd_board_count(b->trials);
	else
		pd_board_count(b->executions);
	if (run->depth == 1)
		b->worker[worker].order_size++;
	if (outcome == PD_OUTCOME_LOST || outcome == PD_OUTCOME_DIVERGED) {
		if (outcome == PD_OUTCOME_LOST)
			mark_lost(run, &b->lost, &b->why_lost);
		else
			mark_lost(run, &b->diverged, &b->why_diverged);
		return;
	}
	if (!run->forced) /* forced ones are trials, and random runs make them in any order */
		count_outcome(run, output);
	if (outcome == PD_OUTCOME_GOOD) {
		if (run->silent)
			pd_board_count(b->silent);
		pd_tree_end(run->node, outcome, run->detail);
		pd_account_reuse(run);
		return;
	}
	keep_output(run, output);
	pd_board_keep_choices(run);
	pd_tree_blame_is_new(run->node, &mem, run->signature, run->when);
	bad = pd_tree_bad(run->node, &mem);
	if (!bad) { /* the board is full, which is counted */
		pd_tree_end(run->node, PD_OUTCOME_LOST, 0);
		return;
	}
	bad->run = run;
	/* In this order: should this process be killed, the end is found again, not lost */
	pd_board_push(b->findings, run);
	pd_board_count(b->nfinding);
	pd_tree_end(run->node, outcome, run->detail);
	if (!run->forced)
		pd_board_count(b->failed);
}

/* Waits for the end, and records the peak memory. */
static void wait_and_measure(pid_t pid, int *status)
{
	uint32_t *largest = &pd_board()->largest_kb, was = *largest;
	struct rusage used = {0};
	long r;

	do
		r = pd_raw(SYS_wait4, pid, (long)status, __WALL, (long)&used, 0, 0);
	while (r == -EINTR);
	while ((uint32_t)used.ru_maxrss > was &&
	       !__atomic_compare_exchange_n(largest, &was, (uint32_t)used.ru_maxrss, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

/*
 * It hangs. It is asked where, and in which operation (on_signal in fail.c), which ends it. One
 * that computes would name another place each time, and with it get another id: that is left out.
 */
static void end_hanging(const struct pd_pace_watch *w, struct pd_crash_run *run)
{
	enum { ANSWERS_MS = 2000 };

	run->outcome = PD_OUTCOME_HANG;
	run->hang = PD_HANG_IDLE;
	run->computes = pd_snapshot_state(w->pid) != 'S';
	pd_raw(SYS_tgkill, w->pid, w->pid, SIGILL, 0, 0, 0);
	pd_snapshot_ended(w->pid, w->fd, ANSWERS_MS);
	pd_raw(SYS_kill, w->pid, SIGKILL, 0, 0, 0, 0);
}

void pd_account_await(pid_t pid, struct pd_crash_run *run, int output)
{
	struct pd_pace_watch w;
	int status = 0;

	pd_pace_watch(&w, pid);
	while (!pd_pace_ended(&w)) {
		pd_pace_look(&w, run->events, run->waiting);
		if (!pd_pace_hangs(&w))
			continue;
		end_hanging(&w, run);
		break;
	}
	wait_and_measure(pid, &status);
	pd_pace_finish(&w);
	record_end(run, status, output);
}
