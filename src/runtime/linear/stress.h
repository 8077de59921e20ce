/*
 * stress.h - a driver run alone: real threads, no crash, and then the question whether what the
 * operations returned can be explained.
 *
 * Each thread has its share of the workload and writes what it called and what came back to a list of
 * its own. Times are one counter that everybody adds to: a locked addition before the call and one
 * after the response, so the order of events is exact. When all are done the structure is closed and
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
	bool as_given;	    /* its operations were written down with their threads (given.h) */
	uint32_t together;  /* so many are done where threads are let loose (driven.h) */
	const char *points; /* linearization points, FILE:LINE a line; NULL: they are found */
	size_t npoints;
	bool all_points;	      /* all stores are */
	struct pd_op_history history; /* the result */
};

/* NULL, or why it could not be run. */
const char *pd_stress_run(struct pd_stress *s);

#endif
