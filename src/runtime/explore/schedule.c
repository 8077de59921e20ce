/*
 * explore/schedule.c - which thread runs when, as a part of the input. See explore.h.
 *
 * The choice is made when the program creates its first thread; a program that creates none has no
 * more paths than without. There the byte of the source is compared with the number of each
 * schedule, as if the program had branches there (see fault.c, which does the same for calls that
 * fail).
 *
 * If the input is fixed, its file `schedule` has the number of the schedule as in event/schedule.h.
 * Not in check, which tries schedules of its own.
 */
#include "event/schedule.h"
#include "runtime/base/listen.h"
#include "runtime/explore/explore.h"
#include "runtime/session/session.h"
#include "runtime/symbolic/symbolic.h"

static bool chosen; /* in this run */

/* ---- explored ------------------------------------------------------------------------------- */

static const struct pd_explore_source *source;

static void choose(void)
{
	const struct pd_explore *b = pd_exploring.board;

	if (chosen)
		return;
	chosen = true;
	pd_symbolic_use();
	pd_sources_note(source, 1);
	for (uint32_t i = 1; i < b->schedules; i++)
		if (pd_sources_is(source->first, (uint8_t)i, NULL)) {
			pd_session_schedule(pd_explore_schedule(b->schedule_seed, i));
			break;
		}
}

void pd_schedule_explore(const struct pd_explore_source *s)
{
	static const struct pd_listener listener = {.thread_making = choose};

	source = s;
	pd_listen_add(&listener);
}

/* ---- fixed ---------------------------------------------------------------------------------- */

static uint64_t number;

static void take(void)
{
	if (!chosen && number)
		pd_session_schedule(number);
	chosen = true;
}

void pd_schedule_fixed(const char *text, size_t n)
{
	static const struct pd_listener listener = {.thread_making = take};
	size_t at = 0;

	for (; at < n && text[at] >= '0' && text[at] <= '9' && number < UINT64_MAX / 20; at++)
		number = number * 10 + (uint64_t)(text[at] - '0');
	if (!at || (at < n && text[at] != '\n'))
		pd_rt_fail(2, "the input's file 'schedule' is no number of a schedule");
	if (!pd_session.checking)
		pd_listen_add(&listener);
}
