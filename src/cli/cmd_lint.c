/* cmd_lint.c - perdure lint PROGRAM: one run, the rules of flushing and fencing (engine/lint/lint.h). */
#include "cli/cli.h"
#include "cli/watch_run.h"

enum { OPT_TRANSIENT = PD_WATCH_OWN };

static bool take_option(void *ctx, int key, const char *arg, struct pd_error *e)
{
	struct pd_watch_run *r = ctx;

	if (key != OPT_TRANSIENT)
		return pd_watch_take_option(r, key, arg, e);
	r->settings = "transient=1";
	return true;
}

int pd_cmd_lint(int argc, char **argv)
{
	static const struct argp_option own[] = {
		PD_WATCH_OPTIONS,
		{"transient", OPT_TRANSIENT, NULL, 0,
		 "on files from before: tell what is never flushed and never read before it is written apart "
		 "from what is forgotten (watches loads too, which takes longer)", 0},
		{0},
	};
	struct pd_watch_run r;
	struct pd_command cmd = {
		.verb = "lint",
		.arguments = "PROGRAM [ARGS]",
		.doc = "Runs PROGRAM once and reports every missing or needless flush and fence, data that is "
		       "never made durable, and misuse of transactions.\v"
		       "The PM files themselves are not changed. The program's standard output goes to "
		       "standard error. docs/engines/lint.md says what each kind means.",
		.common = PD_OPT_ALL & ~PD_OPT_BIT(JOBS),
		.needs = "name the program to run",
		.own = own,
		.take = take_option,
		.ctx = &r,
	};
	int status;

	pd_watch_init(&r, "lint");
	if (pd_options_start(&r.options, &r.arena, &cmd, argc, argv, &status))
		status = pd_watch_run(&r);
	pd_watch_finish(&r);
	return status;
}
