/*
 * check/exhaust.c - all schedules of a small workload up to a number of preemptions, and all crash
 * states in each of them (--exhaustive). See check.h; engine/linear/bounded.h enumerates the
 * schedules.
 */
#include "drive/check/check.h"
#include "engine/linear/bounded.h"
#include "report/words/limits.h"
#include <string.h>

bool pd_check_exhaust(struct pd_check_run *c, struct pd_error *e)
{
	struct pd_bounded_search s = {.arena = &c->arena, .bound = c->preemptions};
	struct pd_bounded_log *log = &c->board->tests.bounded;
	struct pd_schedule next = {.policy = PD_POLICY_BOUNDED};
	uint32_t most = c->automatic ? UINT32_MAX : c->schedules;

	while (!c->board->stop && c->ran < most && pd_bounded_next(&s, &next.seed)) {
		memset(log, 0, sizeof(*log));
		if (!pd_check_schedule(c, pd_schedule_number(&next), e))
			return false;
		pd_bounded_feed(&s, log);
	}
	c->schedules_left = s.todo.n + (s.given == 0);
	c->schedules_beyond = s.beyond;
	return true;
}

static const char *condition_of(const struct pd_check_run *c)
{
	static const char *const names[] = {
		[PD_DURABLE] = "durable", [PD_BUFFERED] = "buffered", [PD_STRICT] = "strict"};
	const struct pd_board_driver *d = c->board->tests.driver;

	return c->condition ? c->condition : names[d ? d->condition : PD_DURABLE];
}

void pd_check_exhausted(const struct pd_check_run *c, struct pd_result *r)
{
	if (!c->exhaustive)
		return;
	pd_result_stat_int(r, "preemptions", c->preemptions);
	if (c->schedules_left && !c->cut)
		pd_limit_schedules_left(r, c->schedules_left);
	if (c->schedules_beyond)
		pd_limit_schedules_beyond(r, c->schedules_beyond);
	if (c->known.failed_schedules || c->wrong_alone || !c->ran)
		return;
	pd_result_stat_text(r, "condition", condition_of(c));
}
