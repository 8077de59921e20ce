/* linear_announced_test.c - operations that a program announces: which one, whose, and what is
 * wrong. */
#include "unit/tight.h"
#include "engine/linear/announced.h"

static const uint64_t args[4] = {7, 8, 9, 10};

static struct pd_announcement call(uint32_t thread, const char *name, uint32_t nargs)
{
	return (struct pd_announcement){thread, name, args, nargs};
}

static void begin(struct pd_announced *a, struct pd_arena *arena, struct unit_host *h,
		  const struct pd_linear_spec *spec)
{
	*h = (struct unit_host){.left = -1};
	pd_arena_init(arena, unit_host(h));
	*a = (struct pd_announced){.spec = spec, .arena = arena};
}

static void expect_line(const struct pd_announced *a, enum pd_announced_fault f,
			const struct pd_announcement *x, const char *line)
{
	struct pd_outbuf o;
	char text[400];

	pd_outbuf_init(&o, text, sizeof(text));
	pd_announced_put_fault(a, f, x, &o.out);
	assert_string_equal(text, line);
}

static void what_it_is(void **state)
{
	struct pd_announcement put = call(0, "put", 2), get = call(0, "get", 1);
	struct pd_announced_op *op = NULL;
	struct pd_announced a;
	struct pd_arena arena;
	struct unit_host h;

	(void)state;
	begin(&a, &arena, &h, &pd_spec_map);
	assert_int_equal(pd_announced_begin(&a, &put, &op), PD_ANNOUNCED_FINE);
	assert_int_equal(op->op.fn, pd_spec_op(&pd_spec_map, "put", 3));
	assert_int_equal(op->op.nargs, 2);
	assert_int_equal(op->op.flags, 0);
	assert_int_equal(op->op.arg[0].word, 7);
	assert_int_equal(op->op.arg[1].word, 8);
	op->number = 42;
	op = NULL;
	assert_int_equal(pd_announced_end(&a, 0, &op), PD_ANNOUNCED_FINE);
	assert_int_equal(op->number, 42);
	assert_string_equal(pd_announced_name(&a, &op->op), "put");
	assert_int_equal(pd_announced_begin(&a, &get, &op), PD_ANNOUNCED_FINE);
	assert_string_equal(pd_announced_name(&a, &op->op), "get");
	assert_int_equal(op->op.arg[1].word, 0); /* nothing of the put is left in it */
	tight_finish(&arena, &h);
}

static void one_a_thread(void **state)
{
	struct pd_announcement one = call(1, "put", 2), three = call(3, "get", 1),
			       again = call(1, "get", 1), none = call(2, NULL, 0);
	struct pd_announced_op *op;
	struct pd_announced a;
	struct pd_arena arena;
	struct unit_host h;

	(void)state;
	begin(&a, &arena, &h, &pd_spec_map);
	assert_int_equal(pd_announced_begin(&a, &one, &op), PD_ANNOUNCED_FINE);
	assert_int_equal(pd_announced_begin(&a, &three, &op), PD_ANNOUNCED_FINE);
	assert_int_equal(pd_announced_begin(&a, &again, &op), PD_ANNOUNCED_NESTED);
	expect_line(&a, PD_ANNOUNCED_NESTED, &again,
		    "thread 1 begins 'get' while its 'put' has not ended; call pd_op_end when an "
		    "operation returns, on every path");
	assert_null(pd_announced_open(&a, 0));
	assert_non_null(pd_announced_open(&a, 1));
	assert_null(pd_announced_open(&a, 100));
	assert_int_equal(pd_announced_end(&a, 2, &op), PD_ANNOUNCED_NOT_BEGUN);
	assert_int_equal(pd_announced_end(&a, 100, &op), PD_ANNOUNCED_NOT_BEGUN);
	expect_line(&a, PD_ANNOUNCED_NOT_BEGUN, &none,
		    "thread 2 calls pd_op_end without an operation; call pd_op_begin in the same "
		    "thread before");
	assert_int_equal(pd_announced_end(&a, 1, &op), PD_ANNOUNCED_FINE);
	assert_int_equal(pd_announced_end(&a, 1, &op), PD_ANNOUNCED_NOT_BEGUN);
	assert_int_equal(pd_announced_end(&a, 3, &op), PD_ANNOUNCED_FINE);
	tight_finish(&arena, &h);
}

static void not_the_specifications(void **state)
{
	struct pd_announcement inc = call(0, "inc", 1), few = call(0, "enqueue", 0),
			       many = call(0, "dequeue", 4), part = call(0, "enq", 1);
	struct pd_announced_op *op;
	struct pd_announced a;
	struct pd_arena arena;
	struct unit_host h;

	(void)state;
	begin(&a, &arena, &h, &pd_spec_queue);
	assert_int_equal(pd_announced_begin(&a, &inc, &op), PD_ANNOUNCED_UNKNOWN);
	expect_line(&a, PD_ANNOUNCED_UNKNOWN, &inc,
		    "the specification 'queue' has no operation 'inc'; it has enqueue, dequeue, "
		    "peek, size");
	assert_int_equal(pd_announced_begin(&a, &part, &op), PD_ANNOUNCED_UNKNOWN);
	assert_int_equal(pd_announced_begin(&a, &few, &op), PD_ANNOUNCED_ARGUMENTS);
	expect_line(&a, PD_ANNOUNCED_ARGUMENTS, &few,
		    "'enqueue' has 1 argument in the specification 'queue', but was announced with "
		    "0");
	assert_int_equal(pd_announced_begin(&a, &many, &op), PD_ANNOUNCED_ARGUMENTS);
	assert_null(pd_announced_open(&a, 0)); /* nothing of that is open */
	tight_finish(&arena, &h);
}

static void sync_is_any_specifications(void **state)
{
	struct pd_announcement sync = call(0, "sync", 0), with = call(1, "sync", 1),
			       longer = call(1, "syncs", 0);
	struct pd_announced_op *op;
	struct pd_announced a;
	struct pd_arena arena;
	struct unit_host h;

	(void)state;
	begin(&a, &arena, &h, &pd_spec_map);
	assert_int_equal(pd_announced_begin(&a, &sync, &op), PD_ANNOUNCED_FINE);
	assert_int_equal(op->op.flags, PD_SYNC);
	assert_string_equal(pd_announced_name(&a, &op->op), "sync");
	assert_int_equal(pd_announced_begin(&a, &with, &op), PD_ANNOUNCED_ARGUMENTS);
	expect_line(&a, PD_ANNOUNCED_ARGUMENTS, &with,
		    "'sync' has 0 arguments in the specification 'map', but was announced with 1");
	assert_int_equal(pd_announced_begin(&a, &longer, &op), PD_ANNOUNCED_UNKNOWN);
	tight_finish(&arena, &h);
}

static void without_memory(void **state)
{
	struct pd_announcement far = call(1000, "get", 1);
	struct pd_announced_op *op;
	struct pd_announced a;
	struct pd_arena arena;
	struct unit_host h;

	(void)state;
	tight_init(&arena, &h, 100);
	a = (struct pd_announced){.spec = &pd_spec_map, .arena = &arena};
	assert_int_equal(pd_announced_begin(&a, &far, &op), PD_ANNOUNCED_NO_MEMORY);
	tight_finish(&arena, &h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_it_is),
		cmocka_unit_test(one_a_thread),
		cmocka_unit_test(not_the_specifications),
		cmocka_unit_test(sync_is_any_specifications),
		cmocka_unit_test(without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
