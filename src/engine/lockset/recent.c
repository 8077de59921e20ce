/*
 * recent.c - what has just been found to be nothing new, so that the same need not be looked for again.
 *
 * This only ever says what a walk through the lists of the word would say, too. It forgets: an entry that
 * another one needs is overwritten. The table of loads is indexed by address, starts small, and grows where
 * it forgets too much.
 *
 * A load: these bytes of this word were loaded from this place, with these locks; the word keeps that
 * load, and its state cannot change any more. Whose load, and when, is a bit: each stands for one epoch of
 * one thread, so that threads that do the same share the entry, and a line of the processor's cache. It
 * stays true: a load is given up for a later one of the same thread, which is of a later epoch, or for one
 * of a thread that knows the whole epoch, which has ended then.
 *
 * A window that its own thread has ended, the last one of each word (struct pd_ls_closed): the word has such
 * a window already, and it was judged against all of the loads that the word keeps, or is no race with them
 * because of its locks. A bit stands for one clock of one thread here.
 *
 * When all bits are given out they are given out anew, and all entries are void (their generation is old).
 */
#include "engine/lockset/state.h"

enum {
	ALIGN = 64, /* a line of the processor's cache */
	FIRST = 32, /* entries */
	MOST_LOADS = 1 << 15,
	BITS = 64,
	PATIENCE = 1024, /* so often a bit is refused before they are given out anew */
};

/* ---- tables --------------------------------------------------------------------------------- */

/* Something is put into the table, which grows when too much is overwritten; NULL: there is none. */
static void *room(struct pd_lockset *l, struct pd_ls_recent *r, void *table, uint32_t *mask, size_t size,
		  uint32_t most)
{
	uint32_t n = table ? (*mask + 1) * 4 : FIRST;
	uint8_t *fresh;

	if (table && (r->evicted <= *mask || n > most))
		return table;
	fresh = pd_arena_alloc(l->arena, n * size + ALIGN);
	if (!fresh)
		return table;
	*mask = n - 1;
	r->evicted = 0;
	return fresh + -(uintptr_t)fresh % ALIGN;
}

static void forget_loads(struct pd_lockset *l)
{
	l->known.generation++;
	for (uint32_t i = 0; i < l->threads.n; i++)
		if (l->threads.v[i])
			l->threads.v[i]->known.bit = 0;
}

static void windows_forget(struct pd_lockset *l)
{
	l->windows_generation++;
	for (uint32_t i = 0; i < l->threads.n; i++)
		if (l->threads.v[i])
			l->threads.v[i]->window_bit = 0;
}

/* A bit for this thread, if it has none; 0: none is left. */
static uint64_t give_bit(struct pd_lockset *l, struct pd_ls_recent *r, uint64_t *mine,
			 void (*forget)(struct pd_lockset *l))
{
	if (*mine)
		return *mine;
	if (r->bits == BITS) {
		if (r->refused++ < PATIENCE)
			return 0;
		r->bits = r->refused = 0;
		forget(l);
	}
	return *mine = 1ULL << r->bits++;
}

/* ---- loads ---------------------------------------------------------------------------------- */

_Static_assert(sizeof(struct pd_known_line) % ALIGN == 0 && offsetof(struct pd_known_line, who) == ALIGN,
	       "whole lines of the cache");
_Static_assert((int)PD_KNOWN_WORDS == (int)PD_LS_LINE, "lines are lines");

static void add_way(struct pd_known_line *x, uint32_t i, uint32_t way, uint64_t bit)
{
	uint32_t k = 0;

	if (!x->first[i] || x->first[i] == way) {
		x->first[i] = way;
		x->who[i] |= bit;
		return;
	}
	while (k < PD_KNOWN_MORE && x->more[i][k] != way)
		k++;
	if (k == PD_KNOWN_MORE) {
		for (k = PD_KNOWN_MORE - 1; k; k--) {
			x->more[i][k] = x->more[i][k - 1];
			x->more_who[i][k] = x->more_who[i][k - 1];
		}
		x->more[i][0] = way;
		x->more_who[i][0] = 0;
	}
	x->more_who[i][k] |= bit;
}

void pd_ls_load_remember(struct pd_lockset *l, uint64_t word, const struct pd_ls_load *r)
{
	struct pd_ls_thread *t = l->threads.v[r->tid];
	uint64_t line = word / PD_LS_LINE, bit;
	struct pd_known *k = &l->known;
	struct pd_known_line *x;

	if (r->place >= PD_KNOWN_PLACES || r->epoch != pd_ls_epoch(t, r->tid))
		return;
	k->lines = room(l, &l->recent_loads, k->lines, &k->mask, sizeof(*x), MOST_LOADS);
	bit = k->lines ? give_bit(l, &l->recent_loads, &t->known.bit, forget_loads) : 0;
	if (!bit)
		return;
	x = pd_known_line(k, line, r->set);
	if (!pd_known_is_about(k, x, line, r->set)) {
		l->recent_loads.evicted += x->line != line && x->generation == k->generation;
		*x = (struct pd_known_line){.line = line, .set = r->set, .generation = k->generation};
	}
	add_way(x, word % PD_LS_LINE, r->place << 8 | r->mask, bit);
}

/* ---- windows -------------------------------------------------------------------------------- */

_Static_assert(sizeof(struct pd_ls_closed) == ALIGN, "one line of the cache");

static bool is_like(const struct pd_lockset *l, const struct pd_ls_closed *k, const struct pd_ls_window *x)
{
	return k->generation == l->windows_generation && k->place == x->place && k->flush == x->flush &&
	       k->set == x->set && k->effective == x->effective && k->mask == x->mask && k->how == x->how &&
	       k->end == x->end;
}

/* Ended by its own thread, which has learned nothing since the store. */
static bool is_of_now(const struct pd_ls_thread *t, uint32_t tid, uint32_t end_tid,
		      const struct pd_ls_then *then)
{
	return tid == end_tid && then == t->now;
}

bool pd_ls_window_recent(const struct pd_lockset *l, const struct pd_ls_closed *k, const struct pd_ls_open *o,
			 uint8_t mask, const struct pd_ls_close *c)
{
	const struct pd_ls_thread *t = l->threads.v[o->tid];

	return k->who & t->window_bit && is_of_now(t, o->tid, c->tid, o->then) &&
	       k->generation == l->windows_generation && k->place == o->place && k->flush == c->flush &&
	       k->set == o->set && k->effective == c->set && k->mask == mask && k->how == o->how &&
	       k->end == c->how;
}

void pd_ls_window_remember(struct pd_lockset *l, struct pd_ls_closed *k, const struct pd_ls_window *x)
{
	struct pd_ls_thread *t = l->threads.v[x->tid];
	uint64_t bit;

	if (!is_of_now(t, x->tid, x->end_tid, x->then))
		return;
	bit = give_bit(l, &l->recent_windows, &t->window_bit, windows_forget);
	if (!bit)
		return;
	if (!is_like(l, k, x)) {
		k->generation = l->windows_generation;
		k->group = x->group;
		k->place = x->place;
		k->flush = x->flush;
		k->set = x->set;
		k->effective = x->effective;
		k->mask = x->mask;
		k->how = x->how;
		k->end = x->end;
		k->who = 0;
	}
	k->who |= bit;
}

/* A load that has a lock in common with the last window is no race with it, whoever made them. */
void pd_ls_window_load(struct pd_lockset *l, struct pd_ls_word *w, uint32_t set)
{
	struct pd_ls_closed *k = w->closed ? pd_pool_at(&l->closed, w->closed) : NULL;

	if (!k)
		return;
	k->loads_common = w->loads ? pd_locks_meet(&l->locks, k->loads_common, set) : set;
	if (k->who && !pd_locks_exclude(&l->locks, k->effective, set))
		k->who = 0;
}
