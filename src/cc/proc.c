/*
 * proc.c - see proc.h.
 *
 * Temporaries are in one directory, created with the first of them. The list of names is static, so
 * that a signal handler can walk it: unlink and rmdir are safe there, malloc is not.
 *
 * Invariant: names[0..n) are complete strings whenever n is visible to a handler.
 */
#include "cc/proc.h"
#include "base/bug.h"
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_TEMPS 4096

static char *names[MAX_TEMPS];
static volatile sig_atomic_t nnames;
static char directory[PATH_MAX];
static volatile sig_atomic_t have_directory;
static volatile sig_atomic_t child;
static sigset_t handled;

void pd_temp_remove(void)
{
	for (int i = 0; i < nnames; i++)
		unlink(names[i]);
	nnames = 0;
	if (have_directory)
		rmdir(directory);
	have_directory = 0;
}

static void on_signal(int sig)
{
	if (child > 0) {
		kill((pid_t)child, sig);
		waitpid((pid_t)child, NULL, 0); /* it may have files of its own in the directory */
	}
	pd_temp_remove();
	signal(sig, SIG_DFL);
	raise(sig);
}

void pd_proc_init(void)
{
	static const int signals[] = {SIGHUP,  SIGINT,	SIGTERM, SIGPIPE, SIGQUIT,
				      SIGABRT, SIGSEGV, SIGBUS,	 SIGILL,  SIGFPE};

	sigemptyset(&handled);
	for (size_t i = 0; i < PD_LEN(signals); i++) {
		struct sigaction old;

		/* Keep ignoring what the caller ignores, for example under nohup. */
		if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler == SIG_IGN)
			continue;
		sigaddset(&handled, signals[i]);
		signal(signals[i], on_signal);
	}
}

static bool make_directory(void)
{
	const char *tmp = getenv("TMPDIR");
	sigset_t mask;
	bool made;
	int n;

	if (have_directory)
		return true;
	n = snprintf(directory, sizeof(directory), "%s/perdure-cc-XXXXXX",
		     tmp && *tmp ? tmp : "/tmp");
	sigprocmask(SIG_BLOCK, &handled, &mask);
	made = n > 0 && (size_t)n < sizeof(directory) && mkdtemp(directory);
	have_directory = made;
	sigprocmask(SIG_SETMASK, &mask, NULL);
	if (!made)
		fprintf(stderr, "perdure cc: cannot make a directory in %s: %s; set TMPDIR\n",
			tmp && *tmp ? tmp : "/tmp", strerror(errno));
	return made;
}

char *pd_temp_name(const char *suffix)
{
	char *s;

	if (!make_directory())
		return NULL;
	PD_CHECK(nnames < MAX_TEMPS, "too many temporary files");
	s = pd_strings_printf("%s/%d%s", directory, (int)nnames, suffix);
	names[nnames] = s;
	nnames++;
	return s;
}

static int status_of(int st)
{
	return WIFEXITED(st) ? WEXITSTATUS(st) : 128 + WTERMSIG(st);
}

/* Whether two names refer to the same file. */
static bool is_same(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* Like execvp, but never finds ourselves: if a link to us shadows a compiler in PATH, use the one
 * behind it. Skips folders. */
static const char *find_program(const char *name)
{
	const char *path = getenv("PATH");
	struct stat st;

	for (size_t n; path && !strchr(name, '/'); path = path[n] ? path + n + 1 : NULL) {
		char *at;

		n = strcspn(path, ":");
		at = pd_strings_printf("%.*s%s%s", (int)n, path, n ? "/" : "./", name);
		if (stat(at, &st) == 0 && S_ISREG(st.st_mode) && access(at, X_OK) == 0 &&
		    !is_same(at, "/proc/self/exe"))
			return at;
		free(at);
	}
	return name;
}

static int missing(const char *program)
{
	fprintf(stderr, "perdure cc: %s: %s; perdure needs it to compile\n", program,
		strerror(errno));
	return 127;
}

static _Noreturn void be_child(const struct pd_strings *argv, int err, const sigset_t *mask)
{
	for (int sig = 1; sig < NSIG; sig++)
		if (sigismember(&handled, sig) == 1)
			signal(sig, SIG_DFL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	if (err >= 0)
		dup2(err, STDERR_FILENO);
	execvp(find_program(argv->v[0]), argv->v);
	_exit(missing(argv->v[0]));
}

/* Signals are blocked until we know the process to pass them on to. */
static pid_t start(const struct pd_strings *argv, int err)
{
	sigset_t mask;
	pid_t pid;

	sigprocmask(SIG_BLOCK, &handled, &mask);
	pid = fork();
	if (pid == 0)
		be_child(argv, err, &mask);
	child = pid;
	sigprocmask(SIG_SETMASK, &mask, NULL);
	return pid;
}

static int wait_for(pid_t pid)
{
	int st = 0;

	while (waitpid(pid, &st, 0) < 0)
		if (errno != EINTR)
			return 127;
	child = 0;
	return status_of(st);
}

int pd_proc_run(const struct pd_strings *argv)
{
	pid_t pid = start(argv, -1);

	return pid < 0 ? missing(argv->v[0]) : wait_for(pid);
}

int pd_proc_capture(const struct pd_strings *argv, char **err)
{
	size_t cap = 0;
	FILE *f;
	int fd[2];
	pid_t pid;

	*err = NULL;
	if (pipe(fd) != 0)
		return 127;
	pid = start(argv, fd[1]);
	close(fd[1]);
	f = fdopen(fd[0], "r");
	if (!f || getdelim(err, &cap, '\0', f) < 0) {
		free(*err);
		*err = calloc(1, 1);
	}
	if (f)
		fclose(f);
	return pid < 0 ? 127 : wait_for(pid);
}

int pd_proc_become(const struct pd_strings *argv)
{
	execvp(find_program(argv->v[0]), argv->v);
	return missing(argv->v[0]);
}
