/*
 * cmd_litmus.c - perdure litmus FILE...: runs litmus files on the model.
 *
 * If a file states what it expects, only differences are shown; otherwise its sets are printed.
 * docs/litmus.md describes the language.
 */
#include "cli/cli.h"
#include "cli/options.h"
#include "host/host.h"
#include "host/outdir.h"
#include "litmus/litmus.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_FILE = 1 << 20 };

struct litmus_options {
	bool quiet;
	bool show;
	uint64_t max_states;
};

/* The results of all files together. */
struct tally {
	uint32_t ok;
	uint32_t differ;
	uint32_t shown;
	uint32_t capped;
	int error; /* exit status of the first file that could not be run */
};

/* One of the sets of a section. */
struct view {
	const struct pd_litmus *lit;
	uint32_t section;
	bool images;
};

static void print_tuple(struct pd_out *o, const struct view *v, const uint64_t *tuple)
{
	if (v->images)
		pd_litmus_print_image(o, v->lit, tuple);
	else
		pd_litmus_print_outcome(o, &v->lit->section[v->section], tuple);
}

static void print_name(struct pd_out *o, const struct view *v)
{
	pd_outs(o, v->images ? "images" : "outcomes");
	if (v->lit->nsection > 1)
		pd_outf(o, " of execution %u", v->section + 1);
}

static void print_set(struct pd_out *o, const struct view *v, const struct pd_tuples *set)
{
	pd_outs(o, "  ");
	print_name(o, v);
	pd_outf(o, " (%u):\n", set->n);
	for (uint32_t i = 0; i < set->n; i++) {
		pd_outs(o, "    ");
		print_tuple(o, v, pd_tuples_at(set, i));
		pd_outs(o, "\n");
	}
}

static uint32_t print_missing(struct pd_out *o, const struct view *v, const struct pd_tuples *in,
			      const struct pd_tuples *from, const char *what)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < in->n; i++) {
		const uint64_t *tuple = pd_tuples_at(in, i);

		if (pd_tuples_has(from, tuple))
			continue;
		n++;
		pd_outf(o, "  %s ", what);
		print_tuple(o, v, tuple);
		pd_outs(o, "\n");
	}
	return n;
}

/* True if the set is as the file expects, or it expects nothing. */
static bool compare_set(struct pd_out *o, const struct view *v, const struct pd_tuples *expected,
			const struct pd_tuples *found)
{
	uint32_t n = print_missing(o, v, found, expected, "allowed, but not in the file:  ");

	n += print_missing(o, v, expected, found, "in the file, but never happens:");
	return n == 0;
}

static void report(const struct litmus_options *opt, const struct pd_litmus *lit,
		   struct pd_lit_result *r, struct tally *tally)
{
	struct pd_out o = pd_host_out(stdout);
	bool same = true, expects = false;

	for (uint32_t s = 0; s < lit->nsection; s++) {
		const struct pd_lit_section *sec = &lit->section[s];

		if (sec->has_images)
			same &= compare_set(&o, &(struct view){lit, s, true}, &sec->images,
					    &r->images[s]);
		if (sec->has_outcomes)
			same &= compare_set(&o, &(struct view){lit, s, false}, &sec->outcomes,
					    &r->outcomes[s]);
		expects |= sec->has_images || sec->has_outcomes;
	}
	tally->ok += expects && same;
	tally->differ += expects && !same;
	tally->shown += !expects;
	if (opt->quiet && same)
		return;
	printf("%s: %s%s%s\n", lit->file,
	       !expects ? "no expectation"
	       : same	? "as expected"
			: "DIFFERENT",
	       lit->question ? " - " : "", lit->question ? lit->question : "");
	for (uint32_t s = 0; s < lit->nsection && (opt->show || !expects); s++) {
		print_set(&o, &(struct view){lit, s, true}, &r->images[s]);
		if (lit->section[s].nreg)
			print_set(&o, &(struct view){lit, s, false}, &r->outcomes[s]);
	}
}

static void run_text(const struct litmus_options *opt, const char *file, const char *text, size_t n,
		     struct tally *tally)
{
	struct pd_out err = pd_host_out(stderr);
	struct pd_lit_result result;
	struct pd_litmus *lit;
	struct pd_arena a;

	pd_arena_init(&a, pd_host_memory());
	lit = pd_litmus_parse(&a, file, text, n, &err);
	if (!lit) {
		tally->error = PD_EXIT_USAGE;
	} else if (!pd_litmus_explore(lit, &a, opt->max_states, &result)) {
		fprintf(stderr, "perdure: %s: out of memory; make the test smaller\n", file);
		tally->error = PD_EXIT_INTERNAL;
	} else if (result.capped) {
		printf("%s: given up after %lu states; make the test smaller, or raise "
		       "--max-states\n",
		       file, (unsigned long)result.states);
		tally->capped++;
	} else {
		report(opt, lit, &result, tally);
	}
	pd_arena_finish(&a);
}

static void run_file(const struct litmus_options *opt, const char *file, struct tally *tally)
{
	struct pd_error e;
	size_t n;
	char *text = pd_file_read(file, MAX_FILE, &n, &e);

	if (!text) {
		tally->error = pd_error_print(&e);
		return;
	}
	run_text(opt, file, text, n, tally);
	free(text);
}

static int run(struct pd_options *o, struct pd_arena *a, void *ctx)
{
	const struct litmus_options *opt = ctx;
	struct tally tally = {0};

	(void)a;
	for (int i = 0; i < o->argc; i++)
		run_file(opt, o->argv[i], &tally);
	if (!opt->quiet && o->argc > 1)
		printf("%u as expected, %u different, %u without expectation, %u given up\n",
		       tally.ok, tally.differ, tally.shown, tally.capped);
	if (fflush(stdout) || ferror(stdout))
		return pd_user_error("cannot write the result to standard output");
	if (tally.error)
		return tally.error;
	if (tally.differ)
		return PD_EXIT_FINDINGS;
	return tally.capped ? PD_EXIT_INCOMPLETE : PD_EXIT_CLEAN;
}

int pd_cmd_litmus(int argc, char **argv)
{
	struct litmus_options opt = {.max_states = 5000000};
	const struct pd_own own[] = {
#include "cli/options/litmus.def"
		{0},
	};
	const struct pd_command cmd = {
		.verb = "litmus",
		.arguments = "FILE...",
		.doc = "Runs small programs in all interleavings, with a crash at every moment, "
		       "and prints every image of persistent memory that a crash can leave (or "
		       "how they differ from what the file expects).\vExample:  T0: st x 1; clwb "
		       "x; "
		       "sfence; st y 1\nExit status: 0 as expected, 1 different, 2 a file or "
		       "option is wrong, 3 a limit was hit.",
		.needs = "name a litmus file",
		.mixed = true,
		.own = own,
	};

	return pd_command_run(&cmd, argc, argv, run, &opt);
}
