/*
 * decide_register.c - see decide.h.
 *
 * A *cluster* is what is done to one value: the operation that wrote it, and those that read it.
 * Where values differ each read belongs to one cluster. A swap, or a cas that succeeded,
 * immediately follows what it saw: it links two clusters. Clusters that are linked are a *chain*;
 * nothing of another chain comes between them. The first value has no writer; its chain comes
 * first.
 *
 * Inside of a chain the order is given. Chain A has to come before B where some response of A comes
 * before some call of B: the first response of A before the last call of B. Chains are placed one
 * by one, each when nothing that is left has to be before it; if none is, there is no order.
 * (Without swaps these are the zones of Gibbons and Korach, SIAM J. Comput. 1997, section 4.)
 *
 * What is pending and was never seen is left out. A cas that failed needs a moment at which another
 * value is there: it is put into the order that was found; if it does not fit, nothing is known.
 */
#include "engine/linear/decide.h"
#include "base/map.h"
#include "base/sort.h"
#include "engine/linear/treap.h"

enum { READ, WRITE, SWAP, CAS };

/* What an operation does, as far as it is known. */
struct act {
	const struct pd_hop *hop;
	uint64_t by;			      /* when it has taken effect at the latest */
	const struct pd_linear_value *sees;   /* the value that was there; NULL: any */
	const struct pd_linear_value *writes; /* NULL: nothing */
	const struct pd_linear_value * not;   /* a cas that failed: this was not there */
	bool pending, joined;
	uint32_t cluster; /* it is part of; PD_NOBODY: none */
	uint32_t next;	  /* reads: another one of the cluster */
};

struct cluster {
	uint32_t writer;       /* an act; PD_NOBODY: the first value */
	uint32_t reads;	       /* the last one by call */
	uint32_t after;	       /* the cluster that a swap or a cas led to; PD_NOBODY */
	bool follows, chained; /* another one; has been put into a chain */
};

struct chain {
	uint32_t first;	  /* cluster */
	uint64_t returns; /* the first response */
	uint64_t calls;	  /* the last call */
	bool placed;
};

struct reg {
	struct pd_search *s;
	struct pd_arena *arena;
	struct act *act;
	uint32_t n;
	struct cluster *cluster; /* 0: the first value's */
	uint32_t nclusters;
	struct chain *chain; /* 0: likewise */
	uint32_t nchains;
	struct pd_map of; /* value -> cluster + 1 */
	uint32_t *order;  /* acts */
	uint32_t norder;
	bool unknown, contradicted;
};

/* ---- reading -------------------------------------------------------------------------------- */

static void read_act(struct reg *r, struct act *x)
{
	const struct pd_linear_op *op = &x->hop->op;
	bool known = !x->pending && op->returned;

	if ((op->flags & PD_MAY_FAIL) && !x->pending && (!known || op->result.word == PD_FAILED)) {
		r->unknown |= !known && op->fn != READ; /* has it failed? */
		return;
	}
	if (op->fn == WRITE || op->fn == SWAP)
		x->writes = &op->arg[0];
	if ((op->fn == READ || op->fn == SWAP) && known)
		x->sees = &op->result;
	if (op->fn == WRITE && known)
		r->contradicted |= op->result.word != 1 || op->result.size;
	if (op->fn != CAS)
		return;
	r->unknown |= !x->pending && !known;
	r->contradicted |= known && (op->result.word > 1 || op->result.size);
	if (known && !op->result.word) {
		x->not = &op->arg[0];
	} else {
		x->sees = &op->arg[0];
		x->writes = &op->arg[1];
	}
}

static bool read_acts(struct reg *r)
{
	const struct pd_search *s = r->s;

	r->act = pd_new_array(r->arena, struct act, s->n + 1);
	for (uint32_t i = 0; r->act && i < s->n; i++) {
		struct act *x = &r->act[r->n];
		const struct pd_hop *hop = &s->history->ops.v[s->which[i]];

		if (hop->call > s->until)
			continue;
		*x = (struct act){.hop = hop,
				  .by = pd_search_deadline(s, hop),
				  .pending = hop->ret > s->until || hop->ret == PD_NEVER,
				  .cluster = PD_NOBODY,
				  .next = PD_NOBODY};
		read_act(r, x);
		r->n++;
	}
	return r->act != NULL;
}

/* ---- clusters ------------------------------------------------------------------------------- */

static const struct pd_linear_value *value_of(const struct reg *r, uint32_t cluster)
{
	static const struct pd_linear_value zero;
	uint32_t w = r->cluster[cluster].writer;

	return w == PD_NOBODY ? &zero : r->act[w].writes;
}

/* A value that went in twice has one cluster in the map, the latter one: `twice` has the bit
 * set. */
static bool add_cluster(struct reg *r, uint32_t writer, uint64_t word, struct pd_map *twice)
{
	uint64_t *at = pd_map_put(&r->of, r->arena, word);

	if (!at)
		return false;
	if (*at && !pd_map_put(twice, r->arena, word))
		return false;
	if (writer != PD_NOBODY)
		r->act[writer].cluster = r->nclusters;
	r->cluster[r->nclusters] = (struct cluster){writer, PD_NOBODY, PD_NOBODY, false, false};
	*at = ++r->nclusters;
	return true;
}

/* One for each operation that writes; those that are pending may turn out to be none. */
static bool make_clusters(struct reg *r, struct pd_map *twice)
{
	r->cluster = pd_new_array(r->arena, struct cluster, r->n + 2);
	if (!r->cluster || !add_cluster(r, PD_NOBODY, 0, twice))
		return false;
	for (uint32_t i = 0; i < r->n; i++) {
		const struct pd_linear_value *v = r->act[i].writes;

		r->unknown |= v && v->word == UINT64_MAX;
		if (v && v->word != UINT64_MAX && !add_cluster(r, i, v->word, twice))
			return false;
	}
	return true;
}

/* The cluster of the value that an act sees. */
static uint32_t seen_by(struct reg *r, const struct act *x, const struct pd_map *twice)
{
	uint64_t *at = x->sees->word == UINT64_MAX ? NULL : pd_map_get(&r->of, x->sees->word);

	if (!at) {
		r->contradicted = true;
		return 0;
	}
	r->unknown |= pd_map_get(twice, x->sees->word) != NULL ||
		      pd_value_compare(x->sees, value_of(r, (uint32_t)*at - 1)) != 0;
	return (uint32_t)*at - 1;
}

/* A pending writer counts once its value was seen; what it saw is seen, too. */
static void join(struct reg *r, uint32_t i, const struct pd_map *twice)
{
	while (!r->act[i].joined && !r->unknown && !r->contradicted) {
		struct act *x = &r->act[i];
		uint32_t seen = x->sees ? seen_by(r, x, twice) : PD_NOBODY;

		x->pending = false;
		x->joined = true;
		if (seen == PD_NOBODY)
			return;
		if (!x->writes) {
			x->cluster = seen;
			x->next = r->cluster[seen].reads;
			r->cluster[seen].reads = i;
		} else {
			r->cluster[seen].after = x->cluster;
			r->cluster[x->cluster].follows = true;
		}
		i = r->cluster[seen].writer;
		if (i == PD_NOBODY)
			return;
	}
}

/* ---- chains --------------------------------------------------------------------------------- */

/* Whether the act may come after what is in the chain so far. */
static void add_to_chain(struct reg *r, struct chain *c, uint32_t i)
{
	const struct act *x = &r->act[i];

	r->contradicted |= x->by < c->calls;
	c->calls = PD_MAX(c->calls, x->hop->call);
	c->returns = PD_MIN(c->returns, x->by);
}

/* Reads are listed from the last one; in the order of their calls. */
static uint32_t first_read(struct reg *r, struct cluster *k)
{
	uint32_t before = PD_NOBODY;

	for (uint32_t i = k->reads, next; i != PD_NOBODY; i = next) {
		next = r->act[i].next;
		r->act[i].next = before;
		before = i;
	}
	return k->reads = before;
}

static void make_chain(struct reg *r, uint32_t first)
{
	struct chain *c = &r->chain[r->nchains++];

	*c = (struct chain){.first = first, .returns = first ? PD_NEVER : 0};
	for (uint32_t k = first; k != PD_NOBODY; k = r->cluster[k].after) {
		struct cluster *x = &r->cluster[k];

		x->chained = true;
		if (x->writer != PD_NOBODY)
			add_to_chain(r, c, x->writer);
		for (uint32_t i = first_read(r, x); i != PD_NOBODY; i = r->act[i].next)
			add_to_chain(r, c, i);
	}
}

/* A cluster that follows another one and is in no chain is in a circle; or two follow the same
 * one. */
static bool make_chains(struct reg *r)
{
	r->chain = pd_new_array(r->arena, struct chain, r->nclusters + 1);
	if (!r->chain)
		return false;
	for (uint32_t k = 0; k < r->nclusters; k++) {
		uint32_t w = r->cluster[k].writer;

		if (!r->cluster[k].follows && (w == PD_NOBODY || !r->act[w].pending))
			make_chain(r, k);
	}
	for (uint32_t k = 0; k < r->nclusters; k++)
		r->contradicted |= r->cluster[k].follows && !r->cluster[k].chained;
	return true;
}

/* ---- their order ---------------------------------------------------------------------------- */

static bool returns_first(const void *ctx, uint32_t a, uint32_t b)
{
	const struct chain *c = ctx;

	return c[a].returns < c[b].returns;
}

static bool is_called_first(const void *ctx, uint32_t a, uint32_t b)
{
	const struct chain *c = ctx;

	return c[a].calls < c[b].calls;
}

static uint32_t skip_placed(const struct reg *r, const uint32_t *list, uint32_t at)
{
	while (at < r->nchains && r->chain[list[at]].placed)
		at++;
	return at;
}

static void place_chain(struct reg *r, uint32_t i)
{
	r->chain[i].placed = true;
	for (uint32_t k = r->chain[i].first; k != PD_NOBODY; k = r->cluster[k].after) {
		if (r->cluster[k].writer != PD_NOBODY)
			r->order[r->norder++] = r->cluster[k].writer;
		for (uint32_t x = r->cluster[k].reads; x != PD_NOBODY; x = r->act[x].next)
			r->order[r->norder++] = x;
	}
}

/*
 * Of those that are left, the one with the earliest last call can come next, if no other one
 * returned before that; else the one that did, if nothing else returned before its own last call.
 */
static bool place_chains(struct reg *r)
{
	uint32_t *by_return = pd_sort_new(r->arena, r->nchains, returns_first, r->chain);
	uint32_t *by_call = pd_sort_new(r->arena, r->nchains, is_called_first, r->chain);
	uint32_t first = 0, next = 0;

	r->order = pd_new_array(r->arena, uint32_t, r->n + 1);
	if (!by_return || !by_call || !r->order)
		return false;
	for (uint32_t left = r->nchains; left > 0; left--) {
		uint32_t a, b, second;

		first = skip_placed(r, by_return, first);
		next = skip_placed(r, by_call, next);
		second = skip_placed(r, by_return, first + 1);
		a = by_return[first];
		b = by_call[next];
		if (a != b && r->chain[b].calls > r->chain[a].returns)
			b = a;
		if (a == b && second < r->nchains &&
		    r->chain[b].calls > r->chain[by_return[second]].returns) {
			r->contradicted = true;
			return true;
		}
		place_chain(r, b);
	}
	return true;
}

/* ---- what needs another value, or none ------------------------------------------------------ */

/* Before each act of the order, and at the end: */
struct gap {
	const struct pd_linear_value *value; /* that is there */
	uint64_t called;		     /* the last call of what is before */
	uint64_t returns;		     /* the first response of what is after */
	uint32_t first;			     /* act that was put here; PD_NOBODY */
	uint32_t last;
};

static struct gap *make_gaps(const struct reg *r)
{
	struct gap *g = pd_new_array(r->arena, struct gap, r->norder + 1);

	if (!g)
		return NULL;
	g[0] = (struct gap){value_of(r, 0), 0, PD_NEVER, PD_NOBODY, PD_NOBODY};
	for (uint32_t i = 0; i < r->norder; i++) {
		const struct act *x = &r->act[r->order[i]];

		g[i + 1] = g[i];
		g[i + 1].called = PD_MAX(g[i].called, x->hop->call);
		if (x->writes)
			g[i + 1].value = x->writes;
	}
	for (uint32_t i = r->norder; i-- > 0;)
		g[i].returns = PD_MIN(g[i + 1].returns, r->act[r->order[i]].by);
	return g;
}

/* A place for the act; false: not in this order. */
static bool put_into_gap(struct reg *r, struct gap *g, uint32_t *from, uint32_t i)
{
	struct act *x = &r->act[i];
	uint32_t k;

	/* Calls ascend, so what is too early for this one is so for the next. */
	while (*from < r->norder && g[*from].returns < x->hop->call)
		++*from;
	for (k = *from; x->not&&pd_value_compare(g[k].value, x->not) == 0; k++)
		if (k == r->norder)
			return false;
	if (g[k].called > x->by)
		return false;
	if (g[k].first == PD_NOBODY)
		g[k].first = i;
	else
		r->act[g[k].last].next = i;
	g[k].last = i;
	return true;
}

/* The whole order, with what was left aside: numbers of the history. NULL: it does not fit. */
static uint32_t *fill_gaps(struct reg *r, uint32_t *n)
{
	struct gap *g = make_gaps(r);
	uint32_t *to = pd_new_array(r->arena, uint32_t, r->n + 1), from = 0;

	for (uint32_t i = 0; g && to && i < r->n; i++) {
		struct act *x = &r->act[i];

		if (!x->writes && !x->pending && x->cluster == PD_NOBODY &&
		    !put_into_gap(r, g, &from, i))
			return NULL;
	}
	*n = 0;
	for (uint32_t k = 0; g && to && k <= r->norder; k++) {
		for (uint32_t i = g[k].first; i != PD_NOBODY; i = r->act[i].next)
			to[(*n)++] = (uint32_t)(r->act[i].hop - r->s->history->ops.v);
		if (k < r->norder)
			to[(*n)++] = (uint32_t)(r->act[r->order[k]].hop - r->s->history->ops.v);
	}
	return g ? to : NULL;
}

enum pd_answer pd_decide_register(struct pd_search *s, struct pd_arena *arena)
{
	struct reg r = {.s = s, .arena = arena};
	struct pd_map twice = {0};
	uint32_t *order, n = 0;

	if (!read_acts(&r) || !make_clusters(&r, &twice))
		return PD_ANSWER_NO_MEMORY;
	for (uint32_t i = 0; i < r.n; i++)
		if (!r.act[i].pending && (r.act[i].sees || r.act[i].writes))
			join(&r, i, &twice);
	if (!r.unknown && !r.contradicted && (!make_chains(&r) || !place_chains(&r)))
		return PD_ANSWER_NO_MEMORY;
	if (r.unknown || r.contradicted)
		return r.unknown ? PD_ANSWER_LIMIT : PD_ANSWER_NO;
	order = fill_gaps(&r, &n);
	if (!order || !pd_order_explains(s, order, n, arena))
		return arena->failed ? PD_ANSWER_NO_MEMORY : PD_ANSWER_LIMIT;
	return pd_order_keep(s, order, n);
}
