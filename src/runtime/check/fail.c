/*
 * check/fail.c - records where a recovery fails. See check/again.h.
 *
 * A signal that is about to kill the process goes through a handler on its own stack, which records
 * the calls that led there (session/death.c restores the default) and returns: the instruction is executed again, or
 * abort() goes on, and the process dies as it would have. A handler that the program installs
 * replaces this one; then the place is not known.
 */
#include "runtime/check/check.h"
#include "runtime/check/again.h"
#include "runtime/base/raw.h"
#include "runtime/place/stack.h"
#include "runtime/session/watch.h"
#include <signal.h>
#include <stdlib.h>

PD_OWN void (*pd_check_last_words)(void);

/* Notes the stack; false: that was done before, or it is no recovery. */
static bool note_stack(struct pd_crash_run *run)
{
	if (!run || pd_check.role != PD_CHECK_RECOVERY || run->nfail)
		return false;
	run->nfail = pd_rt_stack((uintptr_t *)run->fail, PD_LEN(run->fail));
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
	(void)sig;
	name_last();
	/* Its parent has asked where it waits, and nothing else is of interest */
	if (!pd_check_own() || pd_check_own()->outcome != PD_OUTCOME_HANG) {
		pd_fail_here();
	} else {
		note_stack(pd_check_own());
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
