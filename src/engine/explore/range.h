/*
 * range.h - between which numbers an expression is, when each byte of the input is between two.
 *
 * Interval arithmetic on unsigned numbers. A range may be too wide, never too narrow. Where a condition
 * is never met the product of the bytes' values need not be looked at (product.h): the first digit of
 * a number that is to be 31337 is found without the others.
 */
#ifndef PD_ENGINE_EXPLORE_RANGE_H
#define PD_ENGINE_EXPLORE_RANGE_H

#include "engine/explore/expr.h"

struct pd_range {
	uint64_t low, high;
};

/* Bytes are from least[i] to most[i]. *work is raised as by pd_wide. */
struct pd_range pd_range_of(struct pd_exprs *x, pd_expr e, const uint8_t *least,
			    const uint8_t *most, uint64_t *work);

#endif
