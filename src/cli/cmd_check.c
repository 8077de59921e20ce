/*
 * cmd_check.c - perdure check PROGRAM: every crash, every state that recovery can tell apart.
 *
 * Starts two zygotes of the program: one for the first execution, one for recoveries. They do the work
 * among themselves over the board (engine/crash/board.h); the tool watches, shows progress, stops them
 * when the time is over, and tells what came of it.
 */
#include "cli/check.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "host/driven.h"
#include "host/host.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	OPT_RECOVER = 1,
	OPT_OK_EXIT,
	OPT_HANG,
	OPT_MODEL,
	FIRST_FD = 920,
	TICK_MS = 200,
	GRACE_MS = 5000,
};

struct check {
	struct pd_arena arena;
	struct pd_options options;
	struct pd_result result;
	struct pd_board *board;
	int board_fd;
	int capture; /* what the first execution prints */
	const char *model;
	char **recover; /* another command for recovery; NULL: the same */
	uint64_t hang_ms;
	uint64_t ok_exit[4];
	struct pd_driven first;
	struct pd_driven worker;
	double started;
};

static volatile sig_atomic_t interrupted;

static void on_interrupt(int sig)
{
	(void)sig;
	interrupted = 1;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- options --------------------------------------------------------------------------------- */

static bool parse_statuses(const char *s, uint64_t bits[4])
{
	while (*s) {
		char *end;
		unsigned long v = strtoul(s, &end, 10);

		if (end == s || v > 255 || (*end && *end != ','))
			return false;
		bits[v / 64] |= 1ULL << (v % 64);
		s = *end ? end + 1 : end;
	}
	return true;
}

/* A command line as one argument: words separated by blanks. */
static char **split_words(struct pd_arena *a, const char *s)
{
	char *copy = pd_arena_strndup(a, s, strlen(s));
	char **argv = pd_new_array(a, char *, strlen(s) / 2 + 2);
	size_t n = 0;

	for (char *w = copy && argv ? strtok(copy, " ") : NULL; w; w = strtok(NULL, " "))
		argv[n++] = w;
	return n ? argv : NULL;
}

static bool take_option(void *ctx, int key, const char *arg, struct pd_error *e)
{
	struct check *c = ctx;

	switch (key) {
	case OPT_RECOVER:
		c->recover = split_words(&c->arena, arg);
		return c->recover || pd_error_set(e, PD_EXIT_USAGE, "--recover takes a command line");
	case OPT_OK_EXIT:
		return parse_statuses(arg, c->ok_exit) ||
		       pd_error_set(e, PD_EXIT_USAGE, "--ok-exit takes statuses from 0 to 255, "
						      "separated by ',', not '%s'", arg);
	case OPT_HANG:
		return (pd_parse_time(arg, &c->hang_ms) && c->hang_ms) ||
		       pd_error_set(e, PD_EXIT_USAGE, "--hang takes a time such as 10s, not '%s'", arg);
	default:
		c->model = arg;
		return strcmp(arg, "adr") == 0 || strcmp(arg, "eadr") == 0 || strcmp(arg, "page") == 0 ||
		       pd_error_set(e, PD_EXIT_USAGE, "--model takes adr, eadr or page, not '%s'", arg);
	}
}

/* ---- starting -------------------------------------------------------------------------------- */

static bool make_board(struct check *c, struct pd_error *e)
{
	int fd = memfd_create("perdure-board", 0);
	void *p;

	if (fd < 0 || ftruncate(fd, (off_t)PD_BOARD_SIZE) != 0)
		return pd_error_errno(e, errno, "make", "shared memory");
	c->board_fd = fcntl(fd, F_DUPFD, FIRST_FD);
	close(fd);
	p = mmap((void *)PD_BOARD_BASE, PD_BOARD_SIZE, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, c->board_fd, 0);
	if (c->board_fd < 0 || p != (void *)PD_BOARD_BASE)
		return pd_error_errno(e, errno, "map", "shared memory");
	c->board = p;
	c->board->used = sizeof(*c->board);
	c->board->hang_ms = c->hang_ms;
	memcpy(c->board->ok_exit, c->ok_exit, sizeof(c->ok_exit));
	return true;
}

static bool start(struct check *c, struct pd_driven *d, char **argv, const char *settings,
		  struct pd_error *e)
{
	struct pd_driven_options o = {
		.argv = argv,
		.pm = c->options.pm.v,
		.npm = c->options.pm.n,
		.mode = "check",
		.settings = settings,
		.seed = c->options.seed,
		.stdout_to = c->capture,
		.stderr_to = c->capture,
		.zygote = true,
	};

	return pd_driven_start(d, &o, e);
}

static bool start_both(struct check *c, struct pd_error *e)
{
	char settings[200];
	int socket;
	bool ok;

	c->capture = memfd_create("perdure-output", MFD_CLOEXEC);
	snprintf(settings, sizeof(settings), "board=%d model=%s", c->board_fd, c->model);
	if (!start(c, &c->worker, c->recover ? c->recover : c->options.argv, settings, e))
		return false;
	socket = fcntl(c->worker.zygote, F_DUPFD, FIRST_FD);
	snprintf(settings, sizeof(settings), "board=%d model=%s worker=%d", c->board_fd, c->model,
		 socket);
	ok = start(c, &c->first, c->options.argv, settings, e);
	close(socket);
	return ok;
}

/* ---- watching -------------------------------------------------------------------------------- */

static void show_progress(const struct check *c, bool last)
{
	const struct pd_board *b = c->board;
	double t = now() - c->started;

	if (c->options.quiet || !isatty(STDERR_FILENO))
		return;
	if (last)
		fprintf(stderr, "\r\033[K");
	else
		fprintf(stderr, "\r\033[K%u crash points, %lu recoveries (%.0f/s), %u failed, %.0f s",
			b->points, (unsigned long)b->executions, (double)b->executions / t, b->nfinding,
			t);
	fflush(stderr);
}

static bool time_is_over(const struct check *c)
{
	return c->options.time_limit_ms &&
	       (now() - c->started) * 1e3 > (double)c->options.time_limit_ms;
}

/* Orders the first execution and waits for its end; false where it had to be killed. */
static bool watch(struct check *c, struct pd_error *e)
{
	struct pollfd p = {.fd = c->first.zygote, .events = POLLIN};
	double stopped = 0;

	if (!pd_driven_order(&c->first, c->options.seed, e))
		return false;
	while (poll(&p, 1, TICK_MS) <= 0) {
		show_progress(c, false);
		if (!stopped && (interrupted || time_is_over(c))) {
			c->board->stop = 1;
			stopped = now();
		}
		if (stopped && (now() - stopped) * 1e3 > GRACE_MS)
			return true;
	}
	show_progress(c, true);
	return pd_driven_answer(&c->first, e);
}

/* ---- the end --------------------------------------------------------------------------------- */

static void stats(struct check *c)
{
	const struct pd_board *b = c->board;
	struct pd_result *r = &c->result;

	pd_result_stat_int(r, "executions", (int64_t)b->executions + 1);
	pd_result_stat_int(r, "crash_points", b->points);
	pd_result_stat_int(r, "crash_points_executed", b->points_run);
	pd_result_stat_real(r, "eager_states_log10", b->eager_log10);
	pd_result_stat_real(r, "executions_per_crash_point",
			    b->points ? (double)b->executions / b->points : 0);
	pd_result_stat_int(r, "failed_recoveries", b->nfinding);
	pd_result_stat_int(r, "events", (int64_t)b->first_events);
	pd_result_stat_real(r, "seconds", now() - c->started);
}

static void limits(struct check *c)
{
	const struct pd_board *b = c->board;
	struct pd_result *r = &c->result;

	if (interrupted)
		pd_result_limit(r, "an interrupt (^C)");
	else if (b->stop)
		pd_result_limit(r, "the time limit");
	if (b->diverged)
		pd_result_limit(r, "%u recoveries that were not deterministic (%s)", b->diverged,
				b->note);
	if (b->lost)
		pd_result_limit(r, "%u recoveries that could not be run (%s)", b->lost, b->note);
	if (b->capped)
		pd_result_limit(r, "a limit of the shared memory (%u times)", b->capped);
	for (int k = 0; k < PD_LOSS_N; k++) {
		uint64_t n = c->first.channel->losses[k] + c->worker.channel->losses[k];

		if (n)
			pd_result_loss(r, pd_loss_name((enum pd_loss)k), n,
				       "'perdure trace' names them");
	}
	r->complete = b->finished && !r->limits.n;
}

static bool usable(struct check *c, struct pd_error *e)
{
	const struct pd_channel *ch = c->first.channel;

	if (!pd_driven_judge(&c->first, c->options.argv[0], e) ||
	    !pd_driven_ended_well(&c->first, c->options.argv[0], e))
		return false;
	if (!ch->events[PD_EV_POOL_MAP])
		return pd_error_set(e, PD_EXIT_USAGE,
				    c->options.pm.n ? "nothing that --pm '%s' matches was mapped"
						    : "the program mapped no PM; name its PM files with "
						      "--pm GLOB%s",
				    c->options.pm.n ? c->options.pm.v[0] : "");
	return true;
}

static void show_capture(const struct check *c)
{
	char buf[2048];
	off_t end = lseek(c->capture, 0, SEEK_END);
	off_t from = end > (off_t)sizeof(buf) ? end - (off_t)sizeof(buf) : 0;
	ssize_t n = pread(c->capture, buf, sizeof(buf), from);

	if (n > 0 && !c->options.quiet)
		fprintf(stderr, "what it printed:\n%.*s%s", (int)n, buf, buf[n - 1] == '\n' ? "" : "\n");
}

static int run(struct check *c)
{
	struct pd_suppressions suppressions;
	struct pd_outdir out;
	struct pd_error e;

	pd_suppress_init(&suppressions, &c->arena);
	if (!pd_options_suppressions(&c->options, &suppressions, &e) || !make_board(c, &e) ||
	    !pd_outdir_open(&out, c->options.out, &e))
		return pd_error_print(&e);
	c->started = now();
	signal(SIGINT, on_interrupt);
	if (!start_both(c, &e) || !watch(c, &e) || (!c->board->stop && !usable(c, &e))) {
		int status = pd_error_print(&e);

		if (c->capture > 0)
			show_capture(c);
		pd_outdir_abandon(&out);
		return status;
	}
	signal(SIGINT, SIG_DFL);
	pd_result_init(&c->result, &c->arena, "check");
	pd_result_command(&c->result, c->options.argc, c->options.argv);
	c->result.out = out.path;
	pd_check_findings(c->board, &c->result);
	stats(c);
	limits(c);
	return pd_deliver(&c->result, &c->options, &suppressions, &out);
}

int pd_cmd_check(int argc, char **argv)
{
	static const struct argp_option own[] = {
		{"recover", OPT_RECOVER, "CMD", 0,
		 "the command that recovers (default: the same command again)", 0},
		{"ok-exit", OPT_OK_EXIT, "LIST", 0,
		 "exit statuses of recovery that are no failure (default: 0)", 0},
		{"hang", OPT_HANG, "TIME", 0,
		 "a recovery that does nothing for so long hangs (default: 10s)", 0},
		{"model", OPT_MODEL, "NAME", 0, "adr (default), eadr or page; see docs/model.md", 0},
		{0},
	};
	struct check c = {.model = "adr", .hang_ms = 10000, .ok_exit = {1}, .capture = -1};
	struct pd_command cmd = {
		.verb = "check",
		.arguments = "PROGRAM [ARGS]",
		.doc = "Runs PROGRAM, crashes it at every point that matters, and runs recovery on every "
		       "state of persistent memory that it can tell apart.\v"
		       "Recovery is the same command, started again on what the crash left. It fails if it "
		       "is killed, aborts, hangs, deadlocks, ends with another status than 0, or if a "
		       "pd_check() of perdure.h does not hold. The PM files themselves are not changed.",
		.common = PD_OPT_ALL & ~PD_OPT_BIT(JOBS),
		.needs = "name the program to check",
		.own = own,
		.take = take_option,
		.ctx = &c,
	};
	struct pd_error e;
	int status;

	pd_arena_init(&c.arena, pd_host_memory());
	switch (pd_options_parse(&c.options, &c.arena, &cmd, argc, argv, &e)) {
	case PD_PARSED_OK:
		status = run(&c);
		break;
	case PD_PARSED_HELP:
		status = PD_EXIT_CLEAN;
		break;
	case PD_PARSED_ERROR:
	default:
		status = pd_error_print(&e);
	}
	if (c.first.channel)
		pd_driven_finish(&c.first);
	if (c.worker.channel)
		pd_driven_finish(&c.worker);
	pd_arena_finish(&c.arena);
	return status;
}
