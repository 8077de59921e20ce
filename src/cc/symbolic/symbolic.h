/*
 * symbolic.h - the mode `symbolic`: beside each value of the program runs its label (event/symbolic.h).
 *
 *	mode.c    the tables of the mode; functions in turn, instructions in turn
 *	lane.c    what of a type has a label of its own; the value of such a part
 *	may.c     which values may have a label at all
 *	label.c   arithmetic, casts, vectors and structs         wide.c    integers of more than 64 bits
 *	access.c  loads, stores, atomics, addresses              control.c branches, switches, results
 *	call.c    calls: labels of arguments and results, summaries
 *	intrin.c  intrinsics and inline asm
 *	points.c  which memory may be PM                         reach.c   which code leads to which
 *	hook.c    calls of the helpers
 *	inline.c  the fast paths, compiled to bitcode and linked into each module
 *
 * It builds on mode crash and comes right before the visits of that mode: after inlining and
 * promotion, when values are in registers. All that is inserted is labels, as SSA values of 32 bits,
 * and calls of helpers, which become code only at the end; mode crash looks at neither. What crash
 * replaces (a load of PM becomes a hook) it replaces for users of the value, and so for us.
 *
 * Labels of an instruction are made in front of it, so that a load has asked for its label when it is
 * done; those that need what it yields (calls, atomics) behind it. Blocks are visited in reverse
 * postorder: a label is there when it is needed, except by a phi, whose own label is a phi that is
 * filled at the end.
 *
 * A value that provably has no label (may.c) has the constant 0, and nothing is emitted for it.
 *
 * Invariants:
 *  1. The code of the program is not changed: nothing is moved, no value takes the place of another
 *     one. (Functions of libc that call back, summary.def, excepted.)
 *  2. What is not understood pins its operands (PD_SYM_WHY_OPERATOR), and its result has no label.
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

/* One part of a type that has a label: an integer of up to 64 bits, a pointer. Floating point has a
 * place here, too, and never a label. */
enum { PD_LANE_DEPTH = 8 };

struct pd_lane {
	LLVMTypeRef type; /* of the scalar that it is, or is a part of */
	uint64_t offset;  /* in memory */
	unsigned bits;	  /* 0: no label */
	unsigned bytes;	  /* in memory */
	unsigned low;	  /* of a wider integer: its first bit */
	unsigned depth;
	unsigned path[PD_LANE_DEPTH];
};

struct pd_lanes {
	unsigned n;
	bool packed; /* elements of it are not on bytes of their own in memory */
	struct pd_lane *v;
};

/* An integer of the program (exactly this wide), or something computed from such, and its label. */
struct pd_sval {
	LLVMValueRef v;
	LLVMValueRef l;
	unsigned w;
};

/* What is kept of the function that is worked on. */
struct pd_sym {
	struct pd_ir *m;
	struct pd_arena arena;
	LLVMValueRef fn;
	struct pd_map labels; /* value -> LLVMValueRef of each lane */
	struct pd_map may;    /* value -> 1 */
	struct pd_map lanes;  /* type -> struct pd_lanes */
	LLVMValueRef zero;
	LLVMValueRef taken;    /* whether labels were passed to it */
	LLVMValueRef variadic; /* where those of `...` are kept; NULL: it does not ask for them */
};

/* ---- hook.c --------------------------------------------------------------------------------- */

extern const struct pd_function pd_si_functions[];

LLVMValueRef pd_si_call(struct pd_sym *s, enum pd_si helper, LLVMValueRef *args);

/* With as many arguments as it has. */
#define PD_SI_CALL(s, name, ...) pd_si_call((s), PD_SI_##name, (LLVMValueRef[]){__VA_ARGS__})

/* ---- lane.c --------------------------------------------------------------------------------- */

/* NULL: a type that has none, or too many. */
const struct pd_lanes *pd_lanes_of(struct pd_sym *s, LLVMTypeRef type);

/* Lanes of a type, 0 where it has none; those in front of its part number `index`. */
unsigned pd_lanes_count(struct pd_sym *s, LLVMTypeRef type);
unsigned pd_lanes_before(struct pd_sym *s, LLVMTypeRef type, unsigned index);

/* The value of lane k, as an integer of its width; made at the builder's position. */
LLVMValueRef pd_lane_value(struct pd_sym *s, LLVMValueRef v, unsigned k);

/* With its label. */
struct pd_sval pd_lane(struct pd_sym *s, LLVMValueRef v, unsigned k);

/* ---- may.c ---------------------------------------------------------------------------------- */

void pd_may_find(struct pd_sym *s, const struct pd_flow *g);
bool pd_may(struct pd_sym *s, LLVMValueRef v);

/* A place that nobody writes to. */
bool pd_is_constant_memory(LLVMValueRef address);

/* ---- label.c -------------------------------------------------------------------------------- */

/* Of lane k of a value; the constant 0 where it has none. */
LLVMValueRef pd_label(struct pd_sym *s, LLVMValueRef v, unsigned k);
void pd_label_put(struct pd_sym *s, LLVMValueRef v, unsigned k, LLVMValueRef label);
bool pd_label_is_none(LLVMValueRef label);

/* Whether any lane has a label that is not the constant 0; all of them together. */
bool pd_labels_some(struct pd_sym *s, LLVMValueRef v);

struct pd_sval pd_sval_const(struct pd_sym *s, unsigned w, uint64_t v);
struct pd_sval pd_sval_binary(struct pd_sym *s, enum pd_sym_op op, struct pd_sval a,
			      struct pd_sval b);
struct pd_sval pd_sval_not(struct pd_sym *s, struct pd_sval a);
struct pd_sval pd_sval_resize(struct pd_sym *s, struct pd_sval a, unsigned w, bool is_signed);
struct pd_sval pd_sval_ite(struct pd_sym *s, struct pd_sval c, struct pd_sval a, struct pd_sval b);
struct pd_sval pd_sval_extract(struct pd_sym *s, struct pd_sval a, unsigned low, unsigned w);

LLVMValueRef pd_label_binary(struct pd_sym *s, enum pd_sym_op op, bool negate, struct pd_sval a,
			     struct pd_sval b);
LLVMValueRef pd_label_compute(struct pd_sym *s, enum pd_sym_compute what, struct pd_sval a,
			      struct pd_sval b, struct pd_sval c);

/* A value as 64 bits. */
LLVMValueRef pd_word(struct pd_sym *s, LLVMValueRef v);

void pd_pin(struct pd_sym *s, LLVMValueRef site_of, struct pd_sval a, enum pd_sym_why why);
void pd_pin_value(struct pd_sym *s, LLVMValueRef inst, LLVMValueRef v, enum pd_sym_why why);

/* Each operand, of what is not understood. */
void pd_pin_operands(struct pd_sym *s, LLVMValueRef inst, enum pd_sym_why why);

/* The instruction's; false: it is none of these. */
bool pd_label_instruction(struct pd_sym *s, LLVMValueRef i);

/* ---- wide.c --------------------------------------------------------------------------------- */

/* Labels of what has operands of two lanes; false: it is pinned. */
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
void pd_sym_divide(struct pd_sym *s, LLVMValueRef i);

/* ---- call.c --------------------------------------------------------------------------------- */

void pd_sym_call(struct pd_sym *s, LLVMValueRef i);

/* The type that a pointer argument is passed by value with; NULL: it is not. */
LLVMTypeRef pd_byval(struct pd_sym *s, LLVMValueRef fn_or_call, unsigned argument);

/* Lanes that are passed for an argument: of a struct by value, one for each 8 bytes, if it is small. */
enum { PD_BYVAL_MOST = 128 };
unsigned pd_passed_lanes(struct pd_sym *s, LLVMTypeRef type, LLVMTypeRef byval);

/* Functions that call back are replaced by ones of the runtime that follow labels. */
void pd_sym_replace_callbacks(struct pd_ir *m);
void pd_sym_replace_pointers(struct pd_ir *m);

/* Whether it is a function of summary.def, which this module only declares. */
bool pd_sym_has_summary(LLVMValueRef fn);

/* Where the code behind a call begins; NULL: nothing can follow. */
LLVMValueRef pd_behind(LLVMValueRef call);

/* ---- link.c --------------------------------------------------------------------------------- */

/* The module calls functions of its own for some of the C library. */
void pd_sym_link_library(struct pd_ir *m);

/* ---- foreign.c ------------------------------------------------------------------------------ */

/* What the callee is given, for the case that it is not instrumented. */
void pd_sym_show_memory(struct pd_sym *s, LLVMValueRef call, LLVMValueRef callee);

/* ---- reach.c -------------------------------------------------------------------------------- */

struct pd_reaching {
	struct pd_reach_graph *graph; /* of the module as it was before it was instrumented */
};

/* Before anything is inserted; and, when all sites are made, into the module (event/reach.h). */
void pd_reach_find(struct pd_ir *m);
void pd_reach_write(struct pd_ir *m);

/* Sites that are made from here on are those of events. */
void pd_reach_events(struct pd_ir *m);

/* ---- intrin.c ------------------------------------------------------------------------------- */

void pd_sym_intrinsic(struct pd_sym *s, LLVMValueRef i, LLVMValueRef callee);
void pd_sym_asm(struct pd_sym *s, LLVMValueRef i);

#endif
