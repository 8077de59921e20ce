/* decide.c - see decide.h. */
#include "engine/linear/decide.h"
#include "engine/linear/sizes.h"

enum { LEVELS = 1u << 29 };

void pd_order_add(struct pd_order *o, uint32_t item, uint32_t moment, enum pd_phase phase,
		  uint32_t level)
{
	uint32_t rank = (uint32_t)phase * LEVELS;

	if (phase == PD_PHASE_LEAVES)
		rank += LEVELS - 1 - level;
	else if (phase == PD_PHASE_COMES)
		rank += level;
	/* An item that fits nowhere is noticed when the order is checked. */
	o->v[o->n++] = (struct pd_placing){item, PD_MIN(moment, o->events - 1), rank};
}

/* ---- sorting by moment ---------------------------------------------------------------------- */

/* Sorts by moment, and by rank within one; stable. A moment has few. */
static bool sort_order(struct pd_order *o, struct pd_arena *a)
{
	uint32_t events = o->events;
	struct pd_placing *to = pd_new_array(a, struct pd_placing, o->n + 1);
	uint32_t *end = pd_new_array(a, uint32_t, events + 2);

	if (!to || !end)
		return false;
	for (uint32_t i = 0; i < o->n; i++)
		end[o->v[i].moment + 1]++;
	for (uint32_t m = 0; m < events; m++)
		end[m + 1] += end[m];
	/* end[m]: where the moment begins; once all are placed, where it ends. */
	for (uint32_t i = 0; i < o->n; i++) {
		uint32_t m = o->v[i].moment, begin = m ? end[m - 1] : 0, k = end[m]++;

		for (; k > begin && to[k - 1].moment == m && to[k - 1].rank > o->v[i].rank; k--)
			to[k] = to[k - 1];
		to[k] = o->v[i];
	}
	o->v = to;
	return true;
}

/* ---- sizes ---------------------------------------------------------------------------------- */

/* How many are inside after the placing, if there were n before it. */
static uint32_t count_after(const struct pd_elements *e, const struct pd_placing *p, uint32_t n)
{
	enum pd_role role = e->item[p->item].role;

	return role == PD_ROLE_IN ? n + 1 : role == PD_ROLE_OUT ? n - 1 : n;
}

/* A place for item i in the sorted order: one with the size that it returned, or any if it does not
 * return one; `inside` has the sizes. UINT32_MAX: there is none. */
static uint32_t find_place(const struct pd_elements *e, const struct pd_order *o,
			   const uint32_t *inside, uint32_t at, uint32_t i)
{
	const struct pd_item *x = &e->item[i];

	for (;; at++) {
		if (x->role == PD_ROLE_QUIET || inside[at] == x->op->result.word)
			return at;
		if (at == o->n || o->v[at].moment >= x->to)
			return UINT32_MAX;
	}
}

/* Inserts sizes and quiet operations into the sorted order; lists those that do not fit, by their
 * numbers in the history. False: memory ran out. */
static bool place_reads(const struct pd_elements *e, struct pd_order *o, uint32_t *left,
			uint32_t *nleft, struct pd_arena *a)
{
	struct pd_placing *to = pd_new_array(a, struct pd_placing, e->n + 1);
	uint32_t *inside = pd_new_array(a, uint32_t, o->n + 1);
	uint32_t at = o->n, n = 0;
	uint32_t *next = pd_new_array(a, uint32_t, e->n + 1);
	uint32_t *head = pd_new_array(a, uint32_t, o->n + 2);

	if (!to || !inside || !next || !head)
		return false;
	for (uint32_t k = 0; k < o->n; k++)
		inside[k + 1] = count_after(e, &o->v[k], inside[k]);
	/* Backwards: those at one place are in the order of their calls. */
	for (uint32_t i = e->n; i-- > 0;) {
		uint32_t place;

		if (e->item[i].role != PD_ROLE_SIZE && e->item[i].role != PD_ROLE_QUIET)
			continue;
		while (at > 0 && o->v[at - 1].moment >= e->item[i].from)
			at--;
		place = find_place(e, o, inside, at, i);
		if (place == UINT32_MAX) {
			left[(*nleft)++] = e->item[i].number;
			continue;
		}
		next[i] = head[place];
		head[place] = i + 1;
	}
	for (uint32_t k = 0; k <= o->n; k++) {
		for (uint32_t i = head[k]; i; i = next[i - 1])
			to[n++] = (struct pd_placing){i - 1, 0, 0};
		if (k < o->n)
			to[n++] = o->v[k];
	}
	*o = (struct pd_order){to, n, o->events};
	return true;
}

/* ---- checking ------------------------------------------------------------------------------- */

bool pd_order_explains(const struct pd_search *s, const uint32_t *order, uint32_t n,
		       struct pd_arena *a)
{
	const struct pd_hop *ops = s->history->ops.v;
	uint8_t *placed = pd_arena_alloc(a, s->history->ops.n + 1);
	void *state = pd_arena_alloc(a, s->spec->size);
	struct pd_linear_value result;
	struct pd_spec_memory m;
	uint64_t called = 0;

	pd_spec_memory_init(&m, a);
	for (uint32_t k = 0; placed && state && k < n; k++) {
		const struct pd_hop *x = &ops[order[k]];
		bool pending = x->ret > s->until || x->ret == PD_NEVER;

		if (placed[order[k]]++ || called > pd_search_deadline(s, x))
			return false;
		called = PD_MAX(called, x->call);
		if (pd_spec_apply(s->spec, state, &x->op, pd_search_way(&x->op, pending), &result,
				  &m.m) != 1)
			return false;
		if (!pending && !pd_spec_agrees(&x->op, &result))
			return false;
	}
	for (uint32_t i = 0; placed && i < s->n; i++) {
		const struct pd_hop *x = &ops[s->which[i]];
		bool may_lack = (x->op.flags & PD_MAY_FAIL) && !x->op.returned;

		if (!placed[s->which[i]] && x->ret <= s->until && x->ret != PD_NEVER && !may_lack)
			return false;
	}
	return placed && state;
}

enum pd_answer pd_order_keep(struct pd_search *s, const uint32_t *order, uint32_t n)
{
	uint32_t *kept = s->keep ? pd_new_array(s->keep, uint32_t, n + 1) : NULL;

	if (kept) {
		memcpy(kept, order, n * sizeof(*kept));
		s->order = kept;
		s->norder = n;
	}
	return PD_ANSWER_YES;
}

/* The operations of an order. NULL: memory ran out. */
static uint32_t *numbers_of(const struct pd_elements *e, const struct pd_order *o)
{
	uint32_t *order = pd_new_array(e->arena, uint32_t, e->n + 1);

	for (uint32_t k = 0; order && k < o->n; k++)
		order[k] = e->item[o->v[k].item].number;
	return order;
}

/* ---- deciding ------------------------------------------------------------------------------- */

struct deciding {
	struct pd_search *s;
	struct pd_elements *e;
	struct pd_arena *arena;
	pd_decider *fit;
	pd_missing *missing;
};

static pd_decider *decider_of(const struct pd_linear_spec *spec, pd_missing **missing)
{
	*missing = pd_missing_queue;
	if (spec == &pd_spec_queue)
		return pd_fit_queue;
	*missing = pd_missing_stack;
	if (spec == &pd_spec_stack)
		return pd_fit_stack;
	*missing = pd_missing_priority;
	return spec == &pd_spec_priority_queue ? pd_fit_priority : NULL;
}

bool pd_decide_knows(const struct pd_linear_spec *spec)
{
	pd_missing *missing;

	return spec == &pd_spec_register || decider_of(spec, &missing);
}

static enum pd_answer answer_of(enum pd_fit f, enum pd_answer contradicted)
{
	return f == PD_CONTRADICTED ? contradicted : PD_ANSWER_NO_MEMORY;
}

/* The exact reading: finds an order, if one fits. */
static enum pd_answer find_order(struct deciding *d)
{
	struct pd_elements *e = d->e;
	struct pd_order o = {pd_new_array(d->arena, struct pd_placing, e->n + 1), 0, e->events};
	enum pd_fit f = o.v ? d->fit(e, &o) : PD_FIT_NO_MEMORY;
	uint32_t *left = pd_new_array(d->arena, uint32_t, e->n + 1), nleft = 0;
	struct pd_sequence q;

	if (f != PD_FITS)
		return answer_of(f, pd_elements_are_certain(e) ? PD_ANSWER_NO : PD_ANSWER_LIMIT);
	if (!left || !sort_order(&o, d->arena) || !place_reads(e, &o, left, &nleft, d->arena))
		return PD_ANSWER_NO_MEMORY;
	q = (struct pd_sequence){numbers_of(e, &o), o.n};
	if (!q.op || !pd_sizes_insert(d->s, &q, left, nleft, d->arena) ||
	    !pd_order_explains(d->s, q.op, q.n, d->arena))
		return d->arena->failed ? PD_ANSWER_NO_MEMORY : PD_ANSWER_LIMIT;
	return pd_order_keep(d->s, q.op, q.n);
}

/* The relaxed reading: finds a contradiction, if there is one. */
static enum pd_answer find_contradiction(struct deciding *d)
{
	struct pd_order o = {pd_new_array(d->arena, struct pd_placing, d->e->n + 1), 0,
			     d->e->events};
	enum pd_fit f;

	if (!o.v)
		return PD_ANSWER_NO_MEMORY;
	pd_elements_relax(d->e);
	f = d->fit(d->e, &o);
	return f == PD_FITS ? PD_ANSWER_LIMIT : answer_of(f, PD_ANSWER_NO);
}

static enum pd_answer decide(struct deciding *d)
{
	struct pd_elements *e = d->e;
	struct pd_element *as_read;
	uint32_t *needed, n;
	enum pd_answer a;

	if (pd_elements_are_certain(e))
		return find_order(d);
	as_read = pd_new_array(d->arena, struct pd_element, e->nv + 1);
	needed = pd_new_array(d->arena, uint32_t, e->nv + 1);
	if (!as_read || !needed)
		return PD_ANSWER_NO_MEMORY;
	memcpy(as_read, e->v, e->nv * sizeof(*as_read));
	n = d->missing(e, needed);
	if (n == UINT32_MAX)
		return PD_ANSWER_NO_MEMORY;
	if (n > e->takers && !e->repeated)
		return PD_ANSWER_NO;
	pd_elements_take(e, needed, PD_MIN(n, e->takers));
	a = find_order(d);
	if (a != PD_ANSWER_LIMIT)
		return a;
	memcpy(e->v, as_read, e->nv * sizeof(*as_read));
	return find_contradiction(d);
}

enum pd_answer pd_decide(struct pd_search *s, struct pd_arena *arena)
{
	struct pd_elements e;
	struct deciding d = {.s = s, .e = &e, .arena = arena};

	d.fit = decider_of(s->spec, &d.missing);
	if (s->start || s->cut)
		return PD_ANSWER_LIMIT;
	if (s->spec == &pd_spec_register)
		return pd_decide_register(s, arena);
	if (!d.fit)
		return PD_ANSWER_LIMIT;
	if (!pd_elements_read(&e, s, arena))
		return PD_ANSWER_NO_MEMORY;
	if (e.unknown)
		return PD_ANSWER_LIMIT;
	return e.contradicted ? PD_ANSWER_NO : decide(&d);
}

bool pd_decide_try(struct pd_search *s, struct pd_arena *arena, struct pd_try *t)
{
	const struct pd_hop *ops = s->history->ops.v;
	struct pd_linear_value result;
	struct pd_spec_memory m;
	void *state;

	if (pd_decide(s, arena) != PD_ANSWER_YES || !s->order)
		return false;
	pd_spec_memory_init(&m, arena);
	state = pd_arena_alloc(arena, s->spec->size);
	*t = (struct pd_try){.order = s->order};
	for (; state && t->n < s->norder && s->order[t->n] != s->culprit; t->n++) {
		const struct pd_linear_op *op = &ops[s->order[t->n]].op;
		bool pending = ops[s->order[t->n]].ret > s->until;

		if (pd_spec_apply(s->spec, state, op, pd_search_way(op, pending), &result, &m.m) !=
		    1)
			return false;
	}
	t->expected = (struct pd_linear_value){0};
	return state &&
	       pd_spec_apply(s->spec, state, &ops[s->culprit].op,
			     pd_search_way(&ops[s->culprit].op, true), &t->expected, &m.m) == 1;
}
