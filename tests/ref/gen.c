/*
 * gen.c - random litmus programs: see gen.h.
 *
 * A program has one to three lines with a few variables each, of mixed sizes, some of them across a
 * word or a line; accesses mostly hit a variable exactly and sometimes a part of it or its
 * neighbour. Three things make the programs worth their time:
 *
 *  - Locality: a flush mostly names the line that its thread has stored to last, and a fence mostly
 *    follows a flush. That is where the rules are.
 *  - Telling values: each store has a value of its own (now and then an old one again), repeated in
 *    every byte where the store may be torn.
 *  - Idioms: a quarter of the programs are known shapes with chance in the details.
 *  - Size: the naive search must end. The more threads, the fewer instructions a thread; wide
 *    stores and further sections count for more than one.
 *
 * Everything comes from the seed.
 */
#include "ref/gen.h"

struct gen {
	uint64_t random;
	struct pd_arena *arena;
	struct pd_litmus *lit;
	uint64_t line_bytes;
	uint64_t last_value;
	bool failed;
	/* Of the thread that is being written. */
	uint32_t first_reg, nreg; /* its registers that were written */
	uint64_t last_addr;	  /* stored to last */
	bool has_last, flushed;
};

/* ---- chance --------------------------------------------------------------------------------- */

/* SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t next_random(struct gen *g)
{
	uint64_t z = g->random += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static uint32_t below(struct gen *g, uint32_t n)
{
	return (uint32_t)(next_random(g) % n);
}

static uint32_t between(struct gen *g, uint32_t low, uint32_t high)
{
	return low + below(g, high - low + 1);
}

static bool percent(struct gen *g, uint32_t p)
{
	return below(g, 100) < p;
}

/* An index, as often as its weight says. */
static uint32_t weighted(struct gen *g, const uint32_t *weight, uint32_t n)
{
	uint32_t sum = 0, at, i;

	for (i = 0; i < n; i++)
		sum += weight[i];
	at = below(g, sum);
	for (i = 0; at >= weight[i]; i++)
		at -= weight[i];
	return i;
}

/* ---- variables ------------------------------------------------------------------------------ */

static const char *const var_names[] = {"x", "y", "z", "u", "v", "w", "a", "b", "c", "d"};

static bool is_taken(const struct gen *g, uint64_t addr, uint32_t size)
{
	for (uint32_t i = 0; i < g->lit->nvar; i++) {
		const struct pd_lit_var *v = &g->lit->var[i];

		if (addr < v->addr + v->size && v->addr < addr + size)
			return true;
	}
	return false;
}

static void gen_var(struct gen *g, uint64_t line, bool first)
{
	static const uint32_t size_weight[] = {1, 1, 2, 6};
	static const int8_t offsets[] = {0, 8, 16, 4, 2, 1, 12, 6, -8, -4, -2, -1, -6};
	static const uint32_t offset_weight[] = {9, 9, 3, 4, 2, 1, 2, 1, 3, 2, 1, 1, 1};
	uint32_t size = 1u << weighted(g, size_weight, 4);
	int8_t off = offsets[weighted(g, offset_weight, PD_LEN(offsets))];
	uint64_t addr =
		line * g->line_bytes + (off < 0 ? g->line_bytes - (uint64_t)-off : (uint64_t)off);

	/* Something must stand at the start, or accesses before it could not be named. */
	if (first)
		addr = line * g->line_bytes;
	/* Two names for one byte are allowed, and rare. */
	if (g->lit->nvar == PD_LEN(var_names) || (is_taken(g, addr, size) && !percent(g, 5)))
		return;
	g->lit->var[g->lit->nvar] = (struct pd_lit_var){
		.name = var_names[g->lit->nvar],
		.addr = addr,
		.size = size,
		.init = percent(g, 6) ? 200 : 0,
	};
	g->lit->nvar++;
}

/* By address, as the text has them. */
static void sort_vars(struct pd_litmus *lit)
{
	for (uint32_t i = 1; i < lit->nvar; i++)
		for (uint32_t k = i; k && lit->var[k].addr < lit->var[k - 1].addr; k--) {
			struct pd_lit_var v = lit->var[k];

			lit->var[k] = lit->var[k - 1];
			lit->var[k - 1] = v;
		}
}

static void gen_vars(struct gen *g)
{
	static const uint32_t lines_weight[] = {1, 7, 3};
	static const uint32_t vars_weight[] = {5, 4, 1};
	uint32_t lines = 1 + weighted(g, lines_weight, 3);

	for (uint32_t l = 0; l < lines; l++) {
		uint32_t n = 1 + weighted(g, vars_weight, 3);

		for (uint32_t i = 0; i < n; i++)
			gen_var(g, l, i == 0);
	}
	sort_vars(g->lit);
	g->lit->mem_size = (lines + 1) * g->line_bytes;
}

/* ---- instructions --------------------------------------------------------------------------- */

static const struct {
	const char *name;
	bool has_address, has_reg;
	uint32_t values; /* as the text has them; stv: any number */
	uint32_t weight, page_weight;
} ops[PD_GEN_OPS] = {
	[PD_LIT_ST] = {"st", true, false, 1, 32, 35},
	[PD_LIT_STNT] = {"stnt", true, false, 1, 6, 3},
	[PD_LIT_STV] = {"stv", true, false, 1, 3, 3},
	[PD_LIT_LD] = {"ld", true, true, 0, 11, 12},
	[PD_LIT_CLFLUSH] = {"clflush", true, false, 0, 6, 1},
	[PD_LIT_CLFLUSHOPT] = {"clflushopt", true, false, 0, 6, 1},
	[PD_LIT_CLWB] = {"clwb", true, false, 0, 10, 2},
	[PD_LIT_SFENCE] = {"sfence", false, false, 0, 6, 2},
	[PD_LIT_MFENCE] = {"mfence", false, false, 0, 3, 3},
	[PD_LIT_LFENCE] = {"lfence", false, false, 0, 1, 1},
	[PD_LIT_XCHG] = {"xchg", true, true, 1, 3, 3},
	[PD_LIT_ADD] = {"add", true, true, 1, 3, 3},
	[PD_LIT_CAS] = {"cas", true, true, 2, 4, 3},
	[PD_LIT_MSYNC] = {"msync", true, false, 0, 2, 14},
	[PD_LIT_UNNEEDED] = {"unneeded", true, false, 0, 2, 2},
};

const char *pd_gen_op_name(enum pd_lit_op op)
{
	return ops[op].name;
}

static bool is_flush(enum pd_lit_op op)
{
	return op == PD_LIT_CLFLUSH || op == PD_LIT_CLFLUSHOPT || op == PD_LIT_CLWB ||
	       op == PD_LIT_MSYNC;
}

static bool is_store(enum pd_lit_op op)
{
	return op == PD_LIT_ST || op == PD_LIT_STNT || op == PD_LIT_STV || op == PD_LIT_XCHG ||
	       op == PD_LIT_ADD || op == PD_LIT_CAS;
}

static enum pd_lit_op gen_op(struct gen *g)
{
	bool page = !(g->lit->params.persists & PD_PERSISTS_FLUSH);
	uint32_t weight[PD_GEN_OPS];

	for (uint32_t i = 0; i < PD_GEN_OPS; i++)
		weight[i] = page ? ops[i].page_weight : ops[i].weight;
	if (g->flushed && percent(g, 35))
		return percent(g, 75) ? PD_LIT_SFENCE : PD_LIT_MFENCE;
	return (enum pd_lit_op)weighted(g, weight, PD_GEN_OPS);
}

static uint64_t gen_value(struct gen *g, bool torn)
{
	uint64_t v = percent(g, 12) ? below(g, 3) : ++g->last_value;

	return torn ? v * 0x0101010101010101ULL : v;
}

static void gen_address(struct gen *g, struct pd_lit_instr *in)
{
	const struct pd_lit_var *v = &g->lit->var[below(g, g->lit->nvar)];

	in->addr = v->addr;
	in->size = v->size;
	if (percent(g, 10))
		in->size = 1u << below(g, 4);
	if (percent(g, 8))
		in->addr += between(g, 1, 7);
	if (is_flush(in->op) && g->has_last && percent(g, 70))
		in->addr = g->last_addr;
	if (in->addr + in->size > g->lit->mem_size)
		in->addr = v->addr;
}

static struct pd_lit_operand gen_operand(struct gen *g, const struct pd_lit_instr *in)
{
	bool torn = in->size > 1 && (in->addr % in->size || percent(g, 10));

	if (g->nreg && percent(g, 18))
		return (struct pd_lit_operand){true, g->first_reg + below(g, g->nreg)};
	return (struct pd_lit_operand){false, gen_value(g, torn)};
}

static uint32_t gen_reg(struct gen *g, struct pd_lit_section *s)
{
	if (s->nreg == PD_LIT_REGS || (g->nreg && percent(g, 15)))
		return g->nreg ? g->first_reg + below(g, g->nreg) : PD_LIT_REGS;
	g->nreg++;
	return s->nreg++;
}

static void gen_guard(struct gen *g, struct pd_lit_instr *in)
{
	if (!g->nreg || !percent(g, 14))
		return;
	in->guarded = true;
	in->guard_reg = g->first_reg + below(g, g->nreg);
	in->guard_value = percent(g, 50) ? 0 : below(g, (uint32_t)g->last_value + 1);
}

/* One instruction; how much of the program's size it takes. */
static uint32_t gen_instr(struct gen *g, struct pd_lit_section *s, struct pd_lit_instr *in)
{
	*in = (struct pd_lit_instr){.op = gen_op(g)};
	gen_guard(g, in);
	if (ops[in->op].has_address)
		gen_address(g, in);
	in->nvalue = in->op == PD_LIT_STV ? between(g, 1, 3) : ops[in->op].values;
	for (uint32_t i = 0; i < in->nvalue; i++)
		in->value[i] = gen_operand(g, in);
	/* Half of all cas expect what is there at first. */
	if (in->op == PD_LIT_CAS && percent(g, 50))
		in->value[0] = (struct pd_lit_operand){false, 0};
	if (in->op == PD_LIT_STV) {
		in->size = 8 * in->nvalue;
		if (in->addr + in->size > g->lit->mem_size)
			in->addr = g->lit->var[0].addr;
	}
	if (ops[in->op].has_reg)
		in->reg = gen_reg(g, s);
	if (ops[in->op].has_reg && in->reg == PD_LIT_REGS)
		*in = (struct pd_lit_instr){.op = PD_LIT_LFENCE};
	g->flushed = is_flush(in->op) || in->op == PD_LIT_STNT;
	if (is_store(in->op)) {
		g->last_addr = in->addr;
		g->has_last = true;
	}
	return in->op == PD_LIT_STV ? in->nvalue : in->op == PD_LIT_STNT ? 2 : 1;
}

static struct pd_lit_thread *begin_thread(struct gen *g, struct pd_lit_section *s)
{
	static const char *const names[] = {"T0", "T1", "T2"};
	struct pd_lit_thread *t = &s->thread[s->nthread];

	*t = (struct pd_lit_thread){.name = names[s->nthread]};
	s->nthread++;
	g->first_reg = s->nreg;
	g->nreg = 0;
	g->has_last = g->flushed = false;
	return t;
}

/* Appends a random instruction; how much of the program's size it takes. */
static uint32_t gen_append(struct gen *g, struct pd_lit_section *s, struct pd_lit_thread *t)
{
	struct pd_lit_instr *in = pd_vec_push(&t->instr, g->arena);

	if (!in) {
		g->failed = true;
		return UINT16_MAX;
	}
	return gen_instr(g, s, in);
}

static void gen_thread(struct gen *g, struct pd_lit_section *s, uint32_t budget)
{
	struct pd_lit_thread *t = begin_thread(g, s);

	for (uint32_t used = 0; used < budget;)
		used += gen_append(g, s, t);
}

/* ---- idioms --------------------------------------------------------------------------------- */

/*
 * Some orders show only to a second thread that looks in the right moment, which chance alone
 * hardly ever makes. A letter an instruction, then the variable's role: S store, F flush, L load; G
 * and H store if the last load gave 0 or 1; M mfence; ? maybe a fence.
 */
static const char *const idioms[][2] = {
	/* May a flush pass an earlier store to another line? */
	{"Sa ?. Fb ?. Sc", "Sb M. La Gd"},
	/* The same with a flush before it. */
	{"Sa Fa ?. Fb ?. Sc", "Sb M. La Gd"},
	/* Is what was flushed durable before its message, and before the answer? */
	{"Sa Fa ?. Sb", "Lb Hc Fc ?. Sd"},
	/* Another thread's store, flushed by the one that has read it. */
	{"Sa ?. Sb", "La Fa ?. Hc"},
	/* Store buffers. */
	{"Sa Fa ?. Lb Sc", "Sb Fb ?. La Sd"},
};

static enum pd_lit_op idiom_op(struct gen *g, char letter)
{
	static const enum pd_lit_op stores[] = {PD_LIT_ST, PD_LIT_STNT, PD_LIT_XCHG};
	static const enum pd_lit_op flushes[] = {PD_LIT_CLFLUSH, PD_LIT_CLFLUSHOPT, PD_LIT_CLWB};
	static const enum pd_lit_op fences[] = {PD_LIT_SFENCE, PD_LIT_MFENCE, PD_LIT_LFENCE};
	static const uint32_t stores_weight[] = {8, 3, 1}, flushes_weight[] = {3, 2, 3},
			      fences_weight[] = {5, 2, 4};

	switch (letter) {
	case 'S':
		return stores[weighted(g, stores_weight, 3)];
	case 'F':
		return flushes[weighted(g, flushes_weight, 3)];
	case 'L':
		return PD_LIT_LD;
	case 'M':
		return PD_LIT_MFENCE;
	case '?':
		return fences[weighted(g, fences_weight, 3)];
	default:
		return PD_LIT_ST;
	}
}

static void idiom_instr(struct gen *g, struct pd_lit_section *s, struct pd_lit_thread *t,
			const char *letter, const uint32_t *role)
{
	struct pd_lit_instr *in = pd_vec_push(&t->instr, g->arena);

	if (!in) {
		g->failed = true;
		return;
	}
	*in = (struct pd_lit_instr){.op = idiom_op(g, letter[0])};
	if (ops[in->op].has_address) {
		in->addr = g->lit->var[role[letter[1] - 'a']].addr;
		in->size = g->lit->var[role[letter[1] - 'a']].size;
	}
	in->nvalue = ops[in->op].values;
	in->value[0].value = 1;
	if (letter[0] == 'G' || letter[0] == 'H') {
		in->guarded = g->nreg > 0;
		in->guard_reg = s->nreg - 1;
		in->guard_value = letter[0] == 'H';
	}
	if (ops[in->op].has_reg) {
		in->reg = s->nreg++;
		g->nreg++;
	}
}

/* A word of its own for each role, in any of three lines. */
static void gen_idiom_vars(struct gen *g)
{
	g->lit->nvar = 0;
	for (uint32_t i = 0; i < 4; i++)
		g->lit->var[g->lit->nvar++] = (struct pd_lit_var){
			.name = var_names[i],
			.addr = below(g, 3) * g->line_bytes + 8 * i,
			.size = 8,
		};
	sort_vars(g->lit);
	g->lit->mem_size = 4 * g->line_bytes;
}

/* Which variable plays which role; mostly one each. */
static void gen_roles(struct gen *g, uint32_t *role)
{
	bool own = percent(g, 80);

	if (own)
		gen_idiom_vars(g);
	for (uint32_t i = 0; i < 4; i++)
		role[i] = own ? i : below(g, g->lit->nvar);
	for (uint32_t i = 3; i; i--) {
		uint32_t k = below(g, i + 1), r = role[i];

		role[i] = role[k];
		role[k] = r;
	}
}

/* Two threads of an idiom, not always to the letter. */
static void gen_idiom(struct gen *g)
{
	struct pd_lit_section *s = &g->lit->section[0];
	uint32_t which = below(g, PD_LEN(idioms)), role[4];
	uint32_t noise = percent(g, 50) ? 8 : 0;

	gen_roles(g, role);
	for (uint32_t t = 0; t < 2; t++) {
		struct pd_lit_thread *th = begin_thread(g, s);

		for (const char *c = idioms[which][t]; *c; c += c[2] ? 3 : 2) {
			if (percent(g, noise))
				gen_append(g, s, th);
			if (!percent(g, noise))
				idiom_instr(g, s, th, c, role);
		}
	}
}

/* ---- programs ------------------------------------------------------------------------------- */

/* The first execution. Small programs are fast and make short reports, large ones go deep. */
static void gen_first(struct gen *g)
{
	static const uint32_t threads_weight[] = {5, 6, 3};
	/* Instructions of a thread, of small and of large programs, by number of threads. */
	static const uint32_t most[2][3] = {{8, 4, 3}, {20, 9, 6}};
	uint32_t n = 1 + weighted(g, threads_weight, 3), large = percent(g, 40);

	for (uint32_t t = 0; t < n; t++)
		gen_thread(g, &g->lit->section[0],
			   between(g, 1 + large + (n == 1), most[large][n - 1]));
}

/* A recovery: reads what is there, then goes on. */
static void gen_recovery(struct gen *g)
{
	struct pd_lit_section *s = &g->lit->section[g->lit->nsection++];
	uint32_t n = percent(g, 15) ? 2 : 1;

	for (uint32_t t = 0; t < n; t++) {
		struct pd_lit_thread *th = &s->thread[s->nthread];
		uint32_t loads = below(g, 3);

		gen_thread(g, s, between(g, 1, n == 1 ? 4 : 2));
		for (uint32_t i = 0; i < PD_MIN(loads, th->instr.n) && s->nreg < PD_LIT_REGS; i++) {
			struct pd_lit_instr in = {.op = PD_LIT_LD, .reg = s->nreg};

			if (ops[th->instr.v[i].op].has_reg || th->instr.v[i].guarded)
				continue;
			s->nreg++;
			g->nreg++;
			gen_address(g, &in);
			th->instr.v[i] = in;
		}
	}
}

static void gen_params(struct gen *g)
{
	static const uint32_t weight[] = {70, 20, 10};
	const struct pd_params all[] = {PD_PARAMS_ADR, PD_PARAMS_EADR, PD_PARAMS_PAGE};

	g->lit->params = all[weighted(g, weight, 3)];
	g->line_bytes = 1ULL << g->lit->params.line_shift;
}

struct pd_litmus *pd_gen_program(struct pd_arena *a, uint64_t seed)
{
	struct gen g = {.random = seed, .arena = a, .lit = pd_new(a, struct pd_litmus)};

	if (!g.lit)
		return NULL;
	/* Neighbouring seeds must not give neighbouring programs. */
	g.random = next_random(&g);
	gen_params(&g);
	gen_vars(&g);
	g.lit->nsection = 1;
	if (percent(&g, 25))
		gen_idiom(&g);
	else
		gen_first(&g);
	if (percent(&g, 35))
		gen_recovery(&g);
	if (g.lit->nsection == 2 && percent(&g, 15))
		gen_recovery(&g);
	return g.failed ? NULL : g.lit;
}

/* ---- text ----------------------------------------------------------------------------------- */

static void print_number(struct pd_out *o, uint64_t v)
{
	pd_outf(o, v < 1000 ? "%lu" : "0x%lx", (unsigned long)v);
}

/* The variable that an address is named by: the last one that starts at or before it. */
static const struct pd_lit_var *base_of(const struct pd_litmus *lit, uint64_t addr)
{
	const struct pd_lit_var *best = NULL;

	for (uint32_t i = 0; i < lit->nvar; i++)
		if (lit->var[i].addr <= addr && (!best || lit->var[i].addr > best->addr))
			best = &lit->var[i];
	return best;
}

static bool print_instr(struct pd_out *o, const struct pd_litmus *lit,
			const struct pd_lit_instr *in)
{
	const struct pd_lit_var *v = base_of(lit, in->addr);

	if (in->guarded) {
		pd_outf(o, "if r%u=", in->guard_reg);
		print_number(o, in->guard_value);
		pd_outs(o, " ");
	}
	pd_outs(o, ops[in->op].name);
	if (!ops[in->op].has_address)
		return true;
	if (!v)
		return false;
	if (in->op != PD_LIT_STV && in->size != v->size)
		pd_outf(o, ".%u", in->size);
	if (ops[in->op].has_reg)
		pd_outf(o, " r%u", in->reg);
	pd_outf(o, " %s", v->name);
	if (in->addr != v->addr)
		pd_outf(o, "+%lu", (unsigned long)(in->addr - v->addr));
	for (uint32_t i = 0; i < in->nvalue; i++) {
		pd_outs(o, in->value[i].is_reg ? " r" : " ");
		print_number(o, in->value[i].value);
	}
	return true;
}

/*
 * `line:` starts at the next free line and takes as many as its variables reach over. Variables
 * must be in the order of addresses, as the generator and this printer have them.
 */
static void print_vars(struct pd_out *o, const struct pd_litmus *lit)
{
	uint64_t bytes = 1ULL << lit->params.line_shift, start = 0;

	for (uint32_t i = 0; i < lit->nvar;) {
		uint64_t end = start + bytes;

		pd_outs(o, "line:   ");
		for (bool first = true; i < lit->nvar && (first || lit->var[i].addr < end); i++) {
			const struct pd_lit_var *v = &lit->var[i];

			pd_outf(o, "%s%s@%lu:%u", first ? "" : " ", v->name,
				(unsigned long)(v->addr - start), v->size);
			while (v->addr + v->size > end)
				end += bytes;
			first = false;
		}
		pd_outs(o, "\n");
		start = end;
	}
	for (uint32_t i = 0; i < lit->nvar; i++)
		if (lit->var[i].init)
			pd_outf(o, "init:   %s=%lu\n", lit->var[i].name,
				(unsigned long)lit->var[i].init);
}

bool pd_gen_print(struct pd_out *o, const struct pd_litmus *lit)
{
	bool ok = true;

	pd_outf(o, "model:  %s\n", lit->params.name);
	print_vars(o, lit);
	for (uint32_t i = 0; i < lit->nsection; i++) {
		const struct pd_lit_section *s = &lit->section[i];

		if (i)
			pd_outs(o, "crash:\n");
		for (uint32_t t = 0; t < s->nthread; t++) {
			pd_outf(o, "T%u:     ", t);
			for (uint32_t k = 0; k < s->thread[t].instr.n; k++) {
				pd_outs(o, k ? "; " : "");
				ok &= print_instr(o, lit, &s->thread[t].instr.v[k]);
			}
			pd_outs(o, "\n");
		}
	}
	return ok;
}
