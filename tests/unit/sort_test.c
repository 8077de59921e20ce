/*
 * sort_test.c - which failed recovery accounts for another, and which are run again: the rules of
 * engine/crash/sort.c and rerun.c, each with the case that it is for and the one that it must not
 * take.
 */
#include "failures.h"

enum { ABORT = PD_OUTCOME_ABORT, HANG = PD_OUTCOME_HANG };

/* How many of two failures are left. */
static uint32_t left_of_two(struct world *w, const struct pd_crash_run *a,
			    const struct pd_crash_run *b)
{
	const struct pd_crash_run *run[] = {a, b};
	struct pd_failures fs = sorted(w, run, 2);

	return left_of(&fs);
}

#define WORLD()                                                                                    \
	struct world w;                                                                            \
	(void)state;                                                                               \
	world_init(&w)

/* Rule 1: whatever else is lost, what the smaller one has lost is enough. */
static void a_subset_of_losses_accounts_for_all(void **state)
{
	WORLD();
	struct pd_crash_run *a = run_new(&w, ABORT, 7, 1), *b = run_new(&w, ABORT, 7, 2);
	const struct pd_crash_run *run[] = {b, a};
	struct pd_failures fs;

	a->node = &w.node[1];
	lose(&w, a, 1, 10, 1);
	lose(&w, b, 1, 10, 1);
	lose(&w, b, 2, 11, 2);
	fs = sorted(&w, run, 2);
	assert_int_equal(left_of(&fs), 1);
	assert_false(failure_of(&fs, a)->subsumed);
	assert_int_equal(failure_of(&fs, a)->count, 2);
	world_finish(&w);
}

static void other_losses_are_another_failure(void **state)
{
	WORLD();
	struct pd_crash_run *a = run_new(&w, ABORT, 7, 1), *b = run_new(&w, ABORT, 7, 1);

	a->node = &w.node[1];
	lose(&w, a, 1, 10, 1);
	lose(&w, b, 1, 11, 2);
	assert_int_equal(left_of_two(&w, a, b), 2);
	world_finish(&w);
}

/* The same store, missed by another read. */
static void another_read_is_another_failure(void **state)
{
	WORLD();
	struct pd_crash_run *a = run_new(&w, ABORT, 7, 1), *b = run_new(&w, ABORT, 7, 1);

	a->node = &w.node[1];
	lose(&w, a, 1, 10, 1);
	lose(&w, b, 2, 10, 1);
	assert_int_equal(left_of_two(&w, a, b), 2);
	world_finish(&w);
}

static void another_end_is_another_failure(void **state)
{
	WORLD();
	struct pd_crash_run *a = run_new(&w, ABORT, 7, 1), *b = run_new(&w, ABORT, 8, 1);
	struct pd_crash_run *c = run_new(&w, PD_OUTCOME_EXIT, 7, 1);

	a->node = &w.node[1];
	c->node = &w.node[2];
	lose(&w, a, 1, 10, 1);
	lose(&w, b, 1, 10, 1);
	lose(&w, c, 1, 10, 1);
	assert_int_equal(left_of_two(&w, a, b), 2);
	assert_int_equal(left_of_two(&w, a, c), 2);
	world_finish(&w);
}

/* An empty set of losses is contained in all: it must not take them in (decision 20). */
static void nothing_lost_does_not_account_for_a_loss(void **state)
{
	WORLD();
	struct pd_crash_run *a = run_new(&w, ABORT, 7, 1), *b = run_new(&w, ABORT, 7, 5);

	a->node = &w.node[1];
	lose(&w, b, 1, 10, 1);
	assert_int_equal(left_of_two(&w, a, b), 2);
	world_finish(&w);
}

/* Rule 2: the same recovery, read by read, at another crash. */
static void the_same_recovery_is_one_failure(void **state)
{
	WORLD();
	struct pd_crash_run *a = run_new(&w, ABORT, 7, 1), *b = run_new(&w, ABORT, 7, 5);

	a->node = &w.node[1];
	lose(&w, b, 1, 10, 1);
	b->path = a->path;
	assert_int_equal(left_of_two(&w, a, b), 1);
	world_finish(&w);
}

/* Rule 3: after that crash it fails in any case. */
static void the_same_crash_is_one_failure(void **state)
{
	WORLD();
	struct pd_crash_run *a = run_new(&w, ABORT, 7, 4), *b = run_new(&w, ABORT, 7, 4);

	a->node = &w.node[1];
	lose(&w, b, 1, 10, 1);
	assert_int_equal(left_of_two(&w, a, b), 1);
	b->seed = 1; /* of another schedule */
	assert_int_equal(left_of_two(&w, a, b), 2);
	world_finish(&w);
}

/* Rule 4: at the next crash point, if what it sees is a first part of what was stored since. */
static void the_next_crash_point_is_one_failure_if_half_done(void **state)
{
	WORLD();
	struct pd_crash_run *a = run_new(&w, ABORT, 7, 4), *b = run_new(&w, ABORT, 7, 5);
	struct pd_crash_run *c = run_new(&w, ABORT, 7, 5), *d = run_new(&w, ABORT, 7, 6);

	a->node = &w.node[1];
	see(&w, b, 1, 10, 1);
	lose(&w, b, 2, 11, 2);
	assert_int_equal(left_of_two(&w, a, b), 1);
	see(&w, c, 1, 10, 3); /* newer than what it lost */
	lose(&w, c, 2, 11, 2);
	assert_int_equal(left_of_two(&w, a, c), 2);
	see(&w, d, 1, 10, 1); /* two crash points later */
	lose(&w, d, 2, 11, 2);
	assert_int_equal(left_of_two(&w, a, d), 2);
	world_finish(&w);
}

/* Rule 5: nothing lost in either, and the same last store. */
static void the_same_last_store_is_one_failure(void **state)
{
	WORLD();
	struct pd_crash_run *a = run_new(&w, ABORT, 7, 1), *b = run_new(&w, ABORT, 7, 9);

	a->node = &w.node[1];
	a->last_store = b->last_store = 12;
	assert_int_equal(left_of_two(&w, a, b), 1);
	b->last_store = 13;
	assert_int_equal(left_of_two(&w, a, b), 2);
	world_finish(&w);
}

/* A hang has no place: what it reads last counts. */
static void hangs_differ_by_what_they_wait_for(void **state)
{
	WORLD();
	struct pd_crash_run *a = run_new(&w, HANG, 7, 1), *b = run_new(&w, HANG, 8, 9);

	a->node = &w.node[1];
	assert_int_equal(left_of_two(&w, a, b), 1);
	b->last_addr = 64;
	assert_int_equal(left_of_two(&w, a, b), 2);
	world_finish(&w);
}

/* One way is one failure, and random recoveries count each time. */
static void a_way_counts_once(void **state)
{
	WORLD();
	const struct pd_crash_run *run[3];
	struct pd_failures fs;

	for (uint32_t i = 0; i < 3; i++)
		run[i] = run_new(&w, ABORT, 7, 9 - i);
	fs = pd_failures_collect(run, 3, (struct pd_collecting){0}, &w.arena);
	assert_int_equal(fs.n, 1);
	assert_int_equal(fs.v[0].run->when, 7); /* the earliest */
	assert_int_equal(fs.v[0].count, 1);
	fs = pd_failures_collect(run, 3, (struct pd_collecting){.random = true}, &w.arena);
	assert_int_equal(fs.v[0].count, 3);
	world_finish(&w);
}

/* What is executed again, by a run that continues another one, has a tree of its own. */
static void a_repeated_recovery_counts_once(void **state)
{
	WORLD();
	struct pd_crash_run *r[3];
	const struct pd_crash_run *run[3];
	struct pd_failures fs;

	for (uint32_t i = 0; i < 3; i++) {
		run[i] = r[i] = run_new(&w, ABORT, 7, i < 2 ? 5 : 6);
		r[i]->path.a = 1;
		r[i]->node = &w.node[i];
	}
	fs = pd_failures_collect(run, 3, (struct pd_collecting){0}, &w.arena);
	assert_int_equal(fs.n, 3);
	fs = pd_failures_collect(run, 3, (struct pd_collecting){.repeated = true}, &w.arena);
	assert_int_equal(fs.n, 2); /* the third is from another crash */
	r[1]->seed = 9;		   /* and so is this one */
	for (uint32_t i = 0; i < 3; i++)
		run[i] = r[i];
	fs = pd_failures_collect(run, 3, (struct pd_collecting){.repeated = true}, &w.arena);
	assert_int_equal(fs.n, 3);
	world_finish(&w);
}

/* After different crashes of recovery a way is another one, in whatever order they come. */
static void a_way_after_other_crashes_is_another(void **state)
{
	WORLD();
	struct pd_crash_run *parent[] = {run_new(&w, ABORT, 1, 1), run_new(&w, ABORT, 1, 2)};
	const struct pd_crash_run *run[4];
	struct pd_failures fs;

	for (uint32_t i = 0; i < 4; i++) {
		struct pd_crash_run *r = run_new(&w, ABORT, 7, 10 + i);

		r->parent = parent[i % 2];
		r->depth = 2;
		run[i] = r;
	}
	fs = pd_failures_collect(run, 4, (struct pd_collecting){0}, &w.arena);
	assert_int_equal(fs.n, 2);
	assert_int_equal(fs.v[0].run->when, 10);
	assert_int_equal(fs.v[1].run->when, 11);
	world_finish(&w);
}

/* What may come of stores that nobody reported is counted apart. */
static void doubtful_failures_are_counted(void **state)
{
	WORLD();
	struct pd_crash_run *a = run_new(&w, ABORT, 7, 1), *b = run_new(&w, ABORT, 7, 2);
	struct pd_crash_run *c = run_new(&w, ABORT, 7, 3);
	const struct pd_crash_run *run[] = {a, b, c};
	struct pd_failures fs;

	b->node = &w.node[1];
	c->node = &w.node[2];
	lose(&w, b, 1, 0, 1); /* by a store without a site */
	lose(&w, c, 1, 10, 1);
	fs = pd_failures_collect(run, 3, (struct pd_collecting){.blind = true}, &w.arena);
	assert_int_equal(fs.n, 1);
	assert_ptr_equal(fs.v[0].run, c);
	assert_int_equal(fs.doubtful, 2);
	world_finish(&w);
}

/* Of a recovery that was forced, what it needs counts; of that, what makes it end well. */
static void blame_is_what_was_proven(void **state)
{
	WORLD();
	struct pd_crash_run *r = run_new(&w, ABORT, 7, 1);
	struct pd_failure f = {.run = r};
	struct pd_crash_choice *needed, *ends_well;

	lose(&w, r, 1, 10, 1);
	needed = lose(&w, r, 2, 11, 2);
	ends_well = lose(&w, r, 3, 12, 3);
	pd_failure_blame(&f, &w.arena);
	assert_int_equal(f.n, 3);
	assert_false(f.proven);
	r->forced = r->proven = true;
	needed->blamed = ends_well->blamed = true;
	pd_failure_blame(&f, &w.arena);
	assert_int_equal(f.n, 2);
	assert_true(f.proven);
	ends_well->ends_well = true;
	pd_failure_blame(&f, &w.arena);
	assert_int_equal(f.n, 1);
	assert_int_equal(f.blame[0].lost.site, 12);
	world_finish(&w);
}

/* Where the next newer value fails as well, a later store is missing. */
static void the_store_that_is_missing_is_the_last_that_fails(void **state)
{
	WORLD();
	struct pd_crash_run *a = run_new(&w, ABORT, 7, 1), *b = run_new(&w, ABORT, 7, 1);
	const struct pd_crash_run *run[] = {a, b};
	struct pd_crash_choice *c;
	struct pd_failures fs;

	a->node = &w.node[1];
	lose(&w, a, 1, 10, 1);
	c = lose(&w, b, 1, 11, 2);
	c->seen = c->seen_value = 10;
	fs = sorted(&w, run, 2);
	assert_int_equal(left_of(&fs), 1);
	for (uint32_t i = 0; i < fs.n; i++)
		assert_int_equal(fs.v[i].blame[0].lost.site, 11);
	world_finish(&w);
}

/* Fewer crashes, less blame, the earlier schedule and crash, fewer choices. */
static void the_easiest_to_follow_comes_first(void **state)
{
	WORLD();
	struct pd_crash_run *deep = run_new(&w, ABORT, 1, 1), *two = run_new(&w, ABORT, 2, 1);
	struct pd_crash_run *late = run_new(&w, ABORT, 3, 9), *seed = run_new(&w, ABORT, 4, 1);
	struct pd_crash_run *best = run_new(&w, ABORT, 5, 1);
	const struct pd_crash_run *run[] = {seed, deep, late, two, best};
	struct pd_failures fs;

	for (uint32_t i = 0; i < PD_LEN(run); i++)
		((struct pd_crash_run *)run[i])->node = &w.node[i];
	lose(&w, deep, 1, 10, 1);
	deep->depth = 2;
	lose(&w, two, 1, 10, 1);
	lose(&w, two, 2, 11, 2);
	lose(&w, late, 1, 10, 1);
	lose(&w, seed, 1, 10, 1);
	seed->seed = 3;
	lose(&w, best, 1, 10, 1);
	fs = sorted(&w, run, PD_LEN(run));
	assert_ptr_equal(fs.v[0].run, best);
	assert_ptr_equal(fs.v[1].run, late);
	assert_ptr_equal(fs.v[2].run, seed);
	assert_ptr_equal(fs.v[3].run, two);
	assert_ptr_equal(fs.v[4].run, deep);
	world_finish(&w);
}

/* ---- running again -------------------------------------------------------------------------- */

static struct pd_failures distinct(struct world *w, uint32_t n, uint32_t outcome)
{
	const struct pd_crash_run **run = pd_new_array(&w->arena, const struct pd_crash_run *, n);

	for (uint32_t i = 0; i < n; i++) {
		struct pd_crash_run *r = run_new(w, outcome, 100 + i, 1 + 2 * i);

		r->node = pd_new(&w->arena, struct pd_tree_node);
		r->last_store = 1 + i;
		run[i] = r;
	}
	return sorted(w, run, n);
}

static void slow_failures_are_run_last(void **state)
{
	WORLD();
	struct pd_failures fs = distinct(&w, 3, ABORT);
	struct pd_rerun r = {.failures = &fs};
	struct pd_crash_run *first = (struct pd_crash_run *)fs.v[0].run;

	first->outcome = HANG;
	assert_ptr_equal(pd_rerun_next(&r, false), &fs.v[1]);
	assert_ptr_equal(pd_rerun_next(&r, false), &fs.v[2]);
	assert_ptr_equal(pd_rerun_next(&r, false), &fs.v[0]);
	assert_null(pd_rerun_next(&r, false));
	for (uint32_t i = 0; i < fs.n; i++)
		assert_false(fs.v[i].left);
	world_finish(&w);
}

static void so_many_are_run_and_the_others_marked(void **state)
{
	WORLD();
	struct pd_failures fs = distinct(&w, PD_RERUN_MOST + 5, ABORT);
	struct pd_rerun r = {.failures = &fs};
	uint32_t n = 0, left = 0;

	while (pd_rerun_next(&r, false))
		n++;
	for (uint32_t i = 0; i < fs.n; i++)
		left += fs.v[i].left;
	assert_int_equal(n, PD_RERUN_MOST);
	assert_int_equal(left, 5);
	world_finish(&w);
}

static void nothing_is_run_when_the_time_is_over(void **state)
{
	WORLD();
	struct pd_failures fs = distinct(&w, 4, ABORT);
	struct pd_rerun r = {.failures = &fs};

	assert_ptr_equal(pd_rerun_next(&r, false), &fs.v[0]);
	assert_null(pd_rerun_next(&r, true));
	assert_false(fs.v[0].left);
	assert_true(fs.v[1].left && fs.v[2].left && fs.v[3].left);
	world_finish(&w);
}

/* What is proven of one accounts for others: they are not run. */
static void what_is_proven_takes_in_the_others(void **state)
{
	WORLD();
	struct pd_crash_run *a = run_new(&w, ABORT, 7, 1), *b = run_new(&w, ABORT, 7, 1);
	struct pd_crash_run *least = run_new(&w, ABORT, 7, 1);
	const struct pd_crash_run *run[] = {a, b};
	struct pd_failures fs;
	struct pd_rerun r = {.failures = &fs};
	struct pd_failure *f;

	a->node = &w.node[1];
	lose(&w, a, 1, 10, 1);
	lose(&w, a, 2, 11, 2);
	lose(&w, b, 1, 10, 1);
	lose(&w, b, 3, 12, 2);
	fs = sorted(&w, run, 2);
	assert_int_equal(left_of(&fs), 2);
	f = pd_rerun_next(&r, false);
	lose(&w, least, 1, 10, 1)->blamed = true;
	least->forced = least->proven = true;
	f->run = least;
	pd_failure_blame(f, &w.arena);
	pd_rerun_sort_in(&r, f);
	assert_int_equal(left_of(&fs), 1);
	assert_int_equal(f->count, 2);
	assert_null(pd_rerun_next(&r, false));
	world_finish(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_subset_of_losses_accounts_for_all),
		cmocka_unit_test(other_losses_are_another_failure),
		cmocka_unit_test(another_read_is_another_failure),
		cmocka_unit_test(another_end_is_another_failure),
		cmocka_unit_test(nothing_lost_does_not_account_for_a_loss),
		cmocka_unit_test(the_same_recovery_is_one_failure),
		cmocka_unit_test(the_same_crash_is_one_failure),
		cmocka_unit_test(the_next_crash_point_is_one_failure_if_half_done),
		cmocka_unit_test(the_same_last_store_is_one_failure),
		cmocka_unit_test(hangs_differ_by_what_they_wait_for),
		cmocka_unit_test(a_way_counts_once),
		cmocka_unit_test(a_repeated_recovery_counts_once),
		cmocka_unit_test(a_way_after_other_crashes_is_another),
		cmocka_unit_test(doubtful_failures_are_counted),
		cmocka_unit_test(blame_is_what_was_proven),
		cmocka_unit_test(the_store_that_is_missing_is_the_last_that_fails),
		cmocka_unit_test(the_easiest_to_follow_comes_first),
		cmocka_unit_test(slow_failures_are_run_last),
		cmocka_unit_test(so_many_are_run_and_the_others_marked),
		cmocka_unit_test(nothing_is_run_when_the_time_is_over),
		cmocka_unit_test(what_is_proven_takes_in_the_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
