/*
 * crash.h - the mode `crash`: what touches persistent memory, or orders it, becomes an event.
 *
 *	mode.c    the tables of the mode: its steps, which instruction goes where
 *	hook.c    calls of its inline helpers; what hooks promise
 *	access.c  load, store and atomic instructions
 *	guard.c   the branch in front of an access: is it PM?      loop.c    one such branch for a loop
 *	join.c    and where its ways meet again
 *	intrin.c  intrinsics: memcpy family, flushes, fences      vector.c  masked, gathered, scattered
 *	asmtext.c the text of inline asm, taken apart
 *	asm.c     its operands; replaced or bracketed              asmstep.c its instructions
 *	call.c    calls: libc wrappers, byval copies, libatomic
 *	copy.c    structs that are assigned stay copies            tail.c    calls stay calls
 *	fate.c    what optimising makes of a store                 made.c    read off its assembly
 *	again.c   loads that come again                            decide.c  and those that decide a branch
 *	view.c    loads whose value is only looked at
 *	inline.c  the fast paths, compiled to bitcode and linked into each module
 *
 * Instructions are rewritten one by one, in a list that was collected before anything changed, so
 * no file ever sees what another one emitted; loop.c and join.c, which work on what came out of
 * that, excepted.
 */
#ifndef PD_CC_CRASH_H
#define PD_CC_CRASH_H

#include "cc/ir.h"
#include "event/view.h"

extern const struct pd_mode pd_mode_crash;

/* Its tables, for modes that build on it: steps up to where sites can be made, where they are made, and
 * from there on. */
extern const struct pd_step pd_crash_prepare[], pd_crash_instrument[], pd_crash_finish[];
extern const struct pd_visit pd_crash_visits[];
extern const char *const pd_crash_llvm_options[];

/* What the fast path in front of a hook looks like in inline.c. */
enum pd_helper {
#define PD_HELPER(name, signature) PD_HELPER_##name,
#include "cc/crash/helper.def"
	PD_HELPER_N
};

struct pd_crash {
	struct {
		LLVMValueRef fn;
		unsigned n;
	} asking;	       /* how many questions the function has that is worked on */
	struct pd_map fates;   /* fate.c: store -> flags of what it becomes */
	struct pd_map blocks;  /* and locations of copies of blocks */
	struct pd_map decides; /* decide.c: value -> what is known of it */
};

static inline struct pd_crash *pd_crash(struct pd_ir *m)
{
	return pd_ir_state(m, &pd_mode_crash);
}

/* Branches around accesses, for the optimiser; else helpers do it all. */
static inline bool pd_crash_guards(const struct pd_ir *m)
{
	return m->level != PD_O0;
}

/* ---- hook.c --------------------------------------------------------------------------------- */

/* What this mode calls in inline.c, with NULL at the end. */
extern const struct pd_function pd_helpers[];

LLVMValueRef pd_helper_call(struct pd_ir *m, enum pd_helper helper, LLVMValueRef *args);

/*
 * The value of the attribute `memory` has two bits, reading and writing, for each kind of memory:
 * what arguments point to, what no program sees, everything else.
 */
enum pd_memory {
	PD_READS_ARGUMENTS = 0x01,
	PD_WRITES_ARGUMENTS = 0x02,
	PD_MEMORY_ARGUMENTS = PD_READS_ARGUMENTS | PD_WRITES_ARGUMENTS,
	PD_READS_HIDDEN = 0x04,
	PD_WRITES_HIDDEN = 0x08,
	PD_MEMORY_HIDDEN = PD_READS_HIDDEN | PD_WRITES_HIDDEN,
	PD_READS_OTHER = 0x10,
	PD_WRITES_OTHER = 0x20,
	PD_MEMORY_OTHER = PD_READS_OTHER | PD_WRITES_OTHER,
	PD_WRITES = PD_WRITES_ARGUMENTS | PD_WRITES_HIDDEN | PD_WRITES_OTHER,
};

/* Each of these bits as LLVM writes it. */
extern const struct pd_encoding pd_memory_bits[];

/* What the hooks of plain accesses touch, for the optimiser. */
void pd_hooks_promise(struct pd_ir *m);

/* ---- copy.c --------------------------------------------------------------------------------- */

/* Keeps promotion from taking apart copies of structs; show: to the rest of us they are copies
 * again. */
void pd_copies_hide(struct pd_ir *m);
void pd_copies_show(struct pd_ir *m, bool all);

/* ---- again.c -------------------------------------------------------------------------------- */

/* Before loops are rotated, which hides it: those that wait for memory to change. Ends with
 * pd_again. */
void pd_waits_mark(struct pd_ir *m);

/* Takes out loads that say nothing new, and moves those that a loop would repeat in front of it. */
void pd_again(struct pd_ir *m);

/* ---- fate.c --------------------------------------------------------------------------------- */

/* Before locals are promoted, which takes copies of structs apart: where there are copies. */
void pd_blocks_note(struct pd_ir *m);

/* Right before instrumenting: what the pipeline would make of each store. */
void pd_fates_find(struct pd_ir *m);

/* Flags for the site of a store. */
unsigned pd_fate_of(struct pd_ir *m, LLVMValueRef inst);

/* ---- decide.c ------------------------------------------------------------------------------- */

/* Right before instrumenting: which reads may decide a branch. */
void pd_decides_find(struct pd_ir *m);

/* PD_SITE_GUARD for the site of a load, a call or a copy that is one of them, or 0. */
unsigned pd_decides(struct pd_ir *m, LLVMValueRef inst);

/* ---- view.c --------------------------------------------------------------------------------- */

/* Right before instrumenting: which loads are only looked at. */
void pd_views_find(struct pd_ir *m);

/*
 * What was noted of a load, once: a pointer to its view (event/view.h) and PD_VIEW_OPERANDS values; 0
 * for those that there are not. False: all of its value is used.
 */
bool pd_view_take(struct pd_ir *m, LLVMValueRef load, LLVMValueRef said[]);

/* ---- access.c ------------------------------------------------------------------------------- */

/* True where the address provably leads to the stack or to a variable of the program. */
bool pd_ir_not_pm(struct pd_ir *m, LLVMValueRef address);

enum pd_order pd_ir_order(LLVMAtomicOrdering o);

void pd_access_load(struct pd_ir *m, LLVMValueRef inst);
void pd_access_store(struct pd_ir *m, LLVMValueRef inst);
void pd_access_rmw(struct pd_ir *m, LLVMValueRef inst);
void pd_access_cas(struct pd_ir *m, LLVMValueRef inst);
void pd_access_fence(struct pd_ir *m, LLVMValueRef inst);

/* ---- guard.c -------------------------------------------------------------------------------- */

/* Where steps inside one object lead back to. */
LLVMValueRef pd_ir_base(struct pd_ir *m, LLVMValueRef address);

/* The same, also through pointers that walk: what decides whether the address is in PM. */
LLVMValueRef pd_guard_root(struct pd_ir *m, LLVMValueRef address);

struct pd_guard {
	LLVMValueRef inst;
	LLVMBasicBlockRef slow, join, rest;
};

/*
 * Between the two, the builder makes what is done instead of inst if its address (or the second
 * one, if any) is in PM. The value, or NULL, is what inst's users get then.
 */
void pd_guard_open(struct pd_ir *m, struct pd_guard *g, LLVMValueRef inst, LLVMValueRef address,
		   LLVMValueRef second);
void pd_guard_close(struct pd_ir *m, struct pd_guard *g, LLVMValueRef value);

/* Keeps the optimiser from executing a load before its question is answered. */
void pd_guards_hold(struct pd_ir *m);

/* ---- loop.c --------------------------------------------------------------------------------- */

/* Joins what is asked in front of a loop into one question. */
void pd_loops_join(struct pd_ir *m);

/* ---- join.c --------------------------------------------------------------------------------- */

/* Keeps ways that call hooks and ways that do not apart where they meet. */
void pd_joins_split(struct pd_ir *m);

/* ---- tail.c --------------------------------------------------------------------------------- */

/* Calls that optimising would make jumps of, and so take their function out of the stack, stay
 * calls. */
void pd_tails_keep(struct pd_ir *m);

/* ---- intrin.c, vector.c --------------------------------------------------------------------- */

void pd_intrinsic(struct pd_ir *m, LLVMValueRef inst, LLVMValueRef callee);

/* Those that are known by their whole names, with NULL at the end. */
extern const char *const pd_intrinsics[];

/* Emits what a masked, gathering or scattering intrinsic does; false: not one of those. */
bool pd_vector_intrinsic(struct pd_ir *m, LLVMValueRef inst, const char *name);

/* ---- asm.c ---------------------------------------------------------------------------------- */

void pd_asm_call(struct pd_ir *m, LLVMValueRef inst);

/* Whether this call is a client request of Valgrind, or what listens to one. */
bool pd_asm_is_request(LLVMValueRef call);

void pd_asm_module(struct pd_ir *m);

/* ---- call.c --------------------------------------------------------------------------------- */

void pd_call(struct pd_ir *m, LLVMValueRef inst);
void pd_wrap_pointers(struct pd_ir *m);

/* The letters of wrap.def for a function that is only declared here; NULL: not in the list. */
const char *pd_wrap_arguments(LLVMValueRef fn);

#endif
