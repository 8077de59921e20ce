/* depends.c - see depends.h. */
#include "fix/depends.h"

static bool is_name(const struct pd_source *s, uint32_t i)
{
	return s->t.v[i].kind == PD_TOKEN_NAME;
}

/* From one token to another, both in it. */
struct range {
	uint32_t first, last;
};

static bool has_name(const struct pd_source *s, struct range r, uint32_t name)
{
	for (uint32_t i = r.first; i <= r.last; i++)
		if (is_name(s, i) && pd_token_same(s, i, s, name))
			return true;
	return false;
}

/* The name of an object: its last one that is in no brackets. PD_NO_TOKEN: it has none. */
static uint32_t name_of(const struct pd_source *s, struct range object)
{
	uint32_t found = PD_NO_TOKEN;

	for (uint32_t i = object.first; i <= object.last; i++) {
		if (pd_token_is(s, i, "[") && s->t.v[i].match != PD_NO_TOKEN)
			i = s->t.v[i].match;
		else if (is_name(s, i))
			found = i;
	}
	return found;
}

/* The variable that an assignment or a step changes; PD_NO_TOKEN: not understood. */
static uint32_t changed_by(const struct pd_source *s, uint32_t op)
{
	uint32_t i = op - 1;

	while (pd_token_is(s, i, "]") && s->t.v[i].match != PD_NO_TOKEN)
		i = s->t.v[i].match - 1;
	if (is_name(s, i))
		return i;
	for (i = op + 1;
	     is_name(s, i) && pd_token_among(s, i + 1, (const char *const[]){".", "->", NULL});)
		i += 2;
	return is_name(s, i) ? i : PD_NO_TOKEN;
}

/* Nothing in it leaves the block, calls what is not known, or stores what `kept` has names of.
 * `own`: a call that is known to store only. */
static bool leaves_alone(const struct pd_knowledge *k, struct range r, struct range kept,
			 uint32_t own)
{
	static const char *const ways_out[] = {"return", "goto", "break", "continue",
					       "{",	 "}",	 NULL};
	const struct pd_source *s = &k->source[0];

	for (uint32_t i = r.first; i <= r.last; i++) {
		if (s->t.v[i].kind == PD_TOKEN_DIRECTIVE || pd_token_among(s, i, ways_out))
			return false;
		if (is_name(s, i) && pd_token_is(s, i + 1, "(") && i != own &&
		    !pd_is_harmless_call(k, i) && !pd_known_does(k, s, i))
			return false;
		if (pd_is_assignment(s, i)) {
			uint32_t name = changed_by(s, i);

			if (name == PD_NO_TOKEN || has_name(s, kept, name))
				return false;
		}
	}
	return true;
}

static bool is_plain(const struct pd_storing *x)
{
	return !x->st.bare && !x->st.returned && !x->st.constructor && x->o.first &&
	       x->o.form != PD_STORE_READ && x->o.form != PD_STORE_FILE;
}

/* Of a store by a call: its name, which comes right before the arguments. */
static uint32_t call_of(const struct pd_storing *x)
{
	return x->o.form == PD_STORE_CALLED ? x->st.first : PD_NO_TOKEN;
}

bool pd_may_move(const struct pd_knowledge *k, const struct pd_storing *first,
		 const struct pd_storing *second)
{
	const struct pd_source *s = &k->source[0];
	struct range moved = {first->st.first, first->st.last},
		     over = {first->st.last + 1, second->st.last};
	uint32_t stored, other;

	if (!is_plain(first) || !is_plain(second) || first->st.last >= second->st.first ||
	    pd_block_of(s, first->st.first) != pd_block_of(s, second->st.first))
		return false;
	stored = name_of(s, (struct range){first->o.first, first->o.last});
	other = name_of(s, (struct range){second->o.first, second->o.last});
	if (stored == PD_NO_TOKEN || other == PD_NO_TOKEN || has_name(s, over, stored) ||
	    has_name(s, moved, other))
		return false;
	return leaves_alone(k, over, moved, call_of(second)) &&
	       leaves_alone(k, moved, (struct range){1, 0}, call_of(first));
}

/* "for (T i = ...; ...; i++)": it changes what it declares itself. */
static bool is_own_loop(const struct pd_knowledge *k, uint32_t open, uint32_t close)
{
	const struct pd_source *s = &k->source[0];
	uint32_t set = open + 1;

	while (set < close && !pd_token_is(s, set, "=") && !pd_token_is(s, set, ";"))
		set++;
	if (set < open + 3 || !pd_token_is(s, set, "=") || !is_name(s, set - 1) ||
	    !(is_name(s, set - 2) || pd_token_is(s, set - 2, "*")))
		return false;
	for (uint32_t i = set + 1; i < close; i++) {
		if (is_name(s, i) && pd_token_is(s, i + 1, "(") && !pd_is_harmless_call(k, i))
			return false;
		if (pd_is_assignment(s, i) && !pd_token_same(s, i - 1, s, set - 1) &&
		    !pd_token_same(s, i + 1, s, set - 1))
			return false;
	}
	return true;
}

bool pd_head_is_idle(const struct pd_knowledge *k, const struct pd_statement *st)
{
	const struct pd_source *s = &k->source[0];
	uint32_t open = st->first + 1, close = s->t.v[open].match;

	if (!pd_token_is(s, open, "(") || close == PD_NO_TOKEN)
		return false;
	return pd_token_is(s, st->first, "for") ? is_own_loop(k, open, close)
						: pd_is_repeatable(k, open + 1, close - 1);
}
