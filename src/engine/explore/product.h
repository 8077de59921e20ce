/*
 * product.h - all combinations of the values of a few bytes, one byte after the other.
 *
 * Bytes are assigned values in turn, the one with the fewest left first. As soon as all bytes of a
 * condition but one have a value, the values of that one under which it holds are computed together
 * (wide.h), and only those are kept; while more bytes are open, their least and greatest values
 * show whether it can hold at all (range.h). So the last byte is never tried value by value. The
 * result is exact: either all combinations were covered, or the work limit was reached.
 */
#ifndef PD_ENGINE_EXPLORE_PRODUCT_H
#define PD_ENGINE_EXPLORE_PRODUCT_H

#include "engine/explore/slice.h"

enum { PD_PRODUCT_BYTES = 20, PD_PRODUCT_CONDITIONS = 96 };

struct pd_product;

/* Scratch memory; NULL: memory ran out. */
struct pd_product *pd_product_create(struct pd_arena *a, struct pd_exprs *x, uint32_t input_size);

enum pd_product_end {
	PD_PRODUCT_ALL,	    /* all combinations were given to `visit` */
	PD_PRODUCT_STOPPED, /* by visit */
	PD_PRODUCT_CUT,	    /* too much work, or too many bytes */
};

/*
 * Visits all values of the slice's bytes under which its conditions hold. `input` has all bytes but
 * one; that one may have each value in `left`. Current values are tried first. visit returns
 * whether to go on. Changes `input` in the bytes of the slice.
 */
enum pd_product_end
pd_product(struct pd_product *p, const struct pd_slice *l, uint8_t *input, uint64_t work,
	   bool (*visit)(void *ctx, uint8_t *input, uint32_t byte, const struct pd_set *left),
	   void *ctx);

#endif
