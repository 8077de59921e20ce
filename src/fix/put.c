/* put.c - see put.h. */
#include "fix/put.h"
#include <string.h>

static const struct pd_source *source(const struct pd_patched *f)
{
	return &f->k.source[0];
}

static uint32_t end_of(const struct pd_source *s, uint32_t token)
{
	return s->t.v[token].at + s->t.v[token].n;
}

static void edit(struct pd_patched *f, uint32_t at, uint32_t cut, const char *put)
{
	pd_edit_add(&f->edits, f->k.arena, at, cut, put);
}

/* ---- blanks ---------------------------------------------------------------------------------- */

static const char *indent_at(const struct pd_patched *f, uint32_t at)
{
	const char *line = source(f)->text + pd_source_line_start(source(f), at);

	return pd_arena_strndup(f->k.arena, line, strspn(line, " \t"));
}

/* One level of indentation: that of the first indented line of the file. */
static const char *unit(const struct pd_patched *f)
{
	const struct pd_source *s = source(f);
	size_t least = 0;

	for (uint32_t i = 0; i < s->t.n; i++) {
		const char *line = s->text + pd_source_line_start(s, s->t.v[i].at);
		size_t n = strspn(line, " ");

		if (line + strspn(line, " \t") != s->text + s->t.v[i].at)
			continue;
		if (*line == '\t')
			return "\t";
		if (n >= 2 && (!least || n < least))
			least = n;
	}
	return pd_fix_print(f->k.arena, "%*s", least ? (int)PD_MIN(least, 8u) : 8, "");
}

/* Whether only blanks and complete comments follow up to the end of the line. */
static bool is_line_end(const struct pd_source *s, uint32_t at)
{
	uint32_t end = pd_source_line_end(s, at);

	while (at < end) {
		uint32_t behind = pd_source_skip_comment(s, at);

		if (s->text[at] == ' ' || s->text[at] == '\t') {
			at++;
			continue;
		}
		if (behind == at || behind > end)
			return false;
		at = behind;
	}
	return true;
}

static bool is_line_start(const struct pd_source *s, uint32_t at)
{
	uint32_t start = pd_source_line_start(s, at);

	return start + strspn(s->text + start, " \t") >= at;
}

/* Each line preceded by a newline and the indentation. */
static const char *as_lines(const struct pd_patched *f, const char *indent,
			    const char *const *lines, uint32_t n)
{
	const char *text = "";

	for (uint32_t i = 0; text && i < n; i++)
		text = pd_fix_print(f->k.arena, "%s%s%s%s", text, source(f)->newline, indent,
				    lines[i]);
	return text;
}

/* ---- statements ------------------------------------------------------------------------------ */

/* At the end of the line of a token; right behind it if something else follows there. */
static void put_behind(struct pd_patched *f, uint32_t token, const char *indent,
		       const char *const *lines, uint32_t n)
{
	const struct pd_source *s = source(f);
	uint32_t at = end_of(s, token);
	const char *text = "";

	if (is_line_end(s, at)) {
		edit(f, pd_source_line_end(s, at), 0, as_lines(f, indent, lines, n));
		return;
	}
	for (uint32_t i = 0; text && i < n; i++)
		text = pd_fix_print(f->k.arena, "%s %s", text, lines[i]);
	edit(f, at, 0, text);
}

/* Puts braces around the body of an if or a loop, replacing the space between its head and its
 * body. */
static void put_braces(struct pd_patched *f, const struct pd_statement *st,
		       const char *const *lines, uint32_t n)
{
	const struct pd_source *s = source(f);
	struct pd_arena *a = f->k.arena;
	const char *outer = indent_at(f, s->t.v[st->head].at);
	uint32_t head_end = end_of(s, st->first - 1), body = s->t.v[st->first].at;
	bool below = s->t.v[st->first].line != s->t.v[st->first - 1].line;
	const char *inner = below ? indent_at(f, body) : pd_fix_print(a, "%s%s", outer, unit(f));
	const char *text, *close = "}";
	uint32_t at = end_of(s, st->last), cut = 0;

	text = as_lines(f, inner, lines, n);
	if (below)
		edit(f, head_end, 0, pd_fix_print(a, " {%s", st->ahead ? text : ""));
	else
		edit(f, head_end, body - head_end,
		     pd_fix_print(a, " {%s%s%s", st->ahead ? text : "", s->newline, inner));
	text = st->ahead ? "" : text;
	if (pd_token_is(s, st->last + 1, "else")) {
		close = "} ";
		if (is_line_end(s, at) && pd_source_line_end(s, at) == at)
			cut = s->t.v[st->last + 1].at - at;
	} else if (is_line_end(s, at)) {
		at = pd_source_line_end(s, at);
	}
	edit(f, at, cut, pd_fix_print(a, "%s%s%s%s", text, s->newline, outer, close));
}

/* In a header: "p->n++" becomes "p->n++, persist(&p->n, 8)". */
static void put_in_header(struct pd_patched *f, const struct pd_statement *st,
			  const char *const *lines, uint32_t n)
{
	const char *text = "";

	for (uint32_t i = 0; text && i < n; i++)
		text = pd_fix_print(f->k.arena, "%s, %.*s", text, (int)strcspn(lines[i], ";"),
				    lines[i]);
	edit(f, end_of(source(f), st->last - 1), 0, text);
}

static void put_after(struct pd_patched *f, const struct pd_statement *st, const char *const *lines,
		      uint32_t n)
{
	const struct pd_source *s = source(f);
	const char *indent;

	if (st->header) {
		put_in_header(f, st, lines, n);
		return;
	}
	if (st->bare) {
		put_braces(f, st, lines, n);
		return;
	}
	indent = indent_at(f, s->t.v[st->first].at);
	if (st->constructor || !is_line_start(s, s->t.v[st->first].at)) /* "case 1: x = 1;" */
		indent = pd_fix_print(f->k.arena, "%s%s", indent, unit(f));
	put_behind(f, st->last, indent, lines, n);
}

enum { PUT = 3 }; /* statements at a time */

/* The return type of a function, as it is written; NULL: not a simple one. */
static const char *return_type(const struct pd_patched *f, const struct pd_function *g)
{
	static const char *const not[] = {"static",	"inline",    "extern",
					  "__inline__", "constexpr", NULL};
	const struct pd_source *s = source(f);
	uint32_t i = g->name;

	while (i && (s->t.v[i - 1].kind == PD_TOKEN_NAME || pd_token_is(s, i - 1, "*")) &&
	       !pd_token_among(s, i - 1, not))
		i--;
	if (i == g->name || g->name - i > 4 || pd_token_is(s, i, "void"))
		return NULL;
	/* A declaration must be able to begin here */
	if (i && s->t.v[i - 1].kind != PD_TOKEN_DIRECTIVE && !pd_token_among(s, i - 1, not) &&
	    !pd_token_is(s, i - 1, ";") && !pd_token_is(s, i - 1, "}") &&
	    !pd_token_is(s, i - 1, "{"))
		return NULL;
	return pd_source_text(s, f->k.arena, i, g->name - 1);
}

/* Saves what is returned: "return X;" becomes "T result = X;", the new statements, "return
 * result;". */
static bool put_after_return(struct pd_patched *f, const struct pd_statement *st,
			     const char *const *lines, uint32_t n)
{
	static const char *const names[] = {"result", "returned", "value_to_return"};
	const struct pd_source *s = source(f);
	const char *type, *name = NULL, *all[PUT + 1] = {NULL};
	const struct pd_token *t = &s->t.v[st->first];
	struct pd_function g;

	if (!pd_function_around(s, st->first, &g) || n > PUT || st->first + 1 == st->last)
		return false;
	type = return_type(f, &g);
	for (size_t i = 0; i < PD_LEN(names) && !name; i++) {
		name = names[i];
		for (uint32_t k = 0; k < s->t.n && name; k++)
			name = pd_token_is(s, k, name) ? NULL : name;
	}
	if (!type || !name)
		return false;
	for (uint32_t i = 0; i < n; i++)
		all[i] = lines[i];
	all[n] = pd_fix_print(f->k.arena, "return %s;", name);
	edit(f, t->at, t->n,
	     pd_fix_print(f->k.arena, type[strlen(type) - 1] == '*' ? "%s%s =" : "%s %s =", type,
			  name));
	put_after(f, st, all, n + 1);
	return true;
}

bool pd_put_after(struct pd_patched *f, const struct pd_statement *st, const char *const *lines,
		  uint32_t n)
{
	if (st->returned)
		return put_after_return(f, st, lines, n);
	put_after(f, st, lines, n);
	return true;
}

void pd_put_after_loop(struct pd_patched *f, const struct pd_statement *st, const char *line)
{
	put_behind(f, st->last, indent_at(f, source(f)->t.v[st->head].at), &line, 1);
}

void pd_put_before(struct pd_patched *f, const struct pd_statement *st, const char *line)
{
	const struct pd_source *s = source(f);
	uint32_t at = s->t.v[st->first].at;

	if (is_line_start(s, at))
		edit(f, at, 0,
		     pd_fix_print(f->k.arena, "%s%s%s", line, s->newline, indent_at(f, at)));
	else
		edit(f, at, 0, pd_fix_print(f->k.arena, "%s ", line));
}

bool pd_put_away(struct pd_patched *f, const struct pd_statement *st)
{
	const struct pd_source *s = source(f);
	uint32_t at = s->t.v[st->first].at, end = end_of(s, st->last), start;

	if (!is_line_start(s, at) || !is_line_end(s, end))
		return false;
	start = pd_source_line_start(s, at);
	end = pd_source_line_end(s, end);
	end += s->text[end] == '\r';
	end += s->text[end] == '\n';
	edit(f, start, end - start, "");
	return true;
}

/* ---- a function of our own ------------------------------------------------------------------- */

/* The last #include before a token, outside of all conditionals but an include guard; PD_NO_TOKEN:
 * none. */
static uint32_t last_include(const struct pd_source *s, uint32_t before)
{
	uint32_t depth = 0, found = PD_NO_TOKEN, guard = 0;

	for (uint32_t i = 0; i < before; i++) {
		const char *p = s->text + s->t.v[i].at + 1;

		if (s->t.v[i].kind != PD_TOKEN_DIRECTIVE)
			continue;
		p += strspn(p, " \t");
		guard += i == 0 && strncmp(p, "ifndef", 6) == 0;
		depth += strncmp(p, "if", 2) == 0;
		depth -= depth && strncmp(p, "endif", 5) == 0;
		if (depth <= guard && strncmp(p, "include", 7) == 0)
			found = i;
	}
	return found;
}

static void put_include(struct pd_patched *f, uint32_t before)
{
	static const char *const line = "#include <emmintrin.h>";
	const struct pd_source *s = source(f);
	uint32_t last = last_include(s, before);

	if (f->k.includes.intrinsics)
		return;
	f->k.includes.intrinsics = true;
	if (last != PD_NO_TOKEN)
		edit(f, pd_source_line_end(s, end_of(s, last)), 0,
		     pd_fix_print(f->k.arena, "%s%s", s->newline, line));
	else
		edit(f, pd_source_line_start(s, s->t.v[0].at), 0,
		     pd_fix_print(f->k.arena, "%s%s%s", line, s->newline, s->newline));
}

/* Whether a token is the first one of its line. */
static bool begins_line(const struct pd_source *s, uint32_t i)
{
	return !i || pd_source_line_end(s, end_of(s, i - 1)) <= s->t.v[i].at;
}

/* Whether what is before a token is complete. */
static bool begins_declaration(const struct pd_source *s, uint32_t i)
{
	return pd_token_is(s, i - 1, ";") || pd_token_is(s, i - 1, "}") ||
	       pd_token_is(s, i - 1, "{") || s->t.v[i - 1].kind == PD_TOKEN_DIRECTIVE;
}

/* Where a declaration can be put before that of the function around a token, and the comment above
 * it: the line ends there, too, and no other function is cut. */
static uint32_t before_function(const struct pd_source *s, uint32_t at, uint32_t *first)
{
	struct pd_function g;
	int depth = 0;
	uint32_t i;

	if (!pd_function_around(s, at, &g))
		return UINT32_MAX;
	for (i = g.name; i; i--) {
		if (depth <= 0 && begins_declaration(s, i) && begins_line(s, i))
			break;
		depth += pd_token_is(s, i - 1, "}");
		depth -= pd_token_is(s, i - 1, "{");
	}
	*first = i;
	return i ? pd_source_line_end(s, end_of(s, i - 1)) : 0;
}

const char *pd_put_range(struct pd_patched *f, uint32_t at)
{
	static const char *const names[] = {"persist_range", "pm_persist_range", "flush_and_fence"};
	const char *name = names[0], *u = unit(f), *nl = source(f)->newline;
	uint32_t first, where;

	for (size_t i = 0; i < PD_LEN(names) && pd_uses(&f->k, name); i++)
		name = names[i];
	if (f->has_range)
		return name;
	where = before_function(source(f), at, &first);
	if (where == UINT32_MAX || pd_uses(&f->k, name))
		return NULL;
	put_include(f, first);
	edit(f, where, 0,
	     pd_fix_print(f->k.arena,
			  "%s%s/* Makes n bytes from p on durable: flushes their cache lines, and "
			  "fences. */%s"
			  "static void %s(const volatile void *p, unsigned long n)%s{%s"
			  "%sunsigned long line = (unsigned long)p & ~63ul;%s%s"
			  "%sfor (; line < (unsigned long)p + n; line += 64)%s"
			  "%s%s_mm_clflush((const void *)line);%s"
			  "%s_mm_sfence();%s}",
			  nl, nl, nl, name, nl, nl, u, nl, nl, u, nl, u, u, nl, u, nl));
	f->has_range = true;
	return name;
}
