/* plan.c - see plan.h. */
#include "engine/linear/plan.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/sort.h"

enum { WORD_SHIFT = 3 };

/* What is known of an 8-byte word. */
struct known {
	uint32_t fresh_in; /* op + 1, in which it is new to everybody; 0: somebody knows it */
	bool touched;
	bool guarded; /* read by a load that decides a branch */
};

struct planner {
	struct pd_plan *p;
	struct pd_arena *a;
	const struct pd_act *acts;
	uint32_t n;
	struct pd_map words; /* address -> struct known */
	struct pd_map seen;  /* two sites -> pairs so far */
};

static uint64_t first_word(const struct pd_act *x)
{
	return x->addr >> WORD_SHIFT;
}

static uint64_t last_word(const struct pd_act *x)
{
	return (x->addr + PD_MAX(x->size, 1) - 1) >> WORD_SHIFT;
}

static struct known *known(struct planner *k, uint64_t word)
{
	uint64_t *at = pd_map_put(&k->words, k->a, word);

	if (at && !*at)
		*at = (uint64_t)(uintptr_t)pd_new(k->a, struct known);
	return at ? (struct known *)(uintptr_t)*at : NULL;
}

static bool is_write(const struct pd_act *x)
{
	return x->kind == PD_ACT_STORE || x->kind == PD_ACT_LOCKED;
}

/* ---- points --------------------------------------------------------------------------------- */

static bool note_guards(struct planner *k)
{
	for (uint32_t i = 0; i < k->n; i++) {
		const struct pd_act *x = &k->acts[i];

		if (!(x->flags & PD_ACT_GUARDED))
			continue;
		for (uint64_t w = first_word(x); w <= last_word(x); w++) {
			struct known *g = known(k, w);

			if (!g)
				return false;
			g->guarded = true;
		}
	}
	return true;
}

/* Whether the store is to memory that is new in this operation, all of it; notes the touch. */
static bool touch(struct planner *k, const struct pd_act *x, bool *fresh, bool *guarded)
{
	*fresh = true;
	*guarded = false;
	for (uint64_t w = first_word(x); w <= last_word(x); w++) {
		struct known *g = known(k, w);

		if (!g)
			return false;
		/* What is read before it is stored to was there before. */
		if (!g->touched && x->kind == PD_ACT_STORE && x->op != PD_NO_OP)
			g->fresh_in = x->op + 1;
		g->touched = true;
		if (x->kind == PD_ACT_ALLOC)
			g->fresh_in = x->op == PD_NO_OP ? 0 : x->op + 1;
		*fresh &= g->fresh_in && g->fresh_in == x->op + 1;
		*guarded |= g->guarded;
	}
	return true;
}

static bool add_point(struct planner *k, uint32_t i, bool guarded)
{
	const struct pd_act *x = &k->acts[i];
	struct pd_point *p;

	if (x->kind != PD_ACT_LOCKED && !guarded)
		return true;
	p = pd_vec_push(&k->p->points, k->a);
	if (!p)
		return false;
	*p = (struct pd_point){i,
			       x->op,
			       x->site,
			       x->seq,
			       x->addr,
			       x->size,
			       x->kind == PD_ACT_LOCKED ? PD_POINT_LOCKED : PD_POINT_GUARDED};
	return true;
}

static bool find_points(struct planner *k)
{
	for (uint32_t i = 0; i < k->n; i++) {
		bool fresh, guarded;

		if (!touch(k, &k->acts[i], &fresh, &guarded))
			return false;
		if (!is_write(&k->acts[i]) || k->acts[i].op == PD_NO_OP)
			continue;
		k->p->stores++;
		k->p->fresh += fresh;
		if (!fresh && !add_point(k, i, guarded))
			return false;
	}
	return true;
}

/* ---- pairs ---------------------------------------------------------------------------------- */

static bool overlap(const struct pd_point *p, const struct pd_act *x)
{
	return x->kind != PD_ACT_ALLOC && x->addr < p->addr + p->size &&
	       p->addr < x->addr + x->size;
}

/* One for each two operations, and at most `max` for each two sites. */
static bool add_pair(struct planner *k, uint32_t point, uint32_t other, uint32_t max)
{
	const struct pd_point *p = &k->p->points.v[point];
	const struct pd_act *x = &k->acts[other];
	uint64_t sites = pd_mix((uint64_t)p->site << 32 | x->site) >> 1;
	uint64_t *n = pd_map_put(&k->seen, k->a, sites);
	struct pd_pair *pair;

	if (!n)
		return false;
	if (max && *n >= max) {
		k->p->pairs_left++;
		return true;
	}
	++*n;
	pair = pd_vec_push(&k->p->pairs, k->a);
	if (pair)
		*pair = (struct pd_pair){point, other, x->op, x->site, is_write(x)};
	return pair != NULL;
}

/* Acts of each word, in order: head[word] is the first, next[] the one after it. */
static bool chain_acts(struct planner *k, struct pd_map *heads, uint32_t *next)
{
	for (uint32_t i = k->n; i-- > 0;) {
		uint64_t *head = pd_map_put(heads, k->a, first_word(&k->acts[i]));

		if (!head)
			return false;
		next[i] = (uint32_t)*head;
		*head = (uint64_t)i + 1;
	}
	return true;
}

static bool pair_up(struct planner *k, uint32_t point, const struct pd_map *heads,
		    const uint32_t *next, uint32_t max)
{
	const struct pd_point *p = &k->p->points.v[point];
	/* An access that begins up to 7 words before may reach into it. */
	uint64_t last = (p->addr + PD_MAX(p->size, 1) - 1) >> WORD_SHIFT;
	uint64_t from = p->addr >> WORD_SHIFT;

	for (uint64_t w = from > 7 ? from - 7 : 0; w <= last; w++) {
		uint64_t *head = pd_map_get(heads, w);
		uint32_t done = PD_NO_OP; /* an operation has its first access there only */

		for (uint32_t i = head ? (uint32_t)*head : 0; i; i = next[i - 1]) {
			const struct pd_act *x = &k->acts[i - 1];

			if (x->op == PD_NO_OP || x->op == p->op || x->op == done || !overlap(p, x))
				continue;
			done = x->op;
			if (!add_pair(k, point, i - 1, max))
				return false;
		}
	}
	return true;
}

static bool find_pairs(struct planner *k, uint32_t max)
{
	uint32_t *next = pd_new_array(k->a, uint32_t, k->n + 1);
	struct pd_map heads = {0};

	if (!next || !chain_acts(k, &heads, next))
		return false;
	for (uint32_t i = 0; i < k->p->points.n; i++)
		if (!pair_up(k, i, &heads, next, max))
			return false;
	return true;
}

bool pd_plan_make(struct pd_plan *p, struct pd_arena *a, const struct pd_act *acts, uint32_t n,
		  uint32_t max_pairs)
{
	struct planner k = {.p = p, .a = a, .acts = acts, .n = n};

	*p = (struct pd_plan){0};
	return note_guards(&k) && find_points(&k) && find_pairs(&k, max_pairs) && !a->failed;
}

/* ---- tests ---------------------------------------------------------------------------------- */

static bool add_test(struct pd_tests *t, struct pd_arena *a, struct pd_test test)
{
	struct pd_test *x = pd_vec_push(&t->v, a);

	if (x)
		*x = test;
	return x != NULL;
}

static bool list_tests(struct pd_tests *t, struct pd_arena *a, const struct pd_plan *p)
{
	for (uint32_t i = 0; i < p->points.n; i++) {
		uint32_t op = p->points.v[i].op;

		if (!add_test(t, a, (struct pd_test){PD_TEST_INCOMPLETE, op, i, 0}) ||
		    !add_test(t, a, (struct pd_test){PD_TEST_UNRECOVERED, op, i, 0}))
			return false;
		if ((i + 1 == p->points.n || p->points.v[i + 1].op != op) &&
		    !add_test(t, a, (struct pd_test){PD_TEST_RETURNED, op, i, 0}))
			return false;
	}
	for (uint32_t i = 0; i < p->pairs.n; i++) {
		const struct pd_pair *x = &p->pairs.v[i];
		uint32_t op = p->points.v[x->point].op;

		if (!add_test(t, a, (struct pd_test){PD_TEST_VISIBLE, op, x->point, i}))
			return false;
	}
	return true;
}

/* How many of its like come before it: the same kind at the same site, of a pair both sites. */
struct turn {
	const struct pd_tests *t;
	uint32_t *before;
};

static bool is_earlier(const void *ctx, uint32_t a, uint32_t b)
{
	const struct turn *x = ctx;

	return x->before[a] < x->before[b];
}

static bool count_turns(struct turn *x, struct pd_arena *a, const struct pd_plan *p)
{
	struct pd_map like = {0};

	for (uint32_t i = 0; i < x->t->v.n; i++) {
		const struct pd_test *t = &x->t->v.v[i];
		uint64_t key = (uint64_t)p->points.v[t->point].site << 2 | t->kind, *n;

		if (t->kind == PD_TEST_VISIBLE)
			key = pd_mix(key << 30 ^ p->pairs.v[t->pair].site) >> 1;
		n = pd_map_put(&like, a, key);
		if (!n)
			return false;
		x->before[i] = (uint32_t)(*n)++;
	}
	return true;
}

bool pd_tests_make(struct pd_tests *t, struct pd_arena *a, const struct pd_plan *p)
{
	struct turn x = {t, NULL};
	struct pd_test *sorted;
	uint32_t *order = NULL;

	*t = (struct pd_tests){0};
	if (!list_tests(t, a, p))
		return false;
	x.before = pd_new_array(a, uint32_t, t->v.n + 1);
	sorted = pd_new_array(a, struct pd_test, t->v.n + 1);
	if (x.before && sorted && count_turns(&x, a, p))
		order = pd_sort_new(a, t->v.n, is_earlier, &x);
	for (uint32_t i = 0; order && i < t->v.n; i++)
		sorted[i] = t->v.v[order[i]];
	if (order)
		t->v.v = sorted;
	return order != NULL;
}

const struct pd_test *pd_tests_next(struct pd_tests *t)
{
	return t->next < t->v.n ? &t->v.v[t->next++] : NULL;
}

uint32_t pd_pair_prefix(const struct pd_plan *p, const struct pd_pair *pair, uint32_t *ops)
{
	uint32_t first = p->points.v[pair->point].op, n = 0;

	for (uint32_t i = 0; i < PD_MAX(first, pair->op); i++)
		if (i != first && i != pair->op)
			ops[n++] = i;
	return n;
}

/* ---- versions ------------------------------------------------------------------------------- */

bool pd_test_version(enum pd_test_kind kind, const struct pd_choosable *line, uint64_t *version)
{
	switch (kind) {
	case PD_TEST_INCOMPLETE:
		*version = line->has_point ? PD_MAX(line->must, line->version) : line->must;
		return *version <= line->last;
	case PD_TEST_UNRECOVERED:
		*version = line->has_point ? line->version - 1 : line->last;
		return !line->has_point || (line->version > 0 && *version >= line->must);
	case PD_TEST_RETURNED:
	case PD_TEST_VISIBLE:
		break;
	}
	*version = line->must;
	return true;
}
