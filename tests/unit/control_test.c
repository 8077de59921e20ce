/* control_test.c - the control line: what is in it, and what is none. */
#include "event/control.h"
#include "event/abi.h"
#include "unit/unit.h"

#define STRING_(x) #x
#define STRING(x)  STRING_(x)
#define VERSION	   STRING(PD_ABI)

static enum pd_control_fault fault_of(const char *text)
{
	struct pd_control c;

	return pd_control_parse(text, &c);
}

static void parts(void **state)
{
	struct pd_control c;

	(void)state;
	assert_int_equal(pd_control_parse(VERSION " check channel=3 pipe=4  seed=7", &c),
			 PD_CONTROL_FINE);
	assert_true(pd_control_is_mode(&c, "check"));
	assert_false(pd_control_is_mode(&c, "chec"));
	assert_false(pd_control_is_mode(&c, "checks"));
	assert_int_equal(pd_setting_number(c.settings, "channel", 0), 3);
	assert_int_equal(pd_setting_number(c.settings, "pipe", 0), 4);
	assert_int_equal(pd_setting_number(c.settings, "seed", 0), 7);
	assert_int_equal(pd_control_parse(VERSION " trace", &c), PD_CONTROL_FINE);
	assert_true(pd_control_is_mode(&c, "trace"));
	assert_string_equal(c.settings, "");
}

static void bad_lines(void **state)
{
	(void)state;
	assert_int_equal(fault_of(""), PD_CONTROL_BAD);
	assert_int_equal(fault_of(" "), PD_CONTROL_BAD);
	assert_int_equal(fault_of("x trace"), PD_CONTROL_BAD);
	assert_int_equal(fault_of("-1 trace"), PD_CONTROL_BAD);
	assert_int_equal(fault_of(VERSION), PD_CONTROL_BAD);
	assert_int_equal(fault_of(VERSION " "), PD_CONTROL_BAD);
	assert_int_equal(fault_of(VERSION " trace channel"), PD_CONTROL_BAD);
	assert_int_equal(fault_of(VERSION " trace =3"), PD_CONTROL_BAD);
	assert_int_equal(fault_of(VERSION " trace channel=3 x"), PD_CONTROL_BAD);
	assert_int_equal(fault_of("18446744073709551616 trace"), PD_CONTROL_BAD);
	assert_int_equal(fault_of("4000000 trace"), PD_CONTROL_VERSION);
	/* What another version says after its number is its own business */
	assert_int_equal(fault_of("4000000 ???"), PD_CONTROL_VERSION);
}

static void settings(void **state)
{
	const char *s = "seed=12 seeds=3 model=eadr empty= schedule=pct:3:2000 stdin=-1 seed=9 big="
			"18446744073709551615 over=18446744073709551616";
	size_t n = 99;

	(void)state;
	assert_int_equal(pd_setting_number(s, "seed", 5), 12);
	assert_int_equal(pd_setting_number(s, "seeds", 5), 3);
	assert_int_equal(pd_setting_number(s, "see", 5), 5);
	assert_int_equal(pd_setting_number(s, "model", 5), 5);
	assert_int_equal(pd_setting_number(s, "empty", 5), 5);
	assert_int_equal(pd_setting_number(s, "stdin", 5), 5);
	assert_true(pd_setting_number(s, "big", 5) == UINT64_MAX);
	assert_int_equal(pd_setting_number(s, "over", 5), 5);
	assert_true(pd_setting_is(s, "model", "eadr"));
	assert_false(pd_setting_is(s, "model", "eadr2"));
	assert_false(pd_setting_is(s, "model", "ead"));
	assert_true(pd_setting_is(s, "empty", ""));
	assert_non_null(pd_setting(s, "empty", &n));
	assert_int_equal(n, 0);
	assert_null(pd_setting(s, "", &n));
	assert_null(pd_setting("", "seed", &n));
	assert_null(pd_setting("seed", "seed", &n));
}

static void fields(void **state)
{
	const char *s = "schedule=pct:3:2000 short=pct: plain=7";

	(void)state;
	assert_int_equal(pd_setting_field(s, "schedule", 1, 9), 3);
	assert_int_equal(pd_setting_field(s, "schedule", 2, 9), 2000);
	assert_int_equal(pd_setting_field(s, "schedule", 0, 9), 9);
	assert_int_equal(pd_setting_field(s, "schedule", 3, 9), 9);
	assert_int_equal(pd_setting_field(s, "short", 1, 9), 9);
	assert_int_equal(pd_setting_field(s, "plain", 0, 9), 7);
	assert_int_equal(pd_setting_field(s, "plain", 1, 9), 9);
	assert_int_equal(pd_setting_field(s, "none", 0, 9), 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts),
		cmocka_unit_test(bad_lines),
		cmocka_unit_test(settings),
		cmocka_unit_test(fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
