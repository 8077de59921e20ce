/* cmd_pmdk.c - perdure pmdk TREE: PMDK's libraries, instrumented, from the user's source tree. */
#include "cli/cli.h"
#include "cli/options.h"
#include "drive/pmdk.h"
#include "host/host.h"
#include <stdio.h>
#include <string.h>

/* Commands that can be copied. */
static void print_usage(const struct pd_pmdk *p)
{
	printf("The libraries are in %s/lib. To %s a program with them:\n"
	       "  export PKG_CONFIG_PATH=%s/lib/pkgconfig\n"
	       "  export LD_LIBRARY_PATH=%s/lib\n"
	       "  perdure cc %s-g -O1 -o prog prog.c $(pkg-config --cflags --libs libpmemobj)\n"
	       "  perdure %s --pm '*.pm'%s ./prog my.pm\n",
	       p->dir, p->symbolic ? "explore" : "check", p->dir, p->dir,
	       p->symbolic ? "--symbolic " : "", p->symbolic ? "explore" : "check",
	       p->symbolic ? " --sym-stdin 4" : "");
}

static int run(struct pd_options *o, struct pd_arena *a, void *ctx)
{
	struct pd_pmdk *p = ctx;
	struct pd_error e;

	p->arena = a;
	for (int i = 1; i < o->argc; i++)
		if (!strchr(o->argv[i], '='))
			return pd_user_error("pmdk takes one source tree, and settings for make "
					     "(VAR=VALUE) after it, not '%s'",
					     o->argv[i]);
	p->source = o->argv[0];
	p->set = o->argv + 1;
	p->nset = o->argc - 1;
	p->jobs = o->jobs;
	p->progress = o->quiet ? NULL : stderr;
	if (!pd_pmdk_build(p, &e))
		return pd_error_print(&e);
	print_usage(p);
	return PD_EXIT_CLEAN;
}

int pd_cmd_pmdk(int argc, char **argv)
{
	struct pd_pmdk p = {.to = "perdure-pmdk"};
	const struct pd_own own[] = {
#include "cli/options/pmdk.def"
		{0},
	};
	const struct pd_command cmd = {
		.verb = "pmdk",
		.arguments = "TREE [VAR=VALUE...]",
		.doc = "Builds the libraries of PMDK with 'perdure cc', beside those of the "
		       "system, "
		       "so that 'perdure check' sees what they do. TREE is a source tree of PMDK "
		       "(1.4 to 2.1); it is copied, and never changed. VAR=VALUE is passed "
		       "to its make.\vAt the end it prints the variables to export. If make fails, "
		       "DIR/log has its output. Needs make and pkg-config. Exit status: 0, or 2 "
		       "where "
		       "TREE does not build.",
		.common = PD_OPT_BIT(QUIET) | PD_OPT_BIT(JOBS),
		.mixed = true,
		.needs = "name the source tree of PMDK",
		.own = own,
	};

	return pd_command_run(&cmd, argc, argv, run, &p);
}
