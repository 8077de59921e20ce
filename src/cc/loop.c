/*
 * loop.c - one question per loop: two versions of it, one without questions.
 *
 * A question (guard.c) about a pointer that a loop does not change is asked once, in front of it; the
 * optimiser moves it there. Were each of them to choose between versions of the loop, n pointers would
 * make 2^n of them. So in front of each loop the answers are joined by `or`, and every branch inside
 * asks for the result: the one version that is left if no pointer leads to PM is the code as the source
 * has it, the other calls hooks for all of these accesses, and hooks take any address.
 *
 * Loops are natural ones, found by dominators (Cooper, Harvey, Kennedy, "A Simple, Fast Dominance
 * Algorithm", 2001), from the outside in. What has no preheader is left alone.
 *
 * An answer about a pointer that the program never set is any answer, but always the same one:
 * otherwise it would spoil what it is joined with. Hence `freeze`.
 */
#include "cc/ir.h"
#include "base/bug.h"

#define NONE UINT32_MAX

typedef PD_VEC(uint32_t) numbers;

struct block {
	LLVMBasicBlockRef bb;
	numbers preds;
	uint32_t idom;
	uint32_t loop; /* the last header whose loop it was found in */
};

/* A function's blocks in reverse postorder: number 0 is the entry, a dominator has the lower number. */
struct graph {
	struct pd_ir *m;
	struct pd_arena *arena;
	PD_VEC(struct block) blocks;
	struct pd_map number; /* block -> its number + 1 */
};

static void *pushed(void *p)
{
	PD_CHECK(p, "out of memory");
	return p;
}

static uint64_t *put(struct graph *g, struct pd_map *map, void *key)
{
	return pushed(pd_map_put(map, g->arena, (uintptr_t)key >> 1));
}

static uint32_t number_of(struct graph *g, LLVMBasicBlockRef bb)
{
	uint64_t *n = pd_map_get(&g->number, (uintptr_t)bb >> 1);

	return n && *n ? (uint32_t)*n - 1 : NONE;
}

/* ---- blocks and dominators ----------------------------------------------------------------- */

struct visit {
	LLVMBasicBlockRef bb;
	unsigned next; /* successor */
};

static void postorder(struct graph *g, LLVMValueRef fn)
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
		*(struct block *)pushed(pd_vec_push(&g->blocks, g->arena)) =
			(struct block){.bb = top->bb, .idom = NONE, .loop = NONE};
		stack.n--;
	}
}

static void connect(struct graph *g)
{
	for (uint32_t i = 0, j = g->blocks.n - 1; i < j; i++, j--) {
		struct block b = g->blocks.v[i];

		g->blocks.v[i] = g->blocks.v[j];
		g->blocks.v[j] = b;
	}
	for (uint32_t i = 0; i < g->blocks.n; i++)
		*put(g, &g->number, g->blocks.v[i].bb) = i + 1;
	for (uint32_t i = 0; i < g->blocks.n; i++) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(g->blocks.v[i].bb);

		for (unsigned s = 0; s < LLVMGetNumSuccessors(end); s++) {
			struct block *to = &g->blocks.v[number_of(g, LLVMGetSuccessor(end, s))];

			*(uint32_t *)pushed(pd_vec_push(&to->preds, g->arena)) = i;
		}
	}
}

static uint32_t common_dominator(const struct graph *g, uint32_t a, uint32_t b)
{
	while (a != b)
		if (a > b)
			a = g->blocks.v[a].idom;
		else
			b = g->blocks.v[b].idom;
	return a;
}

static uint32_t new_idom(const struct graph *g, const struct block *b)
{
	uint32_t idom = NONE;

	for (uint32_t p = 0; p < b->preds.n; p++) {
		uint32_t from = b->preds.v[p];

		if (g->blocks.v[from].idom != NONE)
			idom = idom == NONE ? from : common_dominator(g, idom, from);
	}
	return idom;
}

static void dominators(struct graph *g)
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

static bool dominates(const struct graph *g, uint32_t a, uint32_t b)
{
	while (b > a)
		b = g->blocks.v[b].idom;
	return a == b;
}

/* ---- loops --------------------------------------------------------------------------------- */

/* The blocks from which the header's back edges are reached without passing it. */
static void loop_body(struct graph *g, uint32_t header, numbers *body)
{
	struct block *h = &g->blocks.v[header];

	body->n = 0;
	for (uint32_t p = 0; p < h->preds.n; p++)
		if (dominates(g, header, h->preds.v[p]) && g->blocks.v[h->preds.v[p]].loop != header) {
			g->blocks.v[h->preds.v[p]].loop = header;
			*(uint32_t *)pushed(pd_vec_push(body, g->arena)) = h->preds.v[p];
		}
	if (!body->n)
		return;
	if (h->loop != header) {
		h->loop = header;
		*(uint32_t *)pushed(pd_vec_push(body, g->arena)) = header;
	}
	for (uint32_t i = 0; i < body->n; i++) {
		const numbers *preds = &g->blocks.v[body->v[i]].preds;

		for (uint32_t p = 0; body->v[i] != header && p < preds->n; p++) {
			struct block *b = &g->blocks.v[preds->v[p]];

			if (b->loop == header)
				continue;
			b->loop = header;
			*(uint32_t *)pushed(pd_vec_push(body, g->arena)) = preds->v[p];
		}
	}
}

/* Where the answers are joined: the end of the one block that leads to the loop and nowhere else. */
static LLVMValueRef in_front(const struct graph *g, uint32_t header)
{
	const numbers *preds = &g->blocks.v[header].preds;
	LLVMValueRef end = NULL;

	for (uint32_t p = 0; p < preds->n; p++) {
		if (g->blocks.v[preds->v[p]].loop == header)
			continue;
		if (end)
			return NULL;
		end = LLVMGetBasicBlockTerminator(g->blocks.v[preds->v[p]].bb);
	}
	return end && LLVMGetNumSuccessors(end) == 1 && LLVMIsABranchInst(end) ? end : NULL;
}

/* An answer that is used in the loop and comes from outside. */
struct use {
	LLVMValueRef user;
	unsigned operand;
};

struct joint {
	PD_VEC(struct use) uses;
	PD_VEC(LLVMValueRef) answers;
};

static bool is_answer(const struct pd_map *answers, LLVMValueRef v)
{
	return LLVMIsAInstruction(v) && pd_map_get(answers, (uintptr_t)v >> 1);
}

static void note_use(struct graph *g, struct joint *j, LLVMValueRef user, unsigned operand)
{
	LLVMValueRef v = LLVMGetOperand(user, operand);
	uint32_t i = 0;

	*(struct use *)pushed(pd_vec_push(&j->uses, g->arena)) = (struct use){user, operand};
	while (i < j->answers.n && j->answers.v[i] != v)
		i++;
	if (i == j->answers.n)
		*(LLVMValueRef *)pushed(pd_vec_push(&j->answers, g->arena)) = v;
}

static void find_uses(struct graph *g, const struct pd_map *answers, uint32_t header,
		      const numbers *body, struct joint *j)
{
	for (uint32_t b = 0; b < body->n; b++) {
		LLVMBasicBlockRef bb = g->blocks.v[body->v[b]].bb;

		for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
			for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(i); k++) {
				LLVMValueRef v = LLVMGetOperand(i, k);
				uint32_t at;

				if (!v || !is_answer(answers, v))
					continue;
				at = number_of(g, LLVMGetInstructionParent(v));
				if (at != NONE && g->blocks.v[at].loop != header)
					note_use(g, j, i, k);
			}
	}
}

static void join_answers(struct graph *g, struct pd_map *answers, uint32_t header, const numbers *body)
{
	LLVMValueRef end = in_front(g, header), all;
	struct joint j = {.uses = {0}};

	if (!end)
		return;
	find_uses(g, answers, header, body, &j);
	if (j.answers.n < 2)
		return;
	LLVMPositionBuilderBefore(g->m->b, end);
	all = LLVMBuildFreeze(g->m->b, j.answers.v[0], "");
	for (uint32_t i = 1; i < j.answers.n; i++)
		all = LLVMBuildOr(g->m->b, all, LLVMBuildFreeze(g->m->b, j.answers.v[i], ""), "");
	for (uint32_t i = 0; i < j.uses.n; i++)
		LLVMSetOperand(j.uses.v[i].user, j.uses.v[i].operand, all);
	/* Known to the loops inside, and beyond this function's arena. */
	*(uint64_t *)pushed(pd_map_put(answers, &g->m->arena, (uintptr_t)all >> 1)) = 1;
}

static void join_function(struct pd_ir *m, struct pd_arena *arena, LLVMValueRef fn,
			  struct pd_map *answers)
{
	struct graph g = {.m = m, .arena = arena};
	numbers body = {0};

	postorder(&g, fn);
	connect(&g);
	dominators(&g);
	for (uint32_t h = 0; h < g.blocks.n; h++) {
		loop_body(&g, h, &body);
		if (body.n)
			join_answers(&g, answers, h, &body);
	}
}

/* ---- the module ---------------------------------------------------------------------------- */

/* After inlining, more is known of where a pointer leads. */
static void settle(struct pd_ir *m, LLVMValueRef is_pm)
{
	LLVMUseRef next;

	for (LLVMUseRef u = LLVMGetFirstUse(is_pm); u; u = next) {
		LLVMValueRef call = LLVMGetUser(u);

		next = LLVMGetNextUse(u);
		if (!LLVMIsACallInst(call) || !pd_ir_not_pm(m, LLVMGetOperand(call, 0)))
			continue;
		LLVMReplaceAllUsesWith(call, LLVMConstInt(m->t_i1, 0, 0));
		LLVMInstructionEraseFromParent(call);
	}
}

void pd_loops_join(struct pd_ir *m)
{
	LLVMValueRef is_pm = LLVMGetNamedFunction(m->mod, "__pd_i_is_pm");
	struct pd_map functions = {0}, answers = {0};
	struct graph g = {.arena = &m->arena};

	if (!is_pm)
		return;
	settle(m, is_pm);
	for (LLVMUseRef u = LLVMGetFirstUse(is_pm); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef call = LLVMGetUser(u);

		if (!LLVMIsACallInst(call))
			continue;
		*put(&g, &answers, call) = 1;
		*put(&g, &functions, LLVMGetBasicBlockParent(LLVMGetInstructionParent(call))) = 1;
	}
	for (LLVMValueRef fn = LLVMGetFirstFunction(m->mod); fn; fn = LLVMGetNextFunction(fn)) {
		struct pd_arena arena;

		if (!pd_map_get(&functions, (uintptr_t)fn >> 1))
			continue;
		pd_arena_init(&arena, m->arena.host);
		join_function(m, &arena, fn, &answers);
		pd_arena_finish(&arena);
	}
}
