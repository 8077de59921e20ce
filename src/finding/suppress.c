/* suppress.c - see suppress.h. */
#include "finding/suppress.h"
#include "base/glob.h"
#include "event/name.h"

/* ---- parsing -------------------------------------------------------------------------------- */

struct span {
	const char *s;
	size_t n;
};

struct parser {
	struct pd_suppressions *list;
	const char *source;
	uint32_t line;
	struct span text; /* of the line */
	struct pd_suppression *entry;
	struct pd_text_error *err;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static struct span trim(struct span s)
{
	while (s.n && is_blank(s.s[0])) {
		s.s++;
		s.n--;
	}
	while (s.n && is_blank(s.s[s.n - 1]))
		s.n--;
	return s;
}

static bool fail_at(struct parser *p, uint32_t line, struct span got, const char *expected)
{
	*p->err = (struct pd_text_error){
		.line = line,
		.column = line == p->line ? (uint32_t)(got.s - p->text.s) + 1 : 1,
		.expected = expected,
		.got = got.s,
		.ngot = got.n,
		.nomem = !expected,
	};
	return false;
}

static bool fail(struct parser *p, struct span got, const char *expected)
{
	return fail_at(p, p->line, got, expected);
}

static bool kind_exists(const char *pattern)
{
	for (unsigned k = 0; k < PD_KIND_N; k++)
		if (pd_glob_name(pattern, pd_kind_info[k].name))
			return true;
	return false;
}

/* An entry without a kind would suppress findings that did not exist when it was written. */
static bool end_entry(struct parser *p)
{
	struct span name;

	if (!p->entry || p->entry->kind)
		return true;
	name = (struct span){p->entry->name, pd_text_len(p->entry->name)};
	return fail_at(p, p->entry->line, name, "a line 'kind = PATTERN' in this entry");
}

static bool begin_entry(struct parser *p, struct span s)
{
	struct pd_suppressions *list = p->list;
	struct span name = {s.s + 1, s.n - 1};

	if (!end_entry(p))
		return false;
	if (s.s[s.n - 1] != ']' || s.n < 2)
		return fail(p, s, "']' at the end of the entry's name");
	name.n--;
	name = trim(name);
	if (!name.n)
		return fail(p, s, "a name between '[' and ']'");
	for (uint32_t i = 0; i < list->items.n; i++)
		if (pd_text_is(name.s, name.n, list->items.v[i].name))
			return fail(p, name, "a name that no other entry has");
	p->entry = pd_vec_push(&list->items, list->arena);
	if (!p->entry)
		return fail(p, s, NULL);
	*p->entry = (struct pd_suppression){
		.name = pd_arena_strndup(list->arena, name.s, name.n),
		.source = p->source,
		.line = p->line,
	};
	return p->entry->name ? true : fail(p, s, NULL);
}

static const char **pattern_of(struct pd_suppression *e, struct span key)
{
	const struct {
		const char *key;
		const char **place;
	} table[] = {
		{"kind", &e->kind},	    {"id", &e->id},	    {"field", &e->field},
		{"library", &e->library},   {"role", &e->role},	    {"file", &e->file},
		{"function", &e->function}, {"caller", &e->caller},
	};

	for (size_t i = 0; i < PD_LEN(table); i++)
		if (pd_text_is(key.s, key.n, table[i].key))
			return table[i].place;
	return NULL;
}

/* Splits the line number off "file.c:12"; a ':' without a digit after it is part of the name. */
static bool split_line(struct parser *p, struct span *value)
{
	size_t colon = value->n;
	uint64_t line;

	while (colon && value->s[colon - 1] != ':')
		colon--;
	if (!colon || (colon < value->n && (value->s[colon] < '0' || value->s[colon] > '9')))
		return true;
	if (colon == 1 || !pd_text_number(value->s + colon, value->n - colon, UINT32_MAX, &line) ||
	    !line)
		return fail(p, *value, "FILE or FILE:LINE");
	p->entry->file_line = (uint32_t)line;
	value->n = colon - 1;
	return true;
}

static bool check_value(struct parser *p, const char **place, struct span value)
{
	struct pd_suppression *e = p->entry;
	uint64_t id;

	if (place == &e->kind && !kind_exists(*place))
		return fail(p, value,
			    "a kind, or a pattern that matches one, such as 'lint/extra-*'");
	if (place == &e->role && pd_role_find(*place) == PD_ROLE_N)
		return fail(p, value, "a role such as 'store' or 'load'");
	if (place == &e->id && !pd_finding_id_parse(*place, &id))
		return fail(p, value, "an id of ten hex digits");
	return true;
}

static bool parse_pattern(struct parser *p, struct span s)
{
	struct span key = s, value;
	const char **place;

	for (key.n = 0; key.n < s.n && s.s[key.n] != '='; key.n++)
		;
	if (key.n == s.n)
		return fail(p, s, "'[NAME]', 'KEY = PATTERN' or a '#' comment");
	value = trim((struct span){s.s + key.n + 1, s.n - key.n - 1});
	key = trim(key);
	if (!p->entry)
		return fail(p, key, "an entry's '[NAME]' before its patterns");
	place = pattern_of(p->entry, key);
	if (!place)
		return fail(p, key, "kind, id, field, library, role, function, file or caller");
	if (*place)
		return fail(p, key, "this key only once in an entry");
	if (!value.n)
		return fail(p, (struct span){key.s, s.n}, "a pattern after '='");
	if (place == &p->entry->file && !split_line(p, &value))
		return false;
	*place = pd_arena_strndup(p->list->arena, value.s, value.n);
	return *place ? check_value(p, place, value) : fail(p, value, NULL);
}

static bool parse_line(struct parser *p)
{
	struct span s = trim(p->text);

	for (size_t i = 0; i < s.n; i++)
		if (!s.s[i])
			return fail(p, (struct span){s.s + i, 0}, "text, not a binary file");
	if (!s.n || s.s[0] == '#')
		return true;
	return s.s[0] == '[' ? begin_entry(p, s) : parse_pattern(p, s);
}

static bool parse_text(struct parser *p, const char *text, size_t n)
{
	for (size_t at = 0; at < n; at++) {
		size_t from = at;

		while (at < n && text[at] != '\n')
			at++;
		p->line++;
		p->text = (struct span){text + from, at - from};
		if (!parse_line(p))
			return false;
	}
	p->line++;
	return end_entry(p);
}

void pd_suppress_init(struct pd_suppressions *s, struct pd_arena *a)
{
	memset(s, 0, sizeof(*s));
	s->arena = a;
}

bool pd_suppress_parse(struct pd_suppressions *s, const char *source, const char *text, size_t n,
		       struct pd_text_error *err)
{
	struct parser p = {.list = s, .err = err};
	uint32_t before = s->items.n;
	bool ok;

	p.source = pd_arena_strndup(s->arena, source, pd_text_len(source));
	ok = p.source ? parse_text(&p, text, n) : fail(&p, p.text, NULL);
	if (!ok)
		s->items.n = before;
	return ok;
}

/* ---- matching ------------------------------------------------------------------------------- */

static bool matches(const char *pattern, const char *s)
{
	return !pattern || (s && pd_glob_name(pattern, s));
}

static bool file_matches(const char *pattern, const char *path)
{
	if (!pattern)
		return true;
	if (!path)
		return false;
	if (pd_glob_name(pattern, path))
		return true;
	for (; *path; path++)
		if (*path == '/' && pd_glob_name(pattern, path + 1))
			return true;
	return false;
}

/* A pattern without wildcards may be a name with all that reports leave out: parameters, template
 * arguments. */
static bool function_matches(const char *pattern, const char *name)
{
	char plain[PD_NAME_MAX];

	if (matches(pattern, name))
		return true;
	for (const char *p = pattern; *p; p++)
		if (*p == '*' || *p == '?')
			return false;
	return name && pd_name_plain(pattern, plain, sizeof(plain)) &&
	       pd_text_cmp(plain, name) == 0;
}

static bool caller_matches(const char *pattern, const struct pd_finding_site *s)
{
	if (!pattern)
		return true;
	for (uint32_t i = 0; i < s->nstack; i++)
		if (function_matches(pattern, s->stack[i].function))
			return true;
	return false;
}

static bool site_matches(const struct pd_suppression *e, const struct pd_finding_site *s)
{
	return (!e->role || pd_text_cmp(e->role, pd_role_info[s->role].name) == 0) &&
	       function_matches(e->function, s->at.function) && file_matches(e->file, s->at.file) &&
	       (!e->file_line || e->file_line == s->at.line) && caller_matches(e->caller, s);
}

static bool any_site_matches(const struct pd_suppression *e, const struct pd_finding *f)
{
	if (!e->role && !e->function && !e->file && !e->caller)
		return true;
	for (uint32_t i = 0; i < f->nsites; i++)
		if (site_matches(e, &f->sites[i]))
			return true;
	return false;
}

static bool id_matches(const char *id, const struct pd_finding *f)
{
	uint64_t want;

	return !id ||
	       (pd_finding_id_parse(id, &want) && want == (f->id ? f->id : pd_finding_id(f)));
}

struct pd_suppression *pd_suppress_match(struct pd_suppressions *s, const struct pd_finding *f)
{
	for (uint32_t i = 0; i < s->items.n; i++) {
		struct pd_suppression *e = &s->items.v[i];

		if (!matches(e->kind, pd_kind_info[f->kind].name) || !id_matches(e->id, f) ||
		    !matches(e->field, f->field) || !matches(e->library, f->library) ||
		    !any_site_matches(e, f))
			continue;
		e->uses++;
		return e;
	}
	return NULL;
}

/*
 * by_id keeps the suppressed ones, so that a finding that is added again later is only counted
 * there.
 */
void pd_findings_suppress(struct pd_findings *fs, struct pd_suppressions *s)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < fs->items.n; i++) {
		if (pd_suppress_match(s, fs->items.v[i]))
			fs->suppressed++;
		else
			fs->items.v[kept++] = fs->items.v[i];
	}
	fs->items.n = kept;
}

const struct pd_suppression *pd_suppress_unused(const struct pd_suppressions *s, uint32_t *at)
{
	while (*at < s->items.n) {
		const struct pd_suppression *e = &s->items.v[(*at)++];

		if (!e->uses)
			return e;
	}
	return NULL;
}

/* ---- making --------------------------------------------------------------------------------- */

/* Prints a name on one line, without characters that would end it. */
static void put_name(struct pd_out *o, const char *s)
{
	for (; s && *s; s++)
		pd_outf(o, "%c",
			*s == ']'		  ? ')'
			: *s == '['		  ? '('
			: (unsigned char)*s < ' ' ? ' '
						  : *s);
}

/* The first site that is part of the id, if there is one. */
static const struct pd_finding_site *main_site(const struct pd_finding *f)
{
	for (uint32_t i = 0; i < f->nsites; i++)
		if (pd_role_info[f->sites[i].role].identifies)
			return &f->sites[i];
	return f->nsites ? &f->sites[0] : NULL;
}

/* The caller, if there is just one; NULL: none, or it does not matter. */
static const struct pd_finding_site *only_caller(const struct pd_finding *f)
{
	const struct pd_finding_site *s = NULL;

	for (uint32_t i = 0; i < f->nsites; i++) {
		if (f->sites[i].role != PD_ROLE_CALLER || !f->sites[i].at.function)
			continue;
		if (s)
			return NULL;
		s = &f->sites[i];
	}
	return s;
}

void pd_suppress_print(struct pd_out *o, const struct pd_finding *f)
{
	const struct pd_finding_site *s = main_site(f);
	bool place = s && (s->at.file || s->at.function);

	pd_outs(o, "# ");
	put_name(o, f->message ? f->message : pd_kind_info[f->kind].doc);
	pd_outs(o, "\n["); /* names must be unique, and ids are */
	pd_finding_id_print(o, f->id);
	if (place) {
		pd_outs(o, " in ");
		put_name(o, s->at.function ? s->at.function : pd_text_base(s->at.file));
	}
	pd_outf(o, "]\nkind = %s\n", pd_kind_info[f->kind].name);
	if (f->library)
		pd_outf(o, "library = %s\n", f->library);
	if (place)
		pd_outf(o, "role = %s\n", pd_role_info[s->role].name);
	if (place && s->at.function)
		pd_outf(o, "function = %s\n", s->at.function);
	if (place && s->at.file)
		pd_outf(o, "file = %s:%u\n", pd_text_base(s->at.file), s->at.line);
	if (place && (s = only_caller(f)))
		pd_outf(o, "caller = %s\n", s->at.function);
	/*
	 * Without a place the entry is for this very finding. With one, the id is a comment, for a
	 * user who wants just this finding. Failures after crashes may have one place for several
	 * bugs, that of a function that stores for others: then the id stays.
	 */
	pd_outs(o, place && !pd_kind_own_name(f->kind, "crash") ? "# id = " : "id = ");
	pd_finding_id_print(o, f->id);
	pd_outs(o, "\n\n");
}
