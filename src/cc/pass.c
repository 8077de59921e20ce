/*
 * pass.c - what happens to a module: read, the steps of its mode, write.
 *
 * What every mode needs is here, as steps for its table. Two things would make the optimiser delete
 * hooks or leave out instrumented bodies: attributes that promise which memory a function touches,
 * and available_externally bodies (C99 inline, extern templates), whose uninstrumented twins
 * elsewhere would be called instead. The attributes are stripped, the bodies become local to the
 * module.
 */
#include "cc/pass.h"
#include "cc/ir.h"
#include "base/bug.h"
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

/* ---- set up --------------------------------------------------------------------------------- */

static LLVMModuleRef read_module(struct pd_ir *m, const char *file)
{
	LLVMMemoryBufferRef buf;
	LLVMModuleRef mod = NULL;
	char *why = NULL;

	/* Parsing takes ownership of the buffer, even if it fails. */
	if (!LLVMCreateMemoryBufferWithContentsOfFile(file, &buf, &why) &&
	    !LLVMParseIRInContext(m->ctx, buf, &mod, &why))
		return mod;
	pd_ir_fail(m, file, why);
	return NULL;
}

static void set_options(const struct pd_mode *mode)
{
	const char *argv[16] = {"perdure cc"};
	int n = 1;

	for (const char *const *o = mode->llvm_options; o && *o && n < (int)PD_LEN(argv); o++)
		argv[n++] = *o;
	LLVMParseCommandLineOptions(n, argv, NULL);
}

static void make_target_machine(struct pd_ir *m, const char *triple)
{
	LLVMTargetRef t;
	char *why = NULL;

	set_options(m->mode);
	LLVMInitializeX86TargetInfo();
	LLVMInitializeX86Target();
	LLVMInitializeX86TargetMC();
	if (LLVMGetTargetFromTriple(triple, &t, &why)) {
		pd_ir_fail(m, m->source, why);
		return;
	}
	/* Each function carries its own processor and features. */
	m->tm = LLVMCreateTargetMachine(t, triple, "x86-64", "", LLVMCodeGenLevelDefault,
					LLVMRelocPIC, LLVMCodeModelDefault);
}

/* ---- steps ---------------------------------------------------------------------------------- */

static void run_passes(struct pd_ir *m, const char *passes)
{
	LLVMPassBuilderOptionsRef o = LLVMCreatePassBuilderOptions();
	LLVMErrorRef e = LLVMRunPasses(m->mod, passes, m->tm, o);
	char *why;

	LLVMDisposePassBuilderOptions(o);
	if (!e)
		return;
	why = LLVMGetErrorMessage(e);
	pd_ir_fail(m, passes, why);
	LLVMDisposeErrorMessage(why);
}

void pd_pass_optimise(struct pd_ir *m)
{
	run_passes(m, m->pipeline);
}

typedef PD_VEC(LLVMValueRef) work_list;

static const struct pd_visit *find_visit(const struct pd_mode *mode, LLVMValueRef inst)
{
	LLVMOpcode opcode = LLVMGetInstructionOpcode(inst);

	for (const struct pd_visit *v = mode->visits; v->visit; v++)
		if (v->opcode == opcode)
			return v;
	return NULL;
}

static void collect_function(struct pd_ir *m, LLVMValueRef fn, work_list *w)
{
	for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(fn); bb; bb = LLVMGetNextBasicBlock(bb))
		for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i;
		     i = LLVMGetNextInstruction(i)) {
			LLVMValueRef *e;

			if (!find_visit(m->mode, i))
				continue;
			e = pd_vec_push(w, &m->arena);
			PD_CHECK(e, "out of memory");
			*e = i;
		}
}

static void strip_promises(struct pd_ir *m, LLVMValueRef fn)
{
	LLVMRemoveEnumAttributeAtIndex(fn, PD_IR_SELF, m->attr.memory);
	for (LLVMUseRef u = LLVMGetFirstUse(fn); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef user = LLVMGetUser(u);

		if (LLVMIsACallInst(user) || LLVMIsAInvokeInst(user))
			LLVMRemoveCallSiteEnumAttribute(user, PD_IR_SELF, m->attr.memory);
	}
}

static void collect(struct pd_ir *m, work_list *w)
{
	for (LLVMValueRef fn = LLVMGetFirstFunction(m->mod); fn; fn = LLVMGetNextFunction(fn)) {
		size_t n;
		const char *name = LLVMGetValueName2(fn, &n);

		if (LLVMIsDeclaration(fn))
			continue;
		if (LLVMGetEnumAttributeAtIndex(fn, PD_IR_SELF, m->attr.naked)) {
			pd_loss_add(m, NULL, PD_LOSS_NAKED, name, n);
			continue;
		}
		if (LLVMGetLinkage(fn) == LLVMAvailableExternallyLinkage)
			LLVMSetLinkage(fn, LLVMInternalLinkage);
		strip_promises(m, fn);
		collect_function(m, fn, w);
	}
}

void pd_pass_visit(struct pd_ir *m)
{
	work_list w = {0};

	collect(m, &w);
	for (uint32_t i = 0; i < w.n; i++)
		find_visit(m->mode, w.v[i])->visit(m, w.v[i]);
}

void pd_pass_verify(struct pd_ir *m)
{
	char *why = NULL;

	if (LLVMVerifyModule(m->mod, LLVMReturnStatusAction, &why)) {
		fprintf(stderr,
			"perdure cc: %s: instrumenting went wrong; this is a defect of perdure: "
			"%s\n",
			m->source, why);
		m->status = PD_IR_FAILED;
	}
	LLVMDisposeMessage(why);
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
		LLVMRemoveStringAttributeAtIndex(fn, PD_IR_SELF, strip[i],
						 (unsigned)strlen(strip[i]));
}

/* Functions that were declared by their signature now have bodies, whose types must match. (C has
 * two types for 16 bytes, which are passed in the same registers.) */
static void adopt_helpers(struct pd_ir *m, const struct pd_mode *mode)
{
	for (const struct pd_function *f = mode->functions; f && f->name; f++) {
		LLVMValueRef fn = LLVMGetNamedFunction(m->mod, f->name);

		if (!fn || LLVMIsDeclaration(fn))
			continue;
		PD_CHECK(strchr(f->signature, 'x') ||
				 LLVMGlobalGetValueType(fn) == pd_function_type(m, f),
			 "a helper has another signature than its table");
		adopt_helper(fn);
	}
}

bool pd_pass_link(struct pd_ir *m, const char *name)
{
	LLVMModuleRef other;
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s.bc", m->helpers, name);
	other = read_module(m, path);
	if (!other)
		return false;
	LLVMSetTarget(other, LLVMGetTarget(m->mod));
	LLVMSetDataLayout(other, LLVMGetDataLayoutStr(m->mod));
	if (LLVMLinkModules2(m->mod, other))
		pd_ir_fail(m, path, "cannot be linked in");
	return !m->status;
}

void pd_pass_link_helpers(struct pd_ir *m)
{
	for (const struct pd_mode *mode = m->mode; mode && !m->status; mode = mode->base)
		if (pd_pass_link(m, mode->name))
			adopt_helpers(m, mode);
}

/* ---- the whole way -------------------------------------------------------------------------- */

static const char *pipeline_of(enum pd_level level)
{
	switch ((int)level) {
	case PD_O0:
		return "default<O0>";
	case PD_O1:
		return "default<O1>";
	case PD_O2:
		return "default<O2>";
	case PD_OS:
		return "default<Os>";
	case PD_OZ:
		return "default<Oz>";
	default:
		return "default<O3>";
	}
}

/* A nested table contains no further tables. */
static void make_step(struct pd_ir *m, const struct pd_step *s)
{
	if (!(s->levels & m->level))
		return;
	if (s->passes)
		run_passes(m, s->passes);
	else
		s->run(m);
}

static void transform(struct pd_ir *m)
{
	m->layout = LLVMGetModuleDataLayout(m->mod);
	for (const struct pd_step *s = m->mode->steps; s->levels && !m->status; s++) {
		if (!s->steps)
			make_step(m, s);
		for (const struct pd_step *t = s->steps; t && t->levels && !m->status; t++)
			make_step(m, t);
	}
}

static void write_module(struct pd_ir *m, const char *file)
{
	if (!m->status && LLVMWriteBitcodeToFile(m->mod, file))
		pd_ir_fail(m, file, "cannot be written");
}

/* x32 is also x86_64, but its pointers cannot reach the PM window. */
static bool is_supported(const char *triple)
{
	return strncmp(triple, "x86_64-", 7) == 0 && !strstr(triple, "x32");
}

int pd_pass_run(const struct pd_pass_options *o)
{
	struct pd_ir m;

	pd_ir_init(&m, o->mode, o->source);
	m.helpers = o->helpers;
	m.level = o->level;
	m.pipeline = pipeline_of(o->level);
	if (!m.status)
		m.mod = read_module(&m, o->in);
	if (m.mod && !is_supported(LLVMGetTarget(m.mod)))
		pd_ir_refuse(&m, o->source,
			     "perdure compiles for x86-64 only; leave out -m32 or the target");
	if (!m.status)
		make_target_machine(&m, LLVMGetTarget(m.mod));
	/* Bitcode that is already instrumented stays as it is. */
	if (!m.status && !LLVMGetNamedFunction(m.mod, "__pd_register"))
		transform(&m);
	write_module(&m, o->out);
	pd_ir_finish(&m);
	return m.status;
}

static void make_note(struct pd_ir *m, const char *triple, enum pd_loss kind)
{
	LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(m->tm);

	m->mod = LLVMModuleCreateWithNameInContext(m->source, m->ctx);
	LLVMSetTarget(m->mod, triple);
	LLVMSetModuleDataLayout(m->mod, layout);
	m->layout = layout;
	pd_sites_init(m);
	pd_loss_add(m, NULL, kind, m->source, strlen(m->source));
	pd_sites_finish(m);
	LLVMDisposeTargetData(layout);
}

int pd_pass_note(const struct pd_mode *mode, const char *out, const char *source, enum pd_loss kind)
{
	char *triple = LLVMGetDefaultTargetTriple();
	struct pd_ir m;

	pd_ir_init(&m, mode, source);
	if (!m.status)
		make_target_machine(&m, triple);
	if (!m.status)
		make_note(&m, triple, kind);
	write_module(&m, out);
	LLVMDisposeMessage(triple);
	pd_ir_finish(&m);
	return m.status;
}
