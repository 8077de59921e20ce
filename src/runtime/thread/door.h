/*
 * thread/door.h - the one door into the runtime.
 *
 * All threads of the tested program are coroutines of one kernel thread, and nothing in the runtime
 * is locked. Other kernel threads exist all the same:
 *
 * - glibc's, for a moment, when a thread is born or buried (thread/kernel.c). They run only code of
 *   glibc, and the scheduler's kernel thread waits for them meanwhile;
 * - strangers: created without pthread_create, by an allocator that calls libc's own, for
 *   SIGEV_THREAD, or by a raw clone. They run code of the program whenever the kernel lets them.
 *
 * A byte of thread-local storage says which one a thread is. It goes with the FS base, so it is
 * INSIDE wherever a coroutine runs, and OUTSIDE in any thread that was not let in. Every function
 * that the program or libc can call checks here before it touches any state of the runtime. A
 * thread that is not inside gets libc's own function, or the plain access.
 *
 * Invariants:
 *  1. Only a thread that is inside touches state of the runtime.
 *  2. A stranger is a loss with a name: what it does is not seen, and the kernel schedules it.
 *  3. No snapshot is taken of a program with a stranger: the stranger would not be in the snapshot,
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
	PD_DOOR_LEAVING, /* a thread of the program, in the kernel thread of its burial */
};

extern PD_OWN __thread uint8_t pd_door __attribute__((tls_model("initial-exec")));

/* For a thread that is not inside, in a driven program: counts strangers, returns false. */
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

/* Before a snapshot: fails if there is a stranger. */
void pd_door_before_snapshot(void);

/* Counts a loss of this kind at this site (0: unknown); not for strangers. */
void pd_rt_loss(enum pd_loss kind, uint32_t site, const char *what);

/* At the end of an execution: reports strangers as losses. */
void pd_door_report(void);

#endif
