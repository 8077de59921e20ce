/* plan.c - see plan.h. */
#include "engine/linear/plan.h"
#include "base/hash.h"
#include "base/map.h"
#include "event/schedule.h"

enum { WORD_SHIFT = 3, NEAR = 16 };

/* What is known of an 8-byte word. */
struct known {
	/* 1 + the operation in which it is new to everybody; 0: it is known to others */
	uint32_t fresh_in;
	bool touched;
	bool guarded; /* read by a load that decides a branch */
};

struct planner {
	struct pd_plan *p;
	struct pd_arena *a;
	const struct pd_act *acts;
	uint32_t n;
	const struct pd_planning *how;
	struct pd_map words; /* address -> struct known */
	struct pd_map seen;  /* key of similar pairs -> number so far */
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

/* Whether the store is to memory that is new in this operation, all of it; records the access. */
static bool touch(struct planner *k, const struct pd_act *x, bool *fresh, bool *guarded)
{
	*fresh = true;
	*guarded = false;
	for (uint64_t w = first_word(x); w <= last_word(x); w++) {
		struct known *g = known(k, w);

		if (!g)
			return false;
		/* Memory that is read before it is stored to existed before. */
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

static bool is_point(const struct planner *k, const struct pd_act *x, bool fresh, bool guarded,
		     enum pd_lp_reason *reason)
{
	*reason = k->how->given		     ? PD_LP_GIVEN
		  : k->how->all_stores	     ? PD_LP_ALL
		  : x->kind == PD_ACT_LOCKED ? PD_LP_LOCKED
					     : PD_LP_GUARDED;
	if (k->how->given)
		return x->flags & PD_ACT_GIVEN;
	return k->how->all_stores || (!fresh && (guarded || x->kind == PD_ACT_LOCKED));
}

static bool add_point(struct planner *k, const struct pd_act *x, enum pd_lp_reason reason)
{
	struct pd_lp *p = pd_vec_push(&k->p->points, k->a);

	if (p)
		*p = (struct pd_lp){x->op,   x->site, x->store,	      x->nth,
				    x->size, x->addr, (uint8_t)reason};
	return p != NULL;
}

static bool find_points(struct planner *k)
{
	for (uint32_t i = 0; i < k->n; i++) {
		const struct pd_act *x = &k->acts[i];
		enum pd_lp_reason reason;
		bool fresh, guarded;

		if (!touch(k, x, &fresh, &guarded))
			return false;
		if (!is_write(x) || x->op == PD_NO_OP)
			continue;
		k->p->stores++;
		k->p->fresh += fresh;
		k->p->guarded += guarded || x->kind == PD_ACT_LOCKED;
		if (k->how->wanted && !k->how->wanted[x->op])
			continue;
		if (is_point(k, x, fresh, guarded, &reason) && !add_point(k, x, reason))
			return false;
	}
	return true;
}

/* ---- pairs ---------------------------------------------------------------------------------- */

/*
 * Of the pairs of two sites the ones with the nearest operations are taken: the operations between
 * them must run before both, and the nearer they are the more likely they still meet then.
 */
static const uint32_t distances[] = {2, 8, 64, PD_NAMED_APART};

static bool overlap(const struct pd_lp *p, const struct pd_act *x)
{
	return x->kind != PD_ACT_ALLOC && x->addr < p->addr + p->size &&
	       p->addr < x->addr + x->size;
}

static uint32_t apart(uint32_t a, uint32_t b)
{
	return a > b ? a - b : b - a;
}

/* How two operations relate. */
static uint64_t relation(const struct planner *k, uint32_t a, uint32_t b)
{
	const struct pd_plan_op *x, *y;

	if (!k->how->ops)
		return 0;
	x = &k->how->ops[a];
	y = &k->how->ops[b];
	return pd_mix((uint64_t)x->entry << 32 | y->entry << 1 | (x->key == y->key));
}

/*
 * Whether another similar pair is wanted; counts it. The first, second, fourth, eighth and so on
 * are: so they are tried in different states, and their number grows slowly with the workload.
 */
static bool is_wanted(struct planner *k, uint64_t alike)
{
	uint64_t *n = pd_map_put(&k->seen, k->a, pd_mix(alike) >> 1);

	if (!n)
		return false;
	++*n;
	if (k->how->all_pairs || !(*n & (*n - 1)))
		return true;
	k->p->pairs_left++;
	return false;
}

static bool add_pair(struct planner *k, uint32_t point, const struct pd_act *x)
{
	const struct pd_lp *p = &k->p->points.v[point];
	struct pd_pair *pair;

	if (!is_wanted(k, ((uint64_t)p->site << 32 | x->site) ^ relation(k, p->op, x->op)))
		return !k->a->failed;
	pair = pd_vec_push(&k->p->pairs, k->a);
	if (pair)
		*pair = (struct pd_pair){point, x->op, x->site, x->load, x->nth, is_write(x)};
	return pair != NULL;
}

/* Chains the accesses of each word, in order: head[word] is the first, next[] the following one. */
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

struct range {
	uint32_t from, to; /* how far apart: more than `from`, up to `to` */
};

static bool pair_up(struct planner *k, uint32_t point, const struct pd_map *heads,
		    const uint32_t *next, struct range r)
{
	const struct pd_lp *p = &k->p->points.v[point];
	/* An access that begins up to 7 words before may reach into it. */
	uint64_t last = (p->addr + PD_MAX(p->size, 1) - 1) >> WORD_SHIFT;
	uint64_t from = p->addr >> WORD_SHIFT;

	for (uint64_t w = from > 7 ? from - 7 : 0; w <= last; w++) {
		uint64_t *head = pd_map_get(heads, w);
		uint32_t done = PD_NO_OP; /* only an operation's first access there counts */

		for (uint32_t i = head ? (uint32_t)*head : 0; i; i = next[i - 1]) {
			const struct pd_act *x = &k->acts[i - 1];
			uint32_t d = x->op == PD_NO_OP ? 0 : apart(x->op, p->op);

			if (d <= r.from || d > r.to || x->op == done || !overlap(p, x))
				continue;
			done = x->op;
			if (!add_pair(k, point, x))
				return false;
		}
	}
	return true;
}

static bool find_pairs(struct planner *k)
{
	uint32_t *next = pd_new_array(k->a, uint32_t, k->n + 1);
	struct pd_map heads = {0};
	struct range r = {0, 0};

	if (!next || !chain_acts(k, &heads, next))
		return false;
	for (uint32_t d = 0; d < PD_LEN(distances); d++, r.from = r.to) {
		r.to = distances[d];
		for (uint32_t i = 0; i < k->p->points.n; i++)
			if (!pair_up(k, i, &heads, next, r))
				return false;
	}
	return true;
}

/* The nearest operation that acts on what the second one of the pair makes visible. */
static const struct pd_pair *find_third(const struct pd_plan *p, const struct pd_pair *pair)
{
	const struct pd_pair *best = NULL;
	uint32_t first = p->points.v[pair->point].op;

	for (uint32_t i = 0; i < p->pairs.n; i++) {
		const struct pd_pair *x = &p->pairs.v[i];

		if (p->points.v[x->point].op == pair->op && x->op != first &&
		    apart(x->op, first) <= PD_NAMED_APART &&
		    (!best || apart(x->op, pair->op) < apart(best->op, pair->op)))
			best = x;
	}
	return best;
}

static uint64_t alike(uint32_t a, uint32_t b, uint32_t c)
{
	return (uint64_t)a << 40 ^ (uint64_t)b << 20 ^ c;
}

static bool add_three(struct planner *k, uint32_t pair, uint32_t op, bool overtakes)
{
	struct pd_three *t = pd_vec_push(&k->p->threes, k->a);

	if (t)
		*t = (struct pd_three){pair, op, overtakes};
	return t != NULL;
}

static bool find_threes(struct planner *k)
{
	struct pd_plan *p = k->p;

	for (uint32_t i = 0; i < p->pairs.n; i++) {
		const struct pd_pair *pair = &p->pairs.v[i];
		const struct pd_pair *third = pair->writes ? find_third(p, pair) : NULL;
		const struct pd_lp *first = &p->points.v[pair->point];

		if (third &&
		    is_wanted(k, alike(first->site, pair->site, third->site) +
					 relation(k, first->op, third->op)) &&
		    !add_three(k, i, third->op, false))
			return false;
	}
	return true;
}

/* Another operation that stores to what the reader of this pair reads later. */
static const struct pd_pair *find_overtaker(const struct pd_plan *p, const struct pd_pair *pair)
{
	const struct pd_pair *best = NULL;
	uint32_t first = p->points.v[pair->point].op;

	for (uint32_t i = 0; i < p->pairs.n; i++) {
		const struct pd_pair *x = &p->pairs.v[i];

		if (x->op == pair->op && x->load > pair->load &&
		    p->points.v[x->point].op != first && (!best || x->load < best->load))
			best = x;
	}
	return best;
}

static bool find_overtakers(struct planner *k)
{
	struct pd_plan *p = k->p;

	for (uint32_t i = 0; i < p->pairs.n; i++) {
		const struct pd_pair *pair = &p->pairs.v[i];
		const struct pd_pair *later = pair->load ? find_overtaker(p, pair) : NULL;
		const struct pd_lp *at = &p->points.v[pair->point];

		if (later &&
		    is_wanted(k, alike(at->site, later->site, pair->site) -
					 relation(k, pair->op, at->op)) &&
		    !add_three(k, i, p->points.v[later->point].op, true))
			return false;
	}
	return true;
}

/* Pairs each point with the next operation of each entry. */
static bool pair_with_all(struct planner *k)
{
	for (uint32_t i = 0; i < k->p->points.n; i++) {
		uint32_t op = k->p->points.v[i].op;

		for (uint32_t d = 1; d <= NEAR && op + d < k->how->nops; d++)
			if (!add_pair(k, i, &(struct pd_act){.op = op + d}))
				return false;
	}
	return true;
}

bool pd_plan_make(struct pd_plan *p, struct pd_arena *a, const struct pd_act *acts, uint32_t n,
		  const struct pd_planning *how)
{
	struct planner k = {.p = p, .a = a, .acts = acts, .n = n, .how = how};

	*p = (struct pd_plan){.wanted = how->wanted};
	if (!note_guards(&k) || !find_points(&k))
		return false;
	return (how->alone ||
		(find_pairs(&k) && find_threes(&k) && find_overtakers(&k) && pair_with_all(&k))) &&
	       !a->failed;
}

/* ---- names ---------------------------------------------------------------------------------- */

/*
 * From the top: the bit of tests, kind (4 bits), operation (14), store (11), and how far the second
 * and the third operation are from the first (11 each, as numbers from 0). Where there is no third
 * operation, its bits are the upper ones of the store.
 */
enum { APART_BITS = 11, STORE_BITS = 11, OP_BITS = 14, KIND_BITS = 4 };

static uint64_t add(uint64_t name, uint64_t field, uint32_t bits)
{
	return name << bits | (field & ((1ULL << bits) - 1));
}

static uint32_t take(uint64_t *name, uint32_t bits)
{
	uint32_t field = (uint32_t)(*name & ((1ULL << bits) - 1));

	*name >>= bits;
	return field;
}

static uint32_t distance(uint32_t from, uint32_t to)
{
	return to - from + PD_NAMED_APART;
}

uint32_t pd_named_roles(const struct pd_named *t)
{
	switch ((enum pd_named_kind)t->kind) {
	case PD_NAMED_AT:
		return 1;
	case PD_NAMED_PAIR:
	case PD_NAMED_LATE:
	case PD_NAMED_STALE:
	case PD_NAMED_CROSSED:
		return 2;
	case PD_NAMED_THREE:
	case PD_NAMED_OVERTAKEN:
		return 3;
	case PD_NAMED_LOOK:
	case PD_NAMED_PLAN:
	case PD_NAMED_TESTS:
	case PD_NAMED_GROW:
	case PD_NAMED_CROSSES:
	case PD_NAMED_CLOSE:
	case PD_NAMED_KINDS:
		break;
	}
	return 0;
}

uint64_t pd_named_seed(const struct pd_named *t)
{
	bool pair = pd_named_roles(t) > 1, three = pd_named_roles(t) > 2;
	uint64_t name = t->kind;

	if (t->op >= PD_NAMED_OPS ||
	    t->store > (three ? PD_NAMED_STORES_OF_THREE : PD_NAMED_STORES) ||
	    (pair && apart(t->op, t->second) > PD_NAMED_APART) ||
	    (three && apart(t->op, t->third) > PD_NAMED_APART))
		return 0;
	name = add(add(name, t->op, OP_BITS), t->store, STORE_BITS);
	name = add(name, pair ? distance(t->op, t->second) : 0, APART_BITS);
	name = add(name, three ? distance(t->op, t->third) : t->store >> STORE_BITS, APART_BITS);
	return PD_SCHEDULE_TEST | name;
}

bool pd_named_of(uint64_t seed, struct pd_named *t)
{
	uint64_t name = seed & (PD_SCHEDULE_TEST - 1);
	uint32_t third, second;

	*t = (struct pd_named){0};
	if ((seed & (PD_SCHEDULE_TEST | PD_SCHEDULE_LATE)) != PD_SCHEDULE_TEST)
		return false;
	third = take(&name, APART_BITS);
	second = take(&name, APART_BITS);
	t->store = take(&name, STORE_BITS);
	t->op = take(&name, OP_BITS);
	t->kind = (uint8_t)take(&name, KIND_BITS);
	if (pd_named_roles(t) > 1)
		t->second = t->op + second - PD_NAMED_APART;
	if (pd_named_roles(t) > 2)
		t->third = t->op + third - PD_NAMED_APART;
	else
		t->store |= third << STORE_BITS;
	return t->kind < PD_NAMED_KINDS;
}

uint64_t pd_named_without_crash(uint64_t seed)
{
	struct pd_named t, plan = {.kind = PD_NAMED_PLAN};

	return pd_named_of(seed, &t) && pd_named_roles(&t) < 2 ? pd_named_seed(&plan) : seed;
}
