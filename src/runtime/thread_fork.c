/*
 * thread_fork.c - the program's own fork.
 *
 * POSIX: the child has one thread, the one that called. glibc's fork does its part (handlers of
 * pthread_atfork, locks, stacks of the others); we forget the other coroutines. vfork is fork: the
 * child cannot return from a frame that it shares with us, and POSIX lets the two be the same.
 */
#include "runtime/env.h"
#include "runtime/rt.h"
#include "runtime/sched.h"
#include "runtime/thread.h"
#include "runtime/thread_real.h"

PD_EXPORT pid_t fork(void)
{
	static uint32_t serial;
	pid_t pid;

	if (!pd_thread_driven())
		return pd_real.fork();
	serial++;
	pid = pd_real.fork();
	if (!pid) {
		pd_env_forked(serial);
		pd_thread_forked();
	}
	return pid;
}

PD_EXPORT pid_t vfork(void)
{
	return fork();
}
