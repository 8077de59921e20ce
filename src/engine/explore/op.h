/*
 * op.h - operators on numbers (event/symbolic.h): what constants are folded with and expressions
 * evaluated by.
 */
#ifndef PD_ENGINE_EXPLORE_OP_H
#define PD_ENGINE_EXPLORE_OP_H

#include "base/types.h"
#include "event/symbolic.h"

/* The lowest `width` bits; width is 0 to 64. */
static inline uint64_t pd_op_mask(uint32_t width)
{
	return width >= 64 ? UINT64_MAX : (1ULL << width) - 1;
}

static inline int64_t pd_op_signed(uint64_t v, uint32_t width)
{
	return (int64_t)(v << (64 - width)) >> (64 - width);
}

static inline bool pd_op_is_compare(enum pd_sym_op op)
{
	return op >= PD_SYM_EQ && op <= PD_SYM_SLE;
}

static inline uint64_t pd_op_sdiv(uint64_t a, uint64_t b, uint32_t width)
{
	int64_t n = pd_op_signed(a, width), d = pd_op_signed(b, width);

	if (d == 0)
		return 0;
	return d == -1 ? 0 - a : (uint64_t)(n / d);
}

static inline uint64_t pd_op_srem(uint64_t a, uint64_t b, uint32_t width)
{
	int64_t n = pd_op_signed(a, width), d = pd_op_signed(b, width);

	return d == 0 || d == -1 ? 0 : (uint64_t)(n % d);
}

/* Of operands of this width, without bits above it; the same holds for the result. */
static inline uint64_t pd_op_binary(enum pd_sym_op op, uint32_t width, uint64_t a, uint64_t b)
{
	uint64_t m = pd_op_mask(width);

	switch ((int)op) {
	case PD_SYM_ADD:
		return (a + b) & m;
	case PD_SYM_SUB:
		return (a - b) & m;
	case PD_SYM_MUL:
		return (a * b) & m;
	case PD_SYM_UDIV:
		return b ? a / b : 0;
	case PD_SYM_SDIV:
		return pd_op_sdiv(a, b, width) & m;
	case PD_SYM_UREM:
		return b ? a % b : 0;
	case PD_SYM_SREM:
		return pd_op_srem(a, b, width) & m;
	case PD_SYM_SHL:
		return b < width ? (a << b) & m : 0;
	case PD_SYM_LSHR:
		return b < width ? a >> b : 0;
	case PD_SYM_ASHR:
		return (uint64_t)(pd_op_signed(a, width) >> (b < width ? b : width - 1)) & m;
	case PD_SYM_AND:
		return a & b;
	case PD_SYM_OR:
		return a | b;
	case PD_SYM_XOR:
		return a ^ b;
	case PD_SYM_EQ:
		return a == b;
	case PD_SYM_ULT:
		return a < b;
	case PD_SYM_ULE:
		return a <= b;
	case PD_SYM_SLT:
		return pd_op_signed(a, width) < pd_op_signed(b, width);
	default:
		return pd_op_signed(a, width) <= pd_op_signed(b, width);
	}
}

/* Of all operators but constants, inputs and choices. `width` is the result's, a_width and b_width
 * the operands'. */
static inline uint64_t pd_op_node(uint32_t op, uint32_t width, uint32_t low, uint32_t a_width,
				  uint64_t a, uint64_t b, uint32_t b_width)
{
	switch (op) {
	case PD_SYM_NOT:
		return ~a & pd_op_mask(width);
	case PD_SYM_ZEXT:
		return a;
	case PD_SYM_SEXT:
		return (uint64_t)pd_op_signed(a, a_width) & pd_op_mask(width);
	case PD_SYM_EXTRACT:
		return a >> low & pd_op_mask(width);
	case PD_SYM_CONCAT:
		return a << b_width | b;
	default:
		return pd_op_binary((enum pd_sym_op)op, a_width, a, b);
	}
}

#endif
