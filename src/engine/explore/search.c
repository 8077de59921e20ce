/*
 * search.c - see search.h.
 *
 * A slot has a header and the record; slots have one of two sizes, the larger one for records with
 * more than a few pins. An entry of a heap is valid while its number is its slot's: a record that
 * was taken through one heap leaves an invalid entry in the other one, which is dropped when it
 * reaches the top.
 */
#include "engine/explore/search.h"
#include "base/hash.h"

/* Pins of a record in a small slot, and in a large one. */
static const uint32_t room[2] = {4, PD_PATH_PINS};

struct slot {
	uint64_t number; /* 0: not in the frontier */
	uint64_t next;	 /* next free slot; else which size it has */
	struct pd_record record;
};

static struct slot *slot_at(const struct pd_search *s, uint64_t off)
{
	return (struct slot *)(uintptr_t)(s->base + off);
}

static uint64_t slot_size(const struct pd_search *s, uint32_t large)
{
	return sizeof(struct slot) + ((s->size + 7) & ~7U) + 8 * (uint64_t)room[large];
}

static struct slot *slot_of(struct pd_record *r)
{
	return (struct slot *)((uint8_t *)r - offsetof(struct slot, record));
}

bool pd_search_init(struct pd_search *s, enum pd_search_by by, uint64_t seed, void *base,
		    uint64_t max, uint32_t input_size)
{
	memset(s, 0, sizeof(*s));
	s->by = by;
	s->random = s->seed = pd_mix(seed + 1);
	s->base = (uint64_t)(uintptr_t)base;
	s->size = input_size;
	s->max = max & ~63ULL;
	s->used = 64; /* 0 is no slot */
	s->cap = s->max / slot_size(s, 0);
	s->heap[0].at = s->max;
	s->heap[1].at = s->max + 2 * s->cap * sizeof(struct pd_search_entry);
	return s->cap > 0;
}

/* ---- slots ---------------------------------------------------------------------------------- */

static uint64_t slot_new(struct pd_search *s, uint32_t large)
{
	uint64_t size = slot_size(s, large), at = s->free[large];

	if (at) {
		s->free[large] = slot_at(s, at)->next;
		return at;
	}
	if (s->used + size > s->max)
		return 0;
	at = s->used;
	s->used += size;
	return at;
}

static void fill(struct pd_search *s, struct slot *t, const struct pd_record *r,
		 const uint8_t *input, const uint64_t *pins)
{
	t->record = *r;
	t->record.size = s->size;
	memcpy(&t->record + 1, input, s->size);
	if (r->npins)
		memcpy((uint8_t *)(&t->record + 1) + ((s->size + 7) & ~7U), pins,
		       8 * (size_t)r->npins);
}

/* ---- priorities ----------------------------------------------------------------------------- */

static uint64_t draw(struct pd_search *s)
{
	s->random = pd_mix(s->random + 0x9e3779b97f4a7c15ULL);
	return s->random;
}

static uint64_t by_coverage(struct pd_search_worth w)
{
	return (uint64_t)w.new_edge << 32 | (UINT32_MAX - w.turned);
}

enum { FAR = 1 << 16, STEP = 4, TRIED = 4 };

/*
 * The nearest first. Each record taken of a way moves the others of that way one step farther away:
 * what is near may not be possible. A way that was never taken counts as near even if the PM behind
 * it was reached from elsewhere: a function that stores for many callers is reached once.
 */
static uint64_t by_pm(struct pd_search_worth w)
{
	uint64_t steps = w.new_edge ? PD_MIN(w.distance, w.near) : w.distance;
	uint64_t most = (uint64_t)FAR * (STEP + TRIED);

	if (steps == UINT32_MAX)
		return w.pm;
	return most + UINT8_MAX + 1U - STEP * PD_MIN(steps, FAR) - TRIED * PD_MIN(w.tried, FAR);
}

static uint64_t key_of(struct pd_search *s, uint32_t heap, const struct pd_record *r,
		       struct pd_search_worth w)
{
	if (heap == 1)
		return by_coverage(w);
	switch ((enum pd_search_by)s->by) {
	case PD_SEARCH_PM:
		return by_pm(w);
	case PD_SEARCH_COVERAGE:
		return by_coverage(w);
	case PD_SEARCH_BFS:
		return UINT32_MAX - r->bound;
	case PD_SEARCH_DFS:
		return r->bound;
	case PD_SEARCH_RANDOM:
		return draw(s);
	}
	return 0;
}

/*
 * Among equals the newest, whose caches are warm; bfs: the oldest. Where many are equal for no
 * reason, as with pm and coverage, any: the newest would stay in one part of the program.
 */
static bool before(const struct pd_search *s, const struct pd_search_entry *a,
		   const struct pd_search_entry *b)
{
	if (a->key != b->key)
		return a->key > b->key;
	if (s->by <= PD_SEARCH_COVERAGE)
		return pd_mix(a->number ^ s->seed) > pd_mix(b->number ^ s->seed);
	return s->by == PD_SEARCH_BFS ? a->number < b->number : a->number > b->number;
}

/* ---- heaps ---------------------------------------------------------------------------------- */

static struct pd_search_entry *entries(const struct pd_search *s, uint32_t heap)
{
	return (struct pd_search_entry *)(uintptr_t)(s->base + s->heap[heap].at);
}

static bool is_valid(const struct pd_search *s, const struct pd_search_entry *e)
{
	return slot_at(s, e->slot)->number == e->number;
}

static void up(struct pd_search *s, uint32_t heap, uint64_t i)
{
	struct pd_search_entry *v = entries(s, heap), e = v[i];

	for (; i && before(s, &e, &v[(i - 1) / 2]); i = (i - 1) / 2)
		v[i] = v[(i - 1) / 2];
	v[i] = e;
}

static void down(struct pd_search *s, uint32_t heap, uint64_t i)
{
	struct pd_search_entry *v = entries(s, heap), e = v[i];
	uint64_t n = s->heap[heap].n;

	for (;;) {
		uint64_t k = 2 * i + 1;

		if (k + 1 < n && before(s, &v[k + 1], &v[k]))
			k++;
		if (k >= n || !before(s, &v[k], &e))
			break;
		v[i] = v[k];
		i = k;
	}
	v[i] = e;
}

/* Drops invalid entries, to make room. */
static void sweep(struct pd_search *s, uint32_t heap)
{
	struct pd_search_entry *v = entries(s, heap);
	uint64_t n = 0;

	for (uint64_t i = 0; i < s->heap[heap].n; i++)
		if (is_valid(s, &v[i]))
			v[n++] = v[i];
	s->heap[heap].n = n;
	for (uint64_t i = n / 2; i-- > 0;)
		down(s, heap, i);
}

static void push(struct pd_search *s, uint32_t heap, struct pd_search_entry e)
{
	if (s->heap[heap].n == 2 * s->cap)
		sweep(s, heap);
	entries(s, heap)[s->heap[heap].n] = e;
	up(s, heap, s->heap[heap].n++);
}

static struct pd_search_entry pop(struct pd_search *s, uint32_t heap)
{
	struct pd_search_entry *v = entries(s, heap), e = v[0];

	v[0] = v[--s->heap[heap].n];
	if (s->heap[heap].n)
		down(s, heap, 0);
	return e;
}

static bool has_two(const struct pd_search *s)
{
	return s->by == PD_SEARCH_PM;
}

static void enter(struct pd_search *s, uint64_t at, const struct pd_search_judge *judge)
{
	struct slot *t = slot_at(s, at);
	struct pd_search_worth w = judge->worth(judge->ctx, &t->record);

	t->number = ++s->come;
	for (uint32_t heap = 0; heap <= has_two(s); heap++)
		push(s, heap,
		     (struct pd_search_entry){key_of(s, heap, &t->record, w), t->number, at});
	s->n++;
	s->most = PD_MAX(s->most, s->n);
}

bool pd_search_put(struct pd_search *s, const struct pd_record *r, const uint8_t *input,
		   const uint64_t *pins, const struct pd_search_judge *judge)
{
	uint32_t large = r->npins > room[0];
	uint64_t at = slot_new(s, large);

	if (!at)
		return false;
	fill(s, slot_at(s, at), r, input, pins);
	slot_at(s, at)->next = large;
	enter(s, at, judge);
	return true;
}

/* Priorities decrease while a record waits; how often the best one is re-evaluated. */
enum { ASKED_AGAIN = 16 };

/* Re-evaluates the top: true if it is still the best. */
static bool is_best(struct pd_search *s, uint32_t heap, const struct pd_search_judge *judge)
{
	struct pd_search_entry *top = &entries(s, heap)[0];
	const struct pd_record *r = &slot_at(s, top->slot)->record;
	uint64_t key;

	if (s->by > PD_SEARCH_COVERAGE)
		return true;
	key = key_of(s, heap, r, judge->worth(judge->ctx, r));
	if (key >= top->key)
		return true;
	top->key = key;
	down(s, heap, 0);
	return false;
}

/* Every fourth turn goes to coverage. */
static uint32_t whose_turn(struct pd_search *s)
{
	return has_two(s) && ++s->turn % 4 == 0;
}

struct pd_record *pd_search_take(struct pd_search *s, const struct pd_search_judge *judge)
{
	uint32_t heap = whose_turn(s), asked = 0;

	while (s->heap[heap].n) {
		struct pd_search_entry *top = &entries(s, heap)[0];
		struct slot *t = slot_at(s, top->slot);

		if (!is_valid(s, top)) {
			pop(s, heap);
			continue;
		}
		if (asked++ < ASKED_AGAIN && !is_best(s, heap, judge))
			continue;
		pop(s, heap);
		t->number = 0;
		s->n--;
		return &t->record;
	}
	return NULL;
}

void pd_search_drop(struct pd_search *s, struct pd_record *r)
{
	struct slot *t = slot_of(r);
	uint64_t large = t->next;

	t->next = s->free[large];
	s->free[large] = (uint64_t)(uintptr_t)t - s->base;
}

void pd_search_return(struct pd_search *s, struct pd_record *r, const struct pd_search_judge *judge)
{
	enter(s, (uint64_t)(uintptr_t)slot_of(r) - s->base, judge);
}

void pd_search_each(const struct pd_search *s, void (*each)(void *ctx, const struct pd_record *r),
		    void *ctx)
{
	const struct pd_search_entry *v = entries(s, 0);

	for (uint64_t i = 0; i < s->heap[0].n; i++)
		if (is_valid(s, &v[i]))
			each(ctx, &slot_at(s, v[i].slot)->record);
}
