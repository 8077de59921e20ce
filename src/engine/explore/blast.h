/*
 * blast.h - turns conditions into clauses: each bit of an expression is a literal of a SAT solver.
 *
 * A literal is a number, negative where it is negated, as DIMACS has them; literal 1 is true in
 * each model. An expression of w bits is w literals. What makes an expression is a circuit of
 * gates, each a new variable with the clauses that define it, in both directions (Tseitin), so that
 * the clauses of all conditions together never rule out an input, and a condition or its negation
 * can be assumed. Gates are hash-consed, and constant bits never make one.
 *
 *	add, subtract    ripple carry
 *	compare          the carry of a subtraction; equality is one wide AND
 *	multiply         rows of shifted operands; by a constant: its signed digits, fewest that there are
 *	divide           long division, no wider than the divisor
 *	shift            a row of multiplexers for each bit of the amount
 *	table            a tree over the bits in which keys differ; one that is affine over GF(2), as those
 *	                 of CRCs are, is some XORs
 *
 * Thread rule: one thread at a time.
 */
#ifndef PD_ENGINE_EXPLORE_BLAST_H
#define PD_ENGINE_EXPLORE_BLAST_H

#include "engine/explore/expr.h"

enum { PD_BLAST_TRUE = 1, PD_BLAST_FALSE = -1 };

struct pd_blast_sink {
	void (*clause)(void *ctx, const int32_t *literal, uint32_t n);
	void *ctx;
};

struct pd_blast;

/* For expressions of this graph, as long as it lives. NULL: memory ran out. */
struct pd_blast *pd_blast_create(struct pd_arena *a, struct pd_exprs *x, struct pd_blast_sink sink);

/*
 * The literals of all bits of an expression, the lowest first, valid until the next call; their
 * clauses are added before it returns. NULL: memory ran out, or `max_clauses` was exceeded (0: no
 * limit); the clauses so far rule out nothing.
 */
const int32_t *pd_blast_bits(struct pd_blast *b, pd_expr e, uint64_t max_clauses);

/* The literal of bit 0 to 7 of a byte of the input; 0: no expression so far depends on it. */
int32_t pd_blast_input(const struct pd_blast *b, uint32_t index, uint32_t bit);

/*
 * The number of variables in the cones of these expressions, which are all blasted: what a solver
 * needs for a question about them. 0: memory ran out.
 */
uint64_t pd_blast_cone(struct pd_blast *b, const pd_expr *e, uint32_t n);

struct pd_blast_size {
	uint64_t variables; /* the last one's number */
	uint64_t clauses;
};
struct pd_blast_size pd_blast_size(const struct pd_blast *b);

#endif
