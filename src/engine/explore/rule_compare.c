/*
 * rule_compare.c - rules for EQ, ULT, ULE, SLT, SLE; see node.h.
 *
 * EQ with a constant: what can be undone is taken off the other side, until nothing is left to take
 * off. ULE and SLE with a constant are ULT and SLT with its neighbour. What is signed but never
 * negative is compared as unsigned; extensions are compared as what they extend.
 */
#include "engine/explore/rule.h"

static pd_expr truth(struct pd_exprs *x, bool v)
{
	return pd_expr_const(x, 1, v);
}

/* ---- EQ ------------------------------------------------------------------------------------- */

/* Of an odd number, modulo 2^64 (Newton: each step doubles the bits that are right). */
static uint64_t inverse(uint64_t v)
{
	uint64_t r = v;

	for (int i = 0; i < 5; i++)
		r *= 2 - v * r;
	return r;
}

/* e == v is the same as *to == *w, where one operator is taken off. 1: taken; 0: no; -1: never
 * equal. */
static int take_off(const struct pd_exprs *x, pd_expr e, uint64_t v, pd_expr *to, uint64_t *w)
{
	const struct pd_node_key *k = &pd_node(x, e)->key;
	uint64_t m = pd_op_mask(k->width);
	uint64_t c = k->op > PD_SYM_NOT && k->op < PD_SYM_ZEXT && is_const(x, k->b)
			     ? value_of(x, k->b)
			     : 0;

	*to = k->a;
	if (k->op == PD_SYM_NOT) {
		*w = ~v & m;
	} else if (by_const(x, e, PD_SYM_ADD)) {
		*w = (v - c) & m;
	} else if (by_const(x, e, PD_SYM_XOR)) {
		*w = v ^ c;
	} else if (by_const(x, e, PD_SYM_MUL) && (c & 1)) {
		*w = v * inverse(c) & m;
	} else if (k->op == PD_SYM_SUB && is_const(x, k->a)) {
		*to = k->b;
		*w = (value_of(x, k->a) - v) & m;
	} else if (k->op == PD_SYM_ZEXT || k->op == PD_SYM_SEXT) {
		uint32_t n = width_of(x, k->a);

		*w = v & pd_op_mask(n);
		return v == (k->op == PD_SYM_ZEXT ? *w : (uint64_t)pd_op_signed(*w, n) & m) ? 1
											    : -1;
	} else {
		return 0;
	}
	return 1;
}

/* An ITE with a constant arm at least; the other is not a choice again. */
static pd_expr eq_ite(struct pd_exprs *x, pd_expr e, uint64_t v)
{
	const struct pd_node_key k = pd_node(x, e)->key;
	pd_expr a, b;

	if ((!is_const(x, k.b) && !is_const(x, k.c)) || op_of(x, k.b) == PD_SYM_ITE ||
	    op_of(x, k.c) == PD_SYM_ITE)
		return 0;
	a = bin(x, PD_SYM_EQ, k.b, number(x, k.b, v));
	b = bin(x, PD_SYM_EQ, k.c, number(x, k.c, v));
	return pd_expr_ite(x, k.a, a, b);
}

/* An OR is 0: each of its operands is. Of two that are OR again only one is followed. */
static pd_expr eq_or(struct pd_exprs *x, pd_expr e)
{
	pd_expr all = truth(x, true);

	while (op_of(x, e) == PD_SYM_OR) {
		bool deep = op_of(x, left(x, e)) == PD_SYM_OR;
		pd_expr other = deep ? right(x, e) : left(x, e);

		if (op_of(x, other) == PD_SYM_OR)
			break;
		all = bin(x, PD_SYM_AND, all, bin(x, PD_SYM_EQ, other, number(x, e, 0)));
		e = deep ? left(x, e) : right(x, e);
	}
	if (!all || (op_of(x, e) == PD_SYM_OR && is_value(x, all, 1)))
		return 0;
	return bin(x, PD_SYM_AND, all, bin(x, PD_SYM_EQ, e, number(x, e, 0)));
}

/* e == v for an e that nothing can be taken off. */
static pd_expr eq_rest(struct pd_exprs *x, pd_expr e, uint64_t v)
{
	const struct pd_node_key k = pd_node(x, e)->key;

	if (k.width == 1)
		return v ? e : pd_expr_not(x, e);
	if (v & ~(pd_op_mask(pd_node(x, e)->live) & ~pd_op_mask(pd_node(x, e)->zeros)))
		return truth(x, false);
	if (k.op == PD_SYM_CONCAT) {
		uint32_t cut = width_of(x, k.b);

		return bin(x, PD_SYM_AND, bin(x, PD_SYM_EQ, k.a, number(x, k.a, v >> cut)),
			   bin(x, PD_SYM_EQ, k.b, number(x, k.b, v)));
	}
	if (k.op == PD_SYM_ITE)
		return eq_ite(x, e, v);
	if (k.op == PD_SYM_TABLE)
		return pd_table_is(x, e, v);
	if (v == 0 && (k.op == PD_SYM_SUB || k.op == PD_SYM_XOR))
		return bin(x, PD_SYM_EQ, k.a, k.b);
	if (v == 0 && k.op == PD_SYM_OR)
		return eq_or(x, e);
	if (by_const(x, e, PD_SYM_AND) && (v & ~value_of(x, k.b)))
		return truth(x, false);
	if (by_const(x, e, PD_SYM_OR) && (~v & value_of(x, k.b)))
		return truth(x, false);
	return 0;
}

static pd_expr eq_const(struct pd_exprs *x, pd_expr a, uint64_t v)
{
	pd_expr e = a, to, r;
	uint64_t w;
	int took;

	for (;;) {
		took = take_off(x, e, v, &to, &w);
		if (took < 0)
			return truth(x, false);
		if (!took)
			break;
		e = to;
		v = w;
	}
	r = eq_rest(x, e, v);
	if (r || e == a)
		return r;
	return bin(x, PD_SYM_EQ, e, number(x, e, v));
}

static pd_expr rule_eq(struct pd_exprs *x, pd_expr a, pd_expr b)
{
	const struct pd_node_key p = pd_node(x, a)->key, q = pd_node(x, b)->key;
	pd_expr na, nb;

	if (a == b)
		return truth(x, true);
	if (is_const(x, b))
		return eq_const(x, a, value_of(x, b));
	if (opposite(x, a, b))
		return truth(x, false);
	if (pd_rule_narrow(x, a, b, &na, &nb))
		return bin(x, PD_SYM_EQ, na, nb);
	if (p.op == q.op && (p.op == PD_SYM_NOT || p.op == PD_SYM_SEXT) &&
	    width_of(x, p.a) == width_of(x, q.a))
		return bin(x, PD_SYM_EQ, p.a, q.a);
	if (p.op == PD_SYM_CONCAT && q.op == PD_SYM_CONCAT && width_of(x, p.b) == width_of(x, q.b))
		return bin(x, PD_SYM_AND, bin(x, PD_SYM_EQ, p.a, q.a), bin(x, PD_SYM_EQ, p.b, q.b));
	if (by_const(x, a, PD_SYM_ADD) && by_const(x, b, PD_SYM_ADD))
		return bin(x, PD_SYM_EQ, p.a,
			   bin(x, PD_SYM_ADD, q.a, bin(x, PD_SYM_SUB, q.b, p.b)));
	return 0;
}

/* ---- unsigned ------------------------------------------------------------------------------- */

/* a < v */
static pd_expr ult_const(struct pd_exprs *x, pd_expr a, uint64_t v)
{
	const struct pd_node_key k = pd_node(x, a)->key;

	if (v == 0)
		return truth(x, false);
	if (v == 1)
		return bin(x, PD_SYM_EQ, a, number(x, a, 0));
	if (pd_op_mask(pd_node(x, a)->live) < v)
		return truth(x, true);
	if (v == pd_op_mask(k.width))
		return pd_expr_not(x, bin(x, PD_SYM_EQ, a, number(x, a, v)));
	if (k.op == PD_SYM_ZEXT)
		return bin(x, PD_SYM_ULT, k.a, number(x, k.a, v));
	if (k.op == PD_SYM_CONCAT && (v & pd_op_mask(width_of(x, k.b))) == 0)
		return bin(x, PD_SYM_ULT, k.a, number(x, k.a, v >> width_of(x, k.b)));
	return 0;
}

/* v < a */
static pd_expr const_ult(struct pd_exprs *x, uint64_t v, pd_expr a)
{
	const struct pd_node_key k = pd_node(x, a)->key;
	uint64_t low;

	if (v >= pd_op_mask(pd_node(x, a)->live))
		return truth(x, false);
	if (v == 0)
		return pd_expr_not(x, bin(x, PD_SYM_EQ, a, number(x, a, 0)));
	if (v == pd_op_mask(k.width) - 1)
		return bin(x, PD_SYM_EQ, a, number(x, a, v + 1));
	if (k.op == PD_SYM_ZEXT)
		return bin(x, PD_SYM_ULT, number(x, k.a, v), k.a);
	low = k.op == PD_SYM_CONCAT ? pd_op_mask(width_of(x, k.b)) : 0;
	if (k.op == PD_SYM_CONCAT && (v & low) == low)
		return bin(x, PD_SYM_ULT, number(x, k.a, v >> width_of(x, k.b)), k.a);
	return 0;
}

static pd_expr rule_ult(struct pd_exprs *x, pd_expr a, pd_expr b)
{
	pd_expr na, nb;

	if (a == b)
		return truth(x, false);
	if (width_of(x, a) == 1)
		return bin(x, PD_SYM_AND, pd_expr_not(x, a), b);
	if (is_const(x, b))
		return ult_const(x, a, value_of(x, b));
	if (is_const(x, a))
		return const_ult(x, value_of(x, a), b);
	if (pd_rule_narrow(x, a, b, &na, &nb))
		return bin(x, PD_SYM_ULT, na, nb);
	return 0;
}

static pd_expr rule_ule(struct pd_exprs *x, pd_expr a, pd_expr b)
{
	pd_expr na, nb;
	uint64_t v;

	if (a == b)
		return truth(x, true);
	if (width_of(x, a) == 1)
		return bin(x, PD_SYM_OR, pd_expr_not(x, a), b);
	if (is_const(x, b)) {
		v = value_of(x, b);
		return v == pd_op_mask(width_of(x, b)) ? truth(x, true)
						       : bin(x, PD_SYM_ULT, a, number(x, b, v + 1));
	}
	if (is_const(x, a)) {
		v = value_of(x, a);
		return v == 0 ? truth(x, true) : bin(x, PD_SYM_ULT, number(x, a, v - 1), b);
	}
	if (pd_rule_narrow(x, a, b, &na, &nb))
		return bin(x, PD_SYM_ULE, na, nb);
	return 0;
}

/* ---- signed --------------------------------------------------------------------------------- */

static pd_expr sign(struct pd_exprs *x, pd_expr a)
{
	return pd_expr_extract(x, a, width_of(x, a) - 1, 1);
}

/* a < v if `below`, else v < a */
static pd_expr slt_const(struct pd_exprs *x, pd_expr a, uint64_t v, bool below)
{
	uint32_t width = width_of(x, a), n;
	int64_t s = pd_op_signed(v, width), least, most;
	pd_expr from = op_of(x, a) == PD_SYM_SEXT ? left(x, a) : 0, c;

	if (is_positive(x, a)) /* and v is not */
		return truth(x, !below);
	if (s == (below ? 0 : -1))
		return below ? sign(x, a) : pd_expr_not(x, sign(x, a));
	n = from ? width_of(x, from) : width;
	least = pd_op_signed(1ULL << (n - 1), n);
	most = -1 - least;
	if (below ? s <= least : s >= most)
		return truth(x, false);
	if (below ? s > most : s < least)
		return truth(x, true);
	if (!from)
		return 0;
	c = number(x, from, v);
	return below ? bin(x, PD_SYM_SLT, from, c) : bin(x, PD_SYM_SLT, c, from);
}

static pd_expr rule_slt(struct pd_exprs *x, pd_expr a, pd_expr b)
{
	if (a == b)
		return truth(x, false);
	if (is_positive(x, a) && is_positive(x, b))
		return bin(x, PD_SYM_ULT, a, b);
	if (width_of(x, a) == 1)
		return bin(x, PD_SYM_AND, a, pd_expr_not(x, b));
	if (is_const(x, b))
		return slt_const(x, a, value_of(x, b), true);
	if (is_const(x, a))
		return slt_const(x, b, value_of(x, a), false);
	if (op_of(x, a) == PD_SYM_SEXT && op_of(x, b) == PD_SYM_SEXT &&
	    width_of(x, left(x, a)) == width_of(x, left(x, b)))
		return bin(x, PD_SYM_SLT, left(x, a), left(x, b));
	return 0;
}

static pd_expr rule_sle(struct pd_exprs *x, pd_expr a, pd_expr b)
{
	uint32_t width = width_of(x, a);
	uint64_t least = 1ULL << (width - 1), v;

	if (a == b)
		return truth(x, true);
	if (is_positive(x, a) && is_positive(x, b))
		return bin(x, PD_SYM_ULE, a, b);
	if (width == 1)
		return bin(x, PD_SYM_OR, a, pd_expr_not(x, b));
	if (is_const(x, b)) {
		v = value_of(x, b);
		return v == least - 1 ? truth(x, true) : bin(x, PD_SYM_SLT, a, number(x, b, v + 1));
	}
	if (is_const(x, a)) {
		v = value_of(x, a);
		return v == least ? truth(x, true) : bin(x, PD_SYM_SLT, number(x, a, v - 1), b);
	}
	if (op_of(x, a) == PD_SYM_SEXT && op_of(x, b) == PD_SYM_SEXT &&
	    width_of(x, left(x, a)) == width_of(x, left(x, b)))
		return bin(x, PD_SYM_SLE, left(x, a), left(x, b));
	return 0;
}

pd_expr pd_rule_compare(struct pd_exprs *x, enum pd_sym_op op, pd_expr a, pd_expr b)
{
	switch ((int)op) {
	case PD_SYM_EQ:
		return rule_eq(x, a, b);
	case PD_SYM_ULT:
		return rule_ult(x, a, b);
	case PD_SYM_ULE:
		return rule_ule(x, a, b);
	case PD_SYM_SLT:
		return rule_slt(x, a, b);
	default:
		return rule_sle(x, a, b);
	}
}
