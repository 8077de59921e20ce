/*
 * mode.c - see symbolic.h: how a module is instrumented for labels.
 *
 * The steps are those of mode crash, with one more between preparing and instrumenting. First,
 * edges that lead from a block with several successors to one with several predecessors get a block
 * of their own, so that there is a place behind each invoke.
 */
#include "cc/symbolic/symbolic.h"
#include "base/bug.h"
#include "cc/crash/crash.h"
#include "cc/pass.h"
#include <string.h>

static void make_phis(struct pd_sym *s, LLVMValueRef phi)
{
	const struct pd_lanes *l = pd_lanes_of(s, LLVMTypeOf(phi));

	for (unsigned k = 0; pd_may(s, phi) && l && k < l->n; k++)
		if (l->v[k].bits) {
			LLVMPositionBuilderBefore(s->m->b, phi);
			pd_label_put(s, phi, k, LLVMBuildPhi(s->m->b, s->m->t_i32, ""));
		}
}

static void fill_phis(struct pd_sym *s, const struct pd_flow *g, LLVMValueRef phi)
{
	for (unsigned k = 0; pd_may(s, phi) && k < pd_lanes_count(s, LLVMTypeOf(phi)); k++) {
		LLVMValueRef l = pd_label(s, phi, k);

		for (unsigned i = 0; !pd_label_is_none(l) && i < LLVMCountIncoming(phi); i++) {
			LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
			LLVMValueRef v = pd_flow_number(g, from) == PD_FLOW_NONE
						 ? s->zero
						 : pd_label(s, LLVMGetIncomingValue(phi, i), k);

			LLVMAddIncoming(l, &v, &from, 1);
		}
	}
}

static void visit(struct pd_sym *s, LLVMValueRef i)
{
	LLVMPositionBuilderBefore(s->m->b, i);
	if (pd_label_instruction(s, i))
		return;
	switch ((int)LLVMGetInstructionOpcode(i)) {
	case LLVMLoad:
		pd_sym_load(s, i);
		return;
	case LLVMStore:
		pd_sym_store(s, i);
		return;
	case LLVMAtomicRMW:
		pd_sym_rmw(s, i);
		return;
	case LLVMAtomicCmpXchg:
		pd_sym_cas(s, i);
		return;
	case LLVMGetElementPtr:
		pd_sym_gep(s, i);
		return;
	case LLVMCall:
	case LLVMInvoke:
	case LLVMCallBr:
		pd_sym_call(s, i);
		return;
	case LLVMBr:
		pd_sym_branch(s, i);
		return;
	case LLVMSwitch:
		pd_sym_switch(s, i);
		return;
	case LLVMRet:
		pd_sym_return(s, i);
		return;
	case LLVMResume:
		pd_sym_leave(s);
		pd_pin_operands(s, i, PD_SYM_WHY_OPERATOR);
		return;
	case LLVMIndirectBr:
		pd_pin_operands(s, i, PD_SYM_WHY_INDIRECT);
		return;
	case LLVMAlloca:
		pd_pin_operands(s, i, PD_SYM_WHY_SIZE);
		return;
	case LLVMPHI:
		return;
	default:
		pd_pin_operands(s, i, PD_SYM_WHY_OPERATOR);
	}
}

typedef PD_VEC(LLVMValueRef) values;

/* All instructions of the program, before the first of ours is inserted. */
static void collect(struct pd_sym *s, const struct pd_flow *g, values *all)
{
	for (uint32_t b = 0; b < g->blocks.n; b++)
		for (LLVMValueRef i = LLVMGetFirstInstruction(g->blocks.v[b].bb); i;
		     i = LLVMGetNextInstruction(i)) {
			LLVMValueRef *e = pd_vec_push(all, &s->arena);

			PD_CHECK(e, "out of memory");
			*e = i;
			if (!b && LLVMIsAAllocaInst(i))
				pd_sym_variable(s, i);
		}
}

static void instrument_function(struct pd_ir *m, LLVMValueRef fn)
{
	struct pd_sym s = {.m = m, .fn = fn, .zero = pd_ir_const32(m, 0)};
	struct pd_flow g = {.arena = &s.arena};
	values all = {0};

	pd_arena_init(&s.arena, m->arena.host);
	pd_flow_find(&g, fn);
	collect(&s, &g, &all);
	pd_may_find(&s, &g);
	for (uint32_t i = 0; i < all.n; i++)
		if (LLVMIsAPHINode(all.v[i]))
			make_phis(&s, all.v[i]);
	pd_sym_enter(&s);
	for (uint32_t i = 0; i < all.n; i++)
		visit(&s, all.v[i]);
	for (uint32_t i = 0; i < all.n; i++)
		if (LLVMIsAPHINode(all.v[i]))
			fill_phis(&s, &g, all.v[i]);
	pd_arena_finish(&s.arena);
}

/* The flags must be readable before any code of the module runs. */
static void add_constructor(struct pd_ir *m)
{
	static const struct pd_function begin = {"__pd_sym_begin", "v", 0};
	LLVMTypeRef type = LLVMFunctionType(m->t_void, NULL, 0, 0);
	LLVMValueRef fn = LLVMAddFunction(m->mod, "__pd_sym_start", type);

	LLVMSetLinkage(fn, LLVMInternalLinkage);
	LLVMPositionBuilderAtEnd(m->b, LLVMAppendBasicBlockInContext(m->ctx, fn, ""));
	LLVMSetCurrentDebugLocation2(m->b, NULL);
	pd_function_call(m, &begin, NULL);
	LLVMBuildRetVoid(m->b);
	pd_constructor_add(m, fn);
}

static void instrument(struct pd_ir *m)
{
	pd_sym_replace_callbacks(m);
	for (LLVMValueRef fn = LLVMGetFirstFunction(m->mod); fn; fn = LLVMGetNextFunction(fn))
		if (!LLVMIsDeclaration(fn) &&
		    !LLVMGetEnumAttributeAtIndex(fn, PD_IR_SELF, m->attr.naked))
			instrument_function(m, fn);
	add_constructor(m);
	pd_reach_events(m);
}

/* The dynamic linker's lazy lookup does not preserve all registers: resolve these symbols at the
 * start. */
static void bind_early(struct pd_ir *m)
{
	for (LLVMValueRef fn = LLVMGetFirstFunction(m->mod); fn; fn = LLVMGetNextFunction(fn)) {
		size_t n;

		if (LLVMIsDeclaration(fn) &&
		    strncmp(LLVMGetValueName2(fn, &n), "__pd_sym_", 9) == 0)
			LLVMAddAttributeAtIndex(fn, PD_IR_SELF, pd_ir_attribute(m, "nonlazybind"));
	}
}

static const char *const attributes[] = {"nonlazybind", NULL};

static const struct pd_step steps[] = {
	{PD_O_ANY, NULL, pd_sym_link_library, NULL},
	{PD_O_ANY, NULL, NULL, pd_crash_prepare},
	{PD_O_ANY, "function(break-crit-edges)", NULL, NULL},
	{PD_O_ANY, NULL, pd_sym_replace_pointers, NULL},
	{PD_O_ANY, NULL, pd_reach_find, NULL},
	{PD_O_ANY, NULL, instrument, NULL},
	{PD_O_ANY, NULL, pd_pass_verify, NULL},
	{PD_O_ANY, NULL, NULL, pd_crash_instrument},
	{PD_O_ANY, NULL, NULL, pd_crash_finish},
	{PD_O_ANY, NULL, pd_reach_write, NULL},
	{PD_O_ANY, NULL, pd_sites_finish, NULL},
	{PD_O_ANY, NULL, bind_early, NULL},
	{0},
};

const struct pd_mode pd_mode_symbolic = {
	.name = "symbolic",
	.option = "--symbolic",
	.help = "for perdure explore, too: values have labels",
	.base = &pd_mode_crash,
	.streams = true,
	.build = PD_BUILD_CRASH | PD_BUILD_SYMBOLIC,
	.llvm_options = pd_crash_llvm_options,
	.steps = steps,
	.visits = pd_crash_visits,
	.functions = pd_si_functions,
	.relies = {.attributes = attributes},
	.state = sizeof(struct pd_reaching),
};
