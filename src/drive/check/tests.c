/* check/tests.c - the tests of `linear` (engine/linear/plan.h): statistics, what was left out, and
 * the likely linearization points that they are about. */
#include "drive/check/check.h"
#include "host/demangle.h"
#include "report/words/limits.h"
#include "report/words/words.h"
#include <stdlib.h>
#include <string.h>

static uint32_t run_in_all(const struct pd_board_tests *t)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < PD_LEN(t->run); i++)
		n += t->run[i];
	return n;
}

/* Over the command line's workload, and those that reach more. */
static uint32_t points_in_all(const struct pd_check_run *c)
{
	uint32_t n = c->board->tests.plan->points.n;

	for (uint32_t i = 0; i < c->works.n; i++)
		n += c->works.v[i].plan ? c->works.v[i].plan->points.n : 0;
	return n;
}

void pd_check_tests_stats(const struct pd_check_run *c, struct pd_result *r)
{
	const struct pd_board_tests *t = &c->board->tests;
	const struct pd_plan *p = t->plan;

	if (!c->tests || !p)
		return;
	pd_result_stat_int(r, "tests", run_in_all(t));
	pd_result_stat_int(r, "likely_points", points_in_all(c));
	pd_result_stat_int(r, "stores_in_operations", p->stores);
	pd_result_stat_int(r, "stores_to_new_memory", p->fresh);
	pd_result_stat_int(r, "stores_guarded", p->guarded);
	pd_result_stat_int(r, "tests_after_return", t->returned);
	pd_result_stat_int(r, "meetings", t->pairs);
	pd_result_stat_int(r, "meetings_impossible", t->apart);
	pd_result_stat_int(r, "pairs_alike_not_tried", p->pairs_left);
	pd_result_stat_int(r, "meetings_only_concurrent", c->crossed);
	pd_result_stat_int(r, "meetings_only_concurrent_not_tried", c->crossed_left);
	if (c->grows) {
		pd_result_stat_int(r, "workloads_proposed", c->proposed);
		pd_result_stat_int(r, "workloads_refused", c->refused);
		pd_result_stat_int(r, "workloads_taken", c->works.n);
		pd_result_stat_int(r, "places_only_they_reach", c->grown);
	}
}

void pd_check_tests_limits(const struct pd_check_run *c, struct pd_result *r)
{
	const struct pd_board_tests *t = &c->board->tests;

	if (!c->tests)
		return;
	if (t->unnamed)
		pd_limit_tests_beyond(r, t->unnamed, PD_NAMED_OPS, PD_NAMED_STORES_OF_THREE);
	if (t->unmade)
		pd_limit_tests_not_started(r, t->unmade);
	if (t->unreached && !c->cut)
		pd_limit_points_gone(r, t->unreached);
	if (t->differs)
		pd_limit_result_differs(r, t->differs);
}

/* ---- running them --------------------------------------------------------------------------- */

/* Try so many of the meetings in which one place was stored to. */
enum { EACH_CROSSING = 4 };

/* Independent of the order in which walkers see them. */
static int by_name(const void *a, const void *b)
{
	const struct pd_board_crossed *x = a, *y = b;
	uint64_t m = pd_named_seed(&x->name), n = pd_named_seed(&y->name);

	return m != n ? (m > n) - (m < n) : (x->site > y->site) - (x->site < y->site);
}

static bool is_listed(const struct pd_board_crossed *v, uint32_t n, const struct pd_named *name)
{
	uint32_t i = 0;

	while (i < n && pd_named_seed(&v[i].name) != pd_named_seed(name))
		i++;
	return i < n;
}

static uint32_t count_site(const struct pd_board_crossed *v, uint32_t n, uint32_t site)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < n; i++)
		found += v[i].site == site;
	return found;
}

/* Selects a few for each place, and each meeting once. */
static void choose_crossings(struct pd_check_run *c)
{
	struct pd_board_tests *t = &c->board->tests;
	uint32_t all = PD_MIN(t->ncrossed, PD_BOARD_CROSSED), n = 0;

	c->crossed_left += t->ncrossed - all;
	qsort(t->crossed, all, sizeof(*t->crossed), by_name);
	for (uint32_t i = 0; i < all; i++) {
		struct pd_board_crossed x = t->crossed[i];

		if (is_listed(t->crossed, n, &x.name))
			continue;
		if (count_site(t->crossed, n, x.site) < EACH_CROSSING)
			t->crossed[n++] = x;
		else
			c->crossed_left++;
	}
	t->ncrossed = n;
	c->crossed += n;
}

bool pd_check_plan_tests(struct pd_check_run *c, struct pd_error *e)
{
	struct pd_board_tests *t = &c->board->tests;
	bool ok;

	if (!t->reached) {
		t->reached = pd_board_alloc(NULL, PD_BOARD_SITES / 8);
		t->alone = pd_board_alloc(NULL, PD_BOARD_SITES / 8);
	}
	if (!t->reached || !t->alone)
		return pd_error_set(e, PD_EXIT_INTERNAL, "memory ran out");
	memset(t->reached, 0, PD_BOARD_SITES / 8);
	t->plan = NULL;
	if (!pd_check_named(c, PD_NAMED_PLAN, e))
		return false;
	if (!t->plan)
		return pd_error_set(e, PD_EXIT_USAGE,
				    "%s: it ended by exit before all operations had returned, "
				    "without any crash",
				    c->options.argv[0]);
	memcpy(t->alone, t->reached, PD_BOARD_SITES / 8);
	t->ncrossed = 0;
	t->crossed = pd_board_alloc(NULL, PD_BOARD_CROSSED * sizeof(*t->crossed));
	ok = pd_check_named(c, PD_NAMED_TESTS, e);
	if (ok && t->crossed && t->ncrossed) {
		choose_crossings(c);
		ok = pd_check_named(c, PD_NAMED_CROSSES, e);
	}
	t->crossed = NULL;
	return ok;
}

/* ---- the points ----------------------------------------------------------------------------- */

/* All points of one place. */
struct place {
	uint32_t site;
	uint8_t reason;
	uint32_t n;
};

static int by_count(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return x->n != y->n ? (x->n < y->n) - (x->n > y->n)
			    : (x->site > y->site) - (x->site < y->site);
}

static uint32_t list_places(const struct pd_plan *p, struct place *to)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->points.n; i++) {
		uint32_t k = 0;

		while (k < n && to[k].site != p->points.v[i].site)
			k++;
		if (k == n)
			to[n++] = (struct place){p->points.v[i].site, p->points.v[i].reason, 0};
		to[k].n++;
	}
	qsort(to, n, sizeof(*to), by_count);
	return n;
}

void pd_check_tests_list(struct pd_check_run *c, FILE *to)
{
	static const enum pd_point_reason reason[] = {[PD_LP_LOCKED] = PD_POINT_ATOMIC,
						      [PD_LP_GUARDED] = PD_POINT_GUARDED,
						      [PD_LP_GIVEN] = PD_POINT_GIVEN,
						      [PD_LP_ALL] = PD_POINT_ALL};
	const struct pd_plan *p = c->board->tests.plan;
	struct place *place = p ? pd_new_array(&c->arena, struct place, p->points.n + 1) : NULL;
	uint32_t n = place ? list_places(p, place) : 0;

	if (!c->explain_points || !p)
		return;
	pd_words_points(to, p->points.n, p->stores, p->fresh);
	for (uint32_t i = 0; i < n; i++) {
		const struct pd_board_site *s = pd_board_site(c->board, false, place[i].site);

		struct pd_frame at = {0};

		if (s)
			at = (struct pd_frame){.file = s->at.file,
					       .line = s->at.line,
					       .function = pd_demangle(&c->arena, s->at.function)};
		pd_words_point(to, &at, reason[place[i].reason], place[i].n);
	}
	fputc('\n', to);
}
