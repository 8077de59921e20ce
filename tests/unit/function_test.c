/* function_test.c - functions by name, as text. */
#include <stdio.h>
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
	assert_true(pd_function_parse("allocate a 2 zero", &f) && f.event == PD_EV_ALLOCATED);
	assert_true(pd_function_parse("free a 1 always", &f) && f.event == PD_EV_FREED);
}

static void refuses(void **state)
{
	static const char *const bad[] = {
		"",
		"acquire",
		"acquire f",
		"acquire f 1",
		"acquire f 0 always",
		"acquire f 7 always",
		"acquire f 12 always",
		"acquire f 1 maybe",
		"acquire f 1 always more",
		"take f 1 always",
		"acquir f 1 always",
		"acquire ___ 1 always",
		"acquires f 1 always",
		"allocate f 1 always",
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

static bool is(const char *name, const char *symbol)
{
	char text[200];
	struct pd_function f;

	snprintf(text, sizeof(text), "acquire %s 1 always", name);
	assert_true(pd_function_parse(text, &f));
	return pd_function_is(&f, symbol);
}

static void cxx(void **state)
{
	static const char *const symbols[] = {"_ZN1a4util9spin_lockEPji",
					      "_ZN1a4utilL9spin_lockEPji",
					      "a::util::spin_lock(unsigned int*, int)",
					      "_ZN1a4utilIiN1b1cEE9spin_lockEv",
					      "_ZN1a4utilILi12EE9spin_lockEv",
					      "void a::util<b<int>, 4>::spin_lock(void (*)(int))"};
	static const char *const names[] = {"spin_lock", "util::spin_lock", "a::util::spin_lock",
					    "_ZN1a4util9spin_lockEv"};

	(void)state;
	for (uint32_t i = 0; i < 6; i++)
		for (uint32_t k = 0; k < 4; k++)
			assert_true(is(names[k], symbols[i]));
	for (uint32_t i = 0; i < 6; i++) {
		assert_false(is("lock", symbols[i]));
		assert_false(is("til::spin_lock", symbols[i]));
		assert_false(is("util", symbols[i]));
		assert_false(is("b::util::spin_lock", symbols[i]));
	}
	assert_true(is("spin_lock", "_Z9spin_lockPj") && is("spin_lock", "_ZL9spin_lockPj"));
	assert_true(is("lock", "_ZNK1N4lockERb"));
	/* What is cut off, or not a name at all. */
	assert_false(is("lock", "_ZN1N99lock"));
	assert_false(is("lock", "_ZN1NIi"));
	assert_false(is("lock", "Z"));
	assert_false(is("lock", "("));
	assert_false(is("Zlock", "_Z"));
	assert_true(is("Zlock", "Zlock"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cxx),
		cmocka_unit_test(parses),
		cmocka_unit_test(refuses),
		cmocka_unit_test(knows_symbols),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
