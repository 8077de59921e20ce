/* point_test.c - the crash-point rule, trees of file states, and how an execution ended. */
#include "unit.h"
#include "engine/crash/end.h"
#include "engine/crash/outcomes.h"
#include "engine/crash/point.h"
#include "engine/crash/root.h"
#include "unit/grows.h"

static const struct pd_point store_then_flush = {
	.kind = PD_EV_CLFLUSH, .stores = 1, .crashes = 1, .used_pm = true, .number = 3};

static void before_what_makes_certain(void **state)
{
	static const enum pd_event_kind always[] = {PD_EV_CLFLUSH, PD_EV_MSYNC, PD_EV_POOL_SIZE,
						    PD_EV_STORE};
	static const enum pd_event_kind fences[] = {PD_EV_SFENCE, PD_EV_MFENCE, PD_EV_RMW};
	struct pd_point p = store_then_flush;

	(void)state;
	for (uint32_t i = 0; i < PD_LEN(always); i++) {
		p.kind = always[i];
		p.pending = false;
		assert_true(pd_point_is(&p));
	}
	for (uint32_t i = 0; i < PD_LEN(fences); i++) {
		p.kind = fences[i];
		p.pending = false;
		assert_false(pd_point_is(&p));
		p.pending = true;
		assert_true(pd_point_is(&p));
	}
}

/* Where stores make something certain, the first one ends the state in which the program began. */
static void before_the_first_store(void **state)
{
	struct pd_point p = store_then_flush;

	(void)state;
	p.kind = PD_EV_STORE;
	p.stores = 0;
	p.number = 1;
	assert_true(pd_point_is(&p));
	p.number = 2;
	assert_false(pd_point_is(&p));
	p.number = 1;
	p.depth = 1; /* a recovery begins with what a crash left, which has been tried */
	p.crashes = 2;
	assert_false(pd_point_is(&p));
}

/* Whatever was stored since the last one: the history is another. */
static void when_an_operation_returned(void **state)
{
	struct pd_point p = store_then_flush;

	(void)state;
	p.kind = PD_EV_MARK;
	assert_false(pd_point_is(&p));
	p.returned = true;
	p.stores = 0;
	assert_true(pd_point_is(&p));
	p.depth = 1;
	assert_false(pd_point_is(&p));
}

static void only_after_stores(void **state)
{
	struct pd_point p = store_then_flush;

	(void)state;
	p.stores = 0;
	assert_false(pd_point_is(&p));
	p.kind = PD_EV_SFENCE;
	p.pending = true;
	assert_false(pd_point_is(&p));
	p.kind = PD_EV_EXIT; /* the end always is */
	assert_true(pd_point_is(&p));
}

static void as_many_crashes_as_asked(void **state)
{
	struct pd_point p = store_then_flush;

	(void)state;
	p.depth = 1;
	assert_false(pd_point_is(&p));
	p.kind = PD_EV_EXIT;
	assert_false(pd_point_is(&p));
	p.crashes = 2;
	assert_true(pd_point_is(&p));
}

static void which_are_tried(void **state)
{
	struct pd_point p = store_then_flush;

	(void)state;
	assert_true(pd_point_is_tried(&p));
	p.used_pm = false;
	assert_false(pd_point_is_tried(&p));
	p.used_pm = true;
	p.random = PD_RANDOM_COUNT;
	assert_false(pd_point_is_tried(&p));
	p.random = PD_RANDOM_DRAW;
	assert_true(pd_point_is_tried(&p));
	p.fixed = 4;
	assert_false(pd_point_is_tried(&p));
	p.fixed = 3;
	assert_true(pd_point_is_tried(&p));
	p.fixed = PD_POINT_AT_END;
	assert_false(pd_point_is_tried(&p));
	p.kind = PD_EV_EXIT;
	assert_true(pd_point_is_tried(&p));
}

static void earlier_crashes_have_smaller_numbers(void **state)
{
	(void)state;
	assert_true(pd_point_when(0, 1, true) < pd_point_when(0, 2, true));
	assert_true(pd_point_when(1, 9, true) < pd_point_when(2, 1, true));
	assert_true(pd_point_when(0, 2, true) < pd_point_when(0, 1, false));
	/* So many that they do not fit stay with their execution */
	assert_true(pd_point_when(1, UINT32_MAX - 1, true) < pd_point_when(2, 0, true));
}

static void sums_of_powers(void **state)
{
	double d = pd_point_add_log10(2, 2);

	(void)state;
	assert_true(d > 2.3 && d < 2.302);
	assert_true(pd_point_add_log10(9, 1) == 9 && pd_point_add_log10(1, 9) == 9);
}

/* ---- trees ---------------------------------------------------------------------------------- */

static void *take(void *ctx, size_t n)
{
	++*(uint32_t *)ctx;
	return calloc(1, n);
}

static void one_tree_for_a_state_of_files(void **state)
{
	struct pd_roots *r = calloc(1, sizeof(*r));
	uint32_t taken = 0;
	struct pd_tree_memory mem = {take, &taken, NULL, NULL};
	struct pd_digest a = {1, 2}, b = {1, 3};
	struct pd_tree_node *at_a = pd_root_get(r, &mem, a, 0);

	(void)state;
	assert_ptr_equal(pd_root_get(r, &mem, a, 0), at_a);
	assert_ptr_not_equal(pd_root_get(r, &mem, b, 0), at_a);
	assert_ptr_not_equal(pd_root_get(r, &mem, a, 1), at_a);
	assert_int_equal(r->n, 3);
	assert_int_equal(taken, 0);
	for (uint64_t i = 10; i < 10 + PD_ROOTS; i++)
		assert_non_null(pd_root_get(r, &mem, (struct pd_digest){i, i}, 0));
	assert_int_equal(taken, 3); /* without room it is not shared */
	assert_ptr_equal(pd_root_get(r, &mem, a, 0), at_a);
	free(r);
}

/* ---- ends ----------------------------------------------------------------------------------- */

static uint32_t judged(bool signalled, uint32_t number, bool aborted)
{
	struct pd_end_status s = {.signalled = signalled, .number = number, .aborted = aborted};
	const uint64_t ok[4] = {1, 2}; /* 0 and 65 */
	struct pd_crash_run *run = calloc(1, sizeof(*run));
	uint32_t outcome;

	pd_end_judge(run, &s, ok);
	assert_int_equal(run->detail, number);
	outcome = run->outcome;
	run->outcome = PD_OUTCOME_CHECK;
	run->detail = 99;
	pd_end_judge(run, &s, ok); /* it has said so itself */
	assert_int_equal(run->outcome, PD_OUTCOME_CHECK);
	assert_int_equal(run->detail, 99);
	free(run);
	return outcome;
}

static void how_a_process_ended(void **state)
{
	(void)state;
	assert_int_equal(judged(false, 0, false), PD_OUTCOME_GOOD);
	assert_int_equal(judged(false, 65, false), PD_OUTCOME_GOOD);
	assert_int_equal(judged(false, 1, false), PD_OUTCOME_EXIT);
	assert_int_equal(judged(true, 11, false), PD_OUTCOME_SIGNAL);
	assert_int_equal(judged(true, 6, true), PD_OUTCOME_ABORT);
	assert_true(pd_end_is_bad(PD_OUTCOME_SIGNAL) && pd_end_is_bad(PD_OUTCOME_CHECK));
	assert_false(pd_end_is_bad(PD_OUTCOME_GOOD) || pd_end_is_bad(PD_OUTCOME_NONE) ||
		     pd_end_is_bad(PD_OUTCOME_DIVERGED) || pd_end_is_bad(PD_OUTCOME_KNOWN));
}

static void who_did_not_come_there(void **state)
{
	struct pd_tree_node pending = {0}, ended = {.outcome = PD_OUTCOME_GOOD};
	struct pd_crash_run *run = calloc(1, sizeof(*run));
	bool diverged;

	(void)state;
	run->outcome = PD_OUTCOME_GOOD;
	assert_false(pd_end_is_lost_way(run, NULL, &diverged));
	assert_false(pd_end_is_lost_way(run, &ended, &diverged));
	assert_true(pd_end_is_lost_way(run, &pending, &diverged) && diverged);
	run->outcome = PD_OUTCOME_LOST;
	assert_true(pd_end_is_lost_way(run, &pending, &diverged) && !diverged);
	assert_true(pd_end_is_lost_way(NULL, &pending, &diverged) && !diverged);
	free(run);
}

static void waits_are_the_end(void **state)
{
	struct pd_crash_run *a = calloc(1, sizeof(*a)), *b = calloc(1, sizeof(*b));

	(void)state;
	a->outcome = b->outcome = PD_OUTCOME_DEADLOCK;
	a->nfail = b->nfail = 1;
	a->fail[0] = 1;
	b->fail[0] = 2;
	a->waits.n = b->waits.n = 1;
	assert_false(pd_end_same(a, b)); /* one thread: by its calls */
	a->waits.n = b->waits.n = 2;
	assert_true(pd_end_same(a, b)); /* several: by who waits for what */
	b->waits.v[1] = (struct pd_waiter){.thread = 1, .on = 64};
	assert_false(pd_end_same(a, b));
	a->waits.v[1] = b->waits.v[1];
	assert_true(pd_end_same(a, b));
	a->waits.v[1].held = PD_HOLDER_NOBODY;
	assert_false(pd_end_same(a, b));
	a->outcome = b->outcome = PD_OUTCOME_HANG; /* which has no place */
	assert_true(pd_end_same(a, b));
	assert_true(pd_waits_for_nobody(&a->waits));
	assert_false(pd_waits_for_nobody(&b->waits));
	free(a);
	free(b);
}

static void a_set_of_outcomes(void **state)
{
	struct pd_outcomes *o = calloc(1, sizeof(*o)), *p = calloc(1, sizeof(*p));

	(void)state;
	pd_outcomes_add(o, 3);
	pd_outcomes_add(o, 3 + PD_OUTCOMES_KNOWN); /* the same place */
	pd_outcomes_add(o, 3);
	assert_int_equal(o->n, 2);
	pd_outcomes_add(p, 3 + PD_OUTCOMES_KNOWN);
	pd_outcomes_add(p, 3);
	assert_int_equal(o->sum, p->sum);
	for (uint64_t i = 0; i < PD_OUTCOMES_KNOWN; i++)
		pd_outcomes_add(o, 2 * i + 1);
	assert_int_equal(o->n, PD_OUTCOMES_KNOWN / 2);
	free(o);
	free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(before_what_makes_certain),
		cmocka_unit_test(before_the_first_store),
		cmocka_unit_test(when_an_operation_returned),
		cmocka_unit_test(only_after_stores),
		cmocka_unit_test(as_many_crashes_as_asked),
		cmocka_unit_test(which_are_tried),
		cmocka_unit_test(earlier_crashes_have_smaller_numbers),
		cmocka_unit_test(sums_of_powers),
		cmocka_unit_test(one_tree_for_a_state_of_files),
		cmocka_unit_test(how_a_process_ended),
		cmocka_unit_test(who_did_not_come_there),
		cmocka_unit_test(waits_are_the_end),
		cmocka_unit_test(a_set_of_outcomes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
