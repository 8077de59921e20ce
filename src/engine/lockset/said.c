/*
 * said.c - what the program says of its memory: that it is durable by now (epochs), that it need
 * not be (clean), that it is new (allocated).
 *
 * A clean range counts as durable, and the program vouches for it: what has been stored there so
 * far takes no part in races. Memory is new when it is allocated, and again when it is given back,
 * since the free list may be inside of it: what was done to it ends there, and is judged as if it
 * had been overwritten; afterwards it belongs to that thread, as recycled memory does (recycle.c),
 * whatever locks are held. So objects that a free list hands on under its lock, and that their new
 * owner fills under another one, are no races.
 *
 * Precision lost: an access through a stale pointer after the allocation counts as one that has
 * learned of the new object.
 */
#include "engine/lockset/state.h"

#define OPEN(l, i) ((struct pd_ls_open *)pd_pool_at(&(l)->opens, (i)))

/* ---- durable -------------------------------------------------------------------------------- */

/*
 * Marks as due what this thread knows of in the order of the run: other stores belong to its next
 * call.
 */
static void due_word(struct pd_lockset *l, const struct pd_ls_word *w, const struct pd_ls_thread *t)
{
	for (uint32_t i = w->open; i; i = OPEN(l, i)->next)
		if (OPEN(l, i)->step <= pd_clock_get(&t->run, OPEN(l, i)->tid))
			OPEN(l, i)->due = true;
}

void pd_ls_sync(struct pd_lockset *l, const struct pd_event *e)
{
	const struct pd_ls_thread *t = pd_ls_thread(l, e->tid);
	uint64_t from = e->size ? e->addr / 8 : 0,
		 to = e->size ? (e->addr + e->size + 7) / 8 : UINT64_MAX;

	if (!t)
		return;
	l->stat_syncs++;
	for (struct pd_ls_granule *g = l->all; g; g = g->next)
		for (uint32_t i = 0; i < PD_LS_WORDS; i++) {
			uint64_t at = g->key * PD_LS_WORDS + i;

			if (g->word[i].open && at >= from && at < to)
				due_word(l, &g->word[i], t);
		}
}

/* ---- clean, new ----------------------------------------------------------------------------- */

void pd_ls_clean(struct pd_lockset *l, const struct pd_event *e)
{
	uint64_t end = e->addr + e->size;

	for (uint64_t at = e->addr / 8; at * 8 < end; at++) {
		struct pd_ls_word *w = pd_ls_word_known(l, at);

		if (w)
			pd_ls_drop_windows(l, w, pd_ls_mask_of(at, e->addr, end));
		else
			at |= PD_LS_WORDS - 1; /* none of its granule is known */
	}
}

/* What was known of this memory ends here. */
static void renew(struct pd_lockset *l, uint32_t tid, uint64_t addr, uint64_t end)
{
	const struct pd_ls_thread *t = pd_ls_thread(l, tid);

	for (uint32_t i = 0; i < l->threads.n; i++)
		pd_ls_commit(l, i, addr / 8, (end + 7) / 8);
	for (uint64_t at = addr / 8; t && at * 8 < end; at++) {
		struct pd_ls_word *w = pd_ls_word_known(l, at);
		struct pd_ls_close c = {.how = PD_LS_OVERWRITTEN,
					.tid = (uint16_t)tid,
					.epoch = pd_ls_epoch(t, tid),
					.step = pd_ls_step(t, tid),
					.seq = l->seq};

		if (!w) {
			at |= PD_LS_WORDS - 1;
			continue;
		}
		pd_ls_close_windows(l, at, w, pd_ls_mask_of(at, addr, end), &c);
		pd_ls_renew(l, at, w, pd_ls_mask_of(at, addr, end), tid);
	}
}

void pd_ls_allocated(struct pd_lockset *l, const struct pd_event *e)
{
	uint64_t *size = e->size ? pd_map_put(&l->allocated, l->arena, e->addr) : NULL;

	if (!size) {
		l->failed |= e->size != 0;
		return;
	}
	*size = e->size;
	renew(l, e->tid, e->addr, e->addr + e->size);
	l->stat_allocated++;
}

void pd_ls_freed(struct pd_lockset *l, const struct pd_event *e)
{
	uint64_t *size = pd_map_get(&l->allocated, e->addr);

	if (!size || !*size)
		return;
	renew(l, e->tid, e->addr, e->addr + *size);
	*size = 0;
}
