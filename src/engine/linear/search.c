/* search.c - see search.h. */
#include "engine/linear/search.h"
#include "base/hash.h"
#include "engine/linear/rank.h"
#include "base/sort.h"
#include "engine/linear/treap.h"

enum { WORD = 64, FIRST_SLOTS = 256 };

/* One operation: those that returned come first, by call; then the pending ones, by call. */
struct item {
	uint64_t call, ret;
	uint32_t op; /* in the history */
	uint32_t era;
};

/* The state after some operations are placed, and what is still to be tried from there. */
struct frame {
	uint32_t placed;   /* the item that led here */
	uint32_t lo;	   /* all items below are placed */
	uint32_t hi;	   /* no returned item from here on is */
	uint32_t by_ret;   /* all before this, in the order of responses, are placed */
	uint32_t era;	   /* the latest of any item placed */
	uint32_t required; /* required items that are not placed */
	uint32_t next;	   /* the candidate: see candidate() */
	uint32_t by_seen;  /* all before this, by when they are seen to come out, are placed */
	uint32_t best;	   /* the candidate of the lowest rank; UINT32_MAX: none has a rank */
	uint32_t way;
	uint64_t set_hash;
};

/* A configuration that cannot be continued. Behind it: the state, then the bits. */
struct seen {
	uint64_t hash;
	uint32_t lo, hi;
	struct seen *older;
	uint64_t aligned; /* to 16 bytes, as states are */
};

struct run {
	struct pd_search *s;
	struct pd_arena *arena;
	struct pd_spec_memory memory;
	struct item *item;
	uint32_t nret, npend;
	uint32_t *by_ret;
	struct pd_ranked *rank; /* by item; NULL: none has a rank */
	uint32_t *by_seen;	/* the items, by when their values are seen to come out */
	uint64_t *bits;		/* of items placed */
	uint64_t *pbits;	/* of pending ones, from bit 0 */
	struct frame *frames;
	uint8_t *states; /* one a frame */
	size_t size;	 /* of a state, rounded up */
	uint32_t depth;
	struct seen **slots;
	uint64_t nslots, nseen;
	struct seen *all; /* newest first */
};

uint64_t pd_search_deadline(const struct pd_search *s, const struct pd_hop *x)
{
	const struct pd_op_history *h = s->history;
	uint32_t era;

	if (x->ret != PD_NEVER && x->ret <= s->until)
		return x->ret;
	era = s->strict ? pd_op_history_era(h, x->call) : h->crashes.n;
	return era < h->crashes.n ? h->crashes.v[era] : PD_NEVER;
}

unsigned pd_search_way(const struct pd_linear_op *op, bool pending)
{
	bool refused = !pending && op->returned && op->result.word == PD_FAILED;

	return (op->flags & PD_MAY_FAIL) && !refused;
}

/* ---- preparing ------------------------------------------------------------------------------ */

static bool returns_earlier(const void *ctx, uint32_t a, uint32_t b)
{
	const struct item *item = ctx;

	return item[a].ret < item[b].ret;
}

static void add_items(struct run *r, bool pending, uint32_t *n)
{
	const struct pd_op_history *h = r->s->history;

	for (uint32_t i = 0; i < r->s->n; i++) {
		const struct pd_hop *x = &h->ops.v[r->s->which[i]];
		uint64_t ret = x->ret > r->s->until ? PD_NEVER : x->ret;

		if (x->call <= r->s->until && (ret == PD_NEVER) == pending)
			r->item[(*n)++] = (struct item){x->call, ret, r->s->which[i],
							pd_op_history_era(h, x->call)};
	}
}

static bool is_seen_earlier(const void *ctx, uint32_t a, uint32_t b)
{
	const struct pd_ranked *x = ctx;

	return x[a].seen < x[b].seen;
}

static void rank_by_turns(struct run *r, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct pd_turn *t = &r->s->turns[r->item[i].op];

		r->rank[i].rank = r->rank[i].seen = t->last ? t->last : PD_NEVER;
		r->rank[i].last = t->first;
	}
}

static bool rank_items(struct run *r)
{
	uint32_t n = r->nret + r->npend;

	r->rank = pd_new_array(r->arena, struct pd_ranked, n + 1);
	if (!r->rank || !r->by_ret)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		r->rank[i].op = &r->s->history->ops.v[r->item[i].op].op;
		r->rank[i].call = r->item[i].call;
		r->rank[i].ret = r->item[i].ret;
	}
	if (!pd_rank(r->s->spec, r->rank, n, r->by_ret, r->nret, r->arena))
		return false;
	if (r->s->turns)
		rank_by_turns(r, n);
	else if (r->s->spec->order != PD_FIRST_IN_FIRST_OUT || r->s->start)
		return true;
	r->by_seen = pd_sort_new(r->arena, n, is_seen_earlier, r->rank);
	return r->by_seen != NULL;
}

static bool prepare(struct run *r)
{
	uint32_t n = r->s->n, all = 0;

	r->item = pd_new_array(r->arena, struct item, n + 1);
	if (!r->item)
		return false;
	add_items(r, false, &all);
	r->nret = all;
	add_items(r, true, &all);
	r->npend = all - r->nret;
	r->size = (r->s->spec->size + 15) & ~(size_t)15;
	r->by_ret = pd_sort_new(r->arena, r->nret, returns_earlier, r->item);
	r->bits = pd_new_array(r->arena, uint64_t, r->nret / WORD + 1);
	r->pbits = pd_new_array(r->arena, uint64_t, r->npend / WORD + 1);
	r->frames = pd_new_array(r->arena, struct frame, n + 1);
	r->states = pd_arena_alloc(r->arena, (n + 1) * (r->size + 1));
	if (r->s->spec->order && !rank_items(r))
		return false;
	return r->by_ret && r->bits && r->pbits && r->frames && r->states;
}

static uint32_t count_required(const struct run *r)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->nret; i++)
		n += r->item[i].ret < r->s->required_before;
	return n;
}

static void *state_at(const struct run *r, uint32_t depth)
{
	return r->states + depth * r->size;
}

/* ---- the set of what is placed -------------------------------------------------------------- */

static bool is_placed(const struct run *r, uint32_t i)
{
	if (i < r->nret)
		return r->bits[i / WORD] >> (i % WORD) & 1;
	i -= r->nret;
	return r->pbits[i / WORD] >> (i % WORD) & 1;
}

static void flip(struct run *r, uint32_t i)
{
	if (i < r->nret)
		r->bits[i / WORD] ^= 1ULL << (i % WORD);
	else
		r->pbits[(i - r->nret) / WORD] ^= 1ULL << ((i - r->nret) % WORD);
}

/* ---- configurations that were seen ---------------------------------------------------------- */

static size_t words_between(uint32_t lo, uint32_t hi)
{
	return hi > lo ? (hi - 1) / WORD - lo / WORD + 1 : 0;
}

static uint64_t *bits_of(const struct run *r, struct seen *c)
{
	return (uint64_t *)((uint8_t *)(c + 1) + r->size);
}

static bool is_same(const struct run *r, struct seen *c, const struct frame *f, uint64_t hash,
		    const void *state)
{
	size_t n = words_between(f->lo, f->hi), np = r->npend / WORD + 1;
	uint64_t *b;

	if (c->hash != hash || c->lo != f->lo || c->hi != f->hi)
		return false;
	b = bits_of(r, c);
	return memcmp(b, r->bits + f->lo / WORD, n * 8) == 0 &&
	       memcmp(b + n, r->pbits, np * 8) == 0 && pd_spec_equal(r->s->spec, c + 1, state);
}

static bool more_slots(struct run *r)
{
	uint64_t n = r->nslots ? r->nslots * 4 : FIRST_SLOTS;
	struct seen **slots = pd_new_array(r->arena, struct seen *, n);

	if (!slots)
		return false;
	for (struct seen *c = r->all; c; c = c->older) {
		uint64_t i = c->hash & (n - 1);

		while (slots[i])
			i = (i + 1) & (n - 1);
		slots[i] = c;
	}
	r->slots = slots;
	r->nslots = n;
	return true;
}

static uint64_t hash_of(const struct run *r, const struct frame *f, const void *state)
{
	return pd_mix(f->set_hash ^ pd_spec_hash(r->s->spec, state));
}

/* Whether the configuration of frame f with this state was tried before. */
static bool is_known(const struct run *r, const struct frame *f, const void *state)
{
	uint64_t hash;

	if (!r->nseen)
		return false;
	hash = hash_of(r, f, state);
	for (uint64_t i = hash & (r->nslots - 1); r->slots[i]; i = (i + 1) & (r->nslots - 1))
		if (is_same(r, r->slots[i], f, hash, state))
			return true;
	return false;
}

/*
 * Records the configuration of frame f with this state, which cannot be continued. False: memory
 * ran out.
 */
static bool note(struct run *r, const struct frame *f, const void *state)
{
	uint64_t hash = hash_of(r, f, state), i;
	size_t n = words_between(f->lo, f->hi), np = r->npend / WORD + 1;
	struct seen *c;

	if ((r->nseen + 1) * 2 > r->nslots && !more_slots(r))
		return false;
	for (i = hash & (r->nslots - 1); r->slots[i];)
		i = (i + 1) & (r->nslots - 1);
	c = pd_arena_alloc(r->arena, sizeof(*c) + r->size + (n + np) * 8);
	if (!c || !pd_spec_clone(r->s->spec, c + 1, state, &r->memory.m))
		return false;
	*c = (struct seen){.hash = hash, .lo = f->lo, .hi = f->hi, .older = r->all};
	memcpy(bits_of(r, c), r->bits + f->lo / WORD, n * 8);
	memcpy(bits_of(r, c) + n, r->pbits, np * 8);
	r->slots[i] = r->all = c;
	r->nseen++;
	return true;
}

/* ---- what was tried at the culprit ---------------------------------------------------------- */

/*
 * The entry for it: one with the same result is replaced if more comes before it now. NULL: no
 * room.
 */
static struct pd_try *place_for(struct run *r, const struct pd_linear_value *expected)
{
	struct pd_tries *t = r->s->tries;

	for (uint32_t i = 0; i < t->n; i++)
		if (pd_value_compare(&t->v[i].expected, expected) == 0)
			return r->depth > t->v[i].n ? &t->v[i] : NULL;
	if (t->n < PD_TRIES)
		return &t->v[t->n++];
	t->left_off++;
	return NULL;
}

static const uint32_t *copy_order(struct run *r)
{
	uint32_t *order = pd_new_array(r->s->keep, uint32_t, r->depth + 1);

	for (uint32_t i = 1; order && i <= r->depth; i++)
		order[i - 1] = r->item[r->frames[i].placed].op;
	return order;
}

static void note_try(struct run *r, const struct pd_linear_value *expected)
{
	struct pd_try *t = place_for(r, expected);

	if (!t)
		return;
	*t = (struct pd_try){*expected, copy_order(r), r->depth};
	if (expected->size) {
		void *copy = pd_arena_alloc(r->s->keep, expected->size);

		t->expected.data = copy;
		t->expected.size = copy ? expected->size : 0; /* the arena records the failure */
		if (copy)
			memcpy(copy, expected->data, expected->size);
	}
	t->n = t->order ? t->n : 0;
}

static void keep_order(struct run *r)
{
	if (!r->s->keep)
		return;
	r->s->order = copy_order(r);
	r->s->norder = r->depth;
}

/* ---- searching ------------------------------------------------------------------------------ */

/* The item with the earliest response among those to be placed; nret: all are placed. */
static uint32_t earliest(const struct run *r, const struct frame *f)
{
	return f->by_ret < r->nret ? r->by_ret[f->by_ret] : r->nret;
}

/* Whether item i may come next, given the earliest response. */
static bool may_come(const struct run *r, const struct frame *f, uint32_t i, uint64_t before)
{
	return !is_placed(r, i) && r->item[i].call < before &&
	       !(i >= r->nret && r->s->strict && r->item[i].era < f->era);
}

static uint32_t lowest_rank(const struct run *r, const struct frame *f, uint64_t before)
{
	uint32_t best = UINT32_MAX;

	for (uint32_t i = f->lo; i < r->nret && r->item[i].call < before; i++)
		if (r->rank[i].rank != PD_NEVER && !is_placed(r, i) &&
		    (best == UINT32_MAX || r->rank[i].rank < r->rank[best].rank))
			best = i;
	return best;
}

enum { FIRST, SECOND, REST, QUIET = UINT32_MAX - 1 };

/*
 * The item of candidate number f->next, or of the next valid one; UINT32_MAX: none is left. FIRST
 * is the earliest response; SECOND that of the lowest rank; the other way round if the former has a
 * rank, too. REST + i is item i: in the order of calls, pending ones last.
 */
static uint32_t candidate(const struct run *r, struct frame *f)
{
	uint32_t first = earliest(r, f);
	uint64_t before = first < r->nret ? r->item[first].ret : PD_NEVER;
	bool ranked = r->rank && first < r->nret && r->rank[first].rank != PD_NEVER;

	if (f->next >= QUIET)
		return UINT32_MAX;
	if (f->next == FIRST && f->way == 0)
		f->best = r->rank ? lowest_rank(r, f, before) : UINT32_MAX;
	if (f->next == FIRST && first < r->nret)
		return ranked ? f->best : first;
	if (f->next <= SECOND && f->best != UINT32_MAX && f->best != first && first < r->nret) {
		f->next = SECOND;
		return ranked ? first : f->best;
	}
	f->next = PD_MAX(f->next, REST + f->lo);
	for (uint32_t i = f->next - REST; i < r->nret; i++, f->next++) {
		if (r->item[i].call > before) {
			f->next = REST + r->nret;
			break;
		}
		if (i != first && i != f->best && !is_placed(r, i))
			return i;
	}
	for (uint32_t i = f->next - REST; i < r->nret + r->npend; i++, f->next++)
		if (i != f->best && may_come(r, f, i, before))
			return i;
	return UINT32_MAX;
}

static struct frame after(const struct run *r, const struct frame *f, uint32_t i)
{
	struct frame g = *f;

	g.placed = i;
	g.next = g.way = 0;
	g.era = PD_MAX(f->era, r->item[i].era);
	g.set_hash ^= pd_mix(i + 1);
	while (r->by_seen && g.by_seen < r->nret + r->npend &&
	       (r->by_seen[g.by_seen] == i || is_placed(r, r->by_seen[g.by_seen])))
		g.by_seen++;
	if (i >= r->nret)
		return g;
	g.hi = PD_MAX(g.hi, i + 1);
	g.required -= r->item[i].ret < r->s->required_before;
	while (g.lo < r->nret && (g.lo == i || is_placed(r, g.lo)))
		g.lo++;
	while (g.by_ret < r->nret &&
	       (r->by_ret[g.by_ret] == i || is_placed(r, r->by_ret[g.by_ret])))
		g.by_ret++;
	return g;
}

/* Whether another value that has not gone in yet is seen to come out before that of item i. */
static bool is_overtaking(const struct run *r, const struct frame *f, uint32_t i)
{
	uint32_t n = r->nret + r->npend;

	if (!r->by_seen || !r->rank[i].last)
		return false;
	for (uint32_t k = f->by_seen; k < n && r->rank[r->by_seen[k]].seen < r->rank[i].last; k++)
		if (r->by_seen[k] != i && !is_placed(r, r->by_seen[k]))
			return true;
	return false;
}

/*
 * Whether item i, which fits here and changes nothing, may as well come here as anywhere later:
 * then no other one has to be tried instead. In a strict order it may end an era for pending ones.
 */
static bool is_quiet(const struct run *r, const struct frame *f, uint32_t i)
{
	const struct pd_linear_op *op = &r->s->history->ops.v[r->item[i].op].op;
	int effect = r->s->spec->ops[op->fn].effect;

	if (i >= r->nret || (r->s->strict && r->item[i].era > f->era))
		return false;
	return effect == PD_READS || effect == PD_PEEKS;
}

enum step { WENT_ON, NO_WAY, EXHAUSTED };

/* Tries one way of item i, from the top frame. */
static enum step try_way(struct run *r, struct frame *f, uint32_t i, enum pd_answer *broken)
{
	const struct pd_linear_spec *spec = r->s->spec;
	const struct pd_linear_op *op = &r->s->history->ops.v[r->item[i].op].op;
	void *state = state_at(r, r->depth + 1);
	struct pd_linear_value result;
	struct frame g;
	int rc;

	r->s->steps++;
	if (is_overtaking(r, f, i))
		return EXHAUSTED;
	if (!pd_spec_clone(spec, state, state_at(r, r->depth), &r->memory.m)) {
		*broken = PD_ANSWER_NO_MEMORY;
		return EXHAUSTED;
	}
	rc = pd_spec_apply(spec, state, op, f->way++, &result, &r->memory.m);
	if (rc < 0)
		*broken = PD_ANSWER_NO_MEMORY;
	if (rc <= 0) {
		pd_spec_finish(spec, state);
		return EXHAUSTED;
	}
	/* The result of a pending operation was not seen. */
	if (i < r->nret && !pd_spec_agrees(op, &result)) {
		if (r->s->tries && r->item[i].op == r->s->culprit)
			note_try(r, &result);
		pd_spec_finish(spec, state);
		return NO_WAY;
	}
	g = after(r, f, i);
	flip(r, i);
	if (!is_known(r, &g, state)) {
		if (is_quiet(r, f, i))
			f->next = QUIET;
		r->frames[++r->depth] = g;
		return WENT_ON;
	}
	flip(r, i);
	pd_spec_finish(spec, state);
	return NO_WAY;
}

static void note_farthest(struct run *r, const struct frame *f)
{
	uint32_t i = earliest(r, f);

	if (i < r->nret && r->item[i].ret > r->s->farthest_ret) {
		r->s->farthest = r->item[i].op;
		r->s->farthest_ret = r->item[i].ret;
	}
}

/* Nothing is left to try from the top frame; false: it was the first one, or memory ran out. */
static bool leave(struct run *r, enum pd_answer *broken)
{
	void *state = state_at(r, r->depth);

	if (r->depth > 0 && !note(r, &r->frames[r->depth], state)) {
		*broken = PD_ANSWER_NO_MEMORY;
		return false;
	}
	pd_spec_finish(r->s->spec, state);
	if (r->depth == 0)
		return false;
	flip(r, r->frames[r->depth--].placed);
	return true;
}

static bool is_over_limit(const struct run *r)
{
	const struct pd_limits *l = &r->s->limits;

	return (l->steps && r->s->steps >= l->steps) || (l->bytes && r->arena->used >= l->bytes);
}

static enum pd_answer search(struct run *r)
{
	struct pd_search *s = r->s;
	enum pd_answer broken = PD_ANSWER_NO;

	for (;;) {
		struct frame *f = &r->frames[r->depth];
		uint32_t i;

		if (!s->cut && f->by_ret == r->nret) {
			keep_order(r);
			return PD_ANSWER_YES;
		}
		if (is_over_limit(r))
			return PD_ANSWER_LIMIT;
		if (f->next == 0 && f->way == 0)
			note_farthest(r, f);
		i = candidate(r, f);
		if (i != UINT32_MAX) {
			if (try_way(r, f, i, &broken) == EXHAUSTED) {
				f->next++;
				f->way = 0;
			}
			if (broken != PD_ANSWER_NO)
				return broken;
			continue;
		}
		if (s->cut && f->required == 0 && s->cut(s->ctx, state_at(r, r->depth))) {
			keep_order(r);
			return PD_ANSWER_YES;
		}
		if (!leave(r, &broken))
			return broken;
	}
}

static void finish_states(struct run *r, enum pd_answer answer)
{
	if (!r->s->spec->finish)
		return;
	for (uint32_t d = 0; answer != PD_ANSWER_NO && d <= r->depth; d++)
		r->s->spec->finish(state_at(r, d));
	for (struct seen *c = r->all; c; c = c->older)
		r->s->spec->finish(c + 1);
}

enum pd_answer pd_search_run(struct pd_search *s, struct pd_arena *arena)
{
	struct run r = {.s = s, .arena = arena};
	enum pd_answer answer;
	void *first;

	s->steps = s->configurations = 0;
	s->farthest = UINT32_MAX;
	s->farthest_ret = 0;
	pd_spec_memory_init(&r.memory, arena);
	if (!prepare(&r))
		return PD_ANSWER_NO_MEMORY;
	first = state_at(&r, 0);
	if (s->start && !pd_spec_clone(s->spec, first, s->start, &r.memory.m))
		return PD_ANSWER_NO_MEMORY;
	r.frames[0].required = s->cut ? count_required(&r) : 0;
	answer = search(&r);
	s->configurations = r.nseen + 1;
	finish_states(&r, answer);
	return answer;
}
