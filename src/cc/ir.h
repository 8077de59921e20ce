/*
 * ir.h - what the files of the pass share: one module on its way from bitcode to instrumented
 * bitcode.
 *
 *	pass.c    the way of a module: read, inline, instrument, optimise, write
 *	hook.c    calls of the runtime, made from event.def
 *	site.c    the tables that go into the object: sites, losses, the module's record
 *	access.c  load, store and atomic instructions
 *	guard.c   the branch in front of an access: is it PM?      loop.c    one such branch for a loop
 *	join.c    and where its ways meet again
 *	intrin.c  intrinsics: memcpy family, flushes, fences      vector.c  masked, gathered, scattered
 *	asmtext.c the text of inline asm, taken apart
 *	asm.c     its operands; replaced or bracketed              asmstep.c its instructions
 *	call.c    calls: libc wrappers, byval copies, libatomic
 *	field.c   the member of a struct that an access is to
 *	fate.c    what optimising makes of a store
 *	again.c   loads that come again                            flow.c    blocks and dominators
 *
 * Instructions are rewritten one by one, in a list that was collected before anything changed, so
 * no file ever sees what another one emitted; loop.c and join.c, which work on what came out of
 * that, excepted.
 *
 * Thread rule: one module at a time, one thread.
 */
#ifndef PD_CC_IR_H
#define PD_CC_IR_H

#include "base/arena.h"
#include "base/map.h"
#include "base/types.h"
#include "base/vec.h"
#include "event/abi.h"
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

/* The hooks of event.def; a sized one has five numbers, for 1, 2, 4, 8 and 16 bytes. */
enum pd_hook {
#define PD_HOOK(name, signature, doc) PD_HOOK_##name,
#define PD_HOOKS_SIZED(name, signature, doc)                                                       \
	PD_HOOK_##name, PD_HOOK_##name##_last = PD_HOOK_##name + 4,
#include "event/event.def"
	PD_HOOK_N
};

/* What the fast path in front of a hook looks like in inline.c. */
enum pd_helper {
#define PD_HELPER(name, signature) PD_HELPER_##name,
#include "cc/helper.def"
	PD_HELPER_N
};

struct pd_ir_string {
	const char *s;
	size_t n;
	LLVMValueRef global;
};

struct pd_ir_loss {
	uint32_t site;
	enum pd_loss kind;
	LLVMValueRef what;
};

struct pd_ir_attrs {
	unsigned memory, byval, elementtype, naked, nounwind, alwaysinline, returns_twice;
};

struct pd_ir {
	struct pd_arena arena;
	LLVMContextRef ctx;
	LLVMModuleRef mod;
	LLVMBuilderRef b;
	LLVMTargetDataRef layout;
	LLVMTypeRef t_void, t_ptr, t_i1, t_i8, t_i32, t_i64, t_i128, t_float, t_double;
	struct pd_ir_attrs attr;
	unsigned md_nontemporal, md_field, md_tbaa;
	struct {
		LLVMValueRef fn;
		unsigned n;
	} asking;    /* how many questions the function has that is worked on */
	bool guards; /* branches around accesses, for the optimiser; else helpers do it all */
	LLVMValueRef hooks[PD_HOOK_N]; /* declared on first use */
	LLVMValueRef helpers[PD_HELPER_N];

	/* site.c */
	LLVMTypeRef t_site;
	LLVMValueRef site_table; /* stands for the array until its size is known */
	PD_VEC(LLVMValueRef) sites;
	PD_VEC(struct pd_ir_loss) losses;
	PD_VEC(struct pd_ir_string) strings;
	struct pd_map string_at;  /* digest of the text -> index in strings + 1 */
	struct pd_map inlined_at; /* DILocation -> site */

	struct pd_map fates;  /* fate.c: store -> flags of what it becomes */
	struct pd_map blocks; /* and locations of copies of blocks */
	struct pd_map temps;  /* access.c: function, type and slot -> alloca */
};

/* ---- pass.c --------------------------------------------------------------------------------- */

bool pd_ir_calls_setjmp(struct pd_ir *m, LLVMValueRef fn);

/* ---- hook.c --------------------------------------------------------------------------------- */

LLVMTypeRef pd_ir_int(struct pd_ir *m, unsigned bytes);
LLVMValueRef pd_ir_const32(struct pd_ir *m, int64_t v);
LLVMValueRef pd_ir_const64(struct pd_ir *m, uint64_t v);

/* 0..4 for 1, 2, 4, 8, 16; -1 for any other size. */
int pd_ir_size_index(uint64_t bytes);

/* Calls at the builder's position. */
LLVMValueRef pd_hook_call(struct pd_ir *m, unsigned hook, LLVMValueRef *args);
bool pd_is_hook_call(LLVMValueRef inst);
LLVMValueRef pd_helper_call(struct pd_ir *m, enum pd_helper helper, LLVMValueRef *args);

/* What the hooks of plain accesses touch, for the optimiser. */
void pd_hooks_promise(struct pd_ir *m);

/* ---- site.c --------------------------------------------------------------------------------- */

void pd_sites_init(struct pd_ir *m);

/* A new site for this instruction: its number, and the pointer that hooks take. */
uint32_t pd_site_add(struct pd_ir *m, LLVMValueRef inst, unsigned flags, uint64_t size);
LLVMValueRef pd_site_pointer(struct pd_ir *m, uint32_t site);
LLVMValueRef pd_site_of(struct pd_ir *m, LLVMValueRef inst, unsigned flags, uint64_t size);

/* Counts something that is not understood, in the object's table only. inst may be NULL. */
void pd_loss_add(struct pd_ir *m, LLVMValueRef inst, enum pd_loss kind, const char *what, size_t n);

/* The same, and a call that tells at run time that the place was reached. */
void pd_loss_emit(struct pd_ir *m, LLVMValueRef inst, enum pd_loss kind, const char *what,
		  size_t n);

/* Writes the tables and the constructor into the module. */
void pd_sites_finish(struct pd_ir *m, const char *source);

/* ---- field.c -------------------------------------------------------------------------------- */

struct pd_ir_field {
	const char *type; /* as the IR names it, without "struct." */
	uint64_t offset;
	uint64_t size; /* of the type */
	size_t ntype;
};

/* Before anything is changed: notes the fields of all accesses. */
void pd_fields_note(struct pd_ir *m);

/* False: nothing says so. */
bool pd_ir_field(struct pd_ir *m, LLVMValueRef inst, struct pd_ir_field *f);

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
void pd_again(struct pd_ir *m, LLVMTargetMachineRef tm);

/* ---- fate.c --------------------------------------------------------------------------------- */

/* Before locals are promoted, which takes copies of structs apart: where there are copies. */
void pd_blocks_note(struct pd_ir *m);

/* Right before instrumenting: what the pipeline would make of each store. */
void pd_fates_find(struct pd_ir *m, const char *pipeline, LLVMTargetMachineRef tm);

/* Flags for the site of a store. */
unsigned pd_fate_of(struct pd_ir *m, LLVMValueRef inst);

/* ---- access.c ------------------------------------------------------------------------------- */

/* True where the address provably leads to the stack or to a variable of the program. */
bool pd_ir_not_pm(struct pd_ir *m, LLVMValueRef address);

/*
 * Room on the stack of inst's function, made in its entry block. Temporaries of one type are shared
 * within a function, so what is live at the same time takes different slots.
 */
LLVMValueRef pd_ir_temp(struct pd_ir *m, LLVMValueRef inst, LLVMTypeRef type, unsigned slot);

/* The slot of the first argument of a call that is passed by value; the next one's is one more. */
#define PD_TEMP_BYVAL 16

/* A value as the integer of its size, and back. */
LLVMValueRef pd_ir_to_int(struct pd_ir *m, LLVMValueRef v, unsigned bytes);
LLVMValueRef pd_ir_from_int(struct pd_ir *m, LLVMValueRef v, LLVMTypeRef type);

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

#endif
