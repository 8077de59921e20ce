/* workload_text.c - see workload.h: the text form. */
#include "engine/linear/workload.h"

struct parser {
	const char *p, *end; /* of the line */
	uint32_t line;
	struct pd_arena *arena;
	const struct pd_linear_entry *table;
	struct pd_workload_error *e;
};

static bool fail(struct parser *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static bool fail(struct parser *r, const char *fmt, ...)
{
	struct pd_outbuf b;
	va_list ap;

	r->e->line = r->line;
	pd_outbuf_init(&b, r->e->what, sizeof(r->e->what));
	pd_outf(&b.out, "line %u: ", r->line);
	va_start(ap, fmt);
	pd_voutf(&b.out, fmt, ap);
	va_end(ap);
	return false;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* The next word; n = 0: there is none. */
static const char *word(struct parser *r, int *n)
{
	const char *s;

	while (r->p < r->end && is_blank(*r->p))
		r->p++;
	s = r->p;
	while (r->p < r->end && !is_blank(*r->p))
		r->p++;
	*n = (int)(r->p - s);
	return s;
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

static bool number(const char *s, int n, uint64_t *x)
{
	*x = 0;
	for (int i = 0; i < n; i++) {
		if (s[i] < '0' || s[i] > '9' || *x > UINT64_MAX / 10)
			return false;
		*x *= 10;
		if (*x > UINT64_MAX - (uint64_t)(s[i] - '0'))
			return false;
		*x += (uint64_t)(s[i] - '0');
	}
	return n > 0;
}

/* "..." with \\ \" and \xNN. */
static bool bytes(struct parser *r, struct pd_linear_value *v)
{
	uint8_t *to;
	size_t n = 0;

	while (r->p < r->end && is_blank(*r->p))
		r->p++;
	if (r->p == r->end || *r->p != '"')
		return fail(r, "bytes are written in quotes: \"abc\\x00\"");
	to = pd_arena_alloc(r->arena, (size_t)(r->end - r->p));
	if (!to)
		return fail(r, "out of memory");
	for (r->p++; r->p < r->end && *r->p != '"'; r->p++) {
		if (*r->p != '\\') {
			to[n++] = (uint8_t)*r->p;
		} else if (r->p + 1 < r->end && (r->p[1] == '\\' || r->p[1] == '"')) {
			to[n++] = (uint8_t)*++r->p;
		} else if (r->p + 3 < r->end && r->p[1] == 'x' && digit(r->p[2]) >= 0 &&
			   digit(r->p[3]) >= 0) {
			to[n++] = (uint8_t)(digit(r->p[2]) << 4 | digit(r->p[3]));
			r->p += 3;
		} else {
			return fail(r, "after \\ comes \\, \" or x and two digits, as in \\x0f");
		}
	}
	if (r->p == r->end)
		return fail(r, "the closing quote is missing");
	r->p++;
	*v = (struct pd_linear_value){pd_linear_hash(to, n), n ? to : NULL, n};
	return true;
}

static bool argument(struct parser *r, enum pd_linear_arg kind, uint32_t nth, const char *name,
		     struct pd_linear_value *v)
{
	const char *s;
	int n;

	if (kind == PD_BYTES)
		return bytes(r, v);
	s = word(r, &n);
	if (!n)
		return fail(r, "%s needs argument %u", name, nth + 1);
	*v = (struct pd_linear_value){0};
	if (!number(s, n, &v->word) || v->word >= PD_FAILED)
		return fail(r, "'%.*s' is not a number", n, s);
	return true;
}

static bool same(const char *name, const char *s, int n)
{
	for (int i = 0; i < n; i++)
		if (name[i] != s[i] || !name[i])
			return false;
	return !name[n];
}

static bool operation(struct parser *r, struct pd_work *x)
{
	const char *s;
	int n;

	s = word(r, &n);
	if (n && *s == '@') {
		uint64_t thread;

		if (!number(s + 1, n - 1, &thread) || thread < 1 || thread > 1024)
			return fail(r, "'%.*s' is not a thread: @1 to @1024", n, s);
		x->thread = (uint32_t)thread - 1;
		s = word(r, &n);
	}
	if (!n)
		return fail(r, "no operation");
	while (r->table[x->entry].name && !same(r->table[x->entry].name, s, n))
		x->entry++;
	if (!r->table[x->entry].name)
		return fail(r, "the driver has no operation '%.*s'", n, s);
	for (uint32_t i = 0; i < pd_entry_nargs(&r->table[x->entry]); i++)
		if (!argument(r, r->table[x->entry].args[i], i, r->table[x->entry].name,
			      &x->arg[i]))
			return false;
	s = word(r, &n);
	if (n && *s != '#')
		return fail(r, "'%.*s' is one argument too many for %s", n, s,
			    r->table[x->entry].name);
	return true;
}

static bool is_empty(const struct parser *r)
{
	const char *p = r->p;

	while (p < r->end && is_blank(*p))
		p++;
	return p == r->end || *p == '#';
}

bool pd_workload_parse(struct pd_workload *w, struct pd_arena *a,
		       const struct pd_linear_entry *table, const char *text, size_t n,
		       struct pd_workload_error *e)
{
	struct parser r = {.arena = a, .table = table, .e = e};
	const char *end = text + n;

	e->line = 0;
	for (const char *p = text; p < end; p = r.end + 1) {
		struct pd_work x = {0}, *place;

		r.line++;
		r.p = r.end = p;
		while (r.end < end && *r.end != '\n')
			r.end++;
		if (is_empty(&r))
			continue;
		if (!operation(&r, &x))
			return false;
		place = pd_vec_push(&w->ops, a);
		if (!place)
			return fail(&r, "out of memory");
		*place = x;
	}
	return true;
}

static void print_bytes(const struct pd_linear_value *v, struct pd_out *out)
{
	const uint8_t *b = v->data;

	pd_outs(out, " \"");
	for (size_t i = 0; i < v->size; i++) {
		if (b[i] == '"' || b[i] == '\\')
			pd_outf(out, "\\%c", b[i]);
		else if (b[i] < ' ' || b[i] > '~')
			pd_outf(out, "\\x%02x", b[i]);
		else
			pd_outf(out, "%c", b[i]);
	}
	pd_outs(out, "\"");
}

void pd_workload_print(const struct pd_workload *w, const struct pd_linear_entry *table,
		       struct pd_out *out)
{
	for (uint32_t i = 0; i < w->ops.n; i++) {
		const struct pd_work *x = &w->ops.v[i];
		const struct pd_linear_entry *e = &table[x->entry];

		if (x->thread)
			pd_outf(out, "@%u ", x->thread + 1);
		pd_outs(out, e->name);
		for (uint32_t k = 0; k < pd_entry_nargs(e); k++) {
			if (e->args[k] == PD_BYTES)
				print_bytes(&x->arg[k], out);
			else
				pd_outf(out, " %lu", (unsigned long)x->arg[k].word);
		}
		pd_outs(out, "\n");
	}
}

/* Written twice: first to find out its length. */
struct text {
	char *to;
	size_t n;
};

static void put_text(void *ctx, const char *s, size_t n)
{
	struct text *t = ctx;

	if (t->to)
		memcpy(t->to + t->n, s, n);
	t->n += n;
}

const char *pd_workload_write(const struct pd_workload *w, const struct pd_linear_entry *table,
			      void *(*alloc)(void *ctx, size_t n), void *ctx, uint32_t *n)
{
	struct text t = {0};
	struct pd_out out = {put_text, &t};

	pd_workload_print(w, table, &out);
	t.to = alloc(ctx, t.n + 1);
	t.n = 0;
	if (t.to)
		pd_workload_print(w, table, &out);
	*n = (uint32_t)t.n;
	return t.to;
}
