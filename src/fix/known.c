/* known.c - see known.h. */
#include "fix/known.h"
#include "finding/place.h"
#include <stdio.h>
#include <string.h>

/* ---- files ---------------------------------------------------------------------------------- */

static bool has_path(const struct pd_knowledge *k, const char *path)
{
	for (uint32_t i = 0; i < k->nsource; i++)
		if (strcmp(k->source[i].path, path) == 0)
			return true;
	return false;
}

static bool read_source(struct pd_knowledge *k, const char *path, pd_fix_reader *read, void *arg)
{
	struct pd_source *s = &k->source[k->nsource];
	const char *text;
	size_t n;

	if (k->nsource == PD_FIX_FILES || has_path(k, path))
		return false;
	text = read(arg, k->arena, path, &n);
	if (!text)
		return false;
	k->nomem |= !pd_source_init(s, k->arena, path, text, n);
	k->nsource += !k->nomem;
	return !k->nomem;
}

static const char *directive(const struct pd_source *s, uint32_t i, const char *name)
{
	const char *p = s->text + s->t.v[i].at + 1;

	p += strspn(p, " \t");
	if (strncmp(p, name, strlen(name)) != 0)
		return NULL;
	p += strlen(name);
	return p + strspn(p, " \t");
}

static void note_system(struct pd_includes *has, const char *name, size_t n)
{
	static const char *const intrinsics[] = {"emmintrin.h", "immintrin.h", "x86intrin.h"};

	for (size_t i = 0; i < PD_LEN(intrinsics); i++)
		has->intrinsics |=
			n == strlen(intrinsics[i]) && memcmp(name, intrinsics[i], n) == 0;
	has->pmem |= n == 9 && memcmp(name, "libpmem.h", n) == 0;
	has->pmemobj |= n >= 10 && memcmp(name, "libpmemobj", 10) == 0;
	has->mman |= n == 10 && memcmp(name, "sys/mman.h", n) == 0;
}

static void follow_includes(struct pd_knowledge *k, const struct pd_source *s, pd_fix_reader *read,
			    void *arg)
{
	const char *slash = strrchr(s->path, '/');

	for (uint32_t i = 0; i < s->t.n; i++) {
		const char *p =
			s->t.v[i].kind == PD_TOKEN_DIRECTIVE ? directive(s, i, "include") : NULL;
		size_t n = p && (*p == '"' || *p == '<') ? strcspn(p + 1, "\">\n") : 0;

		if (n)
			note_system(&k->includes, p + 1, n);
		if (n && *p == '"')
			read_source(k,
				    pd_fix_print(k->arena, "%.*s%.*s",
						 slash ? (int)(slash + 1 - s->path) : 0, s->path,
						 (int)n, p + 1),
				    read, arg);
	}
}

/* ---- what it does ---------------------------------------------------------------------------- */

static bool has_word(const char *text, size_t n, const char *word)
{
	return memmem(text, n, word, strlen(word)) != NULL;
}

/* What a function of the compiler or PMDK does, by its name. */
static uint8_t does_by_nature(const char *s, size_t n)
{
	static const struct {
		const char *name;
		uint8_t does;
	} all[] = {
		{"_mm_clwb", PD_DOES_FLUSH},
		{"_mm_clflushopt", PD_DOES_FLUSH},
		{"_mm_clflush", PD_DOES_FLUSH},
		{"__builtin_ia32_clwb", PD_DOES_FLUSH},
		{"__builtin_ia32_clflushopt", PD_DOES_FLUSH},
		{"__builtin_ia32_clflush", PD_DOES_FLUSH},
		{"pmem_flush", PD_DOES_FLUSH},
		{"pmemobj_flush", PD_DOES_FLUSH},
		{"_mm_sfence", PD_DOES_FENCE},
		{"_mm_mfence", PD_DOES_FENCE},
		{"__builtin_ia32_sfence", PD_DOES_FENCE},
		{"__builtin_ia32_mfence", PD_DOES_FENCE},
		{"__sync_synchronize", PD_DOES_FENCE},
		{"pmem_drain", PD_DOES_FENCE},
		{"pmemobj_drain", PD_DOES_FENCE},
		{"pmem_persist", PD_DOES_BOTH},
		{"pmem_msync", PD_DOES_BOTH},
		{"pmemobj_persist", PD_DOES_BOTH},
	};

	for (size_t i = 0; i < PD_LEN(all); i++)
		if (n == strlen(all[i].name) && memcmp(s, all[i].name, n) == 0)
			return all[i].does;
	return 0;
}

static bool has_letters(const char *s, const char *word)
{
	return strcasestr(s, word) != NULL;
}

/* What a function without a body does. */
static uint8_t does_by_name(const char *name)
{
	if (!pd_place_is_wrapper(name))
		return 0;
	if (has_letters(name, "persist") || has_letters(name, "sync"))
		return PD_DOES_BOTH;
	if (has_letters(name, "fence") || has_letters(name, "barrier") ||
	    (has_letters(name, "drain") && !has_letters(name, "nodrain")))
		return PD_DOES_FENCE;
	return has_letters(name, "flush") || has_letters(name, "wb") ? PD_DOES_FLUSH : 0;
}

static uint8_t does_in_assembly(const char *s, size_t n)
{
	uint8_t does = 0;

	if (has_word(s, n, "clwb") || has_word(s, n, "clflush") || has_word(s, n, "xsaveopt"))
		does |= PD_DOES_FLUSH;
	if (has_word(s, n, "sfence") || has_word(s, n, "mfence"))
		does |= PD_DOES_FENCE;
	return does;
}

/* What a macro does, by its text. */
static uint8_t does_by_words(const char *s, size_t n)
{
	uint8_t does = does_in_assembly(s, n);

	if (has_word(s, n, "persist"))
		return PD_DOES_BOTH;
	does |= has_word(s, n, "flush") ? PD_DOES_FLUSH : 0;
	return does | (has_word(s, n, "fence") || has_word(s, n, "drain") ? PD_DOES_FENCE : 0);
}

const struct pd_known *pd_known_find(const struct pd_knowledge *k, const struct pd_source *s,
				     uint32_t name)
{
	const struct pd_known *best = NULL;

	for (uint32_t i = 0; i < k->known.n; i++) {
		const struct pd_known *f = &k->known.v[i];

		if (!pd_token_is(s, name, f->name))
			continue;
		if (!best || (f->macro && !best->macro) || (!f->declared && best->declared))
			best = f;
	}
	return best;
}

uint8_t pd_known_does(const struct pd_knowledge *k, const struct pd_source *s, uint32_t name)
{
	const struct pd_token *t = &s->t.v[name];
	uint8_t does = does_by_nature(s->text + t->at, t->n);
	const struct pd_known *f = does ? NULL : pd_known_find(k, s, name);
	char text[128];

	if (does)
		return does;
	if (f)
		return f->does;
	snprintf(text, sizeof(text), "%.*s", (int)PD_MIN(t->n, 120u), s->text + t->at);
	return does_by_name(text);
}

static uint8_t does_in_body(const struct pd_knowledge *k, const struct pd_known *f)
{
	const struct pd_source *s = f->in;
	uint8_t does = 0;

	if (f->macro) { /* a single token: judged by its text */
		const struct pd_token *t = &s->t.v[f->at];

		return does_by_words(s->text + t->at + (f->nbody ? f->nbody : t->n),
				     f->nbody ? t->n - f->nbody : 0);
	}
	for (uint32_t i = f->body; i < f->body + f->nbody; i++) {
		const struct pd_token *t = &s->t.v[i];
		uint8_t now = 0;

		if (t->kind == PD_TOKEN_STRING)
			now = does_in_assembly(s->text + t->at, t->n);
		else if (t->kind == PD_TOKEN_NAME && pd_token_is(s, i + 1, "("))
			now = pd_known_does(k, s, i);
		/* A fence counts only after a flush. */
		does = now == PD_DOES_FLUSH ? PD_DOES_FLUSH : does | now;
	}
	return does;
}

/* ---- how it is called ------------------------------------------------------------------------ */

static bool mentions(const struct pd_source *s, uint32_t first, uint32_t last, const char *text)
{
	for (uint32_t i = first; i <= last; i++)
		if (pd_token_is(s, i, text))
			return true;
	return false;
}

/* The cast to the type of a parameter: the tokens before its name. */
static const char *cast_to(struct pd_arena *a, const struct pd_source *s, uint32_t first,
			   uint32_t last)
{
	bool named = last > first && s->t.v[last].kind == PD_TOKEN_NAME &&
		     !pd_token_is(s, last, "const") && !pd_token_is(s, last, "volatile");

	if (mentions(s, first, last, "void"))
		return "";
	return pd_fix_print(a, "(%s)", pd_source_text(s, a, first, last - named));
}

static bool is_integer(const struct pd_source *s, uint32_t first, uint32_t last)
{
	static const char *const types[] = {"size_t",	"int",	    "unsigned", "long",
					    "uint32_t", "uint64_t", "ssize_t",	"int64_t",
					    "uint16_t", NULL};

	if (mentions(s, first, last, "*") || mentions(s, first, last, "&"))
		return false;
	for (uint32_t i = first; i <= last; i++)
		if (pd_token_among(s, i, types))
			return true;
	return false;
}

static bool is_address(const struct pd_source *s, uint32_t first, uint32_t last)
{
	return (mentions(s, first, last, "*") && !mentions(s, first, last, "(")) ||
	       mentions(s, first, last, "uintptr_t");
}

static void set_form(struct pd_knowledge *k, struct pd_known *f, uint32_t open)
{
	const struct pd_source *s = f->in;
	uint32_t n = pd_arguments(s, open), a, b, c, d;

	f->form = PD_CALL_OTHER;
	if (n == 0 ||
	    (n == 1 && pd_argument(s, open, 0, &a, &b) && a == b && pd_token_is(s, a, "void"))) {
		f->form = PD_CALL_NOTHING;
	} else if (n == 2 && pd_argument(s, open, 0, &a, &b) && pd_argument(s, open, 1, &c, &d) &&
		   is_address(s, a, b) && is_integer(s, c, d)) {
		f->form = PD_CALL_RANGE;
		f->cast = cast_to(k->arena, s, a, b);
	}
}

/* ---- collecting ------------------------------------------------------------------------------ */

static struct pd_known *add(struct pd_knowledge *k, const struct pd_source *s, uint32_t at,
			    const char *name, size_t n)
{
	struct pd_known *f = pd_vec_push(&k->known, k->arena);

	k->nomem |= !f;
	if (f)
		*f = (struct pd_known){
			.name = pd_arena_strndup(k->arena, name, n), .in = s, .at = at, .cast = ""};
	k->nomem |= f && !f->name;
	return k->nomem ? NULL : f;
}

static void add_macro(struct pd_knowledge *k, const struct pd_source *s, uint32_t i)
{
	const char *p = directive(s, i, "define");
	size_t n = p ? strcspn(p, " \t(\n") : 0;
	struct pd_known *f = n ? add(k, s, i, p, n) : NULL;

	if (!f)
		return;
	f->macro = true;
	if (p[n] == '(' && strchr(p, ')')) {
		const char *close = strchr(p, ')'),
			   *comma = memchr(p + n, ',', (size_t)(close - p) - n);

		f->nbody = (uint32_t)(close + 1 - (s->text + s->t.v[i].at));
		if (close == p + n + 1)
			f->form = PD_CALL_NOTHING;
		else if (comma && !memchr(comma + 1, ',', (size_t)(close - comma) - 1))
			f->form = PD_CALL_RANGE;
	}
}

/* Not a member function: those need an object. */
static bool is_free(const struct pd_source *s, uint32_t name)
{
	uint32_t depth = 0;

	for (uint32_t i = name; i-- > 0;) {
		if (pd_token_is(s, i, "}") && s->t.v[i].match != PD_NO_TOKEN) {
			i = s->t.v[i].match;
		} else if (pd_token_is(s, i, "{")) {
			for (uint32_t b = i;
			     b-- > 0 && !pd_token_is(s, b, ";") && !pd_token_is(s, b, "}");)
				if (pd_token_is(s, b, "class") || pd_token_is(s, b, "struct") ||
				    pd_token_is(s, b, "union"))
					return false;
			depth++;
		}
	}
	return depth <= 3;
}

static bool is_declared(const struct pd_source *s, uint32_t name)
{
	uint32_t close;

	if (s->t.v[name].kind != PD_TOKEN_NAME || !pd_token_is(s, name + 1, "(") || !name ||
	    s->t.v[name - 1].kind != PD_TOKEN_NAME || pd_token_is(s, name - 1, "return"))
		return false;
	close = s->t.v[name + 1].match;
	return close != PD_NO_TOKEN && pd_token_is(s, close + 1, ";");
}

static void add_functions(struct pd_knowledge *k, const struct pd_source *s)
{
	for (uint32_t i = 0; i < s->t.n && !k->nomem; i++) {
		const struct pd_token *t = &s->t.v[i];
		struct pd_function g;
		struct pd_known *f;

		if (t->kind == PD_TOKEN_DIRECTIVE) {
			add_macro(k, s, i);
		} else if (pd_function_at(s, i, &g) && is_free(s, i)) {
			f = add(k, s, i, s->text + t->at, t->n);
			if (!f)
				return;
			set_form(k, f, g.open);
			f->body = g.begin;
			f->nbody = g.end - g.begin;
			while (++i < g.end)
				if (s->t.v[i].kind == PD_TOKEN_DIRECTIVE)
					add_macro(k, s, i);
		} else if (is_declared(s, i)) {
			f = add(k, s, i, s->text + t->at, t->n);
			if (!f)
				return;
			set_form(k, f, i + 1);
			f->declared = true;
			f->does = does_by_name(f->name);
		}
	}
}

/* Follows calls until nothing new is learned. */
static void learn(struct pd_knowledge *k)
{
	bool more = true;

	for (int round = 0; more && round < 10; round++) {
		more = false;
		for (uint32_t i = 0; i < k->known.n; i++) {
			struct pd_known *f = &k->known.v[i];
			uint8_t does;

			if (f->declared || !pd_place_is_wrapper(f->name))
				continue;
			does = does_in_body(k, f);
			more |= does != f->does;
			f->does = does;
		}
	}
}

bool pd_knowledge_init(struct pd_knowledge *k, struct pd_arena *a, const char *path,
		       pd_fix_reader *read, void *arg)
{
	*k = (struct pd_knowledge){.arena = a};
	if (!read_source(k, path, read, arg))
		return false;
	for (uint32_t i = 0; i < k->nsource; i++)
		follow_includes(k, &k->source[i], read, arg);
	for (uint32_t i = 0; i < k->nsource; i++)
		add_functions(k, &k->source[i]);
	learn(k);
	return !k->nomem;
}

/* ---- choosing -------------------------------------------------------------------------------- */

/* How often the first file calls a function, not counting its own definition. */
static uint32_t uses(const struct pd_knowledge *k, const struct pd_known *f)
{
	const struct pd_source *s = &k->source[0];
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->t.n; i++)
		n += (f->in != s || i != f->at) && pd_token_is(s, i, f->name) &&
		     pd_token_is(s, i + 1, "(");
	return n;
}

/* Whether it is declared before a token, so that a call there compiles. */
static bool is_visible(const struct pd_knowledge *k, const struct pd_known *f, uint32_t at)
{
	return f->in != &k->source[0] ||
	       (f->at < at && (f->macro || f->declared || f->body + f->nbody < at));
}

const struct pd_known *pd_known_sync(const struct pd_knowledge *k, uint32_t at)
{
	for (uint32_t i = 0; i < k->known.n; i++) {
		const struct pd_known *f = &k->known.v[i];

		if (f->macro || f->declared || f->form != PD_CALL_RANGE || !is_visible(k, f, at))
			continue;
		for (uint32_t b = f->body; b < f->body + f->nbody; b++)
			if (pd_token_is(f->in, b, "msync") || pd_token_is(f->in, b, "pmem_msync"))
				return f;
	}
	return NULL;
}

const struct pd_known *pd_known_best(const struct pd_knowledge *k, uint32_t at, uint8_t does,
				     enum pd_call_form form)
{
	const struct pd_known *best = NULL;
	uint32_t most = 0;

	for (uint32_t i = 0; i < k->known.n; i++) {
		const struct pd_known *f = &k->known.v[i];
		uint32_t n;

		if (f->does != does || f->form != form || !pd_place_is_wrapper(f->name) ||
		    !is_visible(k, f, at))
			continue;
		n = uses(k, f) + 1;
		if (n > most) {
			best = f;
			most = n;
		}
	}
	return best;
}

bool pd_uses(const struct pd_knowledge *k, const char *name)
{
	for (uint32_t i = 0; i < k->nsource; i++)
		for (uint32_t t = 0; t < k->source[i].t.n; t++)
			if (pd_token_is(&k->source[i], t, name))
				return true;
	return false;
}
