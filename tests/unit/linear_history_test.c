/* linear_history_test.c - histories: what is well formed, and the compact form. */
#include "unit/tight.h"
#include "engine/linear/history.h"
#include "engine/linear/spec.h"

static const struct pd_linear_op put = {.fn = 0, .nargs = 2, .arg = {{1, NULL, 0}, {2, NULL, 0}}};

static enum pd_op_history_fault fault_of(struct pd_op_history *h)
{
	uint32_t at;

	return pd_op_history_check(h, &pd_spec_map, &at);
}

static void sees_what_is_wrong(void **state)
{
	struct unit_host host = {.left = -1};
	struct pd_linear_op few = put, unknown = put;
	struct pd_arena a;
	struct pd_op_history h;

	(void)state;
	few.nargs = 1;
	unknown.fn = 99;
	pd_arena_init(&a, unit_host(&host));
	pd_op_history_init(&h, &a);
	assert_int_equal(fault_of(&h), PD_HISTORY_OK);
	assert_true(pd_op_history_add(&h, 0, 1, 2, &put) &&
		    pd_op_history_add(&h, 0, 3, PD_NEVER, &put));
	assert_true(pd_op_history_crash(&h, 10) && pd_op_history_add(&h, 0, 11, 12, &put));
	assert_int_equal(fault_of(&h), PD_HISTORY_OK);
	assert_int_equal(pd_op_history_era(&h, 3), 0);
	assert_int_equal(pd_op_history_era(&h, 11), 1);
	h.ops.v[0].ret = 1;
	assert_int_equal(fault_of(&h), PD_HISTORY_RETURNS_EARLY);
	h.ops.v[0].ret = 5;
	assert_int_equal(fault_of(&h), PD_HISTORY_OVERLAPS);
	h.ops.v[0].ret = 20;
	assert_int_equal(fault_of(&h), PD_HISTORY_SPANS_CRASH);
	h.ops.v[0].ret = PD_NEVER;
	assert_int_equal(fault_of(&h), PD_HISTORY_OVERLAPS);
	h.ops.v[0].thread = 7;
	assert_int_equal(fault_of(&h), PD_HISTORY_OK);
	h.ops.v[0].op = few;
	assert_int_equal(fault_of(&h), PD_HISTORY_WRONG_ARGS);
	h.ops.v[0].op = unknown;
	assert_int_equal(fault_of(&h), PD_HISTORY_UNKNOWN_FN);
	h.ops.v[0].op.flags = PD_SYNC;
	assert_int_equal(fault_of(&h), PD_HISTORY_OK);
	assert_true(pd_op_history_crash(&h, 10));
	assert_int_equal(fault_of(&h), PD_HISTORY_CRASHES_UNSORTED);
	pd_arena_finish(&a);
}

/* Three threads, a crash, bytes, a pending operation, results of all sorts. */
static bool make_sample(struct pd_op_history *h, struct pd_arena *a)
{
	uint64_t pairs[4] = {1, 2, 3, 4};
	struct pd_linear_op x = put, scan = {.fn = 11, .nargs = 2, .returned = 1};

	scan.result = (struct pd_linear_value){2, pairs, sizeof(pairs)};
	x.arg[1] = (struct pd_linear_value){77, "seven", 5};
	x.returned = 1;
	x.result.word = PD_NONE;
	x.flags = PD_MAY_FAIL;
	pd_op_history_init(h, a);
	return pd_op_history_add(h, 3, 100, 900, &x) && pd_op_history_add(h, 1, 200, 300, &scan) &&
	       pd_op_history_add(h, 2, 250, PD_NEVER, &put) && pd_op_history_crash(h, 1000) &&
	       pd_op_history_add(h, 3, 1001, 1u << 30, &put);
}

static void same_value(const struct pd_linear_value *a, const struct pd_linear_value *b)
{
	assert_true(a->word == b->word && a->size == b->size);
	if (a->size)
		assert_memory_equal(a->data, b->data, a->size);
}

static void packs_exactly(void **state)
{
	static const uint64_t times[][2] = {{0, 4}, {1, 3}, {2, PD_NEVER}, {6, 7}};
	struct unit_host host = {.left = -1};
	struct pd_op_history h, back;
	struct pd_arena a;
	uint8_t buf[256], again[256];
	size_t n;

	(void)state;
	pd_arena_init(&a, unit_host(&host));
	assert_true(make_sample(&h, &a));
	n = pd_op_history_pack(&h, buf, sizeof(buf));
	assert_true(n > 0 && n < 120);
	assert_int_equal(pd_op_history_pack(&h, NULL, 0), n);
	pd_op_history_init(&back, &a);
	assert_true(pd_op_history_unpack(&back, buf, n));
	assert_int_equal(back.ops.n, 4);
	assert_int_equal(back.crashes.n, 1);
	assert_int_equal(back.crashes.v[0], 5);
	for (uint32_t i = 0; i < 4; i++) {
		const struct pd_hop *x = &h.ops.v[i], *y = &back.ops.v[i];

		assert_true(y->call == times[i][0] && y->ret == times[i][1]);
		assert_true(x->thread == y->thread && x->op.fn == y->op.fn);
		assert_true(x->op.flags == y->op.flags && x->op.returned == y->op.returned);
		for (uint32_t k = 0; k < x->op.nargs; k++)
			same_value(&x->op.arg[k], &y->op.arg[k]);
		if (x->op.returned)
			same_value(&x->op.result, &y->op.result);
	}
	assert_int_equal(pd_op_history_pack(&back, again, sizeof(again)), n);
	assert_memory_equal(buf, again, n);
	pd_arena_finish(&a);
}

static void refuses_other_bytes(void **state)
{
	struct unit_host host = {.left = -1};
	struct pd_op_history h, back;
	struct pd_arena a;
	uint8_t buf[256];
	size_t n;

	(void)state;
	pd_arena_init(&a, unit_host(&host));
	assert_true(make_sample(&h, &a));
	n = pd_op_history_pack(&h, buf, sizeof(buf));
	for (size_t cut = 0; cut < n; cut++) {
		pd_op_history_init(&back, &a);
		assert_false(pd_op_history_unpack(&back, buf, cut));
	}
	/* Whatever one byte becomes, it is read or refused, and nothing else happens. */
	for (size_t i = 0; i < n; i++)
		for (uint32_t b = 0; b < 256; b += 5) {
			uint8_t was = buf[i];

			buf[i] = (uint8_t)b;
			pd_op_history_init(&back, &a);
			(void)pd_op_history_unpack(&back, buf, n);
			buf[i] = was;
		}
	pd_arena_finish(&a);
}

static void survives_no_memory(void **state)
{
	struct unit_host host;
	struct pd_arena a;
	struct pd_op_history h;

	(void)state;
	for (size_t room = 0; room < 4000; room += 16) {
		tight_init(&a, &host, room);
		if (!make_sample(&h, &a))
			assert_true(a.failed);
		else /* its host has nothing left for what it needs on the way */
			assert_int_equal(pd_op_history_pack(&h, NULL, 0), 0);
		tight_finish(&a, &host);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sees_what_is_wrong),
		cmocka_unit_test(packs_exactly),
		cmocka_unit_test(refuses_other_bytes),
		cmocka_unit_test(survives_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
