/* only_test.c - which kinds --only chooses, and what is said about it. */
#include "unit/unit.h"
#include "drive/only.h"
#include "host/host.h"
#include "report/words/words.h"

static const char *const check[PD_ONLY_ENGINES] = {"crash", "torn"};
static const char *const lint[PD_ONLY_ENGINES] = {"lint"};

static void all_by_default(void **state)
{
	struct pd_only o = {0};

	(void)state;
	for (uint32_t k = 0; k < PD_KIND_N; k++)
		assert_true(pd_only_wants(&o, k));
	assert_true(pd_only_wants_engine(&o, "torn"));
	assert_string_equal(pd_words_only(NULL, o.asked, true), "for correctness only (--no-perf)");
	assert_null(pd_words_only(NULL, o.asked, false));
}

static void by_name(void **state)
{
	static const char *const names[] = {"torn/block-store", "block-store", "*/block*",
					    "block-*"};

	(void)state;
	for (size_t i = 0; i < PD_LEN(names); i++) {
		struct pd_only o = {0};

		assert_true(pd_only_take(&o, check, names[i]));
		for (uint32_t k = 0; k < PD_KIND_N; k++)
			assert_int_equal(pd_only_wants(&o, k), k == PD_KIND_TORN_BLOCK);
		assert_true(pd_only_wants_engine(&o, "torn"));
		assert_false(pd_only_wants_engine(&o, "crash"));
	}
}

static void by_engine(void **state)
{
	struct pd_only o = {0};

	(void)state;
	assert_true(pd_only_take(&o, check, "torn"));
	assert_true(pd_only_wants(&o, PD_KIND_TORN_STORE) &&
		    pd_only_wants(&o, PD_KIND_TORN_BENIGN));
	assert_false(pd_only_wants_engine(&o, "crash"));
	assert_true(pd_only_take(&o, check, "recovery-hang"));
	assert_true(pd_only_wants(&o, PD_KIND_TORN_STORE) && pd_only_wants(&o, PD_KIND_CRASH_HANG));
	assert_false(pd_only_wants(&o, PD_KIND_CRASH_ABORT));
}

static void not_of_another_verb(void **state)
{
	struct pd_only o = {0};

	(void)state;
	assert_false(pd_only_take(&o, check, "missing-flush"));
	assert_false(pd_only_take(&o, lint, "torn"));
	assert_false(pd_only_take(&o, lint, ""));
	assert_string_equal(o.asked, "");
	assert_true(pd_only_take(&o, lint, "*"));
	assert_false(pd_only_wants(&o, PD_KIND_TORN_STORE));
}

static void said(void **state)
{
	struct pd_only o = {0};
	struct pd_arena a;

	(void)state;
	pd_arena_init(&a, pd_host_memory());
	pd_only_take(&o, lint, "missing-*");
	pd_only_take(&o, lint, "transient");
	assert_string_equal(pd_words_only(&a, o.asked, false),
			    "for --only missing-*, --only transient");
	assert_string_equal(
		pd_words_only(&a, o.asked, true),
		"for --only missing-*, --only transient, for correctness only (--no-perf)");
	for (int i = 0; i < 50; i++) /* more than there is room for */
		assert_true(pd_only_take(&o, lint, "transient"));
	pd_arena_finish(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_by_default), cmocka_unit_test(by_name),
		cmocka_unit_test(by_engine),	  cmocka_unit_test(not_of_another_verb),
		cmocka_unit_test(said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
