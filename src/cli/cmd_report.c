/*
 * cmd_report.c - perdure report: shows a result again, in any format.
 *
 * The exit status is that of the run that made the result, so a script may look at either.
 */
#include "drive/check/check.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "host/host.h"
#include <string.h>
#include <unistd.h>

struct report {
	const char *format;
	const char *to;
	bool explain;
	bool coverage;
};

enum { KEY_FORMAT = 1, KEY_EXPLAIN, KEY_COVERAGE };

static const struct argp_option own[] = {
	{"format", KEY_FORMAT, "FORMAT", 0, "text (default), json or sarif", 1},
	{"output", 'o', "FILE", 0, "write there instead of to standard output", 1},
	{"explain", KEY_EXPLAIN, NULL, 0,
	 "tell the whole story of each finding of 'perdure check'; those without one are run again",
	 1},
	{"coverage", KEY_COVERAGE, NULL, 0,
	 "list which stores were at stake and which of them recovery read", 1},
	{0},
};

static bool take(void *ctx, int key, const char *arg, struct pd_error *e)
{
	struct report *r = ctx;

	if (key == 'o') {
		r->to = arg;
		return true;
	}
	if (key == KEY_EXPLAIN) {
		r->explain = true;
		return true;
	}
	if (key == KEY_COVERAGE) {
		r->coverage = true;
		return true;
	}
	r->format = arg;
	if (strcmp(arg, "text") == 0 || strcmp(arg, "json") == 0 || strcmp(arg, "sarif") == 0)
		return true;
	return pd_error_set(e, PD_EXIT_USAGE, "report: --format '%s': use text, json or sarif",
			    arg);
}

static bool write_result(const struct pd_result *r, const struct report *rep,
			 const struct pd_options *o, struct pd_error *e)
{
	struct pd_text_style style;
	struct pd_filewriter w;

	if (strcmp(rep->format, "json") == 0)
		return pd_report_file(r, pd_report_json, rep->to, e);
	if (strcmp(rep->format, "sarif") == 0)
		return pd_report_file(r, pd_report_sarif, rep->to, e);
	if (!pd_file_begin(&w, rep->to, e))
		return false;
	style = pd_text_style_for(w.f, o->color);
	style.brief = o->quiet;
	style.coverage = rep->coverage;
	style.stats = o->stats;
	pd_report_text(r, &style, w.f);
	return pd_file_commit(&w, e);
}

static int run(struct pd_arena *a, struct report *rep, const struct pd_options *o)
{
	const char *from = o->argc ? o->argv[0] : PD_OUT_DEFAULT "/last";
	struct pd_result r;
	struct pd_error e;

	if (o->argc > 1)
		return pd_user_error("report: one result at a time; 'perdure merge' joins several");
	if (!o->argc && access(from, F_OK) != 0)
		return pd_user_error("report: there is no '%s' here; name a result's directory or "
				     "JSON file, or run a check first",
				     from);
	if (!pd_result_load(&r, a, from, &e))
		return pd_error_print(&e);
	if (rep->explain && !pd_check_explain_all(&r, from, &e))
		return pd_error_print(&e);
	pd_result_finish(&r);
	r.strict |= o->strict;
	return write_result(&r, rep, o, &e) ? (int)pd_result_status(&r) : pd_error_print(&e);
}

int pd_cmd_report(int argc, char **argv)
{
	struct report rep = {.format = "text", .to = "-"};
	const struct pd_command cmd = {
		.verb = "report",
		.arguments = "[DIR|FILE.json]",
		.doc = "Shows the result of a run: of " PD_OUT_DEFAULT
		       "/last, or the one that is named.\v"
		       "The exit status is that of the run.",
		.common = PD_OPT_BIT(QUIET) | PD_OPT_BIT(COLOR) | PD_OPT_BIT(STATS) |
			  PD_OPT_BIT(STRICT),
		.mixed = true,
		.own = own,
		.take = take,
		.ctx = &rep,
	};
	struct pd_options o;
	struct pd_arena a;
	int status;

	pd_arena_init(&a, pd_host_memory());
	if (pd_options_start(&o, &a, &cmd, argc, argv, &status))
		status = run(&a, &rep, &o);
	pd_arena_finish(&a);
	return status;
}
