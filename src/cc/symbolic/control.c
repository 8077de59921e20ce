/* control.c - see symbolic.h: entries and exits of functions, and branches. */
#include "cc/symbolic/symbolic.h"
#include <string.h>
#include "base/bug.h"

/* ---- entry and result ------------------------------------------------------------------------ */

static LLVMValueRef first_instruction(LLVMValueRef fn)
{
	LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(fn));

	while (LLVMIsAAllocaInst(i))
		i = LLVMGetNextInstruction(i);
	return i;
}

static unsigned parameter_lanes(struct pd_sym *s)
{
	unsigned n = 0;

	for (unsigned i = 0; i < LLVMCountParams(s->fn); i++)
		n += pd_passed_lanes(s, LLVMTypeOf(LLVMGetParam(s->fn, i)), pd_byval(s, s->fn, i));
	return n;
}

static LLVMValueRef argument(struct pd_sym *s, unsigned lane)
{
	return lane < PD_SYM_LANES ? PD_SI_CALL(s, argument, s->taken, pd_ir_const32(s->m, lane))
				   : s->zero;
}

/* The call itself made the copy: store its labels. */
static void take_byval(struct pd_sym *s, LLVMValueRef p, LLVMTypeRef type, unsigned lane)
{
	uint64_t size = LLVMStoreSizeOfType(s->m->layout, type);

	if (!pd_passed_lanes(s, s->m->t_ptr, type)) {
		PD_SI_CALL(s, clear, p, pd_ir_const64(s->m, size));
		return;
	}
	for (uint64_t at = 0; at < size; at += 8) {
		LLVMValueRef by = pd_ir_const64(s->m, at);

		PD_SI_CALL(s, take, LLVMBuildGEP2(s->m->b, s->m->t_i8, p, &by, 1, ""),
			   pd_ir_const32(s->m, (int64_t)PD_MIN(8, size - at)), argument(s, lane++));
	}
}

static bool asks_for_variadic(LLVMValueRef fn)
{
	if (!LLVMIsFunctionVarArg(LLVMGlobalGetValueType(fn)))
		return false;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
		     i = LLVMGetNextInstruction(i)) {
			LLVMValueRef f =
				LLVMIsACallInst(i) ? LLVMIsAFunction(LLVMGetCalledValue(i)) : NULL;

			if (f &&
			    LLVMGetIntrinsicID(f) == LLVMLookupIntrinsicID("llvm.va_start", 13))
				return true;
		}
	return false;
}

/* As in inline.c: a count, then entries. */
static LLVMTypeRef kept_type(struct pd_ir *m)
{
	size_t n = 8 + sizeof(((struct pd_sym_pass *)0)->variadic);

	return LLVMArrayType2(m->t_i64, (n + 7) / 8);
}

void pd_sym_enter(struct pd_sym *s)
{
	LLVMValueRef first = first_instruction(s->fn);
	LLVMTypeRef result = LLVMGetReturnType(LLVMGlobalGetValueType(s->fn));
	unsigned n = parameter_lanes(s), lane = 0;

	s->taken = s->zero;
	s->variadic = NULL;
	if (!n && !pd_lanes_of(s, result) && !asks_for_variadic(s->fn))
		return;
	if (asks_for_variadic(s->fn))
		s->variadic = pd_ir_temp(s->m, first, kept_type(s->m), 0);
	LLVMPositionBuilderBefore(s->m->b, first);
	s->taken = PD_SI_CALL(s, enter, s->fn, pd_ir_const32(s->m, n));
	for (unsigned i = 0; i < LLVMCountParams(s->fn); i++) {
		LLVMValueRef p = LLVMGetParam(s->fn, i);
		LLVMTypeRef byval = pd_byval(s, s->fn, i);
		const struct pd_lanes *l = pd_lanes_of(s, LLVMTypeOf(p));

		if (byval)
			take_byval(s, p, byval, lane);
		else
			for (unsigned k = 0; l && k < l->n; k++)
				if (l->v[k].bits)
					pd_label_put(s, p, k, argument(s, lane + k));
		lane += pd_passed_lanes(s, LLVMTypeOf(p), byval);
	}
	if (s->variadic)
		PD_SI_CALL(s, keep_variadic, s->taken, s->variadic);
}

static bool ends_before(LLVMValueRef variable)
{
	for (LLVMUseRef u = LLVMGetFirstUse(variable); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef user = LLVMGetUser(u);
		LLVMValueRef f =
			LLVMIsACallInst(user) ? LLVMIsAFunction(LLVMGetCalledValue(user)) : NULL;

		if (f && LLVMGetIntrinsicID(f) == LLVMLookupIntrinsicID("llvm.lifetime.end", 17))
			return true;
	}
	return false;
}

void pd_sym_variable(struct pd_sym *s, LLVMValueRef i)
{
	LLVMValueRef *e;

	if (!LLVMIsAConstantInt(LLVMGetOperand(i, 0)) || ends_before(i))
		return;
	e = pd_vec_push(&s->variables, &s->arena);
	PD_CHECK(e, "out of memory");
	*e = i;
}

static void forget(struct pd_sym *s, LLVMValueRef p, uint64_t size)
{
	if (size)
		PD_SI_CALL(s, clear, p, pd_ir_const64(s->m, size));
}

void pd_sym_leave(struct pd_sym *s)
{
	for (unsigned i = 0; i < LLVMCountParams(s->fn); i++) {
		LLVMTypeRef byval = pd_byval(s, s->fn, i);

		if (byval)
			forget(s, LLVMGetParam(s->fn, i), LLVMStoreSizeOfType(s->m->layout, byval));
	}
	for (uint32_t k = 0; k < s->variables.n; k++) {
		LLVMValueRef v = s->variables.v[k];
		uint64_t size = LLVMStoreSizeOfType(s->m->layout, LLVMGetAllocatedType(v));

		forget(s, v, size * LLVMConstIntGetZExtValue(LLVMGetOperand(v, 0)));
	}
}

/* Its result is the status of the program; nobody decides by it. */
static bool is_main(LLVMValueRef fn)
{
	size_t n;

	return strcmp(LLVMGetValueName2(fn, &n), "main") == 0;
}

void pd_sym_return(struct pd_sym *s, LLVMValueRef i)
{
	LLVMValueRef v = LLVMGetNumOperands(i) ? LLVMGetOperand(i, 0) : NULL, any = s->zero;
	LLVMValueRef before = LLVMGetPreviousInstruction(i);
	unsigned n = v && pd_labels_some(s, v) ? pd_lanes_count(s, LLVMTypeOf(v)) : 0;

	/* A musttail call must directly precede its return. The callee has already returned the
	 * labels */
	if (before && LLVMIsACallInst(before) &&
	    LLVMGetTailCallKind(before) == LLVMTailCallKindMustTail)
		return;
	pd_sym_leave(s);
	if (is_main(s->fn))
		return;
	for (unsigned k = 0; k < n && k < PD_SYM_RESULTS; k++)
		any = LLVMBuildOr(s->m->b, any, pd_label(s, v, k), "");
	for (unsigned k = PD_SYM_RESULTS; k < n; k++)
		if (!pd_label_is_none(pd_label(s, v, k)))
			pd_pin(s, i, pd_lane(s, v, k), PD_SYM_WHY_CALL);
	if (pd_label_is_none(any))
		return;
	for (unsigned k = 0; k < n && k < PD_SYM_RESULTS; k++)
		PD_SI_CALL(s, give, any, pd_ir_const32(s->m, k), pd_label(s, v, k));
	PD_SI_CALL(s, given, any, s->fn);
}

/* ---- branches -------------------------------------------------------------------------------- */

static void decide(struct pd_sym *s, LLVMValueRef i, struct pd_sval c)
{
	if (!pd_label_is_none(c.l))
		PD_SI_CALL(s, branch, pd_site_of(s->m, i, 0, 0), c.l, c.v);
}

void pd_sym_branch(struct pd_sym *s, LLVMValueRef i)
{
	if (LLVMIsConditional(i) && LLVMGetSuccessor(i, 0) != LLVMGetSuccessor(i, 1))
		decide(s, i, pd_lane(s, LLVMGetCondition(i), 0));
}

/* Division by 0, and of the least number by -1, ends the program: a branch like any other. */
void pd_sym_divide(struct pd_sym *s, LLVMValueRef i)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(i);
	LLVMValueRef x = LLVMGetOperand(i, 0), y = LLVMGetOperand(i, 1);
	LLVMTypeRef t = LLVMTypeOf(i);
	struct pd_sval a, b, least, both;

	if (LLVMGetTypeKind(t) != LLVMIntegerTypeKind || pd_lanes_count(s, t) != 1 ||
	    LLVMIsAConstantInt(y))
		return;
	a = pd_lane(s, x, 0);
	b = pd_lane(s, y, 0);
	decide(s, i, pd_sval_binary(s, PD_SYM_EQ, b, pd_sval_const(s, b.w, 0)));
	if (op != LLVMSDiv && op != LLVMSRem)
		return;
	least = pd_sval_const(s, a.w, 1ULL << (a.w - 1));
	both = pd_sval_binary(s, PD_SYM_AND, pd_sval_binary(s, PD_SYM_EQ, a, least),
			      pd_sval_binary(s, PD_SYM_EQ, b, pd_sval_const(s, b.w, ~0ULL)));
	decide(s, i, both);
}

/* ---- switches -------------------------------------------------------------------------------- */

static LLVMValueRef global(struct pd_ir *m, LLVMValueRef init)
{
	LLVMValueRef g = LLVMAddGlobal(m->mod, LLVMTypeOf(init), "");

	LLVMSetInitializer(g, init);
	LLVMSetLinkage(g, LLVMPrivateLinkage);
	LLVMSetGlobalConstant(g, 1);
	return g;
}

/* A number per distinct target block; that of the default is 0. */
static unsigned target_number(LLVMValueRef i, unsigned successor, const unsigned *of, unsigned *n)
{
	LLVMBasicBlockRef b = LLVMGetSuccessor(i, successor);

	for (unsigned k = 0; k < successor; k++)
		if (LLVMGetSuccessor(i, k) == b)
			return of[k];
	return (*n)++;
}

static LLVMValueRef switch_table(struct pd_sym *s, LLVMValueRef i, unsigned width)
{
	struct pd_ir *m = s->m;
	unsigned n = LLVMGetNumSuccessors(i), targets = 0;
	unsigned *of = pd_new_array(&s->arena, unsigned, n);
	LLVMValueRef *value = pd_new_array(&s->arena, LLVMValueRef, n);
	LLVMValueRef *target = pd_new_array(&s->arena, LLVMValueRef, n);

	PD_CHECK(of && value && target, "out of memory");
	for (unsigned k = 0; k < n; k++) {
		of[k] = target_number(i, k, of, &targets);
		if (!k)
			continue;
		/* Operands: the condition, the default, then pairs */
		value[k - 1] = pd_ir_const64(m, LLVMConstIntGetZExtValue(LLVMGetOperand(i, 2 * k)));
		target[k - 1] = pd_ir_const32(m, of[k]);
	}
	LLVMValueRef f[] = {pd_ir_const32(m, n - 1), pd_ir_const32(m, width),
			    pd_ir_const32(m, targets),
			    global(m, LLVMConstArray2(m->t_i64, value, n - 1)),
			    global(m, LLVMConstArray2(m->t_i32, target, n - 1))};

	return global(m, LLVMConstStructInContext(m->ctx, f, PD_LEN(f), 0));
}

void pd_sym_switch(struct pd_sym *s, LLVMValueRef i)
{
	LLVMValueRef on = LLVMGetOperand(i, 0);
	struct pd_sval v;

	if (!pd_labels_some(s, on) || LLVMGetNumSuccessors(i) < 2)
		return;
	if (pd_lanes_count(s, LLVMTypeOf(on)) != 1) {
		pd_pin_value(s, i, on, PD_SYM_WHY_OPERATOR);
		return;
	}
	v = pd_lane(s, on, 0);
	PD_SI_CALL(s, switch, pd_site_of(s->m, i, 0, 0), v.l, pd_word(s, v.v),
		   switch_table(s, i, v.w));
}
