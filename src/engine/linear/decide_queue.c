/*
 * decide_queue.c - see decide.h.
 *
 * An element *must be inside* from the first end of any of its operations to the last beginning. A
 * response that found nothing took effect at a moment at which nothing must be inside; any such
 * moment will do: what may be inside then can be in order and out before, or go in after. (Of two
 * elements the one that can be out before need not follow the other: no rule below says so.) So
 * *entities* are elements, and these responses with their moment, each like an element that goes in
 * and comes out then, with all before it out and all after it not yet in.
 *
 * If X is before Y in the order in which entities go in, then it comes out before Y does. So X has
 * to be before Y
 *
 *   1. where X's going in returned before Y's was called,
 *   2. where some response that showed X at the exit came before the call of one that showed Y,
 *   3. where X was seen to come out before Y's going in was called.
 *
 * An order that keeps to these gives each operation a moment: the latest call of what comes before
 * it. (That is before its own response: else one of the three would be violated.) So there is an
 * explanation if and only if the three have no cycle: entities are placed one by one, each when
 * nothing that is left has to be before it.
 *
 * All three are of the form "the end of something of X's comes before the beginning of something of
 * Y's". Of what is left only the earliest ends count.
 */
#include "engine/linear/decide.h"

struct entity {
	uint32_t element; /* PD_NOBODY: it found nothing */
	uint32_t item;	  /* then: the operation */
	uint32_t in_from, in_to;
	uint32_t seen; /* the first end of an operation that shows it at the exit */
	uint32_t last; /* the last beginning */
};

/* Remaining entities, sorted by one of their numbers. */
struct left {
	uint32_t *next, *before; /* of entity number + 1; 0 is where the list begins and ends */
};

struct queue {
	struct pd_elements *e;
	struct entity *v;
	uint32_t n;
	struct left by_from, by_to, by_seen;
};

static struct entity entity_of(const struct pd_elements *e, uint32_t i)
{
	const struct pd_element *x = &e->v[i];
	struct entity t = {i, PD_NOBODY, x->in_from, x->in_to, x->out_to, x->out_from};

	for (uint32_t k = x->look; k != PD_NOBODY; k = e->item[k].next) {
		t.seen = PD_MIN(t.seen, e->item[k].to);
		t.last = PD_MAX(t.last, e->item[k].from);
	}
	return t;
}

static bool read_entities(struct queue *q)
{
	const struct pd_elements *e = q->e;

	q->v = pd_new_array(e->arena, struct entity, e->n + e->nv + 1);
	for (uint32_t i = 0; q->v && i < e->nv; i++)
		if (!e->v[i].dropped)
			q->v[q->n++] = entity_of(e, i);
	return q->v != NULL;
}

/* For each moment: the first from it on at which nothing must be inside. NULL: memory ran out. */
static uint32_t *find_free(const struct queue *q)
{
	uint32_t events = q->e->events, inside = 0;
	uint32_t *begin = pd_new_array(q->e->arena, uint32_t, events + 3);
	uint32_t *end = pd_new_array(q->e->arena, uint32_t, events + 3);

	if (!begin || !end)
		return NULL;
	for (uint32_t i = 0; i < q->n; i++) {
		uint32_t from = PD_MIN(q->v[i].in_to, q->v[i].seen);
		uint32_t to = PD_MAX(q->v[i].in_from, q->v[i].last);

		if (from < to) {
			begin[from]++;
			end[to]++;
		}
	}
	for (uint32_t m = 0; m <= events; m++) {
		inside += begin[m] - end[m];
		begin[m] = inside;
	}
	for (uint32_t m = events + 1, next = events; m-- > 0;)
		begin[m] = next = begin[m] ? next : m;
	return begin;
}

/* False: something must have been inside when nothing was found; or memory ran out. */
static bool add_empty(struct queue *q)
{
	const struct pd_elements *e = q->e;
	uint32_t *free = find_free(q);

	for (uint32_t i = 0; free && i < e->n; i++) {
		uint32_t m;

		if (e->item[i].role != PD_ROLE_EMPTY)
			continue;
		m = free[e->item[i].from];
		if (m >= e->item[i].to)
			return false;
		q->v[q->n++] = (struct entity){PD_NOBODY, i, m, m + 1, m + 1, m};
	}
	return free != NULL;
}

/* It comes out before it goes in, or is seen after it came out. */
static bool is_impossible(const struct queue *q, const struct entity *x)
{
	return x->in_from >= x->seen || x->last >= q->e->v[x->element].out_to;
}

enum number { BY_FROM, BY_TO, BY_SEEN };

static uint32_t number_of(const struct entity *x, enum number which)
{
	return which == BY_FROM ? x->in_from : which == BY_TO ? x->in_to : x->seen;
}

static bool make_list(const struct queue *q, struct left *l, enum number which)
{
	uint32_t top = q->e->events + 3, at = 0;
	uint32_t *first = pd_new_array(q->e->arena, uint32_t, top);
	uint32_t *same = pd_new_array(q->e->arena, uint32_t, q->n + 1);

	l->next = pd_new_array(q->e->arena, uint32_t, q->n + 1);
	l->before = pd_new_array(q->e->arena, uint32_t, q->n + 1);
	if (!first || !same || !l->next || !l->before)
		return false;
	for (uint32_t i = q->n; i-- > 0;) {
		uint32_t k = number_of(&q->v[i], which);

		same[i] = first[k];
		first[k] = i + 1;
	}
	for (uint32_t k = 0; k < top; k++)
		for (uint32_t i = first[k]; i; i = same[i - 1]) {
			l->next[at] = i;
			l->before[i] = at;
			at = i;
		}
	l->next[at] = 0;
	l->before[0] = at;
	return true;
}

static void drop(struct left *l, uint32_t i)
{
	l->next[l->before[i]] = l->next[i];
	l->before[l->next[i]] = l->before[i];
}

/* An entity (+ 1) that no remaining one has to precede; 0: there is none. */
static uint32_t find_next(const struct queue *q)
{
	uint32_t first = q->by_seen.next[0], second = q->by_seen.next[first], best = 0;
	uint32_t end = q->v[q->by_to.next[0] - 1].in_to;

	for (uint32_t i = q->by_from.next[0]; i && q->v[i - 1].in_from < end;
	     i = q->by_from.next[i]) {
		const struct entity *x = &q->v[i - 1];
		uint32_t other = i == first ? second : first;

		if (other && PD_MAX(x->last, x->in_from) >= q->v[other - 1].seen)
			continue;
		if (!best || x->seen < q->v[best - 1].seen)
			best = i;
	}
	return best;
}

/* The latest moment at which something went in, and at which something was at the exit. */
struct moments {
	uint32_t in, out;
};

static void place(struct queue *q, const struct entity *x, struct moments *m, struct pd_order *o)
{
	const struct pd_elements *e = q->e;
	uint32_t base;

	if (x->element == PD_NOBODY) {
		m->in = m->out = PD_MAX(PD_MAX(m->in, m->out), x->in_from);
		pd_order_add(o, x->item, m->in, PD_PHASE_BETWEEN, 0);
		return;
	}
	m->in = PD_MAX(m->in, x->in_from);
	pd_order_add(o, e->v[x->element].in, m->in, PD_PHASE_BETWEEN, 0);
	base = PD_MAX(m->in, m->out);
	for (uint32_t k = e->v[x->element].look; k != PD_NOBODY; k = e->item[k].next) {
		uint32_t at = PD_MAX(base, e->item[k].from);

		pd_order_add(o, k, at, PD_PHASE_BETWEEN, 0);
		m->out = PD_MAX(m->out, at);
	}
	if (e->v[x->element].out == PD_NOBODY)
		return;
	m->out = PD_MAX(PD_MAX(m->out, base), e->item[e->v[x->element].out].from);
	pd_order_add(o, e->v[x->element].out, m->out, PD_PHASE_BETWEEN, 0);
}

enum pd_fit pd_fit_queue(struct pd_elements *e, struct pd_order *o)
{
	struct queue q = {.e = e};
	struct moments m = {0, 0};

	if (!read_entities(&q))
		return PD_FIT_NO_MEMORY;
	for (uint32_t i = 0; i < q.n; i++)
		if (is_impossible(&q, &q.v[i]))
			return PD_CONTRADICTED;
	if (!add_empty(&q))
		return e->arena->failed ? PD_FIT_NO_MEMORY : PD_CONTRADICTED;
	if (!make_list(&q, &q.by_from, BY_FROM) || !make_list(&q, &q.by_to, BY_TO) ||
	    !make_list(&q, &q.by_seen, BY_SEEN))
		return PD_FIT_NO_MEMORY;
	for (uint32_t left = q.n; left > 0; left--) {
		uint32_t i = find_next(&q);

		if (!i)
			return PD_CONTRADICTED;
		drop(&q.by_from, i);
		drop(&q.by_to, i);
		drop(&q.by_seen, i);
		place(&q, &q.v[i - 1], &m, o);
	}
	return PD_FITS;
}

/*
 * What stays is behind all that is seen at the exit or comes out: an element that was before any of
 * these is gone. `from`: the last call that puts such a one in; `last`, `second`: the last two
 * calls that show them, of different elements.
 */
uint32_t pd_missing_queue(struct pd_elements *e, uint32_t *needed)
{
	uint32_t from = 0, last = 0, second = 0, who = PD_NOBODY, n = 0;

	for (uint32_t i = 0; i < e->n; i++)
		if (e->item[i].role == PD_ROLE_EMPTY)
			from = last = second = PD_MAX(from, e->item[i].from);
	for (uint32_t i = 0; i < e->nv; i++) {
		const struct pd_element *x = &e->v[i];
		uint32_t t = pd_element_last_seen(e, x);

		if (x->dropped || (x->out == PD_NOBODY && x->look == PD_NOBODY))
			continue;
		from = PD_MAX(from, x->in_from);
		second = PD_MAX(second, PD_MIN(t, last));
		if (t > last) {
			last = t;
			who = i;
		}
	}
	for (uint32_t i = 0; i < e->nv; i++) {
		struct entity x = entity_of(e, i);

		if (!e->v[i].dropped && e->v[i].out == PD_NOBODY &&
		    (x.in_to <= from || x.seen <= PD_MAX(from, i == who ? second : last)))
			needed[n++] = i;
	}
	return n;
}
