/* alike.c - see alike.h. */
#include "engine/explore/alike.h"
#include "engine/explore/node.h"
#include "engine/explore/wide.h"

enum { SEEN_MAX = 128, NODES_MAX = 4096, BUCKETS = 512 };

/* The expressions through which single bytes are visible. */
struct seen {
	pd_expr e[SEEN_MAX];
	uint32_t n;
	bool all; /* false: there were more */
};

/* ---- what is seen --------------------------------------------------------------------------- */

/*
 * Records operands that depend on one byte; pushes those that depend on several and were not
 * visited.
 */
static void look_at(struct pd_exprs *x, struct seen *s, pd_expr operand, uint64_t epoch,
		    pd_expr *pending)
{
	struct pd_node *n = pd_node(x, operand);

	if (!n->support || n->epoch == epoch)
		return;
	n->epoch = epoch;
	if (pd_support_of(x, n->support)->n > 1) {
		n->up = *pending;
		*pending = operand;
	} else if (s->n < SEEN_MAX) {
		s->e[s->n++] = operand;
	} else {
		s->all = false;
	}
}

static void look_into(struct pd_exprs *x, struct seen *s, const struct pd_node *n, uint64_t epoch,
		      pd_expr *pending)
{
	const struct pd_node_key *k = &n->key;

	look_at(x, s, k->a, epoch, pending);
	if (k->op == PD_SYM_TABLE) {
		const struct pd_table *t = pd_node_table(x, n);

		for (uint32_t i = 0; !t->constant && i < t->t.n; i++)
			look_at(x, s, t->t.entry[i], epoch, pending);
		look_at(x, s, t->t.otherwise, epoch, pending);
		return;
	}
	if (k->b)
		look_at(x, s, k->b, epoch, pending);
	if (k->c)
		look_at(x, s, k->c, epoch, pending);
}

/* Visited nodes are linked by `up`; their memo is not used any more. */
static void look(struct pd_exprs *x, struct seen *s, const struct pd_slice *l, pd_expr e)
{
	uint64_t epoch = pd_eval_epoch(x);
	pd_expr pending = 0;
	uint32_t nodes = 0;

	s->n = 0;
	s->all = true;
	for (uint32_t i = 0; i < l->holds.n; i++)
		look_at(x, s, l->holds.v[i], epoch, &pending);
	if (e)
		look_at(x, s, e, epoch, &pending);
	while (pending && s->all) {
		const struct pd_node *n = pd_node(x, pending);

		pending = n->up;
		s->all = ++nodes <= NODES_MAX;
		look_into(x, s, n, epoch, &pending);
	}
}

/* ---- classes of values ---------------------------------------------------------------------- */

struct classes {
	uint16_t of[PD_WIDE];
	uint32_t n;
};

/* Splits classes: values stay together only if they have one value here. */
static void refine(struct classes *c, const uint64_t *lane)
{
	uint16_t bucket[BUCKETS] = {0}; /* first value of a class, + 1 */
	uint16_t now[PD_WIDE];
	uint32_t n = 0;

	for (uint32_t v = 0; v < PD_WIDE; v++) {
		uint32_t i = (uint32_t)pd_mix(lane[v] * 256 + c->of[v]) & (BUCKETS - 1);
		uint32_t first;

		for (; bucket[i]; i = (i + 1) & (BUCKETS - 1)) {
			first = bucket[i] - 1U;
			if (lane[first] == lane[v] && c->of[first] == c->of[v])
				break;
		}
		if (!bucket[i]) {
			bucket[i] = (uint16_t)(v + 1);
			now[v] = (uint16_t)n++;
		} else {
			now[v] = now[bucket[i] - 1];
		}
	}
	memcpy(c->of, now, sizeof(now));
	c->n = n;
}

static void add_if_new(const struct classes *c, struct pd_set *taken, struct pd_set *result,
		       uint32_t v)
{
	uint8_t class = (uint8_t)c->of[v];

	if (pd_set_has(taken, class))
		return;
	taken->w[class >> 6] |= 1ULL << (class & 63);
	result->w[v >> 6] |= 1ULL << (v & 63);
}

/* One value of each class. */
static struct pd_set one_of_each(const struct classes *c, const struct pd_set *domain, uint8_t own)
{
	struct pd_set taken = {{0}}, result = {{0}};

	if (pd_set_has(domain, own))
		add_if_new(c, &taken, &result, own);
	for (uint32_t v = pd_set_next(domain, 0); v < PD_WIDE; v = pd_set_next(domain, v + 1))
		add_if_new(c, &taken, &result, v);
	return result;
}

void pd_alike(struct pd_exprs *x, struct pd_slice *l, pd_expr e, const uint8_t *input)
{
	struct seen s;
	uint64_t work = 0;

	look(x, &s, l, e);
	if (!s.all)
		return;
	for (uint32_t i = 0; i < l->byte.n; i++) {
		struct classes c = {.n = 1};

		for (uint32_t k = 0; k < s.n && c.n < PD_WIDE; k++) {
			uint32_t n;
			const uint64_t *lane;

			if (pd_expr_support(x, s.e[k], &n)[0] != l->byte.v[i])
				continue;
			lane = pd_wide(x, s.e[k], l->byte.v[i], input, &work);
			if (!lane)
				return;
			refine(&c, lane);
		}
		if (c.n < PD_WIDE)
			l->domain.v[i] = one_of_each(&c, &l->domain.v[i], input[l->byte.v[i]]);
	}
}
