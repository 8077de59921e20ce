/*
 * tail.c - keeps callers of flushes on the stack.
 *
 *	static void commit(struct log *l) { l->valid = 1; persist(&l->valid, sizeof(l->valid)); }
 *
 * The last thing that a function does is often a call, which optimised code turns into a jump: then
 * commit() is missing in the stack of the flush, and a needless flush is blamed on the caller of
 * commit(). So calls stay calls, except where the program may rely on jumps: a cycle of such calls
 * that leads back to the caller (state machines, interpreters that jump from one operation to the
 * next through a table) would need unbounded stack.
 */
#include "cc/crash/crash.h"

/* A path through more functions than this is assumed to lead anywhere. */
enum { FUNCTIONS = 64 };

/* Whether only a return follows. */
static bool is_last(LLVMValueRef call)
{
	LLVMValueRef next = LLVMGetNextInstruction(call);

	if (next && LLVMIsABranchInst(next) && !LLVMIsConditional(next)) {
		next = LLVMGetFirstInstruction(LLVMGetSuccessor(next, 0));
		while (next && LLVMIsAPHINode(next))
			next = LLVMGetNextInstruction(next);
	}
	return next && LLVMIsAReturnInst(next);
}

static bool may_jump(LLVMValueRef i)
{
	return LLVMIsACallInst(i) && !LLVMIsAIntrinsicInst(i) &&
	       !LLVMIsAInlineAsm(LLVMGetCalledValue(i)) &&
	       LLVMGetTailCallKind(i) == LLVMTailCallKindTail && is_last(i);
}

struct way {
	LLVMValueRef to;
	LLVMValueRef seen[FUNCTIONS];
	uint32_t n;
	bool found;
};

static void visit(struct way *w, LLVMValueRef fn)
{
	w->found |= fn == w->to;
	for (uint32_t i = 0; i < w->n; i++)
		if (w->seen[i] == fn)
			return;
	if (w->n < FUNCTIONS)
		w->seen[w->n++] = fn;
	else
		w->found = true;
}

/* Follows the jumps out of a function; one through a pointer may lead anywhere. Other modules are
 * assumed not to jump back. */
static void visit_next(struct way *w, LLVMValueRef from)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(from); b && !w->found;
	     b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
		     i = LLVMGetNextInstruction(i)) {
			LLVMValueRef fn =
				may_jump(i) ? LLVMIsAFunction(LLVMGetCalledValue(i)) : NULL;

			if (fn)
				visit(w, fn);
			else if (may_jump(i))
				w->found = true;
		}
}

/* Whether jumps lead from one function to another. */
static bool leads_to(LLVMValueRef from, LLVMValueRef to)
{
	struct way w = {.to = to};

	visit(&w, from);
	for (uint32_t i = 0; i < w.n && !w.found; i++)
		visit_next(&w, w.seen[i]);
	return w.found;
}

void pd_tails_keep(struct pd_ir *m)
{
	for (LLVMValueRef fn = LLVMGetFirstFunction(m->mod); fn; fn = LLVMGetNextFunction(fn))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b;
		     b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
			     i = LLVMGetNextInstruction(i)) {
				LLVMValueRef to =
					may_jump(i) ? LLVMIsAFunction(LLVMGetCalledValue(i)) : NULL;

				if (to && !pd_is_hook_call(i) && !leads_to(to, fn))
					LLVMSetTailCallKind(i, LLVMTailCallKindNoTail);
			}
}
