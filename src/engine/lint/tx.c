/*
 * tx.c - transactions with an undo log, as libpmemobj and perdure.h announce them.
 *
 *   unlogged-write     in a transaction, a thread stores to PM that is neither logged in it nor exempt:
 *                      if it does not commit, the old content cannot be restored. Words that locked
 *                      instructions change may be locks, which must not be logged: that is judged at
 *                      the end, as it is where they are never flushed (is_transient in lint.c).
 *                      A transaction that logs nothing may commit by a flip: one store of a word,
 *                      made when all it has stored before is durable, and durable at its end. Until
 *                      then nobody uses what it has stored: no finding
 *   redundant-log      a range is logged of which a part is in the log already (Agamotto §4.2.2): the
 *                      copy is made, flushed and fenced for nothing
 *   open-transaction   the thread or the program ends inside of a transaction. All that its thread has
 *                      done since it began is part of it: what it has logged its commit would flush,
 *                      and what follows a return out of it was never meant to be logged in it. So
 *                      unlogged and unflushed stores of such a transaction are no findings
 *
 * Transactions that are nested are one, as in libpmemobj. They belong to a thread.
 */
#include "engine/lint/lint.h"

static bool is_sync(const struct pd_lint *l, const struct pd_event *e, uint64_t addr)
{
	const struct pd_lint_line *line = pd_lint_line_get(&l->lines, addr);

	return e->kind == PD_EV_RMW ||
	       (e->size <= 8 && line && line->sync & 1u << (addr / 8 % PD_LINT_WORDS));
}

/* A word that locked instructions change and that is 0 now: a free lock. */
static bool is_free_lock(const struct pd_lint *l, uint64_t addr)
{
	const struct pd_lint_line *line = pd_lint_line_get(&l->lines, addr);

	return line && line->sync & line->zero & 1u << (addr / 8 % PD_LINT_WORDS);
}

/* Fast path: nearly every store is within one range, the same as the previous store or as the last
 * one from this place. */
static bool is_exempt(struct pd_lint *l, struct pd_lint_flow *f, uint32_t site, uint64_t from,
		      uint64_t to)
{
	struct pd_lint_place *p = pd_lint_place_of(l, site);

	if (pd_ranges_again(&f->tx.logged, f->tx.logged.last, from, to) ||
	    (p && pd_ranges_again(&l->ignored, p->ignored, from, to)))
		return true;
	if (pd_ranges_has(&f->tx.logged, from, to) || pd_ranges_has(&l->unneeded, from, to))
		return true;
	if (!pd_ranges_has(&l->ignored, from, to))
		return false;
	if (p)
		p->ignored = l->ignored.last;
	return true;
}

/* Remembers it, in case it turns out that it was not flushed either. */
static void note_unlogged(struct pd_lint *l, const struct pd_lint_finding *x,
			  const struct pd_event *e)
{
	struct pd_lint_place *p = pd_lint_place_of(l, e->site);

	if (p)
		p->unlogged = x->raw.number + 1;
	for (uint64_t at = e->addr & ~63ULL; at < e->addr + e->size; at += PD_LINT_LINE) {
		struct pd_lint_line *line = pd_lint_line_make(&l->lines, at);

		if (line)
			line->unlogged |= pd_lint_words(pd_lint_mask(at, e->addr, e->size));
	}
}

struct pd_lint_finding *pd_lint_tx_unlogged(struct pd_lint *l, const struct pd_lint_line *line,
					    uint32_t word)
{
	uint32_t place = line->writer[word];
	uint32_t n = line->unlogged & 1u << word && place < l->places.n
			     ? l->places.v[place].unlogged
			     : 0;

	return n && l->findings.v[n - 1].raw.count ? &l->findings.v[n - 1] : NULL;
}

/* ---- transactions that log nothing ---------------------------------------------------------- */

enum { LINES_MAX = 4096 };

static bool is_durable(const struct pd_lint *l, uint64_t addr)
{
	const struct pd_lint_line *line = pd_lint_line_get(&l->lines, addr);

	return !line || (!line->dirty && !line->pending);
}

/* All that it has stored is durable. */
static bool is_all_durable(const struct pd_lint *l, struct pd_lint_tx *tx)
{
	while (tx->lines.n && is_durable(l, tx->lines.v[tx->lines.n - 1]))
		tx->lines.n--;
	return !tx->lines.n;
}

static void report_one(struct pd_lint *l, const struct pd_lint_held *h)
{
	struct pd_lint_finding *x = &l->findings.v[h->finding];

	if (h->sync)
		x->held += h->times;
	else
		pd_lint_seen(l, x, h->times);
}

/* It has ended: its findings are findings, unless it has committed by a flip. */
static void report_held(struct pd_lint *l, struct pd_lint_tx *tx, bool flipped)
{
	for (uint32_t i = 0; i < tx->held.n; i++)
		if (!flipped || tx->held.v[i].sync)
			report_one(l, &tx->held.v[i]);
	tx->held.n = 0;
}

/* No flip: its stores count. */
static void goes_by_log(struct pd_lint_tx *tx)
{
	tx->lines.n = 0;
	tx->logs = true;
}

static void hold(struct pd_lint *l, struct pd_lint_tx *tx, uint32_t finding, bool sync)
{
	struct pd_lint_held *to, one = {finding, 1, sync};

	for (uint32_t i = tx->held.n; i-- > 0;)
		if (tx->held.v[i].finding == finding && tx->held.v[i].sync == sync) {
			tx->held.v[i].times++;
			return;
		}
	to = pd_vec_push(&tx->held, l->arena);
	if (to)
		*to = one;
	else
		report_one(l, &one); /* out of memory */
}

static void note_flip(struct pd_lint *l, struct pd_lint_tx *tx, const struct pd_event *e)
{
	if (tx->logs)
		return;
	tx->flips = is_all_durable(l, tx) && e->addr % 8 + e->size <= 8;
	for (uint64_t at = e->addr & ~63ULL; at < e->addr + e->size; at += PD_LINT_LINE) {
		uint64_t *to = tx->lines.n < LINES_MAX ? pd_vec_push(&tx->lines, l->arena) : NULL;

		if (!to) {
			goes_by_log(tx);
			return;
		}
		*to = at;
	}
}

static void commit(struct pd_lint *l, struct pd_lint_tx *tx)
{
	report_held(l, tx, !tx->logs && tx->flips && is_all_durable(l, tx));
	tx->logged.v.n = 0;
	tx->lines.n = 0;
	tx->logs = tx->flips = tx->reported = false;
}

/* ---- events --------------------------------------------------------------------------------- */

void pd_lint_tx_store(struct pd_lint *l, struct pd_lint_flow *f, const struct pd_event *e)
{
	uint64_t at = e->addr, end = e->addr + e->size;
	struct pd_lint_finding *x;

	note_flip(l, &f->tx, e);
	if (pd_likely(is_exempt(l, f, e->site, at, end)))
		return;
	/* Skips what is logged, what is exempt, and what need not be durable, in turn, until none
	 * matches. */
	for (uint64_t from = UINT64_MAX; at != from && at < end;) {
		from = at;
		at = pd_ranges_missing(&f->tx.logged, at, end);
		at = pd_ranges_missing(&l->ignored, at, end);
		at = pd_ranges_missing(&l->unneeded, at, end);
	}
	if (at >= end || !(x = pd_lint_find(l, PD_KIND_LINT_UNLOGGED, e->site, f->tx.begin)))
		return;
	if (!x->raw.nsites) {
		pd_lint_site(x, PD_ROLE_STORE, e->site);
		pd_lint_site(x, PD_ROLE_TX, f->tx.begin);
		x->addr = at;
		x->size = end - at;
	}
	note_unlogged(l, x, e);
	if (is_sync(l, e, at))
		x->held_at = at;
	hold(l, &f->tx, x->raw.number, is_sync(l, e, at));
}

/* The first and the last word that a place has changed stand for all. */
void pd_lint_tx_end(struct pd_lint *l)
{
	for (uint32_t i = 0; i < l->findings.n; i++) {
		struct pd_lint_finding *x = &l->findings.v[i];

		if (x->held && !(is_free_lock(l, x->addr) && is_free_lock(l, x->held_at)))
			pd_lint_seen(l, x, x->held);
		x->held = 0;
	}
}

static void add(struct pd_lint *l, struct pd_lint_flow *f, const struct pd_event *e)
{
	uint32_t before = 0;
	uint64_t there;
	struct pd_lint_finding *x;

	if (!f->tx.depth || e->addr & PD_ADDR_OUTSIDE)
		return;
	goes_by_log(&f->tx);
	there = pd_ranges_add(&f->tx.logged, l->arena, e->addr, e->addr + e->size, e->site,
			      &before);
	if (!there || !(x = pd_lint_find(l, PD_KIND_LINT_REDUNDANT_LOG, e->site, before)))
		return;
	if (!x->raw.nsites) {
		pd_lint_site(x, PD_ROLE_LOG, e->site);
		pd_lint_site(x, PD_ROLE_LOG, before);
		pd_lint_site(x, PD_ROLE_TX, f->tx.begin);
		x->addr = e->addr;
		x->size = there;
	}
	pd_lint_seen(l, x, 1);
}

static void report_open(struct pd_lint *l, struct pd_lint_tx *tx)
{
	struct pd_lint_finding *x =
		tx->reported ? NULL : pd_lint_find(l, PD_KIND_LINT_OPEN_TX, tx->begin, 0);

	if (!x)
		return;
	if (!x->raw.nsites)
		pd_lint_site(x, PD_ROLE_TX, tx->begin);
	pd_lint_seen(l, x, 1);
	tx->reported = true;
}

void pd_lint_tx_left(struct pd_lint *l, struct pd_lint_flow *f)
{
	if (!f || !f->tx.depth)
		return;
	report_open(l, &f->tx);
	f->tx.depth = 0;
	f->tx.held.n = 0;
	commit(l, &f->tx);
}

/* Whether this transaction has stored the word, unlogged. */
static bool is_held(const struct pd_lint *l, const struct pd_lint_tx *tx,
		    const struct pd_lint_line *line, uint32_t word)
{
	uint32_t place = line->writer[word];
	uint32_t n = line->unlogged & 1u << word && place < l->places.n
			     ? l->places.v[place].unlogged
			     : 0;

	for (uint32_t i = 0; n && i < tx->held.n; i++)
		if (tx->held.v[i].finding == n - 1)
			return true;
	return false;
}

bool pd_lint_tx_keeps(struct pd_lint *l, const struct pd_lint_line *line, uint32_t word,
		      uint64_t addr)
{
	for (uint32_t i = 0; i < l->flows.n; i++) {
		struct pd_lint_tx *tx = &l->flows.v[i].tx;

		if (tx->depth && (pd_ranges_missing(&tx->logged, addr, addr + 8) > addr ||
				  is_held(l, tx, line, word))) {
			report_open(l, tx);
			return true;
		}
	}
	return false;
}

void pd_lint_tx_event(struct pd_lint *l, const struct pd_event *e)
{
	struct pd_lint_flow *f = pd_lint_flow_of(l, e->tid);
	uint32_t ignored;

	if (!f)
		return;
	switch ((int)e->kind) { /* an int: other kinds are handled elsewhere */
	case PD_EV_TX_BEGIN:
		if (!f->tx.depth++) {
			f->tx.begin = e->site;
			/* Where stores are durable immediately, a flip looks like any other
			 * store */
			f->tx.logs = l->params.persists & PD_PERSISTS_STORE;
		}
		break;
	case PD_EV_TX_ADD:
		add(l, f, e);
		break;
	case PD_EV_TX_REMOVE:
		pd_ranges_remove(&f->tx.logged, l->arena, e->addr, e->addr + e->size);
		break;
	case PD_EV_TX_IGNORE:
		if (!(e->addr & PD_ADDR_OUTSIDE))
			pd_ranges_add(&l->ignored, l->arena, e->addr, e->addr + e->size, 0,
				      &ignored);
		break;
	case PD_EV_TX_END:
		if (f->tx.depth && !--f->tx.depth)
			commit(l, &f->tx);
		break;
	}
}
