/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decode.c - see decode.h. */
#include "decode.h"

static enum vg_opcode one_byte(const struct pd_x86 *in, UInt modrm)
{
	Bool repeats = in->repeat && !in->short_address && !in->segment;

	switch (in->opcode) {
	case 0x86:
	case 0x87:
		return VG_OP_EXCHANGE;
	case 0xc7:
		return modrm == 0xf8 ? VG_OP_XBEGIN : VG_OP_OTHER;
	case 0xa4:
	case 0xa5:
		return repeats ? VG_OP_REP_MOVS : VG_OP_OTHER;
	case 0xaa:
	case 0xab:
		return repeats ? VG_OP_REP_STOS : VG_OP_OTHER;
	default:
		return VG_OP_OTHER;
	}
}

static enum vg_opcode flush_or_fence(const struct pd_x86 *in)
{
	static const enum vg_opcode is[] = {
		[PD_X86_OTHER] = VG_OP_OTHER,		[PD_X86_CLFLUSH] = VG_OP_CLFLUSH,
		[PD_X86_CLFLUSHOPT] = VG_OP_CLFLUSHOPT, [PD_X86_CLWB] = VG_OP_CLWB,
		[PD_X86_SFENCE] = VG_OP_SFENCE,		[PD_X86_MFENCE] = VG_OP_MFENCE,
		[PD_X86_LFENCE] = VG_OP_LFENCE,
	};

	return is[in->is];
}

/* 0f */
static enum vg_opcode two_bytes(const struct pd_x86 *in)
{
	switch (in->opcode) {
	case 0xae:
		return flush_or_fence(in);
	case 0xc3: /* movnti */
		return in->vex ? VG_OP_OTHER : VG_OP_NT;
	case 0x2b: /* movntps, movntpd, movntss, movntsd */
	case 0xe7: /* movntq, movntdq */
		return VG_OP_NT;
	case 0xb0:
	case 0xb1:
		return in->vex ? VG_OP_OTHER : VG_OP_EXCHANGE;
	case 0xf7:
		return in->p66 ? VG_OP_MASKMOVDQU : VG_OP_MASKMOVQ;
	default:
		return VG_OP_OTHER;
	}
}

/* 0f 38 */
static enum vg_opcode three_bytes(const struct pd_x86 *in)
{
	if (in->opcode == 0xf9 && !in->p66 && !in->repeat && !in->vex)
		return VG_OP_MOVDIRI;
	return in->opcode == 0xf8 && in->p66 && !in->vex ? VG_OP_MOVDIR64B : VG_OP_OTHER;
}

static enum vg_opcode classify(const struct pd_x86 *in, UInt modrm)
{
	switch (in->map) {
	case 0:
		return one_byte(in, modrm);
	case 1:
		return two_bytes(in);
	case 2:
		return three_bytes(in);
	default:
		return VG_OP_OTHER;
	}
}

void vg_decode(const UChar *at, struct vg_decoded *d)
{
	struct pd_x86 *in = &d->in;
	UInt modrm;

	*d = (struct vg_decoded){.op = VG_OP_OTHER};
	if (!pd_x86_read(at, PD_X86_LONGEST, in))
		return;
	modrm = in->modrm ? at[in->modrm] : 0;
	d->op = classify(in, modrm);
	d->reg = (modrm >> 3 & 7) | (in->rex & 4 ? 8 : 0);
	d->rm = (modrm & 7) | (in->rex & 1 ? 8 : 0);
	d->width = in->rex & 8 ? 8 : 4;
	if (in->map == 0)
		d->width = !(in->opcode & 1) ? 1 : in->rex & 8 ? 8 : in->p66 ? 2 : 4;
	if (in->modrm && modrm >> 6 != 3)
		d->memory = pd_x86_operand(in, at);
}
