/*
 * rule.h - short names for what the rules of the simplifier do all the time; see node.h.
 */
#ifndef PD_ENGINE_EXPLORE_RULE_H
#define PD_ENGINE_EXPLORE_RULE_H

#include "engine/explore/node.h"

static inline enum pd_sym_op op_of(const struct pd_exprs *x, pd_expr e)
{
	return (enum pd_sym_op)pd_node(x, e)->key.op;
}

static inline uint32_t width_of(const struct pd_exprs *x, pd_expr e)
{
	return pd_node(x, e)->key.width;
}

/* Operands. */
static inline pd_expr left(const struct pd_exprs *x, pd_expr e)
{
	return pd_node(x, e)->key.a;
}

static inline pd_expr right(const struct pd_exprs *x, pd_expr e)
{
	return pd_node(x, e)->key.b;
}

static inline bool is_const(const struct pd_exprs *x, pd_expr e)
{
	return pd_node_is_const(pd_node(x, e));
}

/* Of a constant. */
static inline uint64_t value_of(const struct pd_exprs *x, pd_expr e)
{
	return pd_node_value(pd_node(x, e));
}

static inline bool is_value(const struct pd_exprs *x, pd_expr e, uint64_t v)
{
	return is_const(x, e) && value_of(x, e) == v;
}

/* e is an operation `op` whose second operand is a constant. */
static inline bool by_const(const struct pd_exprs *x, pd_expr e, enum pd_sym_op op)
{
	return op_of(x, e) == op && is_const(x, right(x, e));
}

/* One is NOT of the other. */
static inline bool opposite(const struct pd_exprs *x, pd_expr a, pd_expr b)
{
	return (op_of(x, a) == PD_SYM_NOT && left(x, a) == b) ||
	       (op_of(x, b) == PD_SYM_NOT && left(x, b) == a);
}

/* The sign bit is never set. */
static inline bool is_positive(const struct pd_exprs *x, pd_expr e)
{
	return pd_node(x, e)->live < width_of(x, e);
}

static inline pd_expr number(struct pd_exprs *x, pd_expr like, uint64_t v)
{
	return pd_expr_const(x, width_of(x, like), v);
}

static inline pd_expr bin(struct pd_exprs *x, enum pd_sym_op op, pd_expr a, pd_expr b)
{
	return pd_expr_binary(x, op, a, b);
}

static inline pd_expr zext(struct pd_exprs *x, pd_expr a, uint32_t width)
{
	return pd_expr_extend(x, PD_SYM_ZEXT, a, width);
}

/* What a and b are zero extensions of: one width, below theirs; a constant of few bits counts.
 * False: they are not. */
bool pd_rule_narrow(struct pd_exprs *x, pd_expr a, pd_expr b, pd_expr *na, pd_expr *nb);

#endif
