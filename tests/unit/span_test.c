/*
 * span_test.c - transactions as brackets, and which of them were left: engine/crash/span.c.
 */
#include "failures.h"
#include "engine/crash/span.h"

static const struct pd_frame in_add[] = {{"add", "p.c", 20, 0}, {"main", "p.c", 90, 0}};
static const struct pd_frame by_add[] = {{"main", "p.c", 90, 0}};

enum {
	ADD_BEGIN = 1,
	ADD_END,
	HELP_BEGIN,
	HELP_END,
	MAIN,
	GUARD_BEGIN,
	GUARD_END,
	PLACES = GUARD_END
};

static const struct pd_finding_site places[] = {
	{.at = {"add", "p.c", 10, 0}, .nstack = 1, .stack = by_add},
	{.at = {"add", "p.c", 19, 0}, .nstack = 1, .stack = by_add},
	{.at = {"help", "p.c", 30, 0}, .nstack = 2, .stack = in_add},
	{.at = {"help", "p.c", 39, 0}, .nstack = 2, .stack = in_add},
	{.at = {"main", "p.c", 91, 0}},
	{.at = {"guard", "p.c", 50, 0}, .nstack = 2, .stack = in_add},
	{.at = {"~guard", "p.c", 59, 0}, .nstack = 2, .stack = in_add},
};

/* What a thread does: begins (B) and ends (E) at places, and is seen at others. */
struct did {
	char what;
	uint32_t place;
};

enum { MOST = 16 };

/* The i-th takes the log from length i to i + 1. */
static struct pd_spans spans(struct world *w, const struct did *d, uint32_t n)
{
	struct pd_survey_visit *visit = pd_new_array(&w->arena, struct pd_survey_visit, MOST);
	struct pd_tx_step *step = pd_new_array(&w->arena, struct pd_tx_step, MOST);
	struct pd_survey s = {.nplace = PLACES, .visit = visit, .nvisit = n, .step = step};
	struct pd_survey_calls c;

	for (uint32_t i = 0; i < n; i++) {
		visit[i] = (struct pd_survey_visit){d[i].place, i, i};
		if (d[i].what)
			step[s.nstep++] = (struct pd_tx_step){.order = i,
							      .place = d[i].place,
							      .visit = i + 1,
							      .begins = d[i].what == 'B'};
	}
	assert_true(pd_survey_calls_init(&c, &s, places, &w->arena));
	return pd_spans_of(&s, &c, &w->arena);
}

#define SPANS(w, ...)                                                                              \
	spans(w, (const struct did[]){__VA_ARGS__},                                                \
	      sizeof((const struct did[]){__VA_ARGS__}) / sizeof(struct did))

static void what_is_ended_is_not_left(void **state)
{
	struct world w;
	struct pd_spans s;

	(void)state;
	world_init(&w);
	s = SPANS(&w, {0, MAIN}, {'B', ADD_BEGIN}, {'B', HELP_BEGIN}, {'E', HELP_END},
		  {'E', ADD_END}, {0, MAIN}, {'B', ADD_BEGIN}, {'E', ADD_END});
	assert_int_equal(s.n, 2);
	assert_int_equal(s.v[0].from, 1);
	assert_int_equal(s.v[0].to, 4);
	assert_int_equal(s.v[0].left, UINT32_MAX);
	assert_int_equal(s.v[1].from, 6);
	assert_ptr_equal(pd_span_find(&s, 0, 2), &s.v[0]);
	assert_ptr_equal(pd_span_find(&s, 0, 4), &s.v[0]);
	assert_null(pd_span_find(&s, 0, 5));
	assert_null(pd_span_find(&s, 1, 2)); /* of another thread */
	/* The program ends in the middle of one: nobody has left it */
	s = SPANS(&w, {'B', ADD_BEGIN}, {0, ADD_BEGIN});
	assert_int_equal(s.n, 1);
	assert_int_equal(s.v[0].to, UINT32_MAX);
	assert_int_equal(s.v[0].left, UINT32_MAX);
	world_finish(&w);
}

static void a_call_that_returns_leaves_it(void **state)
{
	struct world w;
	struct pd_spans s;

	(void)state;
	world_init(&w);
	s = SPANS(&w, {'B', ADD_BEGIN}, {0, ADD_BEGIN}, {0, MAIN}, {'B', ADD_BEGIN},
		  {'E', ADD_END});
	assert_int_equal(s.n, 1);
	assert_int_equal(s.v[0].begin, ADD_BEGIN);
	assert_int_equal(s.v[0].left, 2);
	assert_int_equal(s.v[0].to, UINT32_MAX);
	/* Nothing is seen of main: the next begin at the same place shows it */
	s = SPANS(&w, {'B', ADD_BEGIN}, {0, ADD_BEGIN}, {'B', ADD_BEGIN}, {'E', ADD_END});
	assert_int_equal(s.n, 1);
	assert_int_equal(s.v[0].left, 2);
	world_finish(&w);
}

/* help() is left in the middle of add(), whose transaction is not complete before its own end. */
static void of_nested_ones_the_inner_is_named(void **state)
{
	struct world w;
	struct pd_spans s;

	(void)state;
	world_init(&w);
	s = SPANS(&w, {'B', ADD_BEGIN}, {'B', HELP_BEGIN}, {0, ADD_END}, {'E', ADD_END}, {0, MAIN});
	assert_int_equal(s.n, 1);
	assert_int_equal(s.v[0].begin, HELP_BEGIN);
	assert_int_equal(s.v[0].left, 3);
	world_finish(&w);
}

/* A constructor begins them and a destructor ends them. */
static void a_call_that_begins_for_others_may_return(void **state)
{
	struct world w;
	struct pd_spans s;

	(void)state;
	world_init(&w);
	s = SPANS(&w, {'B', GUARD_BEGIN}, {0, ADD_END}, {'E', GUARD_END}, {0, MAIN},
		  {'B', GUARD_BEGIN}, {0, ADD_END});
	assert_int_equal(s.n, 2);
	assert_int_equal(s.v[0].to, 2);
	assert_int_equal(s.v[1].left, UINT32_MAX);
	s = SPANS(&w, {'B', GUARD_BEGIN}, {0, ADD_END}, {'E', GUARD_END}, {0, MAIN},
		  {'B', GUARD_BEGIN}, {0, ADD_END}, {0, MAIN});
	assert_int_equal(s.v[1].left, 6);
	world_finish(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_ended_is_not_left),
		cmocka_unit_test(a_call_that_returns_leaves_it),
		cmocka_unit_test(of_nested_ones_the_inner_is_named),
		cmocka_unit_test(a_call_that_begins_for_others_may_return),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
