/*
 * spec.h - sequential specifications: what a structure does when one thread uses it.
 *
 * struct pd_linear_spec (perdure_linear.h) is the interface, for those that come with perdure
 * (pd_specs) and for a user's own. The functions here supply what a specification leaves out, and
 * PD_MAY_FAIL, which belongs to the operation, not to the specification.
 *
 * Several ways: an operation may go on in more than one way (a get of a multimap returns any of the
 * values). `way` counts them; the search tries each.
 */
#ifndef PD_ENGINE_LINEAR_SPEC_H
#define PD_ENGINE_LINEAR_SPEC_H

#include "base/arena.h"
#include "perdure_linear.h"

/* All that come with perdure, by name; ends with NULL. */
extern const struct pd_linear_spec *const pd_specs[];

extern const struct pd_linear_spec pd_spec_map, pd_spec_multimap, pd_spec_set, pd_spec_ordered_map,
	pd_spec_queue, pd_spec_stack, pd_spec_priority_queue, pd_spec_register, pd_spec_counter,
	pd_spec_array;

/* NULL: there is none of that name. */
const struct pd_linear_spec *pd_spec_find(const char *name);

/* The number of the operation of that name, -1: there is none. */
int pd_spec_op(const struct pd_linear_spec *spec, const char *name, size_t n);

/* Memory for states out of an arena. */
struct pd_spec_memory {
	struct pd_linear_memory m;
	struct pd_arena *arena;
};

void pd_spec_memory_init(struct pd_spec_memory *m, struct pd_arena *a);

/* Calls the function of that name of the specification, or its default. */
int pd_spec_apply(const struct pd_linear_spec *spec, void *state, const struct pd_linear_op *op,
		  unsigned way, struct pd_linear_value *result, struct pd_linear_memory *m);
bool pd_spec_clone(const struct pd_linear_spec *spec, void *to, const void *from,
		   struct pd_linear_memory *m);
bool pd_spec_equal(const struct pd_linear_spec *spec, const void *a, const void *b);
uint64_t pd_spec_hash(const struct pd_linear_spec *spec, const void *state);
void pd_spec_finish(const struct pd_linear_spec *spec, void *state);

/* Whether the operation can have returned what the specification gives. */
bool pd_spec_agrees(const struct pd_linear_op *op, const struct pd_linear_value *result);

/* Whether the operation returns the same in two states that the same operations led to; changes
 * both. */
bool pd_spec_returns_same(const struct pd_linear_spec *spec, void *const state[2],
			  const struct pd_linear_op *op, struct pd_linear_memory *m);

#endif
