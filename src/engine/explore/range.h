/*
 * range.h - the range of an expression, given a range for each byte of the input.
 *
 * Interval arithmetic on unsigned numbers. A range may be too wide, never too narrow. If a
 * condition can never hold, the combinations of the bytes' values need not be tried (product.h):
 * the first digit of a number that has to be 31337 is found without the others.
 */
#ifndef PD_ENGINE_EXPLORE_RANGE_H
#define PD_ENGINE_EXPLORE_RANGE_H

#include "engine/explore/expr.h"

struct pd_range {
	uint64_t low, high;
};

/* Byte i is from least[i] to most[i]. *work is increased as by pd_wide. */
struct pd_range pd_range_of(struct pd_exprs *x, pd_expr e, const uint8_t *least,
			    const uint8_t *most, uint64_t *work);

#endif
