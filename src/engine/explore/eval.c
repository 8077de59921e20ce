/*
 * eval.c - values of expressions.
 *
 * Depth first, without recursion: an operand links to the node that waits for it (`up`), so the
 * stack is in the nodes themselves. Of a choice (ITE, table) only the chosen operand is computed.
 */
#include "engine/explore/node.h"

/* An input with one byte changed. */
struct under {
	const uint8_t *input;
	uint64_t epoch;
	uint32_t byte; /* UINT32_MAX: none */
	uint8_t value;
};

/* Whether the value of an operand is known, *v; else it has to be computed first. */
static inline bool known(struct pd_exprs *x, pd_expr e, const struct under *u, uint64_t *v)
{
	const struct pd_node *n = pd_node(x, e);

	if (n->epoch == u->epoch)
		*v = n->memo;
	else if (n->key.op == PD_SYM_CONST)
		*v = pd_node_value(n);
	else if (n->key.op == PD_SYM_INPUT)
		*v = n->key.a == u->byte ? u->value : u->input[n->key.a];
	else
		return false;
	return true;
}

/* Computes n; else returns the operand that it needs first. */
static pd_expr step(struct pd_exprs *x, struct pd_node *n, const struct under *u)
{
	const struct pd_node_key *k = &n->key;
	uint64_t a, b = 0;
	pd_expr chosen = k->b;

	if (!known(x, k->a, u, &a))
		return k->a;
	if (k->op == PD_SYM_ITE)
		chosen = a ? k->b : k->c;
	else if (k->op == PD_SYM_TABLE)
		chosen = pd_table_at(pd_node_table(x, n), a);
	if (chosen && !known(x, chosen, u, &b))
		return chosen;
	n->epoch = u->epoch;
	n->memo = k->op == PD_SYM_ITE || k->op == PD_SYM_TABLE
			  ? b
			  : pd_op_node(k->op, k->width, k->low, pd_node(x, k->a)->key.width, a, b,
				       k->op == PD_SYM_CONCAT ? pd_node(x, k->b)->key.width : 0);
	return 0;
}

static uint64_t eval(struct pd_exprs *x, pd_expr e, const struct under *u)
{
	uint64_t v;
	pd_expr at = e;

	if (known(x, e, u, &v))
		return v;
	pd_node(x, e)->up = 0;
	while (at) {
		struct pd_node *n = pd_node(x, at);
		pd_expr first = step(x, n, u);

		if (first)
			pd_node(x, first)->up = at;
		at = first ? first : n->up;
	}
	return pd_node(x, e)->memo;
}

uint64_t pd_eval(struct pd_exprs *x, pd_expr e, const uint8_t *input, uint64_t epoch)
{
	return eval(x, e, &(struct under){input, epoch, UINT32_MAX, 0});
}

uint64_t pd_eval_with(struct pd_exprs *x, pd_expr e, const uint8_t *input, uint32_t byte,
		      uint8_t value, uint64_t epoch)
{
	return eval(x, e, &(struct under){input, epoch, byte, value});
}

void pd_exprs_input(struct pd_exprs *x, const uint8_t *input)
{
	x->input = input;
	x->epoch = pd_eval_epoch(x);
}

uint64_t pd_expr_value(struct pd_exprs *x, pd_expr e)
{
	return pd_eval(x, e, x->input, x->epoch);
}

uint64_t pd_expr_value_under(struct pd_exprs *x, pd_expr e, const uint8_t *input)
{
	return pd_eval(x, e, input, pd_eval_epoch(x));
}
