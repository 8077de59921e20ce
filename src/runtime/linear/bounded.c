/* bounded.c - see bounded.h. */
#include "runtime/linear/bounded.h"
#include "engine/linear/bounded.h"
#include "event/schedule.h"
#include "protocol/board.h"
#include "runtime/base/rt.h"
#include "runtime/thread/sched.h"
#include "runtime/thread/thread.h"
#include <string.h>

#define NO_THREAD UINT32_MAX

static struct {
	struct pd_bounded schedule;
	uint32_t main; /* number of that thread */
	struct pd_sched_holding holding;
} here;

static uint32_t choose(void *ctx, uint32_t pick, uint32_t n, uint32_t (*number)(uint32_t))
{
	uint32_t self = pd_thread_self(), can[PD_BOUNDED_PICKS + 2], m = 0, which;

	(void)ctx;
	if (self == here.main && number(0) == self && !pd_sched.yielding)
		return pick;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t t = number(i);

		if (t == here.main || (pd_sched.yielding && t == self))
			continue;
		if (m < PD_LEN(can))
			can[m] = i;
		m++;
	}
	if (m < 2)
		return m ? can[0] : pick;
	which = pd_bounded_pick(&here.schedule, &pd_board()->tests.bounded, m,
				number(can[0]) == self);
	return can[which];
}

void pd_bounded_begin(bool main_works)
{
	struct pd_schedule s = pd_schedule_of(pd_rt.seed);

	if (s.policy != PD_POLICY_BOUNDED)
		return;
	memset(&pd_board()->tests.bounded, 0, sizeof(pd_board()->tests.bounded));
	here.schedule = pd_bounded_of(s.seed);
	here.main = main_works ? NO_THREAD : pd_thread_self();
	here.holding = (struct pd_sched_holding){.base = pd_sched_default(), .choose = choose};
	pd_sched_use(pd_sched_holding(&here.holding));
}

void pd_bounded_calls(void)
{
	if (pd_rt.chooser.ctx == &here.holding)
		pd_sched_point();
}
