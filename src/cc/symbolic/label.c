/*
 * label.c - labels of values that are computed from others: arithmetic, casts, vectors, structs.
 *
 * struct pd_sval is a value with its label; expressions of several operators are built from these.
 * Code for values that only labels need is emitted like any other; the optimiser removes it where
 * it is unused.
 */
#include "cc/symbolic/symbolic.h"
#include "base/bug.h"

/* ---- labels of values ------------------------------------------------------------------------ */

bool pd_label_is_none(LLVMValueRef label)
{
	return LLVMIsAConstantInt(label) && !LLVMConstIntGetZExtValue(label);
}

LLVMValueRef pd_label(struct pd_sym *s, LLVMValueRef v, unsigned k)
{
	uint64_t *known = pd_may(s, v) ? pd_map_get(&s->labels, (uintptr_t)v >> 1) : NULL;
	LLVMValueRef *l = known ? (LLVMValueRef *)(uintptr_t)*known : NULL;

	return l && l[k] ? l[k] : s->zero;
}

void pd_label_put(struct pd_sym *s, LLVMValueRef v, unsigned k, LLVMValueRef label)
{
	uint64_t *known;
	LLVMValueRef *l;

	if (!pd_may(s, v))
		return;
	known = pd_map_put(&s->labels, &s->arena, (uintptr_t)v >> 1);
	PD_CHECK(known, "out of memory");
	if (!*known) {
		unsigned n = pd_lanes_count(s, LLVMTypeOf(v));

		l = pd_new_array(&s->arena, LLVMValueRef, n);
		PD_CHECK(l, "out of memory");
		for (unsigned i = 0; i < n; i++)
			l[i] = NULL;
		*known = (uintptr_t)l;
	}
	((LLVMValueRef *)(uintptr_t)*known)[k] = label;
}

bool pd_labels_some(struct pd_sym *s, LLVMValueRef v)
{
	unsigned n = pd_may(s, v) ? pd_lanes_count(s, LLVMTypeOf(v)) : 0;

	for (unsigned k = 0; k < n; k++)
		if (!pd_label_is_none(pd_label(s, v, k)))
			return true;
	return false;
}

static void copy_lanes(struct pd_sym *s, LLVMValueRef to, unsigned at, LLVMValueRef from,
		       unsigned first, unsigned n)
{
	for (unsigned k = 0; k < n; k++)
		pd_label_put(s, to, at + k, pd_label(s, from, first + k));
}

/* ---- values with labels ---------------------------------------------------------------------- */

static LLVMTypeRef type_of(struct pd_sym *s, unsigned w)
{
	return LLVMIntTypeInContext(s->m->ctx, w);
}

LLVMValueRef pd_word(struct pd_sym *s, LLVMValueRef v)
{
	return LLVMBuildIntCast2(s->m->b, v, s->m->t_i64, 0, "");
}

static LLVMValueRef how(struct pd_sym *s, uint32_t bits)
{
	return pd_ir_const32(s->m, bits);
}

struct pd_sval pd_sval_const(struct pd_sym *s, unsigned w, uint64_t v)
{
	return (struct pd_sval){LLVMConstInt(type_of(s, w), v, 0), s->zero, w};
}

LLVMValueRef pd_label_binary(struct pd_sym *s, enum pd_sym_op op, bool negate, struct pd_sval a,
			     struct pd_sval b)
{
	unsigned to = op >= PD_SYM_EQ && op <= PD_SYM_SLE ? 1 : a.w;

	if (pd_label_is_none(a.l) && pd_label_is_none(b.l))
		return s->zero;
	return PD_SI_CALL(s, binary, how(s, PD_SYM_HOW(op, a.w, to, 0, negate)), a.l, b.l,
			  pd_word(s, a.v), pd_word(s, b.v));
}

LLVMValueRef pd_label_compute(struct pd_sym *s, enum pd_sym_compute what, struct pd_sval a,
			      struct pd_sval b, struct pd_sval c)
{
	if (pd_label_is_none(a.l) && pd_label_is_none(b.l) && pd_label_is_none(c.l))
		return s->zero;
	return PD_SI_CALL(s, compute, how(s, PD_SYM_COMPUTE_HOW(what, a.w)), a.l, b.l, c.l,
			  pd_word(s, a.v), pd_word(s, b.v), pd_word(s, c.v));
}

/* Shifts by too much are undefined in LLVM; here they give 0, or all sign bits. */
static LLVMValueRef build_shift(struct pd_sym *s, LLVMOpcode op, struct pd_sval a, struct pd_sval b)
{
	LLVMBuilderRef bb = s->m->b;
	LLVMTypeRef t = type_of(s, a.w);
	LLVMValueRef fits = LLVMBuildICmp(bb, LLVMIntULT, b.v, LLVMConstInt(t, a.w, 0), "");
	LLVMValueRef by = LLVMBuildSelect(bb, fits, b.v,
					  LLVMConstInt(t, op == LLVMAShr ? a.w - 1 : 0, 0), "");
	LLVMValueRef r = LLVMBuildBinOp(bb, op, a.v, by, "");

	return op == LLVMAShr ? r : LLVMBuildSelect(bb, fits, r, LLVMConstInt(t, 0, 0), "");
}

static LLVMValueRef build_binary(struct pd_sym *s, enum pd_sym_op op, struct pd_sval a,
				 struct pd_sval b)
{
	LLVMBuilderRef bb = s->m->b;

	switch ((int)op) {
	case PD_SYM_ADD:
		return LLVMBuildAdd(bb, a.v, b.v, "");
	case PD_SYM_SUB:
		return LLVMBuildSub(bb, a.v, b.v, "");
	case PD_SYM_MUL:
		return LLVMBuildMul(bb, a.v, b.v, "");
	case PD_SYM_SHL:
		return build_shift(s, LLVMShl, a, b);
	case PD_SYM_LSHR:
		return build_shift(s, LLVMLShr, a, b);
	case PD_SYM_ASHR:
		return build_shift(s, LLVMAShr, a, b);
	case PD_SYM_AND:
		return LLVMBuildAnd(bb, a.v, b.v, "");
	case PD_SYM_OR:
		return LLVMBuildOr(bb, a.v, b.v, "");
	case PD_SYM_XOR:
		return LLVMBuildXor(bb, a.v, b.v, "");
	case PD_SYM_EQ:
		return LLVMBuildICmp(bb, LLVMIntEQ, a.v, b.v, "");
	case PD_SYM_ULT:
		return LLVMBuildICmp(bb, LLVMIntULT, a.v, b.v, "");
	case PD_SYM_ULE:
		return LLVMBuildICmp(bb, LLVMIntULE, a.v, b.v, "");
	case PD_SYM_SLT:
		return LLVMBuildICmp(bb, LLVMIntSLT, a.v, b.v, "");
	case PD_SYM_SLE:
		return LLVMBuildICmp(bb, LLVMIntSLE, a.v, b.v, "");
	default:
		PD_BUG("no operator of two operands that is computed here");
	}
}

struct pd_sval pd_sval_binary(struct pd_sym *s, enum pd_sym_op op, struct pd_sval a,
			      struct pd_sval b)
{
	unsigned to = op >= PD_SYM_EQ && op <= PD_SYM_SLE ? 1 : a.w;

	return (struct pd_sval){build_binary(s, op, a, b), pd_label_binary(s, op, false, a, b), to};
}

struct pd_sval pd_sval_not(struct pd_sym *s, struct pd_sval a)
{
	return pd_sval_binary(s, PD_SYM_XOR, a, pd_sval_const(s, a.w, ~0ULL));
}

static LLVMValueRef label_cast(struct pd_sym *s, enum pd_sym_op op, struct pd_sval a, unsigned to,
			       unsigned low)
{
	if (pd_label_is_none(a.l) || (a.w == to && !low))
		return a.l;
	return PD_SI_CALL(s, cast, how(s, PD_SYM_HOW(op, a.w, to, low, 0)), a.l, pd_word(s, a.v));
}

struct pd_sval pd_sval_resize(struct pd_sym *s, struct pd_sval a, unsigned w, bool is_signed)
{
	enum pd_sym_op op = w < a.w ? PD_SYM_EXTRACT : is_signed ? PD_SYM_SEXT : PD_SYM_ZEXT;

	return (struct pd_sval){LLVMBuildIntCast2(s->m->b, a.v, type_of(s, w), is_signed, ""),
				label_cast(s, op, a, w, 0), w};
}

static struct pd_sval extract(struct pd_sym *s, struct pd_sval a, unsigned low, unsigned w)
{
	LLVMValueRef v = LLVMBuildLShr(s->m->b, a.v, LLVMConstInt(type_of(s, a.w), low, 0), "");

	return (struct pd_sval){LLVMBuildIntCast2(s->m->b, v, type_of(s, w), 0, ""),
				label_cast(s, PD_SYM_EXTRACT, a, w, low), w};
}

/* If the condition has no label it selects one of the labels. It may be poison: freeze it for the
 * branch. */
static LLVMValueRef label_ite(struct pd_sym *s, struct pd_sval c, struct pd_sval a,
			      struct pd_sval b)
{
	LLVMBuilderRef bb = s->m->b;

	if (pd_label_is_none(c.l)) {
		if (pd_label_is_none(a.l) && pd_label_is_none(b.l))
			return s->zero;
		return LLVMBuildSelect(bb, LLVMBuildFreeze(bb, c.v, ""), a.l, b.l, "");
	}
	return PD_SI_CALL(s, ite, how(s, PD_SYM_HOW(PD_SYM_ITE, a.w, a.w, 0, 0)), c.l, a.l, b.l,
			  LLVMBuildZExt(bb, c.v, s->m->t_i8, ""), pd_word(s, a.v), pd_word(s, b.v));
}

struct pd_sval pd_sval_ite(struct pd_sym *s, struct pd_sval c, struct pd_sval a, struct pd_sval b)
{
	return (struct pd_sval){LLVMBuildSelect(s->m->b, c.v, a.v, b.v, ""), label_ite(s, c, a, b),
				a.w};
}

/* ---- pins ------------------------------------------------------------------------------------ */

void pd_pin(struct pd_sym *s, LLVMValueRef inst, struct pd_sval a, enum pd_sym_why why)
{
	if (pd_label_is_none(a.l))
		return;
	PD_SI_CALL(s, pin, pd_site_of(s->m, inst, 0, 0), a.l, pd_ir_const32(s->m, a.w),
		   pd_word(s, a.v), pd_ir_const32(s->m, why));
}

void pd_pin_value(struct pd_sym *s, LLVMValueRef inst, LLVMValueRef v, enum pd_sym_why why)
{
	unsigned n = pd_may(s, v) ? pd_lanes_count(s, LLVMTypeOf(v)) : 0;

	for (unsigned k = 0; k < n; k++)
		if (!pd_label_is_none(pd_label(s, v, k)))
			pd_pin(s, inst, pd_lane(s, v, k), why);
}

void pd_pin_operands(struct pd_sym *s, LLVMValueRef inst, enum pd_sym_why why)
{
	for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(inst); k++)
		pd_pin_value(s, inst, LLVMGetOperand(inst, k), why);
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

static int operator_of(LLVMOpcode op)
{
	static const struct {
		LLVMOpcode from;
		enum pd_sym_op to;
	} table[] = {
		{LLVMAdd, PD_SYM_ADD},	 {LLVMSub, PD_SYM_SUB},	  {LLVMMul, PD_SYM_MUL},
		{LLVMUDiv, PD_SYM_UDIV}, {LLVMSDiv, PD_SYM_SDIV}, {LLVMURem, PD_SYM_UREM},
		{LLVMSRem, PD_SYM_SREM}, {LLVMShl, PD_SYM_SHL},	  {LLVMLShr, PD_SYM_LSHR},
		{LLVMAShr, PD_SYM_ASHR}, {LLVMAnd, PD_SYM_AND},	  {LLVMOr, PD_SYM_OR},
		{LLVMXor, PD_SYM_XOR},
	};

	for (size_t i = 0; i < PD_LEN(table); i++)
		if (table[i].from == op)
			return table[i].to;
	return -1;
}

static bool is_wide(struct pd_sym *s, LLVMTypeRef t)
{
	if (LLVMGetTypeKind(t) == LLVMVectorTypeKind)
		t = LLVMGetElementType(t);
	return LLVMGetTypeKind(t) == LLVMIntegerTypeKind && pd_lanes_count(s, t) != 1;
}

static void binary(struct pd_sym *s, LLVMValueRef i)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(i);
	unsigned n = pd_lanes_count(s, LLVMTypeOf(i));

	if (op == LLVMUDiv || op == LLVMSDiv || op == LLVMURem || op == LLVMSRem)
		pd_sym_divide(s, i);
	if (is_wide(s, LLVMTypeOf(i))) {
		if (!pd_wide_binary(s, i, op))
			pd_pin_operands(s, i, PD_SYM_WHY_OPERATOR);
		return;
	}
	for (unsigned k = 0; k < n; k++)
		pd_label_put(s, i, k,
			     pd_label_binary(s, (enum pd_sym_op)operator_of(op), false,
					     pd_lane(s, LLVMGetOperand(i, 0), k),
					     pd_lane(s, LLVMGetOperand(i, 1), k)));
}

static void compare(struct pd_sym *s, LLVMValueRef i)
{
	static const struct {
		LLVMIntPredicate p;
		enum pd_sym_op op;
		bool swap, negate;
	} table[] = {
		{LLVMIntEQ, PD_SYM_EQ, false, false},	{LLVMIntNE, PD_SYM_EQ, false, true},
		{LLVMIntULT, PD_SYM_ULT, false, false}, {LLVMIntULE, PD_SYM_ULE, false, false},
		{LLVMIntUGT, PD_SYM_ULT, true, false},	{LLVMIntUGE, PD_SYM_ULE, true, false},
		{LLVMIntSLT, PD_SYM_SLT, false, false}, {LLVMIntSLE, PD_SYM_SLE, false, false},
		{LLVMIntSGT, PD_SYM_SLT, true, false},	{LLVMIntSGE, PD_SYM_SLE, true, false},
	};
	LLVMIntPredicate p = LLVMGetICmpPredicate(i);
	LLVMValueRef x = LLVMGetOperand(i, 0), y = LLVMGetOperand(i, 1);
	unsigned n = pd_lanes_count(s, LLVMTypeOf(i)), t = 0;

	if (is_wide(s, LLVMTypeOf(x))) {
		if (!pd_wide_compare(s, i))
			pd_pin_operands(s, i, PD_SYM_WHY_OPERATOR);
		return;
	}
	if (!pd_lanes_of(s, LLVMTypeOf(x))->v[0].bits)
		return;
	while (table[t].p != p)
		t++;
	for (unsigned k = 0; k < n; k++) {
		struct pd_sval a = pd_lane(s, x, k), b = pd_lane(s, y, k);

		pd_label_put(s, i, k,
			     pd_label_binary(s, table[t].op, table[t].negate, table[t].swap ? b : a,
					     table[t].swap ? a : b));
	}
}

/* ---- casts ----------------------------------------------------------------------------------- */

/* Or pointers of another address space. */
static bool has_floats(const struct pd_lanes *l)
{
	for (unsigned k = 0; k < l->n; k++)
		if (!l->v[k].bits)
			return true;
	return false;
}

/* For one scalar: lanes from `at` on become lanes from `to` on. */
static void cast_scalar(struct pd_sym *s, LLVMValueRef i, unsigned at, unsigned nfrom, unsigned to,
			unsigned nto, bool is_signed)
{
	LLVMValueRef x = LLVMGetOperand(i, 0);
	const struct pd_lanes *l = pd_lanes_of(s, LLVMTypeOf(i));
	struct pd_sval last = pd_lane(s, x, at + nfrom - 1);

	for (unsigned k = 0; k < nto; k++) {
		unsigned w = l->v[to + k].bits;

		if (k < nfrom)
			pd_label_put(s, i, to + k,
				     pd_sval_resize(s, pd_lane(s, x, at + k), w, is_signed).l);
		else if (is_signed)
			pd_label_put(s, i, to + k,
				     pd_sval_resize(s, extract(s, last, last.w - 1, 1), w, true).l);
	}
}

static void cast(struct pd_sym *s, LLVMValueRef i)
{
	LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(i, 0)), to = LLVMTypeOf(i);
	bool vector = LLVMGetTypeKind(to) == LLVMVectorTypeKind;
	unsigned n = vector ? LLVMGetVectorSize(to) : 1;
	unsigned nfrom, nto;

	if (!pd_lanes_of(s, from) || !pd_lanes_of(s, to) || has_floats(pd_lanes_of(s, from)) ||
	    has_floats(pd_lanes_of(s, to))) {
		pd_pin_operands(s, i, PD_SYM_WHY_OPERATOR);
		return;
	}
	nfrom = pd_lanes_count(s, from) / n;
	nto = pd_lanes_count(s, to) / n;
	for (unsigned k = 0; k < n; k++)
		cast_scalar(s, i, k * nfrom, nfrom, k * nto, nto,
			    LLVMGetInstructionOpcode(i) == LLVMSExt);
}

/* Bits [low, low + w) of a value that consists of integers, lowest lane first. */
static struct pd_sval bits_of(struct pd_sym *s, LLVMValueRef v, unsigned low, unsigned w)
{
	const struct pd_lanes *l = pd_lanes_of(s, LLVMTypeOf(v));
	struct pd_sval r = pd_sval_const(s, w, 0);
	unsigned at = 0;

	for (unsigned k = 0; k < l->n; at += l->v[k++].bits) {
		unsigned first = PD_MAX(at, low), end = PD_MIN(at + l->v[k].bits, low + w);
		struct pd_sval part;

		if (first >= end)
			continue;
		part = extract(s, pd_lane(s, v, k), first - at, end - first);
		part = pd_sval_resize(s, part, w, false);
		if (first > low)
			part = pd_sval_binary(s, PD_SYM_SHL, part,
					      pd_sval_const(s, w, first - low));
		r = at == 0 || first == low ? part : pd_sval_binary(s, PD_SYM_OR, r, part);
	}
	return r;
}

static void bitcast(struct pd_sym *s, LLVMValueRef i)
{
	LLVMValueRef x = LLVMGetOperand(i, 0);
	const struct pd_lanes *from = pd_lanes_of(s, LLVMTypeOf(x)),
			      *to = pd_lanes_of(s, LLVMTypeOf(i));
	unsigned low = 0;

	if (!from || !to || has_floats(from) || has_floats(to)) {
		pd_pin_operands(s, i, PD_SYM_WHY_FLOAT);
		return;
	}
	for (unsigned k = 0; k < to->n; low += to->v[k++].bits)
		pd_label_put(s, i, k, bits_of(s, x, low, to->v[k].bits).l);
}

/* ---- choice, vectors, structs ---------------------------------------------------------------- */

static void choose(struct pd_sym *s, LLVMValueRef i)
{
	LLVMValueRef c = LLVMGetOperand(i, 0), x = LLVMGetOperand(i, 1), y = LLVMGetOperand(i, 2);
	bool vector = LLVMGetTypeKind(LLVMTypeOf(c)) == LLVMVectorTypeKind;
	const struct pd_lanes *l = pd_lanes_of(s, LLVMTypeOf(i));
	unsigned each = vector && l ? l->n / LLVMGetVectorSize(LLVMTypeOf(c)) : 1;

	if (!l || has_floats(l)) {
		pd_pin_value(s, i, c, PD_SYM_WHY_FLOAT);
		if (!l)
			return;
	}
	for (unsigned k = 0; k < l->n; k++) {
		struct pd_sval on = pd_lane(s, c, vector ? k / each : 0);

		if (l->v[k].bits)
			pd_label_put(s, i, k, label_ite(s, on, pd_lane(s, x, k), pd_lane(s, y, k)));
	}
}

static unsigned lanes_each(struct pd_sym *s, LLVMTypeRef vector)
{
	return pd_lanes_count(s, LLVMGetElementType(vector));
}

/* The index is a constant, or its concrete value selects the label. */
static void extract_element(struct pd_sym *s, LLVMValueRef i)
{
	LLVMValueRef x = LLVMGetOperand(i, 0), at = LLVMGetOperand(i, 1);
	unsigned each = lanes_each(s, LLVMTypeOf(x)), n = LLVMGetVectorSize(LLVMTypeOf(x));
	LLVMBuilderRef b = s->m->b;

	pd_pin_value(s, i, at, PD_SYM_WHY_OPERATOR);
	for (unsigned k = 0; k < each; k++) {
		LLVMValueRef l = s->zero;

		if (LLVMIsAConstantInt(at)) {
			uint64_t e = LLVMConstIntGetZExtValue(at);

			l = e < n ? pd_label(s, x, (unsigned)e * each + k) : s->zero;
			pd_label_put(s, i, k, l);
			continue;
		}
		at = LLVMBuildFreeze(b, at, "");
		for (unsigned e = 0; e < n && pd_labels_some(s, x); e++)
			l = LLVMBuildSelect(b,
					    LLVMBuildICmp(b, LLVMIntEQ, at,
							  LLVMConstInt(LLVMTypeOf(at), e, 0), ""),
					    pd_label(s, x, e * each + k), l, "");
		pd_label_put(s, i, k, l);
	}
}

static void insert_element(struct pd_sym *s, LLVMValueRef i)
{
	LLVMValueRef x = LLVMGetOperand(i, 0), v = LLVMGetOperand(i, 1), at = LLVMGetOperand(i, 2);
	unsigned each = lanes_each(s, LLVMTypeOf(x)), n = LLVMGetVectorSize(LLVMTypeOf(x));
	LLVMBuilderRef b = s->m->b;
	LLVMValueRef is;

	pd_pin_value(s, i, at, PD_SYM_WHY_OPERATOR);
	if (!LLVMIsAConstantInt(at))
		at = LLVMBuildFreeze(b, at, "");
	for (unsigned e = 0; e < n; e++)
		for (unsigned k = 0; k < each; k++) {
			is = LLVMBuildICmp(b, LLVMIntEQ, at, LLVMConstInt(LLVMTypeOf(at), e, 0),
					   "");
			pd_label_put(s, i, e * each + k,
				     LLVMBuildSelect(b, is, pd_label(s, v, k),
						     pd_label(s, x, e * each + k), ""));
		}
}

static void shuffle(struct pd_sym *s, LLVMValueRef i)
{
	LLVMValueRef x = LLVMGetOperand(i, 0), y = LLVMGetOperand(i, 1);
	unsigned each = lanes_each(s, LLVMTypeOf(x));
	int n = (int)LLVMGetVectorSize(LLVMTypeOf(x));

	for (unsigned k = 0; k < LLVMGetNumMaskElements(i); k++) {
		int from = LLVMGetMaskValue(i, k);

		if (from == LLVMGetUndefMaskElem())
			continue;
		copy_lanes(s, i, k * each, from < n ? x : y,
			   (unsigned)(from < n ? from : from - n) * each, each);
	}
}

/* The first lane of what the indices of extractvalue or insertvalue select. */
static unsigned indexed(struct pd_sym *s, LLVMValueRef i, LLVMTypeRef t)
{
	const unsigned *index = LLVMGetIndices(i);
	unsigned first = 0;

	for (unsigned k = 0; k < LLVMGetNumIndices(i); k++) {
		first += pd_lanes_before(s, t, index[k]);
		t = LLVMGetTypeKind(t) == LLVMStructTypeKind ? LLVMStructGetTypeAtIndex(t, index[k])
							     : LLVMGetElementType(t);
	}
	return first;
}

static void extract_value(struct pd_sym *s, LLVMValueRef i)
{
	LLVMValueRef x = LLVMGetOperand(i, 0);

	if (pd_lanes_of(s, LLVMTypeOf(x)))
		copy_lanes(s, i, 0, x, indexed(s, i, LLVMTypeOf(x)),
			   pd_lanes_count(s, LLVMTypeOf(i)));
}

static void insert_value(struct pd_sym *s, LLVMValueRef i)
{
	LLVMValueRef x = LLVMGetOperand(i, 0), v = LLVMGetOperand(i, 1);

	if (!pd_lanes_of(s, LLVMTypeOf(i))) {
		pd_pin_value(s, i, v, PD_SYM_WHY_OPERATOR);
		return;
	}
	copy_lanes(s, i, 0, x, 0, pd_lanes_count(s, LLVMTypeOf(i)));
	copy_lanes(s, i, indexed(s, i, LLVMTypeOf(i)), v, 0, pd_lanes_count(s, LLVMTypeOf(v)));
}

bool pd_label_instruction(struct pd_sym *s, LLVMValueRef i)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(i);

	if (operator_of(op) >= 0) {
		binary(s, i);
		return true;
	}
	switch ((int)op) {
	case LLVMICmp:
		compare(s, i);
		return true;
	case LLVMTrunc:
	case LLVMZExt:
	case LLVMSExt:
	case LLVMPtrToInt:
	case LLVMIntToPtr:
		cast(s, i);
		return true;
	case LLVMBitCast:
		bitcast(s, i);
		return true;
	case LLVMUIToFP:
	case LLVMSIToFP:
		pd_pin_operands(s, i, PD_SYM_WHY_FLOAT);
		return true;
	case LLVMSelect:
		choose(s, i);
		return true;
	case LLVMFreeze:
		copy_lanes(s, i, 0, LLVMGetOperand(i, 0), 0, pd_lanes_count(s, LLVMTypeOf(i)));
		return true;
	case LLVMExtractElement:
		extract_element(s, i);
		return true;
	case LLVMInsertElement:
		insert_element(s, i);
		return true;
	case LLVMShuffleVector:
		shuffle(s, i);
		return true;
	case LLVMExtractValue:
		extract_value(s, i);
		return true;
	case LLVMInsertValue:
		insert_value(s, i);
		return true;
	default:
		return false;
	}
}
