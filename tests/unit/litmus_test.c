/* litmus_test.c - the explorer's sets as values, and memory that runs out at every moment. */
#include "unit.h"
#include "base/out.h"
#include "litmus/litmus.h"

static const char program[] = "line: a b\n"
			      "T0: st a 1; st b 1; clwb a; sfence; st y 1\n"
			      "T1: ld r0 y; stnt z r0; sfence\n"
			      "images: a=0 b=0 y=0 z=0\n"
			      "crash:\n"
			      "T0: ld r0 z; if r0=1 ld r1 a; add r2 b 1\n";

static struct pd_litmus *parse(struct pd_arena *a, const char *text, struct pd_outbuf *err)
{
	return pd_litmus_parse(a, "t", text, strlen(text), &err->out);
}

static void test_sets(void **state)
{
	struct unit_host host = {.left = -1};
	struct pd_lit_result r;
	struct pd_outbuf err, text;
	struct pd_litmus *lit;
	struct pd_arena a;
	char buf[200], line[200];

	(void)state;
	pd_arena_init(&a, unit_host(&host));
	pd_outbuf_init(&err, buf, sizeof(buf));
	lit = parse(&a, "T0: st x 1\ncrash:\nT0: ld r7 x\n", &err);
	assert_non_null(lit);
	assert_true(pd_litmus_explore(lit, &a, 1000, &r));
	assert_int_equal(r.images[0].n, 2);
	assert_int_equal(r.images[1].n, 2);
	assert_int_equal(r.outcomes[1].n, 2);
	assert_int_equal(pd_tuples_at(&r.outcomes[1], 1)[0], 1);
	pd_outbuf_init(&text, line, sizeof(line));
	pd_litmus_print_outcome(&text.out, &lit->section[1], pd_tuples_at(&r.outcomes[1], 1));
	assert_string_equal(line, "r7=1");
	assert_false(r.capped);
	pd_arena_finish(&a);
	assert_int_equal(host.live, 0);
}

static void test_limit(void **state)
{
	struct unit_host host = {.left = -1};
	struct pd_lit_result r;
	struct pd_outbuf err;
	struct pd_arena a;
	char buf[200];

	(void)state;
	pd_arena_init(&a, unit_host(&host));
	pd_outbuf_init(&err, buf, sizeof(buf));
	assert_true(pd_litmus_explore(parse(&a, program, &err), &a, 7, &r));
	assert_true(r.capped);
	pd_arena_finish(&a);
}

/* A host of small blocks fails more often: every request of more than what is left is a new one. */
static void test_allocation_failures(void **state)
{
	bool done = false;

	(void)state;
	for (long left = 0; !done; left++) {
		struct unit_host host = {.left = left};
		struct pd_lit_result r;
		struct pd_litmus *lit;
		struct pd_outbuf err;
		struct pd_arena a;
		char buf[200];

		pd_arena_init(&a, unit_host(&host));
		a.next_size = 4096;
		pd_outbuf_init(&err, buf, sizeof(buf));
		lit = parse(&a, program, &err);
		if (!lit)
			assert_non_null(strstr(buf, "out of memory"));
		else
			done = pd_litmus_explore(lit, &a, 100000, &r);
		if (done)
			assert_true(r.images[1].n > 4);
		pd_arena_finish(&a);
		assert_int_equal(host.live, 0);
		assert_true(left < 10000);
	}
}

static void test_tuples(void **state)
{
	struct unit_host host = {.left = -1};
	struct pd_tuples t, none;
	struct pd_arena a;

	(void)state;
	pd_arena_init(&a, unit_host(&host));
	pd_tuples_init(&t, &a, 2);
	for (uint64_t i = 0; i < 500; i++) {
		uint64_t v[2] = {i * 7919 % 100, i % 5};

		pd_tuples_add(&t, v);
		assert_true(pd_tuples_has(&t, v));
		assert_int_equal(pd_tuples_add(&t, v), 0);
	}
	assert_int_equal(t.n, 100);
	pd_tuples_sort(&t);
	for (uint32_t i = 1; i < t.n; i++)
		assert_true(pd_tuples_at(&t, i - 1)[0] <= pd_tuples_at(&t, i)[0]);
	/* No registers at all: there is one empty outcome. */
	pd_tuples_init(&none, &a, 0);
	assert_int_equal(pd_tuples_add(&none, NULL), 1);
	assert_int_equal(pd_tuples_add(&none, NULL), 0);
	pd_arena_finish(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sets),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_allocation_failures),
		cmocka_unit_test(test_tuples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
