/*
 * symbolic.h - the mode `symbolic`: each value of the program is accompanied by its label
 * (event/symbolic.h).
 *
 *	mode.c    the tables of the mode; functions in turn, instructions in turn
 *	lane.c    the parts of a type that have labels; the values of such parts
 *	may.c     which values may have a label at all
 *	label.c   arithmetic, casts, vectors and structs         wide.c    integers of more than 64 bits
 *	access.c  loads, stores, atomics, addresses              control.c branches, switches, results
 *	call.c    calls: labels of arguments and results, summaries
 *	intrin.c  intrinsics and inline asm
 *	points.c  which memory may be PM                         reach.c   which code leads to which
 *	hook.c    calls of the helpers
 *	inline.c  the fast paths, compiled to bitcode and linked into each module
 *
 * It builds on mode crash and runs right before the visits of that mode: after inlining and
 * promotion, when values are in registers. It inserts only labels, as SSA values of 32 bits, and
 * calls of helpers, which become code only at the end; mode crash ignores both. When crash replaces
 * a value (a load of PM becomes a hook), it does so for all users, including ours.
 *
 * The label of an instruction is computed before it, so that a load asks for its label before it is
 * executed; the label of what a call or an atomic yields is computed behind it. Blocks are visited
 * in reverse postorder: labels are available where they are needed, except for a phi, whose label
 * is a phi that is filled in at the end.
 *
 * A value that provably has no label (may.c) has the constant 0, and nothing is emitted for it.
 *
 * Invariants:
 *  1. The code of the program is not changed: nothing is moved, and no value replaces another one.
 *     (Except functions of libc that call back, summary.def.)
 *  2. An instruction that is not understood pins its operands (PD_SYM_WHY_OPERATOR), and its result has no
 *     label.
 */
#ifndef PD_CC_SYMBOLIC_H
#define PD_CC_SYMBOLIC_H

#include "cc/flow.h"
#include "cc/ir.h"
#include "event/symbolic.h"

extern const struct pd_mode pd_mode_symbolic;

enum pd_si {
#define PD_SI(name, signature) PD_SI_##name,
#include "cc/symbolic/helper.def"
	PD_SI_N
};

/* A part of a type that has a label: an integer of up to 64 bits, a pointer. Floating point has a
 * lane, too, but never a label. */
enum { PD_LANE_DEPTH = 8 };

struct pd_lane {
	LLVMTypeRef type; /* of the scalar, or of the one that it is a part of */
	uint64_t offset;  /* in memory */
	unsigned bits;	  /* 0: never has a label */
	unsigned bytes;	  /* in memory */
	unsigned low;	  /* its first bit in a wider integer */
	unsigned depth;
	unsigned path[PD_LANE_DEPTH];
};

struct pd_lanes {
	unsigned n;
	bool packed; /* elements are not byte-aligned in memory */
	struct pd_lane *v;
};

/* An integer of the program (exactly this wide), or something computed from such, with its
 * label. */
struct pd_sval {
	LLVMValueRef v;
	LLVMValueRef l;
	unsigned w;
};

/* State for the current function. */
struct pd_sym {
	struct pd_ir *m;
	struct pd_arena arena;
	LLVMValueRef fn;
	struct pd_map labels; /* value -> LLVMValueRef of each lane */
	struct pd_map may;    /* value -> 1 */
	struct pd_map lanes;  /* type -> struct pd_lanes */
	LLVMValueRef zero;
	LLVMValueRef taken;    /* whether labels were passed to it */
	LLVMValueRef variadic; /* where those of `...` are kept; NULL: not needed */
	/* Whose end is nowhere said, but that of the function */
	PD_VEC(LLVMValueRef) variables;
};

/* ---- hook.c --------------------------------------------------------------------------------- */

extern const struct pd_function pd_si_functions[];

LLVMValueRef pd_si_call(struct pd_sym *s, enum pd_si helper, LLVMValueRef *args);

/* Counts the arguments by itself. */
#define PD_SI_CALL(s, name, ...) pd_si_call((s), PD_SI_##name, (LLVMValueRef[]){__VA_ARGS__})

/* ---- lane.c --------------------------------------------------------------------------------- */

/* NULL: a type without lanes, or with too many. */
const struct pd_lanes *pd_lanes_of(struct pd_sym *s, LLVMTypeRef type);

/* The number of lanes of a type, 0 if none; the number of lanes before its part `index`. */
unsigned pd_lanes_count(struct pd_sym *s, LLVMTypeRef type);
unsigned pd_lanes_before(struct pd_sym *s, LLVMTypeRef type, unsigned index);

/* The value of lane k, as an integer of its width; made at the builder's position. */
LLVMValueRef pd_lane_value(struct pd_sym *s, LLVMValueRef v, unsigned k);

/* With its label. */
struct pd_sval pd_lane(struct pd_sym *s, LLVMValueRef v, unsigned k);

/* ---- may.c ---------------------------------------------------------------------------------- */

void pd_may_find(struct pd_sym *s, const struct pd_flow *g);
bool pd_may(struct pd_sym *s, LLVMValueRef v);

/* Memory that is never written to. */
bool pd_is_constant_memory(LLVMValueRef address);

/* ---- label.c -------------------------------------------------------------------------------- */

/* The label of lane k of a value; the constant 0 if it has none. */
LLVMValueRef pd_label(struct pd_sym *s, LLVMValueRef v, unsigned k);
void pd_label_put(struct pd_sym *s, LLVMValueRef v, unsigned k, LLVMValueRef label);
bool pd_label_is_none(LLVMValueRef label);

/* Whether any lane has a label other than the constant 0. */
bool pd_labels_some(struct pd_sym *s, LLVMValueRef v);

struct pd_sval pd_sval_const(struct pd_sym *s, unsigned w, uint64_t v);
struct pd_sval pd_sval_binary(struct pd_sym *s, enum pd_sym_op op, struct pd_sval a,
			      struct pd_sval b);
struct pd_sval pd_sval_not(struct pd_sym *s, struct pd_sval a);
struct pd_sval pd_sval_resize(struct pd_sym *s, struct pd_sval a, unsigned w, bool is_signed);
struct pd_sval pd_sval_ite(struct pd_sym *s, struct pd_sval c, struct pd_sval a, struct pd_sval b);

LLVMValueRef pd_label_binary(struct pd_sym *s, enum pd_sym_op op, bool negate, struct pd_sval a,
			     struct pd_sval b);
LLVMValueRef pd_label_compute(struct pd_sym *s, enum pd_sym_compute what, struct pd_sval a,
			      struct pd_sval b, struct pd_sval c);

/* A value as 64 bits. */
LLVMValueRef pd_word(struct pd_sym *s, LLVMValueRef v);

void pd_pin(struct pd_sym *s, LLVMValueRef site_of, struct pd_sval a, enum pd_sym_why why);
void pd_pin_value(struct pd_sym *s, LLVMValueRef inst, LLVMValueRef v, enum pd_sym_why why);

/* Pins each operand of an instruction that is not understood. */
void pd_pin_operands(struct pd_sym *s, LLVMValueRef inst, enum pd_sym_why why);

/* Makes the label of such an instruction; false: it is of another kind. */
bool pd_label_instruction(struct pd_sym *s, LLVMValueRef i);

/* ---- wide.c --------------------------------------------------------------------------------- */

/* The labels of an operation on two-lane operands; false: it was pinned. */
bool pd_wide_binary(struct pd_sym *s, LLVMValueRef i, LLVMOpcode op);
bool pd_wide_compare(struct pd_sym *s, LLVMValueRef i);

/* ---- access.c ------------------------------------------------------------------------------- */

void pd_sym_load(struct pd_sym *s, LLVMValueRef i);
void pd_sym_store(struct pd_sym *s, LLVMValueRef i);
void pd_sym_rmw(struct pd_sym *s, LLVMValueRef i);
void pd_sym_cas(struct pd_sym *s, LLVMValueRef i);
void pd_sym_gep(struct pd_sym *s, LLVMValueRef i);

/* ---- control.c ------------------------------------------------------------------------------ */

void pd_sym_enter(struct pd_sym *s);
void pd_sym_branch(struct pd_sym *s, LLVMValueRef i);
void pd_sym_switch(struct pd_sym *s, LLVMValueRef i);
void pd_sym_return(struct pd_sym *s, LLVMValueRef i);

/*
 * The function's variables end with it: their labels go, or they would be taken for those of what
 * lies there next, a register that is kept there among them, which no store of the program writes.
 */
void pd_sym_leave(struct pd_sym *s);

/* One of them, before anything is instrumented. */
void pd_sym_variable(struct pd_sym *s, LLVMValueRef i);
void pd_sym_divide(struct pd_sym *s, LLVMValueRef i);

/* ---- call.c --------------------------------------------------------------------------------- */

void pd_sym_call(struct pd_sym *s, LLVMValueRef i);

/* The type of a pointer argument that is passed by value; NULL: it is not. */
LLVMTypeRef pd_byval(struct pd_sym *s, LLVMValueRef fn_or_call, unsigned argument);

/* Lanes of an argument: a small struct by value has one per 8 bytes. */
enum { PD_BYVAL_MOST = 128 };
unsigned pd_passed_lanes(struct pd_sym *s, LLVMTypeRef type, LLVMTypeRef byval);

/* Replaces functions that call back by those of the runtime that handle labels. */
void pd_sym_replace_callbacks(struct pd_ir *m);
void pd_sym_replace_pointers(struct pd_ir *m);

/* Whether this module only declares it and summary.def lists it. */
bool pd_sym_has_summary(LLVMValueRef fn);

/* ---- link.c --------------------------------------------------------------------------------- */

/* Links in our own versions of some functions of the C library, if the module needs them. */
void pd_sym_link_library(struct pd_ir *m);

/* ---- foreign.c ------------------------------------------------------------------------------ */

/* Whether this call writes to a stream that leads out of the program, std::cout: nobody looks at
 * what it is given. NULL: it does not. */
LLVMValueRef pd_sym_goes_out(struct pd_sym *s, LLVMValueRef call, LLVMValueRef fn);

/* Shows the runtime the memory that the callee gets, in case it is not instrumented. */
void pd_sym_show_memory(struct pd_sym *s, LLVMValueRef call, LLVMValueRef callee);

/* ---- reach.c -------------------------------------------------------------------------------- */

struct pd_reaching {
	struct pd_reach_graph *graph; /* of the module before instrumenting */
};

/* The first before anything is inserted; the second, when all sites exist, writes the table into
 * the module (event/reach.h). */
void pd_reach_find(struct pd_ir *m);
void pd_reach_write(struct pd_ir *m);

/* Sites made from now on are those of events. */
void pd_reach_events(struct pd_ir *m);

/* ---- intrin.c ------------------------------------------------------------------------------- */

void pd_sym_intrinsic(struct pd_sym *s, LLVMValueRef i, LLVMValueRef callee);
void pd_sym_asm(struct pd_sym *s, LLVMValueRef i);

#endif
