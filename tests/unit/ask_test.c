/*
 * ask_test.c - questions about inputs, against all inputs of 1 to 3 bytes: with a solver that tries
 * all of them, with none, and with one that never knows. RUNS= and SEED= for more.
 */
#include "unit/explore_gen.h"
#include "engine/explore/ask.h"
#include "engine/explore/common.h"

enum { MAX_VALUES = 300 };

/* Bytes have few values, so that trying all is soon done: the others are ruled out by a
 * condition. */
struct world {
	struct unit_host host;
	struct pd_arena arena;
	struct gen gen;
	struct pd_ask *q;
	uint32_t nbytes;
	uint32_t values[3]; /* of each byte, from 0 on */
	uint8_t input[3];
	pd_expr assumed[64];
	const struct ref_expr *assumed_ref[64];
	uint32_t nassumed;
	uint64_t solved; /* times that the solver was asked */
};

static uint64_t setting(const char *name, uint64_t otherwise)
{
	const char *v = getenv(name);

	return v ? strtoull(v, NULL, 10) : otherwise;
}

/* ---- all inputs ----------------------------------------------------------------------------- */

/* The next input; false: that was the last. */
static bool next_input(const uint32_t *values, uint32_t n, uint8_t *input)
{
	for (uint32_t i = 0; i < n; i++) {
		input[i] = (uint8_t)((input[i] + 1U) % values[i]);
		if (input[i])
			return true;
	}
	return false;
}

static bool holds_under(const struct world *w, const struct ref_expr *also, const uint8_t *input)
{
	for (uint32_t i = 0; i < w->nassumed; i++)
		if (!ref_value(w->assumed_ref[i], input))
			return false;
	return !also || ref_value(also, input);
}

static bool exists(const struct world *w, const struct ref_expr *also)
{
	uint8_t input[3] = {0};

	do
		if (holds_under(w, also, input))
			return true;
	while (next_input(w->values, w->nbytes, input));
	return false;
}

/* A solver that tries all inputs. Bytes that no condition is about it leaves alone. */
static enum pd_ask_answer solve_all(void *ctx, struct pd_exprs *x, const pd_expr *holds, uint32_t n,
				    uint8_t *input)
{
	struct world *w = ctx;
	uint8_t trial[3] = {0};
	bool about[3] = {false};

	w->solved++;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t m;
		const uint32_t *byte = pd_expr_support(x, holds[i], &m);

		for (uint32_t j = 0; j < m; j++)
			about[byte[j]] = true;
	}
	do {
		uint32_t i = 0;

		while (i < n && pd_expr_value_under(x, holds[i], trial))
			i++;
		if (i < n)
			continue;
		for (uint32_t j = 0; j < w->nbytes; j++)
			if (about[j])
				input[j] = trial[j];
		return PD_ASK_YES;
	} while (next_input(w->values, w->nbytes, trial));
	return PD_ASK_NO;
}

static enum pd_ask_answer never_knows(void *ctx, struct pd_exprs *x, const pd_expr *holds,
				      uint32_t n, uint8_t *input)
{
	struct world *w = ctx;

	(void)x;
	(void)holds;
	(void)n;
	memset(input, 0xee, w->nbytes);
	w->solved++;
	return PD_ASK_UNKNOWN;
}

/* ---- a world -------------------------------------------------------------------------------- */

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
	ref_free();
}

static void assume(struct world *w, struct pair p)
{
	w->assumed[w->nassumed] = p.e;
	w->assumed_ref[w->nassumed++] = p.r;
	pd_ask_assume(w->q, p.e);
}

/* Another path: bytes are below their number of values, and the input is one of these. */
static void begin(struct world *w)
{
	struct gen *g = &w->gen;

	w->nassumed = 0;
	for (uint32_t i = 0; i < w->nbytes; i++)
		w->input[i] = (uint8_t)draw(g, w->values[i]);
	pd_ask_begin(w->q, w->input);
	for (uint32_t i = 0; i < w->nbytes; i++)
		if (w->values[i] < 256)
			assume(w, gen_bin(g, PD_SYM_ULT,
					  (struct pair){pd_expr_input(g->x, i), ref_input((int)i)},
					  gen_const(g, 8, w->values[i])));
}

static void check_question(struct world *w, struct pair also, bool exact, uint64_t seed)
{
	uint8_t found[3];
	enum pd_ask_answer a = pd_ask(w->q, also.e, found);
	bool is = exists(w, also.r);

	if (a == PD_ASK_UNKNOWN && !exact)
		return;
	if (a != (is ? PD_ASK_YES : PD_ASK_NO))
		fail_msg("seed %llu: the answer is %d, and there is %s input",
			 (unsigned long long)seed, (int)a, is ? "an" : "no");
	if (a == PD_ASK_YES && !holds_under(w, also.r, found))
		fail_msg("seed %llu: the answer %02x %02x %02x is none", (unsigned long long)seed,
			 found[0], found[1], found[2]);
}

/* Bytes that neither the question nor, by way of others, an assumption is about stay as they
 * are. */
static void check_values(struct world *w, struct pair p, uint64_t seed)
{
	uint64_t values[MAX_VALUES], want[MAX_VALUES];
	uint32_t max = 1 + draw(&w->gen, MAX_VALUES), n = pd_ask_values(w->q, p.e, values, max),
		 m = 0;
	uint8_t input[3] = {0};

	do {
		uint64_t v = ref_value(p.r, input);
		uint32_t at = 0;

		if (!holds_under(w, NULL, input))
			continue;
		while (at < m && want[at] < v)
			at++;
		if (at < m && want[at] == v)
			continue;
		if (m == max) {
			if (n)
				fail_msg("seed %llu: there are more values",
					 (unsigned long long)seed);
			return;
		}
		memmove(want + at + 1, want + at, (m++ - at) * sizeof(*want));
		want[at] = v;
	} while (next_input(w->values, w->nbytes, input));
	if (n && (n != m || memcmp(values, want, n * sizeof(*want)) != 0))
		fail_msg("seed %llu: %u values, not %u", (unsigned long long)seed, n, m);
	/* One byte, alone: the values are always known. */
	if (w->nbytes == 1 && n == 0)
		fail_msg("seed %llu: no values", (unsigned long long)seed);
}

/* Each value that it has under any input is there. */
static void check_among(struct world *w, struct pair p, uint64_t seed)
{
	uint64_t values[MAX_VALUES];
	uint32_t n = pd_ask_among(w->q, p.e, values, MAX_VALUES), i;
	uint8_t input[3] = {0};

	for (i = 1; i < n; i++)
		assert_true(values[i - 1] < values[i]);
	if (!n)
		return;
	do {
		uint64_t v = ref_value(p.r, input);

		for (i = 0; i < n && values[i] != v; i++)
			;
		if (i == n)
			fail_msg("seed %llu: %llx is not among them", (unsigned long long)seed,
				 (unsigned long long)v);
	} while (next_input(w->values, w->nbytes, input));
}

static void path(struct world *w, bool exact, uint64_t seed)
{
	struct gen *g = &w->gen;

	begin(w);
	for (uint32_t i = 0; i < 8; i++) {
		struct pair p = gen_condition(g);

		check_question(w, p, exact, seed);
		check_question(w, gen_not(g, p), exact, seed);
		if (draw(g, 3) == 0)
			check_values(w, gen_any(g), seed);
		check_among(w, gen_any(g), seed);
		assume(w, ref_value(p.r, w->input) ? p : gen_not(g, p));
	}
}

static void run(struct world *w, uint64_t seed, struct pd_ask_solver solver, bool exact)
{
	static const uint32_t values[3][3] = {{256}, {24, 9}, {9, 5, 7}};
	struct pd_exprs *x;

	w->nbytes = 1 + (uint32_t)(seed % 3);
	memcpy(w->values, values[w->nbytes - 1], sizeof(w->values));
	x = pd_exprs_create(&w->arena, w->nbytes);
	w->q = pd_ask_create(&w->arena, x, w->nbytes, solver);
	gen_begin(&w->gen, x, seed, w->nbytes, 12);
	for (uint32_t i = 0; i < 4; i++)
		path(w, exact, seed);
	ref_free();
	pd_arena_reset(&w->arena);
}

static void against_all_inputs(void **state)
{
	uint64_t first = setting("SEED", 1), runs = setting("RUNS", 3000) / 20;
	static struct world w;

	(void)state;
	world_init(&w);
	for (uint64_t seed = first; seed < first + runs; seed++)
		run(&w, seed, (struct pd_ask_solver){solve_all, &w}, true);
	world_finish(&w);
}

/* It is never believed, and what is answered all the same is right. */
static void solver_does_not_know(void **state)
{
	static struct world w;

	(void)state;
	world_init(&w);
	for (uint64_t seed = 1; seed < 50; seed++)
		run(&w, seed, (struct pd_ask_solver){never_knows, &w}, false);
	world_finish(&w);
}

/* Small products answer all of these. */
static void without_solver(void **state)
{
	uint64_t first = setting("SEED", 1), runs = setting("RUNS", 3000) / 60;
	static struct world w;

	(void)state;
	world_init(&w);
	for (uint64_t seed = first; seed < first + runs; seed++)
		run(&w, seed, (struct pd_ask_solver){NULL, NULL}, true);
	world_finish(&w);
}

/* ---- what only a solver can answer ---------------------------------------------------------- */

/* A solver that knows one input, or that there is none; or that says so untruly. */
struct oracle {
	uint8_t input[3];
	bool none, lies;
	uint32_t asked, conditions;
};

static enum pd_ask_answer solve_known(void *ctx, struct pd_exprs *x, const pd_expr *holds,
				      uint32_t n, uint8_t *input)
{
	struct oracle *o = ctx;

	o->asked++;
	o->conditions = n;
	for (uint32_t i = 0; i < n && !o->none && !o->lies; i++)
		if (!pd_expr_value_under(x, holds[i], o->input))
			return PD_ASK_UNKNOWN;
	memcpy(input, o->input, sizeof(o->input));
	return o->none ? PD_ASK_NO : PD_ASK_YES;
}

struct hard {
	struct unit_host host;
	struct pd_arena arena;
	struct pd_exprs *x;
	struct pd_ask *q;
	struct oracle oracle;
	pd_expr mixed; /* all bits of 3 bytes */
};

static pd_expr constant(struct hard *h, uint32_t width, uint64_t v)
{
	return pd_expr_const(h->x, width, v);
}

static void hard_init(struct hard *h)
{
	pd_expr e;

	*h = (struct hard){.host = {.left = -1}, .oracle = {.input = {17, 230, 99}}};
	pd_arena_init(&h->arena, unit_host(&h->host));
	h->x = pd_exprs_create(&h->arena, 3);
	h->q = pd_ask_create(&h->arena, h->x, 3, (struct pd_ask_solver){solve_known, &h->oracle});
	e = pd_expr_concat(h->x, pd_expr_input(h->x, 2),
			   pd_expr_concat(h->x, pd_expr_input(h->x, 1), pd_expr_input(h->x, 0)));
	e = pd_expr_extend(h->x, PD_SYM_ZEXT, e, 32);
	for (uint32_t i = 0; i < 3; i++) {
		e = pd_expr_binary(h->x, PD_SYM_MUL, e, constant(h, 32, 0x9e3779b1));
		e = pd_expr_binary(h->x, PD_SYM_XOR, e,
				   pd_expr_binary(h->x, PD_SYM_LSHR, e, constant(h, 32, 15)));
	}
	h->mixed = e;
}

static void hard_finish(struct hard *h)
{
	pd_arena_finish(&h->arena);
	assert_int_equal(h->host.live, 0);
}

static pd_expr is(struct hard *h, pd_expr e, uint64_t v)
{
	return pd_expr_binary(h->x, PD_SYM_EQ, e, constant(h, pd_expr_width(h->x, e), v));
}

static void solver_answers_once(void **state)
{
	static const uint8_t zeros[3], others[3] = {5, 5, 5};
	uint8_t found[3];
	struct hard h;
	pd_expr planted;

	(void)state;
	hard_init(&h);
	planted = is(&h, h.mixed, pd_expr_value_under(h.x, h.mixed, h.oracle.input));
	pd_ask_begin(h.q, zeros);
	/* Values that are alike do not count for what a solver says. */
	pd_ask_assume(h.q,
		      pd_expr_binary(h.x, PD_SYM_ULT, pd_expr_input(h.x, 0), constant(&h, 8, 18)));
	assert_int_equal(pd_ask(h.q, planted, found), PD_ASK_YES);
	assert_memory_equal(found, h.oracle.input, 3);
	assert_int_equal(h.oracle.asked, 1);
	assert_int_equal(h.oracle.conditions, 2);
	assert_int_equal(pd_ask_stats(h.q)->asked[PD_ASK_BY_SOLVER][PD_ASK_YES], 1);
	/* It is a known input now; and on another path the same slice is. */
	assert_int_equal(pd_ask(h.q, planted, found), PD_ASK_YES);
	assert_int_equal(pd_ask_stats(h.q)->asked[PD_ASK_BY_INPUT][PD_ASK_YES], 1);
	/* One that is wrong is not believed. */
	h.oracle.input[0] = 3;
	h.oracle.none = false;
	h.oracle.lies = true;
	pd_ask_begin(h.q, others);
	assert_int_equal(pd_ask(h.q, is(&h, h.mixed, 12345), found), PD_ASK_UNKNOWN);
	hard_finish(&h);
}

static void what_has_none_stays_so(void **state)
{
	static const uint8_t zeros[3];
	uint8_t found[3];
	struct hard h;
	pd_expr never, sum;

	(void)state;
	hard_init(&h);
	h.oracle.none = true;
	never = is(&h, h.mixed, 0xdeadbeef);
	sum = pd_expr_binary(h.x, PD_SYM_ADD, pd_expr_input(h.x, 0), pd_expr_input(h.x, 1));
	pd_ask_begin(h.q, zeros);
	pd_ask_assume(h.q,
		      pd_expr_binary(h.x, PD_SYM_ULT, pd_expr_input(h.x, 0), constant(&h, 8, 200)));
	assert_int_equal(pd_ask(h.q, never, found), PD_ASK_NO);
	assert_int_equal(h.oracle.asked, 1);
	/* The same; with a condition more; with a value less. */
	assert_int_equal(pd_ask(h.q, never, found), PD_ASK_NO);
	pd_ask_assume(h.q, pd_expr_binary(h.x, PD_SYM_ULT, sum, constant(&h, 8, 100)));
	assert_int_equal(pd_ask(h.q, never, found), PD_ASK_NO);
	pd_ask_assume(h.q, pd_expr_not(h.x, is(&h, pd_expr_input(h.x, 0), 7)));
	assert_int_equal(pd_ask(h.q, never, found), PD_ASK_NO);
	assert_int_equal(h.oracle.asked, 1);
	assert_int_equal(pd_ask_stats(h.q)->asked[PD_ASK_BY_CACHE][PD_ASK_NO], 3);
	/* With values more it has to be asked again; so has another condition. */
	pd_ask_begin(h.q, zeros);
	assert_int_equal(pd_ask(h.q, never, found), PD_ASK_NO);
	assert_int_equal(h.oracle.asked, 2);
	assert_int_equal(pd_ask(h.q, is(&h, h.mixed, 0xdeadbeee), found), PD_ASK_NO);
	assert_int_equal(h.oracle.asked, 3);
	hard_finish(&h);
}

/* Workers with graphs of their own: what one was answered the other knows. */
static void answers_are_shared(void **state)
{
	static const uint8_t zeros[3], others[3] = {5, 5, 5};
	struct pd_common *common = calloc(1, pd_common_size(3));
	struct hard h[2], again;
	uint8_t found[3];
	uint64_t *word = (uint64_t *)common;

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		hard_init(&h[i]);
		pd_ask_share(h[i].q, common);
		pd_ask_begin(h[i].q, zeros);
		h[i].oracle.none = true;
		assert_int_equal(pd_ask(h[i].q, is(&h[i], h[i].mixed, 0xdeadbeef), found),
				 PD_ASK_NO);
		assert_int_equal(h[i].oracle.asked, !i);
	}
	assert_int_equal(pd_ask_stats(h[1].q)->asked[PD_ASK_BY_SHARED][PD_ASK_NO], 1);
	/* It is its own now. */
	assert_int_equal(pd_ask(h[1].q, is(&h[1], h[1].mixed, 0xdeadbeef), found), PD_ASK_NO);
	assert_int_equal(pd_ask_stats(h[1].q)->asked[PD_ASK_BY_CACHE][PD_ASK_NO], 1);
	/* An input that answered one answers another slice of the other. */
	h[0].oracle.none = false;
	assert_int_equal(pd_ask(h[0].q,
				is(&h[0], h[0].mixed,
				   pd_expr_value_under(h[0].x, h[0].mixed, h[0].oracle.input)),
				found),
			 PD_ASK_YES);
	pd_ask_begin(h[1].q, others);
	assert_int_equal(pd_ask(h[1].q,
				pd_expr_binary(h[1].x, PD_SYM_AND,
					       is(&h[1], pd_expr_extract(h[1].x, h[1].mixed, 0, 16),
						  pd_expr_value_under(h[1].x, h[1].mixed,
								      h[0].oracle.input) &
							  0xffff),
					       pd_expr_not(h[1].x, is(&h[1], h[1].mixed, 7))),
				found),
			 PD_ASK_YES);
	assert_memory_equal(found, h[0].oracle.input, 3);
	assert_int_equal(pd_ask_stats(h[1].q)->asked[PD_ASK_BY_SHARED][PD_ASK_YES], 1);
	/* An entry that is half another's says nothing: a yes of somewhere is no NO here. */
	for (uint64_t i = 0; i + 9 < pd_common_size(3) / 8; i += 10)
		if (word[i + 2] >> 8)
			word[i + 2] = PD_ASK_NO + 1;
	hard_init(&again);
	pd_ask_share(again.q, common);
	pd_ask_begin(again.q, zeros);
	assert_int_equal(pd_ask(again.q,
				is(&again, again.mixed,
				   pd_expr_value_under(again.x, again.mixed, again.oracle.input)),
				found),
			 PD_ASK_YES);
	hard_finish(&again);
	hard_finish(&h[0]);
	hard_finish(&h[1]);
	free(common);
}

/* One byte: always by its domain, whatever the condition is. */
static void one_byte_never_goes_further(void **state)
{
	static struct gen g;
	struct unit_host host = {.left = -1};
	struct pd_arena arena;

	(void)state;
	pd_arena_init(&arena, unit_host(&host));
	for (uint64_t seed = 1; seed < 60; seed++) {
		struct pd_exprs *x = pd_exprs_create(&arena, 1);
		struct pd_ask *q = pd_ask_create(&arena, x, 1, (struct pd_ask_solver){0});
		const struct pd_ask_stats *s = pd_ask_stats(q);
		uint8_t input = (uint8_t)seed, found;

		gen_begin(&g, x, seed, 1, 30);
		pd_ask_begin(q, &input);
		for (uint32_t i = 0; i < 10; i++) {
			pd_expr e = gen_condition(&g).e;

			pd_ask(q, e, &found);
			pd_ask_assume(q, pd_expr_value_under(x, e, &input) ? e : pd_expr_not(x, e));
		}
		for (uint32_t by = PD_ASK_BY_PRODUCT; by < PD_ASK_BYS; by++)
			for (uint32_t a = 0; a < 3; a++)
				assert_int_equal(s->asked[by][a], 0);
		ref_free();
		pd_arena_reset(&arena);
	}
	pd_arena_finish(&arena);
}

/* Sum of some bits of each byte. */
static pd_expr sum_of(struct hard *h, uint32_t low, uint32_t bits)
{
	pd_expr sum = constant(h, 32, 0);

	for (uint32_t i = 0; i < 3; i++) {
		pd_expr e = pd_expr_extract(h->x, pd_expr_input(h->x, i), low, bits);

		sum = pd_expr_binary(h->x, PD_SYM_ADD, sum,
				     pd_expr_extend(h->x, PD_SYM_ZEXT, e, 32));
	}
	return sum;
}

/* Two things are seen of each byte: values are alike only where both are equal. */
static void alike_by_all_that_is_seen(void **state)
{
	static const uint8_t zeros[3];
	uint8_t found[3];
	struct hard h;

	(void)state;
	hard_init(&h);
	pd_ask_begin(h.q, zeros);
	/* Not by a single value: the product is to be a large one. */
	pd_ask_assume(h.q, pd_expr_binary(h.x, PD_SYM_ULT, sum_of(&h, 4, 4), constant(&h, 32, 46)));
	pd_ask_assume(h.q, pd_expr_binary(h.x, PD_SYM_ULT, sum_of(&h, 0, 1), constant(&h, 32, 4)));
	for (uint64_t high = 0; high <= 45; high += 9)
		for (uint64_t low = 0; low <= 3; low++) {
			pd_expr both =
				pd_expr_binary(h.x, PD_SYM_AND, is(&h, sum_of(&h, 4, 4), high),
					       is(&h, sum_of(&h, 0, 1), low));

			assert_int_equal(pd_ask(h.q, both, found), PD_ASK_YES);
			assert_int_equal((found[0] & 1) + (found[1] & 1) + (found[2] & 1), low);
			assert_int_equal((found[0] >> 4) + (found[1] >> 4) + (found[2] >> 4), high);
		}
	assert_int_equal(h.oracle.asked, 0);
	hard_finish(&h);
}

/* Two pairs of bytes, each joined by a condition, are joined by a third. */
static void classes_keep_all_conditions(void **state)
{
	static const uint8_t input[4] = {5, 5, 10, 10};
	uint8_t found[4];
	struct unit_host host = {.left = -1};
	struct pd_arena arena;
	struct pd_exprs *x;
	struct pd_ask *q;
	pd_expr b[4];

	(void)state;
	pd_arena_init(&arena, unit_host(&host));
	x = pd_exprs_create(&arena, 4);
	q = pd_ask_create(&arena, x, 4, (struct pd_ask_solver){0});
	for (uint32_t i = 0; i < 4; i++)
		b[i] = pd_expr_input(x, i);
	pd_ask_begin(q, input);
	pd_ask_assume(q, pd_expr_binary(x, PD_SYM_EQ, b[0], b[1]));
	pd_ask_assume(q, pd_expr_binary(x, PD_SYM_EQ, b[2], b[3]));
	pd_ask_assume(q, pd_expr_binary(x, PD_SYM_ULT, b[1], b[2]));
	for (uint32_t v = 0; v < 256; v++) {
		pd_expr c = pd_expr_const(x, 8, v);

		assert_int_equal(pd_ask(q, pd_expr_binary(x, PD_SYM_EQ, b[0], c), found), v < 255);
		assert_int_equal(pd_ask(q, pd_expr_binary(x, PD_SYM_EQ, b[3], c), found), v > 0);
	}
	pd_arena_finish(&arena);
	assert_int_equal(host.live, 0);
}

/* Each request of memory fails once: answers are right, or unknown. */
static void memory_runs_out(void **state)
{
	static struct world w;
	static const uint8_t zeros[3];
	uint32_t whole = 0;

	(void)state;
	for (long left = 0; left < 24; left++) {
		struct pd_exprs *x;

		world_init(&w);
		w.host.left = left;
		w.nbytes = 3;
		memcpy(w.values, (uint32_t[]){9, 5, 7}, sizeof(w.values));
		x = pd_exprs_create(&w.arena, 3);
		w.q = x ? pd_ask_create(&w.arena, x, 3, (struct pd_ask_solver){0}) : NULL;
		if (w.q) {
			whole++;
			gen_begin(&w.gen, x, 5, 3, 12);
			memcpy(w.input, zeros, 3);
			for (uint64_t seed = 0; seed < 12; seed++)
				path(&w, false, seed);
		}
		world_finish(&w);
	}
	assert_in_range(whole, 5, 23);
}

/* Costs a little; leaves few values of the first byte. */
static pd_expr large_product(struct hard *h)
{
	pd_expr a = pd_expr_extend(h->x, PD_SYM_ZEXT, pd_expr_input(h->x, 0), 16),
		b = pd_expr_extend(h->x, PD_SYM_ZEXT, pd_expr_input(h->x, 1), 16);

	return pd_expr_binary(h->x, PD_SYM_ULT, constant(h, 16, 60000),
			      pd_expr_binary(h->x, PD_SYM_MUL, a, b));
}

/* Costs much, and nearly always holds. */
static pd_expr long_sum(struct hard *h)
{
	pd_expr a = pd_expr_extend(h->x, PD_SYM_ZEXT, pd_expr_input(h->x, 0), 32),
		b = pd_expr_extend(h->x, PD_SYM_ZEXT, pd_expr_input(h->x, 1), 32), sum = a;

	for (uint32_t i = 0; i < 100; i++) {
		sum = pd_expr_binary(h->x, PD_SYM_MUL, sum, constant(h, 32, 0x9e3779b1));
		sum = pd_expr_binary(h->x, PD_SYM_XOR, sum, i % 2 ? a : b);
	}
	return pd_expr_not(h->x, is(h, sum, 0xdeadbeef));
}

/* How many values are known of a sum, where the graph got these conditions in that order. */
static uint32_t known_values(bool long_first, uint8_t a, uint8_t b)
{
	const uint8_t input[3] = {a, b, 0};
	uint64_t values[MAX_VALUES];
	pd_expr product, sum;
	struct hard h;
	uint32_t n;

	hard_init(&h);
	if (long_first)
		long_sum(&h);
	product = large_product(&h);
	sum = long_sum(&h);
	pd_ask_begin(h.q, input);
	pd_ask_assume(h.q, product);
	pd_ask_assume(h.q, sum);
	pd_ask_assume(h.q, product);
	assert_true(pd_expr_value_under(h.x, product, input));
	assert_true(pd_expr_value_under(h.x, sum, input));
	n = pd_ask_values(
		h.q, pd_expr_binary(h.x, PD_SYM_ADD, pd_expr_input(h.x, 0), pd_expr_input(h.x, 1)),
		values, MAX_VALUES);
	hard_finish(&h);
	return n;
}

/* Workers have graphs of their own, and one runs what another has branched off. */
static void values_do_not_depend_on_numbers(void **state)
{
	uint32_t n = known_values(false, 255, 255);

	(void)state;
	assert_in_range(n, 2, MAX_VALUES);
	assert_int_equal(known_values(true, 255, 255), n);
	assert_int_equal(known_values(false, 250, 245), n);
	assert_int_equal(known_values(true, 250, 245), n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(against_all_inputs),
		cmocka_unit_test(without_solver),
		cmocka_unit_test(solver_does_not_know),
		cmocka_unit_test(solver_answers_once),
		cmocka_unit_test(what_has_none_stays_so),
		cmocka_unit_test(answers_are_shared),
		cmocka_unit_test(one_byte_never_goes_further),
		cmocka_unit_test(alike_by_all_that_is_seen),
		cmocka_unit_test(classes_keep_all_conditions),
		cmocka_unit_test(values_do_not_depend_on_numbers),
		cmocka_unit_test(memory_runs_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
