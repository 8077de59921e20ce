/*
 * rule_shape.c - rules for ITE, extensions, EXTRACT and CONCAT; see node.h.
 *
 * Concatenations lean to the right: the high part of one is none itself. High zeros are ZEXT, never
 * a CONCAT. Neighbouring parts of one expression become one part; so what was cut into bytes and is
 * put together again is what it was.
 */
#include "engine/explore/rule.h"

/* ---- ITE ------------------------------------------------------------------------------------ */

static pd_expr ite_bool(struct pd_exprs *x, pd_expr c, pd_expr a, pd_expr b)
{
	if (is_value(x, a, 1))
		return bin(x, PD_SYM_OR, c, b);
	if (is_value(x, a, 0))
		return bin(x, PD_SYM_AND, pd_expr_not(x, c), b);
	if (is_value(x, b, 0))
		return bin(x, PD_SYM_AND, c, a);
	if (is_value(x, b, 1))
		return bin(x, PD_SYM_OR, pd_expr_not(x, c), a);
	return 0;
}

pd_expr pd_rule_ite(struct pd_exprs *x, pd_expr c, pd_expr a, pd_expr b)
{
	uint32_t width = width_of(x, a);
	pd_expr na, nb;

	if (op_of(x, c) == PD_SYM_NOT)
		return pd_expr_ite(x, left(x, c), b, a);
	if (width == 1) {
		pd_expr e = ite_bool(x, c, a, b);

		if (e)
			return e;
	} else if (is_const(x, a) && is_const(x, b)) {
		if (value_of(x, b) == 0 &&
		    (value_of(x, a) == 1 || value_of(x, a) == pd_op_mask(width)))
			return pd_expr_extend(x, value_of(x, a) == 1 ? PD_SYM_ZEXT : PD_SYM_SEXT, c,
					      width);
		if (value_of(x, a) == 0 &&
		    (value_of(x, b) == 1 || value_of(x, b) == pd_op_mask(width)))
			return pd_expr_extend(x, value_of(x, b) == 1 ? PD_SYM_ZEXT : PD_SYM_SEXT,
					      pd_expr_not(x, c), width);
	}
	if (op_of(x, a) == PD_SYM_ITE && left(x, a) == c)
		return pd_expr_ite(x, c, right(x, a), b);
	if (op_of(x, b) == PD_SYM_ITE && left(x, b) == c)
		return pd_expr_ite(x, c, a, pd_node(x, b)->key.c);
	if (pd_rule_narrow(x, a, b, &na, &nb))
		return zext(x, pd_expr_ite(x, c, na, nb), width);
	return 0;
}

/* ---- extensions ----------------------------------------------------------------------------- */

pd_expr pd_rule_extend(struct pd_exprs *x, enum pd_sym_op op, pd_expr a, uint32_t width)
{
	if (op_of(x, a) == op)
		return pd_expr_extend(x, op, left(x, a), width);
	if (op == PD_SYM_SEXT && is_positive(x, a))
		return zext(x, a, width);
	return 0;
}

/* ---- EXTRACT -------------------------------------------------------------------------------- */

/* Bits of a concatenation: of one half, or of both. */
static pd_expr extract_concat(struct pd_exprs *x, const struct pd_node_key *k, uint32_t low,
			      uint32_t width)
{
	uint32_t cut = width_of(x, k->b);

	if (low >= cut)
		return pd_expr_extract(x, k->a, low - cut, width);
	if (low + width <= cut)
		return pd_expr_extract(x, k->b, low, width);
	return pd_expr_concat(x, pd_expr_extract(x, k->a, 0, low + width - cut),
			      pd_expr_extract(x, k->b, low, cut - low));
}

static pd_expr extract_extend(struct pd_exprs *x, const struct pd_node_key *k, uint32_t low,
			      uint32_t width)
{
	uint32_t n = width_of(x, k->a);
	enum pd_sym_op op = (enum pd_sym_op)k->op;

	if (low + width <= n)
		return pd_expr_extract(x, k->a, low, width);
	if (low < n)
		return pd_expr_extend(x, op, pd_expr_extract(x, k->a, low, n - low), width);
	if (op == PD_SYM_ZEXT)
		return pd_expr_const(x, width, 0);
	return pd_expr_extend(x, op, pd_expr_extract(x, k->a, n - 1, 1), width);
}

/* Bits of an operation by a constant that leaves them as they are: they are the operand's. */
static pd_expr look_through(const struct pd_exprs *x, pd_expr a, uint32_t low, uint32_t width)
{
	for (;;) {
		const struct pd_node_key *k = &pd_node(x, a)->key;
		uint64_t m = pd_op_mask(width), v;

		if (k->op < PD_SYM_AND || k->op > PD_SYM_XOR || !is_const(x, k->b))
			return a;
		v = value_of(x, k->b) >> low & m;
		if (v != (k->op == PD_SYM_AND ? m : 0))
			return a;
		a = k->a;
	}
}

/* Two constants to choose from. */
static bool is_choice(const struct pd_exprs *x, pd_expr e)
{
	const struct pd_node_key *k = &pd_node(x, e)->key;

	return k->op == PD_SYM_ITE && is_const(x, k->b) && is_const(x, k->c);
}

pd_expr pd_rule_extract(struct pd_exprs *x, pd_expr a, uint32_t low, uint32_t width)
{
	const struct pd_node *n = pd_node(x, a);
	pd_expr through;

	if (low >= n->live || low + width <= n->zeros)
		return pd_expr_const(x, width, 0);
	switch (n->key.op) {
	case PD_SYM_EXTRACT:
		return pd_expr_extract(x, n->key.a, n->key.low + low, width);
	case PD_SYM_CONCAT:
		return extract_concat(
			x, &(struct pd_node_key){n->key.op, .a = n->key.a, .b = n->key.b}, low,
			width);
	case PD_SYM_ZEXT:
	case PD_SYM_SEXT:
		return extract_extend(x, &(struct pd_node_key){n->key.op, .a = n->key.a}, low,
				      width);
	case PD_SYM_ITE:
		if (!is_choice(x, a))
			return 0;
		return pd_expr_ite(x, n->key.a, pd_expr_extract(x, n->key.b, low, width),
				   pd_expr_extract(x, n->key.c, low, width));
	default:
		through = look_through(x, a, low, width);
		return through == a ? 0 : pd_expr_extract(x, through, low, width);
	}
}

/* ---- CONCAT --------------------------------------------------------------------------------- */

/* high and low are neighbours: parts of one expression, or constants, or choices by one
 * condition. */
static pd_expr join(struct pd_exprs *x, pd_expr high, pd_expr low)
{
	const struct pd_node_key h = pd_node(x, high)->key, l = pd_node(x, low)->key;

	if (is_const(x, high) && is_const(x, low))
		return pd_expr_concat(x, high, low);
	if (h.op == PD_SYM_EXTRACT && l.op == PD_SYM_EXTRACT && h.a == l.a &&
	    h.low == l.low + l.width)
		return pd_expr_extract(x, h.a, l.low, h.width + l.width);
	/* The lowest bits of something may be nothing but its truncation's. */
	if (is_choice(x, high) && is_choice(x, low) && h.a == l.a)
		return pd_expr_ite(x, h.a, pd_expr_concat(x, h.b, l.b),
				   pd_expr_concat(x, h.c, l.c));
	return 0;
}

/* high repeats the sign of low. */
static bool is_sign_of(struct pd_exprs *x, pd_expr high, pd_expr low)
{
	const struct pd_node_key h = pd_node(x, high)->key;
	pd_expr bit = h.op == PD_SYM_SEXT ? h.a : high;

	if (width_of(x, bit) != 1 || (h.op != PD_SYM_SEXT && h.op != PD_SYM_EXTRACT))
		return false;
	return pd_expr_extract(x, low, width_of(x, low) - 1, 1) == bit;
}

pd_expr pd_rule_concat(struct pd_exprs *x, pd_expr high, pd_expr low)
{
	const struct pd_node_key h = pd_node(x, high)->key, l = pd_node(x, low)->key;
	uint32_t width = (uint32_t)h.width + l.width;
	pd_expr e;

	if (is_value(x, high, 0))
		return zext(x, low, width);
	if (h.op == PD_SYM_ZEXT)
		return zext(x, pd_expr_concat(x, h.a, low), width);
	if (h.op == PD_SYM_CONCAT)
		return pd_expr_concat(x, h.a, pd_expr_concat(x, h.b, low));
	/* A constant above zeros. */
	if (l.op == PD_SYM_ZEXT && is_const(x, high))
		return pd_expr_concat(
			x,
			pd_expr_const(x, width - width_of(x, l.a),
				      value_of(x, high) << (l.width - width_of(x, l.a))),
			l.a);
	if (is_sign_of(x, high, low))
		return pd_expr_extend(x, PD_SYM_SEXT, low, width);
	e = join(x, high, low);
	if (e)
		return e;
	if (l.op != PD_SYM_CONCAT)
		return 0;
	e = join(x, high, l.a);
	return e ? pd_expr_concat(x, e, l.b) : 0;
}
