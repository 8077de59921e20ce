/*
 * expr.h - the naive twin of src/engine/explore/expr.h: trees of operators, just as they were
 * built, evaluated by what event/symbolic.h says of each operator. No sharing, no rule.
 */
#ifndef PD_TESTS_REF_EXPR_H
#define PD_TESTS_REF_EXPR_H

#include <stdint.h>
#include "event/symbolic.h"

struct ref_expr {
	enum pd_sym_op op;
	int width, low;
	uint64_t value; /* of a constant; index of an input */
	const struct ref_expr *a, *b, *c;
	int n; /* of a table */
	uint64_t *key;
	const struct ref_expr **entry; /* the last one, entry[n], is for all other keys */
};

/* Built on malloc, never freed one by one: ref_free frees all. */
const struct ref_expr *ref_const(int width, uint64_t value);
const struct ref_expr *ref_input(int index);
const struct ref_expr *ref_not(const struct ref_expr *a);
const struct ref_expr *ref_binary(enum pd_sym_op op, const struct ref_expr *a,
				  const struct ref_expr *b);
const struct ref_expr *ref_ite(const struct ref_expr *c, const struct ref_expr *a,
			       const struct ref_expr *b);
const struct ref_expr *ref_extend(enum pd_sym_op op, const struct ref_expr *a, int width);
const struct ref_expr *ref_extract(const struct ref_expr *a, int low, int width);
const struct ref_expr *ref_concat(const struct ref_expr *high, const struct ref_expr *low);
const struct ref_expr *ref_table(const struct ref_expr *index, int n, const uint64_t *key,
				 const struct ref_expr **entry, const struct ref_expr *otherwise);
void ref_free(void);

uint64_t ref_value(const struct ref_expr *e, const uint8_t *input);

#endif
