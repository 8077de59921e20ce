/*
 * expr.h - expressions over the bytes of an input.
 *
 * A directed graph without cycles: a node is an operator, a width of 1 to 64 bits and up to three
 * operands. Nodes are hash-consed, so two expressions that were built alike are one number, and
 * simplified when they are made, by rules that shrink or normalise and never search. A constructor
 * may return a node of any operator, also a constant; the value under each input is what counts,
 * and is never changed by a rule. tests/ref/expr.c has the same constructors without any rule.
 *
 * Numbers are labels (event/symbolic.h); 0 is none. They are never freed one by one: a graph is
 * emptied as a whole. Node numbers below `keep` survive pd_exprs_shrink, for graphs that have
 * become too large.
 *
 * Support: which bytes of the input an expression depends on, as an interned set.
 *
 * Invariants:
 *  1. Operands have smaller numbers than what is made of them.
 *  2. A node that depends on no byte of the input is a constant.
 *  3. Bits of a constant above its width are 0.
 *
 * Thread rule: one thread at a time. The graph is in memory that the caller gives, and may be
 * shared by processes that take turns, at one address.
 */
#ifndef PD_ENGINE_EXPLORE_EXPR_H
#define PD_ENGINE_EXPLORE_EXPR_H

#include "base/arena.h"
#include "base/hash.h"
#include "event/symbolic.h"

typedef uint32_t pd_expr;

struct pd_exprs;

/* For an input of at most this many bytes. NULL: memory ran out. */
struct pd_exprs *pd_exprs_create(struct pd_arena *a, uint32_t input_size);

/* ---- constructors: 0 where memory ran out, or an operand is 0 ------------------------------- */

pd_expr pd_expr_const(struct pd_exprs *x, uint32_t width, uint64_t value);
pd_expr pd_expr_input(struct pd_exprs *x, uint32_t index);
pd_expr pd_expr_not(struct pd_exprs *x, pd_expr a);

/* ADD to SLE. */
pd_expr pd_expr_binary(struct pd_exprs *x, enum pd_sym_op op, pd_expr a, pd_expr b);
pd_expr pd_expr_ite(struct pd_exprs *x, pd_expr c, pd_expr a, pd_expr b);

/* ZEXT, SEXT to a width that is not smaller. */
pd_expr pd_expr_extend(struct pd_exprs *x, enum pd_sym_op op, pd_expr a, uint32_t width);
pd_expr pd_expr_extract(struct pd_exprs *x, pd_expr a, uint32_t low, uint32_t width);
pd_expr pd_expr_concat(struct pd_exprs *x, pd_expr high, pd_expr low);

/*
 * Entry i if `index` has the value key[i] (keys ascending); `otherwise` if it has none of these.
 * All entries have one width.
 */
pd_expr pd_expr_table(struct pd_exprs *x, pd_expr index, uint32_t n, const uint64_t *key,
		      const pd_expr *entry, pd_expr otherwise);

/* ---- questions ------------------------------------------------------------------------------ */

uint32_t pd_expr_width(const struct pd_exprs *x, pd_expr e);
bool pd_expr_is_const(const struct pd_exprs *x, pd_expr e, uint64_t *value);
enum pd_sym_op pd_expr_op(const struct pd_exprs *x, pd_expr e);

/* Operand i of 0 to 2; of a table: its index; of an extract: only operand 0. 0 where there is
 * none. */
pd_expr pd_expr_operand(const struct pd_exprs *x, pd_expr e, uint32_t i);
uint32_t pd_expr_low(const struct pd_exprs *x, pd_expr e);	   /* of an extract */
uint32_t pd_expr_input_index(const struct pd_exprs *x, pd_expr e); /* of an input */

struct pd_expr_table {
	uint32_t n;
	const uint64_t *key;
	const pd_expr *entry;
	pd_expr otherwise;
};
const struct pd_expr_table *pd_expr_table_of(const struct pd_exprs *x, pd_expr e);

/* Bytes of the input that it depends on, ascending; n of them. */
const uint32_t *pd_expr_support(const struct pd_exprs *x, pd_expr e, uint32_t *n);

/* Equal for equal expressions of any graph, in any process. */
struct pd_digest pd_expr_digest(const struct pd_exprs *x, pd_expr e);

/* How many nodes there are; the last number is one less. */
uint32_t pd_exprs_count(const struct pd_exprs *x);

/*
 * Sets another input: forgets computed values. The bytes are not copied and must stay; call it
 * again if one changes.
 */
void pd_exprs_input(struct pd_exprs *x, const uint8_t *input);

/*
 * The value under that input. Linear in what was not computed yet; recursion is bounded by a
 * constant.
 */
uint64_t pd_expr_value(struct pd_exprs *x, pd_expr e);

/* The value under another input; caches nothing. */
uint64_t pd_expr_value_under(struct pd_exprs *x, pd_expr e, const uint8_t *input);

#endif
