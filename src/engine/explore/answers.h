/*
 * answers.h - a cache of answers: slices by digest, and slices without a solution.
 *
 * The digest of a slice is that of the set of its conditions and of the domains of its bytes; so it
 * does not depend on the order, nor on which conditions on single bytes led to the domains. It
 * names no expression, and outlives the graph.
 *
 * A slice that has all conditions of one without a solution, and for each byte no further values,
 * has none either.
 */
#ifndef PD_ENGINE_EXPLORE_ANSWERS_H
#define PD_ENGINE_EXPLORE_ANSWERS_H

#include "engine/explore/ask.h"
#include "engine/explore/slice.h"

struct pd_answers;

struct pd_answers *pd_answers_create(struct pd_arena *a, struct pd_exprs *x);

struct pd_digest pd_answers_digest(const struct pd_exprs *x, const struct pd_slice *l);

/* False: not known. For a yes, puts the bytes of the slice into `input`. */
bool pd_answers_find(struct pd_answers *s, struct pd_digest d, const struct pd_slice *l,
		     uint8_t *input, enum pd_ask_answer *answer);

/* If there is no room, the whole cache is cleared. */
void pd_answers_keep(struct pd_answers *s, struct pd_digest d, const struct pd_slice *l,
		     const uint8_t *input, enum pd_ask_answer answer);

#endif
