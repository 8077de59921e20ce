/* linear_workload_test.c - workloads: bias, growing by coverage, the text form and its errors. */
#include "unit/tight.h"
#include "engine/linear/workload.h"

static const struct pd_linear_entry table[] = {{"put", {PD_NEW_KEY, PD_VALUE}, NULL, 0},
					       {"get", {PD_ANY_KEY}, NULL, 0},
					       {"remove", {PD_OLD_KEY}, NULL, 0},
					       {"name", {PD_OLD_KEY, PD_BYTES}, NULL, 0},
					       {"scan", {PD_ANY_KEY, PD_COUNT}, NULL, 0},
					       {"size", {PD_NO_ARG}, NULL, 0},
					       PD_LINEAR_END};

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

static bool is_used(const struct pd_workload *w, uint32_t before, uint64_t key)
{
	for (uint32_t i = 0; i < before; i++)
		if (w->ops.v[i].entry == 0 && w->ops.v[i].arg[0].word == key)
			return true;
	return false;
}

static void is_biased(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 10; seed++) {
		struct pd_workgen gen = {seed, 1000, 4, 0, false};
		struct pd_workload w = {0};
		uint32_t puts = 0, fresh = 0, removes = 0, old = 0, threads = 0;

		assert_true(pd_workload_make(&w, &arena, table, &gen));
		assert_int_equal(w.ops.n, 1000);
		for (uint32_t i = 0; i < w.ops.n; i++) {
			const struct pd_work *x = &w.ops.v[i];

			threads |= 1u << x->thread;
			puts += x->entry == 0;
			fresh += x->entry == 0 && !is_used(&w, i, x->arg[0].word);
			removes += x->entry == 2;
			old += x->entry == 2 && is_used(&w, i, x->arg[0].word);
			if (x->entry < 5)
				assert_true(x->arg[0].word > 0 && x->arg[0].word < PD_FAILED);
		}
		assert_int_equal(threads, 15);
		assert_true(fresh * 10 > puts * 6 && fresh < puts);
		assert_true(old * 10 > removes * 6 && old < removes);
	}
}

/* First three quarters that add, then what does not. */
static void fills_and_drains(void **state)
{
	struct pd_workgen gen = {.seed = 3, .nops = 400, .nthreads = 1, .fill = true};
	struct pd_workload w = {0}, q = {0};
	static const struct pd_linear_entry queue[] = {
		{"dequeue", {PD_NO_ARG}, NULL, 0}, {"enqueue", {PD_VALUE}, NULL, 0}, PD_LINEAR_END};

	(void)state;
	assert_true(pd_workload_make(&w, &arena, table, &gen));
	assert_true(pd_workload_make(&q, &arena, queue, &gen));
	for (uint32_t i = 0; i < 400; i++) {
		assert_int_equal(w.ops.v[i].entry == 0, i < 300);
		assert_int_equal(q.ops.v[i].entry, i < 300);
	}
}

static void depends_on_the_seed_alone(void **state)
{
	struct pd_workgen gen = {7, 200, 2, 50, false};
	struct pd_workload a = {0}, b = {0}, c = {0};
	char text[3][16384];
	struct pd_workload *all[] = {&a, &b, &c};

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct pd_outbuf out;

		gen.seed = i == 2 ? 8 : 7;
		assert_true(pd_workload_make(all[i], &arena, table, &gen));
		pd_outbuf_init(&out, text[i], sizeof(text[i]));
		pd_workload_print(all[i], table, &out.out);
		assert_int_equal(out.lost, 0);
	}
	assert_string_equal(text[0], text[1]);
	assert_string_not_equal(text[0], text[2]);
}

/* What is printed is read again, and printed the same. */
static void reads_what_it_prints(void **state)
{
	static char text[1 << 17], again[1 << 17];

	(void)state;
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct pd_workgen gen = {seed, 300, 3, 0, false};
		struct pd_workload w = {0}, back = {0};
		struct pd_workload_error e;
		struct pd_outbuf out;

		assert_true(pd_workload_make(&w, &arena, table, &gen));
		pd_outbuf_init(&out, text, sizeof(text));
		pd_workload_print(&w, table, &out.out);
		assert_int_equal(out.lost, 0);
		if (!pd_workload_parse(&back, &arena, table, text, out.n, &e))
			fail_msg("%s", e.what);
		assert_int_equal(back.ops.n, w.ops.n);
		for (uint32_t i = 0; i < w.ops.n; i++)
			assert_int_equal(back.ops.v[i].arg[1].word, w.ops.v[i].arg[1].word);
		pd_outbuf_init(&out, again, sizeof(again));
		pd_workload_print(&back, table, &out.out);
		assert_string_equal(text, again);
	}
}

static void says_what_is_wrong_and_where(void **state)
{
	static const struct {
		const char *text, *error;
	} bad[] = {
		{"put 1 2\n\n# x\nput 1 2\nget 1\nget 2\nget\n", "line 7: get needs argument 1"},
		{"put 1\n", "line 1: put needs argument 2"},
		{"get x", "line 1: 'x' is not a number"},
		{"get 18446744073709551616", "line 1: '18446744073709551616' is not a number"},
		{"get 18446744073709551615", "line 1: '18446744073709551615' is not a number"},
		{"get 1 2 3\n", "line 1: '2' is one argument too many for get"},
		{"size\nsize 1\n", "line 2: '1' is one argument too many for size"},
		{"fetch 1\n", "line 1: the driver has no operation 'fetch'"},
		{"pu 1 2\n", "line 1: the driver has no operation 'pu'"},
		{"@x get 1\n", "line 1: '@x' is not a thread: @1 to @1024"},
		{"@0 get 1\n", "line 1: '@0' is not a thread: @1 to @1024"},
		{"@1025 get 1\n", "line 1: '@1025' is not a thread: @1 to @1024"},
		{"@1\n", "line 1: no operation"},
		{"name 1 abc\n", "line 1: bytes are written in quotes: \"abc\\x00\""},
		{"name 1 \"abc\n", "line 1: the closing quote is missing"},
		{"name 1 \"\\n\"\n",
		 "line 1: after \\ comes \\, \" or x and two digits, as in \\x0f"},
	};

	(void)state;
	for (size_t i = 0; i < PD_LEN(bad); i++) {
		struct pd_workload w = {0};
		struct pd_workload_error e;

		assert_false(
			pd_workload_parse(&w, &arena, table, bad[i].text, strlen(bad[i].text), &e));
		assert_string_equal(e.what, bad[i].error);
	}
}

static void reads_by_hand(void **state)
{
	static const char text[] = "  put 5 17 # first\r\n\n@12 name 5 \"a\\x00\\\"\"\nsize";
	struct pd_workload w = {0};
	struct pd_workload_error e;

	(void)state;
	assert_true(pd_workload_parse(&w, &arena, table, text, strlen(text), &e));
	assert_int_equal(w.ops.n, 3);
	assert_int_equal(w.ops.v[1].thread, 11);
	assert_int_equal(w.ops.v[1].arg[1].size, 3);
	assert_memory_equal(w.ops.v[1].arg[1].data, "a\0\"", 3);
	assert_int_equal(w.ops.v[2].entry, 5);
}

/* A made-up structure: bits for how many keys were put in a bucket, and removed again. */
static void run(const struct pd_workload *w, uint8_t *bits)
{
	uint32_t in[8] = {0};

	memset(bits, 0, 9);
	for (uint32_t i = 0; i < w->ops.n; i++) {
		uint32_t b = (uint32_t)(w->ops.v[i].arg[0].word >> 10) & 7;

		if (w->ops.v[i].entry == 0 && in[b] < 63)
			in[b]++;
		if (in[b])
			bits[in[b] / 8] |= (uint8_t)(1u << in[b] % 8);
	}
}

static void grows_by_coverage(void **state)
{
	struct pd_workgen gen = {3, 60, 1, 0, false};
	struct pd_grow g;
	uint32_t first = 0;

	(void)state;
	assert_true(pd_grow_init(&g, &arena, table, gen, 64));
	for (int i = 0; i < 400; i++) {
		struct pd_workload w;
		uint8_t bits[9];
		uint32_t fresh;

		assert_true(pd_grow_next(&g, &w, &arena));
		assert_true(w.ops.n <= 60);
		if (!w.ops.n)
			continue;
		run(&w, bits);
		fresh = pd_grow_feed(&g, &w, bits);
		assert_int_equal(pd_grow_feed(&g, &w, bits), 0);
		if (i < 5)
			first += fresh;
	}
	/* Much more is reached than at random. */
	assert_true(g.nkept > 3);
	assert_true(g.nseen > first + first / 2);
}

static void survives_no_memory(void **state)
{
	static const char text[] = "put 1 2\nname 1 \"abc\"\nsize\n";
	uint32_t failed = 0;

	(void)state;
	for (size_t room = 0; room < 40000; room += 80) {
		struct pd_workgen gen = {3, 40, 1, 0, false};
		struct pd_workload w = {0}, p = {0};
		struct pd_workload_error e;
		struct unit_host h;
		struct pd_arena a;
		struct pd_grow g;
		uint8_t bits[9] = {1};

		tight_init(&a, &h, room);
		if (!pd_workload_parse(&p, &a, table, text, strlen(text), &e))
			assert_non_null(strstr(e.what, "out of memory"));
		if (pd_grow_init(&g, &a, table, gen, 64) && pd_grow_next(&g, &w, &a))
			pd_grow_feed(&g, &w, bits);
		failed += a.failed;
		tight_finish(&a, &h);
	}
	assert_true(failed > 10 && failed < 500);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(is_biased, begin, end),
		cmocka_unit_test_setup_teardown(fills_and_drains, begin, end),
		cmocka_unit_test_setup_teardown(depends_on_the_seed_alone, begin, end),
		cmocka_unit_test_setup_teardown(reads_what_it_prints, begin, end),
		cmocka_unit_test_setup_teardown(says_what_is_wrong_and_where, begin, end),
		cmocka_unit_test_setup_teardown(reads_by_hand, begin, end),
		cmocka_unit_test_setup_teardown(grows_by_coverage, begin, end),
		cmocka_unit_test_setup_teardown(survives_no_memory, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
