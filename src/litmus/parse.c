/*
 * parse.c - the litmus language. docs/litmus.md is its description for users.
 *
 * One pass over the lines. A variable that no `line:` declares gets a cache line of its own when it
 * is first used. The sets (`images:`, `outcomes:`) are kept as text until the end of the file, when
 * all variables and registers are known.
 *
 * The first error ends the parse: one line that says where, what was found and what was expected.
 */
#include "litmus/litmus.h"

/* A piece of the text. */
struct word {
	const char *s;
	size_t n;
};

struct parser {
	struct pd_arena *a;
	struct pd_litmus *lit;
	struct pd_out *err;
	const char *at; /* next character of the current line */
	const char *end;
	uint32_t line;
	uint64_t next_line; /* the next cache line that is free */
	bool failed;
	bool any_thread;
	/* Set texts, to be read at the end. */
	struct pending_set {
		struct word text;
		uint32_t line;
		uint32_t section;
		bool images;
	} sets[64];
	uint32_t nset;
	/* Which thread of the section uses a register. */
	uint32_t reg_thread[PD_LIT_REGS];
};

__attribute__((format(printf, 2, 3))) static void fail(struct parser *p, const char *fmt, ...)
{
	va_list ap;

	if (p->failed)
		return;
	p->failed = true;
	pd_outf(p->err, "%s:%u: ", p->lit->file, p->line);
	va_start(ap, fmt);
	pd_voutf(p->err, fmt, ap);
	va_end(ap);
	pd_outs(p->err, "\n");
}

/* ---- words ---------------------------------------------------------------------------------- */

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
}

static bool is(struct word w, const char *s)
{
	size_t i = 0;

	for (; i < w.n && s[i]; i++)
		if (w.s[i] != s[i])
			return false;
	return i == w.n && !s[i];
}

static void skip_space(struct parser *p)
{
	while (p->at < p->end && is_space(*p->at))
		p->at++;
}

static bool at_end(struct parser *p)
{
	skip_space(p);
	return p->at == p->end;
}

/* The next character, if it is c. */
static bool take(struct parser *p, char c)
{
	skip_space(p);
	if (p->at == p->end || *p->at != c)
		return false;
	p->at++;
	return true;
}

/* Letters, digits, '_'; empty where something else comes. */
static struct word take_word(struct parser *p)
{
	struct word w;

	skip_space(p);
	w.s = p->at;
	while (p->at < p->end && is_name_char(*p->at))
		p->at++;
	w.n = (size_t)(p->at - w.s);
	return w;
}

/* What stands here, for a message. */
static struct word peek(struct parser *p)
{
	const char *from = p->at;
	struct word w = take_word(p);

	if (!w.n && !at_end(p))
		w = (struct word){p->at, 1};
	p->at = from;
	return w.n ? w : (struct word){"the end of the line", 19};
}

static int digit_of(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

static bool parse_number(struct word w, uint64_t *v)
{
	unsigned base = w.n > 2 && w.s[0] == '0' && w.s[1] == 'x' ? 16 : 10;
	size_t i = base == 16 ? 2 : 0;

	*v = 0;
	for (; i < w.n; i++) {
		unsigned d = (unsigned)digit_of(w.s[i]);

		if (d >= base || *v > (UINT64_MAX - d) / base)
			return false;
		*v = *v * base + d;
	}
	return w.n > 0;
}

static uint64_t take_number(struct parser *p, const char *what)
{
	struct word seen = peek(p);
	uint64_t v = 0;

	if (!parse_number(take_word(p), &v))
		fail(p, "%s must be a number, not '%.*s'", what, (int)seen.n, seen.s);
	return v;
}

/* ---- variables and registers ---------------------------------------------------------------- */

static bool is_reg_name(struct word w)
{
	uint64_t v;

	return w.n > 1 && w.s[0] == 'r' && parse_number((struct word){w.s + 1, w.n - 1}, &v);
}

static struct pd_lit_var *find_var(struct parser *p, struct word w)
{
	for (uint32_t i = 0; i < p->lit->nvar; i++)
		if (is(w, p->lit->var[i].name))
			return &p->lit->var[i];
	return NULL;
}

static uint64_t line_bytes(struct parser *p)
{
	return 1ULL << p->lit->params.line_shift;
}

static struct pd_lit_var *add_var(struct parser *p, struct word w, uint64_t addr, uint32_t size)
{
	struct pd_lit_var *v = &p->lit->var[p->lit->nvar];

	if (p->lit->nvar == PD_LIT_VARS) {
		fail(p, "more than %d variables; split the test", PD_LIT_VARS);
		return NULL;
	}
	*v = (struct pd_lit_var){pd_arena_strndup(p->a, w.s, w.n), addr, size, 0};
	if (!v->name) {
		fail(p, "out of memory");
		return NULL;
	}
	p->lit->nvar++;
	return v;
}

/* The variable's address; one that is new gets a line of its own. */
static struct pd_lit_var *take_var(struct parser *p)
{
	struct word seen = peek(p), w = take_word(p);
	struct pd_lit_var *v = find_var(p, w);

	if (v)
		return v;
	if (!w.n || is_digit(w.s[0]) || is_reg_name(w)) {
		fail(p, "expected the name of a variable, not '%.*s'", (int)seen.n, seen.s);
		return NULL;
	}
	return add_var(p, w, p->next_line++ * line_bytes(p), 8);
}

static struct pd_lit_section *section(struct parser *p)
{
	return &p->lit->section[p->lit->nsection - 1];
}

static uint32_t take_reg(struct parser *p, uint32_t thread)
{
	struct pd_lit_section *s = section(p);
	struct word seen = peek(p), w = take_word(p);

	if (!is_reg_name(w)) {
		fail(p, "expected a register (r0, r1, ...), not '%.*s'", (int)seen.n, seen.s);
		return 0;
	}
	for (uint32_t i = 0; i < s->nreg; i++) {
		if (!is(w, s->reg[i]))
			continue;
		if (p->reg_thread[i] != thread)
			fail(p, "%s is used by two threads; registers belong to one", s->reg[i]);
		return i;
	}
	if (s->nreg == PD_LIT_REGS) {
		fail(p, "more than %d registers; split the test", PD_LIT_REGS);
		return 0;
	}
	p->reg_thread[s->nreg] = thread;
	s->reg[s->nreg] = pd_arena_strndup(p->a, w.s, w.n);
	if (!s->reg[s->nreg])
		fail(p, "out of memory");
	return s->nreg++;
}

/* ---- instructions --------------------------------------------------------------------------- */

/* How the operands are written: v address, r register to write, # value, * one value or more. */
static const struct {
	const char *name;
	enum pd_lit_op op;
	const char *operands;
	const char *usage;
} instructions[] = {
	{"st", PD_LIT_ST, "v#", "st VAR VALUE"},
	{"stnt", PD_LIT_STNT, "v#", "stnt VAR VALUE"},
	{"stv", PD_LIT_STV, "v*", "stv VAR VALUE VALUE ..."},
	{"ld", PD_LIT_LD, "rv", "ld REG VAR"},
	{"clflush", PD_LIT_CLFLUSH, "v", "clflush VAR"},
	{"clflushopt", PD_LIT_CLFLUSHOPT, "v", "clflushopt VAR"},
	{"clwb", PD_LIT_CLWB, "v", "clwb VAR"},
	{"sfence", PD_LIT_SFENCE, "", "sfence"},
	{"mfence", PD_LIT_MFENCE, "", "mfence"},
	{"lfence", PD_LIT_LFENCE, "", "lfence"},
	{"xchg", PD_LIT_XCHG, "rv#", "xchg REG VAR VALUE"},
	{"add", PD_LIT_ADD, "rv#", "add REG VAR VALUE"},
	{"cas", PD_LIT_CAS, "rv##", "cas REG VAR EXPECTED NEW"},
	{"msync", PD_LIT_MSYNC, "v", "msync VAR"},
	{"unneeded", PD_LIT_UNNEEDED, "v", "unneeded VAR"},
};

static struct pd_lit_operand take_operand(struct parser *p, uint32_t thread)
{
	struct word seen = peek(p);
	struct pd_lit_operand o = {0};

	if (is_reg_name(seen))
		return (struct pd_lit_operand){true, take_reg(p, thread)};
	if (!parse_number(take_word(p), &o.value))
		fail(p, "expected a number or a register, not '%.*s'", (int)seen.n, seen.s);
	return o;
}

/* VAR or VAR+OFFSET */
static void take_address(struct parser *p, struct pd_lit_instr *in, uint32_t size)
{
	struct pd_lit_var *v = take_var(p);

	if (!v)
		return;
	in->addr = v->addr;
	in->size = size ? size : v->size;
	if (take(p, '+'))
		in->addr += take_number(p, "the offset");
}

static void take_operands(struct parser *p, struct pd_lit_instr *in, const char *spec,
			  uint32_t size, uint32_t thread)
{
	for (; *spec && !p->failed; spec++) {
		switch (*spec) {
		case 'v':
			take_address(p, in, size);
			break;
		case 'r':
			in->reg = take_reg(p, thread);
			break;
		case '#':
			in->value[in->nvalue++] = take_operand(p, thread);
			break;
		default: /* '*' */
			do
				in->value[in->nvalue++] = take_operand(p, thread);
			while (!p->failed && in->nvalue < PD_LIT_WORDS && !at_end(p) &&
			       is_name_char(*p->at));
			in->size = 8 * in->nvalue;
		}
	}
}

static uint32_t take_size(struct parser *p)
{
	uint64_t n;

	if (p->at == p->end || *p->at != '.')
		return 0;
	p->at++;
	n = take_number(p, "the size after '.'");
	if (!p->failed && n != 1 && n != 2 && n != 4 && n != 8)
		fail(p, "the size after '.' must be 1, 2, 4 or 8, not %lu", (unsigned long)n);
	return (uint32_t)n;
}

/* if REG=VALUE */
static void take_guard(struct parser *p, struct pd_lit_instr *in, uint32_t thread)
{
	in->guarded = true;
	in->guard_reg = take_reg(p, thread);
	if (!take(p, '='))
		fail(p, "expected '=' and a number after 'if REG'");
	in->guard_value = take_number(p, "the value after '='");
}

static void take_instruction(struct parser *p, struct pd_lit_thread *t, uint32_t thread)
{
	struct pd_lit_instr *in = pd_vec_push(&t->instr, p->a);
	struct word name = take_word(p);

	if (!in) {
		fail(p, "out of memory");
		return;
	}
	*in = (struct pd_lit_instr){0};
	if (is(name, "if")) {
		take_guard(p, in, thread);
		name = take_word(p);
	}
	for (size_t i = 0; i < PD_LEN(instructions) && !p->failed; i++) {
		if (!is(name, instructions[i].name))
			continue;
		in->op = instructions[i].op;
		take_operands(p, in, instructions[i].operands, take_size(p), thread);
		if (!p->failed && !at_end(p) && *p->at != ';') {
			struct word w = peek(p);

			fail(p, "unexpected '%.*s'; it is '%s', and ';' between instructions",
			     (int)w.n, w.s, instructions[i].usage);
		}
		return;
	}
	if (!name.n)
		name = peek(p);
	fail(p,
	     "unknown instruction '%.*s'; there are st stnt stv ld clflush clflushopt clwb sfence "
	     "mfence lfence xchg add cas msync unneeded",
	     (int)name.n, name.s);
}

static void parse_thread(struct parser *p, struct word name)
{
	struct pd_lit_section *s = section(p);
	struct pd_lit_thread *t = &s->thread[s->nthread];

	for (uint32_t i = 0; i < s->nthread; i++)
		if (is(name, s->thread[i].name))
			fail(p, "there are two threads '%.*s' in one execution", (int)name.n,
			     name.s);
	if (s->nthread == PD_LIT_THREADS)
		fail(p, "more than %d threads; split the test", PD_LIT_THREADS);
	if (p->failed)
		return;
	*t = (struct pd_lit_thread){.name = pd_arena_strndup(p->a, name.s, name.n)};
	if (!t->name)
		fail(p, "out of memory");
	p->any_thread = true;
	while (!p->failed && !at_end(p)) {
		take_instruction(p, t, s->nthread);
		if (!p->failed && !take(p, ';') && !at_end(p))
			fail(p, "expected ';' between instructions");
	}
	s->nthread++;
}

/* ---- the other keys ------------------------------------------------------------------------- */

/* NAME[@OFFSET][:SIZE] */
static void take_declaration(struct parser *p, uint64_t first, uint64_t *free_at)
{
	struct word w = take_word(p);
	uint64_t off = *free_at, size = 8;

	if (!w.n || is_digit(w.s[0]) || is_reg_name(w)) {
		struct word seen = w.n ? w : peek(p);

		fail(p, "expected the name of a variable, not '%.*s'", (int)seen.n, seen.s);
		return;
	}
	if (find_var(p, w)) {
		fail(p, "the variable '%.*s' is there already", (int)w.n, w.s);
		return;
	}
	if (take(p, '@'))
		off = take_number(p, "the offset after '@'");
	if (take(p, ':'))
		size = take_number(p, "the size after ':'");
	if (!p->failed && size != 1 && size != 2 && size != 4 && size != 8)
		fail(p, "the size of '%.*s' must be 1, 2, 4 or 8", (int)w.n, w.s);
	if (!p->failed && off > 4 * line_bytes(p) - 8)
		fail(p, "the offset of '%.*s' is more than four lines", (int)w.n, w.s);
	if (p->failed)
		return;
	add_var(p, w, first + off, (uint32_t)size);
	*free_at = off + size;
}

static void parse_line(struct parser *p)
{
	uint64_t first = p->next_line * line_bytes(p), at = 0, most = 0;

	while (!p->failed && !at_end(p)) {
		take_declaration(p, first, &at);
		most = PD_MAX(most, at);
	}
	if (!most)
		fail(p, "expected the names of variables that share a line");
	p->next_line += (most + line_bytes(p) - 1) / line_bytes(p);
}

static void parse_init(struct parser *p)
{
	while (!p->failed && !at_end(p)) {
		struct pd_lit_var *v = take_var(p);

		if (!v)
			return;
		if (!take(p, '='))
			fail(p, "expected '=' and a number after '%s'", v->name);
		v->init = take_number(p, "the value after '='");
	}
}

static void parse_model(struct parser *p)
{
	struct word w = take_word(p);
	const struct pd_params *params = pd_params_find(w.s, w.n);

	if (p->lit->nvar || p->any_thread) {
		fail(p, "'model:' comes before the variables and the threads");
		return;
	}
	if (params)
		p->lit->params = *params;
	else
		fail(p, "unknown model '%.*s'; there are adr, eadr and page", (int)w.n, w.s);
}

static void parse_crash(struct parser *p)
{
	if (!section(p)->nthread)
		fail(p, "'crash:' without a thread before it");
	else if (p->lit->nsection == PD_LIT_SECTIONS)
		fail(p, "more than %d crashes; split the test", PD_LIT_SECTIONS - 1);
	else
		p->lit->nsection++;
}

static void keep_set(struct parser *p, bool images)
{
	struct pd_lit_section *s = section(p);
	bool *has = images ? &s->has_images : &s->has_outcomes;

	if (*has)
		fail(p, "'%s:' is there already; go on with a line that starts with '|'",
		     images ? "images" : "outcomes");
	else if (p->nset == PD_LEN(p->sets))
		fail(p, "too many sets");
	else
		p->sets[p->nset++] = (struct pending_set){
			{p->at, (size_t)(p->end - p->at)}, p->line, p->lit->nsection - 1, images};
	*has = true;
}

/* ---- sets ----------------------------------------------------------------------------------- */

static uint32_t element_index(struct parser *p, const struct pending_set *set, struct word w)
{
	const struct pd_lit_section *s = &p->lit->section[set->section];
	uint32_t n = set->images ? p->lit->nvar : s->nreg;

	for (uint32_t i = 0; i < n; i++)
		if (is(w, set->images ? p->lit->var[i].name : s->reg[i]))
			return i;
	if (set->images)
		fail(p, "the set names '%.*s', which no thread uses", (int)w.n, w.s);
	else
		fail(p, "the set names '%.*s', which is no register of this execution", (int)w.n,
		     w.s);
	return 0;
}

static uint64_t biggest(struct parser *p, const struct pending_set *set, uint32_t i)
{
	uint32_t size = set->images ? p->lit->var[i].size : 8;

	return size == 8 ? UINT64_MAX : (1ULL << (8 * size)) - 1;
}

/* name=value name=value ..., up to '|' or the end. */
static void take_tuple(struct parser *p, const struct pending_set *set, struct pd_tuples *into)
{
	uint64_t tuple[PD_LIT_VARS] = {0}, seen = 0;

	while (!p->failed && !at_end(p) && *p->at != '|') {
		struct word found = peek(p), w = take_word(p);
		uint32_t i;

		if (!w.n) {
			fail(p, "expected NAME=VALUE, not '%.*s'", (int)found.n, found.s);
			return;
		}
		i = element_index(p, set, w);
		if (!p->failed && seen >> i & 1)
			fail(p, "'%.*s' is given twice in one element of the set", (int)w.n, w.s);
		seen |= 1ULL << i;
		if (!take(p, '='))
			fail(p, "expected '=' and a number after '%.*s'", (int)w.n, w.s);
		tuple[i] = take_number(p, "the value after '='");
		if (!p->failed && tuple[i] > biggest(p, set, i))
			fail(p, "%lu does not fit into '%.*s'", (unsigned long)tuple[i], (int)w.n,
			     w.s);
	}
	for (uint32_t i = 0; i < into->width && !p->failed; i++)
		if (!(seen >> i & 1))
			fail(p, "an element of the set does not say what '%s' is",
			     set->images ? p->lit->var[i].name
					 : p->lit->section[set->section].reg[i]);
	if (p->failed)
		return;
	switch (pd_tuples_add(into, tuple)) {
	case 0:
		fail(p, "an element stands in the set twice");
		break;
	case -1:
		fail(p, "out of memory");
		break;
	}
}

static void parse_set(struct parser *p, const struct pending_set *set)
{
	struct pd_lit_section *s = &p->lit->section[set->section];
	struct pd_tuples *into = set->images ? &s->images : &s->outcomes;

	if (!into->arena)
		pd_tuples_init(into, p->a, set->images ? p->lit->nvar : s->nreg);
	p->line = set->line;
	p->at = set->text.s;
	p->end = p->at + set->text.n;
	take(p, '|');
	do
		take_tuple(p, set, into);
	while (!p->failed && take(p, '|'));
}

/* ---- lines ---------------------------------------------------------------------------------- */

static void keep_question(struct parser *p)
{
	while (p->at < p->end && (*p->at == '#' || is_space(*p->at)))
		p->at++;
	if (!p->lit->question && p->at < p->end)
		p->lit->question = pd_arena_strndup(p->a, p->at, (size_t)(p->end - p->at));
}

/* A line that starts with '|' goes on with the set before it. */
static void continue_set(struct parser *p)
{
	if (!p->nset) {
		fail(p, "'|' without a set before it");
		return;
	}
	if (p->nset == PD_LEN(p->sets)) {
		fail(p, "too many lines of sets");
		return;
	}
	p->sets[p->nset] = p->sets[p->nset - 1];
	p->sets[p->nset].text = (struct word){p->at, (size_t)(p->end - p->at)};
	p->sets[p->nset++].line = p->line;
}

static void cut_comment(struct parser *p)
{
	for (const char *c = p->at; c < p->end; c++)
		if (*c == '#')
			p->end = c;
}

static void parse_key(struct parser *p)
{
	struct word found = peek(p), key = take_word(p);

	if (!key.n || !take(p, ':')) {
		fail(p,
		     "expected 'T0:', 'crash:', 'images:', 'outcomes:', 'line:', 'init:' or "
		     "'model:', "
		     "not '%.*s'",
		     (int)found.n, found.s);
		return;
	}
	if (is(key, "line"))
		parse_line(p);
	else if (is(key, "init"))
		parse_init(p);
	else if (is(key, "model"))
		parse_model(p);
	else if (is(key, "crash"))
		parse_crash(p);
	else if (is(key, "images"))
		keep_set(p, true);
	else if (is(key, "outcomes"))
		keep_set(p, false);
	else if ((key.s[0] == 'T' || key.s[0] == 'R') && key.n > 1)
		parse_thread(p, key);
	else
		fail(p, "unknown key '%.*s:'; threads are T0, T1, ...", (int)key.n, key.s);
}

static void parse_text_line(struct parser *p)
{
	skip_space(p);
	if (p->at < p->end && *p->at == '#') {
		keep_question(p);
		return;
	}
	cut_comment(p);
	if (at_end(p))
		return;
	if (*p->at == '|')
		continue_set(p);
	else
		parse_key(p);
}

static void finish(struct parser *p)
{
	struct pd_litmus *lit = p->lit;

	if (!p->any_thread)
		fail(p, "no thread; a litmus file has at least one line 'T0: ...'");
	else if (!section(p)->nthread)
		fail(p, "'crash:' without a thread after it");
	for (uint32_t i = 0; i < p->nset && !p->failed; i++)
		parse_set(p, &p->sets[i]);
	/* One line more, so that an access that runs over the last one stays inside. */
	lit->mem_size = (p->next_line + 1) * line_bytes(p);
	for (uint32_t s = 0; s < lit->nsection && !p->failed; s++)
		for (uint32_t t = 0; t < lit->section[s].nthread; t++)
			for (uint32_t i = 0; i < lit->section[s].thread[t].instr.n; i++) {
				struct pd_lit_instr *in = &lit->section[s].thread[t].instr.v[i];

				if (in->addr + in->size > lit->mem_size)
					fail(p, "thread %s reaches beyond the last variable",
					     lit->section[s].thread[t].name);
			}
}

struct pd_litmus *pd_litmus_parse(struct pd_arena *a, const char *file, const char *text, size_t n,
				  struct pd_out *err)
{
	struct pd_litmus *lit = pd_new(a, struct pd_litmus);
	struct parser p = {.a = a, .lit = lit, .err = err};
	const char *stop = text + n;

	if (!lit) {
		pd_outf(err, "%s: out of memory\n", file);
		return NULL;
	}
	lit->file = file;
	lit->params = PD_PARAMS_ADR;
	lit->nsection = 1;
	while (text < stop && !p.failed) {
		p.line++;
		p.at = text;
		while (text < stop && *text != '\n')
			text++;
		p.end = text;
		text += text < stop;
		parse_text_line(&p);
	}
	p.line = PD_MAX(p.line, 1);
	if (!p.failed)
		finish(&p);
	return p.failed ? NULL : lit;
}

/* ---- printing ------------------------------------------------------------------------------- */

void pd_litmus_print_image(struct pd_out *o, const struct pd_litmus *lit, const uint64_t *tuple)
{
	for (uint32_t i = 0; i < lit->nvar; i++)
		pd_outf(o, "%s%s=%lu", i ? " " : "", lit->var[i].name, (unsigned long)tuple[i]);
}

void pd_litmus_print_outcome(struct pd_out *o, const struct pd_lit_section *s,
			     const uint64_t *tuple)
{
	for (uint32_t i = 0; i < s->nreg; i++)
		pd_outf(o, "%s%s=%lu", i ? " " : "", s->reg[i], (unsigned long)tuple[i]);
}
