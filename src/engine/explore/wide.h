/*
 * wide.h - an expression under all 256 values of one byte of the input at a time.
 *
 * The graph is evaluated as in eval.c, with 256 values instead of one for each node that depends on
 * the byte. What depends on it not is evaluated once. A condition that depends on one byte alone
 * has its truth table made once and for all.
 */
#ifndef PD_ENGINE_EXPLORE_WIDE_H
#define PD_ENGINE_EXPLORE_WIDE_H

#include "engine/explore/expr.h"
#include "engine/explore/set.h"

enum { PD_WIDE = 256 };

/* Values of e for each value of that byte; of other bytes as in `input`. Valid until the next call.
 * *work is raised by the number of nodes evaluated. NULL: no memory. */
const uint64_t *pd_wide(struct pd_exprs *x, pd_expr e, uint32_t byte, const uint8_t *input,
			uint64_t *work);

/* Those for which a condition holds. */
struct pd_set pd_wide_holds(struct pd_exprs *x, pd_expr condition, uint32_t byte,
			    const uint8_t *input, uint64_t *work);

/* The same for a condition that depends on one byte alone. */
struct pd_set pd_truth(struct pd_exprs *x, pd_expr condition);

#endif
