/* excerpt.c - see excerpt.h. */
#include "report/excerpt.h"
#include "host/error.h"
#include "report/json_facts.h"
#include "report/report.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
	AROUND = 6, /* number of lines before and after a place */
	FILE_MAX = 16 * 1024 * 1024,
	WIDTH_MAX = 400, /* maximum bytes of a line */
};

static struct pd_excerpt *find(struct pd_excerpts *x, const char *file)
{
	struct pd_excerpt *e;

	if (x->last < x->files.n && strcmp(x->files.v[x->last].file, file) == 0)
		return &x->files.v[x->last];
	for (x->last = 0; x->last < x->files.n; x->last++)
		if (strcmp(x->files.v[x->last].file, file) == 0)
			return &x->files.v[x->last];
	e = pd_vec_push(&x->files, x->arena);
	if (e)
		*e = (struct pd_excerpt){.file = file};
	return e;
}

void pd_excerpt_want(struct pd_excerpts *x, const struct pd_frame *at)
{
	struct pd_excerpt *e = at->file && at->line ? find(x, at->file) : NULL;
	uint32_t *line;

	if (!e || (e->lines.n && e->lines.v[e->lines.n - 1] == at->line))
		return;
	line = pd_vec_push(&e->lines, x->arena);
	if (line)
		*line = at->line;
}

static bool is_source(const char *file)
{
	static const char *const ends[] = {".c",   ".h",   ".cc",  ".hh",  ".cpp", ".hpp", ".cxx",
					   ".hxx", ".inc", ".inl", ".ipp", ".tcc", ".def", NULL};
	const char *dot = strrchr(file, '.');

	for (uint32_t i = 0; dot && ends[i]; i++)
		if (strcmp(dot, ends[i]) == 0)
			return true;
	return false;
}

static int compare(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* One line; tabs are kept, the reader shows other control characters. */
static json_t *line_text(const char *s, size_t n)
{
	char buf[WIDTH_MAX + 4];
	bool cut = n > WIDTH_MAX;

	n = cut ? WIDTH_MAX : n;
	memcpy(buf, s, n);
	strcpy(buf + n, cut ? "..." : "");
	return pd_json_text(buf);
}

/* The lines around the places, which are sorted, by line number. */
static bool put_lines(json_t *to, const struct pd_excerpt *e, const char *text, size_t size)
{
	const char *end = text + size;
	uint32_t k = 0, number = 1;

	for (const char *p = text; p < end && k < e->lines.n; number++) {
		const char *stop = memchr(p, '\n', (size_t)(end - p));
		size_t n = (size_t)((stop ? stop : end) - p);
		char key[16];

		while (k < e->lines.n && number > e->lines.v[k] + AROUND)
			k++;
		snprintf(key, sizeof(key), "%" PRIu32, number);
		n -= n && p[n - 1] == '\r';
		if (k < e->lines.n && number + AROUND >= e->lines.v[k] &&
		    json_object_set_new(to, key, line_text(p, n)) != 0)
			return false;
		p = stop ? stop + 1 : end;
	}
	return true;
}

static json_t *excerpt(const struct pd_excerpt *e, time_t made)
{
	json_t *o = json_object(), *lines = json_object();
	struct pd_error ignored;
	struct stat st;
	char *text = NULL;
	size_t n;
	bool ok = true;

	if (is_source(e->file) && stat(e->file, &st) == 0 && S_ISREG(st.st_mode))
		text = pd_file_read(e->file, FILE_MAX, &n, &ignored);
	if (text) {
		qsort(e->lines.v, e->lines.n, sizeof(*e->lines.v), compare);
		ok = put_lines(lines, e, text, n);
		if (made && st.st_mtime > made)
			ok &= json_object_set_new(o, "changed", json_true()) == 0;
	}
	free(text);
	ok &= json_object_set_new(o, "lines", lines) == 0;
	if (ok)
		return o;
	json_decref(o);
	return NULL;
}

json_t *pd_excerpts_json(const struct pd_excerpts *x, time_t made)
{
	json_t *o = json_object();

	for (uint32_t i = 0; i < x->files.n; i++) {
		char *key = pd_utf8_clean(x->files.v[i].file);
		bool ok = key && json_object_set_new(o, key, excerpt(&x->files.v[i], made)) == 0;

		free(key);
		if (!ok) {
			json_decref(o);
			return NULL;
		}
	}
	return o;
}
