/*
 * ir.h - what the common part of the pass and its modes share: one module on its way from bitcode
 * to instrumented bitcode.
 *
 *	pass.c    the way of a module: read, the steps of its mode, write
 *	mode.h    what a mode is                                  relies.c  and what it needs of LLVM
 *	ir.c      the state of a module; types, values, temporaries
 *	hook.c    calls of the runtime, made from event.def
 *	site.c    the tables that go into the object: sites, losses, the module's record
 *	field.c   the member of a struct that an access is to
 *	flow.c    blocks and dominators
 *	crash/    a mode: events of persistent memory             symbolic/ a mode: labels of values
 *
 * Thread rule: one module at a time, one thread.
 */
#ifndef PD_CC_IR_H
#define PD_CC_IR_H

#include "base/arena.h"
#include "base/map.h"
#include "base/types.h"
#include "base/vec.h"
#include "cc/mode.h"
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

struct pd_ir_string {
	const char *s;
	size_t n;
	LLVMValueRef global; /* NULL: not made yet */
};

/* A struct pd_site to be. Strings are 1 + an index, 0: none. */
struct pd_ir_site {
	LLVMValueRef inst; /* or NULL; may have been deleted since */
	uint32_t file, function, type;
	uint32_t up; /* 1 + the site of the call that it was inlined at; 0: none */
	uint32_t line, size, offset, type_size;
	uint16_t column, flags;
};

struct pd_ir_loss {
	uint32_t site;
	enum pd_loss kind;
	uint32_t what; /* a string */
};

struct pd_ir_state {
	const struct pd_mode *mode;
	void *state;
};

struct pd_ir_attrs {
	unsigned memory, byval, elementtype, naked, nounwind, alwaysinline, returns_twice;
};

struct pd_ir {
	struct pd_arena arena;
	const struct pd_mode *mode;
	const char *source;  /* as the user names it */
	const char *helpers; /* folder with the modes' inline.c as bitcode, <name>.bc each */
	enum pd_level level;
	const char *pipeline; /* LLVM's name of the pipeline for that level */
	int status;	      /* 0, or the exit status; then no more steps run */
	LLVMContextRef ctx;
	LLVMModuleRef mod;
	LLVMBuilderRef b;
	LLVMTargetMachineRef tm;
	LLVMTargetDataRef layout;
	LLVMTypeRef t_void, t_ptr, t_i1, t_i8, t_i32, t_i64, t_i128, t_float, t_double;
	struct pd_ir_attrs attr;
	unsigned md_nontemporal, md_field, md_tbaa;
	PD_VEC(struct pd_ir_state) states; /* of modes */
	struct pd_map temps;		   /* function, type and slot -> alloca */

	/* site.c */
	LLVMTypeRef t_site;
	LLVMValueRef site_table; /* stands for the array until it is written */
	PD_VEC(struct pd_ir_site) sites;
	LLVMValueRef reach; /* what a mode knows about the code (event/reach.h), or NULL */
	PD_VEC(struct pd_ir_loss) losses;
	PD_VEC(struct pd_ir_string) strings;
	struct pd_map string_at;  /* digest of the text -> index in strings + 1 */
	struct pd_map inlined_at; /* DILocation -> site */
};

/* ---- ir.c ----------------------------------------------------------------------------------- */

void pd_ir_init(struct pd_ir *m, const struct pd_mode *mode, const char *source);
void pd_ir_finish(struct pd_ir *m);

/* The exit status if this is not the user's fault, and if it is. */
enum { PD_IR_FAILED = 4, PD_IR_REFUSED = 1 };

/* Prints one line on stderr and gives up on the module. */
void pd_ir_fail(struct pd_ir *m, const char *what, const char *why);
void pd_ir_refuse(struct pd_ir *m, const char *what, const char *why);

/* The state that a mode keeps for this module. */
void *pd_ir_state(struct pd_ir *m, const struct pd_mode *mode);

LLVMTypeRef pd_ir_int(struct pd_ir *m, unsigned bytes);
LLVMValueRef pd_ir_const32(struct pd_ir *m, int64_t v);
LLVMValueRef pd_ir_const64(struct pd_ir *m, uint64_t v);

/* 0..4 for 1, 2, 4, 8, 16; -1 for other sizes. */
int pd_ir_size_index(uint64_t bytes);

/* Space on the stack of inst's function, allocated in its entry block. Temporaries of one type are
 * shared within a function: use different slots for values that are live at the same time. */
LLVMValueRef pd_ir_temp(struct pd_ir *m, LLVMValueRef inst, LLVMTypeRef type, unsigned slot);

/* The slot of the first by-value argument of a call; each further one has the next slot. */
#define PD_TEMP_BYVAL 16

/* Converts a value to the integer of its size, and back. */
LLVMValueRef pd_ir_to_int(struct pd_ir *m, LLVMValueRef v, unsigned bytes);
LLVMValueRef pd_ir_from_int(struct pd_ir *m, LLVMValueRef v, LLVMTypeRef type);

bool pd_ir_calls_setjmp(struct pd_ir *m, LLVMValueRef fn);

/* An attribute without a value. */
LLVMAttributeRef pd_ir_attribute(struct pd_ir *m, const char *name);

/* The index of the function itself, among those of its result and parameters. */
#define PD_IR_SELF ((LLVMAttributeIndex)LLVMAttributeFunctionIndex)

/* ---- hook.c --------------------------------------------------------------------------------- */

/* A call at the builder's position; declares the function if necessary. */
LLVMValueRef pd_function_call(struct pd_ir *m, const struct pd_function *f, LLVMValueRef *args);
LLVMValueRef pd_hook_call(struct pd_ir *m, unsigned hook, LLVMValueRef *args);

/* The declaration in the module; NULL: it does not call that hook. */
LLVMValueRef pd_hook_declared(struct pd_ir *m, unsigned hook);
bool pd_is_hook_call(LLVMValueRef inst);

LLVMTypeRef pd_function_type(struct pd_ir *m, const struct pd_function *f);

/* ---- site.c --------------------------------------------------------------------------------- */

void pd_sites_init(struct pd_ir *m);

/* Adds a site for this instruction; returns the pointer that hooks take. */
LLVMValueRef pd_site_of(struct pd_ir *m, LLVMValueRef inst, unsigned flags, uint64_t size);

/* A constant string of the module, for code; equal strings are shared. */
LLVMValueRef pd_site_string(struct pd_ir *m, const char *s, size_t n);

/* Counts something that is not understood, only in the object's table. inst may be NULL. */
void pd_loss_add(struct pd_ir *m, LLVMValueRef inst, enum pd_loss kind, const char *what, size_t n);

/* The same, with a call that reports at run time that the place was reached. */
void pd_loss_emit(struct pd_ir *m, LLVMValueRef inst, enum pd_loss kind, const char *what,
		  size_t n);

/*
 * Writes the tables and the constructor into the module. After optimising: for each function the
 * optimiser follows all references, again and again, and all of them lead to these tables.
 */
void pd_sites_finish(struct pd_ir *m);

/* Calls this function of the module before all others. The one added last runs first. */
void pd_constructor_add(struct pd_ir *m, LLVMValueRef fn);

/* ---- field.c -------------------------------------------------------------------------------- */

struct pd_ir_field {
	const char *type; /* as named in the IR, without "struct." */
	uint64_t offset;
	uint64_t size; /* of the type */
	size_t ntype;
};

/* Call it before anything is changed: records the fields of all accesses. */
void pd_fields_note(struct pd_ir *m);
/* Call it before inlining: an access in std::atomic belongs to the member of this type. */
void pd_fields_inline_atomics(struct pd_ir *m);
/* Call it after promotion: for those accesses, and for stores that did not exist before. */
void pd_fields_note_new(struct pd_ir *m);

/* False: unknown. */
bool pd_ir_field(struct pd_ir *m, LLVMValueRef inst, struct pd_ir_field *f);

#endif
