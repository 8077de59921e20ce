/* driven.c - see driven.h. */
#include "drive/driven.h"
#include "host/libdir.h"
#include "host/machine.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define RUNTIME "libperdure_rt.so"

/* ---- starting ------------------------------------------------------------------------------- */

static int high_fd(int fd)
{
	int high = fcntl(fd, F_DUPFD, pd_machine()->first_fd), err = errno;

	close(fd);
	errno = err;
	return high;
}

static bool make_channel(struct pd_driven *d, int *fd, struct pd_error *e)
{
	void *p;

	*fd = pd_machine_shared("perdure-channel", MFD_CLOEXEC, sizeof(struct pd_channel));
	if (*fd < 0)
		return pd_error_errno(e, errno, "make", "shared memory");
	*fd = high_fd(*fd);
	if (*fd < 0)
		return pd_error_errno(e, errno, "make", "shared memory");
	p = mmap(NULL, sizeof(struct pd_channel), PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
	if (p == MAP_FAILED)
		return pd_error_errno(e, errno, "make", "shared memory");
	d->channel = p;
	d->channel->abi = PD_ABI;
	return true;
}

/* The descriptors that the program inherits. */
struct given {
	int channel;
	int pipe;
	int zygote; /* -1: none */
	bool valgrind;
	bool dynamic; /* the program can preload libraries */
	int log;      /* Valgrind's own messages */
};

/*
 * For Valgrind: its options and those of our tool, then the program. Valgrind's lock must be fair:
 * on a busy machine the thread that has just released it gets it again, many times, before any
 * other thread wakes (valgrind/turn.c).
 */
static void set_arguments(char **argv, const struct pd_driven_options *o, const struct given *g)
{
	static const char *const fixed[] = {
		"perdure-valgrind",   "--command-line-only=yes", "-q",
		"--vgdb=no",	      "--sigill-diagnostics=no", "--num-callers=24",
		"--max-threads=4000", "--fullpath-after=",	 "--fair-sched=try",
	};
	size_t n = 0;

	for (size_t i = 0; i < PD_LEN(fixed); i++)
		argv[n++] = (char *)(uintptr_t)fixed[i];
	/* Only a listing needs names of frames from Valgrind; reading debug information takes
	 * time. */
	argv[n++] = (char *)(uintptr_t)(strcmp(o->mode, "trace") == 0 ? "--read-inline-info=yes"
								      : "--read-inline-info=no");
	/* Valgrind preloads vgpreload_TOOL if it exists; lint does not need locks, whose wrappers
	 * cost time. */
	argv[n++] = (char *)(uintptr_t)(strcmp(o->mode, "lint") == 0 ? "--tool=perdure-alone"
								     : "--tool=perdure");
	if (asprintf(&argv[n++], "--pd-channel=%d", g->channel) < 0 ||
	    asprintf(&argv[n++], "--pd-pipe=%d", g->pipe) < 0 ||
	    asprintf(&argv[n++], "--log-fd=%d", g->log) < 0 ||
	    asprintf(&argv[n++], "--pd-mode=%s", o->mode) < 0 ||
	    asprintf(&argv[n++], "--pd-seed=%lu", (unsigned long)(o->seed & INT64_MAX)) < 0 ||
	    asprintf(&argv[n++], "--pd-settings=%s", o->settings) < 0)
		_exit(126);
	for (uint32_t i = 0; i < o->npm; i++)
		if (asprintf(&argv[n++], "--pd-pm=%s", o->pm[i]) < 0)
			_exit(126);
	for (uint32_t i = 0; i < o->nfunctions; i++)
		if (asprintf(&argv[n++], "--pd-function=%s", o->functions[i]) < 0)
			_exit(126);
	if (!g->dynamic)
		argv[n++] = (char *)(uintptr_t)"--pd-static=yes";
	argv[n++] = (char *)(uintptr_t)"--";
	for (char **a = o->argv; *a; a++)
		argv[n++] = *a;
	argv[n] = NULL;
}

static size_t count_arguments(const struct pd_driven_options *o)
{
	size_t n = 32 + o->npm + o->nfunctions;

	for (char **a = o->argv; *a; a++)
		n++;
	return n;
}

/* Reserves numbers for descriptors of PM copies above those that the program may use. */
static void leave_descriptors(void)
{
	enum { SPARE = 1024 };
	struct rlimit l;

	if (getrlimit(RLIMIT_NOFILE, &l) == 0 && l.rlim_max > 4 * SPARE &&
	    l.rlim_cur > l.rlim_max - SPARE) {
		l.rlim_cur = l.rlim_max - SPARE;
		setrlimit(RLIMIT_NOFILE, &l);
	}
}

static void exec_valgrind(const struct pd_driven_options *o, const char *tool,
			  const struct given *g)
{
	char **argv = calloc(count_arguments(o), sizeof(*argv));
	char dir[PATH_MAX];

	if (!argv)
		return;
	snprintf(dir, sizeof(dir), "%s", tool);
	*strrchr(dir, '/') = '\0';
	setenv("VALGRIND_LIB", dir, 1);
	setenv("VALGRIND_LAUNCHER", tool, 1);
	set_arguments(argv, o, g);
	leave_descriptors();
	execv(tool, argv);
}

/* One line each. */
static void set_functions(const struct pd_driven_options *o)
{
	size_t n = 1;
	char *all;

	for (uint32_t i = 0; i < o->nfunctions; i++)
		n += strlen(o->functions[i]) + 1;
	all = o->nfunctions ? calloc(1, n) : NULL;
	for (uint32_t i = 0; all && i < o->nfunctions; i++) {
		strcat(all, o->functions[i]);
		strcat(all, "\n");
	}
	if (all)
		setenv("PERDURE_FUNCTIONS", all, 1);
	free(all);
}

static void set_environment(const struct pd_driven_options *o, const char *runtime,
			    const struct given *g)
{
	char control[512], preload[PATH_MAX + 1024];
	const char *old = getenv("LD_PRELOAD");
	size_t n = 1;
	char *globs;

	snprintf(control, sizeof(control), "%d %s channel=%d pipe=%d seed=%lu %s", PD_ABI, o->mode,
		 g->channel, g->pipe, (unsigned long)o->seed, o->settings);
	if (g->zygote >= 0)
		snprintf(control + strlen(control), sizeof(control) - strlen(control), " zygote=%d",
			 g->zygote);
	setenv("PERDURE_CONTROL", control, 1);
	snprintf(preload, sizeof(preload), "%s%s%s", runtime, old ? ":" : "", old ? old : "");
	setenv("LD_PRELOAD", preload, 1);
	for (uint32_t i = 0; i < o->npm; i++)
		n += strlen(o->pm[i]) + 1;
	set_functions(o);
	globs = calloc(1, n);
	for (uint32_t i = 0; globs && i < o->npm; i++) {
		strcat(globs, i ? ":" : "");
		strcat(globs, o->pm[i]);
	}
	if (globs)
		setenv("PERDURE_PM", globs, 1);
}

/* In the child: never returns; an error is passed back as its errno. */
static _Noreturn void become(const struct pd_driven_options *o, const char *path,
			     const char *runtime, const struct given *g, int report)
{
	int err;

	/* Kill it if perdure dies, for whatever reason. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (o->zygote || o->apart) {
		/* ^C is for perdure, which stops everything in order; and recoveries may die by the
		 * hundred. */
		setpgid(0, 0);
		setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
	}
	if (o->stdin_from > 0)
		dup2(o->stdin_from, STDIN_FILENO);
	if (o->stdout_to >= 0)
		dup2(o->stdout_to, STDOUT_FILENO);
	if (o->stderr_to > 0)
		dup2(o->stderr_to, STDERR_FILENO);
	pd_machine_fix_addresses();
	if (g->valgrind) {
		exec_valgrind(o, runtime, g);
	} else {
		set_environment(o, runtime, g);
		execv(path, o->argv);
	}
	err = errno;
	if (write(report, &err, sizeof(err)) != sizeof(err))
		_exit(126);
	_exit(127);
}

static bool spawn(struct pd_driven *d, const struct pd_driven_options *o, const char *path,
		  const char *runtime, int channel, bool dynamic, struct pd_error *e)
{
	int data[2], report[2], orders[2] = {-1, -1}, err = 0;
	struct given g = {
		.channel = channel, .valgrind = d->valgrind, .dynamic = dynamic, .log = d->log};

	if (pipe2(report, O_CLOEXEC) != 0 || pipe2(data, O_CLOEXEC) != 0 ||
	    (o->zygote && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, orders) != 0))
		return pd_error_errno(e, errno, "make", "a pipe");
	g.pipe = data[1] = high_fd(data[1]);
	g.zygote = orders[1] >= 0 ? high_fd(orders[1]) : -1;
	d->zygote = orders[0];
	d->pid = fork();
	if (d->pid < 0)
		return pd_error_errno(e, errno, "start", path);
	if (d->pid == 0) {
		close(data[0]);
		close(report[0]);
		become(o, path, runtime, &g, report[1]);
	}
	close(data[1]);
	if (g.zygote >= 0)
		close(g.zygote);
	close(report[1]);
	d->pipe = data[0];
	if (read(report[0], &err, sizeof(err)) == sizeof(err)) {
		waitpid(d->pid, NULL, 0);
		d->pid = 0;
		close(report[0]);
		return pd_error_errno(e, err, "run", path);
	}
	close(report[0]);
	return true;
}

bool pd_driven_start(struct pd_driven *d, const struct pd_driven_options *o, struct pd_error *e)
{
	char path[PATH_MAX], runtime[PATH_MAX];
	enum pd_front front = o->front;
	int channel = -1;
	bool ok, dynamic = true;

	memset(d, 0, sizeof(*d));
	d->pipe = d->zygote = d->log = -1;
	d->symbolic = o->symbolic;
	if (!pd_front_choose(o->argv[0], path, &front, &dynamic, e))
		return false;
	d->valgrind = front == PD_FRONT_BINARY;
	if (!pd_machine_allows(d->valgrind, e))
		return false;
	if (d->valgrind && !pd_front_tool(runtime, e))
		return false;
	if (!d->valgrind && (!pd_libdir_file(runtime, sizeof(runtime), RUNTIME) ||
			     faccessat(AT_FDCWD, runtime, R_OK, AT_EACCESS) != 0))
		return pd_error_set(e, PD_EXIT_INTERNAL,
				    "perdure's own " RUNTIME " is missing; "
				    "build or install perdure again");
	if (!make_channel(d, &channel, e))
		return false;
	if (d->valgrind)
		d->log = high_fd(memfd_create("perdure-log", 0));
	ok = spawn(d, o, path, runtime, channel, dynamic, e);
	close(channel);
	if (!ok)
		pd_driven_finish(d);
	return ok;
}

/* ---- zygotes of a zygote -------------------------------------------------------------------- */

/* Sends an order with descriptors, and receives the answer. False: no answer, or a refusal
 * (error). */
static bool ask_origin(struct pd_driven *d, const struct pd_zygote_order *o, const int *fds,
		       uint32_t nfds, struct pd_zygote_answer *a)
{
	union {
		struct cmsghdr h;
		char room[CMSG_SPACE(3 * sizeof(int))];
	} c = {.room = {0}};
	struct iovec v = {(void *)(uintptr_t)o, sizeof(*o)};
	struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};

	if (nfds) {
		m.msg_control = &c;
		m.msg_controllen = CMSG_SPACE(nfds * sizeof(int));
		c.h = (struct cmsghdr){CMSG_LEN(nfds * sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
		memcpy(CMSG_DATA(&c.h), fds, nfds * sizeof(int));
	}
	a->error = 0;
	return sendmsg(d->zygote, &m, MSG_NOSIGNAL) == sizeof(*o) &&
	       recv(d->zygote, a, sizeof(*a), 0) == sizeof(*a) && !a->error;
}

/* Sets the reason for a missing answer: it could not start, or it was killed. */
static bool origin_failed(struct pd_driven *origin, const char *program,
			  const struct pd_zygote_answer *a, struct pd_error *e)
{
	if (a->error)
		return pd_error_errno(e, a->error, "start an execution of", program);
	return pd_driven_wait(origin, program, e) &&
	       pd_error_set(e, PD_EXIT_INTERNAL, "the program was killed before its start");
}

bool pd_driven_split(struct pd_driven *d, struct pd_driven *origin, const char *program,
		     struct pd_error *e)
{
	struct pd_zygote_order o = {.what = PD_ZYGOTE_SPLIT};
	struct pd_zygote_answer a;
	int fds[3] = {-1, -1, -1}, data[2], orders[2];
	bool ok;

	memset(d, 0, sizeof(*d));
	d->pipe = d->zygote = d->log = -1;
	d->origin = origin;
	if (!make_channel(d, &fds[0], e))
		return false;
	if (pipe2(data, O_CLOEXEC) != 0 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, orders) != 0)
		return pd_error_errno(e, errno, "make", "a pipe");
	d->pipe = data[0];
	d->zygote = orders[0];
	fds[1] = data[1];
	fds[2] = orders[1];
	ok = ask_origin(origin, &o, fds, 3, &a);
	for (int i = 0; i < 3; i++)
		close(fds[i]);
	d->pid = ok ? a.status : 0;
	if (ok)
		return true;
	pd_driven_finish(d);
	origin_failed(origin, program, &a, e);
	return false;
}

bool pd_driven_keep(struct pd_driven *origin, int fd, int number, struct pd_error *e)
{
	struct pd_zygote_order o = {.what = PD_ZYGOTE_KEEP, .number = number};
	struct pd_zygote_answer a;

	return ask_origin(origin, &o, &fd, 1, &a) ||
	       (a.error ? pd_error_errno(e, a.error, "hand over", "a socket")
			: pd_error_set(e, PD_EXIT_INTERNAL,
				       "the program was killed before its start"));
}

/* ---- executions of a zygote ----------------------------------------------------------------- */

static void clear(struct pd_channel *c)
{
	c->n = 0;
	c->done = 0;
	c->modules = 0;
	c->bytes_stored = 0;
	memset(c->mapped, 0, sizeof(c->mapped));
	memset(c->synced, 0, sizeof(c->synced));
	memset(c->losses, 0, sizeof(c->losses));
	memset(c->events, 0, sizeof(c->events));
}

/* The process is gone; it may have said why. */
static bool say_gone(const struct pd_driven *d, struct pd_error *e)
{
	return d->channel->failed ? pd_error_set(e, PD_EXIT_INTERNAL, "%.*s", PD_CHANNEL_TEXT,
						 d->channel->fail)
				  : pd_error_set(e, PD_EXIT_INTERNAL,
						 "the program was killed before its start");
}

bool pd_driven_order(struct pd_driven *d, enum pd_zygote_what what, uint64_t seed,
		     struct pd_error *e)
{
	struct pd_zygote_order o = {.what = what, .seed = seed};

	clear(d->channel);
	if (d->ordered) /* else it may have failed before, at its start */
		d->channel->failed = 0;
	d->ordered = true;
	if (send(d->zygote, &o, sizeof(o), MSG_NOSIGNAL) == sizeof(o))
		return true;
	return say_gone(d, e);
}

bool pd_driven_answer(struct pd_driven *d, struct pd_error *e)
{
	struct pd_zygote_answer a;

	if (recv(d->zygote, &a, sizeof(a), 0) != sizeof(a))
		return say_gone(d, e);
	if (a.error)
		return pd_error_errno(e, a.error, "start", "an execution");
	d->status = a.status;
	return true;
}

bool pd_driven_run(struct pd_driven *d, uint64_t seed, struct pd_error *e)
{
	return pd_driven_order(d, PD_ZYGOTE_RUN, seed, e) && pd_driven_answer(d, e);
}

/* ---- reading, ending ------------------------------------------------------------------------ */

long pd_driven_read(struct pd_driven *d, void *buf, size_t n)
{
	ssize_t r;

	do
		r = d->drained ? 0 : read(d->pipe, buf, n);
	while (r < 0 && errno == EINTR);
	if (r || d->drained)
		return r;
	/* The other end is closed: the process is gone, and left the rest in the channel. */
	d->drained = true;
	if (d->channel->n > n || d->channel->n > PD_CHANNEL_BUF)
		return -1;
	memcpy(buf, d->channel->buf, d->channel->n);
	return d->channel->n;
}

bool pd_driven_wait(struct pd_driven *d, const char *program, struct pd_error *e)
{
	while (waitpid(d->pid, &d->status, 0) < 0 && errno == EINTR)
		;
	d->pid = 0;
	return pd_driven_judge(d, program, e);
}

static void show_log(const struct pd_driven *d)
{
	char buf[4096];
	ssize_t n;
	off_t at = 0;

	while (d->log >= 0 && (n = pread(d->log, buf, sizeof(buf), at)) > 0) {
		fwrite(buf, 1, (size_t)n, stderr);
		at += n;
	}
}

/* Programs that start another one, which is not followed. */
static bool is_starter(const char *program)
{
	static const char *const names[] = {"sh",      "bash",	 "dash",    "ksh",     "zsh",
					    "env",     "nice",	 "nohup",   "timeout", "taskset",
					    "numactl", "stdbuf", "setarch", "sudo",    "make"};
	const char *slash = strrchr(program, '/');
	const char *name = slash ? slash + 1 : program;

	for (size_t i = 0; i < PD_LEN(names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

bool pd_driven_works_itself(const struct pd_driven *d, const char *program, struct pd_error *e)
{
	return d->channel->modules || !is_starter(program) ||
	       pd_error_set(e, PD_EXIT_USAGE,
			    "'%s' starts another program, which is not followed; give that program "
			    "itself",
			    program);
}

static bool is_instrumented(const struct pd_driven *d, const char *program, struct pd_error *e)
{
	return d->channel->modules || (pd_driven_works_itself(d, program, e) &&
				       pd_error_set(e, PD_EXIT_USAGE,
						    "nothing of '%s' was compiled with 'perdure "
						    "cc'; rebuild it with CC='perdure cc%s'",
						    program, d->symbolic ? " --symbolic" : ""));
}

/* It ran once, on the real files: names those that may have been meant as PM. */
static bool mapped_nothing(const struct pd_channel *c, const char *glob, struct pd_error *e)
{
	char what[400], others[500] = "";
	size_t n = 0;

	if (glob)
		snprintf(what, sizeof(what), "nothing that --pm '%.300s' matches was mapped", glob);
	else
		snprintf(what, sizeof(what), "the program mapped no PM");
	for (const char *at = c->mapped; *at && n < sizeof(others); at += strlen(at) + 1)
		n += (size_t)snprintf(others + n, sizeof(others) - n, "%s'%s'", n ? ", " : "", at);
	return pd_error_set(
		e, PD_EXIT_USAGE, "%s, so nothing was checked (the program ran once); %s%s%s", what,
		n ? "it mapped these writable and shared: "
		  : "it mapped no file writable and shared (what is stored to a private "
		    "mapping is never in its file)",
		others, n ? "; if one is PM, name it with --pm" : "");
}

bool pd_driven_has_mapped(const struct pd_driven *d)
{
	return d->channel->events[PD_EV_POOL_MAP] || d->channel->events[PD_EV_STORE];
}

bool pd_driven_mapped(const struct pd_driven *d, const char *program, const char *glob,
		      struct pd_error *e)
{
	if (pd_driven_has_mapped(d))
		return true;
	if (!WIFEXITED(d->status))
		return pd_error_set(e, PD_EXIT_USAGE,
				    "'%s' was killed by signal %d (%s) before it had mapped any PM",
				    program, WTERMSIG(d->status), strsignal(WTERMSIG(d->status)));
	if (WEXITSTATUS(d->status))
		return pd_error_set(
			e, PD_EXIT_USAGE,
			"'%s' exited with status %d before it had mapped any PM; what it "
			"printed says why",
			program, WEXITSTATUS(d->status));
	/* A fork is reported as such a loss. */
	if (is_starter(program) || d->channel->losses[PD_LOSS_SYSCALL])
		return pd_error_set(e, PD_EXIT_USAGE,
				    "'%s' itself mapped no PM, and programs that it starts are not "
				    "followed; give the program that does",
				    program);
	return mapped_nothing(d->channel, glob, e);
}

bool pd_driven_judge(const struct pd_driven *d, const char *program, struct pd_error *e)
{
	if (d->channel->failed)
		/* A status beyond ours stands for the program's own error, such as a deadlock. */
		return pd_error_set(e,
				    d->channel->failed <= PD_EXIT_INTERNAL
					    ? (enum pd_exit)d->channel->failed
					    : PD_EXIT_USAGE,
				    "%s: %.*s", program, PD_CHANNEL_TEXT, d->channel->fail);
	if (!d->channel->started && WIFEXITED(d->status) && WEXITSTATUS(d->status) == 127)
		return pd_error_set(
			e, PD_EXIT_USAGE,
			"'%s' could not be loaded; see the dynamic linker's message above",
			program);
	if (!d->channel->started && d->valgrind) {
		show_log(d);
		return pd_error_set(e, PD_EXIT_USAGE,
				    "Valgrind could not start '%s'; see its message above",
				    program);
	}
	/* If the program had exited by itself, the tool would have reported its end. */
	if (d->valgrind && !d->channel->done && WIFEXITED(d->status)) {
		show_log(d);
		return pd_error_set(
			e, PD_EXIT_INTERNAL,
			"Valgrind gave up on '%s'; see its message above; if that is about debug "
			"information, compile with -gdwarf-4",
			program);
	}
	if (!d->channel->started)
		return pd_error_set(e, PD_EXIT_USAGE,
				    "perdure's runtime did not get into '%s' (a setuid program?)",
				    program);
	return d->valgrind || is_instrumented(d, program, e);
}

/* Why it may work by itself, and not here: a call that is not modelled, or an address that it
 * wanted and did not get. Nothing: "". */
static const char *excuse(const struct pd_driven *d, char *to, size_t n)
{
	const struct pd_channel *c = d->channel;
	enum pd_loss call = PD_LOSS_SYSCALL;

	if (!c)
		return "";
	if (!c->losses[call] && c->losses[PD_LOSS_CALL])
		call = PD_LOSS_CALL;
	if (*c->elsewhere)
		snprintf(to, n, ", and %s", c->elsewhere);
	else if (c->losses[call])
		snprintf(to, n, ", after a call that perdure does not model (%.*s)",
			 PD_CHANNEL_WHAT, c->loss_what[call]);
	else
		return "";
	return to;
}

bool pd_driven_ended_well(const struct pd_driven *d, const char *program, struct pd_error *e)
{
	char text[PD_CHANNEL_TEXT + PD_CHANNEL_WHAT];
	const char *why = excuse(d, text, sizeof(text));

	if (WIFSIGNALED(d->status))
		return pd_error_set(e, PD_EXIT_USAGE,
				    "'%s' itself was killed by signal %d (%s), without any "
				    "crash%s; use a run that succeeds",
				    program, WTERMSIG(d->status), strsignal(WTERMSIG(d->status)),
				    why);
	if (WEXITSTATUS(d->status))
		return pd_error_set(e, PD_EXIT_USAGE,
				    "'%s' itself exited with status %d, without any crash%s; use "
				    "a run that exits with status 0",
				    program, WEXITSTATUS(d->status), why);
	return true;
}

void pd_driven_finish(struct pd_driven *d)
{
	if (d->pid > 0) {
		struct pd_zygote_order bury = {.what = PD_ZYGOTE_BURY, .number = d->pid};
		struct pd_zygote_answer a;

		kill(d->pid, SIGKILL);
		if (d->origin)
			ask_origin(d->origin, &bury, NULL, 0, &a);
		else
			waitpid(d->pid, NULL, 0);
		d->pid = 0;
	}
	if (d->pipe >= 0)
		close(d->pipe);
	if (d->zygote >= 0)
		close(d->zygote);
	if (d->log >= 0)
		close(d->log);
	d->pipe = d->zygote = d->log = -1;
	if (d->channel)
		munmap(d->channel, sizeof(*d->channel));
	d->channel = NULL;
}
