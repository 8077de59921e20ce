/*
 * driven.h - a driver whose executions crash (perdure linear, perdure check).
 *
 * The first execution does the operations of the workload: a beginning by main alone, the rest by
 * the threads. The history of both is kept in a record (record.h).
 *
 * Recovery opens what the crash left, reads every key, removes every key, reads them again, and
 * does a few more operations (Durinn, section 5.4); none of that depends on the history. Only then
 * does it read the history, add the crash and what it has seen, and ask the judge. If the answer is
 * no, the recovery has failed.
 *
 * Thread rule: as in rt.h.
 */
#ifndef PD_RUNTIME_LINEAR_DRIVEN_H
#define PD_RUNTIME_LINEAR_DRIVEN_H

#include "runtime/linear/stress.h"

/* Whether this execution is one of those. */
bool pd_driven_crashes(void);

/* Returns NULL, or why it could not be run. */
const char *pd_driven_run(struct pd_stress *s, uint64_t seed);

#endif
