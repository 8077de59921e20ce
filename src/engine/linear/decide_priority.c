/*
 * decide_priority.c - see decide.h.
 *
 * By ascending key. A moment is *free* for a key if no element with a lesser one must be inside
 * then. An element is taken out, and looked at, at a free moment; it goes in at any. So it comes
 * out at the first free moment that its operations allow at the earliest, and goes in by the last
 * one that they allow; between the two it must be inside, whatever else happens, and the moments
 * are free no longer. If there are no such moments, there is no explanation; else all elements can
 * go in as late and come out as early as that: each is inside only when it must be.
 *
 * Elements of one key do not hinder each other.
 *
 * Free moments are only ever lost, so the next one, forward and backward, is found by union-find.
 */
#include "engine/linear/decide.h"
#include "base/sort.h"

struct times {
	uint32_t in, out; /* goes in, comes out */
};

struct priority {
	struct pd_elements *e;
	struct pd_order *o;
	uint32_t *up,
		*down; /* of moment + 1: itself if it is free, else one on the way to the next */
	struct times *v;
};

static uint32_t find(uint32_t *way, uint32_t i)
{
	while (way[i] != i) {
		way[i] = way[way[i]];
		i = way[i];
	}
	return i;
}

/* The first free moment from m on; at most `events`. */
static uint32_t free_from(struct priority *p, uint32_t m)
{
	return find(p->up, PD_MIN(m, p->e->events) + 1) - 1;
}

/* The last free moment before m, + 1; 0: there is none. */
static uint32_t free_before(struct priority *p, uint32_t m)
{
	return find(p->down, PD_MIN(m, p->e->events));
}

static bool make_moments(struct priority *p)
{
	uint32_t n = p->e->events + 2;

	p->up = pd_new_array(p->e->arena, uint32_t, n);
	p->down = pd_new_array(p->e->arena, uint32_t, n);
	p->v = pd_new_array(p->e->arena, struct times, p->e->nv + 1);
	for (uint32_t i = 0; p->up && p->down && i < n; i++)
		p->up[i] = p->down[i] = i;
	return p->up && p->down && p->v;
}

/* Makes the moments from..to-1 occupied. */
static void occupy(struct priority *p, uint32_t from, uint32_t to)
{
	for (uint32_t m = free_from(p, from); m < to && m < p->e->events; m = free_from(p, m)) {
		p->up[m + 1] = m + 2;
		p->down[m + 1] = m;
	}
}

/* The latest time to go in, and the earliest to come out. False: there is none. */
static bool find_times(struct priority *p, const struct pd_element *x, struct times *t)
{
	const struct pd_item *item = p->e->item;
	uint32_t out = PD_MAX(x->in_from, x->out_from), in = x->in_to; /* + 1 */

	for (uint32_t k = x->look; k != PD_NOBODY; k = item[k].next) {
		uint32_t m = free_from(p, PD_MAX(x->in_from, item[k].from));

		if (m >= item[k].to)
			return false;
		out = PD_MAX(out, m);
		in = PD_MIN(in, free_before(p, item[k].to));
	}
	*t = (struct times){in - 1, x->out_to};
	if (x->out_from > p->e->events)
		return true;
	t->out = free_from(p, out);
	if (x->out_to <= p->e->events)
		t->in = PD_MIN(in, free_before(p, x->out_to)) - 1;
	return t->out < PD_MIN(x->out_to, p->e->events + 1);
}

/* ---- the order ------------------------------------------------------------------------------ */

/* When the element that is inside from t.in to t.out is looked at. */
static uint32_t look_at(struct priority *p, const struct pd_element *x, const struct pd_item *look,
			struct times t)
{
	uint32_t m = free_from(p, PD_MAX(x->in_from, look->from)), last;

	if (m >= t.in)
		return m;
	if (free_from(p, t.in) == t.in)
		return t.in;
	last = free_before(p, look->to) - 1;
	return PD_MIN(last, t.out);
}

static void place(struct priority *p, uint32_t i, uint32_t level)
{
	const struct pd_element *x = &p->e->v[i];
	struct times t = p->v[i];
	bool at_once = t.out <= t.in;
	enum pd_phase in = at_once ? PD_PHASE_BETWEEN : PD_PHASE_COMES;
	enum pd_phase out = at_once ? PD_PHASE_BETWEEN : PD_PHASE_LEAVES;

	t.in = PD_MIN(t.in, t.out);
	pd_order_add(p->o, x->in, t.in, in, level);
	for (uint32_t k = x->look; k != PD_NOBODY; k = p->e->item[k].next) {
		uint32_t m = at_once ? t.in : look_at(p, x, &p->e->item[k], t);

		pd_order_add(p->o, k, m,
			     m == t.in	  ? in
			     : m == t.out ? out
					  : PD_PHASE_BETWEEN,
			     level);
	}
	if (x->out != PD_NOBODY)
		pd_order_add(p->o, x->out, t.out, out, level);
}

static bool place_empty(struct priority *p)
{
	for (uint32_t i = 0; i < p->e->n; i++) {
		uint32_t m;

		if (p->e->item[i].role != PD_ROLE_EMPTY)
			continue;
		m = free_from(p, p->e->item[i].from);
		if (m >= p->e->item[i].to)
			return false;
		pd_order_add(p->o, i, m, PD_PHASE_BETWEEN, 0);
	}
	return true;
}

static bool has_less(const void *ctx, uint32_t a, uint32_t b)
{
	const struct pd_element *v = ctx;

	return v[a].key < v[b].key;
}

/* Places the elements of one key, by_key[from..to-1]; higher keys have lower levels. */
static bool place_key(struct priority *p, const uint32_t *by_key, uint32_t from, uint32_t to)
{
	for (uint32_t k = from; k < to; k++) {
		const struct pd_element *x = &p->e->v[by_key[k]];

		if (x->dropped)
			continue;
		if (!find_times(p, x, &p->v[by_key[k]]))
			return false;
		place(p, by_key[k], p->e->nv - from);
	}
	for (uint32_t k = from; k < to; k++)
		if (!p->e->v[by_key[k]].dropped)
			occupy(p, p->v[by_key[k]].in + 1, p->v[by_key[k]].out);
	return true;
}

enum pd_fit pd_fit_priority(struct pd_elements *e, struct pd_order *o)
{
	struct priority p = {.e = e, .o = o};
	uint32_t *by_key = pd_sort_new(e->arena, e->nv, has_less, e->v);

	if (!by_key || !make_moments(&p))
		return PD_FIT_NO_MEMORY;
	for (uint32_t from = 0, to; from < e->nv; from = to) {
		for (to = from; to < e->nv && e->v[by_key[to]].key == e->v[by_key[from]].key;)
			to++;
		if (!place_key(&p, by_key, from, to))
			return PD_CONTRADICTED;
	}
	return place_empty(&p) ? PD_FITS : PD_CONTRADICTED;
}

/* ---- what is missing ------------------------------------------------------------------------ */

/* An element is gone if a greater one, or nothing at all, is seen later. */
uint32_t pd_missing_priority(struct pd_elements *e, uint32_t *needed)
{
	uint32_t *by_key = pd_sort_new(e->arena, e->nv, has_less, e->v), last = 0, n = 0;

	if (!by_key)
		return UINT32_MAX;
	for (uint32_t i = 0; i < e->n; i++)
		if (e->item[i].role == PD_ROLE_EMPTY)
			last = PD_MAX(last, e->item[i].from);
	for (uint32_t k = e->nv; k-- > 0;) {
		const struct pd_element *x = &e->v[by_key[k]];
		uint32_t in_by, out_from;

		if (x->dropped)
			continue;
		pd_elements_bounds(e, x, &in_by, &out_from);
		if (x->out == PD_NOBODY && last >= in_by)
			needed[n++] = by_key[k];
		if (k == 0 || e->v[by_key[k - 1]].key != x->key)
			last = PD_MAX(last, pd_element_last_seen(e, x));
	}
	return n;
}
