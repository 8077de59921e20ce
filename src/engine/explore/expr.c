/* expr.c - the graph of expressions: nodes by key, and what is asked of them; see node.h. */
#include "engine/explore/node.h"

enum { FIRST_SLOTS = 1 << 9, FIRST_CHUNKS = 16 };

struct pd_exprs *pd_exprs_create(struct pd_arena *a, uint32_t input_size)
{
	struct pd_exprs *x = pd_new(a, struct pd_exprs);

	if (!x)
		return NULL;
	x->arena = a;
	x->input_size = input_size;
	x->n = 1;
	x->chunk = pd_new_array(a, struct pd_node *, FIRST_CHUNKS);
	x->slot = pd_new_array(a, struct pd_slot, FIRST_SLOTS);
	x->rewritten = pd_new_array(a, struct pd_rewritten, FIRST_SLOTS);
	x->chunk_cap = FIRST_CHUNKS;
	x->mask = x->rewritten_mask = FIRST_SLOTS - 1;
	if (!x->chunk || !x->slot || !x->rewritten || !pd_support_init(x) || !pd_tables_init(x))
		return NULL;
	return x;
}

/* ---- nodes by key --------------------------------------------------------------------------- */

pd_expr pd_node_find(const struct pd_exprs *x, const struct pd_node_key *k)
{
	uint64_t h = pd_node_hash(k);
	const struct pd_rewritten *r = &x->rewritten[h & x->rewritten_mask];

	for (uint32_t i = (uint32_t)h & x->mask; x->slot[i].id; i = (i + 1) & x->mask)
		if (x->slot[i].hash == (uint32_t)h &&
		    pd_node_same(&pd_node(x, x->slot[i].id)->key, k))
			return x->slot[i].id;
	return r->to && pd_node_same(&r->key, k) ? r->to : 0;
}

void pd_node_remember(struct pd_exprs *x, const struct pd_node_key *k, pd_expr to)
{
	x->rewritten[pd_node_hash(k) & x->rewritten_mask] = (struct pd_rewritten){*k, to};
}

static void put(struct pd_exprs *x, uint32_t hash, uint32_t id)
{
	uint32_t i = hash & x->mask;

	while (x->slot[i].id)
		i = (i + 1) & x->mask;
	x->slot[i] = (struct pd_slot){hash, id};
}

/* Slots are at most half full. */
static bool grow_slots(struct pd_exprs *x)
{
	struct pd_slot *old = x->slot, *slot;
	struct pd_rewritten *rewritten;
	uint32_t n = x->mask + 1;

	if (x->n <= n / 2)
		return true;
	if (n > UINT32_MAX / 2)
		return false;
	slot = pd_new_array(x->arena, struct pd_slot, 2 * (uint64_t)n);
	if (!slot)
		return false;
	x->slot = slot;
	x->mask = 2 * n - 1;
	for (uint32_t i = 0; i < n; i++)
		if (old[i].id)
			put(x, old[i].hash, old[i].id);
	rewritten = pd_new_array(x->arena, struct pd_rewritten, n);
	if (rewritten) {
		x->rewritten = rewritten;
		x->rewritten_mask = n - 1;
	}
	return true;
}

static bool grow_chunks(struct pd_exprs *x)
{
	uint32_t cap = x->chunk_cap * 2;
	struct pd_node **more;

	if (x->n >> PD_NODE_CHUNK_BITS < x->nchunks)
		return true;
	if (x->nchunks == x->chunk_cap) {
		more = pd_arena_grow(x->arena, x->chunk, x->chunk_cap * sizeof(struct pd_node *),
				     cap * sizeof(struct pd_node *));
		if (!more)
			return false;
		x->chunk = more;
		x->chunk_cap = cap;
	}
	x->chunk[x->nchunks] = pd_new_array(x->arena, struct pd_node, PD_NODE_CHUNK);
	if (!x->chunk[x->nchunks])
		return false;
	x->nchunks++;
	return true;
}

static void digest_of(struct pd_digest *d, struct pd_digest of)
{
	d->a = pd_mix(d->a ^ of.a);
	d->b = pd_mix(d->b + of.b * 0x9e3779b97f4a7c15ULL + 1);
}

static void digest_table(const struct pd_exprs *x, struct pd_digest *d, const struct pd_table *t)
{
	for (uint32_t i = 0; i < t->t.n; i++) {
		pd_digest_u64(d, t->t.key[i]);
		digest_of(d, pd_node(x, t->t.entry[i])->digest);
	}
	digest_of(d, pd_node(x, t->t.otherwise)->digest);
}

static void digest_node(const struct pd_exprs *x, struct pd_node *n)
{
	n->digest = PD_DIGEST_INIT;
	pd_digest_u64(&n->digest, n->key.op | n->key.width << 8 | (uint64_t)n->key.low << 16);
	if (n->key.op == PD_SYM_CONST)
		pd_digest_u64(&n->digest, pd_node_value(n));
	else if (n->key.op == PD_SYM_INPUT)
		pd_digest_u64(&n->digest, n->key.a);
	else
		digest_of(&n->digest, pd_node(x, n->key.a)->digest);
	if (n->key.op == PD_SYM_TABLE) {
		digest_table(x, &n->digest, pd_node_table(x, n));
	} else if (n->key.op > PD_SYM_TABLE) {
		if (n->key.b)
			digest_of(&n->digest, pd_node(x, n->key.b)->digest);
		if (n->key.c)
			digest_of(&n->digest, pd_node(x, n->key.c)->digest);
	}
}

/* False: no memory. */
static bool support_node(struct pd_exprs *x, struct pd_node *n)
{
	uint32_t set = 0;

	if (n->key.op == PD_SYM_INPUT)
		set = pd_support_byte(x, n->key.a);
	else if (n->key.op != PD_SYM_CONST)
		set = pd_node(x, n->key.a)->support;
	if (n->key.op == PD_SYM_TABLE && !pd_node_table(x, n)->constant) {
		const struct pd_expr_table *t = &pd_node_table(x, n)->t;

		for (uint32_t i = 0; i <= t->n && set != UINT32_MAX; i++)
			set = pd_support_union(
				x, set, pd_node(x, i < t->n ? t->entry[i] : t->otherwise)->support);
	} else if (n->key.op > PD_SYM_TABLE) {
		if (n->key.b && set != UINT32_MAX)
			set = pd_support_union(x, set, pd_node(x, n->key.b)->support);
		if (n->key.c && set != UINT32_MAX)
			set = pd_support_union(x, set, pd_node(x, n->key.c)->support);
	}
	n->support = set;
	return set != UINT32_MAX;
}

pd_expr pd_node_make(struct pd_exprs *x, const struct pd_node_key *k)
{
	struct pd_node *n;

	if (!grow_chunks(x) || !grow_slots(x))
		return 0;
	n = pd_node(x, x->n);
	memset(n, 0, sizeof(*n));
	n->key = *k;
	if (!support_node(x, n))
		return 0;
	pd_bits_node(x, n);
	if (!n->live && k->op != PD_SYM_CONST) {
		pd_expr zero = pd_expr_const(x, k->width, 0);

		if (zero)
			pd_node_remember(x, k, zero);
		return zero;
	}
	digest_node(x, n);
	put(x, (uint32_t)pd_node_hash(k), x->n);
	return x->n++;
}

/* ---- leaves, and questions ------------------------------------------------------------------ */

pd_expr pd_expr_const(struct pd_exprs *x, uint32_t width, uint64_t value)
{
	struct pd_node_key k = {.op = PD_SYM_CONST, .width = (uint8_t)width};
	pd_expr e;

	PD_CHECK(width >= 1 && width <= 64, "a constant of no width");
	value &= pd_op_mask(width);
	k.b = (uint32_t)value;
	k.c = (uint32_t)(value >> 32);
	e = pd_node_find(x, &k);
	return e ? e : pd_node_make(x, &k);
}

pd_expr pd_expr_input(struct pd_exprs *x, uint32_t index)
{
	struct pd_node_key k = {.op = PD_SYM_INPUT, .width = 8, .a = index};
	pd_expr e = pd_node_find(x, &k);

	PD_CHECK(index < x->input_size, "a byte behind the input");
	return e ? e : pd_node_make(x, &k);
}

uint32_t pd_expr_width(const struct pd_exprs *x, pd_expr e)
{
	return pd_node(x, e)->key.width;
}

bool pd_expr_is_const(const struct pd_exprs *x, pd_expr e, uint64_t *value)
{
	const struct pd_node *n = pd_node(x, e);

	if (!pd_node_is_const(n))
		return false;
	*value = pd_node_value(n);
	return true;
}

enum pd_sym_op pd_expr_op(const struct pd_exprs *x, pd_expr e)
{
	return (enum pd_sym_op)pd_node(x, e)->key.op;
}

pd_expr pd_expr_operand(const struct pd_exprs *x, pd_expr e, uint32_t i)
{
	const struct pd_node_key *k = &pd_node(x, e)->key;

	if (k->op == PD_SYM_CONST || k->op == PD_SYM_INPUT || (k->op == PD_SYM_TABLE && i > 0))
		return 0;
	return i == 0 ? k->a : i == 1 ? k->b : i == 2 ? k->c : 0;
}

uint32_t pd_expr_low(const struct pd_exprs *x, pd_expr e)
{
	return pd_node(x, e)->key.low;
}

uint32_t pd_expr_input_index(const struct pd_exprs *x, pd_expr e)
{
	return pd_node(x, e)->key.a;
}

struct pd_digest pd_expr_digest(const struct pd_exprs *x, pd_expr e)
{
	return pd_node(x, e)->digest;
}

uint32_t pd_exprs_count(const struct pd_exprs *x)
{
	return x->n;
}
