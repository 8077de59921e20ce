/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * decode.h - the few instructions that are recognised by their bytes.
 *
 * VEX translates all three fences alike, turns a non-temporal store into a store and clflush into
 * an invalidation of code, and does not decode clflushopt, clwb, movdiri and movdir64b at all.
 */
#ifndef PD_VALGRIND_DECODE_H
#define PD_VALGRIND_DECODE_H

#include "event/x86.h"
#include "pub_tool_basics.h"

enum vg_opcode {
	VG_OP_OTHER,
	VG_OP_CLFLUSH,
	VG_OP_CLFLUSHOPT,
	VG_OP_CLWB,
	VG_OP_SFENCE,
	VG_OP_MFENCE,
	VG_OP_LFENCE,
	VG_OP_NT,
	VG_OP_MASKMOVQ,
	VG_OP_MASKMOVDQU,
	VG_OP_MOVDIRI,
	VG_OP_MOVDIR64B,
	VG_OP_EXCHANGE, /* xchg, cmpxchg */
	VG_OP_REP_STOS,
	VG_OP_REP_MOVS,
	VG_OP_XBEGIN,
};

struct vg_decoded {
	enum vg_opcode op;
	struct pd_x86 in;
	struct pd_x86_operand memory; /* of flushes, movdiri and movdir64b */
	UInt reg;		      /* the other operand */
	UInt rm;		      /* maskmov: the mask's register */
	UInt width;		      /* movdiri: 4 or 8; rep: 1, 2, 4 or 8 */
};

void vg_decode(const UChar *at, struct vg_decoded *d);

#endif
