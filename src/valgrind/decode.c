/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decode.c - see decode.h. */
#include "decode.h"

struct bytes {
	const UChar *p;
	Bool p66;
	Bool repeat; /* f2 or f3 */
	Bool vex;
	UChar rex; /* W 8, R 4, X 2, B 1; also from a VEX prefix */
	UInt map;  /* 1: 0f, 2: 0f 38 */
};

static void legacy_prefixes(struct bytes *b, struct vg_decoded *d)
{
	for (;; b->p++) {
		switch (*b->p) {
		case 0x66:
			b->p66 = True;
			break;
		case 0x67:
			d->short_address = True;
			break;
		case 0xf2:
		case 0xf3:
			b->repeat = True;
			break;
		case 0x64:
		case 0x65:
			d->segment = *b->p;
			break;
		case 0x26:
		case 0x2e:
		case 0x36:
		case 0x3e:
		case 0xf0:
			break;
		default:
			return;
		}
	}
}

/* Reads up to the opcode. False: it is in neither of the two maps that matter. */
static Bool opcode_map(struct bytes *b)
{
	if ((*b->p & 0xf0) == 0x40)
		b->rex = *b->p++ & 15;
	if (b->p[0] == 0x0f) {
		b->map = b->p[1] == 0x38 ? 2 : 1;
		b->p += b->map;
		return True;
	}
	if (b->p[0] == 0xc5) {
		b->rex = (UChar)((~b->p[1] >> 7 & 1) << 2);
		b->p66 = (b->p[1] & 3) == 1;
		b->map = 1;
		b->p += 2;
	} else if (b->p[0] == 0xc4) {
		b->rex = (UChar)((~b->p[1] >> 5 & 7) | (b->p[2] >> 7 & 1) << 3);
		b->p66 = (b->p[2] & 3) == 1;
		b->map = b->p[1] & 31;
		b->p += 3;
	} else {
		return False;
	}
	b->vex = True;
	return True;
}

static Int number32(const UChar *p)
{
	return (Int)((UInt)p[0] | (UInt)p[1] << 8 | (UInt)p[2] << 16 | (UInt)p[3] << 24);
}

/* Reads ModRM and its operands; afterwards b->p is the end of the instruction. */
static void operands(struct bytes *b, struct vg_decoded *d)
{
	UInt modrm = *b->p++, mod = modrm >> 6, rm = modrm & 7;

	d->reg = (modrm >> 3 & 7) | (b->rex & 4 ? 8 : 0);
	d->rm = rm | (b->rex & 1 ? 8 : 0);
	if (mod == 3)
		return;
	if (rm == 4) {
		UInt sib = *b->p++, index = (sib >> 3 & 7) | (b->rex & 2 ? 8 : 0);

		d->scale = sib >> 6;
		d->index = index == 4 ? -1 : (Int)index;
		if ((sib & 7) == 5 && mod == 0) {
			d->disp = number32(b->p);
			b->p += 4;
		} else {
			d->base = (Int)((sib & 7) | (b->rex & 1 ? 8 : 0));
		}
	} else if (rm == 5 && mod == 0) {
		d->from_ip = True;
		d->disp = number32(b->p);
		b->p += 4;
	} else {
		d->base = (Int)d->rm;
	}
	if (mod == 1)
		d->disp = (signed char)*b->p++;
	if (mod == 2) {
		d->disp = number32(b->p);
		b->p += 4;
	}
}

/* 0f ae: a fence if the operand is a register, a flush if it is in memory. */
static enum vg_opcode group15(const struct bytes *b, UInt modrm)
{
	static const enum vg_opcode fences[] = {VG_OP_LFENCE, VG_OP_MFENCE, VG_OP_SFENCE};
	UInt reg = modrm >> 3 & 7;

	if (b->vex || b->repeat)
		return VG_OP_OTHER;
	if (modrm >> 6 == 3)
		return reg >= 5 && !b->p66 ? fences[reg - 5] : VG_OP_OTHER;
	if (reg == 7)
		return b->p66 ? VG_OP_CLFLUSHOPT : VG_OP_CLFLUSH;
	return reg == 6 && b->p66 ? VG_OP_CLWB : VG_OP_OTHER;
}

static enum vg_opcode classify(const struct bytes *b, UInt opcode, UInt modrm)
{
	if (b->map == 2) {
		if (opcode == 0xf9 && !b->p66 && !b->repeat && !b->vex)
			return VG_OP_MOVDIRI;
		return opcode == 0xf8 && b->p66 && !b->vex ? VG_OP_MOVDIR64B : VG_OP_OTHER;
	}
	switch (opcode) {
	case 0xae:
		return group15(b, modrm);
	case 0xc3: /* movnti */
		return b->vex ? VG_OP_OTHER : VG_OP_NT;
	case 0x2b: /* movntps, movntpd, movntss, movntsd */
	case 0xe7: /* movntq, movntdq */
		return VG_OP_NT;
	case 0xb0:
	case 0xb1:
		return b->vex ? VG_OP_OTHER : VG_OP_EXCHANGE;
	case 0xf7:
		return b->p66 ? VG_OP_MASKMOVDQU : VG_OP_MASKMOVQ;
	default:
		return VG_OP_OTHER;
	}
}

static void one_byte(const struct bytes *b, struct vg_decoded *d)
{
	Bool repeats = b->repeat && !d->short_address && !d->segment;

	if (*b->p == 0x86 || *b->p == 0x87)
		d->op = VG_OP_EXCHANGE;
	else if (b->p[0] == 0xc7 && b->p[1] == 0xf8)
		d->op = VG_OP_XBEGIN;
	else if (repeats && (*b->p | 1) == 0xab)
		d->op = VG_OP_REP_STOS;
	else if (repeats && (*b->p | 1) == 0xa5)
		d->op = VG_OP_REP_MOVS;
	d->width = !(*b->p & 1) ? 1 : b->rex & 8 ? 8 : b->p66 ? 2 : 4;
}

void vg_decode(const UChar *at, struct vg_decoded *d)
{
	struct bytes b = {.p = at};
	UInt opcode;

	*d = (struct vg_decoded){.op = VG_OP_OTHER, .base = -1, .index = -1};
	legacy_prefixes(&b, d);
	if (!opcode_map(&b)) {
		one_byte(&b, d);
		return;
	}
	opcode = *b.p++;
	d->op = classify(&b, opcode, *b.p);
	if (d->op == VG_OP_OTHER)
		return;
	d->width = b.rex & 8 ? 8 : 4;
	operands(&b, d);
	d->len = (UInt)(b.p - at);
}
