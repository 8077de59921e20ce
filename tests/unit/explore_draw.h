/* explore_draw.h - expressions drawn at random, over all operators and widths. */
#ifndef PD_TESTS_EXPLORE_DRAW_H
#define PD_TESTS_EXPLORE_DRAW_H

#include "engine/explore/expr.h"

enum { DRAW_POOL = 40, DRAW_TABLE = 40 };

struct draw {
	struct pd_exprs *x;
	uint64_t seed;
	uint32_t inputs;
	uint32_t widest; /* of what is multiplied, divided or shifted */
	pd_expr pool[DRAW_POOL];
	uint32_t n;
};

static inline uint64_t draw_bits(struct draw *d)
{
	d->seed += 0x9e3779b97f4a7c15ULL;
	return pd_mix(d->seed);
}

static inline uint32_t draw_below(struct draw *d, uint32_t n)
{
	return (uint32_t)(draw_bits(d) % n);
}

/* Often at an edge. */
static inline pd_expr draw_const(struct draw *d, uint32_t width)
{
	uint64_t edge[] = {0, 1, 2, 3, 7, 10, UINT64_MAX, UINT64_MAX - 1, 1ULL << (width - 1)};
	uint64_t v = draw_below(d, 2) ? edge[draw_below(d, PD_LEN(edge))] : draw_bits(d);

	return pd_expr_const(d->x, width, width < 64 ? v & ((1ULL << width) - 1) : v);
}

/* One of the pool. */
static inline pd_expr draw_any(struct draw *d)
{
	return d->pool[draw_below(d, d->n)];
}

/* One of the pool, made this wide. */
static inline pd_expr draw_wide(struct draw *d, uint32_t width)
{
	pd_expr e = draw_any(d);
	uint32_t has = pd_expr_width(d->x, e);

	if (draw_below(d, 5) == 0)
		return draw_const(d, width);
	if (has > width)
		return pd_expr_extract(d->x, e, draw_below(d, has - width + 1), width);
	return pd_expr_extend(d->x, draw_below(d, 2) ? PD_SYM_ZEXT : PD_SYM_SEXT, e, width);
}

static inline uint32_t draw_width(struct draw *d, uint32_t most)
{
	static const uint32_t usual[] = {1, 8, 16, 32, 64};
	uint32_t w = draw_below(d, 2) ? usual[draw_below(d, 5)] : 1 + draw_below(d, 64);

	return w > most ? 1 + w % most : w;
}

static inline pd_expr draw_table(struct draw *d)
{
	uint32_t width = draw_width(d, 64), has = 1 + draw_below(d, 10), n = 0;
	bool dense = draw_below(d, 2), constant = draw_below(d, 2), affine = draw_below(d, 3) == 0;
	uint64_t key[DRAW_TABLE], at = draw_below(d, 3), flip = draw_bits(d);
	pd_expr entry[DRAW_TABLE], index = draw_wide(d, has);

	for (; n < DRAW_TABLE && at < 1ULL << has; n++) {
		uint64_t v = (n & 1 ? flip : 0) ^ (n & 2 ? flip >> 7 : 0) ^ (n & 4 ? flip << 9 : 0);

		key[n] = at;
		entry[n] = affine     ? pd_expr_const(d->x, width,
						      width < 64 ? v & ((1ULL << width) - 1) : v)
			   : constant ? draw_const(d, width)
				      : draw_wide(d, width);
		at += dense ? 1 : 1 + draw_below(d, 4);
	}
	return pd_expr_table(d->x, index, n, key, entry, draw_wide(d, width));
}

static inline pd_expr draw_cut(struct draw *d)
{
	pd_expr e = draw_any(d);
	uint32_t has = pd_expr_width(d->x, e), width = 1 + draw_below(d, has);

	return pd_expr_extract(d->x, e, draw_below(d, has - width + 1), width);
}

static inline pd_expr draw_joined(struct draw *d)
{
	pd_expr h = draw_any(d), l = draw_any(d);

	return pd_expr_width(d->x, h) + pd_expr_width(d->x, l) <= 64 ? pd_expr_concat(d->x, h, l)
								     : draw_cut(d);
}

/* An expression with this operator on top, if its constructor leaves it there. */
static inline pd_expr draw_op(struct draw *d, enum pd_sym_op op)
{
	bool heavy = op >= PD_SYM_MUL && op <= PD_SYM_ASHR;
	uint32_t width = draw_width(d, heavy ? d->widest : 64);

	if (op == PD_SYM_CONST)
		return draw_const(d, width);
	if (op == PD_SYM_INPUT)
		return pd_expr_input(d->x, draw_below(d, d->inputs));
	if (op == PD_SYM_TABLE)
		return draw_table(d);
	if (op == PD_SYM_NOT)
		return pd_expr_not(d->x, draw_any(d));
	if (op <= PD_SYM_SLE)
		return pd_expr_binary(d->x, op, draw_wide(d, width), draw_wide(d, width));
	if (op == PD_SYM_ITE)
		return pd_expr_ite(d->x, draw_wide(d, 1), draw_wide(d, width), draw_wide(d, width));
	if (op == PD_SYM_EXTRACT)
		return draw_cut(d);
	if (op == PD_SYM_CONCAT)
		return draw_joined(d);
	{
		pd_expr e = draw_any(d);
		uint32_t has = pd_expr_width(d->x, e);

		return pd_expr_extend(d->x, op, e, has + draw_below(d, 65 - has));
	}
}

/* Fills the pool; its last expressions are made of the earlier ones. */
static inline void draw_pool(struct draw *d, uint32_t n)
{
	d->n = 0;
	for (uint32_t i = 0; i < d->inputs && i < n; i++)
		d->pool[d->n++] = pd_expr_input(d->x, i);
	while (d->n < n) {
		pd_expr e = draw_op(d, (enum pd_sym_op)draw_below(d, PD_SYM_OPS));

		d->pool[d->n++] = e;
	}
}

#endif
