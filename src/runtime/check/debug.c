/*
 * check/debug.c - stops an execution for a debugger. See check/again.h.
 *
 * The process reports where it is and waits until it may go on; the debugger finds the program's
 * own frames above ours on the stack. At a crash a snapshot stops: it ends there, and the execution
 * itself goes on to its recovery.
 */
#include "runtime/check/check.h"
#include "runtime/check/again.h"
#include "finding/steps.h"
#include "runtime/base/raw.h"
#include "runtime/thread/snapshot.h"
#include "runtime/place/stack.h"
#include <sys/prctl.h>
#include <time.h>

static void stop(enum pd_stop where)
{
	struct pd_again *a = &pd_board()->again;
	uintptr_t pc = 0;

	pd_rt_stack(&pc, 1);
	pd_raw(SYS_prctl, PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0, 0);
	a->pid = (int32_t)pd_raw(SYS_getpid, 0, 0, 0, 0, 0, 0);
	a->pc = pc;
	a->go = 0;
	pd_check_waits(true);
	__atomic_store_n(&a->stopped, (uint32_t)where, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&a->go, __ATOMIC_ACQUIRE))
		pd_raw(SYS_nanosleep, (long)&(struct timespec){0, 1000000}, 0, 0, 0, 0, 0);
	pd_check_waits(false);
}

void pd_debug_crash(void)
{
	int status;
	pid_t pid;

	if (!pd_board()->again.debug)
		return;
	pid = pd_snapshot_fork();
	if (pid == 0) {
		stop(PD_STOP_CRASH);
		pd_raw(SYS_exit_group, 0, 0, 0, 0, 0, 0);
	}
	if (pid > 0)
		pd_snapshot_wait(pid, &status);
}

void pd_debug_start(uint32_t depth)
{
	const struct pd_again *a = &pd_board()->again;

	if (a->debug && a->stop_depth == depth && !a->stop_choice)
		stop(PD_STOP_START);
}

void pd_debug_choice(uint32_t depth, uint32_t number)
{
	const struct pd_again *a = &pd_board()->again;

	if (a->debug && a->stop_depth == depth && a->stop_choice == number + 1)
		stop(PD_STOP_LOAD);
}
