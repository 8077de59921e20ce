/* range.c - see range.h. */
#include "engine/explore/range.h"
#include "engine/explore/node.h"

enum { RANGES_MAX = 4096, RANGES_FIRST = 256, NODES_PER_WORK = 8 };

struct run {
	struct pd_exprs *x;
	const uint8_t *least, *most;
	uint64_t epoch; /* of nodes whose range is there: memo is its number */
	uint32_t n;
};

static struct pd_range any(uint32_t width)
{
	return (struct pd_range){0, pd_op_mask(width)};
}

static struct pd_range known(uint64_t v)
{
	return (struct pd_range){v, v};
}

/* 0, 1, or both. */
static struct pd_range truth(bool always, bool never)
{
	return always ? known(1) : never ? known(0) : any(1);
}

/* ---- operators ------------------------------------------------------------------------------ */

/* Where all sums overflow, or none. */
static struct pd_range range_add(struct pd_range a, struct pd_range b, uint32_t width)
{
	uint64_t m = pd_op_mask(width), low = (a.low + b.low) & m, high = (a.high + b.high) & m;
	bool low_over = a.low > m - b.low, high_over = a.high > m - b.high;

	return low_over == high_over ? (struct pd_range){low, high} : any(width);
}

static struct pd_range range_sub(struct pd_range a, struct pd_range b, uint32_t width)
{
	uint64_t m = pd_op_mask(width);

	if ((a.low >= b.high) == (a.high >= b.low))
		return (struct pd_range){(a.low - b.high) & m, (a.high - b.low) & m};
	return any(width);
}

static struct pd_range range_mul(struct pd_range a, struct pd_range b, uint32_t width)
{
	if (a.high && b.high > pd_op_mask(width) / a.high)
		return any(width);
	return (struct pd_range){a.low * b.low, a.high * b.high};
}

static struct pd_range range_divide(enum pd_sym_op op, struct pd_range a, struct pd_range b)
{
	if (op == PD_SYM_UDIV)
		return b.low ? (struct pd_range){a.low / b.high, a.high / b.low}
			     : (struct pd_range){0, a.high};
	if (a.high < b.low)
		return a;
	return (struct pd_range){0, PD_MIN(a.high, b.high ? b.high - 1 : 0)};
}

/* All ones up to the highest one. */
static uint64_t filled(uint64_t v)
{
	return v ? UINT64_MAX >> __builtin_clzll(v) : 0;
}

static struct pd_range range_bits(enum pd_sym_op op, struct pd_range a, struct pd_range b)
{
	if (op == PD_SYM_AND)
		return (struct pd_range){0, PD_MIN(a.high, b.high)};
	return (struct pd_range){op == PD_SYM_OR ? PD_MAX(a.low, b.low) : 0,
				 filled(a.high | b.high)};
}

/* As unsigned numbers in the same order, where none or all are negative. */
static struct pd_range shifted(struct pd_range a, uint32_t width)
{
	uint64_t sign = 1ULL << (width - 1);

	if ((a.low ^ a.high) & sign)
		return any(width);
	return (struct pd_range){a.low ^ sign, a.high ^ sign};
}

static struct pd_range range_compare(enum pd_sym_op op, struct pd_range a, struct pd_range b,
				     uint32_t width)
{
	if (op == PD_SYM_EQ)
		return truth(a.low == a.high && b.low == b.high && a.low == b.low,
			     a.high < b.low || b.high < a.low);
	if (op == PD_SYM_SLT || op == PD_SYM_SLE) {
		a = shifted(a, width);
		b = shifted(b, width);
	}
	if (op == PD_SYM_ULT || op == PD_SYM_SLT)
		return truth(a.high < b.low, a.low >= b.high);
	return truth(a.high <= b.low, a.low > b.high);
}

static struct pd_range range_binary(enum pd_sym_op op, struct pd_range a, struct pd_range b,
				    uint32_t width)
{
	switch ((int)op) {
	case PD_SYM_ADD:
		return range_add(a, b, width);
	case PD_SYM_SUB:
		return range_sub(a, b, width);
	case PD_SYM_MUL:
		return range_mul(a, b, width);
	case PD_SYM_UDIV:
	case PD_SYM_UREM:
		return range_divide(op, a, b);
	case PD_SYM_AND:
	case PD_SYM_OR:
	case PD_SYM_XOR:
		return range_bits(op, a, b);
	case PD_SYM_LSHR:
		return (struct pd_range){0, a.high};
	case PD_SYM_SDIV:
	case PD_SYM_SREM:
	case PD_SYM_SHL:
	case PD_SYM_ASHR:
		return any(width);
	default:
		return range_compare(op, a, b, width);
	}
}

static struct pd_range range_unary(const struct pd_node_key *k, struct pd_range a, uint32_t width)
{
	uint64_t m = pd_op_mask(k->width);
	uint32_t above = k->low + k->width;

	if (k->op == PD_SYM_NOT)
		return (struct pd_range){m - a.high, m - a.low};
	if (k->op == PD_SYM_SEXT) {
		if ((a.low ^ a.high) >> (width - 1))
			return any(k->width);
		return (struct pd_range){(uint64_t)pd_op_signed(a.low, width) & m,
					 (uint64_t)pd_op_signed(a.high, width) & m};
	}
	if (k->op == PD_SYM_ZEXT)
		return a;
	/* Bits: in order where those above are the same in all. */
	if (above < 64 && a.low >> above != a.high >> above)
		return any(k->width);
	return (struct pd_range){a.low >> k->low & m, a.high >> k->low & m};
}

/* ---- nodes ---------------------------------------------------------------------------------- */

static struct pd_range range_at(const struct run *r, pd_expr e)
{
	const struct pd_node *n = pd_node(r->x, e);

	if (n->key.op == PD_SYM_CONST)
		return known(pd_node_value(n));
	if (n->key.op == PD_SYM_INPUT)
		return (struct pd_range){r->least[n->key.a], r->most[n->key.a]};
	return r->x->range[n->memo];
}

static struct pd_range around(struct pd_range a, struct pd_range b)
{
	return (struct pd_range){PD_MIN(a.low, b.low), PD_MAX(a.high, b.high)};
}

static struct pd_range range_table(const struct run *r, const struct pd_node *n)
{
	const struct pd_table *t = pd_node_table(r->x, n);
	struct pd_range index = range_at(r, n->key.a), all = {1, 0};
	uint64_t keys = 0;

	for (uint32_t i = 0; i <= t->t.n; i++) {
		bool last = i == t->t.n;
		pd_expr e = last ? t->t.otherwise : t->t.entry[i];

		if (last ? index.high - index.low < keys
			 : t->t.key[i] < index.low || t->t.key[i] > index.high)
			continue;
		keys++;
		all = all.low > all.high ? range_at(r, e) : around(all, range_at(r, e));
	}
	return all;
}

static struct pd_range compute(const struct run *r, const struct pd_node *n)
{
	const struct pd_node_key *k = &n->key;
	struct pd_range a, b;
	uint32_t width;

	if (k->op == PD_SYM_TABLE)
		return range_table(r, n);
	a = range_at(r, k->a);
	if (k->op == PD_SYM_ITE)
		return a.low	 ? range_at(r, k->b)
		       : !a.high ? range_at(r, k->c)
				 : around(range_at(r, k->b), range_at(r, k->c));
	width = pd_node(r->x, k->a)->key.width;
	if (!k->b)
		return range_unary(k, a, width);
	b = range_at(r, k->b);
	if (k->op == PD_SYM_CONCAT) {
		width = pd_node(r->x, k->b)->key.width;
		return (struct pd_range){a.low << width | b.low, a.high << width | b.high};
	}
	return range_binary((enum pd_sym_op)k->op, a, b, width);
}

static bool missing(const struct run *r, pd_expr e)
{
	const struct pd_node *n = pd_node(r->x, e);

	return n->epoch != r->epoch && n->key.op != PD_SYM_CONST && n->key.op != PD_SYM_INPUT;
}

static pd_expr next_operand(const struct run *r, const struct pd_node *n)
{
	const struct pd_node_key *k = &n->key;

	if (missing(r, k->a))
		return k->a;
	if (k->op == PD_SYM_TABLE) {
		const struct pd_table *t = pd_node_table(r->x, n);

		for (uint32_t i = 0; !t->constant && i < t->t.n; i++)
			if (missing(r, t->t.entry[i]))
				return t->t.entry[i];
		return missing(r, t->t.otherwise) ? t->t.otherwise : 0;
	}
	if (k->b && missing(r, k->b))
		return k->b;
	return k->c && missing(r, k->c) ? k->c : 0;
}

/* False: no room. */
static bool make_room(struct pd_exprs *x, uint32_t n)
{
	uint32_t cap = x->range_cap ? 2 * x->range_cap : RANGES_FIRST;
	struct pd_range *v;

	if (n < x->range_cap)
		return true;
	if (cap > RANGES_MAX)
		return false;
	v = pd_arena_grow(x->arena, x->range, x->range_cap * sizeof(*v), cap * sizeof(*v));
	if (!v)
		return false;
	x->range = v;
	x->range_cap = cap;
	return true;
}

struct pd_range pd_range_of(struct pd_exprs *x, pd_expr e, const uint8_t *least,
			    const uint8_t *most, uint64_t *work)
{
	struct run r = {.x = x, .least = least, .most = most, .epoch = pd_eval_epoch(x)};
	pd_expr at = missing(&r, e) ? e : 0;

	pd_node(x, e)->up = 0;
	while (at) {
		struct pd_node *n = pd_node(x, at);
		pd_expr first = next_operand(&r, n);

		if (first) {
			pd_node(x, first)->up = at;
			at = first;
			continue;
		}
		if (!make_room(x, r.n))
			return any(pd_node(x, e)->key.width);
		x->range[r.n] = compute(&r, n);
		n->memo = r.n++;
		n->epoch = r.epoch;
		at = n->up;
	}
	*work += 1 + r.n / NODES_PER_WORK;
	return range_at(&r, e);
}
