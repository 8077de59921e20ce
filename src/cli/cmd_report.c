/*
 * cmd_report.c - perdure report: shows a result again, in any format.
 *
 * The exit status is that of the run that made the result, so scripts can use either.
 */
#include "drive/check/check.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "host/host.h"
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct report {
	const char *format;
	const char *to;
	const char *html;
	const char *out;
	bool explain;
	bool coverage;
};

static bool write_result(const struct pd_result *r, const struct report *rep,
			 const struct pd_options *o, struct pd_error *e)
{
	struct pd_text_style style;
	struct pd_filewriter w;

	if (strcmp(rep->format, "json") == 0)
		return pd_report_file(r, pd_report_json, rep->to, e);
	if (strcmp(rep->format, "sarif") == 0)
		return pd_report_file(r, pd_report_sarif, rep->to, e);
	if (strcmp(rep->format, "junit") == 0)
		return pd_report_file(r, pd_report_junit, rep->to, e);
	if (!pd_file_begin(&w, rep->to, e))
		return false;
	style = pd_text_style_for(w.f, o->color);
	style.brief = o->quiet;
	style.coverage = rep->coverage;
	style.stats = o->stats;
	pd_report_text(r, &style, w.f);
	return pd_file_commit(&w, e);
}

/* When the result was written; 0: unknown. */
static time_t made_at(const char *from)
{
	char inside[PATH_MAX];
	struct stat st;

	if (stat(from, &st) != 0)
		return 0;
	if (S_ISDIR(st.st_mode) &&
	    (snprintf(inside, sizeof(inside), "%s/" PD_OUT_RESULT, from) >= PATH_MAX ||
	     stat(inside, &st) != 0))
		return 0;
	return st.st_mtime;
}

static bool write_page(const struct pd_result *r, const char *from, const char *to,
		       struct pd_error *e)
{
	struct pd_filewriter w;
	struct stat st;

	if (stat(to, &st) == 0 && S_ISDIR(st.st_mode))
		return pd_error_set(
			e, PD_EXIT_USAGE,
			"'%.300s' is a directory; name the page to write, then the result, as in "
			"--html page.html %.300s",
			to, to);
	if (!pd_file_begin(&w, to, e))
		return false;
	if (pd_report_html(r, made_at(from), w.f))
		return pd_file_commit(&w, e);
	pd_file_abandon(&w);
	return pd_error_set(e, PD_EXIT_INTERNAL, "memory ran out while writing '%.300s'", to);
}

static int run(struct pd_options *o, struct pd_arena *a, void *ctx)
{
	struct report *rep = ctx;
	const char *named = o->argc ? o->argv[0] : rep->out;
	const char *from = named ? named : PD_OUT_DEFAULT "/last";
	struct pd_result r;
	struct pd_error e;

	if (o->argc > 1 || (o->argc && rep->out))
		return pd_user_error("report: one result at a time; 'perdure merge' joins several");
	if (!named && access(from, F_OK) != 0)
		return pd_user_error("report: there is no '%s' here; name a result's directory or "
				     "JSON file, or run a check first",
				     from);
	if (!pd_result_load(&r, a, from, &e))
		return pd_error_print(&e);
	if (rep->explain && !pd_check_explain_all(&r, from, &e))
		return pd_error_print(&e);
	if (!pd_options_compare(o, &r, &e))
		return pd_error_print(&e);
	pd_result_finish(&r);
	r.strict |= o->strict;
	if (!rep->html && strcmp(rep->format, "html") == 0)
		rep->html = rep->to;
	if (rep->html)
		return write_page(&r, from, rep->html, &e) ? (int)pd_result_status(&r)
							   : pd_error_print(&e);
	return write_result(&r, rep, o, &e) ? (int)pd_result_status(&r) : pd_error_print(&e);
}

int pd_cmd_report(int argc, char **argv)
{
	static const char *const formats[] = {"text", "json", "sarif", "junit", "html", NULL};
	struct report rep = {.format = "text", .to = "-"};
	const struct pd_own own[] = {
#include "cli/options/report.def"
		{0},
	};
	const struct pd_command cmd = {
		.verb = "report",
		.arguments = "[DIR|FILE.json]",
		.doc = "Shows the result of a run: of " PD_OUT_DEFAULT "/last, or the one named.\v"
		       "The exit status is that of the run.",
		.common = PD_OPT_BIT(QUIET) | PD_OPT_BIT(COLOR) | PD_OPT_BIT(STATS) |
			  PD_OPT_BIT(STRICT) | PD_OPT_BIT(BASELINE),
		.mixed = true,
		.own = own,
	};

	return pd_command_run(&cmd, argc, argv, run, &rep);
}
