/*
 * expr_twin_test.c - the graph of expressions against its naive twin (tests/ref/expr.c): random
 * expressions over 1 to 3 bytes have equal values, under all inputs of one byte and many of more.
 * RUNS= and SEED= for more. A failing run prints its seed.
 */
#include "unit/explore_gen.h"
#include "engine/explore/node.h"
#include "engine/explore/range.h"
#include "engine/explore/wide.h"
#include <stdio.h>

enum { EXPRESSIONS = 40, SAMPLES = 300 };

struct world {
	struct unit_host host;
	struct pd_arena arena;
	struct gen gen;
};

static uint64_t setting(const char *name, uint64_t otherwise)
{
	const char *v = getenv(name);

	return v ? strtoull(v, NULL, 10) : otherwise;
}

/* What the graph promises of each node. */
static void check_form(const struct pd_exprs *x)
{
	for (pd_expr e = 1; e < pd_exprs_count(x); e++) {
		uint32_t n;
		uint64_t v;

		for (uint32_t i = 0; i < 3; i++)
			assert_true(pd_expr_operand(x, e, i) < e);
		pd_expr_support(x, e, &n);
		assert_int_equal(n == 0, pd_expr_is_const(x, e, &v));
		if (n == 0)
			assert_true((v & ~pd_op_mask(pd_expr_width(x, e))) == 0);
	}
}

static bool same(struct gen *g, const struct pair *p, const uint8_t *input)
{
	const struct pd_node *n = pd_node(g->x, p->e);
	uint64_t want = ref_value(p->r, input), have = pd_expr_value(g->x, p->e);

	if ((int)n->key.width != p->r->width || have != want)
		return false;
	return (want & ~pd_op_mask(n->live)) == 0 && (want & pd_op_mask(n->zeros)) == 0;
}

static void check_all(struct gen *g, uint64_t seed, const uint8_t *input)
{
	pd_exprs_input(g->x, input);
	for (uint32_t i = 0; i < g->n; i++) {
		if (!same(g, &g->pair[i], input))
			fail_msg("seed %llu, expression %u, input %02x %02x %02x: %llx, not %llx",
				 (unsigned long long)seed, i, input[0], input[1], input[2],
				 (unsigned long long)pd_expr_value(g->x, g->pair[i].e),
				 (unsigned long long)ref_value(g->pair[i].r, input));
	}
}

/* Sometimes under an input of its own, in between. */
static void check_under(struct gen *g, uint64_t seed)
{
	uint8_t input[3] = {(uint8_t)draw(g, 256), (uint8_t)draw(g, 256), (uint8_t)draw(g, 256)};
	const struct pair *p = &g->pair[draw(g, g->n)];

	if (pd_expr_value_under(g->x, p->e, input) != ref_value(p->r, input))
		fail_msg("seed %llu: another input", (unsigned long long)seed);
}

/* All values of one byte at a time. */
static void check_wide(struct gen *g, uint64_t seed, const uint8_t *input)
{
	const struct pair *p = &g->pair[draw(g, g->n)];
	uint32_t byte = draw(g, g->nbytes);
	uint64_t work = 0;
	const uint64_t *lane = pd_wide(g->x, p->e, byte, input, &work);
	uint8_t other[3];

	memcpy(other, input, 3);
	for (uint32_t i = 0; i < 16; i++) {
		other[byte] = (uint8_t)draw_value(g, 8);
		if (lane[other[byte]] != ref_value(p->r, other))
			fail_msg("seed %llu: wide", (unsigned long long)seed);
	}
}

/* Bytes around those of the input: its value is within the range. */
static void check_range(struct gen *g, uint64_t seed, const uint8_t *input)
{
	const struct pair *p = &g->pair[draw(g, g->n)];
	uint64_t value = ref_value(p->r, input), work = 0;
	uint8_t least[3], most[3];
	struct pd_range r;

	for (uint32_t i = 0; i < 3; i++) {
		uint32_t below = draw(g, 2) ? draw(g, 4) : draw(g, 256);
		uint32_t above = draw(g, 2) ? draw(g, 4) : draw(g, 256);

		least[i] = (uint8_t)(input[i] - PD_MIN(below, input[i]));
		most[i] = (uint8_t)(input[i] + PD_MIN(above, 255U - input[i]));
	}
	r = pd_range_of(g->x, p->e, least, most, &work);
	if (value < r.low || value > r.high)
		fail_msg("seed %llu: range", (unsigned long long)seed);
}

static void run(struct world *w, uint64_t seed)
{
	struct gen *g = &w->gen;
	uint32_t nbytes = 1 + (uint32_t)(seed % 3);
	struct pd_exprs *x = pd_exprs_create(&w->arena, nbytes);
	uint8_t input[3] = {0};

	gen_begin(g, x, seed, nbytes, EXPRESSIONS);
	check_form(x);
	for (uint32_t v = 0; v < (nbytes == 1 ? 256 : SAMPLES); v++) {
		for (uint32_t i = 0; i < nbytes; i++)
			input[i] = (uint8_t)(nbytes == 1 ? v : draw_value(g, 8));
		check_all(g, seed, input);
		check_under(g, seed);
		check_wide(g, seed, input);
		for (uint32_t i = 0; i < 8; i++)
			check_range(g, seed, input);
	}
	ref_free();
	pd_arena_reset(&w->arena);
}

static void world_init(struct world *w)
{
	*w = (struct world){.host = {.left = -1}};
	pd_arena_init(&w->arena, unit_host(&w->host));
}

static void world_finish(struct world *w)
{
	pd_arena_finish(&w->arena);
	assert_int_equal(w->host.live, 0);
	ref_free();
}

static void random_expressions(void **state)
{
	uint64_t first = setting("SEED", 1), runs = setting("RUNS", 3000) / 10;
	struct world w;

	(void)state;
	world_init(&w);
	for (uint64_t seed = first; seed < first + runs; seed++)
		run(&w, seed);
	world_finish(&w);
}

/* Two graphs, one of which has something else in it: the same digests and operators. */
static void digests_agree(void **state)
{
	static struct gen a, b, other;
	struct world w;

	(void)state;
	world_init(&w);
	for (uint64_t seed = 1; seed < 60; seed++) {
		struct pd_exprs *x = pd_exprs_create(&w.arena, 3);
		struct pd_exprs *y = pd_exprs_create(&w.arena, 3);

		gen_begin(&other, y, seed + 7000, 3, 60);
		gen_begin(&a, x, seed, 3, 60);
		gen_begin(&b, y, seed, 3, 60);
		for (uint32_t i = 0; i < a.n; i++) {
			struct pd_digest p = pd_expr_digest(x, a.pair[i].e);
			struct pd_digest q = pd_expr_digest(y, b.pair[i].e);

			assert_true(p.a == q.a && p.b == q.b);
			assert_int_equal(pd_expr_op(x, a.pair[i].e), pd_expr_op(y, b.pair[i].e));
		}
		ref_free();
		pd_arena_reset(&w.arena);
	}
	world_finish(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_expressions),
		cmocka_unit_test(digests_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
