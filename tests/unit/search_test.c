/* search_test.c - the frontier: which record comes next, slots that are used again, room that
 * ends. */
#include "unit.h"
#include "engine/explore/search.h"

enum { SIZE = 5, MEMORY = 1 << 20 };

struct frontier {
	struct pd_search s;
	void *memory;
	uint32_t pm[64], turned[64], tried[64], distance[64], near[64]; /* by site */
};

static struct pd_search_worth worth(void *ctx, const struct pd_record *r)
{
	const struct frontier *f = ctx;

	return (struct pd_search_worth){.distance = f->distance[r->site],
					.near = f->near[r->site],
					.tried = f->tried[r->site],
					.pm = f->pm[r->site],
					.new_edge = !f->turned[r->site],
					.turned = f->turned[r->site]};
}

static struct pd_search_judge judge(struct frontier *f)
{
	return (struct pd_search_judge){worth, f};
}

static void init(struct frontier *f, enum pd_search_by by, uint64_t max)
{
	memset(f, 0, sizeof(*f));
	memset(f->distance, 255, sizeof(f->distance));
	memset(f->near, 255, sizeof(f->near));
	f->memory = calloc(1, 4 * MEMORY);
	assert_true(pd_search_init(&f->s, by, 7, f->memory, max, SIZE));
}

static bool put_pins(struct frontier *f, uint32_t site, uint32_t bound, uint32_t npins)
{
	struct pd_record r = {.site = site, .bound = bound, .npins = npins};
	uint8_t input[SIZE] = {(uint8_t)site, (uint8_t)bound, 3, 4, (uint8_t)npins};
	uint64_t pins[PD_PATH_PINS];
	struct pd_search_judge j = judge(f);

	for (uint32_t i = 0; i < npins; i++)
		pins[i] = site * 1000 + i;
	return pd_search_put(&f->s, &r, input, pins, &j);
}

static bool put(struct frontier *f, uint32_t site, uint32_t bound)
{
	return put_pins(f, site, bound, 0);
}

/* The site of the next one, which is checked and dropped; UINT32_MAX: there is none. */
static uint32_t take(struct frontier *f)
{
	struct pd_search_judge j = judge(f);
	struct pd_record *r = pd_search_take(&f->s, &j);
	uint32_t site;

	if (!r)
		return UINT32_MAX;
	site = r->site;
	assert_int_equal(r->size, SIZE);
	assert_int_equal(pd_record_input(r)[0], site);
	assert_int_equal(pd_record_input(r)[1], (uint8_t)r->bound);
	assert_int_equal(pd_record_input(r)[4], (uint8_t)r->npins);
	for (uint32_t i = 0; i < r->npins; i++)
		assert_int_equal(pd_record_pins(r)[i], site * 1000 + i);
	pd_search_drop(&f->s, r);
	return site;
}

static void orders(void **state)
{
	struct frontier f;

	(void)state;
	init(&f, PD_SEARCH_DFS, MEMORY);
	put(&f, 1, 4), put(&f, 2, 9), put(&f, 3, 9), put(&f, 4, 1);
	assert_int_equal(take(&f), 3); /* the newest of the deepest */
	assert_int_equal(take(&f), 2);
	assert_int_equal(take(&f), 1);
	assert_int_equal(take(&f), 4);
	assert_int_equal(take(&f), UINT32_MAX);
	free(f.memory);

	init(&f, PD_SEARCH_BFS, MEMORY);
	put(&f, 1, 4), put(&f, 2, 1), put(&f, 3, 1), put(&f, 4, 9);
	assert_int_equal(take(&f), 2); /* the oldest of the shallowest */
	assert_int_equal(take(&f), 3);
	assert_int_equal(take(&f), 1);
	assert_int_equal(take(&f), 4);
	free(f.memory);
}

static void coverage_is_asked_for_again(void **state)
{
	struct frontier f;

	(void)state;
	init(&f, PD_SEARCH_COVERAGE, MEMORY);
	f.turned[2] = 3;
	put(&f, 1, 1), put(&f, 2, 1), put(&f, 3, 1);
	f.turned[3] = 9; /* while it waited somebody has gone that way, and often */
	assert_int_equal(take(&f), 1);
	assert_int_equal(take(&f), 2);
	assert_int_equal(take(&f), 3);
	free(f.memory);
}

/* Three turns for what leads to PM, one for what nobody has seen. */
static void pm_and_coverage_take_turns(void **state)
{
	struct frontier f;

	(void)state;
	init(&f, PD_SEARCH_PM, MEMORY);
	for (uint32_t site = 1; site <= 8; site++) {
		f.pm[site] = site;
		f.turned[site] = site == 2 ? 0 : 1 + site;
	}
	for (uint32_t site = 1; site <= 8; site++)
		put(&f, site, 1);
	assert_int_equal(take(&f), 8);
	assert_int_equal(take(&f), 7);
	assert_int_equal(take(&f), 6);
	assert_int_equal(take(&f), 2);
	assert_int_equal(take(&f), 5);
	assert_int_equal(take(&f), 4);
	assert_int_equal(take(&f), 3);
	assert_int_equal(take(&f), 1);
	assert_int_equal(take(&f), UINT32_MAX);
	assert_int_equal(f.s.n, 0);
	free(f.memory);
}

/* The nearest to PM that nobody reached first; a way that nobody went may lead to any PM. */
static void the_nearest_comes_first(void **state)
{
	struct frontier f;

	(void)state;
	init(&f, PD_SEARCH_PM, MEMORY);
	for (uint32_t site = 1; site <= 5; site++)
		f.turned[site] = 9;
	f.pm[1] = 200; /* whatever it led to: there is nothing more */
	f.distance[2] = 30, f.near[2] = 1;
	f.distance[3] = 7, f.near[3] = 7;
	f.distance[4] = 40, f.near[4] = 5;
	f.turned[4] = 0;
	f.distance[5] = 6, f.near[5] = 6;
	f.tried[5] = 2; /* as far as 8 */
	for (uint32_t site = 1; site <= 5; site++)
		put(&f, site, 1);
	assert_int_equal(take(&f), 4);
	assert_int_equal(take(&f), 3);
	assert_int_equal(take(&f), 5);
	f.s.turn = 0;
	assert_int_equal(take(&f), 2);
	assert_int_equal(take(&f), 1);
	free(f.memory);
}

/* The newest would keep to one part of the program. */
static void equal_ones_come_in_any_order(void **state)
{
	struct frontier f;
	uint32_t rising = 0, last = 0;

	(void)state;
	init(&f, PD_SEARCH_COVERAGE, MEMORY);
	for (uint32_t site = 1; site <= 40; site++)
		put(&f, site, 1);
	for (uint32_t i = 0; i < 40; i++) {
		uint32_t site = take(&f);

		rising += site > last;
		last = site;
	}
	assert_true(rising > 8 && rising < 32);
	free(f.memory);
}

static void random_takes_all(void **state)
{
	struct frontier f;
	bool seen[50] = {0};

	(void)state;
	init(&f, PD_SEARCH_RANDOM, MEMORY);
	for (uint32_t site = 0; site < 50; site++)
		put(&f, site, 1);
	for (uint32_t i = 0; i < 50; i++) {
		uint32_t site = take(&f);

		assert_true(site < 50 && !seen[site]);
		seen[site] = true;
	}
	assert_int_equal(take(&f), UINT32_MAX);
	free(f.memory);
}

/* As long as all fit, slots are used again, of both sizes, and heaps of entries do not overflow. */
static void slots_are_used_again(void **state)
{
	struct frontier f;
	uint64_t random = 1;

	(void)state;
	init(&f, PD_SEARCH_PM, 256 << 10);
	for (uint32_t i = 0; i < 100000; i++) {
		random = random * 6364136223846793005ULL + 1442695040888963407ULL;
		assert_true(put_pins(&f, random >> 60, 1, random >> 59 & 1 ? PD_PATH_PINS : 2));
		if (i % 20 != 19)
			assert_int_not_equal(take(&f), UINT32_MAX);
		if (f.s.n > 40)
			while (f.s.n)
				assert_int_not_equal(take(&f), UINT32_MAX);
	}
	assert_true(f.s.used < 96 << 10); /* 42 of each size */
	free(f.memory);
}

static void room_ends(void **state)
{
	struct frontier f;
	uint32_t n = 0;

	(void)state;
	init(&f, PD_SEARCH_DFS, 4096);
	while (put(&f, 1, 1))
		n++;
	assert_true(n > 10 && n < 100);
	assert_int_equal(f.s.n, n);
	assert_int_equal(take(&f), 1);
	assert_true(put(&f, 2, 2)); /* there is room again */
	assert_false(put(&f, 2, 2));
	assert_int_equal(f.s.most, n);
	free(f.memory);
}

static void count_each(void *ctx, const struct pd_record *r)
{
	*(uint32_t *)ctx += r->site;
}

static void what_was_taken_comes_back(void **state)
{
	struct frontier f;
	struct pd_search_judge j;
	struct pd_record *r;
	uint32_t sum = 0;

	(void)state;
	init(&f, PD_SEARCH_PM, MEMORY);
	j = judge(&f);
	put(&f, 5, 1), put(&f, 6, 1);
	r = pd_search_take(&f.s, &j);
	pd_search_each(&f.s, count_each, &sum);
	assert_int_equal(sum + r->site, 11);
	pd_search_return(&f.s, r, &j);
	assert_int_equal(f.s.n, 2);
	sum = 0;
	pd_search_each(&f.s, count_each, &sum);
	assert_int_equal(sum, 11);
	assert_int_equal(take(&f) + take(&f), 11);
	assert_int_equal(take(&f), UINT32_MAX);
	free(f.memory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(orders),
		cmocka_unit_test(coverage_is_asked_for_again),
		cmocka_unit_test(pm_and_coverage_take_turns),
		cmocka_unit_test(the_nearest_comes_first),
		cmocka_unit_test(equal_ones_come_in_any_order),
		cmocka_unit_test(random_takes_all),
		cmocka_unit_test(slots_are_used_again),
		cmocka_unit_test(room_ends),
		cmocka_unit_test(what_was_taken_comes_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
