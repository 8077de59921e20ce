/*
 * snapshot.h - a copy of the whole process.
 *
 * A snapshot is a child made by a raw clone: a copy-on-write copy of all memory. All threads are in
 * it, because they are coroutines. No handler of pthread_atfork runs, no buffer is flushed, no lock
 * is taken: parent and child go on from the same instruction in the same state.
 *
 * The child's exit sends no signal (exit signal 0, not SIGCHLD): the program's own SIGCHLD handler
 * must not run, its wait() must not find our children, and SIGCHLD set to SIG_IGN must not lose a
 * status. So only pd_snapshot_wait, or a wait with __WALL, finds it.
 *
 * glibc's record has our tid for the kernel thread, not the kernel's (thread.h), and the child
 * keeps it.
 */
#ifndef PD_RUNTIME_THREAD_SNAPSHOT_H
#define PD_RUNTIME_THREAD_SNAPSHOT_H

#include <stdbool.h>
#include <sys/types.h>

/* 0 in the child, the child's pid in the parent, -errno. A child does not outlive its parent. */
pid_t pd_snapshot_fork(void);

/* Waits for the child's end. Returns 0 and the status as waitpid has it, or -errno. */
int pd_snapshot_wait(pid_t pid, int *status);

/*
 * Whether the child has ended, within `ms`; it still has to be waited for. fd is of pidfd_open, or
 * -1 if the kernel has none: then it polls.
 */
bool pd_snapshot_ended(pid_t pid, int fd, int ms);

/*
 * The state of any process, from the kernel: 'R' is runnable, 'Z' has ended and was not waited for,
 * ...; 0: there is none, or no /proc.
 */
char pd_snapshot_state(pid_t pid);

/* Whether any process has ended, waited for or not. */
bool pd_snapshot_gone(pid_t pid);

#endif
