/*
 * may.c - which values of a function may have a label.
 *
 * A value may have one only if it is read from memory, passed to the function, returned by a call
 * or computed from such values. The result is a least fixed point: initially no value may have one,
 * and a phi may as soon as one of its operands may.
 */
#include "cc/symbolic/symbolic.h"
#include "base/bug.h"

bool pd_may(struct pd_sym *s, LLVMValueRef v)
{
	uint64_t *known;

	if (!LLVMIsAInstruction(v) && !LLVMIsAArgument(v))
		return false;
	known = pd_map_get(&s->may, (uintptr_t)v >> 1);
	return known && *known;
}

bool pd_is_constant_memory(LLVMValueRef address)
{
	for (;;) {
		if (LLVMIsAGlobalVariable(address))
			return LLVMIsGlobalConstant(address) && !LLVMIsThreadLocal(address);
		if (LLVMIsAGetElementPtrInst(address) ||
		    (LLVMIsAConstantExpr(address) &&
		     LLVMGetConstOpcode(address) == LLVMGetElementPtr))
			address = LLVMGetOperand(address, 0);
		else
			return false;
	}
}

static bool any_operand(struct pd_sym *s, LLVMValueRef i)
{
	unsigned n = LLVMIsAPHINode(i) ? LLVMCountIncoming(i) : (unsigned)LLVMGetNumOperands(i);

	for (unsigned k = 0; k < n; k++)
		if (pd_may(s,
			   LLVMIsAPHINode(i) ? LLVMGetIncomingValue(i, k) : LLVMGetOperand(i, k)))
			return true;
	return false;
}

static bool comes_from_memory(struct pd_sym *s, LLVMValueRef i)
{
	LLVMValueRef fn;

	switch ((int)LLVMGetInstructionOpcode(i)) {
	case LLVMLoad:
		return pd_may(s, LLVMGetOperand(i, 0)) ||
		       !pd_is_constant_memory(LLVMGetOperand(i, 0));
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
		return true;
	case LLVMCall:
	case LLVMInvoke:
	case LLVMCallBr:
		fn = LLVMIsAFunction(LLVMGetCalledValue(i));
		if (LLVMIsAInlineAsm(LLVMGetCalledValue(i)))
			return false;
		return fn && LLVMGetIntrinsicID(fn) ? any_operand(s, i) : true;
	case LLVMAlloca:
	case LLVMFCmp:
	case LLVMFPToSI:
	case LLVMFPToUI:
	case LLVMLandingPad:
	case LLVMVAArg:
		return false;
	default:
		return any_operand(s, i);
	}
}

static bool visit(struct pd_sym *s, LLVMValueRef v)
{
	uint64_t *known;

	if (pd_may(s, v) || !pd_lanes_of(s, LLVMTypeOf(v)))
		return false;
	if (LLVMIsAInstruction(v) && !comes_from_memory(s, v))
		return false;
	known = pd_map_put(&s->may, &s->arena, (uintptr_t)v >> 1);
	PD_CHECK(known, "out of memory");
	*known = 1;
	return true;
}

void pd_may_find(struct pd_sym *s, const struct pd_flow *g)
{
	bool changed = true;

	for (unsigned i = 0; i < LLVMCountParams(s->fn); i++)
		visit(s, LLVMGetParam(s->fn, i));
	while (changed) {
		changed = false;
		for (uint32_t b = 0; b < g->blocks.n; b++)
			for (LLVMValueRef i = LLVMGetFirstInstruction(g->blocks.v[b].bb); i;
			     i = LLVMGetNextInstruction(i))
				changed |= visit(s, i);
	}
}
