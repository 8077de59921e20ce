/* edit.c - see edit.h. */
#include "fix/edit.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void pd_edit_add(struct pd_edits *e, struct pd_arena *a, uint32_t at, uint32_t cut, const char *put)
{
	struct pd_edit *x = put ? pd_vec_push(&e->v, a) : NULL;
	uint32_t i = e->v.n - 1;

	e->nomem |= !x;
	if (!x)
		return;
	/* Of edits at one place, the later one goes behind. */
	for (; i && e->v.v[i - 1].at > at; i--)
		e->v.v[i] = e->v.v[i - 1];
	e->v.v[i] = (struct pd_edit){at, cut, put};
	e->overlap |= i && e->v.v[i - 1].at + e->v.v[i - 1].cut > at;
	e->overlap |= i + 1 < e->v.n && at + cut > e->v.v[i + 1].at;
}

/* ---- the text -------------------------------------------------------------------------------- */

static uint32_t line_of(const struct pd_source *s, uint32_t at)
{
	uint32_t line = 1;

	for (uint32_t i = 0; i < at; i++)
		line += s->text[i] == '\n';
	return line;
}

static bool has_newline(const char *s, size_t n)
{
	return memchr(s, '\n', n);
}

/* Writes the new text, followed by a #line directive that gives the next line its old number. */
static void put_keeping_lines(FILE *f, const struct pd_source *s, const struct pd_edit *x)
{
	uint32_t end = x->at + x->cut, line = line_of(s, end);
	const char *last = strrchr(x->put, '\n');

	if (!last && !has_newline(s->text + x->at, x->cut)) {
		fputs(x->put, f);
		return;
	}
	if (s->text[end] == '\n' || s->text[end] == '\r') {
		fprintf(f, "%s%s#line %" PRIu32, x->put, s->newline, line + 1);
	} else if (!*x->put) { /* only whole lines were removed */
		fprintf(f, "#line %" PRIu32 "%s", line, s->newline);
	} else {
		size_t n = last ? (size_t)(last + 1 - x->put) : 0;

		fwrite(x->put, 1, n, f);
		fprintf(f, "%s#line %" PRIu32 "%s%s", n ? "" : s->newline, line, s->newline,
			x->put + n);
	}
}

char *pd_edit_text(const struct pd_edits *e, bool keep_lines, size_t *n)
{
	const struct pd_source *s = e->source;
	char *text = NULL;
	FILE *f = open_memstream(&text, n);
	uint32_t at = 0;
	bool ok;

	if (!f)
		return NULL;
	for (uint32_t i = 0; i < e->v.n; i++) {
		const struct pd_edit *x = &e->v.v[i];

		fwrite(s->text + at, 1, x->at - at, f);
		if (keep_lines)
			put_keeping_lines(f, s, x);
		else
			fputs(x->put, f);
		at = x->at + x->cut;
	}
	fwrite(s->text + at, 1, s->n - at, f);
	ok = !ferror(f);
	ok &= fclose(f) == 0;
	if (ok)
		return text;
	free(text);
	return NULL;
}

/* ---- the diff -------------------------------------------------------------------------------- */

enum { CONTEXT = 3 };

/* Lines of a text. */
struct lines {
	const char *text;
	size_t n;
	uint32_t count;
	uint32_t *start; /* count + 1 offsets */
};

static bool split(struct lines *l, const char *text, size_t n)
{
	uint32_t k = 0;

	*l = (struct lines){.text = text, .n = n};
	for (size_t i = 0; i < n; i++)
		l->count += text[i] == '\n' || i + 1 == n;
	l->start = calloc(l->count + 1, sizeof(*l->start));
	for (size_t i = 0; l->start && i < n; i++)
		if (text[i] == '\n' || i + 1 == n)
			l->start[++k] = (uint32_t)i + 1;
	return l->start;
}

static bool same(const struct lines *a, uint32_t i, const struct lines *b, uint32_t k)
{
	uint32_t n = a->start[i + 1] - a->start[i];

	return n == b->start[k + 1] - b->start[k] &&
	       memcmp(a->text + a->start[i], b->text + b->start[k], n) == 0;
}

static void put_line(FILE *f, char sign, const struct lines *l, uint32_t i)
{
	uint32_t n = l->start[i + 1] - l->start[i];
	const char *p = l->text + l->start[i];

	putc(sign, f);
	fwrite(p, 1, n, f);
	if (p[n - 1] != '\n')
		fputs("\n\\ No newline at end of file\n", f);
}

/* A part that differs: lines [a, a_end) of the old text are [b, b_end) of the new one. */
struct change {
	uint32_t a, a_end, b, b_end;
};

/* The number of the line that a byte is in, from 0. */
static uint32_t index_of(const struct lines *l, uint32_t at)
{
	uint32_t i = 0;

	while (i + 1 < l->count && l->start[i + 1] <= at)
		i++;
	return i;
}

/* The changes that edits make, joined where they share lines. */
static uint32_t changes(const struct pd_edits *e, const struct lines *a, const struct lines *b,
			struct change *c)
{
	uint32_t n = 0;
	int64_t shift = 0;

	for (uint32_t i = 0; i < e->v.n; i++) {
		const struct pd_edit *x = &e->v.v[i];
		uint32_t put = (uint32_t)strlen(x->put), new_at = (uint32_t)(x->at + shift);
		struct change d = {index_of(a, x->at), index_of(a, x->at + x->cut) + 1,
				   index_of(b, new_at), index_of(b, new_at + put) + 1};

		shift += (int64_t)put - x->cut;
		if (n && c[n - 1].a_end > d.a)
			c[n - 1] = (struct change){c[n - 1].a, d.a_end, c[n - 1].b, d.b_end};
		else
			c[n++] = d;
	}
	for (uint32_t i = 0; i < n; i++) {
		struct change *d = &c[i];

		while (d->a < d->a_end && d->b < d->b_end && same(a, d->a, b, d->b)) {
			d->a++;
			d->b++;
		}
		while (d->a < d->a_end && d->b < d->b_end &&
		       same(a, d->a_end - 1, b, d->b_end - 1)) {
			d->a_end--;
			d->b_end--;
		}
	}
	return n;
}

static void put_range(FILE *f, char sign, uint32_t from, uint32_t n)
{
	fprintf(f, " %c%" PRIu32, sign, n ? from + 1 : from);
	if (n != 1)
		fprintf(f, ",%" PRIu32, n);
}

/* Writes changes first to last - 1, which are close to each other, as one hunk. */
static void put_hunk(FILE *f, const struct lines *a, const struct lines *b, const struct change *c,
		     uint32_t n)
{
	uint32_t before = PD_MIN(c[0].a, (uint32_t)CONTEXT), from = c[0].a - before;
	uint32_t to = PD_MIN(c[n - 1].a_end + CONTEXT, a->count);
	uint32_t b_to = c[n - 1].b_end + (to - c[n - 1].a_end), at = from;

	fputs("@@", f);
	put_range(f, '-', from, to - from);
	put_range(f, '+', c[0].b - before, b_to - (c[0].b - before));
	fputs(" @@\n", f);
	for (uint32_t i = 0; i < n; i++) {
		for (; at < c[i].a; at++)
			put_line(f, ' ', a, at);
		for (; at < c[i].a_end; at++)
			put_line(f, '-', a, at);
		for (uint32_t k = c[i].b; k < c[i].b_end; k++)
			put_line(f, '+', b, k);
	}
	for (; at < to; at++)
		put_line(f, ' ', a, at);
}

static void put_hunks(FILE *f, const struct lines *a, const struct lines *b, const struct change *c,
		      uint32_t n)
{
	for (uint32_t i = 0, k; i < n; i = k) {
		for (k = i + 1; k < n && c[k].a <= c[k - 1].a_end + 2 * CONTEXT; k++)
			;
		put_hunk(f, a, b, c + i, k - i);
	}
}

bool pd_edit_diff(const struct pd_edits *e, const char *name, FILE *to)
{
	const char *tab =
		strchr(name, ' ') ? "\t" : ""; /* git ends a name that contains blanks with a tab */
	struct change *c = calloc(e->v.n + 1, sizeof(*c));
	struct lines a = {0}, b = {0};
	size_t n;
	char *text = pd_edit_text(e, false, &n);
	bool ok = text && c && split(&a, e->source->text, e->source->n) && split(&b, text, n);

	if (ok) {
		fprintf(to, "--- a/%s%s\n+++ b/%s%s\n", name, tab, name, tab);
		put_hunks(to, &a, &b, c, changes(e, &a, &b, c));
	}
	free(a.start);
	free(b.start);
	free(text);
	free(c);
	return ok;
}
