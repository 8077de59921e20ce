/*
 * path_test.c - all paths of little random programs, each once: what is found from one input on is
 * compared with what all inputs do. A made-up front end runs the programs: registers of 16 bits
 * with labels, branches forth and back, switches, pinned values, assumptions, tables that are read
 * through what pd_ask_values says. RUNS= and SEED= for more.
 */
#include "unit/unit.h"
#include "engine/explore/node.h"
#include "engine/explore/path.h"
#include "engine/explore/search.h"

enum { REGISTERS = 5, CODE = 14, FUEL = 40, CASES = 4, BYTES = 3, MAX_PATHS = 1 << 13 };

enum what { COMPUTE, BRANCH, SWITCH, PIN, LOOKUP };

struct instruction {
	enum what what;
	enum pd_sym_op op;
	uint32_t to, a, b; /* registers; b of REGISTERS: the constant */
	uint64_t constant;
	int jump; /* where a branch goes to */
	uint64_t value[CASES];
	uint32_t target[CASES];
	uint64_t table[8];
};

struct program {
	uint64_t random;
	uint32_t nbytes;
	uint32_t bits[BYTES]; /* of each byte that it looks at */
	struct instruction code[CODE];
};

static uint32_t draw(struct program *p, uint32_t n)
{
	p->random = p->random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)((p->random >> 33) % n);
}

static void draw_instruction(struct program *p, uint32_t at, bool pins)
{
	static const enum what whats[] = {COMPUTE, COMPUTE, BRANCH, BRANCH,
					  BRANCH,  SWITCH,  LOOKUP, PIN};
	struct instruction *i = &p->code[at];

	i->what = whats[draw(p, PD_LEN(whats) - !pins)];
	i->op = (enum pd_sym_op)(PD_SYM_ADD + draw(p, PD_SYM_XOR - PD_SYM_ADD + 1));
	if (i->what == BRANCH)
		i->op = (enum pd_sym_op)(PD_SYM_EQ + draw(p, 5));
	i->to = draw(p, REGISTERS);
	i->a = draw(p, REGISTERS);
	i->b = draw(p, 2) ? REGISTERS : draw(p, REGISTERS);
	i->constant = draw(p, 4) ? draw(p, 12) : (uint64_t)draw(p, 1 << 16);
	i->jump = (int)at + 1 + (int)draw(p, 4) - (draw(p, 8) == 0 ? 4 : 0);
	for (uint32_t k = 0; k < CASES; k++) {
		i->value[k] = (k * 5 + i->constant) & 7;
		i->target[k] = draw(p, 3);
	}
	for (uint32_t k = 0; k < 8; k++)
		i->table[k] = draw(p, 3) ? draw(p, 4) : draw(p, 1 << 16);
}

static void draw_program(struct program *p, uint64_t seed, bool pins)
{
	static const uint32_t bits[BYTES][BYTES] = {{8}, {5, 4}, {3, 3, 3}};

	memset(p, 0, sizeof(*p));
	p->random = seed * 0x9e3779b97f4a7c15ULL + 1;
	p->nbytes = 1 + draw(p, BYTES);
	memcpy(p->bits, bits[p->nbytes - 1], sizeof(p->bits));
	for (uint32_t i = 0; i < CODE; i++)
		draw_instruction(p, i, pins);
}

/* ---- a run ---------------------------------------------------------------------------------- */

struct value {
	uint64_t v;
	pd_expr e; /* 0: it does not depend on the input */
};

struct machine {
	const struct program *p;
	struct pd_exprs *x; /* NULL: the program is just run */
	struct pd_path *path;
	struct pd_ask *q;
	const uint8_t *input;
	struct value r[REGISTERS];
	uint64_t trace; /* digest of where it came by */
};

static pd_expr label(struct machine *m, struct value v, uint32_t width)
{
	return v.e ? v.e : pd_expr_const(m->x, width, v.v);
}

static struct value binary(struct machine *m, enum pd_sym_op op, struct value a, struct value b)
{
	struct value r = {pd_op_binary(op, 16, a.v, b.v), 0};

	if (m->x && (a.e || b.e))
		r.e = pd_expr_binary(m->x, op, label(m, a, 16), label(m, b, 16));
	return r;
}

static void came_by(struct machine *m, uint32_t site, uint64_t way)
{
	m->trace = pd_mix(m->trace ^ (site + 1)) + pd_mix(way + 77);
}

static struct value three_bits(struct machine *m, struct value a)
{
	return binary(m, PD_SYM_AND, a, (struct value){7, 0});
}

static int run_switch(struct machine *m, uint32_t at, const struct instruction *i)
{
	struct value on = three_bits(m, m->r[i->a]);
	struct pd_sym_switch s = {CASES, 16, 3, i->value, i->target};
	uint32_t way = 0;

	for (uint32_t k = 0; k < CASES; k++)
		if (i->value[k] == on.v)
			way = i->target[k];
	came_by(m, at, way);
	if (on.e)
		pd_path_switch(m->path, at, on.e, &s, on.v);
	return (int)(at + 1 + way);
}

/* All places that it may be about are read. */
static struct value run_lookup(struct machine *m, const struct instruction *i)
{
	struct value index = three_bits(m, m->r[i->a]), r = {i->table[index.v], 0};
	uint64_t key[8];
	pd_expr entry[8];
	uint32_t n;

	if (!index.e)
		return r;
	pd_path_assumed(m->path, m->q);
	n = pd_ask_values(m->q, index.e, key, 8);
	if (n == 0) /* not known: all that there are */
		for (; n < 8; n++)
			key[n] = n;
	for (uint32_t k = 0; k < n; k++)
		entry[k] = pd_expr_const(m->x, 16, i->table[key[k]]);
	r.e = pd_expr_table(m->x, index.e, n, key, entry, entry[0]);
	return r;
}

static int run_instruction(struct machine *m, int at)
{
	const struct instruction *i = &m->p->code[at];
	struct value a = m->r[i->a];
	struct value b = i->b < REGISTERS ? m->r[i->b] : (struct value){i->constant, 0}, v;

	switch (i->what) {
	case COMPUTE:
		m->r[i->to] = binary(m, i->op, a, b);
		return at + 1;
	case BRANCH:
		v = binary(m, i->op, a, b);
		came_by(m, (uint32_t)at, v.v);
		if (v.e)
			pd_path_branch(m->path, (uint32_t)at, v.e, v.v);
		return v.v ? i->jump : at + 1;
	case SWITCH:
		return run_switch(m, (uint32_t)at, i);
	case PIN:
		came_by(m, (uint32_t)at, a.v);
		if (a.e)
			pd_path_pin(m->path, (uint32_t)at, a.e, a.v);
		m->r[i->a].e = 0;
		return at + 1;
	case LOOKUP:
		m->r[i->to] = run_lookup(m, i);
		return at + 1;
	}
	return CODE;
}

static void run_program(struct machine *m)
{
	int at = 0, fuel = FUEL;

	m->trace = 0;
	for (uint32_t i = 0; i < REGISTERS; i++) {
		uint32_t byte = i % m->p->nbytes;

		m->r[i] = (struct value){m->input[byte] & ((1U << m->p->bits[byte]) - 1), 0};
		if (m->x)
			m->r[i].e = pd_expr_extend(m->x, PD_SYM_ZEXT,
						   pd_expr_extract(m->x, pd_expr_input(m->x, byte),
								   0, m->p->bits[byte]),
						   16);
	}
	while (at >= 0 && at < CODE && fuel--)
		at = run_instruction(m, at);
}

/* ---- all inputs, and all paths -------------------------------------------------------------- */

struct traces {
	uint64_t v[MAX_PATHS];
	uint32_t n;
};

static bool has(const struct traces *t, uint64_t trace)
{
	for (uint32_t i = 0; i < t->n; i++)
		if (t->v[i] == trace)
			return true;
	return false;
}

/* Traces of all inputs. */
static void all_inputs(const struct program *p, struct traces *t)
{
	uint32_t bits = 0;

	t->n = 0;
	for (uint32_t i = 0; i < p->nbytes; i++)
		bits += p->bits[i];
	for (uint32_t v = 0; v < 1U << bits; v++) {
		uint8_t input[BYTES];
		struct machine m = {.p = p, .input = input};
		uint32_t rest = v;

		for (uint32_t i = 0; i < p->nbytes; i++) {
			input[i] = (uint8_t)(rest & ((1U << p->bits[i]) - 1));
			rest >>= p->bits[i];
		}
		run_program(&m);
		if (!has(t, m.trace))
			t->v[t->n++] = m.trace;
	}
}

struct world {
	struct unit_host host;
	struct pd_arena arena;
	struct program program;
	struct traces want, have;
	struct pd_record *queue[MAX_PATHS];
	uint32_t first, n;
	uint64_t pins_cut, steps_cut;
	uint32_t stop, stop_after, again; /* 0: never */
};

static bool found(void *ctx, const struct pd_record *r, const uint8_t *input, const uint64_t *pins)
{
	struct world *w = ctx;
	uint64_t padded = (r->size + 7) & ~7ULL;
	struct pd_record *to = calloc(1, sizeof(*r) + padded + 8ULL * r->npins);

	*to = *r;
	memcpy(to + 1, input, r->size);
	if (r->npins)
		memcpy((uint8_t *)(to + 1) + padded, pins, 8ULL * r->npins);
	assert_true(w->n < MAX_PATHS);
	w->queue[w->n++] = to;
	w->stop = w->stop_after && w->n % w->stop_after == 0;
	w->again += r->again;
	return true;
}

static void note(struct world *w, const struct machine *m, uint64_t seed)
{
	struct traces *t = &w->have;

	if (has(t, m->trace))
		fail_msg("seed %llu: a path is run twice", (unsigned long long)seed);
	t->v[t->n++] = m->trace;
}

static void explore(struct world *w, uint64_t seed, struct pd_path_limits limits)
{
	struct pd_exprs *x = pd_exprs_create(&w->arena, w->program.nbytes);
	struct pd_ask *q =
		pd_ask_create(&w->arena, x, w->program.nbytes, (struct pd_ask_solver){0});
	struct pd_path *path = pd_path_create(&w->arena, x, limits);
	struct pd_record root = {.size = w->program.nbytes};
	uint8_t zeros[BYTES] = {0};

	w->n = w->have.n = 0;
	w->pins_cut = w->steps_cut = 0;
	found(w, &root, zeros, NULL);
	for (w->first = 0; w->first < w->n; w->first++) {
		struct pd_record *r = w->queue[w->first];
		struct machine m = {&w->program, x, path, q, pd_record_input(r), {{0}}, 0};
		struct pd_path_flipped out;

		pd_path_begin(path, r, m.input);
		run_program(&m);
		if (!r->again)
			note(w, &m, seed);
		w->stop = 0;
		if (pd_path_flip(path, q, found, w, &out) != PD_PATH_FINE || out.unknown)
			fail_msg("seed %llu: diverged at %u, %u unknown", (unsigned long long)seed,
				 out.diverged_at, out.unknown);
		assert_int_equal(out.asked, out.yes + out.no + out.unknown);
		w->pins_cut += out.pins_cut;
		w->steps_cut += out.steps_cut;
	}
	for (uint32_t i = 0; i < w->n; i++)
		free(w->queue[i]);
	pd_arena_reset(&w->arena);
}

static void world_init(struct world *w)
{
	memset(w, 0, sizeof(*w));
	w->host.left = -1;
	pd_arena_init(&w->arena, unit_host(&w->host));
}

static void world_finish(struct world *w)
{
	pd_arena_finish(&w->arena);
	assert_int_equal(w->host.live, 0);
}

static uint64_t setting(const char *name, uint64_t otherwise)
{
	const char *v = getenv(name);

	return v ? strtoull(v, NULL, 10) : otherwise;
}

static void compare(struct world *w, uint64_t seed)
{
	if (w->have.n != w->want.n)
		fail_msg("seed %llu: %u paths, not %u", (unsigned long long)seed, w->have.n,
			 w->want.n);
	for (uint32_t i = 0; i < w->want.n; i++)
		assert_true(has(&w->have, w->want.v[i]));
}

static void every_path_once(void **state)
{
	uint64_t first = setting("SEED", 1), runs = setting("RUNS", 3000) / 8, paths = 0;
	static struct world w;

	(void)state;
	world_init(&w);
	for (uint64_t seed = first; seed < first + runs; seed++) {
		draw_program(&w.program, seed, seed % 3 == 0);
		all_inputs(&w.program, &w.want);
		explore(&w, seed, (struct pd_path_limits){.steps = 1000, .pins = PD_PATH_PINS});
		if (w.pins_cut || w.steps_cut) /* a byte may have 256 values */
			continue;
		compare(&w, seed);
		paths += w.have.n;
	}
	world_finish(&w);
	assert_true(paths > 2 * runs);
}

/* Stopped in the middle of asking, again and again: what is left is a record, and nothing is
 * lost. */
static void stopping_loses_nothing(void **state)
{
	uint64_t first = setting("SEED", 1), runs = setting("RUNS", 3000) / 16;
	static struct world w;
	uint32_t again = 0;

	(void)state;
	world_init(&w);
	for (uint64_t seed = first; seed < first + runs; seed++) {
		draw_program(&w.program, seed, false);
		all_inputs(&w.program, &w.want);
		w.stop_after = 2 + seed % 3;
		explore(&w, seed, (struct pd_path_limits){1000, PD_PATH_PINS, &w.stop});
		compare(&w, seed);
		again += w.again;
	}
	world_finish(&w);
	assert_true(again > runs);
}

/* What is cut is counted, and what is found without it is right. */
static void limits_are_counted(void **state)
{
	static struct world w;
	uint32_t cut = 0;

	(void)state;
	world_init(&w);
	for (uint64_t seed = 1; seed < 150; seed++) {
		draw_program(&w.program, seed, true);
		all_inputs(&w.program, &w.want);
		explore(&w, seed, (struct pd_path_limits){.steps = 4, .pins = 3});
		assert_true(w.have.n <= w.want.n);
		for (uint32_t i = 0; i < w.have.n; i++)
			assert_true(has(&w.want, w.have.v[i]));
		if (w.have.n < w.want.n)
			assert_true(w.pins_cut || w.steps_cut);
		cut += w.pins_cut || w.steps_cut;
	}
	world_finish(&w);
	assert_true(cut > 20);
}

/* ---- runs that go elsewhere ----------------------------------------------------------------- */

/* Records of a path with two branches on one byte, a pin and a branch. */
static pd_expr run_three(struct pd_exprs *x, struct pd_path *p, const struct pd_record *r,
			 uint32_t first_site)
{
	const uint8_t *input = pd_record_input(r);
	pd_expr e = pd_expr_input(x, 0);
	pd_expr small = pd_expr_binary(x, PD_SYM_ULT, e, pd_expr_const(x, 8, 50));
	pd_expr odd = pd_expr_extract(x, e, 0, 1);

	pd_path_begin(p, r, input);
	pd_path_branch(p, first_site, small, input[0] < 50);
	pd_path_pin(p, 2, pd_expr_extract(x, e, 1, 2), input[0] >> 1 & 3);
	pd_path_branch(p, 3, odd, input[0] & 1);
	return odd;
}

static enum pd_path_end flip(struct world *w, struct pd_path *p, struct pd_ask *q,
			     struct pd_path_flipped *out)
{
	return pd_path_flip(p, q, found, w, out);
}

static void divergence_is_noticed(void **state)
{
	static struct world w;
	struct pd_exprs *x;
	struct pd_ask *q;
	struct pd_path *p;
	struct pd_record root = {.size = 1};
	struct pd_path_flipped out;
	uint32_t n;
	pd_expr odd;

	(void)state;
	world_init(&w);
	x = pd_exprs_create(&w.arena, 1);
	q = pd_ask_create(&w.arena, x, 1, (struct pd_ask_solver){0});
	p = pd_path_create(&w.arena, x, (struct pd_path_limits){.steps = 100, .pins = 4});
	found(&w, &root, (const uint8_t[]){0}, NULL);
	run_three(x, p, w.queue[0], 1);
	pd_path_steps(p, &n);
	assert_int_equal(n, 3);
	assert_int_equal(flip(&w, p, q, &out), PD_PATH_FINE);
	assert_int_equal(out.asked, 3);
	assert_int_equal(w.n, 4);
	for (uint32_t i = 1; i < 4; i++) {
		uint32_t before = w.n;

		/* As it should be; another site before the bound, or at it; one step too few */
		run_three(x, p, w.queue[i], 1);
		assert_int_equal(flip(&w, p, q, &out), PD_PATH_FINE);
		run_three(x, p, w.queue[i], 9);
		assert_int_equal(flip(&w, p, q, &out), PD_PATH_DIVERGED);
		assert_int_equal(out.diverged_at, w.queue[i]->bound);
		pd_path_begin(p, w.queue[i], pd_record_input(w.queue[i]));
		assert_int_equal(flip(&w, p, q, &out), PD_PATH_DIVERGED);
		assert_true(w.n >= before);
	}
	/* The machine says something else than the label. */
	odd = run_three(x, p, w.queue[0], 1);
	pd_path_branch(p, 4, odd, true);
	assert_int_equal(flip(&w, p, q, &out), PD_PATH_DIVERGED);
	assert_int_equal(out.diverged_at, 3);
	for (uint32_t i = 0; i < w.n; i++)
		free(w.queue[i]);
	world_finish(&w);
}

/* Memory for nodes or steps runs out: the path is cut, and says so. */
static void memory_runs_out(void **state)
{
	static struct world w;
	uint32_t cut = 0;

	(void)state;
	for (long left = 3; left < 16; left++) {
		struct pd_exprs *x;
		struct pd_path *p;
		struct pd_record root = {.size = 1};
		uint32_t n;

		world_init(&w);
		w.host.left = left;
		x = pd_exprs_create(&w.arena, 1);
		p = x ? pd_path_create(&w.arena, x,
				       (struct pd_path_limits){.steps = 1U << 20, .pins = 4})
		      : NULL;
		if (p) {
			uint8_t input = 0;
			pd_expr e;

			pd_path_begin(p, &root, &input);
			for (uint32_t i = 0; i < 20000; i++) {
				e = pd_expr_extend(x, PD_SYM_ZEXT, pd_expr_input(x, 0), 64);
				e = pd_expr_binary(x, PD_SYM_MUL, e,
						   pd_expr_const(x, 64, 0x9e3779b97f4a7c15));
				e = pd_expr_binary(x, PD_SYM_ULT, e,
						   pd_expr_const(x, 64, pd_mix(i + 1)));
				pd_path_branch(p, i, e, true);
			}
			pd_path_steps(p, &n);
			cut += n < 20000;
		}
		world_finish(&w);
	}
	assert_true(cut > 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_path_once),    cmocka_unit_test(stopping_loses_nothing),
		cmocka_unit_test(limits_are_counted), cmocka_unit_test(divergence_is_noticed),
		cmocka_unit_test(memory_runs_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
