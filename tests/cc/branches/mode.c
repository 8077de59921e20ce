/*
 * mode.c - a mode of the compiler for mode.t: each branch of the program calls pd_test_branch() of
 * the program with the value of its condition. It has a hook, a filter, a sequence and a state of its
 * own, and nothing in src/cc knows of it.
 */
#include "cc/ir.h"
#include "cc/pass.h"

extern const struct pd_mode pd_mode_branches;

struct branches {
	unsigned n;
};

static const struct pd_function functions[] = {{"pd_test_branch", "vii", 0}, {0}};

static void visit_branch(struct pd_ir *m, LLVMValueRef inst)
{
	struct branches *s = pd_ir_state(m, &pd_mode_branches);

	if (!LLVMIsConditional(inst))
		return;
	LLVMPositionBuilderBefore(m->b, inst);
	LLVMValueRef args[] = {pd_ir_const32(m, s->n++),
			       LLVMBuildZExt(m->b, LLVMGetCondition(inst), m->t_i32, "")};

	pd_function_call(m, &functions[0], args);
}

static const struct pd_step steps[] = {
	{PD_O_ANY, "function(sroa)", NULL, NULL},   {PD_O_ANY, NULL, pd_sites_init, NULL},
	{PD_O_ANY, NULL, pd_pass_visit, NULL},      {PD_O_ANY, NULL, pd_sites_finish, NULL},
	{PD_O_ANY, NULL, pd_pass_verify, NULL},     {PD_O_ANY, NULL, pd_pass_optimise, NULL},
	{0},
};

static const struct pd_visit visits[] = {{LLVMBr, visit_branch}, {0}};

const struct pd_mode pd_mode_branches = {
	.name = "branches",
	.option = "--branches",
	.help = "tell of each branch",
	.build = PD_BUILD_CRASH | 1u << 31,
	.steps = steps,
	.visits = visits,
	.functions = functions,
	.state = sizeof(struct branches),
};
