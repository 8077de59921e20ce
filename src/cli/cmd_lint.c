/* cmd_lint.c - perdure lint PROGRAM: one run, the rules of flushing and fencing
 * (engine/lint/lint.h). */
#include "cli/cli.h"
#include "drive/watch/oracle.h"
#include "cli/watch.h"

struct lint {
	struct pd_watch_run run;
	bool transient;
	struct pd_oracles *oracles;
	const char *input_dir; /* NULL: none */
	struct pd_input input;
};

static bool take_oracle(void *to, const char *arg, struct pd_error *e)
{
	struct lint *l = to;

	return pd_oracles_load(&l->oracles, &l->run.arena, arg, e);
}

static void end_oracles(struct pd_watch_run *r, void *ctx)
{
	struct lint *l = ctx;

	pd_oracles_end(l->oracles, &r->filter, &r->result);
}

static int run(struct lint *l)
{
	static const char *const settings[] = {"", "transient=1", "events=1",
					       "transient=1 events=1"};
	struct pd_watch_run *r = &l->run;
	struct pd_error e;

	if (l->input_dir) {
		if (!pd_input_open(&l->input, l->input_dir, &e))
			return pd_error_print(&e);
		r->input = &l->input;
		r->options.argv = pd_input_argv(&l->input, &r->arena, r->options.argv, &e);
		if (!r->options.argv)
			return pd_error_print(&e);
	}
	r->settings = settings[l->transient + 2 * (l->oracles != NULL)];
	if (l->oracles) {
		char model[40];

		snprintf(model, sizeof(model), "model=%s", r->model);
		if (!pd_oracles_start(l->oracles, &r->watched, model, &e))
			return pd_error_print(&e);
		r->more = end_oracles;
		r->ctx = l;
	}
	return pd_watch_verb(r);
}

int pd_cmd_lint(int argc, char **argv)
{
	struct lint l = {0};
	const struct pd_own own[] = {
#include "cli/options/lint.def"
		{0},
	};
	struct pd_command cmd = {
		.verb = "lint",
		.arguments = "PROGRAM [ARGS]",
		.doc = "Runs PROGRAM once and reports missing and needless flushes and fences, "
		       "data that never becomes durable, and misuse of transactions.\vPM files "
		       "are never changed. The program's stdout goes to stderr. "
		       "docs/engines/lint.md explains each kind.",
		.common = PD_OPT_ALL & ~PD_OPT_BIT(JOBS),
		.engines = {"lint"},
		.needs = "name the program to run",
		.own = own,
	};
	int status;

	pd_watch_init(&l.run, "lint");
	l.run.not_judged = "the order in which stores become durable ('perdure check' does that)";
	if (pd_options_start(&l.run.options, &l.run.arena, &cmd, argc, argv, &status))
		status = run(&l);
	pd_oracles_finish(l.oracles);
	pd_input_finish(&l.input);
	pd_watch_finish(&l.run);
	return status;
}
