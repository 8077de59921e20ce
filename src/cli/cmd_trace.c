/*
 * cmd_trace.c - perdure trace PROGRAM: the events of one run, one per line.
 *
 * The input of all other verbs in readable form: who did what to which byte of which PM file, with
 * what value, from which line of the source. --stats counts instead. The program's standard output
 * goes to standard error, so that the listing can be piped.
 */
#include "cli/cli.h"
#include "cli/options.h"
#include "drive/driven.h"
#include "drive/listing.h"
#include "host/host.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { READ = 1 << 18 };

struct trace {
	struct pd_arena arena;
	struct pd_options options;
	bool stats;
	bool binary;
	const char *schedule;
	struct pd_listing listing;
};

/* ---- running ------------------------------------------------------------------------------ */

static bool check_globs(const struct trace *t, const struct pd_driven *d, struct pd_error *e)
{
	/* Loads without a mapping: a private one, or read(). */
	return d->channel->events[PD_EV_LOAD] || d->channel->events[PD_EV_STORE] ||
	       pd_driven_mapped(d, t->options.argv[0], t->options.pm.n ? t->options.pm.v[0] : NULL,
				e);
}

static bool read_all(struct trace *t, struct pd_driven *d)
{
	struct pd_trace_reader reader = {0};
	struct pd_trace_record rec;
	uint8_t *buf = malloc(2 * READ);
	size_t have = 0;
	long got = buf ? 1 : -1;

	while (got > 0 && !t->listing.corrupt) {
		size_t used = 0;
		long k;

		got = pd_driven_read(d, buf + have, 2 * READ - have);
		have += got > 0 ? (size_t)got : 0;
		while ((k = pd_trace_read(&reader, buf + used, have - used, &rec)) > 0) {
			pd_listing_take(&t->listing, &rec);
			used += (size_t)k;
		}
		t->listing.corrupt |= k < 0 || (used == 0 && have == 2 * READ);
		memmove(buf, buf + used, have - used);
		have -= used;
	}
	free(buf);
	return got >= 0 && !t->listing.corrupt;
}

static int run(struct trace *t)
{
	char settings[128];
	struct pd_driven_options o = {
		.argv = t->options.argv,
		.pm = t->options.pm.v,
		.npm = t->options.pm.n,
		.mode = "trace",
		.settings = settings,
		.seed = t->options.seed,
		.stdout_to = STDERR_FILENO,
		.front = t->binary ? PD_FRONT_BINARY : PD_FRONT_ANY,
	};
	struct pd_driven d;
	struct pd_error e;
	bool ok, lost;

	t->listing = (struct pd_listing){.arena = &t->arena, .out = stdout, .no_events = t->stats};
	snprintf(settings, sizeof(settings), "schedule=%s count=%d", t->schedule, t->stats);
	if (!pd_driven_start(&d, &o, &e))
		return pd_error_print(&e);
	ok = read_all(t, &d);
	if (!ok)
		pd_error_set(&e, PD_EXIT_INTERNAL, "the trace of '%s' is not readable", o.argv[0]);
	else
		ok = pd_driven_wait(&d, o.argv[0], &e);
	if (t->stats && ok)
		pd_listing_stats(&t->listing, d.channel);
	if (fflush(t->listing.out) != 0)
		ok = pd_error_set(&e, PD_EXIT_INTERNAL, "cannot write the listing");
	lost = pd_listing_losses(&t->listing);
	ok = ok && pd_driven_ended_well(&d, o.argv[0], &e) && check_globs(t, &d, &e);
	pd_driven_finish(&d);
	if (!ok)
		return pd_error_print(&e);
	return lost ? PD_EXIT_INCOMPLETE : PD_EXIT_CLEAN;
}

int pd_cmd_trace(int argc, char **argv)
{
	struct trace t = {.schedule = "default"};
	const struct pd_own own[] = {
#include "cli/options/trace.def"
		{0},
	};
	struct pd_command cmd = {
		.verb = "trace",
		.arguments = "PROGRAM [ARGS]",
		.doc = "Runs PROGRAM once and lists what it does to persistent memory: thread, "
		       "event, file and offset, size, value, source line.\vPM files are never "
		       "changed. Exit status: 0; 2 the program failed; 3 something was not "
		       "understood (stderr says what).",
		.common = PD_OPT_BIT(PM) | PD_OPT_BIT(SEED),
		.needs = "name the program to run",
		.own = own,
	};
	int status;

	pd_arena_init(&t.arena, pd_host_memory());
	if (pd_options_start(&t.options, &t.arena, &cmd, argc, argv, &status))
		status = run(&t);
	pd_arena_finish(&t.arena);
	return status;
}
