/*
 * check/fail.c - records where a recovery fails. See check/again.h.
 *
 * A signal that is about to kill the process goes through a handler on its own stack, which records
 * the calls that led there (session/death.c restores the default) and returns: the instruction is
 * executed again, or abort() goes on, and the process dies as it would have. A handler that the
 * program installs replaces this one; then the place is not known.
 */
#include "runtime/check/check.h"
#include "runtime/check/again.h"
#include "runtime/base/raw.h"
#include "runtime/place/stack.h"
#include "runtime/session/watch.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>

PD_OWN void (*pd_check_last_words)(void);

/*
 * It has called itself until there was no more stack. In which function it was then, and how deep,
 * is chance: only the calls that repeat are kept, from the one with the lowest address.
 */
static void keep_recursion(struct pd_crash_run *run)
{
	uint64_t round[PD_LEN(run->fail)];
	uint32_t from = 0, n = 0, low = 0;

	for (; from < run->nfail && !n; from++)
		for (uint32_t k = from + 1; k < run->nfail && !n; k++)
			n = run->fail[k] == run->fail[from] ? k - from : 0;
	if (!n)
		return;
	memcpy(round, run->fail + from - 1, n * sizeof(*round));
	for (uint32_t i = 1; i < n; i++)
		low = round[i] < round[low] ? i : low;
	for (uint32_t i = 0; i < n; i++)
		run->fail[i] = round[(low + i) % n];
	run->nfail = n;
}

/* Notes the stack; false: that was done before, or it is no recovery. */
static bool note_stack(struct pd_crash_run *run)
{
	if (!run || pd_check.role != PD_CHECK_RECOVERY || run->nfail)
		return false;
	run->nfail = pd_rt_stack((uintptr_t *)run->fail, PD_LEN(run->fail));
	run->out_of_stack = pd_death_out_of_stack;
	if (run->out_of_stack)
		keep_recursion(run);
	return true;
}

void pd_fail_here(void)
{
	struct pd_crash_run *run = pd_check_own();

	if (note_stack(run) && pd_check_last_words && run->outcome != PD_OUTCOME_HISTORY)
		pd_check_last_words();
}

/* It has not come to where it was to go to: where it was last is worth a word. */
static void name_last(void)
{
	const struct pd_crash_run *run = pd_check_own();

	if (run && !run->inside)
		pd_check_publish(run->last_load, true);
}

static void on_signal(int sig)
{
	struct pd_crash_run *run = pd_check_own();

	(void)sig;
	name_last();
	if (!run || run->outcome != PD_OUTCOME_HANG) {
		pd_fail_here();
	} else { /* its parent has asked where it waits, and in which operation */
		pd_fail_here();
		if (run->computes)
			run->nfail = 0; /* chance */
		pd_raw(SYS_kill, pd_raw(SYS_getpid, 0, 0, 0, 0, 0, 0), SIGKILL, 0, 0, 0, 0);
	}
}

/* Whether an exit status of recovery is a failure. */
static bool is_bad(int status)
{
	const struct pd_board *b = pd_board();

	return !(b->ok_exit[(status & 255) / 64] >> (status & 63) & 1);
}

void pd_fail_exit(int status)
{
	if (pd_check.role != PD_CHECK_RECOVERY)
		return;
	name_last();
	if (is_bad(status))
		pd_fail_here();
}

/* Runs after the program's own exit handlers; the calls that led to exit() are still on the
 * stack. */
static void on_end(int status, void *arg)
{
	(void)arg;
	pd_fail_exit(status);
}

void pd_fail_watch(void)
{
	pd_death_catch(on_signal);
	on_exit(on_end, NULL);
}
