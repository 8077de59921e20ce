/*
 * draw.h - a history that cannot be explained, as text: operations over time, and why not.
 *
 * One row an operation, one column an event; the row of the culprit is marked, a crash is a column of
 * its own. All that came before the crash is shown if it is little, as it is when the workload was
 * minimised: also operations on other keys may be why. Else it is what was judged together, and of that
 * the end: what came long before is counted. After the crash it is what was judged together.
 */
#ifndef PD_ENGINE_LINEAR_DRAW_H
#define PD_ENGINE_LINEAR_DRAW_H

#include "base/out.h"
#include "engine/linear/judge.h"

/* "put(5, 17) = none" */
void pd_draw_op(const struct pd_linear_spec *spec, const struct pd_hop *x, struct pd_out *out);

enum { PD_PICTURE_OPS = 16, PD_PICTURE_CRASHES = 8 };

/* The same as values: operations in the order of their calls; columns are numbered from 0. */
struct pd_picture {
	uint32_t n;
	struct {
		uint32_t op; /* of the history */
		uint32_t call;
		uint32_t ret; /* or the crash that interrupted it; or the end */
		bool culprit;
	} row[PD_PICTURE_OPS];
	uint32_t ncrash;
	uint32_t crash[PD_PICTURE_CRASHES];
	uint32_t before; /* operations that are not in it */
};

void pd_picture(const struct pd_op_history *h, const struct pd_verdict *v, struct pd_picture *to);

/* v->answer is no. */
void pd_draw(const struct pd_op_history *h, const struct pd_linear_spec *spec,
	     const struct pd_verdict *v, struct pd_out *out);

/* The same of a recovery that failed, whatever it returned: the operations before its crash, and the
 * one that it was at. */
void pd_draw_failed(const struct pd_op_history *h, const struct pd_linear_spec *spec,
		    struct pd_out *out);

#endif
