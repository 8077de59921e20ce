/*
 * bounded.h - an execution whose schedule is one of all those with few preemptions
 * (engine/linear/bounded.h).
 *
 * Steps are those of the threads that execute operations. The main thread of a driver creates them
 * and waits for them: it runs while it can go on, and otherwise only when no other thread can, so
 * that it adds no schedules. A thread that spins and yields is not run again before another one
 * was.
 */
#ifndef PD_RUNTIME_LINEAR_BOUNDED_H
#define PD_RUNTIME_LINEAR_BOUNDED_H

#include "base/types.h"

/*
 * Called by main, before there are other threads; does nothing for other kinds of schedules.
 * main_works: main executes operations like any other thread.
 */
void pd_bounded_begin(bool main_works);

/* An operation is about to be called: a step, too. */
void pd_bounded_calls(void);

#endif
