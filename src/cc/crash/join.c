/*
 * join.c - lets the paths without hooks meet before those with hooks join them.
 *
 *	if (key < node->key) node = node->left; else node = node->right;
 *
 * Natively the two loads become one, of an address that is selected: no branch, and none that is
 * mispredicted half the time. With hooks, four paths lead to what follows, two loads and two calls,
 * and LLVM merges what all of them have in common, which is nothing. So instrumented paths are kept
 * apart: a block to which both kinds lead gets another one before it for the paths without hooks.
 */
#include "cc/crash/crash.h"
#include "base/bug.h"

#define ROUNDS 4

typedef PD_VEC(LLVMBasicBlockRef) block_list;
typedef PD_VEC(LLVMValueRef) value_list;

struct joins {
	struct pd_ir *m;
	struct pd_arena arena;
	struct pd_map slow; /* blocks that only a hook leaves */
};

static void *pushed(void *p)
{
	PD_CHECK(p, "out of memory");
	return p;
}

static bool is_slow(struct joins *j, LLVMBasicBlockRef b)
{
	uint64_t *known = pd_map_get(&j->slow, (uintptr_t)b >> 1);

	return known && *known;
}

/* Each predecessor of a block once. */
static void predecessors(struct joins *j, LLVMBasicBlockRef b, block_list *preds)
{
	preds->n = 0;
	for (LLVMUseRef u = LLVMGetFirstUse(LLVMBasicBlockAsValue(b)); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef user = LLVMGetUser(u);

		if (LLVMIsAInstruction(user) && LLVMIsATerminatorInst(user))
			*(LLVMBasicBlockRef *)pushed(pd_vec_push(preds, &j->arena)) =
				LLVMGetInstructionParent(user);
		else
			preds->n = 0; /* its address is taken: unknown predecessors */
	}
}

static bool comes_from_slow(struct joins *j, LLVMBasicBlockRef b, block_list *preds)
{
	for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
		if (pd_is_hook_call(i))
			return true;
	predecessors(j, b, preds);
	for (uint32_t k = 0; k < preds->n; k++)
		if (!is_slow(j, preds->v[k]))
			return false;
	return preds->n;
}

static void find_slow(struct joins *j, LLVMValueRef fn)
{
	block_list preds = {0};
	bool changed = true;

	/* A few rounds suffice: blocks are mostly in the order of execution. */
	for (int round = 0; changed && round < ROUNDS; round++) {
		changed = false;
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b;
		     b = LLVMGetNextBasicBlock(b)) {
			if (is_slow(j, b) || !comes_from_slow(j, b, &preds))
				continue;
			*(uint64_t *)pushed(pd_map_put(&j->slow, &j->arena, (uintptr_t)b >> 1)) = 1;
			changed = true;
		}
	}
}

static bool jumps(LLVMBasicBlockRef b)
{
	LLVMValueRef end = LLVMGetBasicBlockTerminator(b);

	return LLVMIsABranchInst(end) && !LLVMIsConditional(end);
}

/* Predecessors that jump here right after a load: there is something to merge. */
static bool loads_last(LLVMBasicBlockRef b)
{
	LLVMValueRef i = LLVMGetPreviousInstruction(LLVMGetBasicBlockTerminator(b));

	return i && LLVMIsALoadInst(i);
}

static void move_phi(struct joins *j, LLVMValueRef phi, LLVMBasicBlockRef front,
		     const block_list *fast)
{
	LLVMBuilderRef b = j->m->b;
	LLVMValueRef inner, outer;

	LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(phi));
	LLVMPositionBuilderBefore(b, LLVMGetBasicBlockTerminator(front));
	inner = LLVMBuildPhi(b, LLVMTypeOf(phi), "");
	LLVMPositionBuilderBefore(b, phi);
	outer = LLVMBuildPhi(b, LLVMTypeOf(phi), "");
	for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
		LLVMValueRef v = LLVMGetIncomingValue(phi, k);
		LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, k);
		bool is_fast = false;

		for (uint32_t f = 0; f < fast->n; f++)
			is_fast |= fast->v[f] == from;
		LLVMAddIncoming(is_fast ? inner : outer, &v, &from, 1);
	}
	LLVMAddIncoming(outer, &inner, &front, 1);
	LLVMReplaceAllUsesWith(phi, outer);
	LLVMInstructionEraseFromParent(phi);
}

static void put_in_front(struct joins *j, LLVMBasicBlockRef b, const block_list *fast)
{
	LLVMBasicBlockRef front = LLVMInsertBasicBlockInContext(j->m->ctx, b, "");
	value_list phis = {0};

	for (LLVMValueRef i = LLVMGetFirstInstruction(b); LLVMIsAPHINode(i);
	     i = LLVMGetNextInstruction(i))
		*(LLVMValueRef *)pushed(pd_vec_push(&phis, &j->arena)) = i;
	LLVMPositionBuilderAtEnd(j->m->b, front);
	LLVMSetCurrentDebugLocation2(
		j->m->b, LLVMInstructionGetDebugLoc(LLVMGetBasicBlockTerminator(fast->v[0])));
	LLVMBuildBr(j->m->b, b);
	for (uint32_t i = 0; i < phis.n; i++)
		move_phi(j, phis.v[i], front, fast);
	for (uint32_t f = 0; f < fast->n; f++)
		LLVMSetSuccessor(LLVMGetBasicBlockTerminator(fast->v[f]), 0, front);
}

static void split_join(struct joins *j, LLVMBasicBlockRef b)
{
	block_list preds = {0}, fast = {0};
	bool slow = false;

	if (!LLVMIsAPHINode(LLVMGetFirstInstruction(b)))
		return;
	predecessors(j, b, &preds);
	for (uint32_t k = 0; k < preds.n; k++) {
		slow |= is_slow(j, preds.v[k]);
		if (!is_slow(j, preds.v[k]) && jumps(preds.v[k]) && loads_last(preds.v[k]))
			*(LLVMBasicBlockRef *)pushed(pd_vec_push(&fast, &j->arena)) = preds.v[k];
	}
	if (slow && fast.n >= 2)
		put_in_front(j, b, &fast);
}

void pd_joins_split(struct pd_ir *m)
{
	for (LLVMValueRef fn = LLVMGetFirstFunction(m->mod); fn; fn = LLVMGetNextFunction(fn)) {
		struct joins j = {.m = m};
		LLVMBasicBlockRef next;

		if (LLVMIsDeclaration(fn))
			continue;
		pd_arena_init(&j.arena, m->arena.host);
		find_slow(&j, fn);
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = next) {
			next = LLVMGetNextBasicBlock(b);
			split_join(&j, b);
		}
		pd_arena_finish(&j.arena);
	}
}
