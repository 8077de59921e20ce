/*
 * symbolic.h - the seam between code that was compiled for symbolic execution and the runtime.
 *
 * Execution is concolic. The program runs natively, with one concrete input. Beside each value runs
 * a label: 0, or the number of an expression over the bytes of the input that has this value
 * (engine/explore/expr.h). Where a branch depends on a label the path has a condition; inputs for
 * other paths are found by asking when it does not hold. A lost label may cost a path, and is
 * counted. It never changes what the program computes: values are the machine's.
 *
 * Registers. Each value of the program that consists of integers or pointers has one label per
 * lane: a scalar of up to 64 bits is one lane, a vector or struct has one for each element, a wider
 * integer one for each 64 bits. Floating point has none: what becomes a float is pinned
 * (PD_SYM_WHY_FLOAT), that is, the path goes on for this value, and others are tried up to a bound.
 *
 * Memory. Which bytes have labels is in the flags, a bit for each byte of the address space, in the
 * byte PD_SYM_FLAGS + (address >> 3), bit address & 7. Code reads the flags before each access and
 * calls the runtime if one is set; the runtime keeps the labels themselves (runtime/symbolic). In a
 * process that is not explored all flags are 0 for good.
 *
 * The call for a load comes before the load itself: at the first one the program is about to use
 * its input, and there, with nothing of it in a register yet, each path starts with bytes of its
 * own (runtime/explore).
 *
 * Calls. The caller puts labels of arguments into __pd_sym_pass, only if there are any, with the
 * function that they are meant for. Each instrumented function checks and clears `callee` on entry:
 * if that is its own address, the labels are its arguments', else they are dropped. Results work
 * the same way, with `by`. If `callee` is still set after a call, the function was not
 * instrumented: __pd_sym_untaken. If `by` is another function, that one has returned to code that
 * is not instrumented, or from a tail call: __pd_sym_strayed.
 *
 * Thread rule: each thread has its own __pd_sym_pass.
 */
#ifndef PD_EVENT_SYMBOLIC_H
#define PD_EVENT_SYMBOLIC_H

#include "event/abi.h"
#include "event/layout.h"
#include <stdint.h>

#define PD_SYM_FLAGS PD_LAYOUT_LABELS /* for all 2^47 addresses: 2^44 bytes */

/*
 * Operators. Operands of binary ones have equal widths, 1 to 64 bits; comparisons have a result of
 * one bit. Semantics are LLVM's, defined where LLVM's are not: x / 0 and x % 0 are 0; the least
 * number / -1 is itself, with remainder 0; shifting by the width or more gives 0, or all sign bits.
 */
enum pd_sym_op {
	PD_SYM_CONST,
	PD_SYM_INPUT, /* a byte of the input, 8 bits */
	PD_SYM_TABLE, /* one of several values, by another expression */
	PD_SYM_NOT,   /* of each bit */
	PD_SYM_ADD,
	PD_SYM_SUB,
	PD_SYM_MUL,
	PD_SYM_UDIV,
	PD_SYM_SDIV,
	PD_SYM_UREM,
	PD_SYM_SREM,
	PD_SYM_SHL,
	PD_SYM_LSHR,
	PD_SYM_ASHR,
	PD_SYM_AND,
	PD_SYM_OR,
	PD_SYM_XOR,
	PD_SYM_EQ,
	PD_SYM_ULT,
	PD_SYM_ULE,
	PD_SYM_SLT,
	PD_SYM_SLE,
	PD_SYM_ITE,
	PD_SYM_ZEXT,
	PD_SYM_SEXT,
	PD_SYM_EXTRACT, /* `low` and up */
	PD_SYM_CONCAT,	/* high part, low part */
	PD_SYM_OPS
};

/*
 * `how` of binary, cast, concat and ite: the operator, the width of the (first) operand, the width
 * of the result, the lowest bit of an extract; negate: NOT of the result (icmp ne). Of a concat:
 * widths of the high part and of the result.
 */
#define PD_SYM_HOW(op, from, to, low, negate)                                                      \
	((uint32_t)(op) | (uint32_t)(from) << 5 | (uint32_t)(to) << 12 | (uint32_t)(low) << 19 |   \
	 (uint32_t)(negate) << 26)
#define PD_SYM_HOW_OP(how)     ((enum pd_sym_op)((how) & 31))
#define PD_SYM_HOW_FROM(how)   ((how) >> 5 & 127)
#define PD_SYM_HOW_TO(how)     ((how) >> 12 & 127)
#define PD_SYM_HOW_LOW(how)    ((how) >> 19 & 127)
#define PD_SYM_HOW_NEGATE(how) ((how) >> 26 & 1)

/*
 * Intrinsics that are not an operator: operands of one width, and a result of that width unless
 * noted.
 */
enum pd_sym_compute {
	PD_SYM_CTPOP,
	PD_SYM_CTLZ,
	PD_SYM_CTTZ,
	PD_SYM_BSWAP,
	PD_SYM_BITREVERSE,
	PD_SYM_ABS,
	PD_SYM_SMAX,
	PD_SYM_SMIN,
	PD_SYM_UMAX,
	PD_SYM_UMIN,
	PD_SYM_FSHL, /* high part, low part, by how much */
	PD_SYM_FSHR,
	PD_SYM_SADD_SAT,
	PD_SYM_UADD_SAT,
	PD_SYM_SSUB_SAT,
	PD_SYM_USUB_SAT,
	PD_SYM_SADD_OVERFLOWS, /* one bit, as the next ones */
	PD_SYM_UADD_OVERFLOWS,
	PD_SYM_SSUB_OVERFLOWS,
	PD_SYM_USUB_OVERFLOWS,
	PD_SYM_SMUL_OVERFLOWS,
	PD_SYM_UMUL_OVERFLOWS,
	PD_SYM_UMUL_HIGH, /* of 64 bits: the upper half of the product */
	PD_SYM_COMPUTES
};

#define PD_SYM_COMPUTE_HOW(what, width) ((uint32_t)(what) | (uint32_t)(width) << 8)
#define PD_SYM_COMPUTE_WHAT(how)	((enum pd_sym_compute)((how) & 255))
#define PD_SYM_COMPUTE_WIDTH(how)	((how) >> 8)

/* Cases of a switch: target[i] is a number for the block that value[i] leads to; 0 is the
 * default's. Cases that lead to one block share a number. */
struct pd_sym_switch {
	uint32_t n;
	uint32_t width;
	uint32_t targets; /* number of targets, including the default */
	const uint64_t *value;
	const uint32_t *target;
};

/* Why a value is used as it is. */
enum pd_sym_why {
	PD_SYM_WHY_FLOAT,    /* it becomes floating point */
	PD_SYM_WHY_ADDRESS,  /* an address with more targets than are tried */
	PD_SYM_WHY_SIZE,     /* a number of bytes */
	PD_SYM_WHY_CALL,     /* an argument of a function that is not instrumented */
	PD_SYM_WHY_INDIRECT, /* where a call or jump goes */
	PD_SYM_WHY_ASM,
	PD_SYM_WHY_OPERATOR, /* an instruction or intrinsic that is not understood */
	/* The address of a store to PM, or of a flush, determines the line: paths that differ in it
	 * have different events */
	PD_SYM_WHY_LINE,
	PD_SYM_WHY_MEMORY,  /* memory passed to a function that is not instrumented */
	PD_SYM_WHY_OUTSIDE, /* read again from a file or stream that it was written to */
	PD_SYM_WHYS
};

enum { PD_SYM_LANES = 48, PD_SYM_RESULTS = 8, PD_SYM_VARIADIC = 32 };

/* What is passed along with a call; see above. */
struct pd_sym_pass {
	const void *callee; /* the function that the labels are for; NULL: there are none */
	const void *by;	    /* the function that the result is of; NULL: it has no label */
	uint32_t n;	    /* of label */
	uint32_t nvariadic;
	uint32_t label[PD_SYM_LANES]; /* lanes of all arguments, one after the other */
	uint32_t result[PD_SYM_RESULTS];
	/* Arguments for `...`, by offset as the ABI places them, in the register save area or on
	 * the stack */
	struct {
		uint32_t offset; /* below 176: in the register save area; else behind it */
		uint32_t size;
		uint32_t label;
	} variadic[PD_SYM_VARIADIC];
};

extern _Thread_local struct pd_sym_pass __pd_sym_pass __attribute__((tls_model("initial-exec")));

/* A size for __pd_sym_show: the pointer leads to a string. */
#define PD_SYM_STRING UINT64_MAX

/* Not 0: memory may have labels in this process. */
extern uint32_t __pd_sym_live;

/* A call of a function that has a summary (cc/symbolic/summary.def). */
struct pd_sym_call {
	const struct pd_site *site;
	uint32_t function; /* its number in the list */
	uint32_t n;	   /* arguments */
	uint64_t arg[8];   /* scalars, extended; floats as 0 */
	uint32_t label[8];
	uint64_t result; /* for __pd_sym_called */
	uint32_t width;	 /* of the result, in bits; 0: none */
	uint64_t state;	 /* the summary's own, from calling to called */
};

#endif
