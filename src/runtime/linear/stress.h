/*
 * stress.h - a driver run alone: real threads, no crash, and then the judge decides whether the
 * results can be explained.
 *
 * Each thread has its share of the workload and writes what it called and what came back to a list
 * of its own. Times come from one shared counter: a locked addition before the call and one after
 * the response, so the order of events is exact. When all are done the structure is closed and
 * opened again, and everything in it is read, by one thread more; then the judge is asked.
 */
#ifndef PD_RUNTIME_LINEAR_STRESS_H
#define PD_RUNTIME_LINEAR_STRESS_H

#include "engine/linear/judge.h"
#include "engine/linear/workload.h"

struct pd_stress {
	const struct pd_linear_driver *driver;
	const struct pd_linear_spec *spec;
	const uint16_t *fn; /* of each entry of the table, in the specification */
	const char *path;
	uint32_t nthreads;
	struct pd_arena *arena;
	struct pd_workload work;
	struct pd_workload keys; /* of these the first with each key (visit.h) */
	bool as_given;		 /* its operations were given with their threads (given.h) */
	uint32_t together;  /* number of operations executed while threads run freely (driven.h) */
	const char *points; /* linearization points, one FILE:LINE per line; NULL: they are found */
	size_t npoints;
	bool all_points;	      /* all stores are */
	struct pd_op_history history; /* the result */
};

/* Returns NULL, or why it could not be run. */
const char *pd_stress_run(struct pd_stress *s);

#endif
