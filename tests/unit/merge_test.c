/*
 * merge_test.c - one bug, one finding, and one id: the rules of engine/crash/merge.c and
 * identity.c.
 */
#include "failures.h"

/* Two failures with a cause each, as the front end leaves them. */
struct pair {
	struct world w;
	struct pd_crash_run *a, *b;
	struct pd_failures fs;
	uint32_t went_on[2];
};

static void pair_init(struct pair *p)
{
	*p = (struct pair){0};
	world_init(&p->w);
	p->a = run_new(&p->w, PD_OUTCOME_ABORT, 7, 1);
	p->b = run_new(&p->w, PD_OUTCOME_EXIT, 8, 9);
	p->b->node = &p->w.node[1];
}

/* How many are left of both. */
static uint32_t joined(struct pair *p, enum pd_cause a, enum pd_cause b)
{
	const struct pd_crash_run *run[] = {p->a, p->b};

	p->fs = sorted(&p->w, run, 2);
	assert_int_equal(left_of(&p->fs), 2);
	for (uint32_t i = 0; i < 2; i++) {
		find_places(&p->w, &p->fs.v[i]);
		p->fs.v[i].cause = p->fs.v[i].run == p->a ? a : b;
		p->fs.v[i].went_on = p->went_on[p->fs.v[i].run != p->a];
	}
	pd_failures_join(&p->w.x, &p->fs);
	return left_of(&p->fs);
}

#define PAIR()                                                                                     \
	struct pair p;                                                                             \
	(void)state;                                                                               \
	pair_init(&p)

static void the_same_loss_is_one_bug_whatever_recovery_does(void **state)
{
	PAIR();
	lose(&p.w, p.a, 1, 10, 1);
	lose(&p.w, p.b, 2, 10, 1);
	assert_int_equal(joined(&p, PD_CAUSE_ORDER, PD_CAUSE_ORDER), 1);
	assert_int_equal(p.fs.v[0].count, 2);
	assert_int_equal(p.fs.v[0].outcomes, 1u << PD_OUTCOME_ABORT | 1u << PD_OUTCOME_EXIT);
	assert_int_equal(p.fs.v[0].also.n, 1); /* the other read */
	world_finish(&p.w);
}

static void the_same_loss_for_another_cause_is_another_bug(void **state)
{
	PAIR();
	lose(&p.w, p.a, 1, 10, 1);
	lose(&p.w, p.b, 2, 10, 1);
	assert_int_equal(joined(&p, PD_CAUSE_ORDER, PD_CAUSE_MISSING_FLUSH), 2);
	assert_int_equal(joined(&p, PD_CAUSE_ORDER, PD_CAUSE_UNKNOWN), 1); /* it may be any */
	world_finish(&p.w);
}

/* Structs of one type that straddle two lines: whichever stores are lost by it. */
static void a_layout_is_one_bug(void **state)
{
	PAIR();
	lose(&p.w, p.a, 1, 10, 1);
	lose(&p.w, p.b, 2, 20, 2)->addr = 4096;
	assert_int_equal(joined(&p, PD_CAUSE_LAYOUT, PD_CAUSE_ORDER), 2);
	for (uint32_t i = 0; i < 2; i++) {
		p.fs.v[i].cause = PD_CAUSE_LAYOUT;
		p.fs.v[i].straddling = i ? "struct.entry" : "struct.bucket";
	}
	pd_failures_join(&p.w.x, &p.fs);
	assert_int_equal(left_of(&p.fs), 2);
	p.fs.v[0].straddling = "struct.entry";
	pd_failures_join(&p.w.x, &p.fs);
	assert_int_equal(left_of(&p.fs), 1);
	world_finish(&p.w);
}

/* A function with one store may be what others store by: then the caller counts. */
static void a_store_for_others_is_its_callers(void **state)
{
	static const struct pd_frame x = {.function = "x", .file = "p.c", .line = 1};
	static const struct pd_frame y = {.function = "y", .file = "p.c", .line = 2};
	PAIR();
	lose(&p.w, p.a, 1, 10, 1);
	lose(&p.w, p.b, 2, 10, 1);
	assert_int_equal(joined(&p, PD_CAUSE_ORDER, PD_CAUSE_ORDER), 1);
	for (uint32_t i = 0; i < 2; i++) {
		p.fs.v[i].subsumed = false;
		p.fs.v[i].blame[0].at_store.nstack = 1;
		p.fs.v[i].blame[0].at_store.stack = i ? &x : &y;
	}
	pd_failures_join(&p.w.x, &p.fs);
	assert_int_equal(left_of(&p.fs), 2);
	assert_string_equal(pd_store_frame(&p.w.x, &p.fs.v[1].blame[0])->function, "x");
	/* Not if that function stores elsewhere, too. */
	p.w.site[0][20] = (struct pd_board_site){
		.at = {.file = "first.c", .function = "f10", .line = 20}, .stores = 1};
	assert_string_equal(pd_store_frame(&p.w.x, &p.fs.v[1].blame[0])->function, "f10");
	pd_failures_join(&p.w.x, &p.fs);
	assert_int_equal(left_of(&p.fs), 1);
	world_finish(&p.w);
}

/* Stores of one function to one line that nobody flushes: one flush is missing. */
static void one_function_and_one_line_is_one_missing_flush(void **state)
{
	PAIR();
	p.w.site[0][11].at.function = p.w.site[0][10].at.function;
	p.w.site[0][10].stores = p.w.site[0][11].stores = 1;
	lose(&p.w, p.a, 1, 10, 1)->addr = 64;
	lose(&p.w, p.b, 2, 11, 2)->addr = 72;
	assert_int_equal(joined(&p, PD_CAUSE_MISSING_FLUSH, PD_CAUSE_WRONG_TARGET), 1);
	assert_int_equal(joined(&p, PD_CAUSE_MISSING_FENCE, PD_CAUSE_MISSING_FENCE), 1);
	assert_int_equal(joined(&p, PD_CAUSE_TORN, PD_CAUSE_TORN), 2);
	p.b->last->addr = 128; /* another line */
	assert_int_equal(joined(&p, PD_CAUSE_MISSING_FLUSH, PD_CAUSE_MISSING_FLUSH), 2);
	p.b->last->addr = 72;
	p.w.site[0][11].at.function = "other";
	assert_int_equal(joined(&p, PD_CAUSE_MISSING_FLUSH, PD_CAUSE_MISSING_FLUSH), 2);
	world_finish(&p.w);
}

/* Both threads of blame end at one place for a fence; what was flushed last is shown. */
static void one_fence_is_one_bug(void **state)
{
	PAIR();
	lose(&p.w, p.a, 1, 10, 1)->next.flush = 2;
	lose(&p.w, p.b, 2, 11, 3)->next.flush = 4;
	p.went_on[0] = p.went_on[1] = 5;
	assert_int_equal(joined(&p, PD_CAUSE_MISSING_FENCE, PD_CAUSE_MISSING_FENCE), 1);
	for (uint32_t i = 0; i < 2; i++)
		assert_int_equal(p.fs.v[i].blame[0].lost.site, p.fs.v[i].subsumed ? 10 : 11);
	assert_int_equal(joined(&p, PD_CAUSE_MISSING_FENCE, PD_CAUSE_MISSING_FLUSH), 2);
	p.went_on[1] = 6; /* another fence */
	assert_int_equal(joined(&p, PD_CAUSE_MISSING_FENCE, PD_CAUSE_MISSING_FENCE), 2);
	p.went_on[0] = p.went_on[1] = 0;
	assert_int_equal(joined(&p, PD_CAUSE_MISSING_FENCE, PD_CAUSE_MISSING_FENCE), 2);
	p.went_on[0] = p.went_on[1] = 5;
	p.b->seed = 1; /* numbers of another schedule */
	assert_int_equal(joined(&p, PD_CAUSE_MISSING_FENCE, PD_CAUSE_MISSING_FENCE), 2);
	world_finish(&p.w);
}

static void an_update_is_one_function_or_crashes_that_follow(void **state)
{
	PAIR();
	p.b->outcome = PD_OUTCOME_ABORT;
	p.b->fail[0] = 7;
	p.a->last_store = 1;
	p.b->last_store = 2;
	assert_int_equal(joined(&p, PD_CAUSE_NOT_ATOMIC, PD_CAUSE_NOT_ATOMIC), 1);
	p.fs.v[1].subsumed = false;
	p.fs.v[1].at_last.at.function = "another";
	pd_failures_join(&p.w.x, &p.fs);
	assert_int_equal(left_of(&p.fs), 2);
	for (uint32_t i = 0; i < 2; i++) {
		p.fs.v[i].at_crash = place(PD_ROLE_CRASH, "create", 5);
		p.fs.v[i].at_crash.inside = i ? "lib_create" : "lib_open";
	}
	pd_failures_join(&p.w.x, &p.fs);
	assert_int_equal(left_of(&p.fs), 2);
	p.fs.v[0].at_crash.inside = "lib_create"; /* one call of a library */
	pd_failures_join(&p.w.x, &p.fs);
	assert_int_equal(left_of(&p.fs), 1);
	p.fs.v[1].subsumed = false;
	p.fs.v[1].at_crash.inside = NULL;
	pd_failures_join(&p.w.x, &p.fs);
	assert_int_equal(left_of(&p.fs), 2);
	p.b->when = p.a->when + 1;
	pd_failures_join(&p.w.x, &p.fs);
	assert_int_equal(left_of(&p.fs), 1);
	p.fs.v[1].subsumed = false;
	p.b->fail[0] = 9; /* another end */
	assert_int_equal(joined(&p, PD_CAUSE_NOT_ATOMIC, PD_CAUSE_NOT_ATOMIC), 2);
	world_finish(&p.w);
}

/* Whichever of its stores was lost, in the function that was interrupted. */
static void an_interrupted_operation_is_one_update(void **state)
{
	PAIR();
	p.w.site[0][11].at.function = p.w.site[0][10].at.function;
	p.w.site[0][10].stores = p.w.site[0][11].stores = 1;
	lose(&p.w, p.a, 1, 10, 1);
	lose(&p.w, p.b, 2, 11, 2);
	p.a->outcome = p.b->outcome = PD_OUTCOME_HISTORY;
	p.a->detail = p.b->detail = PD_KIND_LINEAR_PARTIAL;
	strcpy(p.a->operation, "add(6) interrupted");
	strcpy(p.b->operation, "add(1) interrupted");
	for (int same = 0; same < 5; same++) {
		enum pd_cause a = same == 1 ? PD_CAUSE_MISSING_FLUSH : PD_CAUSE_ORDER;

		if (same == 2)
			strcpy(p.b->operation, "adds(1) interrupted");
		if (same == 3)
			p.b->detail = PD_KIND_LINEAR_LOST;
		joined(&p, a, a);
		for (uint32_t i = 0; i < 2; i++) {
			p.fs.v[i].subsumed = false;
			p.fs.v[i].at_last = p.fs.v[i].blame[0].at_store;
		}
		if (same == 4)
			p.fs.v[1].at_last.at.function = "another";
		pd_failures_join(&p.w.x, &p.fs);
		assert_int_equal(left_of(&p.fs), same ? 2 : 1);
		strcpy(p.b->operation, "add(1) interrupted");
		p.b->detail = PD_KIND_LINEAR_PARTIAL;
	}
	/* It does not end well: the same, if the operation is known. */
	for (int known = 0; known < 2; known++) {
		p.b->outcome = PD_OUTCOME_HANG;
		p.b->linear = true;
		strcpy(p.b->operation, known ? "add(1) interrupted" : "");
		joined(&p, PD_CAUSE_ORDER, PD_CAUSE_ORDER);
		for (uint32_t i = 0; i < 2; i++) {
			p.fs.v[i].subsumed = false;
			p.fs.v[i].at_last = p.fs.v[i].blame[0].at_store;
		}
		pd_failures_join(&p.w.x, &p.fs);
		assert_int_equal(left_of(&p.fs), known ? 1 : 2);
	}
	world_finish(&p.w);
}

/* An update that is not atomic may also tear; what tears may need nothing else. */
static void making_it_atomic_fixes_what_tears(void **state)
{
	static const enum pd_cause narrow[] = {PD_CAUSE_TORN, PD_CAUSE_LAYOUT};
	PAIR();
	p.w.site[0][10].stores = p.w.site[0][11].stores = 1;
	p.a->last_store = p.b->last_store = 11;
	lose(&p.w, p.b, 2, 11, 2);
	p.a->outcome = p.b->outcome = PD_OUTCOME_HISTORY;
	p.a->detail = p.b->detail = PD_KIND_LINEAR_PARTIAL;
	strcpy(p.a->operation, "add(6) interrupted");
	strcpy(p.b->operation, "add(1) interrupted");
	for (uint32_t i = 0; i < 2; i++) {
		joined(&p, PD_CAUSE_NOT_ATOMIC, narrow[i]);
		for (uint32_t k = 0; k < 2; k++) {
			p.fs.v[k].subsumed = false;
			p.fs.v[k].at_last = place(PD_ROLE_STORE, "f11", 11);
			if (p.fs.v[k].n)
				p.fs.v[k].blame[0].at_store = p.fs.v[k].at_last;
		}
		pd_failures_join(&p.w.x, &p.fs);
		assert_int_equal(left_of(&p.fs), 1);
		for (uint32_t k = 0; k < 2; k++) {
			assert_true(!p.fs.v[k].subsumed == !p.fs.v[k].n);
			p.fs.v[k].subsumed = false;
			if (!p.fs.v[k].n)
				p.fs.v[k].cause = PD_CAUSE_TORN;
		}
		pd_failures_join(&p.w.x, &p.fs);
		assert_int_equal(left_of(&p.fs), 2);
	}
	world_finish(&p.w);
}

static void locks_are_one_bug_where_they_are_waited_for(void **state)
{
	PAIR();
	p.a->outcome = p.b->outcome = PD_OUTCOME_HANG;
	p.a->last_load = 1;
	p.b->last_load = 2;
	assert_int_equal(joined(&p, PD_CAUSE_LOCK_HELD, PD_CAUSE_LOCK_HELD), 2);
	p.b->last_load = 1;
	p.b->last_store = 3;
	assert_int_equal(joined(&p, PD_CAUSE_LOCK_HELD, PD_CAUSE_LOCK_HELD), 1);
	world_finish(&p.w);
}

static void a_loss_and_nothing_lost_are_two_bugs(void **state)
{
	PAIR();
	lose(&p.w, p.b, 2, 10, 1);
	assert_int_equal(joined(&p, PD_CAUSE_NOT_ATOMIC, PD_CAUSE_ORDER), 2);
	world_finish(&p.w);
}

/* ---- ids ------------------------------------------------------------------------------------ */

static uint64_t id_of(struct pair *p, const struct pd_failure *f, uint32_t *n)
{
	struct pd_finding to;

	pd_failure_finding(&p->w.x, f, &to, &p->w.arena);
	*n = to.nsites;
	return to.id;
}

/* What was lost and why: not which read missed it, nor how recovery then failed. */
static void an_id_is_what_was_lost_and_why(void **state)
{
	struct pd_failure f;
	uint64_t id;
	uint32_t n;
	PAIR();

	lose(&p.w, p.a, 1, 10, 1);
	f = (struct pd_failure){.run = p.a, .cause = PD_CAUSE_ORDER};
	pd_failure_blame(&f, &p.w.arena);
	find_places(&p.w, &f);
	f.at_crash = place(PD_ROLE_CRASH, "crash", 5);
	id = id_of(&p, &f, &n);
	assert_int_equal(n, 4); /* store, load, crash, failure */
	f.blame[0].at_load.at.line = 99;
	f.at_crash.at.line = 99;
	f.at_fail.at.line = 99;
	assert_int_equal(id_of(&p, &f, &n), id);
	f.blame[0].at_store.at.line = 99;
	assert_int_not_equal(id_of(&p, &f, &n), id);
	f.blame[0].at_store.at.line = 10;
	assert_int_equal(id_of(&p, &f, &n), id);
	f.cause = PD_CAUSE_MISSING_FLUSH;
	assert_int_not_equal(id_of(&p, &f, &n), id);
	world_finish(&p.w);
}

/* Where nothing was lost: the last store, the place of the failure, its calls and its status. */
static void an_id_without_a_loss_is_where_it_fails(void **state)
{
	static const struct pd_frame x = {.function = "x", .file = "p.c", .line = 1};
	struct pd_failure f;
	uint64_t id;
	uint32_t n;
	PAIR();

	f = (struct pd_failure){.run = p.a, .cause = PD_CAUSE_NOT_ATOMIC};
	find_places(&p.w, &f);
	id = id_of(&p, &f, &n);
	assert_int_equal(n, 2);
	p.a->detail = 5;
	assert_int_not_equal(id_of(&p, &f, &n), id);
	p.a->detail = 0;
	f.at_fail.nstack = 1;
	f.at_fail.stack = &x;
	assert_int_not_equal(id_of(&p, &f, &n), id);
	f.at_fail.nstack = 0;
	f.at_last.at.line = 3;
	assert_int_not_equal(id_of(&p, &f, &n), id);
	world_finish(&p.w);
}

/* ---- transactions --------------------------------------------------------------------------- */

static const struct pd_finding_site tx_places[] = {{.at = {"add", "p.c", 20, 0}},
						   {.at = {"add", "p.c", 22, 0}},
						   {.at = {"add", "p.c", 23, 0}},
						   {.at = {"del", "p.c", 40, 0}}};

/* Two members of one object each, of two objects, by transactions 1 and 2. */
static const struct pd_unlogged members[] = {
	{.first = 1, .last = 1, .addr = 64, .size = 8, .place = 2, .begin = 1, .tx = 1},
	{.first = 2, .last = 2, .addr = 72, .size = 8, .place = 3, .begin = 1, .tx = 1},
	{.first = 3, .last = 3, .addr = 640, .size = 8, .place = 2, .begin = 1, .tx = 2},
	{.first = 4, .last = 4, .addr = 648, .size = 8, .place = 3, .begin = 1, .tx = 2},
};
static const struct pd_survey_place tx_sites[] = {
	{.site = 0}, {.site = 0}, {.site = 0}, {.site = 0}};

/* What one transaction has not logged, here and there, is one missing log. */
static void one_log_is_one_bug(void **state)
{
	struct pd_surveyed s = {
		.nunlogged = 4, .unlogged = members, .places = tx_places, .place = tx_sites};
	struct pd_failure a = {.surveyed = &s, .nunlogged = 1, .unlogged = {&members[0]}};
	struct pd_failure b = {.surveyed = &s, .nunlogged = 1, .unlogged = {&members[3]}};
	struct world w;

	(void)state;
	world_init(&w);
	assert_true(pd_failures_same_log(&w.x, &a, &b));
	/* The first transaction alone: nothing shows that the two lie together */
	s.nunlogged = 1;
	assert_false(pd_failures_same_log(&w.x, &a, &b));
	world_finish(&w);
}

static void a_transaction_left_open_is_one_bug(void **state)
{
	static const struct pd_tx_span spans[] = {{.begin = 1}, {.begin = 1}, {.begin = 4}};
	const struct pd_surveyed s = {.places = tx_places, .spans = {3, spans}};
	PAIR();

	p.fs = sorted(&p.w, (const struct pd_crash_run *[]){p.a, p.b}, 2);
	for (uint32_t i = 0; i < 2; i++) {
		p.fs.v[i].surveyed = &s;
		p.fs.v[i].open = &spans[2 * i];
		p.fs.v[i].cause = PD_CAUSE_OPEN_TX;
	}
	pd_failures_join(&p.w.x, &p.fs);
	assert_int_equal(left_of(&p.fs), 2);
	p.fs.v[1].open = &spans[1];
	pd_failures_join(&p.w.x, &p.fs);
	assert_int_equal(left_of(&p.fs), 1);
	world_finish(&p.w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_layout_is_one_bug),
		cmocka_unit_test(the_same_loss_is_one_bug_whatever_recovery_does),
		cmocka_unit_test(the_same_loss_for_another_cause_is_another_bug),
		cmocka_unit_test(a_store_for_others_is_its_callers),
		cmocka_unit_test(one_function_and_one_line_is_one_missing_flush),
		cmocka_unit_test(one_fence_is_one_bug),
		cmocka_unit_test(an_update_is_one_function_or_crashes_that_follow),
		cmocka_unit_test(an_interrupted_operation_is_one_update),
		cmocka_unit_test(making_it_atomic_fixes_what_tears),
		cmocka_unit_test(locks_are_one_bug_where_they_are_waited_for),
		cmocka_unit_test(a_loss_and_nothing_lost_are_two_bugs),
		cmocka_unit_test(an_id_is_what_was_lost_and_why),
		cmocka_unit_test(an_id_without_a_loss_is_where_it_fails),
		cmocka_unit_test(one_log_is_one_bug),
		cmocka_unit_test(a_transaction_left_open_is_one_bug),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
