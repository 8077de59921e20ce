/*
 * query.h - a question to a solver, as bytes: conditions that must hold together; and its answer.
 *
 * A question is the list of all nodes that its conditions are made of, operands before what is made
 * of them, then the conditions. A node is its operator and what that needs; an operand is how many
 * nodes back it is. Numbers are LEB128. An answer is the bytes of the input that the conditions
 * depend on, by place, ascending.
 *
 * The reader builds the expressions anew in a graph of its own, so rules of the constructors apply
 * once more, and parts that another question has brought are the same nodes. It does not trust the
 * bytes: the writer is inside a tested program.
 *
 * Thread rule: as expr.h.
 */
#ifndef PD_ENGINE_EXPLORE_QUERY_H
#define PD_ENGINE_EXPLORE_QUERY_H

#include "engine/explore/expr.h"

/*
 * Returns the number of bytes; 0: it does not fit, or memory ran out. `scratch` may be reset
 * afterwards.
 */
uint32_t pd_query_write(const struct pd_exprs *x, const pd_expr *holds, uint32_t n,
			struct pd_arena *scratch, uint8_t *buf, uint32_t size);

enum pd_query_read {
	PD_QUERY_READ,
	PD_QUERY_BAD,	    /* not a question */
	PD_QUERY_NO_MEMORY, /* in the graph, or in scratch */
};

struct pd_query {
	const pd_expr *holds; /* in the order in which they were written */
	uint32_t n;
};

/* Expressions are made in x, of an input of `input_size` bytes; `out` is in scratch. */
enum pd_query_read pd_query_read(struct pd_exprs *x, uint32_t input_size, const uint8_t *buf,
				 uint32_t size, struct pd_arena *scratch, struct pd_query *out);

/* Byte at[i] of the input is value[i]: bytes written, or 0. */
uint32_t pd_query_answer_write(const uint32_t *at, const uint8_t *value, uint32_t n, uint8_t *buf,
			       uint32_t size);

/* Puts them into the input. False: not an answer; the input is unchanged. */
bool pd_query_answer_read(const uint8_t *buf, uint32_t size, uint8_t *input, uint32_t input_size);

#endif
