/*
 * verdict_test.c - what a torn store is, which are one finding, and what a crash has shown already:
 * engine/torn/verdict.c, with a front end that is made up.
 */
#include "unit.h"
#include "engine/torn/verdict.h"
#include "event/abi.h"

enum { MOST = 8 };

struct bench {
	struct unit_host host;
	struct pd_arena arena;
	struct pd_torn_race race[MOST];
	struct pd_board_site store[MOST], load[MOST];
	struct pd_torn_suspect v[MOST];
	struct pd_findings crashes;
	struct pd_torn_verdicts t;
};

static void bench_init(struct bench *b)
{
	memset(b, 0, sizeof(*b));
	b->host.left = -1;
	pd_arena_init(&b->arena, unit_host(&b->host));
	pd_findings_init(&b->crashes, &b->arena);
	b->t = (struct pd_torn_verdicts){.v = b->v, .crashes = &b->crashes, .arena = &b->arena};
}

static struct pd_finding_site at(enum pd_role role, const struct pd_board_site *s)
{
	return (struct pd_finding_site){
		.role = role, .at = {s->at.function, s->at.file, s->at.line, s->at.column}};
}

/* A plain word, whole in this build, stored at `line` and read at line 100 + `line`. */
static struct pd_torn_suspect *suspect(struct bench *b, uint32_t line, const char *field)
{
	uint32_t i = b->t.n++;

	b->store[i] = (struct pd_board_site){.at = {.file = "p.c",
						    .function = "put",
						    .line = line,
						    .size = 8,
						    .flags = PD_SITE_WHOLE}};
	b->load[i] = (struct pd_board_site){
		.at = {.file = "p.c", .function = "get", .line = 100 + line, .size = 8}};
	b->race[i] = (struct pd_torn_race){.size = 8, .crash = 1, .depth = 1};
	b->v[i] = (struct pd_torn_suspect){.race = &b->race[i],
					   .store = &b->store[i],
					   .load = &b->load[i],
					   .store_field = field};
	return &b->v[i];
}

/* Places as they are then. */
static void judge(struct bench *b)
{
	for (uint32_t i = 0; i < b->t.n; i++) {
		b->v[i].at_store = at(PD_ROLE_STORE, b->v[i].store);
		b->v[i].at_load = at(PD_ROLE_LOAD, b->v[i].load);
	}
	pd_torn_judge(&b->t);
}

#define BENCH()                                                                                    \
	struct bench b;                                                                            \
	struct pd_finding f;                                                                       \
	(void)state;                                                                               \
	(void)f;                                                                                   \
	bench_init(&b)

static enum pd_kind kind_with(uint32_t store_flags, uint32_t size, uint32_t load_flags)
{
	struct bench b;
	struct pd_torn_suspect *s;

	bench_init(&b);
	s = suspect(&b, 1, NULL);
	b.store[0].at.flags = store_flags;
	b.store[0].at.size = size;
	b.race[0].size = (uint8_t)PD_MIN(size, 8);
	b.load[0].at.flags = load_flags;
	judge(&b);
	pd_arena_finish(&b.arena);
	return s->kind;
}

/* Decisions 13 and 17. */
static void the_kind_is_what_the_build_makes_of_it(void **state)
{
	(void)state;
	assert_int_equal(kind_with(PD_SITE_WHOLE, 8, 0), PD_KIND_TORN_STORE);
	assert_int_equal(kind_with(PD_SITE_WIDENED, 8, 0), PD_KIND_TORN_STORE);
	assert_int_equal(kind_with(PD_SITE_SPLIT, 8, 0), PD_KIND_TORN_SPLIT);
	assert_int_equal(kind_with(PD_SITE_WHOLE | PD_SITE_SET, 8, 0), PD_KIND_TORN_SPLIT);
	assert_int_equal(kind_with(0, 8, 0), PD_KIND_TORN_SPLIT); /* no instruction was found */
	assert_int_equal(kind_with(0, 1, 0), PD_KIND_TORN_STORE);
	assert_int_equal(kind_with(PD_SITE_WHOLE, 16, 0), PD_KIND_TORN_BLOCK);
	assert_int_equal(kind_with(PD_SITE_BLOCK, 8, 0), PD_KIND_TORN_BLOCK);
	assert_int_equal(kind_with(PD_SITE_VOLATILE, 8, 0), PD_KIND_TORN_VOLATILE);
	assert_int_equal(kind_with(PD_SITE_WHOLE, 8, PD_SITE_EQUAL), PD_KIND_TORN_COMPARED);
}

static void a_word_across_two_is_split(void **state)
{
	BENCH();
	suspect(&b, 1, NULL);
	b.race[0].size = 4; /* the rest is in the next word */
	judge(&b);
	assert_int_equal(b.v[0].kind, PD_KIND_TORN_SPLIT);
	assert_non_null(pd_torn_finding(&b.t, &f));
	assert_int_equal(pd_fact_word(&f.facts, PD_FACT_STORE_IS), PD_WORD_STORE_CROSSING);
	pd_arena_finish(&b.arena);
}

/* What is compared in one place and used in another is not harmless. */
static void one_harmful_load_is_enough(void **state)
{
	BENCH();
	suspect(&b, 1, "x.y");
	suspect(&b, 1, "x.y");
	b.load[0].at.flags = PD_SITE_EQUAL;
	b.load[1].at.line = 102;
	judge(&b);
	assert_non_null(pd_torn_finding(&b.t, &f));
	assert_int_equal(f.kind, PD_KIND_TORN_STORE);
	assert_int_equal(f.count, 2);
	assert_null(pd_torn_finding(&b.t, &f));
	pd_arena_finish(&b.arena);
}

static void what_is_read_again_is_not_only_compared(void **state)
{
	BENCH();
	suspect(&b, 1, NULL);
	b.load[0].at.flags = PD_SITE_EQUAL;
	b.load[0].reused = 1;
	judge(&b);
	assert_int_equal(b.v[0].kind, PD_KIND_TORN_STORE);
	pd_arena_finish(&b.arena);
}

static void a_field_is_one_finding(void **state)
{
	BENCH();
	suspect(&b, 1, "x.y");
	suspect(&b, 2, "x.y");
	suspect(&b, 3, "x.z");
	judge(&b);
	assert_non_null(pd_torn_finding(&b.t, &f));
	assert_string_equal(f.field, "x.y");
	assert_int_equal(f.count, 2);
	assert_int_equal(f.nsites, 4);
	assert_int_equal(pd_fact_number(&f.facts, PD_FACT_STORES), 2);
	assert_non_null(pd_torn_finding(&b.t, &f));
	assert_string_equal(f.field, "x.z");
	assert_null(pd_torn_finding(&b.t, &f));
	pd_arena_finish(&b.arena);
}

/* A library's store of the same field is the library's. */
static void a_library_is_set_apart(void **state)
{
	BENCH();
	suspect(&b, 1, "x.y");
	suspect(&b, 2, "x.y")->library = "libx";
	judge(&b);
	assert_non_null(pd_torn_finding(&b.t, &f));
	assert_int_equal(f.count, 1);
	assert_non_null(pd_torn_finding(&b.t, &f));
	assert_string_equal(f.library, "libx");
	pd_arena_finish(&b.arena);
}

static void what_is_unnamed_is_one_finding_a_store(void **state)
{
	BENCH();
	suspect(&b, 1, NULL);
	suspect(&b, 2, NULL);
	judge(&b);
	assert_non_null(pd_torn_finding(&b.t, &f));
	assert_non_null(pd_torn_finding(&b.t, &f));
	assert_null(pd_torn_finding(&b.t, &f));
	pd_arena_finish(&b.arena);
}

/* A block is of many fields: the one that is read counts. */
static void of_a_block_the_field_that_is_read_counts(void **state)
{
	BENCH();
	suspect(&b, 1, "x")->load_field = "x.y";
	b.store[0].at.flags = PD_SITE_BLOCK;
	suspect(&b, 2, "x.y")->load_field = "x";
	judge(&b);
	assert_string_equal(b.v[0].field, "x.y");
	assert_string_equal(b.v[1].field, "x.y");
	pd_arena_finish(&b.arena);
}

static void what_cannot_do_harm_is_for_who_asks(void **state)
{
	BENCH();
	suspect(&b, 1, NULL);
	suspect(&b, 2, NULL);
	b.race[0].guarded = 1;
	b.race[1].unchanged = 1;
	judge(&b);
	assert_null(pd_torn_finding(&b.t, &f));
	b.t.at = 0;
	b.t.benign = true;
	assert_non_null(pd_torn_finding(&b.t, &f));
	assert_int_equal(f.kind, PD_KIND_TORN_BENIGN);
	assert_non_null(pd_torn_finding(&b.t, &f));
	assert_int_equal(f.kind, PD_KIND_TORN_UNCHANGED);
	pd_arena_finish(&b.arena);
}

static void add_crash(struct bench *b, enum pd_cause cause, uint32_t line)
{
	struct pd_finding_site site = {.role = PD_ROLE_STORE, .at = {"put", "p.c", line, 0}};
	struct pd_finding f = {
		.kind = PD_KIND_CRASH_ABORT, .cause = cause, .sites = &site, .nsites = 1};

	assert_non_null(pd_findings_add(&b->crashes, &f));
}

/* A store whose loss a crash has shown is reported there; all of a finding, or none. */
static void what_a_crash_has_shown_is_not_reported_again(void **state)
{
	BENCH();
	suspect(&b, 1, "x.y");
	add_crash(&b, PD_CAUSE_ORDER, 1);
	judge(&b);
	assert_null(pd_torn_finding(&b.t, &f));
	assert_int_equal(b.t.folded, 1);
	b.t.at = b.t.folded = 0;
	b.v[0].reported = false;
	suspect(&b, 2, "x.y"); /* another store of it, which no crash has shown */
	judge(&b);
	assert_non_null(pd_torn_finding(&b.t, &f));
	assert_int_equal(f.count, 2);
	assert_int_equal(b.t.folded, 0);
	pd_arena_finish(&b.arena);
}

/* A flush that is missing in the function is this store's, too, if nobody ever flushes it. */
static void a_missing_flush_is_of_the_function(void **state)
{
	BENCH();
	suspect(&b, 1, "x.y");
	add_crash(&b, PD_CAUSE_MISSING_FLUSH, 5);
	judge(&b);
	assert_non_null(pd_torn_finding(&b.t, &f));
	b.t.at = 0;
	b.v[0].reported = false;
	b.store[0].left_open = 1;
	assert_null(pd_torn_finding(&b.t, &f));
	pd_arena_finish(&b.arena);
}

/* Seen in the execution as it was before one that takes a prefix of it. */
static void the_easiest_to_follow_comes_first(void **state)
{
	BENCH();
	suspect(&b, 1, "x.y");
	suspect(&b, 2, "x.y");
	b.race[0].prefix = 1;
	judge(&b);
	assert_ptr_equal(pd_torn_finding(&b.t, &f), &b.race[1]);
	assert_int_equal(pd_fact_word(&f.facts, PD_FACT_TORN_WHEN), PD_WORD_TORN_BEFORE_CRASH);
	pd_arena_finish(&b.arena);
}

/* The store at line 50, in the transaction that begins at 40, is not logged. */
static const struct pd_finding_site not_logged[] = {
	{.role = PD_ROLE_STORE, .at = {"put", "p.c", 50, 0}}};

static struct pd_torn_suspect *in_transaction(struct bench *b, uint32_t line, const char *field)
{
	struct pd_torn_suspect *s = suspect(b, line, field);

	s->at_begin = (struct pd_finding_site){.role = PD_ROLE_TX, .at = {"put", "p.c", 40, 0}};
	s->unlogged = not_logged;
	s->nunlogged = 1;
	return s;
}

/* Whatever a transaction stores is seen through what it has not logged. */
static void a_transaction_is_one_finding(void **state)
{
	BENCH();
	in_transaction(&b, 1, "x.y");
	in_transaction(&b, 2, "x.z");
	suspect(&b, 3, "x.y"); /* in no transaction */
	b.store[1].at.flags = PD_SITE_BLOCK;
	judge(&b);
	assert_non_null(pd_torn_finding(&b.t, &f));
	assert_int_equal(f.kind, PD_KIND_TORN_BLOCK); /* the worst of them */
	assert_int_equal(f.count, 2);
	assert_int_equal(pd_fact_count(&f.facts, PD_FACT_GROUP_UNLOGGED), 1);
	assert_int_equal(f.sites[pd_fact_number(&f.facts, PD_FACT_UNLOGGED_STORE)].at.line, 50);
	assert_int_equal(f.sites[pd_fact_number(&f.facts, PD_FACT_TRANSACTION)].at.line, 40);
	assert_non_null(pd_torn_finding(&b.t, &f));
	assert_int_equal(f.count, 1);
	assert_null(pd_torn_finding(&b.t, &f));
	pd_arena_finish(&b.arena);
}

/* Which the crash finding names, that blames the same store. */
static void a_transaction_is_of_the_crash_that_blames_it(void **state)
{
	BENCH();
	in_transaction(&b, 1, "x.y");
	add_crash(&b, PD_CAUSE_UNLOGGED, 51);
	judge(&b);
	assert_non_null(pd_torn_finding(&b.t, &f));
	b.t.at = 0;
	b.v[0].reported = false;
	add_crash(&b, PD_CAUSE_UNLOGGED, 50);
	assert_null(pd_torn_finding(&b.t, &f));
	assert_int_equal(b.t.folded, 1);
	pd_arena_finish(&b.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_kind_is_what_the_build_makes_of_it),
		cmocka_unit_test(a_word_across_two_is_split),
		cmocka_unit_test(one_harmful_load_is_enough),
		cmocka_unit_test(what_is_read_again_is_not_only_compared),
		cmocka_unit_test(a_field_is_one_finding),
		cmocka_unit_test(a_library_is_set_apart),
		cmocka_unit_test(what_is_unnamed_is_one_finding_a_store),
		cmocka_unit_test(of_a_block_the_field_that_is_read_counts),
		cmocka_unit_test(what_cannot_do_harm_is_for_who_asks),
		cmocka_unit_test(what_a_crash_has_shown_is_not_reported_again),
		cmocka_unit_test(a_missing_flush_is_of_the_function),
		cmocka_unit_test(the_easiest_to_follow_comes_first),
		cmocka_unit_test(a_transaction_is_one_finding),
		cmocka_unit_test(a_transaction_is_of_the_crash_that_blames_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
