/* check/run.c - runs one execution of the program, with all crashes and recoveries of it, to its
 * end. See run.h. */
#include "drive/check/check.h"
#include "drive/check/run.h"
#include "drive/check/time.h"
#include "host/interrupt.h"
#include "host/host.h"
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	TICK_MS = 200,
	SHORT_TICK_MS = 20, /* for short limits */
	GRACE_MS = 2000,
	TRIES = 3,
};

double pd_check_seconds(const struct pd_check_run *c)
{
	return pd_host_now() - c->started;
}

/* ---- watching ------------------------------------------------------------------------------- */

static void show_exploring(const struct pd_check_run *c, double t)
{
	const struct pd_board *b = c->board;
	uint64_t all = PD_MAX(c->expected, b->points_done);
	double rest, done;

	if (c->ran)
		fprintf(stderr, "schedule %u: ", c->ran + 1);
	fprintf(stderr,
		"%u of %lu crash points (%.0f %%), %lu recoveries (%.0f/s), %u failed, %.0f s",
		b->points_done, (unsigned long)all, 100.0 * b->points_done / (double)all,
		(unsigned long)b->executions, (double)(b->executions - c->executions_before) / t,
		b->nfinding, t);
	done = b->points_done - c->points_before;
	rest = (t - c->counted_at) * ((double)c->expected - b->points_done) / done;
	if (done >= 10 && rest >= 1)
		fprintf(stderr, ", about %.0f s left", rest);
}

static void show_progress(const struct pd_check_run *c, bool last)
{
	double t = pd_check_seconds(c);

	if (!c->shows_progress)
		return;
	fprintf(stderr, "\r\033[K");
	if (last)
		;
	else if (c->phase.does)
		fprintf(stderr, "%s %u, %.0f s", c->phase.does, c->phase.at, t);
	else if (!c->expected)
		fprintf(stderr, "running the program, %u crash points so far, %.0f s",
			c->board->points, t);
	else
		show_exploring(c, t);
	fflush(stderr);
}

void pd_check_phase(struct pd_check_run *c, const char *does, uint32_t at)
{
	c->phase.does = does;
	c->phase.at = at;
	show_progress(c, !does);
}

static bool is_to_explain(const struct pd_check_run *c)
{
	return c->board->nfinding && pd_check_wants_failures(c);
}

bool pd_check_time_is_over(const struct pd_check_run *c)
{
	if (c->until > 0 && pd_host_now() > c->until)
		return true;
	if (c->deadline > 0)
		return pd_check_seconds(c) > c->deadline;
	return c->options.time_limit_ms &&
	       pd_check_seconds(c) >
		       pd_time_explores((double)c->options.time_limit_ms / 1e3, is_to_explain(c));
}

/* A recovery may hang, or just be slow: one more execution measures the program's own pace
 * (engine/crash/pace.h). */
static void start_pace(struct pd_check_run *c)
{
	struct pd_error e;

	if (pd_driven_split(&c->pace, &c->origin, c->options.argv[0], &e) &&
	    pd_driven_order(&c->pace, PD_ZYGOTE_PACE, 0, &e))
		return;
	c->board->pace.state = PD_PACE_KNOWN; /* as far as possible: --hang decides */
}

static void finish_pace(struct pd_check_run *c)
{
	if (c->pace.channel)
		pd_driven_finish(&c->pace);
	c->board->pace.state = PD_PACE_KNOWN;
}

static void attend_pace(struct pd_check_run *c, bool ended)
{
	if (ended)
		finish_pace(c);
	else if (!c->pace.channel && c->board->pace.state == PD_PACE_WANTED)
		start_pace(c);
}

static bool was_killed(int status)
{
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

bool pd_check_once(struct pd_check_run *c, uint64_t seed, struct pd_error *e)
{
	struct pollfd p[2] = {{.fd = c->first.zygote, .events = POLLIN}, {.events = POLLIN}};
	double stopped = 0;

	c->gave_up = false;
	if (!pd_driven_order(&c->first, PD_ZYGOTE_RUN, seed, e))
		return false;
	for (;;) {
		p[1].fd = c->pace.channel ? c->pace.zygote : -1;
		poll(p, 2, c->until > 0 ? SHORT_TICK_MS : TICK_MS);
		if (p[0].revents)
			break;
		attend_pace(c, p[1].fd >= 0 && p[1].revents);
		show_progress(c, false);
		if (c->tick)
			c->tick(c);
		if (!stopped && (pd_interrupt_came() || pd_check_time_is_over(c))) {
			c->board->stop = 1;
			stopped = pd_host_now();
		}
		if (stopped && (pd_host_now() - stopped) * 1e3 > GRACE_MS) {
			c->gave_up = true;
			return true;
		}
	}
	show_progress(c, !c->phase.does);
	pd_check_keep_losses(c);
	if (!pd_board_is_marked(c->board))
		return pd_error_set(e, PD_EXIT_INTERNAL, "'%.200s' overwrote memory of perdure",
				    c->options.argv[0]);
	if (!pd_driven_answer(&c->first, e)) {
		c->board->starved = e->err;
		pd_board_count(c->board->killed);
		/* It may have said why it exited. */
		return c->board->starved || pd_driven_judge(&c->first, c->options.argv[0], e);
	} else if (was_killed(c->first.status)) {
		pd_board_count(c->board->killed);
	}
	return true;
}

bool pd_check_once_for(struct pd_check_run *c, uint64_t seed, double seconds, bool *cut,
		       struct pd_error *e)
{
	struct pd_board *b = c->board;
	bool ok;

	c->until = pd_host_now() + seconds;
	b->killed = 0;
	ok = pd_check_once(c, seed, e);
	c->until = 0;
	*cut = b->stop;
	if (ok && (c->gave_up || b->killed)) { /* the rest does no harm */
		pd_check_stop(c);
		ok = pd_check_start(c, e);
	}
	b->stop = pd_interrupt_came();
	return ok;
}

/* The program itself must end well under every schedule, and use PM: otherwise it does not run
 * again. */
static bool ended_well(struct pd_check_run *c, struct pd_error *e)
{
	return pd_check_announced_well(c, e) && pd_driven_judge(&c->first, c->options.argv[0], e) &&
	       pd_driven_ended_well(&c->first, c->options.argv[0], e) &&
	       pd_driven_mapped(&c->first, c->options.argv[0],
				c->options.pm.n ? c->options.pm.v[0] : NULL, e);
}

struct pd_check_counts pd_check_save_counts(const struct pd_board *b)
{
	return (struct pd_check_counts){b->points, b->points_done, b->points_run, b->finished,
					b->leaves, b->eager_log10, b->random.left};
}

void pd_check_restore_counts(struct pd_board *b, const struct pd_check_counts *n)
{
	b->points = n->points;
	b->points_done = n->points_done;
	b->points_run = n->points_run;
	b->finished = n->finished;
	b->leaves = n->leaves;
	b->eager_log10 = n->eager_log10;
	b->random.left = n->random;
}

bool pd_check_run_schedule(struct pd_check_run *c, struct pd_error *e)
{
	struct pd_board *b = c->board;
	struct pd_check_counts before = pd_check_save_counts(b);

	for (uint32_t try = 0;; try++) {
		if (!pd_check_once(c, b->seed, e))
			return false;
		if (b->stop || !b->killed)
			return b->stop || ended_well(c, e);
		if (b->starved ? !pd_check_take_fewer_jobs(c, b->starved, e)
			       : b->last_try && was_killed(c->first.status))
			return !b->starved && ended_well(c, e);
		if (try == TRIES && !b->starved)
			return pd_driven_judge(&c->first, c->options.argv[0], e) &&
			       pd_error_set(e, PD_EXIT_INTERNAL,
					    "processes of the exploration keep being killed; is "
					    "there enough memory?");
		pd_check_stop(c);
		pd_check_restore_counts(b, &before);
		c->known.killed += b->killed;
		b->killed = 0;
		if (b->starved)
			try = 0;
		b->last_try = try + 2 >= TRIES;
		if (!pd_check_start(c, e))
			return false;
	}
}
