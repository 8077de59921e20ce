/* SPDX-License-Identifier: GPL-2.0-or-later */
/* access.c - events of what the program's code, and the kernel for it, does to memory. */
#include "vg.h"
#include "pool.h"

/* The value is already in memory: no other thread runs. */
static void report(UInt kind, UInt order, Addr a, SizeT n, UInt place)
{
	struct pd_event e = {.kind = (uint8_t)kind,
			     .order = (uint8_t)order,
			     .site = place,
			     .size = n,
			     .data = (const void *)a};

	if (!vg_pool_home(a, &e.addr))
		return;
	if (kind == PD_EV_STORE || kind == PD_EV_NTSTORE || kind == PD_EV_RMW)
		vg_session.channel->bytes_stored += n;
	vg_emit(&e);
}

/* Whether the engine already knows this load, so that it need not be reported. */
static Bool is_known(Addr a, const struct vg_insn *i, UInt place)
{
	uint64_t home;

	if (i->kind != PD_EV_LOAD || !vg_session.known || !vg_pool_home(a, &home))
		return False;
	if (!vg_running.known)
		vg_running.known = pd_known_thread(vg_session.known, vg_running.number);
	if (!pd_known_load(vg_session.known, vg_running.known, home, i->size, place))
		return False;
	vg_session.channel->events[PD_EV_LOAD]++;
	return True;
}

VG_REGPARM(3) void vg_on_access(Addr a, struct vg_insn *i, Addr sp)
{
	UInt place;

	if (!vg_pool_is_pm(a))
		return;
	if (i->kind != PD_EV_LOAD) /* most loads are known */
		vg_soon(a);
	place = vg_place_at(i, vg_running.tid, sp);
	if (vg_given_words)
		vg_given_look(vg_running.number);
	if (!is_known(a, i, place))
		report(i->kind, i->order, a, i->size, place);
}

void vg_announce(UInt kind, Addr a, SizeT n, struct vg_insn *i, Addr sp)
{
	if (vg_wants(kind) && vg_pool_is_pm(a))
		report(kind, PD_ORDER_NONE, a, n, vg_place_at(i, vg_running.tid, sp));
}

/* For an instruction that may take a lock outside PM: the old and the new value. */
static void set_taken(struct pd_event *e, Addr a, const struct vg_insn *i, UWord found)
{
	if (i->size > sizeof(found))
		return;
	e->data = (const void *)a;
	if (i->exchange && !i->keeps)
		e->aux = found + 1;
}

/*
 * Outside PM a locked instruction is only a fence, and means nothing until there is PM. Those in
 * libc are not reported: programs must not rely on them (a mutex may be taken without one), and an
 * instrumented program does not show them. An exchange may take a lock; given.c sees the ordinary
 * store that releases it.
 */
void vg_on_locked(Addr a, struct vg_insn *i, UWord done, UWord found)
{
	struct pd_event e = {.kind = PD_EV_ATOMIC_RMW,
			     .order = PD_ORDER_SEQ_CST,
			     .addr = a | PD_ADDR_OUTSIDE,
			     .size = i->size};

	if (vg_pool_is_pm(a) && vg_pool_home(a, &e.addr)) {
		e.kind = done ? PD_EV_RMW : PD_EV_RMW_FAILED;
		e.data = (const void *)a;
		if (i->exchange && done && i->size <= sizeof(found))
			e.aux = found + 1;
		vg_session.channel->bytes_stored += done ? e.size : 0;
	} else if (!vg_wants(PD_EV_ATOMIC_RMW) || !vg_pool_count() || i->system) {
		return;
	}
	e.site = vg_place(i, VG_(get_running_tid)());
	if (!e.data && vg_session.locks) {
		vg_given_locked(a, i, e.site, done, found);
		set_taken(&e, a, i, found);
	}
	vg_emit(&e);
}

VG_REGPARM(2) void vg_on_flush(Addr a, struct vg_insn *i)
{
	struct pd_event e = {.kind = i->kind, .order = PD_ORDER_NONE, .size = 64};

	a &= ~63UL;
	if (!vg_pool_is_pm(a) || !vg_pool_home(a, &e.addr))
		e.addr = a | PD_ADDR_OUTSIDE;
	e.site = vg_place(i, VG_(get_running_tid)());
	vg_emit(&e);
}

VG_REGPARM(1) void vg_on_fence(struct vg_insn *i)
{
	struct pd_event e = {.kind = i->kind, .order = PD_ORDER_NONE};

	e.site = vg_place(i, VG_(get_running_tid)());
	vg_emit(&e);
}

/* Only bytes whose mask has its highest bit set are stored; adjacent ones are one event. */
VG_REGPARM(0) void vg_on_masked(Addr a, struct vg_insn *i, UWord low, UWord high)
{
	UInt place = 0;

	if (!vg_wants(PD_EV_NTSTORE) || !vg_pool_is_pm(a))
		return;
	for (UInt k = 0, n; k < 16; k += n + 1) {
		for (n = 0; k + n < 16; n++) {
			UInt at = k + n;

			if (!((at < 8 ? low >> (8 * at) : high >> (8 * (at - 8))) & 0x80))
				break;
		}
		if (n && !place)
			place = vg_place(i, VG_(get_running_tid)());
		if (n)
			report(PD_EV_NTSTORE, PD_ORDER_NONE, a + k, n, place);
	}
}

VG_REGPARM(1) void vg_on_unknown(Addr ip)
{
	const UChar *p = (const UChar *)ip;

	vg_fail(2,
		"the program runs an instruction that Valgrind does not know (%02x %02x %02x %02x "
		"%02x %02x)%s",
		p[0], p[1], p[2], p[3], p[4], p[5],
		p[0] == 0x62 ? ": AVX-512; build it without, or use 'perdure cc'"
			     : "; use 'perdure cc'");
}

static ULong events_so_far(void)
{
	ULong n = 0;

	for (UInt i = 0; i < PD_EV_N; i++)
		n += vg_session.channel->events[i];
	return n;
}

/* Transactions always fail in VEX. A program without a fallback would try forever: from one place,
 * doing nothing in between. */
VG_REGPARM(2) void vg_on_xbegin(struct vg_insn *i, Addr sp)
{
	enum { PATIENCE = 1 << 20 };
	static struct vg_insn *last;
	static Addr last_sp;
	static ULong events;
	static UInt n;

	if (i != last || sp != last_sp)
		n = 0;
	last = i;
	last_sp = sp;
	if (!n)
		events = events_so_far();
	if (++n < PATIENCE)
		return;
	n = 0;
	if (events == events_so_far())
		vg_fail(2, "a hardware transaction (xbegin) never succeeds in Valgrind, and the "
			   "program has no "
			   "other way; use 'perdure cc'");
}

void vg_on_sys_read(CorePart part, ThreadId tid, const HChar *s, Addr a, SizeT n)
{
	(void)s;
	if (part == Vg_CoreSysCall && n && vg_wants(PD_EV_LOAD) && vg_pool_is_pm(a) &&
	    !vg_syscall_only_looks(tid))
		report(PD_EV_LOAD, PD_ORDER_NONE, a, n, vg_place_here(tid));
}

void vg_on_sys_write(CorePart part, ThreadId tid, Addr a, SizeT n)
{
	if (part == Vg_CoreSysCall && n && vg_pool_is_pm(a))
		report(PD_EV_STORE, PD_ORDER_NONE, a, n, vg_place_here(tid));
}
