/*
 * survey_test.c - who has to make a store durable, and what became of it: engine/crash/survey.c,
 * and what sort.c and merge.c make of that.
 */
#include "failures.h"
#include "engine/crash/survey.h"

/* init() is called by make() or other(), and those by main(). */
static const struct pd_frame by_make[] = {{"make", "p.c", 20, 0}, {"main", "p.c", 90, 0}};
static const struct pd_frame by_other[] = {{"other", "p.c", 30, 0}, {"main", "p.c", 91, 0}};
static const struct pd_frame later_in_make[] = {
	{"persist", "p.c", 5, 0}, {"make", "p.c", 22, 0}, {"main", "p.c", 90, 0}};
static const struct pd_frame in_update[] = {
	{"persist", "p.c", 5, 0}, {"update", "p.c", 40, 0}, {"main", "p.c", 92, 0}};
static const struct pd_frame main_only[] = {{"main", "p.c", 92, 0}};

enum { STORE_MAKE = 1, STORE_OTHER, FLUSH_MAKE, STORE_UPDATE, FLUSH_UPDATE, PLACES = FLUSH_UPDATE };

static const struct pd_finding_site places[] = {
	{.at = {"init", "p.c", 10, 0}, .nstack = 2, .stack = by_make},
	{.at = {"init", "p.c", 10, 0}, .nstack = 2, .stack = by_other},
	{.at = {"flush", "p.c", 1, 0}, .nstack = 3, .stack = later_in_make},
	{.at = {"update", "p.c", 39, 0}, .nstack = 1, .stack = main_only},
	{.at = {"flush", "p.c", 1, 0}, .nstack = 3, .stack = in_update},
};

/* Of which only places are known. */
#define WAY(store, flush, last, timely) {store, flush, last, timely, 0, 0, 0}

static const struct pd_survey_calls by_place = {.places = places};

static void functions_in_common_are_counted_from_the_outermost(void **state)
{
	struct pd_finding_site none = {0};

	(void)state;
	assert_int_equal(pd_survey_common(&places[0], &places[0]), 3);
	assert_int_equal(pd_survey_common(&places[0], &places[1]), 1); /* main, at another line */
	assert_int_equal(pd_survey_common(&places[0], &places[2]), 2); /* main and make */
	assert_int_equal(pd_survey_common(&places[0], &none), 0);
}

static void who_flushes_in_time_has_to(void **state)
{
	struct pd_survey_way w = WAY(STORE_MAKE, FLUSH_MAKE, STORE_MAKE, true);
	uint32_t level = 9;

	(void)state;
	assert_true(pd_survey_level(&by_place, &w, &level));
	assert_int_equal(level, 1);
	assert_string_equal(pd_survey_frame(&places[0], level)->function, "make");
	assert_string_equal(pd_survey_frame(&places[0], 9)->function, "main");
	w.timely = false; /* a fence came before: that is late, or for something else */
	assert_false(pd_survey_level(&by_place, &w, &level));
	/* update() flushes for its own store. */
	w = (struct pd_survey_way)WAY(STORE_MAKE, FLUSH_UPDATE, STORE_UPDATE, true);
	assert_false(pd_survey_level(&by_place, &w, &level));
	w = (struct pd_survey_way)WAY(STORE_UPDATE, FLUSH_UPDATE, STORE_UPDATE, true);
	assert_true(pd_survey_level(&by_place, &w, &level));
	assert_int_equal(level, 0);
	w.timely = false; /* late, but the function itself does it */
	assert_true(pd_survey_level(&by_place, &w, &level));
	w.last = 0; /* a store that nobody has reported: it says nothing */
	assert_true(pd_survey_level(&by_place, &w, &level));
}

/* make() stores and flushes; between two calls of it, main() or nobody does something. */
static void another_call_is_another_call(void **state)
{
	struct pd_finding_site v[] = {places[0], places[2], {.at = {"main", "p.c", 93, 0}}};
	enum { STORE = 1, FLUSH, MAIN };
	static const struct pd_survey_visit same[] = {{STORE, 0, 0}, {STORE, 0, 0}, {FLUSH, 2, 0}},
					    other[] = {{STORE, 0, 0},
						       {MAIN, 1, 0},
						       {STORE, 2, 0},
						       {FLUSH, 3, 0}};
	struct pd_survey_way w = {STORE, FLUSH, STORE, true, 2, 3, 2};
	struct pd_survey_calls c;
	struct pd_survey s = {.nplace = 3, .nvisit = 3, .visit = same};
	uint32_t level = 9;
	struct world world;

	(void)state;
	world_init(&world);
	assert_true(pd_survey_calls_init(&c, &s, v, &world.arena));
	assert_true(pd_survey_level(&c, &w, &level));
	assert_int_equal(level, 1);
	/* Of another thread: not even main is the same. */
	w.store_visit = w.last_visit = 1;
	assert_false(pd_survey_level(&c, &w, &level));
	s = (struct pd_survey){.nplace = 3, .nvisit = 4, .visit = other};
	assert_true(pd_survey_calls_init(&c, &s, v, &world.arena));
	w = (struct pd_survey_way){STORE, FLUSH, STORE, true, 1, 4, 1};
	assert_true(pd_survey_level(&c, &w, &level));
	assert_int_equal(level, 2); /* main */
	w.last_visit = 3;	    /* the second call flushes for itself */
	assert_false(pd_survey_level(&c, &w, &level));
	w.flush_visit = 0; /* not known: it may be the same call */
	assert_true(pd_survey_level(&c, &w, &level));
	assert_int_equal(level, 1);
	world_finish(&world);
}

/* Stores: by make, flushed there; by other, open; by other, and update flushes for itself; update's
 * own; one of which nothing is known. */
static const uint32_t placed[] = {STORE_MAKE, STORE_OTHER, STORE_OTHER, STORE_UPDATE, 0};
static const struct pd_survey_place sites[] = {
	{.site = 1}, {.site = 1}, {.site = 2}, {.site = 3}, {.site = 4}};
static const struct pd_survey_way ways[] = {
	WAY(STORE_MAKE, FLUSH_MAKE, STORE_MAKE, true),
	WAY(STORE_OTHER, FLUSH_UPDATE, STORE_UPDATE, false),
	WAY(STORE_UPDATE, FLUSH_UPDATE, STORE_UPDATE, true),
};

static struct pd_surveyed judged(struct world *w, const uint32_t *fate, const uint8_t *level)
{
	struct pd_survey s = {5, placed, fate, PLACES, sites, 3, ways, 0, NULL, 0, NULL, 0, NULL};
	struct pd_surveyed to;

	struct pd_map forgotten = {0};

	assert_true(pd_survey_judge(&s, &by_place, level, 8, &forgotten, &to, &w->arena));
	return to;
}

static void a_store_has_an_owner_and_a_fate(void **state)
{
	static const uint32_t fate[] = {1, PD_SURVEY_OPEN, 2, 3, 0};
	static const uint8_t level[8] = {[1] = 1}, none[8];
	struct pd_surveyed s;
	struct world w;

	(void)state;
	world_init(&w);
	s = judged(&w, fate, level);
	assert_true(s.owner[0] && s.owner[1] && s.owner[0] != s.owner[1]);
	assert_true(s.owner[1] == s.owner[2]);
	assert_true(!s.owner[3] && !s.owner[4]);
	assert_int_equal(s.at_end[0], PD_AT_END_FLUSHED);
	assert_int_equal(s.at_end[1], PD_AT_END_OPEN);
	/* Flushed by chance: other() has forgotten that one, too. */
	assert_int_equal(s.at_end[2], PD_AT_END_OPEN);
	assert_int_equal(s.at_end[3], PD_AT_END_FLUSHED);
	assert_int_equal(s.at_end[4], PD_AT_END_DURABLE);
	/* Of a site as a whole only what all its stores have in common. */
	assert_true(!s.site_owner[1] && s.site_at_end[1] == PD_AT_END_UNKNOWN);
	assert_int_equal(s.site_at_end[3], PD_AT_END_FLUSHED);
	s = judged(&w, fate, none);
	assert_true(!s.owner[0] && !s.owner[1]);
	world_finish(&w);
}

static void chance_alone_is_durable(void **state)
{
	static const uint32_t fate[] = {PD_SURVEY_OPEN, 1, 2, 3, 0};
	static const uint8_t level[8] = {[1] = 1};
	struct pd_surveyed s;
	struct world w;

	(void)state;
	world_init(&w);
	s = judged(&w, fate, level);
	assert_int_equal(s.at_end[0], PD_AT_END_OPEN); /* make's: another owner */
	assert_int_equal(s.at_end[2], PD_AT_END_CHANCE);
	world_finish(&w);
}

/* A flush of everything, long after, from main: it is for nobody. */
static void late_and_from_afar_is_chance(void **state)
{
	static const struct pd_survey_place here[] = {{.site = 1}, {.site = 1}, {.site = 4}};
	static const struct pd_survey_way late[] = {WAY(STORE_MAKE, 3, STORE_MAKE, false)};
	static const uint32_t at[] = {STORE_MAKE, STORE_MAKE}, fate[] = {1, 0};
	struct pd_finding_site v[] = {
		places[0],
		places[1],
		{.at = {"flush", "p.c", 1, 0}, .nstack = 1, .stack = main_only}};
	struct pd_survey_calls calls = {.places = v};
	struct pd_survey s = {2, at, fate, 3, here, 1, late, 0, NULL, 0, NULL, 0, NULL};
	struct pd_surveyed to;
	struct world w;
	uint32_t n;

	(void)state;
	world_init(&w);
	assert_false(pd_survey_level(&calls, late, &n));
	for (uint8_t level = 0; level < 3; level++) {
		uint8_t levels[8] = {[1] = level};

		struct pd_map forgotten = {0};

		assert_true(pd_survey_judge(&s, &calls, levels, 8, &forgotten, &to, &w.arena));
		assert_int_equal(to.at_end[0], level < 2 ? PD_AT_END_CHANCE : PD_AT_END_FLUSHED);
		assert_int_equal(to.at_end[1], PD_AT_END_DURABLE);
	}
	world_finish(&w);
}

/* ---- what becomes of failures --------------------------------------------------------------- */

/* How many of two failures are left, that have lost the same site at the same read. */
static uint32_t left(const struct pd_surveyed *s, uint32_t exec)
{
	struct world w;
	struct pd_crash_run *a, *b;
	struct pd_failures fs;
	uint32_t n;

	world_init(&w);
	a = run_new(&w, PD_OUTCOME_ABORT, 7, 1);
	b = run_new(&w, PD_OUTCOME_ABORT, 7, 9);
	b->node = &w.node[1];
	lose(&w, a, 1, 3, 1)->next.exec = exec;
	lose(&w, b, 1, 3, 2);
	fs = pd_failures_collect((const struct pd_crash_run *[]){a, b}, 2,
				 (struct pd_collecting){0}, &w.arena);
	for (uint32_t i = 0; i < fs.n; i++)
		fs.v[i].surveyed = s;
	pd_failures_sort(&fs);
	n = left_of(&fs);
	world_finish(&w);
	return n;
}

static void another_owner_or_fate_is_another_failure(void **state)
{
	uint64_t owner[2] = {5, 5}, by_site[4] = {0, 0, 0, 5};
	uint8_t at_end[2] = {PD_AT_END_OPEN, PD_AT_END_OPEN};
	uint8_t end_by_site[4] = {0, 0, 0, PD_AT_END_OPEN};
	struct pd_surveyed s = {.n = 2,
				.owner = owner,
				.at_end = at_end,
				.nsite = 4,
				.site_owner = by_site,
				.site_at_end = end_by_site};

	(void)state;
	assert_int_equal(left(NULL, 0), 1);
	assert_int_equal(left(&s, 0), 1);
	/* A store of a recovery that is the same program */
	assert_int_equal(left(&s, 1), 1);
	end_by_site[3] = PD_AT_END_FLUSHED;
	assert_int_equal(left(&s, 1), 2);
	s.nsite = 0; /* another program: nothing is known of it */
	assert_int_equal(left(&s, 1), 2);
	owner[1] = 6;
	assert_int_equal(left(&s, 0), 2);
	owner[1] = 5;
	at_end[1] = PD_AT_END_FLUSHED;
	assert_int_equal(left(&s, 0), 2);
}

/* Flushed, and passed by what its thread stored then; or not flushed. */
static void a_missing_fence_is_another_failure(void **state)
{
	struct world w;
	struct pd_crash_run *a, *b;
	struct pd_crash_choice *c;

	(void)state;
	world_init(&w);
	a = run_new(&w, PD_OUTCOME_ABORT, 7, 1);
	b = run_new(&w, PD_OUTCOME_ABORT, 7, 9);
	b->node = &w.node[1];
	lose(&w, a, 1, 3, 1);
	see(&w, a, 2, 4, 6);
	c = lose(&w, b, 1, 3, 2);
	see(&w, b, 2, 4, 6);
	for (uint32_t flush = 0; flush < 8; flush++) {
		struct pd_failures fs;

		c->next.flush = flush;
		fs = sorted(&w, (const struct pd_crash_run *[]){a, b}, 2);
		assert_int_equal(left_of(&fs), flush && flush < 6 ? 2 : 1);
	}
	world_finish(&w);
}

static void the_level_says_whose_store_it_is(void **state)
{
	uint8_t level[SITES] = {[3] = 3}, more[SITES] = {0};
	struct pd_blamed l = {.lost.site = 3, .at_store = places[0]};
	struct world w;

	(void)state;
	world_init(&w);
	w.site[0][3].at.function = w.site[0][4].at.function;
	w.site[0][4].stores = 1; /* not the only store of its function */
	assert_int_equal(pd_store_level(&w.x, 3, 0), 0);
	w.x.level = level;
	assert_int_equal(pd_store_level(&w.x, 3, 0), 2);
	assert_string_equal(pd_store_frame(&w.x, &l)->function, "main");
	assert_int_equal(pd_store_level(&w.x, 3, 1), 1);
	level[3] = 1;
	assert_string_equal(pd_store_frame(&w.x, &l)->function, "init");
	/* It is the only store of its function, which flushes it: then the caller is only shown. */
	w.site[0][4].stores = 0;
	assert_string_equal(pd_store_frame(&w.x, &l)->function, "init");
	assert_string_equal(pd_store_shown(&w.x, &l)->function, "make");
	level[3] = 0;
	assert_string_equal(pd_store_frame(&w.x, &l)->function, "make");
	/* It calls others that store: it does not store for its callers. */
	more[3] = 1;
	w.x.does_more = more;
	assert_string_equal(pd_store_frame(&w.x, &l)->function, "init");
	assert_string_equal(pd_store_shown(&w.x, &l)->function, "init");
	world_finish(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_in_common_are_counted_from_the_outermost),
		cmocka_unit_test(who_flushes_in_time_has_to),
		cmocka_unit_test(another_call_is_another_call),
		cmocka_unit_test(a_store_has_an_owner_and_a_fate),
		cmocka_unit_test(chance_alone_is_durable),
		cmocka_unit_test(late_and_from_afar_is_chance),
		cmocka_unit_test(another_owner_or_fate_is_another_failure),
		cmocka_unit_test(a_missing_fence_is_another_failure),
		cmocka_unit_test(the_level_says_whose_store_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
