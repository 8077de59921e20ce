/*
 * loop.c - one question per loop: two versions of it, one without questions.
 *
 * A question (guard.c) about a pointer that a loop does not change is asked once, before the loop;
 * the optimiser moves it there. If each one selected between versions of the loop, n pointers would
 * make 2^n of them. So before each loop the answers are joined by `or`, and every branch inside
 * tests the result: if no pointer leads to PM, the version that runs is the code of the source; the
 * other one calls hooks for all of these accesses, and hooks take any address.
 *
 * Loops are natural ones, found by dominators (flow.c), from the outside in. A loop without a
 * preheader is left alone.
 *
 * An answer about an uninitialised pointer is arbitrary, but must always be the same: otherwise it
 * would spoil the joined one. Hence `freeze`.
 */
#include "cc/flow.h"
#include "cc/crash/crash.h"
#include "base/bug.h"

struct graph {
	struct pd_ir *m;
	struct pd_flow f;
};

static void *pushed(void *p)
{
	PD_CHECK(p, "out of memory");
	return p;
}

static uint64_t *put(struct pd_arena *arena, struct pd_map *map, void *key)
{
	return pushed(pd_map_put(map, arena, (uintptr_t)key >> 1));
}

/* ---- loops ---------------------------------------------------------------------------------- */

/* The blocks that reach the header's back edges without passing through the header. */
static void loop_body(struct graph *g, uint32_t header, pd_flow_numbers *body)
{
	struct pd_flow_block *h = &g->f.blocks.v[header];

	body->n = 0;
	for (uint32_t p = 0; p < h->preds.n; p++)
		if (pd_flow_dominates(&g->f, header, h->preds.v[p]) &&
		    g->f.blocks.v[h->preds.v[p]].loop != header) {
			g->f.blocks.v[h->preds.v[p]].loop = header;
			*(uint32_t *)pushed(pd_vec_push(body, g->f.arena)) = h->preds.v[p];
		}
	if (!body->n)
		return;
	if (h->loop != header) {
		h->loop = header;
		*(uint32_t *)pushed(pd_vec_push(body, g->f.arena)) = header;
	}
	for (uint32_t i = 0; i < body->n; i++) {
		const pd_flow_numbers *preds = &g->f.blocks.v[body->v[i]].preds;

		for (uint32_t p = 0; body->v[i] != header && p < preds->n; p++) {
			struct pd_flow_block *b = &g->f.blocks.v[preds->v[p]];

			if (b->loop == header)
				continue;
			b->loop = header;
			*(uint32_t *)pushed(pd_vec_push(body, g->f.arena)) = preds->v[p];
		}
	}
}

/* Where the answers are joined: the end of the only block that leads to the loop and nowhere
 * else. */
static LLVMValueRef in_front(const struct graph *g, uint32_t header)
{
	const pd_flow_numbers *preds = &g->f.blocks.v[header].preds;
	LLVMValueRef end = NULL;

	for (uint32_t p = 0; p < preds->n; p++) {
		if (g->f.blocks.v[preds->v[p]].loop == header)
			continue;
		if (end)
			return NULL;
		end = LLVMGetBasicBlockTerminator(g->f.blocks.v[preds->v[p]].bb);
	}
	return end && LLVMGetNumSuccessors(end) == 1 && LLVMIsABranchInst(end) ? end : NULL;
}

/* An answer from outside that is used in the loop. */
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

	*(struct use *)pushed(pd_vec_push(&j->uses, g->f.arena)) = (struct use){user, operand};
	while (i < j->answers.n && j->answers.v[i] != v)
		i++;
	if (i == j->answers.n)
		*(LLVMValueRef *)pushed(pd_vec_push(&j->answers, g->f.arena)) = v;
}

static void find_uses(struct graph *g, const struct pd_map *answers, uint32_t header,
		      const pd_flow_numbers *body, struct joint *j)
{
	for (uint32_t b = 0; b < body->n; b++) {
		LLVMBasicBlockRef bb = g->f.blocks.v[body->v[b]].bb;

		for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
			for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(i); k++) {
				LLVMValueRef v = LLVMGetOperand(i, k);
				uint32_t at;

				if (!v || !is_answer(answers, v))
					continue;
				at = pd_flow_number(&g->f, LLVMGetInstructionParent(v));
				if (at != PD_FLOW_NONE && g->f.blocks.v[at].loop != header)
					note_use(g, j, i, k);
			}
	}
}

static void join_answers(struct graph *g, struct pd_map *answers, uint32_t header,
			 const pd_flow_numbers *body)
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
	/* Inner loops need it, even beyond this function's arena. */
	*(uint64_t *)pushed(pd_map_put(answers, &g->m->arena, (uintptr_t)all >> 1)) = 1;
}

static void join_function(struct pd_ir *m, struct pd_arena *arena, LLVMValueRef fn,
			  struct pd_map *answers)
{
	struct graph g = {.m = m, .f = {.arena = arena}};
	pd_flow_numbers body = {0};

	pd_flow_find(&g.f, fn);
	for (uint32_t h = 0; h < g.f.blocks.n; h++) {
		loop_body(&g, h, &body);
		if (body.n)
			join_answers(&g, answers, h, &body);
	}
}

/* ---- the module ----------------------------------------------------------------------------- */

/* After inlining, more is known about where a pointer leads. */
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

	if (!is_pm)
		return;
	settle(m, is_pm);
	for (LLVMUseRef u = LLVMGetFirstUse(is_pm); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef call = LLVMGetUser(u);

		if (!LLVMIsACallInst(call))
			continue;
		*put(&m->arena, &answers, call) = 1;
		*put(&m->arena, &functions,
		     LLVMGetBasicBlockParent(LLVMGetInstructionParent(call))) = 1;
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
