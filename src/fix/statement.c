/* statement.c - see statement.h. */
#include "fix/statement.h"

static const char *const heads[] = {"if", "for", "while", "switch", NULL};
static const char *const loops[] = {"for", "while", "do", NULL};

static bool is_sign(const struct pd_source *s, uint32_t i, char c)
{
	return i < s->t.n && s->t.v[i].kind == PD_TOKEN_SIGN && s->t.v[i].n == 1 &&
	       s->text[s->t.v[i].at] == c;
}

/* ---- back to where it begins ----------------------------------------------------------------- */

/* The innermost bracket that is open at a token; PD_NO_TOKEN: none, or it has no partner. */
static uint32_t opened(const struct pd_source *s, uint32_t at)
{
	for (uint32_t i = at; i-- > 0;) {
		const struct pd_token *t = &s->t.v[i];

		if (is_sign(s, i, ')') || is_sign(s, i, ']') || is_sign(s, i, '}')) {
			if (t->match == PD_NO_TOKEN)
				return PD_NO_TOKEN;
			i = t->match;
		} else if (is_sign(s, i, '(') || is_sign(s, i, '[') || is_sign(s, i, '{')) {
			return i;
		}
	}
	return PD_NO_TOKEN;
}

/* Whether a '{' begins a block of statements: it follows a head, a label or another statement. */
static bool is_block(const struct pd_source *s, uint32_t brace)
{
	static const char *const before[] = {"else",	 "do",	     "try",	";",
					     "{",	 "}",	     ":",	"const",
					     "noexcept", "override", "mutable", NULL};
	uint32_t i = brace ? brace - 1 : 0, open;

	/* A lambda may have no parameters */
	if (!brace || s->t.v[i].kind == PD_TOKEN_DIRECTIVE || is_sign(s, i, ']') ||
	    pd_token_among(s, i, before))
		return true;
	if (!is_sign(s, i, ')'))
		return false;
	open = s->t.v[i].match;
	if (open == PD_NO_TOKEN || !open)
		return false;
	/* (struct s){...} follows an operator, a body the name of a head or function, a lambda's
	 * ] */
	return s->t.v[open - 1].kind == PD_TOKEN_NAME
		       ? !pd_token_is(s, open - 1, "return") && !pd_token_is(s, open - 1, "sizeof")
		       : is_sign(s, open - 1, ']');
}

/* Leaves parentheses, up to the enclosing block. */
static enum pd_no_remedy leave(const struct pd_source *s, uint32_t *at)
{
	for (;;) {
		uint32_t open = opened(s, *at);

		if (open == PD_NO_TOKEN)
			return PD_NO_REMEDY_STATEMENT;
		if (is_sign(s, open, '{') && is_block(s, open))
			return PD_NO_REMEDY_NONE;
		if (is_sign(s, open, '{'))
			return PD_NO_REMEDY_INITIALISER;
		if (is_sign(s, open, '(') && open && pd_token_among(s, open - 1, heads))
			return pd_token_is(s, open - 1, "for") ? PD_NO_REMEDY_HEADER
							       : PD_NO_REMEDY_CONDITION;
		*at = open;
	}
}

/* Whether a ':' ends a label; the one of a '?' does not. */
static bool ends_label(const struct pd_source *s, uint32_t colon)
{
	for (uint32_t i = colon; i-- > 0;) {
		if (pd_token_is(s, i, "?"))
			return false;
		if (is_sign(s, i, ';') || is_sign(s, i, '{') || is_sign(s, i, '}') ||
		    pd_token_is(s, i, "case") || s->t.v[i].kind == PD_TOKEN_DIRECTIVE)
			return true;
	}
	return true;
}

/* Whether this ')' ends the head of an if or a loop, or of a macro for one: "EACH(i) x = 1". */
static bool is_head(const struct pd_source *s, uint32_t close, uint32_t *head)
{
	static const char *const of_types[] = {"alignas",  "_Alignas",	 "__attribute__", "typeof",
					       "decltype", "__typeof__", "sizeof",	  NULL};
	uint32_t open = s->t.v[close].match;

	if (open == PD_NO_TOKEN || !open || s->t.v[open - 1].kind != PD_TOKEN_NAME)
		return false;
	*head = open - 1;
	if (pd_token_is(s, *head, "constexpr") && *head)
		--*head;
	if (!pd_token_among(s, *head, heads))
		return s->t.v[close + 1].kind == PD_TOKEN_NAME &&
		       !pd_token_among(s, *head, of_types);
	if (pd_token_is(s, *head, "if") && *head && pd_token_is(s, *head - 1, "else"))
		--*head;
	return true;
}

static void set_head(const struct pd_source *s, struct pd_statement *st, uint32_t head)
{
	st->bare = true;
	st->head = head;
	st->loop = pd_token_among(s, head, loops);
}

static void find_first(const struct pd_source *s, uint32_t at, struct pd_statement *st)
{
	uint32_t i = at, head;

	while (i-- > 0) {
		if (is_sign(s, i, ';') || is_sign(s, i, '{') || is_sign(s, i, '}') ||
		    s->t.v[i].kind == PD_TOKEN_DIRECTIVE ||
		    (is_sign(s, i, ':') && ends_label(s, i)))
			break;
		if (pd_token_is(s, i, "else") || pd_token_is(s, i, "do")) {
			set_head(s, st, i);
			break;
		}
		if (is_sign(s, i, ')') && is_head(s, i, &head)) {
			set_head(s, st, head);
			break;
		}
		if ((is_sign(s, i, ')') || is_sign(s, i, ']')) && s->t.v[i].match != PD_NO_TOKEN)
			i = s->t.v[i].match;
	}
	st->first = i + 1;
}

/* ---- on to where it ends --------------------------------------------------------------------- */

static enum pd_no_remedy find_last(const struct pd_source *s, struct pd_statement *st)
{
	for (uint32_t i = st->first; i < s->t.n; i++) {
		if (is_sign(s, i, ';')) {
			st->last = i;
			return PD_NO_REMEDY_NONE;
		}
		if (s->t.v[i].kind == PD_TOKEN_DIRECTIVE)
			return PD_NO_REMEDY_DIRECTIVES;
		if (is_sign(s, i, ')') || is_sign(s, i, ']') || is_sign(s, i, '}'))
			break;
		if (is_sign(s, i, '(') || is_sign(s, i, '[') || is_sign(s, i, '{')) {
			if (s->t.v[i].match == PD_NO_TOKEN)
				break;
			for (uint32_t k = i; k < s->t.v[i].match; k++)
				if (s->t.v[k].kind == PD_TOKEN_DIRECTIVE)
					return PD_NO_REMEDY_DIRECTIVES;
			i = s->t.v[i].match;
		}
	}
	return PD_NO_REMEDY_STATEMENT;
}

/* ---- headers of loops ------------------------------------------------------------------------ */

/* "int i = 0", "struct s *p = q": two names, or a name and stars before one. */
static bool is_declaration(const struct pd_source *s, uint32_t first)
{
	uint32_t i = first + 1;

	while (pd_token_is(s, i, "*") || pd_token_is(s, i, "&") || pd_token_is(s, i, "::"))
		i++;
	return s->t.v[first].kind == PD_TOKEN_NAME && s->t.v[i].kind == PD_TOKEN_NAME;
}

/* The part of a for's header that contains a token: what comes first, or what follows each round.
 * The condition, and what C++ iterates over, are none. */
static enum pd_no_remedy find_part(const struct pd_source *s, uint32_t at, struct pd_statement *st)
{
	uint32_t part = 0, open = opened(s, at), close;

	while (!is_sign(s, open, '(') || !pd_token_is(s, open - 1, "for"))
		open = opened(s, open);
	close = s->t.v[open].match;
	st->first = open + 1;
	for (uint32_t i = open + 1; close != PD_NO_TOKEN && i <= close; i++) {
		if (i != close && !is_sign(s, i, ';')) {
			if (s->t.v[i].match != PD_NO_TOKEN && s->t.v[i].match > i)
				i = s->t.v[i].match;
			continue;
		}
		if (i > at) {
			st->last = i;
			break;
		}
		st->first = i + 1;
		part++;
	}
	st->header = true;
	if (!st->last || part == 1 || (part == 0 && is_sign(s, st->last, ')')) ||
	    is_declaration(s, st->first))
		return PD_NO_REMEDY_HEADER;
	return PD_NO_REMEDY_NONE;
}

enum pd_no_remedy pd_statement_find(const struct pd_source *s, uint32_t at, struct pd_statement *st)
{
	enum pd_no_remedy no;
	uint32_t out = at;

	*st = (struct pd_statement){0};
	if (s->t.v[at].kind == PD_TOKEN_DIRECTIVE)
		return PD_NO_REMEDY_DIRECTIVE;
	no = leave(s, &out);
	if (no == PD_NO_REMEDY_HEADER)
		return find_part(s, at, st);
	if (no)
		return no;
	find_first(s, out, st);
	if (pd_token_is(s, st->first, "co_return"))
		return PD_NO_REMEDY_RETURN;
	st->returned = pd_token_is(s, st->first, "return");
	if (pd_token_among(s, st->first, heads))
		return PD_NO_REMEDY_CONDITION;
	no = find_last(s, st);
	return !no && st->last <= at ? PD_NO_REMEDY_STATEMENT : no;
}

/* ---- around it ------------------------------------------------------------------------------- */

uint32_t pd_block_of(const struct pd_source *s, uint32_t at)
{
	uint32_t open = opened(s, at);

	while (open != PD_NO_TOKEN && !is_sign(s, open, '{'))
		open = opened(s, open);
	return open;
}

uint32_t pd_head_of(const struct pd_source *s, uint32_t at)
{
	uint32_t open = opened(s, at);

	while (open != PD_NO_TOKEN && is_sign(s, open, '(')) {
		if (open && pd_token_among(s, open - 1, heads))
			return pd_token_is(s, open - 1, "for") ? PD_NO_TOKEN : open;
		open = opened(s, open);
	}
	return PD_NO_TOKEN;
}

bool pd_statement_widen(const struct pd_source *s, struct pd_statement *st)
{
	struct pd_statement outer = {.last = st->last};
	uint32_t before = st->first - 1, head;

	if (st->first < 2)
		return false;
	if (!st->bare) {
		if (!is_sign(s, before, '{') || s->t.v[before].match != st->last + 1)
			return false;
		outer.last = st->last + 1;
		before--;
	}
	if (!is_sign(s, before, ')') || !is_head(s, before, &head) ||
	    !(pd_token_is(s, head, "if") || pd_token_is(s, head, "for")) ||
	    pd_token_is(s, outer.last + 1, "else"))
		return false;
	find_first(s, head, &outer);
	*st = outer;
	return !outer.bare && outer.first == head;
}

/* ---- functions ------------------------------------------------------------------------------- */

/* Between parameters and body there may be const, noexcept, attributes, member initialisers. */
static uint32_t body_of(const struct pd_source *s, uint32_t close)
{
	bool sets = false;

	for (uint32_t i = close + 1; i < s->t.n && i < close + 200; i++) {
		if (is_sign(s, i, '{')) {
			if (!sets || is_sign(s, i - 1, ')') || is_sign(s, i - 1, '}'))
				return i;
			if (s->t.v[i].match == PD_NO_TOKEN) /* member{value} */
				return PD_NO_TOKEN;
			i = s->t.v[i].match;
		} else if (is_sign(s, i, '(') && s->t.v[i].match != PD_NO_TOKEN) {
			i = s->t.v[i].match;
		} else if (is_sign(s, i, ':')) {
			sets = true;
		} else if (s->t.v[i].kind != PD_TOKEN_NAME && !(sets && is_sign(s, i, ',')) &&
			   !pd_token_is(s, i, "->") && !pd_token_is(s, i, "::")) {
			return PD_NO_TOKEN;
		}
	}
	return PD_NO_TOKEN;
}

bool pd_function_at(const struct pd_source *s, uint32_t name, struct pd_function *f)
{
	static const char *const not[] = {
		"if",	   "for",	    "while", "switch", "return", "sizeof",  "catch",
		"alignas", "__attribute__", "do",    "else",   "typeof", "defined", NULL};

	if (s->t.v[name].kind != PD_TOKEN_NAME || !is_sign(s, name + 1, '(') ||
	    pd_token_among(s, name, not))
		return false;
	*f = (struct pd_function){.name = name, .open = name + 1, .close = s->t.v[name + 1].match};
	if (f->close == PD_NO_TOKEN)
		return false;
	f->begin = body_of(s, f->close);
	f->end = f->begin == PD_NO_TOKEN ? PD_NO_TOKEN : s->t.v[f->begin].match;
	return f->end != PD_NO_TOKEN;
}

bool pd_function_around(const struct pd_source *s, uint32_t at, struct pd_function *f)
{
	for (uint32_t i = 0; i < at; i++)
		if (pd_function_at(s, i, f) && f->begin <= at && f->end >= at)
			return true;
	return false;
}

/* ---- arguments ------------------------------------------------------------------------------- */

bool pd_argument(const struct pd_source *s, uint32_t open, uint32_t nth, uint32_t *first,
		 uint32_t *last)
{
	uint32_t close = s->t.v[open].match, from = open + 1;

	if (close == PD_NO_TOKEN)
		return false;
	for (uint32_t i = open + 1; i <= close; i++) {
		if (i < close && (is_sign(s, i, '(') || is_sign(s, i, '[') || is_sign(s, i, '{')) &&
		    s->t.v[i].match != PD_NO_TOKEN) {
			i = s->t.v[i].match;
			continue;
		}
		if (i != close && !is_sign(s, i, ','))
			continue;
		if (!nth--) {
			*first = from;
			*last = i - 1;
			return i > from;
		}
		from = i + 1;
	}
	return false;
}

uint32_t pd_arguments(const struct pd_source *s, uint32_t open)
{
	uint32_t n = 0, first, last;

	while (n < 64 && pd_argument(s, open, n, &first, &last))
		n++;
	return n;
}
