/* acts.c - see acts.h. */
#include "runtime/linear/acts.h"
#include "base/hash.h"
#include "base/map.h"
#include "engine/linear/plan.h"
#include "protocol/board.h"
#include "runtime/base/rt.h"
#include "runtime/check/check.h"
#include "runtime/linear/points.h"
#include "runtime/place/site.h"
#include "runtime/session/session.h"
#include <string.h>

enum {
	WANTED = 3,    /* operations tested per place that no other workload reaches */
	FOLLOWING = 2, /* and this many after each */
};

static const char no_memory[] = "out of memory for what the operations access; try fewer --ops";

static struct {
	const struct pd_stress *stress;
	bool planning;
	PD_VEC(struct pd_act) done;
	struct pd_map noted; /* loads of this operation that are recorded */
	struct pd_map times; /* by site: the operation, and its accesses there */
} acts;

static struct pd_board_tests *board(void)
{
	return &pd_board()->tests;
}

void pd_acts_begin(const struct pd_stress *stress, bool planning)
{
	acts.stress = stress;
	acts.planning = planning;
}

/* ---- what is noted -------------------------------------------------------------------------- */

static uint8_t flags_of(const struct pd_event *e)
{
	const struct pd_site *s = pd_site_get(e->site);
	bool guarded = !s || s->flags & PD_SITE_GUARD;

	return (uint8_t)((guarded ? PD_ACT_GUARDED : 0) |
			 (acts.stress->points && pd_points_has(acts.stress, s) ? PD_ACT_GIVEN : 0));
}

static uint8_t kind_of(const struct pd_event *e)
{
	switch (e->kind) {
	case PD_EV_LOAD:
		return PD_ACT_LOAD;
	case PD_EV_RMW:
		return PD_ACT_LOCKED;
	case PD_EV_RMW_FAILED:
		return PD_ACT_FAILED;
	default:
		return e->order == PD_ORDER_NONE ? PD_ACT_STORE : PD_ACT_LOCKED;
	}
}

/* Whether the operation has not read the same before. */
static bool is_new(const struct pd_event *e, uint32_t op)
{
	uint64_t key = pd_mix(e->addr << 8 ^ e->size ^ (uint64_t)e->site << 44) >> 1;
	uint64_t *seen = pd_map_put(&acts.noted, &pd_session.arena, key);
	uint64_t now = (uint64_t)op + 1;

	if (!seen || *seen == now)
		return !seen;
	*seen = now;
	return true;
}

/* Which access of the operation at this site it is, from 1. */
static uint32_t count_at(uint32_t site, uint32_t op)
{
	uint64_t *n = pd_map_put(&acts.times, &pd_session.arena, site + 1ULL);

	if (!n)
		pd_rt_fail(4, no_memory);
	if (*n >> 32 != op)
		*n = (uint64_t)op << 32;
	return (uint32_t)++*n;
}

static void note_act(const struct pd_event *e, const struct pd_acts_at *at)
{
	uint8_t kind = kind_of(e);
	uint32_t nth = acts.planning ? count_at(e->site, at->op) : 0;
	struct pd_act *x;

	if (!acts.planning ||
	    ((kind == PD_ACT_LOAD || kind == PD_ACT_FAILED) && !is_new(e, at->op)))
		return;
	x = pd_vec_push(&acts.done, &pd_session.arena);
	if (!x)
		pd_rt_fail(4, no_memory);
	*x = (struct pd_act){.kind = kind,
			     .flags = flags_of(e),
			     .op = at->op,
			     .site = e->site,
			     .store = at->store,
			     .load = kind == PD_ACT_LOAD ? at->load : 0,
			     .nth = nth,
			     .addr = e->addr,
			     .size = (uint32_t)e->size};
}

static void note_reached(uint32_t site, uint32_t op)
{
	uint8_t *bits = board()->reached;

	if (!bits || op == PD_NO_OP || site >= PD_BOARD_SITES || pd_board_has_site(bits, site))
		return;
	bits[site / 8] |= (uint8_t)(1u << site % 8);
	if (board()->known && !pd_board_has_site(board()->known, site))
		board()->last_new = op + 1;
}

void pd_acts_note(const struct pd_event *e, const struct pd_acts_at *at)
{
	note_reached(e->site, at->op);
	note_act(e, at);
}

/* ---- the plan ------------------------------------------------------------------------------- */

/* Copies it to where the tool and all executions see it. */
static void *share(const void *v, size_t n)
{
	void *copy = pd_board_alloc(NULL, n);

	if (!copy)
		pd_rt_fail(4, "out of memory for the plan of the tests; try fewer --ops");
	return v && n ? memcpy(copy, v, n) : copy;
}

static void publish(const struct pd_plan *from)
{
	struct pd_plan *p = share(from, sizeof(*from));
	uint32_t nops = acts.stress->work.ops.n;

	if (from->wanted)
		p->wanted = share(from->wanted, nops);

	p->points.v = share(from->points.v, from->points.n * sizeof(*from->points.v));
	p->pairs.v = share(from->pairs.v, from->pairs.n * sizeof(*from->pairs.v));
	p->threes.v = share(from->threes.v, from->threes.n * sizeof(*from->threes.v));
	for (uint32_t i = 0; i < p->points.n; i++)
		pd_check_publish(p->points.v[i].site, false);
	for (uint32_t i = 0; i < p->pairs.n; i++)
		pd_check_publish(p->pairs.v[i].site, false);
	board()->plan = p;
}

static const struct pd_plan_op *list_operations(void)
{
	const struct pd_workload *w = &acts.stress->work;
	struct pd_plan_op *op = pd_new_array(&pd_session.arena, struct pd_plan_op, w->ops.n + 1);

	for (uint32_t i = 0; op && i < w->ops.n; i++)
		op[i] = (struct pd_plan_op){w->ops.v[i].entry, w->ops.v[i].arg[0].word};
	return op;
}

/*
 * Operations that access PM where no other workload does, a few for each such place, and those
 * right after them, which find the results.
 */
static const uint8_t *find_wanted(void)
{
	const uint8_t *known = board()->known;
	uint32_t n = acts.stress->work.ops.n;
	uint8_t *to = known ? pd_arena_alloc(&pd_session.arena, n + FOLLOWING + 1) : NULL;
	struct pd_map seen = {0}, noted = {0};

	for (uint32_t i = 0; to && i < acts.done.n; i++) {
		const struct pd_act *x = &acts.done.v[i];
		uint64_t *in = NULL, *times;

		if (x->op >= n || x->site >= PD_BOARD_SITES || pd_board_has_site(known, x->site))
			continue;
		in = pd_map_put(&noted, &pd_session.arena, x->site + 1ULL);
		times = pd_map_put(&seen, &pd_session.arena, x->site + 1ULL);
		if (!in || !times || *in == x->op + 1ULL || *times >= WANTED)
			continue;
		*in = x->op + 1ULL;
		++*times;
		memset(to + x->op, 1, FOLLOWING + 1);
	}
	return to;
}

static void make_plan(void)
{
	struct pd_planning how = {.ops = list_operations(),
				  .nops = acts.stress->work.ops.n,
				  .wanted = find_wanted(),
				  .alone = acts.stress->nthreads == 1,
				  .all_stores = acts.stress->all_points,
				  .given = acts.stress->points != NULL};
	struct pd_plan plan;

	if (!pd_plan_make(&plan, &pd_session.arena, acts.done.v, acts.done.n, &how))
		pd_rt_fail(4, "out of memory for the plan of the tests; try fewer --ops");
	publish(&plan);
}

/* ---- the end -------------------------------------------------------------------------------- */

/* Checks that the operations, one after the other, return the same in each execution. */
static void compare_results(void)
{
	const struct pd_op_history *h = &acts.stress->history;
	uint32_t n = PD_MIN(acts.stress->work.ops.n, h->ops.n);
	struct pd_digest d = PD_DIGEST_INIT;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t *slot = &board()->results[i];

		pd_digest_u64(&d, h->ops.v[i].op.returned ? h->ops.v[i].op.result.word : 1);
		if (acts.planning)
			*slot = d.a;
		else if (*slot != d.a && !board()->differs)
			board()->differs = i + 1;
	}
}

void pd_acts_finish(void)
{
	if (acts.planning)
		board()->results = share(NULL, (acts.stress->work.ops.n + 1) * sizeof(uint64_t));
	compare_results();
	if (acts.planning)
		make_plan();
}
