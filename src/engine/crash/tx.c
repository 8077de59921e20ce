/* tx.c - see tx.h. */
#include "engine/crash/tx.h"

static void end(struct pd_tx_thread *f)
{
	if (f->depth && !--f->depth) {
		f->logged.v.n = 0;
		f->undone.v.n = 0;
	}
}

static void exempt(struct pd_tx *t, const struct pd_event *e)
{
	uint32_t before;

	if (!(e->addr & PD_ADDR_OUTSIDE))
		pd_ranges_add(&t->exempt, t->arena, e->addr, e->addr + e->size, 0, &before);
}

/* What is logged from now on keeps the values that this transaction has stored there already. */
static void mark_late(struct pd_tx *t, const struct pd_tx_thread *f, const struct pd_event *e)
{
	for (uint32_t i = f->found; i < t->found.n; i++) {
		struct pd_unlogged *u = &t->found.v[i];

		u->late |= u->tx == f->tx && u->addr < e->addr + e->size &&
			   e->addr < u->addr + u->size;
	}
}

static void log_range(struct pd_tx *t, struct pd_tx_thread *f, const struct pd_event *e)
{
	uint32_t before;

	if (!f->depth || e->addr & PD_ADDR_OUTSIDE)
		return;
	mark_late(t, f, e);
	pd_ranges_add(&f->logged, t->arena, e->addr, e->addr + e->size, 0, &before);
	pd_ranges_add(&f->undone, t->arena, e->addr, e->addr + e->size, 0, &before);
}

void pd_tx_event(struct pd_tx *t, const struct pd_event *e, uint32_t order, uint32_t place)
{
	struct pd_tx_thread *f = pd_vec_at(&t->thread, t->arena, e->tid);

	if (!f)
		return;
	switch ((int)e->kind) { /* an int: callers pass only events of PD_TX_EVENTS */
	case PD_EV_TX_BEGIN:
		if (!f->depth++) {
			f->begin = place;
			f->tx = ++t->n;
			f->found = t->found.n;
			f->from = order;
		}
		break;
	case PD_EV_TX_ADD:
		log_range(t, f, e);
		break;
	case PD_EV_TX_REMOVE:
		pd_ranges_remove(&f->logged, t->arena, e->addr, e->addr + e->size);
		break;
	case PD_EV_TX_IGNORE:
	case PD_EV_TRANSIENT:
		exempt(t, e);
		break;
	case PD_EV_TX_END:
		end(f);
		break;
	}
}

bool pd_tx_is_open(const struct pd_tx *t, uint16_t tid)
{
	return tid < t->thread.n && t->thread.v[tid].depth;
}

/* The first byte that has to be logged and is not; `to`: none. */
static uint64_t missing(const struct pd_tx *t, const struct pd_tx_thread *f, uint64_t at,
			uint64_t to)
{
	for (uint64_t from = UINT64_MAX; at != from && at < to;) {
		from = at;
		at = pd_ranges_missing(&f->logged, at, to);
		at = pd_ranges_missing(&t->exempt, at, to);
	}
	return at;
}

bool pd_tx_store(struct pd_tx *t, const struct pd_event *e, uint32_t before, uint32_t after,
		 uint32_t place)
{
	const struct pd_tx_thread *f = pd_tx_is_open(t, e->tid) ? &t->thread.v[e->tid] : NULL;
	uint64_t at, to = e->addr + e->size;
	struct pd_unlogged *u;

	if (!f || e->kind == PD_EV_RMW || before >= after || t->found.n == PD_TX_STORES)
		return false;
	at = missing(t, f, e->addr, to);
	u = at < to ? pd_vec_push(&t->found, t->arena) : NULL;
	if (!u)
		return false;
	*u = (struct pd_unlogged){.first = before + 1,
				  .last = after,
				  .addr = at,
				  .size = to - at,
				  .place = place,
				  .begin = f->begin,
				  .tx = f->tx,
				  .tid = e->tid};
	return true;
}

bool pd_tx_undoes(const struct pd_tx *t, uint16_t tid, uint32_t number, uint64_t addr, uint64_t n)
{
	const struct pd_tx_thread *f = pd_tx_is_open(t, tid) ? &t->thread.v[tid] : NULL;

	if (!f || number <= f->from || t->found.n == PD_TX_STORES)
		return false;
	for (uint32_t i = f->found; i < t->found.n; i++)
		if (t->found.v[i].tx == f->tx)
			return false;
	return pd_ranges_missing(&f->undone, addr, addr + n) >= addr + n;
}

bool pd_unlogged_is_open(const struct pd_tx *t, const struct pd_unlogged *u)
{
	return pd_tx_is_open(t, u->tid) && t->thread.v[u->tid].tx == u->tx;
}

const struct pd_unlogged *pd_unlogged_find(const struct pd_unlogged *v, uint32_t n, uint32_t order)
{
	uint32_t lo = 0, hi = n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (v[mid].last < order)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < n && order && v[lo].first <= order ? &v[lo] : NULL;
}
