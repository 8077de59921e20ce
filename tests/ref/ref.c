/*
 * ref.c - the naive model: slow and obvious.
 *
 * This file is a definition, written to be read from top to bottom and compared with the rules; it
 * shares no code with src/model. A state is
 *
 *	which section (execution) runs, and for each thread its program counter and registers,
 *	memory as the threads see it,
 *	one buffer a thread: what it has issued and memory has not seen yet, in program order,
 *	for each line the content that was last written back,
 *
 * and the machine takes one of these steps at a time, any that is possible:
 *
 *	issue	a thread executes its next instruction; stores, flushes and sfence enter its buffer
 *	leave	an entry leaves a buffer, if no earlier entry of that buffer must come first
 *	persist	any line is written back as memory has it now
 *	crash	memory becomes what was written back; all else is lost; the next section starts
 *
 * The search visits every reachable state. An image of a section is what is written back in one of
 * its states: power may fail in each. An outcome is what the registers hold in a state in which all
 * threads of the section have come to their end.
 *
 * Memory is kept only for the bytes that some variable or instruction names ("cells", in ascending
 * order of address): no other byte can change or be seen.
 *
 * The one reduction: equal states are visited once. A line that is written back without need, for
 * example, leads to the state that it came from.
 *
 * Px86 as in Jaaru (ASPLOS '21) section 2, table 1.
 */
#include "ref/ref.h"
#include "base/bug.h"
#include "base/hash.h"

enum { MAX_CELL = 512, MAX_ENTRY = 64, WORD = 8 };

/* ---- the state ------------------------------------------------------------------------------ */

enum kind { STORE, NT_STORE, CLFLUSHOPT, CLFLUSH, SFENCE };

/* No padding: states are compared as bytes. */
struct entry {
	uint8_t kind;
	uint8_t size;  /* of a store: up to 8, inside one aligned word */
	uint16_t cell; /* of a store: its first byte */
	uint32_t line; /* of a store or flush */
	uint64_t value;
};

struct buffer {
	uint64_t n;
	struct entry e[MAX_ENTRY]; /* oldest first */
};

struct state {
	uint64_t section;
	uint64_t locked; /* 1 + the thread whose locked store is half done; 0: none */
	uint64_t pc[PD_LIT_THREADS];
	uint64_t reg[PD_LIT_REGS];
	struct buffer buf[PD_LIT_THREADS];
	uint8_t mem[MAX_CELL];
	uint8_t back[MAX_CELL];	    /* as it was last written back */
	uint8_t unneeded[MAX_CELL]; /* 1: recovery does not need it */
};

/* A state as it is kept: the used parts of it, one after the other. */
struct kept {
	uint64_t hash;
	uint32_t n;
	uint8_t bytes[];
};

struct search {
	const struct pd_litmus *lit;
	struct pd_arena *arena;
	uint64_t max_states;
	struct pd_lit_result *out;
	bool failed;

	uint32_t ncell;
	uint32_t cell_addr[MAX_CELL];
	uint32_t cell_line[MAX_CELL];

	PD_VEC(struct kept *) found; /* all states; those from `next` on are still to be visited */
	uint32_t next;
	uint32_t *set; /* hash set of 1 + index in found; a power of two of places */
	uint32_t set_size;
	uint8_t scratch[sizeof(struct state)];
};

static uint32_t line_of(const struct search *x, uint64_t addr)
{
	return (uint32_t)(addr >> x->lit->params.line_shift);
}

static uint32_t cell_of(const struct search *x, uint64_t addr)
{
	for (uint32_t c = 0; c < x->ncell; c++)
		if (x->cell_addr[c] == addr)
			return c;
	PD_BUG("a byte that no instruction names");
}

static uint64_t truncate_to(uint64_t value, uint32_t size)
{
	return size >= 8 ? value : value & ((1ULL << size * 8) - 1);
}

/* ---- what must leave first ------------------------------------------------------------------ */

/*
 * The table, without the rows and columns of what never is in a buffer: a read is done when it is
 * issued, mfence and locked instructions wait until the buffer is empty.
 */
enum order { NO, YES, SAME_LINE };

/* clang-format off */
static const enum order table[5][5] = {
	/* later:        STORE NT_STORE CLFLUSHOPT CLFLUSH    SFENCE */
	[STORE]      = { YES,  YES,     SAME_LINE, YES,       YES },
	[NT_STORE]   = { YES,  YES,     SAME_LINE, YES,       YES },
	[CLFLUSHOPT] = { NO,   NO,      NO,        SAME_LINE, YES },
	[CLFLUSH]    = { YES,  YES,     SAME_LINE, YES,       YES },
	[SFENCE]     = { YES,  YES,     YES,       YES,       YES },
};
/* clang-format on */

static bool must_precede(const struct entry *earlier, const struct entry *later)
{
	switch (table[earlier->kind][later->kind]) {
	case YES:
		return true;
	case SAME_LINE:
		return earlier->line == later->line;
	case NO:
	default:
		return false;
	}
}

static bool may_leave(const struct buffer *b, uint64_t i)
{
	for (uint64_t k = 0; k < i; k++)
		if (must_precede(&b->e[k], &b->e[i]))
			return false;
	return true;
}

/* ---- leaving a buffer ----------------------------------------------------------------------- */

static void persist_line(const struct search *x, struct state *s, uint32_t line)
{
	for (uint32_t c = 0; c < x->ncell; c++)
		if (x->cell_line[c] == line)
			s->back[c] = s->mem[c];
}

static bool is_unneeded(const struct state *s, const struct entry *e)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < e->size; i++)
		n += s->unneeded[e->cell + i];
	return n == e->size;
}

static void take_effect(const struct search *x, struct state *s, const struct entry *e)
{
	uint32_t persists = x->lit->params.persists;

	switch ((enum kind)e->kind) {
	case STORE:
	case NT_STORE:
		for (uint32_t i = 0; i < e->size; i++)
			s->mem[e->cell + i] = (uint8_t)(e->value >> 8 * i);
		if (is_unneeded(s, e))
			memcpy(s->back + e->cell, s->mem + e->cell, e->size);
		/* With a durable cache memory is durable; a non-temporal store goes around it. */
		if (e->kind == STORE && (persists & PD_PERSISTS_STORE))
			persist_line(x, s, e->line);
		break;
	case CLFLUSHOPT:
	case CLFLUSH:
		if (persists & PD_PERSISTS_FLUSH)
			persist_line(x, s, e->line);
		break;
	case SFENCE:
		break;
	}
}

static void leave(const struct search *x, struct state *s, uint32_t thread, uint64_t i)
{
	struct buffer *b = &s->buf[thread];
	struct entry e = b->e[i];

	b->n--;
	for (; i < b->n; i++)
		b->e[i] = b->e[i + 1];
	take_effect(x, s, &e);
	if (s->locked && b->n == 0)
		s->locked = 0;
}

/* ---- issuing an instruction ----------------------------------------------------------------- */

static void enter(struct buffer *b, struct entry e)
{
	PD_CHECK(b->n < MAX_ENTRY, "a buffer larger than was counted");
	b->e[b->n++] = e;
}

/*
 * Bytes enter as one store for each aligned word that they touch, in ascending order; each of a
 * non-temporal store's pieces with a clflushopt of its line.
 */
static void enter_store(const struct search *x, struct buffer *b, uint64_t addr,
			const uint8_t *bytes, uint32_t n, enum kind kind)
{
	while (n) {
		uint32_t size = PD_MIN(n, (uint32_t)(WORD - addr % WORD));
		struct entry e = {
			.kind = (uint8_t)kind,
			.size = (uint8_t)size,
			.cell = (uint16_t)cell_of(x, addr),
			.line = line_of(x, addr),
		};

		for (uint32_t i = 0; i < size; i++)
			e.value |= (uint64_t)bytes[i] << 8 * i;
		enter(b, e);
		if (kind == NT_STORE)
			enter(b, (struct entry){.kind = CLFLUSHOPT, .line = e.line});
		addr += size;
		bytes += size;
		n -= size;
	}
}

static uint64_t operand(const struct state *s, const struct pd_lit_operand *o)
{
	return o->is_reg ? s->reg[o->value] : o->value;
}

static void issue_store(const struct search *x, struct state *s, uint32_t thread,
			const struct pd_lit_instr *in)
{
	uint8_t bytes[PD_LIT_WORDS * 8];

	for (uint32_t i = 0; i < in->size; i++)
		bytes[i] = (uint8_t)(operand(s, &in->value[i / 8]) >> 8 * (i % 8));
	enter_store(x, &s->buf[thread], in->addr, bytes, in->size,
		    in->op == PD_LIT_STNT ? NT_STORE : STORE);
}

/* Each byte from the newest store of the thread's own buffer that has it, else from memory. */
static uint64_t load(const struct search *x, const struct state *s, uint32_t thread, uint64_t addr,
		     uint32_t size)
{
	const struct buffer *b = &s->buf[thread];
	uint64_t value = 0;

	for (uint32_t i = 0; i < size; i++) {
		uint32_t c = cell_of(x, addr + i);
		uint8_t byte = s->mem[c];

		for (uint64_t k = 0; k < b->n; k++) {
			const struct entry *e = &b->e[k];

			if ((e->kind == STORE || e->kind == NT_STORE) && c >= e->cell &&
			    c < (uint32_t)e->cell + e->size)
				byte = (uint8_t)(e->value >> 8 * (c - e->cell));
		}
		value |= (uint64_t)byte << 8 * i;
	}
	return value;
}

/*
 * Buffer empty. The store of a locked instruction passes through the buffer too: no thread can do
 * or see anything until it has left (`locked`), but when it covers two words, lines may be written
 * back and power may fail between them.
 */
static void issue_locked(const struct search *x, struct state *s, uint32_t thread,
			 const struct pd_lit_instr *in)
{
	uint64_t old = load(x, s, thread, in->addr, in->size);
	uint64_t value = operand(s, &in->value[0]);
	uint8_t bytes[8];

	if (in->op == PD_LIT_ADD)
		value += old;
	if (in->op == PD_LIT_CAS) {
		bool equal = old == truncate_to(value, in->size);

		value = operand(s, &in->value[1]);
		s->reg[in->reg] = old;
		if (!equal)
			return;
	}
	s->reg[in->reg] = old;
	for (uint32_t i = 0; i < in->size; i++)
		bytes[i] = (uint8_t)(value >> 8 * i);
	enter_store(x, &s->buf[thread], in->addr, bytes, in->size, STORE);
	s->locked = 1 + thread;
}

/*
 * Buffer empty. The lines are written back one after the other; that power may fail in between
 * needs no state of its own, as the first of them may as well have been written back without being
 * asked.
 */
static void issue_msync(const struct search *x, struct state *s, const struct pd_lit_instr *in)
{
	if (!(x->lit->params.persists & PD_PERSISTS_MSYNC) || !in->size)
		return;
	for (uint32_t l = line_of(x, in->addr); l <= line_of(x, in->addr + in->size - 1); l++)
		persist_line(x, s, l);
}

static bool needs_empty_buffer(enum pd_lit_op op)
{
	return op == PD_LIT_MFENCE || op == PD_LIT_XCHG || op == PD_LIT_ADD || op == PD_LIT_CAS ||
	       op == PD_LIT_MSYNC;
}

static void execute(const struct search *x, struct state *s, uint32_t thread,
		    const struct pd_lit_instr *in)
{
	struct buffer *b = &s->buf[thread];
	struct entry flush = {.line = line_of(x, in->addr)};

	switch (in->op) {
	case PD_LIT_ST:
	case PD_LIT_STNT:
	case PD_LIT_STV:
		issue_store(x, s, thread, in);
		break;
	case PD_LIT_LD:
		s->reg[in->reg] = load(x, s, thread, in->addr, in->size);
		break;
	case PD_LIT_CLFLUSH:
		flush.kind = CLFLUSH;
		enter(b, flush);
		break;
	case PD_LIT_CLFLUSHOPT:
	case PD_LIT_CLWB:
		flush.kind = CLFLUSHOPT;
		enter(b, flush);
		break;
	case PD_LIT_SFENCE:
		enter(b, (struct entry){.kind = SFENCE});
		break;
	case PD_LIT_XCHG:
	case PD_LIT_ADD:
	case PD_LIT_CAS:
		issue_locked(x, s, thread, in);
		break;
	case PD_LIT_MSYNC:
		issue_msync(x, s, in);
		break;
	case PD_LIT_UNNEEDED:
		for (uint32_t c = 0; c < x->ncell; c++)
			if (x->cell_addr[c] >= in->addr && x->cell_addr[c] < in->addr + in->size)
				s->unneeded[c] = 1;
		break;
	case PD_LIT_MFENCE: /* that the buffer was empty is all it asks */
	case PD_LIT_LFENCE: /* loads are done in program order as it is */
		break;
	}
}

static const struct pd_lit_thread *thread_of(const struct search *x, const struct state *s,
					     uint32_t thread)
{
	return &x->lit->section[s->section].thread[thread];
}

/* The thread's next instruction; false where it has none or has to wait. */
static bool issue(const struct search *x, struct state *s, uint32_t thread)
{
	const struct pd_lit_thread *t = thread_of(x, s, thread);
	const struct pd_lit_instr *in;
	bool runs;

	if (s->pc[thread] == t->instr.n)
		return false;
	in = &t->instr.v[s->pc[thread]];
	runs = !in->guarded || s->reg[in->guard_reg] == in->guard_value;
	if (runs && needs_empty_buffer(in->op) && s->buf[thread].n)
		return false;
	s->pc[thread]++;
	if (runs)
		execute(x, s, thread, in);
	return true;
}

static void crash(const struct search *x, struct state *s)
{
	s->section++;
	s->locked = 0;
	memset(s->pc, 0, sizeof(s->pc));
	memset(s->reg, 0, sizeof(s->reg));
	for (uint32_t t = 0; t < PD_LIT_THREADS; t++)
		s->buf[t].n = 0;
	memcpy(s->mem, s->back, x->ncell);
	memset(s->unneeded, 0, sizeof(s->unneeded));
}

/* ---- the states found so far ---------------------------------------------------------------- */

static void move(uint8_t **at, void *field, size_t n, bool save)
{
	if (save)
		memcpy(*at, field, n);
	else
		memcpy(field, *at, n);
	*at += n;
}

/* Saves the state's used parts as bytes, or loads it from them; their number. */
static uint32_t state_move(const struct search *x, struct state *s, uint8_t *bytes, bool save)
{
	const struct pd_lit_section *sec;
	uint8_t *at = bytes;

	move(&at, &s->section, sizeof(s->section), save);
	move(&at, &s->locked, sizeof(s->locked), save);
	sec = &x->lit->section[s->section];
	for (uint32_t t = 0; t < sec->nthread; t++) {
		struct buffer *b = &s->buf[t];

		move(&at, &s->pc[t], sizeof(s->pc[t]), save);
		move(&at, &b->n, sizeof(b->n), save);
		move(&at, b->e, b->n * sizeof(b->e[0]), save);
	}
	move(&at, s->reg, sec->nreg * sizeof(s->reg[0]), save);
	move(&at, s->mem, x->ncell, save);
	move(&at, s->back, x->ncell, save);
	move(&at, s->unneeded, x->ncell, save);
	return (uint32_t)(at - bytes);
}

/* The place of these bytes in the set: where they are, or the empty one where they would be. */
static uint32_t *set_place(const struct search *x, uint64_t hash, const uint8_t *bytes, uint32_t n)
{
	uint32_t mask = x->set_size - 1;

	for (uint32_t i = (uint32_t)hash & mask;; i = (i + 1) & mask) {
		const struct kept *k;

		if (!x->set[i])
			return &x->set[i];
		k = x->found.v[x->set[i] - 1];
		if (k->hash == hash && k->n == n && memcmp(k->bytes, bytes, n) == 0)
			return &x->set[i];
	}
}

static bool set_grow(struct search *x)
{
	x->set_size = x->set_size ? x->set_size * 4 : 1024;
	x->set = pd_new_array(x->arena, uint32_t, x->set_size);
	if (!x->set)
		return false;
	for (uint32_t i = 0; i < x->found.n; i++) {
		struct kept *k = x->found.v[i];

		*set_place(x, k->hash, k->bytes, k->n) = i + 1;
	}
	return true;
}

static uint64_t hash_bytes(const uint8_t *bytes, uint32_t n)
{
	struct pd_digest d = PD_DIGEST_INIT;

	pd_digest_bytes(&d, bytes, n);
	return d.a;
}

/* A state that can be reached: to be visited unless it was seen before. */
static void reach(struct search *x, struct state *s)
{
	uint32_t n = state_move(x, s, x->scratch, true), *place;
	uint64_t hash = hash_bytes(x->scratch, n);
	struct kept *k, **slot;

	if (x->found.n >= x->set_size / 2 && !set_grow(x)) {
		x->failed = true;
		return;
	}
	place = set_place(x, hash, x->scratch, n);
	if (*place)
		return;
	if (x->found.n >= x->max_states) {
		x->out->capped = true;
		return;
	}
	k = pd_arena_alloc(x->arena, sizeof(*k) + n);
	slot = pd_vec_push(&x->found, x->arena);
	if (!k || !slot) {
		x->failed = true;
		return;
	}
	k->hash = hash;
	k->n = n;
	memcpy(k->bytes, x->scratch, n);
	*slot = k;
	*place = x->found.n;
}

/* ---- the search ----------------------------------------------------------------------------- */

static void record_image(struct search *x, const struct state *s)
{
	uint64_t tuple[PD_LIT_VARS] = {0};

	for (uint32_t v = 0; v < x->lit->nvar; v++) {
		const struct pd_lit_var *var = &x->lit->var[v];
		uint32_t c = cell_of(x, var->addr);

		for (uint32_t i = 0; i < var->size; i++)
			tuple[v] |= (uint64_t)s->back[c + i] << 8 * i;
	}
	if (pd_tuples_add(&x->out->images[s->section], tuple) < 0)
		x->failed = true;
}

static void record_outcome(struct search *x, const struct state *s)
{
	for (uint32_t t = 0; t < x->lit->section[s->section].nthread; t++)
		if (s->pc[t] != thread_of(x, s, t)->instr.n)
			return;
	if (pd_tuples_add(&x->out->outcomes[s->section], s->reg) < 0)
		x->failed = true;
}

static void step_threads(struct search *x, const struct state *s)
{
	static struct state to;

	for (uint32_t t = 0; t < x->lit->section[s->section].nthread; t++) {
		if (s->locked && s->locked != 1 + t)
			continue;
		to = *s;
		if (!s->locked && issue(x, &to, t))
			reach(x, &to);
		for (uint64_t i = 0; i < s->buf[t].n; i++) {
			if (!may_leave(&s->buf[t], i))
				continue;
			to = *s;
			leave(x, &to, t, i);
			reach(x, &to);
		}
	}
}

static void step_persist(struct search *x, const struct state *s)
{
	static struct state to;

	for (uint32_t c = 0; c < x->ncell; c++) {
		if (c && x->cell_line[c] == x->cell_line[c - 1])
			continue; /* once a line */
		to = *s;
		persist_line(x, &to, x->cell_line[c]);
		reach(x, &to);
	}
}

static void step_crash(struct search *x, const struct state *s)
{
	static struct state to;

	if (s->section + 1 == x->lit->nsection)
		return;
	to = *s;
	crash(x, &to);
	reach(x, &to);
}

static void visit(struct search *x, const struct state *s)
{
	record_image(x, s);
	record_outcome(x, s);
	step_threads(x, s);
	step_persist(x, s);
	step_crash(x, s);
}

/* ---- the start ------------------------------------------------------------------------------ */

/* Whether an instruction reads or writes bytes: flushes and fences name none of their own. */
static bool is_access(enum pd_lit_op op)
{
	return op == PD_LIT_ST || op == PD_LIT_STNT || op == PD_LIT_STV || op == PD_LIT_LD ||
	       op == PD_LIT_XCHG || op == PD_LIT_ADD || op == PD_LIT_CAS;
}

/* Adds a byte, keeping the order of addresses; false where the arrays are full. */
static bool add_cell(struct search *x, uint64_t addr)
{
	uint32_t c = x->ncell;

	for (uint32_t i = 0; i < x->ncell; i++)
		if (x->cell_addr[i] == addr)
			return true;
	if (c == MAX_CELL)
		return false;
	for (; c && x->cell_addr[c - 1] > addr; c--)
		x->cell_addr[c] = x->cell_addr[c - 1];
	x->cell_addr[c] = (uint32_t)addr;
	x->ncell++;
	return true;
}

static bool add_cells(struct search *x, uint64_t addr, uint32_t size)
{
	for (uint32_t i = 0; i < size; i++)
		if (!add_cell(x, addr + i))
			return false;
	return true;
}

/* How many entries an instruction may put into the buffer, at most. */
static uint32_t entries_of(const struct pd_lit_instr *in)
{
	uint32_t words = (uint32_t)(in->addr % WORD + in->size + WORD - 1) / WORD;

	return in->op == PD_LIT_STNT ? 2 * words : is_access(in->op) ? words : 1;
}

/* The bytes of a thread's accesses; false where it is too large for us. */
static bool collect_thread(struct search *x, const struct pd_lit_thread *t)
{
	uint32_t entries = 0;

	for (uint32_t i = 0; i < t->instr.n; i++) {
		const struct pd_lit_instr *in = &t->instr.v[i];

		if (is_access(in->op) && !add_cells(x, in->addr, in->size))
			return false;
		entries += entries_of(in);
	}
	return entries <= MAX_ENTRY;
}

static bool collect(struct search *x)
{
	for (uint32_t v = 0; v < x->lit->nvar; v++)
		if (!add_cells(x, x->lit->var[v].addr, x->lit->var[v].size))
			return false;
	for (uint32_t i = 0; i < x->lit->nsection; i++)
		for (uint32_t t = 0; t < x->lit->section[i].nthread; t++)
			if (!collect_thread(x, &x->lit->section[i].thread[t]))
				return false;
	for (uint32_t c = 0; c < x->ncell; c++)
		x->cell_line[c] = line_of(x, x->cell_addr[c]);
	return true;
}

static void start(struct search *x, struct state *s)
{
	memset(s, 0, sizeof(*s));
	for (uint32_t v = 0; v < x->lit->nvar; v++) {
		const struct pd_lit_var *var = &x->lit->var[v];
		uint32_t c = cell_of(x, var->addr);

		for (uint32_t i = 0; i < var->size; i++)
			s->mem[c + i] = s->back[c + i] = (uint8_t)(var->init >> 8 * i);
	}
}

bool pd_ref_explore(const struct pd_litmus *lit, struct pd_arena *a, uint64_t max_states,
		    struct pd_lit_result *out)
{
	static struct state s;
	struct search *x = pd_new(a, struct search);

	memset(out, 0, sizeof(*out));
	for (uint32_t i = 0; i < lit->nsection; i++) {
		pd_tuples_init(&out->images[i], a, lit->nvar);
		pd_tuples_init(&out->outcomes[i], a, lit->section[i].nreg);
	}
	if (!x)
		return false;
	x->lit = lit;
	x->arena = a;
	x->max_states = PD_MIN(max_states, UINT32_MAX / 8);
	x->out = out;
	if (!collect(x)) {
		out->capped = true;
		return true;
	}
	start(x, &s);
	reach(x, &s);
	while (x->next < x->found.n && !x->failed && !out->capped) {
		memset(&s, 0, sizeof(s));
		state_move(x, &s, x->found.v[x->next++]->bytes, false);
		visit(x, &s);
	}
	out->states = x->found.n;
	return !x->failed;
}
