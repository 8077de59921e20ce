/* cuts.c - see cuts.h. */
#include "engine/linear/cuts.h"
#include "base/map.h"
#include "engine/linear/decide.h"

enum { EFFORT = 4u << 20 }; /* operations, of all tries: then it is left to the search */

struct cuts {
	const struct pd_search *all;
	const struct pd_hop *ops;
	uint64_t crash;
	uint64_t synced;	/* what returned before this is in any cut */
	struct pd_map written;	/* word -> operation + 1 that put it in; UINT64_MAX: several did */
	struct pd_map shows;	/* word -> 1: after the crash */
	uint64_t last;		/* call of one that put in what shows */
	uint64_t lo, hi;	/* t is not before, not after */
	struct pd_arena *arena; /* these */
	struct pd_arena step;	/* one try */
};

static int effect_of(const struct cuts *c, const struct pd_hop *x)
{
	return c->all->spec->ops[x->op.fn].effect;
}

static bool has_returned(const struct cuts *c, const struct pd_hop *x)
{
	return x->ret != PD_NEVER && x->ret <= c->all->until;
}

/* The word that the operation shows; PD_NONE: none. */
static uint64_t shown_by(const struct cuts *c, const struct pd_hop *x)
{
	int effect = effect_of(c, x);
	bool shows = effect == PD_REMOVES || effect == PD_PEEKS;

	return shows && has_returned(c, x) && x->op.returned && x->op.result.word < PD_FAILED
		       ? x->op.result.word
		       : PD_NONE;
}

/* ---- when the cut can be -------------------------------------------------------------------- */

static bool note_written(struct cuts *c, uint32_t number)
{
	const struct pd_hop *x = &c->ops[number];
	uint64_t *at;

	if (effect_of(c, x) != PD_WRITES || !x->op.nargs || x->op.arg[0].word == UINT64_MAX)
		return true;
	at = pd_map_put(&c->written, c->arena, x->op.arg[0].word);
	if (at)
		*at = *at ? UINT64_MAX : number + 1;
	return at != NULL;
}

static bool note_shown(struct cuts *c, const struct pd_hop *x)
{
	uint64_t word = shown_by(c, x), *at, *writer;

	if (word == PD_NONE || x->call < c->crash)
		return true;
	at = pd_map_put(&c->shows, c->arena, word);
	writer = pd_map_get(&c->written, word);
	if (at)
		*at = 1;
	if (writer && *writer != UINT64_MAX && c->ops[*writer - 1].call < c->crash)
		c->last = PD_MAX(c->last, c->ops[*writer - 1].call);
	return at != NULL;
}

/*
 * What was taken out before the crash and shows after it was not taken out in the cut. What went
 * into a queue before something that shows after the crash, and does not show itself, was.
 */
static void note_taken(struct cuts *c, const struct pd_hop *x)
{
	uint64_t word = shown_by(c, x), *writer;

	if (word == PD_NONE || x->call > c->crash || effect_of(c, x) != PD_REMOVES)
		return;
	writer = pd_map_get(&c->written, word);
	if (!writer || *writer == UINT64_MAX)
		return;
	if (pd_map_get(&c->shows, word))
		c->hi = PD_MIN(c->hi, x->ret);
	else if (c->all->spec->order == PD_FIRST_IN_FIRST_OUT && c->ops[*writer - 1].ret < c->last)
		c->lo = PD_MAX(c->lo, x->call);
}

static bool find_bounds(struct cuts *c)
{
	const struct pd_op_history *h = c->all->history;

	for (uint32_t i = 0; i < h->ops.n; i++)
		if ((h->ops.v[i].op.flags & PD_SYNC) && h->ops.v[i].ret < c->crash)
			c->synced = PD_MAX(c->synced, h->ops.v[i].call);
	for (uint32_t i = 0; i < c->all->n; i++)
		if (!note_written(c, c->all->which[i]))
			return false;
	for (uint32_t i = 0; i < c->all->n; i++) {
		const struct pd_hop *x = &c->ops[c->all->which[i]];

		if (!note_shown(c, x))
			return false;
		if (x->ret < c->synced)
			c->lo = PD_MAX(c->lo, x->call);
	}
	c->lo = PD_MAX(c->lo, c->last);
	for (uint32_t i = 0; i < c->all->n; i++)
		note_taken(c, &c->ops[c->all->which[i]]);
	return true;
}

/* ---- one cut -------------------------------------------------------------------------------- */

/* What becomes of an operation that was open at t. */
enum open { LEAVE_OUT, INTERRUPTED, DONE };

static enum open open_at(const struct cuts *c, const struct pd_hop *x, bool guess)
{
	int effect = effect_of(c, x);
	bool known = x->ret != PD_NEVER && x->op.returned;

	if (x->ret < c->synced)
		return DONE;
	if (known && (effect == PD_READS || effect == PD_PEEKS || x->op.result.word >= PD_FAILED))
		return LEAVE_OUT; /* nothing that the cut would lack */
	if (!guess || !known || effect != PD_REMOVES)
		return INTERRUPTED;
	return pd_map_get(&c->shows, x->op.result.word) ? LEAVE_OUT : DONE;
}

/* The history with the cut at t; `of`: which operation is which. False: memory ran out. */
static bool make_history(struct cuts *c, uint64_t t, bool guess, struct pd_op_history *h,
			 uint32_t **of)
{
	pd_op_history_init(h, &c->step);
	*of = pd_new_array(&c->step, uint32_t, c->all->n + 1);
	for (uint32_t i = 0; *of && i < c->all->n; i++) {
		struct pd_hop x = c->ops[c->all->which[i]], *to;
		enum open open = x.ret > t ? open_at(c, &x, guess) : DONE;

		if (x.call < c->crash && (x.call > t || open == LEAVE_OUT))
			continue;
		if (x.call < c->crash && open == INTERRUPTED)
			x.ret = PD_NEVER;
		(*of)[h->ops.n] = c->all->which[i];
		to = pd_vec_push(&h->ops, &c->step);
		if (!to)
			return false;
		*to = x;
	}
	return *of && pd_op_history_crash(h, c->crash);
}

/* Whether the order gives those that returned their results, also those taken as interrupted. */
static bool has_results(const struct cuts *c, const struct pd_search *s, const uint32_t *of)
{
	void *state = pd_arena_alloc(s->keep, c->all->spec->size);
	struct pd_linear_value result;
	struct pd_spec_memory m;

	pd_spec_memory_init(&m, s->keep);
	for (uint32_t k = 0; state && k < s->norder; k++) {
		const struct pd_hop *x = &c->ops[of[s->order[k]]];
		bool failed = x->op.returned && x->op.result.word == PD_FAILED;
		unsigned way = (x->op.flags & PD_MAY_FAIL) && !failed;

		if (pd_spec_apply(c->all->spec, state, &x->op, way, &result, &m.m) != 1)
			return false;
		if (has_returned(c, x) && !pd_spec_agrees(&x->op, &result))
			return false;
	}
	return state != NULL;
}

static enum pd_answer try_cut(struct cuts *c, uint64_t t, bool guess)
{
	struct pd_op_history h;
	struct pd_search s = *c->all;
	enum pd_answer a = PD_ANSWER_NO_MEMORY;
	uint32_t *of, *which = pd_new_array(&c->step, uint32_t, c->all->n + 1);

	if (which && make_history(c, t, guess, &h, &of)) {
		for (uint32_t i = 0; i < h.ops.n; i++)
			which[i] = i;
		s.history = &h;
		s.which = which;
		s.n = h.ops.n;
		s.strict = true;
		s.keep = &c->step;
		s.order = NULL;
		a = pd_decide(&s, &c->step);
		if (a == PD_ANSWER_YES && (!s.order || !has_results(c, &s, of)))
			a = PD_ANSWER_LIMIT;
	}
	pd_arena_reset(&c->step);
	return a;
}

/* YES and NO are certain. */
static enum pd_answer decide_cut(struct cuts *c, uint64_t t)
{
	enum pd_answer a = try_cut(c, t, true);

	return a == PD_ANSWER_YES ? a : try_cut(c, t, false);
}

enum pd_answer pd_cuts_decide(const struct pd_search *all, struct pd_arena *arena)
{
	struct cuts c = {.all = all, .ops = all->history->ops.v, .arena = arena, .hi = PD_NEVER};
	enum pd_answer answer = PD_ANSWER_NO;
	uint64_t effort = 0;

	if (all->history->crashes.n != 1 || !pd_decide_knows(all->spec))
		return PD_ANSWER_LIMIT;
	c.crash = all->history->crashes.v[0];
	if (!find_bounds(&c))
		return PD_ANSWER_NO_MEMORY;
	pd_arena_init(&c.step, arena->host);
	for (uint32_t i = all->n + 1; i-- > 0 && answer != PD_ANSWER_YES;) {
		uint64_t t = i ? c.ops[all->which[i - 1]].call : 0;
		enum pd_answer a;

		if (t > c.crash || t > c.hi || t < c.lo)
			continue;
		effort += all->n;
		a = effort < EFFORT ? decide_cut(&c, t) : PD_ANSWER_LIMIT;
		if (a != PD_ANSWER_NO)
			answer = a;
		if (effort >= EFFORT)
			break;
	}
	pd_arena_finish(&c.step);
	return answer;
}
