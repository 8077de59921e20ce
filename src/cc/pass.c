/*
 * pass.c - the way of a module: read, inline what must be, instrument, optimise, write.
 *
 * Order matters. Functions that are always inlined come first, or _mm_clwb and its kin would be the
 * place that reports name; then promotion of local variables, or every one of them would be an
 * access. Small functions are inlined then too: that moves accesses and changes none, tells what
 * pointers they are given, and would be refused later, when each access has a branch. Loops are
 * rotated, which changes none either, and then loads that come again are taken out (again.c): they
 * would be calls that no optimiser merges, and say nothing. Nothing else comes before.
 * Instrumenting comes before optimising: a store as the source has it, with its size and atomicity,
 * is what the engines judge, not what some optimiser made of it. Optimising afterwards makes the
 * fast paths fast.
 *
 * Two things would make the optimiser delete hooks or never emit a body: attributes that promise
 * what memory a function touches, and available_externally bodies (C99 inline, extern templates),
 * whose uninstrumented twin elsewhere would be called instead. The first are stripped, the second
 * become local to the module.
 */
#include "cc/pass.h"
#include "cc/ir.h"
#include "base/bug.h"
#include "host/host.h"
#include <llvm-c/Analysis.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Error.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Linker.h>
#include <llvm-c/Support.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdio.h>
#include <string.h>

#define FAILED 4

/* A loop whose second version would have more instructions than about this many is left as it
 * is. */
#define VERSION_COST "300"

/* Twice LLVM's own: functions are inlined here that nothing has simplified yet. */
#define INLINE_COST "450"

static int fail(const char *what, const char *why)
{
	fprintf(stderr, "perdure cc: %s: %s\n", what, why ? why : "unknown error");
	return FAILED;
}

static LLVMAttributeIndex function_index(void)
{
	return (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
}

static unsigned attribute(const char *name)
{
	return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

/* ---- set up --------------------------------------------------------------------------------- */

static void init_types(struct pd_ir *m)
{
	m->t_void = LLVMVoidTypeInContext(m->ctx);
	m->t_ptr = LLVMPointerTypeInContext(m->ctx, 0);
	m->t_i1 = LLVMInt1TypeInContext(m->ctx);
	m->t_i8 = LLVMInt8TypeInContext(m->ctx);
	m->t_i32 = LLVMInt32TypeInContext(m->ctx);
	m->t_i64 = LLVMInt64TypeInContext(m->ctx);
	m->t_i128 = LLVMInt128TypeInContext(m->ctx);
	m->t_float = LLVMFloatTypeInContext(m->ctx);
	m->t_double = LLVMDoubleTypeInContext(m->ctx);
	m->attr = (struct pd_ir_attrs){
		.memory = attribute("memory"),
		.byval = attribute("byval"),
		.elementtype = attribute("elementtype"),
		.naked = attribute("naked"),
		.nounwind = attribute("nounwind"),
		.alwaysinline = attribute("alwaysinline"),
		.returns_twice = attribute("returns_twice"),
	};
	m->md_nontemporal = LLVMGetMDKindIDInContext(m->ctx, "nontemporal", 11);
	m->md_field = LLVMGetMDKindIDInContext(m->ctx, "perdure.field", 13);
	m->md_tbaa = LLVMGetMDKindIDInContext(m->ctx, "tbaa", 4);
}

static void ir_init(struct pd_ir *m)
{
	*m = (struct pd_ir){.ctx = LLVMContextCreate()};
	pd_arena_init(&m->arena, pd_host_memory());
	m->b = LLVMCreateBuilderInContext(m->ctx);
	init_types(m);
}

static void ir_finish(struct pd_ir *m)
{
	LLVMDisposeBuilder(m->b);
	if (m->mod)
		LLVMDisposeModule(m->mod);
	LLVMContextDispose(m->ctx);
	pd_arena_finish(&m->arena);
}

static int read_module(struct pd_ir *m, const char *file, LLVMModuleRef *mod)
{
	LLVMMemoryBufferRef buf;
	char *why = NULL;

	if (LLVMCreateMemoryBufferWithContentsOfFile(file, &buf, &why))
		return fail(file, why);
	/* Takes the buffer over, also when it fails. */
	if (LLVMParseIRInContext(m->ctx, buf, mod, &why))
		return fail(file, why);
	return 0;
}

static LLVMTargetMachineRef target_machine(const char *triple, char **why)
{
	LLVMTargetRef t;

	static const char *const options[] = {"perdure cc", "-unswitch-threshold=" VERSION_COST,
					      "-inlinedefault-threshold=" INLINE_COST};

	LLVMParseCommandLineOptions(PD_LEN(options), options, NULL);
	LLVMInitializeX86TargetInfo();
	LLVMInitializeX86Target();
	LLVMInitializeX86TargetMC();
	if (LLVMGetTargetFromTriple(triple, &t, why))
		return NULL;
	/* Functions carry their own processor and features. */
	return LLVMCreateTargetMachine(t, triple, "x86-64", "", LLVMCodeGenLevelDefault,
				       LLVMRelocPIC, LLVMCodeModelDefault);
}

static int run_passes(struct pd_ir *m, const char *passes, LLVMTargetMachineRef tm)
{
	LLVMPassBuilderOptionsRef o = LLVMCreatePassBuilderOptions();
	LLVMErrorRef e = LLVMRunPasses(m->mod, passes, tm, o);
	char *why;

	LLVMDisposePassBuilderOptions(o);
	if (!e)
		return 0;
	why = LLVMGetErrorMessage(e);
	fail(passes, why);
	LLVMDisposeErrorMessage(why);
	return FAILED;
}

/* ---- instrument ----------------------------------------------------------------------------- */

typedef PD_VEC(LLVMValueRef) work_list;

static void collect_function(struct pd_ir *m, LLVMValueRef fn, work_list *w)
{
	for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
		for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i;
		     i = LLVMGetNextInstruction(i)) {
			LLVMOpcode op = LLVMGetInstructionOpcode(i);
			LLVMValueRef *e;

			if (op != LLVMLoad && op != LLVMStore && op != LLVMAtomicRMW &&
			    op != LLVMAtomicCmpXchg && op != LLVMFence && op != LLVMCall &&
			    op != LLVMInvoke && op != LLVMCallBr && op != LLVMVAArg)
				continue;
			e = pd_vec_push(w, &m->arena);
			PD_CHECK(e, "out of memory");
			*e = i;
		}
}

static void strip_promises(struct pd_ir *m, LLVMValueRef fn)
{
	LLVMRemoveEnumAttributeAtIndex(fn, function_index(), m->attr.memory);
	for (LLVMUseRef u = LLVMGetFirstUse(fn); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef user = LLVMGetUser(u);

		if (LLVMIsACallInst(user) || LLVMIsAInvokeInst(user))
			LLVMRemoveCallSiteEnumAttribute(user, function_index(), m->attr.memory);
	}
}

static void collect(struct pd_ir *m, work_list *w)
{
	for (LLVMValueRef fn = LLVMGetFirstFunction(m->mod); fn; fn = LLVMGetNextFunction(fn)) {
		size_t n;
		const char *name = LLVMGetValueName2(fn, &n);

		if (LLVMIsDeclaration(fn))
			continue;
		if (LLVMGetEnumAttributeAtIndex(fn, function_index(), m->attr.naked)) {
			pd_loss_add(m, NULL, PD_LOSS_NAKED, name, n);
			continue;
		}
		if (LLVMGetLinkage(fn) == LLVMAvailableExternallyLinkage)
			LLVMSetLinkage(fn, LLVMInternalLinkage);
		strip_promises(m, fn);
		collect_function(m, fn, w);
	}
}

static void instrument_one(struct pd_ir *m, LLVMValueRef i)
{
	switch ((int)LLVMGetInstructionOpcode(i)) {
	case LLVMLoad:
		pd_access_load(m, i);
		break;
	case LLVMStore:
		pd_access_store(m, i);
		break;
	case LLVMAtomicRMW:
		pd_access_rmw(m, i);
		break;
	case LLVMAtomicCmpXchg:
		pd_access_cas(m, i);
		break;
	case LLVMFence:
		pd_access_fence(m, i);
		break;
	case LLVMVAArg: /* clang lowers va_arg itself on x86-64 */
		pd_loss_emit(m, i, PD_LOSS_INTRINSIC, "va_arg", 6);
		break;
	default:
		pd_call(m, i);
	}
}

static void instrument(struct pd_ir *m, const char *source)
{
	work_list w = {0};

	pd_sites_init(m);
	collect(m, &w);
	for (uint32_t i = 0; i < w.n; i++)
		instrument_one(m, w.v[i]);
	pd_wrap_pointers(m);
	pd_asm_module(m);
	pd_sites_finish(m, source);
}

/* ---- the helpers ---------------------------------------------------------------------------- */

static void adopt_helper(LLVMValueRef fn)
{
	static const char *const strip[] = {"target-cpu",
					    "target-features",
					    "tune-cpu",
					    "min-legal-vector-width",
					    "frame-pointer",
					    "no-trapping-math",
					    "stack-protector-buffer-size"};

	LLVMSetLinkage(fn, LLVMInternalLinkage);
	for (size_t i = 0; i < PD_LEN(strip); i++)
		LLVMRemoveStringAttributeAtIndex(fn, function_index(), strip[i],
						 (unsigned)strlen(strip[i]));
}

static int link_helpers(struct pd_ir *m, const char *file)
{
	LLVMModuleRef helpers;

	if (read_module(m, file, &helpers))
		return FAILED;
	LLVMSetTarget(helpers, LLVMGetTarget(m->mod));
	LLVMSetDataLayout(helpers, LLVMGetDataLayoutStr(m->mod));
	if (LLVMLinkModules2(m->mod, helpers))
		return fail(file, "cannot be linked in");
	for (LLVMValueRef fn = LLVMGetFirstFunction(m->mod); fn; fn = LLVMGetNextFunction(fn)) {
		size_t n;

		if (!LLVMIsDeclaration(fn) && strncmp(LLVMGetValueName2(fn, &n), "__pd_i_", 7) == 0)
			adopt_helper(fn);
	}
	return 0;
}

/* ---- the whole way -------------------------------------------------------------------------- */

static int verify(struct pd_ir *m, const char *source)
{
	char *why = NULL;
	int bad = LLVMVerifyModule(m->mod, LLVMReturnStatusAction, &why);

	if (bad)
		fprintf(stderr,
			"perdure cc: %s: instrumenting went wrong; this is a defect of perdure: "
			"%s\n",
			source, why);
	LLVMDisposeMessage(why);
	return bad ? FAILED : 0;
}

bool pd_ir_calls_setjmp(struct pd_ir *m, LLVMValueRef fn)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			if (LLVMIsACallInst(i) &&
			    LLVMGetCallSiteEnumAttribute(i, function_index(),
							 m->attr.returns_twice))
				return true;
	return false;
}

/*
 * Without optimisation a local variable is memory, and code relies on that: what was assigned after
 * setjmp is still there after longjmp, volatile or not. So such functions are left as they are.
 */
static void keep_locals(struct pd_ir *m)
{
	static const char *const keep[] = {"noinline", "optnone"};

	for (LLVMValueRef fn = LLVMGetFirstFunction(m->mod); fn; fn = LLVMGetNextFunction(fn)) {
		if (!pd_ir_calls_setjmp(m, fn) ||
		    LLVMGetEnumAttributeAtIndex(fn, function_index(), m->attr.alwaysinline))
			continue;
		for (size_t i = 0; i < PD_LEN(keep); i++)
			LLVMAddAttributeAtIndex(
				fn, function_index(),
				LLVMCreateEnumAttribute(m->ctx, attribute(keep[i]), 0));
	}
}

/* Calls of exit() or abort() that the optimiser joins would all be at one place, and a failure at
 * the wrong one. */
static void keep_ends_apart(struct pd_ir *m)
{
	LLVMAttributeRef nomerge = LLVMCreateEnumAttribute(m->ctx, attribute("nomerge"), 0);

	for (LLVMValueRef fn = LLVMGetFirstFunction(m->mod); fn; fn = LLVMGetNextFunction(fn))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b;
		     b = LLVMGetNextBasicBlock(b)) {
			LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
			LLVMValueRef call = end && LLVMIsAUnreachableInst(end)
						    ? LLVMGetPreviousInstruction(end)
						    : NULL;

			if (call && LLVMIsACallInst(call) && !LLVMIsAIntrinsicInst(call))
				LLVMAddCallSiteAttribute(call, function_index(), nomerge);
		}
}

/*
 * Questions move out of loops, are joined there, and loops are made twice. A pointer that the loop
 * reads again and again from memory moves out only when the first question about that memory has:
 * so twice. Not where size counts.
 */
static int make_versions(struct pd_ir *m, LLVMTargetMachineRef tm)
{
	static const char before[] =
		"function(early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,"
		"loop-mssa(loop-rotate,licm))";
	static const char after[] =
		"function(loop-mssa(simple-loop-unswitch<nontrivial>),simplifycfg)";

	for (int round = 0; round < 2; round++) {
		if (run_passes(m, before, tm))
			return FAILED;
		pd_loops_join(m);
		if (run_passes(m, after, tm))
			return FAILED;
	}
	if (run_passes(m, "function(jump-threading)", tm))
		return FAILED;
	pd_joins_split(m);
	return run_passes(m, "function(simplifycfg<sink-common-insts>)", tm);
}

/* A load in the condition of a loop is executed before it and at its end once the loop is
 * rotated. */
static int drop_repeated_loads(struct pd_ir *m, const struct pd_pass_options *o,
			       LLVMTargetMachineRef tm)
{
	bool small = strcmp(o->pipeline, "default<Oz>") == 0;
	const char *rotate = small ? "function(loop(loop-rotate<no-header-duplication>))"
				   : "function(loop(loop-rotate))";

	pd_waits_mark(m);
	if (run_passes(m, rotate, tm))
		return FAILED;
	pd_again(m, tm);
	return 0;
}

static int transform(struct pd_ir *m, const struct pd_pass_options *o, LLVMTargetMachineRef tm)
{
	bool fast =
		strcmp(o->pipeline, "default<O2>") == 0 || strcmp(o->pipeline, "default<O3>") == 0;

	m->layout = LLVMGetModuleDataLayout(m->mod);
	m->guards = strcmp(o->pipeline, "default<O0>") != 0;
	pd_fields_note(m);
	keep_ends_apart(m);
	if (run_passes(m, "always-inline", tm))
		return FAILED;
	if (!m->guards)
		keep_locals(m);
	pd_blocks_note(m);
	pd_copies_hide(m);
	if (fast && run_passes(m, "cgscc(function(sroa),inline)", tm))
		return FAILED;
	pd_copies_show(m, false);
	if (run_passes(m, "function(sroa)", tm))
		return FAILED;
	pd_copies_show(m, true);
	if (m->guards && drop_repeated_loads(m, o, tm))
		return FAILED;
	pd_fates_find(m, o->pipeline, tm);
	instrument(m, o->source);
	if (link_helpers(m, o->helpers) || verify(m, o->source))
		return FAILED;
	pd_hooks_promise(m);
	if (fast && (make_versions(m, tm) || verify(m, o->source)))
		return FAILED;
	if (run_passes(m, "always-inline,globaldce", tm) || run_passes(m, o->pipeline, tm))
		return FAILED;
	pd_tails_keep(m);
	return 0;
}

static int write_module(struct pd_ir *m, const char *file)
{
	return LLVMWriteBitcodeToFile(m->mod, file) ? fail(file, "cannot be written") : 0;
}

int pd_pass_run(const struct pd_pass_options *o)
{
	struct pd_ir m;
	LLVMTargetMachineRef tm = NULL;
	char *why = NULL;
	int rc;

	ir_init(&m);
	rc = read_module(&m, o->in, &m.mod);
	/* x32 is x86_64 too, with pointers that cannot reach the PM window. */
	if (!rc && (strncmp(LLVMGetTarget(m.mod), "x86_64-", 7) != 0 ||
		    strstr(LLVMGetTarget(m.mod), "x32")))
		rc = fail(o->source,
			  "perdure compiles for x86-64 only; leave out -m32 or the target");
	if (!rc && !(tm = target_machine(LLVMGetTarget(m.mod), &why)))
		rc = fail(o->source, why);
	/* Bitcode that was instrumented before is left as it is. */
	if (!rc && !LLVMGetNamedFunction(m.mod, "__pd_register"))
		rc = transform(&m, o, tm);
	if (!rc)
		rc = write_module(&m, o->out);
	if (tm)
		LLVMDisposeTargetMachine(tm);
	ir_finish(&m);
	return rc;
}

int pd_pass_note(const char *out, const char *source, enum pd_loss kind)
{
	struct pd_ir m;
	char *why = NULL, *triple = LLVMGetDefaultTargetTriple();
	LLVMTargetMachineRef tm = target_machine(triple, &why);
	LLVMTargetDataRef layout;
	int rc;

	if (!tm)
		return fail(source, why);
	ir_init(&m);
	m.mod = LLVMModuleCreateWithNameInContext(source, m.ctx);
	layout = LLVMCreateTargetDataLayout(tm);
	LLVMSetTarget(m.mod, triple);
	LLVMSetModuleDataLayout(m.mod, layout);
	m.layout = layout;
	pd_sites_init(&m);
	pd_loss_add(&m, NULL, kind, source, strlen(source));
	pd_sites_finish(&m, source);
	rc = write_module(&m, out);
	LLVMDisposeTargetData(layout);
	LLVMDisposeTargetMachine(tm);
	LLVMDisposeMessage(triple);
	ir_finish(&m);
	return rc;
}
