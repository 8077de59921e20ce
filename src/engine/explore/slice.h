/*
 * slice.h - the assumptions along a path, by byte, and the part of them that concerns a question.
 *
 * Each byte has its domain: the values that conditions on it alone leave. Conditions on several
 * bytes join these bytes into a class (union-find). The slice of a question is the classes of the
 * bytes that it depends on: their bytes with domains, and their conditions. All other conditions
 * hold under the current input, and continue to.
 *
 * A conjunction is assumed, and asked, part by part.
 */
#ifndef PD_ENGINE_EXPLORE_SLICE_H
#define PD_ENGINE_EXPLORE_SLICE_H

#include "base/vec.h"
#include "engine/explore/expr.h"
#include "engine/explore/set.h"

/* An assumed condition; lists continue with `next`: number + 1, 0 ends them. */
struct pd_assumed {
	pd_expr e;
	uint32_t next;
};

struct pd_assumed_byte {
	struct pd_set domain;
	uint64_t path; /* number of the path that this is valid for; otherwise nothing is assumed */
	uint32_t parent;
	uint32_t size;	      /* of the class, if it is its root */
	uint32_t next;	      /* byte of the class: a ring */
	uint32_t alone;	      /* conditions on it alone: a list */
	uint32_t first, last; /* conditions of the class, if it is the root: a list */
	uint32_t seen;	      /* 1 + its number in the current slice */
	uint64_t seen_by;     /* which slice that is */
};

struct pd_slice {
	PD_VEC(uint32_t) byte; /* ascending */
	PD_VEC(struct pd_set) domain;
	PD_VEC(pd_expr) holds; /* conditions on several bytes, each once */
	PD_VEC(pd_expr) alone; /* on one byte; filled in by pd_slice_alone */
	bool failed;	       /* memory ran out: the slice is incomplete */
};

struct pd_assumptions {
	struct pd_arena *arena;
	struct pd_exprs *x;
	uint32_t input_size;
	struct pd_assumed_byte *byte;
	PD_VEC(struct pd_assumed) list;
	PD_VEC(pd_expr) parts; /* scratch: of a conjunction */
	PD_VEC(pd_expr) asked; /* parts of the question that are on one byte */
	uint64_t path;
	uint64_t slices;
	bool never;  /* something that no input meets is assumed */
	bool failed; /* something could not be kept: nothing is certain */
	struct pd_slice slice;
};

bool pd_assumptions_init(struct pd_assumptions *s, struct pd_arena *a, struct pd_exprs *x,
			 uint32_t input_size);
void pd_assumptions_begin(struct pd_assumptions *s);
void pd_assumptions_add(struct pd_assumptions *s, pd_expr holds);

/* What is known of a byte. */
struct pd_assumed_byte *pd_assumptions_byte(struct pd_assumptions *s, uint32_t byte);

/* Whether its class has conditions on several bytes. */
bool pd_assumptions_joined(struct pd_assumptions *s, uint32_t byte);

/*
 * The slice of this question (0: of none; more can be added), including the question. Valid until
 * the next call. Its conditions ascend.
 */
struct pd_slice *pd_slice_of(struct pd_assumptions *s, pd_expr also);

/* The slice of the bytes of an expression, which need not be a condition. Its conditions are in an
 * order that follows from the assumptions, whatever their numbers are. */
struct pd_slice *pd_slice_about(struct pd_assumptions *s, pd_expr e);

/* Fills in `alone`: conditions on single bytes of the slice, with those of the question. */
void pd_slice_alone(struct pd_assumptions *s);

#endif
