/* cmd_explain.c - perdure explain KIND: what a kind of finding means, with an example, why it
 * matters, how to fix it (report/words/explain.def). Without a kind, all of them, one line each. */
#include "cli/cli.h"
#include "cli/options.h"
#include "host/host.h"
#include "host/nearest.h"
#include "report/screen.h"
#include "report/words/words.h"
#include <string.h>

/* Matches the full name, the part after the engine, or the engine. */
static bool is_meant(enum pd_kind kind, const char *name)
{
	const char *whole = pd_kind_info[kind].name, *own = strchr(whole, '/') + 1;
	size_t engine = (size_t)(own - whole) - 1;

	return strcmp(name, whole) == 0 || strcmp(name, own) == 0 ||
	       (strlen(name) == engine && memcmp(name, whole, engine) == 0);
}

static int no_kind(const char *name)
{
	struct pd_nearest near = {.word = name};
	uint64_t id;

	if (pd_finding_id_parse(name, &id))
		return pd_user_error("explain: '%s' is the id of a finding; give its kind, which "
				     "'perdure report' shows before the id",
				     name);
	for (unsigned k = 0; k < PD_KIND_N; k++) {
		pd_nearest_offer(&near, pd_kind_info[k].name);
		pd_nearest_offer(&near, strchr(pd_kind_info[k].name, '/') + 1);
	}
	return pd_user_error("explain: there is no kind of finding '%.100s'%s 'perdure explain' "
			     "lists them",
			     name, near.name ? pd_nearest_words(&near, "") : ";");
}

static int explain(struct pd_screen *s, const char *name)
{
	bool any = false;

	for (unsigned k = 0; k < PD_KIND_N; k++) {
		if (!is_meant((enum pd_kind)k, name))
			continue;
		if (any)
			pd_screen_newline(s);
		pd_words_explain(s, (enum pd_kind)k);
		any = true;
	}
	return any ? PD_EXIT_CLEAN : no_kind(name);
}

static int run(struct pd_options *o, struct pd_arena *a, void *ctx)
{
	struct pd_text_style style = pd_text_style_for(stdout, o->color);
	struct pd_screen s = {.f = stdout, .color = style.color, .width = style.width};
	int status = PD_EXIT_CLEAN;

	(void)a;
	(void)ctx;
	for (int i = 0; i < o->argc && status == PD_EXIT_CLEAN; i++) {
		if (i)
			pd_screen_newline(&s);
		status = explain(&s, o->argv[i]);
	}
	for (unsigned k = 0; !o->argc && k < PD_KIND_N; k++) {
		s.indent = 31;
		pd_screen_print(&s, "%-30s %s", pd_kind_info[k].name, pd_kind_info[k].doc);
		pd_screen_newline(&s);
	}
	return status;
}

int pd_cmd_explain(int argc, char **argv)
{
	const struct pd_command cmd = {
		.verb = "explain",
		.arguments = "[KIND...]",
		.doc = "Explains kinds of findings: what each means, a tiny example, why it "
		       "matters, how to fix it.\vKIND is a name such as lint/missing-flush, the "
		       "part "
		       "after the slash (missing-flush), or an engine (lint). Without one, all "
		       "kinds are listed.",
		.common = PD_OPT_BIT(COLOR),
		.mixed = true,
	};

	return pd_command_run(&cmd, argc, argv, run, NULL);
}
