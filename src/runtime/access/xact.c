/*
 * xact.c - hardware transactions (Intel's RTM).
 *
 * Our hooks cannot run inside a real transaction: they fault pages in and make system calls, which
 * abort it, and what they record would be undone. So none begins in a driven program.
 *
 * Where an engine only watches (or none does), xbegin succeeds: threads are coroutines, and no
 * other thread runs until xend, which is a fence as a locked instruction is (Intel SDM 1, 16.3.6).
 * What cannot be done is to roll back: xabort ends the run with a line that says so.
 *
 * With a model xbegin always fails, as the processor may: stores of the transaction would take
 * effect one by one, and a crash inside would show parts of it. A program that retries for ever is
 * reported.
 *
 * Alone, the instructions are executed here: a transaction may begin in a function that returns.
 */
#include "runtime/access/hook.h"
#include "runtime/thread/sched.h"
#include <immintrin.h>

enum { PATIENCE = 1 << 20 };

static _Thread_local struct {
	uint32_t depth;
	uint32_t failed; /* in a row, at the same place */
	const struct pd_site *at;
} xact;

__attribute__((target("rtm"))) static uint32_t really(int what)
{
	switch (what) {
	case PD_XACT_BEGIN:
		return _xbegin();
	case PD_XACT_END:
		_xend();
		return 0;
	case PD_XACT_TEST:
		return _xtest();
	default: /* the instruction follows the hook */
		return 0;
	}
}

static uint32_t always_fails(const struct pd_site *s)
{
	xact.failed = xact.at == s ? xact.failed + 1 : 0;
	xact.at = s;
	if (xact.failed > PATIENCE)
		pd_rt_fail(2, "a hardware transaction (xbegin) never succeeds here, and the "
			      "program has no other "
			      "way; 'perdure lint' and 'perdure lockset' can run it");
	pd_sched_spin();
	return 0;
}

static uint32_t begin(const struct pd_site *s)
{
	if (pd_mem.modelling)
		return always_fails(s);
	if (!xact.depth++)
		pd_sched_hold();
	return _XBEGIN_STARTED;
}

static void end(const struct pd_site *s)
{
	if (!xact.depth || --xact.depth)
		return;
	pd_sched_release();
	pd_sched_progress();
	pd_mem_outside(PD_EV_ATOMIC_RMW, &xact, sizeof(xact), PD_ORDER_SEQ_CST, s->id);
}

PD_EXPORT uint32_t __pd_xact(int what, const struct pd_site *s)
{
	if (!pd_inside())
		return really(what);
	switch (what) {
	case PD_XACT_BEGIN:
		return begin(s);
	case PD_XACT_END:
		end(s);
		return 0;
	case PD_XACT_ABORT:
		if (xact.depth)
			pd_rt_fail(3, "the program gives up a hardware transaction (xabort): what "
				      "it has done "
				      "since xbegin cannot be undone here");
		return 0;
	default:
		return xact.depth != 0;
	}
}
