/*
 * explore_gen.h - random expressions over a few bytes of input, built twice: in a graph
 * (engine/explore/expr.h) and as the naive twin's trees (tests/ref/expr.h). As compiled code has
 * them: values of 8 to 64 bits, extended and cut, words taken apart into bytes and put together
 * again, tables, comparisons with constants; and constants at which rules change their mind.
 */
#ifndef PD_TESTS_EXPLORE_GEN_H
#define PD_TESTS_EXPLORE_GEN_H

#include "unit/unit.h"
#include "engine/explore/expr.h"
#include "ref/expr.h"

enum { GEN_PAIRS = 256, GEN_KEYS = 12 };

struct pair {
	pd_expr e;
	const struct ref_expr *r;
};

struct gen {
	uint64_t random;
	struct pd_exprs *x;
	uint32_t nbytes;
	struct pair pair[GEN_PAIRS];
	uint32_t n;
};

static inline uint32_t draw(struct gen *g, uint32_t n)
{
	g->random = g->random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)((g->random >> 33) % n);
}

static inline uint64_t draw64(struct gen *g)
{
	return (uint64_t)draw(g, 1U << 31) << 42 ^ (uint64_t)draw(g, 1U << 31) << 21 ^
	       draw(g, 1U << 31);
}

/* A constant at an edge, mostly. */
static inline uint64_t draw_value(struct gen *g, uint32_t width)
{
	uint64_t one = 1ULL << draw(g, width),
		 mask = width == 64 ? UINT64_MAX : (1ULL << width) - 1;

	switch (draw(g, 9)) {
	case 0:
		return 0;
	case 1:
		return 1;
	case 2:
		return mask;
	case 3:
		return one;
	case 4:
		return one - 1;
	case 5:
		return (0 - one) & mask;
	case 6:
		return draw(g, 256) & mask;
	case 7:
		return (0 - (uint64_t)draw(g, 100)) & mask;
	default:
		return draw64(g) & mask;
	}
}

static inline struct pair *add_pair(struct gen *g, pd_expr e, const struct ref_expr *r)
{
	struct pair *p = &g->pair[g->n < GEN_PAIRS ? g->n++ : draw(g, GEN_PAIRS)];

	*p = (struct pair){e, r};
	return p;
}

static inline struct pair gen_const(struct gen *g, uint32_t width, uint64_t v)
{
	return (struct pair){pd_expr_const(g->x, width, v), ref_const((int)width, v)};
}

/* Of any width: recent ones more often. */
static inline struct pair gen_any(struct gen *g)
{
	return g->pair[draw(g, 3) ? g->n - 1 - draw(g, PD_MIN(g->n, 6)) : draw(g, g->n)];
}

static inline struct pair gen_extend(struct gen *g, struct pair p, uint32_t width)
{
	enum pd_sym_op op = draw(g, 3) ? PD_SYM_ZEXT : PD_SYM_SEXT;

	return (struct pair){pd_expr_extend(g->x, op, p.e, width), ref_extend(op, p.r, (int)width)};
}

static inline struct pair gen_extract(struct gen *g, struct pair p, uint32_t low, uint32_t width)
{
	return (struct pair){pd_expr_extract(g->x, p.e, low, width),
			     ref_extract(p.r, (int)low, (int)width)};
}

/* One of this width, or made so. */
static inline struct pair gen_width(struct gen *g, uint32_t width)
{
	struct pair p = gen_any(g);
	uint32_t w = (uint32_t)p.r->width;

	for (uint32_t i = 0; i < 4 && w != width; i++) {
		p = gen_any(g);
		w = (uint32_t)p.r->width;
	}
	if (w < width)
		return gen_extend(g, p, width);
	return w > width ? gen_extract(g, p, draw(g, 2) ? 0 : draw(g, w - width + 1), width) : p;
}

static inline struct pair gen_operand(struct gen *g, uint32_t width)
{
	return draw(g, 5) < 2 ? gen_const(g, width, draw_value(g, width)) : gen_width(g, width);
}

static inline struct pair gen_not(struct gen *g, struct pair p)
{
	return (struct pair){pd_expr_not(g->x, p.e), ref_not(p.r)};
}

static inline struct pair gen_bin(struct gen *g, enum pd_sym_op op, struct pair a, struct pair b)
{
	return (struct pair){pd_expr_binary(g->x, op, a.e, b.e), ref_binary(op, a.r, b.r)};
}

static inline struct pair gen_binary(struct gen *g)
{
	enum pd_sym_op op = (enum pd_sym_op)(PD_SYM_ADD + draw(g, PD_SYM_SLE - PD_SYM_ADD + 1));
	struct pair a = gen_any(g), b = gen_operand(g, (uint32_t)a.r->width);

	return draw(g, 3) ? gen_bin(g, op, a, b) : gen_bin(g, op, b, a);
}

/* As memory does it: a word in bytes, each perhaps replaced, and a word of them again. */
static inline struct pair gen_bytes(struct gen *g)
{
	struct pair p = gen_any(g), r = {0, NULL};
	uint32_t n = (uint32_t)p.r->width / 8, first = n > 1 && draw(g, 4) == 0 ? draw(g, n) : 0;

	if (n == 0)
		return gen_extend(g, p, 8);
	for (uint32_t i = first; i < n; i++) {
		struct pair byte = draw(g, 12) ? gen_extract(g, p, 8 * i, 8) : gen_operand(g, 8);

		r = r.r ? (struct pair){pd_expr_concat(g->x, byte.e, r.e), ref_concat(byte.r, r.r)}
			: byte;
	}
	return r;
}

static inline struct pair gen_concat(struct gen *g)
{
	struct pair a = gen_any(g), b = gen_any(g);

	if (a.r->width + b.r->width > 64)
		return gen_bytes(g);
	return (struct pair){pd_expr_concat(g->x, a.e, b.e), ref_concat(a.r, b.r)};
}

static inline struct pair gen_ite(struct gen *g)
{
	struct pair c = gen_width(g, 1), a = gen_any(g), b = gen_operand(g, (uint32_t)a.r->width);

	if (draw(g, 3) == 0)
		a = gen_operand(g, (uint32_t)b.r->width);
	return (struct pair){pd_expr_ite(g->x, c.e, a.e, b.e), ref_ite(c.r, a.r, b.r)};
}

static inline struct pair gen_table(struct gen *g)
{
	struct pair index = gen_any(g), otherwise = gen_any(g);
	uint32_t w = (uint32_t)otherwise.r->width, iw = (uint32_t)index.r->width, n = 0;
	uint32_t max = 1 + draw(g, GEN_KEYS), dense = draw(g, 2), constant = draw(g, 2);
	uint64_t key[GEN_KEYS], at = draw_value(g, iw),
				mask = iw == 64 ? UINT64_MAX : (1ULL << iw) - 1;
	pd_expr e[GEN_KEYS];
	const struct ref_expr *r[GEN_KEYS];

	if (constant)
		otherwise = gen_const(g, w, draw_value(g, w));
	while (n < max) {
		struct pair entry =
			constant ? gen_const(g, w, draw(g, 2) ? draw(g, 2) : draw_value(g, w))
				 : gen_operand(g, w);

		key[n] = at;
		e[n] = entry.e;
		r[n++] = entry.r;
		at += dense ? 1 : 1 + draw(g, 40);
		if (at <= key[n - 1] || at > mask)
			break;
	}
	return (struct pair){pd_expr_table(g->x, index.e, n, key, e, otherwise.e),
			     ref_table(index.r, (int)n, key, r, otherwise.r)};
}

static inline struct pair gen_one(struct gen *g)
{
	static const uint32_t widths[] = {1, 8, 16, 32, 64, 3, 17};
	uint32_t w = widths[draw(g, PD_LEN(widths))];

	switch (draw(g, 16)) {
	case 0:
		return gen_not(g, gen_any(g));
	case 1:
		return gen_ite(g);
	case 2:
		return gen_table(g);
	case 3:
	case 4:
		return gen_bytes(g);
	case 5:
		return gen_concat(g);
	case 6:
	case 7:
		return gen_width(g, w);
	default:
		return gen_binary(g);
	}
}

/* Starts with the bytes themselves; then n expressions more. */
static inline void gen_begin(struct gen *g, struct pd_exprs *x, uint64_t seed, uint32_t nbytes,
			     uint32_t n)
{
	memset(g, 0, sizeof(*g));
	g->random = seed * 0x9e3779b97f4a7c15ULL + 1;
	g->x = x;
	g->nbytes = nbytes;
	for (uint32_t i = 0; i < nbytes; i++)
		add_pair(g, pd_expr_input(x, i), ref_input((int)i));
	for (uint32_t i = 0; i < n; i++) {
		struct pair p = gen_one(g);

		add_pair(g, p.e, p.r);
	}
}

/* A condition: a comparison, or what is made of several. */
static inline struct pair gen_condition(struct gen *g)
{
	struct pair p;

	do
		p = gen_binary(g);
	while (p.r->width != 1);
	if (draw(g, 4) == 0)
		p = gen_bin(g, draw(g, 2) ? PD_SYM_AND : PD_SYM_OR, p, gen_width(g, 1));
	return draw(g, 3) ? p : gen_not(g, p);
}

#endif
