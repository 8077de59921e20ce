/* linear_spec_test.c - specifications at length: what the twin is too small for. */
#include "unit/unit.h"
#include "engine/linear/spec.h"
#include "engine/linear/treap.h"

struct bench {
	struct unit_host host;
	struct pd_arena a;
	struct pd_spec_memory m;
	const struct pd_linear_spec *spec;
	_Alignas(16) uint8_t state[64];
};

static void begin(struct bench *b, const char *name)
{
	memset(b, 0, sizeof(*b));
	b->host.left = -1;
	pd_arena_init(&b->a, unit_host(&b->host));
	pd_spec_memory_init(&b->m, &b->a);
	b->spec = pd_spec_find(name);
	assert_non_null(b->spec);
	assert_true(b->spec->size <= sizeof(b->state));
}

static struct pd_linear_value run(struct bench *b, const char *name, uint64_t x, uint64_t y)
{
	int fn = pd_spec_op(b->spec, name, strlen(name));
	struct pd_linear_op op = {.fn = (uint16_t)fn, .arg = {{x, NULL, 0}, {y, NULL, 0}}};
	struct pd_linear_value r;

	assert_true(fn >= 0);
	op.nargs = (uint8_t)b->spec->ops[fn].nargs;
	assert_int_equal(pd_spec_apply(b->spec, b->state, &op, 0, &r, &b->m.m), 1);
	return r;
}

static void all_are_found(void **state)
{
	static const char *const names[] = {
		"map",	 "multimap",	   "set",      "ordered-map", "queue",
		"stack", "priority-queue", "register", "counter",     "array"};

	(void)state;
	for (size_t i = 0; i < PD_LEN(names); i++)
		assert_string_equal(pd_spec_find(names[i])->name, names[i]);
	assert_null(pd_specs[PD_LEN(names)]);
	assert_null(pd_spec_find("mapp"));
	assert_null(pd_spec_find("ma"));
	assert_null(pd_spec_find(""));
	assert_int_equal(pd_spec_op(&pd_spec_map, "putty", 3), 0);
	assert_int_equal(pd_spec_op(&pd_spec_map, "pu", 2), -1);
}

/* The same content by another way: equal, and of equal hash. */
static void content_decides(void **state)
{
	struct bench a, b;

	(void)state;
	begin(&a, "ordered-map");
	begin(&b, "ordered-map");
	for (uint64_t i = 0; i < 1000; i++) {
		run(&a, "put", i * 7 % 1000, i * 7 % 1000 + 5);
		run(&b, "put", 999 - i, 0);
	}
	assert_false(pd_spec_equal(a.spec, a.state, b.state));
	for (uint64_t i = 0; i < 1000; i++) {
		run(&b, "put", i, i + 5);
		run(&b, "put", 5000 + i, i);
	}
	for (uint64_t i = 0; i < 1000; i++)
		assert_int_equal(run(&b, "remove", 5000 + i * 11 % 1000, 0).word, i * 11 % 1000);
	assert_true(pd_spec_equal(a.spec, a.state, b.state));
	assert_true(pd_spec_hash(a.spec, a.state) == pd_spec_hash(b.spec, b.state));
	assert_int_equal(run(&a, "size", 0, 0).word, 1000);
	assert_int_equal(run(&a, "last", 0, 0).word, 999);
	run(&b, "update", 500, 1);
	assert_false(pd_spec_equal(a.spec, a.state, b.state));
	assert_false(pd_spec_hash(a.spec, a.state) == pd_spec_hash(b.spec, b.state));
	pd_arena_finish(&a.a);
	pd_arena_finish(&b.a);
}

static void scans(void **state)
{
	struct bench b;
	struct pd_linear_value r;
	const uint64_t *pairs;

	(void)state;
	begin(&b, "ordered-map");
	for (uint64_t i = 0; i < 100; i++)
		run(&b, "put", i * 37 % 101, i);
	r = run(&b, "scan", 10, 20);
	pairs = r.data;
	assert_int_equal(r.word, 11);
	assert_int_equal(r.size, 11 * 16);
	for (uint64_t i = 0; i < r.word; i++) {
		assert_int_equal(pairs[2 * i], 10 + i);
		assert_int_equal(pairs[2 * i + 1] * 37 % 101, 10 + i);
	}
	assert_int_equal(run(&b, "scan_n", 98, 10).word,
			 3 - (run(&b, "get", 100, 0).word == PD_NONE));
	assert_int_equal(run(&b, "scan", 20, 10).word, 0);
	assert_int_equal(run(&b, "scan", 0, UINT64_MAX).word, 100);
	assert_int_equal(run(&b, "next", UINT64_MAX, 0).word, PD_NONE);
	pd_arena_finish(&b.a);
}

static void queue_is_long(void **state)
{
	struct bench b, c;

	(void)state;
	begin(&b, "queue");
	begin(&c, "queue");
	for (uint64_t i = 0; i < 20000; i++) {
		run(&b, "enqueue", i, 0);
		if (i >= 5000)
			assert_int_equal(run(&b, "dequeue", 0, 0).word, i - 5000);
	}
	assert_int_equal(run(&b, "size", 0, 0).word, 5000);
	for (uint64_t i = 15000; i < 20000; i++)
		run(&c, "enqueue", i, 0);
	assert_true(pd_spec_equal(b.spec, b.state, c.state));
	assert_true(pd_spec_hash(b.spec, b.state) == pd_spec_hash(c.spec, c.state));
	for (uint64_t i = 15000; i < 20000; i++)
		assert_int_equal(run(&b, "dequeue", 0, 0).word, i);
	assert_int_equal(run(&b, "dequeue", 0, 0).word, PD_NONE);
	assert_int_equal(run(&b, "peek", 0, 0).word, PD_NONE);
	assert_true(pd_spec_hash(b.spec, b.state) == 0 || !pd_spec_equal(b.spec, b.state, c.state));
	pd_arena_finish(&b.a);
	pd_arena_finish(&c.a);
}

static void bytes_are_values(void **state)
{
	struct pd_linear_op op = {.nargs = 2, .arg = {{1, NULL, 0}, {5, "abc", 3}}};
	struct pd_linear_op get = {.fn = 4, .nargs = 1, .arg = {{1, NULL, 0}}, .returned = 1};
	struct pd_linear_value r;
	struct bench b;

	(void)state;
	begin(&b, "map");
	assert_int_equal(pd_spec_apply(b.spec, b.state, &op, 0, &r, &b.m.m), 1);
	assert_int_equal(pd_spec_apply(b.spec, b.state, &get, 0, &r, &b.m.m), 1);
	get.result = (struct pd_linear_value){5, "abc", 3};
	assert_true(pd_spec_agrees(&get, &r));
	get.result.data = "abd"; /* equal words are not enough */
	assert_false(pd_spec_agrees(&get, &r));
	get.returned = 0;
	assert_true(pd_spec_agrees(&get, &r));
	pd_arena_finish(&b.a);
}

static void may_fail(void **state)
{
	struct pd_linear_op op = {.nargs = 2, .flags = PD_MAY_FAIL, .arg = {{1, NULL, 0}}};
	struct pd_linear_value r;
	struct bench b;

	(void)state;
	begin(&b, "map");
	assert_int_equal(pd_spec_apply(b.spec, b.state, &op, 0, &r, &b.m.m), 1);
	assert_true(r.word == PD_FAILED && run(&b, "size", 0, 0).word == 0);
	assert_int_equal(pd_spec_apply(b.spec, b.state, &op, 1, &r, &b.m.m), 1);
	assert_true(r.word == PD_NONE && run(&b, "size", 0, 0).word == 1);
	assert_int_equal(pd_spec_apply(b.spec, b.state, &op, 2, &r, &b.m.m), 0);
	pd_arena_finish(&b.a);
}

static void survives_no_memory(void **state)
{
	static const char *const writers[] = {"put",  "add",  "add", "put", "enqueue",
					      "push", "push", NULL,  NULL,  "set"};
	struct bench b;

	(void)state;
	for (size_t i = 0; i < PD_LEN(writers); i++) {
		struct pd_linear_op op = {.arg = {{1, NULL, 0}, {2, NULL, 0}}};
		struct pd_linear_value r;

		if (!writers[i])
			continue;
		begin(&b, pd_specs[i]->name);
		b.host.left = 0;
		op.fn = (uint16_t)pd_spec_op(b.spec, writers[i], strlen(writers[i]));
		op.nargs = (uint8_t)b.spec->ops[op.fn].nargs;
		assert_int_equal(pd_spec_apply(b.spec, b.state, &op, 0, &r, &b.m.m), -1);
		pd_arena_finish(&b.a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_are_found),
		cmocka_unit_test(content_decides),
		cmocka_unit_test(scans),
		cmocka_unit_test(queue_is_long),
		cmocka_unit_test(bytes_are_values),
		cmocka_unit_test(may_fail),
		cmocka_unit_test(survives_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
