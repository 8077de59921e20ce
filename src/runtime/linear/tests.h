/*
 * tests.h - the tests of a plan (engine/linear/plan.h), as executions.
 *
 * One execution does the operations one after the other and notes what they access: from that the
 * plan is made. A second one has all the tests on its way. It is never run again up to where a test
 * begins: at a point power fails for the states that the test wants, and the execution goes on; for
 * a pair of operations a snapshot goes its own way, in which the two come last, each in a thread.
 *
 * In that snapshot the first thread is held right after the store that makes its operation visible,
 * and the second one runs. If it accesses what was stored, and returns, power fails there: the
 * first one's store is as little durable as the model allows. Of three, the second one is held,
 * too, where it is about to make durable what it did, and the third one runs. A thread that waits
 * for a held one cannot be tested; such a pair does not count.
 *
 * An execution whose seed is the name of one test has that one, and no snapshot: so a replay needs
 * nothing that this run has found out.
 *
 * Thread rule: as in rt.h.
 */
#ifndef PD_RUNTIME_LINEAR_TESTS_H
#define PD_RUNTIME_LINEAR_TESTS_H

#include "runtime/linear/stress.h"

/* How the tests have operations executed: number i of the workload, by this thread. */
struct pd_tests_front {
	const struct pd_stress *stress;
	void (*operate)(uint32_t i);
	/* Reads everything: what is wrong with it shows before any crash. */
	void (*look)(void);
};

/* Whether this execution is for tests; if so, they decide when power fails, from here on. */
bool pd_tests_wanted(void);

/* Runs all operations; NULL, or why that failed. */
const char *pd_tests_run(const struct pd_tests_front *front);

/* The structure has been closed: its content must be there when it is opened again. */
void pd_tests_closed(void);

#endif
