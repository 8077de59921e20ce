/*
 * call.c - calls: labels of arguments go to the callee, labels of results come back.
 *
 * The lanes of all arguments are numbered consecutively; those that do not fit into struct
 * pd_sym_pass are pinned. A small struct that is passed by value has one lane per 8 bytes; the
 * bytes of a larger one are pinned. Caller and callee count lanes from the types alone, and compare
 * the counts.
 *
 * Arguments for `...` are placed as in the System V ABI: integers and pointers in the register save
 * area while there is room, the rest behind it (AMD64 ABI, 3.5.7). MemorySanitizer does the same.
 */
#include "cc/symbolic/symbolic.h"
#include "base/bug.h"
#include <stdio.h>
#include <string.h>

static const char *const summaries[] = {
#define PD_SUMMARY(name) #name,
#include "cc/symbolic/summary.def"
#undef PD_SUMMARY
#undef PD_SUMMARY_INSTEAD
};

static const char *const callbacks[] = {
#define PD_SUMMARY_INSTEAD(name) #name,
#include "cc/symbolic/summary.def"
#undef PD_SUMMARY
#undef PD_SUMMARY_INSTEAD
};

enum { SUMMARY_ARGUMENTS = 8 };

static int find_summary(LLVMValueRef fn)
{
	size_t n;
	const char *name = fn && LLVMIsDeclaration(fn) ? LLVMGetValueName2(fn, &n) : "";

	for (size_t i = 0; i < PD_LEN(summaries); i++)
		if (strcmp(summaries[i], name) == 0)
			return (int)i;
	return -1;
}

bool pd_sym_has_summary(LLVMValueRef fn)
{
	return find_summary(fn) >= 0;
}

void pd_sym_replace_callbacks(struct pd_ir *m)
{
	for (size_t i = 0; i < PD_LEN(callbacks); i++) {
		LLVMValueRef fn = LLVMGetNamedFunction(m->mod, callbacks[i]), to;
		char name[64];

		if (!fn || !LLVMIsDeclaration(fn))
			continue;
		snprintf(name, sizeof(name), "__pd_sym_w_%s", callbacks[i]);
		to = LLVMAddFunction(m->mod, name, LLVMGlobalGetValueType(fn));
		LLVMReplaceAllUsesWith(fn, to);
	}
}

/* ---- pointers to functions that have a summary ----------------------------------------------- */

static void copy_attributes(LLVMValueRef from, LLVMValueRef to, unsigned index)
{
	LLVMAttributeRef a[64];
	unsigned n = LLVMGetAttributeCountAtIndex(from, index);

	PD_CHECK(n <= PD_LEN(a), "a parameter with that many attributes");
	LLVMGetAttributesAtIndex(from, index, a);
	for (unsigned i = 0; i < n; i++)
		LLVMAddAttributeAtIndex(to, index, a[i]);
}

/* A function that only calls fn with its own arguments. */
static LLVMValueRef make_caller(struct pd_ir *m, LLVMValueRef fn, const char *called,
				LLVMValueRef *call)
{
	LLVMTypeRef type = LLVMGlobalGetValueType(fn);
	LLVMValueRef to, arguments[SUMMARY_ARGUMENTS];
	unsigned n = LLVMCountParams(fn);
	char name[64];

	snprintf(name, sizeof(name), "__pd_sym_p_%s", called);
	to = LLVMAddFunction(m->mod, name, type);
	LLVMSetLinkage(to, LLVMLinkOnceODRLinkage);
	for (unsigned i = 0; i <= n; i++) /* 0: the result */
		copy_attributes(fn, to, i);
	LLVMGetParams(to, arguments);
	LLVMPositionBuilderAtEnd(m->b, LLVMAppendBasicBlockInContext(m->ctx, to, ""));
	LLVMSetCurrentDebugLocation2(m->b, NULL);
	*call = LLVMBuildCall2(m->b, type, fn, arguments, n, "");
	if (LLVMGetTypeKind(LLVMGetReturnType(type)) == LLVMVoidTypeKind)
		LLVMBuildRetVoid(m->b);
	else
		LLVMBuildRet(m->b, *call);
	return to;
}

static bool is_callee(LLVMUseRef u, LLVMValueRef fn)
{
	LLVMValueRef user = LLVMGetUser(u);

	return (LLVMIsACallInst(user) || LLVMIsAInvokeInst(user)) && LLVMGetCalledValue(user) == fn;
}

static void replace_pointers(struct pd_ir *m, LLVMValueRef fn, const char *name)
{
	PD_VEC(LLVMValueRef) calls = {0};
	LLVMValueRef to, call;
	bool pointers = false;

	for (LLVMUseRef u = LLVMGetFirstUse(fn); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef *e;

		if (!is_callee(u, fn)) {
			pointers = true;
			continue;
		}
		e = pd_vec_push(&calls, &m->arena);
		PD_CHECK(e, "out of memory");
		*e = LLVMGetUser(u);
	}
	if (!pointers)
		return;
	to = make_caller(m, fn, name, &call);
	LLVMReplaceAllUsesWith(fn, to);
	LLVMSetOperand(call, LLVMGetNumOperands(call) - 1, fn);
	for (uint32_t i = 0; i < calls.n; i++)
		LLVMSetOperand(calls.v[i], LLVMGetNumOperands(calls.v[i]) - 1, fn);
}

/* A call through a pointer would not show that it calls a function with a summary: the pointer
 * leads to a function of the module that makes the call. Not possible for functions with `...`. */
void pd_sym_replace_pointers(struct pd_ir *m)
{
	for (size_t i = 0; i < PD_LEN(summaries); i++) {
		LLVMValueRef fn = LLVMGetNamedFunction(m->mod, summaries[i]);

		if (fn && LLVMIsDeclaration(fn) && LLVMCountParams(fn) <= SUMMARY_ARGUMENTS &&
		    !LLVMIsFunctionVarArg(LLVMGlobalGetValueType(fn)))
			replace_pointers(m, fn, summaries[i]);
	}
}

/* ---- places ---------------------------------------------------------------------------------- */

static bool is_musttail(LLVMValueRef i)
{
	return LLVMIsACallInst(i) && LLVMGetTailCallKind(i) == LLVMTailCallKindMustTail;
}

/* Each edge out of an invoke leads to a block of its own (mode.c). */
static LLVMValueRef place_behind(LLVMValueRef call)
{
	LLVMValueRef i;

	if (LLVMIsAInvokeInst(call)) {
		i = LLVMGetFirstInstruction(LLVMGetNormalDest(call));
		while (LLVMIsAPHINode(i))
			i = LLVMGetNextInstruction(i);
		return i;
	}
	return is_musttail(call) || !LLVMIsACallInst(call) ? NULL : LLVMGetNextInstruction(call);
}

LLVMTypeRef pd_byval(struct pd_sym *s, LLVMValueRef v, unsigned argument)
{
	unsigned kind = s->m->attr.byval;
	LLVMAttributeRef a = LLVMIsAFunction(v)
				     ? LLVMGetEnumAttributeAtIndex(v, argument + 1, kind)
				     : LLVMGetCallSiteEnumAttribute(v, argument + 1, kind);

	return a ? LLVMGetTypeAttributeValue(a) : NULL;
}

unsigned pd_passed_lanes(struct pd_sym *s, LLVMTypeRef type, LLVMTypeRef byval)
{
	uint64_t size;

	if (!byval)
		return pd_lanes_count(s, type);
	size = LLVMStoreSizeOfType(s->m->layout, byval);
	return size <= PD_BYVAL_MOST ? (unsigned)(size + 7) / 8 : 0;
}

/* ---- arguments ------------------------------------------------------------------------------- */

/* A label to pass, and its destination. */
struct passing {
	LLVMValueRef label;
	int lane; /* -1: for `...` */
	unsigned offset, size;
};

struct passings {
	struct passing v[PD_SYM_LANES + PD_SYM_VARIADIC];
	unsigned n, nvariadic;
	unsigned lanes;		/* number of lanes of named arguments */
	LLVMValueRef out;	/* whether nobody looks at them (pd_sym_goes_out), or NULL */
	unsigned gp, fp, stack; /* the ABI's registers and stack used so far */
};

static void add_lane(struct pd_sym *s, LLVMValueRef call, struct passings *p, struct pd_sval v,
		     unsigned lane)
{
	if (p->out && !pd_label_is_none(v.l))
		v.l = LLVMBuildSelect(s->m->b, p->out, s->zero, v.l, "");
	if (pd_label_is_none(v.l) && lane < PD_SYM_LANES) {
		p->v[p->n++] = (struct passing){.label = s->zero, .lane = (int)lane};
		return;
	}
	if (lane < PD_SYM_LANES)
		p->v[p->n++] = (struct passing){.label = v.l, .lane = (int)lane};
	else
		pd_pin(s, call, v, PD_SYM_WHY_CALL);
}

static void add_variadic(struct pd_sym *s, LLVMValueRef call, struct passings *p, struct pd_sval v,
			 unsigned offset, unsigned size)
{
	if (pd_label_is_none(v.l))
		return;
	if (p->nvariadic == PD_SYM_VARIADIC) {
		pd_pin(s, call, v, PD_SYM_WHY_CALL);
		return;
	}
	p->nvariadic++;
	p->v[p->n++] = (struct passing){.label = v.l, .lane = -1, .offset = offset, .size = size};
}

/* The label of a word of memory that is passed by value. */
static struct pd_sval word_of(struct pd_sym *s, LLVMValueRef p, uint64_t at, uint64_t size)
{
	LLVMValueRef by = pd_ir_const64(s->m, at);
	LLVMValueRef from = LLVMBuildGEP2(s->m->b, s->m->t_i8, p, &by, 1, "");
	unsigned n = (unsigned)PD_MIN(8, size - at);

	return (struct pd_sval){pd_ir_const64(s->m, 0),
				PD_SI_CALL(s, load, from, pd_ir_const32(s->m, n)), n * 8};
}

enum { SAVE_AREA = 176, GP_AREA = 48 };

static unsigned on_stack(struct passings *p, uint64_t size, uint64_t align)
{
	unsigned at = (unsigned)((p->stack + align - 1) & ~(align - 1));

	p->stack = (unsigned)((at + size + 7) & ~7ULL);
	return SAVE_AREA + at;
}

static bool is_number(LLVMTypeRef t)
{
	return LLVMGetTypeKind(t) == LLVMIntegerTypeKind ||
	       LLVMGetTypeKind(t) == LLVMPointerTypeKind;
}

/* The ABI's place of an argument; named arguments on the stack do not count for `...`. */
static unsigned place(struct pd_sym *s, struct passings *p, LLVMTypeRef t, LLVMTypeRef byval,
		      bool named)
{
	uint64_t size = LLVMStoreSizeOfType(s->m->layout, byval ? byval : t);
	unsigned words = (unsigned)((size + 7) / 8), at;

	if (!byval && is_number(t) && p->gp + words <= 6) {
		at = p->gp * 8;
		p->gp += words;
		return at;
	}
	if (!byval && !is_number(t) && LLVMGetTypeKind(t) != LLVMX86_FP80TypeKind && p->fp < 8)
		return GP_AREA + 16 * p->fp++;
	if (named)
		return 0;
	return on_stack(p, size,
			PD_MAX(8, LLVMABIAlignmentOfType(s->m->layout, byval ? byval : t)));
}

static void add_by_value(struct pd_sym *s, LLVMValueRef call, struct passings *p, LLVMValueRef a,
			 LLVMTypeRef byval, bool named, unsigned at)
{
	uint64_t size = LLVMStoreSizeOfType(s->m->layout, byval);

	if (!pd_passed_lanes(s, s->m->t_ptr, byval)) {
		PD_SI_CALL(s, pin_range, pd_site_of(s->m, call, 0, 0), a, pd_ir_const64(s->m, size),
			   pd_ir_const32(s->m, PD_SYM_WHY_CALL));
		return;
	}
	for (uint64_t k = 0; k < size; k += 8) {
		struct pd_sval v = word_of(s, a, k, size);

		if (named)
			add_lane(s, call, p, v, p->lanes + (unsigned)(k / 8));
		else
			add_variadic(s, call, p, v, at + (unsigned)k, v.w / 8);
	}
}

static void add_argument(struct pd_sym *s, LLVMValueRef call, struct passings *p, unsigned i,
			 bool named)
{
	LLVMValueRef a = LLVMGetOperand(call, i);
	LLVMTypeRef byval = pd_byval(s, call, i);
	const struct pd_lanes *l = pd_lanes_of(s, LLVMTypeOf(a));
	unsigned at;

	if (!LLVMTypeIsSized(LLVMTypeOf(a)))
		return;
	at = place(s, p, LLVMTypeOf(a), byval, named);
	if (byval) {
		pd_pin_value(s, call, a, PD_SYM_WHY_ADDRESS);
		add_by_value(s, call, p, a, byval, named, at);
	}
	for (unsigned k = 0; !byval && l && k < l->n; k++) {
		struct pd_sval v = {pd_ir_const64(s->m, 0), s->zero, 64};

		if (l->v[k].bits && !pd_label_is_none(pd_label(s, a, k)))
			v = pd_lane(s, a, k);
		if (named)
			add_lane(s, call, p, v, p->lanes + k);
		else
			add_variadic(s, call, p, v, at + (unsigned)l->v[k].offset, l->v[k].bytes);
	}
	if (named)
		p->lanes += pd_passed_lanes(s, LLVMTypeOf(a), byval);
}

/* Returns whether any label may be passed. */
static bool pass_arguments(struct pd_sym *s, LLVMValueRef call, LLVMValueRef callee)
{
	struct passings p = {.out = pd_sym_goes_out(s, call, LLVMIsAFunction(callee))};
	unsigned named = LLVMCountParamTypes(LLVMGetCalledFunctionType(call)), k = 0;
	LLVMValueRef any = s->zero;

	for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
		add_argument(s, call, &p, i, i < named);
	for (unsigned i = 0; i < p.n; i++)
		any = LLVMBuildOr(s->m->b, any, p.v[i].label, "");
	if (pd_label_is_none(any))
		return false;
	for (unsigned i = 0; i < p.n; i++)
		if (p.v[i].lane >= 0)
			PD_SI_CALL(s, pass, any, pd_ir_const32(s->m, p.v[i].lane), p.v[i].label);
		else
			PD_SI_CALL(s, pass_variadic, any, pd_ir_const32(s->m, k++),
				   pd_ir_const32(s->m, p.v[i].offset),
				   pd_ir_const32(s->m, p.v[i].size), p.v[i].label);
	PD_SI_CALL(s, passed, any, callee, pd_ir_const32(s->m, p.lanes),
		   pd_ir_const32(s->m, p.nvariadic));
	return true;
}

/* ---- results --------------------------------------------------------------------------------- */

static void take_result(struct pd_sym *s, LLVMValueRef call, LLVMValueRef callee, bool passed)
{
	const struct pd_lanes *l = pd_lanes_of(s, LLVMTypeOf(call));
	LLVMValueRef behind = place_behind(call), taken;

	if (!behind || (!passed && !l))
		return;
	LLVMPositionBuilderBefore(s->m->b, behind);
	LLVMSetCurrentDebugLocation2(s->m->b, LLVMInstructionGetDebugLoc(call));
	taken = PD_SI_CALL(s, returned, pd_site_of(s->m, call, 0, 0), callee);
	for (unsigned k = 0; l && k < l->n && k < PD_SYM_RESULTS; k++)
		if (l->v[k].bits)
			pd_label_put(s, call, k,
				     PD_SI_CALL(s, result, taken, pd_ir_const32(s->m, k)));
}

/* ---- summaries ------------------------------------------------------------------------------- */

static bool is_scalar(struct pd_sym *s, LLVMTypeRef t)
{
	const struct pd_lanes *l = pd_lanes_of(s, t);

	return l && l->n == 1 && l->v[0].bits;
}

static void call_summary(struct pd_sym *s, LLVMValueRef call, int function)
{
	struct pd_ir *m = s->m;
	LLVMTypeRef type = LLVMArrayType2(m->t_i64, (sizeof(struct pd_sym_call) + 7) / 8);
	LLVMValueRef record = pd_ir_temp(m, call, type, 1), behind = place_behind(call);
	unsigned n = LLVMGetNumArgOperands(call);
	struct pd_sval r;

	LLVMPositionBuilderBefore(m->b, call);
	for (unsigned i = 0; i < n; i++) {
		LLVMValueRef a = LLVMGetOperand(call, i);
		struct pd_sval v = pd_sval_const(s, 64, 0);

		if (is_scalar(s, LLVMTypeOf(a)))
			v = pd_lane(s, a, 0);
		if (i < SUMMARY_ARGUMENTS)
			PD_SI_CALL(s, call_argument, record, pd_ir_const32(m, i), v.l,
				   pd_word(s, v.v));
		else
			pd_pin_value(s, call, a, PD_SYM_WHY_CALL);
	}
	PD_SI_CALL(s, calling, record, pd_site_of(m, call, 0, 0), pd_ir_const32(m, function),
		   pd_ir_const32(m, PD_MIN(n, SUMMARY_ARGUMENTS)));
	if (!behind)
		return;
	LLVMPositionBuilderBefore(m->b, behind);
	LLVMSetCurrentDebugLocation2(m->b, LLVMInstructionGetDebugLoc(call));
	r = pd_sval_const(s, 64, 0);
	if (is_scalar(s, LLVMTypeOf(call)))
		r = (struct pd_sval){pd_lane_value(s, call, 0), s->zero,
				     pd_lanes_of(s, LLVMTypeOf(call))->v[0].bits};
	else
		r.w = 0;
	r.l = PD_SI_CALL(s, called, record, pd_word(s, r.v), pd_ir_const32(m, r.w));
	if (r.w)
		pd_label_put(s, call, 0, r.l);
}

/* ---- calls ----------------------------------------------------------------------------------- */

void pd_sym_call(struct pd_sym *s, LLVMValueRef i)
{
	LLVMValueRef callee = LLVMGetCalledValue(i), fn = LLVMIsAFunction(callee);
	int function = find_summary(fn);

	if (LLVMIsAInlineAsm(callee)) {
		pd_sym_asm(s, i);
		return;
	}
	if (fn && LLVMGetIntrinsicID(fn)) {
		pd_sym_intrinsic(s, i, fn);
		return;
	}
	if (function >= 0) {
		call_summary(s, i, function);
		return;
	}
	pd_pin_value(s, i, callee, PD_SYM_WHY_INDIRECT);
	pd_sym_show_memory(s, i, callee);
	take_result(s, i, callee, pass_arguments(s, i, callee));
}
