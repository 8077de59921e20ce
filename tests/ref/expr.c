/* expr.c - see expr.h. */
#include "ref/expr.h"
#include <stdlib.h>
#include <string.h>

static struct piece {
	struct piece *next;
} *pieces;

static void *make(size_t n)
{
	struct piece *p = calloc(1, sizeof(*p) + n);

	p->next = pieces;
	pieces = p;
	return p + 1;
}

void ref_free(void)
{
	while (pieces) {
		struct piece *next = pieces->next;

		free(pieces);
		pieces = next;
	}
}

static struct ref_expr *node(enum pd_sym_op op, int width, const struct ref_expr *a,
			     const struct ref_expr *b)
{
	struct ref_expr *e = make(sizeof(*e));

	e->op = op;
	e->width = width;
	e->a = a;
	e->b = b;
	return e;
}

const struct ref_expr *ref_const(int width, uint64_t value)
{
	struct ref_expr *e = node(PD_SYM_CONST, width, NULL, NULL);

	e->value = value;
	return e;
}

const struct ref_expr *ref_input(int index)
{
	struct ref_expr *e = node(PD_SYM_INPUT, 8, NULL, NULL);

	e->value = (uint64_t)index;
	return e;
}

const struct ref_expr *ref_not(const struct ref_expr *a)
{
	return node(PD_SYM_NOT, a->width, a, NULL);
}

const struct ref_expr *ref_binary(enum pd_sym_op op, const struct ref_expr *a,
				  const struct ref_expr *b)
{
	return node(op, op >= PD_SYM_EQ && op <= PD_SYM_SLE ? 1 : a->width, a, b);
}

const struct ref_expr *ref_ite(const struct ref_expr *c, const struct ref_expr *a,
			       const struct ref_expr *b)
{
	struct ref_expr *e = node(PD_SYM_ITE, a->width, a, b);

	e->c = c;
	return e;
}

const struct ref_expr *ref_extend(enum pd_sym_op op, const struct ref_expr *a, int width)
{
	return node(op, width, a, NULL);
}

const struct ref_expr *ref_extract(const struct ref_expr *a, int low, int width)
{
	struct ref_expr *e = node(PD_SYM_EXTRACT, width, a, NULL);

	e->low = low;
	return e;
}

const struct ref_expr *ref_concat(const struct ref_expr *high, const struct ref_expr *low)
{
	return node(PD_SYM_CONCAT, high->width + low->width, high, low);
}

const struct ref_expr *ref_table(const struct ref_expr *index, int n, const uint64_t *key,
				 const struct ref_expr **entry, const struct ref_expr *otherwise)
{
	struct ref_expr *e = node(PD_SYM_TABLE, otherwise->width, index, NULL);

	e->n = n;
	e->key = make((size_t)(n + 1) * sizeof(*key));
	e->entry = make((size_t)(n + 1) * sizeof(*entry));
	for (int i = 0; i < n; i++) {
		e->key[i] = key[i];
		e->entry[i] = entry[i];
	}
	e->entry[n] = otherwise;
	return e;
}

/* ---- values --------------------------------------------------------------------------------- */

/* The number that these bits stand for in two's complement. */
static __int128 number(uint64_t v, int width)
{
	__int128 n = v;

	return v >> (width - 1) & 1 ? n - ((__int128)1 << width) : n;
}

/* Modulo 2^width. */
static uint64_t bits(__int128 n, int width)
{
	unsigned __int128 modulus = (unsigned __int128)1 << width;

	return (uint64_t)((unsigned __int128)n % modulus);
}

static uint64_t shift(enum pd_sym_op op, uint64_t a, uint64_t b, int width)
{
	uint64_t r = 0;

	for (int i = 0; i < width; i++) {
		/* Where bit i of the result comes from: bits below the lowest are 0, those above
		 * the highest 0 or the sign. */
		__int128 from = op == PD_SYM_SHL ? (__int128)i - b : (__int128)i + b;
		uint64_t bit = 0;

		if (from >= 0 && from < width)
			bit = a >> (int)from & 1;
		else if (from >= width && op == PD_SYM_ASHR)
			bit = a >> (width - 1) & 1;
		r |= bit << i;
	}
	return r;
}

static uint64_t binary(enum pd_sym_op op, uint64_t a, uint64_t b, int width)
{
	__int128 sa = number(a, width), sb = number(b, width), ua = a, ub = b;

	switch ((int)op) {
	case PD_SYM_ADD:
		return bits(ua + ub, width);
	case PD_SYM_SUB:
		return bits(ua - ub, width);
	case PD_SYM_MUL:
		return bits((__int128)((unsigned __int128)ua * (unsigned __int128)ub), width);
	case PD_SYM_UDIV:
		return b == 0 ? 0 : bits(ua / ub, width);
	case PD_SYM_SDIV:
		return b == 0 ? 0 : bits(sa / sb, width);
	case PD_SYM_UREM:
		return b == 0 ? 0 : bits(ua % ub, width);
	case PD_SYM_SREM:
		return b == 0 ? 0 : bits(sa % sb, width);
	case PD_SYM_SHL:
	case PD_SYM_LSHR:
	case PD_SYM_ASHR:
		return shift(op, a, b, width);
	case PD_SYM_AND:
		return a & b;
	case PD_SYM_OR:
		return a | b;
	case PD_SYM_XOR:
		return a ^ b;
	case PD_SYM_EQ:
		return ua == ub;
	case PD_SYM_ULT:
		return ua < ub;
	case PD_SYM_ULE:
		return ua <= ub;
	case PD_SYM_SLT:
		return sa < sb;
	case PD_SYM_SLE:
		return sa <= sb;
	default:
		abort();
	}
}

uint64_t ref_value(const struct ref_expr *e, const uint8_t *input)
{
	uint64_t a;

	switch ((int)e->op) {
	case PD_SYM_CONST:
		return bits(e->value, e->width);
	case PD_SYM_INPUT:
		return input[e->value];
	case PD_SYM_ITE:
		return ref_value(e->c, input) ? ref_value(e->a, input) : ref_value(e->b, input);
	default:
		break;
	}
	a = ref_value(e->a, input);
	switch ((int)e->op) {
	case PD_SYM_NOT:
		return bits(-1 - (__int128)a, e->width);
	case PD_SYM_ZEXT:
		return a;
	case PD_SYM_SEXT:
		return bits(number(a, e->a->width), e->width);
	case PD_SYM_EXTRACT:
		return bits(a >> e->low, e->width);
	case PD_SYM_CONCAT:
		return bits(((__int128)a << e->b->width) + ref_value(e->b, input), e->width);
	case PD_SYM_TABLE:
		for (int i = 0; i < e->n; i++)
			if (e->key[i] == a)
				return ref_value(e->entry[i], input);
		return ref_value(e->entry[e->n], input);
	default:
		return binary(e->op, a, ref_value(e->b, input), e->a->width);
	}
}
