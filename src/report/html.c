/*
 * html.c - a result as one page: src/report/page, assembled at build time by tools/page, with the
 * result in it as data.
 *
 * The page gets the JSON that every reader gets (docs/report-format.md), and with it the parts of a
 * text report: the sentences (words), the summary, and lines of the sources, read now. Its script
 * only shows these; it knows nothing about findings.
 *
 * Strings of the tested program are hostile. They are data in an element that is not executed, in
 * which '<' is \u003c, so that no string can end it; the script shows them only as text; and the
 * page's policy (Content-Security-Policy) allows its one script and one style, by their hashes, and
 * no request.
 */
#include "report/excerpt.h"
#include "report/json_facts.h"
#include "report/json_result.h"
#include "report/report.h"
#include "report/screen.h"
#include "report/words/words.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* build/page.html: the part before the data, and the part after it. */
__asm__(".section .rodata\n"
	"pd_page_html: .incbin \"" PD_PAGE "\"\n"
	"pd_page_end: .byte 0\n"
	".previous\n");
extern const char pd_page_html[], pd_page_end[];

static const char data_here[] = "@DATA@";

struct page {
	const struct pd_result *r;
	struct pd_excerpts excerpts;
	bool failed;
};

static void set(struct page *p, json_t *o, const char *key, json_t *value)
{
	p->failed |= json_object_set_new(o, key, value) != 0;
}

static void set_text(struct page *p, json_t *o, const char *key, const char *s)
{
	if (s)
		set(p, o, key, pd_json_text(s));
}

/* ---- words ---------------------------------------------------------------------------------- */

/* What was written to a memory stream, which it closes. */
static json_t *written(FILE *f, char **text)
{
	json_t *j = f && fclose(f) == 0 ? pd_json_text(*text) : NULL;

	free(*text);
	return j;
}

static json_t *step_text(const struct pd_step *s)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	if (f)
		pd_words_step(f, s);
	return written(f, &text);
}

static json_t *story(struct page *p, const struct pd_steps *s)
{
	json_t *a = json_array();

	for (uint32_t i = 0; i < s->n; i++)
		p->failed |= json_array_append_new(a, step_text(&s->v[i])) != 0;
	return a;
}

static json_t *input(const struct pd_finding *f)
{
	char *text = NULL;
	size_t n;
	FILE *m = open_memstream(&text, &n);
	bool any = m && pd_words_input(m, &f->facts);
	json_t *j = written(m, &text);

	if (any || !j)
		return j;
	json_decref(j);
	return json_null();
}

/* The sentences of one finding that are not in its JSON. */
static json_t *words(struct page *p, const struct pd_finding *f)
{
	json_t *o = json_object();
	char *minimised = pd_words_minimised(&f->facts), *diagram = pd_words_diagram(&f->facts);

	set_text(p, o, "what", pd_kind_info[f->kind].doc);
	if (f->cause != PD_CAUSE_UNKNOWN)
		set_text(p, o, "why", pd_words_why(f));
	set_text(p, o, "standing", pd_words_standing(f));
	set_text(p, o, "history", minimised);
	set_text(p, o, "diagram", diagram);
	set(p, o, "input", input(f));
	if (f->story.n)
		set(p, o, "story", story(p, &f->story));
	free(minimised);
	free(diagram);
	return o;
}

static json_t *summary(const struct pd_result *r)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);
	struct pd_screen s = {.f = f};

	if (f)
		pd_report_summary(r, &s);
	return written(f, &text);
}

/* ---- sources -------------------------------------------------------------------------------- */

static void want_site(struct pd_excerpts *x, const struct pd_finding_site *s)
{
	pd_excerpt_want(x, &s->at);
	for (uint32_t i = 0; i < s->nstack; i++)
		pd_excerpt_want(x, &s->stack[i]);
}

static void want_sources(struct page *p)
{
	const struct pd_result *r = p->r;

	for (uint32_t i = 0; i < r->findings.items.n; i++) {
		const struct pd_finding *f = r->findings.items.v[i];

		for (uint32_t k = 0; k < f->nsites; k++)
			want_site(&p->excerpts, &f->sites[k]);
		for (uint32_t k = 0; k < f->story.n; k++)
			want_site(&p->excerpts, &f->story.v[k].at);
	}
	for (uint32_t i = 0; i < r->coverage.items.n; i++)
		pd_excerpt_want(&p->excerpts, &r->coverage.items.v[i].at);
}

/* ---- the page ------------------------------------------------------------------------------- */

static json_t *data(struct page *p, time_t made)
{
	json_t *o = json_object(), *list = json_array();
	char *here = getcwd(NULL, 0);

	want_sources(p);
	for (uint32_t i = 0; i < p->r->findings.items.n; i++)
		p->failed |= json_array_append_new(list, words(p, p->r->findings.items.v[i])) != 0;
	set(p, o, "result", pd_json_result(p->r));
	set(p, o, "words", list);
	set(p, o, "summary", summary(p->r));
	set(p, o, "status", json_integer(pd_result_status(p->r)));
	set(p, o, "sources", pd_excerpts_json(&p->excerpts, made));
	set_text(p, o, "here", here);
	free(here);
	return o;
}

/* Inside a string only '<' could end the element; JSON has none outside of strings. */
static void put_inert(FILE *f, const char *s)
{
	for (size_t n; *s; s += n + (s[n] == '<')) {
		n = strcspn(s, "<");
		fwrite(s, 1, n, f);
		if (s[n] == '<')
			fputs("\\u003c", f);
	}
}

bool pd_report_html(const struct pd_result *r, time_t made, FILE *f)
{
	struct page p = {.r = r, .excerpts = {.arena = r->arena}};
	const char *split = strstr(pd_page_html, data_here);
	json_t *o = data(&p, made);
	char *text = p.failed ? NULL : json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(15));

	json_decref(o);
	if (!text)
		return false;
	fwrite(pd_page_html, 1, (size_t)(split - pd_page_html), f);
	put_inert(f, text);
	fputs(split + sizeof(data_here) - 1, f);
	free(text);
	return true;
}
