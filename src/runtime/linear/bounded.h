/*
 * bounded.h - an execution whose schedule is one of all those with few preemptions
 * (engine/linear/bounded.h).
 *
 * Steps are those of the threads that do operations. Main of a driver makes them and waits for them: while it can go
 * on it does, and else it runs when nobody else can, so that what it does is no schedule of its own. Who
 * spins and gives way is not run again before somebody else was.
 */
#ifndef PD_RUNTIME_LINEAR_BOUNDED_H
#define PD_RUNTIME_LINEAR_BOUNDED_H

#include "base/types.h"

/*
 * By main, before there are other threads; nothing happens where the schedule is another one. main_works:
 * it does operations like any other thread.
 */
void pd_bounded_begin(bool main_works);

/* An operation is about to be called: others may run before that, too. */
void pd_bounded_calls(void);

#endif
