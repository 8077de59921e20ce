/* support.c - sets of bytes of the input, interned; see node.h. */
#include "engine/explore/node.h"

enum { UNIONS = 1 << 10 };

static uint32_t hash_set(const uint32_t *v, uint32_t n)
{
	uint64_t h = n;

	for (uint32_t i = 0; i < n; i++)
		h = pd_mix(h * 31 + v[i]);
	return (uint32_t)h;
}

static uint32_t find(const struct pd_exprs *x, const uint32_t *v, uint32_t n, uint32_t hash)
{
	const struct pd_interned *t = &x->supports;

	for (uint32_t i = hash & t->mask; t->slot[i].id; i = (i + 1) & t->mask) {
		const struct pd_support_set *s = t->v[t->slot[i].id - 1];

		if (t->slot[i].hash == hash && s->n == n && memcmp(s->v, v, n * sizeof(*v)) == 0)
			return t->slot[i].id - 1;
	}
	return UINT32_MAX;
}

/* The set in s, which was just taken from the stack, or the one that is the same. */
static uint32_t intern(struct pd_exprs *x, struct pd_support_set *s)
{
	uint32_t known;

	s->hash = hash_set(s->v, s->n);
	known = find(x, s->v, s->n, s->hash);
	if (known != UINT32_MAX) {
		pd_stack_give(&x->supports.stack, s);
		return known;
	}
	for (uint32_t i = 0; i < s->n; i++)
		s->some |= 1ULL << (s->v[i] & 63);
	if (!pd_interned_add(&x->supports, x->arena, s, s->hash)) {
		pd_stack_give(&x->supports.stack, s);
		return UINT32_MAX;
	}
	return x->supports.n - 1;
}

static struct pd_support_set *take(struct pd_exprs *x, uint32_t n)
{
	struct pd_support_set *s;

	return pd_stack_take(&x->supports.stack, x->arena, sizeof(*s) + n * sizeof(s->v[0]));
}

bool pd_support_init(struct pd_exprs *x)
{
	struct pd_support_set *none;

	x->unions = pd_new_array(x->arena, struct pd_union, UNIONS);
	if (!x->unions || !pd_interned_init(&x->supports, x->arena))
		return false;
	none = take(x, 0);
	return none && intern(x, none) == 0;
}

uint32_t pd_support_byte(struct pd_exprs *x, uint32_t index)
{
	struct pd_support_set *s = take(x, 1);

	if (!s)
		return UINT32_MAX;
	s->n = 1;
	s->v[0] = index;
	return intern(x, s);
}

static uint32_t merge(uint32_t *to, const struct pd_support_set *a, const struct pd_support_set *b)
{
	uint32_t n = 0, i = 0, j = 0;

	while (i < a->n || j < b->n) {
		uint32_t p = i < a->n ? a->v[i] : UINT32_MAX, q = j < b->n ? b->v[j] : UINT32_MAX;

		to[n++] = PD_MIN(p, q);
		i += p <= q;
		j += q <= p;
	}
	return n;
}

static uint32_t unite(struct pd_exprs *x, uint32_t a, uint32_t b)
{
	const struct pd_support_set *p = pd_support_of(x, a), *q = pd_support_of(x, b);
	struct pd_support_set *s = take(x, p->n + q->n);

	if (!s)
		return UINT32_MAX;
	s->n = merge(s->v, p, q);
	return intern(x, s);
}

uint32_t pd_support_union(struct pd_exprs *x, uint32_t a, uint32_t b)
{
	uint64_t both = (uint64_t)PD_MIN(a, b) << 32 | PD_MAX(a, b);
	struct pd_union *u = &x->unions[pd_mix(both) & (UNIONS - 1)];
	uint32_t set;

	if (a == b || b == 0)
		return a;
	if (a == 0)
		return b;
	if (u->of == both)
		return u->set;
	set = unite(x, a, b);
	if (set != UINT32_MAX)
		*u = (struct pd_union){both, set};
	return set;
}

bool pd_support_has(const struct pd_support_set *s, uint32_t byte)
{
	uint32_t low = 0, high = s->n;

	if (!(s->some >> (byte & 63) & 1))
		return false;
	while (low < high) {
		uint32_t mid = (low + high) / 2;

		if (s->v[mid] < byte)
			low = mid + 1;
		else
			high = mid;
	}
	return low < s->n && s->v[low] == byte;
}

const uint32_t *pd_expr_support(const struct pd_exprs *x, pd_expr e, uint32_t *n)
{
	const struct pd_support_set *s = pd_support_of(x, pd_node(x, e)->support);

	*n = s->n;
	return s->v;
}
