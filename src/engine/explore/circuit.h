/*
 * circuit.h - arithmetic as gates: arrays of literals in, the lowest bit first, arrays out.
 *
 * Widths are 1 to 64; operands and results of a function have one width. A result may be in the
 * place of an operand. Operators mean what event/symbolic.h says.
 */
#ifndef PD_ENGINE_EXPLORE_CIRCUIT_H
#define PD_ENGINE_EXPLORE_CIRCUIT_H

#include "engine/explore/gate.h"

enum { PD_CIRCUIT_BITS = 66 }; /* of an array: 64, and room for what goes past them */

void pd_circuit_const(int32_t *out, uint64_t value, uint32_t width);

/* Whether all of these bits are constants. */
bool pd_circuit_is_const(const int32_t *a, uint32_t width, uint64_t *value);

/* a + b + carry; the carry out. */
int32_t pd_circuit_add(struct pd_gates *g, int32_t *out, const int32_t *a, const int32_t *b,
		       int32_t carry, uint32_t width);
int32_t pd_circuit_subtract(struct pd_gates *g, int32_t *out, const int32_t *a, const int32_t *b,
			    uint32_t width);
void pd_circuit_multiply(struct pd_gates *g, int32_t *out, const int32_t *a, const int32_t *b,
			 uint32_t width);
void pd_circuit_divide(struct pd_gates *g, int32_t *quotient, int32_t *rest, const int32_t *a,
		       const int32_t *b, uint32_t width, bool is_signed);

/* SHL, LSHR, ASHR. */
void pd_circuit_shift(struct pd_gates *g, enum pd_sym_op op, int32_t *out, const int32_t *a,
		      const int32_t *amount, uint32_t width);

int32_t pd_circuit_equal(struct pd_gates *g, const int32_t *a, const int32_t *b, uint32_t width);
int32_t pd_circuit_less(struct pd_gates *g, const int32_t *a, const int32_t *b, uint32_t width,
			bool is_signed);

void pd_circuit_mux(struct pd_gates *g, int32_t *out, int32_t c, const int32_t *a, const int32_t *b,
		    uint32_t width);

struct pd_circuit_table {
	const int32_t *index;
	uint32_t index_width;
	uint32_t width; /* of entries */
	uint32_t n;
	const uint64_t *key; /* ascending */
	const int32_t *const *entry;
	const int32_t *otherwise;
};
void pd_circuit_table(struct pd_gates *g, int32_t *out, const struct pd_circuit_table *t);

#endif
