/*
 * check/grow.c - finds workloads that reach code which the one of the command line does not:
 * splits, merges, resizes. See check.h; engine/linear/workload.h proposes them.
 *
 * The code that a workload reaches is measured as the set of places at which its operations access
 * PM, as the compiler numbers them: known anyway, and a branch without accesses to PM has nothing
 * to lose in a crash (decision 29). Proposals get longer, with as many keys as operations, in each
 * pattern of keys, and then vary those that reached most. A few of those that reach more than all
 * before them are selected, each up to the last operation that matters, and tested; operations in
 * them that reach nothing new are run, but not tested again.
 */
#include "drive/check/check.h"
#include "engine/linear/workload.h"
#include "host/host.h"
#include <stdio.h>
#include <string.h>

/* Proposals of one length, and of the greatest; workloads selected; operations after those that
 * matter. */
enum {
	EACH = 5,
	LAST = 10,
	DOUBLED = 3,
	TAKEN = 3,
	KEPT = 64,
	AFTER = 4,
	FILL = 4096, /* operations of one that fills the structure */
	FILLS = 2,
	BYTES = PD_BOARD_SITES / 8
};

/* For all, and for one that fills the structure. */
static const double seconds_most = 1.5, seconds_filling = 1;

struct candidate {
	const char *text;
	uint32_t n;
	uint8_t *bits;
	bool fills;
};

struct growing {
	struct pd_check_run *c;
	const struct pd_board_driver *driver;
	struct pd_arena *arena;
	uint8_t *
		known; /* on the board: reached by the command line's workload, and by those selected */
	uint8_t *all; /* reached by any */
	struct candidate kept[KEPT];
	uint32_t nkept;
	double until;
};

static uint32_t count_new(const uint8_t *bits, const uint8_t *known)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < BYTES; i++)
		n += (uint32_t)__builtin_popcount(bits[i] & ~(uint32_t)known[i]);
	return n;
}

static void add_bits(uint8_t *to, const uint8_t *bits)
{
	for (uint32_t i = 0; i < BYTES; i++)
		to[i] |= bits[i];
}

/* ---- proposals ------------------------------------------------------------------------------- */

/* A prefix of a workload as text, on the board. */
static const char *write_down(const struct growing *g, struct pd_workload w, uint32_t nops,
			      uint32_t *n)
{
	w.ops.n = PD_MIN(w.ops.n, nops);
	return pd_workload_write(&w, g->driver->table, pd_board_alloc, NULL, n);
}

/* Runs its operations, one after the other; false: the program has failed, or time is over. */
static bool reach(struct growing *g, const char *text, uint32_t n)
{
	struct pd_board_tests *t = &g->c->board->tests;
	struct pd_error e;
	bool ok;

	memset(t->reached, 0, BYTES);
	t->last_new = 0;
	t->work = text;
	t->nwork = n;
	t->work_number = g->c->works.n + 1;
	ok = pd_check_named(g->c, PD_NAMED_GROW, &e);
	g->c->proposed++;
	if (!ok) {
		if (!g->c->refused++ && !g->c->board->stop)
			snprintf(g->c->why_refused, sizeof(g->c->why_refused), "%.390s", e.text);
		g->c->first.channel->failed = 0;
	}
	pd_check_work_use(g->c, 0);
	return ok && !g->c->board->stop;
}

static void keep(struct growing *g, const struct pd_workload *w, bool fills)
{
	struct candidate *k = &g->kept[g->nkept];
	const struct pd_board_tests *t = &g->c->board->tests;

	if (g->nkept == KEPT || !count_new(t->reached, g->all))
		return;
	k->text = write_down(g, *w, t->last_new + AFTER, &k->n);
	k->bits = pd_arena_alloc(g->arena, BYTES);
	if (!k->text || !k->bits)
		return;
	memcpy(k->bits, t->reached, BYTES);
	k->fills = fills;
	add_bits(g->all, t->reached);
	g->nkept++;
}

static bool is_over(const struct growing *g)
{
	return g->c->board->stop || pd_check_seconds(g->c) > g->until;
}

/* Proposes workloads of one length; false: stop making them longer. */
static bool propose(struct growing *g, uint32_t nops, uint32_t times)
{
	struct pd_workgen gen = {.seed = g->c->options.seed, .nops = nops, .nthreads = 1};
	struct pd_grow *grow = pd_new(g->arena, struct pd_grow);
	struct pd_arena step;
	bool ok = grow && pd_grow_init(grow, g->arena, g->driver->table, gen, PD_BOARD_SITES);

	for (uint32_t i = 0; ok && i < times && !is_over(g); i++) {
		struct pd_workload w;
		const char *text;
		uint32_t n;

		pd_arena_init(&step, pd_host_memory());
		ok = pd_grow_next(grow, &w, &step);
		text = ok ? write_down(g, w, UINT32_MAX, &n) : NULL;
		ok = text && reach(g, text, n);
		if (ok) {
			keep(g, &w, false);
			pd_grow_feed(grow, &w, g->c->board->tests.reached);
		}
		pd_arena_finish(&step);
	}
	return ok;
}

/*
 * Proposes workloads that fill the structure, and then drain it: what splits late, or merges.
 * Where operations take as many steps as there are elements, that is too long.
 */
static void propose_filling(struct growing *g, uint32_t longest, double took)
{
	double times = (double)FILL / longest;

	for (uint32_t i = 0; i < FILLS && !g->c->board->stop; i++) {
		struct pd_workgen gen = {
			.seed = g->c->options.seed + i, .nops = FILL, .nthreads = 1, .fill = true};
		struct pd_workload w = {0};
		struct pd_arena step;
		const char *text = NULL;
		uint32_t n;

		if (took * times * times > seconds_filling)
			return;
		pd_arena_init(&step, pd_host_memory());
		if (pd_workload_make(&w, &step, g->driver->table, &gen))
			text = write_down(g, w, UINT32_MAX, &n);
		if (text && reach(g, text, n))
			keep(g, &w, true);
		pd_arena_finish(&step);
	}
}

/* ---- what is taken --------------------------------------------------------------------------- */

/* Of those that fill the structure, or of the others. */
static struct candidate *best_among(struct growing *g, bool fills)
{
	struct candidate *best = NULL;

	for (struct candidate *k = g->kept; k < g->kept + g->nkept; k++)
		if (k->fills == fills &&
		    count_new(k->bits, g->known) > (best ? count_new(best->bits, g->known) : 0))
			best = k;
	return best;
}

/* The tests of one that fills the structure take long: it is for what no other reaches. */
static struct candidate *best_of(struct growing *g)
{
	struct candidate *best = best_among(g, false);

	return best ? best : best_among(g, true);
}

/* Finds out what the operations return and do, and tests those that reach new code. */
static bool test(struct growing *g, const struct candidate *k, struct pd_error *e)
{
	struct pd_check_run *c = g->c;
	struct pd_board_tests *t = &c->board->tests;
	uint32_t number = pd_check_work_add(c, k->text, k->n), before = c->board->nfinding;
	const struct pd_plan *own = t->plan;
	uint64_t *results = t->results;
	bool ok;

	if (!number)
		return true; /* counted elsewhere */
	pd_check_work_use(c, number);
	ok = pd_check_named(c, PD_NAMED_LOOK, e);
	c->wrong_alone = c->wrong_alone || c->board->nfinding > before;
	if (ok && !c->wrong_alone)
		ok = pd_check_plan_tests(c, e);
	c->works.v[number - 1].plan = t->plan == own ? NULL : t->plan;
	t->plan = own;
	t->results = results;
	pd_check_work_use(c, 0);
	return ok;
}

static bool begin(struct growing *g)
{
	struct pd_board_tests *t = &g->c->board->tests;

	g->known = pd_board_alloc(NULL, BYTES);
	g->all = pd_arena_alloc(g->arena, BYTES);
	if (!g->driver || !t->reached || !g->known || !g->all)
		return false;
	memcpy(g->known, t->alone, BYTES);
	memcpy(g->all, t->alone, BYTES);
	t->known = g->known;
	return true;
}

static uint32_t count_ops(const struct pd_board_driver *d)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < d->n; i++)
		n += d->text[i] == '\n';
	return n;
}

bool pd_check_grow(struct pd_check_run *c, struct pd_error *e)
{
	struct growing *g = pd_new(&c->arena, struct growing);
	struct candidate *k;
	bool ok = g != NULL;
	double at = 0;
	uint32_t n;

	if (!ok)
		return pd_error_set(e, PD_EXIT_INTERNAL, "memory ran out");
	*g = (struct growing){.c = c, .driver = c->board->tests.driver, .arena = &c->arena};
	if (!begin(g))
		return true;
	g->until = pd_check_seconds(c) + seconds_most;
	n = count_ops(g->driver);
	for (uint32_t i = 0; ok && i <= DOUBLED; i++) {
		at = pd_check_seconds(c);
		ok = propose(g, n << i, i == DOUBLED ? LAST : EACH);
	}
	if (ok)
		propose_filling(g, n << DOUBLED, (pd_check_seconds(c) - at) / LAST);
	ok = true;
	for (uint32_t i = 0; ok && i < TAKEN && !c->board->stop && !c->wrong_alone; i++) {
		k = best_of(g);
		if (!k)
			break;
		c->grown += count_new(k->bits, g->known);
		ok = test(g, k, e);
		add_bits(g->known, k->bits);
	}
	c->board->tests.known = NULL;
	return ok;
}
