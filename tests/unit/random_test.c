/* random_test.c - random crash points and reads, with a front end that only counts. */
#include "unit.h"
#include "engine/crash/random.h"
#include "unit/grows.h"

static void all_recoveries_are_shared_out(void **state)
{
	struct pd_random r = {.seed = 1, .points = 10, .left = 1000};
	uint32_t sum = 0, some = 0;

	(void)state;
	for (uint32_t i = 1; i <= 10; i++) {
		uint32_t share = pd_random_share(&r, 0, 0, i);

		sum += share;
		some += share > 50 && share < 150;
	}
	assert_int_equal(sum, 1000);
	assert_int_equal(r.left, 0);
	assert_int_equal(some, 10);
}

static void the_last_point_takes_the_rest(void **state)
{
	struct pd_random r = {.seed = 1, .points = 3, .left = 5};

	(void)state;
	assert_int_equal(pd_random_share(&r, 0, 0, 3), 5);
	r.left = 5;
	assert_int_equal(pd_random_share(&r, 0, 0, 9), 5); /* more than were counted */
}

static void by_seed_and_schedule(void **state)
{
	struct pd_random a = {.seed = 1, .points = 50, .left = 500}, b = a, c = a, d = a;
	uint32_t seed = 0, schedule = 0;

	(void)state;
	c.seed = 2;
	for (uint32_t i = 1; i <= 50; i++) {
		uint32_t share = pd_random_share(&a, 7, 0, i);

		assert_int_equal(pd_random_share(&b, 7, 0, i), share);
		seed += pd_random_share(&c, 7, 0, i) != share;
		schedule += pd_random_share(&d, 8, 0, i) != share;
	}
	assert_true(seed > 10 && schedule > 10);
}

static void recoveries_crash_at_times(void **state)
{
	struct pd_random r = {.seed = 1, .points = 3, .left = 5};
	uint32_t n = 0;

	(void)state;
	for (uint32_t i = 1; i <= 1600; i++)
		n += pd_random_share(&r, 0, 1, i);
	assert_true(n > 60 && n < 140); /* one in sixteen */
	assert_int_equal(r.left, 5);
}

static void picks_by_bias(void **state)
{
	uint32_t old = 0, second = 0;

	(void)state;
	for (uint32_t i = 0; i < 4096; i++) {
		uint32_t pick = pd_random_pick(77, 64, i, 3);

		assert_true(pick < 3);
		assert_int_equal(pd_random_pick(77, 64, i, 3), pick);
		old += pick != 0;
		second += pick == 2;
	}
	assert_true(old > 900 && old < 1150); /* a quarter */
	assert_true(second > old / 3 && second < 2 * old / 3);
}

/* ---- what fails is explained once ----------------------------------------------------------- */

struct front {
	struct pd_crash_run run[8];
	uint32_t executed, forced;
	uint64_t seed[8];
	uint32_t bias[8];
	uint32_t stop; /* after so many */
	struct pd_crash_choice lost;
	struct pd_crash_choice other; /* of every second one, if there is any */
	struct pd_crash_run least;
	struct pd_crash_choice blamed;
};

/* Each fails, with the same loss. */
static bool execute(void *ctx, uint64_t random, uint32_t bias, struct pd_crash_run **bad)
{
	struct front *f = ctx;
	struct pd_crash_run *run = &f->run[f->executed];

	f->seed[f->executed] = random;
	f->bias[f->executed] = bias;
	*bad = NULL;
	if (++f->executed == f->stop)
		return false;
	run->outcome = PD_OUTCOME_ABORT;
	run->last = f->executed % 2 || !f->other.pick ? &f->lost : &f->other;
	*bad = run;
	return true;
}

static bool force(void *ctx, struct pd_suspects s, struct pd_crash_run *trial,
		  const struct pd_crash_run **bad)
{
	struct front *f = ctx;

	(void)s;
	f->forced++;
	if (trial)
		trial->outcome = s.n ? PD_OUTCOME_ABORT : PD_OUTCOME_GOOD;
	else
		*bad = &f->least;
	return true;
}

static void *take(void *ctx, size_t n)
{
	(void)ctx;
	return calloc(1, n);
}

static void begin(struct front *f)
{
	memset(f, 0, sizeof(*f));
	f->stop = UINT32_MAX;
	f->lost = (struct pd_crash_choice){.pick = 1,
					   .load = 4,
					   .newest = 5,
					   .ndim = 1,
					   .version = {1},
					   .newest_version = {2}};
	f->blamed = f->lost;
	f->blamed.blamed = true;
	f->least.outcome = PD_OUTCOME_ABORT;
	f->least.last = &f->blamed;
}

static void explained_once(void **state)
{
	static struct front f;
	static struct pd_random_known known;
	struct pd_log log = {.exec = 9};
	struct pd_model model = {.params = PD_PARAMS_ADR, .log = &log};
	struct pd_random_front front = {
		execute,
		&f,
		{.execute = force, .ctx = &f, .model = &model, .memory = {take, NULL}}};
	struct pd_random r = {.seed = 1};
	uint32_t forced;

	(void)state;
	begin(&f);
	pd_random_draw(&r, 0, 1, 1, &front, &known);
	forced = f.forced;
	assert_true(forced > 0);
	begin(&f);
	f.other = f.lost; /* the same read has lost the same store, seen at another version */
	f.other.version[0] = 2;
	pd_random_draw(&r, 0, 1, 6, &front, &known);
	assert_int_equal(f.executed, 6);
	assert_int_equal(f.forced, forced);
	for (uint32_t i = 0; i < 6; i++) {
		assert_ptr_equal(f.run[i].least, &f.least);
		assert_true(f.seed[i] & 1);
		assert_int_equal(f.bias[i], f.bias[i % 3]);
		for (uint32_t k = 0; k < i; k++)
			assert_int_not_equal(f.seed[i], f.seed[k]);
	}
	assert_true(f.bias[0] < f.bias[1] && f.bias[1] < f.bias[2]);
}

static void another_end_is_explained_anew(void **state)
{
	static struct front f;
	static struct pd_random_known known;
	struct pd_log log = {.exec = 9};
	struct pd_model model = {.params = PD_PARAMS_ADR, .log = &log};
	struct pd_random_front front = {
		execute,
		&f,
		{.execute = force, .ctx = &f, .model = &model, .memory = {take, NULL}}};
	struct pd_random r = {.seed = 1};

	(void)state;
	begin(&f);
	f.other = f.lost; /* another read, which sees another version */
	f.other.load = 6;
	f.other.version[0] = 2;
	f.other.newest_version[0] = 3;
	pd_random_draw(&r, 0, 1, 2, &front, &known);
	assert_int_equal(known.n, 2);
	begin(&f);
	f.stop = 3;
	pd_random_draw(&r, 0, 1, 6, &front, &known);
	assert_int_equal(f.executed, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_recoveries_are_shared_out),
		cmocka_unit_test(the_last_point_takes_the_rest),
		cmocka_unit_test(by_seed_and_schedule),
		cmocka_unit_test(recoveries_crash_at_times),
		cmocka_unit_test(picks_by_bias),
		cmocka_unit_test(explained_once),
		cmocka_unit_test(another_end_is_explained_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
