/*
 * acts.h - what the operations of a workload do, one after the other: their accesses, from which
 * the plan of the tests is made (engine/linear/plan.h); the places that they reach; and what they
 * return, which has to be the same in each execution.
 *
 * Thread rule: as in rt.h.
 */
#ifndef PD_RUNTIME_LINEAR_ACTS_H
#define PD_RUNTIME_LINEAR_ACTS_H

#include "event/event.h"
#include "runtime/linear/stress.h"

/* The current operation (PD_NO_OP: none), its stores and loads so far, and which one at its site
 * the current one is. */
struct pd_acts_at {
	uint32_t op, store, load, nth;
};

void pd_acts_begin(const struct pd_stress *stress, bool planning);
void pd_acts_note(const struct pd_event *e, const struct pd_acts_at *at);

/* All operations have returned: compares their results with those of the execution that made the
 * plan; that one makes it. */
void pd_acts_finish(void);

#endif
