/* reading.c - see reading.h. */
#include "fix/reading.h"
#include <string.h>

/* The '{' of what a condition leads to; PD_NO_TOKEN: it has none. */
static uint32_t block_behind(const struct pd_source *s, uint32_t head, uint32_t next)
{
	uint32_t begin;

	if (pd_token_is(s, next, "{"))
		return next;
	if (!head || !pd_token_is(s, head, "while") || !pd_token_is(s, head - 1, "}") ||
	    !pd_token_is(s, next, ";"))
		return PD_NO_TOKEN;
	begin = s->t.v[head - 1].match;
	return begin != PD_NO_TOKEN && begin && pd_token_is(s, begin - 1, "do") ? begin
										: PD_NO_TOKEN;
}

bool pd_reading_place(const struct pd_source *s, uint32_t at, struct pd_statement *st,
		      struct pd_statement *condition)
{
	uint32_t open = pd_head_of(s, at), head, next, begin;

	if (open == PD_NO_TOKEN || s->t.v[open].match == PD_NO_TOKEN)
		return false;
	head = open - 1;
	next = s->t.v[open].match + 1;
	*condition = (struct pd_statement){.first = open + 1, .last = next - 1};
	if (pd_token_is(s, head, "switch"))
		return false;
	begin = block_behind(s, head, next);
	if (begin != PD_NO_TOKEN) {
		*st = (struct pd_statement){
			.first = begin, .last = begin, .constructor = true, .condition = true};
		return true;
	}
	if (pd_token_is(s, next, ";")) {
		*st = (struct pd_statement){.first = head, .last = next};
		return head && (pd_token_is(s, head - 1, ";") || pd_token_is(s, head - 1, "{") ||
				pd_token_is(s, head - 1, "}"));
	}
	if (pd_statement_find(s, next, st) || !st->bare || st->first != next)
		return false;
	st->ahead = st->condition = true;
	st->returned = false; /* nothing is put behind it */
	return true;
}

static bool is_name_char(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z');
}

/* Whether an expression contains a name, not as that of a member. */
static bool contains(const char *expression, const char *name, size_t n)
{
	const char *p = expression;

	while ((p = memmem(p, strlen(p), name, n))) {
		bool begins =
			p == expression || !(is_name_char(p[-1]) || p[-1] == '.' ||
					     (p[-1] == '>' && p - 1 > expression && p[-2] == '-'));

		if (begins && !is_name_char(p[n]))
			return true;
		p++;
	}
	return false;
}

bool pd_reading_changes(const struct pd_source *s, const struct pd_statement *st,
			const char *expression)
{
	for (uint32_t i = st->first + 1; i < st->last; i++) {
		const struct pd_token *t = &s->t.v[i - 1];
		bool member = i > st->first + 1 &&
			      (pd_token_is(s, i - 2, "->") || pd_token_is(s, i - 2, "."));

		if (pd_token_is(s, i, "=") && t->kind == PD_TOKEN_NAME && !member &&
		    contains(expression, s->text + t->at, t->n))
			return true;
	}
	return false;
}
