/*
 * intrin.c - LLVM's intrinsics: the memcpy family, flushes and fences, direct stores.
 *
 * For an unknown intrinsic, its memory effects decide. If its declaration says that it touches no
 * memory of the program, or if every pointer argument provably is not PM, nothing is lost; anything
 * else is a loss with its name.
 */
#include "cc/crash/crash.h"
#include <string.h>

struct simple {
	const char *name;
	int value;
};

static const struct simple flushes[] = {
	{"llvm.x86.sse2.clflush", PD_FLUSH_CLFLUSH},
	{"llvm.x86.clflushopt", PD_FLUSH_CLFLUSHOPT},
	{"llvm.x86.clwb", PD_FLUSH_CLWB},
};

static const struct simple fences[] = {
	{"llvm.x86.sse.sfence", PD_FENCE_SFENCE},
	{"llvm.x86.sse2.mfence", PD_FENCE_MFENCE},
	{"llvm.x86.sse2.lfence", PD_FENCE_LFENCE},
};

/* Prefixes of intrinsics that claim to touch memory but do not, or touch none that can be PM: the
 * optimiser's own markers, the stack, registers of the processor, va_list (which is on the
 * stack). */
static const char *const harmless[] = {
	"llvm.lifetime.",
	"llvm.invariant.",
	"llvm.dbg.",
	"llvm.assume",
	"llvm.va_",
	"llvm.stacksave",
	"llvm.stackrestore",
	"llvm.prefetch",
	"llvm.trap",
	"llvm.debugtrap",
	"llvm.ubsantrap",
	"llvm.eh.",
	"llvm.launder.",
	"llvm.strip.",
	"llvm.returnaddress",
	"llvm.addressofreturn",
	"llvm.frameaddress",
	"llvm.sponentry",
	"llvm.localescape",
	"llvm.localrecover",
	"llvm.clear_cache",
	"llvm.readcyclecounter",
	"llvm.readsteadycounter",
	"llvm.sideeffect",
	"llvm.pseudoprobe",
	"llvm.experimental.noalias.scope.decl",
	"llvm.threadlocal.address",
	"llvm.get.",
	"llvm.set.",
	"llvm.reset.",
	"llvm.read_register",
	"llvm.write_register",
	"llvm.read_volatile_register",
	"llvm.donothing",
	"llvm.thread.pointer",
	"llvm.stackguard",
	"llvm.expect",
	"llvm.coro.",
	"llvm.allow.",
	"llvm.fake.use",
	"llvm.x86.rd",
	"llvm.x86.wr",
	"llvm.x86.xgetbv",
	"llvm.x86.xsetbv",
	"llvm.x86.flags.",
	"llvm.x86.tpause",
	"llvm.x86.umwait",
	"llvm.x86.umonitor",
	"llvm.x86.serialize",
	"llvm.x86.avx.vzero",
	"llvm.x86.mmx.emms",
	"llvm.x86.int",
	"llvm.x86.slwpcb",
	"llvm.x86.testui",
	"llvm.x86.clui",
	"llvm.x86.stui",
	"llvm.x86.hreset",
	"llvm.x86.monitor",
	"llvm.x86.mwait",
	"llvm.x86.sse3.monitor",
	"llvm.x86.sse3.mwait",
};

/* Prefixes of intrinsics that are declared to touch any memory, but only access their arguments. */
static const char *const of_arguments[] = {
	"llvm.x86.sse.ldmxcsr", "llvm.x86.fxsave", "llvm.x86.fxrstor",
	"llvm.x86.xsave",	"llvm.x86.xrstor",
};

static bool has_prefix(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

static const struct simple *find(const struct simple *t, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(t[i].name, name) == 0)
			return &t[i];
	return NULL;
}

/* ---- flushes, fences, pause ----------------------------------------------------------------- */

static bool order_intrinsic(struct pd_ir *m, LLVMValueRef inst, const char *name)
{
	const struct simple *flush = find(flushes, PD_LEN(flushes), name);
	const struct simple *fence = find(fences, PD_LEN(fences), name);
	bool pause = strcmp(name, "llvm.x86.sse2.pause") == 0;
	LLVMValueRef site;

	if (!flush && !fence && !pause)
		return false;
	LLVMPositionBuilderBefore(m->b, inst);
	site = pd_site_of(m, inst, 0, 0);
	if (flush) {
		LLVMValueRef a[] = {LLVMGetOperand(inst, 0), pd_ir_const32(m, flush->value), site};

		pd_hook_call(m, PD_HOOK_flush, a);
	} else if (fence) {
		LLVMValueRef a[] = {pd_ir_const32(m, fence->value), site};

		pd_hook_call(m, PD_HOOK_fence, a);
	} else {
		pd_hook_call(m, PD_HOOK_pause, &site);
	}
	LLVMInstructionEraseFromParent(inst);
	return true;
}

/* ---- hardware transactions ------------------------------------------------------------------ */

static const struct simple transactions[] = {
	{"llvm.x86.xbegin", PD_XACT_BEGIN},
	{"llvm.x86.xend", PD_XACT_END},
	{"llvm.x86.xabort", PD_XACT_ABORT},
	{"llvm.x86.xtest", PD_XACT_TEST},
};

/* xabort stays, behind the hook: its argument is a part of the instruction, and outside a
 * transaction it has no effect. */
static bool transaction_intrinsic(struct pd_ir *m, LLVMValueRef inst, const char *name)
{
	const struct simple *t = find(transactions, PD_LEN(transactions), name);
	LLVMValueRef a[2], r;

	if (!t)
		return false;
	LLVMPositionBuilderBefore(m->b, inst);
	a[0] = pd_ir_const32(m, t->value);
	a[1] = pd_site_of(m, inst, 0, 0);
	r = pd_hook_call(m, PD_HOOK_xact, a);
	if (t->value == PD_XACT_ABORT)
		return true;
	if (LLVMTypeOf(inst) != m->t_void)
		LLVMReplaceAllUsesWith(inst, r);
	LLVMInstructionEraseFromParent(inst);
	return true;
}

/* ---- the memcpy family ---------------------------------------------------------------------- */

static uint64_t constant_size(LLVMValueRef len)
{
	return LLVMIsAConstantInt(len) ? LLVMConstIntGetZExtValue(len) : 0;
}

/* The fourth argument is a size in the element-wise variants, `volatile` in the others. */
static unsigned block_flags(LLVMValueRef inst, const char *name)
{
	if (strstr(name, ".unordered.atomic"))
		return PD_SITE_BLOCK | PD_SITE_ATOMIC;
	return constant_size(LLVMGetOperand(inst, 3)) ? PD_SITE_BLOCK | PD_SITE_VOLATILE
						      : PD_SITE_BLOCK;
}

static bool is_plain_block(LLVMValueRef inst, const char *name)
{
	return LLVMIsACallInst(inst) && block_flags(inst, name) == PD_SITE_BLOCK;
}

/* A copy of one word is exactly one store; one of five bytes is two stores. */
static LLVMValueRef block_site(struct pd_ir *m, LLVMValueRef inst, const char *name)
{
	uint64_t size = constant_size(LLVMGetOperand(inst, 2));
	unsigned flags = block_flags(inst, name);

	if (size <= 8 && pd_ir_size_index(size) >= 0)
		flags = (flags & ~(unsigned)PD_SITE_BLOCK) | pd_fate_of(m, inst);
	return pd_site_of(m, inst, flags | pd_decides(m, inst), size);
}

static bool block_intrinsic(struct pd_ir *m, LLVMValueRef inst, const char *name)
{
	bool set = has_prefix(name, "llvm.memset.");
	bool move = has_prefix(name, "llvm.memmove.");
	LLVMValueRef dst, src, len;

	if (!set && !move && !has_prefix(name, "llvm.memcpy."))
		return false;
	dst = LLVMGetOperand(inst, 0);
	src = LLVMGetOperand(inst, 1);
	len = LLVMGetOperand(inst, 2);
	if (pd_ir_not_pm(m, dst) && (set || pd_ir_not_pm(m, src)))
		return true;
	LLVMPositionBuilderBefore(m->b, inst);
	LLVMValueRef args[] = {dst, set ? LLVMBuildIntCast2(m->b, src, m->t_i32, 0, "") : src,
			       LLVMBuildIntCast2(m->b, len, m->t_i64, 0, ""),
			       block_site(m, inst, name)};
	if (pd_crash_guards(m) && is_plain_block(inst, name)) {
		struct pd_guard g;

		pd_guard_open(m, &g, inst, dst, set ? NULL : src);
		pd_hook_call(m,
			     set    ? PD_HOOK_memset
			     : move ? PD_HOOK_memmove
				    : PD_HOOK_memcpy,
			     args);
		pd_guard_close(m, &g, NULL);
		return true;
	}
	pd_helper_call(m,
		       set    ? PD_HELPER_memset
		       : move ? PD_HELPER_memmove
			      : PD_HELPER_memcpy,
		       args);
	LLVMInstructionEraseFromParent(inst);
	return true;
}

/* ---- direct stores, unaligned loads --------------------------------------------------------- */

static void direct_store(struct pd_ir *m, LLVMValueRef inst, unsigned bytes)
{
	int index = pd_ir_size_index(bytes);
	LLVMValueRef args[] = {LLVMGetOperand(inst, 0), LLVMGetOperand(inst, 1),
			       pd_site_of(m, inst, PD_SITE_NT, bytes)};

	pd_hook_call(m, PD_HOOK_ntstore + (unsigned)index, args);
}

static void direct_store_line(struct pd_ir *m, LLVMValueRef inst)
{
	LLVMValueRef temp = pd_ir_temp(m, inst, LLVMArrayType2(m->t_i8, 64), 0);
	LLVMValueRef site = pd_site_of(m, inst, PD_SITE_NT, 64);
	LLVMValueRef from[] = {LLVMGetOperand(inst, 1), temp, pd_ir_const64(m, 64), site};
	LLVMValueRef to[] = {LLVMGetOperand(inst, 0), temp, pd_ir_const64(m, 64), site,
			     pd_ir_const32(m, PD_STORE_NT)};

	pd_hook_call(m, PD_HOOK_loadb, from);
	pd_hook_call(m, PD_HOOK_storeb, to);
}

/* lddqu: an ordinary load, whatever lines it crosses. */
static void unaligned_load(struct pd_ir *m, LLVMValueRef inst)
{
	LLVMTypeRef type = LLVMTypeOf(inst);
	LLVMValueRef temp = pd_ir_temp(m, inst, type, 0);
	LLVMValueRef args[] = {LLVMGetOperand(inst, 0), temp, pd_ir_const64(m, 16),
			       pd_site_of(m, inst, pd_decides(m, inst), 16)};

	pd_hook_call(m, PD_HOOK_loadb, args);
	LLVMReplaceAllUsesWith(inst, LLVMBuildLoad2(m->b, type, temp, ""));
}

static bool direct_intrinsic(struct pd_ir *m, LLVMValueRef inst, const char *name)
{
	LLVMPositionBuilderBefore(m->b, inst);
	if (strcmp(name, "llvm.x86.directstore32") == 0)
		direct_store(m, inst, 4);
	else if (strcmp(name, "llvm.x86.directstore64") == 0)
		direct_store(m, inst, 8);
	else if (strcmp(name, "llvm.x86.movdir64b") == 0)
		direct_store_line(m, inst);
	else if (strcmp(name, "llvm.x86.sse3.ldu.dq") == 0)
		unaligned_load(m, inst);
	else
		return false;
	LLVMInstructionEraseFromParent(inst);
	return true;
}

/* ---- the rest ------------------------------------------------------------------------------- */

static unsigned memory_effects(struct pd_ir *m, LLVMValueRef callee)
{
	LLVMAttributeRef a = LLVMGetEnumAttributeAtIndex(callee, PD_IR_SELF, m->attr.memory);

	return a ? (unsigned)LLVMGetEnumAttributeValue(a) : ~0u;
}

const char *const pd_intrinsics[] = {
	"llvm.x86.sse2.clflush",
	"llvm.x86.clflushopt",
	"llvm.x86.clwb",
	"llvm.x86.sse.sfence",
	"llvm.x86.sse2.mfence",
	"llvm.x86.sse2.lfence",
	"llvm.x86.sse2.pause",
	"llvm.x86.xbegin",
	"llvm.x86.xend",
	"llvm.x86.xabort",
	"llvm.x86.xtest",
	"llvm.x86.directstore32",
	"llvm.x86.directstore64",
	"llvm.x86.movdir64b",
	"llvm.x86.sse3.ldu.dq",
	"llvm.x86.sse2.maskmov.dqu",
	"llvm.memcpy",
	"llvm.memmove",
	"llvm.memset",
	"llvm.masked.load",
	"llvm.masked.store",
	"llvm.masked.gather",
	"llvm.masked.scatter",
	"llvm.masked.expandload",
	"llvm.masked.compressstore",
	"llvm.threadlocal.address",
	NULL,
};

static bool arguments_not_pm(struct pd_ir *m, LLVMValueRef inst)
{
	for (unsigned i = 0; i < LLVMGetNumArgOperands(inst); i++) {
		LLVMValueRef a = LLVMGetOperand(inst, i);
		LLVMTypeKind k = LLVMGetTypeKind(LLVMTypeOf(a));

		if (k == LLVMVectorTypeKind && LLVMGetElementType(LLVMTypeOf(a)) == m->t_ptr)
			return false;
		if (k == LLVMPointerTypeKind && !pd_ir_not_pm(m, a))
			return false;
	}
	return true;
}

static bool is_harmless(struct pd_ir *m, LLVMValueRef inst, LLVMValueRef callee, const char *name)
{
	unsigned effects = memory_effects(m, callee);

	if (!(effects & (PD_MEMORY_ARGUMENTS | PD_MEMORY_OTHER)))
		return true;
	for (size_t i = 0; i < PD_LEN(harmless); i++)
		if (has_prefix(name, harmless[i]))
			return true;
	for (size_t i = 0; i < PD_LEN(of_arguments); i++)
		if (has_prefix(name, of_arguments[i]))
			return arguments_not_pm(m, inst);
	return !(effects & PD_MEMORY_OTHER) && arguments_not_pm(m, inst);
}

void pd_intrinsic(struct pd_ir *m, LLVMValueRef inst, LLVMValueRef callee)
{
	size_t n;
	const char *name = LLVMGetValueName2(callee, &n);

	if (order_intrinsic(m, inst, name) || transaction_intrinsic(m, inst, name) ||
	    block_intrinsic(m, inst, name) || direct_intrinsic(m, inst, name) ||
	    pd_vector_intrinsic(m, inst, name) || is_harmless(m, inst, callee, name))
		return;
	pd_loss_emit(m, inst, PD_LOSS_INTRINSIC, name, n);
}
