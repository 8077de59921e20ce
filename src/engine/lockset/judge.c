/*
 * judge.c - is a pair of a window and an access a race? (HawkSet, Algorithm 4.2)
 *
 * A window that is open when a load is committed will be judged when it closes. So in each pair one side
 * is complete and the other one is coming, and only two of the orders of the three moments store, end,
 * load are left to ask about:
 *   the load comes:   the end may happen before it, or it, late as it is, before the store
 *   the window comes: the load may happen before the store; the end cannot happen before the load
 */
#include "engine/lockset/state.h"

#define WINDOW(l, i) ((struct pd_ls_window *)pd_pool_at(&(l)->windows, (i)))
#define LOAD(l, i) ((struct pd_ls_load *)pd_pool_at(&(l)->loads, (i)))

void pd_ls_judge_load(struct pd_lockset *l, uint64_t at, const struct pd_ls_word *w,
		      const struct pd_ls_load *r, const struct pd_ls_then *then, uint64_t seq)
{
	for (uint32_t i = w->closed; i; i = WINDOW(l, i)->next) {
		const struct pd_ls_window *x = WINDOW(l, i);

		if (x->tid == r->tid || !(x->mask & r->mask) || pd_ls_knows(x->then, r->tid, r->epoch))
			continue;
		if (x->end_tid == r->tid ? x->end_seq < seq
					 : pd_ls_knows(then, x->end_tid, x->end_epoch))
			continue;
		if (!pd_locks_exclude(&l->locks, x->effective, r->set))
			pd_ls_race(l, at, x, r);
	}
}

static void judge_loads(struct pd_lockset *l, uint64_t at, const struct pd_ls_word *w,
			const struct pd_ls_window *x, const struct pd_ls_then *then)
{
	for (uint32_t i = w->loads; i; i = LOAD(l, i)->next) {
		const struct pd_ls_load *r = LOAD(l, i);

		if (x->tid == r->tid || !(x->mask & r->mask) || pd_ls_knows(then, r->tid, r->epoch))
			continue;
		if (!pd_locks_exclude(&l->locks, x->effective, r->set))
			pd_ls_race(l, at, x, r);
	}
}

/*
 * Two stores at the same time, of which at least one is not atomic. A window that closed earlier belongs
 * to the earlier store: of two stores to a byte the second one closes the first one's window.
 */
static void judge_stores(struct pd_lockset *l, uint64_t at, const struct pd_ls_word *w,
			 const struct pd_ls_window *x, const struct pd_ls_then *then)
{
	if (x->how == PD_LS_LOCKED)
		return;
	for (uint32_t i = w->closed; i; i = WINDOW(l, i)->next) {
		const struct pd_ls_window *y = WINDOW(l, i);

		if (x->tid == y->tid || !(x->mask & y->mask) || y->how == PD_LS_LOCKED ||
		    (x->how == PD_LS_ATOMIC && y->how == PD_LS_ATOMIC) ||
		    pd_ls_knows(then, y->tid, y->epoch))
			continue;
		if (!pd_locks_exclude(&l->locks, x->set, y->set))
			pd_ls_write_race(l, at, y, x);
	}
}

static bool alike(const struct pd_ls_window *a, const struct pd_ls_window *b)
{
	return a->place == b->place && a->flush == b->flush && a->set == b->set &&
	       a->effective == b->effective && a->tid == b->tid && a->end_tid == b->end_tid &&
	       a->end == b->end && a->how == b->how;
}

/* The same again, with nothing new to compare it with. */
static bool again(struct pd_ls_window *y, const struct pd_ls_window *x)
{
	if (x->mask & ~y->mask || y->then != x->then || y->version != x->version ||
	    (y->mask != x->mask && (y->end_epoch != x->end_epoch || y->end_tid != y->tid)))
		return false;
	y->end_epoch = x->end_epoch;
	y->end_seq = x->end_seq;
	return true;
}

void pd_ls_judge_window(struct pd_lockset *l, uint64_t at, struct pd_ls_word *w,
			const struct pd_ls_open *o, uint8_t mask, const struct pd_ls_close *c)
{
	struct pd_ls_window x = {
		.place = o->place, .flush = c->flush, .fence = c->fence, .set = o->set,
		.effective = c->set, .epoch = o->epoch, .end_epoch = c->epoch, .tid = o->tid,
		.end_tid = c->tid, .version = w->version, .mask = mask, .how = o->how, .end = c->how,
		.end_seq = c->seq, .then = o->then,
	};
	uint32_t found = 0, recent = pd_ls_window_recent(l, at, o->tid);

	if (c->how == PD_LS_NEVER) { /* before nothing */
		x.end_epoch = UINT32_MAX;
		x.end_seq = UINT64_MAX;
	}
	if (recent && WINDOW(l, recent)->mask == mask && alike(&x, WINDOW(l, recent)) &&
	    again(WINDOW(l, recent), &x))
		return;
	for (uint32_t i = w->closed; i; i = WINDOW(l, i)->next) {
		struct pd_ls_window *y = WINDOW(l, i);

		if (!alike(&x, y) || (mask & ~y->mask && y->epoch != x.epoch))
			continue;
		if (again(y, &x)) {
			pd_ls_window_remember(l, at, o->tid, i);
			return;
		}
		if (y->mask == mask)
			found = i;
	}
	judge_loads(l, at, w, &x, o->then);
	judge_stores(l, at, w, &x, o->then);
	pd_ls_keep(x.then);
	if (found) {
		x.next = WINDOW(l, found)->next;
		pd_ls_drop(l, WINDOW(l, found)->then);
		*WINDOW(l, found) = x;
		return;
	}
	found = pd_pool_take(&l->windows, l->arena);
	if (!found) {
		l->failed = true;
		return;
	}
	x.next = w->closed;
	*WINDOW(l, found) = x;
	w->closed = found;
}
