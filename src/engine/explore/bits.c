/*
 * bits.c - which bits of a node are 0 under each input: those from `live` on, those below `zeros`.
 * A node that is always 0 has live 0 and zeros as its width.
 */
#include "engine/explore/node.h"

static uint32_t length(uint64_t v)
{
	return v ? 64 - (uint32_t)__builtin_clzll(v) : 0;
}

static void bits_arith(const struct pd_node *a, const struct pd_node *b, struct pd_node *n)
{
	uint32_t width = n->key.width, live = width, zeros = 0;

	switch (n->key.op) {
	case PD_SYM_ADD:
		live = PD_MAX(a->live, b->live) + 1U;
		zeros = PD_MIN(a->zeros, b->zeros);
		break;
	case PD_SYM_SUB:
		zeros = PD_MIN(a->zeros, b->zeros);
		break;
	case PD_SYM_MUL:
		live = (uint32_t)a->live + b->live;
		zeros = (uint32_t)a->zeros + b->zeros;
		break;
	case PD_SYM_UDIV:
		live = a->live;
		if (pd_node_is_const(b) && pd_node_value(b))
			live = a->live >= length(pd_node_value(b))
				       ? a->live + 1U - length(pd_node_value(b))
				       : 0;
		break;
	case PD_SYM_UREM:
		live = PD_MIN(a->live, b->live);
		break;
	case PD_SYM_SHL:
		zeros = a->zeros;
		break;
	case PD_SYM_LSHR:
		live = a->live;
		break;
	case PD_SYM_ASHR:
		live = a->live < width ? a->live : width;
		break;
	default:
		break;
	}
	n->live = (uint8_t)PD_MIN(live, width);
	n->zeros = (uint8_t)PD_MIN(zeros, width);
}

static void bits_table(const struct pd_exprs *x, struct pd_node *n)
{
	const struct pd_expr_table *t = &pd_node_table(x, n)->t;
	const struct pd_node *o = pd_node(x, t->otherwise);

	n->live = o->live;
	n->zeros = o->zeros;
	for (uint32_t i = 0; i < t->n; i++) {
		o = pd_node(x, t->entry[i]);
		n->live = PD_MAX(n->live, o->live);
		n->zeros = PD_MIN(n->zeros, o->zeros);
	}
}

static void bits_leaf(struct pd_node *n)
{
	uint64_t v = pd_node_value(n);

	if (n->key.op == PD_SYM_INPUT) {
		n->live = 8;
		return;
	}
	n->live = (uint8_t)length(v);
	n->zeros = v ? (uint8_t)__builtin_ctzll(v) : n->key.width;
}

static void bits_shape(const struct pd_node *a, const struct pd_node *b, struct pd_node *n)
{
	uint32_t width = n->key.width, low = n->key.low;

	switch (n->key.op) {
	case PD_SYM_ZEXT:
		n->live = a->live;
		n->zeros = a->live ? a->zeros : (uint8_t)width;
		break;
	case PD_SYM_SEXT:
		n->live = a->live < a->key.width ? a->live : (uint8_t)width;
		n->zeros = a->zeros;
		break;
	case PD_SYM_EXTRACT:
		n->live = a->live > low ? (uint8_t)PD_MIN(a->live - low, width) : 0;
		n->zeros = a->zeros > low ? (uint8_t)PD_MIN(a->zeros - low, width) : 0;
		break;
	default: /* CONCAT */
		n->live = a->live ? a->live + b->key.width : b->live;
		n->zeros = b->live ? b->zeros : a->zeros + b->key.width;
		break;
	}
}

void pd_bits_node(const struct pd_exprs *x, struct pd_node *n)
{
	const struct pd_node_key *k = &n->key;
	const struct pd_node *a, *b;

	if (k->op == PD_SYM_CONST || k->op == PD_SYM_INPUT) {
		bits_leaf(n);
		return;
	}
	if (k->op == PD_SYM_TABLE) {
		bits_table(x, n);
		return;
	}
	a = pd_node(x, k->op == PD_SYM_ITE ? k->b : k->a);
	b = pd_node(x, k->op == PD_SYM_ITE ? k->c : k->b ? k->b : k->a);
	if (k->op == PD_SYM_AND) {
		n->live = PD_MIN(a->live, b->live);
		n->zeros = PD_MAX(a->zeros, b->zeros);
	} else if (k->op == PD_SYM_OR || k->op == PD_SYM_XOR || k->op == PD_SYM_ITE) {
		n->live = PD_MAX(a->live, b->live);
		n->zeros = PD_MIN(a->zeros, b->zeros);
	} else if (k->op == PD_SYM_NOT || pd_op_is_compare((enum pd_sym_op)k->op)) {
		n->live = k->width;
	} else if (k->op < PD_SYM_EQ) {
		bits_arith(a, b, n);
	} else {
		bits_shape(a, b, n);
	}
}
