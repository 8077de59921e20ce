/* compute.c - see hook.h: what intrinsics compute, built of operators. */
#include "runtime/symbolic/hook.h"
#include "base/bug.h"

struct maker {
	struct pd_exprs *x;
	uint32_t width;
};

static pd_expr op(struct maker *m, enum pd_sym_op o, pd_expr a, pd_expr b)
{
	return a && b ? pd_expr_binary(m->x, o, a, b) : 0;
}

static pd_expr ite(struct maker *m, pd_expr c, pd_expr a, pd_expr b)
{
	return c && a && b ? pd_expr_ite(m->x, c, a, b) : 0;
}

static pd_expr number(struct maker *m, uint64_t v)
{
	return pd_expr_const(m->x, m->width, m->width >= 64 ? v : v & ((1ULL << m->width) - 1));
}

static pd_expr bit(struct maker *m, pd_expr a, uint32_t i)
{
	return pd_expr_extract(m->x, a, i, 1);
}

static pd_expr least(struct maker *m)
{
	return number(m, 1ULL << (m->width - 1));
}

static pd_expr count_ones(struct maker *m, pd_expr a)
{
	pd_expr sum = number(m, 0);

	for (uint32_t i = 0; i < m->width && sum; i++) {
		pd_expr b = bit(m, a, i);

		sum = op(m, PD_SYM_ADD, sum,
			 b ? pd_expr_extend(m->x, PD_SYM_ZEXT, b, m->width) : 0);
	}
	return sum;
}

/* The number of zeros from one end. */
static pd_expr count_zeros(struct maker *m, pd_expr a, bool from_top)
{
	pd_expr r = number(m, m->width);

	for (uint32_t i = 0; i < m->width && r; i++)
		r = ite(m, bit(m, a, from_top ? i : m->width - 1 - i), number(m, m->width - 1 - i),
			r);
	return r;
}

/* Reverses the order of pieces of this many bits. */
static pd_expr reverse(struct maker *m, pd_expr a, uint32_t piece)
{
	pd_expr r = 0;

	for (uint32_t at = 0; at < m->width; at += piece) {
		pd_expr part = pd_expr_extract(m->x, a, at, piece);

		r = part && at ? pd_expr_concat(m->x, r, part) : part;
		if (!r)
			return 0;
	}
	return r;
}

/* A shift of two words: the amount is taken modulo the width. */
static pd_expr funnel(struct maker *m, pd_expr high, pd_expr low, pd_expr by, bool left)
{
	pd_expr n = op(m, PD_SYM_UREM, by, number(m, m->width));
	pd_expr rest = op(m, PD_SYM_SUB, number(m, m->width), n);
	pd_expr none = op(m, PD_SYM_EQ, n, number(m, 0));
	pd_expr both;

	if (left)
		both = op(m, PD_SYM_OR, op(m, PD_SYM_SHL, high, n), op(m, PD_SYM_LSHR, low, rest));
	else
		both = op(m, PD_SYM_OR, op(m, PD_SYM_SHL, high, rest), op(m, PD_SYM_LSHR, low, n));
	return ite(m, none, left ? high : low, both);
}

static pd_expr is_negative(struct maker *m, pd_expr a)
{
	return a ? bit(m, a, m->width - 1) : 0;
}

/* Operands of one sign and a result of the other; for differences, operands of two signs. */
static pd_expr signed_overflow(struct maker *m, pd_expr a, pd_expr b, bool minus)
{
	pd_expr r = op(m, minus ? PD_SYM_SUB : PD_SYM_ADD, a, b);
	pd_expr with = op(m, PD_SYM_XOR, a, r), other = op(m, PD_SYM_XOR, minus ? a : r, b);

	return is_negative(m, op(m, PD_SYM_AND, with, other));
}

/* a > max / b, where b is not 0. */
static pd_expr unsigned_product_overflow(struct maker *m, pd_expr a, pd_expr b)
{
	pd_expr most = op(m, PD_SYM_UDIV, number(m, ~0ULL), b);
	pd_expr zero = op(m, PD_SYM_EQ, b, number(m, 0));

	return ite(m, zero, pd_expr_const(m->x, 1, 0), op(m, PD_SYM_ULT, most, a));
}

/* Dividing the product again gives another number; -1 times the least number is a special case. */
static pd_expr signed_product_overflow(struct maker *m, pd_expr a, pd_expr b)
{
	pd_expr p = op(m, PD_SYM_MUL, a, b), zero = op(m, PD_SYM_EQ, b, number(m, 0));
	pd_expr same = op(m, PD_SYM_EQ, op(m, PD_SYM_SDIV, p, b), a);
	pd_expr edge = op(m, PD_SYM_AND, op(m, PD_SYM_EQ, b, number(m, ~0ULL)),
			  op(m, PD_SYM_EQ, a, least(m)));

	if (!same)
		return 0;
	return ite(m, zero, pd_expr_const(m->x, 1, 0),
		   op(m, PD_SYM_OR, pd_expr_not(m->x, same), edge));
}

static pd_expr saturate(struct maker *m, pd_expr a, pd_expr b, bool minus)
{
	pd_expr edge = ite(m, is_negative(m, a), least(m), number(m, (1ULL << (m->width - 1)) - 1));

	return ite(m, signed_overflow(m, a, b, minus), edge,
		   op(m, minus ? PD_SYM_SUB : PD_SYM_ADD, a, b));
}

/* By halves of 32 bits. */
static pd_expr high_product(struct maker *m, pd_expr a, pd_expr b)
{
	pd_expr half = number(m, 0xffffffff), by = number(m, 32);
	pd_expr al = op(m, PD_SYM_AND, a, half), ah = op(m, PD_SYM_LSHR, a, by);
	pd_expr bl = op(m, PD_SYM_AND, b, half), bh = op(m, PD_SYM_LSHR, b, by);
	pd_expr low = op(m, PD_SYM_LSHR, op(m, PD_SYM_MUL, al, bl), by);
	pd_expr mid = op(m, PD_SYM_ADD, op(m, PD_SYM_MUL, ah, bl), low);
	pd_expr mid2 = op(m, PD_SYM_ADD, op(m, PD_SYM_MUL, al, bh), op(m, PD_SYM_AND, mid, half));

	return op(m, PD_SYM_ADD, op(m, PD_SYM_MUL, ah, bh),
		  op(m, PD_SYM_ADD, op(m, PD_SYM_LSHR, mid, by), op(m, PD_SYM_LSHR, mid2, by)));
}

static pd_expr larger(struct maker *m, enum pd_sym_op less, pd_expr a, pd_expr b)
{
	return ite(m, op(m, less, a, b), b, a);
}

pd_expr pd_compute(struct pd_exprs *x, enum pd_sym_compute what, pd_expr a, pd_expr b, pd_expr c)
{
	struct maker maker = {x, pd_expr_width(x, a)}, *m = &maker;

	switch (what) {
	case PD_SYM_CTPOP:
		return count_ones(m, a);
	case PD_SYM_CTLZ:
		return count_zeros(m, a, true);
	case PD_SYM_CTTZ:
		return count_zeros(m, a, false);
	case PD_SYM_BSWAP:
		return reverse(m, a, 8);
	case PD_SYM_BITREVERSE:
		return reverse(m, a, 1);
	case PD_SYM_ABS:
		return ite(m, is_negative(m, a), op(m, PD_SYM_SUB, number(m, 0), a), a);
	case PD_SYM_SMAX:
		return larger(m, PD_SYM_SLT, a, b);
	case PD_SYM_UMAX:
		return larger(m, PD_SYM_ULT, a, b);
	case PD_SYM_SMIN:
		return ite(m, op(m, PD_SYM_SLT, a, b), a, b);
	case PD_SYM_UMIN:
		return ite(m, op(m, PD_SYM_ULT, a, b), a, b);
	case PD_SYM_FSHL:
		return funnel(m, a, b, c, true);
	case PD_SYM_FSHR:
		return funnel(m, a, b, c, false);
	case PD_SYM_SADD_SAT:
		return saturate(m, a, b, false);
	case PD_SYM_SSUB_SAT:
		return saturate(m, a, b, true);
	case PD_SYM_UADD_SAT:
		return ite(m, op(m, PD_SYM_ULT, op(m, PD_SYM_ADD, a, b), a), number(m, ~0ULL),
			   op(m, PD_SYM_ADD, a, b));
	case PD_SYM_USUB_SAT:
		return ite(m, op(m, PD_SYM_ULT, a, b), number(m, 0), op(m, PD_SYM_SUB, a, b));
	case PD_SYM_SADD_OVERFLOWS:
		return signed_overflow(m, a, b, false);
	case PD_SYM_SSUB_OVERFLOWS:
		return signed_overflow(m, a, b, true);
	case PD_SYM_UADD_OVERFLOWS:
		return op(m, PD_SYM_ULT, op(m, PD_SYM_ADD, a, b), a);
	case PD_SYM_USUB_OVERFLOWS:
		return op(m, PD_SYM_ULT, a, b);
	case PD_SYM_UMUL_OVERFLOWS:
		return unsigned_product_overflow(m, a, b);
	case PD_SYM_SMUL_OVERFLOWS:
		return signed_product_overflow(m, a, b);
	case PD_SYM_UMUL_HIGH:
		return high_product(m, a, b);
	case PD_SYM_COMPUTES:
		break;
	}
	PD_BUG("no such computation");
}
