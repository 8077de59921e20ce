/* source.c - see source.h. */
#include "fix/source.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- tokens --------------------------------------------------------------------------------- */

struct lexer {
	struct pd_source *s;
	struct pd_arena *arena;
	uint32_t at;
	uint32_t line;
	bool fresh; /* only blanks since the start of the line */
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r';
}

/* Bytes of UTF-8 are letters. */
static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c < 0;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The length of a newline with a backslash before it; 0: there is none. */
static uint32_t splice(const char *p)
{
	if (p[0] != '\\')
		return 0;
	return p[1] == '\n' ? 2 : p[1] == '\r' && p[2] == '\n' ? 3 : 0;
}

static void count_lines(struct lexer *l, uint32_t from, uint32_t to)
{
	for (; from < to; from++)
		l->line += l->s->text[from] == '\n';
}

uint32_t pd_source_skip_comment(const struct pd_source *s, uint32_t at)
{
	const char *p = s->text + at, *end;

	if (p[0] != '/' || (p[1] != '/' && p[1] != '*'))
		return at;
	if (p[1] == '*') {
		end = strstr(p + 2, "*/");
		return end ? (uint32_t)(end + 2 - s->text) : s->n;
	}
	for (at += 2; at < s->n && s->text[at] != '\n';)
		at += PD_MAX(splice(s->text + at), 1u);
	return pd_source_line_end(s, PD_MIN(at, s->n));
}

static uint32_t skip_quoted(const struct pd_source *s, uint32_t at)
{
	char quote = s->text[at++];

	while (at < s->n && s->text[at] != quote && s->text[at] != '\n')
		at += s->text[at] == '\\' && at + 1 < s->n ? 2 : 1;
	return PD_MIN(at + (s->text[at] == quote), s->n);
}

/* R"x(...)x" */
static uint32_t skip_raw(const struct pd_source *s, uint32_t at)
{
	const char *open = strchr(s->text + at, '('), *end;
	char close[32];

	if (!open || open - (s->text + at) > 20)
		return skip_quoted(s, at + 1);
	snprintf(close, sizeof(close), ")%.*s\"", (int)(open - (s->text + at) - 2),
		 s->text + at + 2);
	end = strstr(open, close);
	return end ? (uint32_t)(end + strlen(close) - s->text) : s->n;
}

/* A directive continues over spliced lines and comments. */
static uint32_t skip_directive(const struct pd_source *s, uint32_t at)
{
	while (at < s->n && s->text[at] != '\n') {
		uint32_t spliced = splice(s->text + at), comment = pd_source_skip_comment(s, at);

		if (spliced)
			at += spliced;
		else if (comment != at)
			at = comment;
		else if (s->text[at] == '"')
			at = skip_quoted(s, at);
		else
			at++;
	}
	return PD_MIN(at, s->n);
}

static uint32_t skip_sign(const struct pd_source *s, uint32_t at)
{
	static const char *const signs[] = {"<<=", ">>=", "...", "->*", "->", "++", "--", "<<",
					    "<=",  ">=",  "==",	 "!=",	"&&", "||", "+=", "-=",
					    "*=",  "/=",  "%=",	 "&=",	"|=", "^=", "::"};

	for (size_t i = 0; i < PD_LEN(signs); i++)
		if (strncmp(s->text + at, signs[i], strlen(signs[i])) == 0)
			return at + (uint32_t)strlen(signs[i]);
	return at + 1;
}

static uint32_t skip_word(const struct pd_source *s, uint32_t at, bool number)
{
	while (is_letter(s->text[at]) || is_digit(s->text[at]) ||
	       (number &&
		(s->text[at] == '.' || s->text[at] == '\'' ||
		 ((s->text[at] == '+' || s->text[at] == '-') && strchr("eEpP", s->text[at - 1])))))
		at++;
	return at;
}

static uint32_t token_end(const struct lexer *l, enum pd_token_kind *kind)
{
	const struct pd_source *s = l->s;
	const char *p = s->text + l->at;

	if (*p == '#' && l->fresh) {
		*kind = PD_TOKEN_DIRECTIVE;
		return skip_directive(s, l->at);
	}
	if (p[0] == 'R' && p[1] == '"') {
		*kind = PD_TOKEN_STRING;
		return skip_raw(s, l->at);
	}
	if (*p == '"' || *p == '\'') {
		*kind = PD_TOKEN_STRING;
		return skip_quoted(s, l->at);
	}
	if (is_digit(*p) || (*p == '.' && is_digit(p[1]))) {
		*kind = PD_TOKEN_NUMBER;
		return skip_word(s, l->at, true);
	}
	*kind = is_letter(*p) ? PD_TOKEN_NAME : PD_TOKEN_SIGN;
	return is_letter(*p) ? skip_word(s, l->at, false) : skip_sign(s, l->at);
}

static bool push(struct lexer *l, enum pd_token_kind kind, uint32_t n)
{
	struct pd_token *t = pd_vec_push(&l->s->t, l->arena);

	if (t)
		*t = (struct pd_token){kind, l->at, n, l->line, PD_NO_TOKEN};
	return t;
}

static bool lex(struct lexer *l)
{
	const struct pd_source *s = l->s;

	while (l->at < s->n) {
		uint32_t end = pd_source_skip_comment(s, l->at);
		enum pd_token_kind kind;

		if (end == l->at && is_blank(s->text[end]))
			end++;
		if (end == l->at && s->text[end] == '\n') {
			l->fresh = true;
			end++;
		}
		if (end == l->at)
			end += splice(s->text + end);
		if (end == l->at) {
			end = token_end(l, &kind);
			l->fresh = false;
			if (!push(l, kind, end - l->at))
				return false;
		}
		count_lines(l, l->at, end);
		l->at = end;
	}
	return push(l, PD_TOKEN_END, 0);
}

/* ---- brackets ------------------------------------------------------------------------------- */

enum { DEEPEST = 256, CONDITIONALS = 32 };

struct open {
	uint32_t n;
	uint32_t v[DEEPEST];
};

struct pairing {
	struct pd_source *s;
	struct open open;
	struct open saved[CONDITIONALS]; /* at each open #if */
	uint32_t nsaved;
};

bool pd_token_is_directive(const struct pd_source *s, uint32_t i, const char *name)
{
	const char *p = s->text + s->t.v[i].at + 1;

	p += strspn(p, " \t");
	return strncmp(p, name, strlen(name)) == 0;
}

static void pair_directive(struct pairing *p, uint32_t i)
{
	if (pd_token_is_directive(p->s, i, "if")) {
		if (p->nsaved < CONDITIONALS)
			p->saved[p->nsaved] = p->open;
		p->nsaved++;
	} else if (p->nsaved && pd_token_is_directive(p->s, i, "el")) {
		if (p->nsaved <= CONDITIONALS)
			p->open = p->saved[p->nsaved - 1];
	} else if (p->nsaved && pd_token_is_directive(p->s, i, "endif")) {
		p->nsaved--;
	}
}

static void pair(struct pairing *p, uint32_t i)
{
	struct pd_token *t = p->s->t.v;
	char c = p->s->text[t[i].at], from = c == ')' ? '(' : c == ']' ? '[' : '{';
	uint32_t top;

	if (strchr("([{", c)) {
		if (p->open.n < DEEPEST)
			p->open.v[p->open.n++] = i;
		return;
	}
	if (!strchr(")]}", c) || !p->open.n)
		return;
	top = p->open.v[p->open.n - 1];
	if (p->s->text[t[top].at] != from)
		return;
	p->open.n--;
	t[i].match = top;
	if (t[top].match == PD_NO_TOKEN)
		t[top].match = i;
}

static bool pair_all(struct pd_source *s)
{
	struct pairing *p = calloc(1, sizeof(*p));

	if (!p)
		return false;
	p->s = s;
	for (uint32_t i = 0; i < s->t.n; i++) {
		if (s->t.v[i].kind == PD_TOKEN_DIRECTIVE)
			pair_directive(p, i);
		else if (s->t.v[i].kind == PD_TOKEN_SIGN && s->t.v[i].n == 1)
			pair(p, i);
	}
	free(p);
	return true;
}

bool pd_source_init(struct pd_source *s, struct pd_arena *a, const char *path, const char *text,
		    size_t n)
{
	const char *end = memchr(text, '\n', n);
	struct lexer l = {.s = s, .arena = a, .line = 1, .fresh = true};

	*s = (struct pd_source){.path = path, .text = text, .n = (uint32_t)n};
	s->newline = end && end > text && end[-1] == '\r' ? "\r\n" : "\n";
	return n < UINT32_MAX && lex(&l) && pair_all(s);
}

/* ---- asking --------------------------------------------------------------------------------- */

uint32_t pd_source_at(const struct pd_source *s, uint32_t line, uint32_t column)
{
	for (uint32_t i = 0; i < s->t.n; i++) {
		const struct pd_token *t = &s->t.v[i];
		uint32_t start = pd_source_line_start(s, t->at);

		if (t->kind == PD_TOKEN_DIRECTIVE && t->line < line) {
			uint32_t to = t->line;

			for (uint32_t k = t->at; k < t->at + t->n; k++)
				to += s->text[k] == '\n';
			if (to >= line)
				return i;
		}
		if (t->line != line || t->kind == PD_TOKEN_END)
			continue;
		if (!column || t->kind == PD_TOKEN_DIRECTIVE ||
		    (start + column - 1 >= t->at && start + column - 1 < t->at + t->n))
			return i;
	}
	return PD_NO_TOKEN;
}

bool pd_token_is(const struct pd_source *s, uint32_t i, const char *text)
{
	return i < s->t.n && s->t.v[i].n == strlen(text) &&
	       memcmp(s->text + s->t.v[i].at, text, s->t.v[i].n) == 0;
}

bool pd_token_among(const struct pd_source *s, uint32_t i, const char *const *texts)
{
	for (; *texts; texts++)
		if (pd_token_is(s, i, *texts))
			return true;
	return false;
}

bool pd_token_same(const struct pd_source *s, uint32_t i, const struct pd_source *o, uint32_t k)
{
	return s->t.v[i].n == o->t.v[k].n &&
	       memcmp(s->text + s->t.v[i].at, o->text + o->t.v[k].at, s->t.v[i].n) == 0;
}

const char *pd_source_text(const struct pd_source *s, struct pd_arena *a, uint32_t first,
			   uint32_t last)
{
	uint32_t end = s->t.v[last].at + s->t.v[last].n;
	char *text = pd_arena_alloc(a, end - s->t.v[first].at + (size_t)(last - first) + 1);
	size_t n = 0;

	for (uint32_t i = first; text && i <= last; i++) {
		const struct pd_token *t = &s->t.v[i], *before = i > first ? t - 1 : NULL;

		if (before && before->at + before->n < t->at)
			text[n++] = ' ';
		memcpy(text + n, s->text + t->at, t->n);
		n += t->n;
	}
	if (text)
		text[n] = '\0';
	return text;
}

const char *pd_fix_print(struct pd_arena *a, const char *fmt, ...)
{
	va_list ap;
	char *text;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	text = n < 0 ? NULL : pd_arena_alloc(a, (size_t)n + 1);
	va_start(ap, fmt);
	if (text)
		vsnprintf(text, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return text;
}

uint32_t pd_source_line_start(const struct pd_source *s, uint32_t at)
{
	while (at && s->text[at - 1] != '\n')
		at--;
	return at;
}

uint32_t pd_source_line_end(const struct pd_source *s, uint32_t at)
{
	while (at < s->n && s->text[at] != '\n')
		at++;
	return at && s->text[at - 1] == '\r' ? at - 1 : at;
}
