/* explore/witness.c - see witness.h. */
#include "drive/explore/witness.h"
#include "drive/check/check.h"
#include "drive/watch/run.h"
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

bool pd_explore_settings(const struct pd_explore_settings *s, struct pd_input *in, uint32_t *number,
			 struct pd_error *e)
{
	struct pd_check_run c = {
		.model = s->model, .hang_ms = s->hang_ms, .ok_exit = {1}, .input = -1, .given = in};

	c.options = *s->options;
	c.options.argv = pd_input_argv(in, s->arena, s->options->argv, e);
	return c.options.argv && pd_check_settings(&c, s->result, number, e);
}

bool pd_explore_is_replayed(const struct pd_finding *f)
{
	return f->witness.given && !f->witness.n &&
	       (pd_kind_own_name(f->kind, "lint") || pd_kind_own_name(f->kind, "explore"));
}

/* ---- again ---------------------------------------------------------------------------------- */

static bool is_end(const struct pd_finding *f)
{
	return f->kind == PD_KIND_EXPLORE_SIGNAL || f->kind == PD_KIND_EXPLORE_ABORT ||
	       f->kind == PD_KIND_EXPLORE_HANG || f->kind == PD_KIND_EXPLORE_CHECK;
}

/* How it ended this time; "": not as in the finding. */
static void describe_end(const struct pd_watch_run *r, const struct pd_finding *f, char *to,
			 size_t room)
{
	bool killed = !r->late && WIFSIGNALED(r->status);
	int sig = killed ? WTERMSIG(r->status) : 0;

	*to = '\0';
	if (f->kind == PD_KIND_EXPLORE_HANG && r->late)
		snprintf(to, room, "the program had not ended after %lu ms",
			 (unsigned long)r->options.time_limit_ms);
	else if (f->kind == PD_KIND_EXPLORE_CHECK && *r->death.check_what)
		snprintf(to, room, "pd_check() fails: %s", r->death.check_what);
	else if (killed && (uint64_t)sig == pd_fact_number(&f->facts, PD_FACT_SIGNAL))
		snprintf(to, room, "%s", sig == SIGABRT ? "the program aborts" : strsignal(sig));
}

static void show_output(int fd)
{
	char buf[4096];
	off_t at = 0;
	ssize_t n;

	while ((n = pread(fd, buf, sizeof(buf), at)) > 0) {
		if (!at)
			puts("output of the program:");
		fwrite(buf, 1, (size_t)n, stdout);
		at += n;
	}
}

static bool run_lint(struct pd_watch_run *r, struct pd_check_run *c, const struct pd_finding *f,
		     struct pd_error *e)
{
	uint64_t limit = pd_fact_number(&f->facts, PD_FACT_LIMIT_MS);

	pd_watch_init(r, "lint");
	r->model = c->model;
	r->settings = "deaths=1";
	r->input = c->given;
	r->output = memfd_create("perdure-output", MFD_CLOEXEC);
	r->options = c->options;
	r->options.arena = &r->arena;
	r->options.time_limit_ms = limit;
	return pd_watch_run(r, e);
}

int pd_explore_replay(struct pd_check_run *c, const struct pd_finding *f)
{
	struct pd_watch_run r;
	struct pd_error e;
	char end[200] = "";
	bool ok = run_lint(&r, c, f, &e), same;
	int status;

	if (is_end(f))
		describe_end(&r, f, end, sizeof(end));
	same = is_end(f) ? *end : ok && pd_findings_get(&r.result.findings, f->id);
	if (same) {
		printf("%s\n", f->message);
		printf("replayed: %s\n", *end ? end : "lint reports the same on this input");
		status = PD_EXIT_FINDINGS;
	} else if (!ok && !is_end(f)) {
		status = pd_error_print(&e);
	} else {
		printf("not the same: on this input %s\n(has the program, or its PM file, changed "
		       "since?)\n",
		       is_end(f) ? "the program does not end like that"
				 : "lint does not report it");
		status = PD_EXIT_INCOMPLETE;
	}
	show_output(r.output);
	close(r.output);
	pd_watch_finish(&r);
	return status;
}
