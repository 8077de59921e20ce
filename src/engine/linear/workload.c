/* workload.c - see workload.h: making at random, and growing. */
#include "engine/linear/workload.h"
#include "base/hash.h"

enum { LONGEST = 64 }; /* of bytes */

uint32_t pd_table_length(const struct pd_linear_entry *table)
{
	uint32_t n = 0;

	while (table[n].name)
		n++;
	return n;
}

uint32_t pd_entry_nargs(const struct pd_linear_entry *e)
{
	uint32_t n = 0;

	while (n < PD_LINEAR_ARGS && e->args[n] != PD_NO_ARG)
		n++;
	return n;
}

static uint32_t draw(uint64_t *random, uint32_t n)
{
	*random += 0x9e3779b97f4a7c15ULL;
	return (uint32_t)(pd_mix(*random) % n);
}

/* ---- keys and values ------------------------------------------------------------------------ */

enum pattern { SCATTERED, ASCENDING, DESCENDING, LOW_BITS, HIGH_BITS, PATTERNS };

struct maker {
	uint64_t random;
	uint32_t nkeys;
	enum pattern pattern;
	uint32_t used; /* new keys given out */
	uint64_t value;
	struct pd_arena *arena;
};

static uint64_t scatter(const struct maker *m, uint32_t i)
{
	return (uint64_t)i * 2654435761u % m->nkeys; /* a prime: all of them, in another order */
}

/* The i-th new key. Never PD_NONE, PD_FAILED or 0, which many structures keep for themselves. */
static uint64_t key_number(const struct maker *m, uint32_t i)
{
	i %= m->nkeys;
	switch (m->pattern) {
	case ASCENDING:
		return i + 1;
	case DESCENDING:
		return m->nkeys - i;
	case LOW_BITS: /* equal in the low bits: one bucket */
		return (scatter(m, i) << 10) + 1;
	case HIGH_BITS: /* a few neighbourhoods */
		return ((uint64_t)(i & 3) << 32) + scatter(m, i) + 1;
	case SCATTERED:
	case PATTERNS:
		break;
	}
	return scatter(m, i) + 1;
}

static uint64_t make_key(struct maker *m, enum pd_linear_arg kind)
{
	uint32_t dice = draw(&m->random, 8);
	bool fresh = kind == PD_NEW_KEY ? dice < 6 : kind == PD_OLD_KEY ? dice < 1 : dice < 3;

	if (kind == PD_ANY_KEY && dice == 7)
		return key_number(m, draw(&m->random, m->nkeys));
	if (!m->used || (fresh && m->used < m->nkeys)) {
		/* A new key that only a writer is sure to use. */
		if (kind != PD_NEW_KEY)
			return key_number(m, m->used);
		return key_number(m, m->used++);
	}
	/* Recent keys are used more often. */
	if (draw(&m->random, 2))
		return key_number(m, m->used - 1 - draw(&m->random, PD_MIN(m->used, 8)));
	return key_number(m, draw(&m->random, m->used));
}

static bool make_bytes(struct maker *m, struct pd_linear_value *v)
{
	static const uint8_t lengths[] = {0, 1, 7, 8, 9, 31, 63, LONGEST};
	uint32_t n = draw(&m->random, 2) ? lengths[draw(&m->random, PD_LEN(lengths))]
					 : draw(&m->random, LONGEST + 1);
	uint8_t *b = pd_arena_alloc(m->arena, n + 1);
	uint64_t value = ++m->value;

	if (!b)
		return false;
	/* The number comes first, so that no two values of a word or more are equal. */
	for (uint32_t i = 0; i < n; i++)
		b[i] = i < 8 ? (uint8_t)(value >> 8 * i) : (uint8_t)('a' + (value + i) % 26);
	*v = (struct pd_linear_value){pd_linear_hash(b, n), n ? b : NULL, n};
	return true;
}

static bool make_arg(struct maker *m, enum pd_linear_arg kind, struct pd_linear_value *v)
{
	*v = (struct pd_linear_value){0};
	switch (kind) {
	case PD_NEW_KEY:
	case PD_OLD_KEY:
	case PD_ANY_KEY:
		v->word = make_key(m, kind);
		return true;
	case PD_VALUE:
		v->word = m->value && draw(&m->random, 16) == 0 ? m->value : ++m->value;
		return true;
	case PD_BYTES:
		return make_bytes(m, v);
	case PD_COUNT:
		v->word = draw(&m->random, 17);
		return true;
	case PD_NO_ARG:
		break;
	}
	return true;
}

/* An operation that adds has a new key; or it has none, and a value. */
static bool adds(const struct pd_linear_entry *e)
{
	bool adds = false;

	for (uint32_t i = 0; i < PD_LINEAR_ARGS; i++) {
		if (e->args[i] == PD_NEW_KEY)
			return true;
		if (e->args[i] == PD_OLD_KEY || e->args[i] == PD_ANY_KEY)
			return false;
		adds |= e->args[i] == PD_VALUE || e->args[i] == PD_BYTES;
	}
	return adds;
}

enum stage { ANY, FILLS, DRAINS };

static uint32_t make_entry(struct maker *m, const struct pd_linear_entry *table, enum stage stage)
{
	uint32_t length = pd_table_length(table), entry = draw(&m->random, length);

	for (uint32_t i = 0; i < length && stage != ANY; i++) {
		if (adds(&table[entry]) == (stage == FILLS))
			break;
		entry = (entry + 1) % length;
	}
	return entry;
}

static bool make_op(struct maker *m, struct pd_work *x, const struct pd_linear_entry *table,
		    uint32_t nthreads, enum stage stage)
{
	x->entry = make_entry(m, table, stage);
	x->thread = draw(&m->random, PD_MAX(nthreads, 1));
	for (uint32_t i = 0; i < PD_LINEAR_ARGS; i++)
		if (!make_arg(m, table[x->entry].args[i], &x->arg[i]))
			return false;
	return true;
}

static struct maker maker_of(const struct pd_workgen *gen, uint64_t seed, struct pd_arena *a)
{
	struct maker m = {.random = pd_mix(seed + 1), .arena = a};

	m.nkeys = PD_MIN(PD_MAX(gen->nkeys ? gen->nkeys : gen->nops, 1), 1u << 30);
	if (m.nkeys % 2654435761u == 0)
		m.nkeys++;
	m.pattern = (enum pattern)(seed % (gen->fill ? LOW_BITS : PATTERNS));
	return m;
}

bool pd_workload_make(struct pd_workload *w, struct pd_arena *a,
		      const struct pd_linear_entry *table, const struct pd_workgen *gen)
{
	struct maker m = maker_of(gen, gen->seed, a);

	if (!table[0].name)
		return false;
	pd_vec_reserve(&w->ops, a, w->ops.n + gen->nops);
	for (uint32_t i = 0; i < gen->nops; i++) {
		struct pd_work *x = pd_vec_push(&w->ops, a);
		enum stage stage = !gen->fill ? ANY : i < gen->nops / 4 * 3 ? FILLS : DRAINS;

		if (!x || !make_op(&m, x, table, gen->nthreads, stage))
			return false;
	}
	return true;
}

/* ---- growing -------------------------------------------------------------------------------- */

bool pd_grow_init(struct pd_grow *g, struct pd_arena *a, const struct pd_linear_entry *table,
		  struct pd_workgen gen, uint32_t nbits)
{
	*g = (struct pd_grow){.arena = a, .table = table, .gen = gen, .nbits = nbits};
	g->random = pd_mix(gen.seed + 0x6c62272e07bb0142ULL);
	g->seen = pd_arena_alloc(a, nbits / 8 + 1);
	return g->seen != NULL;
}

static bool copy_ops(struct pd_workload *to, const struct pd_workload *from, uint32_t first,
		     uint32_t n, struct pd_arena *a)
{
	for (uint32_t i = first; i < first + n && i < from->ops.n; i++) {
		struct pd_work *x = pd_vec_push(&to->ops, a);

		if (!x)
			return false;
		*x = from->ops.v[i];
	}
	return true;
}

/*
 * Changes: repeats a stretch (which fills nodes), copies one from elsewhere, removes one, or makes
 * one anew. Never exceeds the requested length.
 */
static bool change(struct pd_grow *g, const struct pd_workload *from, struct pd_workload *w,
		   struct pd_arena *step)
{
	uint32_t n = from->ops.n, at = draw(&g->random, n), len = 1 + draw(&g->random, n / 4 + 1);
	const struct pd_workload *other = &g->kept[draw(&g->random, g->nkept)];
	struct pd_workgen anew = g->gen;
	uint32_t what = draw(&g->random, 4);

	anew.seed = draw(&g->random, UINT32_MAX);
	anew.nops = len;
	if (!copy_ops(w, from, 0, at, step))
		return false;
	if (what == 0 && (!copy_ops(w, from, at, len, step) || !copy_ops(w, from, at, len, step)))
		return false;
	if (what == 1 && !copy_ops(w, other, draw(&g->random, PD_MAX(other->ops.n, 1)), len, step))
		return false;
	if (what == 3 && !pd_workload_make(w, step, g->table, &anew))
		return false;
	if (!copy_ops(w, from, what == 1 ? at : at + len, n, step))
		return false;
	w->ops.n = PD_MIN(w->ops.n, g->gen.nops);
	return true;
}

bool pd_grow_next(struct pd_grow *g, struct pd_workload *w, struct pd_arena *step)
{
	struct pd_workgen anew = g->gen;

	*w = (struct pd_workload){0};
	/* Each pattern of keys is tried once first. */
	if (g->proposed++ < PATTERNS || !g->nkept || draw(&g->random, 8) == 0) {
		anew.seed = g->gen.seed + g->proposed - 1;
		return pd_workload_make(w, step, g->table, &anew);
	}
	g->from = draw(&g->random, g->nkept);
	return change(g, &g->kept[g->from], w, step);
}

/* A copy that does not share its bytes. */
static bool keep(struct pd_grow *g, const struct pd_workload *w)
{
	struct pd_workload *k = &g->kept[g->nkept < PD_GROW_KEPT ? g->nkept : g->from];

	*k = (struct pd_workload){0};
	if (!copy_ops(k, w, 0, w->ops.n, g->arena))
		return false;
	for (uint32_t i = 0; i < k->ops.n; i++)
		for (uint32_t j = 0; j < PD_LINEAR_ARGS; j++) {
			struct pd_linear_value *v = &k->ops.v[i].arg[j];

			if (!v->size)
				continue;
			v->data = pd_arena_strndup(g->arena, v->data, v->size);
			if (!v->data)
				return false;
		}
	if (g->nkept < PD_GROW_KEPT)
		g->nkept++;
	return true;
}

uint32_t pd_grow_feed(struct pd_grow *g, const struct pd_workload *w, const uint8_t *bits)
{
	uint32_t fresh = 0;

	for (uint32_t i = 0; i < g->nbits / 8 + 1; i++) {
		fresh += pd_count_bits(bits[i] & ~(uint32_t)g->seen[i]);
		g->seen[i] |= bits[i];
	}
	g->nseen += fresh;
	if (fresh && w->ops.n)
		keep(g, w);
	return fresh;
}
