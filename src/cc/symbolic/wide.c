/*
 * wide.c - integers of 65 to 128 bits: two lanes, computed with 64-bit operators.
 *
 * The upper lane is cut to its width at the end. Division, vectors of such integers, and wider
 * ones, are pinned.
 */
#include "cc/symbolic/symbolic.h"

struct wide {
	struct pd_sval low, high;
};

static bool is_two_lanes(struct pd_sym *s, LLVMTypeRef t)
{
	return LLVMGetTypeKind(t) == LLVMIntegerTypeKind && pd_lanes_count(s, t) == 2;
}

static struct wide parts(struct pd_sym *s, LLVMValueRef v, bool is_signed)
{
	return (struct wide){pd_lane(s, v, 0), pd_sval_resize(s, pd_lane(s, v, 1), 64, is_signed)};
}

static struct pd_sval number(struct pd_sym *s, uint64_t v)
{
	return pd_sval_const(s, 64, v);
}

#define OP(op, a, b) pd_sval_binary(s, PD_SYM_##op, (a), (b))

static struct pd_sval bit(struct pd_sym *s, struct pd_sval a)
{
	return pd_sval_resize(s, a, 64, false);
}

static struct wide add(struct pd_sym *s, struct wide a, struct wide b)
{
	struct pd_sval low = OP(ADD, a.low, b.low);
	struct pd_sval carry = bit(s, OP(ULT, low, a.low));

	return (struct wide){low, OP(ADD, OP(ADD, a.high, b.high), carry)};
}

static struct wide sub(struct pd_sym *s, struct wide a, struct wide b)
{
	struct pd_sval borrow = bit(s, OP(ULT, a.low, b.low));

	return (struct wide){OP(SUB, a.low, b.low), OP(SUB, OP(SUB, a.high, b.high), borrow)};
}

/* The upper half of the product of the lower parts. */
static struct pd_sval high_product(struct pd_sym *s, struct pd_sval a, struct pd_sval b)
{
	LLVMBuilderRef bb = s->m->b;
	LLVMTypeRef t = s->m->t_i128;
	LLVMValueRef p =
		LLVMBuildMul(bb, LLVMBuildZExt(bb, a.v, t, ""), LLVMBuildZExt(bb, b.v, t, ""), "");

	p = LLVMBuildLShr(bb, p, LLVMConstInt(t, 64, 0), "");
	return (struct pd_sval){LLVMBuildTrunc(bb, p, s->m->t_i64, ""),
				pd_label_compute(s, PD_SYM_UMUL_HIGH, a, b, number(s, 0)), 64};
}

static struct wide mul(struct pd_sym *s, struct wide a, struct wide b)
{
	struct pd_sval across = OP(ADD, OP(MUL, a.low, b.high), OP(MUL, a.high, b.low));

	return (struct wide){OP(MUL, a.low, b.low), OP(ADD, high_product(s, a.low, b.low), across)};
}

/* Shifts left by `by` bits; if that is 64 or more, the lower part becomes 0. */
static struct wide shift_left(struct pd_sym *s, struct wide a, struct pd_sval by)
{
	struct pd_sval less = OP(ULT, by, number(s, 64)), rest = OP(SUB, number(s, 64), by);
	struct pd_sval far = OP(SHL, a.low, OP(SUB, by, number(s, 64)));
	struct pd_sval near = OP(OR, OP(SHL, a.high, by), OP(LSHR, a.low, rest));

	return (struct wide){OP(SHL, a.low, by), pd_sval_ite(s, less, near, far)};
}

static struct wide shift_right(struct pd_sym *s, struct wide a, struct pd_sval by, bool is_signed)
{
	struct pd_sval less = OP(ULT, by, number(s, 64)), rest = OP(SUB, number(s, 64), by);
	struct pd_sval over = OP(SUB, by, number(s, 64));
	struct pd_sval near = OP(OR, OP(LSHR, a.low, by), OP(SHL, a.high, rest));
	struct pd_sval far = is_signed ? OP(ASHR, a.high, over) : OP(LSHR, a.high, over);
	struct pd_sval high = is_signed ? OP(ASHR, a.high, by) : OP(LSHR, a.high, by);

	return (struct wide){pd_sval_ite(s, less, near, far), high};
}

#define BOTH(op, a, b) ((struct wide){OP(op, (a).low, (b).low), OP(op, (a).high, (b).high)})

bool pd_wide_binary(struct pd_sym *s, LLVMValueRef i, LLVMOpcode op)
{
	struct wide a, b, r;

	if (!is_two_lanes(s, LLVMTypeOf(i)))
		return false;
	a = parts(s, LLVMGetOperand(i, 0), op == LLVMAShr);
	b = parts(s, LLVMGetOperand(i, 1), false);
	switch ((int)op) {
	case LLVMAdd:
		r = add(s, a, b);
		break;
	case LLVMSub:
		r = sub(s, a, b);
		break;
	case LLVMMul:
		r = mul(s, a, b);
		break;
	case LLVMAnd:
		r = BOTH(AND, a, b);
		break;
	case LLVMOr:
		r = BOTH(OR, a, b);
		break;
	case LLVMXor:
		r = BOTH(XOR, a, b);
		break;
	case LLVMShl:
		r = shift_left(s, a, b.low);
		break;
	case LLVMLShr:
	case LLVMAShr:
		r = shift_right(s, a, b.low, op == LLVMAShr);
		break;
	default:
		return false;
	}
	pd_label_put(s, i, 0, r.low.l);
	pd_label_put(s, i, 1,
		     pd_sval_resize(s, r.high, pd_lanes_of(s, LLVMTypeOf(i))->v[1].bits, false).l);
	return true;
}

/* a < b: compares the upper parts, or, if they are equal, the lower ones. */
static struct pd_sval less(struct pd_sym *s, struct wide a, struct wide b, bool is_signed,
			   bool or_equal)
{
	struct pd_sval high = is_signed ? OP(SLT, a.high, b.high) : OP(ULT, a.high, b.high);
	struct pd_sval low = or_equal ? OP(ULE, a.low, b.low) : OP(ULT, a.low, b.low);

	return OP(OR, high, OP(AND, OP(EQ, a.high, b.high), low));
}

bool pd_wide_compare(struct pd_sym *s, LLVMValueRef i)
{
	LLVMIntPredicate p = LLVMGetICmpPredicate(i);
	bool is_signed = p >= LLVMIntSGT;
	struct wide a, b;
	struct pd_sval r;

	if (!is_two_lanes(s, LLVMTypeOf(LLVMGetOperand(i, 0))))
		return false;
	a = parts(s, LLVMGetOperand(i, 0), is_signed);
	b = parts(s, LLVMGetOperand(i, 1), is_signed);
	switch ((int)p) {
	case LLVMIntEQ:
	case LLVMIntNE:
		r = OP(AND, OP(EQ, a.low, b.low), OP(EQ, a.high, b.high));
		if (p == LLVMIntNE)
			r = pd_sval_not(s, r);
		break;
	case LLVMIntULT:
	case LLVMIntSLT:
		r = less(s, a, b, is_signed, false);
		break;
	case LLVMIntULE:
	case LLVMIntSLE:
		r = less(s, a, b, is_signed, true);
		break;
	case LLVMIntUGT:
	case LLVMIntSGT:
		r = less(s, b, a, is_signed, false);
		break;
	default:
		r = less(s, b, a, is_signed, true);
		break;
	}
	pd_label_put(s, i, 0, r.l);
	return true;
}
