/*
 * thread/trap.h - futexes of code that makes its own system calls.
 *
 * Libraries that were not instrumented, libc's own insides among them, wait by a syscall
 * instruction in their code. All threads are one kernel thread, so such a wait would stop the
 * program for good.
 */
#ifndef PD_RUNTIME_THREAD_TRAP_H
#define PD_RUNTIME_THREAD_TRAP_H

#include "base/types.h"
#include "runtime/base/rt.h"

/* From now on, the futex calls of all code that is loaded come to pd_futex. Driven mode, once. */
void pd_trap_start(void);

/* Libraries may have been loaded since. */
void pd_trap_update(void);

/* Takes the signal that brings them here out of a set of signals that are to be blocked. */
uint64_t pd_trap_unblocked(uint64_t mask);

/*
 * Between the two, programs are started: with addresses that are not those of this one, or they
 * would be taken for it.
 */
void pd_trap_foreign_begin(void);
void pd_trap_foreign_end(void);

/*
 * Who serves system calls: given by the session, before any can be trapped. NULL: nobody, and the
 * kernel does.
 */
struct pd_trap_calls {
	/* futex, as the scheduler does it; the result, or -errno (sync/futex.c) */
	long (*futex)(const long *a);
	/* Calls with pointers into PM, by code at pc; the result, or -errno (pm/veil_syscall.c) */
	long (*memory)(long nr, const long *a, uintptr_t pc);
	/* Signals to be blocked, without those that PM needs (pm/veil_signal.c) */
	uint64_t (*unblocked)(uint64_t mask);
	/* Files, clocks and process ids: true where it was done; *r and errno as of syscall()
	 * (file/syscall.c) */
	bool (*file)(long nr, const long a[6], long *r);
};

extern PD_OWN struct pd_trap_calls pd_trap_calls;

#endif
