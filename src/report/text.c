/*
 * text.c - a report for somebody who sees perdure for the first time.
 *
 * Each finding is a headline (kind, id, message) and a few lines, each with a label that says what
 * it answers: what the kind means, where (one site a role, with its source line if the file can be
 * read), why, how to fix it, what the program printed, how to see it again. After all those comes
 * one line for each portability warning, and one for each library with findings that the user did
 * not build. The summary ends it.
 */
#include "report/report.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	SOURCE_MAX = 16 * 1024 * 1024, /* a larger source file is not quoted */
	SOURCE_WIDTH = 100,
	STACK_SHOWN = 8,
	LOADS_SHOWN = 8,
	OUTPUT_LINES = 20,
};

#define BOLD "1"
#define DIM  "2"

struct writer {
	const struct pd_result *r;
	const struct pd_text_style *style;
	FILE *f;
	char *source; /* the file quoted last */
	size_t nsource;
	const char *source_name;
};

bool pd_color_wanted(enum pd_color c, FILE *f)
{
	const char *no = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	if (c != PD_COLOR_AUTO)
		return c == PD_COLOR_ALWAYS;
	return !(no && *no) && isatty(fileno(f)) && term && *term && strcmp(term, "dumb") != 0;
}

/* ---- pieces -----------------------------------------------------------------------------------
 */

/* A tested program must not be able to talk to the terminal: no C0, no DEL, no C1. */
static void put_clean(struct writer *w, const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];
		bool c1 = c == 0xc2 && i + 1 < n && (unsigned char)s[i + 1] >= 0x80 &&
			  (unsigned char)s[i + 1] < 0xa0;

		fputc(c < ' ' || c == 0x7f || c1 ? '?' : c, w->f);
		i += c1;
	}
}

static void put(struct writer *w, const char *s)
{
	put_clean(w, s, strlen(s));
}

static void color(struct writer *w, const char *code)
{
	if (w->style->color)
		fprintf(w->f, "\033[%sm", code);
}

static void plain(struct writer *w)
{
	color(w, "0");
}

static void label(struct writer *w, const char *name)
{
	color(w, DIM);
	fprintf(w->f, "  %-9s ", name);
	plain(w);
}

static void labelled(struct writer *w, const char *name, const char *text)
{
	if (!text)
		return;
	label(w, name);
	put(w, text);
	fputc('\n', w->f);
}

/* ---- source lines ------------------------------------------------------------------------------
 */

static const char *find_line(struct writer *w, const char *file, uint32_t line, size_t *n)
{
	struct pd_error ignored;
	const char *p, *end;

	if (!w->source_name || strcmp(w->source_name, file) != 0) {
		free(w->source);
		w->source_name = file;
		w->source = pd_file_read(file, SOURCE_MAX, &w->nsource, &ignored);
	}
	if (!w->source)
		return NULL;
	end = w->source + w->nsource;
	for (p = w->source; --line > 0; p++) {
		p = memchr(p, '\n', (size_t)(end - p));
		if (!p)
			return NULL;
	}
	*n = strcspn(p, "\r\n");
	return p < end ? p : NULL;
}

static void put_source(struct writer *w, const struct pd_frame *at)
{
	size_t n;
	const char *s = at->file && at->line ? find_line(w, at->file, at->line, &n) : NULL;
	bool cut;

	if (!s)
		return;
	while (n && (*s == ' ' || *s == '\t')) {
		s++;
		n--;
	}
	cut = n > SOURCE_WIDTH;
	if (!n)
		return;
	color(w, DIM);
	fprintf(w->f, "%16" PRIu32 " | ", at->line);
	plain(w);
	for (size_t i = 0; i < (cut ? SOURCE_WIDTH : n); i++)
		put_clean(w, s[i] == '\t' ? " " : &s[i], 1);
	fputs(cut ? "...\n" : "\n", w->f);
}

/* ---- one finding -------------------------------------------------------------------------------
 */

static void put_place(struct writer *w, const struct pd_frame *at)
{
	if (at->file) {
		put(w, at->file);
		if (at->line)
			fprintf(w->f, ":%" PRIu32, at->line);
		if (at->line && at->column)
			fprintf(w->f, ":%" PRIu32, at->column);
	}
	if (at->function) {
		fputs(at->file ? " in " : "", w->f);
		put(w, at->function);
	}
	if (!at->file && !at->function)
		fputs("(unknown: built without -g?)", w->f);
}

/* Callers in templates of the standard library are one line, however deep: JSON has them all. */
static uint32_t put_system(struct writer *w, const struct pd_frame *stack, uint32_t n)
{
	uint32_t k = 1;

	while (k < n && pd_frame_is_system(&stack[k]))
		k++;
	color(w, DIM);
	fputs("              through ", w->f);
	put(w, stack[k - 1].function ? stack[k - 1].function : "?");
	if (k > 1)
		fprintf(w->f, " and %" PRIu32 " more of the system's headers", k - 1);
	plain(w);
	fputc('\n', w->f);
	return k;
}

static void put_stack(struct writer *w, const struct pd_frame *stack, uint32_t n)
{
	uint32_t i = 0;

	for (uint32_t lines = 0; i < n && lines < STACK_SHOWN; lines++) {
		if (pd_frame_is_system(&stack[i])) {
			i += put_system(w, stack + i, n - i);
			continue;
		}
		fputs("              called from ", w->f);
		put_place(w, &stack[i++]);
		fputc('\n', w->f);
	}
	if (i < n)
		fprintf(w->f, "              and %" PRIu32 " more frames\n", n - i);
}

static bool same_place(const struct pd_frame *a, const struct pd_frame *b)
{
	return a->line == b->line && a->file && b->file && strcmp(a->file, b->file) == 0;
}

/* How much of a stack is to be shown: its end may be that of the site after it, which is its
 * caller. */
static uint32_t own_stack(const struct pd_finding *f, uint32_t i)
{
	const struct pd_finding_site *s = &f->sites[i], *next = s + 1;
	uint32_t n = 0;

	while (n < s->nstack && !(i + 1 < f->nsites && next->role == PD_ROLE_CALLER &&
				  same_place(&s->stack[n], &next->at)))
		n++;
	return n;
}

static void put_site(struct writer *w, const struct pd_finding *f, uint32_t i, bool whole)
{
	const struct pd_finding_site *s = &f->sites[i];

	label(w, pd_role_info[s->role].name);
	put_place(w, &s->at);
	fputc('\n', w->f);
	if (!whole)
		return;
	put_source(w, &s->at);
	put_stack(w, s->stack, own_stack(f, i));
}

/* Of many loads, the later ones are a line each, without what they hold. */
static void put_sites(struct writer *w, const struct pd_finding *f)
{
	uint32_t loads = 0;

	for (uint32_t i = 0; i < f->nsites; i++) {
		loads += f->sites[i].role == PD_ROLE_LOAD;
		if (loads <= LOADS_SHOWN || f->sites[i].role != PD_ROLE_LOCK)
			put_site(w, f, i, loads <= LOADS_SHOWN || f->sites[i].role != PD_ROLE_LOAD);
	}
}

/* The last lines: that is where a failing program says why. */
static const char *tail(const char *s, bool *cut)
{
	const char *p = s + strlen(s);
	int lines = 0;

	if (p > s && p[-1] == '\n')
		p--;
	while (p > s && (p[-1] != '\n' || ++lines < OUTPUT_LINES))
		p--;
	*cut = p > s;
	return p;
}

static void put_lines(struct writer *w, const char *name, const char *title, const char *text)
{
	labelled(w, name, title);
	while (*text) {
		size_t n = strcspn(text, "\n");

		fputs("            | ", w->f);
		put_clean(w, text, n);
		fputc('\n', w->f);
		text += n + (text[n] == '\n');
	}
}

static void put_output(struct writer *w, const char *output)
{
	bool cut;

	if (!output || !*output)
		return;
	output = tail(output, &cut);
	put_lines(w, "output",
		  cut ? "of the program in that execution (the end of it):"
		      : "of the program in that execution:",
		  output);
}

/* Those are executed, always. */
static bool is_crash(const struct pd_finding *f)
{
	return strncmp(pd_kind_info[f->kind].name, "crash/", 6) == 0;
}

static void put_seen(struct writer *w, const struct pd_finding *f)
{
	label(w, "seen");
	if (f->count > 1)
		fprintf(w->f, "%" PRIu64 " times", f->count);
	else
		fputs("once", w->f);
	fputs(pd_kind_info[f->kind].severity == PD_SEVERITY_NOTE ? "\n"
	      : f->confirmed ? "; confirmed: executed and replayed\n"
	      : is_crash(f)  ? "; executed, but not confirmed: the limits below say why\n"
			     : "; not confirmed: inferred from the run, no failure was executed\n",
	      w->f);
}

static const char *severity_color(enum pd_severity s)
{
	static const char *const codes[PD_SEVERITY_N] = {
		[PD_SEVERITY_CORRECTNESS] = "1;31",
		[PD_SEVERITY_PERFORMANCE] = "1;33",
		[PD_SEVERITY_PORTABILITY] = "1;35",
		[PD_SEVERITY_NOTE] = "1;36",
	};

	return codes[s];
}

static void put_finding(struct writer *w, const struct pd_finding *f)
{
	const struct pd_kind_info *k = &pd_kind_info[f->kind];
	char *replay = pd_report_replay(w->r, f);

	color(w, severity_color(k->severity));
	fputs(k->name, w->f);
	plain(w);
	fprintf(w->f, " %010" PRIx64 ": ", f->id);
	color(w, BOLD);
	put(w, f->message ? f->message : k->doc);
	plain(w);
	fputc('\n', w->f);
	labelled(w, "what", k->doc);
	labelled(w, "field", f->field);
	put_sites(w, f);
	if (f->cause != PD_CAUSE_UNKNOWN)
		labelled(w, "why", pd_cause_info[f->cause].doc);
	labelled(w, "fix", f->fix);
	if (f->explain)
		put_lines(w, "story", "", f->explain);
	put_output(w, f->output);
	put_seen(w, f);
	labelled(w, "replay", replay);
	fputc('\n', w->f);
	free(replay);
}

static bool is_warning(const struct pd_finding *f)
{
	return pd_kind_info[f->kind].severity == PD_SEVERITY_PORTABILITY;
}

/* The message says it all, the fix too; JSON has the places. */
static void put_warning(struct writer *w, const struct pd_finding *f)
{
	const struct pd_kind_info *k = &pd_kind_info[f->kind];

	color(w, severity_color(k->severity));
	fputs(k->name, w->f);
	plain(w);
	fprintf(w->f, " %010" PRIx64 ": ", f->id);
	put(w, f->message ? f->message : k->doc);
	fputc('\n', w->f);
}

/* ---- findings in libraries ----------------------------------------------------------------------
 */

static bool first_of_library(const struct pd_findings *fs, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++)
		if (fs->items.v[k]->library &&
		    strcmp(fs->items.v[k]->library, fs->items.v[i]->library) == 0)
			return false;
	return true;
}

static void put_library(struct writer *w, uint32_t from)
{
	const struct pd_findings *fs = &w->r->findings;
	const char *name = fs->items.v[from]->library;
	uint32_t places = 0;
	uint64_t times = 0;

	for (uint32_t i = from; i < fs->items.n; i++)
		if (fs->items.v[i]->library && strcmp(fs->items.v[i]->library, name) == 0) {
			places++;
			times += fs->items.v[i]->count;
		}
	color(w, DIM);
	fputs("inside ", w->f);
	put(w, name);
	fprintf(w->f, ": %" PRIu32 " finding%s, seen %" PRIu64 " time%s; --libraries ", places,
		places == 1 ? "" : "s", times, times == 1 ? "" : "s");
	put(w, name);
	fputs(" shows them", w->f);
	plain(w);
	fputc('\n', w->f);
}

/* ---- the summary --------------------------------------------------------------------------------
 */

static void put_counts(struct writer *w)
{
	const struct pd_findings *fs = &w->r->findings;
	uint32_t n[PD_SEVERITY_N] = {0};
	const char *sep = " (";

	for (uint32_t i = 0; i < fs->items.n; i++)
		if (!fs->items.v[i]->library)
			n[pd_kind_info[fs->items.v[i]->kind].severity]++;
	for (int s = 0; s < PD_SEVERITY_N; s++)
		if (n[s]) {
			fprintf(w->f, "%s%" PRIu32 " %s%s%s", sep, n[s],
				pd_severity_name((enum pd_severity)s),
				s == PD_SEVERITY_PORTABILITY ? " warning" : "",
				s >= PD_SEVERITY_PORTABILITY && n[s] > 1 ? "s" : "");
			sep = ", ";
		}
	fputs(*sep == ',' ? ")" : "", w->f);
}

static void put_phrase(struct writer *w, const char *sep, const char *s)
{
	if (!s)
		return;
	fputs(sep, w->f);
	put(w, s);
}

static void put_missing(struct writer *w)
{
	const struct pd_result *r = w->r;
	const char *sep = " ";

	if (r->complete) {
		fputs("; complete", w->f);
		put_phrase(w, " ", r->scope);
		put_phrase(w, r->scope ? ", " : " ", r->only);
	} else {
		fputs("; incomplete", w->f);
		put_phrase(w, " ", r->only);
		fputs(": ", w->f);
		for (uint32_t i = 0; i < r->limits.n; i++) {
			fputs(i ? ", " : "", w->f);
			put(w, r->limits.v[i]);
		}
		if (!r->limits.n)
			fputs("stopped before the end", w->f);
	}
	if (pd_result_losses(r))
		fputs("; not everything was seen:", w->f);
	for (uint32_t i = 0; i < r->losses.n; i++) {
		const struct pd_loss_count *l = &r->losses.v[i];

		if (!l->count)
			continue;
		fprintf(w->f, "%s%s %" PRIu64, sep, l->name, l->count);
		sep = ", ";
		if (l->nexamples) {
			fputs(" (", w->f);
			put(w, l->examples[0]);
			fputs(l->nexamples > 1 ? ", ...)" : ")", w->f);
		}
	}
	if (r->findings.dropped)
		fprintf(w->f, " %" PRIu64 " findings did not fit into memory", r->findings.dropped);
	put_phrase(w, "; not judged: ", r->not_judged);
}

static bool ends_in(const char *name, const char *end)
{
	size_t n = strlen(name), k = strlen(end);

	return n > k && strcmp(name + n - k, end) == 0;
}

/*
 * What did not happen need not be said; digests and sizes are for programs that compare results.
 * But a program that stored nothing was not judged, whatever it thinks it did.
 */
static bool for_people(const struct pd_stat *s)
{
	return strcmp(s->name, "pm_stores") == 0 ||
	       (!(s->type == PD_STAT_TEXT && !*s->text) && !(s->type == PD_STAT_INT && !s->i) &&
		!ends_in(s->name, "_digest") && !ends_in(s->name, "_bytes"));
}

static void put_words(struct writer *w, const char *name)
{
	for (; *name; name++)
		fputc(*name == '_' ? ' ' : *name, w->f);
}

static void put_stats(struct writer *w)
{
	const char *sep = "; ";

	for (uint32_t i = 0; i < w->r->stats.n; i++) {
		const struct pd_stat *s = &w->r->stats.v[i];

		if (!for_people(s))
			continue;
		fputs(sep, w->f);
		put_words(w, s->name);
		if (s->type == PD_STAT_INT)
			fprintf(w->f, " %" PRId64, s->i);
		else if (s->type == PD_STAT_REAL)
			fprintf(w->f, " %.3g", s->real);
		else {
			fputc(' ', w->f);
			put(w, s->text);
		}
		sep = ", ";
	}
}

static void put_verdict(struct writer *w)
{
	uint32_t n = pd_result_deciding(w->r);
	enum pd_exit status = pd_result_status(w->r);

	color(w, status == PD_EXIT_CLEAN ? "1;32" : status == PD_EXIT_FINDINGS ? "1;31" : "1;33");
	if (w->r->failure || w->r->nomem) {
		fputs("failed: ", w->f);
		put(w, w->r->failure ? w->r->failure : "memory ran out");
		fputs("; ", w->f);
	}
	if (n)
		fprintf(w->f, "%" PRIu32 " finding%s", n, n == 1 ? "" : "s");
	else
		fputs(status == PD_EXIT_CLEAN ? "clean: no finding" : "no finding", w->f);
	plain(w);
}

void pd_report_summary(const struct pd_result *r, const struct pd_text_style *style, FILE *f)
{
	struct writer w = {.r = r, .style = style, .f = f};

	fputs("perdure ", f);
	put(&w, r->verb);
	fputs(": ", f);
	put_verdict(&w);
	put_counts(&w);
	if (r->findings.suppressed)
		fprintf(f, ", %" PRIu64 " suppressed", r->findings.suppressed);
	put_missing(&w);
	put_stats(&w);
	fputc('\n', f);
}

/* ---- coverage -----------------------------------------------------------------------------------
 */

static void put_covered(struct writer *w, const struct pd_covered *c)
{
	label(w, !c->at_stake	    ? "no crash"
		 : c->read_at_stake ? "read"
		 : c->read	    ? "durable"
				    : "NOT READ");
	put_place(w, &c->at);
	fputs(c->recovery ? ", in a recovery\n" : "\n", w->f);
}

static void put_file(struct writer *w, const char *pm)
{
	const struct pd_coverage *c = &w->r->coverage;
	struct pd_coverage_count n = pd_coverage_of(c, pm);

	put(w, pm);
	fprintf(w->f, ": recovery read %" PRIu32 " of %" PRIu32 " stores at stake\n", n.read,
		n.at_stake);
	for (uint32_t i = 0; i < c->items.n; i++)
		if (strcmp(c->items.v[i].pm, pm) == 0)
			put_covered(w, &c->items.v[i]);
}

static void put_coverage(struct writer *w)
{
	const struct pd_coverage *c = &w->r->coverage;
	struct pd_coverage_count n = pd_coverage_of(c, NULL);

	if (w->style->coverage && c->items.n) {
		fputs("coverage, by place of the store: read (while a crash could lose it), "
		      "durable (read only when it was "
		      "durable), NOT READ, no crash (never at stake)\n",
		      w->f);
		for (const char *pm = NULL; (pm = pd_coverage_next_file(c, pm));)
			put_file(w, pm);
	}
	if (n.at_stake)
		fprintf(w->f,
			"coverage: recovery read %" PRIu32 " of the %" PRIu32
			" stores at stake%s\n",
			n.read, n.at_stake, w->style->coverage ? "" : " (--coverage lists them)");
	else if (c->known)
		fputs("coverage: no store was at stake\n", w->f);
}

static void put_suppressions(struct writer *w)
{
	const struct pd_suppressions *list = w->r->suppressions;

	for (uint32_t i = 0; list && i < list->items.n; i++) {
		const struct pd_suppression *s = &list->items.v[i];

		if (!s->uses)
			continue;
		color(w, DIM);
		fprintf(w->f, "suppressed by '");
		put(w, s->name);
		fputs("' (", w->f);
		put(w, s->source);
		fprintf(w->f, ":%" PRIu32 "): %" PRIu64 " finding%s", s->line, s->uses,
			s->uses == 1 ? "" : "s");
		plain(w);
		fputc('\n', w->f);
	}
}

bool pd_report_text(const struct pd_result *r, const struct pd_text_style *style, FILE *f)
{
	struct writer w = {.r = r, .style = style, .f = f};
	const struct pd_findings *fs = &r->findings;

	for (uint32_t i = 0; !style->brief && i < fs->items.n; i++)
		if (!fs->items.v[i]->library && !is_warning(fs->items.v[i]))
			put_finding(&w, fs->items.v[i]);
	for (uint32_t i = 0; !style->brief && i < fs->items.n; i++)
		if (!fs->items.v[i]->library && is_warning(fs->items.v[i]))
			put_warning(&w, fs->items.v[i]);
	for (uint32_t i = 0; !style->brief && i < fs->items.n; i++)
		if (fs->items.v[i]->library && first_of_library(fs, i))
			put_library(&w, i);
	if (!style->brief) {
		put_suppressions(&w);
		put_coverage(&w);
	}
	pd_report_summary(r, style, f);
	free(w.source);
	return true;
}
