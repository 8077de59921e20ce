/*
 * crash.h - the mode `crash`: whatever touches persistent memory, or orders it, becomes an event.
 *
 *	mode.c    the tables of the mode: its steps, which function handles which instruction
 *	hook.c    calls of its inline helpers; what hooks promise
 *	access.c  load, store and atomic instructions
 *	guard.c   the branch before an access: is it PM?          loop.c    one such branch for a loop
 *	join.c    where its paths meet again
 *	intrin.c  intrinsics: memcpy family, flushes, fences      vector.c  masked, gathered, scattered
 *	asmtext.c parses the text of inline asm
 *	asm.c     its operands; replaces or brackets it           asmstep.c its instructions
 *	call.c    calls: libc wrappers, byval copies, libatomic
 *	copy.c    assignments of structs stay copies              tail.c    calls stay calls
 *	fate.c    what optimising makes of a store                made.c    reads it off the assembly
 *	again.c   redundant loads                                 decide.c  loads that decide a branch
 *	view.c    loads whose value is only compared
 *	inline.c  the fast paths, compiled to bitcode and linked into each module
 *
 * Instructions are rewritten one by one, from a list that was collected before anything changed, so
 * no file ever sees what another one emitted; except loop.c and join.c, which work on the result.
 */
#ifndef PD_CC_CRASH_H
#define PD_CC_CRASH_H

#include "cc/ir.h"
#include "event/view.h"

extern const struct pd_mode pd_mode_crash;

/* Its tables, for modes that build on it: steps before sites can be made, steps that make them, and
 * the rest. */
extern const struct pd_step pd_crash_prepare[], pd_crash_instrument[], pd_crash_finish[];
extern const struct pd_visit pd_crash_visits[];
extern const char *const pd_crash_llvm_options[];

/* The form of the fast path of a hook in inline.c. */
enum pd_helper {
#define PD_HELPER(name, signature) PD_HELPER_##name,
#include "cc/crash/helper.def"
	PD_HELPER_N
};

struct pd_crash {
	struct {
		LLVMValueRef fn;
		unsigned n;
	} asking;	       /* number of questions in the current function */
	struct pd_map fates;   /* fate.c: store -> flags that say what it becomes */
	struct pd_map blocks;  /* and for the locations of copies of blocks */
	struct pd_map decides; /* decide.c: value -> what is known about it */
};

static inline struct pd_crash *pd_crash(struct pd_ir *m)
{
	return pd_ir_state(m, &pd_mode_crash);
}

/* Accesses get branches, for the optimiser; otherwise helpers do everything. */
static inline bool pd_crash_guards(const struct pd_ir *m)
{
	return m->level != PD_O0;
}

/* ---- hook.c --------------------------------------------------------------------------------- */

/* The helpers in inline.c that this mode calls, with NULL at the end. */
extern const struct pd_function pd_helpers[];

LLVMValueRef pd_helper_call(struct pd_ir *m, enum pd_helper helper, LLVMValueRef *args);

/* The value of the attribute `memory` has two bits, reading and writing, for each kind of memory:
 * what arguments point to, memory that the program cannot access, everything else. */
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

/* The text of each of these bits in LLVM. */
extern const struct pd_encoding pd_memory_bits[];

/* Tells the optimiser what the hooks of plain accesses touch. */
void pd_hooks_promise(struct pd_ir *m);

/* ---- copy.c --------------------------------------------------------------------------------- */

/* Hides copies of structs from promotion; restores them. */
void pd_copies_hide(struct pd_ir *m);
void pd_copies_show(struct pd_ir *m, bool all);

/* ---- again.c -------------------------------------------------------------------------------- */

/* Marks loops that wait for memory to change, before they are rotated, which would obscure it.
 * pd_again removes the marks. */
void pd_waits_mark(struct pd_ir *m);

/* Removes redundant loads, and moves those that a loop would repeat before it. */
void pd_again(struct pd_ir *m);

/* ---- fate.c --------------------------------------------------------------------------------- */

/* Records copies of structs before promotion takes them apart. */
void pd_blocks_note(struct pd_ir *m);

/* Right before instrumenting: finds out what the pipeline would make of each store. */
void pd_fates_find(struct pd_ir *m);

/* Flags for the site of a store. */
unsigned pd_fate_of(struct pd_ir *m, LLVMValueRef inst);

/* ---- decide.c ------------------------------------------------------------------------------- */

/* Right before instrumenting: finds reads that may decide a branch. */
void pd_decides_find(struct pd_ir *m);

/* PD_SITE_GUARD if this load, call or copy may decide a branch; else 0. */
unsigned pd_decides(struct pd_ir *m, LLVMValueRef inst);

/* ---- view.c --------------------------------------------------------------------------------- */

/* Right before instrumenting: finds loads whose value is only compared. */
void pd_views_find(struct pd_ir *m);

/* Takes what was noted about a load: a pointer to its view (event/view.h) and PD_VIEW_OPERANDS
 * values, 0 for unused ones. False: its whole value is used. */
bool pd_view_take(struct pd_ir *m, LLVMValueRef load, LLVMValueRef said[]);

/* ---- access.c ------------------------------------------------------------------------------- */

/* Whether the address provably points to the stack or to a variable of the program. */
bool pd_ir_not_pm(struct pd_ir *m, LLVMValueRef address);

void pd_access_load(struct pd_ir *m, LLVMValueRef inst);
void pd_access_store(struct pd_ir *m, LLVMValueRef inst);
void pd_access_rmw(struct pd_ir *m, LLVMValueRef inst);
void pd_access_cas(struct pd_ir *m, LLVMValueRef inst);
void pd_access_fence(struct pd_ir *m, LLVMValueRef inst);

/* ---- guard.c -------------------------------------------------------------------------------- */

/* The address from which steps inside one object lead here. */
LLVMValueRef pd_ir_base(struct pd_ir *m, LLVMValueRef address);

struct pd_guard {
	LLVMValueRef inst;
	LLVMBasicBlockRef slow, join, rest;
};

/* Between these two calls the builder emits what happens instead of inst if its address (or the
 * second one, if any) is in PM. Users of inst then get that value, or none if it is NULL. */
void pd_guard_open(struct pd_ir *m, struct pd_guard *g, LLVMValueRef inst, LLVMValueRef address,
		   LLVMValueRef second);
void pd_guard_close(struct pd_ir *m, struct pd_guard *g, LLVMValueRef value);

/* Keeps the optimiser from executing a load before its question is answered. */
void pd_guards_hold(struct pd_ir *m);

/* ---- loop.c --------------------------------------------------------------------------------- */

/* Joins the questions asked before a loop into one. */
void pd_loops_join(struct pd_ir *m);

/* ---- join.c --------------------------------------------------------------------------------- */

/* Keeps paths with hooks and paths without apart where they meet. */
void pd_joins_split(struct pd_ir *m);

/* ---- tail.c --------------------------------------------------------------------------------- */

/* Keeps calls that optimising would turn into jumps, which would remove the caller from the
 * stack. */
void pd_tails_keep(struct pd_ir *m);

/* ---- intrin.c, vector.c --------------------------------------------------------------------- */

void pd_intrinsic(struct pd_ir *m, LLVMValueRef inst, LLVMValueRef callee);

/* Those that are recognised by their full names, with NULL at the end. */
extern const char *const pd_intrinsics[];

/* Handles a masked, gathering or scattering intrinsic; false: it is none. */
bool pd_vector_intrinsic(struct pd_ir *m, LLVMValueRef inst, const char *name);

/* ---- asm.c ---------------------------------------------------------------------------------- */

void pd_asm_call(struct pd_ir *m, LLVMValueRef inst);

/* Whether this call is a client request of Valgrind, or our handler of one. */
bool pd_asm_is_request(LLVMValueRef call);

void pd_asm_module(struct pd_ir *m);

/* ---- call.c --------------------------------------------------------------------------------- */

void pd_call(struct pd_ir *m, LLVMValueRef inst);
void pd_wrap_pointers(struct pd_ir *m);

/* The argument letters of wrap.def for a function that is only declared here; NULL: not in the
 * list. */
const char *pd_wrap_arguments(LLVMValueRef fn);

#endif
