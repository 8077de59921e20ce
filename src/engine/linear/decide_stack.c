/*
 * decide_stack.c - see decide.h.
 *
 * An element *must be inside* from the first end of what needs it there (its push, a look) to the
 * last beginning of what does (its pop, a look). One for which that is nothing can come and go at
 * one moment, at any height, and hinders nobody.
 *
 * At a moment at which nothing must be inside the stack can be empty: whatever is inside in some
 * explanation may be pushed right after it or popped right before it as well. So the stretches
 * between such moments are independent of each other. Throughout a stretch the stack is not empty,
 * so one element is at the bottom all the time: its push is called before anything must be inside,
 * its pop returns after, and where it is looked at nothing else must be inside. Any such element
 * will do: what is below the others does not hinder them. It is taken away, and what is left of the
 * stretch falls into stretches again. If there is none, there is no explanation.
 *
 * How many elements must be inside at each moment is kept in a tree of minima, so that taking one
 * away and finding the next moment without any takes logarithmic time.
 */
#include "engine/linear/decide.h"

struct inside {
	uint32_t in_by, out_from; /* must be inside at these moments: from in_by to out_from - 1 */
};

/* Minimum over the moments below each node, without what the nodes above add. */
struct tree {
	int32_t *least, *added;
	uint32_t leaves;
};

struct stretch {
	uint32_t from, to; /* moments */
	uint32_t level;
};

struct stack {
	struct pd_elements *e;
	struct pd_order *o;
	struct inside *v;
	uint32_t *by_in; /* elements that must be inside at some moment, by the first such */
	uint32_t nby_in;
	uint32_t *begin; /* of each moment: the first of these that comes then or later */
	uint32_t *
		left; /* of each of these: itself or a later one, on the way to one not taken away */
	struct tree tree;
	struct stretch *todo;
	uint32_t ntodo;
};

/* ---- the tree ------------------------------------------------------------------------------- */

static bool make_tree(struct tree *t, uint32_t n, struct pd_arena *a)
{
	for (t->leaves = 1; t->leaves < n;)
		t->leaves *= 2;
	t->least = pd_new_array(a, int32_t, 2 * t->leaves);
	t->added = pd_new_array(a, int32_t, 2 * t->leaves);
	return t->least && t->added;
}

static void add_up(struct tree *t, uint32_t i)
{
	for (i /= 2; i; i /= 2)
		t->least[i] = PD_MIN(t->least[2 * i], t->least[2 * i + 1]) + t->added[i];
}

static void add_node(struct tree *t, uint32_t i, int32_t by)
{
	t->least[i] += by;
	t->added[i] += by;
}

/* To the moments from..to-1. */
static void add(struct tree *t, uint32_t from, uint32_t to, int32_t by)
{
	uint32_t l = from + t->leaves, r = to + t->leaves;

	if (from >= to)
		return;
	for (; l < r; l /= 2, r /= 2) {
		if (l & 1)
			add_node(t, l++, by);
		if (r & 1)
			add_node(t, --r, by);
	}
	add_up(t, from + t->leaves);
	add_up(t, to - 1 + t->leaves);
}

/* What the nodes above add. */
static int32_t above(const struct tree *t, uint32_t i)
{
	int32_t n = 0;

	for (i /= 2; i; i /= 2)
		n += t->added[i];
	return n;
}

/*
 * The first moment from this one on at which nothing must be inside; there is one after all events.
 */
static uint32_t first_free(const struct tree *t, uint32_t from)
{
	uint32_t i = from + t->leaves;
	int32_t n = above(t, i);

	/* Up, until the node or one to the right of it has such a moment; then down to it. */
	while (t->least[i] + n > 0) {
		while (i & 1) {
			i /= 2;
			n -= t->added[i];
		}
		i++;
	}
	while (i < t->leaves) {
		n += t->added[i];
		i *= 2;
		if (t->least[i] + n > 0)
			i++;
	}
	return i - t->leaves;
}

/* ---- elements ------------------------------------------------------------------------------- */

/* Whether the operations that need it inside can follow each other. */
static bool is_possible(const struct pd_element *x, const struct inside *m)
{
	return x->in_from < PD_MIN(m->in_by, x->out_to) && m->out_from < x->out_to;
}

/* It comes and goes at one moment. */
static void place_short(struct stack *s, uint32_t i)
{
	const struct pd_element *x = &s->e->v[i];
	uint32_t m = PD_MAX(x->in_from, s->v[i].out_from);

	pd_order_add(s->o, x->in, m, PD_PHASE_BETWEEN, 0);
	for (uint32_t k = x->look; k != PD_NOBODY; k = s->e->item[k].next)
		pd_order_add(s->o, k, m, PD_PHASE_BETWEEN, 0);
	if (x->out != PD_NOBODY)
		pd_order_add(s->o, x->out, m, PD_PHASE_BETWEEN, 0);
}

static bool make_lists(struct stack *s)
{
	struct pd_elements *e = s->e;

	s->v = pd_new_array(e->arena, struct inside, e->nv + 1);
	s->by_in = pd_new_array(e->arena, uint32_t, e->nv + 1);
	s->begin = pd_new_array(e->arena, uint32_t, e->events + 3);
	s->left = pd_new_array(e->arena, uint32_t, e->nv + 1);
	s->todo = pd_new_array(e->arena, struct stretch, e->nv + 2);
	return s->v && s->by_in && s->begin && s->left && s->todo &&
	       make_tree(&s->tree, e->events + 2, e->arena);
}

/* False: some element contradicts itself. */
static bool read_elements(struct stack *s)
{
	struct pd_elements *e = s->e;

	for (uint32_t i = 0; i < e->nv; i++) {
		struct inside *m = &s->v[i];

		if (e->v[i].dropped)
			continue;
		pd_elements_bounds(e, &e->v[i], &m->in_by, &m->out_from);
		if (!is_possible(&e->v[i], m))
			return false;
		if (m->out_from < m->in_by) {
			place_short(s, i);
			continue;
		}
		s->begin[m->in_by + 1]++;
		s->nby_in++;
		add(&s->tree, m->in_by, PD_MIN(m->out_from, e->events), 1);
	}
	return true;
}

static void sort_elements(struct stack *s)
{
	struct pd_elements *e = s->e;

	for (uint32_t m = 0; m <= e->events + 1; m++)
		s->begin[m + 1] += s->begin[m];
	for (uint32_t i = 0; i < e->nv; i++)
		if (!e->v[i].dropped && s->v[i].in_by <= s->v[i].out_from)
			s->by_in[s->begin[s->v[i].in_by]++] = i;
	for (uint32_t m = e->events + 2; m > 0; m--)
		s->begin[m] = s->begin[m - 1];
	s->begin[0] = 0;
	for (uint32_t k = 0; k <= s->nby_in; k++)
		s->left[k] = k;
}

/* The first from index k on in by_in that was not taken away. */
static uint32_t next_left(struct stack *s, uint32_t k)
{
	while (s->left[k] != k) {
		s->left[k] = s->left[s->left[k]];
		k = s->left[k];
	}
	return k;
}

/* ---- stretches ------------------------------------------------------------------------------ */

/* When it is looked at, with nothing above it in the stretch, from whose start it is inside. */
static uint32_t look_at(const struct stack *s, const struct pd_item *look, const struct stretch *in)
{
	uint32_t m = first_free(&s->tree, PD_MAX(look->from, in->from - 1));

	return m < look->to && m <= in->to ? m : PD_NOBODY;
}

static bool may_be_bottom(struct stack *s, uint32_t i, const struct stretch *t)
{
	const struct pd_element *x = &s->e->v[i];
	const struct inside *m = &s->v[i];
	uint32_t k = x->look, end = PD_MIN(m->out_from, s->e->events);

	if (x->in_from >= t->from || x->out_to <= t->to)
		return false;
	add(&s->tree, m->in_by, end, -1);
	while (k != PD_NOBODY && look_at(s, &s->e->item[k], t) != PD_NOBODY)
		k = s->e->item[k].next;
	if (k != PD_NOBODY)
		add(&s->tree, m->in_by, end, 1);
	return k == PD_NOBODY;
}

static void place_bottom(struct stack *s, uint32_t i, const struct stretch *t)
{
	const struct pd_element *x = &s->e->v[i];

	pd_order_add(s->o, x->in, t->from - 1, PD_PHASE_COMES, t->level);
	for (uint32_t k = x->look; k != PD_NOBODY; k = s->e->item[k].next) {
		uint32_t m = look_at(s, &s->e->item[k], t);
		enum pd_phase phase = m == t->from - 1 ? PD_PHASE_COMES
				      : m == t->to     ? PD_PHASE_LEAVES
						       : PD_PHASE_BETWEEN;

		pd_order_add(s->o, k, m, phase, t->level);
	}
	if (x->out != PD_NOBODY)
		pd_order_add(s->o, x->out, t->to, PD_PHASE_LEAVES, t->level);
}

/* The bottom's index in by_in; PD_NOBODY: there is none. */
static uint32_t find_bottom(struct stack *s, const struct stretch *t)
{
	uint32_t end = s->begin[t->to];

	for (uint32_t k = next_left(s, s->begin[t->from]); k < end; k = next_left(s, k + 1))
		if (may_be_bottom(s, s->by_in[k], t))
			return k;
	return PD_NOBODY;
}

/* Takes away the bottoms of the stretches in the range. False: one has none. */
static bool divide(struct stack *s, struct stretch range)
{
	uint32_t end = s->begin[range.to], k = next_left(s, s->begin[range.from]);

	while (k < end) {
		uint32_t from = s->v[s->by_in[k]].in_by, bottom;
		struct stretch t = {from, first_free(&s->tree, from), range.level};

		bottom = find_bottom(s, &t);
		if (bottom == PD_NOBODY)
			return false;
		s->left[bottom] = bottom + 1;
		place_bottom(s, s->by_in[bottom], &t);
		s->todo[s->ntodo++] = (struct stretch){t.from, t.to, t.level + 1};
		k = next_left(s, s->begin[t.to]);
	}
	return true;
}

/* Needs the tree before anything is taken away. */
static bool place_empty(struct stack *s)
{
	struct pd_elements *e = s->e;

	for (uint32_t i = 0; i < e->n; i++) {
		uint32_t m;

		if (e->item[i].role != PD_ROLE_EMPTY)
			continue;
		m = first_free(&s->tree, e->item[i].from);
		if (m >= e->item[i].to)
			return false;
		pd_order_add(s->o, i, m, PD_PHASE_BETWEEN, 0);
	}
	return true;
}

enum pd_fit pd_fit_stack(struct pd_elements *e, struct pd_order *o)
{
	struct stack s = {.e = e, .o = o};

	if (!make_lists(&s))
		return PD_FIT_NO_MEMORY;
	if (!read_elements(&s) || !place_empty(&s))
		return PD_CONTRADICTED;
	sort_elements(&s);
	s.todo[s.ntodo++] = (struct stretch){0, e->events, 0};
	while (s.ntodo)
		if (!divide(&s, s.todo[--s.ntodo]))
			return PD_CONTRADICTED;
	return PD_FITS;
}

/* ---- what is missing ------------------------------------------------------------------------ */

/*
 * An element is gone if one below it, or nothing at all, is seen later. seen[m]: the last time that
 * an element whose push had returned at m is seen.
 */
uint32_t pd_missing_stack(struct pd_elements *e, uint32_t *needed)
{
	uint32_t *seen = pd_new_array(e->arena, uint32_t, e->events + 2), empty = 0, n = 0;

	if (!seen)
		return UINT32_MAX;
	for (uint32_t i = 0; i < e->nv; i++)
		if (!e->v[i].dropped)
			seen[e->v[i].in_to] =
				PD_MAX(seen[e->v[i].in_to], pd_element_last_seen(e, &e->v[i]));
	for (uint32_t m = 0; m < e->events; m++)
		seen[m + 1] = PD_MAX(seen[m + 1], seen[m]);
	for (uint32_t i = 0; i < e->n; i++)
		if (e->item[i].role == PD_ROLE_EMPTY)
			empty = PD_MAX(empty, e->item[i].from);
	/* The element pushed last is gone first. */
	for (uint32_t i = e->nv; i-- > 0;) {
		uint32_t in_by, out_from;

		if (e->v[i].dropped || e->v[i].out != PD_NOBODY)
			continue;
		pd_elements_bounds(e, &e->v[i], &in_by, &out_from);
		if (PD_MAX(empty, seen[e->v[i].in_from]) >= in_by)
			needed[n++] = i;
	}
	return n;
}
