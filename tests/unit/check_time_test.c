/* check_time_test.c - a time limit is for the exploration and the explaining, or the run and the
 * confirming, together. */
#include "unit/unit.h"
#include "drive/check/time.h"

static void nothing_was_found(void **state)
{
	(void)state;
	assert_true(pd_time_explores(20, false) == 20);
	assert_true(pd_time_explores(0.3, false) == 0.3);
}

static void some_of_it_is_for_explaining(void **state)
{
	(void)state;
	assert_true(pd_time_explores(20, true) == 15);
	assert_true(pd_time_explains(20, 15) == 20);
	assert_true(pd_time_explains(20, 16.5) == 20);
	assert_true(pd_time_explores(3600, true) == 3580);
}

/* Whatever is found whenever: so much later than the limit, at most. */
static void it_is_bounded(void **state)
{
	(void)state;
	for (double limit = 0.1; limit < 100000; limit *= 1.7)
		for (double found = 0; found < 1.01; found += 0.125) {
			double end = pd_time_explores(limit, true);
			double now = found * limit > end ? found * limit : end;

			assert_true(end > 0 && end < limit);
			assert_true(limit - end <= PD_EXPLAIN_MOST);
			assert_true(pd_time_explains(limit, now) >= now + PD_EXPLAIN_LEAST);
			assert_true(pd_time_explains(limit, now) <=
				    limit + PD_EXPLAIN_LEAST + 0.01 * limit);
		}
}

static void after_an_interrupt(void **state)
{
	(void)state;
	assert_true(pd_time_explains(0, 7) == 7 + PD_EXPLAIN_MOST);
}

static void confirming_has_what_is_left(void **state)
{
	(void)state;
	assert_true(pd_time_confirms(60, 0, 1000) == 60);
	assert_true(pd_time_confirms(60, 40, 0.5) == 39.5);
	assert_true(pd_time_confirms(60, 100, 30) == 60);
	assert_true(pd_time_confirms(60, 100, 40) == 60);
	assert_true(pd_time_confirms(60, 100, 41) == 59);
	assert_true(pd_time_confirms(60, 40, 40) == 0);
	assert_true(pd_time_confirms(60, 40, 43) == 0);
	for (double limit = 0.1; limit < 100000; limit *= 1.7)
		for (double spent = 0; spent < limit; spent += limit / 8)
			assert_true(spent + pd_time_confirms(60, limit, spent) <= limit * 1.000001);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_was_found),
		cmocka_unit_test(some_of_it_is_for_explaining),
		cmocka_unit_test(it_is_bounded),
		cmocka_unit_test(after_an_interrupt),
		cmocka_unit_test(confirming_has_what_is_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
