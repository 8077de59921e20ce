/*
 * summary.c - the last line of every text report: verdict, coverage, time.
 *
 *	perdure check: 1 bug. Explored all 4 crash points in 13 executions, 0.14 s
 *
 * The verdict comes first, directly followed by what makes it incomplete. A *bug* was seen to fail
 * and replayed; what is inferred, or failed and was not replayed, is a *potential* bug. Other
 * figures are in --stats and the JSON.
 */
#include "report/report.h"
#include "report/screen.h"
#include "report/words/words.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The categories of a verdict, in order. */
enum counted { BUG, POTENTIAL, PERFORMANCE, PORTABILITY, NOTE, COUNTED };

static enum counted counted_as(const struct pd_finding *f)
{
	switch (pd_kind_info[f->kind].severity) {
	case PD_SEVERITY_CORRECTNESS:
		return f->confirmed ? BUG : POTENTIAL;
	case PD_SEVERITY_PERFORMANCE:
		return PERFORMANCE;
	case PD_SEVERITY_PORTABILITY:
		return PORTABILITY;
	case PD_SEVERITY_NOTE:
	case PD_SEVERITY_N:
		break;
	}
	return NOTE;
}

static void put_counts(struct pd_screen *s, const struct pd_result *r, const char *sep)
{
	static const char *const words[COUNTED] = {"bug", "potential bug", "performance issue",
						   "portability warning", "note"};
	uint32_t n[COUNTED] = {0};

	for (uint32_t i = 0; i < r->findings.items.n; i++)
		if (!r->findings.items.v[i]->library && !r->findings.items.v[i]->known)
			n[counted_as(r->findings.items.v[i])]++;
	for (uint32_t k = 0; k < COUNTED; k++)
		if (n[k]) {
			pd_screen_print(s, "%s%" PRIu32 " %s%s", sep, n[k], words[k],
					pd_words_plural(n[k]));
			sep = ", ";
		}
}

static void put_phrase(struct pd_screen *s, const char *sep, const char *phrase)
{
	if (phrase)
		pd_screen_print(s, "%s%s", sep, phrase);
}

/* For linear: only a result that left out nothing says this. */
static void put_clean(struct pd_screen *s, const struct pd_result *r)
{
	const struct pd_stat *condition = pd_result_stat(r, "condition");

	if (!condition || condition->type != PD_STAT_TEXT) {
		pd_screen_put(s, "clean");
		return;
	}
	if (strcmp(condition->text, "durable") != 0)
		pd_screen_print(s, "%s ", condition->text);
	pd_screen_put(s, "durably linearizable");
}

/* ", 2 known, 1 gone since old.json" */
static void put_baseline(struct pd_screen *s, const struct pd_result *r)
{
	uint32_t known = pd_result_known(r);

	if (!r->baseline || (!known && !r->gone.n))
		return;
	if (known)
		pd_screen_print(s, ", %" PRIu32 " known", known);
	if (r->gone.n)
		pd_screen_print(s, ", %" PRIu32 " %s", r->gone.n,
				r->complete ? "gone" : "not found again");
	pd_screen_print(s, " since %s", r->baseline);
}

static void put_verdict(struct pd_screen *s, const struct pd_result *r)
{
	enum pd_exit status = pd_result_status(r);

	pd_screen_color(s, status == PD_EXIT_CLEAN	? "1;32"
			   : status == PD_EXIT_FINDINGS ? "1;31"
							: "1;33");
	if (r->failure || r->nomem)
		pd_screen_print(s, "failed: %s; ", r->failure ? r->failure : "memory ran out");
	if (status == PD_EXIT_CLEAN) {
		const char *scope = pd_result_stat(r, "paths") ? NULL : r->scope;

		if (pd_result_known(r))
			pd_screen_put(s, "nothing new");
		else
			put_clean(s, r);
		put_phrase(s, " ", scope);
		put_phrase(s, scope ? ", " : " ", r->only);
	} else if (!pd_result_deciding(r)) {
		pd_screen_put(s, pd_result_known(r) ? "no new bug found" : "no bug found");
		put_phrase(s, " ", r->only);
		if (status == PD_EXIT_INCOMPLETE)
			pd_screen_put(s, ", but incomplete");
	}
	if (status != PD_EXIT_INCOMPLETE)
		put_counts(s, r, pd_result_deciding(r) ? "" : "; ");
	pd_screen_color(s, "0");
	put_baseline(s, r);
	if (r->findings.suppressed)
		pd_screen_print(s, ", %" PRIu64 " suppressed", r->findings.suppressed);
}

static void put_losses(struct pd_screen *s, const struct pd_result *r)
{
	const char *sep = "; not seen: ";

	for (uint32_t i = 0; i < r->losses.n; i++) {
		const struct pd_loss_count *l = &r->losses.v[i];

		if (!l->count)
			continue;
		pd_screen_print(s, "%s%s %" PRIu64, sep, l->name, l->count);
		if (l->nexamples)
			pd_screen_print(s, " (%s%s)", l->examples[0],
					l->nexamples > 1 ? ", ..." : "");
		sep = ", ";
	}
}

static void put_missing(struct pd_screen *s, const struct pd_result *r)
{
	if (!r->complete && (r->limits.n || !pd_result_losses(r))) {
		pd_screen_put(s,
			      pd_result_status(r) == PD_EXIT_INCOMPLETE ? ": " : "; incomplete: ");
		for (uint32_t i = 0; i < r->limits.n; i++)
			pd_screen_print(s, "%s%s", i ? "; " : "", r->limits.v[i]);
		if (!r->limits.n)
			pd_screen_put(s, "stopped before the end");
	}
	if (pd_result_status(r) == PD_EXIT_INCOMPLETE)
		put_counts(s, r, "; ");
	put_losses(s, r);
	if (r->findings.dropped)
		pd_screen_print(s, "; no memory for %" PRIu64 " more findings",
				r->findings.dropped);
}

/* ---- coverage and time ---------------------------------------------------------------------- */

static int64_t number(const struct pd_result *r, const char *name)
{
	const struct pd_stat *s = pd_result_stat(r, name);

	return s && s->type == PD_STAT_INT ? s->i : 0;
}

/* For linear. */
static void put_tests(struct pd_screen *s, const struct pd_result *r)
{
	int64_t tests = number(r, "tests"), points = number(r, "likely_points");

	if (pd_result_stat(r, "tests"))
		pd_screen_print(
			s, "Ran %" PRId64 " test%s at %" PRId64 " likely linearization point%s. ",
			tests, pd_words_plural((uint64_t)tests), points,
			pd_words_plural((uint64_t)points));
}

static void put_explored(struct pd_screen *s, const struct pd_result *r)
{
	int64_t points = number(r, "crash_points"), runs = number(r, "executions"),
		done = pd_result_stat(r, "crash_points_done") ? number(r, "crash_points_done")
							      : points;

	put_tests(s, r);
	if (r->complete)
		pd_screen_print(s, "Explored all %" PRId64 " crash point%s", points,
				pd_words_plural((uint64_t)points));
	else if (done >= points)
		pd_screen_print(s, "Explored %" PRId64 " crash point%s", points,
				pd_words_plural((uint64_t)points));
	else
		pd_screen_print(s, "Explored %" PRId64 " of %" PRId64 " crash points", done,
				points);
	if (runs)
		pd_screen_print(s, " in %" PRId64 " execution%s", runs,
				pd_words_plural((uint64_t)runs));
	if (pd_result_status(r) != PD_EXIT_CLEAN)
		put_phrase(s, " ", r->scope);
}

/* For explore. */
static void put_paths(struct pd_screen *s, const struct pd_result *r)
{
	int64_t paths = number(r, "paths"), sites = number(r, "pm_sites");
	int64_t branches = number(r, "branches");

	pd_screen_print(s, "%s %" PRId64 " path%s", r->complete ? "Complete:" : "Explored", paths,
			pd_words_plural((uint64_t)paths));
	if (r->complete)
		pd_screen_put(s, ", every path of this program");
	put_phrase(s, " ", r->scope);
	/* The total is known; how many are feasible is not */
	if (branches)
		pd_screen_print(s, ", %" PRId64 " of at most %" PRId64 " branches covered",
				number(r, "branches_covered"), branches);
	if (sites)
		pd_screen_print(s, ", %" PRId64 " of at most %" PRId64 " PM sites reached",
				number(r, "pm_sites_reached"), sites);
}

/* False: none of these is known. */
static bool put_watched(struct pd_screen *s, const struct pd_result *r)
{
	static const struct {
		const char *stat, *word;
		bool always; /* shown even if 0: then nothing was judged */
	} figures[] = {{"threads", "thread", false},
		       {"pm_stores", "PM store", true},
		       {"flushes", "flush", false},
		       {"fences", "fence", false},
		       {"events", "event", false}};
	const char *sep = "Watched ";

	for (size_t i = 0; i < PD_LEN(figures); i++) {
		int64_t n = number(r, figures[i].stat);

		if (!pd_result_stat(r, figures[i].stat) || (!n && !figures[i].always))
			continue;
		pd_screen_print(s, "%s%" PRId64 " %s%s", sep, n, figures[i].word,
				n == 1					? ""
				: strcmp(figures[i].word, "flush") == 0 ? "es"
									: "s");
		sep = ", ";
	}
	return *sep == ',';
}

static void put_seconds(struct pd_screen *s, const struct pd_result *r, const char *sep)
{
	const struct pd_stat *t = pd_result_stat(r, "seconds");
	double v = !t ? -1 : t->type == PD_STAT_REAL ? t->real : (double)t->i;

	if (v >= 0)
		pd_screen_print(s, "%s%.*f s", sep, v < 10 ? 2 : v < 100 ? 1 : 0, v);
}

void pd_report_summary(const struct pd_result *r, struct pd_screen *s)
{
	s->indent = 2;
	pd_screen_print(s, "perdure %s: ", r->verb);
	put_verdict(s, r);
	put_missing(s, r);
	if (r->stats.n) {
		bool covered = true;

		pd_screen_put(s, ". ");
		if (pd_result_stat(r, "paths"))
			put_paths(s, r);
		else if (pd_result_stat(r, "crash_points"))
			put_explored(s, r);
		else
			covered = put_watched(s, r);
		put_seconds(s, r, covered ? ", " : "Took ");
	}
	put_phrase(s, ". Not judged: ", r->not_judged);
	if (!pd_result_deciding(r))
		put_phrase(s, ". Recovery did not exercise: ", r->not_exercised);
	pd_screen_newline(s);
	s->indent = 0;
}

/* ---- what it is about ----------------------------------------------------------------------- */

static bool is_among(const char *names, const char *name)
{
	for (; *names; names += strlen(names) + 1)
		if (strcmp(names, name) == 0)
			return true;
	return false;
}

const char *pd_words_side_files(struct pd_arena *a, const char *mapped, const char *synced)
{
	char *text = NULL;
	size_t n;
	FILE *to = *mapped || *synced ? open_memstream(&text, &n) : NULL;
	const char *kept, *sep = "";

	if (!to)
		return NULL;
	for (const char *at = mapped; *at; at += strlen(at) + 1, sep = ", ")
		fprintf(to, "%s'%s'", sep, at);
	for (const char *at = synced; *at; at += strlen(at) + 1) {
		if (is_among(mapped, at))
			continue;
		fprintf(to, "%s'%s'", sep, at);
		sep = ", ";
	}
	fprintf(to,
		", %s but not matched by --pm: there, a crash always loses what was not "
		"synced",
		!*synced   ? "mapped"
		: !*mapped ? "synced"
			   : "mapped or synced");
	kept = fclose(to) == 0 ? pd_arena_strndup(a, text, n) : NULL;
	free(text);
	return kept;
}

const char *pd_words_scope(struct pd_arena *a, bool workload, uint32_t schedules)
{
	char text[100];

	if (!schedules)
		return workload ? "for this workload" : NULL;
	snprintf(text, sizeof(text), "for %s%" PRIu32 " schedule%s",
		 workload ? "this workload in " : "", schedules,
		 schedules == 1 ? " (--schedules N tries more)" : "s");
	return pd_arena_strndup(a, text, strlen(text));
}

const char *pd_words_exhaustive(struct pd_arena *a, uint32_t schedules, uint32_t preemptions)
{
	char text[120];

	snprintf(text, sizeof(text),
		 "for this workload in %" PRIu32 " schedule%s with up to %" PRIu32
		 " preemption%s, in all crash states",
		 schedules, schedules == 1 ? "" : "s", preemptions, preemptions == 1 ? "" : "s");
	return pd_arena_strndup(a, text, strlen(text));
}

const char *pd_words_only(struct pd_arena *a, const char *kinds, bool no_performance)
{
	const char *more = no_performance ? "for correctness only (--no-perf)" : NULL;
	char text[400];

	if (!*kinds)
		return more;
	snprintf(text, sizeof(text), "for %s%s%s", kinds, more ? ", " : "", more ? more : "");
	return pd_arena_strndup(a, text, strlen(text));
}
