/*
 * fate.c - what becomes of a store when the module is optimised as the user asked for.
 *
 * Instrumented code keeps every store as the source has it. Whether the compiler really tears one, or
 * makes a memset of several, is seen on a twin: the module as it is before instrumenting, optimised by
 * itself and thrown away. Stores have no names that would last through that, but optimisers take care to
 * keep debug locations; so in the twin each store gets a location of its own, and afterwards whatever
 * writes memory under that location is what it became:
 *
 *	narrower stores             it was split
 *	memset, memcpy, memmove     it was merged with others into one
 *	a wider store               the same, by a vector
 *
 * What is merged keeps the location of one of the parts only. Another part is found by its address: in
 * the same function, from the same base, within the length.
 *
 * Precision lost: this is the optimiser, not the code generator; and a location that was dropped says
 * nothing. So a store without a fate may be torn all the same.
 */
#include "cc/ir.h"
#include "base/hash.h"
#include <llvm-c/Transforms/PassBuilder.h>
#include <string.h>

enum { TAG = 1 << 28 }; /* lines of locations from here on are ours */

struct watched {
	LLVMValueRef inst; /* in the module itself */
	LLVMValueRef fn;
	LLVMValueRef base;
	int64_t offset;
	uint64_t size;
	unsigned fate;
	uint64_t length; /* of what it became */
	bool there;      /* something has its location */
};

typedef PD_VEC(struct watched) watch_list;

/* ---- addresses ---------------------------------------------------------------------------------- */

static int64_t signed_constant(LLVMValueRef v, bool *known)
{
	*known = *known && LLVMIsAConstantInt(v);
	return LLVMIsAConstantInt(v) ? LLVMConstIntGetSExtValue(v) : 0;
}

static int64_t gep_offset(struct pd_ir *m, LLVMValueRef gep, bool *known)
{
	LLVMTypeRef t = LLVMGetGEPSourceElementType(gep);
	int64_t at = signed_constant(LLVMGetOperand(gep, 1), known) *
		     (int64_t)LLVMABISizeOfType(m->layout, t);

	for (unsigned i = 2; i < (unsigned)LLVMGetNumOperands(gep); i++) {
		int64_t index = signed_constant(LLVMGetOperand(gep, i), known);

		if (LLVMGetTypeKind(t) == LLVMStructTypeKind) {
			at += (int64_t)LLVMOffsetOfElement(m->layout, t, (unsigned)index);
			t = LLVMStructGetTypeAtIndex(t, (unsigned)index);
		} else if (LLVMGetTypeKind(t) == LLVMArrayTypeKind) {
			t = LLVMGetElementType(t);
			at += index * (int64_t)LLVMABISizeOfType(m->layout, t);
		} else {
			*known = false;
		}
	}
	return at;
}

static LLVMValueRef base_of(struct pd_ir *m, LLVMValueRef p, int64_t *offset)
{
	*offset = 0;
	while (LLVMIsAGetElementPtrInst(p)) {
		bool known = true;
		int64_t at = gep_offset(m, p, &known);

		if (!known)
			break;
		*offset += at;
		p = LLVMGetOperand(p, 0);
	}
	return p;
}

/* ---- the twin ----------------------------------------------------------------------------------- */

#define FOR_INSTRUCTIONS(fn, i)                                                                    \
	for (LLVMBasicBlockRef bb_ = LLVMGetFirstBasicBlock(fn); bb_; bb_ = LLVMGetNextBasicBlock(bb_)) \
		for (LLVMValueRef i = LLVMGetFirstInstruction(bb_); i; i = LLVMGetNextInstruction(i))

/* A copy of one word is a store like any other, whether or not it is taken apart. */
static bool is_one_word(LLVMValueRef inst)
{
	LLVMValueRef n = LLVMGetOperand(inst, 2);

	return LLVMIsAConstantInt(n) && pd_ir_size_index(LLVMConstIntGetZExtValue(n)) >= 0 &&
	       LLVMConstIntGetZExtValue(n) <= 8;
}

static bool is_word_copy(LLVMValueRef i)
{
	return (LLVMIsAMemCpyInst(i) || LLVMIsAMemMoveInst(i)) && is_one_word(i) &&
	       LLVMIsNull(LLVMGetOperand(i, 3)); /* not volatile */
}

static LLVMValueRef destination(LLVMValueRef i)
{
	return LLVMGetOperand(i, LLVMIsAStoreInst(i) ? 1 : 0);
}

static bool is_watched(struct pd_ir *m, LLVMValueRef i)
{
	bool store = LLVMIsAStoreInst(i) && !LLVMGetVolatile(i) &&
		     LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic;

	return (store || is_word_copy(i)) && LLVMInstructionGetDebugLoc(i) && !pd_ir_not_pm(m, destination(i));
}

static uint64_t size_of(struct pd_ir *m, LLVMValueRef i)
{
	return LLVMIsAStoreInst(i) ? LLVMStoreSizeOfType(m->layout, LLVMTypeOf(LLVMGetOperand(i, 0)))
				   : LLVMConstIntGetZExtValue(LLVMGetOperand(i, 2));
}

static void watch(struct pd_ir *m, watch_list *w)
{
	for (LLVMValueRef fn = LLVMGetFirstFunction(m->mod); fn; fn = LLVMGetNextFunction(fn))
		FOR_INSTRUCTIONS(fn, i) {
			struct watched *e = is_watched(m, i) ? pd_vec_push(w, &m->arena) : NULL;

			if (!e)
				continue;
			*e = (struct watched){.inst = i, .fn = fn};
			e->base = base_of(m, destination(i), &e->offset);
			e->size = size_of(m, i);
		}
}

static void tag(struct pd_ir *m, LLVMValueRef inst, uint32_t number)
{
	LLVMMetadataRef at = LLVMInstructionGetDebugLoc(inst);

	LLVMInstructionSetDebugLoc(inst, LLVMDIBuilderCreateDebugLocation(
						 m->ctx, TAG + number, LLVMDILocationGetColumn(at),
						 LLVMDILocationGetScope(at),
						 LLVMDILocationGetInlinedAt(at)));
}

/* A clone has everything in the same order. */
static void tag_all(struct pd_ir *m, LLVMModuleRef twin)
{
	uint32_t n = 0;

	for (LLVMValueRef fn = LLVMGetFirstFunction(twin); fn; fn = LLVMGetNextFunction(fn))
		FOR_INSTRUCTIONS(fn, i)
			if (is_watched(m, i))
				tag(m, i, n++);
}

/* ---- what came of it ------------------------------------------------------------------------------ */

static struct watched *tagged(watch_list *w, LLVMValueRef inst)
{
	LLVMMetadataRef at = LLVMInstructionGetDebugLoc(inst);
	unsigned line = at ? LLVMDILocationGetLine(at) : 0;

	return line >= TAG && line - TAG < w->n ? &w->v[line - TAG] : NULL;
}

static void became_store(struct pd_ir *m, struct watched *e, LLVMValueRef inst)
{
	uint64_t size = LLVMStoreSizeOfType(m->layout, LLVMTypeOf(LLVMGetOperand(inst, 0)));

	e->there = true;
	if (size < e->size)
		e->fate |= PD_SITE_SPLIT;
	if (size > e->size) {
		e->fate |= PD_SITE_WIDENED;
		e->length = PD_MAX(e->length, size);
	}
}

static void became_call(struct watched *e, LLVMValueRef inst)
{
	LLVMValueRef fn = LLVMIsAFunction(LLVMGetCalledValue(inst));
	LLVMValueRef length = LLVMGetNumArgOperands(inst) > 2 ? LLVMGetOperand(inst, 2) : NULL;
	size_t n;
	const char *name = fn ? LLVMGetValueName2(fn, &n) : "";
	bool set = strncmp(name, "llvm.memset.", 12) == 0;

	if (!set && strncmp(name, "llvm.memcpy.", 12) != 0 && strncmp(name, "llvm.memmove.", 13) != 0)
		return;
	e->there = true;
	if (is_word_copy(inst) && size_of(NULL, inst) == e->size)
		return; /* as it was */
	e->fate |= set ? PD_SITE_SET : PD_SITE_COPY;
	if (LLVMIsAConstantInt(length))
		e->length = PD_MAX(e->length, LLVMConstIntGetZExtValue(length));
}

static void look(struct pd_ir *m, LLVMModuleRef twin, watch_list *w)
{
	for (LLVMValueRef fn = LLVMGetFirstFunction(twin); fn; fn = LLVMGetNextFunction(fn))
		FOR_INSTRUCTIONS(fn, i) {
			struct watched *e = tagged(w, i);

			if (e && LLVMIsAStoreInst(i))
				became_store(m, e, i);
			else if (e && LLVMIsACallInst(i))
				became_call(e, i);
		}
}

/* Parts whose own location is gone share the fate of the one that is left. */
static void share(watch_list *w)
{
	static const unsigned merged = PD_SITE_SET | PD_SITE_COPY | PD_SITE_WIDENED;

	for (uint32_t i = 0; i < w->n; i++)
		for (uint32_t k = i; w->v[i].fate & merged && k-- > 0 && w->v[k].fn == w->v[i].fn;)
			if (!w->v[k].there && w->v[k].base == w->v[i].base &&
			    (uint64_t)(w->v[i].offset - w->v[k].offset + (int64_t)w->v[i].length) <
				    2 * w->v[i].length)
				w->v[k].fate |= w->v[i].fate & merged;
	for (uint32_t i = w->n; i-- > 0;)
		for (uint32_t k = i + 1; w->v[i].fate & merged && w->v[i].there && k < w->n &&
					 w->v[k].fn == w->v[i].fn;
		     k++)
			if (!w->v[k].there && w->v[k].base == w->v[i].base &&
			    (uint64_t)(w->v[k].offset - w->v[i].offset + (int64_t)w->v[i].length) <
				    2 * w->v[i].length)
				w->v[k].fate |= w->v[i].fate & merged;
}

static bool optimise(LLVMModuleRef twin, const char *pipeline, LLVMTargetMachineRef tm)
{
	LLVMPassBuilderOptionsRef o = LLVMCreatePassBuilderOptions();
	LLVMErrorRef e = LLVMRunPasses(twin, pipeline, tm, o);

	LLVMDisposePassBuilderOptions(o);
	if (e)
		LLVMConsumeError(e);
	return !e;
}

void pd_fates_find(struct pd_ir *m, const char *pipeline, LLVMTargetMachineRef tm)
{
	watch_list w = {0};
	LLVMModuleRef twin;

	if (strcmp(pipeline, "default<O0>") == 0)
		return; /* nothing is moved or merged there */
	watch(m, &w);
	if (!w.n)
		return;
	twin = LLVMCloneModule(m->mod);
	tag_all(m, twin);
	if (optimise(twin, pipeline, tm)) {
		look(m, twin, &w);
		share(&w);
	}
	LLVMDisposeModule(twin);
	for (uint32_t i = 0; i < w.n; i++) {
		uint64_t *at = w.v[i].fate ? pd_map_put(&m->fates, &m->arena, (uintptr_t)w.v[i].inst) : NULL;

		if (at)
			*at = w.v[i].fate;
	}
}

/* ---- copies that are taken apart before instrumenting ----------------------------------------------- */

/* Of a location, wherever it is inlined to. */
static uint64_t key_of(LLVMMetadataRef at)
{
	uint64_t place = (uint64_t)LLVMDILocationGetLine(at) << 16 | LLVMDILocationGetColumn(at);

	return pd_mix((uintptr_t)LLVMDILocationGetScope(at) + pd_mix(place)) >> 1;
}

void pd_blocks_note(struct pd_ir *m)
{
	for (LLVMValueRef fn = LLVMGetFirstFunction(m->mod); fn; fn = LLVMGetNextFunction(fn))
		FOR_INSTRUCTIONS(fn, i) {
			LLVMMetadataRef at = LLVMIsAMemIntrinsic(i) ? LLVMInstructionGetDebugLoc(i) : NULL;

			if (at && !is_one_word(i) && !pd_ir_not_pm(m, LLVMGetOperand(i, 0)))
				pd_map_put(&m->blocks, &m->arena, key_of(at));
		}
}

unsigned pd_fate_of(struct pd_ir *m, LLVMValueRef inst)
{
	const uint64_t *fate = pd_map_get(&m->fates, (uintptr_t)inst);
	LLVMMetadataRef at = LLVMInstructionGetDebugLoc(inst);
	bool block = at && pd_map_get(&m->blocks, key_of(at));

	return (fate ? (unsigned)*fate : 0) | (block ? PD_SITE_BLOCK : 0);
}
