/*
 * explore/check.c - every crash of paths that store to PM in a new way: `perdure check` on their
 * input. See explore.h.
 *
 * Each check is a process of its own, because the boards of the two explorations have the same
 * address. Its result is kept in checks/NUMBER; we take over its findings, with the input, and its
 * limits.
 */
#include "drive/explore/explore.h"
#include "report/words/limits.h"
#include "report/report.h"
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LEAST_S = 1 };

/* The words of a command. */
struct words {
	PD_VEC(char *) v;
	struct pd_arena *arena;
};

static void push(struct words *w, const char *s)
{
	char **to = pd_vec_push(&w->v, w->arena);

	if (to)
		*to = (char *)(uintptr_t)s;
}

static const char *number(struct pd_arena *a, const char *fmt, unsigned long n)
{
	char text[40];

	snprintf(text, sizeof(text), fmt, n);
	return pd_arena_strndup(a, text, strlen(text));
}

static char **command(struct pd_explore_run *x, const char *input, const char *out, double seconds)
{
	struct words w = {.arena = &x->arena};

	push(&w, "perdure");
	push(&w, "check");
	push(&w, "-q");
	push(&w, "--out");
	push(&w, out);
	push(&w, "--input");
	push(&w, input);
	push(&w, "--model");
	push(&w, x->model);
	push(&w, "--jobs");
	push(&w, number(&x->arena, "%lu", x->options.jobs));
	push(&w, "--seed");
	push(&w, number(&x->arena, "%lu", (unsigned long)x->options.seed));
	if (seconds > 0) {
		push(&w, "--time-limit");
		push(&w, number(&x->arena, "%lums", (unsigned long)(seconds * 1e3)));
	}
	for (uint32_t i = 0; i < x->options.pm.n; i++) {
		push(&w, "--pm");
		push(&w, x->options.pm.v[i]);
	}
	push(&w, "--");
	for (int i = 0; i < x->options.argc; i++)
		push(&w, x->options.argv[i]);
	push(&w, NULL);
	return x->arena.failed ? NULL : w.v.v;
}

static int spawn(char **argv, int output)
{
	posix_spawn_file_actions_t to;
	pid_t pid;
	int r, status = -1;

	posix_spawn_file_actions_init(&to);
	posix_spawn_file_actions_addopen(&to, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&to, output, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&to, output, STDERR_FILENO);
	posix_spawn_file_actions_addclosefrom_np(&to, STDERR_FILENO + 1);
	r = posix_spawn(&pid, "/proc/self/exe", &to, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&to);
	if (r != 0)
		return -1;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void could_not(struct pd_explore_run *x, int output)
{
	char text[sizeof(x->not_checked_why)] = "";
	ssize_t n = pread(output, text, sizeof(text) - 1, 0);

	if (x->not_checked++)
		return;
	text[n > 0 ? n : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	snprintf(x->not_checked_why, sizeof(x->not_checked_why), "%s",
		 strncmp(text, "perdure: ", 9) == 0 ? text + 9 : text);
}

/* Adds facts about the input to each new finding. */
static void add_findings(struct pd_explore_run *x, const struct pd_explore_path *p,
			 struct pd_result *from)
{
	const char *shown = pd_explore_show_input(x, p);
	char folder[40];

	pd_explore_folder(folder, sizeof(folder), p->number);
	for (uint32_t i = 0; i < from->findings.items.n; i++) {
		struct pd_finding *f = from->findings.items.v[i];
		struct pd_fact_list l = {.arena = &x->arena};

		for (uint32_t k = 0; k < f->facts.n; k++)
			pd_fact_add(&l, &f->facts.v[k]);
		pd_fact_put_text(&l, PD_FACT_INPUT_DIR,
				 pd_arena_strndup(&x->arena, folder, strlen(folder)));
		pd_fact_put_text(&l, PD_FACT_INPUT, shown);
		f->facts = pd_facts_of(&l);
		if (f->witness.given && f->witness.settings < from->settings.n)
			f->witness.settings = pd_result_settings(
				&x->result, from->settings.v[f->witness.settings]);
		if (pd_only_wants(&x->options.only, f->kind))
			pd_findings_add(&x->result.findings, f);
	}
}

static void check(struct pd_explore_run *x, const struct pd_explore_path *p, double seconds)
{
	char name[40], input[PATH_MAX], out[PATH_MAX];
	int output = memfd_create("perdure-check", MFD_CLOEXEC), status;
	char **argv;
	struct pd_result r;
	struct pd_error e;

	pd_explore_folder(name, sizeof(name), p->number);
	if (!pd_outdir_path(&x->out, name, input))
		*input = '\0';
	snprintf(name, sizeof(name), "checks/%06lu", (unsigned long)p->number);
	if (!pd_outdir_path(&x->out, "checks", out) || (mkdir(out, 0777) != 0 && errno != EEXIST) ||
	    !pd_outdir_path(&x->out, name, out) || access(input, R_OK) != 0)
		*out = '\0';
	argv = *out ? command(x, input, out, seconds) : NULL;
	status = argv ? spawn(argv, output) : -1;
	if (status < 0 || status == PD_EXIT_USAGE || status == PD_EXIT_INTERNAL ||
	    !pd_result_load(&r, &x->arena, out, &e)) {
		could_not(x, output);
	} else {
		x->checked++;
		add_findings(x, p, &r);
		for (uint32_t i = 0; i < r.limits.n; i++)
			pd_limit_explore_check(&x->result, r.limits.v[i]);
	}
	close(output);
}

void pd_explore_check(struct pd_explore_run *x)
{
	double until = (double)x->options.time_limit_ms / 1e3;
	uint32_t left = 0;

	for (uint32_t i = 0; x->check && i < x->judge.n; i++)
		left += x->judge.v[i].stored;
	for (uint32_t i = 0; x->check && i < x->judge.n; i++) {
		double seconds = until > 0 ? (until - pd_explore_seconds(x)) / left : 0;

		if (!x->judge.v[i].stored)
			continue;
		left--;
		if (x->judge.v[i].outcome != PD_OUTCOME_EXIT || x->judge.v[i].status)
			x->unchecked++; /* check only takes programs that end well */
		else if (x->interrupted || (until > 0 && seconds <= 0))
			x->not_checked_time++;
		else
			check(x, &x->judge.v[i], until > 0 ? PD_MAX(seconds, LEAST_S) : 0);
	}
}
