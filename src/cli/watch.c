/* watch.c - see watch.h. */
#include "cli/watch.h"
#include <string.h>

bool pd_watch_take_option(struct pd_watch_run *r, int key, const char *arg, struct pd_error *e)
{
	switch (key) {
	case PD_WATCH_MODEL:
		r->model = arg;
		return strcmp(arg, "adr") == 0 || strcmp(arg, "eadr") == 0 ||
		       strcmp(arg, "page") == 0 ||
		       pd_error_set(e, PD_EXIT_USAGE, "--model takes adr, eadr or page, not '%s'",
				    arg);
	case PD_WATCH_SCHEDULE:
		r->schedule = arg;
		return strcmp(arg, "default") == 0 || strcmp(arg, "random") == 0 ||
		       strcmp(arg, "sparse") == 0 || strncmp(arg, "pct", 3) == 0 ||
		       pd_error_set(e, PD_EXIT_USAGE,
				    "--schedule takes default, random, sparse or "
				    "pct[:DEPTH[:STEPS]], not '%s'",
				    arg);
	case PD_WATCH_BINARY:
		r->binary = true;
		return true;
	default:
		r->filter.no_performance = true;
		return true;
	}
}

int pd_watch_verb(struct pd_watch_run *r)
{
	struct pd_suppressions suppressions;
	struct pd_outdir out;
	struct pd_error e;

	pd_suppress_init(&suppressions, &r->arena);
	if (!pd_options_files(&r->options, &suppressions, &e) ||
	    !pd_outdir_open(&out, r->options.out, &e))
		return pd_error_print(&e);
	if (!pd_watch_run(r, &e)) {
		pd_outdir_abandon(&out);
		return pd_error_print(&e);
	}
	return pd_deliver(&r->result, &r->options, &suppressions, &out);
}
