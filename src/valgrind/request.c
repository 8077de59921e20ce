/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * request.c - what the program's libraries report by Valgrind's client requests: our preloaded
 * library (locks, perdure.h) and PMDK.
 *
 * PMDK's libraries in Debian are built with annotations for pmemcheck. They ask whether it is
 * present (is this variable, which we have just registered, PM?), then report transactions and
 * ranges that need not be logged or flushed. Flushes and fences that they report are ignored: we
 * see the instructions themselves, and can tell a non-temporal store from another one.
 *
 * Translated code answers a request right where it is made (instrument.c): the path through
 * Valgrind's scheduler would cost more than everything else.
 */
#include "request.h"
#include "event/pmemcheck.h"
#include "libvex_guest_amd64.h"
#include "pool.h"
#include "vg.h"

uint64_t vg_event_address(Addr a)
{
	uint64_t home;

	return vg_pool_is_pm(a) && vg_pool_home(a, &home) ? home : a | PD_ADDR_OUTSIDE;
}

static void emit(ThreadId tid, struct vg_insn *i, UInt kind, Addr a, SizeT n, ULong aux)
{
	struct pd_event e = {.kind = (uint8_t)kind,
			     .order = PD_ORDER_NONE,
			     .addr = vg_event_address(a),
			     .size = n,
			     .aux = aux};

	if (!vg_wants(kind))
		return;
	e.site = vg_place(i, tid);
	vg_emit(&e);
}

static void emit_text(ThreadId tid, struct vg_insn *i, UInt kind, const HChar *text, ULong aux)
{
	struct pd_event e = {
		.kind = (uint8_t)kind, .order = PD_ORDER_NONE, .aux = aux, .data = text};

	e.size = VG_(strlen)(text);
	e.site = vg_place(i, tid);
	vg_emit(&e);
}

static UWord *logged(ThreadId tid)
{
	static UWord *counts; /* by thread */

	if (!counts)
		counts = vg_alloc(VG_N_THREADS * sizeof(*counts));
	return &counts[tid];
}

/* ---- ours ----------------------------------------------------------------------------------- */

static void say_check(ThreadId tid, struct vg_insn *i, const UWord *arg)
{
	HChar text[512];

	VG_(snprintf)(text, sizeof(text), "%.300s (%.180s:%d)", (const HChar *)arg[2],
		      (const HChar *)arg[3], (Int)arg[4]);
	emit_text(tid, i, PD_EV_CHECK, text, arg[1]);
}

/* By enum pd_range of perdure.h. */
static void say_range(ThreadId tid, struct vg_insn *i, const UWord *arg)
{
	static const UChar kinds[] = {PD_EV_DURABLE, PD_EV_TRANSIENT, PD_EV_TX_BEGIN,
				      PD_EV_TX_ADD,  PD_EV_TX_IGNORE, PD_EV_TX_END};

	if (arg[1] < PD_LEN(kinds)) /* else from a newer header */
		emit(tid, i, kinds[arg[1]], arg[2], arg[3], 0);
}

static Bool own(ThreadId tid, struct vg_insn *i, const UWord *arg, UWord *ret)
{
	struct pd_event joined = {.kind = PD_EV_THREAD_JOIN, .order = PD_ORDER_NONE, .aux = arg[1]};

	*ret = 0;
	switch (arg[0]) {
	case VG_REQUEST_ACQUIRE:
		emit(tid, i, PD_EV_ACQUIRE, arg[1], arg[3], arg[2]);
		break;
	case VG_REQUEST_RELEASE:
		emit(tid, i, PD_EV_RELEASE, arg[1], 0, 0);
		break;
	case VG_REQUEST_SIGNAL:
		emit(tid, i, PD_EV_SIGNAL, arg[1], 0, 0);
		break;
	case VG_REQUEST_WAIT:
		emit(tid, i, PD_EV_WAIT, arg[1], 0, 0);
		break;
	case VG_REQUEST_JOINING:
		*ret = vg_thread_of_handle(arg[1]);
		break;
	case VG_REQUEST_JOINED:
		vg_emit(&joined);
		vg_thread_joined(arg[2]);
		break;
	case VG_REQUEST_SAY_CHECK:
		say_check(tid, i, arg);
		break;
	case VG_REQUEST_SAY_MARK:
		emit_text(tid, i, PD_EV_MARK, (const HChar *)arg[1], 0);
		break;
	case VG_REQUEST_SAY_CHECKSUM:
		emit(tid, i, arg[3] ? PD_EV_CHECKSUM_BEGIN : PD_EV_CHECKSUM_END, arg[1], arg[2],
		     arg[4]);
		break;
	case VG_REQUEST_SAY_RANGE:
		say_range(tid, i, arg);
		break;
	case VG_REQUEST_LOGGED:
		*ret = *logged(tid);
		break;
	default:
		return False;
	}
	return True;
}

/* ---- PMDK ----------------------------------------------------------------------------------- */

static Addr
	asked_about; /* the last variable registered outside PM: PMDK asks about it to detect a listener */

static void remove_range(ThreadId tid, struct vg_insn *i, Addr a, SizeT n)
{
	const struct vg_mapping *m = vg_mapping_at(a);

	if (a == asked_about)
		asked_about = 0;
	if (m && m->pool && !pd_pmemcheck_unmaps(a - m->from, n, m->to - m->from))
		emit(tid, i, PD_EV_TRANSIENT, a, n, 0);
}

static void register_range(ThreadId tid, Addr a, SizeT n)
{
	static Bool reported;

	asked_about = a;
	if (reported || n < VKI_PAGE_SIZE || PD_IS_PM(a) || vg_mapping_at(a) ||
	    !vg_is_foreign_file(a))
		return;
	reported = True;
	vg_loss(PD_LOSS_SYSCALL, vg_place_here(tid),
		"a library maps a file as PM that no --pm names: it is not watched");
}

static Bool pmdk(ThreadId tid, struct vg_insn *i, const UWord *arg, UWord *ret)
{
	*ret = 0;
	switch (arg[0] - VG_PMC_BASE) {
	case VG_PMC_REGISTER_MAPPING:
		register_range(tid, arg[1], arg[2]);
		break;
	case VG_PMC_REMOVE_MAPPING:
		remove_range(tid, i, arg[1], arg[2]);
		break;
	case VG_PMC_IS_MAPPING:
		*ret = arg[1] == asked_about || vg_pool_is_pm(arg[1]);
		break;
	case VG_PMC_SET_CLEAN:
		emit(tid, i, PD_EV_CLEAN, arg[1], arg[2], 0);
		break;
	case VG_PMC_START_TX:
	case VG_PMC_START_TX_N:
		emit(tid, i, PD_EV_TX_BEGIN, 0, 0, 0);
		break;
	case VG_PMC_END_TX:
	case VG_PMC_END_TX_N:
		emit(tid, i, PD_EV_TX_END, 0, 0, 0);
		break;
	case VG_PMC_ADD_TO_TX:
		++*logged(tid);
		emit(tid, i, PD_EV_TX_ADD, arg[1], arg[2], 0);
		break;
	case VG_PMC_ADD_TO_TX_N:
		emit(tid, i, PD_EV_TX_ADD, arg[2], arg[3], 0);
		break;
	case VG_PMC_REMOVE_FROM_TX:
		emit(tid, i, PD_EV_TX_REMOVE, arg[1], arg[2], 0);
		break;
	case VG_PMC_REMOVE_FROM_TX_N:
		emit(tid, i, PD_EV_TX_REMOVE, arg[2], arg[3], 0);
		break;
	case VG_PMC_ADD_TO_GLOBAL_IGNORE:
		emit(tid, i, PD_EV_TX_IGNORE, arg[1], arg[2], 0);
		break;
	default:
		return arg[0] - VG_PMC_BASE < VG_PMC_END;
	}
	return True;
}

/* ---- answers -------------------------------------------------------------------------------- */

static Bool answer(ThreadId tid, struct vg_insn *i, const UWord *arg, UWord *ret)
{
	if (VG_IS_TOOL_USERREQ('P', 'd', arg[0]))
		return own(tid, i, arg, ret);
	if (VG_IS_TOOL_USERREQ('P', 'C', arg[0]))
		return pmdk(tid, i, arg, ret);
	return False;
}

UWord vg_on_request(void *state, struct vg_insn *i)
{
	VexGuestAMD64State *g = state;
	const UWord *arg = (const UWord *)g->guest_RAX;
	UWord ret;

	if (!answer(VG_(get_running_tid)(), i, arg, &ret))
		return 0;
	g->guest_RDX = ret;
	return 1;
}

/* Requests that came through the scheduler nevertheless: not ours, or in code that we did not
 * translate. */
Bool vg_request(ThreadId tid, UWord *arg, UWord *ret)
{
	return answer(tid, vg_insn_new(VG_(get_IP)(tid), PD_EV_N, 0), arg, ret);
}
