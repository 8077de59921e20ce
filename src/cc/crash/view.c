/*
 * view.c - loads whose value is only compared.
 *
 *	while (i < x->n && x->item[i].key != key)     i < n, and whether key is this one
 *	if (page->counter % 2)                        its lowest bit
 *
 * All uses of a load are followed, through arithmetic with constants, to comparisons with what is
 * known when it loads: constants, values that dominate the load, and arithmetic on these. (A value
 * that dominates a load is the same when the loaded value is used: to change it, the load would
 * have to be executed again.) If there are no other uses, the load records them in a view
 * (event/view.h), and the program cannot distinguish two values that compare alike, whatever the
 * optimiser does. Arithmetic that narrows a value may be used in any way: then the whole narrow
 * value is part of the view.
 *
 * Arithmetic without a result for some values (it must not overflow, it must be exact) ends the
 * analysis: there the resulting program need not do what is computed here.
 *
 * This is done before instrumenting, when the module corresponds to the source. Values that are
 * compared with must survive until then: an `assume` before the load holds them, and is removed
 * again.
 *
 * Precision lost: values that go through phis, selects, memory or calls; comparisons with what is
 * loaded later, but for what an argument points to; more than two values to compare with, or more
 * than eight comparisons.
 */
#include "cc/flow.h"
#include "cc/crash/crash.h"
#include <string.h>

#define TAG "perdure.view"

enum { DEPTH = 6 };

/* The load under analysis, and what its uses showed. */
struct views {
	struct pd_ir *m;
	struct pd_flow flow;
	LLVMValueRef load;
	struct pd_view_step step[PD_VIEW_STEPS];
	uint32_t steps, compared, parts, operands;
	LLVMValueRef operand[PD_VIEW_OPERANDS];
};

/* The steps from the loaded value to one derived from it. */
struct chain {
	struct pd_view_step step[DEPTH];
	uint32_t n;
	uint32_t bits;
};

/* ---- values --------------------------------------------------------------------------------- */

/* 0: neither an integer of up to 64 bits nor a pointer. */
static uint32_t bits_of(LLVMValueRef v)
{
	LLVMTypeRef t = LLVMTypeOf(v);

	if (LLVMGetTypeKind(t) == LLVMPointerTypeKind)
		return LLVMGetPointerAddressSpace(t) ? 0 : 64;
	if (LLVMGetTypeKind(t) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(t) > 64)
		return 0;
	return LLVMGetIntTypeWidth(t);
}

static bool constant_of(LLVMValueRef v, uint64_t *c)
{
	if (LLVMIsAConstantPointerNull(v))
		*c = 0;
	else if (LLVMIsAConstantInt(v))
		*c = LLVMConstIntGetZExtValue(v);
	else
		return false;
	return true;
}

static bool comes_before(LLVMValueRef v, LLVMValueRef load)
{
	for (; v && v != load; v = LLVMGetNextInstruction(v))
		;
	return v == load;
}

/* Known whenever the load is executed, and unchanged until it is executed again. */
static bool is_known(const struct views *f, LLVMValueRef v)
{
	LLVMBasicBlockRef at, to = LLVMGetInstructionParent(f->load);
	uint32_t a, b;

	if (LLVMIsAArgument(v) || LLVMIsAGlobalValue(v))
		return bits_of(v) != 0;
	if (!LLVMIsAInstruction(v) || v == f->load)
		return false;
	at = LLVMGetInstructionParent(v);
	if (at == to)
		return comes_before(v, f->load);
	/* The result of an invoke is not available in all blocks that its own block dominates. */
	if (LLVMIsATerminatorInst(v))
		return false;
	a = pd_flow_number(&f->flow, at);
	b = pd_flow_number(&f->flow, to);
	return a != PD_FLOW_NONE && b != PD_FLOW_NONE && pd_flow_dominates(&f->flow, a, b);
}

static bool is_plain(LLVMValueRef load)
{
	return !LLVMGetVolatile(load) && LLVMGetOrdering(load) == LLVMAtomicOrderingNotAtomic;
}

/* Whether nothing but plain loads and computing is between the two. */
static bool only_reads_between(LLVMValueRef from, LLVMValueRef to)
{
	for (LLVMValueRef i = LLVMGetNextInstruction(from); i && i != to;
	     i = LLVMGetNextInstruction(i))
		if (LLVMIsATerminatorInst(i) || LLVMIsACallInst(i) || LLVMIsAStoreInst(i) ||
		    LLVMIsAFenceInst(i) || LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i) ||
		    LLVMIsAVAArgInst(i) || (LLVMIsALoadInst(i) && !is_plain(i)))
			return false;
	return comes_before(from, to);
}

/*
 * A load of what an argument points to, right after the load under analysis, as in
 * `x->item[i].key == key` where key is a reference. Both are plain, so it may as well come first.
 */
static bool can_come_first(const struct views *f, LLVMValueRef v)
{
	return LLVMIsALoadInst(v) && is_plain(v) && is_plain(f->load) && bits_of(v) &&
	       LLVMGetInstructionParent(v) == LLVMGetInstructionParent(f->load) &&
	       LLVMIsAArgument(LLVMGetOperand(v, 0)) &&
	       !LLVMIsAArgument(LLVMGetOperand(f->load, 0)) && only_reads_between(f->load, v);
}

/* Arithmetic on such values that can be done at any time: the source may have it after the load. */
static bool can_be_known(const struct views *f, LLVMValueRef v, unsigned depth)
{
	uint64_t c;

	if (constant_of(v, &c) || is_known(f, v))
		return true;
	if (!depth || !LLVMIsAInstruction(v) || !bits_of(v))
		return false;
	if (can_come_first(f, v))
		return true;
	switch ((int)LLVMGetInstructionOpcode(v)) {
	case LLVMTrunc:
	case LLVMZExt:
	case LLVMSExt:
	case LLVMPtrToInt:
	case LLVMIntToPtr:
		return can_be_known(f, LLVMGetOperand(v, 0), depth - 1);
	case LLVMAdd:
	case LLVMSub:
	case LLVMAnd:
	case LLVMOr:
	case LLVMXor:
		return can_be_known(f, LLVMGetOperand(v, 0), depth - 1) &&
		       can_be_known(f, LLVMGetOperand(v, 1), depth - 1);
	default:
		return false;
	}
}

/* The value, or a copy of its computation, before the load, where the builder is. A load is moved
 * there. */
static LLVMValueRef make_known(const struct views *f, LLVMValueRef v)
{
	LLVMValueRef like;
	uint64_t c;

	if (constant_of(v, &c) || is_known(f, v))
		return v;
	if (LLVMIsALoadInst(v)) { /* not a copy: another thread may store between the two */
		LLVMInstructionRemoveFromParent(v);
		LLVMInsertIntoBuilder(f->m->b, v);
		return v;
	}
	like = LLVMInstructionClone(v);
	for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(v); i++)
		LLVMSetOperand(like, i, make_known(f, LLVMGetOperand(v, i)));
	LLVMInsertIntoBuilder(f->m->b, like);
	return like;
}

/* ---- terms ---------------------------------------------------------------------------------- */

static bool is_there(const struct views *f, const struct pd_view_step *term, uint32_t n)
{
	for (uint32_t at = 0; at + n <= f->steps; at++)
		if ((!at || f->step[at - 1].op >= PD_VIEW_BITS) &&
		    memcmp(&f->step[at], term, n * sizeof(*term)) == 0)
			return true;
	return false;
}

/* Adds a comparison to the view; false: too many. */
static bool add_term(struct views *f, const struct chain *c, struct pd_view_step end)
{
	struct pd_view_step term[DEPTH + 1];
	uint32_t n = c->n + 1, *count = end.op == PD_VIEW_BITS ? &f->parts : &f->compared;

	memcpy(term, c->step, c->n * sizeof(*term));
	end.bits = (uint8_t)c->bits;
	term[c->n] = end;
	if (is_there(f, term, n))
		return true;
	if (f->steps + n > PD_VIEW_STEPS ||
	    *count == (end.op == PD_VIEW_BITS ? PD_VIEW_PARTS : PD_VIEW_COMPARED))
		return false;
	memcpy(&f->step[f->steps], term, n * sizeof(*term));
	f->steps += n;
	++*count;
	return true;
}

/* 1 + its number; 0: too many, or unknown at the load. */
static uint32_t operand_of(struct views *f, LLVMValueRef v)
{
	for (uint32_t i = 0; i < f->operands; i++)
		if (f->operand[i] == v)
			return i + 1;
	if (f->operands == PD_VIEW_OPERANDS || !can_be_known(f, v, DEPTH))
		return 0;
	f->operand[f->operands++] = v;
	return f->operands;
}

/* The comparison as "value OP other", or as its negation, which is equivalent. */
static bool comparison(LLVMIntPredicate p, bool first, uint8_t *op)
{
	switch (p) {
	case LLVMIntEQ:
	case LLVMIntNE:
		*op = PD_VIEW_EQ;
		return true;
	case LLVMIntULT:
	case LLVMIntUGE:
		*op = first ? PD_VIEW_ULT : PD_VIEW_ULE;
		return true;
	case LLVMIntULE:
	case LLVMIntUGT:
		*op = first ? PD_VIEW_ULE : PD_VIEW_ULT;
		return true;
	case LLVMIntSLT:
	case LLVMIntSGE:
		*op = first ? PD_VIEW_SLT : PD_VIEW_SLE;
		return true;
	case LLVMIntSLE:
	case LLVMIntSGT:
		*op = first ? PD_VIEW_SLE : PD_VIEW_SLT;
		return true;
	}
	return false;
}

static bool see_comparison(struct views *f, LLVMValueRef v, LLVMValueRef icmp,
			   const struct chain *c)
{
	bool first = LLVMGetOperand(icmp, 0) == v;
	LLVMValueRef other = LLVMGetOperand(icmp, first);
	struct pd_view_step end = {0};

	if (other == v || !comparison(LLVMGetICmpPredicate(icmp), first, &end.op))
		return false;
	if (!constant_of(other, &end.c)) {
		end.with = (uint8_t)operand_of(f, other);
		if (!end.with)
			return false;
	}
	return add_term(f, c, end);
}

static bool see_cases(struct views *f, LLVMValueRef sw, const struct chain *c)
{
	for (unsigned i = 2; i < (unsigned)LLVMGetNumOperands(sw); i += 2) {
		struct pd_view_step end = {.op = PD_VIEW_EQ};

		if (!constant_of(LLVMGetOperand(sw, i), &end.c) || !add_term(f, c, end))
			return false;
	}
	return true;
}

/* ---- arithmetic ----------------------------------------------------------------------------- */

/* A step whose second operand is a constant. */
static bool step_by(LLVMValueRef inst, uint32_t bits, struct pd_view_step *s, bool *narrows)
{
	if (!constant_of(LLVMGetOperand(inst, 1), &s->c))
		return false;
	*narrows = true;
	switch ((int)LLVMGetInstructionOpcode(inst)) {
	case LLVMAnd:
		s->op = PD_VIEW_AND;
		return true;
	case LLVMOr:
		s->op = PD_VIEW_OR;
		return true;
	case LLVMXor:
		s->op = PD_VIEW_XOR;
		*narrows = false;
		return true;
	case LLVMAdd:
	case LLVMSub:
		s->op = PD_VIEW_ADD;
		if (LLVMGetInstructionOpcode(inst) == LLVMSub)
			s->c = -s->c;
		*narrows = false;
		return !LLVMGetNUW(inst) && !LLVMGetNSW(inst);
	case LLVMShl:
		s->op = PD_VIEW_SHL;
		return s->c < bits && !LLVMGetNUW(inst) && !LLVMGetNSW(inst);
	case LLVMLShr:
		s->op = PD_VIEW_LSHR;
		return s->c < bits && !LLVMGetExact(inst);
	case LLVMAShr:
		s->op = PD_VIEW_ASHR;
		return s->c < bits && !LLVMGetExact(inst);
	case LLVMUDiv:
		s->op = PD_VIEW_UDIV;
		return s->c && !LLVMGetExact(inst);
	case LLVMURem:
		s->op = PD_VIEW_UREM;
		return s->c != 0;
	default:
		return false;
	}
}

/* The step that the instruction applies to v. False: unknown. */
static bool step_of(LLVMValueRef v, LLVMValueRef inst, uint32_t bits, struct pd_view_step *s,
		    bool *narrows)
{
	uint32_t to = bits_of(inst);

	*s = (struct pd_view_step){.op = PD_VIEW_CAST, .bits = (uint8_t)to};
	*narrows = false;
	if (!to || LLVMGetOperand(inst, 0) != v)
		return false;
	switch ((int)LLVMGetInstructionOpcode(inst)) {
	case LLVMTrunc:
		*narrows = true;
		return true;
	case LLVMZExt:
		return !LLVMGetNNeg(inst);
	case LLVMSExt:
		s->op = PD_VIEW_SEXT;
		return true;
	case LLVMPtrToInt:
	case LLVMIntToPtr:
		*narrows = to < bits;
		return true;
	case LLVMFreeze:
		return true;
	case LLVMBitCast:
		return to == bits;
	default:
		return LLVMIsABinaryOperator(inst) && step_by(inst, bits, s, narrows);
	}
}

static bool see_uses(struct views *f, LLVMValueRef v, const struct chain *c);

static bool see_step(struct views *f, LLVMValueRef v, LLVMValueRef inst, const struct chain *c)
{
	struct chain further = *c;
	struct views before = *f;
	struct pd_view_step s;
	bool narrows;

	if (c->n == DEPTH || !step_of(v, inst, c->bits, &s, &narrows))
		return false;
	s.bits = (uint8_t)bits_of(inst);
	further.step[further.n++] = s;
	further.bits = s.bits;
	if (see_uses(f, inst, &further))
		return true;
	*f = before;
	return narrows && add_term(f, &further, (struct pd_view_step){.op = PD_VIEW_BITS});
}

/* Whether terms can express all uses of v. */
static bool see_uses(struct views *f, LLVMValueRef v, const struct chain *c)
{
	for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef user = LLVMGetUser(u);
		bool seen = LLVMIsAICmpInst(user)      ? see_comparison(f, v, user, c)
			    : LLVMIsASwitchInst(user)  ? see_cases(f, user, c)
			    : LLVMIsAInstruction(user) ? see_step(f, v, user, c)
						       : false;

		if (!seen)
			return false;
	}
	return true;
}

/* ---- what the load says --------------------------------------------------------------------- */

static LLVMValueRef view_global(const struct views *f)
{
	struct pd_ir *m = f->m;
	LLVMTypeRef i8 = m->t_i8, i16 = pd_ir_int(m, 2);
	LLVMValueRef none = LLVMConstNull(LLVMArrayType2(i8, 5)), steps[PD_VIEW_STEPS], g;
	LLVMTypeRef t = NULL;

	for (uint32_t i = 0; i < f->steps; i++) {
		const struct pd_view_step *s = &f->step[i];
		LLVMValueRef v[] = {LLVMConstInt(i8, s->op, 0), LLVMConstInt(i8, s->bits, 0),
				    LLVMConstInt(i8, s->with, 0), none, pd_ir_const64(m, s->c)};

		steps[i] = LLVMConstStructInContext(m->ctx, v, PD_LEN(v), 0);
		t = LLVMTypeOf(steps[i]);
	}
	LLVMValueRef all[] = {LLVMConstInt(i16, f->steps, 0),
			      LLVMConstInt(i8, bits_of(f->load) / 8, 0),
			      LLVMConstInt(i8, f->parts, 0), LLVMConstNull(LLVMArrayType2(i8, 4)),
			      LLVMConstArray2(t, steps, f->steps)};

	g = LLVMConstStructInContext(m->ctx, all, PD_LEN(all), 0);
	none = LLVMAddGlobal(m->mod, LLVMTypeOf(g), "__pd_view");
	LLVMSetInitializer(none, g);
	LLVMSetLinkage(none, LLVMPrivateLinkage);
	LLVMSetGlobalConstant(none, 1);
	LLVMSetUnnamedAddress(none, LLVMGlobalUnnamedAddr);
	return none;
}

/* Records the view and the compared values before the load. */
static void note_view(struct views *f)
{
	struct pd_ir *m = f->m;
	LLVMValueRef assume = LLVMGetIntrinsicDeclaration(
		m->mod, LLVMLookupIntrinsicID("llvm.assume", 11), NULL, 0);
	LLVMValueRef is = LLVMConstInt(m->t_i1, 1, 0), said[1 + PD_VIEW_OPERANDS];
	LLVMOperandBundleRef bundle;

	LLVMPositionBuilderBefore(m->b, f->load);
	said[0] = view_global(f);
	for (uint32_t i = 0; i < f->operands; i++)
		said[1 + i] = make_known(f, f->operand[i]);
	bundle = LLVMCreateOperandBundle(TAG, sizeof(TAG) - 1, said, 1 + f->operands);
	LLVMBuildCallWithOperandBundles(m->b, LLVMGlobalGetValueType(assume), assume, &is, 1,
					&bundle, 1, "");
	LLVMDisposeOperandBundle(bundle);
}

static void find(struct views *f, LLVMValueRef load)
{
	struct chain all = {.bits = bits_of(load)};

	if (!all.bits || all.bits % 8 || (all.bits & (all.bits - 1)) ||
	    pd_ir_not_pm(f->m, LLVMGetOperand(load, 0)))
		return;
	f->load = load;
	f->steps = f->compared = f->parts = f->operands = 0;
	if (see_uses(f, load, &all) && f->steps)
		note_view(f);
}

static void find_in(struct pd_ir *m, LLVMValueRef fn)
{
	struct pd_arena arena;
	struct views f = {.m = m, .flow = {.arena = &arena}};

	pd_arena_init(&arena, m->arena.host);
	pd_flow_find(&f.flow, fn);
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			if (LLVMIsALoadInst(i))
				find(&f, i);
	pd_arena_finish(&arena);
}

void pd_views_find(struct pd_ir *m)
{
	for (LLVMValueRef fn = LLVMGetFirstFunction(m->mod); fn; fn = LLVMGetNextFunction(fn))
		if (!LLVMIsDeclaration(fn) && !pd_ir_calls_setjmp(m, fn))
			find_in(m, fn);
}

/* ---- where the load becomes an event -------------------------------------------------------- */

bool pd_view_take(struct pd_ir *m, LLVMValueRef load, LLVMValueRef said[])
{
	LLVMValueRef note = LLVMGetPreviousInstruction(load);
	LLVMOperandBundleRef bundle;
	unsigned n = 0;
	size_t len;

	if (!note || !LLVMIsACallInst(note) || LLVMGetNumOperandBundles(note) != 1)
		return false;
	bundle = LLVMGetOperandBundleAtIndex(note, 0);
	if (strcmp(LLVMGetOperandBundleTag(bundle, &len), TAG) == 0)
		n = LLVMGetNumOperandBundleArgs(bundle);
	for (unsigned i = 0; i < 1 + PD_VIEW_OPERANDS; i++)
		said[i] = i < n ? LLVMGetOperandBundleArgAtIndex(bundle, i) : pd_ir_const64(m, 0);
	LLVMDisposeOperandBundle(bundle);
	if (n)
		LLVMInstructionEraseFromParent(note);
	return n != 0;
}
