/*
 * cmd_merge.c - perdure merge: one result from several.
 *
 * Findings are united by id, counts are added, stats join as result.h says. The whole is complete
 * only if each part is. Findings keep the replay command of the part that they come from: the
 * choices are there.
 */
#include "cli/cli.h"
#include "cli/options.h"
#include "host/host.h"
#include <string.h>

static const struct argp_option own[] = {
	{"output", 'o', "OUT", 0,
	 "a directory for the joined result, a file if it ends in .json, or - (required)", 1},
	{0},
};

static bool take(void *ctx, int key, const char *arg, struct pd_error *e)
{
	const char **to = ctx;

	(void)key;
	(void)e;
	*to = arg;
	return true;
}

static bool load_all(struct pd_result *r, struct pd_arena *a, const struct pd_options *o,
		     struct pd_error *e)
{
	struct pd_result part;

	if (!pd_result_load(r, a, o->argv[0], e))
		return false;
	for (int i = 1; i < o->argc; i++) {
		if (!pd_result_load(&part, a, o->argv[i], e))
			return false;
		pd_result_join(r, &part);
	}
	r->version = PD_VERSION;
	return true;
}

static bool is_file(const char *to)
{
	size_t n = strlen(to);

	return strcmp(to, "-") == 0 || (n > 5 && strcmp(to + n - 5, ".json") == 0);
}

static int run(struct pd_arena *a, struct pd_options *o, const char *to)
{
	struct pd_outdir d;
	struct pd_result r;
	struct pd_error e;

	if (!to)
		return pd_user_error("merge: say where the joined result goes: -o OUT");
	if (!load_all(&r, a, o, &e))
		return pd_error_print(&e);
	if (is_file(to)) {
		o->json = to;
		return pd_deliver(&r, o, NULL, NULL);
	}
	if (!pd_outdir_open(&d, to, &e))
		return pd_error_print(&e);
	return pd_deliver(&r, o, NULL, &d);
}

int pd_cmd_merge(int argc, char **argv)
{
	const char *to = NULL;
	const struct pd_command cmd = {
		.verb = "merge",
		.arguments = "RESULT...",
		.doc = "Joins results, each a directory or a JSON file, into one.\v"
		       "The joined result is complete only if each of them is; the exit status is "
		       "that "
		       "of the whole.",
		.common = PD_OPT_BIT(QUIET) | PD_OPT_BIT(COLOR),
		.mixed = true,
		.needs = "name the results to join",
		.own = own,
		.take = take,
		.ctx = &to,
	};
	struct pd_options o;
	struct pd_arena a;
	int status;

	pd_arena_init(&a, pd_host_memory());
	if (pd_options_start(&o, &a, &cmd, argc, argv, &status))
		status = run(&a, &o, to);
	pd_arena_finish(&a);
	return status;
}
