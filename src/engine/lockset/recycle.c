/*
 * recycle.c - memory that passes to another owner: slabs, free lists, allocators.
 *
 * An object that is freed and allocated again is initialised anew. Its bytes were shared, and
 * judged byte by byte they still are; but the thread that has it now is alone with it until it
 * publishes it. The order of the run shows that: happens-before with locks as edges, too. Elsewhere
 * in this engine locks order nothing (another run may take them the other way round). But here a
 * thread gets an object because another one has freed it, and the lock or compare-and-swap of the
 * free list, wherever that is, comes between them.
 *
 * A thread becomes the owner of a byte again by a store that is plain; made with no lock held,
 * since a thread alone with memory needs none; to durable bytes; without having loaded the byte
 * since it last let other threads proceed; and after all accesses of others to it, in the order of
 * the run. What was known of the byte is dropped. A window that opens while no other thread has
 * accessed the byte (it is fresh) is not ignored, as it would be in new memory, but compared in the
 * order of the run: a load that does not come after its end, in this run, is a race.
 *
 * Precision lost: stores to memory that is not new, by a thread without a lock and without a prior
 * load, that locks kept apart from all other accesses in the whole run, before and after.
 *
 * A load that a front end leaves out (known.h) counts as made when it was first made. Where that
 * may matter after a byte was shared, all loads of the page are reported from then on.
 */
#include "base/hash.h"
#include "engine/lockset/state.h"

#define OPEN(l, i)   ((struct pd_ls_open *)pd_pool_at(&(l)->opens, (i)))
#define WINDOW(l, i) ((struct pd_ls_window *)pd_pool_at(&(l)->windows, (i)))
#define LOAD(l, i)   ((struct pd_ls_load *)pd_pool_at(&(l)->loads, (i)))
#define GROUP(l, i)  ((struct pd_ls_group *)pd_pool_at(&(l)->groups, (i)))
#define CLOSED(l, i) ((struct pd_ls_closed *)pd_pool_at(&(l)->closed, (i)))

/* ---- whether all of it is over -------------------------------------------------------------- */

static bool is_known(const struct pd_ls_thread *t, uint32_t tid, uint32_t step)
{
	return step <= pd_clock_get(&t->run, tid);
}

/* Recent loads of its own mean that the thread has looked at the content. */
static bool knows_loads(const struct pd_lockset *l, const struct pd_ls_word *w, uint8_t mask,
			const struct pd_ls_thread *t, uint32_t tid)
{
	for (uint32_t g = w->loads; g; g = GROUP(l, g)->next)
		for (uint32_t i = GROUP(l, g)->first; i; i = LOAD(l, i)->next) {
			const struct pd_ls_load *x = LOAD(l, i);

			if (x->mask & mask && (x->tid == tid ? x->step == pd_ls_step(t, tid)
							     : !is_known(t, x->tid, x->step)))
				return false;
		}
	return true;
}

static bool knows_windows(const struct pd_lockset *l, const struct pd_ls_word *w, uint8_t mask,
			  const struct pd_ls_thread *t)
{
	uint32_t first = w->closed ? CLOSED(l, w->closed)->first : 0;

	for (uint32_t g = first; g; g = GROUP(l, g)->next)
		for (uint32_t i = GROUP(l, g)->first; i; i = WINDOW(l, i)->next) {
			const struct pd_ls_window *x = WINDOW(l, i);

			if (x->mask & mask && (!is_known(t, x->tid, x->step) ||
					       !is_known(t, x->end_tid, x->end_step)))
				return false;
		}
	return true;
}

/* Waiting loads (load.c) were made since their thread last let others proceed. */
static bool is_waited_for(const struct pd_lockset *l, uint64_t at, uint8_t mask)
{
	for (uint32_t i = 0; i < l->threads.n; i++)
		for (uint32_t k = 0; l->threads.v[i] && k < l->threads.v[i]->seen.n; k++)
			if (l->threads.v[i]->seen.v[k].word == at &&
			    l->threads.v[i]->seen.v[k].mask & mask)
				return true;
	return false;
}

/* ---- what was known of it goes -------------------------------------------------------------- */

static void forget_loads(struct pd_lockset *l, struct pd_ls_group *g, uint8_t mask)
{
	for (uint32_t i, *link = &g->first; (i = *link);) {
		struct pd_ls_load *x = LOAD(l, i);

		x->mask &= (uint8_t)~mask;
		if (x->mask) {
			link = &x->next;
			continue;
		}
		x->group = 0; /* l->many may still refer to it */
		*link = x->next;
		pd_pool_give(&l->loads, i);
		g->n--;
	}
}

static void forget_windows(struct pd_lockset *l, struct pd_ls_group *g, uint8_t mask)
{
	for (uint32_t i, *link = &g->first; (i = *link);) {
		struct pd_ls_window *x = WINDOW(l, i);

		x->mask &= (uint8_t)~mask;
		if (x->mask) {
			link = &x->next;
			continue;
		}
		pd_ls_drop(l, x->then);
		pd_ls_drop(l, x->run);
		x->group = 0;
		*link = x->next;
		pd_pool_give(&l->windows, i);
		g->n--;
	}
}

static void forget(struct pd_lockset *l, struct pd_ls_word *w, uint8_t mask)
{
	uint32_t first = w->closed ? CLOSED(l, w->closed)->first : 0;

	for (uint32_t g = w->loads; g; g = GROUP(l, g)->next)
		forget_loads(l, GROUP(l, g), mask);
	for (uint32_t g = first; g; g = GROUP(l, g)->next)
		forget_windows(l, GROUP(l, g), mask);
	if (w->closed)
		CLOSED(l, w->closed)->who = 0;
}

/* Front ends may have cached loads of shared bytes of this page. */
static void forget_known(struct pd_lockset *l, struct pd_ls_granule *page)
{
	if (page->recycled)
		return;
	page->recycled = true;
	pd_ls_forget_known(l);
}

void pd_ls_apart(struct pd_lockset *l, uint64_t at, struct pd_ls_closed *k, uint32_t store,
		 uint32_t other)
{
	if (!pd_map_put(&l->apart, l->arena, pd_mix((uint64_t)store << 32 | other) >> 1))
		l->failed = true;
	if (k->apart)
		return;
	k->apart = 1;
	k->who = 0;
	forget_known(l, pd_ls_granule(at, pd_ls_word_known(l, at)));
}

/* ---- a store -------------------------------------------------------------------------------- */

void pd_ls_recycle(struct pd_lockset *l, uint64_t at, struct pd_ls_word *w, uint8_t mask,
		   uint32_t tid)
{
	const struct pd_ls_thread *t = l->threads.v[tid];
	uint8_t given, shared;

	if (!w->state.valid)
		return;
	for (uint32_t i = w->open; i; i = OPEN(l, i)->next)
		mask &= (uint8_t)~OPEN(l, i)->mask;
	given = pd_ls_given(l, w, mask, tid);
	shared = pd_ls_in_states(l, w, mask & w->state.valid, 1U << PD_LS_SHARED);
	if (shared && w->closed)
		pd_ls_window_settle(l, CLOSED(l, w->closed));
	if (shared && !(knows_loads(l, w, shared, t, tid) && knows_windows(l, w, shared, t)))
		shared = 0;
	if ((shared | given) == 0 || is_waited_for(l, at, shared | given))
		return;
	forget(l, w, shared | given);
	pd_ls_granule(at, w)->fresh = true;
	if (shared)
		forget_known(l, pd_ls_granule(at, w));
	pd_ls_own_anew(l, w, shared | given, PD_LS_RECYCLED, tid);
	l->stat_recycled++;
}

void pd_ls_renew(struct pd_lockset *l, uint64_t at, struct pd_ls_word *w, uint8_t mask,
		 uint32_t tid)
{
	const unsigned untouched = 1U << PD_LS_NEW;

	mask &= w->state.valid;
	mask &= (uint8_t)~pd_ls_in_states(l, w, mask, untouched);
	if (!mask)
		return;
	if (w->closed)
		pd_ls_window_settle(l, CLOSED(l, w->closed));
	forget(l, w, mask);
	pd_ls_granule(at, w)->fresh = true;
	forget_known(l, pd_ls_granule(at, w));
	pd_ls_own_anew(l, w, mask, PD_LS_RECYCLED, tid);
}
