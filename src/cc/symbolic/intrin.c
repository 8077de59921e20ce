/*
 * intrin.c - intrinsics and inline asm.
 *
 * A table lists those that compute something, by the start of their name. Those that have nothing
 * to do with values are ignored. For all others, and for asm, the operands, and memory of known
 * size that they point to, are pinned; the result has no label.
 */
#include "cc/symbolic/symbolic.h"
#include "cc/crash/asmtext.h"
#include "cc/crash/crash.h"
#include <string.h>

static bool has_prefix(const char *name, const char *prefix)
{
	return strncmp(name, prefix, strlen(prefix)) == 0;
}

/* ---- what computes a value from values ------------------------------------------------------- */

struct computed {
	const char *prefix;
	enum pd_sym_compute what;
	unsigned operands;
};

static const struct computed computed[] = {
	{"llvm.ctpop.", PD_SYM_CTPOP, 1},
	{"llvm.ctlz.", PD_SYM_CTLZ, 1},
	{"llvm.cttz.", PD_SYM_CTTZ, 1},
	{"llvm.bswap.", PD_SYM_BSWAP, 1},
	{"llvm.bitreverse.", PD_SYM_BITREVERSE, 1},
	{"llvm.abs.", PD_SYM_ABS, 1},
	{"llvm.smax.", PD_SYM_SMAX, 2},
	{"llvm.smin.", PD_SYM_SMIN, 2},
	{"llvm.umax.", PD_SYM_UMAX, 2},
	{"llvm.umin.", PD_SYM_UMIN, 2},
	{"llvm.fshl.", PD_SYM_FSHL, 3},
	{"llvm.fshr.", PD_SYM_FSHR, 3},
	{"llvm.sadd.sat.", PD_SYM_SADD_SAT, 2},
	{"llvm.uadd.sat.", PD_SYM_UADD_SAT, 2},
	{"llvm.ssub.sat.", PD_SYM_SSUB_SAT, 2},
	{"llvm.usub.sat.", PD_SYM_USUB_SAT, 2},
};

static const struct {
	const char *prefix;
	enum pd_sym_op op;
	enum pd_sym_compute overflows;
} overflows[] = {
	{"llvm.sadd.with.overflow.", PD_SYM_ADD, PD_SYM_SADD_OVERFLOWS},
	{"llvm.uadd.with.overflow.", PD_SYM_ADD, PD_SYM_UADD_OVERFLOWS},
	{"llvm.ssub.with.overflow.", PD_SYM_SUB, PD_SYM_SSUB_OVERFLOWS},
	{"llvm.usub.with.overflow.", PD_SYM_SUB, PD_SYM_USUB_OVERFLOWS},
	{"llvm.smul.with.overflow.", PD_SYM_MUL, PD_SYM_SMUL_OVERFLOWS},
	{"llvm.umul.with.overflow.", PD_SYM_MUL, PD_SYM_UMUL_OVERFLOWS},
};

/* Whether each lane is a whole integer. */
static bool is_narrow(struct pd_sym *s, LLVMTypeRef t)
{
	if (LLVMGetTypeKind(t) == LLVMVectorTypeKind)
		t = LLVMGetElementType(t);
	return LLVMGetTypeKind(t) == LLVMIntegerTypeKind && pd_lanes_count(s, t) == 1;
}

static bool compute(struct pd_sym *s, LLVMValueRef i, const char *name)
{
	const struct computed *c = NULL;

	for (size_t k = 0; k < PD_LEN(computed) && !c; k++)
		if (has_prefix(name, computed[k].prefix))
			c = &computed[k];
	if (!c || !is_narrow(s, LLVMTypeOf(i)))
		return false;
	for (unsigned k = 0; k < pd_lanes_count(s, LLVMTypeOf(i)); k++) {
		struct pd_sval a[3];

		for (unsigned o = 0; o < 3; o++)
			a[o] = o < c->operands ? pd_lane(s, LLVMGetOperand(i, o), k)
					       : pd_sval_const(s, a[0].w, 0);
		pd_label_put(s, i, k, pd_label_compute(s, c->what, a[0], a[1], a[2]));
	}
	return true;
}

static bool compute_overflow(struct pd_sym *s, LLVMValueRef i, const char *name)
{
	LLVMValueRef x = LLVMGetOperand(i, 0), y = LLVMGetOperand(i, 1);
	unsigned n = pd_lanes_count(s, LLVMTypeOf(x));

	for (size_t t = 0; t < PD_LEN(overflows); t++) {
		if (!has_prefix(name, overflows[t].prefix) || !is_narrow(s, LLVMTypeOf(x)))
			continue;
		for (unsigned k = 0; k < n; k++) {
			struct pd_sval a = pd_lane(s, x, k), b = pd_lane(s, y, k);

			pd_label_put(s, i, k, pd_label_binary(s, overflows[t].op, false, a, b));
			pd_label_put(s, i, n + k,
				     pd_label_compute(s, overflows[t].overflows, a, b,
						      pd_sval_const(s, a.w, 0)));
		}
		return true;
	}
	return false;
}

/* Return their first operand, as far as labels are concerned. */
static const char *const same[] = {
	"llvm.expect.",	 "llvm.ssa.copy.", "llvm.annotation.",	     "llvm.ptr.annotation.",
	"llvm.launder.", "llvm.strip.",	   "llvm.arithmetic.fence.",
};

static bool is_same(struct pd_sym *s, LLVMValueRef i, const char *name)
{
	for (size_t k = 0; k < PD_LEN(same); k++) {
		if (!has_prefix(name, same[k]))
			continue;
		for (unsigned l = 0; l < pd_lanes_count(s, LLVMTypeOf(i)); l++)
			pd_label_put(s, i, l, pd_label(s, LLVMGetOperand(i, 0), l));
		return true;
	}
	return false;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static bool block(struct pd_sym *s, LLVMValueRef i, const char *name)
{
	bool set = has_prefix(name, "llvm.memset.");
	LLVMValueRef to, from, n;

	if (!set && !has_prefix(name, "llvm.memcpy.") && !has_prefix(name, "llvm.memmove."))
		return false;
	to = LLVMGetOperand(i, 0);
	from = LLVMGetOperand(i, 1);
	n = LLVMGetOperand(i, 2);
	pd_pin_value(s, i, to, PD_SYM_WHY_ADDRESS);
	pd_pin_value(s, i, n, PD_SYM_WHY_SIZE);
	n = pd_word(s, n);
	if (set) {
		PD_SI_CALL(s, fill, to, pd_label(s, from, 0),
			   LLVMBuildIntCast2(s->m->b, from, s->m->t_i32, 0, ""), n);
		return true;
	}
	pd_pin_value(s, i, from, PD_SYM_WHY_ADDRESS);
	PD_SI_CALL(s, copy, to, from, n);
	return true;
}

/* A variable ends: see pd_sym_leave. */
static bool ends(struct pd_sym *s, LLVMValueRef i, const char *name)
{
	LLVMValueRef n = LLVMGetOperand(i, 0);

	if (!has_prefix(name, "llvm.lifetime.end"))
		return false;
	if (LLVMConstIntGetSExtValue(n) > 0)
		PD_SI_CALL(s, clear, LLVMGetOperand(i, 1), n);
	return true;
}

static bool variadic(struct pd_sym *s, LLVMValueRef i, const char *name)
{
	if (has_prefix(name, "llvm.va_start")) {
		if (s->variadic) {
			LLVMPositionBuilderBefore(s->m->b, LLVMGetNextInstruction(i));
			PD_SI_CALL(s, va_start, LLVMGetOperand(i, 0), s->variadic);
		}
		return true;
	}
	if (has_prefix(name, "llvm.va_copy"))
		PD_SI_CALL(s, va_copy, LLVMGetOperand(i, 0), LLVMGetOperand(i, 1));
	return has_prefix(name, "llvm.va_");
}

/* ---- the rest -------------------------------------------------------------------------------- */

/* Annotate values without using them. */
static const char *const ignored[] = {
	"llvm.lifetime.",
	"llvm.invariant.",
	"llvm.dbg.",
	"llvm.assume",
	"llvm.stack",
	"llvm.eh.",
	"llvm.sideeffect",
	"llvm.pseudoprobe",
	"llvm.experimental.noalias.scope.decl",
	"llvm.threadlocal.address",
	"llvm.objectsize.",
	"llvm.is.constant.",
	"llvm.prefetch",
	"llvm.donothing",
	"llvm.trap",
	"llvm.debugtrap",
	"llvm.ubsantrap",
	"llvm.coro.",
	"llvm.fake.use",
	"llvm.var.annotation",
	"llvm.frameaddress",
	"llvm.returnaddress",
	"llvm.x86.sse.sfence",
	"llvm.x86.sse2.mfence",
	"llvm.x86.sse2.lfence",
	"llvm.x86.sse2.pause",
};

static const char *const flushes[] = {
	"llvm.x86.sse2.clflush",
	"llvm.x86.clflushopt",
	"llvm.x86.clwb",
};

static bool is_flush(const char *name)
{
	for (size_t k = 0; k < PD_LEN(flushes); k++)
		if (strcmp(name, flushes[k]) == 0)
			return true;
	return false;
}

static bool is_ignored(const char *name)
{
	for (size_t k = 0; k < PD_LEN(ignored); k++)
		if (has_prefix(name, ignored[k]))
			return true;
	return false;
}

/* Pins the memory behind pointers, if its size is known. */
static void pin_pointed(struct pd_sym *s, LLVMValueRef i, enum pd_sym_why why)
{
	for (unsigned k = 0; k < LLVMGetNumArgOperands(i); k++) {
		LLVMAttributeRef a = LLVMGetCallSiteEnumAttribute(i, k + 1, s->m->attr.elementtype);
		LLVMTypeRef t = a ? LLVMGetTypeAttributeValue(a) : NULL;

		if (t && LLVMTypeIsSized(t) && LLVMTypeOf(LLVMGetOperand(i, k)) == s->m->t_ptr)
			PD_SI_CALL(s, pin_range, pd_site_of(s->m, i, 0, 0), LLVMGetOperand(i, k),
				   pd_ir_const64(s->m, LLVMStoreSizeOfType(s->m->layout, t)),
				   pd_ir_const32(s->m, why));
	}
}

static void pin_arguments(struct pd_sym *s, LLVMValueRef i, enum pd_sym_why why)
{
	for (unsigned k = 0; k < LLVMGetNumArgOperands(i); k++)
		pd_pin_value(s, i, LLVMGetOperand(i, k), why);
	pin_pointed(s, i, why);
}

void pd_sym_intrinsic(struct pd_sym *s, LLVMValueRef i, LLVMValueRef callee)
{
	size_t n;
	const char *name = LLVMGetValueName2(callee, &n);

	if (ends(s, i, name) || is_ignored(name) || block(s, i, name) || variadic(s, i, name))
		return;
	if (is_flush(name)) {
		pd_pin_value(s, i, LLVMGetOperand(i, 0), PD_SYM_WHY_LINE);
		return;
	}
	if (!compute(s, i, name) && !compute_overflow(s, i, name) && !is_same(s, i, name))
		pin_arguments(s, i, PD_SYM_WHY_OPERATOR);
}

/* A flush or a fence uses only the address. */
static bool only_flushes(const struct pd_asm_text *t)
{
	for (unsigned k = 0; k < t->n; k++) {
		const char *name = t->v[k].mnemonic;

		if (t->v[k].raw || t->v[k].lock)
			return false;
		if (*name && !strstr(name, "fence") && !has_prefix(name, "clflush") &&
		    strcmp(name, "clwb") != 0 && strcmp(name, "pause") != 0 &&
		    !(strcmp(name, "xsaveopt") == 0 && t->v[k].data16))
			return false;
	}
	return !t->overflow;
}

/* Where a register of the asm points to; NULL: to nothing, or to memory of known size. */
static LLVMValueRef points_to(struct pd_sym *s, LLVMValueRef i, unsigned operand)
{
	LLVMValueRef v = LLVMGetOperand(i, operand);

	if (LLVMIsAPtrToIntInst(v))
		return LLVMGetOperand(v, 0);
	if (LLVMTypeOf(v) != s->m->t_ptr || LLVMIsNull(v) || LLVMIsUndef(v) || LLVMIsAFunction(v) ||
	    LLVMGetCallSiteEnumAttribute(i, operand + 1, s->m->attr.elementtype))
		return NULL;
	return v;
}

/* It may load what registers point to. */
static void show_pointed(struct pd_sym *s, LLVMValueRef i)
{
	static const char name[] = "asm";
	struct pd_ir *m = s->m;

	for (unsigned k = 0; k < LLVMGetNumArgOperands(i); k++) {
		LLVMValueRef p = points_to(s, i, k);

		if (p)
			PD_SI_CALL(s, show, pd_site_of(m, i, 0, 0), LLVMConstNull(m->t_ptr),
				   pd_site_string(m, name, sizeof(name) - 1), p,
				   pd_ir_const64(m, 0));
	}
}

void pd_sym_asm(struct pd_sym *s, LLVMValueRef i)
{
	struct pd_asm_text t;
	size_t n;
	const char *text = LLVMGetInlineAsmAsmString(LLVMGetCalledValue(i), &n);

	pd_asm_parse(&t, text, n);
	if (only_flushes(&t)) {
		for (unsigned k = 0; k < LLVMGetNumArgOperands(i); k++)
			pd_pin_value(s, i, LLVMGetOperand(i, k), PD_SYM_WHY_LINE);
		return;
	}
	pin_arguments(s, i, PD_SYM_WHY_ASM);
	if (!pd_asm_is_request(i)) /* the runtime answers it */
		show_pointed(s, i);
}
