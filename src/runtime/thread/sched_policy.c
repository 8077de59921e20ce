/*
 * thread/sched_policy.c - the choosers of sched.h. They answer 0 to other kinds of choices.
 */
#include "base/bug.h"
#include "base/hash.h"
#include "runtime/base/rt.h"
#include "runtime/thread/sched.h"

static uint32_t pick_first(void *ctx, enum pd_choice_kind kind, uint32_t n)
{
	(void)ctx;
	(void)kind;
	(void)n;
	return 0;
}

struct pd_chooser pd_sched_default(void)
{
	return (struct pd_chooser){pick_first, NULL};
}

void pd_sched_use(struct pd_chooser c)
{
	pd_rt.chooser = c;
	pd_sched.calm = c.pick == pick_first;
	pd_sched.passed = 0;
}

/* splitmix64 */
static uint64_t draw(uint64_t *state)
{
	*state += 0x9e3779b97f4a7c15ULL;
	return pd_mix(*state);
}

static uint32_t pick_random(void *ctx, enum pd_choice_kind kind, uint32_t n)
{
	struct pd_sched_random *r = ctx;

	if (kind != PD_CHOICE_THREAD)
		return 0;
	return (uint32_t)((draw(&r->state) >> 32) * n >> 32);
}

struct pd_chooser pd_sched_random(struct pd_sched_random *r, uint64_t seed)
{
	r->state = pd_mix(seed + 1);
	return (struct pd_chooser){pick_random, r};
}

/* ---- sparse --------------------------------------------------------------------------------- */

enum {
	YOUNG = 8192,	/* accesses */
	EASING = 512,	/* then one more is passed over for every EASING accesses */
	DISTANCE = 512, /* average distance, at most */
};

struct pd_chooser pd_sched_sparse(struct pd_sched_sparse *s, uint64_t seed)
{
	*s = (struct pd_sched_sparse){.state = pd_mix(~seed)};
	pd_sched.sparse = s;
	pd_sched.passed = 0;
	return pd_sched_random(&s->random, seed);
}

uint32_t pd_sched_distance(struct pd_sched_sparse *s)
{
	uint64_t mean, n;

	if (s->seen++ < YOUNG)
		return 0;
	mean = PD_MIN((s->seen - YOUNG) / EASING, DISTANCE);
	n = (draw(&s->state) >> 32) * (2 * mean + 1) >> 32;
	s->seen += n;
	return (uint32_t)n;
}

/* ---- holding -------------------------------------------------------------------------------- */

static uint32_t number_of(uint32_t candidate)
{
	return pd_sched.live[pd_sched.candidates[candidate]]->number;
}

static uint32_t pick_unheld(void *ctx, enum pd_choice_kind kind, uint32_t n)
{
	const struct pd_sched_holding *h = ctx;
	uint32_t pick = h->base.pick(h->base.ctx, kind, n);

	if (kind != PD_CHOICE_THREAD || !pd_sched.candidates)
		return pick;
	return h->choose(h->ctx, pick, n, number_of);
}

struct pd_chooser pd_sched_holding(const struct pd_sched_holding *h)
{
	return (struct pd_chooser){pick_unheld, (void *)h};
}

/* ---- PCT ------------------------------------------------------------------------------------ */

static void make_ranks(struct pd_sched_pct *p, uint32_t number)
{
	struct pd_host host = pd_rt_memory();
	uint32_t to = PD_MAX(512, p->nrank * 2);
	struct pd_sched_rank *v;

	while (to <= number)
		to *= 2;
	v = host.grow(host.ctx, to * sizeof(*v));
	PD_CHECK(v, "no memory for priorities");
	if (p->nrank) {
		memcpy(v, p->rank, p->nrank * sizeof(*v));
		host.release(host.ctx, p->rank, p->nrank * sizeof(*v));
	}
	p->rank = v;
	p->nrank = to;
}

/* Late threads run first. */
static bool is_late(const struct pd_sched_pct *p, uint32_t number)
{
	return p->late && number % 2 == p->odd;
}

static struct pd_sched_rank *rank_of(struct pd_sched_pct *p, uint32_t number)
{
	if (number >= p->nrank)
		make_ranks(p, number);
	if (!p->rank[number].priority)
		p->rank[number].priority =
			(int64_t)(draw(&p->state) >> 2) + 1 + ((int64_t)is_late(p, number) << 62);
	return &p->rank[number];
}

static bool is_change_point(struct pd_sched_pct *p)
{
	struct pd_sched_rank *r;
	uint32_t i;

	p->step++;
	for (i = 0; i < p->nchange; i++)
		if (p->change[i] == p->step)
			return true;
	if (!pd_sched.cur->flushing || !is_late(p, pd_sched.cur->number))
		return false;
	r = rank_of(p, pd_sched.cur->number);
	return r->flushes < p->late && ++r->flushes == p->late;
}

static uint32_t pick_pct(void *ctx, enum pd_choice_kind kind, uint32_t n)
{
	struct pd_sched_pct *p = ctx;
	uint32_t best = 0;
	int64_t high = INT64_MIN;
	uint32_t i;

	if (kind != PD_CHOICE_THREAD || !pd_sched.candidates)
		return 0;
	if (is_change_point(p) || pd_sched.yielding)
		rank_of(p, pd_sched.cur->number)->priority = --p->lowest;
	for (i = 0; i < n; i++) {
		int64_t v = rank_of(p, pd_sched.live[pd_sched.candidates[i]]->number)->priority;

		if (v > high) {
			high = v;
			best = i;
		}
	}
	return best;
}

static bool is_pct(void)
{
	return pd_rt.chooser.pick == pick_pct;
}

bool pd_sched_settled(void)
{
	const struct pd_sched_pct *p = pd_rt.chooser.ctx;

	if (pd_rt.chooser.pick == pick_first)
		return true;
	for (uint32_t i = 0; is_pct() && i < p->nchange; i++)
		if (p->change[i] > p->step)
			return false;
	return is_pct();
}

uint32_t pd_sched_rank(const struct pd_thread *t)
{
	struct pd_sched_pct *p = pd_rt.chooser.ctx;
	uint32_t rank = 0;

	if (!is_pct())
		return 0;
	for (uint32_t i = 0; i < pd_sched.nlive; i++)
		rank += rank_of(p, pd_sched.live[i]->number)->priority >
			rank_of(p, t->number)->priority;
	return rank ^ rank_of(p, t->number)->flushes << 16;
}

struct pd_chooser pd_sched_pct(struct pd_sched_pct *p, uint64_t seed, uint32_t depth,
			       uint64_t steps)
{
	uint32_t i;

	memset(p, 0, sizeof(*p));
	p->state = pd_mix(seed + 1);
	p->nchange = depth ? PD_MIN(depth - 1, PD_PCT_DEPTH_MAX) : 0;
	for (i = 0; i < p->nchange; i++)
		p->change[i] = 1 + draw(&p->state) % PD_MAX(steps, 1);
	return (struct pd_chooser){pick_pct, p};
}

struct pd_chooser pd_sched_late(struct pd_sched_pct *p, uint64_t seed, uint32_t number)
{
	uint32_t most = 1u << PD_MIN(number / 2, 24);
	struct pd_chooser c = pd_sched_pct(p, seed, 0, 1);

	p->odd = number % 2 == 0;
	p->late = most + (uint32_t)(draw(&p->state) % most);
	return c;
}
