/* judge.c - see judge.h. */
#include "engine/linear/judge.h"
#include "base/hash.h"
#include "base/map.h"
#include "engine/linear/buffered.h"
#include "engine/linear/cuts.h"
#include "engine/linear/decide.h"
#include "engine/linear/straight.h"
#include "base/sort.h"

/* Operations that are judged together. */
struct part {
	uint64_t key;
	uint32_t first, n; /* in the list of operations by part */
};

struct court {
	const struct pd_op_history *h;
	const struct pd_linear_spec *spec;
	enum pd_linear_condition condition;
	struct pd_limits limits;
	uint64_t until; /* what happens after this time is not judged */
	struct pd_arena *keep;
	struct pd_arena lists; /* what follows */
	struct pd_arena step;  /* one search */
	uint32_t *by_call;     /* all but syncs */
	uint32_t n;
	bool by_key;
	struct part *parts;
	uint32_t nparts;
	uint32_t *by_part;
	struct pd_verdict v;
};

static bool calls_earlier(const void *ctx, uint32_t a, uint32_t b)
{
	const struct pd_hop *ops = ctx;

	return ops[a].call < ops[b].call;
}

/* ---- parts ---------------------------------------------------------------------------------- */

/* Whether all operations have a key; numbers the keys in order of appearance. */
static bool number_keys(struct court *c, struct pd_map *numbers, uint32_t *part_of)
{
	uint64_t key;

	if (!c->spec->key)
		return false;
	for (uint32_t i = 0; i < c->n; i++) {
		uint64_t *at;

		if (!c->spec->key(&c->h->ops.v[c->by_call[i]].op, &key) || key == UINT64_MAX)
			return false;
		at = pd_map_put(numbers, &c->lists, key);
		if (!at)
			return false;
		if (!*at)
			*at = ++c->nparts;
		part_of[i] = (uint32_t)*at - 1;
		c->parts[*at - 1].key = key;
		c->parts[*at - 1].n++;
	}
	return true;
}

/*
 * Lists all operations but syncs, by call. The history has them by response, which is nearly that
 * order: each moves only past those inside it. If that takes too long they are sorted. False:
 * memory ran out.
 */
static bool list_by_call(struct court *c)
{
	const struct pd_hop *ops = c->h->ops.v;
	uint64_t moves = 0;
	uint32_t *all, n = 0;

	for (uint32_t i = 0; i < c->h->ops.n && moves <= 16 * (uint64_t)c->h->ops.n; i++) {
		uint32_t k = n;

		for (; k > 0 && ops[c->by_call[k - 1]].call > ops[i].call; k--)
			c->by_call[k] = c->by_call[k - 1];
		c->by_call[k] = i;
		moves += n++ - k;
	}
	all = n == c->h->ops.n ? c->by_call
			       : pd_sort_new(&c->lists, c->h->ops.n, calls_earlier, ops);
	for (uint32_t i = 0; all && i < c->h->ops.n; i++)
		if (!(ops[all[i]].op.flags & PD_SYNC))
			c->by_call[c->n++] = all[i];
	return all != NULL;
}

static bool make_parts(struct court *c)
{
	uint32_t at = 0;
	uint32_t *part_of = pd_new_array(&c->lists, uint32_t, c->h->ops.n + 1);
	struct pd_map numbers = {0};

	c->by_call = pd_new_array(&c->lists, uint32_t, c->h->ops.n + 1);
	c->by_part = pd_new_array(&c->lists, uint32_t, c->h->ops.n + 1);
	c->parts = pd_new_array(&c->lists, struct part, c->h->ops.n + 1);
	if (!part_of || !c->by_call || !c->by_part || !c->parts || !list_by_call(c))
		return false;
	c->by_key = number_keys(c, &numbers, part_of);
	if (c->lists.failed)
		return false;
	if (!c->by_key) {
		memset(part_of, 0, c->n * sizeof(*part_of));
		c->parts[0] = (struct part){0, 0, c->n};
		c->nparts = 1;
	}
	for (uint32_t i = 0; i < c->nparts; at += c->parts[i++].n)
		c->parts[i].first = at;
	for (uint32_t i = 0; i < c->n; i++) {
		struct part *p = &c->parts[part_of[i]];

		c->by_part[p->first++] = c->by_call[i];
	}
	for (uint32_t i = 0; i < c->nparts; i++)
		c->parts[i].first -= c->parts[i].n;
	return true;
}

/* ---- one part ------------------------------------------------------------------------------- */

static struct pd_search search_of(struct court *c, const struct part *p)
{
	return (struct pd_search){.spec = c->spec,
				  .history = c->h,
				  .which = c->by_part + p->first,
				  .n = p->n,
				  .until = c->until,
				  .strict = c->condition == PD_STRICT,
				  .limits = c->limits};
}

/* Step limit of a search that does not decide: enough for what comes first. */
static uint64_t some_steps(const struct court *c, const struct part *p)
{
	uint64_t n = 50000 + 4 * (uint64_t)p->n;

	return c->limits.steps ? PD_MIN(c->limits.steps, n) : n;
}

/* Decides without a search, if possible. */
static enum pd_answer decide_first(struct court *c, struct pd_search *s)
{
	enum pd_answer a = PD_ANSWER_LIMIT;

	if (s->tries)
		return a;
	if (pd_straight_explains(s, &c->step))
		return PD_ANSWER_YES;
	c->v.bytes = PD_MAX(c->v.bytes, c->step.held);
	pd_arena_reset(&c->step);
	a = pd_decide(s, &c->step);
	c->v.bytes = PD_MAX(c->v.bytes, c->step.held);
	if (a == PD_ANSWER_LIMIT)
		pd_arena_reset(&c->step);
	return a;
}

static enum pd_answer run_once(struct court *c, struct pd_search *s)
{
	enum pd_answer a = decide_first(c, s);

	s->decided = a == PD_ANSWER_NO;
	if (a == PD_ANSWER_LIMIT)
		a = pd_search_run(s, &c->step);
	c->v.steps += s->steps;
	c->v.configurations += s->configurations;
	c->v.bytes = PD_MAX(c->v.bytes, c->step.held);
	pd_arena_reset(&c->step);
	return a;
}

static bool returns_earlier(const void *ctx, uint32_t a, uint32_t b)
{
	const struct pd_hop *const *x = ctx;

	return x[a]->ret < x[b]->ret;
}

/* The part's responses from this time on, ascending. */
static uint32_t list_responses(struct court *c, const struct part *p, uint64_t from,
			       const struct pd_hop **hops, uint32_t **order)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->n; i++) {
		const struct pd_hop *x = &c->h->ops.v[c->by_part[p->first + i]];

		if (x->ret != PD_NEVER && x->ret >= from)
			hops[n++] = x;
	}
	*order = pd_sort_new(&c->lists, n, returns_earlier, hops);
	return n;
}

/*
 * The first response that nothing explains: there is an order up to where the search got, and none
 * for all. Each further response can only make it worse; so tries in steps that double, and then by
 * bisection.
 */
static uint32_t find_culprit(struct court *c, const struct part *p, const struct pd_search *whole,
			     bool *exact)
{
	const struct pd_hop **hops = pd_new_array(&c->lists, const struct pd_hop *, p->n + 1);
	uint32_t lo = 0, hi, width = 1, *order = NULL, n, farthest = whole->farthest;
	uint64_t from = whole->decided ? 0 : c->h->ops.v[farthest].ret;

	*exact = false;
	n = hops ? list_responses(c, p, from, hops, &order) : 0;
	if (!order)
		return whole->decided ? c->by_part[p->first] : farthest;
	/* Up to and including hi there is no order; up to, not including, lo there is one */
	hi = n - 1;
	for (uint32_t at = 0; lo < hi; at = width < hi - lo ? lo + width - 1 : lo + (hi - lo) / 2) {
		struct pd_search s = search_of(c, p);
		enum pd_answer a;

		s.until = hops[order[at]]->ret;
		if (whole->decided)
			s.limits.steps = some_steps(c, p);
		a = run_once(c, &s);
		if (a == PD_ANSWER_YES)
			lo = at + 1;
		else if (a == PD_ANSWER_NO)
			hi = at;
		else
			return whole->decided ? (uint32_t)(hops[order[hi]] - c->h->ops.v)
					      : farthest;
		width *= 2;
	}
	*exact = true;
	return (uint32_t)(hops[order[hi]] - c->h->ops.v);
}

/* If a decider knows an order, a search for others need not be exhaustive. */
static bool note_decided(struct court *c, const struct part *p)
{
	struct pd_search s = search_of(c, p);
	bool found;

	s.until = c->h->ops.v[c->v.culprit].ret - 1;
	s.culprit = c->v.culprit;
	s.keep = c->keep;
	found = pd_decide_try(&s, &c->step, &c->v.tries.v[0]);
	c->v.tries.n = found;
	pd_arena_reset(&c->step);
	return found;
}

static void note_tries(struct court *c, const struct part *p)
{
	struct pd_search s = search_of(c, p);

	if (note_decided(c, p))
		s.limits.steps = some_steps(c, p);
	s.until = c->h->ops.v[c->v.culprit].ret;
	s.tries = &c->v.tries;
	s.culprit = c->v.culprit;
	s.keep = c->keep;
	run_once(c, &s);
}

static void describe(struct court *c, const struct part *p)
{
	uint32_t *ops = pd_new_array(c->keep, uint32_t, p->n + 1);

	c->v.has_key = c->by_key;
	c->v.key = p->key;
	c->v.era = pd_op_history_era(c->h, c->h->ops.v[c->v.culprit].call);
	if (ops) {
		memcpy(ops, c->by_part + p->first, p->n * sizeof(*ops));
		c->v.ops = ops;
		c->v.nops = p->n;
	}
}

/* Of several parts that cannot be explained, describes the one that goes wrong first. */
static enum pd_answer judge_part(struct court *c, const struct part *p, const struct part **first)
{
	struct pd_search s = search_of(c, p);
	enum pd_answer a = run_once(c, &s);
	uint32_t culprit;
	bool exact;

	if (a != PD_ANSWER_NO)
		return a;
	culprit = find_culprit(c, p, &s, &exact);
	if (!*first || c->h->ops.v[culprit].ret < c->h->ops.v[c->v.culprit].ret) {
		*first = p;
		c->v.culprit = culprit;
		c->v.exact = exact;
	}
	return a;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static void judge_parts(struct court *c)
{
	const struct part *first = NULL;

	for (uint32_t i = 0; i < c->nparts; i++) {
		enum pd_answer a = judge_part(c, &c->parts[i], &first);

		c->v.parts++;
		c->v.parts_wrong += a == PD_ANSWER_NO;
		c->v.parts_unknown += a == PD_ANSWER_LIMIT || a == PD_ANSWER_NO_MEMORY;
		if (a != PD_ANSWER_YES)
			c->v.answer = a;
	}
	if (!first)
		return;
	c->v.answer = PD_ANSWER_NO;
	note_tries(c, first);
	describe(c, first);
}

/* ---- losing the end ------------------------------------------------------------------------- */

/* Whether all of it is explained, without looking for long. */
static bool is_explained(struct court *c)
{
	bool explained = true;

	for (uint32_t i = 0; explained && i < c->nparts; i++) {
		struct pd_search s = search_of(c, &c->parts[i]);

		s.limits.steps = some_steps(c, &c->parts[i]);
		explained = run_once(c, &s) == PD_ANSWER_YES;
	}
	c->v.parts = c->nparts;
	return explained;
}

/* The first era begins with nothing, so keys are judged one by one. */
static enum pd_answer judge_first_era(struct court *c)
{
	struct pd_limits limits = c->limits;

	c->condition = PD_DURABLE;
	c->until = c->h->crashes.v[0];
	c->limits.steps = some_steps(c, &(struct part){.n = c->n});
	judge_parts(c);
	c->until = PD_NEVER;
	c->limits = limits;
	return c->v.answer;
}

/*
 * Where it is decided that no cut explains what comes after it: the first response there that none
 * explains.
 */
static void find_after_cut(struct court *c, struct pd_search *s, const struct part *all)
{
	const struct pd_hop **hops = pd_new_array(&c->lists, const struct pd_hop *, c->n + 1);
	uint32_t lo = 0, *order = NULL, hi, n;

	n = hops ? list_responses(c, all, c->h->crashes.v[0], hops, &order) : 0;
	c->v.culprit = c->by_call[c->n - 1];
	c->v.exact = order != NULL;
	hi = n ? n - 1 : 0;
	while (order && lo < hi) {
		uint32_t at = lo + (hi - lo) / 2;
		enum pd_answer a;

		s->until = hops[order[at]]->ret;
		a = pd_cuts_decide(s, &c->step);
		pd_arena_reset(&c->step);
		c->v.exact &= a <= PD_ANSWER_NO;
		if (a == PD_ANSWER_YES)
			lo = at + 1;
		else
			hi = at;
	}
	if (order)
		c->v.culprit = (uint32_t)(hops[order[hi]] - c->h->ops.v);
}

/* What survives is one cut of everything: by all keys together. */
static enum pd_answer judge_cuts(struct court *c, bool first_explained)
{
	struct part all = {0, 0, c->n};
	struct pd_search s;
	enum pd_answer decided = PD_ANSWER_LIMIT, found;

	c->condition = PD_BUFFERED;
	c->by_key = false;
	memcpy(c->by_part, c->by_call, c->n * sizeof(*c->by_part));
	s = search_of(c, &all);
	if (first_explained)
		decided = pd_cuts_decide(&s, &c->step);
	pd_arena_reset(&c->step);
	if (decided == PD_ANSWER_YES)
		return decided;
	if (decided == PD_ANSWER_NO) /* it shows which orders were tried, or does not */
		s.limits.steps = c->v.steps + some_steps(c, &all);
	found = pd_buffered_judge(&s, &c->step, &c->v, c->keep);
	pd_arena_reset(&c->step);
	if (decided == PD_ANSWER_NO && found != PD_ANSWER_NO)
		find_after_cut(c, &s, &all);
	if (decided == PD_ANSWER_NO || found == PD_ANSWER_NO)
		describe(c, &all);
	return decided == PD_ANSWER_NO ? decided : found;
}

/*
 * Nothing has to be lost: what is explained by the strict condition is by this one. What an era
 * shows has to be explained, whatever is lost then. These two are by key; the rest is not.
 */
static void judge_buffered(struct court *c)
{
	enum pd_answer first;

	if (is_explained(c))
		return;
	c->v.parts = 0;
	first = judge_first_era(c);
	if (first == PD_ANSWER_NO)
		return;
	c->v.answer = judge_cuts(c, first == PD_ANSWER_YES);
	c->v.parts = 1;
	c->v.parts_wrong = c->v.answer == PD_ANSWER_NO;
	c->v.parts_unknown = c->v.answer > PD_ANSWER_NO;
}

static void judge_all(struct court *c)
{
	bool buffered = c->condition == PD_BUFFERED && c->h->crashes.n;

	c->condition = buffered ? PD_STRICT : c->condition;
	if (!make_parts(c))
		c->v.answer = PD_ANSWER_NO_MEMORY;
	else if (buffered)
		judge_buffered(c);
	else
		judge_parts(c);
}

struct pd_verdict pd_judge(const struct pd_op_history *h, const struct pd_linear_spec *spec,
			   enum pd_linear_condition condition, struct pd_limits limits,
			   struct pd_arena *keep)
{
	struct court c = {.h = h,
			  .spec = spec,
			  .condition = condition,
			  .limits = limits,
			  .until = PD_NEVER,
			  .keep = keep};

	c.v.answer = PD_ANSWER_YES;
	c.v.fault = pd_op_history_check(h, spec, &c.v.culprit);
	if (c.v.fault != PD_HISTORY_OK) {
		c.v.answer = PD_ANSWER_NO;
		if (c.v.fault == PD_HISTORY_NO_MEMORY)
			c.v.answer = PD_ANSWER_NO_MEMORY;
		return c.v;
	}
	pd_arena_init(&c.lists, keep->host);
	pd_arena_init(&c.step, keep->host);
	judge_all(&c);
	if (c.v.answer == PD_ANSWER_NO && keep->failed)
		c.v.exact = false; /* the verdict stands; its lists are incomplete */
	pd_arena_finish(&c.step);
	pd_arena_finish(&c.lists);
	return c.v;
}
