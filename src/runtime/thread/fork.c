/*
 * thread/fork.c - the program's own fork.
 *
 * POSIX: the child has one thread, the one that called. glibc's fork does its part (handlers of
 * pthread_atfork, locks, stacks of the others); ours is such a handler, so that forks inside libc
 * (daemon, forkpty) are covered, too: it drops the other coroutines. Registered before any of the
 * program's, it runs last before a fork and first in the child.
 *
 * vfork is a fork without handlers: the child cannot return from a frame that it shares with us. So
 * what it writes before it execs does not reach the parent, which POSIX allows.
 *
 * A raw clone that shares memory makes a kernel thread outside the scheduler: counted as a loss.
 */
#include "runtime/base/env.h"
#include "runtime/base/rt.h"
#include "runtime/base/listen.h"
#include "runtime/thread/thread.h"
#include "runtime/thread/real.h"
#include <stdarg.h>

static uint32_t serial; /* of the next child */

static void before_fork(void)
{
	serial++;
	if (pd_rt.shares_memory)
		pd_rt_loss(PD_LOSS_SYSCALL, 0,
			   "fork: memory that is mapped shared is the child's own");
	pd_listen_forking();
}

static void in_child(void)
{
	pd_env_forked(serial);
	if (pd_inside())
		pd_thread_forked();
	pd_listen_in_child();
	pd_rt.driven &= pd_inside(); /* the child of another kernel thread is not driven */
}

void pd_thread_watch_fork(void)
{
	pthread_atfork(before_fork, NULL, in_child);
}

PD_EXPORT pid_t _Fork(void)
{
	pid_t pid;

	if (!pd_thread_driven())
		return pd_real._Fork();
	before_fork();
	pid = pd_real._Fork();
	if (!pid)
		in_child();
	return pid;
}

PD_EXPORT pid_t vfork(void)
{
	return _Fork();
}

PD_EXPORT int clone(int (*fn)(void *), void *stack, int flags, void *arg, ...)
{
	pid_t *parent;
	void *tls;
	pid_t *child;
	va_list ap;

	va_start(ap, arg);
	parent = va_arg(ap, pid_t *);
	tls = va_arg(ap, void *);
	child = va_arg(ap, pid_t *);
	va_end(ap);
	if (pd_thread_driven() && flags & CLONE_VM)
		pd_rt_loss(PD_LOSS_SYSCALL, 0, "clone: a thread that is not scheduled");
	return pd_real.clone(fn, stack, flags, arg, parent, tls, child);
}
