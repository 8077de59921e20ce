/*
 * thread_fork.c - the program's own fork.
 *
 * POSIX: the child has one thread, the one that called. glibc's fork does its part (handlers of
 * pthread_atfork, locks, stacks of the others); we forget the other coroutines. vfork is a fork without
 * handlers: the child cannot return from a frame that it shares with us. So what it writes before it
 * execs is not the parent's, which POSIX allows.
 */
#include "runtime/env.h"
#include "runtime/rt.h"
#include "runtime/sched.h"
#include "runtime/session.h"
#include "runtime/session.h"
#include "runtime/thread.h"
#include "runtime/thread_real.h"

static pid_t fork_by(pid_t (*real)(void))
{
	static uint32_t serial;
	pid_t pid;

	serial++;
	pid = real();
	if (!pid) {
		pd_env_forked(serial);
		pd_thread_forked();
		pd_session_forked();
		pd_session_forked();
	}
	return pid;
}

PD_EXPORT pid_t fork(void)
{
	return pd_thread_driven() ? fork_by(pd_real.fork) : pd_real.fork();
}

PD_EXPORT pid_t vfork(void)
{
	return pd_thread_driven() ? fork_by(pd_real._Fork) : pd_real._Fork();
}

PD_EXPORT pid_t _Fork(void)
{
	return vfork();
}
