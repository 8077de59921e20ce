/*
 * check/events.c - counts the events of an execution, and acts when a number of them is reached.
 *
 * Quiet loads (base/quiet.h) are events, too, and are counted when the next event is heard. They
 * take about a sixteenth of the time of others, and are charged as much to the budget.
 *
 * Thread rule: as in rt.h.
 */
#include "protocol/board.h"
#include "runtime/check/check.h"
#include "runtime/check/pace.h"

enum {
	STOP_EVERY = 4096, /* events between checks of whether time is left */
	QUIET_WEIGHT = 16, /* quiet loads that count as one event of the budget */
};

static struct {
	struct pd_crash_run *run; /* this recovery; NULL: the first execution */
	uint64_t quiet;		  /* events so far that were quiet loads */
	uint32_t site;		  /* scratch for the last load of a first execution; never read */
	uint64_t off;
} self;

void pd_check_quiet_begin(enum pd_check_role role)
{
	self.run = role == PD_CHECK_RECOVERY ? pd_check_own() : NULL;
	pd_quiet.all = !self.run;
	pd_quiet.site = self.run ? &self.run->last_load : &self.site;
	pd_quiet.off = self.run ? &self.run->last_addr : &self.off;
}

/* Events charged to the budget so far. */
static uint64_t spent(void)
{
	return pd_check.events - self.quiet + self.quiet / QUIET_WEIGHT;
}

uint64_t pd_check_quiet_events(void)
{
	uint64_t now = pd_check.events, next = (now / STOP_EVERY + 1) * STOP_EVERY;
	uint64_t left = pd_check.event_limit - PD_MIN(pd_check.event_limit, spent());

	if (pd_check.role != PD_CHECK_RECOVERY)
		return UINT64_MAX;
	if (pd_check.look)
		next = PD_MIN(next, pd_check.look);
	return next > now ? PD_MIN(next - now - 1, left) : 0;
}

_Noreturn void pd_check_loops(void)
{
	pd_check_hangs(PD_HANG_LOOP);
}

static void out_of_events(void)
{
	pd_check.event_limit = pd_pace_all_events(self.run->trial);
	if (pd_board()->stop) /* nobody has measured the program */
		pd_check_end(PD_OUTCOME_KNOWN, 0);
	if (spent() < pd_check.event_limit)
		return;
	if (!self.run->trial)
		pd_pace_used_up(&pd_board()->pace);
	pd_check_hangs(PD_HANG_BUDGET);
}

void pd_check_event(void)
{
	self.quiet += pd_quiet.passed;
	pd_rt.channel->events[PD_EV_LOAD] += pd_quiet.passed;
	pd_check.events = pd_check_events() + 1;
	pd_quiet.passed = 0;
	if (pd_check.role != PD_CHECK_RECOVERY)
		return;
	self.run->events = pd_check.events;
	self.run->spent = spent();
	if (pd_check.events % STOP_EVERY == 0 && pd_board()->stop)
		pd_check_end(PD_OUTCOME_KNOWN, 0);
	if (spent() >= pd_check.event_limit)
		out_of_events();
}
