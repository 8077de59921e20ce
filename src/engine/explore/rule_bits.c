/*
 * rule_bits.c - rules for shifts and for AND, OR, XOR, NOT; see node.h.
 *
 * Shifts by a constant, and masks of bits in a row, are parts put together: EXTRACT, CONCAT and
 * extensions say which bit comes from where, so that bytes that were taken apart meet again.
 */
#include "engine/explore/rule.h"

static pd_expr shift_by(struct pd_exprs *x, enum pd_sym_op op, pd_expr a, uint64_t by)
{
	uint32_t width = width_of(x, a), n;

	if (by == 0)
		return a;
	if (by >= width && op != PD_SYM_ASHR)
		return number(x, a, 0);
	n = (uint32_t)PD_MIN(by, width - 1);
	if (op == PD_SYM_SHL)
		return pd_expr_concat(x, pd_expr_extract(x, a, 0, width - n),
				      pd_expr_const(x, n, 0));
	return pd_expr_extend(x, op == PD_SYM_LSHR ? PD_SYM_ZEXT : PD_SYM_SEXT,
			      pd_expr_extract(x, a, n, width - n), width);
}

static pd_expr rule_shift(struct pd_exprs *x, enum pd_sym_op op, pd_expr a, pd_expr b)
{
	if (is_const(x, b))
		return shift_by(x, op, a, value_of(x, b));
	if (is_value(x, a, 0))
		return a;
	if (op == PD_SYM_ASHR && is_positive(x, a))
		return bin(x, PD_SYM_LSHR, a, b);
	return 0;
}

/* Bits in a row: from low on, n of them. */
static bool in_row(uint64_t v, uint32_t *low, uint32_t *n)
{
	if (v == 0)
		return false;
	*low = (uint32_t)__builtin_ctzll(v);
	v >>= *low;
	if (v & (v + 1))
		return false;
	*n = v == UINT64_MAX ? 64 : (uint32_t)__builtin_ctzll(v + 1);
	return true;
}

/* Half by half, where one of the two is a concatenation and the other a constant or one that is cut
 * at the same place. */
static pd_expr by_parts(struct pd_exprs *x, enum pd_sym_op op, pd_expr a, pd_expr b)
{
	uint32_t cut;

	if (op_of(x, a) != PD_SYM_CONCAT)
		return 0;
	cut = width_of(x, right(x, a));
	if (!is_const(x, b) && (op_of(x, b) != PD_SYM_CONCAT || width_of(x, right(x, b)) != cut))
		return 0;
	return pd_expr_concat(
		x, bin(x, op, left(x, a), pd_expr_extract(x, b, cut, width_of(x, a) - cut)),
		bin(x, op, right(x, a), pd_expr_extract(x, b, 0, cut)));
}

static pd_expr and_const(struct pd_exprs *x, pd_expr a, pd_expr b)
{
	uint32_t width = width_of(x, a), low, n;
	uint64_t v = value_of(x, b), live = pd_op_mask(pd_node(x, a)->live);
	pd_expr bits;

	live &= ~pd_op_mask(pd_node(x, a)->zeros);
	if ((v & live) == 0)
		return number(x, a, 0);
	if ((v & live) == live)
		return a;
	if (by_const(x, a, PD_SYM_AND))
		return bin(x, PD_SYM_AND, left(x, a), bin(x, PD_SYM_AND, right(x, a), b));
	if (in_row(v, &low, &n)) {
		bits = pd_expr_extract(x, a, low, n);
		if (low)
			bits = pd_expr_concat(x, bits, pd_expr_const(x, low, 0));
		return zext(x, bits, width);
	}
	if ((v & live) != v)
		return bin(x, PD_SYM_AND, a, number(x, a, v & live));
	return 0;
}

static pd_expr rule_and(struct pd_exprs *x, pd_expr a, pd_expr b)
{
	if (a == b)
		return a;
	if (opposite(x, a, b))
		return number(x, a, 0);
	/* a & (a & y) */
	if (op_of(x, b) == PD_SYM_AND && (left(x, b) == a || right(x, b) == a))
		return b;
	if (op_of(x, a) == PD_SYM_AND && (left(x, a) == b || right(x, a) == b))
		return a;
	/* a & (a | y) */
	if (op_of(x, b) == PD_SYM_OR && (left(x, b) == a || right(x, b) == a))
		return a;
	if (op_of(x, a) == PD_SYM_OR && (left(x, a) == b || right(x, a) == b))
		return b;
	return is_const(x, b) ? and_const(x, a, b) : 0;
}

/* Bits of which each comes from one of the two: put together. */
static pd_expr rule_disjoint(struct pd_exprs *x, pd_expr a, pd_expr b)
{
	uint32_t width = width_of(x, a), cut;
	pd_expr t;

	if (pd_node(x, a)->zeros < pd_node(x, b)->live) {
		t = a;
		a = b;
		b = t;
	}
	cut = pd_node(x, a)->zeros;
	if (cut < pd_node(x, b)->live || cut == 0 || cut >= width)
		return 0;
	return pd_expr_concat(x, pd_expr_extract(x, a, cut, width - cut),
			      pd_expr_extract(x, b, 0, cut));
}

static pd_expr rule_or(struct pd_exprs *x, pd_expr a, pd_expr b)
{
	if (a == b || is_value(x, b, 0))
		return a;
	if (is_value(x, b, pd_op_mask(width_of(x, b))))
		return b;
	if (opposite(x, a, b))
		return number(x, a, UINT64_MAX);
	if (by_const(x, a, PD_SYM_OR) && is_const(x, b))
		return bin(x, PD_SYM_OR, left(x, a), bin(x, PD_SYM_OR, right(x, a), b));
	if (op_of(x, b) == PD_SYM_OR && (left(x, b) == a || right(x, b) == a))
		return b;
	if (op_of(x, a) == PD_SYM_OR && (left(x, a) == b || right(x, a) == b))
		return a;
	if (op_of(x, b) == PD_SYM_AND && (left(x, b) == a || right(x, b) == a))
		return a;
	if (op_of(x, a) == PD_SYM_AND && (left(x, a) == b || right(x, a) == b))
		return b;
	return rule_disjoint(x, a, b);
}

static pd_expr rule_xor(struct pd_exprs *x, pd_expr a, pd_expr b)
{
	if (a == b)
		return number(x, a, 0);
	if (is_value(x, b, 0))
		return a;
	if (is_value(x, b, pd_op_mask(width_of(x, b))))
		return pd_expr_not(x, a);
	if (opposite(x, a, b))
		return number(x, a, UINT64_MAX);
	if (by_const(x, a, PD_SYM_XOR) && is_const(x, b))
		return bin(x, PD_SYM_XOR, left(x, a), bin(x, PD_SYM_XOR, right(x, a), b));
	if (op_of(x, a) == PD_SYM_NOT && is_const(x, b))
		return bin(x, PD_SYM_XOR, left(x, a), pd_expr_not(x, b));
	if (op_of(x, b) == PD_SYM_XOR && (left(x, b) == a || right(x, b) == a))
		return left(x, b) == a ? right(x, b) : left(x, b);
	if (op_of(x, a) == PD_SYM_XOR && (left(x, a) == b || right(x, a) == b))
		return left(x, a) == b ? right(x, a) : left(x, a);
	return rule_disjoint(x, a, b);
}

pd_expr pd_rule_bits(struct pd_exprs *x, enum pd_sym_op op, pd_expr a, pd_expr b)
{
	pd_expr e, na, nb;

	if (op <= PD_SYM_ASHR)
		return rule_shift(x, op, a, b);
	e = op == PD_SYM_AND  ? rule_and(x, a, b)
	    : op == PD_SYM_OR ? rule_or(x, a, b)
			      : rule_xor(x, a, b);
	if (e)
		return e;
	if (pd_rule_narrow(x, a, b, &na, &nb))
		return zext(x, bin(x, op, na, nb), width_of(x, a));
	e = by_parts(x, op, a, b);
	return e ? e : by_parts(x, op, b, a);
}

pd_expr pd_rule_not(struct pd_exprs *x, pd_expr a)
{
	const struct pd_node_key k = pd_node(x, a)->key;

	switch (k.op) {
	case PD_SYM_NOT:
		return k.a;
	case PD_SYM_ULT:
		return bin(x, PD_SYM_ULE, k.b, k.a);
	case PD_SYM_ULE:
		return bin(x, PD_SYM_ULT, k.b, k.a);
	case PD_SYM_SLT:
		return bin(x, PD_SYM_SLE, k.b, k.a);
	case PD_SYM_SLE:
		return bin(x, PD_SYM_SLT, k.b, k.a);
	case PD_SYM_XOR:
		return is_const(x, k.b) ? bin(x, PD_SYM_XOR, k.a, pd_expr_not(x, k.b)) : 0;
	case PD_SYM_ITE:
		return is_const(x, k.b) && is_const(x, k.c)
			       ? pd_expr_ite(x, k.a, pd_expr_not(x, k.b), pd_expr_not(x, k.c))
			       : 0;
	case PD_SYM_SEXT:
		return pd_expr_extend(x, PD_SYM_SEXT, pd_expr_not(x, k.a), k.width);
	default:
		return 0;
	}
}
