/* check/schedules.c - which executions `check` and `linear` run, one after the other. See run.h. */
#include "drive/check/check.h"
#include "drive/check/run.h"
#include "engine/crash/cover.h"
#include "host/interrupt.h"
#include <stdio.h>
#include <unistd.h>

enum {
	SCHEDULES_LEAST = 8, /* default number of schedules, if there are threads ... */
	SCHEDULES_MOST = 32, /* ... and the maximum, while they show anything new */
};

/* With threads, random recoveries are distributed over random schedules, too. */
static uint32_t schedules_for(const struct pd_check_run *c)
{
	if (!c->first.channel->events[PD_EV_THREAD_CREATE])
		return 1;
	return (uint32_t)PD_MAX(1, PD_MIN(c->random / 50, 20));
}

/* One schedule in random mode: once to count its crash points, once to crash at some. */
static bool run_random(struct pd_check_run *c, struct pd_error *e)
{
	struct pd_board *b = c->board;
	struct pd_check_counts before = pd_check_save_counts(b);

	b->random.mode = PD_RANDOM_COUNT;
	if (!pd_check_run_schedule(c, e) || b->stop)
		return b->stop;
	if (!c->schedules)
		c->schedules = schedules_for(c);
	b->random.points = b->points - before.points;
	pd_check_restore_counts(b, &before);
	b->random.left = c->random / c->schedules + (c->ran < c->random % c->schedules);
	b->random.mode = PD_RANDOM_DRAW;
	return pd_check_run_schedule(c, e);
}

static bool has_more_schedules(const struct pd_check_run *c)
{
	return !c->board->stop && (c->ran < c->schedules || (c->random && !c->ran));
}

/* The default schedules: L late flushes, D each thread runs until it blocks, P PCT
 * (docs/decisions/0021). Later ones alternate. */
static const char in_turn[] = "LDPLPPLP";

static char kind_of_schedule(uint32_t number)
{
	return number < sizeof(in_turn) - 1 ? in_turn[number] : "LP"[number % 2];
}

static uint64_t next_schedule(const struct pd_check_run *c)
{
	struct pd_schedule s = {.policy = c->ran ? PD_POLICY_PCT : PD_POLICY_DEFAULT,
				.seed = c->options.seed + c->ran};
	uint64_t before = 0;

	if (!c->automatic)
		return pd_schedule_number(&s);
	for (uint32_t i = 0; i < c->ran; i++)
		before += kind_of_schedule(i) == kind_of_schedule(c->ran);
	switch (kind_of_schedule(c->ran)) {
	case 'D':
		s = (struct pd_schedule){.policy = PD_POLICY_DEFAULT};
		break;
	case 'P':
		s = (struct pd_schedule){PD_POLICY_PCT, .seed = c->options.seed + 1 + before};
		break;
	default:
		s = (struct pd_schedule){PD_POLICY_LATE, c->options.seed, .nth = before};
	}
	return pd_schedule_number(&s);
}

bool pd_check_has_threads(const struct pd_check_run *c)
{
	return c->first.channel->events[PD_EV_THREAD_CREATE] ||
	       pd_check_recovery_did(c, PD_EV_THREAD_CREATE);
}

/* After a schedule, if no number was given: whether to add more. */
static void want_more(struct pd_check_run *c, bool news)
{
	uint32_t ran = c->ran + 1, least = c->least ? c->least : SCHEDULES_LEAST;

	if (!c->automatic || !pd_check_has_threads(c))
		return;
	c->schedules = PD_MAX(least, PD_MIN(ran + news, SCHEDULES_MOST));
	if (c->ran == 0)
		c->expected *= least;
}

/* True: the program itself failed under this schedule, on PM; others may go well. */
static bool is_tolerated(struct pd_check_run *c, const struct pd_error *e)
{
	struct pd_channel *ch = c->first.channel;

	if (e->status != PD_EXIT_USAGE || c->board->misused || !ch->events[PD_EV_POOL_MAP] ||
	    !ch->events[PD_EV_THREAD_CREATE])
		return false;
	if (!c->known.failed_schedules++)
		snprintf(c->known.why_failed, sizeof(c->known.why_failed), "%.390s", e->text);
	ch->failed = 0;
	return true;
}

static bool run_one(struct pd_check_run *c, uint64_t seed, struct pd_error *e)
{
	struct pd_board *b = c->board;
	uint32_t points = b->points;
	bool ok;

	b->seed = seed;
	if (b->cover)
		b->cover->base = points;
	ok = c->random ? run_random(c, e) : pd_check_run_schedule(c, e);
	c->last_points = b->points - points;
	return ok || is_tolerated(c, e);
}

static bool has_more_after_this(const struct pd_check_run *c)
{
	return !c->random && c->ran + 1 < c->schedules;
}

bool pd_check_schedule(struct pd_check_run *c, uint64_t seed, struct pd_error *e)
{
	bool ok = run_one(c, seed, e);

	c->ran++;
	if (pd_check_time_is_over(c))
		c->board->stop = 1;
	return ok;
}

/* A schedule begins: from here another run can continue with what is known. */
static void mark_begin(struct pd_check_run *c)
{
	const struct pd_board *b = c->board;

	if (b->stop)
		return;
	c->known.counts = pd_check_save_counts(b);
	c->known.ran = c->ran;
	c->known.schedules = c->schedules;
	c->known.failed_before = c->known.failed_schedules;
	c->known.covered = b->cover ? pd_cover_size(b->cover) : 0;
}

/* Restarts the schedule that was cut; what it has covered is not news for later ones. */
static void continue_known(struct pd_check_run *c)
{
	uint32_t executed = c->board->points_run;

	pd_check_restore_counts(c->board, &c->known.counts);
	c->board->points_run = executed; /* also at points that are visited again */
	c->ran = c->known.ran;
	c->schedules = c->known.schedules;
	c->known.failed_schedules = c->known.failed_before;
	c->known.again++;
	c->executions_before = c->board->executions;
	c->points_before = c->board->points_done;
}

static bool shows_news(const struct pd_check_run *c)
{
	return c->board->cover && pd_cover_size(c->board->cover) > c->known.covered;
}

static bool run_schedules(struct pd_check_run *c, struct pd_error *e)
{
	bool first = c->resume;

	if (c->exhaustive && !pd_check_exhaust(c, e))
		return false;
	for (; !c->exhaustive && has_more_schedules(c); c->ran++) {
		if (!first)
			mark_begin(c);
		first = false;
		if (!run_one(c, next_schedule(c), e))
			return false;
		want_more(c, shows_news(c));
		/* A schedule may end before the clock was checked. */
		if (has_more_after_this(c) && pd_check_time_is_over(c))
			c->board->stop = 1;
	}
	return !c->known.failed_schedules || c->known.failed_schedules < c->ran ||
	       pd_error_set(e, PD_EXIT_USAGE, "%s", c->known.why_failed);
}

/* ---- tests of linear (engine/linear/plan.h) ------------------------------------------------- */

bool pd_check_named(struct pd_check_run *c, enum pd_named_kind kind, struct pd_error *e)
{
	struct pd_named name = {.kind = (uint8_t)kind};

	if (c->board->stop)
		return true;
	c->passes++;
	c->board->seed = pd_named_seed(&name);
	if (c->board->cover)
		c->board->cover->base = c->board->points;
	return pd_check_run_schedule(c, e);
}

/* An error without any crash is all there is to report. */
static bool run_tests(struct pd_check_run *c, struct pd_error *e)
{
	if (!pd_check_named(c, PD_NAMED_LOOK, e))
		return false;
	c->wrong_alone = c->board->nfinding > 0;
	if (c->wrong_alone)
		return true;
	if (!c->exhaustive && !(pd_check_plan_tests(c, e) && (!c->grows || pd_check_grow(c, e))))
		return false;
	return pd_check_named(c, PD_NAMED_CLOSE, e);
}

/* ---- all ------------------------------------------------------------------------------------ */

/* For progress: counts the crash points in advance. */
static bool count_points(struct pd_check_run *c, struct pd_error *e)
{
	struct pd_check_counts before = pd_check_save_counts(c->board);
	bool ok;

	c->board->random.mode = PD_RANDOM_COUNT;
	ok = pd_check_run_schedule(c, e);
	c->board->random.mode = PD_RANDOM_OFF;
	c->expected =
		before.points + (uint64_t)(c->board->points - before.points) *
					PD_MAX(c->schedules - PD_MIN(c->ran, c->schedules), 1);
	c->counted_at = pd_check_seconds(c);
	pd_check_restore_counts(c->board, &before);
	return ok;
}

bool pd_check_execute(struct pd_check_run *c, struct pd_error *e)
{
	bool ok = pd_check_processes(c, e) && (!c->resume || pd_check_same(c, e));

	if (c->resume)
		continue_known(c);
	c->board->random.seed = c->options.seed;
	c->shows_progress = !c->options.quiet && isatty(STDERR_FILENO);
	c->board->seed = next_schedule(c);
	if (ok && c->shows_progress && c->schedules)
		ok = count_points(c, e);
	ok = ok && (!c->tests || run_tests(c, e));
	ok = ok && (c->wrong_alone || run_schedules(c, e));
	c->board->random.mode = PD_RANDOM_OFF;
	pd_interrupt_release();
	c->interrupted = pd_interrupt_came() ? pd_interrupt_name() : NULL;
	c->cut = c->board->stop;
	if (ok && c->fewer && !c->options.quiet)
		fprintf(stderr, "perdure: %s, so --jobs was %u\n", c->fewer, c->jobs);
	return ok;
}
