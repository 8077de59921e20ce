/* sentences_test.c - findings in words (report/words): facts in, sentences out. */
#include "unit/unit.h"
#include "report/words/words.h"

static struct unit_host host = {.left = -1};

static const struct pd_frame stack[] = {{"get", "src/kv.c", 30, 0}, {"main", "src/app.c", 9, 0}};
static const struct pd_finding_site sites[] = {
	{.role = PD_ROLE_FLUSH,
	 .at = {"persist", "src/pm.c", 12, 0},
	 .stack = stack,
	 .nstack = 2,
	 .about = 1},
	{.role = PD_ROLE_CALLER, .at = {"get", "src/kv.c", 30, 0}},
	{.role = PD_ROLE_STORE, .at = {"put", "src/kv.c", 20, 0}},
	{.role = PD_ROLE_LOAD, .at = {"get", "src/kv.c", 31, 0}},
};

static struct pd_finding words(struct pd_arena *a, enum pd_kind kind, const struct pd_fact *facts,
			       uint32_t n, uint32_t first, uint32_t nsites)
{
	struct pd_finding f = {
		.kind = kind, .facts = {n, facts}, .sites = sites + first, .nsites = nsites};

	pd_words_make(a, &f);
	return f;
}

static void lint(void **state)
{
	static const struct pd_fact extra[] = {
		{.key = PD_FACT_CLEAN, .number = 2},
		{.key = PD_FACT_NEVER, .number = 1},
		{.key = PD_FACT_NEEDLESS, .number = 3},
		{.key = PD_FACT_TIMES, .number = 4},
		{.key = PD_FACT_COST_NS, .number = 20000},
		{.key = PD_FACT_COST_PERCENT, .number = 40},
		{.key = PD_FACT_FIX, .number = PD_WORD_FIX_WHEN_NEEDED},
	};
	static const struct pd_fact missing[] = {
		{.key = PD_FACT_ADDRESS, .number = 0x40, .text = "/mnt/x.pm"},
		{.key = PD_FACT_SIZE, .number = 1},
		{.key = PD_FACT_WHEN, .number = PD_WORD_AT_UNMAP},
		{.key = PD_FACT_FIX, .number = PD_WORD_FIX_FLUSH_AND_FENCE},
	};
	struct pd_finding f;
	struct pd_arena a;

	(void)state;
	pd_arena_init(&a, unit_host(&host));
	/* A function that only flushes is not what it is about; its caller is. */
	f = words(&a, PD_KIND_LINT_EXTRA_FLUSH, extra, PD_LEN(extra), 0, 2);
	assert_string_equal(f.message,
			    "3 of 4 flushes at kv.c:30 have nothing to write back: nothing has "
			    "changed since the line was made durable, or nothing was ever stored "
			    "to the line; costs about 20 us, 40% of what all flushes and fences "
			    "cost");
	assert_string_equal(f.fix, "flush only lines that have changed");
	f = words(&a, PD_KIND_LINT_MISSING_FLUSH, missing, PD_LEN(missing), 2, 1);
	assert_string_equal(f.message, "1 byte at x.pm+0x40, stored at kv.c:20, is never flushed "
				       "before the file is unmapped");
	assert_string_equal(f.fix, "flush the line after kv.c:20, and fence; if recovery does not "
				   "need it, mark it with pd_transient()");
	pd_arena_finish(&a);
}

static void lockset(void **state)
{
	static const struct pd_fact race[] = {
		{.key = PD_FACT_UNTIL, .number = PD_WORD_UNTIL_NEVER},
		{.key = PD_FACT_LOCKS, .number = PD_WORD_LOCKS_NONE},
		{.key = PD_FACT_FIX, .number = PD_WORD_FIX_PERSIST_AT_ONCE},
		{.key = PD_FACT_VERDICT, .number = PD_WORD_VERDICT_POTENTIAL},
		{.key = PD_FACT_VERDICT_WHY, .number = PD_WORD_WHY_NEVER_MET},
		{.key = PD_FACT_SCHEDULES, .number = 24},
	};
	struct pd_finding f;
	struct pd_arena a;

	(void)state;
	pd_arena_init(&a, unit_host(&host));
	f = words(&a, PD_KIND_LOCKSET_PERSISTENT, race, PD_LEN(race), 2, 2);
	assert_string_equal(
		f.message,
		"potential (in 24 schedules the load never fell between the store and "
		"its persist: the threads could not meet): another thread can read, at "
		"kv.c:31, what kv.c:20 stores and nothing makes it durable: no lock is held");
	assert_string_equal(f.fix,
			    "flush and fence right after the store, before others can see it");
	pd_arena_finish(&a);
}

/* Whatever facts there are or are not, and whatever sites they name. */
static void no_facts_do_no_harm(void **state)
{
	static const struct pd_fact wrong[] = {
		{.key = PD_FACT_NAFFECTED, .number = UINT64_MAX},
		{.key = PD_FACT_CALLER_SITE, .number = 1000},
		{.key = PD_FACT_CALLER_NEEDLESS, .number = 1},
		{.key = PD_FACT_CALLER_TIMES, .number = 1},
		{.key = PD_FACT_CALLER_DEPTH, .number = 1000},
		{.key = PD_FACT_LOST_STORE, .number = 1000},
		{.key = PD_FACT_LOST_LOAD, .number = 1000},
	};
	struct pd_arena a;

	(void)state;
	pd_arena_init(&a, unit_host(&host));
	for (int kind = 0; kind < PD_KIND_N; kind++)
		for (uint32_t n = 0; n <= PD_LEN(sites); n++) {
			words(&a, (enum pd_kind)kind, NULL, 0, 0, n);
			words(&a, (enum pd_kind)kind, wrong, PD_LEN(wrong), 0, n);
		}
	pd_arena_finish(&a);
}

/* Sentences are made once: one that is there stays. */
static void made_once(void **state)
{
	struct pd_finding f = {.kind = PD_KIND_LINT_OPEN_TX, .message = "said", .fix = "done"};
	struct pd_arena a;

	(void)state;
	pd_arena_init(&a, unit_host(&host));
	pd_words_make(&a, &f);
	assert_string_equal(f.message, "said");
	assert_string_equal(f.fix, "done");
	pd_arena_finish(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lint),
		cmocka_unit_test(lockset),
		cmocka_unit_test(no_facts_do_no_harm),
		cmocka_unit_test(made_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
