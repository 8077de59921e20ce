/* explore_query_test.c - questions as bytes: what is read is what was written. */
#include "unit.h"
#include "engine/explore/query.h"
#include "unit/explore_draw.h"

enum { INPUTS = 5, SIZE = 1 << 16, MOST = 8 };

struct fixture {
	struct unit_host memory;
	struct pd_arena a, scratch;
	struct pd_exprs *x, *y;
	struct draw d;
	pd_expr holds[MOST];
	uint8_t buf[SIZE];
	uint32_t n;
};

static void begin(struct fixture *f, uint64_t seed)
{
	memset(f, 0, sizeof(*f));
	f->memory.left = -1;
	pd_arena_init(&f->a, unit_host(&f->memory));
	pd_arena_init(&f->scratch, unit_host(&f->memory));
	f->x = pd_exprs_create(&f->a, INPUTS);
	f->y = pd_exprs_create(&f->a, INPUTS);
	assert_true(f->x && f->y);
	f->d = (struct draw){.x = f->x, .seed = seed << 32, .inputs = INPUTS, .widest = 64};
	draw_pool(&f->d, DRAW_POOL);
	for (uint32_t i = 0; i < MOST; i++)
		f->holds[i] = draw_wide(&f->d, 1);
	f->n = pd_query_write(f->x, f->holds, MOST, &f->scratch, f->buf, SIZE);
	assert_true(f->n > 0);
}

static void end(struct fixture *f)
{
	pd_arena_finish(&f->a);
	pd_arena_finish(&f->scratch);
	assert_int_equal(f->memory.live, 0);
}

static void reads_what_was_written(void **state)
{
	static struct fixture f;

	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct pd_query q;

		begin(&f, seed);
		assert_int_equal(pd_query_read(f.y, INPUTS, f.buf, f.n, &f.scratch, &q),
				 PD_QUERY_READ);
		assert_int_equal(q.n, MOST);
		for (uint32_t k = 0; k < 20; k++) {
			uint64_t bits = draw_bits(&f.d);
			uint8_t input[8];

			memcpy(input, &bits, 8);
			for (uint32_t i = 0; i < MOST; i++)
				assert_int_equal(pd_expr_value_under(f.y, q.holds[i], input),
						 pd_expr_value_under(f.x, f.holds[i], input));
		}
		end(&f);
	}
}

/* Parts that another question has brought are not made again. */
static void shares_what_was_read(void **state)
{
	static struct fixture f;
	struct pd_query q, again;
	uint32_t count;

	(void)state;
	begin(&f, 7);
	assert_int_equal(pd_query_read(f.y, INPUTS, f.buf, f.n, &f.scratch, &q), PD_QUERY_READ);
	count = pd_exprs_count(f.y);
	assert_int_equal(pd_query_read(f.y, INPUTS, f.buf, f.n, &f.scratch, &again), PD_QUERY_READ);
	assert_int_equal(pd_exprs_count(f.y), count);
	assert_memory_equal(q.holds, again.holds, MOST * sizeof(pd_expr));
	f.buf[f.n] = 0; /* nothing comes behind a question */
	assert_int_equal(pd_query_read(f.y, INPUTS, f.buf, f.n + 1, &f.scratch, &again),
			 PD_QUERY_BAD);
	end(&f);
}

/* No room: nothing; each shorter buffer is found out. */
static void has_no_room(void **state)
{
	static struct fixture f;

	(void)state;
	begin(&f, 9);
	for (uint32_t size = 0; size < f.n; size += 1 + size / 7) {
		uint8_t *tight = malloc(size + 1);

		assert_int_equal(pd_query_write(f.x, f.holds, MOST, &f.scratch, tight, size), 0);
		free(tight);
	}
	end(&f);
}

/* Bytes that nobody has written are read as something else or not at all, and no further than they
 * go. */
static void reads_anything(void **state)
{
	static struct fixture f;
	uint32_t bad = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 60; seed++) {
		begin(&f, seed);
		for (uint32_t k = 0; k < 40; k++) {
			uint32_t n = draw_below(&f.d, 4) ? f.n : draw_below(&f.d, f.n);
			uint8_t *bytes = malloc(n + 1);
			struct pd_query q;

			memcpy(bytes, f.buf, n);
			for (uint32_t i = draw_below(&f.d, 4); n && i-- > 0;)
				bytes[draw_below(&f.d, n)] = (uint8_t)draw_bits(&f.d);
			bad += pd_query_read(f.y, INPUTS, bytes, n, &f.scratch, &q) == PD_QUERY_BAD;
			free(bytes);
		}
		end(&f);
	}
	assert_true(bad > 100);
}

static void no_memory(void **state)
{
	static struct fixture f;
	uint32_t write = 0, read = 0;

	(void)state;
	begin(&f, 3);
	for (long left = 0; left < 6; left++) {
		struct unit_host poor = {.left = left};
		struct pd_arena a;
		struct pd_query q;

		pd_arena_init(&a, unit_host(&poor));
		write += pd_query_write(f.x, f.holds, MOST, &a, f.buf, SIZE) == 0;
		pd_arena_finish(&a);
		poor.left = left;
		pd_arena_init(&a, unit_host(&poor));
		read += pd_query_read(f.y, INPUTS, f.buf, f.n, &a, &q) == PD_QUERY_NO_MEMORY;
		pd_arena_finish(&a);
	}
	assert_true(write > 0 && write < 6 && read > 0 && read < 6);
	end(&f);
}

static void answers(void **state)
{
	const uint32_t at[] = {0, 3, 4, 300};
	const uint8_t value[] = {9, 8, 7, 6};
	uint8_t buf[32], input[301] = {1, 1, 1, 1, 1}, before[301];
	uint32_t n = pd_query_answer_write(at, value, 4, buf, sizeof(buf));

	(void)state;
	assert_true(n > 0);
	memcpy(before, input, sizeof(input));
	assert_false(pd_query_answer_read(buf, n, input, 300));
	assert_false(pd_query_answer_read(buf, n - 1, input, 301));
	assert_false(pd_query_answer_read(buf, n + 1, input, 301));
	assert_memory_equal(input, before, sizeof(input));
	assert_true(pd_query_answer_read(buf, n, input, 301));
	assert_int_equal(input[0], 9);
	assert_int_equal(input[1], 1);
	assert_int_equal(input[3], 8);
	assert_int_equal(input[4], 7);
	assert_int_equal(input[300], 6);
	assert_int_equal(pd_query_answer_write(at, value, 4, buf, n - 1), 0);
	assert_true(pd_query_answer_write(at, value, 0, buf, 1) == 1 &&
		    pd_query_answer_read(buf, 1, input, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_what_was_written),
		cmocka_unit_test(shares_what_was_read),
		cmocka_unit_test(has_no_room),
		cmocka_unit_test(reads_anything),
		cmocka_unit_test(no_memory),
		cmocka_unit_test(answers),
	};

	return cmocka_run_group_tests_name("explore query", tests, NULL, NULL);
}
