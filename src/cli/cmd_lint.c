/* cmd_lint.c - perdure lint PROGRAM: one run, the rules of flushing and fencing
 * (engine/lint/lint.h). */
#include "cli/cli.h"
#include "drive/watch/oracle.h"
#include "cli/watch.h"

enum { OPT_TRANSIENT = PD_WATCH_OWN, OPT_ORACLE };

struct lint {
	struct pd_watch_run run;
	bool transient;
	struct pd_oracles *oracles;
};

static bool take_option(void *ctx, int key, const char *arg, struct pd_error *e)
{
	struct lint *l = ctx;

	if (key == OPT_ORACLE)
		return pd_oracles_load(&l->oracles, &l->run.arena, arg, e);
	if (key != OPT_TRANSIENT)
		return pd_watch_take_option(&l->run, key, arg, e);
	l->transient = true;
	return true;
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
	static const struct argp_option own[] = {
		PD_WATCH_OPTIONS,
		{"transient", OPT_TRANSIENT, NULL, 0,
		 "on files from before: tell what is never flushed and never read before it is "
		 "written apart "
		 "from what is forgotten (watches loads too, which takes longer)",
		 0},
		{"oracle", OPT_ORACLE, "LIB[=ARGS]", 0,
		 "ask an oracle, too: a path of yours (perdure_oracle.h, docs/oracles.md), or "
		 "redundant-log or "
		 "atomic; repeatable",
		 0},
		{0},
	};
	struct lint l = {0};
	struct pd_command cmd = {
		.verb = "lint",
		.arguments = "PROGRAM [ARGS]",
		.doc = "Runs PROGRAM once and reports every missing or needless flush and fence, "
		       "data that is "
		       "never made durable, and misuse of transactions.\v"
		       "The PM files themselves are not changed. The program's standard output "
		       "goes to "
		       "standard error. docs/engines/lint.md says what each kind means.",
		.common = PD_OPT_ALL & ~PD_OPT_BIT(JOBS),
		.engines = {"lint"},
		.needs = "name the program to run",
		.own = own,
		.take = take_option,
		.ctx = &l,
	};
	int status;

	pd_watch_init(&l.run, "lint");
	l.run.not_judged =
		"the order in which stores become durable ('perdure check' does that)";
	if (pd_options_start(&l.run.options, &l.run.arena, &cmd, argc, argv, &status))
		status = run(&l);
	pd_oracles_finish(l.oracles);
	pd_watch_finish(&l.run);
	return status;
}
