/*
 * thread/trap.h - futexes of code that makes its own system calls.
 *
 * Libraries that were not instrumented, among them the internals of libc, wait by a syscall
 * instruction in their own code. All threads are one kernel thread, so such a wait would stop the
 * program for good.
 */
#ifndef PD_RUNTIME_THREAD_TRAP_H
#define PD_RUNTIME_THREAD_TRAP_H

#include "base/types.h"
#include "runtime/base/rt.h"

/* From now on, futex calls of all loaded code go to pd_futex. Driven mode, once. */
void pd_trap_start(void);

/* Covers libraries that were loaded since. */
void pd_trap_update(void);

/* Removes the signal of the trap from a set of signals to block. */
uint64_t pd_trap_unblocked(uint64_t mask);

/*
 * Between the two, programs are started: at other addresses than this one's, since the filter would
 * match them otherwise.
 */
void pd_trap_foreign_begin(void);
void pd_trap_foreign_end(void);

/*
 * The functions that serve trapped calls: set by the session, before any can be trapped. NULL: the
 * kernel serves them.
 */
struct pd_trap_calls {
	/* futex, as the scheduler does it; the result, or -errno (sync/futex.c) */
	long (*futex)(const long *a);
	/* Calls with pointers into PM, by code at pc; the result, or -errno (pm/veil_syscall.c) */
	long (*memory)(long nr, const long *a, uintptr_t pc);
	/* Removes the signals that PM needs from a set to block (pm/veil_signal.c) */
	uint64_t (*unblocked)(uint64_t mask);
	/* Files, clocks and process ids: true if it was served; *r and errno as of syscall()
	 * (file/syscall.c) */
	bool (*file)(long nr, const long a[6], long *r);
};

extern PD_OWN struct pd_trap_calls pd_trap_calls;

#endif
