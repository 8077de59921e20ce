/*
 * copy.c - keeps the assignment of a struct one copy, although locals are promoted.
 *
 *	struct header { uint32_t magic, size; } h = {MAGIC, n};
 *	*p = h;
 *
 * is a copy of one word in the source, and compilers usually move it as one; the model keeps
 * aligned words whole. Promoting h would make two stores of it, and then perdure would show a crash
 * between them that the source does not ask for. So such copies are hidden behind a call, which
 * promotion cannot look through, and restored before instrumenting. torn/block-store warns that the
 * language makes no promise about them.
 *
 * Only copies of a known length are hidden, and only from a local variable that contains something
 * smaller than a word; taking others apart makes exactly the stores into which the model cuts them
 * anyway. If the destination turns out to be a local variable after inlining, the copy is restored
 * before the last promotion.
 */
#include "cc/crash/crash.h"
#include <string.h>

#define MARK "__pd_hidden_copy"

enum { WORD = 8 };

/* The number of scalars in a type, and whether one is smaller than a word. */
static unsigned count_parts(struct pd_ir *m, LLVMTypeRef t, bool *small)
{
	LLVMTypeKind k = LLVMGetTypeKind(t);
	unsigned n = 0;

	if (k == LLVMStructTypeKind) {
		for (unsigned i = 0; i < LLVMCountStructElementTypes(t); i++)
			n += count_parts(m, LLVMStructGetTypeAtIndex(t, i), small);
		return n;
	}
	if (k == LLVMArrayTypeKind)
		return LLVMGetArrayLength2(t) ? count_parts(m, LLVMGetElementType(t), small) +
							(LLVMGetArrayLength2(t) > 1)
					      : 0;
	*small |= LLVMStoreSizeOfType(m->layout, t) < WORD;
	return 1;
}

static bool can_lose_words(struct pd_ir *m, LLVMValueRef source)
{
	bool small = false;

	while (LLVMIsAGetElementPtrInst(source))
		source = LLVMGetOperand(source, 0);
	return LLVMIsAAllocaInst(source) &&
	       count_parts(m, LLVMGetAllocatedType(source), &small) > 1 && small;
}

static bool is_to_hide(struct pd_ir *m, LLVMValueRef i)
{
	return LLVMIsAMemCpyInst(i) && LLVMIsACallInst(i) &&
	       LLVMIsAConstantInt(LLVMGetOperand(i, 2)) &&
	       LLVMConstIntGetZExtValue(LLVMGetOperand(i, 2)) > 1 &&
	       !LLVMConstIntGetZExtValue(LLVMGetOperand(i, 3)) &&
	       !pd_ir_not_pm(m, LLVMGetOperand(i, 0)) && can_lose_words(m, LLVMGetOperand(i, 1));
}

static LLVMValueRef alignment(struct pd_ir *m, LLVMValueRef call, unsigned argument)
{
	unsigned kind = pd_attribute_kind("align");
	LLVMAttributeRef a = LLVMGetCallSiteEnumAttribute(call, argument + 1, kind);

	return pd_ir_const32(m, a ? (uint32_t)LLVMGetEnumAttributeValue(a) : 1);
}

static LLVMValueRef mark(struct pd_ir *m)
{
	LLVMTypeRef args[] = {m->t_ptr, m->t_ptr, m->t_i64, m->t_i32, m->t_i32};
	LLVMValueRef f = LLVMGetNamedFunction(m->mod, MARK);

	if (!f) {
		f = LLVMAddFunction(m->mod, MARK,
				    LLVMFunctionType(m->t_void, args, PD_LEN(args), 0));
		LLVMAddAttributeAtIndex(f, PD_IR_SELF, pd_ir_attribute(m, "nounwind"));
	}
	return f;
}

/* Replaces the old copy by a new one with its metadata. */
static void replace(struct pd_ir *m, LLVMValueRef old, LLVMValueRef new)
{
	LLVMValueRef field = LLVMGetMetadata(old, m->md_field);

	if (field)
		LLVMSetMetadata(new, m->md_field, field);
	LLVMInstructionSetDebugLoc(new, LLVMInstructionGetDebugLoc(old));
	LLVMInstructionEraseFromParent(old);
}

static void hide(struct pd_ir *m, LLVMValueRef i)
{
	LLVMValueRef f = mark(m);
	LLVMValueRef args[] = {LLVMGetOperand(i, 0), LLVMGetOperand(i, 1),
			       pd_ir_const64(m, LLVMConstIntGetZExtValue(LLVMGetOperand(i, 2))),
			       alignment(m, i, 0), alignment(m, i, 1)};

	LLVMPositionBuilderBefore(m->b, i);
	replace(m, i, LLVMBuildCall2(m->b, LLVMGlobalGetValueType(f), f, args, PD_LEN(args), ""));
}

static unsigned constant(LLVMValueRef v)
{
	return (unsigned)LLVMConstIntGetZExtValue(v);
}

static void show(struct pd_ir *m, LLVMValueRef i)
{
	LLVMPositionBuilderBefore(m->b, i);
	replace(m, i,
		LLVMBuildMemCpy(m->b, LLVMGetOperand(i, 0), constant(LLVMGetOperand(i, 3)),
				LLVMGetOperand(i, 1), constant(LLVMGetOperand(i, 4)),
				LLVMGetOperand(i, 2)));
}

void pd_copies_hide(struct pd_ir *m)
{
	for (LLVMValueRef fn = LLVMGetFirstFunction(m->mod); fn; fn = LLVMGetNextFunction(fn))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b;
		     b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef next, i = LLVMGetFirstInstruction(b); i; i = next) {
				next = LLVMGetNextInstruction(i);
				if (is_to_hide(m, i))
					hide(m, i);
			}
}

void pd_copies_show(struct pd_ir *m, bool all)
{
	LLVMValueRef f = LLVMGetNamedFunction(m->mod, MARK);
	LLVMUseRef next;

	if (!f)
		return;
	for (LLVMUseRef u = LLVMGetFirstUse(f); u; u = next) {
		LLVMValueRef i = LLVMGetUser(u);

		next = LLVMGetNextUse(u);
		if (all || pd_ir_not_pm(m, LLVMGetOperand(i, 0)))
			show(m, i);
	}
	if (all)
		LLVMDeleteFunction(f);
}
