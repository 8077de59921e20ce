/* run.c - see run.h. */
#include "drive/watch/run.h"
#include "host/interrupt.h"
#include "host/host.h"
#include "report/words/limits.h"
#include "report/words/words.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LAST_WORDS_MS = 500 };

/* ---- start ---------------------------------------------------------------------------------- */

void pd_watch_init(struct pd_watch_run *r, const char *mode)
{
	memset(r, 0, sizeof(*r));
	pd_arena_init(&r->arena, pd_host_memory());
	pd_watched_init(&r->watched, &r->arena);
	r->mode = mode;
	r->settings = "";
	r->model = "adr";
	r->schedule = "default";
}

/* ---- running -------------------------------------------------------------------------------- */

struct reading {
	struct pd_watch_run *r;
	struct pd_driven *d;
	double end; /* 0: no limit */
};

/* It took too long. If places of deaths are wanted, asks the process for its place first. */
static void stop_late(struct reading *x)
{
	struct pollfd p = {.fd = x->d->pipe, .events = 0};

	if (x->r->output && kill(x->d->pid, SIGABRT) == 0)
		poll(&p, 1, LAST_WORDS_MS);
	kill(x->d->pid, SIGKILL);
}

static long read_some(void *ctx, void *buf, size_t n)
{
	struct reading *x = ctx;
	struct pollfd p = {.fd = x->d->pipe, .events = POLLIN};

	while (x->end > 0 && !x->d->drained) {
		double left = x->end - pd_host_now();

		if (left <= 0 && !x->r->late) {
			x->r->late = true;
			stop_late(x);
		}
		if (x->r->late || poll(&p, 1, (int)(left * 1e3) + 1) > 0)
			break;
	}
	return pd_driven_read(x->d, buf, n);
}

static bool usable(struct pd_watch_run *r, const struct pd_driven *d, struct pd_error *e)
{
	r->unmapped = !pd_driven_has_mapped(d);
	return r->late || pd_interrupt_came() || r->without_pm ||
	       pd_driven_mapped(d, r->options.argv[0], r->options.pm.n ? r->options.pm.v[0] : NULL,
				e);
}

static bool can_be_given(const struct pd_watch_run *r, const struct pd_driven *d,
			 struct pd_error *e)
{
	return !d->valgrind || !r->input || !*r->input->setting ||
	       pd_error_set(
		       e, PD_EXIT_USAGE,
		       "files of an input can only be given to a program that was compiled with "
		       "'perdure cc'");
}

static void note_death(struct pd_watch_death *to, const struct pd_channel *c)
{
	to->place = c->death_place;
	to->check_place = c->check_place;
	to->check_line = c->check_line;
	memcpy(to->check_file, c->check_file, sizeof(to->check_file));
	memcpy(to->check_what, c->check_what, sizeof(to->check_what));
}

static bool execute(struct pd_watch_run *r, struct pd_error *e)
{
	char settings[400];
	struct pd_driven_options o = {
		.argv = r->options.argv,
		.pm = r->options.pm.v,
		.npm = r->options.pm.n,
		.functions = r->functions.v,
		.nfunctions = r->functions.n,
		.mode = r->mode,
		.settings = settings,
		.seed = r->options.seed,
		.stdin_from = r->input ? r->input->standard : -1,
		.stdout_to = r->output ? r->output : STDERR_FILENO,
		.stderr_to = r->output ? r->output : -1,
		.apart = r->output,
		.front = r->binary ? PD_FRONT_BINARY : PD_FRONT_ANY,
	};
	struct pd_driven d;
	struct reading x = {.r = r, .d = &d};
	bool ok;

	snprintf(settings, sizeof(settings), "schedule=%s model=%s %s%s%s", r->schedule, r->model,
		 r->settings, r->input && *r->input->setting ? " " : "",
		 r->input ? r->input->setting : "");
	if (r->options.time_limit_ms)
		x.end = pd_host_now() + (double)r->options.time_limit_ms / 1e3;
	if (!r->output)
		pd_interrupt_catch(); /* the program gets it, too, and ends */
	if (!pd_driven_start(&d, &o, e))
		return false;
	pd_interrupt_pass_to(r->output ? 0 : d.pid);
	ok = can_be_given(r, &d, e);
	ok = ok &&
	     (pd_watched_read(&r->watched, read_some, &x) ||
	      pd_error_set(e, PD_EXIT_INTERNAL, "what '%s' reports cannot be read", o.argv[0]));
	ok = ok && pd_driven_wait(&d, o.argv[0], e) && usable(r, &d, e);
	r->status = d.status;
	snprintf(r->elsewhere, sizeof(r->elsewhere), "%s", d.channel->elsewhere);
	note_death(&r->death, d.channel);
	r->instrumented = !d.valgrind;
	for (uint32_t i = 0; ok && i < r->functions.n; i++) {
		bool *called = pd_vec_push(&r->called, &r->arena);

		if (called)
			*called = pd_channel_was_called(d.channel, i);
	}
	pd_driven_finish(&d);
	if (!r->output)
		pd_interrupt_release();
	return ok;
}

/* ---- the end -------------------------------------------------------------------------------- */

static void limits(struct pd_watch_run *r)
{
	struct pd_result *to = &r->result;

	if (r->late)
		pd_limit_watch_time(to, r->unmapped && r->options.pm.n ? r->options.pm.v[0] : NULL);
	else if (pd_interrupt_came())
		pd_limit_watch_interrupt(to, pd_interrupt_name());
	else if (WIFSIGNALED(r->status))
		pd_limit_watch_signal(to, WTERMSIG(r->status));
	else if (!r->watched.ended)
		pd_limit_watch_exit_unseen(to);
	else if (WEXITSTATUS(r->status))
		pd_limit_watch_status(to, WEXITSTATUS(r->status));
	if (r->status && *r->elsewhere)
		pd_limit_watch_elsewhere(to, r->elsewhere);
	to->complete = !to->limits.n;
}

bool pd_watch_run(struct pd_watch_run *r, struct pd_error *e)
{
	double started = pd_host_now();

	r->filter.only = r->options.only;
	/* A race becomes the other kind when it is confirmed. */
	if (*r->filter.only.asked && pd_only_wants(&r->filter.only, PD_KIND_LOCKSET_BENIGN))
		r->filter.only.kinds[PD_KIND_LOCKSET_PERSISTENT / 64] |=
			1ULL << PD_KIND_LOCKSET_PERSISTENT % 64;
	r->filter.libraries = r->options.libraries.v;
	r->filter.nlibraries = r->options.libraries.n;
	if (!execute(r, e))
		return false;
	pd_result_init(&r->result, &r->arena, r->mode);
	pd_result_command(&r->result, r->options.argc, r->options.argv);
	r->result.not_judged = r->not_judged;
	pd_watched_findings(&r->watched, &r->filter, &r->result);
	r->spent = pd_host_now() - started;
	if (r->more)
		r->more(r, r->ctx);
	pd_result_stat_real(&r->result, "seconds", pd_host_now() - started);
	limits(r);
	r->result.only = pd_words_only(&r->arena, r->options.only.asked, r->filter.no_performance);
	return true;
}

void pd_watch_finish(struct pd_watch_run *r)
{
	pd_watched_finish(&r->watched);
	pd_arena_finish(&r->arena);
}
