/* watch.c - see watch.h. */
#include "cli/watch.h"

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
