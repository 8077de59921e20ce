/*
 * mode.c - see crash.h: how a module is instrumented for events of PM.
 *
 * The order of steps matters. Functions that are always inlined come first, or reports would name
 * _mm_clwb and the like as the place; then promotion of local variables, or each access to one
 * would be instrumented. Then small functions are inlined, too: that moves accesses without
 * changing them, shows which pointers they get, and would be refused later, when each access has a
 * branch. Loops are rotated, which changes no accesses either: a load in the condition of a loop
 * then is before the loop and at its end. Then redundant loads are removed (again.c): they would
 * become calls that no optimiser merges, and carry no information. Nothing else comes first.
 * Instrumenting precedes optimising: the engines judge the source's stores, with their size and
 * atomicity, not what some optimiser made of them. Optimising afterwards makes the fast paths fast.
 *
 * Then questions move out of loops, are joined there, and loops get their two versions. A pointer
 * that the loop reads again and again from memory can move out only after the first question about
 * that memory has: so this is done twice; not if the user optimises for size.
 */
#include "cc/crash/crash.h"
#include "cc/pass.h"

/* A loop gets a second version only if that would have at most about this many instructions. */
#define VERSION_COST "300"

/* LLVM's own limit is 225, but functions are inlined here before anything has simplified them. */
#define INLINE_COST "300"

/* ---- steps ---------------------------------------------------------------------------------- */

/*
 * Without optimisation local variables are in memory, and code relies on that: what was assigned
 * after setjmp is still there after longjmp, volatile or not. So functions that call setjmp keep
 * them.
 */
static void keep_locals(struct pd_ir *m)
{
	static const char *const keep[] = {"noinline", "optnone"};

	for (LLVMValueRef fn = LLVMGetFirstFunction(m->mod); fn; fn = LLVMGetNextFunction(fn)) {
		if (!pd_ir_calls_setjmp(m, fn) ||
		    LLVMGetEnumAttributeAtIndex(fn, PD_IR_SELF, m->attr.alwaysinline))
			continue;
		for (size_t i = 0; i < PD_LEN(keep); i++)
			LLVMAddAttributeAtIndex(fn, PD_IR_SELF, pd_ir_attribute(m, keep[i]));
	}
}

/* If the optimiser joined several calls of exit() or abort(), they would all be at one place, and
 * failures would be reported at the wrong one. */
static void keep_ends_apart(struct pd_ir *m)
{
	LLVMAttributeRef nomerge = pd_ir_attribute(m, "nomerge");

	for (LLVMValueRef fn = LLVMGetFirstFunction(m->mod); fn; fn = LLVMGetNextFunction(fn))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b;
		     b = LLVMGetNextBasicBlock(b)) {
			LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
			LLVMValueRef call = end && LLVMIsAUnreachableInst(end)
						    ? LLVMGetPreviousInstruction(end)
						    : NULL;

			if (call && LLVMIsACallInst(call) && !LLVMIsAIntrinsicInst(call))
				LLVMAddCallSiteAttribute(call, PD_IR_SELF, nomerge);
		}
}

static void show_local_copies(struct pd_ir *m)
{
	pd_copies_show(m, false);
}

static void show_copies(struct pd_ir *m)
{
	pd_copies_show(m, true);
}

enum { FAST = PD_O2 | PD_O3, OPTIMISED = PD_O_ANY & ~PD_O0 };

#define QUESTIONS_OUT                                                                              \
	"function(early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,"                  \
	"loop-mssa(loop-rotate,licm))"
#define TWO_VERSIONS "function(loop-mssa(simple-loop-unswitch<nontrivial>),simplifycfg)"

const struct pd_step pd_crash_prepare[] = {
	{PD_O_ANY, NULL, pd_fields_note, NULL},
	{PD_O_ANY, NULL, pd_fields_inline_atomics, NULL},
	{PD_O_ANY, NULL, keep_ends_apart, NULL},
	{PD_O_ANY, "always-inline", NULL, NULL},
	{PD_O0, NULL, keep_locals, NULL},
	{PD_O_ANY, NULL, pd_blocks_note, NULL},
	{PD_O_ANY, NULL, pd_copies_hide, NULL},
	{FAST, "cgscc(function(sroa),inline)", NULL, NULL},
	{PD_O_ANY, NULL, show_local_copies, NULL},
	{PD_O_ANY, "function(sroa)", NULL, NULL},
	{PD_O_ANY, NULL, show_copies, NULL},
	{PD_O_ANY, NULL, pd_fields_note_new, NULL},
	/* std::atomic chooses the order of an access, which is a constant, by a switch; what is
	 * done with a value is seen only without it. */
	{OPTIMISED, "function(sccp)", NULL, NULL},

	{OPTIMISED, NULL, pd_waits_mark, NULL},
	{OPTIMISED & ~PD_OZ, "function(loop(loop-rotate))", NULL, NULL},
	{PD_OZ, "function(loop(loop-rotate<no-header-duplication>))", NULL, NULL},
	{OPTIMISED, NULL, pd_again, NULL},
	{PD_O_ANY, NULL, pd_fates_find, NULL},
	{PD_O_ANY, NULL, pd_decides_find, NULL},

	{PD_O_ANY, NULL, pd_sites_init, NULL},
	{0},
};

const struct pd_step pd_crash_instrument[] = {
	{PD_O_ANY, NULL, pd_pass_visit, NULL},
	{PD_O_ANY, NULL, pd_wrap_pointers, NULL},
	{PD_O_ANY, NULL, pd_asm_module, NULL},
	{0},
};

const struct pd_step pd_crash_finish[] = {
	{PD_O_ANY, NULL, pd_pass_link_helpers, NULL},
	{PD_O_ANY, NULL, pd_pass_verify, NULL},
	{PD_O_ANY, NULL, pd_hooks_promise, NULL},
	{OPTIMISED, NULL, pd_guards_hold, NULL},

	{FAST, QUESTIONS_OUT, NULL, NULL},
	{FAST, NULL, pd_loops_join, NULL},
	{FAST, TWO_VERSIONS, NULL, NULL},
	{FAST, QUESTIONS_OUT, NULL, NULL},
	{FAST, NULL, pd_loops_join, NULL},
	{FAST, TWO_VERSIONS, NULL, NULL},
	{FAST, "function(jump-threading)", NULL, NULL},
	{FAST, NULL, pd_joins_split, NULL},
	{FAST, "function(simplifycfg<sink-common-insts>)", NULL, NULL},
	{FAST, NULL, pd_pass_verify, NULL},

	{PD_O_ANY, "always-inline,globaldce", NULL, NULL},
	{PD_O_ANY, NULL, pd_pass_optimise, NULL},
	{PD_O_ANY, NULL, pd_tails_keep, NULL},
	{0},
};

static const struct pd_step steps[] = {
	{PD_O_ANY, NULL, NULL, pd_crash_prepare},
	{OPTIMISED, NULL, pd_views_find, NULL},
	{PD_O_ANY, NULL, NULL, pd_crash_instrument},
	{PD_O_ANY, NULL, NULL, pd_crash_finish},
	/* Last, or the optimiser would follow these tables for every function */
	{PD_O_ANY, NULL, pd_sites_finish, NULL},
	{0},
};

/* ---- instructions --------------------------------------------------------------------------- */

/* Clang lowers va_arg itself on x86-64. */
static void lose_va_arg(struct pd_ir *m, LLVMValueRef inst)
{
	pd_loss_emit(m, inst, PD_LOSS_INTRINSIC, "va_arg", 6);
}

const struct pd_visit pd_crash_visits[] = {
	{LLVMLoad, pd_access_load},
	{LLVMStore, pd_access_store},
	{LLVMCall, pd_call},
	{LLVMInvoke, pd_call},
	{LLVMCallBr, pd_call},
	{LLVMAtomicRMW, pd_access_rmw},
	{LLVMAtomicCmpXchg, pd_access_cas},
	{LLVMFence, pd_access_fence},
	{LLVMVAArg, lose_va_arg},
	{0},
};

/* ---- the mode ------------------------------------------------------------------------------- */

static const char *const attributes[] = {
	"noinline",	"optnone", "nomerge",		"willreturn", "nocapture",
	"speculatable", "noalias", "presplitcoroutine", NULL,
};

const char *const pd_crash_llvm_options[] = {"-unswitch-threshold=" VERSION_COST,
					     "-inlinedefault-threshold=" INLINE_COST, NULL};

const struct pd_mode pd_mode_crash = {
	.name = "crash",
	.headers = true,
	.build = PD_BUILD_CRASH,
	.llvm_options = pd_crash_llvm_options,
	.steps = steps,
	.visits = pd_crash_visits,
	.functions = pd_helpers,
	.relies = {.attributes = attributes,
		   .intrinsics = pd_intrinsics,
		   .encodings = pd_memory_bits},
	.state = sizeof(struct pd_crash),
};
