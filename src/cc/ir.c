/* ir.c - see ir.h: the state of one module, and helpers for all modes. */
#include "cc/ir.h"
#include "base/bug.h"
#include "base/hash.h"
#include "host/host.h"
#include <stdio.h>
#include <string.h>

/* ---- the module ----------------------------------------------------------------------------- */

static void init_types(struct pd_ir *m)
{
	m->t_void = LLVMVoidTypeInContext(m->ctx);
	m->t_ptr = LLVMPointerTypeInContext(m->ctx, 0);
	m->t_i1 = LLVMInt1TypeInContext(m->ctx);
	m->t_i8 = LLVMInt8TypeInContext(m->ctx);
	m->t_i32 = LLVMInt32TypeInContext(m->ctx);
	m->t_i64 = LLVMInt64TypeInContext(m->ctx);
	m->t_i128 = LLVMInt128TypeInContext(m->ctx);
	m->t_float = LLVMFloatTypeInContext(m->ctx);
	m->t_double = LLVMDoubleTypeInContext(m->ctx);
	m->md_nontemporal = LLVMGetMDKindIDInContext(m->ctx, "nontemporal", 11);
	m->md_field = LLVMGetMDKindIDInContext(m->ctx, "perdure.field", 13);
	m->md_tbaa = LLVMGetMDKindIDInContext(m->ctx, "tbaa", 4);
}

/* What the common part itself relies on; the mode's own is in its table. */
static bool check_llvm(struct pd_ir *m)
{
	static const char *const attributes[] = {
		"memory",  "byval",	   "elementtype", "naked",	   "nounwind",
		"zeroext", "alwaysinline", "align",	  "returns_twice", NULL};
	struct pd_relies common = {.attributes = attributes};
	char why[256];
	bool fine = pd_relies_check(&common, why, sizeof(why)) && pd_debug_check(why, sizeof(why));

	for (const struct pd_mode *mode = m->mode; mode && fine; mode = mode->base)
		fine = pd_relies_check(&mode->relies, why, sizeof(why));
	if (!fine)
		pd_ir_fail(m, m->source, why);
	return fine;
}

void pd_ir_init(struct pd_ir *m, const struct pd_mode *mode, const char *source)
{
	*m = (struct pd_ir){.mode = mode, .source = source, .ctx = LLVMContextCreate()};
	pd_arena_init(&m->arena, pd_host_memory());
	m->b = LLVMCreateBuilderInContext(m->ctx);
	init_types(m);
	if (!check_llvm(m))
		return;
	m->attr = (struct pd_ir_attrs){
		.memory = pd_attribute_kind("memory"),
		.byval = pd_attribute_kind("byval"),
		.elementtype = pd_attribute_kind("elementtype"),
		.naked = pd_attribute_kind("naked"),
		.nounwind = pd_attribute_kind("nounwind"),
		.alwaysinline = pd_attribute_kind("alwaysinline"),
		.returns_twice = pd_attribute_kind("returns_twice"),
	};
}

void pd_ir_finish(struct pd_ir *m)
{
	LLVMDisposeBuilder(m->b);
	if (m->mod)
		LLVMDisposeModule(m->mod);
	if (m->tm)
		LLVMDisposeTargetMachine(m->tm);
	LLVMContextDispose(m->ctx);
	pd_arena_finish(&m->arena);
}

void pd_ir_fail(struct pd_ir *m, const char *what, const char *why)
{
	fprintf(stderr, "perdure cc: %s: %s\n", what, why ? why : "unknown error");
	m->status = PD_IR_FAILED;
}

void pd_ir_refuse(struct pd_ir *m, const char *what, const char *why)
{
	pd_ir_fail(m, what, why);
	m->status = PD_IR_REFUSED;
}

void *pd_ir_state(struct pd_ir *m, const struct pd_mode *mode)
{
	struct pd_ir_state *s;

	for (uint32_t i = 0; i < m->states.n; i++)
		if (m->states.v[i].mode == mode)
			return m->states.v[i].state;
	s = pd_vec_push(&m->states, &m->arena);
	PD_CHECK(s, "out of memory");
	*s = (struct pd_ir_state){mode, pd_arena_alloc(&m->arena, mode->state)};
	PD_CHECK(s->state, "out of memory");
	return memset(s->state, 0, mode->state);
}

/* ---- types and values ----------------------------------------------------------------------- */

LLVMTypeRef pd_ir_int(struct pd_ir *m, unsigned bytes)
{
	return LLVMIntTypeInContext(m->ctx, bytes * 8);
}

LLVMValueRef pd_ir_const32(struct pd_ir *m, int64_t v)
{
	return LLVMConstInt(m->t_i32, (unsigned long long)v, 1);
}

LLVMValueRef pd_ir_const64(struct pd_ir *m, uint64_t v)
{
	return LLVMConstInt(m->t_i64, v, 0);
}

int pd_ir_size_index(uint64_t bytes)
{
	switch (bytes) {
	case 1:
		return 0;
	case 2:
		return 1;
	case 4:
		return 2;
	case 8:
		return 3;
	case 16:
		return 4;
	default:
		return -1;
	}
}

LLVMValueRef pd_ir_to_int(struct pd_ir *m, LLVMValueRef v, unsigned bytes)
{
	LLVMTypeRef t = LLVMTypeOf(v), to = pd_ir_int(m, bytes);

	switch ((int)LLVMGetTypeKind(t)) {
	case LLVMIntegerTypeKind:
		return LLVMBuildIntCast2(m->b, v, to, 0, "");
	case LLVMPointerTypeKind:
		return LLVMBuildPtrToInt(m->b, v, to, "");
	default:
		return LLVMBuildBitCast(m->b, v, to, "");
	}
}

LLVMValueRef pd_ir_from_int(struct pd_ir *m, LLVMValueRef v, LLVMTypeRef type)
{
	switch ((int)LLVMGetTypeKind(type)) {
	case LLVMIntegerTypeKind:
		return LLVMBuildIntCast2(m->b, v, type, 0, "");
	case LLVMPointerTypeKind:
		return LLVMBuildIntToPtr(m->b, v, type, "");
	default:
		return LLVMBuildBitCast(m->b, v, type, "");
	}
}

LLVMValueRef pd_ir_temp(struct pd_ir *m, LLVMValueRef inst, LLVMTypeRef type, unsigned slot)
{
	LLVMValueRef fn = LLVMGetBasicBlockParent(LLVMGetInstructionParent(inst));
	uint64_t key = pd_mix(pd_mix(pd_mix((uintptr_t)fn) ^ (uintptr_t)type) + slot) >> 1;
	uint64_t *known = pd_map_put(&m->temps, &m->arena, key);
	LLVMBuilderRef b;
	LLVMValueRef temp;

	PD_CHECK(known, "out of memory");
	if (*known)
		return (LLVMValueRef)(uintptr_t)*known;
	b = LLVMCreateBuilderInContext(m->ctx);
	LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(fn)));
	LLVMSetCurrentDebugLocation2(b, NULL);
	temp = LLVMBuildAlloca(b, type, "");
	LLVMSetAlignment(temp, PD_MAX(16, LLVMABIAlignmentOfType(m->layout, type)));
	LLVMDisposeBuilder(b);
	*known = (uintptr_t)temp;
	return temp;
}

bool pd_ir_calls_setjmp(struct pd_ir *m, LLVMValueRef fn)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			if (LLVMIsACallInst(i) &&
			    LLVMGetCallSiteEnumAttribute(i, PD_IR_SELF, m->attr.returns_twice))
				return true;
	return false;
}

LLVMAttributeRef pd_ir_attribute(struct pd_ir *m, const char *name)
{
	return LLVMCreateEnumAttribute(m->ctx, pd_attribute_kind(name), 0);
}
