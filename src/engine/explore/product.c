/* product.c - see product.h. */
#include "engine/explore/product.h"
#include "engine/explore/range.h"
#include "engine/explore/wide.h"

struct condition {
	pd_expr e;
	uint32_t bytes; /* bit i: it depends on byte i of the slice */
};

/* A byte that was assigned a value. */
struct level {
	struct pd_set domain[PD_PRODUCT_BYTES]; /* as they were before */
	struct pd_set left;			/* values that were not tried yet */
	uint32_t byte;				/* number in the slice */
	uint32_t open;				/* bytes without a value, before */
};

struct pd_product {
	struct pd_exprs *x;
	const struct pd_slice *l;
	uint32_t n;
	struct condition condition[PD_PRODUCT_CONDITIONS];
	uint32_t nconditions;
	struct pd_set domain[PD_PRODUCT_BYTES];
	uint8_t own[PD_PRODUCT_BYTES]; /* values at the start */
	uint32_t open;		       /* bit i: byte i has no value yet */
	uint8_t *input;
	uint8_t *least, *most; /* of each domain: for range.h */
	uint64_t used;	       /* work */
	struct level level[PD_PRODUCT_BYTES];
};

struct pd_product *pd_product_create(struct pd_arena *a, struct pd_exprs *x, uint32_t input_size)
{
	struct pd_product *p = pd_new(a, struct pd_product);

	if (!p)
		return NULL;
	p->x = x;
	p->least = pd_arena_alloc(a, input_size);
	p->most = pd_arena_alloc(a, input_size);
	return p->least && p->most ? p : NULL;
}

static bool begin(struct pd_product *p)
{
	p->n = p->l->byte.n;
	p->nconditions = p->l->holds.n;
	if (p->n == 0 || p->n > PD_PRODUCT_BYTES || p->nconditions > PD_PRODUCT_CONDITIONS)
		return false;
	p->open = (1U << p->n) - 1;
	for (uint32_t i = 0; i < p->n; i++) {
		p->domain[i] = p->l->domain.v[i];
		p->own[i] = p->input[p->l->byte.v[i]];
	}
	for (uint32_t i = 0; i < p->nconditions; i++) {
		struct condition *c = &p->condition[i];
		uint32_t n, at = 0;
		const uint32_t *byte;

		c->e = p->l->holds.v[i];
		c->bytes = 0;
		byte = pd_expr_support(p->x, c->e, &n);
		for (uint32_t j = 0; j < n; j++) {
			while (p->l->byte.v[at] != byte[j])
				at++;
			c->bytes |= 1U << at;
		}
	}
	return true;
}

/* Keeps the values of the one open byte under which the condition holds. False: there are none. */
static bool narrow_last(struct pd_product *p, const struct condition *c, uint32_t left)
{
	uint32_t byte = (uint32_t)__builtin_ctz(left);
	struct pd_set holds = pd_wide_holds(p->x, c->e, p->l->byte.v[byte], p->input, &p->used);

	pd_set_and(&p->domain[byte], &holds);
	return !pd_set_is_empty(&p->domain[byte]);
}

/* For several open bytes. False: the condition cannot hold. */
static bool may_hold(struct pd_product *p, const struct condition *c)
{
	for (uint32_t i = 0; i < p->n; i++) {
		uint32_t byte = p->l->byte.v[i];

		if (!(c->bytes >> i & 1))
			continue;
		if (p->open >> i & 1) {
			p->least[byte] = (uint8_t)pd_set_next(&p->domain[i], 0);
			p->most[byte] = (uint8_t)pd_set_last(&p->domain[i]);
		} else {
			p->least[byte] = p->most[byte] = p->input[byte];
		}
	}
	return pd_range_of(p->x, c->e, p->least, p->most, &p->used).high != 0;
}

/* Byte `given` got its value (UINT32_MAX: check all): narrows the conditions on it. False: one
 * cannot hold any more. */
static bool narrow(struct pd_product *p, uint32_t given)
{
	for (uint32_t i = 0; i < p->nconditions; i++) {
		const struct condition *c = &p->condition[i];
		uint32_t left = c->bytes & p->open;

		if (left == 0 || (given != UINT32_MAX && !(c->bytes >> given & 1)))
			continue;
		if (left & (left - 1) ? !may_hold(p, c) : !narrow_last(p, c, left))
			return false;
	}
	return true;
}

/* The byte with the fewest values; of several the last: so the lowest byte of a number
 * (little-endian) varies first, and the first other value of a length is a small one. */
static uint32_t fewest(const struct pd_product *p)
{
	uint32_t best = 0, least = UINT32_MAX;

	for (uint32_t i = 0; i < p->n; i++) {
		uint32_t n;

		if (!(p->open >> i & 1))
			continue;
		n = pd_set_count(&p->domain[i]);
		if (n <= least) {
			least = n;
			best = i;
		}
	}
	return best;
}

static void open_level(struct pd_product *p, struct level *v)
{
	memcpy(v->domain, p->domain, p->n * sizeof(p->domain[0]));
	v->byte = fewest(p);
	v->left = p->domain[v->byte];
	v->open = p->open;
}

/* Assigns the next value of the level's byte, its own first; false: there is none. */
static bool next_value(struct pd_product *p, struct level *v)
{
	uint32_t value = p->own[v->byte];

	if (!pd_set_has(&v->left, (uint8_t)value))
		value = pd_set_next(&v->left, 0);
	if (value == 256)
		return false;
	v->left.w[value >> 6] &= ~(1ULL << (value & 63));
	memcpy(p->domain, v->domain, p->n * sizeof(p->domain[0]));
	p->open = v->open & ~(1U << v->byte);
	p->input[p->l->byte.v[v->byte]] = (uint8_t)value;
	return true;
}

enum pd_product_end
pd_product(struct pd_product *p, const struct pd_slice *l, uint8_t *input, uint64_t work,
	   bool (*visit)(void *ctx, uint8_t *input, uint32_t byte, const struct pd_set *left),
	   void *ctx)
{
	uint32_t depth = 0;
	bool alive;

	p->l = l;
	p->input = input;
	p->used = 0;
	if (!begin(p))
		return PD_PRODUCT_CUT;
	alive = narrow(p, UINT32_MAX);
	for (;;) {
		if (alive && (p->open & (p->open - 1)) == 0) {
			uint32_t last = (uint32_t)__builtin_ctz(p->open);

			if (!visit(ctx, input, l->byte.v[last], &p->domain[last]))
				return PD_PRODUCT_STOPPED;
		} else if (alive) {
			open_level(p, &p->level[depth++]);
		}
		while (depth > 0 && !next_value(p, &p->level[depth - 1]))
			depth--;
		if (depth == 0)
			return PD_PRODUCT_ALL;
		if (++p->used > work)
			return PD_PRODUCT_CUT;
		alive = narrow(p, p->level[depth - 1].byte);
	}
}
