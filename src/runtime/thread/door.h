/*
 * thread/door.h - the one door into the runtime.
 *
 * All threads of the tested program are coroutines of one kernel thread, and nothing in the runtime
 * is locked. Other kernel threads exist all the same:
 *  - glibc's, for a moment, when a thread is born or buried (thread/kernel.c). They run code of
 *    glibc and nothing else, and the scheduler's kernel thread waits for them meanwhile;
 *  - strangers: made behind the back of pthread_create, by an allocator that asks for libc's own,
 *    for SIGEV_THREAD, or by a raw clone. They run code of the program whenever they like.
 *
 * A byte of thread-local storage says who it is. It goes with the FS base, so it is INSIDE wherever
 * a coroutine runs, and OUTSIDE in any thread that nobody has let in. Every function that the
 * program or libc can call asks here before it touches anything of the runtime's. Who is not inside
 * gets libc's own function, or the plain access.
 *
 *  1. State of the runtime is touched by who is inside, and by nobody else.
 *  2. A stranger is a loss with a name: what it does is not seen, and it runs when the kernel wants
 *     it to.
 *  3. There is no snapshot of a program that a stranger runs in: it would not be in the snapshot,
 *     and a lock that it holds would be held there for ever.
 *
 * Thread rule: any kernel thread.
 */
#ifndef PD_RUNTIME_THREAD_DOOR_H
#define PD_RUNTIME_THREAD_DOOR_H

#include "runtime/base/rt.h"

enum pd_door {
	PD_DOOR_OUTSIDE,
	PD_DOOR_INSIDE,
	PD_DOOR_LEAVING, /* a thread of the program's, in the kernel thread of its burial */
};

extern PD_OWN __thread uint8_t pd_door __attribute__((tls_model("initial-exec")));

/* Not inside, in a driven program: false. Strangers are counted. */
bool pd_door_knock(void);

/* Is this the scheduler's kernel thread, in a driven program? */
static inline bool pd_inside(void)
{
	return pd_likely(pd_door == PD_DOOR_INSIDE) ||
	       (pd_unlikely(pd_rt.driven) && pd_door_knock());
}

/* The same for an access to PM. */
bool pd_door_knock_pm(void);

static inline bool pd_inside_pm(void)
{
	return pd_likely(pd_door == PD_DOOR_INSIDE) ||
	       (pd_unlikely(pd_rt.driven) && pd_door_knock_pm());
}

/* Called where a snapshot is about to be made: fails if there is a stranger. */
void pd_door_before_snapshot(void);

/* Counts a loss of this kind at this site (0: unknown), once more; not a stranger's. */
void pd_rt_loss(enum pd_loss kind, uint32_t site, const char *what);

/* At the end of an execution: strangers become losses. */
void pd_door_report(void);

#endif
