/*
 * rule_arith.c - rules for ADD, SUB, MUL and divisions; see node.h.
 *
 * Constants of a sum come last: (x + c) + y is (x + y) + c. Subtracting a constant is adding
 * another. Powers of two are bits (rule_bits.c).
 */
#include "engine/explore/rule.h"

bool pd_rule_narrow(struct pd_exprs *x, pd_expr a, pd_expr b, pd_expr *na, pd_expr *nb)
{
	uint32_t wa = op_of(x, a) == PD_SYM_ZEXT ? width_of(x, left(x, a)) : 0;
	uint32_t wb = op_of(x, b) == PD_SYM_ZEXT ? width_of(x, left(x, b)) : 0;
	uint32_t w = PD_MAX(wa, wb);

	if (w == 0 || (!wa && !is_const(x, a)) || (!wb && !is_const(x, b)))
		return false;
	if (pd_node(x, a)->live > w || pd_node(x, b)->live > w)
		return false;
	*na = wa ? zext(x, left(x, a), w) : pd_expr_const(x, w, value_of(x, a));
	*nb = wb ? zext(x, left(x, b), w) : pd_expr_const(x, w, value_of(x, b));
	return *na && *nb;
}

static pd_expr rule_add(struct pd_exprs *x, pd_expr a, pd_expr b)
{
	const struct pd_node *p = pd_node(x, a), *q = pd_node(x, b);

	if (is_value(x, b, 0))
		return a;
	if (by_const(x, a, PD_SYM_ADD))
		return bin(x, PD_SYM_ADD,
			   is_const(x, b) ? left(x, a) : bin(x, PD_SYM_ADD, left(x, a), b),
			   is_const(x, b) ? bin(x, PD_SYM_ADD, right(x, a), b) : right(x, a));
	if (by_const(x, b, PD_SYM_ADD))
		return bin(x, PD_SYM_ADD, bin(x, PD_SYM_ADD, a, left(x, b)), right(x, b));
	/* No bit of one is a bit of the other. */
	if (p->zeros >= q->live || q->zeros >= p->live)
		return bin(x, PD_SYM_OR, a, b);
	/* c - y + d, (y - z) + z, -y + z */
	if (op_of(x, a) == PD_SYM_SUB && is_const(x, left(x, a)) && is_const(x, b))
		return bin(x, PD_SYM_SUB, bin(x, PD_SYM_ADD, left(x, a), b), right(x, a));
	if (op_of(x, a) == PD_SYM_SUB && right(x, a) == b)
		return left(x, a);
	if (op_of(x, b) == PD_SYM_SUB && right(x, b) == a)
		return left(x, b);
	if (op_of(x, a) == PD_SYM_SUB && is_value(x, left(x, a), 0))
		return bin(x, PD_SYM_SUB, b, right(x, a));
	if (op_of(x, b) == PD_SYM_SUB && is_value(x, left(x, b), 0))
		return bin(x, PD_SYM_SUB, a, right(x, b));
	return 0;
}

static pd_expr rule_sub(struct pd_exprs *x, pd_expr a, pd_expr b)
{
	if (a == b)
		return number(x, a, 0);
	if (is_const(x, b))
		return bin(x, PD_SYM_ADD, a, number(x, b, 0 - value_of(x, b)));
	if (by_const(x, a, PD_SYM_ADD))
		return bin(x, PD_SYM_ADD, bin(x, PD_SYM_SUB, left(x, a), b), right(x, a));
	if (by_const(x, b, PD_SYM_ADD))
		return bin(x, PD_SYM_ADD, bin(x, PD_SYM_SUB, a, left(x, b)),
			   number(x, b, 0 - value_of(x, right(x, b))));
	if (op_of(x, a) == PD_SYM_ADD && (left(x, a) == b || right(x, a) == b))
		return left(x, a) == b ? right(x, a) : left(x, a);
	/* a - (c - y), a - (a - y) */
	if (op_of(x, b) == PD_SYM_SUB && is_const(x, left(x, b)))
		return bin(x, PD_SYM_ADD, bin(x, PD_SYM_SUB, a, left(x, b)), right(x, b));
	if (op_of(x, b) == PD_SYM_SUB && left(x, b) == a)
		return right(x, b);
	return 0;
}

static pd_expr rule_mul(struct pd_exprs *x, pd_expr a, pd_expr b)
{
	uint32_t width = width_of(x, a);
	pd_expr na, nb;
	uint64_t v;

	if (width == 1)
		return bin(x, PD_SYM_AND, a, b);
	if (!is_const(x, b))
		return 0;
	v = value_of(x, b);
	if (v == 0)
		return b;
	if ((v & (v - 1)) == 0)
		return bin(x, PD_SYM_SHL, a, number(x, a, (uint64_t)__builtin_ctzll(v)));
	if (v == pd_op_mask(width))
		return bin(x, PD_SYM_SUB, number(x, a, 0), a);
	if (by_const(x, a, PD_SYM_MUL))
		return bin(x, PD_SYM_MUL, left(x, a), bin(x, PD_SYM_MUL, right(x, a), b));
	/* In as many bits as the product can have. */
	if (pd_rule_narrow(x, a, b, &na, &nb) &&
	    (uint32_t)pd_node(x, na)->live + pd_node(x, nb)->live <= width_of(x, na))
		return zext(x, bin(x, PD_SYM_MUL, na, nb), width);
	return 0;
}

static pd_expr divide_by(struct pd_exprs *x, bool rest, pd_expr a, pd_expr b)
{
	uint64_t v = value_of(x, b);
	uint32_t width = width_of(x, a), shift = v ? (uint32_t)__builtin_ctzll(v) : 0;

	if (v == 0)
		return b;
	if ((v & (v - 1)) == 0) {
		if (!rest)
			return bin(x, PD_SYM_LSHR, a, number(x, a, shift));
		return v == 1 ? number(x, a, 0) : zext(x, pd_expr_extract(x, a, 0, shift), width);
	}
	if (pd_op_mask(pd_node(x, a)->live) < v)
		return rest ? a : number(x, a, 0);
	return 0;
}

static pd_expr rule_divide(struct pd_exprs *x, bool rest, pd_expr a, pd_expr b)
{
	enum pd_sym_op op = rest ? PD_SYM_UREM : PD_SYM_UDIV;
	pd_expr by = is_const(x, b) ? divide_by(x, rest, a, b) : 0, na, nb;

	if (by || is_value(x, a, 0))
		return by ? by : a;
	if (pd_rule_narrow(x, a, b, &na, &nb))
		return zext(x, bin(x, op, na, nb), width_of(x, a));
	return 0;
}

static pd_expr rule_sdivide(struct pd_exprs *x, bool rest, pd_expr a, pd_expr b)
{
	if (is_positive(x, a) && is_positive(x, b))
		return bin(x, rest ? PD_SYM_UREM : PD_SYM_UDIV, a, b);
	if (is_value(x, b, 0))
		return b;
	if (is_value(x, b, 1) || is_value(x, b, pd_op_mask(width_of(x, b)))) {
		if (rest)
			return number(x, a, 0);
		return pd_op_signed(value_of(x, b), width_of(x, b)) == 1
			       ? a
			       : bin(x, PD_SYM_SUB, number(x, a, 0), a);
	}
	return 0;
}

pd_expr pd_rule_arith(struct pd_exprs *x, enum pd_sym_op op, pd_expr a, pd_expr b)
{
	switch ((int)op) {
	case PD_SYM_ADD:
		return rule_add(x, a, b);
	case PD_SYM_SUB:
		return rule_sub(x, a, b);
	case PD_SYM_MUL:
		return rule_mul(x, a, b);
	case PD_SYM_UDIV:
	case PD_SYM_UREM:
		return rule_divide(x, op == PD_SYM_UREM, a, b);
	default:
		return rule_sdivide(x, op == PD_SYM_SREM, a, b);
	}
}
