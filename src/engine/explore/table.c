/*
 * table.c - expressions that are one of several values by the value of another one (expr.h).
 *
 * A table is written as simply as it can be: keys that the index cannot have, and entries that are
 * what `otherwise` is, are left out; additions, extensions and bits that are always 0 are taken off
 * the index. One key is a comparison; a set of keys in a row is a range.
 */
#include "engine/explore/node.h"

bool pd_tables_init(struct pd_exprs *x)
{
	return pd_interned_init(&x->tables, x->arena);
}

const struct pd_expr_table *pd_expr_table_of(const struct pd_exprs *x, pd_expr e)
{
	return &pd_node_table(x, pd_node(x, e))->t;
}

pd_expr pd_table_at(const struct pd_table *t, uint64_t key)
{
	const uint64_t *v = t->t.key;
	uint32_t low = 0, high = t->t.n;

	if (key < v[0] || key > v[high - 1])
		return t->t.otherwise;
	/* In a row, as most are. */
	if (v[high - 1] - v[0] == high - 1)
		return t->t.entry[key - v[0]];
	while (low < high) {
		uint32_t mid = (low + high) / 2;

		if (v[mid] < key)
			low = mid + 1;
		else
			high = mid;
	}
	return v[low] == key ? t->t.entry[low] : t->t.otherwise;
}

/* ---- a table in the making ------------------------------------------------------------------ */

struct making {
	pd_expr index;
	uint32_t n;
	uint64_t *key;	/* in scratch */
	pd_expr *entry; /* in scratch, behind the keys */
	pd_expr otherwise;
};

/* False: no memory. Room for twice n: to turn round. */
static bool begin(struct pd_exprs *x, struct making *m, uint32_t n)
{
	uint64_t words = 3 * (uint64_t)n + 2;

	if (words > x->scratch_cap) {
		uint64_t cap = PD_MAX(words, 2 * (uint64_t)x->scratch_cap);
		uint64_t *more = cap <= UINT32_MAX ? pd_new_array(x->arena, uint64_t, cap) : NULL;

		if (!more)
			return false;
		x->scratch = more;
		x->scratch_cap = (uint32_t)cap;
	}
	m->key = x->scratch;
	m->entry = (pd_expr *)(x->scratch + n);
	return true;
}

/* Keys that are in order but for a point where they begin anew. */
static void turn(struct making *m)
{
	uint64_t *spare = (uint64_t *)(m->entry + (m->n + (m->n & 1)));
	uint32_t at = 1;

	while (at < m->n && m->key[at - 1] < m->key[at])
		at++;
	if (at >= m->n)
		return;
	memcpy(spare, m->key, at * sizeof(*m->key));
	memmove(m->key, m->key + at, (m->n - at) * sizeof(*m->key));
	memcpy(m->key + (m->n - at), spare, at * sizeof(*m->key));
	memcpy(spare, m->entry, at * sizeof(*m->entry));
	memmove(m->entry, m->entry + at, (m->n - at) * sizeof(*m->entry));
	memcpy(m->entry + (m->n - at), spare, at * sizeof(*m->entry));
}

/* Takes an operator off the index; false: there is none to take. */
static bool peel(struct pd_exprs *x, struct making *m)
{
	const struct pd_node *n = pd_node(x, m->index);
	const struct pd_node *b = pd_node(x, n->key.op > PD_SYM_TABLE && n->key.b ? n->key.b : 1);
	uint64_t mask = pd_op_mask(n->key.width);
	uint32_t shift;

	if (n->key.op == PD_SYM_ADD && pd_node_is_const(b)) {
		for (uint32_t i = 0; i < m->n; i++)
			m->key[i] = (m->key[i] - pd_node_value(b)) & mask;
		turn(m);
	} else if (n->key.op == PD_SYM_CONCAT && pd_node_is_const(b)) {
		shift = b->key.width;
		for (uint32_t i = 0; i < m->n; i++)
			m->key[i] >>= shift;
	} else if (n->key.op != PD_SYM_ZEXT) {
		return false;
	}
	m->index = n->key.a;
	return true;
}

/* Whether the index may have that value, by its form alone. */
static bool may_be(const struct pd_exprs *x, const struct pd_node *n, uint64_t v)
{
	if ((v & ~pd_op_mask(n->live)) || (v & pd_op_mask(n->zeros)))
		return false;
	if (n->key.op == PD_SYM_CONCAT && pd_node_is_const(pd_node(x, n->key.b)))
		return (v & pd_op_mask(pd_node(x, n->key.b)->key.width)) ==
		       pd_node_value(pd_node(x, n->key.b));
	return true;
}

static void drop(struct pd_exprs *x, struct making *m)
{
	const struct pd_node *n = pd_node(x, m->index);
	uint32_t kept = 0;

	for (uint32_t i = 0; i < m->n; i++) {
		if (!may_be(x, n, m->key[i]) || m->entry[i] == m->otherwise)
			continue;
		m->key[kept] = m->key[i];
		m->entry[kept++] = m->entry[i];
	}
	m->n = kept;
}

/* ---- a table that is made ------------------------------------------------------------------- */

static uint64_t hash_making(const struct making *m)
{
	uint64_t h = pd_mix((uint64_t)m->n << 32 | m->otherwise);

	for (uint32_t i = 0; i < m->n; i++)
		h = (h ^ m->key[i]) * 0x9e3779b97f4a7c15ULL + (h >> 29) + m->entry[i];
	return pd_mix(h);
}

static bool all_constant(const struct pd_exprs *x, const struct making *m)
{
	for (uint32_t i = 0; i < m->n; i++)
		if (!pd_node_is_const(pd_node(x, m->entry[i])))
			return false;
	return pd_node_is_const(pd_node(x, m->otherwise));
}

static uint32_t find(const struct pd_exprs *x, const struct making *m, uint64_t hash)
{
	const struct pd_interned *t = &x->tables;

	for (uint32_t i = (uint32_t)hash & t->mask; t->slot[i].id; i = (i + 1) & t->mask) {
		const struct pd_table *p = t->v[t->slot[i].id - 1];

		if (p->hash == hash && p->t.n == m->n && p->t.otherwise == m->otherwise &&
		    memcmp(p->t.key, m->key, m->n * sizeof(*m->key)) == 0 &&
		    memcmp(p->t.entry, m->entry, m->n * sizeof(*m->entry)) == 0)
			return t->slot[i].id - 1;
	}
	return UINT32_MAX;
}

/* Number of the table; UINT32_MAX: no memory. */
static uint32_t intern(struct pd_exprs *x, const struct making *m)
{
	uint64_t hash = hash_making(m);
	uint32_t known = find(x, m, hash);
	struct pd_table *t;
	uint64_t *key;

	if (known != UINT32_MAX)
		return known;
	t = pd_stack_take(&x->tables.stack, x->arena,
			  sizeof(*t) + m->n * (sizeof(*m->key) + sizeof(*m->entry)));
	if (!t)
		return UINT32_MAX;
	key = (uint64_t *)(t + 1);
	memcpy(key, m->key, m->n * sizeof(*m->key));
	memcpy(key + m->n, m->entry, m->n * sizeof(*m->entry));
	t->t = (struct pd_expr_table){m->n, key, (pd_expr *)(key + m->n), m->otherwise};
	t->hash = hash;
	t->constant = all_constant(x, m);
	if (!pd_interned_add(&x->tables, x->arena, t, (uint32_t)hash)) {
		pd_stack_give(&x->tables.stack, t);
		return UINT32_MAX;
	}
	return x->tables.n - 1;
}

static pd_expr node_of(struct pd_exprs *x, const struct making *m)
{
	struct pd_node_key k = {.op = PD_SYM_TABLE,
				.width = pd_node(x, m->otherwise)->key.width,
				.a = m->index,
				.b = intern(x, m)};
	pd_expr e;

	if (k.b == UINT32_MAX)
		return 0;
	e = pd_node_find(x, &k);
	return e ? e : pd_node_make(x, &k);
}

/* Whether the index is one of the keys; all entries are 1. */
static pd_expr set(struct pd_exprs *x, struct making *m)
{
	pd_expr index = m->index, n;
	uint32_t width = pd_node(x, index)->key.width;
	uint64_t first = m->key[0];

	if (m->key[m->n - 1] - first != m->n - 1)
		return node_of(x, m);
	if (m->n > pd_op_mask(width))
		return pd_expr_const(x, 1, 1);
	n = pd_expr_const(x, width, m->n);
	index = pd_expr_binary(x, PD_SYM_SUB, index, pd_expr_const(x, width, first));
	return pd_expr_binary(x, PD_SYM_ULT, index, n);
}

static pd_expr finish(struct pd_exprs *x, struct making *m)
{
	const struct pd_node *o = pd_node(x, m->otherwise);
	uint32_t width = pd_node(x, m->index)->key.width;
	bool is_set = o->key.width == 1 && all_constant(x, m);
	uint64_t v;
	pd_expr e;

	if (m->n == 0)
		return m->otherwise;
	if (m->n == 1) {
		e = m->entry[0];
		return pd_expr_ite(
			x,
			pd_expr_binary(x, PD_SYM_EQ, m->index, pd_expr_const(x, width, m->key[0])),
			e, m->otherwise);
	}
	if (!is_set)
		return node_of(x, m);
	/* Entries are not what `otherwise` is: 1 and 0, or 0 and 1. */
	v = pd_node_value(o);
	if (v) {
		pd_expr zero = m->entry[0];

		for (uint32_t i = 0; i < m->n; i++)
			m->entry[i] = m->otherwise;
		m->otherwise = zero;
		return pd_expr_not(x, set(x, m));
	}
	return set(x, m);
}

pd_expr pd_expr_table(struct pd_exprs *x, pd_expr index, uint32_t n, const uint64_t *key,
		      const pd_expr *entry, pd_expr otherwise)
{
	struct making m = {.index = index, .n = n, .otherwise = otherwise};
	const struct pd_node *i;

	if (!index || !otherwise || !begin(x, &m, n))
		return 0;
	for (uint32_t k = 0; k < n; k++) {
		if (!entry[k])
			return 0;
		PD_CHECK(k == 0 || key[k - 1] < key[k], "keys of a table are not in order");
	}
	memcpy(m.key, key, n * sizeof(*key));
	memcpy(m.entry, entry, n * sizeof(*entry));
	i = pd_node(x, index);
	if (pd_node_is_const(i)) {
		for (uint32_t k = 0; k < n; k++)
			if (key[k] == pd_node_value(i))
				return entry[k];
		return otherwise;
	}
	do
		drop(x, &m);
	while (peel(x, &m));
	return finish(x, &m);
}

pd_expr pd_table_is(struct pd_exprs *x, pd_expr e, uint64_t value)
{
	const struct pd_node *n = pd_node(x, e);
	const struct pd_table *t = pd_node_table(x, n);
	struct making m = {.index = n->key.a};
	pd_expr is[2];

	if (!t->constant || !begin(x, &m, t->t.n))
		return 0;
	is[0] = pd_expr_const(x, 1, 0);
	is[1] = pd_expr_const(x, 1, 1);
	if (!is[0] || !is[1])
		return 0;
	m.n = t->t.n;
	m.otherwise = is[pd_node_value(pd_node(x, t->t.otherwise)) == value];
	for (uint32_t i = 0; i < m.n; i++) {
		m.key[i] = t->t.key[i];
		m.entry[i] = is[pd_node_value(pd_node(x, t->t.entry[i])) == value];
	}
	drop(x, &m);
	return finish(x, &m);
}
