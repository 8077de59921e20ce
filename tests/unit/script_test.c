/* script_test.c - scripts of packets (event/script.h). */
#include "unit/unit.h"
#include "event/script.h"

static struct pd_script s;

static bool parse(const char *text, uint32_t *line, const char **why)
{
	return pd_script_parse(&s, text, strlen(text), line, why);
}

static void test_packets(void **state)
{
	const char *why;
	uint32_t line;

	(void)state;
	assert_true(parse("# first\n\nport 80 # http\n"
			  "a: \"x\\r\\n\\\"\\\\\\x4a\" <2>\n\tb-1 : <\"ok\">\na: close",
			  &line, &why));
	assert_int_equal(s.port, 80);
	assert_int_equal(s.nconnections, 2);
	assert_int_equal(s.nsteps, 3);
	assert_int_equal(s.nbytes, 10);
	assert_int_equal(s.nsymbolic, 4);
	assert_memory_equal(s.byte, "x\r\n\"\\J\0\0ok", 10);
	assert_int_equal(s.symbolic[5], 0);
	assert_int_equal(s.symbolic[6], 1);
	assert_int_equal(s.symbolic[9], 4);
	assert_string_equal(s.name[1], "b-1");
	assert_true(s.step[2].closes);
}

static void test_places(void **state)
{
	const char *why;
	uint32_t line;

	(void)state;
	assert_true(parse("a: \"12\"\nb: \"xyz\"\na: <1>\n", &line, &why));
	assert_int_equal(pd_script_at(&s, 0, 1), 1);
	assert_int_equal(pd_script_at(&s, 0, 2), 5);
	assert_int_equal(pd_script_at(&s, 0, 3), -1);
	assert_int_equal(pd_script_at(&s, 1, 2), 4);
}

static void test_wrong(void **state)
{
	static const char *const texts[] = {
		"",	     "# nothing",    "\na: <16385>", "\na: <\"x>",	 "\na: <1",
		"\nport x",  "\nport 65536", "\n: \"x\"",    "\na: close close", "\na: \"\\x4\"",
		"\na: \"\"",
	};
	const char *why;
	uint32_t line;

	(void)state;
	for (size_t i = 0; i < PD_LEN(texts); i++) {
		assert_false(parse(texts[i], &line, &why));
		assert_non_null(why);
		if (i > 1)
			assert_int_equal(line, 2);
	}
	assert_false(parse("a: close\na: \"x\"\n", &line, &why));
	assert_int_equal(line, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_packets),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
