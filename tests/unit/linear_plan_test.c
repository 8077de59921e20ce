/* linear_plan_test.c - points and pairs, from a little trace that is made up. */
#include "unit/tight.h"
#include "engine/linear/plan.h"

/* A list with a head at 0x100, nodes from 0x200 (next, key), a flag at 0x108, a statistic at
 * 0x110. */
enum { HEAD = 0x100, FLAG = 0x108, STATISTIC = 0x110, NODE_A = 0x200, NODE_B = 0x240 };
enum { S_INIT_NEXT = 1, S_INIT_KEY, S_CAS, S_FLAG, S_STATISTIC, S_READ_HEAD, S_READ_FLAG, S_OPEN };

#define LOAD(op_, site_, number, addr_, n)                                                         \
	{.kind = PD_ACT_LOAD, .op = op_, .site = site_, .load = number, .addr = addr_, .size = n}
#define GUARD(op_, site_, number, addr_, n)                                                        \
	{.kind = PD_ACT_LOAD,                                                                      \
	 .flags = PD_ACT_GUARDED,                                                                  \
	 .op = op_,                                                                                \
	 .site = site_,                                                                            \
	 .load = number,                                                                           \
	 .addr = addr_,                                                                            \
	 .size = n}
#define WRITE(kind_, op_, site_, number, addr_)                                                    \
	{.kind = kind_,                                                                            \
	 .op = op_,                                                                                \
	 .site = site_,                                                                            \
	 .store = number,                                                                          \
	 .nth = number,                                                                            \
	 .addr = addr_,                                                                            \
	 .size = 8}

static const struct pd_act trace[] = {
	/* opening */
	WRITE(PD_ACT_STORE, PD_NO_OP, S_OPEN, 1, HEAD),
	/* 0: push, with a node that nobody knows of */
	WRITE(PD_ACT_STORE, 0, S_INIT_NEXT, 1, NODE_A),
	WRITE(PD_ACT_STORE, 0, S_INIT_KEY, 2, NODE_A + 8),
	WRITE(PD_ACT_LOCKED, 0, S_CAS, 3, HEAD),
	WRITE(PD_ACT_STORE, 0, S_STATISTIC, 4, STATISTIC),
	/* 1: sets the flag, having looked at it */
	GUARD(1, S_READ_FLAG, 1, FLAG, 8),
	WRITE(PD_ACT_STORE, 1, S_FLAG, 1, FLAG),
	WRITE(PD_ACT_STORE, 1, S_STATISTIC, 2, STATISTIC),
	/* 2: push again, the node's memory is one that is used again, and said to be new */
	{.kind = PD_ACT_ALLOC, .op = 2, .addr = NODE_A, .size = 16},
	WRITE(PD_ACT_STORE, 2, S_INIT_NEXT, 1, NODE_A),
	WRITE(PD_ACT_STORE, 2, S_INIT_KEY, 2, NODE_A + 8),
	WRITE(PD_ACT_LOCKED, 2, S_CAS, 3, HEAD),
	/* 3: reads the head, and part of the flag */
	GUARD(3, S_READ_HEAD, 1, HEAD, 8),
	LOAD(3, S_READ_FLAG, 2, FLAG + 4, 4),
	LOAD(3, S_READ_HEAD, 3, HEAD, 8),
};

static const struct pd_planning every = {.all_pairs = true};

static struct unit_host host;
static struct pd_arena arena;
static struct pd_plan plan;

static int begin(void **state)
{
	(void)state;
	host = (struct unit_host){.left = -1};
	pd_arena_init(&arena, unit_host(&host));
	return !pd_plan_make(&plan, &arena, trace, PD_LEN(trace), &every);
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
		uint32_t op, site, store;
		uint8_t reason;
	} want[] = {{0, S_CAS, 3, PD_LP_LOCKED},
		    {1, S_FLAG, 1, PD_LP_GUARDED},
		    {2, S_CAS, 3, PD_LP_LOCKED}};

	(void)state;
	assert_int_equal(plan.points.n, PD_LEN(want));
	for (uint32_t i = 0; i < PD_LEN(want); i++) {
		assert_int_equal(plan.points.v[i].op, want[i].op);
		assert_int_equal(plan.points.v[i].site, want[i].site);
		assert_int_equal(plan.points.v[i].store, want[i].store);
		assert_int_equal(plan.points.v[i].nth, want[i].store);
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
	(void)state;
	assert_int_equal(plan.pairs.n, 5);
	assert_true(has_pair(0, 2, true) && has_pair(2, 0, true)); /* two writers */
	assert_true(has_pair(0, 3, false) && has_pair(2, 3, false));
	assert_true(has_pair(1, 3, false));	    /* half of the flag */
	for (uint32_t i = 0; i < plan.pairs.n; i++) /* the first look at it */
		if (plan.pairs.v[i].op == 3)
			assert_int_equal(plan.pairs.v[i].load,
					 plan.points.v[plan.pairs.v[i].point].op == 1 ? 2 : 1);
}

/* Operation 0 is seen by 2, which is seen by 3; 3 reads the head first, and then the flag of 1. */
static void finds_threes(void **state)
{
	bool chain = false, overtaken = false;

	(void)state;
	for (uint32_t i = 0; i < plan.threes.n; i++) {
		const struct pd_three *t = &plan.threes.v[i];
		const struct pd_pair *pair = &plan.pairs.v[t->pair];
		uint32_t first = plan.points.v[pair->point].op;

		chain |= !t->overtakes && first == 0 && pair->op == 2 && t->op == 3;
		overtaken |= t->overtakes && pair->op == 3 && pair->load == 1 && t->op == 1;
		assert_true(t->op != first && t->op != pair->op);
		assert_true(t->overtakes || pair->writes);
	}
	assert_true(chain && overtaken);
}

enum { MANY = 40 };

/* The same two operations again and again: a push, and a look at the head. */
static uint32_t repeat(struct pd_act *act, struct pd_plan_op *op)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < MANY; i++) {
		op[i] = (struct pd_plan_op){i % 2, 7};
		act[n++] = i % 2 ? (struct pd_act)GUARD(i, S_READ_HEAD, 1, HEAD, 8)
				 : (struct pd_act)WRITE(PD_ACT_LOCKED, i, S_CAS, 1, HEAD);
	}
	return n;
}

static void tries_fewer_of_those_alike(void **state)
{
	struct pd_plan_op op[MANY];
	struct pd_act act[MANY];
	struct pd_planning how = {.ops = op, .nops = MANY};
	uint32_t n = repeat(act, op), same, differ;
	struct pd_plan all;

	(void)state;
	assert_true(pd_plan_make(&all, &arena, act, n, &every));
	assert_true(pd_plan_make(&plan, &arena, act, n, &how));
	same = plan.pairs.n;
	assert_true(same > 4 && same < all.pairs.n / 4);
	assert_true(plan.pairs_left > 0);
	/* The nearest ones first */
	assert_int_equal(plan.pairs.v[0].op, 1);
	assert_int_equal(plan.points.v[plan.pairs.v[0].point].op, 0);
	for (uint32_t i = 1; i < MANY; i += 4)
		op[i].key = 8; /* another key is another case */
	assert_true(pd_plan_make(&plan, &arena, act, n, &how));
	differ = plan.pairs.n;
	assert_true(differ > same);
}

static void pairs_with_every_entry(void **state)
{
	static const struct pd_act act[] = {WRITE(PD_ACT_LOCKED, 0, S_CAS, 1, HEAD)};
	static const struct pd_plan_op op[] = {{0, 1}, {1, 1}, {1, 1}, {2, 1}};
	struct pd_planning how = {.ops = op, .nops = PD_LEN(op)};

	(void)state;
	assert_true(pd_plan_make(&plan, &arena, act, 1, &how));
	/* Entry 1 twice: the first and the second of those alike; entry 2 once */
	assert_int_equal(plan.pairs.n, 3);
	for (uint32_t i = 0; i < plan.pairs.n; i++)
		assert_int_equal(plan.pairs.v[i].op, i + 1);
}

static void takes_given_points(void **state)
{
	struct pd_planning given = {.given = true}, all = {.all_stores = true};
	struct pd_act act[PD_LEN(trace)];

	(void)state;
	memcpy(act, trace, sizeof(act));
	act[1].flags = PD_ACT_GIVEN; /* to new memory, and nobody's guard */
	assert_true(pd_plan_make(&plan, &arena, act, PD_LEN(act), &given));
	assert_int_equal(plan.points.n, 1);
	assert_int_equal(plan.points.v[0].site, S_INIT_NEXT);
	assert_int_equal(plan.points.v[0].reason, PD_LP_GIVEN);
	assert_true(pd_plan_make(&plan, &arena, act, PD_LEN(act), &all));
	assert_int_equal(plan.points.n, plan.stores);
}

static void survives_no_memory(void **state)
{
	uint32_t failed = 0;

	(void)state;
	for (size_t room = 0; room < 30000; room += 64) {
		struct unit_host h;
		struct pd_arena a;
		struct pd_plan p;

		tight_init(&a, &h, room);
		if (!pd_plan_make(&p, &a, trace, PD_LEN(trace), &every))
			failed++;
		else
			assert_int_equal(p.pairs.n, 5);
		tight_finish(&a, &h);
	}
	assert_true(failed > 5 && failed < 400);
}

/* ---- names ---------------------------------------------------------------------------------- */

static void check_name(struct pd_named t)
{
	uint64_t seed = pd_named_seed(&t);
	struct pd_named back;

	assert_true(seed);
	assert_true(seed < 1ULL << 53); /* JSON keeps it */
	assert_true(pd_named_of(seed, &back));
	assert_int_equal(back.kind, t.kind);
	assert_int_equal(back.op, t.op);
	assert_int_equal(back.store, t.store);
	assert_int_equal(back.second, t.second);
	assert_int_equal(back.third, t.third);
}

static void names_are_exact(void **state)
{
	struct pd_named t;

	(void)state;
	check_name((struct pd_named){.kind = PD_NAMED_LOOK});
	check_name((struct pd_named){.kind = PD_NAMED_PLAN});
	check_name((struct pd_named){
		.kind = PD_NAMED_AT, .op = PD_NAMED_OPS - 1, .store = PD_NAMED_STORES});
	check_name((struct pd_named){PD_NAMED_PAIR, 2000, 1, 2000 + PD_NAMED_APART, 0});
	check_name((struct pd_named){PD_NAMED_LATE, 2000, 1, 2000 - PD_NAMED_APART, 0});
	check_name((struct pd_named){PD_NAMED_STALE, 0, 7, 1, 0});
	check_name((struct pd_named){PD_NAMED_PAIR, 2000, PD_NAMED_STORES, 1999, 0});
	check_name((struct pd_named){PD_NAMED_THREE, 9, PD_NAMED_STORES_OF_THREE, 8, 7});
	check_name((struct pd_named){PD_NAMED_THREE, 1023, 7, 0, 2046});
	check_name((struct pd_named){PD_NAMED_OVERTAKEN, 5, 7, 4, 3});
	assert_false(pd_named_of(0, &t));
	assert_false(pd_named_of(17, &t));
	/* What does not fit has no name */
	t = (struct pd_named){.kind = PD_NAMED_AT, .op = PD_NAMED_OPS};
	assert_true(!pd_named_seed(&t));
	t = (struct pd_named){.kind = PD_NAMED_AT, .store = PD_NAMED_STORES + 1};
	assert_true(!pd_named_seed(&t));
	t = (struct pd_named){PD_NAMED_THREE, 0, PD_NAMED_STORES_OF_THREE + 1, 1, 2};
	assert_true(!pd_named_seed(&t));
	t = (struct pd_named){PD_NAMED_PAIR, 0, 1, PD_NAMED_APART + 1, 0};
	assert_true(!pd_named_seed(&t));
	t = (struct pd_named){PD_NAMED_THREE, 0, 1, 1, PD_NAMED_APART + 1};
	assert_true(!pd_named_seed(&t));
}

/* Points of some operations alone, with whoever they meet. */
static void plans_for_those_wanted(void **state)
{
	static const uint8_t wanted[] = {0, 0, 1, 0};
	struct pd_planning some = {.all_pairs = true, .wanted = wanted};

	(void)state;
	assert_true(pd_plan_make(&plan, &arena, trace, PD_LEN(trace), &some));
	assert_int_equal(plan.points.n, 1);
	assert_int_equal(plan.points.v[0].op, 2);
	assert_true(has_pair(2, 0, true) && has_pair(2, 3, false));
	assert_int_equal(plan.stores, 9);
}

/* One thread alone: the same points, and nothing that meets. */
static void nobody_to_meet(void **state)
{
	struct pd_planning alone = {.all_pairs = true, .alone = true};
	uint32_t n = plan.points.n;

	(void)state;
	assert_true(plan.pairs.n > 0);
	assert_true(pd_plan_make(&plan, &arena, trace, PD_LEN(trace), &alone));
	assert_int_equal(plan.points.n, n);
	assert_int_equal(plan.pairs.n, 0);
	assert_int_equal(plan.threes.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(finds_points, begin, end),
		cmocka_unit_test_setup_teardown(finds_pairs, begin, end),
		cmocka_unit_test_setup_teardown(finds_threes, begin, end),
		cmocka_unit_test_setup_teardown(tries_fewer_of_those_alike, begin, end),
		cmocka_unit_test_setup_teardown(pairs_with_every_entry, begin, end),
		cmocka_unit_test_setup_teardown(takes_given_points, begin, end),
		cmocka_unit_test_setup_teardown(plans_for_those_wanted, begin, end),
		cmocka_unit_test_setup_teardown(nobody_to_meet, begin, end),
		cmocka_unit_test(survives_no_memory),
		cmocka_unit_test(names_are_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
