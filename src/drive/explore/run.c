/*
 * explore/run.c - the shared memory of an exploration, the program, and collecting ended paths. See
 * explore.h.
 *
 * The loop waits for ended paths (a futex), takes them out of the ring, keeps their inputs, and
 * adds those of interest to a list, which is judged at the end. So workers never wait for a
 * judgement, and ^C leaves the list intact.
 */
#include "base/hash.h"
#include "drive/explore/explore.h"
#include "drive/explore/solver.h"
#include "host/interrupt.h"
#include "host/machine.h"
#include "host/host.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	TICK_MS = 100,
	SHOW_MS = 200,
	GRACE_MS = 1500,	/* after asking processes to stop: they leave a run within 100 ms */
	CAPTURE_MOST = 1 << 20, /* output of paths, which is discarded */
	PIPE_ROOM = 1 << 16,
	PATH_STEPS = 1 << 16,
	PATH_PINS = 16,
	ADDRESSES = 256,
	LEAST_BYTES = 16 << 20,
};

double pd_explore_seconds(const struct pd_explore_run *x)
{
	return pd_host_now() - x->started;
}

/* ---- the shared memory ---------------------------------------------------------------------- */

static bool map_board(struct pd_explore_run *x, struct pd_error *e)
{
	int fd = pd_machine_shared("perdure-explore", 0, PD_EXPLORE_SIZE);
	void *p;

	x->board_fd = fd < 0 ? -1 : fcntl(fd, F_DUPFD, pd_machine()->first_fd);
	if (fd >= 0)
		close(fd);
	if (x->board_fd < 0)
		return pd_error_errno(e, errno, "make", "shared memory");
	p = mmap((void *)PD_EXPLORE_BASE, PD_EXPLORE_SIZE, PROT_READ | PROT_WRITE,
		 MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, x->board_fd, 0);
	if (p != (void *)PD_EXPLORE_BASE)
		return pd_error_errno(e, errno, "map", "shared memory");
	x->board = p;
	return true;
}

static uint32_t search_of(const char *name)
{
	static const char *const names[] = {
		[PD_SEARCH_PM] = "pm",	 [PD_SEARCH_COVERAGE] = "coverage", [PD_SEARCH_BFS] = "bfs",
		[PD_SEARCH_DFS] = "dfs", [PD_SEARCH_RANDOM] = "random",
	};

	for (uint32_t i = 0; i < PD_LEN(names); i++)
		if (strcmp(name, names[i]) == 0)
			return i;
	return PD_SEARCH_PM;
}

static void fill_in(struct pd_explore_run *x)
{
	struct pd_explore *b = x->board;

	b->magic = PD_EXPLORE_MAGIC;
	b->version = PD_EXPLORE_VERSION;
	b->size = sizeof(*b);
	b->jobs = PD_MIN(x->options.jobs, PD_EXPLORE_WORKERS);
	b->input_size = x->input_size;
	b->nsources = x->nsources;
	memcpy(b->source, x->source, sizeof(b->source));
	b->limits =
		(struct pd_path_limits){.steps = PATH_STEPS, .pins = PATH_PINS, .stop = &b->stop};
	b->addresses = ADDRESSES;
	b->path_ms = (uint32_t)PD_MIN(x->path_ms, UINT32_MAX);
	b->no_in_place = x->no_in_place;
	b->snapshot_us = x->snapshot_us;
	b->snapshot_bytes = x->snapshot_bytes / b->jobs;
	b->faults = x->faults;
	b->schedules = x->schedules;
	b->schedule_seed = x->options.seed;
	if (x->script)
		snprintf(b->script, sizeof(b->script), "%s", x->script);
	b->max_paths = x->max_paths;
	b->max_bytes = PD_MAX(x->max_bytes / (b->jobs + 1), LEAST_BYTES);
	b->keep_all = PD_EXPLORE_KEEP_ALL;
	b->query_ms = x->query_ms;
	b->ended_at = (sizeof(*b) + 4095) & ~4095ULL;
	b->ended_slot = (uint32_t)((sizeof(struct pd_explore_ended) + x->input_size + 15) & ~15ULL);
}

static struct pd_search_worth no_worth(void *ctx, const struct pd_record *r)
{
	(void)ctx;
	(void)r;
	return (struct pd_search_worth){0};
}

bool pd_explore_board_make(struct pd_explore_run *x, struct pd_error *e)
{
	const struct pd_search_judge judge = {.worth = no_worth};
	struct pd_record first = {.size = x->input_size};
	struct pd_explore *b;

	if (!pd_machine_allows(false, e) || !map_board(x, e))
		return false;
	b = x->board;
	fill_in(x);
	if (!pd_explore_first(x, b->seed, e))
		return false;
	if (!pd_search_init(&b->search, (enum pd_search_by)search_of(x->search), x->options.seed,
			    (void *)(PD_EXPLORE_BASE + PD_EXPLORE_FRONTIER), b->max_bytes,
			    x->input_size))
		return pd_error_set(e, PD_EXIT_USAGE, "--memory is too small for these inputs");
	if (x->resume)
		return pd_explore_load_state(x, e);
	return pd_search_put(&b->search, &first, b->seed, NULL, &judge) ||
	       pd_error_set(e, PD_EXIT_USAGE, "--memory is too small for these inputs");
}

/* ---- what has ended ------------------------------------------------------------------------- */

/* If the holder has died, its change is incomplete: the ring stays as it is. */
static void lock(uint32_t *word)
{
	uint32_t self = (uint32_t)getpid(), by, gone = 0;

	while (!pd_explore_try_lock(word, self, gone, &by)) {
		gone = by && kill((pid_t)by, 0) != 0 && errno == ESRCH ? by : 0;
		if (!gone)
			sched_yield();
	}
}

/* Of paths that end in one place, the first is repeated. */
static bool is_new_end(struct pd_explore_run *x, const struct pd_explore_ended *t)
{
	uint64_t key = t->place ? t->place : t->site + 1;
	uint64_t *at;

	for (uint32_t i = 0; i < PD_EXPLORE_FAULTS; i++)
		key = pd_mix(key) ^ t->fault[i].how;
	key = (key ^ (uint64_t)t->outcome << 56 ^ (uint64_t)t->status << 48) *
	      0x9e3779b97f4a7c15ULL;
	if (pd_map_get(&x->seen, key))
		return false;
	at = pd_map_put(&x->seen, &x->arena, key);
	if (at)
		*at = t->number;
	return true;
}

static void note(struct pd_explore_run *x, const struct pd_explore_ended *t, bool again)
{
	struct pd_explore_path *p;
	uint8_t *input;

	if (again && x->judge.n >= PD_EXPLORE_JUDGED) {
		x->not_judged++;
		return;
	}
	p = pd_vec_push(&x->judge, &x->arena);
	input = p ? pd_arena_alloc(&x->arena, x->input_size + 1) : NULL;
	if (!input) {
		x->judge.n -= p != NULL;
		x->not_judged++;
		return;
	}
	memcpy(input, t->input, x->input_size);
	*p = (struct pd_explore_path){.number = t->number,
				      .outcome = t->outcome,
				      .status = t->status,
				      .findings = t->new_finding,
				      .stored = t->stored,
				      .input = input};
	memcpy(p->fault, t->fault, sizeof(p->fault));
	memcpy(p->what, t->what, sizeof(p->what));
	p->what[sizeof(p->what) - 1] = '\0';
}

static void keep(struct pd_explore_run *x, const struct pd_explore_ended *t)
{
	char name[40], dir[PATH_MAX];
	struct pd_error e;

	pd_explore_folder(name, sizeof(name), t->number);
	if (!x->not_kept && pd_outdir_path(&x->out, name, dir) &&
	    pd_explore_write_input(x, t->input, t->fault, dir, &e)) {
		x->kept++;
		return;
	}
	/* After one failure it is not tried for each: the disk is full. */
	if (!x->not_kept++)
		x->unkept = e;
}

void pd_explore_take(struct pd_explore_run *x, const struct pd_explore_ended *t)
{
	bool died = t->outcome == PD_OUTCOME_SIGNAL || t->outcome == PD_OUTCOME_HANG;

	x->taken++;
	if (t->outcome == PD_OUTCOME_FAILED) {
		if (!x->failed++)
			snprintf(x->failed_what, sizeof(x->failed_what), "%.*s",
				 (int)sizeof(t->what) - 1, t->what);
		return;
	}
	if (t->outcome == PD_OUTCOME_ASSUMED)
		return;
	keep(x, t);
	died = died && is_new_end(x, t);
	if (died || t->new_finding || (x->check && t->stored))
		note(x, t, died || t->new_finding);
}

static void take_all(struct pd_explore_run *x)
{
	struct pd_explore *b = x->board;
	uint64_t room[512];
	struct pd_explore_ended *t = b->ended_slot <= sizeof(room)
					     ? (struct pd_explore_ended *)room
					     : pd_arena_alloc(&x->arena, b->ended_slot);

	while (t) {
		bool any;

		lock(&b->ended_lock);
		any = b->ended_n;
		if (any) {
			memcpy(t, pd_explore_ended_at(b, 0), b->ended_slot);
			b->ended_first = (b->ended_first + 1) % PD_EXPLORE_ENDED;
			b->ended_n--;
		}
		pd_explore_unlock(&b->ended_lock);
		if (!any)
			break;
		pd_explore_take(x, t);
	}
}

/* ---- watching ------------------------------------------------------------------------------- */

static uint64_t solver_ns(const struct pd_explore *b)
{
	uint64_t ns = 0;

	for (uint32_t i = 0; i < b->jobs; i++)
		ns += b->worker[i].solver_ns;
	return ns;
}

static void show_progress(struct pd_explore_run *x, bool last)
{
	const struct pd_explore *b = x->board;
	static double shown;
	double t = pd_explore_seconds(x);

	if (!x->shows_progress || (!last && t - shown < SHOW_MS * 1e-3))
		return;
	shown = t;
	fprintf(stderr, "\r\033[K");
	if (!last && !b->checkpoint)
		fprintf(stderr, "running the program up to its first input, %.0f s", t);
	else if (!last)
		fprintf(stderr,
			"%lu paths (%.0f/s), %lu of %lu branches, %lu of %lu PM sites, %lu "
			"pending, solver %.0f%%, %u finding%s, %.0f s",
			(unsigned long)b->paths, (double)b->paths / t, (unsigned long)b->edges,
			(unsigned long)b->branches, (unsigned long)b->pm_reached,
			(unsigned long)b->pm_sites, (unsigned long)b->search.n,
			100e-9 * (double)solver_ns(b) / (t * b->jobs), b->nfindings,
			b->nfindings == 1 ? "" : "s", t);
	fflush(stderr);
}

/* The part of the time limit for exploring; the rest is for judging what was found. */
static double time_for_paths(const struct pd_explore_run *x)
{
	double all = (double)x->options.time_limit_ms / 1e3;

	return x->check ? all / 2 : all - PD_MIN(all / 5, 10);
}

static void wake(uint32_t *word)
{
	__atomic_add_fetch(word, 1, __ATOMIC_ACQ_REL);
	syscall(SYS_futex, word, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

static void wait_for(uint32_t *word, uint32_t was)
{
	struct timespec t = {0, TICK_MS * 1000000L};

	syscall(SYS_futex, word, FUTEX_WAIT, was, &t, NULL, 0);
}

/* Discards output and traces of paths, so that no process waits for us to read them. */
static void drain(struct pd_explore_run *x)
{
	char buf[PIPE_ROOM];

	while (read(x->origin.pipe, buf, sizeof(buf)) > 0)
		;
	if (x->board->checkpoint && lseek(x->capture, 0, SEEK_END) > CAPTURE_MOST &&
	    ftruncate(x->capture, 0) != 0)
		return;
}

static bool origin_ended(struct pd_explore_run *x)
{
	return x->origin.pid <= 0 ||
	       (waitpid(x->origin.pid, &x->origin.status, WNOHANG) == x->origin.pid);
}

static void ask_to_stop(struct pd_explore_run *x)
{
	x->board->stop = 1;
	wake(&x->board->waiting);
	wake(&x->board->solver_event);
}

/* True until the origin has ended, or had to be killed. */
static bool goes_on(struct pd_explore_run *x, double *stopped)
{
	struct pd_explore *b = x->board;

	if (origin_ended(x)) {
		x->origin.pid = 0;
		return false;
	}
	x->late =
		x->late || (x->options.time_limit_ms && pd_explore_seconds(x) > time_for_paths(x));
	x->interrupted = pd_interrupt_came() ? pd_interrupt_name() : NULL;
	x->enough = b->max_paths && b->paths >= b->max_paths;
	if (!*stopped && (x->late || x->interrupted || x->enough || x->not_kept)) {
		*stopped = pd_host_now();
		ask_to_stop(x);
	}
	return !*stopped || (pd_host_now() - *stopped) * 1e3 < GRACE_MS;
}

static void watch(struct pd_explore_run *x)
{
	struct pd_explore *b = x->board;
	double stopped = 0;

	while (goes_on(x, &stopped)) {
		uint32_t was = __atomic_load_n(&b->ended_event, __ATOMIC_ACQUIRE);

		take_all(x);
		drain(x);
		show_progress(x, false);
		pd_solvers_poll(x->solvers);
		if (!b->ended_n)
			wait_for(&b->ended_event, was);
	}
	take_all(x);
	show_progress(x, true);
}

/* Puts back the work of a process that has died. */
static void put_back(struct pd_explore_run *x)
{
	const struct pd_search_judge judge = {.worth = no_worth};
	struct pd_explore *b = x->board;

	for (uint32_t i = 0; i < b->jobs; i++) {
		struct pd_record *r = (struct pd_record *)(uintptr_t)b->worker[i].record;

		b->worker[i].record = 0;
		if (r)
			pd_search_return(&b->search, r, &judge);
	}
}

/* All remaining processes are in its process group, or became our children. */
static void end_processes(struct pd_explore_run *x, pid_t group)
{
	double since = pd_host_now();

	ask_to_stop(x);
	kill(-group, SIGKILL);
	while (pd_host_now() - since < 1) {
		pid_t pid = waitpid(-group, NULL, WNOHANG);

		if (pid < 0)
			break;
		if (!pid)
			poll(NULL, 0, 1);
	}
	if (x->origin.pid > 0)
		waitpid(x->origin.pid, &x->origin.status, 0);
	x->origin.pid = 0;
	x->solved = pd_solvers_stop(x->solvers);
	x->solvers = NULL;
	take_all(x);
	put_back(x);
}

static bool start(struct pd_explore_run *x, struct pd_error *e)
{
	char settings[200];
	struct pd_driven_options o = {
		.argv = pd_explore_argv(x),
		.pm = x->options.pm.v,
		.npm = x->options.pm.n,
		.mode = "explore",
		.settings = settings,
		.seed = x->options.seed,
		.front = PD_FRONT_RUNTIME,
		.apart = true,
		.symbolic = true,
	};
	bool ok;

	if (!o.argv)
		return pd_error_set(e, PD_EXIT_INTERNAL, "memory ran out");
	x->capture = memfd_create("perdure-output", MFD_CLOEXEC);
	fcntl(x->capture, F_SETFL, O_APPEND);
	o.stdout_to = o.stderr_to = x->capture;
	o.stdin_from = open("/dev/null", O_RDONLY | O_CLOEXEC);
	snprintf(settings, sizeof(settings), "board=%d model=%s schedule=default", x->board_fd,
		 x->model);
	ok = pd_driven_start(&x->origin, &o, e);
	close(o.stdin_from);
	if (ok)
		fcntl(x->origin.pipe, F_SETFL, O_NONBLOCK);
	return ok;
}

/* Why there was no path at all: the program's error, or ours. */
static bool was_explored(struct pd_explore_run *x, struct pd_error *e)
{
	const struct pd_explore *b = x->board;
	const char *program = x->options.argv[0];

	if (b->checkpoint)
		return true;
	if (x->late || x->interrupted)
		return pd_error_set(e, PD_EXIT_INCOMPLETE,
				    "stopped before '%.200s' had used any of its symbolic input: "
				    "nothing was explored",
				    program);
	if (!pd_driven_judge(&x->origin, program, e))
		return false;
	if (!b->symbolic)
		return pd_error_set(
			e, PD_EXIT_USAGE,
			"'%.200s' was not built for symbolic execution; rebuild it with "
			"'perdure cc --symbolic' (CC='perdure cc --symbolic')",
			program);
	if (WIFSIGNALED(x->origin.status))
		return pd_error_set(
			e, PD_EXIT_USAGE,
			"'%.200s' was killed by signal %d (%s) before it used any of its "
			"symbolic input",
			program, WTERMSIG(x->origin.status), strsignal(WTERMSIG(x->origin.status)));
	return pd_error_set(e, PD_EXIT_USAGE,
			    "'%.200s' ended with status %d and never used its symbolic input; what "
			    "does it read? --sym-stdin, --sym-args, --sym-file and --sym-pm make "
			    "that symbolic",
			    program, WEXITSTATUS(x->origin.status));
}

static void show_capture(const struct pd_explore_run *x)
{
	char buf[2048];
	ssize_t n = pread(x->capture, buf, sizeof(buf), 0);

	if (n > 0)
		fprintf(stderr, "what it printed:\n%.*s%s", (int)n, buf,
			buf[n - 1] == '\n' ? "" : "\n");
}

bool pd_explore_execute(struct pd_explore_run *x, struct pd_error *e)
{
	pid_t group;
	bool ok;

	x->started = pd_host_now();
	x->shows_progress = !x->options.quiet && isatty(STDERR_FILENO);
	pd_interrupt_forget();
	pd_interrupt_catch();
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	x->solvers = pd_solvers_start(x->board, x->board->jobs, x->board->max_bytes);
	if (!x->solvers)
		return pd_error_set(e, PD_EXIT_INTERNAL, "no solver could be started");
	if (!start(x, e)) {
		pd_solvers_stop(x->solvers);
		return false;
	}
	group = x->origin.pid;
	watch(x);
	end_processes(x, group);
	x->explored = pd_explore_seconds(x);
	ok = was_explored(x, e);
	if (!ok)
		show_capture(x);
	return ok;
}

void pd_explore_finish(struct pd_explore_run *x)
{
	if (x->origin.channel)
		pd_driven_finish(&x->origin);
	if (x->board)
		munmap(x->board, PD_EXPLORE_SIZE);
	if (x->board_fd > 0)
		close(x->board_fd);
	if (x->capture > 0)
		close(x->capture);
	pd_arena_finish(&x->arena);
}
