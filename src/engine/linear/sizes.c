/* sizes.c - see sizes.h. */
#include "engine/linear/sizes.h"
#include "base/sort.h"

enum {
	FIRST_WINDOW = 8, /* operations on either side */
	LAST_WINDOW = 4096,
	SOME = 4,	  /* places by which an operation may move ... */
	ANY = 1000,	  /* ... and as it likes */
	FREELY = 160,	  /* limit on a window in which all do */
	STEPS = 200,	  /* limit of a search, for each operation of the window */
	ALL_STEPS = 2000, /* limit of all searches together, for each operation */
};

struct work {
	struct pd_search *s;
	struct pd_sequence *q;
	uint8_t *states; /* before each operation of the order, and after the last */
	size_t size;	 /* of a state, rounded up */
	uint32_t *pending;
	uint32_t npending; /* those that are not in the order */
	struct pd_turn *turns;
	struct pd_spec_memory memory;
	uint64_t steps;
	struct pd_arena step; /* one search */
	/* The current window */
	uint32_t from, to; /* in the order */
	uint32_t *op;	   /* its operations, the new one, and pending ones */
	uint32_t n;
};

static const struct pd_hop *hop(const struct work *w, uint32_t op)
{
	return &w->s->history->ops.v[op];
}

static bool is_pending(const struct work *w, uint32_t op)
{
	return hop(w, op)->ret == PD_NEVER || hop(w, op)->ret > w->s->until;
}

static void *state_at(const struct work *w, uint32_t i)
{
	return w->states + i * w->size;
}

static bool is_last(const struct work *w)
{
	return w->to == w->q->n;
}

/* Sets the states after the operations from..to-1 of the order. */
static bool find_states(struct work *w, uint32_t from, uint32_t to)
{
	const struct pd_linear_spec *spec = w->s->spec;
	struct pd_linear_value result;

	for (uint32_t i = from; i < to; i++) {
		uint32_t op = w->q->op[i];
		const struct pd_linear_op *o = &hop(w, op)->op;

		if (!pd_spec_clone(spec, state_at(w, i + 1), state_at(w, i), &w->memory.m) ||
		    pd_spec_apply(spec, state_at(w, i + 1), o, pd_search_way(o, is_pending(w, op)),
				  &result, &w->memory.m) != 1)
			return false;
	}
	return true;
}

/* ---- a window ------------------------------------------------------------------------------- */

/* Where the operation may stand in the order, by its call and its response. */
static void find_range(const struct work *w, uint32_t op, uint32_t *from, uint32_t *to)
{
	const struct pd_hop *x = hop(w, op);

	*from = 0;
	*to = w->q->n;
	for (uint32_t i = 0; i < w->q->n; i++) {
		if (hop(w, w->q->op[i])->ret < x->call)
			*from = i + 1;
		if (*to == w->q->n && hop(w, w->q->op[i])->call > x->ret)
			*to = i;
	}
}

static bool calls_earlier(const void *ctx, uint32_t a, uint32_t b)
{
	const struct work *w = ctx;

	return hop(w, w->op[a])->call < hop(w, w->op[b])->call;
}

/* Its operations by call: the search's list. NULL: memory ran out. */
static const uint32_t *list_window(struct work *w, uint32_t op)
{
	uint32_t n = w->to - w->from, *order, *to;

	w->n = n + 1 + (is_last(w) ? w->npending : 0);
	w->op = pd_new_array(&w->step, uint32_t, w->n);
	to = pd_new_array(&w->step, uint32_t, w->n);
	if (!w->op || !to)
		return NULL;
	memcpy(w->op, w->q->op + w->from, n * sizeof(*w->op));
	w->op[n] = op;
	if (w->n > n + 1)
		memcpy(w->op + n + 1, w->pending, w->npending * sizeof(*w->op));
	order = pd_sort_new(&w->step, w->n, calls_earlier, w);
	for (uint32_t i = 0; order && i < w->n; i++)
		to[i] = w->op[order[i]];
	return order ? to : NULL;
}

static bool overlaps(const struct pd_hop *a, const struct pd_hop *b)
{
	return a->call < b->ret && b->call < a->ret;
}

/* Whether the operation, or one of the window that takes out its value, overlaps the size. */
static bool is_near(const struct work *w, uint32_t op, uint32_t size)
{
	const struct pd_hop *x = hop(w, op), *s = hop(w, size);

	if (overlaps(x, s))
		return true;
	for (uint32_t i = w->from; i < w->to; i++) {
		const struct pd_hop *y = hop(w, w->q->op[i]);

		if (y->op.returned && y->op.result.word == x->op.arg[0].word && overlaps(y, s) &&
		    w->s->spec->ops[y->op.fn].effect == PD_REMOVES)
			return true;
	}
	return false;
}

/* What puts in keeps its order; what is near the size may move by `slack` places. */
static const struct pd_turn *give_turns(struct work *w, uint32_t size, uint32_t slack)
{
	uint32_t number = ANY;

	if (slack == ANY)
		return NULL;
	for (uint32_t i = 0; i < w->npending; i++)
		w->turns[w->pending[i]] = (struct pd_turn){0, 0};
	for (uint32_t i = w->from; i < w->to; i++) {
		uint32_t op = w->q->op[i], d;

		if (w->s->spec->ops[hop(w, op)->op.fn].effect != PD_WRITES)
			continue;
		d = slack && is_near(w, op, size) ? slack : 0;
		number++;
		w->turns[op] = (struct pd_turn){number - d, number + d};
	}
	return w->turns;
}

/* Whether what comes after the window may follow. */
static bool may_end(void *ctx, const void *state)
{
	const struct work *w = ctx;

	return is_last(w) || pd_spec_equal(w->s->spec, state_at(w, w->to), state);
}

/* Searches the window, with op, for an order. */
static bool search_window(struct work *w, uint32_t op, uint32_t slack, struct pd_search *s)
{
	enum pd_answer a;

	pd_arena_reset(&w->step);
	*s = (struct pd_search){.spec = w->s->spec,
				.history = w->s->history,
				.which = list_window(w, op),
				.n = w->n,
				.start = state_at(w, w->from),
				.until = w->s->until,
				.strict = w->s->strict,
				.turns = give_turns(w, op, slack),
				.limits = {w->s->limits.bytes, STEPS * (uint64_t)w->n},
				.cut = may_end,
				.ctx = w,
				.required_before = PD_NEVER,
				.keep = &w->step};
	if (!s->which)
		return false;
	a = pd_search_run(s, &w->step);
	w->steps += s->steps;
	return a == PD_ANSWER_YES && s->norder > w->to - w->from &&
	       (is_last(w) || s->norder == w->to - w->from + 1);
}

/* ---- the order ------------------------------------------------------------------------------ */

/* Lists the pending operations that may take effect at the end of the order and are not in it. */
static bool list_pending(struct work *w)
{
	uint32_t n = w->s->history->ops.n;
	bool *placed = pd_new_array(&w->step, bool, n + 1);

	for (uint32_t i = 0; placed && i < w->q->n; i++)
		placed[w->q->op[i]] = true;
	w->npending = 0;
	for (uint32_t i = 0; placed && i < w->s->n; i++) {
		uint32_t op = w->s->which[i];

		if (!placed[op] && is_pending(w, op) && hop(w, op)->call <= w->s->until &&
		    pd_search_deadline(w->s, hop(w, op)) == PD_NEVER)
			w->pending[w->npending++] = op;
	}
	return placed != NULL;
}

/* The window gets the order that was found. */
static bool replace(struct work *w, const struct pd_search *found)
{
	struct pd_sequence *q = w->q;
	uint32_t end = w->from + found->norder;

	memmove(q->op + end, q->op + w->to, (q->n - w->to) * sizeof(*q->op));
	memmove(state_at(w, end), state_at(w, w->to), (q->n + 1 - w->to) * w->size);
	memcpy(q->op + w->from, found->order, found->norder * sizeof(*q->op));
	q->n += end - w->to;
	pd_arena_reset(&w->step);
	return find_states(w, w->from, end) && list_pending(w);
}

static bool insert(struct work *w, uint32_t op)
{
	static const uint32_t slacks[] = {0, SOME, ANY};
	uint32_t first, last;

	find_range(w, op, &first, &last);
	for (uint32_t k = FIRST_WINDOW; k <= LAST_WINDOW; k *= 2) {
		w->from = first > k ? first - k : 0;
		w->to = PD_MIN(last + k, w->q->n);
		for (uint32_t i = 0; i < PD_LEN(slacks); i++) {
			struct pd_search s;

			if (slacks[i] == ANY && w->to - w->from > FREELY)
				break;
			if (search_window(w, op, slacks[i], &s))
				return replace(w, &s);
			if (w->steps > ALL_STEPS * (uint64_t)(w->s->n + 1))
				return false;
		}
	}
	return false;
}

bool pd_sizes_insert(struct pd_search *s, struct pd_sequence *q, const uint32_t *left, uint32_t n,
		     struct pd_arena *arena)
{
	struct work w = {.s = s, .q = q};
	bool ok;

	if (!n)
		return true;
	w.size = (s->spec->size + 15) & ~(size_t)15;
	w.states = pd_arena_alloc(arena, (s->n + 2) * w.size);
	w.turns = pd_new_array(arena, struct pd_turn, s->history->ops.n + 1);
	w.pending = pd_new_array(arena, uint32_t, s->n + 1);
	if (!w.states || !w.turns || !w.pending)
		return false;
	pd_arena_init(&w.step, arena->host);
	pd_spec_memory_init(&w.memory, arena);
	ok = find_states(&w, 0, q->n) && list_pending(&w);
	for (uint32_t i = 0; ok && i < n; i++)
		ok = insert(&w, left[i]);
	s->steps += w.steps;
	pd_arena_finish(&w.step);
	return ok;
}
