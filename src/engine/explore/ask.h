/*
 * ask.h - the solver chain: is there an input that follows the path so far and then goes another
 * way?
 *
 * Along a path conditions are assumed one after the other. A question is one more condition; the
 * answer is an input that meets all of them, or no, or unknown. Most questions never reach a
 * solver. The steps are:
 *
 *  1. Slices. Conditions that share no byte of the input with the question, not even by way of others,
 *     hold under the current input, and their bytes stay as they are.
 *  2. Known inputs: the current one and recent answers, on the bytes of the slice.
 *  3. Byte domains. Each byte has the set of values that conditions on it alone leave. A question
 *     about one byte whose slice is that byte is answered by the set, exactly.
 *  4. Small products. Where the domains of the slice have few combinations, all are tried: exactly.
 *  5. The cache: slices that were answered before, by digest; one that contains a slice without a
 *     solution has none. Then the answers of other workers (common.h).
 *  6. `solve`, which asks a solver process (protocol/explore.h).
 *
 * From KLEE (Cadar, Dunbar, Engler, OSDI 2008, 3.3): 1 and 5. Byte tables: 3 and 4.
 *
 * Thread rule: as expr.h.
 */
#ifndef PD_ENGINE_EXPLORE_ASK_H
#define PD_ENGINE_EXPLORE_ASK_H

#include "engine/explore/expr.h"

enum pd_ask_answer {
	PD_ASK_NO,
	PD_ASK_YES,
	PD_ASK_UNKNOWN, /* out of time or memory, or no solver */
};

/* What answered a question. */
enum pd_ask_by {
	PD_ASK_BY_CONSTANT,
	PD_ASK_BY_INPUT, /* a known one */
	PD_ASK_BY_DOMAIN,
	PD_ASK_BY_PRODUCT,
	PD_ASK_BY_CACHE,
	PD_ASK_BY_SHARED, /* what others were answered */
	PD_ASK_BY_SOLVER,
	PD_ASK_BYS
};

struct pd_ask_solver {
	/* Whether all of these n conditions (width 1) can hold. For a yes, fills in `input` for the
	 * bytes that they depend on, and leaves the others */
	enum pd_ask_answer (*solve)(void *ctx, struct pd_exprs *x, const pd_expr *holds, uint32_t n,
				    uint8_t *input);
	void *ctx;
};

struct pd_ask_stats {
	uint64_t asked[PD_ASK_BYS][3]; /* by step of the chain, and answer */
};

struct pd_ask;

struct pd_ask *pd_ask_create(struct pd_arena *a, struct pd_exprs *x, uint32_t input_size,
			     struct pd_ask_solver solver);

/* Answers are shared with others who were given the same memory, in this process or another. */
struct pd_common;
void pd_ask_share(struct pd_ask *q, struct pd_common *c);

/* Another path begins, with this input and no assumptions. Known inputs and the cache stay. */
void pd_ask_begin(struct pd_ask *q, const uint8_t *input);

/* This condition (width 1) holds under the input and from here on. */
void pd_ask_assume(struct pd_ask *q, pd_expr holds);

/*
 * For a yes, `found` is the whole input, equal to the current one except for bytes that have to
 * change.
 */
enum pd_ask_answer pd_ask(struct pd_ask *q, pd_expr also, uint8_t *found);

/*
 * The values that an expression can have under the assumptions, ascending, if domains give them
 * exactly: how many, at most max; 0: there are too many, or they are not known exactly. All inputs
 * of a path get the same, in each worker: else the next step would not be the same.
 */
uint32_t pd_ask_values(struct pd_ask *q, pd_expr e, uint64_t *values, uint32_t max);

/*
 * Otherwise: values that include all that it can have under any input, from its range and its zero
 * bits. Assumptions do not count, so the result is the same for each input of a path.
 */
uint32_t pd_ask_among(struct pd_ask *q, pd_expr e, uint64_t *values, uint32_t max);

/* How many paths were begun: shows a caller whether its assumptions are still there. */
uint64_t pd_ask_number(const struct pd_ask *q);

/* A buffer for an input that pd_ask may find. */
uint8_t *pd_ask_scratch(struct pd_ask *q);

const struct pd_ask_stats *pd_ask_stats(const struct pd_ask *q);

#endif
