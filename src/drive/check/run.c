/* check/run.c - starts the processes of an exploration, and watches them. See check.h. */
#include "drive/check/check.h"
#include "drive/check/time.h"
#include "base/names.h"
#include "engine/crash/cover.h"
#include "host/interrupt.h"
#include "host/machine.h"
#include "host/host.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	SOCKETS_FROM = 12, /* numbers for the workers' sockets, above our other descriptors */
	TICK_MS = 200,
	SHORT_TICK_MS = 20, /* for short limits */
	GRACE_MS = 2000,
	QUIET_MS = 200,
	TRIES = 3,
	SCHEDULES_LEAST = 8, /* default number of schedules, if there are threads ... */
	SCHEDULES_MOST = 32, /* ... and the maximum, while they show anything new */
};

double pd_check_seconds(const struct pd_check_run *c)
{
	return pd_host_now() - c->started;
}

/* ---- starting ------------------------------------------------------------------------------- */

/* A descriptor with the same number in all processes, out of the program's way. */
static int high_fd(int fd)
{
	int high = fcntl(fd, F_DUPFD, pd_machine()->first_fd);
	int err = errno;

	close(fd);
	errno = err;
	return high;
}

bool pd_check_board(struct pd_check_run *c, struct pd_error *e)
{
	void *p;
	int fd;

	if (!pd_machine_allows(false, e))
		return false;
	c->jobs = pd_machine_jobs(PD_MIN(c->jobs ? c->jobs : c->options.jobs, PD_BOARD_WORKERS),
				  c->crashes);
	fd = pd_machine_shared("perdure-board", 0, PD_BOARD_SIZE);
	if (fd < 0)
		return pd_error_errno(e, errno, "make", "shared memory");
	c->board_fd = high_fd(fd);
	if (c->board_fd < 0)
		return pd_error_errno(e, errno, "make", "shared memory");
	p = mmap((void *)PD_BOARD_BASE, PD_BOARD_SIZE, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, c->board_fd, 0);
	if (p != (void *)PD_BOARD_BASE)
		return pd_error_errno(e, errno, "map", "shared memory");
	c->board = p;
	pd_board_mark(c->board);
	c->board->used = sizeof(*c->board);
	c->board->hang_ms = c->hang_ms;
	c->board->hold.asked = c->hold;
	c->board->crashes = c->crashes;
	c->board->share.jobs = c->jobs;
	c->board->strict_memory = pd_machine()->strict;
	for (uint32_t i = 0; i < c->nchecksum; i++)
		snprintf(c->board->checksum.name[i], sizeof(c->board->checksum.name[i]), "%s",
			 c->checksum[i]);
	c->board->no_incremental = c->no_incremental;
	c->board->eager = c->eager;
	c->board->by_value = c->by_value;
	c->board->tests.all_states = c->all_states;
	c->board->ambiguous = c->ambiguous;
	memcpy(c->board->ok_exit, c->ok_exit, sizeof(c->ok_exit));
	return pd_check_torn_prepare(c, e);
}

static bool start_origin(struct pd_check_run *c, struct pd_driven *d, char **argv,
			 struct pd_error *e)
{
	struct pd_driven_options o = {
		.argv = argv,
		.pm = c->options.pm.v,
		.npm = c->options.pm.n,
		.mode = "check",
		.settings = c->settings,
		.seed = c->options.seed,
		.stdout_to = c->capture,
		.stderr_to = c->capture,
		.zygote = true,
	};

	if (d->pid > 0 && waitpid(d->pid, NULL, WNOHANG) == 0)
		return true;
	if (d->channel) { /* it was killed */
		d->pid = 0;
		pd_driven_finish(d);
		c->moved = pd_machine()->random;
	}
	return pd_driven_start(d, &o, e);
}

static struct pd_driven *origin_of_recoveries(struct pd_check_run *c)
{
	return c->recover ? &c->recover_origin : &c->origin;
}

static bool is_null(int fd)
{
	struct stat of, null;

	return fstat(fd, &of) == 0 && stat("/dev/null", &null) == 0 && S_ISCHR(of.st_mode) &&
	       S_ISCHR(null.st_mode) && of.st_rdev == null.st_rdev;
}

/* Saves standard input for all executions: each reads it from its start. A terminal is left alone,
 * and so is /dev/null, where every execution is at the end anyway; a pipe that stays silent for a
 * moment counts as ended. */
static int keep_stdin(void)
{
	struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};
	char buf[1 << 16];
	ssize_t n;
	int fd;

	if (isatty(STDIN_FILENO) || is_null(STDIN_FILENO))
		return -1;
	fd = memfd_create("perdure-stdin", 0);
	while (fd >= 0 && poll(&p, 1, QUIET_MS) > 0 &&
	       (n = read(STDIN_FILENO, buf, sizeof(buf))) > 0)
		if (write(fd, buf, (size_t)n) != n)
			break;
	return fd < 0 ? -1 : high_fd(fd);
}

/* Starts the zygotes of one worker, deepest first: each knows the deeper ones. */
static bool start_worker(struct pd_check_run *c, uint32_t j, struct pd_error *e)
{
	char **argv = c->recover ? c->recover : c->options.argv;
	bool ok = true;

	for (uint32_t d = c->crashes; d-- > 0 && ok;) {
		int number = pd_machine()->first_fd + SOCKETS_FROM + (int)(j * c->crashes + d);
		struct pd_driven *w = &c->worker[j][d];

		ok = pd_driven_split(w, origin_of_recoveries(c), argv[0], e) &&
		     pd_driven_keep(&c->origin, w->zygote, number, e) &&
		     (!c->recover || pd_driven_keep(&c->recover_origin, w->zygote, number, e));
		c->board->worker[j].socket[d] = number;
	}
	return ok;
}

static bool start_processes(struct pd_check_run *c, struct pd_error *e)
{
	char announced[100];
	bool ok;

	pd_check_announced_settings(c, announced, sizeof(announced));
	snprintf(c->settings, sizeof(c->settings), "board=%d model=%s stdin=%d%s%s%s", c->board_fd,
		 c->model, c->input, announced, c->given && *c->given->setting ? " " : "",
		 c->given ? c->given->setting : "");
	c->board->share.jobs = c->jobs;
	c->board->starved = 0;
	memset(c->board->worker, 0, sizeof(c->board->worker));
	if (c->origin.channel) /* else it is new: to clear it would make hundreds of pages */
		memset(c->board->walker, 0, sizeof(c->board->walker));
	memset(c->board->share.walker, 0, sizeof(c->board->share.walker));
	c->board->share.walking = 0;
	c->board->share.begun = 0;
	ok = start_origin(c, &c->origin, c->options.argv, e) &&
	     (!c->recover || start_origin(c, &c->recover_origin, c->recover, e));
	for (uint32_t j = 0; j < c->jobs && ok; j++)
		ok = start_worker(c, j, e);
	return ok && pd_driven_split(&c->first, &c->origin, c->options.argv[0], e);
}

/* Every execution of the program loses the same, except for effects of schedules. */
static void keep_losses(struct pd_check_run *c)
{
	const struct pd_channel *ch = c->first.channel;

	for (int k = 0; k < PD_LOSS_N; k++)
		c->known.lost[k] = PD_MAX(c->known.lost[k], ch->losses[k]);
	if (!*c->known.suspects)
		memcpy(c->known.suspects, ch->suspects, sizeof(c->known.suspects));
}

uint64_t pd_check_lost(const struct pd_check_run *c, enum pd_loss kind)
{
	uint64_t n = c->known.lost[kind] + c->known.lost_later[kind];

	for (uint32_t j = 0; j < PD_BOARD_WORKERS; j++)
		for (uint32_t d = 0; d < PD_BOARD_DEPTH; d++)
			if (c->worker[j][d].channel)
				n += c->worker[j][d].channel->losses[kind];
	return n;
}

/* A flush that a recovery makes unseen, the first execution has made unseen, too; there it left no
 * trace. */
bool pd_check_blind(const struct pd_check_run *c)
{
	return c->known.lost[PD_LOSS_BLIND] || c->known.lost[PD_LOSS_CHILD] ||
	       pd_check_lost(c, PD_LOSS_FLUSH);
}

void pd_check_know_readers(struct pd_check_known *k, const struct pd_channel *ch)
{
	pd_names_add(k->readers, sizeof(k->readers), ch->readers);
	k->libc_reads |= ch->libc_reads;
}

static void stop_worker(struct pd_check_run *c, struct pd_driven *d)
{
	for (int k = 0; d->channel && k < PD_LOSS_N; k++)
		c->known.lost_later[k] += d->channel->losses[k];
	if (d->channel)
		pd_check_know_readers(&c->known, d->channel);
	for (int k = 0; d->channel && k < PD_EV_N; k++)
		c->known.did |= (uint64_t)!!d->channel->events[k] << k;
	if (d->channel)
		pd_driven_finish(d);
}

static void stop_all(struct pd_check_run *c)
{
	if (c->first.channel) {
		keep_losses(c);
		pd_driven_finish(&c->first);
	}
	if (c->pace.channel)
		pd_driven_finish(&c->pace); /* whoever waits asks again */
	for (uint32_t j = 0; j < PD_BOARD_WORKERS; j++)
		for (uint32_t d = 0; d < PD_BOARD_DEPTH; d++)
			stop_worker(c, &c->worker[j][d]);
}

/* Processes killed with their parent end a moment later, and become our children
 * (PR_SET_CHILD_SUBREAPER). */
static void wait_for_orphans(const struct pd_board *b)
{
	double since = pd_host_now(), last = since;

	for (uint32_t i = 0; i < PD_BOARD_WALKERS; i++)
		while (b->share.walker[i].pid && kill((pid_t)b->share.walker[i].pid, 0) == 0 &&
		       pd_host_now() - since < 1) {
			waitpid((pid_t)b->share.walker[i].pid, NULL, WNOHANG);
			poll(NULL, 0, 1);
		}
	while (pd_host_now() - last < QUIET_MS * 1e-3 / 10) {
		if (waitpid(-1, NULL, WNOHANG) > 0)
			last = pd_host_now();
		else
			poll(NULL, 0, 1);
	}
}

/* The machine limits the number of processes: halve the jobs. False: it is one already. */
static bool take_fewer_jobs(struct pd_check_run *c, int err, struct pd_error *e)
{
	const char *why = err == EAGAIN ? "no more processes can be started here (ulimit -u)"
					: "there is no memory for more processes here";

	if (c->jobs == 1)
		return pd_error_set(e, PD_EXIT_INTERNAL, "%s, not even for one job; %s", why,
				    err == EAGAIN ? "raise the limit"
						  : "free some, or see 'perdure doctor'");
	c->jobs /= 2;
	c->fewer = why;
	return true;
}

static bool start_all(struct pd_check_run *c, struct pd_error *e)
{
	while (!start_processes(c, e)) {
		if ((e->err != EAGAIN && e->err != ENOMEM) || !take_fewer_jobs(c, e->err, e))
			return false;
		stop_all(c);
		wait_for_orphans(c->board);
	}
	return true;
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

static bool time_is_over(const struct pd_check_run *c)
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

static bool killed(int status)
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
		if (!stopped && (pd_interrupt_came() || time_is_over(c))) {
			c->board->stop = 1;
			stopped = pd_host_now();
		}
		if (stopped && (pd_host_now() - stopped) * 1e3 > GRACE_MS) {
			c->gave_up = true;
			return true;
		}
	}
	show_progress(c, !c->phase.does);
	keep_losses(c);
	if (!pd_board_is_marked(c->board))
		return pd_error_set(e, PD_EXIT_INTERNAL, "'%.200s' overwrote memory of perdure",
				    c->options.argv[0]);
	if (!pd_driven_answer(&c->first, e)) {
		c->board->starved = e->err;
		pd_board_count(c->board->killed);
		/* It may have said why it exited. */
		return c->board->starved || pd_driven_judge(&c->first, c->options.argv[0], e);
	} else if (killed(c->first.status)) {
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
		stop_all(c);
		ok = start_all(c, e);
	}
	b->stop = pd_interrupt_came();
	return ok;
}

/* The program itself must end well under every schedule, and use PM: otherwise it does not run
 * again. */
static bool good(struct pd_check_run *c, struct pd_error *e)
{
	return pd_check_announced_well(c, e) && pd_driven_judge(&c->first, c->options.argv[0], e) &&
	       pd_driven_ended_well(&c->first, c->options.argv[0], e) &&
	       pd_driven_mapped(&c->first, c->options.argv[0],
				c->options.pm.n ? c->options.pm.v[0] : NULL, e);
}

static struct pd_check_counts save_counts(const struct pd_board *b)
{
	return (struct pd_check_counts){b->points, b->points_done, b->points_run, b->finished,
					b->leaves, b->eager_log10, b->random.left};
}

static void restore_counts(struct pd_board *b, const struct pd_check_counts *n)
{
	b->points = n->points;
	b->points_done = n->points_done;
	b->points_run = n->points_run;
	b->finished = n->finished;
	b->leaves = n->leaves;
	b->eager_log10 = n->eager_log10;
	b->random.left = n->random;
}

/*
 * Runs one schedule. If a process of ours was killed, its work is unknown: all processes are
 * started anew and repeat the schedule, using what the others have found. The third time, a killed
 * recovery is assumed to have caused it.
 */
static bool run_schedule(struct pd_check_run *c, struct pd_error *e)
{
	struct pd_board *b = c->board;
	struct pd_check_counts before = save_counts(b);

	for (uint32_t try = 0;; try++) {
		if (!pd_check_once(c, b->seed, e))
			return false;
		if (b->stop || !b->killed)
			return b->stop || good(c, e);
		if (b->starved ? !take_fewer_jobs(c, b->starved, e)
			       : b->last_try && killed(c->first.status))
			return !b->starved && good(c, e);
		if (try == TRIES && !b->starved)
			return pd_driven_judge(&c->first, c->options.argv[0], e) &&
			       pd_error_set(e, PD_EXIT_INTERNAL,
					    "processes of the exploration keep being killed; is "
					    "there enough memory?");
		stop_all(c);
		wait_for_orphans(b);
		restore_counts(b, &before);
		c->known.killed += b->killed;
		b->killed = 0;
		if (b->starved)
			try = 0;
		b->last_try = try + 2 >= TRIES;
		if (!start_all(c, e))
			return false;
	}
}

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
	struct pd_check_counts before = save_counts(b);

	b->random.mode = PD_RANDOM_COUNT;
	if (!run_schedule(c, e) || b->stop)
		return b->stop;
	if (!c->schedules)
		c->schedules = schedules_for(c);
	b->random.points = b->points - before.points;
	restore_counts(b, &before);
	b->random.left = c->random / c->schedules + (c->ran < c->random % c->schedules);
	b->random.mode = PD_RANDOM_DRAW;
	return run_schedule(c, e);
}

static bool more_schedules(const struct pd_check_run *c)
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
static bool goes_on(struct pd_check_run *c, const struct pd_error *e)
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

/* *news: whether the schedule showed anything new. */
static bool run_next(struct pd_check_run *c, bool *news, struct pd_error *e)
{
	struct pd_board *b = c->board;
	uint32_t points = b->points;
	bool ok;

	b->seed = next_schedule(c);
	if (b->cover)
		b->cover->base = points;
	ok = c->random ? run_random(c, e) : run_schedule(c, e);
	*news = b->cover && pd_cover_size(b->cover) > c->known.covered;
	c->last_points = b->points - points;
	return ok || goes_on(c, e);
}

static bool more_after_this(const struct pd_check_run *c)
{
	return !c->random && c->ran + 1 < c->schedules;
}

bool pd_check_schedule(struct pd_check_run *c, uint64_t seed, struct pd_error *e)
{
	struct pd_board *b = c->board;
	uint32_t points = b->points;
	bool ok;

	b->seed = seed;
	if (b->cover)
		b->cover->base = points;
	ok = run_schedule(c, e);
	c->last_points = b->points - points;
	c->ran++;
	if (time_is_over(c))
		b->stop = 1;
	return ok || goes_on(c, e);
}

/* A schedule begins: from here another run can continue with what is known. */
static void mark_begin(struct pd_check_run *c)
{
	const struct pd_board *b = c->board;

	if (b->stop)
		return;
	c->known.counts = save_counts(b);
	c->known.ran = c->ran;
	c->known.schedules = c->schedules;
	c->known.failed_before = c->known.failed_schedules;
	c->known.covered = b->cover ? pd_cover_size(b->cover) : 0;
}

/* Restarts the schedule that was cut; what it has covered is not news for later ones. */
static void go_on(struct pd_check_run *c)
{
	uint32_t executed = c->board->points_run;

	restore_counts(c->board, &c->known.counts);
	c->board->points_run = executed; /* also at points that are visited again */
	c->ran = c->known.ran;
	c->schedules = c->known.schedules;
	c->known.failed_schedules = c->known.failed_before;
	c->known.again++;
	c->executions_before = c->board->executions;
	c->points_before = c->board->points_done;
}

static bool run_schedules(struct pd_check_run *c, struct pd_error *e)
{
	bool news, first = c->resume;

	if (c->exhaustive && !pd_check_exhaust(c, e))
		return false;
	for (; !c->exhaustive && more_schedules(c); c->ran++) {
		if (!first)
			mark_begin(c);
		first = false;
		if (!run_next(c, &news, e))
			return false;
		want_more(c, news);
		/* A schedule may end before the clock was checked. */
		if (more_after_this(c) && time_is_over(c))
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
	return run_schedule(c, e);
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

/* For progress: counts the crash points in advance. */
static bool count_points(struct pd_check_run *c, struct pd_error *e)
{
	struct pd_check_counts before = save_counts(c->board);
	bool ok;

	c->board->random.mode = PD_RANDOM_COUNT;
	ok = run_schedule(c, e);
	c->board->random.mode = PD_RANDOM_OFF;
	c->expected =
		before.points + (uint64_t)(c->board->points - before.points) *
					PD_MAX(c->schedules - PD_MIN(c->ran, c->schedules), 1);
	c->counted_at = pd_check_seconds(c);
	restore_counts(c->board, &before);
	return ok;
}

bool pd_check_processes(struct pd_check_run *c, struct pd_error *e)
{
	c->started = pd_host_now();
	pd_interrupt_catch();
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (c->input < 0 && c->given && c->given->standard >= 0)
		c->input = fcntl(c->given->standard, F_DUPFD, pd_machine()->first_fd);
	if (c->input < 0)
		c->input = keep_stdin();
	c->capture = memfd_create("perdure-output", MFD_CLOEXEC);
	return start_all(c, e);
}

bool pd_check_execute(struct pd_check_run *c, struct pd_error *e)
{
	bool ok = pd_check_processes(c, e) && (!c->resume || pd_check_same(c, e));

	if (c->resume)
		go_on(c);
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

bool pd_check_resume(struct pd_check_run *c, struct pd_error *e)
{
	bool broken = c->gave_up || c->board->killed;

	for (uint32_t j = 0; j < c->jobs; j++)
		broken = broken || c->board->worker[j].pid;
	if (broken) {
		stop_all(c);
		wait_for_orphans(c->board);
	}
	c->board->stop = 0;
	c->board->killed = 0;
	c->gave_up = false;
	if (broken && !start_all(c, e))
		return false;
	pd_interrupt_forget();
	pd_interrupt_catch();
	if (c->cut || c->options.time_limit_ms)
		c->deadline = pd_time_explains((double)c->options.time_limit_ms / 1e3,
					       pd_check_seconds(c));
	return true;
}

void pd_check_finish(struct pd_check_run *c)
{
	stop_all(c);
	if (c->origin.channel)
		pd_driven_finish(&c->origin);
	if (c->recover_origin.channel)
		pd_driven_finish(&c->recover_origin);
	if (c->input > 0)
		close(c->input);
	if (c->given)
		pd_input_finish(c->given);
	pd_arena_finish(&c->arena);
}
