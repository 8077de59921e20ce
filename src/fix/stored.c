/* stored.c - see stored.h. */
#include "fix/stored.h"
#include <string.h>

static const char *const assignments[] = {
	"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", NULL};
static const char *const steps[] = {"++", "--", NULL};
static const char *const members[] = {".", "->", "::", NULL};

/* ---- what can be written twice --------------------------------------------------------------- */

/* A function that only returns an expression without side effects. */
static bool is_pure(const struct pd_knowledge *k, const struct pd_known *f)
{
	const struct pd_source *s = f->in;

	if (f->macro) {
		const char *text = s->text + s->t.v[f->at].at;
		size_t n = s->t.v[f->at].n;

		return !memmem(text, n, "++", 2) && !memmem(text, n, "--", 2) &&
		       !memmem(text, n, " = ", 3) && !memmem(text, n, ";", 1);
	}
	if (f->declared || !pd_token_is(s, f->body + 1, "return"))
		return false;
	for (uint32_t i = f->body + 1; i < f->body + f->nbody; i++)
		if (pd_token_among(s, i, assignments) || pd_token_among(s, i, steps))
			return false;
	(void)k;
	return true;
}

bool pd_is_harmless_call(const struct pd_knowledge *k, uint32_t name)
{
	const struct pd_source *s = &k->source[0];
	static const char *const known[] = {
		"D_RW",	  "D_RO",    "pmemobj_direct", "sizeof",     "offsetof",
		"typeof", "alignof", "static_cast",    "__typeof__", "reinterpret_cast",
		"get",	  NULL};
	const struct pd_known *f = pd_known_find(k, s, name);

	return pd_token_among(s, name, known) || (f && is_pure(k, f));
}

bool pd_is_assignment(const struct pd_source *s, uint32_t i)
{
	return pd_token_among(s, i, assignments) || pd_token_among(s, i, steps);
}

bool pd_is_repeatable(const struct pd_knowledge *k, uint32_t first, uint32_t last)
{
	const struct pd_source *s = &k->source[0];

	for (uint32_t i = first; i <= last; i++) {
		if (pd_is_assignment(s, i) || s->t.v[i].kind == PD_TOKEN_DIRECTIVE)
			return false;
		if (s->t.v[i].kind == PD_TOKEN_NAME && pd_token_is(s, i + 1, "(") &&
		    i + 1 <= last && !pd_is_harmless_call(k, i))
			return false;
	}
	return true;
}

/* ---- expressions ----------------------------------------------------------------------------- */

/* Whether one pair of parentheses encloses the whole text. */
static bool is_enclosed(const char *s, size_t n)
{
	int depth = 0;

	if (n < 2 || s[0] != '(' || s[n - 1] != ')')
		return false;
	for (size_t i = 0; i < n; i++) {
		depth += s[i] == '(' ? 1 : s[i] == ')' ? -1 : 0;
		if (!depth && i + 1 < n)
			return false;
	}
	return true;
}

/* Whether a unary operator in front would apply to the whole text: names, members, elements,
 * calls. */
static bool is_postfix(const char *s)
{
	int depth = 0;

	for (; *s; s++) {
		depth += strchr("([{", *s) ? 1 : strchr(")]}", *s) ? -1 : 0;
		if (!depth && strchr(" +*/%&|^<=?,", *s) && !(s[0] == '&' || s[0] == '*'))
			return false;
		if (!depth && *s == '-' && s[1] != '>')
			return false;
		if (!depth && *s == '>' && s[-1] != '-')
			return false;
	}
	return true;
}

static const char *inside(struct pd_arena *a, const char *s)
{
	size_t n = strlen(s);

	while (is_enclosed(s, n)) {
		s++;
		n -= 2;
	}
	return pd_arena_strndup(a, s, n);
}

/* Whether a member is declared with a width: "name : 3;" */
static bool is_bit_field(const struct pd_knowledge *k, const char *name)
{
	for (uint32_t f = 0; f < k->nsource; f++) {
		const struct pd_source *s = &k->source[f];

		for (uint32_t i = 1; i + 3 < s->t.n; i++)
			if (pd_token_is(s, i, name) && pd_token_is(s, i + 1, ":") &&
			    s->t.v[i - 1].kind == PD_TOKEN_NAME &&
			    s->t.v[i + 2].kind == PD_TOKEN_NUMBER &&
			    (pd_token_is(s, i + 3, ";") || pd_token_is(s, i + 3, ",")))
				return true;
	}
	return false;
}

/* The object that contains a bit-field, which has no address of its own. */
static const char *around_bit_field(const struct pd_knowledge *k, const char *object)
{
	size_t n = strlen(object), m = n;

	while (m && (object[m - 1] == '_' || (object[m - 1] >= '0' && object[m - 1] <= '9') ||
		     (object[m - 1] >= 'a' && object[m - 1] <= 'z') ||
		     (object[m - 1] >= 'A' && object[m - 1] <= 'Z')))
		m--;
	if (m == n || !m || !is_bit_field(k, object + m))
		return object;
	if (object[m - 1] == '.')
		return pd_arena_strndup(k->arena, object, m - 1);
	if (m > 1 && object[m - 1] == '>' && object[m - 2] == '-')
		return pd_fix_print(k->arena, "*%.*s", (int)(m - 2), object);
	return object;
}

bool pd_stored_of_pointer(struct pd_arena *a, const char *expression, const char **pointer,
			  const char **size)
{
	const char *e = inside(a, expression);

	if (!e)
		return false;
	*pointer = e;
	if (e[0] == '&' && is_postfix(e + 1))
		*size = pd_fix_print(a, "sizeof(%s)", e + 1);
	else if (is_postfix(e))
		*size = pd_fix_print(a, "sizeof(*%s)", e);
	else
		*size = pd_fix_print(a, "sizeof(*(%s))", e);
	return *size;
}

/* "&x" and "sizeof(x)" for an expression that names an object. False: no memory. */
static bool stored_of_object(const struct pd_knowledge *k, const char *object, const char **pointer,
			     const char **size)
{
	struct pd_arena *a = k->arena;
	const char *o = inside(a, object);

	o = o ? around_bit_field(k, o) : NULL;
	if (!o)
		return false;
	*size = pd_fix_print(a, "sizeof(%s)", o);
	*pointer = o[0] == '*' ? inside(a, o + 1) : pd_fix_print(a, "&%s", o);
	return *size && *pointer;
}

/* ---- assignments ----------------------------------------------------------------------------- */

/* Where the object to the left of an operator begins. */
static uint32_t left_of(const struct pd_source *s, uint32_t op, const struct pd_statement *st)
{
	static const char *const ends[] = {",", "?", ":", "&&", "||", ";", "{", "}", NULL};
	uint32_t i = op, begin = st->first + st->returned;

	while (i > begin) {
		if (pd_token_among(s, i - 1, assignments) || pd_token_among(s, i - 1, ends) ||
		    pd_token_is(s, i - 1, "(") || pd_token_is(s, i - 1, "["))
			break;
		i--;
		if ((pd_token_is(s, i, ")") || pd_token_is(s, i, "]")) &&
		    s->t.v[i].match != PD_NO_TOKEN)
			i = PD_MAX(s->t.v[i].match, begin);
	}
	return i;
}

/* Where the object to the right of ++ or -- ends. */
static uint32_t right_of(const struct pd_source *s, uint32_t op, const struct pd_statement *st)
{
	static const char *const parts[] = {".", "->", "*", "&", "::", NULL};
	uint32_t i = op;

	while (i + 1 < st->last) {
		const struct pd_token *t = &s->t.v[i + 1];

		if ((pd_token_is(s, i + 1, "(") || pd_token_is(s, i + 1, "[")) &&
		    t->match != PD_NO_TOKEN)
			i = t->match;
		else if (t->kind == PD_TOKEN_NAME || pd_token_among(s, i + 1, parts))
			i++;
		else
			break;
	}
	return i;
}

/* How often a name is in a statement. */
static uint32_t uses_of(const struct pd_source *s, const struct pd_statement *st, uint32_t name)
{
	uint32_t n = 0;

	for (uint32_t i = st->first; i <= st->last; i++)
		n += pd_token_same(s, i, s, name);
	return n;
}

/* Of the tokens before `last`. */
static bool has_effects(const struct pd_knowledge *k, uint32_t first, uint32_t last)
{
	return first < last && !pd_is_repeatable(k, first, last - 1);
}

/*
 * An object with one ++ or -- of a variable, "slot[n++]", "*to++": as it is named once the
 * statement is done, "slot[n - 1]", "*(to - 1)". NULL: it has other effects, or the statement uses
 * the variable elsewhere, too.
 */
static const char *after_step(const struct pd_knowledge *k, uint32_t first, uint32_t last,
			      const struct pd_statement *st)
{
	const struct pd_source *s = &k->source[0];
	uint32_t op = first, from, to, name;
	const char *left, *right, *fmt;
	bool prefix, alone;

	while (op < last && !pd_token_among(s, op, steps))
		op++;
	prefix = op == first || s->t.v[op + 1].kind == PD_TOKEN_NAME;
	name = prefix ? op + 1 : op - 1;
	from = PD_MIN(op, name);
	to = PD_MAX(op, name);
	if (!pd_token_among(s, op, steps) || from < first || to > last ||
	    s->t.v[name].kind != PD_TOKEN_NAME || uses_of(s, st, name) != 1 ||
	    has_effects(k, first, from) || has_effects(k, to + 1, last + 1) ||
	    (from > first && pd_token_among(s, from - 1, members)) ||
	    pd_token_among(s, to + 1, members))
		return NULL;
	left = from > first ? pd_source_text(s, k->arena, first, from - 1) : "";
	right = to < last ? pd_source_text(s, k->arena, to + 1, last) : "";
	alone = from > first && pd_token_is(s, from - 1, "[") && pd_token_is(s, to + 1, "]");
	fmt = prefix ? "%s%.*s%s" : alone ? "%s%.*s %c 1%s" : "%s(%.*s %c 1)%s";
	if (prefix)
		return pd_fix_print(k->arena, fmt, left, (int)s->t.v[name].n,
				    s->text + s->t.v[name].at, right);
	return pd_fix_print(k->arena, fmt, left, (int)s->t.v[name].n, s->text + s->t.v[name].at,
			    pd_token_is(s, op, "++") ? '-' : '+', right);
}

static bool is_operand(const struct pd_source *s, uint32_t i)
{
	return s->t.v[i].kind == PD_TOKEN_NAME || pd_token_is(s, i, ")") || pd_token_is(s, i, "]");
}

static enum pd_no_remedy assigned(const struct pd_knowledge *k, uint32_t op,
				  const struct pd_statement *st, struct pd_stored *out)
{
	const struct pd_source *s = &k->source[0];
	const char *object;

	out->form = PD_STORE_ASSIGNED;
	out->op = op;
	if (pd_token_among(s, op, assignments) || (op > st->first && is_operand(s, op - 1))) {
		out->first = left_of(s, op, st);
		out->last = op - 1;
	} else {
		out->first = op + 1;
		out->last = right_of(s, op, st);
	}
	if (out->first > out->last)
		return PD_NO_REMEDY_STATEMENT;
	/* "struct s *p = ..." is a declaration: two adjacent names, or a name and a star */
	for (uint32_t i = out->first; i < out->last; i++) {
		if ((pd_token_is(s, i, "(") || pd_token_is(s, i, "[")) &&
		    s->t.v[i].match != PD_NO_TOKEN) /* of a cast, an index */
			i = s->t.v[i].match;
		else if (s->t.v[i].kind == PD_TOKEN_NAME &&
			 (s->t.v[i + 1].kind == PD_TOKEN_NAME || pd_token_is(s, i + 1, "*")))
			return PD_NO_REMEDY_INITIALISER;
	}
	out->stepped = !pd_is_repeatable(k, out->first, out->last);
	object = out->stepped ? after_step(k, out->first, out->last, st)
			      : pd_source_text(s, k->arena, out->first, out->last);
	if (!object)
		return PD_NO_REMEDY_EFFECTS;
	return stored_of_object(k, object, &out->pointer, &out->size) ? PD_NO_REMEDY_NONE
								      : PD_NO_REMEDY_STATEMENT;
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* The indices of the pointer and the size among the arguments; NO: the size of what it points to,
 * STRING: that of a string. */
enum { NO = 100, STRING = 101 };

struct call {
	const char *name; /* a '*' at the end matches anything */
	uint8_t pointer;
	uint8_t size;
	bool loads; /* it only loads */
};

static const struct call calls[] = {
	{"memcpy", 0, 2, false},
	{"memmove", 0, 2, false},
	{"memset", 0, 2, false},
	{"mempcpy", 0, 2, false},
	{"strcpy", 0, STRING, false},
	{"strcat", 0, STRING, false},
	{"stpcpy", 0, STRING, false},
	{"sprintf", 0, STRING, false},
	{"snprintf", 0, STRING, false},
	{"strncpy", 0, 2, false},
	{"pmem_memcpy*", 0, 2, false},
	{"pmem_memmove*", 0, 2, false},
	{"pmem_memset*", 0, 2, false},
	{"read", 1, 2, false},
	{"pread", 1, 2, false},
	{"recv", 1, 2, false},
	{"_mm_stream_*", 0, NO, false},
	{"_mm_store*", 0, NO, false},
	{"__atomic_load*", 0, NO, true},
	{"atomic_load*", 0, NO, true},
	{"__atomic_*", 0, NO, false},
	{"atomic_store*", 0, NO, false},
	{"atomic_exchange*", 0, NO, false},
	{"atomic_compare_*", 0, NO, false},
	{"atomic_fetch_*", 0, NO, false},
	{"atomic_init", 0, NO, false},
	{"__sync_*", 0, NO, false},
};

static bool has_name(const struct pd_source *s, uint32_t i, const char *name)
{
	size_t n = strlen(name);

	return name[n - 1] == '*'
		       ? s->t.v[i].n >= n - 1 && memcmp(s->text + s->t.v[i].at, name, n - 1) == 0
		       : pd_token_is(s, i, name);
}

static enum pd_no_remedy called(const struct pd_knowledge *k, uint32_t name, const struct call *c,
				struct pd_stored *out)
{
	const struct pd_source *s = &k->source[0];
	uint32_t open = name + 1, first, last, from, to;
	const char *text;

	out->form = c->loads ? PD_STORE_READ : PD_STORE_CALLED;
	if (!pd_argument(s, open, c->pointer, &first, &last))
		return PD_NO_REMEDY_STATEMENT;
	if (!pd_is_repeatable(k, first, last))
		return PD_NO_REMEDY_EFFECTS;
	out->first = first;
	out->last = last;
	out->size_argument = c->size >= NO ? UINT32_MAX : c->size;
	text = pd_source_text(s, k->arena, first, last);
	if (!text || !pd_stored_of_pointer(k->arena, text, &out->pointer, &out->size))
		return PD_NO_REMEDY_STATEMENT;
	if (c->size == STRING)
		out->size = pd_fix_print(k->arena, "strlen(%s) + 1", out->pointer);
	if (c->size >= NO)
		return PD_NO_REMEDY_NONE;
	if (!pd_argument(s, open, c->size, &from, &to))
		return PD_NO_REMEDY_STATEMENT;
	if (!pd_is_repeatable(k, from, to))
		return PD_NO_REMEDY_EFFECTS;
	out->size = pd_source_text(s, k->arena, from, to);
	return out->size ? PD_NO_REMEDY_NONE : PD_NO_REMEDY_STATEMENT;
}

/* x.store(v), p->fetch_add(1): takes the object before the dot. */
static enum pd_no_remedy method(const struct pd_knowledge *k, uint32_t name,
				const struct pd_statement *st, struct pd_stored *out)
{
	const struct pd_source *s = &k->source[0];
	uint32_t dot = name - 1, first = left_of(s, dot, st);
	const char *object;

	out->form = pd_token_is(s, name, "load") ? PD_STORE_READ : PD_STORE_CALLED;
	while (first < dot &&
	       (pd_token_is(s, first, "!") || pd_token_is(s, first, "return") ||
		(s->t.v[first].kind == PD_TOKEN_NAME && s->t.v[first + 1].kind == PD_TOKEN_NAME)))
		first++;
	if (first >= dot)
		return PD_NO_REMEDY_STATEMENT;
	if (!pd_is_repeatable(k, first, dot - 1))
		return PD_NO_REMEDY_EFFECTS;
	object = pd_source_text(s, k->arena, first, dot - 1);
	if (!object)
		return PD_NO_REMEDY_STATEMENT;
	return (pd_token_is(s, dot, "->")
			? pd_stored_of_pointer(k->arena, object, &out->pointer, &out->size)
			: stored_of_object(k, object, &out->pointer, &out->size))
		       ? PD_NO_REMEDY_NONE
		       : PD_NO_REMEDY_STATEMENT;
}

static bool is_name_char(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z');
}

/* The first use of a name in the body of a macro; NULL: none. */
static const char *first_use(const char *body, const char *end, const char *name, size_t n)
{
	for (const char *b = body; b + n <= end; b++)
		if (memcmp(b, name, n) == 0 && !is_name_char(b[n]) && !is_name_char(b[-1]))
			return b;
	return NULL;
}

/* What a macro does to its first parameter: stores through it as a pointer, or assigns to it as an
 * object. False: neither. */
static bool macro_target(const struct pd_known *f, bool *pointer)
{
	const char *at = f->in->text + f->in->t.v[f->at].at, *body = at + f->nbody;
	const char *open = strchr(at, '('), *end = at + f->in->t.v[f->at].n, *name, *use, *after;
	size_t n;

	if (!f->nbody || !open || memchr(body, ';', (size_t)(end - body)))
		return false;
	name = open + 1 + strspn(open + 1, " \t");
	n = strcspn(name, " \t,)");
	use = n ? first_use(body, end, name, n) : NULL;
	if (!use)
		return false;
	after = use + n + strspn(use + n, ") \t\\\n\r");
	while (use > body && strchr("( \t", use[-1]))
		use--;
	*pointer = use > body && use[-1] == '*';
	if (after[0] == '=' && after[1] != '=')
		return true;
	/* __atomic_store_n(p, ...), atomic_load(&(x)): it is the first argument of a call */
	if (use == body || !(is_name_char(use[-1]) || use[-1] == '&'))
		return false;
	*pointer = use[-1] != '&';
	return memmem(body, (size_t)(end - body), "atomic", 6) ||
	       memmem(body, (size_t)(end - body), "__sync_", 7) ||
	       memmem(body, (size_t)(end - body), "_mm_stream", 10);
}

static enum pd_no_remedy by_macro(const struct pd_knowledge *k, uint32_t name,
				  const struct pd_known *f, bool read, struct pd_stored *out)
{
	const struct pd_source *s = &k->source[0];
	uint32_t first, last;
	const char *text;
	bool pointer, made;

	out->form = read ? PD_STORE_READ : PD_STORE_CALLED;
	if (!macro_target(f, &pointer) || !pd_argument(s, name + 1, 0, &first, &last))
		return PD_NO_REMEDY_MACRO;
	if (!pd_is_repeatable(k, first, last))
		return PD_NO_REMEDY_EFFECTS;
	text = pd_source_text(s, k->arena, first, last);
	out->first = first;
	out->last = last;
	out->size_argument = UINT32_MAX;
	made = text && (pointer ? pd_stored_of_pointer(k->arena, text, &out->pointer, &out->size)
				: stored_of_object(k, text, &out->pointer, &out->size));
	return made ? PD_NO_REMEDY_NONE : PD_NO_REMEDY_STATEMENT;
}

static enum pd_no_remedy by_name(const struct pd_knowledge *k, uint32_t name,
				 const struct pd_statement *st, bool read, struct pd_stored *out)
{
	const struct pd_source *s = &k->source[0];
	const struct pd_known *f = pd_known_find(k, s, name);
	uint32_t first, last;

	if (f && f->macro)
		return by_macro(k, name, f, read, out);
	if (name && (pd_token_is(s, name - 1, ".") || pd_token_is(s, name - 1, "->")))
		return method(k, name, st, out);
	if ((pd_token_is(s, name, "write") || pd_token_is(s, name, "pwrite")) &&
	    pd_argument(s, name + 1, 0, &first, &last)) {
		out->form = PD_STORE_FILE;
		out->pointer = pd_source_text(s, k->arena, first, last);
		return out->pointer && pd_is_repeatable(k, first, last) ? PD_NO_REMEDY_NONE
									: PD_NO_REMEDY_EFFECTS;
	}
	for (size_t i = 0; i < PD_LEN(calls); i++)
		if (has_name(s, name, calls[i].name))
			return called(k, name, &calls[i], out);
	return PD_NO_REMEDY_NOT_FOUND;
}

/* A plain read of an object that begins, or whose last name is, at a token. */
static enum pd_no_remedy plain_read(const struct pd_knowledge *k, uint32_t at,
				    const struct pd_statement *st, struct pd_stored *out)
{
	const struct pd_source *s = &k->source[0];
	uint32_t first = at, last = at;
	const char *object;

	out->form = PD_STORE_READ;
	while (first > st->first + 1 && pd_token_among(s, first - 1, members)) {
		first -= 2;
		while (first > st->first &&
		       (pd_token_is(s, first, "]") || pd_token_is(s, first, ")")) &&
		       s->t.v[first].match != PD_NO_TOKEN)
			first = s->t.v[first].match - (s->t.v[first].match > st->first);
	}
	while (last + 1 < st->last) {
		if (pd_token_is(s, last + 1, "[") && s->t.v[last + 1].match != PD_NO_TOKEN)
			last = s->t.v[last + 1].match;
		else if (pd_token_among(s, last + 1, members))
			last += 2;
		else
			break;
	}
	if (s->t.v[first].kind != PD_TOKEN_NAME || first < st->first)
		return PD_NO_REMEDY_NOT_FOUND;
	if (!pd_is_repeatable(k, first, last))
		return PD_NO_REMEDY_EFFECTS;
	object = pd_source_text(s, k->arena, first, last);
	return object && stored_of_object(k, object, &out->pointer, &out->size)
		       ? PD_NO_REMEDY_NONE
		       : PD_NO_REMEDY_STATEMENT;
}

/* The only assignment of a statement: debug information names an assignment of structs by what is
 * assigned. */
static uint32_t only_assignment(const struct pd_source *s, const struct pd_statement *st)
{
	uint32_t op = PD_NO_TOKEN;

	for (uint32_t i = st->first; i < st->last; i++) {
		if (pd_token_is(s, i, "(") || pd_token_is(s, i, "[") || pd_token_is(s, i, "{"))
			i = s->t.v[i].match;
		else if (pd_token_is(s, i, ",") || (pd_token_is(s, i, "=") && op != PD_NO_TOKEN))
			return PD_NO_TOKEN;
		else if (pd_token_is(s, i, "="))
			op = i;
	}
	return op;
}

static enum pd_no_remedy constructed(const struct pd_knowledge *k, uint32_t name,
				     struct pd_stored *out)
{
	const char *object = pd_source_text(&k->source[0], k->arena, name, name);

	out->form = PD_STORE_CALLED;
	return object && stored_of_object(k, object, &out->pointer, &out->size)
		       ? PD_NO_REMEDY_NONE
		       : PD_NO_REMEDY_STATEMENT;
}

enum pd_no_remedy pd_stored_find(const struct pd_knowledge *k, uint32_t at,
				 const struct pd_statement *st, bool read, struct pd_stored *out)
{
	const struct pd_source *s = &k->source[0];
	enum pd_no_remedy no = PD_NO_REMEDY_NOT_FOUND;

	*out = (struct pd_stored){.size_argument = UINT32_MAX};
	at += pd_token_is(s, at, "::");
	while (s->t.v[at].kind == PD_TOKEN_NAME && pd_token_is(s, at + 1, "::")) /* std::memcpy */
		at += 2;
	if (st->constructor && !st->condition)
		return constructed(k, at, out);
	if (!read && (pd_token_among(s, at, assignments) || pd_token_among(s, at, steps)))
		return assigned(k, at, st, out);
	if (s->t.v[at].kind == PD_TOKEN_NAME && pd_token_is(s, at + 1, "("))
		no = by_name(k, at, st, read, out);
	/* Debug information may name a method call by its object: x.store(v) */
	for (uint32_t i = at; no == PD_NO_REMEDY_NOT_FOUND && i + 2 < st->last && i < at + 12;
	     i++) {
		static const char *const atomics[] = {"store",	   "exchange",	"load",
						      "fetch_add", "fetch_sub", "fetch_or",
						      "fetch_and", NULL};

		if (pd_token_is(s, i, ";"))
			break;
		if ((pd_token_is(s, i, ".") || pd_token_is(s, i, "->")) &&
		    pd_token_among(s, i + 1, atomics) && pd_token_is(s, i + 2, "("))
			return method(k, i + 1, st, out);
	}
	if (no == PD_NO_REMEDY_NOT_FOUND && read && s->t.v[at].kind == PD_TOKEN_NAME)
		return plain_read(k, at, st, out);
	if (no == PD_NO_REMEDY_NOT_FOUND && !read) {
		uint32_t op = only_assignment(s, st);

		return op != PD_NO_TOKEN && op < at ? assigned(k, op, st, out) : no;
	}
	return no;
}
