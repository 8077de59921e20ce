/*
 * stack.c - the program's call stack, on demand.
 *
 * Uses the unwinder of the C runtime: exact, also through libraries without frame pointers, but
 * slow, so only reports use it. Frames of the runtime itself are left out.
 */
#include "runtime/base/rt.h"
#include "runtime/thread/sched.h"
#include "runtime/place/stack.h"
#include <unwind.h>

struct walk {
	uintptr_t *pc;
	uint32_t n;
	uint32_t max;
};

static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *arg)
{
	struct walk *w = arg;
	uintptr_t pc = _Unwind_GetIP(context);

	if (!pc || w->n == w->max)
		return _URC_END_OF_STACK;
	if (pd_rt_is_own(pc))
		return _URC_NO_REASON;
	w->pc[w->n++] = pc - 1; /* inside the call, not after it */
	return _URC_NO_REASON;
}

uint32_t pd_rt_stack(uintptr_t *pc, uint32_t max)
{
	struct walk w = {.pc = pc, .max = max};

	if (pd_rt.stack && pd_rt.stack(pc, max, &w.n))
		return w.n;
	pd_rt.unwinding = true;
	pd_sched_hold();
	_Unwind_Backtrace(visit, &w);
	pd_sched_release();
	pd_rt.unwinding = false;
	return w.n;
}
