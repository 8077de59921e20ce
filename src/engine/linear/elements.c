/* elements.c - see elements.h. */
#include "engine/linear/elements.h"
#include "base/map.h"
#include "engine/linear/treap.h"

/* ---- time ----------------------------------------------------------------------------------- */

static uint64_t response(const struct pd_elements *e, const struct pd_hop *x)
{
	return x->ret > e->s->until ? PD_NEVER : x->ret;
}

static const struct pd_hop *hop(const struct pd_elements *e, uint32_t i)
{
	return &e->s->history->ops.v[e->item[i].number];
}

/*
 * The items that returned, by response. They are listed by call, which is nearly the same: an item
 * moves only past those inside a longer one.
 */
static uint32_t sort_by_response(const struct pd_elements *e, uint32_t *order)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < e->n; i++) {
		uint64_t ret = response(e, hop(e, i));
		uint32_t k = n;

		if (ret == PD_NEVER)
			continue;
		for (; k > 0 && response(e, hop(e, order[k - 1])) > ret; k--)
			order[k] = order[k - 1];
		order[k] = i;
		n++;
	}
	return n;
}

static uint32_t era_of(const struct pd_elements *e, uint32_t i)
{
	return pd_op_history_era(e->s->history, hop(e, i)->call);
}

/* A pending item ends with the next crash. */
static void end_with_eras(struct pd_elements *e)
{
	uint32_t crash = e->events;

	for (uint32_t i = e->n; i-- > 0;) {
		if (i + 1 < e->n && era_of(e, i) != era_of(e, i + 1))
			crash = e->item[i + 1].from - 1;
		if (response(e, hop(e, i)) == PD_NEVER)
			e->item[i].to = crash;
	}
}

/*
 * Numbers the events; a pending item ends with the last one, or by the strict condition with its
 * era.
 */
static bool number_events(struct pd_elements *e)
{
	uint32_t *order = pd_new_array(e->arena, uint32_t, e->n + 1), n, k = 0, at = 0;

	if (!order)
		return false;
	n = sort_by_response(e, order);
	for (uint32_t i = 0; i < e->n; i++) {
		for (; k < n && hop(e, order[k])->ret < hop(e, i)->call; k++)
			e->item[order[k]].to = at++;
		/* A crash is an event, too, if it ends something. */
		if (e->s->strict && i > 0 && era_of(e, i) != era_of(e, i - 1))
			at++;
		e->item[i].from = at++;
	}
	for (; k < n; k++)
		e->item[order[k]].to = at++;
	e->events = at;
	for (uint32_t i = 0; i < e->n; i++)
		if (response(e, hop(e, i)) == PD_NEVER)
			e->item[i].to = at;
	if (e->s->strict)
		end_with_eras(e);
	return true;
}

/* ---- roles ---------------------------------------------------------------------------------- */

static enum pd_role role_of_fn(const struct pd_linear_spec *spec, uint32_t fn)
{
	static const enum pd_role sequence[] = {PD_ROLE_IN, PD_ROLE_OUT, PD_ROLE_LOOK,
						PD_ROLE_SIZE};
	static const enum pd_role priority[] = {PD_ROLE_IN,   PD_ROLE_NONE, PD_ROLE_OUT,
						PD_ROLE_NONE, PD_ROLE_LOOK, PD_ROLE_SIZE};

	return spec == &pd_spec_priority_queue ? priority[fn] : sequence[fn];
}

static void set_role(struct pd_elements *e, struct pd_item *x, bool pending)
{
	bool known = !pending && x->op->returned, may_fail = x->op->flags & PD_MAY_FAIL;
	uint64_t result = x->op->result.word;

	x->role = role_of_fn(e->s->spec, x->op->fn);
	x->optional = pending || (may_fail && !known);
	e->unknown |= x->role == PD_ROLE_NONE; /* by key and by value: not handled here */
	if (known && may_fail && result == PD_FAILED) {
		x->role = PD_ROLE_QUIET;
	} else if (x->role == PD_ROLE_IN) {
		e->unknown |= x->op->arg[0].word >= PD_FAILED;
		e->contradicted |= known && (result != 1 || x->op->result.size);
	} else if (x->role == PD_ROLE_OUT) {
		e->unknown |= !pending && !known;
	} else if (!known) {
		x->role = pending ? PD_ROLE_NONE : PD_ROLE_QUIET;
	}
	if (known && result == PD_NONE && (x->role == PD_ROLE_OUT || x->role == PD_ROLE_LOOK))
		x->role = PD_ROLE_EMPTY;
}

static bool read_items(struct pd_elements *e)
{
	const struct pd_search *s = e->s;

	e->item = pd_new_array(e->arena, struct pd_item, s->n + 1);
	for (uint32_t i = 0; e->item && i < s->n; i++) {
		const struct pd_hop *x = &s->history->ops.v[s->which[i]];

		if (x->call > s->until)
			continue;
		e->item[e->n] =
			(struct pd_item){.op = &x->op, .number = s->which[i], .next = PD_NOBODY};
		set_role(e, &e->item[e->n++], response(e, x) == PD_NEVER);
	}
	return e->item && number_events(e);
}

/* ---- elements ------------------------------------------------------------------------------- */

static void never_out(struct pd_elements *e, struct pd_element *x)
{
	x->out = PD_NOBODY;
	x->out_from = e->events + 1;
	x->out_to = e->events + 2;
}

static bool add_element(struct pd_elements *e, struct pd_map *last, uint32_t i)
{
	const struct pd_item *in = &e->item[i];
	uint64_t *at = pd_map_put(last, e->arena, in->op->arg[0].word);
	struct pd_element *x = &e->v[e->nv];

	if (!at)
		return false;
	*x = (struct pd_element){.in = i,
				 .look = PD_NOBODY,
				 .like = *at ? (uint32_t)*at - 1 : PD_NOBODY,
				 .in_from = in->from,
				 .in_to = in->to,
				 .key = in->op->arg[0].word,
				 .repeated = *at != 0};
	never_out(e, x);
	if (*at) {
		e->v[*at - 1].repeated = e->repeated = true;
		e->unknown |= pd_value_compare(&in->op->arg[0],
					       &e->item[e->v[*at - 1].in].op->arg[0]) != 0;
	}
	*at = ++e->nv;
	return true;
}

/* Of the elements of one value, the earliest that was not taken out; certain ones first. */
static struct pd_element *to_take(struct pd_elements *e, uint32_t last)
{
	struct pd_element *best = NULL;

	for (uint32_t i = last; i != PD_NOBODY; i = e->v[i].like) {
		struct pd_element *x = &e->v[i];

		if (x->out == PD_NOBODY &&
		    (!best || e->item[x->in].optional <= e->item[best->in].optional))
			best = x;
	}
	return best;
}

/* The element that is looked at: the first that is not out before the look. */
static struct pd_element *to_look_at(struct pd_elements *e, uint32_t last, const struct pd_item *p)
{
	struct pd_element *best = NULL, *any = NULL;

	for (uint32_t i = last; i != PD_NOBODY; i = e->v[i].like) {
		struct pd_element *x = &e->v[i];

		any = x;
		if (p->from < x->out_to && x->in_from < p->to)
			best = x;
	}
	return best ? best : any;
}

static void match(struct pd_elements *e, const struct pd_map *last, uint32_t i)
{
	struct pd_item *p = &e->item[i];
	uint64_t *at = p->op->result.word < PD_FAILED ? pd_map_get(last, p->op->result.word) : NULL;
	struct pd_element *x = NULL;

	if (at)
		x = p->role == PD_ROLE_OUT ? to_take(e, (uint32_t)*at - 1)
					   : to_look_at(e, (uint32_t)*at - 1, p);
	if (!x) {
		/* It never went in, or came out more often than it went in */
		e->contradicted = true;
		return;
	}
	e->unknown |= pd_value_compare(&p->op->result, &e->item[x->in].op->arg[0]) != 0;
	if (p->role == PD_ROLE_OUT) {
		x->out = i;
		x->out_from = p->from;
		x->out_to = p->to;
	} else {
		p->next = x->look;
		x->look = i;
	}
}

static void match_all(struct pd_elements *e, const struct pd_map *last)
{
	for (uint32_t i = 0; i < e->n; i++) {
		if (e->item[i].role == PD_ROLE_OUT && !e->item[i].optional)
			match(e, last, i);
		if (e->item[i].role == PD_ROLE_OUT && e->item[i].optional && !e->takers++)
			e->first = e->item[i].from;
	}
	for (uint32_t i = 0; i < e->n; i++)
		if (e->item[i].role == PD_ROLE_LOOK)
			match(e, last, i);
	for (uint32_t i = 0; i < e->nv; i++) {
		struct pd_element *x = &e->v[i];

		x->dropped = e->item[x->in].optional && x->out == PD_NOBODY && x->look == PD_NOBODY;
	}
}

bool pd_elements_read(struct pd_elements *e, const struct pd_search *s, struct pd_arena *arena)
{
	struct pd_map last = {0};

	*e = (struct pd_elements){.s = s, .arena = arena};
	if (!read_items(e))
		return false;
	e->v = pd_new_array(arena, struct pd_element, e->n + 1);
	if (!e->v)
		return false;
	for (uint32_t i = 0; i < e->n && !e->unknown; i++)
		if (e->item[i].role == PD_ROLE_IN && !add_element(e, &last, i))
			return false;
	if (!e->unknown)
		match_all(e, &last);
	return true;
}

/* ---- the two readings ----------------------------------------------------------------------- */

void pd_elements_take(struct pd_elements *e, const uint32_t *needed, uint32_t n)
{
	uint32_t k = 0;

	for (uint32_t i = 0; i < e->n && k < n; i++) {
		struct pd_item *p = &e->item[i];

		if (p->role != PD_ROLE_OUT || !p->optional)
			continue;
		e->v[needed[k]].out = i;
		e->v[needed[k]].out_from = p->from;
		e->v[needed[k++]].out_to = p->to;
	}
}

/* All elements of one value get the time that any of them has; those that stay are ignored. */
static void join_times(struct pd_elements *e, uint32_t last)
{
	uint32_t in_from = UINT32_MAX, in_to = 0, out_from = UINT32_MAX, out_to = 0;

	for (uint32_t i = last; i != PD_NOBODY; i = e->v[i].like) {
		in_from = PD_MIN(in_from, e->v[i].in_from);
		in_to = PD_MAX(in_to, e->v[i].in_to);
		if (e->v[i].out == PD_NOBODY)
			continue;
		out_from = PD_MIN(out_from, e->v[i].out_from);
		out_to = PD_MAX(out_to, e->v[i].out_to);
	}
	for (uint32_t i = last, next; i != PD_NOBODY; i = next) {
		struct pd_element *x = &e->v[i];

		next = x->like;
		x->in_from = in_from;
		x->in_to = in_to;
		x->out_from = out_from;
		x->out_to = out_to;
		x->dropped = x->out == PD_NOBODY;
		x->look = x->like = PD_NOBODY;
		x->repeated = false;
	}
}

void pd_elements_relax(struct pd_elements *e)
{
	for (uint32_t i = e->nv; i-- > 0;) {
		struct pd_element *x = &e->v[i];

		if (x->repeated)
			join_times(e, i);
		else if (x->out == PD_NOBODY && e->takers)
			x->out_from = e->first;
	}
}

void pd_elements_bounds(const struct pd_elements *e, const struct pd_element *x, uint32_t *in_by,
			uint32_t *out_from)
{
	*in_by = x->in_to;
	*out_from = x->out_from;
	for (uint32_t i = x->look; i != PD_NOBODY; i = e->item[i].next) {
		*in_by = PD_MIN(*in_by, e->item[i].to);
		*out_from = PD_MAX(*out_from, e->item[i].from);
	}
}

uint32_t pd_element_last_seen(const struct pd_elements *e, const struct pd_element *x)
{
	uint32_t last = x->out == PD_NOBODY ? 0 : x->out_from;

	for (uint32_t k = x->look; k != PD_NOBODY; k = e->item[k].next)
		last = PD_MAX(last, e->item[k].from);
	return last;
}
