/*
 * lane.c - lanes: the parts of a type that have labels of their own.
 *
 *	i1 to i64, ptr       one
 *	i65 to i128 ...      one for each 64 bits
 *	<4 x i32>            four
 *	{ptr, {i32, float}}  three, of which the last never has a label
 *
 * A type with more than MOST of them has none; what is done with it is pinned.
 */
#include "cc/symbolic/symbolic.h"
#include "base/bug.h"

enum { MOST = 64 };

struct builder {
	struct pd_sym *s;
	struct pd_lane lane[MOST];
	unsigned n;
	bool packed, fails;
	struct pd_lane at; /* path and offset of the current part */
};

static void add(struct builder *b, LLVMTypeRef t, unsigned bits, unsigned low, unsigned bytes)
{
	struct pd_lane l = b->at;

	if (b->n == MOST) {
		b->fails = true;
		return;
	}
	l.type = t;
	l.bits = bits;
	l.bytes = bytes;
	l.low = low;
	l.offset += low / 8;
	b->lane[b->n++] = l;
}

static void add_type(struct builder *b, LLVMTypeRef t);

static void add_part(struct builder *b, LLVMTypeRef t, unsigned index, uint64_t offset)
{
	if (b->at.depth == PD_LANE_DEPTH || b->fails) {
		b->fails = true;
		return;
	}
	b->at.path[b->at.depth++] = index;
	b->at.offset += offset;
	add_type(b, t);
	b->at.offset -= offset;
	b->at.depth--;
}

static void add_integer(struct builder *b, LLVMTypeRef t)
{
	unsigned bits = LLVMGetIntTypeWidth(t);

	for (unsigned low = 0; low < bits && !b->fails; low += 64) {
		unsigned n = PD_MIN(64, bits - low);

		add(b, t, n, low, (n + 7) / 8);
	}
}

static void add_type(struct builder *b, LLVMTypeRef t)
{
	LLVMTargetDataRef layout = b->s->m->layout;
	LLVMTypeRef e;
	uint64_t n;

	switch ((int)LLVMGetTypeKind(t)) {
	case LLVMIntegerTypeKind:
		add_integer(b, t);
		return;
	case LLVMPointerTypeKind:
		if (LLVMGetPointerAddressSpace(t) == 0)
			add(b, t, 64, 0, 8);
		else
			add(b, t, 0, 0, (unsigned)LLVMStoreSizeOfType(layout, t));
		return;
	case LLVMStructTypeKind:
		for (unsigned i = 0; i < LLVMCountStructElementTypes(t); i++)
			add_part(b, LLVMStructGetTypeAtIndex(t, i), i,
				 LLVMOffsetOfElement(layout, t, i));
		return;
	case LLVMArrayTypeKind:
	case LLVMVectorTypeKind:
		e = LLVMGetElementType(t);
		n = LLVMGetTypeKind(t) == LLVMArrayTypeKind ? LLVMGetArrayLength2(t)
							    : LLVMGetVectorSize(t);
		b->packed |= LLVMGetTypeKind(t) == LLVMVectorTypeKind &&
			     LLVMSizeOfTypeInBits(layout, e) % 8;
		for (uint64_t i = 0; i < n && !b->fails; i++)
			add_part(b, e, (unsigned)i, i * LLVMABISizeOfType(layout, e));
		return;
	case LLVMHalfTypeKind:
	case LLVMBFloatTypeKind:
	case LLVMFloatTypeKind:
	case LLVMDoubleTypeKind:
	case LLVMX86_FP80TypeKind:
	case LLVMFP128TypeKind:
		add(b, t, 0, 0, (unsigned)LLVMStoreSizeOfType(layout, t));
		return;
	default:
		b->fails = true;
	}
}

const struct pd_lanes *pd_lanes_of(struct pd_sym *s, LLVMTypeRef type)
{
	uint64_t *known = pd_map_put(&s->lanes, &s->arena, (uintptr_t)type >> 1);
	struct builder b = {.s = s};
	struct pd_lanes *l;

	PD_CHECK(known, "out of memory");
	if (!*known) {
		l = pd_arena_alloc(&s->arena, sizeof(*l));
		PD_CHECK(l, "out of memory");
		add_type(&b, type);
		*l = (struct pd_lanes){.n = b.fails ? 0 : b.n, .packed = b.packed};
		l->v = pd_new_array(&s->arena, struct pd_lane, l->n + 1);
		PD_CHECK(l->v, "out of memory");
		for (unsigned i = 0; i < l->n; i++)
			l->v[i] = b.lane[i];
		*known = (uintptr_t)l;
	}
	l = (struct pd_lanes *)(uintptr_t)*known;
	return l->n ? l : NULL;
}

unsigned pd_lanes_count(struct pd_sym *s, LLVMTypeRef type)
{
	const struct pd_lanes *l = pd_lanes_of(s, type);

	return l ? l->n : 0;
}

unsigned pd_lanes_before(struct pd_sym *s, LLVMTypeRef type, unsigned index)
{
	unsigned n = 0;

	if (LLVMGetTypeKind(type) != LLVMStructTypeKind)
		return index * pd_lanes_count(s, LLVMGetElementType(type));
	for (unsigned i = 0; i < index; i++)
		n += pd_lanes_count(s, LLVMStructGetTypeAtIndex(type, i));
	return n;
}

static LLVMValueRef part(struct pd_ir *m, LLVMValueRef v, unsigned index)
{
	if (LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMVectorTypeKind)
		return LLVMBuildExtractElement(m->b, v, pd_ir_const32(m, index), "");
	return LLVMBuildExtractValue(m->b, v, index, "");
}

LLVMValueRef pd_lane_value(struct pd_sym *s, LLVMValueRef v, unsigned k)
{
	struct pd_ir *m = s->m;
	const struct pd_lane *l = &pd_lanes_of(s, LLVMTypeOf(v))->v[k];
	LLVMTypeRef to = LLVMIntTypeInContext(m->ctx, l->bits);

	for (unsigned i = 0; i < l->depth; i++)
		v = part(m, v, l->path[i]);
	if (LLVMGetTypeKind(l->type) == LLVMPointerTypeKind)
		return LLVMBuildPtrToInt(m->b, v, to, "");
	if (l->low)
		v = LLVMBuildLShr(m->b, v, LLVMConstInt(l->type, l->low, 0), "");
	return LLVMBuildIntCast2(m->b, v, to, 0, "");
}

struct pd_sval pd_lane(struct pd_sym *s, LLVMValueRef v, unsigned k)
{
	return (struct pd_sval){pd_lane_value(s, v, k), pd_label(s, v, k),
				pd_lanes_of(s, LLVMTypeOf(v))->v[k].bits};
}
