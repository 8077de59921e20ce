/* circuit.c - see circuit.h; tables are in circuit_table.c. */
#include "engine/explore/circuit.h"

enum { T = PD_BLAST_TRUE, F = PD_BLAST_FALSE };

void pd_circuit_const(int32_t *out, uint64_t value, uint32_t width)
{
	for (uint32_t i = 0; i < width; i++)
		out[i] = i < 64 && value >> i & 1 ? T : F;
}

bool pd_circuit_is_const(const int32_t *a, uint32_t width, uint64_t *value)
{
	uint64_t v = 0;

	for (uint32_t i = 0; i < width; i++) {
		if (a[i] != T && a[i] != F)
			return false;
		v |= (uint64_t)(a[i] == T) << i;
	}
	*value = v;
	return true;
}

/* Bits up to the highest that can be set. */
static uint32_t significant(const int32_t *a, uint32_t width)
{
	while (width && a[width - 1] == F)
		width--;
	return width;
}

static void copy(int32_t *out, const int32_t *a, uint32_t n)
{
	memmove(out, a, n * sizeof(*a));
}

static void negate_bits(int32_t *out, const int32_t *a, uint32_t width)
{
	for (uint32_t i = 0; i < width; i++)
		out[i] = -a[i];
}

/* ---- sums ----------------------------------------------------------------------------------- */

int32_t pd_circuit_add(struct pd_gates *g, int32_t *out, const int32_t *a, const int32_t *b,
		       int32_t carry, uint32_t width)
{
	for (uint32_t i = 0; i < width; i++) {
		int32_t next = pd_gate_majority(g, a[i], b[i], carry);

		out[i] = pd_gate_parity(g, a[i], b[i], carry);
		carry = next;
	}
	return carry;
}

int32_t pd_circuit_subtract(struct pd_gates *g, int32_t *out, const int32_t *a, const int32_t *b,
			    uint32_t width)
{
	int32_t not_b[PD_CIRCUIT_BITS];

	negate_bits(not_b, b, width);
	return pd_circuit_add(g, out, a, not_b, T, width);
}

/* Where c: minus a; else a. */
static void negate_if(struct pd_gates *g, int32_t *out, const int32_t *a, int32_t c, uint32_t width)
{
	int32_t flipped[PD_CIRCUIT_BITS], zero[PD_CIRCUIT_BITS];

	pd_circuit_const(zero, 0, width);
	for (uint32_t i = 0; i < width; i++)
		flipped[i] = pd_gate_xor(g, a[i], c);
	pd_circuit_add(g, out, flipped, zero, c, width);
}

/* out += (a << by) where c, or -= it; the carry out. */
static int32_t accumulate(struct pd_gates *g, int32_t *out, const int32_t *a, uint32_t by,
			  int32_t c, bool minus, uint32_t width)
{
	int32_t row[PD_CIRCUIT_BITS];

	for (uint32_t i = 0; i < width; i++)
		row[i] = i < by ? F : pd_gate_and(g, a[i - by], c);
	return minus ? pd_circuit_subtract(g, out, out, row, width)
		     : pd_circuit_add(g, out, out, row, F, width);
}

/* ---- products ------------------------------------------------------------------------------- */

/* By the signed digits of the constant, no two of them next to each other, from the highest
 * down. */
static void multiply_const(struct pd_gates *g, int32_t *out, const int32_t *a, uint64_t by,
			   uint32_t width)
{
	int8_t digit[PD_CIRCUIT_BITS + 2] = {0};
	int32_t sum[PD_CIRCUIT_BITS];
	uint64_t carry = 0;

	for (uint32_t i = 0; i < width; i++) {
		uint64_t bit = (i < 64 ? by >> i & 1 : 0) + carry;
		uint64_t next = i + 1 < 64 ? by >> (i + 1) & 1 : 0;

		carry = bit == 2 || (bit == 1 && next);
		digit[i] = (int8_t)(bit == 1 ? (next ? -1 : 1) : 0);
	}
	pd_circuit_const(sum, 0, width);
	for (uint32_t i = width; i-- > 0;) {
		if (digit[i])
			accumulate(g, sum, a, i, T, digit[i] < 0, width);
	}
	copy(out, sum, width);
}

static uint32_t unknown_bits(const int32_t *a, uint32_t width)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < width; i++)
		n += a[i] != F && !(i && a[i] == a[i - 1]);
	return n;
}

/* Rows for the bits of b; those of a sign extension are together one row that is subtracted. */
static void multiply_rows(struct pd_gates *g, int32_t *out, const int32_t *a, const int32_t *b,
			  uint32_t width)
{
	int32_t sum[PD_CIRCUIT_BITS];
	uint32_t sign = width - 1;

	while (sign > 0 && b[sign - 1] == b[width - 1])
		sign--;
	pd_circuit_const(sum, 0, width);
	for (uint32_t i = 0; i < sign; i++) {
		if (b[i] != F)
			accumulate(g, sum, a, i, b[i], false, width);
	}
	if (b[sign] != F)
		accumulate(g, sum, a, sign, b[sign], true, width);
	copy(out, sum, width);
}

void pd_circuit_multiply(struct pd_gates *g, int32_t *out, const int32_t *a, const int32_t *b,
			 uint32_t width)
{
	uint64_t by;

	if (pd_circuit_is_const(b, width, &by))
		multiply_const(g, out, a, by, width);
	else if (pd_circuit_is_const(a, width, &by))
		multiply_const(g, out, b, by, width);
	else if (unknown_bits(a, width) < unknown_bits(b, width))
		multiply_rows(g, out, b, a, width);
	else
		multiply_rows(g, out, a, b, width);
}

/* ---- quotients ------------------------------------------------------------------------------ */

/* a, shifted and cut. */
static void divide_by_power(int32_t *q, int32_t *r, const int32_t *a, uint32_t k, uint32_t width)
{
	int32_t from[PD_CIRCUIT_BITS];

	copy(from, a, width);
	for (uint32_t i = 0; i < width; i++) {
		q[i] = i + k < width ? from[i + k] : F;
		r[i] = i < k ? from[i] : F;
	}
}

/*
 * Long division, from the highest bit of a down: what is left, with the next bit behind it, less d
 * if that is not more. What is left is below d, so it has no more bits.
 */
static void divide_long(struct pd_gates *g, int32_t *q, int32_t *r, const int32_t *a,
			const int32_t *d, uint32_t width)
{
	uint32_t wide = significant(a, width), most = significant(d, width);
	int32_t left[PD_CIRCUIT_BITS + 1], less[PD_CIRCUIT_BITS], by[PD_CIRCUIT_BITS];
	int32_t quotient[PD_CIRCUIT_BITS];

	pd_circuit_const(left, 0, PD_CIRCUIT_BITS + 1);
	pd_circuit_const(quotient, 0, PD_CIRCUIT_BITS);
	pd_circuit_const(by, 0, PD_CIRCUIT_BITS);
	copy(by, d, most);
	for (uint32_t i = wide; i-- > 0;) {
		copy(left + 1, left, most);
		left[0] = a[i];
		quotient[i] = pd_circuit_subtract(g, less, left, by, most + 1);
		pd_circuit_mux(g, left, quotient[i], less, left, most);
		left[most] = F;
	}
	copy(q, quotient, width);
	copy(r, left, width);
}

static void divide_unsigned(struct pd_gates *g, int32_t *q, int32_t *r, const int32_t *a,
			    const int32_t *b, uint32_t width)
{
	uint32_t wide = significant(a, width), k;
	int32_t d[PD_CIRCUIT_BITS], zero[PD_CIRCUIT_BITS] = {0}, is_zero;
	uint64_t by;

	pd_circuit_const(zero, 0, width);
	is_zero = pd_circuit_equal(g, b, zero, width);
	if (is_zero == T || wide == 0) {
		copy(q, zero, width);
		copy(r, zero, width);
	} else if (pd_circuit_is_const(b, width, &by)) {
		k = 63 - (uint32_t)__builtin_clzll(by);
		if ((by & (by - 1)) == 0 || wide <= k)
			divide_by_power(q, r, a, (by & (by - 1)) == 0 ? k : width, width);
		else
			divide_long(g, q, r, a, b, width);
	} else {
		copy(d, b, width);
		d[0] = pd_gate_or(g, d[0], is_zero); /* any / 0 is as any / 1, but for q */
		divide_long(g, q, r, a, d, width);
		for (uint32_t i = 0; i < width; i++)
			q[i] = pd_gate_and(g, q[i], -is_zero);
	}
}

void pd_circuit_divide(struct pd_gates *g, int32_t *quotient, int32_t *rest, const int32_t *a,
		       const int32_t *b, uint32_t width, bool is_signed)
{
	int32_t of_a = is_signed ? a[width - 1] : F, of_b = is_signed ? b[width - 1] : F;
	int32_t n[PD_CIRCUIT_BITS], d[PD_CIRCUIT_BITS];

	negate_if(g, n, a, of_a, width);
	negate_if(g, d, b, of_b, width);
	divide_unsigned(g, quotient, rest, n, d, width);
	negate_if(g, quotient, quotient, pd_gate_xor(g, of_a, of_b), width);
	negate_if(g, rest, rest, of_a, width);
}

/* ---- the others ----------------------------------------------------------------------------- */

void pd_circuit_shift(struct pd_gates *g, enum pd_sym_op op, int32_t *out, const int32_t *a,
		      const int32_t *amount, uint32_t width)
{
	int32_t fill = op == PD_SYM_ASHR ? a[width - 1] : F, over = F;
	int32_t now[PD_CIRCUIT_BITS], next[PD_CIRCUIT_BITS];

	copy(now, a, width);
	for (uint32_t s = 0; s < width; s++) {
		uint32_t by = s < 6 ? 1U << s : 64;

		if (by >= width) {
			over = pd_gate_or(g, over, amount[s]);
			continue;
		}
		for (uint32_t i = 0; i < width; i++) {
			int32_t from = op == PD_SYM_SHL ? (i < by ? F : now[i - by])
							: (i + by < width ? now[i + by] : fill);

			next[i] = pd_gate_mux(g, amount[s], from, now[i]);
		}
		copy(now, next, width);
	}
	for (uint32_t i = 0; i < width; i++)
		out[i] = pd_gate_mux(g, over, fill, now[i]);
}

int32_t pd_circuit_equal(struct pd_gates *g, const int32_t *a, const int32_t *b, uint32_t width)
{
	int32_t same[PD_CIRCUIT_BITS];

	for (uint32_t i = 0; i < width; i++) {
		same[i] = -pd_gate_xor(g, a[i], b[i]);
		if (same[i] == F)
			return F;
	}
	return pd_gate_all(g, same, width);
}

int32_t pd_circuit_less(struct pd_gates *g, const int32_t *a, const int32_t *b, uint32_t width,
			bool is_signed)
{
	int32_t less = F;

	for (uint32_t i = 0; i < width; i++) {
		if (is_signed && i == width - 1)
			less = pd_gate_majority(g, a[i], -b[i], less);
		else
			less = pd_gate_majority(g, -a[i], b[i], less);
	}
	return less;
}

void pd_circuit_mux(struct pd_gates *g, int32_t *out, int32_t c, const int32_t *a, const int32_t *b,
		    uint32_t width)
{
	for (uint32_t i = 0; i < width; i++)
		out[i] = pd_gate_mux(g, c, a[i], b[i]);
}
