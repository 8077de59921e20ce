/* schedule_test.c - schedules: a name for each number, and back. */
#include "unit/unit.h"
#include "event/schedule.h"

static struct pd_schedule again(struct pd_schedule s)
{
	return pd_schedule_of(pd_schedule_number(&s));
}

static void the_default_one_is_0(void **state)
{
	struct pd_schedule s = pd_schedule_of(0), none = {.policy = PD_POLICY_DEFAULT};

	(void)state;
	assert_true(pd_schedule_same(&s, &none));
	assert_int_equal(pd_schedule_number(&none), 0);
}

/* These numbers are in results that people have kept. */
static void numbers_mean_what_they_meant(void **state)
{
	struct pd_schedule late = pd_schedule_of(1ULL << 52 | 3ULL << 40 | 42);
	struct pd_schedule pct = pd_schedule_of(43), expect = {PD_POLICY_LATE, 42, .nth = 3};

	(void)state;
	assert_true(pd_schedule_same(&late, &expect));
	assert_int_equal(pd_schedule_number(&late), 1ULL << 52 | 3ULL << 40 | 42);
	assert_int_equal(pct.policy, PD_POLICY_PCT);
	assert_int_equal(pct.seed, 43);
	assert_int_equal(pct.depth, 3);
	assert_int_equal(pct.nth, 0);
	assert_int_equal(pd_schedule_number(&pct), 43);
}

/* PCT is tried for programs of 2000 steps, and of a half, a quarter ... of that. */
static void all_lengths(void **state)
{
	uint32_t seen = 0;

	(void)state;
	for (uint64_t seed = 1; seed < 200; seed++) {
		struct pd_schedule s = pd_schedule_of(seed);

		for (uint32_t i = 0; i < 8; i++)
			seen |= (uint32_t)(s.steps == 2000u >> i) << i;
		assert_true(s.steps && 2000 % s.steps < s.steps);
	}
	assert_int_equal(seen, 0xff);
}

static void whatever_the_seed(void **state)
{
	static const uint64_t seeds[] = {1,	     1ULL << 32,     1ULL << 50, 1ULL << 51,
					 1ULL << 52, UINT64_MAX - 1, UINT64_MAX};

	(void)state;
	for (uint32_t i = 0; i < PD_LEN(seeds); i++) {
		struct pd_schedule pct =
			again((struct pd_schedule){PD_POLICY_PCT, .seed = seeds[i]});
		struct pd_schedule late =
			again((struct pd_schedule){PD_POLICY_LATE, seeds[i], .nth = 7});
		struct pd_schedule test =
			again((struct pd_schedule){PD_POLICY_TEST, .seed = seeds[i]});
		struct pd_schedule bounded =
			again((struct pd_schedule){PD_POLICY_BOUNDED, .seed = seeds[i]});
		struct pd_schedule held =
			again((struct pd_schedule){PD_POLICY_HELD, .seed = seeds[i]});
		struct pd_schedule twice = again(pct);

		assert_int_not_equal(pct.policy, PD_POLICY_LATE);
		assert_int_not_equal(pct.policy, PD_POLICY_TEST);
		assert_int_equal(test.policy, PD_POLICY_TEST);
		assert_int_equal(test.seed, seeds[i] & (PD_SCHEDULE_TEST - 1));
		assert_int_not_equal(pct.policy, PD_POLICY_BOUNDED);
		assert_int_not_equal(pct.policy, PD_POLICY_HELD);
		assert_int_equal(held.policy, PD_POLICY_HELD);
		assert_int_equal(held.seed, seeds[i] & (PD_SCHEDULE_HELD - 1));
		assert_int_equal(bounded.policy, PD_POLICY_BOUNDED);
		assert_int_equal(bounded.seed, seeds[i] & (PD_SCHEDULE_TEST - 1));
		assert_true(pct.seed <= INT64_MAX);
		assert_true(pd_schedule_same(&pct, &twice));
		assert_int_equal(late.policy, PD_POLICY_LATE);
		assert_int_equal(late.seed, seeds[i] & UINT32_MAX);
		assert_int_equal(late.nth, 7);
	}
}

static void one_differs(void **state)
{
	struct pd_schedule a = {PD_POLICY_PCT, 5, 0, 3, 500};
	struct pd_schedule other[] = {{PD_POLICY_LATE, 5, 0, 3, 500},
				      {PD_POLICY_PCT, 6, 0, 3, 500},
				      {PD_POLICY_PCT, 5, 1, 3, 500},
				      {PD_POLICY_PCT, 5, 0, 2, 500},
				      {PD_POLICY_PCT, 5, 0, 3, 501}};

	(void)state;
	assert_true(pd_schedule_same(&a, &a));
	for (uint32_t i = 0; i < PD_LEN(other); i++)
		assert_false(pd_schedule_same(&a, &other[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_default_one_is_0),
		cmocka_unit_test(numbers_mean_what_they_meant),
		cmocka_unit_test(all_lengths),
		cmocka_unit_test(whatever_the_seed),
		cmocka_unit_test(one_differs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
