/* linear_wrong_test.c - which kind of finding a history is that cannot be explained. */
#include "unit/tight.h"
#include "engine/linear/wrong.h"

struct bench {
	struct unit_host host;
	struct pd_arena a;
	struct pd_op_history h;
	const struct pd_linear_spec *spec;
};

static void begin(struct bench *b, const struct pd_linear_spec *spec)
{
	b->host = (struct unit_host){.left = -1};
	pd_arena_init(&b->a, unit_host(&b->host));
	pd_op_history_init(&b->h, &b->a);
	b->spec = spec;
}

static void op(struct bench *b, uint32_t thread, uint64_t call, uint64_t ret, const char *name,
	       uint64_t x, uint64_t y, uint64_t result)
{
	int fn = pd_spec_op(b->spec, name, strlen(name));
	struct pd_linear_op o = {.fn = (uint16_t)fn,
				 .returned = ret != PD_NEVER,
				 .arg = {{x, NULL, 0}, {y, NULL, 0}},
				 .result = {result, NULL, 0}};

	assert_true(fn >= 0);
	o.nargs = (uint8_t)b->spec->ops[fn].nargs;
	assert_true(pd_op_history_add(&b->h, thread, call, ret, &o));
}

static enum pd_wrong_losers losers;

static bool in_part; /* what is expected */

static void expect_by(struct bench *b, enum pd_linear_condition condition, enum pd_kind kind,
		      uint32_t at)
{
	struct pd_limits limits = {0};
	struct pd_verdict v = pd_judge(&b->h, b->spec, condition, limits, &b->a);
	struct pd_wrong w;

	assert_int_equal(v.answer, PD_ANSWER_NO);
	assert_int_equal(v.fault, PD_HISTORY_OK);
	w = pd_wrong_of(&b->h, b->spec, condition, &v, losers, limits, &b->a);
	assert_int_equal(w.kind, kind);
	assert_true(w.named);
	assert_int_equal(w.op, at);
	assert_int_equal(w.in_part, in_part);
	pd_arena_finish(&b->a);
	assert_int_equal(b->host.live, 0);
}

static void expect(struct bench *b, enum pd_kind kind, uint32_t at)
{
	expect_by(b, PD_DURABLE, kind, at);
}

static void without_a_crash(void **state)
{
	struct bench b;

	(void)state;
	begin(&b, &pd_spec_map);
	op(&b, 1, 1, 2, "put", 7, 1, PD_NONE);
	op(&b, 1, 3, 4, "get", 7, 0, 2);
	assert_true(pd_op_history_crash(&b.h, 6));
	op(&b, 0, 7, 8, "get", 7, 0, 1);
	expect(&b, PD_KIND_LINEAR_ORDER, 1);
}

static void lost(void **state)
{
	struct bench b;

	(void)state;
	begin(&b, &pd_spec_map);
	op(&b, 1, 1, 2, "put", 7, 1, PD_NONE);
	op(&b, 1, 3, 4, "put", 7, 2, 1);
	assert_true(pd_op_history_crash(&b.h, 6));
	op(&b, 0, 7, 8, "get", 7, 0, 1);
	expect(&b, PD_KIND_LINEAR_LOST, 1);
}

/* Who has read it has not made it durable, and is not what is lost. */
static void lost_though_it_was_read(void **state)
{
	struct bench b;

	(void)state;
	begin(&b, &pd_spec_map);
	op(&b, 1, 1, 2, "put", 7, 1, PD_NONE);
	op(&b, 1, 3, 4, "get", 7, 0, 1);
	assert_true(pd_op_history_crash(&b.h, 6));
	op(&b, 0, 7, 8, "get", 7, 0, PD_NONE);
	expect(&b, PD_KIND_LINEAR_LOST, 0);
}

/* It was gone, and shows later: not all of it is gone. */
static void lost_in_part(void **state)
{
	struct bench b;

	(void)state;
	begin(&b, &pd_spec_set);
	op(&b, 1, 1, 2, "add", 6, 0, 1);
	assert_true(pd_op_history_crash(&b.h, 6));
	op(&b, 0, 7, 8, "contains", 6, 0, 0);
	op(&b, 0, 9, 10, "contains", 6, 0, 1);
	in_part = true;
	expect(&b, PD_KIND_LINEAR_LOST, 0);
	in_part = false;
}

static void taken_out_twice(void **state)
{
	struct bench b;

	(void)state;
	begin(&b, &pd_spec_queue);
	op(&b, 1, 1, 2, "enqueue", 7, 0, 1);
	op(&b, 1, 3, 4, "dequeue", 0, 0, 7);
	assert_true(pd_op_history_crash(&b.h, 6));
	op(&b, 0, 7, 8, "dequeue", 0, 0, 7);
	expect(&b, PD_KIND_LINEAR_LOST, 1);
}

static void seen_by_a_reader(void **state)
{
	struct bench b;

	(void)state;
	begin(&b, &pd_spec_map);
	op(&b, 1, 1, PD_NEVER, "put", 7, 1, 0);
	op(&b, 2, 2, 3, "get", 7, 0, 1);
	assert_true(pd_op_history_crash(&b.h, 6));
	op(&b, 0, 7, 8, "get", 7, 0, PD_NONE);
	expect(&b, PD_KIND_LINEAR_VISIBLE, 1);
}

static void used_by_a_writer(void **state)
{
	struct bench b;

	(void)state;
	begin(&b, &pd_spec_map);
	op(&b, 1, 1, PD_NEVER, "put", 7, 1, 0);
	op(&b, 2, 2, 3, "put", 7, 2, 1);
	assert_true(pd_op_history_crash(&b.h, 6));
	op(&b, 0, 7, 8, "get", 7, 0, PD_NONE);
	expect(&b, PD_KIND_LINEAR_VISIBLE, 1);
}

static void half_done(void **state)
{
	struct bench b;

	(void)state;
	begin(&b, &pd_spec_map);
	op(&b, 1, 1, PD_NEVER, "put", 7, 5, 0);
	assert_true(pd_op_history_crash(&b.h, 6));
	op(&b, 0, 7, 8, "get", 7, 0, 4);
	expect(&b, PD_KIND_LINEAR_PARTIAL, 0);
}

/* It removed the old value, and did not come to the new one. */
static void half_replaced(void **state)
{
	struct bench b;

	(void)state;
	begin(&b, &pd_spec_map);
	op(&b, 1, 1, 2, "put", 7, 1, PD_NONE);
	op(&b, 1, 3, PD_NEVER, "put", 7, 2, 0);
	assert_true(pd_op_history_crash(&b.h, 6));
	op(&b, 0, 7, 8, "get", 7, 0, PD_NONE);
	expect(&b, PD_KIND_LINEAR_PARTIAL, 1);
}

/* A crash may take back what came last, but not what a sync made durable. */
static void lost_after_a_sync(void **state)
{
	struct pd_linear_op sync = {.flags = PD_SYNC, .returned = 1};
	struct bench b;

	(void)state;
	begin(&b, &pd_spec_map);
	op(&b, 0, 1, 2, "get", 7, 0, PD_NONE);
	op(&b, 0, 3, 4, "put", 7, 1, PD_NONE);
	op(&b, 0, 5, 6, "put", 7, 2, 1);
	assert_true(pd_op_history_add(&b.h, 0, 7, 8, &sync));
	assert_true(pd_op_history_crash(&b.h, 9));
	op(&b, 0, 10, 11, "get", 7, 0, 1);
	expect_by(&b, PD_BUFFERED, PD_KIND_LINEAR_LOST, 2);
}

/* What was lost is all of an operation that was interrupted. */
static void lost_by_others(void **state)
{
	struct bench b;

	(void)state;
	/* Another key is damaged: of it nothing was lost */
	for (int i = 0; i < 2; i++) {
		losers = i ? PD_WRONG_LOST_OF_INTERRUPTED : PD_WRONG_LOST_OF_ANY;
		begin(&b, &pd_spec_map);
		op(&b, 0, 1, 2, "put", 7, 1, PD_NONE);
		op(&b, 0, 3, PD_NEVER, "put", 8, 2, 0);
		assert_true(pd_op_history_crash(&b.h, 10));
		op(&b, 0, 11, 12, "get", 7, 0, PD_NONE);
		expect(&b, i ? PD_KIND_LINEAR_PARTIAL : PD_KIND_LINEAR_LOST, i);
	}
	/* One that overlapped it, and hung what it wrote on what was not durable */
	for (int i = 0; i < 2; i++) {
		losers = i ? PD_WRONG_LOST_OF_INTERRUPTED : PD_WRONG_LOST_OF_ANY;
		begin(&b, &pd_spec_map);
		op(&b, 0, 1, PD_NEVER, "put", 8, 2, 0);
		op(&b, 1, 2, 3, "put", 7, 1, PD_NONE);
		assert_true(pd_op_history_crash(&b.h, 10));
		op(&b, 0, 11, 12, "get", 7, 0, PD_NONE);
		expect(&b, i ? PD_KIND_LINEAR_VISIBLE : PD_KIND_LINEAR_LOST, 1);
	}
	losers = PD_WRONG_LOST_OF_ANY;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_crash),	   cmocka_unit_test(lost),
		cmocka_unit_test(lost_though_it_was_read), cmocka_unit_test(lost_in_part),
		cmocka_unit_test(taken_out_twice),	   cmocka_unit_test(seen_by_a_reader),
		cmocka_unit_test(used_by_a_writer),	   cmocka_unit_test(half_done),
		cmocka_unit_test(half_replaced),	   cmocka_unit_test(lost_by_others),
		cmocka_unit_test(lost_after_a_sync),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
