/*
 * in_place.h - runs paths in the worker itself, without a process of their own.
 *
 * A fork and its end cost more than most paths. A run that only computes changes nothing but
 * memory, and memory can be restored (pages.h). All threads of the program are memory, too, and so
 * are the model of a watcher and the window of PM; shared memory, the board, is left alone.
 *
 * What leaves memory is a system call, and all of them are caught (syscall user dispatch), the
 * runtime's own included. The end of the process is the end of the run. Output to nowhere is
 * dropped; memory that is asked for, given back or protected is so until the end of the run. Any
 * other call *escapes*: a snapshot of the worker, at this very instruction, goes on by itself to
 * its end, and the worker waits for it. So does a fault of the program's own.
 *
 * The worker's loop has a stack of its own, and keeps all that it must know after a run there or in
 * shared memory.
 *
 * Without syscall user dispatch (Linux before 5.11, some containers) each run is a snapshot.
 *
 * Thread rule: one kernel thread.
 */
#ifndef PD_RUNTIME_EXPLORE_IN_PLACE_H
#define PD_RUNTIME_EXPLORE_IN_PLACE_H

#include "base/types.h"
#include <sys/types.h>

/* How a run ended. */
struct pd_run_end {
	int status;   /* as waitpid has it */
	bool late;    /* longer than its limit */
	bool stopped; /* before its end, because the exploration stops */
	bool alone;   /* in a process of its own */
};

/*
 * Calls `loop` on the worker's stack. Returns to the program for each run that the loop starts. If
 * `in_place` is false each is a snapshot.
 */
void pd_in_place_start(bool in_place, void (*loop)(void));

/* Where a run has stopped in between. */
struct pd_run_stop {
	uint64_t at;	 /* its stack, with registers below */
	uint64_t thread; /* its thread pointer */
	uint32_t ticks;	 /* that it took so far */
};

/*
 * From the loop: a run from the checkpoint, or from where another one stopped, with memory as it
 * was there; to its end. ms: what it may take. `stopped` is called wherever it stops; then it goes
 * on.
 */
struct pd_run_end pd_in_place_run(uint32_t ms, const struct pd_run_stop *from,
				  void (*stopped)(const struct pd_run_stop *s));

/* From a run: system calls of `what` are none of the run's. */
void pd_in_place_aside(void (*what)(void));

/* From a run: this thread could stop here. */
bool pd_in_place_may_stop(void);

/* It stops. Returns once in this run, and once in each that starts here. */
void pd_in_place_stop(void);

#endif
