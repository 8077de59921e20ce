/* linear_minimise_test.c - leaving out what a failure does not need. */
#include "unit/tight.h"
#include "engine/linear/minimise.h"
#include "base/hash.h"

static const struct pd_linear_entry table[] = {
	{"put", {PD_NEW_KEY, PD_VALUE}, NULL, 0}, {"get", {PD_ANY_KEY}, NULL, 0}, PD_LINEAR_END};

static struct unit_host host;
static struct pd_arena arena;

static int begin(void **state)
{
	(void)state;
	host = (struct unit_host){.left = -1};
	pd_arena_init(&arena, unit_host(&host));
	return 0;
}

static int end(void **state)
{
	(void)state;
	pd_arena_finish(&arena);
	return host.live != 0;
}

static struct pd_workload make(uint64_t seed, uint32_t n, uint32_t threads)
{
	struct pd_workgen gen = {seed, n, threads, n / 4 + 1, false};
	struct pd_workload w = {0};

	assert_true(pd_workload_make(&w, &arena, table, &gen));
	return w;
}

/* Goes wrong: a put of some key by one thread, then a get of it by another one. */
static bool races(void *ctx, const struct pd_workload *w)
{
	uint32_t *asked = ctx;

	++*asked;
	for (uint32_t i = 0; i < w->ops.n; i++)
		for (uint32_t j = i + 1; j < w->ops.n; j++)
			if (w->ops.v[i].entry == 0 && w->ops.v[j].entry == 1 &&
			    w->ops.v[i].thread != w->ops.v[j].thread &&
			    w->ops.v[i].arg[0].word == w->ops.v[j].arg[0].word)
				return true;
	return false;
}

static void finds_the_pair(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct pd_workload w = make(seed, 400, 8);
		uint32_t asked = 0;
		struct pd_minimise m = {.table = table, .fails = races, .ctx = &asked};

		assert_true(races(&asked, &w));
		asked = 0;
		pd_minimise(&m, &w, &arena);
		assert_int_equal(w.ops.n, 2);
		assert_true(races(&(uint32_t){0}, &w));
		assert_int_equal(asked, m.asked);
		assert_false(m.cut_short);
		assert_int_equal(w.ops.v[0].arg[0].word, 1);
		assert_int_equal(w.ops.v[0].arg[1].word, 1);
		assert_int_equal(w.ops.v[0].thread + w.ops.v[1].thread, 1);
		assert_true(asked < 200);
	}
}

/* Goes wrong with any 5 puts: nothing is special about any of them. */
static bool five_puts(void *ctx, const struct pd_workload *w)
{
	uint32_t n = 0;

	(void)ctx;
	for (uint32_t i = 0; i < w->ops.n; i++)
		n += w->ops.v[i].entry == 0;
	return n >= 5;
}

static void none_can_be_left_out(void **state)
{
	struct pd_workload w = make(1, 300, 4);
	struct pd_minimise m = {.table = table, .fails = five_puts};

	(void)state;
	pd_minimise(&m, &w, &arena);
	assert_int_equal(w.ops.n, 5);
	for (uint32_t i = 0; i < 5; i++)
		assert_true(w.ops.v[i].entry == 0 && w.ops.v[i].thread == 0);
}

/* An answer that only looks random: whatever it is, the result goes wrong, and twice the same. */
static bool by_hash(void *ctx, const struct pd_workload *w)
{
	uint64_t h = *(uint64_t *)ctx;

	for (uint32_t i = 0; i < w->ops.n; i++)
		h = pd_mix(h ^ w->ops.v[i].arg[0].word ^ (uint64_t)w->ops.v[i].thread << 40);
	return w->ops.n >= 10 || h % 3 == 0;
}

static void is_deterministic(void **state)
{
	(void)state;
	for (uint64_t salt = 0; salt < 50; salt++) {
		struct pd_workload a = make(salt, 60, 3), b = make(salt, 60, 3);
		struct pd_minimise m = {.table = table, .fails = by_hash, .ctx = &salt}, n = m;

		pd_minimise(&m, &a, &arena);
		pd_minimise(&n, &b, &arena);
		assert_true(by_hash(&salt, &a));
		assert_int_equal(m.asked, n.asked);
		assert_int_equal(a.ops.n, b.ops.n);
		assert_memory_equal(a.ops.v, b.ops.v, a.ops.n * sizeof(*a.ops.v));
	}
}

static void stops_in_time(void **state)
{
	struct pd_workload w = make(2, 300, 4);
	uint32_t asked = 0;
	struct pd_minimise m = {.table = table, .fails = races, .ctx = &asked, .budget = 7};
	struct unit_host none;
	struct pd_arena a;

	(void)state;
	pd_minimise(&m, &w, &arena);
	assert_int_equal(asked, 7);
	assert_true(m.cut_short && races(&asked, &w));
	tight_init(&a, &none, 64);
	w = make(2, 300, 4);
	pd_minimise(&m, &w, &a);
	assert_true(m.cut_short && w.ops.n == 300 && m.asked == 0);
	tight_finish(&a, &none);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(finds_the_pair, begin, end),
		cmocka_unit_test_setup_teardown(none_can_be_left_out, begin, end),
		cmocka_unit_test_setup_teardown(is_deterministic, begin, end),
		cmocka_unit_test_setup_teardown(stops_in_time, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
