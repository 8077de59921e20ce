/* construct.c - constructors of expressions: known nodes, constants, rules, new nodes; see
 * node.h. */
#include "engine/explore/node.h"

/* What a rule made of the key, or a node of it. */
static pd_expr settle(struct pd_exprs *x, const struct pd_node_key *k, pd_expr rule)
{
	if (!rule)
		return pd_node_make(x, k);
	pd_node_remember(x, k, rule);
	return rule;
}

static bool commutes(enum pd_sym_op op)
{
	return op == PD_SYM_ADD || op == PD_SYM_MUL || op == PD_SYM_AND || op == PD_SYM_OR ||
	       op == PD_SYM_XOR || op == PD_SYM_EQ;
}

/* Constants come last; else the order is one that all graphs agree on. */
static bool in_order(const struct pd_node *a, const struct pd_node *b)
{
	if (pd_node_is_const(a) || pd_node_is_const(b))
		return pd_node_is_const(b);
	return a->digest.a != b->digest.a ? a->digest.a < b->digest.a : a->digest.b <= b->digest.b;
}

static pd_expr rule_binary(struct pd_exprs *x, enum pd_sym_op op, pd_expr a, pd_expr b)
{
	if (pd_op_is_compare(op))
		return pd_rule_compare(x, op, a, b);
	return op >= PD_SYM_SHL ? pd_rule_bits(x, op, a, b) : pd_rule_arith(x, op, a, b);
}

pd_expr pd_expr_binary(struct pd_exprs *x, enum pd_sym_op op, pd_expr a, pd_expr b)
{
	struct pd_node_key k = {.op = (uint8_t)op, .a = a, .b = b};
	const struct pd_node *p, *q;
	pd_expr e;

	if (!a || !b)
		return 0;
	p = pd_node(x, a);
	q = pd_node(x, b);
	PD_CHECK(p->key.width == q->key.width, "operands of two widths");
	k.width = pd_op_is_compare(op) ? 1 : p->key.width;
	if (pd_node_is_const(p) && pd_node_is_const(q))
		return pd_expr_const(
			x, k.width,
			pd_op_binary(op, p->key.width, pd_node_value(p), pd_node_value(q)));
	if (commutes(op) && !in_order(p, q)) {
		k.a = b;
		k.b = a;
	}
	e = pd_node_find(x, &k);
	return e ? e : settle(x, &k, rule_binary(x, op, k.a, k.b));
}

pd_expr pd_expr_not(struct pd_exprs *x, pd_expr a)
{
	struct pd_node_key k = {.op = PD_SYM_NOT, .a = a};
	const struct pd_node *n;
	pd_expr e;

	if (!a)
		return 0;
	n = pd_node(x, a);
	k.width = n->key.width;
	if (pd_node_is_const(n))
		return pd_expr_const(x, k.width, ~pd_node_value(n));
	e = pd_node_find(x, &k);
	return e ? e : settle(x, &k, pd_rule_not(x, a));
}

pd_expr pd_expr_ite(struct pd_exprs *x, pd_expr c, pd_expr a, pd_expr b)
{
	struct pd_node_key k = {.op = PD_SYM_ITE, .a = c, .b = a, .c = b};
	const struct pd_node *n;
	pd_expr e;

	if (!c || !a || !b)
		return 0;
	n = pd_node(x, c);
	k.width = pd_node(x, a)->key.width;
	PD_CHECK(n->key.width == 1 && k.width == pd_node(x, b)->key.width, "a choice of widths");
	if (pd_node_is_const(n))
		return pd_node_value(n) ? a : b;
	if (a == b)
		return a;
	e = pd_node_find(x, &k);
	return e ? e : settle(x, &k, pd_rule_ite(x, c, a, b));
}

pd_expr pd_expr_extend(struct pd_exprs *x, enum pd_sym_op op, pd_expr a, uint32_t width)
{
	struct pd_node_key k = {.op = (uint8_t)op, .width = (uint8_t)width, .a = a};
	const struct pd_node *n;
	pd_expr e;

	if (!a)
		return 0;
	n = pd_node(x, a);
	PD_CHECK(width >= n->key.width && width <= 64, "extended to fewer bits");
	if (n->key.width == width)
		return a;
	if (pd_node_is_const(n))
		return pd_expr_const(
			x, width,
			op == PD_SYM_ZEXT ? pd_node_value(n)
					  : (uint64_t)pd_op_signed(pd_node_value(n), n->key.width));
	e = pd_node_find(x, &k);
	return e ? e : settle(x, &k, pd_rule_extend(x, op, a, width));
}

pd_expr pd_expr_extract(struct pd_exprs *x, pd_expr a, uint32_t low, uint32_t width)
{
	struct pd_node_key k = {
		.op = PD_SYM_EXTRACT, .width = (uint8_t)width, .low = (uint8_t)low, .a = a};
	const struct pd_node *n;
	pd_expr e;

	if (!a)
		return 0;
	n = pd_node(x, a);
	PD_CHECK(width >= 1 && low + width <= n->key.width, "bits that there are not");
	if (n->key.width == width)
		return a;
	if (pd_node_is_const(n))
		return pd_expr_const(x, width, pd_node_value(n) >> low);
	e = pd_node_find(x, &k);
	return e ? e : settle(x, &k, pd_rule_extract(x, a, low, width));
}

pd_expr pd_expr_concat(struct pd_exprs *x, pd_expr high, pd_expr low)
{
	struct pd_node_key k = {.op = PD_SYM_CONCAT, .a = high, .b = low};
	const struct pd_node *h, *l;
	pd_expr e;

	if (!high || !low)
		return 0;
	h = pd_node(x, high);
	l = pd_node(x, low);
	PD_CHECK(h->key.width + l->key.width <= 64, "more than 64 bits");
	k.width = h->key.width + l->key.width;
	if (pd_node_is_const(h) && pd_node_is_const(l))
		return pd_expr_const(x, k.width,
				     pd_node_value(h) << l->key.width | pd_node_value(l));
	e = pd_node_find(x, &k);
	return e ? e : settle(x, &k, pd_rule_concat(x, high, low));
}
