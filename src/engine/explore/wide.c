/* wide.c - see wide.h. */
#include "engine/explore/wide.h"
#include "engine/explore/node.h"

enum { LANES_MAX = 2048, FIRST_LANES = 64, TRUTHS = 256, FIRST_CHUNKS = 16 };

struct run {
	struct pd_exprs *x;
	uint32_t byte;
	const uint8_t *input;
	uint64_t wide;	 /* epoch of nodes whose lanes are there: memo is their number */
	uint64_t scalar; /* epoch of those that do not depend on the byte */
	uint64_t work;
	bool failed;
};

/* ---- lanes ---------------------------------------------------------------------------------- */

static bool more_lanes(struct pd_exprs *x)
{
	if (x->nlanes % FIRST_LANES == 0) {
		uint64_t **v = pd_arena_grow(x->arena, x->lanes, x->nlanes * sizeof(*v),
					     (x->nlanes + FIRST_LANES) * sizeof(*v));

		if (!v)
			return false;
		x->lanes = v;
	}
	x->lanes[x->nlanes] = pd_new_array(x->arena, uint64_t, PD_WIDE);
	if (!x->lanes[x->nlanes])
		return false;
	x->nlanes++;
	return true;
}

/* NULL: too many, or no memory. */
static uint64_t *take_lanes(struct run *r, uint32_t *number)
{
	struct pd_exprs *x = r->x;

	if (x->lanes_used >= LANES_MAX || (x->lanes_used == x->nlanes && !more_lanes(x))) {
		r->failed = true;
		return NULL;
	}
	*number = x->lanes_used++;
	return x->lanes[*number];
}

/* ---- operators ------------------------------------------------------------------------------ */

#define EACH(expression)                                                                           \
	do {                                                                                       \
		for (uint32_t i = 0; i < PD_WIDE; i++)                                             \
			to[i] = (expression);                                                      \
	} while (0)

/* Loops that a compiler turns into vector instructions; the others by pd_op_binary. `all` is a
 * constant:
 * 0 where b is one number for all lanes. */
static inline __attribute__((always_inline)) void lanes_each(uint64_t *restrict to,
							     enum pd_sym_op op, uint32_t width,
							     const uint64_t *a, const uint64_t *b,
							     uint32_t all)
{
	uint64_t m = pd_op_mask(width), s = 1ULL << (width - 1);

	switch ((int)op) {
	case PD_SYM_ADD:
		EACH((a[i] + b[i & all]) & m);
		break;
	case PD_SYM_SUB:
		EACH((a[i] - b[i & all]) & m);
		break;
	case PD_SYM_MUL:
		EACH((a[i] * b[i & all]) & m);
		break;
	case PD_SYM_AND:
		EACH(a[i] & b[i & all]);
		break;
	case PD_SYM_OR:
		EACH(a[i] | b[i & all]);
		break;
	case PD_SYM_XOR:
		EACH(a[i] ^ b[i & all]);
		break;
	case PD_SYM_EQ:
		EACH(a[i] == b[i & all]);
		break;
	case PD_SYM_ULT:
		EACH(a[i] < b[i & all]);
		break;
	case PD_SYM_ULE:
		EACH(a[i] <= b[i & all]);
		break;
	case PD_SYM_SLT:
		EACH((a[i] ^ s) < (b[i & all] ^ s));
		break;
	case PD_SYM_SLE:
		EACH((a[i] ^ s) <= (b[i & all] ^ s));
		break;
	default:
		EACH(pd_op_binary(op, width, a[i], b[i & all]));
		break;
	}
}

static void lanes_binary(uint64_t *restrict to, enum pd_sym_op op, uint32_t width,
			 const uint64_t *a, const uint64_t *b)
{
	lanes_each(to, op, width, a, b, UINT32_MAX);
}

static void lanes_by(uint64_t *restrict to, enum pd_sym_op op, uint32_t width, const uint64_t *a,
		     uint64_t b)
{
	lanes_each(to, op, width, a, &b, 0);
}

static void lanes_unary(uint64_t *restrict to, const struct pd_node_key *k, uint32_t a_width,
			const uint64_t *a)
{
	uint64_t m = pd_op_mask(k->width), s = 1ULL << (a_width - 1);
	uint32_t low = k->low;

	if (k->op == PD_SYM_NOT)
		EACH(~a[i] & m);
	else if (k->op == PD_SYM_EXTRACT)
		EACH(a[i] >> low & m);
	else /* SEXT */
		EACH(((a[i] ^ s) - s) & m);
}

static void lanes_concat(uint64_t *restrict to, uint32_t shift, const uint64_t *a,
			 const uint64_t *b)
{
	EACH(a[i] << shift | b[i]);
}

static void lanes_choose(uint64_t *restrict to, const uint64_t *c, const uint64_t *a,
			 const uint64_t *b)
{
	EACH(c[i] ? a[i] : b[i]);
}

static void lanes_same(uint64_t *restrict to, uint64_t v)
{
	EACH(v);
}

/* ---- nodes ---------------------------------------------------------------------------------- */

static bool depends(const struct run *r, const struct pd_node *n)
{
	return n->support && pd_support_has(pd_support_of(r->x, n->support), r->byte);
}

/* Lanes of an operand: its own, or its one value in all of `spare`. */
static const uint64_t *lanes_of(struct run *r, pd_expr e, uint64_t *spare)
{
	const struct pd_node *n = pd_node(r->x, e);

	if (n->epoch == r->wide)
		return r->x->lanes[n->memo];
	lanes_same(spare, pd_eval(r->x, e, r->input, r->scalar));
	return spare;
}

static void lanes_table(struct run *r, const struct pd_node *n, uint64_t *to, uint64_t *spare)
{
	const struct pd_table *t = pd_node_table(r->x, n);
	const uint64_t *index = lanes_of(r, n->key.a, spare);

	for (uint32_t i = 0; i < PD_WIDE; i++) {
		pd_expr e = pd_table_at(t, index[i]);
		const struct pd_node *entry = pd_node(r->x, e);

		to[i] = entry->epoch == r->wide ? r->x->lanes[entry->memo][i]
						: pd_eval(r->x, e, r->input, r->scalar);
	}
}

/* All operands of n are there. */
static void compute(struct run *r, struct pd_node *n)
{
	const struct pd_node_key *k = &n->key;
	uint64_t spare[3][PD_WIDE];
	uint32_t number, a_width;
	uint64_t *to;

	r->work++;
	if (k->op == PD_SYM_ZEXT) {
		n->memo = pd_node(r->x, k->a)->memo;
		n->epoch = r->wide;
		return;
	}
	to = take_lanes(r, &number);
	if (!to)
		return;
	a_width = k->op == PD_SYM_INPUT ? 8 : pd_node(r->x, k->a)->key.width;
	if (k->op == PD_SYM_INPUT)
		for (uint32_t i = 0; i < PD_WIDE; i++)
			to[i] = i;
	else if (k->op == PD_SYM_TABLE)
		lanes_table(r, n, to, spare[0]);
	else if (k->op == PD_SYM_ITE)
		lanes_choose(to, lanes_of(r, k->a, spare[0]), lanes_of(r, k->b, spare[1]),
			     lanes_of(r, k->c, spare[2]));
	else if (k->op == PD_SYM_CONCAT)
		lanes_concat(to, pd_node(r->x, k->b)->key.width, lanes_of(r, k->a, spare[0]),
			     lanes_of(r, k->b, spare[1]));
	else if (k->op >= PD_SYM_ADD && k->op <= PD_SYM_SLE &&
		 pd_node_is_const(pd_node(r->x, k->b)))
		lanes_by(to, (enum pd_sym_op)k->op, a_width, r->x->lanes[pd_node(r->x, k->a)->memo],
			 pd_node_value(pd_node(r->x, k->b)));
	else if (k->op >= PD_SYM_ADD && k->op <= PD_SYM_SLE)
		lanes_binary(to, (enum pd_sym_op)k->op, a_width, lanes_of(r, k->a, spare[0]),
			     lanes_of(r, k->b, spare[1]));
	else
		lanes_unary(to, k, a_width, lanes_of(r, k->a, spare[0]));
	n->memo = number;
	n->epoch = r->wide;
}

static bool missing(const struct run *r, pd_expr e)
{
	const struct pd_node *n = pd_node(r->x, e);

	return n->epoch != r->wide && depends(r, n);
}

/* An operand whose lanes are not there yet; 0: all are. */
static pd_expr next_operand(const struct run *r, const struct pd_node *n)
{
	const struct pd_node_key *k = &n->key;

	if (k->op == PD_SYM_INPUT)
		return 0;
	if (missing(r, k->a))
		return k->a;
	if (k->op == PD_SYM_TABLE) {
		const struct pd_table *t = pd_node_table(r->x, n);

		for (uint32_t i = 0; !t->constant && i < t->t.n; i++)
			if (missing(r, t->t.entry[i]))
				return t->t.entry[i];
		return !t->constant && missing(r, t->t.otherwise) ? t->t.otherwise : 0;
	}
	if (k->b && missing(r, k->b))
		return k->b;
	return k->c && missing(r, k->c) ? k->c : 0;
}

static void walk(struct run *r, pd_expr e)
{
	pd_expr at = e;

	pd_node(r->x, e)->up = 0;
	while (at && !r->failed) {
		struct pd_node *n = pd_node(r->x, at);
		pd_expr first = next_operand(r, n);

		if (first) {
			pd_node(r->x, first)->up = at;
			at = first;
		} else {
			compute(r, n);
			at = n->up;
		}
	}
}

/* One value after the other: for graphs that are too large. */
static void one_by_one(struct run *r, pd_expr e, uint64_t *to)
{
	uint64_t nodes = r->work;

	for (uint32_t i = 0; i < PD_WIDE; i++)
		to[i] = pd_eval_with(r->x, e, r->input, r->byte, (uint8_t)i, pd_eval_epoch(r->x));
	r->work += nodes * PD_WIDE / 4;
}

const uint64_t *pd_wide(struct pd_exprs *x, pd_expr e, uint32_t byte, const uint8_t *input,
			uint64_t *work)
{
	struct run r = {.x = x, .byte = byte, .input = input};
	uint64_t *to = NULL;

	r.wide = pd_eval_epoch(x);
	r.scalar = pd_eval_epoch(x);
	x->lanes_used = 0;
	if (x->nlanes == 0 && !more_lanes(x))
		return NULL;
	if (!depends(&r, pd_node(x, e))) {
		to = x->lanes[0];
		lanes_same(to, pd_eval(x, e, input, r.scalar));
		*work += 1;
		return to;
	}
	walk(&r, e);
	to = r.failed ? x->lanes[0] : x->lanes[pd_node(x, e)->memo];
	if (r.failed)
		one_by_one(&r, e, to);
	*work += r.work;
	return to;
}

static struct pd_set pack(const uint64_t *v)
{
	struct pd_set s = {{0}};

	for (uint32_t i = 0; i < PD_WIDE; i++)
		s.w[i >> 6] |= (v[i] & 1) << (i & 63);
	return s;
}

struct pd_set pd_wide_holds(struct pd_exprs *x, pd_expr condition, uint32_t byte,
			    const uint8_t *input, uint64_t *work)
{
	const uint64_t *v = pd_wide(x, condition, byte, input, work);
	struct pd_set s = {{0}};

	if (v)
		return pack(v);
	for (uint32_t i = 0; i < PD_WIDE; i++)
		s.w[i >> 6] |= pd_eval_with(x, condition, input, byte, (uint8_t)i, pd_eval_epoch(x))
			       << (i & 63);
	return s;
}

/* ---- truth tables --------------------------------------------------------------------------- */

/* Where the next one goes; NULL: no memory. */
static struct pd_set *next_truth(struct pd_exprs *x)
{
	uint32_t chunk = x->truths / TRUTHS;

	if (chunk < x->truth_chunks)
		return &x->truth[chunk][x->truths % TRUTHS];
	if (chunk == x->truth_cap) {
		uint32_t cap = x->truth_cap ? 2 * x->truth_cap : FIRST_CHUNKS;
		struct pd_set **v = pd_arena_grow(x->arena, x->truth, x->truth_cap * sizeof(*v),
						  cap * sizeof(*v));

		if (!v)
			return NULL;
		x->truth = v;
		x->truth_cap = cap;
	}
	x->truth[chunk] = pd_new_array(x->arena, struct pd_set, TRUTHS);
	if (!x->truth[chunk])
		return NULL;
	x->truth_chunks++;
	return &x->truth[chunk][0];
}

static const struct pd_set *known_truth(const struct pd_exprs *x, pd_expr e)
{
	uint32_t number = pd_node(x, e)->truth;

	return number ? &x->truth[(number - 1) / TRUTHS][(number - 1) % TRUTHS] : NULL;
}

static struct pd_set make_truth(struct pd_exprs *x, pd_expr e)
{
	const struct pd_node *n = pd_node(x, e);
	const struct pd_set *known = n->key.op == PD_SYM_NOT ? known_truth(x, n->key.a) : NULL;
	uint32_t count;
	uint64_t work = 0;
	struct pd_set s;

	if (!known)
		return pd_wide_holds(x, e, pd_expr_support(x, e, &count)[0], NULL, &work);
	for (uint32_t i = 0; i < 4; i++)
		s.w[i] = ~known->w[i];
	return s;
}

struct pd_set pd_truth(struct pd_exprs *x, pd_expr condition)
{
	const struct pd_set *known = known_truth(x, condition);
	struct pd_set s, *to;

	if (known)
		return *known;
	s = make_truth(x, condition);
	to = next_truth(x);
	if (to) {
		*to = s;
		pd_node(x, condition)->truth = ++x->truths;
	}
	return s;
}
