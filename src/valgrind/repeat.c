/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * repeat.c - long rep stos and rep movs to PM, in pieces.
 *
 * VEX makes such an instruction a loop, a block of code per step: libc's memset would clear a pool
 * byte by byte, with an event for each. From its second step on, such a block begins with the
 * instruction (instrument.c makes sure: registers that an earlier instruction of the block has set
 * need not be in the guest's state). There we execute the remaining steps, with one event per
 * piece, as an instrumented program does; VEX's loop then finds nothing to do.
 *
 * Only done if the processor would certainly do the same: upwards, in one mapping of PM, inside the
 * file, from readable memory that does not overlap. Short ones are left to VEX.
 */
#include "vg.h"
#include "libvex_guest_amd64.h"
#include "pool.h"
#include "pub_tool_aspacemgr.h"

enum { PIECE = 1024 };

/* Whether the whole range is PM that can be stored to. */
static Bool is_ours(Addr a, SizeT n)
{
	const struct vg_mapping *m = vg_mapping_at(a);

	return m && m->pool && n <= m->to - a && m->offset + (a - m->from) + n <= m->pool->size &&
	       VG_(am_is_valid_for_client)(a, n, VKI_PROT_WRITE);
}

/* Whether the source can be read and does not overlap the destination. */
static Bool is_source(Addr from, Addr to, SizeT n)
{
	const struct vg_mapping *m = vg_mapping_at(from);

	if (m && (!m->pool || n > m->to - from || m->offset + (from - m->from) + n > m->pool->size))
		return False;
	return (from >= to + n || to >= from + n) &&
	       VG_(am_is_valid_for_client)(from, n, VKI_PROT_READ);
}

static void fill(Addr to, SizeT n, ULong value, UInt width)
{
	for (SizeT i = 0; i < n; i += width)
		VG_(memcpy)((void *)(to + i), &value, width);
}

/* Pieces end where those of an instrumented program do, if the destination is aligned. */
static SizeT piece(Addr to, SizeT left, UInt width)
{
	SizeT n = (PIECE - (to & (PIECE - 1))) & ~(SizeT)(width - 1);

	return PD_MIN(left, n ? n : width);
}

static void step(VexGuestAMD64State *s, struct vg_insn *i, Bool moves, UInt width)
{
	SizeT n = piece(s->guest_RDI, s->guest_RCX * width, width);
	Addr to = s->guest_RDI, from = s->guest_RSI;

	if (moves) {
		vg_announce(PD_EV_LOAD, from, n, i, s->guest_RSP);
		VG_(memcpy)((void *)to, (const void *)from, n);
		s->guest_RSI += n;
	} else {
		fill(to, n, s->guest_RAX, width);
	}
	s->guest_RDI += n;
	s->guest_RCX -= n / width;
	vg_announce(PD_EV_STORE, to, n, i, s->guest_RSP);
}

void vg_on_repeat(void *state, struct vg_insn *i, UWord moves, UWord width)
{
	VexGuestAMD64State *s = state;
	SizeT n = s->guest_RCX * width;

	if (s->guest_RCX < PIECE / 8 || s->guest_RCX > ~0UL / 16 || s->guest_DFLAG != 1 ||
	    !is_ours(s->guest_RDI, n) || (moves && !is_source(s->guest_RSI, s->guest_RDI, n)))
		return;
	while (s->guest_RCX)
		step(s, i, moves != 0, (UInt)width);
}
