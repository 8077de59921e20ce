/* function_test.c - functions by name, as text. */
#include "event/function.h"
#include "unit/unit.h"

static void parses(void **state)
{
	struct pd_function f;

	(void)state;
	assert_true(pd_function_parse("acquire spin_lock 1 always", &f));
	assert_int_equal(f.event, PD_EV_ACQUIRE);
	assert_int_equal(f.mode, PD_LOCK_EXCLUSIVE);
	assert_int_equal(f.argument, 0);
	assert_int_equal(f.result, PD_FUNCTION_ALWAYS);
	assert_true(pd_function_parse("shared  _rd 6 nonzero", &f));
	assert_int_equal(f.mode, PD_LOCK_SHARED);
	assert_int_equal(f.argument, 5);
	assert_int_equal(f.result, PD_FUNCTION_NONZERO);
	assert_true(pd_function_parse("release u 2 zero", &f));
	assert_int_equal(f.event, PD_EV_RELEASE);
	assert_true(pd_function_parse("signal s 1 always", &f) && f.event == PD_EV_SIGNAL);
	assert_true(pd_function_parse("wait s 1 always", &f) && f.event == PD_EV_WAIT);
}

static void refuses(void **state)
{
	static const char *const bad[] = {
		"", "acquire", "acquire f", "acquire f 1", "acquire f 0 always", "acquire f 7 always",
		"acquire f 12 always", "acquire f 1 maybe", "acquire f 1 always more", "take f 1 always",
		"acquir f 1 always", "acquire ___ 1 always", "acquires f 1 always",
	};
	char text[PD_FUNCTION_NAME + 40] = "acquire ";
	struct pd_function f;

	(void)state;
	for (size_t i = 0; i < PD_LEN(bad); i++)
		assert_false(pd_function_parse(bad[i], &f));
	memset(text + 8, 'x', PD_FUNCTION_NAME);
	strcpy(text + 8 + PD_FUNCTION_NAME, " 1 always");
	assert_false(pd_function_parse(text, &f));
}

static void knows_symbols(void **state)
{
	struct pd_function f;

	(void)state;
	assert_true(pd_function_parse("acquire __lock 1 always", &f));
	assert_true(pd_function_is(&f, "lock"));
	assert_true(pd_function_is(&f, "___lock"));
	assert_true(pd_function_is(&f, "lock@@GLIBC_2.34"));
	assert_false(pd_function_is(&f, "lock2"));
	assert_false(pd_function_is(&f, "loc"));
	assert_false(pd_function_is(&f, ""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses),
		cmocka_unit_test(refuses),
		cmocka_unit_test(knows_symbols),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
