/*
 * visit.h - reads, or takes out, everything in a structure: done after the last operation.
 */
#ifndef PD_RUNTIME_LINEAR_VISIT_H
#define PD_RUNTIME_LINEAR_VISIT_H

#include "runtime/linear/stress.h"

/* Calls an entry of the table; returns the result, NULL: there is no room for more. */
struct pd_visitor {
	const struct pd_linear_op *(*call)(void *ctx, uint32_t entry,
					   const struct pd_linear_value *args);
	void *ctx;
};

/* Lists the keys of the workload: s->keys. False: memory ran out. */
bool pd_visit_list(struct pd_stress *s);

/* Each key of the list, by every operation of this effect that takes a key alone. */
void pd_visit_keys(const struct pd_stress *s, enum pd_linear_effect effect, struct pd_visitor v);

/* Reads, and empties, a structure without keys. */
void pd_visit_drain(const struct pd_stress *s, struct pd_visitor v);

#endif
