/* linear_bounded_test.c - all schedules with few preemptions: as a naive enumeration has them, each
 * once. */
#include "unit/unit.h"
#include "engine/linear/bounded.h"

enum { THREADS = 3, LONGEST = 64, MOST = 60000 };

struct traces {
	char v[MOST][LONGEST];
	uint32_t n;
};

static struct traces naive, found;
static struct unit_host host;
static struct pd_arena arena;

/* Threads with so many steps each; what they do is their number. */
struct toy {
	uint32_t left[THREADS];
	char trace[LONGEST];
	uint32_t n;
};

static void keep(struct traces *to, const struct toy *t)
{
	assert_true(to->n < MOST);
	memcpy(to->v[to->n], t->trace, t->n);
	to->v[to->n++][t->n] = '\0';
}

static void step(struct toy *t, uint32_t thread)
{
	t->left[thread]--;
	t->trace[t->n++] = (char)('0' + thread);
}

/* Every thread that can run runs next, in a copy. */
static void enumerate(const struct toy *t, uint32_t last, uint32_t preemptions, uint32_t bound)
{
	bool any = false;

	for (uint32_t i = 0; i < THREADS; i++) {
		struct toy next = *t;
		uint32_t cost = last < THREADS && i != last && t->left[last] ? 1 : 0;

		if (!t->left[i])
			continue;
		any = true;
		if (preemptions + cost > bound)
			continue;
		step(&next, i);
		enumerate(&next, i, preemptions + cost, bound);
	}
	if (!any)
		keep(&naive, t);
}

/* One execution: the thread that ran comes first, if it can go on. */
static void execute(struct toy t, uint64_t number, struct pd_bounded_log *log)
{
	struct pd_bounded s = pd_bounded_of(number);
	uint32_t last = 0;

	for (bool began = false;; began = true) {
		uint32_t can[THREADS], n = 0, pick;
		bool goes_on = began && t.left[last];

		for (uint32_t i = 0; i < THREADS; i++)
			if (t.left[(last + i) % THREADS])
				can[n++] = (last + i) % THREADS;
		if (!n)
			break;
		pick = n > 1 ? pd_bounded_pick(&s, log, n, goes_on) : 0;
		last = can[pick];
		step(&t, last);
	}
	keep(&found, &t);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(a, b);
}

static uint32_t search(const struct toy *t, uint32_t bound, uint64_t *beyond)
{
	struct pd_bounded_search s = {.arena = &arena, .bound = bound};
	uint64_t number;

	found.n = 0;
	while (pd_bounded_next(&s, &number)) {
		struct pd_bounded_log log = {0};

		execute(*t, number, &log);
		pd_bounded_feed(&s, &log);
	}
	*beyond = s.beyond;
	assert_int_equal(found.n, s.given);
	return found.n;
}

static void compare(uint32_t a, uint32_t b, uint32_t c, uint32_t bound)
{
	struct toy t = {.left = {a, b, c}};
	uint64_t beyond;

	naive.n = 0;
	enumerate(&t, THREADS, 0, bound);
	assert_int_equal(search(&t, bound, &beyond), naive.n);
	assert_int_equal(beyond, 0);
	qsort(naive.v, naive.n, sizeof(naive.v[0]), by_text);
	qsort(found.v, found.n, sizeof(found.v[0]), by_text);
	for (uint32_t i = 0; i < naive.n; i++) {
		assert_string_equal(naive.v[i], found.v[i]);
		assert_true(!i || strcmp(found.v[i - 1], found.v[i]) != 0);
	}
}

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

static void are_those_of_a_naive_enumeration(void **state)
{
	(void)state;
	for (uint32_t bound = 0; bound <= 3; bound++)
		for (uint32_t a = 1; a <= 6; a++)
			for (uint32_t b = 1; b <= 6; b++)
				compare(a, b, 0, bound);
	for (uint32_t bound = 0; bound <= 2; bound++) {
		compare(3, 3, 3, bound);
		compare(1, 5, 2, bound);
	}
}

/* What has no number is counted: too many turns, too many steps. */
static void counts_what_is_beyond(void **state)
{
	struct toy t = {.left = {4, 4, 4}};
	struct pd_bounded none = {0};
	struct pd_bounded_log log = {0};
	struct pd_bounded_search s = {.arena = &arena, .bound = 1};
	uint64_t beyond, number;

	(void)state;
	search(&t, 3, &beyond);
	assert_true(beyond > 0);
	for (uint32_t i = 0; i <= PD_BOUNDED_STEPS; i++)
		assert_int_equal(pd_bounded_pick(&none, &log, 2, true), 0);
	assert_true(pd_bounded_next(&s, &number));
	pd_bounded_feed(&s, &log);
	assert_int_equal(s.beyond, 1);
	assert_int_equal(s.todo.n, PD_BOUNDED_STEPS);
	memset(&log, 0, sizeof(log));
	pd_bounded_pick(&none, &log, PD_BOUNDED_PICKS + 3, false);
	assert_int_equal(log.left_out, 2);
}

static void numbers_are_exact(void **state)
{
	struct pd_bounded s = {
		.n = PD_BOUNDED_TURNS,
		.turn = {{1, 1}, {2, 3}, {900, 2}, {PD_BOUNDED_STEPS, PD_BOUNDED_PICKS}}};
	struct pd_bounded back = pd_bounded_of(pd_bounded_number(&s));

	(void)state;
	assert_memory_equal(&s, &back, sizeof(s));
	assert_int_equal(pd_bounded_of(0).n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(are_those_of_a_naive_enumeration, begin, end),
		cmocka_unit_test_setup_teardown(counts_what_is_beyond, begin, end),
		cmocka_unit_test(numbers_are_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
