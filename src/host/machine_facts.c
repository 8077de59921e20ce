/*
 * machine_facts.c - what `perdure doctor` prints: one function per feature in which machines
 * differ.
 *
 * Features are tried out, in a child if that leaves traces: a try shows more than a version number
 * or a setting, since containers refuse what their kernel supports.
 */
#include "host/libdir.h"
#include "host/machine.h"
#include <errno.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MB = 1 << 20, TRY_PROCESSES = 16, CONFINED = 42 };

static void say(struct pd_machine_fact *f, enum pd_machine_how how, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void say(struct pd_machine_fact *f, enum pd_machine_how how, const char *fmt, ...)
{
	va_list ap;

	f->how = how;
	va_start(ap, fmt);
	vsnprintf(f->text, sizeof(f->text), fmt, ap);
	va_end(ap);
}

/* Runs a function in a child; returns its result, or -1 if there was no child. */
static int try_in_child(int (*what)(void))
{
	int status = 0;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0)
		_exit(what());
	if (pid < 0)
		return -1;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* ---- parts of perdure ----------------------------------------------------------------------- */

static void about_system(struct pd_machine_fact *f)
{
	struct utsname u = {0};

	uname(&u);
	say(f, PD_MACHINE_OK, "%s %.60s, glibc %s, %ld processors", u.sysname, u.release,
	    gnu_get_libc_version(), sysconf(_SC_NPROCESSORS_ONLN));
}

static int ask_compiler(void)
{
	char path[PATH_MAX];
	int null = open("/dev/null", O_RDWR);

	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	if (pd_libdir_file(path, sizeof(path), "perdure-cc"))
		execl(path, "perdure-cc", "--version", (char *)NULL);
	return 127;
}

static void about_compiler(struct pd_machine_fact *f)
{
	int r = try_in_child(ask_compiler);

	if (r == 0)
		say(f, PD_MACHINE_OK, "perdure cc works");
	else
		say(f, PD_MACHINE_NOT,
		    "perdure cc cannot start its clang; install it (tools/deps lists what is "
		    "needed)");
}

static void about_parts(struct pd_machine_fact *f)
{
	static const char *const names[] = {"libperdure_rt.so", "valgrind/perdure-amd64-linux"};
	char path[PATH_MAX];

	for (size_t i = 0; i < PD_LEN(names); i++)
		if (!pd_libdir_file(path, sizeof(path), names[i]) ||
		    faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) != 0) {
			say(f, PD_MACHINE_NOT,
			    "perdure's own %s is missing; build or install perdure again",
			    names[i]);
			return;
		}
	say(f, PD_MACHINE_OK, "the runtime and the tool for Valgrind are in place");
}

/* ---- limits --------------------------------------------------------------------------------- */

static void about_stack(struct pd_machine_fact *f)
{
	uint64_t was = pd_machine()->stack;
	struct rlimit l = {0};

	getrlimit(RLIMIT_STACK, &l);
	if (was == l.rlim_cur)
		say(f, PD_MACHINE_OK, "%lu kB (ulimit -s)", (unsigned long)was / 1024);
	else
		say(f, PD_MACHINE_AROUND,
		    "%s (ulimit -s), which maps memory where PM belongs: programs run with %lu MB",
		    was == UINT64_MAX ? "unlimited" : "very large", (unsigned long)l.rlim_cur / MB);
}

static void about_files(struct pd_machine_fact *f)
{
	const struct pd_machine *m = pd_machine();
	struct pd_error e;

	if (!pd_machine_allows(false, &e) && m->files < 64)
		say(f, PD_MACHINE_NOT, "%.230s", e.text);
	else if (m->files < 1024)
		say(f, PD_MACHINE_AROUND, "%lu may be open (ulimit -n): at most %u jobs",
		    (unsigned long)m->files, pd_machine_jobs(UINT32_MAX, 1));
	else
		say(f, PD_MACHINE_OK, "%lu may be open (ulimit -n)", (unsigned long)m->files);
}

static void about_space(struct pd_machine_fact *f)
{
	const struct pd_machine *m = pd_machine();
	struct pd_error e;

	if (m->space == UINT64_MAX)
		say(f, PD_MACHINE_OK, "virtual memory is not limited (ulimit -v)");
	else if (m->files < 64 || pd_machine_allows(false, &e))
		say(f, PD_MACHINE_OK, "virtual memory is limited to %lu GB, which is enough",
		    (unsigned long)(m->space >> 30));
	else
		say(f, PD_MACHINE_NOT, "%.230s", e.text);
}

/* How many children can exist at once, up to a few: they wait until all are there. */
static int count_children(void)
{
	pid_t pid[TRY_PROCESSES];
	int door[2], n = 0;

	if (pipe(door) != 0)
		return 0;
	for (; n < TRY_PROCESSES; n++) {
		char c;

		pid[n] = fork();
		if (pid[n] < 0)
			break;
		if (pid[n] == 0) {
			close(door[1]);
			_exit(read(door[0], &c, 1) != 0);
		}
	}
	close(door[1]);
	for (int i = 0; i < n; i++)
		waitpid(pid[i], NULL, 0);
	return n;
}

static void about_processes(struct pd_machine_fact *f)
{
	int n = count_children();

	if (n == TRY_PROCESSES)
		say(f, PD_MACHINE_OK, "at least %d more can be started", n);
	else if (n >= 6)
		say(f, PD_MACHINE_AROUND,
		    "only %d more can be started (ulimit -u): check uses fewer jobs", n);
	else
		say(f, PD_MACHINE_NOT,
		    "only %d more can be started, and check needs 6; raise the limit (ulimit -u)",
		    n);
}

/* ---- the kernel ----------------------------------------------------------------------------- */

static void about_addresses(struct pd_machine_fact *f)
{
	if (!pd_machine()->random)
		say(f, PD_MACHINE_OK, "can be the same in every run");
	else
		say(f, PD_MACHINE_AROUND,
		    "are random here (personality() is not permitted): the same within a run, but "
		    "a "
		    "replay of a program that depends on them may differ");
}

static void about_waiting(struct pd_machine_fact *f)
{
	int fd = (int)syscall(SYS_pidfd_open, getpid(), 0);

	if (fd >= 0)
		close(fd);
	if (fd >= 0)
		say(f, PD_MACHINE_OK, "pidfd_open works");
	else
		say(f, PD_MACHINE_AROUND,
		    "there is no pidfd_open: perdure polls for the end of executions, which takes "
		    "a little longer");
}

static int confine(void)
{
	struct sock_filter all[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	struct sock_fprog p = {1, all};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return 1;
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &p) == 0 ? CONFINED : 1;
}

static void about_traps(struct pd_machine_fact *f)
{
	if (try_in_child(confine) == CONFINED)
		say(f, PD_MACHINE_OK, "seccomp filters work");
	else
		say(f, PD_MACHINE_AROUND,
		    "seccomp filters are not permitted: threads that wait in libraries by system "
		    "calls of "
		    "their own cannot be followed; where that matters, the result says so");
}

static void about_proc(struct pd_machine_fact *f)
{
	if (pd_machine()->proc)
		say(f, PD_MACHINE_OK, "is mounted");
	else
		say(f, PD_MACHINE_AROUND,
		    "is not mounted: only programs built with 'perdure cc' can be run, and endless "
		    "loops "
		    "are recognised by --hang alone");
}

/* ---- memory and files ----------------------------------------------------------------------- */

static void about_memory(struct pd_machine_fact *f)
{
	if (pd_machine()->strict)
		say(f, PD_MACHINE_AROUND,
		    "is committed before it is used (vm.overcommit_memory=2), and PM files twice "
		    "for each process: with large ones check uses fewer jobs");
	else
		say(f, PD_MACHINE_OK, "is committed only when it is used");
}

static void about_shared(struct pd_machine_fact *f)
{
	int fd = pd_machine_shared("perdure-doctor", MFD_CLOEXEC, 1ULL << 40);

	if (fd < 0) {
		say(f, PD_MACHINE_NOT, "cannot be created: %s; memfd_create is needed%s",
		    strerror(errno),
		    errno == EFBIG ? ", and no limit on file sizes (ulimit -f)" : "");
		return;
	}
	close(fd);
	say(f, PD_MACHINE_OK, "works; the size of /dev/shm does not matter");
}

static void about_results(struct pd_machine_fact *f)
{
	const char *tmp = getenv("TMPDIR");

	if (access(".", W_OK | X_OK) == 0)
		say(f, PD_MACHINE_OK, "go to perdure.out in this directory");
	else if (access(tmp && *tmp ? tmp : "/tmp", W_OK | X_OK) == 0)
		say(f, PD_MACHINE_AROUND,
		    "go to a directory in %.100s, since this one is not writable (--out names "
		    "another)",
		    tmp && *tmp ? tmp : "/tmp");
	else
		say(f, PD_MACHINE_NOT,
		    "cannot be saved: neither this directory nor %.100s is writable; use --out "
		    "DIR",
		    tmp && *tmp ? tmp : "/tmp");
}

uint32_t pd_machine_facts(struct pd_machine_fact facts[PD_MACHINE_FACTS])
{
	static const struct {
		const char *name;
		void (*about)(struct pd_machine_fact *f);
	} all[] = {
		{"system", about_system},	 {"parts", about_parts},
		{"compiler", about_compiler},	 {"stack", about_stack},
		{"files", about_files},		 {"processes", about_processes},
		{"address space", about_space},	 {"addresses", about_addresses},
		{"waiting", about_waiting},	 {"traps", about_traps},
		{"/proc", about_proc},		 {"memory", about_memory},
		{"shared memory", about_shared}, {"results", about_results},
	};

	_Static_assert(PD_LEN(all) <= PD_MACHINE_FACTS, "room for all facts");
	for (size_t i = 0; i < PD_LEN(all); i++) {
		facts[i].name = all[i].name;
		all[i].about(&facts[i]);
	}
	return PD_LEN(all);
}
