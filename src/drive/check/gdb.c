/*
 * check/gdb.c - a replay that stops for a debugger. See check.h.
 *
 * When the tested process stops (engine/crash/again.h), gdb is attached to it with a script that
 * lets it continue as soon as the user does, selects the program's own frame and says what to see
 * there. When gdb ends, the replay continues to the next stop.
 */
#include "drive/check/check.h"
#include "report/words/words.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORDS = 64 };

/* Writes a script to a temporary file; its name to path. */
static bool write_script(const struct pd_again *a, char *path)
{
	int fd = mkstemp(path);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");

	if (!f)
		return false;
	fprintf(f, "set pagination off\nset confirm off\nset breakpoint pending on\n");
	/* Signals of the runtime: a library waits for a futex, or reaches a probe. */
	fprintf(f, "handle SIGSYS SIGILL nostop noprint pass\n");
	/* The process waits for this word. */
	fprintf(f, "set variable *(unsigned int *)%p = 1\n", (const void *)&a->go);
	if (a->stopped == PD_STOP_START)
		fprintf(f, "tbreak main\ncontinue\n");
	else
		/* Leave perdure's frames: the stop gives the address of the program's own code. */
		fprintf(f,
			"set $pd_n = 0\nwhile ($pc - 1 != 0x%lx && $pd_n < 60)\n  up-silently\n"
			"  set $pd_n = $pd_n + 1\nend\n",
			(unsigned long)a->pc);
	fprintf(f, "printf \"%s\\n\"\nframe\n", pd_words_stop((enum pd_stop)a->stopped));
	return fclose(f) == 0;
}

static _Noreturn void become_gdb(const char *command, int pid, const char *script)
{
	char number[20], *argv[WORDS], *words = strdup(command);
	int n = 0;

	snprintf(number, sizeof(number), "%d", pid);
	for (char *w = words ? strtok(words, " ") : NULL; w && n < WORDS - 6;
	     w = strtok(NULL, " ")) {
		argv[n++] = w;
		if (n == 1) { /* the user's commands come after ours */
			argv[n++] = "-p";
			argv[n++] = number;
			argv[n++] = "-x";
			argv[n++] = (char *)script;
		}
	}
	argv[n] = NULL;
	signal(SIGINT, SIG_DFL);
	execvp(n ? argv[0] : "gdb", argv);
	_exit(127);
}

static void attach(struct pd_check_run *c)
{
	struct pd_again *a = &c->board->again;
	char script[] = "/tmp/perdure-gdb-XXXXXX";
	void (*old)(int) = signal(SIGINT, SIG_IGN); /* ^C is gdb's */
	pid_t pid, tested = a->pid;
	int status = 0;

	fflush(stdout);
	if (!c->gdb_failed && write_script(a, script)) {
		a->stopped = PD_STOP_NOWHERE;
		pid = fork();
		if (pid == 0)
			become_gdb(c->gdb, tested, script);
		while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		if (!WIFEXITED(status) || WEXITSTATUS(status) == 127)
			c->gdb_failed = true;
		unlink(script);
	} else {
		a->stopped = PD_STOP_NOWHERE;
		c->gdb_failed = true;
	}
	signal(SIGINT, old);
}

void pd_check_gdb(struct pd_check_run *c)
{
	struct pd_again *a = &c->board->again;

	int32_t pid;

	if (!__atomic_load_n(&a->stopped, __ATOMIC_ACQUIRE))
		return;
	pid = a->pid;
	attach(c);
	/* The next stop may have been reached while gdb was running. */
	if (a->pid == pid)
		__atomic_store_n(&a->go, 1, __ATOMIC_RELEASE);
}
