/*
 * view.h - what a program learns of a value that it loads.
 *
 *	if (slot->key == key)            whether it equals `key`
 *	if (page->counter % 2)           its lowest bit
 *	if (item->flags & LINKED)        that bit
 *
 * If a program only compares a loaded value with others that are known at that moment, or uses a
 * part of it, it cannot distinguish two values that look alike through that. A view describes what
 * is looked at, as a small program: terms, each of which takes the value through some steps with
 * constants and ends in a comparison or with the remaining bits. The compiler makes it
 * (cc/crash/view.c) and passes it to the load (the hooks `ask` and `aask`) with the values to
 * compare with; the crash engine splits reads of recovery by it (engine/crash/tree.h).
 *
 * A view is constant data of the tested program, so its layout is a part of the seam (abi.h).
 */
#ifndef PD_EVENT_VIEW_H
#define PD_EVENT_VIEW_H

#include <stdbool.h>
#include <stdint.h>

enum pd_view_op {
	/* A step: x becomes x op c, in `bits` bits */
	PD_VIEW_AND,
	PD_VIEW_OR,
	PD_VIEW_XOR,
	PD_VIEW_ADD,
	PD_VIEW_SHL,
	PD_VIEW_LSHR,
	PD_VIEW_ASHR,
	PD_VIEW_UDIV,
	PD_VIEW_UREM,
	PD_VIEW_CAST, /* to `bits` bits; wider: zero-extended */
	PD_VIEW_SEXT, /* to more bits */
	/* The end of a term: the remaining bits are seen ... */
	PD_VIEW_BITS,
	/* ... or how it compares with c, or with an operand */
	PD_VIEW_EQ,
	PD_VIEW_ULT,
	PD_VIEW_ULE,
	PD_VIEW_SLT,
	PD_VIEW_SLE,
};

enum {
	PD_VIEW_STEPS = 32,
	PD_VIEW_OPERANDS = 2,
	PD_VIEW_COMPARED = 8, /* terms that compare: a bit each */
	PD_VIEW_PARTS = 2,    /* terms of bits */
	PD_VIEW_SEEN = 1 + 8 * PD_VIEW_PARTS,
};

struct pd_view_step {
	uint8_t op;   /* enum pd_view_op */
	uint8_t bits; /* of the result; of a comparison: of both sides */
	uint8_t with; /* of a comparison: 0: c, else the number of an operand, from 1 */
	uint8_t pad[5];
	uint64_t c;
};

struct pd_view {
	uint16_t steps;
	uint8_t size;  /* of the value, in bytes */
	uint8_t parts; /* terms of bits */
	uint8_t pad[4];
	struct pd_view_step step[];
};

/* A view, and the current values that are compared with. */
struct pd_lens {
	const struct pd_view *view; /* NULL: all of the value is used */
	uint64_t operand[PD_VIEW_OPERANDS];
};

static inline uint32_t pd_view_bytes(const struct pd_view *v)
{
	return (uint32_t)(sizeof(*v) + v->steps * sizeof(v->step[0]));
}

/* How many bytes describe what is seen. */
static inline uint32_t pd_view_seen(const struct pd_view *v)
{
	return 1 + 8u * v->parts;
}

/* Writes what is seen of a value: pd_view_seen bytes, at most PD_VIEW_SEEN. */
uint32_t pd_view_look(const struct pd_lens *lens, const uint8_t *value, uint8_t *seen);

#endif
