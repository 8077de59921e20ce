/* check/processes.c - the processes of an exploration: starts and stops them. See run.h. */
#include "drive/check/check.h"
#include "drive/check/run.h"
#include "drive/check/time.h"
#include "base/names.h"
#include "host/host.h"
#include "host/interrupt.h"
#include "host/machine.h"
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
	QUIET_MS = 200,
};

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

void pd_check_keep_losses(struct pd_check_run *c)
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
	       pd_check_lost(c, PD_LOSS_FLUSH) || pd_check_lost(c, PD_LOSS_CALL);
}

void pd_check_know_readers(struct pd_check_known *k, const struct pd_channel *ch)
{
	pd_names_add(k->readers, sizeof(k->readers), ch->readers);
	k->reader_kinds |= ch->reader_kinds;
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
		pd_check_keep_losses(c);
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

void pd_check_stop(struct pd_check_run *c)
{
	stop_all(c);
	wait_for_orphans(c->board);
}

bool pd_check_take_fewer_jobs(struct pd_check_run *c, int err, struct pd_error *e)
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

bool pd_check_start(struct pd_check_run *c, struct pd_error *e)
{
	while (!start_processes(c, e)) {
		if ((e->err != EAGAIN && e->err != ENOMEM) ||
		    !pd_check_take_fewer_jobs(c, e->err, e))
			return false;
		pd_check_stop(c);
	}
	return true;
}

/* ---- all of them ---------------------------------------------------------------------------- */

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
	return pd_check_start(c, e);
}

bool pd_check_resume(struct pd_check_run *c, struct pd_error *e)
{
	bool broken = c->gave_up || c->board->killed;

	for (uint32_t j = 0; j < c->jobs; j++)
		broken = broken || c->board->worker[j].pid;
	if (broken)
		pd_check_stop(c);
	c->board->stop = 0;
	c->board->killed = 0;
	c->gave_up = false;
	if (broken && !pd_check_start(c, e))
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
