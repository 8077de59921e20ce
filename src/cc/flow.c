/* flow.c - the blocks of a function and their dominators (Cooper, Harvey, Kennedy, "A Simple, Fast
 * Dominance Algorithm", 2001). */
#include "cc/flow.h"
#include "base/bug.h"

static void *pushed(void *p)
{
	PD_CHECK(p, "out of memory");
	return p;
}

static uint64_t *put(struct pd_flow *g, struct pd_map *map, void *key)
{
	return pushed(pd_map_put(map, g->arena, (uintptr_t)key >> 1));
}

uint32_t pd_flow_number(const struct pd_flow *g, LLVMBasicBlockRef bb)
{
	uint64_t *n = pd_map_get(&g->number, (uintptr_t)bb >> 1);

	return n && *n ? (uint32_t)*n - 1 : PD_FLOW_NONE;
}

struct visit {
	LLVMBasicBlockRef bb;
	unsigned next; /* successor */
};

static void postorder(struct pd_flow *g, LLVMValueRef fn)
{
	PD_VEC(struct visit) stack = {0};
	struct pd_map visited = {0};
	LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(fn);

	*put(g, &visited, entry) = 1;
	*(struct visit *)pushed(pd_vec_push(&stack, g->arena)) = (struct visit){.bb = entry};
	while (stack.n) {
		struct visit *top = &stack.v[stack.n - 1];
		LLVMValueRef end = LLVMGetBasicBlockTerminator(top->bb);

		if (top->next < LLVMGetNumSuccessors(end)) {
			LLVMBasicBlockRef to = LLVMGetSuccessor(end, top->next++);
			uint64_t *known = put(g, &visited, to);

			if (!*known) {
				*known = 1;
				*(struct visit *)pushed(pd_vec_push(&stack, g->arena)) =
					(struct visit){.bb = to};
			}
			continue;
		}
		*(struct pd_flow_block *)pushed(pd_vec_push(&g->blocks, g->arena)) =
			(struct pd_flow_block){
				.bb = top->bb, .idom = PD_FLOW_NONE, .loop = PD_FLOW_NONE};
		stack.n--;
	}
}

static void connect(struct pd_flow *g)
{
	for (uint32_t i = 0, j = g->blocks.n - 1; i < j; i++, j--) {
		struct pd_flow_block b = g->blocks.v[i];

		g->blocks.v[i] = g->blocks.v[j];
		g->blocks.v[j] = b;
	}
	for (uint32_t i = 0; i < g->blocks.n; i++)
		*put(g, &g->number, g->blocks.v[i].bb) = i + 1;
	for (uint32_t i = 0; i < g->blocks.n; i++) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(g->blocks.v[i].bb);

		for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++) {
			struct pd_flow_block *to =
				&g->blocks.v[pd_flow_number(g, LLVMGetSuccessor(end, s))];

			*(uint32_t *)pushed(pd_vec_push(&to->preds, g->arena)) = i;
		}
	}
}

static uint32_t common_dominator(const struct pd_flow *g, uint32_t a, uint32_t b)
{
	while (a != b)
		if (a > b)
			a = g->blocks.v[a].idom;
		else
			b = g->blocks.v[b].idom;
	return a;
}

static uint32_t new_idom(const struct pd_flow *g, const struct pd_flow_block *b)
{
	uint32_t idom = PD_FLOW_NONE;

	for (uint32_t p = 0; p < b->preds.n; p++) {
		uint32_t from = b->preds.v[p];

		if (g->blocks.v[from].idom != PD_FLOW_NONE)
			idom = idom == PD_FLOW_NONE ? from : common_dominator(g, idom, from);
	}
	return idom;
}

static void dominators(struct pd_flow *g)
{
	bool changed = true;

	g->blocks.v[0].idom = 0;
	while (changed) {
		changed = false;
		for (uint32_t i = 1; i < g->blocks.n; i++) {
			uint32_t idom = new_idom(g, &g->blocks.v[i]);

			changed |= idom != g->blocks.v[i].idom;
			g->blocks.v[i].idom = idom;
		}
	}
}

bool pd_flow_dominates(const struct pd_flow *g, uint32_t a, uint32_t b)
{
	while (b > a)
		b = g->blocks.v[b].idom;
	return a == b;
}

void pd_flow_find(struct pd_flow *g, LLVMValueRef fn)
{
	postorder(g, fn);
	connect(g);
	dominators(g);
}
