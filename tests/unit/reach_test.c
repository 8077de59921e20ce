/* reach_test.c - objects joined by names: which sites may change PM, and how far ways are from
 * them. */
#include "unit.h"
#include "engine/explore/reach.h"
#include "base/arena.h"

#define NONE   PD_REACH_NONE
#define CALLED PD_REACH_BY_NAME
#define ARG(k) (PD_REACH_ARGUMENT + (k))

/*
 * main: 0 branches to 1, which calls save, and 2, which calls plain; both go on at 3, and that
 * returns. Memory of class 0 is PM, of class 1 is not; main gives the one to save and the other to
 * plain.
 */
static const char main_names[] = "\0main\0save\0plain";
enum { MAIN = 1, SAVE = 6, PLAIN = 11 };
static const uint32_t main_words[] = {
	5,	5,	1,
	2,	1,	2,
	3, /* how many */
	0,	2,	3,
	4,	5, /* nodes */
	2,	1,	3,
	3,	NONE,	   /* edges: way 0 leads to 2, way 1 to 1 */
	MAIN,	0,	0, /* functions */
	1,	3,	CALLED | SAVE,
	2,	3,	CALLED | PLAIN,
	0,	NONE,	2, /* site 0: the branch */
	NONE,	1,	NONE,
	0,	SAVE,	ARG(0),
	0,	0,	PLAIN,
	ARG(0), 1,	0,
	MAIN,	ARG(1), 1,
	1,
};

/* save stores to what it is given, plain too; hidden is called by nobody, and unknown by a
 * pointer. */
static const char other_names[] = "\0save\0plain\0hidden\0*1";
enum { O_SAVE = 1, O_PLAIN = 6, O_HIDDEN = 12, O_POINTER = 19 };
static const uint32_t other_words[] = {
	5,	  4,	  4,	0,	   4,	      4,      4, /* how many */
	0,	  1,	  2,	3,	   4,			 /* nodes: one a function */
	NONE,	  NONE,	  NONE, NONE,	   O_SAVE,    0,      0,    O_PLAIN, 0,	     1, O_HIDDEN,
	0,	  2,	  0,	O_POINTER, 3,	      0,      0,    0,	     1,	     1, 0,
	2,	  2,	  0,	3,	   3,	      0,      NONE, 0,	     NONE,   0, NONE,
	0,	  NONE,	  0,	O_SAVE,	   ARG(0),    0,      1,    O_PLAIN, ARG(0), 1, 1,
	O_HIDDEN, ARG(0), 2,	1,	   O_POINTER, ARG(0), 3,    1,
};

static const struct pd_reach main_object = {main_words, main_names};
static const struct pd_reach other_object = {other_words, other_names};

/* Sites of main are from 1 on, those of the other object from 2 on: its save, plain, hidden,
 * pointer. */
static struct pd_reaches *both(struct pd_arena *a)
{
	struct pd_reaches *r = pd_reaches_create(a);

	if (!r)
		return NULL;
	pd_reaches_add(r, &main_object, 1, 1);
	pd_reaches_add(r, &other_object, 2, 4);
	return pd_reaches_join(r) ? r : NULL;
}

static void pm_comes_through_arguments(void **state)
{
	struct unit_host h = {.left = -1};
	struct pd_arena a;
	struct pd_reaches *r;

	(void)state;
	pd_arena_init(&a, unit_host(&h));
	r = both(&a);
	assert_non_null(r);
	assert_int_equal(pd_reaches_sites(r), 6);
	assert_int_equal(pd_reaches_ways(r, 1), 2);
	assert_true(pd_reaches_pm(r, 2));
	assert_false(pd_reaches_pm(r, 3));
	assert_true(pd_reaches_pm(r, 4)); /* somebody who is not seen may call it */
	assert_true(pd_reaches_pm(r, 5)); /* the same */
	assert_false(pd_reaches_pm(r, 1));
	assert_false(pd_reaches_pm(r, 77));
	pd_arena_finish(&a);
}

static void distances_grow(void **state)
{
	struct unit_host h = {.left = -1};
	uint8_t reached[6] = {0};
	struct pd_arena a;
	struct pd_reaches *r;

	(void)state;
	pd_arena_init(&a, unit_host(&h));
	r = both(&a);
	assert_non_null(r);
	pd_reaches_update(r, reached, 6);
	assert_int_equal(pd_reaches_distance(r, 1, 1, false), 2); /* the call, the name, save */
	assert_int_equal(pd_reaches_distance(r, 1, 0, false), NONE);
	assert_int_equal(pd_reaches_distance(r, 1, 7, false),
			 3); /* no such way: from the branch on */
	assert_int_equal(pd_reaches_distance(r, 2, 0, false), 0);
	reached[2] = 1;
	pd_reaches_update(r, reached, 6);
	assert_int_equal(pd_reaches_distance(r, 1, 1, false), NONE);
	assert_int_equal(pd_reaches_distance(r, 1, 1, true), 2);
	assert_int_equal(pd_reaches_distance(r, 4, 0, false), 0);
	pd_arena_finish(&a);
}

/* One function: a branch to a store that is straight behind it. */
static const char near_names[] = "\0main\0map";
static const uint32_t near_words[] = {
	4,    4, 1, 0, 2, 1,	1, 0, 2, 3, 4,	  2, 1, 2,
	NONE, 1, 0, 0, 0, NONE, 2, 1, 0, 0, NONE, 0, 6, PD_REACH_RESULT,
	0,    0,
};
static const struct pd_reach near_object = {near_words, near_names};

static void what_is_no_pm_is_no_target(void **state)
{
	struct unit_host h = {.left = -1};
	uint8_t reached[3] = {0};
	struct pd_arena a;
	struct pd_reaches *r;

	(void)state;
	pd_arena_init(&a, unit_host(&h));
	r = pd_reaches_create(&a);
	pd_reaches_add(r, &near_object, 1, 2);
	assert_true(pd_reaches_join(r));
	assert_true(pd_reaches_pm(r, 2)); /* what nobody knows has returned it */
	pd_reaches_update(r, reached, 3);
	assert_int_equal(pd_reaches_distance(r, 1, 1, false), 0);
	for (int i = 0; i < 7; i++)
		assert_false(pd_reaches_passed(r, 1, 1, reached, 3));
	assert_false(pd_reaches_passed(r, 1, 0, reached, 3)); /* it is not on this way */
	assert_true(pd_reaches_passed(r, 1, 1, reached, 3));
	pd_reaches_update(r, reached, 3);
	assert_int_equal(pd_reaches_distance(r, 1, 1, false), NONE);
	assert_int_equal(pd_reaches_distance(r, 1, 1, true), NONE);
	pd_arena_finish(&a);
}

static void an_object_without_a_table(void **state)
{
	struct unit_host h = {.left = -1};
	struct pd_arena a;
	struct pd_reaches *r;

	(void)state;
	pd_arena_init(&a, unit_host(&h));
	r = pd_reaches_create(&a);
	pd_reaches_add(r, NULL, 1, 5);
	pd_reaches_add(r, &near_object, 6, 2);
	assert_true(pd_reaches_join(r));
	pd_reaches_update(r, (const uint8_t[8]){0}, 8);
	assert_false(pd_reaches_pm(r, 3));
	assert_int_equal(pd_reaches_distance(r, 3, 0, false), NONE);
	assert_int_equal(pd_reaches_distance(r, 6, 1, false), 0);
	pd_arena_finish(&a);
}

static void memory_ends(void **state)
{
	(void)state;
	for (long left = 0; left < 4; left++) {
		struct unit_host h = {.left = left};
		struct pd_arena a;
		struct pd_reaches *r;

		pd_arena_init(&a, unit_host(&h));
		r = both(&a);
		if (!r)
			assert_true(a.failed);
		pd_arena_finish(&a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pm_comes_through_arguments),
		cmocka_unit_test(distances_grow),
		cmocka_unit_test(what_is_no_pm_is_no_target),
		cmocka_unit_test(an_object_without_a_table),
		cmocka_unit_test(memory_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
