/* linear_picture_test.c - what a history that cannot be explained looks like. */
#include "unit/unit.h"
#include "engine/linear/picture.h"

static struct unit_host host;
static struct pd_arena arena;
static struct pd_op_history history;
static bool whole;

static int begin(void **state)
{
	(void)state;
	host = (struct unit_host){.left = -1};
	pd_arena_init(&arena, unit_host(&host));
	pd_op_history_init(&history, &arena);
	whole = true;
	return 0;
}

static int end(void **state)
{
	(void)state;
	pd_arena_finish(&arena);
	return host.live != 0;
}

static void op(uint32_t thread, uint64_t call, uint64_t ret, uint16_t fn, uint64_t x, uint64_t y,
	       uint64_t result)
{
	struct pd_linear_op o = {.fn = fn,
				 .nargs = (uint8_t)pd_spec_map.ops[fn].nargs,
				 .returned = ret != PD_NEVER,
				 .arg = {{x, NULL, 0}, {y, NULL, 0}},
				 .result = {result, NULL, 0}};

	assert_true(pd_op_history_add(&history, thread, call, ret, &o));
}

/* By way of facts, as from the tested process to the report: nothing is lost on it. */
static const char *text_of(const struct pd_diagram *d)
{
	static char text[4096];
	struct pd_fact_list facts = {.arena = &arena};
	struct pd_diagram arrived;
	struct pd_outbuf out;

	pd_diagram_facts(d, &facts);
	assert_true(pd_diagram_of_facts(&arrived, &(struct pd_facts){facts.n, facts.v}));
	pd_outbuf_init(&out, text, sizeof(text));
	pd_diagram_draw(&arrived, &out.out);
	assert_int_equal(out.lost, 0);
	return text;
}

static struct pd_diagram diagram_of_history(void)
{
	struct pd_verdict v =
		pd_judge(&history, &pd_spec_map, PD_DURABLE, (struct pd_limits){0}, &arena);
	struct pd_diagram d;

	assert_int_equal(v.answer, PD_ANSWER_NO);
	pd_picture(&history, &pd_spec_map, &v, whole, &d);
	return d;
}

static const char *drawn(void)
{
	struct pd_diagram d = diagram_of_history();

	return text_of(&d);
}

/* A get sees what an interrupted put has stored; after the crash it is gone. */
static void visible_not_durable(void **state)
{
	(void)state;
	op(1, 10, 20, 0, 7, 1, PD_NONE);
	op(1, 30, PD_NEVER, 0, 7, 2, 0);
	op(2, 40, 50, 4, 7, 0, 2);
	op(3, 5, 6, 4, 8, 0, PD_NONE); /* of another key: it may be why */
	assert_true(pd_op_history_crash(&history, 60));
	op(1, 64, 66, 4, 8, 0, PD_NONE); /* recovery looks at everything: not shown */
	op(1, 70, 80, 4, 7, 0, 1);
	assert_string_equal(drawn(),
			    "get(7) = 1 by thread 1: no order of the operations explains it\n"
			    "Operations up to there, one column per event, ! is a crash:\n"
			    "  T3   [].....!..  get(8) = none\n"
			    "  T1   ..[]...!..  put(7, 1) = none\n"
			    "  T1   ....[==!..  put(7, 2) interrupted\n"
			    "  T2   .....[]!..  get(7) = 2\n"
			    "> T1   .......![]  get(7) = 1\n"
			    "By the specification it returns:\n"
			    "  2  after put(7, 1) = none, put(7, 2) interrupted, get(7) = 2\n");
}

/* Of a workload that nobody has made smaller: what has returned on other keys says nothing. */
static void other_keys_are_counted(void **state)
{
	const char *text;

	(void)state;
	whole = false;
	op(1, 10, 20, 0, 7, 1, PD_NONE);
	op(3, 22, 24, 4, 8, 0, PD_NONE);
	op(2, 30, PD_NEVER, 0, 9, 2, 0);
	assert_true(pd_op_history_crash(&history, 60));
	op(1, 64, 66, 4, 8, 0, PD_NONE);
	op(1, 70, 80, 4, 7, 0, PD_NONE);
	text = drawn();
	assert_non_null(strstr(text, "put(7, 1) = none"));
	assert_non_null(strstr(text, "put(9, 2) interrupted"));
	assert_null(strstr(text, "get(8)"));
	assert_non_null(strstr(text, "1 on other keys had returned before, and is not shown\n"));
	whole = true;
	text = drawn();
	assert_non_null(strstr(text, "get(8)"));
	assert_null(strstr(text, "on other keys"));
}

/* The same history as values: columns as they are drawn, an interrupted one up to its crash. */
static void as_values(void **state)
{
	struct pd_diagram d;

	(void)state;
	op(1, 10, 20, 0, 7, 1, PD_NONE);
	op(1, 30, PD_NEVER, 0, 7, 2, 0);
	op(2, 40, 50, 4, 7, 0, 2);
	assert_true(pd_op_history_crash(&history, 60));
	op(1, 70, 80, 4, 7, 0, 1);
	d = diagram_of_history();
	assert_int_equal(d.n, 4);
	assert_int_equal(d.earlier, 0);
	assert_int_equal(d.columns, 8);
	assert_int_equal(d.ncrash, 1);
	assert_int_equal(d.crash[0], 5);
	assert_int_equal(d.op[0].call, 0);
	assert_int_equal(d.op[0].ret, 1);
	assert_int_equal(d.op[1].call, 2);
	assert_int_equal(d.op[1].ret, 5);
	assert_int_equal(d.op[2].thread, 2);
	assert_false(d.op[2].culprit);
	assert_int_equal(d.op[3].call, 6);
	assert_int_equal(d.op[3].ret, 7);
	assert_true(d.op[3].culprit);
}

/* Without a crash an operation may be pending at the end; its row stays open. */
static void pending(void **state)
{
	const char *text;

	(void)state;
	op(2, 5, PD_NEVER, 0, 7, 9, 0);
	op(1, 10, 20, 0, 7, 1, PD_NONE);
	op(1, 30, 40, 4, 7, 0, 5);
	text = drawn();
	assert_non_null(strstr(text, "  T2   [====  put(7, 9) interrupted\n"));
	assert_non_null(strstr(text, "> T1   ...[]  get(7) = 5\n"));
	assert_null(strstr(text, "a crash"));
}

/* Facts without operations, and with more than a diagram has room for, are no trouble. */
static void facts_of_others(void **state)
{
	struct pd_fact_list facts = {.arena = &arena};
	struct pd_diagram d;

	(void)state;
	assert_false(pd_diagram_of_facts(&d, &(struct pd_facts){0, NULL}));
	for (uint32_t i = 0; i < 40; i++)
		pd_fact_put_nth(&facts, PD_FACT_HISTORY_CALL, i, i);
	assert_true(pd_diagram_of_facts(&d, &(struct pd_facts){facts.n, facts.v}));
	assert_int_equal(d.n, PD_DIAGRAM_OPS);
	assert_string_equal(d.op[3].text, "");
}

/* Of a long one the end is shown, and the culprit however long ago it was called. */
static void long_one(void **state)
{
	const char *text;

	(void)state;
	op(9, 1, 5000, 4, 7, 0, 12345);
	for (uint64_t i = 0; i < 40; i++)
		op(1, 10 + 10 * i, 15 + 10 * i, 0, 7, i, i ? i - 1 : PD_NONE);
	text = drawn();
	assert_non_null(strstr(text, "get(7) = 12345 by thread 9"));
	assert_non_null(strstr(text, "\n> T9   ["));
	assert_non_null(strstr(text, " earlier)\n"));
	assert_non_null(strstr(text, "  (and more)\n"));
}

/* Where there are many operations on other keys, those of the culprit's key. */
static void one_key_of_many(void **state)
{
	const char *text;

	(void)state;
	for (uint64_t i = 0; i < 40; i++)
		op(1, 10 + 10 * i, 15 + 10 * i, 0, 7 + i % 10, i, i < 10 ? PD_NONE : i - 10);
	assert_true(pd_op_history_crash(&history, 1000));
	op(1, 1010, 1020, 4, 9, 0, 12345);
	text = drawn();
	assert_non_null(strstr(text, "Operations on key 9 up to there"));
	assert_null(strstr(text, "put(8"));
}

/* A recovery that fails: what came before its crash, and where it is. */
static void failed(void **state)
{
	struct pd_diagram d;

	(void)state;
	op(1, 10, 20, 0, 7, 1, PD_NONE);
	op(1, 30, PD_NEVER, 0, 8, 2, 0);
	assert_true(pd_op_history_crash(&history, 60));
	op(0, 70, 80, 4, 8, 0, PD_NONE);
	op(0, 90, PD_NEVER, 4, 7, 0, 0);
	pd_picture_failed(&history, &pd_spec_map, &d);
	assert_string_equal(text_of(&d), "Operations before the crash, and the one that failed, "
					 "one column per event, ! is a crash:\n"
					 "  T1   [].!.  put(7, 1) = none\n"
					 "  T1   ..[!.  put(8, 2) interrupted\n"
					 "> T0   ...![  get(7) interrupted\n"
					 "Recovery had done 1 more\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(visible_not_durable, begin, end),
		cmocka_unit_test_setup_teardown(other_keys_are_counted, begin, end),
		cmocka_unit_test_setup_teardown(as_values, begin, end),
		cmocka_unit_test_setup_teardown(pending, begin, end),
		cmocka_unit_test_setup_teardown(facts_of_others, begin, end),
		cmocka_unit_test_setup_teardown(long_one, begin, end),
		cmocka_unit_test_setup_teardown(one_key_of_many, begin, end),
		cmocka_unit_test_setup_teardown(failed, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
