/*
 * recent.c - what has just been found to be nothing new, so that the same need not be looked for again.
 *
 * The tables only ever say what a walk through the lists of the word would say, too. They forget: an
 * entry that another one needs is overwritten. They are indexed by address, start small, and grow where
 * they forget too much.
 *
 * A load: these bytes of this word were loaded from this place, with these locks; the word keeps that
 * load, and its state cannot change any more. Whose load, and when, is a bit: each stands for one epoch of
 * one thread, so that threads that do the same share the entry, and a line of the processor's cache. It
 * stays true: a load is given up for a later one of the same thread, which is of a later epoch, or for one
 * of a thread that knows the whole epoch, which has ended then.
 *
 * A window that its own thread has ended: the word has such a window already, and it was judged against
 * all of the loads that the word keeps. A bit stands for one clock of one thread here.
 *
 * When all bits are given out they are given out anew, and all entries are void (their generation is old).
 */
#include "engine/lockset/state.h"

enum {
	ALIGN = 64, /* a line of the processor's cache */
	FIRST = 32, /* entries */
	MOST_LOADS = 1 << 15,
	MOST_WINDOWS = 1 << 16,
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

void pd_ls_windows_forget(struct pd_lockset *l)
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

struct recent_window {
	uint64_t word;
	uint64_t who;
	uint32_t generation;
	uint32_t place;
	uint32_t flush;
	uint32_t set;
	uint32_t effective;
	uint16_t version;
	uint8_t mask;
	uint8_t how;
	uint8_t end;
	uint8_t unused[23];
};

_Static_assert(sizeof(struct recent_window) == ALIGN, "one line of the cache");

static struct recent_window *window_at(const struct pd_lockset *l, uint64_t word)
{
	return (struct recent_window *)l->window_table + (word & l->window_mask);
}

static bool is_like(const struct pd_lockset *l, const struct recent_window *x, uint64_t word,
		    const struct pd_ls_window *w)
{
	return x->word == word && x->generation == l->windows_generation && x->place == w->place &&
	       x->flush == w->flush && x->set == w->set && x->effective == w->effective &&
	       x->version == w->version && x->mask == w->mask && x->how == w->how && x->end == w->end;
}

/* Ended by its own thread, which has learned nothing since the store. */
static bool is_of_now(const struct pd_lockset *l, const struct pd_ls_window *w)
{
	return w->tid == w->end_tid && w->then == l->threads.v[w->tid]->now;
}

bool pd_ls_window_recent(const struct pd_lockset *l, uint64_t word, const struct pd_ls_window *w)
{
	uint64_t bit = l->threads.v[w->tid]->window_bit;

	return bit && is_of_now(l, w) && is_like(l, window_at(l, word), word, w) &&
	       window_at(l, word)->who & bit;
}

void pd_ls_window_remember(struct pd_lockset *l, uint64_t word, const struct pd_ls_window *w)
{
	struct recent_window *x;
	uint64_t bit;

	if (!is_of_now(l, w))
		return;
	l->window_table = room(l, &l->recent_windows, l->window_table, &l->window_mask, sizeof(*x),
			       MOST_WINDOWS);
	bit = l->window_table ? give_bit(l, &l->recent_windows, &l->threads.v[w->tid]->window_bit,
					 pd_ls_windows_forget)
			      : 0;
	if (!bit)
		return;
	x = window_at(l, word);
	if (!is_like(l, x, word, w)) {
		l->recent_windows.evicted += x->word != word && x->generation == l->windows_generation;
		*x = (struct recent_window){
			.word = word, .generation = l->windows_generation, .place = w->place,
			.flush = w->flush, .set = w->set, .effective = w->effective,
			.version = w->version, .mask = w->mask, .how = w->how, .end = w->end};
	}
	x->who |= bit;
}
