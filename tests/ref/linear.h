/*
 * linear.h - the twin of src/engine/linear: tries every order. Slow and obvious; it has its own
 * little specifications and knows nothing of the other's.
 */
#ifndef PD_TESTS_REF_LINEAR_H
#define PD_TESTS_REF_LINEAR_H

#include "perdure_linear.h"
#include <stdbool.h>

enum { REF_OPS = 8, REF_ENTRIES = 12, REF_WAYS = 16 };

struct ref_op {
	const char *name;
	struct pd_linear_op op;
	uint64_t call, ret; /* UINT64_MAX: pending */
	int era;
};

struct ref_history {
	const char *spec;
	int n, ncrashes;
	struct ref_op op[REF_OPS];
	enum pd_linear_condition condition;
};

/* A structure's content: entries in the order in which they were added, and one word. */
struct ref_state {
	int n;
	uint64_t key[REF_ENTRIES], value[REF_ENTRIES];
	uint64_t word;
};

struct ref_way {
	struct ref_state to;
	uint64_t result;
	int npairs; /* of a scan */
	uint64_t pairs[2 * REF_ENTRIES];
};

/* All ways in which the operation may go on. */
int ref_apply(const char *spec, const struct ref_state *s, const struct ref_op *op,
	      struct ref_way way[REF_WAYS]);

bool ref_linearizable(const struct ref_history *h);

#endif
