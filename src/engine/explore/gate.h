/*
 * gate.h - gates of a circuit, as clauses (blast.h says what literals are).
 *
 * Each function returns the literal of its result. Constant, equal and opposite inputs make no
 * gate; an existing gate is reused. After memory has run out `failed` is set, and results are
 * meaningless.
 */
#ifndef PD_ENGINE_EXPLORE_GATE_H
#define PD_ENGINE_EXPLORE_GATE_H

#include "engine/explore/blast.h"

struct pd_gate {
	int32_t in[3]; /* in[0] is 0 in a slot that is empty */
	int32_t out;
	uint32_t kind;
};

struct pd_gates {
	struct pd_arena *a;
	struct pd_blast_sink sink;
	struct pd_gate *slots;
	uint32_t mask; /* slots - 1 */
	uint32_t n;
	int32_t last; /* variable */
	uint64_t clauses;
	bool failed;
};

bool pd_gates_init(struct pd_gates *g, struct pd_arena *a, struct pd_blast_sink sink);

/* A new variable. */
int32_t pd_gate_new(struct pd_gates *g);

/* One of these literals is true. */
void pd_gate_clause(struct pd_gates *g, const int32_t *literal, uint32_t n);

int32_t pd_gate_and(struct pd_gates *g, int32_t a, int32_t b);
int32_t pd_gate_xor(struct pd_gates *g, int32_t a, int32_t b);
int32_t pd_gate_mux(struct pd_gates *g, int32_t c, int32_t a, int32_t b); /* c ? a : b */
int32_t pd_gate_parity(struct pd_gates *g, int32_t a, int32_t b, int32_t c);
int32_t pd_gate_majority(struct pd_gates *g, int32_t a, int32_t b, int32_t c);

/* AND of up to 64 literals. */
int32_t pd_gate_all(struct pd_gates *g, const int32_t *literal, uint32_t n);

static inline int32_t pd_gate_or(struct pd_gates *g, int32_t a, int32_t b)
{
	return -pd_gate_and(g, -a, -b);
}

#endif
