/* linear_plan_test.c - points, pairs and tests, from a little trace that is made up. */
#include "unit/tight.h"
#include "engine/linear/plan.h"

/* A list with a head at 0x100, nodes from 0x200 (next, key), a flag at 0x108, a statistic at 0x110. */
enum { HEAD = 0x100, FLAG = 0x108, STATISTIC = 0x110, NODE_A = 0x200, NODE_B = 0x240 };
enum { S_INIT_NEXT = 1, S_INIT_KEY, S_CAS, S_FLAG, S_STATISTIC, S_READ_HEAD, S_READ_FLAG, S_OPEN };

static const struct pd_act trace[] = {
	/* opening */
	{PD_ACT_STORE, 0, PD_NO_OP, S_OPEN, 1, HEAD, 8},
	/* 0: push, with a node that nobody knows of */
	{PD_ACT_STORE, 0, 0, S_INIT_NEXT, 2, NODE_A, 8},
	{PD_ACT_STORE, 0, 0, S_INIT_KEY, 3, NODE_A + 8, 8},
	{PD_ACT_LOCKED, 0, 0, S_CAS, 4, HEAD, 8},
	{PD_ACT_STORE, 0, 0, S_STATISTIC, 5, STATISTIC, 8},
	/* 1: sets the flag, having looked at it */
	{PD_ACT_LOAD, PD_ACT_GUARDED, 1, S_READ_FLAG, 6, FLAG, 8},
	{PD_ACT_STORE, 0, 1, S_FLAG, 7, FLAG, 8},
	{PD_ACT_STORE, 0, 1, S_STATISTIC, 8, STATISTIC, 8},
	/* 2: push again, the node's memory is one that is used again, and said to be new */
	{PD_ACT_ALLOC, 0, 2, 0, 9, NODE_A, 16},
	{PD_ACT_STORE, 0, 2, S_INIT_NEXT, 10, NODE_A, 8},
	{PD_ACT_STORE, 0, 2, S_INIT_KEY, 11, NODE_A + 8, 8},
	{PD_ACT_LOCKED, 0, 2, S_CAS, 12, HEAD, 8},
	/* 3: reads the head, and part of the flag */
	{PD_ACT_LOAD, PD_ACT_GUARDED, 3, S_READ_HEAD, 13, HEAD, 8},
	{PD_ACT_LOAD, 0, 3, S_READ_FLAG, 14, FLAG + 4, 4},
	{PD_ACT_LOAD, 0, 3, S_READ_HEAD, 15, HEAD, 8},
};

static struct unit_host host;
static struct pd_arena arena;
static struct pd_plan plan;

static int begin(void **state)
{
	(void)state;
	host = (struct unit_host){.left = -1};
	pd_arena_init(&arena, unit_host(&host));
	return !pd_plan_make(&plan, &arena, trace, PD_LEN(trace), 0);
}

static int end(void **state)
{
	(void)state;
	pd_arena_finish(&arena);
	return host.live != 0;
}

static void finds_points(void **state)
{
	static const struct {
		uint32_t op, site;
		uint8_t reason;
	} want[] = {{0, S_CAS, PD_POINT_LOCKED},
		    {1, S_FLAG, PD_POINT_GUARDED},
		    {2, S_CAS, PD_POINT_LOCKED}};

	(void)state;
	assert_int_equal(plan.points.n, PD_LEN(want));
	for (uint32_t i = 0; i < PD_LEN(want); i++) {
		assert_int_equal(plan.points.v[i].op, want[i].op);
		assert_int_equal(plan.points.v[i].site, want[i].site);
		assert_int_equal(plan.points.v[i].reason, want[i].reason);
	}
	assert_int_equal(plan.stores, 9);
	/* The nodes, both times; the statistic when it is first stored to. */
	assert_int_equal(plan.fresh, 5);
}

static bool has_pair(uint32_t op, uint32_t other, bool writes)
{
	for (uint32_t i = 0; i < plan.pairs.n; i++) {
		const struct pd_pair *x = &plan.pairs.v[i];

		if (plan.points.v[x->point].op == op && x->op == other && x->writes == writes)
			return true;
	}
	return false;
}

static void finds_pairs(void **state)
{
	struct pd_plan few;
	uint32_t prefix[4];

	(void)state;
	assert_int_equal(plan.pairs.n, 5);
	assert_true(has_pair(0, 2, true) && has_pair(2, 0, true)); /* two writers */
	assert_true(has_pair(0, 3, false) && has_pair(2, 3, false));
	assert_true(has_pair(1, 3, false)); /* half of the flag */
	assert_true(pd_plan_make(&few, &arena, trace, PD_LEN(trace), 1));
	assert_int_equal(few.pairs.n, 3);
	assert_int_equal(few.pairs_left, 2);
	for (uint32_t i = 0; i < plan.pairs.n; i++)
		if (plan.pairs.v[i].op == 3 && plan.points.v[plan.pairs.v[i].point].op == 1) {
			assert_int_equal(pd_pair_prefix(&plan, &plan.pairs.v[i], prefix), 2);
			assert_true(prefix[0] == 0 && prefix[1] == 2);
		}
}

static void orders_tests(void **state)
{
	uint32_t count[4] = {0}, seen_cas = 0, seen_flag = 0, at = 0;
	const struct pd_test *t;
	struct pd_tests tests;

	(void)state;
	assert_true(pd_tests_make(&tests, &arena, &plan));
	while ((t = pd_tests_next(&tests))) {
		count[t->kind]++;
		at++;
		if (t->kind != PD_TEST_INCOMPLETE)
			continue;
		/* The second crash at the same line waits for the first one at every line. */
		if (plan.points.v[t->point].site == S_CAS && seen_cas++)
			assert_int_equal(seen_flag, 1);
		seen_flag += plan.points.v[t->point].site == S_FLAG;
	}
	assert_int_equal(count[PD_TEST_INCOMPLETE], 3);
	assert_int_equal(count[PD_TEST_UNRECOVERED], 3);
	assert_int_equal(count[PD_TEST_RETURNED], 3);
	assert_int_equal(count[PD_TEST_VISIBLE], 5);
	assert_int_equal(at, 14);
}

static void chooses_versions(void **state)
{
	struct pd_choosable other = {2, 6, false, 0}, point = {2, 6, true, 4};
	uint64_t v;

	(void)state;
	assert_true(pd_test_version(PD_TEST_INCOMPLETE, &other, &v) && v == 2);
	assert_true(pd_test_version(PD_TEST_INCOMPLETE, &point, &v) && v == 4);
	assert_true(pd_test_version(PD_TEST_UNRECOVERED, &other, &v) && v == 6);
	assert_true(pd_test_version(PD_TEST_UNRECOVERED, &point, &v) && v == 3);
	assert_true(pd_test_version(PD_TEST_RETURNED, &point, &v) && v == 2);
	assert_true(pd_test_version(PD_TEST_VISIBLE, &other, &v) && v == 2);
	point.must = 5; /* it is durable, whatever one wants */
	assert_true(pd_test_version(PD_TEST_INCOMPLETE, &point, &v) && v == 5);
	assert_false(pd_test_version(PD_TEST_UNRECOVERED, &point, &v));
}

static void survives_no_memory(void **state)
{
	uint32_t failed = 0;

	(void)state;
	for (size_t room = 0; room < 30000; room += 64) {
		struct pd_tests tests;
		struct unit_host h;
		struct pd_arena a;
		struct pd_plan p;

		tight_init(&a, &h, room);
		if (!pd_plan_make(&p, &a, trace, PD_LEN(trace), 0) ||
		    !pd_tests_make(&tests, &a, &p))
			failed++;
		else
			assert_int_equal(tests.v.n, 14);
		tight_finish(&a, &h);
	}
	assert_true(failed > 5 && failed < 400);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(finds_points, begin, end),
		cmocka_unit_test_setup_teardown(finds_pairs, begin, end),
		cmocka_unit_test_setup_teardown(orders_tests, begin, end),
		cmocka_unit_test_setup_teardown(chooses_versions, begin, end),
		cmocka_unit_test(survives_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
