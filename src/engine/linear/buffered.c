/* buffered.c - see buffered.h. */
#include "engine/linear/buffered.h"
#include "base/map.h"

/* A state in which an era began, and that could not be continued. */
struct tried {
	struct tried *next;
	struct tried *older; /* of all of the era */
};

struct era {
	struct buffered *b;
	uint32_t number;
	uint32_t first, n;	    /* its operations */
	uint64_t synced;	    /* operations that returned before this are durable */
	struct pd_arena full, cuts; /* the two searches */
	struct pd_arena states;	    /* those tried as its start */
	struct pd_map tried;	    /* hash -> struct tried */
	struct tried *all_tried;    /* newest first */
};

struct buffered {
	const struct pd_search *all;
	struct pd_verdict *v;
	struct pd_arena *keep;
	struct era *era;
	uint32_t neras;
	enum pd_answer broken; /* other than NO: a search could not be completed */
	/* The farthest that any attempt got */
	uint32_t farthest;
	uint64_t farthest_ret;
	struct pd_tries *tries;
};

static bool begins(struct era *e, const void *state);

static struct pd_search search_of(const struct era *e, const void *state)
{
	struct pd_search s = *e->b->all;

	s.which += e->first;
	s.n = e->n;
	s.start = state;
	return s;
}

static enum pd_answer run(struct era *e, struct pd_search *s, struct pd_arena *arena)
{
	struct buffered *b = e->b;
	struct pd_limits *l = &s->limits;
	enum pd_answer a;

	if (l->steps && b->v->steps >= l->steps) {
		b->broken = PD_ANSWER_LIMIT;
		return PD_ANSWER_LIMIT;
	}
	l->steps -= l->steps ? b->v->steps : 0;
	a = pd_search_run(s, arena);
	b->v->steps += s->steps;
	b->v->configurations += s->configurations;
	b->v->bytes = PD_MAX(b->v->bytes, arena->held);
	if (a == PD_ANSWER_LIMIT || a == PD_ANSWER_NO_MEMORY)
		b->broken = a;
	return a;
}

static bool is_linearizable(struct era *e, const void *state)
{
	struct buffered *b = e->b;
	struct pd_search s = search_of(e, state);
	enum pd_answer a;

	s.tries = b->tries;
	s.culprit = b->farthest;
	s.keep = b->tries ? b->keep : NULL;
	a = run(e, &s, &e->full);
	if (a == PD_ANSWER_NO && !b->tries && s.farthest_ret > b->farthest_ret) {
		b->farthest = s.farthest;
		b->farthest_ret = s.farthest_ret;
	}
	pd_arena_reset(&e->full);
	return a == PD_ANSWER_YES;
}

/* Whether the era has not been tried from this state before. */
static bool is_new(struct era *e, const void *state)
{
	const struct pd_linear_spec *spec = e->b->all->spec;
	uint64_t *at = pd_map_put(&e->tried, &e->states, pd_spec_hash(spec, state) >> 1);
	struct pd_spec_memory m;
	struct tried *t;

	if (!at)
		return true;
	for (t = (struct tried *)(uintptr_t)*at; t; t = t->next)
		if (pd_spec_equal(spec, t + 1, state))
			return false;
	pd_spec_memory_init(&m, &e->states);
	t = pd_arena_alloc(&e->states, sizeof(*t) + spec->size);
	/* Without memory it is tried again: slower, not wrong. */
	if (!t || !pd_spec_clone(spec, t + 1, state, &m.m))
		return true;
	*t = (struct tried){(struct tried *)(uintptr_t)*at, e->all_tried};
	e->all_tried = t;
	*at = (uintptr_t)t;
	return true;
}

static void forget_tried(struct era *e)
{
	for (struct tried *t = e->all_tried; t; t = t->older)
		pd_spec_finish(e->b->all->spec, t + 1);
	e->all_tried = NULL;
	e->tried = (struct pd_map){0};
	pd_arena_reset(&e->states);
}

static bool cut(void *ctx, const void *state)
{
	struct era *next = ctx;

	return is_new(next, state) && next->b->broken == PD_ANSWER_NO && begins(next, state);
}

/* Whether this and all later eras can be explained if it begins in this state. */
static bool begins(struct era *e, const void *state)
{
	struct pd_search s;
	bool found;

	if (!is_linearizable(e, state))
		return false;
	if (e->number + 1 == e->b->neras)
		return true;
	s = search_of(e, state);
	s.cut = cut;
	s.ctx = e + 1;
	s.required_before = e->synced;
	found = run(e, &s, &e->cuts) == PD_ANSWER_YES;
	/* States tried in later eras may point into this memory. */
	for (struct era *x = e + 1; x < e->b->era + e->b->neras; x++)
		forget_tried(x);
	pd_arena_reset(&e->cuts);
	return found;
}

static uint64_t last_sync(const struct pd_op_history *h, uint32_t era)
{
	uint64_t t = 0;

	for (uint32_t i = 0; i < h->ops.n; i++) {
		const struct pd_hop *x = &h->ops.v[i];

		if ((x->op.flags & PD_SYNC) && x->ret != PD_NEVER &&
		    pd_op_history_era(h, x->call) == era)
			t = PD_MAX(t, x->call);
	}
	return t;
}

static bool make_eras(struct buffered *b, struct pd_arena *arena)
{
	const struct pd_op_history *h = b->all->history;
	uint32_t at = 0;

	b->neras = h->crashes.n + 1;
	b->era = pd_new_array(arena, struct era, b->neras);
	for (uint32_t i = 0; b->era && i < b->neras; i++) {
		struct era *e = &b->era[i];

		e->b = b;
		e->number = i;
		e->first = at;
		e->synced = last_sync(h, i);
		while (at < b->all->n &&
		       pd_op_history_era(h, h->ops.v[b->all->which[at]].call) == i)
			at++;
		e->n = at - e->first;
		pd_arena_init(&e->full, arena->host);
		pd_arena_init(&e->cuts, arena->host);
		pd_arena_init(&e->states, arena->host);
	}
	return b->era != NULL;
}

static void finish_eras(struct buffered *b)
{
	for (uint32_t i = 0; i < b->neras; i++) {
		pd_arena_finish(&b->era[i].full);
		pd_arena_finish(&b->era[i].cuts);
		pd_arena_finish(&b->era[i].states);
	}
}

enum pd_answer pd_buffered_judge(const struct pd_search *all, struct pd_arena *arena,
				 struct pd_verdict *v, struct pd_arena *keep)
{
	struct buffered b = {
		.all = all, .v = v, .keep = keep, .broken = PD_ANSWER_NO, .farthest = UINT32_MAX};
	enum pd_answer answer = PD_ANSWER_NO;

	if (!make_eras(&b, arena))
		return PD_ANSWER_NO_MEMORY;
	if (begins(&b.era[0], NULL))
		answer = PD_ANSWER_YES;
	else if (b.broken != PD_ANSWER_NO)
		answer = b.broken;
	if (answer == PD_ANSWER_NO) {
		v->culprit = b.farthest;
		b.tries = &v->tries;
		begins(&b.era[0], NULL);
	}
	finish_eras(&b);
	return answer;
}
