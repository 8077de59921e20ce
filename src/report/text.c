/*
 * text.c - a report for readers who see perdure for the first time.
 *
 * Each finding is a headline (kind, id, message) and a few lines, each with a label: what the kind
 * means (once per kind), where (one site per role, with its source line if the file can be read),
 * why, how to fix it, what the program printed, how to reproduce it. Then come one line for each
 * portability warning and each note, and one for each library that the user did not build and that
 * has findings. The summary is the last line (summary.c).
 */
#include "report/report.h"
#include "report/screen.h"
#include "report/words/words.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	SOURCE_MAX = 16 * 1024 * 1024, /* larger source files are not quoted */
	SOURCE_WIDTH = 100,
	STACK_SHOWN = 8,
	LOADS_SHOWN = 8,
	OUTPUT_LINES = 40,
	LABEL_WIDTH = 12,
};

struct writer {
	const struct pd_result *r;
	const struct pd_text_style *style;
	struct pd_screen screen;
	char *source; /* the last file that was quoted */
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

struct pd_text_style pd_text_style_for(FILE *f, enum pd_color c)
{
	return (struct pd_text_style){.color = pd_color_wanted(c, f), .width = pd_screen_width(f)};
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static void put(struct writer *w, const char *s)
{
	pd_screen_put(&w->screen, s);
}

static void color(struct writer *w, const char *code)
{
	pd_screen_color(&w->screen, code);
}

static void plain(struct writer *w)
{
	color(w, "0");
}

/* Text that may be copied is never broken. */
static void verbatim(struct writer *w, const char *s)
{
	pd_screen_verbatim(&w->screen, s, strlen(s));
}

static void newline(struct writer *w)
{
	pd_screen_newline(&w->screen);
}

/* The rest of the line is in the next column. */
static void label(struct writer *w, const char *name)
{
	color(w, PD_DIM);
	pd_screen_print(&w->screen, "  %-9s ", name);
	plain(w);
	w->screen.indent = LABEL_WIDTH;
}

static void put_labelled(struct writer *w, const char *name, const char *text)
{
	if (!text)
		return;
	label(w, name);
	put(w, text);
	newline(w);
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
	color(w, PD_DIM);
	pd_screen_print(&w->screen, "%16" PRIu32 " | ", at->line);
	plain(w);
	for (size_t i = 0; i < (cut ? SOURCE_WIDTH : n); i++)
		pd_screen_verbatim(&w->screen, s[i] == '\t' ? " " : &s[i], 1);
	put(w, cut ? "..." : "");
	newline(w);
}

/* ---- one finding -------------------------------------------------------------------------------
 */

static void put_place(struct writer *w, const struct pd_frame *at)
{
	char path[4096];

	if (at->file) {
		verbatim(w, pd_screen_path(w->screen.here, at->file, path, sizeof(path)));
		if (at->line)
			pd_screen_print(&w->screen, ":%" PRIu32, at->line);
		if (at->line && at->column)
			pd_screen_print(&w->screen, ":%" PRIu32, at->column);
	}
	if (at->function)
		pd_screen_print(&w->screen, "%s%s", at->file ? " in " : "", at->function);
	if (!at->file && !at->function)
		put(w, "(unknown: built without -g?)");
}

/* Callers in templates of the standard library are one line, however deep: JSON has them all. */
static uint32_t put_system(struct writer *w, const struct pd_frame *stack, uint32_t n)
{
	uint32_t k = 1;

	while (k < n && pd_frame_is_system(&stack[k]))
		k++;
	color(w, PD_DIM);
	put(w, "              through ");
	put(w, stack[k - 1].function ? stack[k - 1].function : "?");
	if (k > 1)
		pd_screen_print(&w->screen, " and %" PRIu32 " more of the system's headers", k - 1);
	plain(w);
	newline(w);
	return k;
}

static void put_stack(struct writer *w, const struct pd_frame *stack, uint32_t n)
{
	uint32_t i = 0;

	w->screen.indent = LABEL_WIDTH + 4;
	for (uint32_t lines = 0; i < n && lines < STACK_SHOWN; lines++) {
		if (pd_frame_is_system(&stack[i])) {
			i += put_system(w, stack + i, n - i);
			continue;
		}
		put(w, "              called from ");
		put_place(w, &stack[i++]);
		newline(w);
	}
	if (i < n) {
		pd_screen_print(&w->screen, "              and %" PRIu32 " more frames", n - i);
		newline(w);
	}
}

static bool same_place(const struct pd_frame *a, const struct pd_frame *b)
{
	return a->line == b->line && a->file && b->file && strcmp(a->file, b->file) == 0;
}

/* How many frames of a stack to show: its end may be the stack of the next site, which is its
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

static bool same_stack(const struct pd_finding_site *a, const struct pd_finding_site *b)
{
	uint32_t n = 0;

	while (n < a->nstack && n < b->nstack && same_place(&a->stack[n], &b->stack[n]))
		n++;
	return n == a->nstack && n == b->nstack;
}

/* Whether an earlier site of the finding is at the same place: its source line and callers were
 * shown. */
static bool shown_before(const struct pd_finding *f, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++)
		if (same_place(&f->sites[k].at, &f->sites[i].at) &&
		    same_stack(&f->sites[k], &f->sites[i]))
			return true;
	return false;
}

/* Frames of a library are folded into the function that was called. */
static void put_inside(struct writer *w, const struct pd_finding_site *s)
{
	if (!s->inside)
		return;
	pd_screen_print(&w->screen, "              in %s, %" PRIu32 " frame%s", s->inside,
			s->folded, s->folded == 1 ? "" : "s");
	newline(w);
}

static void put_site(struct writer *w, const struct pd_finding *f, uint32_t i, bool whole)
{
	const struct pd_finding_site *s = &f->sites[i];

	label(w, pd_role_info[s->role].name);
	put_place(w, &s->at);
	newline(w);
	if (!whole || shown_before(f, i))
		return;
	put_source(w, &s->at);
	put_inside(w, s);
	put_stack(w, s->stack, own_stack(f, i));
}

/* If there are many loads, the later ones are one line each, without values. */
static void put_sites(struct writer *w, const struct pd_finding *f)
{
	uint32_t loads = 0;

	for (uint32_t i = 0; i < f->nsites; i++) {
		loads += f->sites[i].role == PD_ROLE_LOAD;
		if (loads <= LOADS_SHOWN || f->sites[i].role != PD_ROLE_LOCK)
			put_site(w, f, i, loads <= LOADS_SHOWN || f->sites[i].role != PD_ROLE_LOAD);
	}
}

/* The last lines: there a failing program says why. */
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
	put_labelled(w, name, title);
	while (*text) {
		size_t n = strcspn(text, "\n");

		put(w, "            | ");
		pd_screen_verbatim(&w->screen, text, n);
		newline(w);
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

static void put_seen(struct writer *w, const struct pd_finding *f)
{
	label(w, "seen");
	if (f->count > 1)
		pd_screen_print(&w->screen, "%" PRIu64 " times", f->count);
	else
		put(w, "once");
	put(w, "; ");
	put(w, pd_words_standing(f));
	newline(w);
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

static void put_headline(struct writer *w, const struct pd_finding *f)
{
	const struct pd_kind_info *k = &pd_kind_info[f->kind];

	w->screen.indent = 2;
	color(w, severity_color(k->severity));
	put(w, k->name);
	plain(w);
	pd_screen_print(&w->screen, " %010" PRIx64 ": ", f->id);
	color(w, PD_BOLD);
	put(w, f->message ? f->message : k->doc);
	plain(w);
	newline(w);
}

/* The meaning of a kind is shown where it first occurs. */
static bool is_first_of_kind(const struct writer *w, const struct pd_finding *f)
{
	const struct pd_findings *fs = &w->r->findings;

	for (uint32_t i = 0; i < fs->items.n; i++)
		if (fs->items.v[i]->kind == f->kind && !fs->items.v[i]->library)
			return fs->items.v[i] == f;
	return true;
}

/* For findings on a path of explore. */
static void put_input(struct writer *w, const struct pd_finding *f)
{
	char *text = NULL;
	size_t n = 0;
	FILE *m = open_memstream(&text, &n);
	bool any = m && pd_words_input(m, &f->facts);

	if (m && fclose(m) == 0 && any) {
		label(w, "input");
		verbatim(w, text);
		newline(w);
	}
	free(text);
}

/* For findings of linear. */
static void put_history(struct writer *w, const struct pd_finding *f)
{
	char *minimised = pd_words_minimised(&f->facts), *diagram = pd_words_diagram(&f->facts);

	if (diagram)
		put_lines(w, "history", minimised ? minimised : "what led there:", diagram);
	else
		put_labelled(w, "history", minimised);
	free(minimised);
	free(diagram);
}

/* Frees it. */
static void put_command(struct writer *w, const char *name, char *command)
{
	if (command) {
		label(w, name);
		verbatim(w, command);
		newline(w);
	}
	free(command);
}

static void put_finding(struct writer *w, const struct pd_finding *f)
{
	const struct pd_kind_info *k = &pd_kind_info[f->kind];

	put_headline(w, f);
	if (is_first_of_kind(w, f))
		put_labelled(w, "what", k->doc);
	put_labelled(w, "field", f->field);
	put_input(w, f);
	put_sites(w, f);
	if (f->cause != PD_CAUSE_UNKNOWN)
		put_labelled(w, "why", pd_words_why(f));
	put_labelled(w, "fix", f->fix);
	if (f->explain)
		put_lines(w, "story", "", f->explain);
	put_history(w, f);
	put_output(w, f->output);
	put_seen(w, f);
	put_command(w, "patch", pd_report_patch(w->r, f));
	put_command(w, "replay", pd_report_replay(w->r, f));
	newline(w);
}

/* ---- the table of those that take a line: torn stores that this build keeps whole, notes, what is known  */

/* Whether message and fix are enough; JSON has the places. Findings with stories are shown in
 * full. */
static bool takes_a_line(const struct pd_finding *f)
{
	return !f->library &&
	       (f->known ||
		(pd_kind_info[f->kind].severity >= PD_SEVERITY_PORTABILITY && !f->explain));
}

enum { READ_MOST = 40 };

/* Where recovery, or another thread, reads it; "": unknown. */
static void where_read(const struct pd_finding *f, char to[READ_MOST + 1])
{
	*to = '\0';
	for (uint32_t i = 0; i < f->nsites && !*to; i++) {
		const struct pd_frame *at = &f->sites[i].at;
		const char *base = at->file ? strrchr(at->file, '/') : NULL;

		if (f->sites[i].role == PD_ROLE_LOAD && at->file && at->line)
			snprintf(to, READ_MOST + 1, "%.*s:%" PRIu32, READ_MOST - 11,
				 base ? base + 1 : at->file, at->line);
	}
}

struct table {
	int kind, read; /* widths; 0: none */
};

static struct table measure(const struct writer *w)
{
	const struct pd_findings *fs = &w->r->findings;
	struct table t = {0, 0};
	char read[READ_MOST + 1];

	for (uint32_t i = 0; i < fs->items.n; i++) {
		const struct pd_finding *f = fs->items.v[i];

		if (!takes_a_line(f))
			continue;
		where_read(f, read);
		t.kind = PD_MAX(t.kind, (int)strlen(pd_kind_info[f->kind].name));
		t.read = PD_MAX(t.read, (int)strlen(read));
	}
	return t;
}

static void put_row(struct writer *w, const struct table *t, const struct pd_finding *f)
{
	const struct pd_kind_info *k = &pd_kind_info[f->kind];
	char read[READ_MOST + 1];

	color(w, severity_color(k->severity));
	pd_screen_print(&w->screen, "%-*s", t->kind, k->name);
	plain(w);
	pd_screen_print(&w->screen, " %010" PRIx64, f->id);
	where_read(f, read);
	if (t->read)
		pd_screen_print(&w->screen, "  %-*s", t->read, read);
	put(w, f->known ? "  (known) " : "  ");
	w->screen.indent = 2;
	put(w, f->message ? f->message : k->doc);
	newline(w);
}

static void put_table(struct writer *w)
{
	const struct pd_findings *fs = &w->r->findings;
	struct table t = measure(w);

	if (!t.kind)
		return;
	color(w, PD_DIM);
	pd_screen_print(&w->screen, "%-*s %-10s", t.kind, "KIND", "ID");
	if (t.read)
		pd_screen_print(&w->screen, "  %-*s", t.read, "READ AT");
	put(w, "  WHAT");
	plain(w);
	newline(w);
	for (uint32_t i = 0; i < fs->items.n; i++)
		if (takes_a_line(fs->items.v[i]))
			put_row(w, &t, fs->items.v[i]);
}

/* Findings of the baseline that are gone. */
static void put_gone(struct writer *w)
{
	for (uint32_t i = 0; i < w->r->gone.n; i++) {
		const struct pd_gone *g = &w->r->gone.v[i];

		w->screen.indent = 2;
		color(w, PD_DIM);
		pd_screen_print(&w->screen, "%s: %s %010" PRIx64 ": ",
				w->r->complete ? "gone" : "not found again (incomplete)",
				pd_kind_info[g->kind].name, g->id);
		put(w, g->message);
		plain(w);
		newline(w);
	}
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
	w->screen.indent = 2;
	color(w, PD_DIM);
	pd_screen_print(&w->screen,
			"inside %s: %" PRIu32 " finding%s, seen %" PRIu64
			" time%s; --libraries %s shows them",
			name, places, places == 1 ? "" : "s", times, times == 1 ? "" : "s", name);
	plain(w);
	newline(w);
}

/* ---- statistics ------------------------------------------------------------------------------ */

static void put_stat(struct writer *w, const struct pd_stat *s)
{
	pd_screen_print(&w->screen, "  %-28s ", s->name);
	if (s->type == PD_STAT_INT)
		pd_screen_print(&w->screen, "%" PRId64, s->i);
	else if (s->type == PD_STAT_REAL)
		pd_screen_print(&w->screen, "%.4g", s->real);
	else
		put(w, s->text);
	newline(w);
}

/* An empty text is a value that was dropped when results were joined. */
static void put_stats(struct writer *w)
{
	put(w, "statistics");
	newline(w);
	for (uint32_t i = 0; i < w->r->stats.n; i++)
		if (w->r->stats.v[i].type != PD_STAT_TEXT || *w->r->stats.v[i].text)
			put_stat(w, &w->r->stats.v[i]);
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
	put(w, c->recovery ? ", in a recovery" : "");
	newline(w);
}

static void put_file(struct writer *w, const char *pm)
{
	const struct pd_coverage *c = &w->r->coverage;
	struct pd_coverage_count n = pd_coverage_of(c, pm);

	put(w, pm);
	pd_screen_print(&w->screen, ": recovery read %" PRIu32 " of %" PRIu32 " stores at stake",
			n.read, n.at_stake);
	newline(w);
	for (uint32_t i = 0; i < c->items.n; i++)
		if (strcmp(c->items.v[i].pm, pm) == 0)
			put_covered(w, &c->items.v[i]);
}

static void put_coverage(struct writer *w)
{
	const struct pd_coverage *c = &w->r->coverage;
	struct pd_coverage_count n = pd_coverage_of(c, NULL);

	w->screen.indent = 2;
	if (w->style->coverage && c->items.n) {
		put(w, "coverage, by place of the store: read (while a crash could lose it), "
		       "durable (read only when it was durable), NOT READ, no crash (never at "
		       "stake)");
		newline(w);
		for (const char *pm = NULL; (pm = pd_coverage_next_file(c, pm));)
			put_file(w, pm);
	}
	if (n.at_stake)
		pd_screen_print(
			&w->screen,
			"coverage: recovery read %" PRIu32 " of the %" PRIu32 " stores at stake%s",
			n.read, n.at_stake, w->style->coverage ? "" : " (--coverage lists them)");
	else if (c->known)
		put(w, "coverage: no store was at stake");
	if (n.at_stake || c->known)
		newline(w);
}

static void put_hint(struct writer *w)
{
	char *text = NULL;
	size_t n = 0;
	FILE *m = open_memstream(&text, &n);
	bool any = m && pd_words_hint(m, w->r);

	w->screen.indent = 2;
	if (m && fclose(m) == 0 && any) {
		put(w, "hint: ");
		put(w, text);
		newline(w);
	}
	free(text);
}

static void put_suppressions(struct writer *w)
{
	const struct pd_suppressions *list = w->r->suppressions;

	for (uint32_t i = 0; list && i < list->items.n; i++) {
		const struct pd_suppression *s = &list->items.v[i];

		if (!s->uses)
			continue;
		w->screen.indent = 2;
		color(w, PD_DIM);
		pd_screen_print(&w->screen,
				"suppressed by '%s' (%s:%" PRIu32 "): %" PRIu64 " finding%s",
				s->name, s->source, s->line, s->uses, s->uses == 1 ? "" : "s");
		plain(w);
		newline(w);
	}
}

static void put_findings(struct writer *w)
{
	const struct pd_findings *fs = &w->r->findings;

	for (uint32_t i = 0; i < fs->items.n; i++)
		if (!fs->items.v[i]->library && !takes_a_line(fs->items.v[i]))
			put_finding(w, fs->items.v[i]);
	put_table(w);
	for (uint32_t i = 0; i < fs->items.n; i++)
		if (fs->items.v[i]->library && first_of_library(fs, i))
			put_library(w, i);
}

bool pd_report_text(const struct pd_result *r, const struct pd_text_style *style, FILE *f)
{
	char *here = getcwd(NULL, 0);
	struct writer w = {
		.r = r,
		.style = style,
		.screen = {.f = f, .color = style->color, .width = style->width, .here = here}};

	if (!style->brief) {
		put_findings(&w);
		put_gone(&w);
		put_suppressions(&w);
		put_coverage(&w);
		put_hint(&w);
	}
	if (style->stats)
		put_stats(&w);
	pd_report_summary(r, &w.screen);
	free(w.source);
	free(here);
	return true;
}
