/* model_test.c - the model's functions where litmus files cannot reach: sizes, counts, failure. */
#include "unit.h"
#include "model/model.h"
#include "model/clock.h"

enum { MEM = 1 << 16 };

struct world {
	struct unit_host host;
	struct pd_arena arena;
	struct pd_model m;
	uint8_t *mem;
};

static void begin(struct world *w, struct pd_params params, bool buffered)
{
	memset(w, 0, sizeof(*w));
	w->host.left = -1;
	w->mem = calloc(1, MEM);
	pd_arena_init(&w->arena, unit_host(&w->host));
	pd_model_init(&w->m, &w->arena, params, w->mem, buffered);
}

static void end(struct world *w)
{
	pd_model_finish(&w->m);
	pd_arena_finish(&w->arena);
	assert_int_equal(w->host.live, 0);
	free(w->mem);
}

static void put(struct world *w, uint32_t tid, uint64_t addr, uint64_t v)
{
	pd_model_store(&w->m, tid, addr, &v, 8, 0, 0);
}

/* A chooser that counts questions, remembers the last number of alternatives, picks as told. */
struct picker {
	uint32_t pick;
	uint32_t asked;
	uint32_t last_n;
};

static uint32_t pick(void *ctx, enum pd_choice_kind kind, uint32_t n)
{
	struct picker *p = ctx;

	assert_int_equal(kind, PD_CHOICE_VALUE);
	p->asked++;
	p->last_n = n;
	return PD_MIN(p->pick, n - 1);
}

static uint64_t get(struct world *w, uint64_t addr, struct picker *p)
{
	struct pd_chooser c = {pick, p};
	uint64_t v;

	pd_model_load(&w->m, 0, addr, &v, 8, &c);
	return v;
}

static void test_newest_class_is_first(void **state)
{
	struct picker p = {0};
	struct world w;

	(void)state;
	begin(&w, PD_PARAMS_ADR, false);
	for (uint64_t i = 1; i <= 5; i++)
		put(&w, 0, 128, i);
	pd_model_crash(&w.m);
	assert_int_equal(get(&w, 128, &p), 5);
	assert_int_equal(p.last_n, 6);
	/* Settled: nobody is asked again, and memory has it. */
	assert_int_equal(get(&w, 128, &p), 5);
	assert_int_equal(p.asked, 1);
	assert_int_equal(w.mem[128], 5);
	assert_int_equal(w.m.nunsettled, 0);
	end(&w);
}

static void test_equal_values_are_one_class(void **state)
{
	struct picker p = {.pick = 1};
	struct world w;

	(void)state;
	begin(&w, PD_PARAMS_ADR, false);
	for (uint64_t i = 0; i < 1000; i++)
		put(&w, 0, 0, i & 1);
	pd_model_crash(&w.m);
	get(&w, 0, &p);
	assert_int_equal(p.last_n, 2);
	end(&w);
}

/* The newest value is alternative 0, also where it was there before. */
static void test_newest_value_that_was_there_before(void **state)
{
	struct picker p = {0};
	struct world w;

	(void)state;
	begin(&w, PD_PARAMS_ADR, false);
	put(&w, 0, 0, 1);
	put(&w, 0, 0, 2);
	put(&w, 0, 0, 0);
	pd_model_crash(&w.m);
	assert_int_equal(get(&w, 0, &p), 0);
	assert_int_equal(p.last_n, 3);
	end(&w);
}

/* Two thousand open stores of different values: as many classes, in good time. */
static void test_many_classes(void **state)
{
	struct picker p = {.pick = 1234};
	struct world w;

	(void)state;
	begin(&w, PD_PARAMS_ADR, false);
	for (uint64_t i = 1; i <= 2000; i++)
		put(&w, 0, 8 * (i & 7), i);
	pd_model_crash(&w.m);
	get(&w, 0, &p);
	assert_int_equal(p.last_n, 251);
	p = (struct picker){0};
	get(&w, 8, &p);
	assert_true(p.last_n <= 2);
	end(&w);
}

/* The same values again and again: each is one class, whether there are few of them or many. */
static void test_values_that_come_back(void **state)
{
	(void)state;
	for (uint64_t n = 1; n <= 20; n++) {
		struct picker p = {0};
		struct world w;

		begin(&w, PD_PARAMS_ADR, false);
		for (uint64_t i = 0; i < 3 * n; i++)
			put(&w, 0, 0, i % n + 1);
		pd_model_crash(&w.m);
		assert_int_equal(get(&w, 0, &p), n);
		assert_int_equal(p.last_n, n + 1);
		end(&w);
	}
}

static void test_eager_count(void **state)
{
	struct world w;

	(void)state;
	begin(&w, PD_PARAMS_ADR, false);
	assert_true(pd_model_eager_log10(&w.m) < 1e-9);
	for (uint64_t line = 0; line < 400; line++)
		for (uint64_t i = 0; i < 9; i++)
			put(&w, 0, 64 * line + 8 * (i % 8), i);
	/* 10 versions a line, 400 lines: 10^400 */
	assert_float_equal(pd_model_eager_log10(&w.m), 400, 0.001);
	for (uint64_t line = 0; line < 200; line++)
		pd_model_flush(&w.m, 0, 64 * line, PD_FLUSH_CLWB);
	assert_float_equal(pd_model_eager_log10(&w.m), 400, 0.001);
	pd_model_sfence(&w.m, 0);
	assert_float_equal(pd_model_eager_log10(&w.m), 200, 0.001);
	/* A line of which a part has become certain, and more is stored to */
	pd_model_flush(&w.m, 0, 64 * 300, PD_FLUSH_CLWB);
	for (uint64_t i = 0; i < 99; i++)
		put(&w, 0, 64 * 300, i);
	assert_float_equal(pd_model_eager_log10(&w.m), 199 + 2.037426, 0.001); /* 109 of them */
	pd_model_sfence(&w.m, 0);
	assert_float_equal(pd_model_eager_log10(&w.m), 201, 0.001);
	pd_model_flush(&w.m, 0, 64 * 300, PD_FLUSH_CLFLUSH);
	assert_float_equal(pd_model_eager_log10(&w.m), 199, 0.001);
	pd_model_msync(&w.m, 0, 0, 64 * 400);
	assert_true(pd_model_eager_log10(&w.m) == 0);
	put(&w, 0, 64, 1);
	assert_true(pd_model_eager_log10(&w.m) > 0);
	put(&w, 0, 64, 2);
	pd_model_crash(&w.m); /* the next execution has no store yet */
	assert_true(pd_model_eager_log10(&w.m) == 0);
	put(&w, 0, 64, 1);
	assert_float_equal(pd_model_eager_log10(&w.m), 0.30103, 0.001);
	pd_model_crash(&w.m);
	put(&w, 0, 64, 1);
	put(&w, 0, 64, 1);
	assert_float_equal(pd_model_eager_log10(&w.m), 0.47712, 0.001);
	end(&w);
}

static void test_block_store_is_cut_at_words(void **state)
{
	uint8_t data[300];
	struct world w;

	(void)state;
	memset(data, 7, sizeof(data));
	begin(&w, PD_PARAMS_ADR, false);
	pd_model_store(&w.m, 0, 3, data, sizeof(data), 9, 0);
	/* 5 bytes up to the first boundary, 36 words, 7 bytes */
	assert_int_equal(w.m.log->n, 38);
	for (uint32_t i = 0; i < w.m.log->n; i++) {
		struct pd_store *s = pd_log_at(w.m.log, i);

		assert_true(s->off / 8 == (s->off + s->size - 1u) / 8);
		assert_int_equal(s->site, 9);
		assert_int_equal(!!(s->flags & PD_LOGGED_PART), i > 0);
	}
	assert_memory_equal(w.mem + 3, data, sizeof(data));
	assert_int_equal(w.mem[2], 0);
	assert_int_equal(w.mem[303], 0);
	end(&w);
}

static void test_wide_load_over_lines(void **state)
{
	struct picker p = {.pick = 1};
	struct pd_chooser c = {pick, &p};
	uint8_t out[256];
	struct world w;

	(void)state;
	begin(&w, PD_PARAMS_ADR, false);
	for (uint64_t a = 0; a < 256; a += 64)
		put(&w, 0, a, 0x1111111111111111);
	pd_model_crash(&w.m);
	pd_model_load(&w.m, 0, 4, out, 252, &c);
	assert_int_equal(p.asked, 4);
	assert_int_equal(out[0], 0);
	assert_int_equal(w.m.nunsettled, 0);
	end(&w);
}

static void test_msync_covers_its_range(void **state)
{
	struct world w;

	(void)state;
	begin(&w, PD_PARAMS_PAGE, false);
	put(&w, 0, 0, 1);
	put(&w, 0, 4096, 1);
	put(&w, 0, 8192, 1);
	pd_model_msync(&w.m, 0, 4096, 4096);
	pd_model_crash(&w.m);
	assert_true(pd_model_load_is_open(&w.m, 0, 8));
	assert_false(pd_model_load_is_open(&w.m, 4096, 4096));
	assert_true(pd_model_load_is_open(&w.m, 8192, 1));
	end(&w);
}

static void test_digest_forgets_the_way(void **state)
{
	struct pd_digest a = PD_DIGEST_INIT, b = PD_DIGEST_INIT, c = PD_DIGEST_INIT;
	struct world w;

	(void)state;
	begin(&w, PD_PARAMS_ADR, false);
	put(&w, 0, 0, 1);
	put(&w, 0, 64, 2);
	pd_model_digest(&w.m, &a);
	end(&w);
	begin(&w, PD_PARAMS_ADR, false);
	put(&w, 0, 64, 2);
	put(&w, 0, 0, 1);
	pd_model_digest(&w.m, &b);
	put(&w, 0, 0, 1);
	pd_model_digest(&w.m, &c);
	end(&w);
	assert_true(a.a == b.a && a.b == b.b);
	assert_false(a.a == c.a);
}

static void many_operations(struct world *w)
{
	struct picker p = {.pick = 1};

	for (int crash = 0; crash < 3; crash++) {
		for (uint64_t i = 0; i < 3000; i++) {
			put(w, i % 3, (i * 2654435761u) % (MEM / 8) * 8, i);
			if (i % 7 == 0)
				pd_model_flush(&w->m, i % 3, (i % 900) * 64, PD_FLUSH_CLWB);
			if (i % 50 == 0)
				pd_model_sfence(&w->m, i % 3);
			if (w->m.buffered && i % 3 == 0 && pd_model_can_evict(&w->m, i % 2))
				pd_model_evict(&w->m, i % 2);
		}
		pd_model_crash(&w->m);
		for (uint64_t a = 0; a < MEM; a += 64)
			get(w, a, &p);
	}
}

/* Memory runs out at every possible moment: nothing breaks, and the model says so. */
static void test_allocation_failures(void **state)
{
	(void)state;
	for (int buffered = 0; buffered < 2; buffered++) {
		bool failed = true;

		for (long left = 1; failed; left++) {
			struct world w;

			begin(&w, PD_PARAMS_ADR, buffered);
			w.host.left = left - 1;
			many_operations(&w);
			failed = pd_model_failed(&w.m);
			if (!failed)
				assert_true(left > 3);
			end(&w);
		}
	}
}

static void test_models_by_name(void **state)
{
	(void)state;
	assert_string_equal(pd_params_find("adr", 3)->name, "adr");
	assert_string_equal(pd_params_find("eadr torn=1", 4)->name, "eadr");
	assert_int_equal(pd_params_find("page", 4)->line_shift, PD_PARAMS_PAGE.line_shift);
	assert_null(pd_params_find("eadr", 3));
	assert_null(pd_params_find("adrx", 4));
	assert_null(pd_params_find("adr", 0));
	assert_null(pd_params_find("ADR", 3));
}

static void test_clocks(void **state)
{
	struct unit_host host = {.left = -1};
	struct pd_clock a = {0}, b = {0}, c = {0};
	struct pd_arena arena;

	(void)state;
	pd_arena_init(&arena, unit_host(&host));
	assert_true(pd_clock_leq(&a, &b) && pd_clock_leq(&b, &a));
	pd_clock_tick(&a, &arena, 0);
	pd_clock_tick(&b, &arena, 100);
	assert_false(pd_clock_leq(&a, &b));
	assert_false(pd_clock_leq(&b, &a));
	pd_clock_copy(&c, &arena, &a);
	pd_clock_join(&c, &arena, &b);
	assert_true(pd_clock_leq(&a, &c) && pd_clock_leq(&b, &c));
	assert_false(pd_clock_leq(&c, &a));
	assert_int_equal(pd_clock_get(&c, 100), 1);
	assert_int_equal(pd_clock_get(&c, 500), 0);
	pd_arena_finish(&arena);

	host.left = 0;
	pd_arena_init(&arena, unit_host(&host));
	b = (struct pd_clock){0};
	assert_false(pd_clock_tick(&b, &arena, 3));
	pd_arena_finish(&arena);
}

/* P17: it counts as durable, alone, and until it is needed again. */
static void test_unneeded(void **state)
{
	struct picker p = {.pick = 1};
	struct world w;

	(void)state;
	begin(&w, PD_PARAMS_ADR, false);
	put(&w, 0, 8, 1); /* before that is known */
	pd_model_unneeded(&w.m, 8, 8);
	put(&w, 0, 0, 7);
	put(&w, 0, 8, 2);
	put(&w, 0, 8, 3);
	pd_model_crash(&w.m);
	assert_int_equal(get(&w, 8, &p), 3);
	assert_true(p.last_n <= 1);
	assert_int_equal(get(&w, 0, &p), 0); /* its neighbour is lost */
	assert_int_equal(p.last_n, 2);
	assert_int_equal(get(&w, 8, &p), 3);
	end(&w);

	begin(&w, PD_PARAMS_ADR, false);
	pd_model_unneeded(&w.m, 0, 128);
	put(&w, 0, 0, 1);
	pd_model_needed(&w.m, 0, 8);
	put(&w, 0, 0, 2);
	put(&w, 0, 64, 1);
	pd_model_flush(&w.m, 0, 64, PD_FLUSH_CLFLUSH);
	put(&w, 0, 64, 2);
	put(&w, 0, 128, 1);
	pd_model_clean(&w.m, 128, 8);
	put(&w, 0, 128, 2);
	pd_model_crash(&w.m);
	for (uint64_t at = 0; at <= 128; at += 64) {
		assert_int_equal(get(&w, at, &p), 1);
		assert_int_equal(p.last_n, 2);
	}
	end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unneeded),
		cmocka_unit_test(test_newest_class_is_first),
		cmocka_unit_test(test_models_by_name),
		cmocka_unit_test(test_equal_values_are_one_class),
		cmocka_unit_test(test_newest_value_that_was_there_before),
		cmocka_unit_test(test_many_classes),
		cmocka_unit_test(test_values_that_come_back),
		cmocka_unit_test(test_eager_count),
		cmocka_unit_test(test_block_store_is_cut_at_words),
		cmocka_unit_test(test_wide_load_over_lines),
		cmocka_unit_test(test_msync_covers_its_range),
		cmocka_unit_test(test_digest_forgets_the_way),
		cmocka_unit_test(test_allocation_failures),
		cmocka_unit_test(test_clocks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
