/*
 * cmd_merge.c - perdure merge: one result from several.
 *
 * A result that is given twice, by another name or link, counts once. Findings are united by id,
 * counts are added, stats are joined as in result.h. The whole is complete only if each part is. A
 * directory with the merged result is self-contained: its findings are replayed from there. In a
 * single file they keep the replay command of their part.
 */
#include "cli/cli.h"
#include "cli/options.h"
#include "host/host.h"
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* The file of a result, whatever name or link leads to it. */
static bool find_file(const char *name, struct stat *st)
{
	char path[PATH_MAX];

	if (stat(name, st) != 0)
		return false;
	if (!S_ISDIR(st->st_mode))
		return true;
	return snprintf(path, sizeof(path), "%s/" PD_OUT_RESULT, name) < (int)sizeof(path) &&
	       stat(path, st) == 0;
}

static bool is_same(const char *a, const char *b)
{
	struct stat x, y;

	return find_file(a, &x) && find_file(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* perdure.out/last is one of perdure.out/N; and the target that is about to be replaced is no part
 * of itself. */
static bool is_counted(const struct pd_options *o, int i, const char *to)
{
	bool counted = strcmp(to, "-") != 0 && is_same(o->argv[i], to);

	for (int k = 0; k < i && !counted; k++)
		counted = is_same(o->argv[i], o->argv[k]);
	return counted;
}

static bool load_all(struct pd_result *r, struct pd_arena *a, const struct pd_options *o,
		     const char *to, struct pd_error *e)
{
	struct pd_result part;
	bool any = false;

	for (int i = 0; i < o->argc; i++) {
		if (is_counted(o, i, to))
			continue;
		if (!pd_result_load(any ? &part : r, a, o->argv[i], e))
			return false;
		if (any)
			pd_result_join(r, &part);
		any = true;
	}
	if (!any)
		return pd_error_set(e, PD_EXIT_USAGE,
				    "merge: there is nothing to join but '%.300s' itself", to);
	r->version = PD_VERSION;
	return true;
}

static bool is_file(const char *to)
{
	size_t n = strlen(to);

	return strcmp(to, "-") == 0 || (n > 5 && strcmp(to + n - 5, ".json") == 0);
}

static int run(struct pd_options *o, struct pd_arena *a, void *ctx)
{
	const char *to = *(const char **)ctx;
	struct pd_outdir d;
	struct pd_result r;
	struct pd_error e;

	if (!to)
		return pd_user_error("merge: say where the merged result goes: -o OUT");
	if (!load_all(&r, a, o, to, &e))
		return pd_error_print(&e);
	if (is_file(to)) {
		o->json = to;
		return pd_deliver(&r, o, NULL, NULL);
	}
	if (!pd_outdir_open(&d, to, &e))
		return pd_error_print(&e);
	for (uint32_t i = 0; i < r.findings.items.n; i++)
		if (r.findings.items.v[i]->witness.settings < r.settings.n)
			r.findings.items.v[i]->replay = r.findings.items.v[i]->patch = NULL;
	return pd_deliver(&r, o, NULL, &d);
}

int pd_cmd_merge(int argc, char **argv)
{
	const char *to = NULL;
	const struct pd_own own[] = {
#include "cli/options/merge.def"
		{0},
	};
	const struct pd_command cmd = {
		.verb = "merge",
		.arguments = "RESULT...",
		.doc = "Merges results, each a directory or a JSON file, into one; a result named "
		       "twice counts once.\vThe merged result is complete only if each "
		       "part is. The exit status is that of the whole.",
		.common = PD_OPT_BIT(QUIET) | PD_OPT_BIT(COLOR) | PD_OPT_BIT(STATS) |
			  PD_OPT_BIT(STRICT) | PD_OPT_BIT(BASELINE),
		.mixed = true,
		.needs = "name the results to join",
		.own = own,
	};

	return pd_command_run(&cmd, argc, argv, run, &to);
}
