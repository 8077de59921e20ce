/* view.c - see view.h. */
#include "event/view.h"
#include "base/bug.h"
#include "base/types.h"

static uint64_t narrow(uint64_t x, uint32_t bits)
{
	return bits < 64 ? x & ((1ULL << bits) - 1) : x;
}

static int64_t as_signed(uint64_t x, uint32_t bits)
{
	return (int64_t)(x << (64 - bits)) >> (64 - bits);
}

/* x has `bits` bits, and no others. */
static uint64_t take(uint64_t x, uint32_t bits, const struct pd_view_step *s)
{
	switch ((enum pd_view_op)s->op) {
	case PD_VIEW_AND:
		return x & s->c;
	case PD_VIEW_OR:
		return x | s->c;
	case PD_VIEW_XOR:
		return x ^ s->c;
	case PD_VIEW_ADD:
		return x + s->c;
	case PD_VIEW_SHL:
		return x << s->c;
	case PD_VIEW_LSHR:
		return x >> s->c;
	case PD_VIEW_ASHR:
		return (uint64_t)(as_signed(x, bits) >> s->c);
	case PD_VIEW_UDIV:
		return x / s->c;
	case PD_VIEW_UREM:
		return x % s->c;
	case PD_VIEW_CAST:
		return x;
	case PD_VIEW_SEXT:
		return (uint64_t)as_signed(x, bits);
	case PD_VIEW_BITS:
	case PD_VIEW_EQ:
	case PD_VIEW_ULT:
	case PD_VIEW_ULE:
	case PD_VIEW_SLT:
	case PD_VIEW_SLE:
		break;
	}
	PD_BUG("a step of a view that is none");
}

static bool compare(uint64_t x, uint64_t with, const struct pd_view_step *s)
{
	switch ((int)s->op) {
	case PD_VIEW_EQ:
		return x == with;
	case PD_VIEW_ULT:
		return x < with;
	case PD_VIEW_ULE:
		return x <= with;
	case PD_VIEW_SLT:
		return as_signed(x, s->bits) < as_signed(with, s->bits);
	case PD_VIEW_SLE:
		return as_signed(x, s->bits) <= as_signed(with, s->bits);
	default:
		PD_BUG("a comparison of a view that is none");
	}
}

uint32_t pd_view_look(const struct pd_lens *lens, const uint8_t *value, uint8_t *seen)
{
	const struct pd_view *v = lens->view;
	uint64_t loaded = 0, x;
	uint32_t bits = 8u * v->size, n = 1, compared = 0;

	memcpy(&loaded, value, v->size);
	x = loaded;
	seen[0] = 0;
	for (uint32_t i = 0; i < v->steps; i++) {
		const struct pd_view_step *s = &v->step[i];

		if (s->op < PD_VIEW_BITS) {
			x = narrow(take(x, bits, s), s->bits);
			bits = s->bits;
			continue;
		}
		if (s->op == PD_VIEW_BITS) {
			memcpy(seen + n, &x, sizeof(x));
			n += sizeof(x);
		} else {
			uint64_t with = s->with ? lens->operand[s->with - 1] : s->c;

			seen[0] |= (uint8_t)(compare(x, narrow(with, s->bits), s) << compared++);
		}
		x = loaded;
		bits = 8u * v->size;
	}
	return n;
}
