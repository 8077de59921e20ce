/*
 * access.c - loads, stores and atomics; addresses, which are values like others.
 */
#include "cc/symbolic/symbolic.h"

static LLVMValueRef site(struct pd_sym *s, LLVMValueRef i)
{
	return pd_site_of(s->m, i, 0, 0);
}

static LLVMValueRef step(struct pd_sym *s, LLVMValueRef p, uint64_t offset)
{
	LLVMValueRef by = pd_ir_const64(s->m, offset);

	return offset ? LLVMBuildGEP2(s->m->b, s->m->t_i8, p, &by, 1, "") : p;
}

/* The label of an address `offset` bytes further. */
static LLVMValueRef label_of_step(struct pd_sym *s, LLVMValueRef p, uint64_t offset)
{
	if (!pd_labels_some(s, p))
		return s->zero;
	if (!offset)
		return pd_label(s, p, 0);
	return pd_label_binary(s, PD_SYM_ADD, false, pd_lane(s, p, 0),
			       pd_sval_const(s, 64, offset));
}

/* The label of n bytes that are about to be read, as an integer of `bits` bits. */
static LLVMValueRef label_of_memory(struct pd_sym *s, LLVMValueRef i, LLVMValueRef p,
				    uint64_t offset, unsigned bytes, unsigned bits)
{
	LLVMValueRef lp = label_of_step(s, p, offset), l;
	LLVMValueRef at = step(s, p, offset), n = pd_ir_const32(s->m, bytes);

	if (pd_label_is_none(lp))
		l = PD_SI_CALL(s, load, at, n);
	else
		l = PD_SI_CALL(s, load_at, site(s, i), lp, at, n);
	if (bits == bytes * 8)
		return l;
	/* The other bits do not matter: the value is unknown before the load */
	return PD_SI_CALL(s, cast,
			  pd_ir_const32(s->m, PD_SYM_HOW(PD_SYM_EXTRACT, bytes * 8, bits, 0, 0)), l,
			  pd_ir_const64(s->m, 0));
}

/* For values that have no labels, but whose memory may have some. */
static void pin_memory(struct pd_sym *s, LLVMValueRef i, LLVMValueRef p, uint64_t offset,
		       uint64_t bytes, enum pd_sym_why why)
{
	LLVMValueRef at = step(s, p, offset);

	pd_pin_value(s, i, p, PD_SYM_WHY_ADDRESS);
	if (bytes <= 8)
		PD_SI_CALL(s, load_pinned, site(s, i), at, pd_ir_const32(s->m, (int64_t)bytes),
			   pd_ir_const32(s->m, why));
	else
		PD_SI_CALL(s, pin_range, site(s, i), at, pd_ir_const64(s->m, bytes),
			   pd_ir_const32(s->m, why));
}

static bool is_foreign(LLVMValueRef p)
{
	return LLVMGetPointerAddressSpace(LLVMTypeOf(p)) != 0;
}

void pd_sym_load(struct pd_sym *s, LLVMValueRef i)
{
	LLVMValueRef p = LLVMGetOperand(i, 0);
	const struct pd_lanes *l = pd_lanes_of(s, LLVMTypeOf(i));

	if (is_foreign(p) || (!pd_may(s, p) && pd_is_constant_memory(p)))
		return;
	if (!l || l->packed) {
		pin_memory(s, i, p, 0, LLVMStoreSizeOfType(s->m->layout, LLVMTypeOf(i)),
			   PD_SYM_WHY_OPERATOR);
		return;
	}
	for (unsigned k = 0; k < l->n; k++)
		if (l->v[k].bits)
			pd_label_put(s, i, k,
				     label_of_memory(s, i, p, l->v[k].offset, l->v[k].bytes,
						     l->v[k].bits));
		else
			pin_memory(s, i, p, l->v[k].offset, l->v[k].bytes, PD_SYM_WHY_FLOAT);
}

/* n bytes are about to become this value. */
static void store(struct pd_sym *s, LLVMValueRef i, LLVMValueRef p, uint64_t offset, unsigned bytes,
		  struct pd_sval v)
{
	LLVMValueRef lp = label_of_step(s, p, offset), at = step(s, p, offset);
	LLVMValueRef n = pd_ir_const32(s->m, bytes), word = pd_word(s, v.v);

	if (pd_label_is_none(lp))
		PD_SI_CALL(s, store, at, n, v.l, word);
	else
		PD_SI_CALL(s, store_at, site(s, i), lp, at, n, v.l, word);
}

static void store_nothing(struct pd_sym *s, LLVMValueRef i, LLVMValueRef p, uint64_t offset,
			  uint64_t bytes)
{
	pd_pin_value(s, i, p, PD_SYM_WHY_ADDRESS);
	if (bytes <= 8)
		PD_SI_CALL(s, store, step(s, p, offset), pd_ir_const32(s->m, (int64_t)bytes),
			   s->zero, pd_ir_const64(s->m, 0));
	else
		PD_SI_CALL(s, clear, step(s, p, offset), pd_ir_const64(s->m, bytes));
}

void pd_sym_store(struct pd_sym *s, LLVMValueRef i)
{
	LLVMValueRef v = LLVMGetOperand(i, 0), p = LLVMGetOperand(i, 1);
	const struct pd_lanes *l = pd_lanes_of(s, LLVMTypeOf(v));

	if (is_foreign(p))
		return;
	if (!l || l->packed) {
		pd_pin_value(s, i, v, PD_SYM_WHY_OPERATOR);
		store_nothing(s, i, p, 0, LLVMStoreSizeOfType(s->m->layout, LLVMTypeOf(v)));
		return;
	}
	for (unsigned k = 0; k < l->n; k++)
		if (l->v[k].bits)
			store(s, i, p, l->v[k].offset, l->v[k].bytes, pd_lane(s, v, k));
		else
			store_nothing(s, i, p, l->v[k].offset, l->v[k].bytes);
}

/* ---- atomics --------------------------------------------------------------------------------- */

static LLVMValueRef scalar(struct pd_sym *s, LLVMValueRef v)
{
	return LLVMTypeOf(v) == s->m->t_ptr ? LLVMBuildPtrToInt(s->m->b, v, s->m->t_i64, "") : v;
}

/* An integer of up to 64 bits without padding bits. */
static bool is_plain(struct pd_sym *s, LLVMTypeRef t)
{
	const struct pd_lanes *l = pd_lanes_of(s, t);

	return l && l->n == 1 && !l->v[0].depth && l->v[0].bits &&
	       l->v[0].bits == l->v[0].bytes * 8;
}

/* The new value, computed from the old one; false: unknown. */
static bool rmw_result(struct pd_sym *s, LLVMAtomicRMWBinOp op, struct pd_sval a, struct pd_sval b,
		       struct pd_sval *r)
{
	static const struct {
		LLVMAtomicRMWBinOp from;
		enum pd_sym_op to;
		bool swap;
	} table[] = {
		{LLVMAtomicRMWBinOpAdd, PD_SYM_ADD, false},
		{LLVMAtomicRMWBinOpSub, PD_SYM_SUB, false},
		{LLVMAtomicRMWBinOpAnd, PD_SYM_AND, false},
		{LLVMAtomicRMWBinOpOr, PD_SYM_OR, false},
		{LLVMAtomicRMWBinOpXor, PD_SYM_XOR, false},
		{LLVMAtomicRMWBinOpMax, PD_SYM_SLT, true},
		{LLVMAtomicRMWBinOpMin, PD_SYM_SLT, false},
		{LLVMAtomicRMWBinOpUMax, PD_SYM_ULT, true},
		{LLVMAtomicRMWBinOpUMin, PD_SYM_ULT, false},
	};

	if (op == LLVMAtomicRMWBinOpXchg) {
		*r = b;
		return true;
	}
	if (op == LLVMAtomicRMWBinOpNand) {
		*r = pd_sval_not(s, pd_sval_binary(s, PD_SYM_AND, a, b));
		return true;
	}
	for (size_t i = 0; i < PD_LEN(table); i++) {
		if (table[i].from != op)
			continue;
		*r = pd_sval_binary(s, table[i].to, table[i].swap ? b : a, table[i].swap ? a : b);
		if (r->w != a.w || table[i].to >= PD_SYM_EQ)
			*r = pd_sval_ite(s, *r, a, b);
		return true;
	}
	return false;
}

static void give_up(struct pd_sym *s, LLVMValueRef i, LLVMValueRef p, LLVMTypeRef t)
{
	pd_pin_operands(s, i, PD_SYM_WHY_OPERATOR);
	pin_memory(s, i, p, 0, LLVMStoreSizeOfType(s->m->layout, t), PD_SYM_WHY_OPERATOR);
}

void pd_sym_rmw(struct pd_sym *s, LLVMValueRef i)
{
	LLVMValueRef p = LLVMGetOperand(i, 0), v = LLVMGetOperand(i, 1), l;
	const struct pd_lanes *lanes = pd_lanes_of(s, LLVMTypeOf(i));
	struct pd_sval old, new;

	if (!is_plain(s, LLVMTypeOf(i))) {
		give_up(s, i, p, LLVMTypeOf(i));
		return;
	}
	pd_pin_value(s, i, p, PD_SYM_WHY_ADDRESS);
	l = PD_SI_CALL(s, load, p, pd_ir_const32(s->m, lanes->v[0].bytes));
	pd_label_put(s, i, 0, l);
	LLVMPositionBuilderBefore(s->m->b, LLVMGetNextInstruction(i));
	old = (struct pd_sval){scalar(s, i), l, lanes->v[0].bits};
	if (!rmw_result(s, LLVMGetAtomicRMWBinOp(i), old, pd_lane(s, v, 0), &new)) {
		pd_pin(s, i, old, PD_SYM_WHY_OPERATOR);
		pd_pin_value(s, i, v, PD_SYM_WHY_OPERATOR);
		new = pd_sval_const(s, old.w, 0);
	}
	PD_SI_CALL(s, store, p, pd_ir_const32(s->m, lanes->v[0].bytes), new.l, pd_word(s, new.v));
}

void pd_sym_cas(struct pd_sym *s, LLVMValueRef i)
{
	LLVMValueRef p = LLVMGetOperand(i, 0), expected = LLVMGetOperand(i, 1), l;
	LLVMTypeRef t = LLVMTypeOf(expected);
	const struct pd_lanes *lanes = pd_lanes_of(s, t);
	struct pd_sval old, same, left;

	if (!is_plain(s, t)) {
		give_up(s, i, p, t);
		return;
	}
	pd_pin_value(s, i, p, PD_SYM_WHY_ADDRESS);
	l = PD_SI_CALL(s, load, p, pd_ir_const32(s->m, lanes->v[0].bytes));
	LLVMPositionBuilderBefore(s->m->b, LLVMGetNextInstruction(i));
	old = (struct pd_sval){scalar(s, LLVMBuildExtractValue(s->m->b, i, 0, "")), l,
			       lanes->v[0].bits};
	same = pd_sval_binary(s, PD_SYM_EQ, old, pd_lane(s, expected, 0));
	left = pd_sval_ite(s, same, pd_lane(s, LLVMGetOperand(i, 2), 0), old);
	pd_label_put(s, i, 0, l);
	pd_label_put(s, i, 1, same.l);
	PD_SI_CALL(s, store, p, pd_ir_const32(s->m, lanes->v[0].bytes), left.l, pd_word(s, left.v));
}

/* ---- addresses ------------------------------------------------------------------------------- */

/* The offset that one index contributes. */
static struct pd_sval indexed(struct pd_sym *s, LLVMValueRef index, uint64_t size)
{
	struct pd_sval v = pd_sval_resize(s, pd_lane(s, index, 0), 64, true);

	return size == 1 ? v : pd_sval_binary(s, PD_SYM_MUL, v, pd_sval_const(s, 64, size));
}

static bool is_scalar_gep(LLVMValueRef i)
{
	for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(i); k++)
		if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(i, k))) == LLVMVectorTypeKind)
			return false;
	return !is_foreign(i);
}

void pd_sym_gep(struct pd_sym *s, LLVMValueRef i)
{
	LLVMTypeRef t = LLVMGetGEPSourceElementType(i);
	LLVMTargetDataRef layout = s->m->layout;
	struct pd_sval sum;

	if (!is_scalar_gep(i)) {
		pd_pin_operands(s, i, PD_SYM_WHY_ADDRESS);
		return;
	}
	sum = pd_lane(s, LLVMGetOperand(i, 0), 0);
	for (unsigned k = 1; k < (unsigned)LLVMGetNumOperands(i); k++) {
		LLVMValueRef index = LLVMGetOperand(i, k);
		struct pd_sval by;

		if (k > 1 && LLVMGetTypeKind(t) == LLVMStructTypeKind) {
			unsigned f = (unsigned)LLVMConstIntGetZExtValue(index);

			by = pd_sval_const(s, 64, LLVMOffsetOfElement(layout, t, f));
			t = LLVMStructGetTypeAtIndex(t, f);
		} else {
			t = k > 1 ? LLVMGetElementType(t) : t;
			by = indexed(s, index, LLVMABISizeOfType(layout, t));
		}
		if (!LLVMIsAConstantInt(by.v) || LLVMConstIntGetZExtValue(by.v))
			sum = pd_sval_binary(s, PD_SYM_ADD, sum, by);
	}
	pd_label_put(s, i, 0, sum.l);
}
