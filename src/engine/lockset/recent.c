/*
 * recent.c - remembers accesses that were nothing new, so that the same need not be searched for
 * again.
 *
 * It only ever answers what a walk through the lists of the word would answer, too. The tables of
 * loads are indexed by address and, except for the first loads of each word, lossy: an entry that
 * another one needs is overwritten. They start small, and grow if they lose too much.
 *
 * A load (engine/known.h): these bytes of this word were loaded from this place, with these locks;
 * the word has that load, and its state cannot change any more. Thread and epoch are a bit: each
 * bit stands for one epoch of one thread, so that threads that do the same share the entry, and its
 * cache line. The entry stays true: a load is replaced only by a later one of the same thread,
 * which is of a later epoch, or by one of a thread that knows the whole epoch, which has then
 * ended.
 *
 * A window that its own thread has ended, the last one of each word (struct pd_ls_closed): the word
 * has such a window already, and it was judged against all loads that the word keeps, or is no race
 * with them because of its locks. Here a bit stands for one clock of one thread. When such a window
 * ended, in the order of the run, is kept for the last one only (k->last_step). The word's window
 * gets it when it is needed, or when a thread comes that does not know of it: who knows of a later
 * one by a thread that does, knows of this one, too.
 *
 * When all bits are used up they are assigned anew, and all entries become void (their generation
 * is old).
 */
#include "engine/lockset/state.h"

enum {
	ALIGN = 64, /* a cache line of the processor */
	PAGE = 2 * PD_KNOWN_LINES * sizeof(struct pd_known_line),
	FIRST = 32, /* entries */
	MOST_PAGES = 1 << 14,
	MOST_OTHERS = 1 << 16,
	BITS = 64,
	PATIENCE = 1024, /* bits refused before all are assigned anew */
};

/* ---- tables --------------------------------------------------------------------------------- */

/* Makes room for a new entry: the table grows if too much was overwritten; NULL: there is none. */
static void *room(struct pd_lockset *l, struct pd_ls_recent *r, void *table, uint32_t *mask,
		  size_t size, uint32_t most)
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

static void windows_forget(struct pd_lockset *l)
{
	l->windows_generation++;
	for (uint32_t i = 0; i < l->threads.n; i++)
		if (l->threads.v[i])
			l->threads.v[i]->window_bit = 0;
}

/* The thread's bit, assigned if it has none; 0: none is left. */
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

_Static_assert(sizeof(struct pd_known_line) == ALIGN, "one line of the cache");
_Static_assert((int)PD_KNOWN_WORDS == (int)PD_LS_LINE, "lines are lines");

static uint32_t with(const struct pd_ls_thread *t, uint32_t set)
{
	return set < PD_KNOWN_SETS ? t->known.generation | set : PD_KNOWN_NEVER;
}

void pd_ls_holds(struct pd_ls_thread *t)
{
	t->known.with = with(t, t->holds.set);
}

void pd_ls_forget_known(struct pd_lockset *l)
{
	struct pd_known *k = &l->known;

	l->generation = (l->generation + 1) % PD_KNOWN_GENERATIONS;
	for (uint32_t i = 0; i < l->threads.n; i++)
		if (l->threads.v[i]) {
			l->threads.v[i]->known.bit = 0;
			l->threads.v[i]->known.generation = l->generation << 20;
			pd_ls_holds(l->threads.v[i]);
		}
	if (l->generation)
		return;
	/* The generation number has wrapped: clear what is left from then. */
	for (uint32_t i = 0; i <= k->pages_mask; i++)
		if (k->pages[i].lines)
			memset(k->pages[i].lines, 0, PAGE);
	if (k->others)
		memset(k->others, 0, (k->others_mask + 1) * sizeof(*k->others));
}

static bool grow_pages(struct pd_lockset *l)
{
	struct pd_known *k = &l->known;
	uint32_t old = k->pages ? k->pages_mask + 1 : 0, n = old ? old * 2 : FIRST;
	struct pd_known_page *fresh = pd_new_array(l->arena, struct pd_known_page, n);

	if (!fresh)
		return false;
	for (uint32_t i = 0; i < old; i++)
		if (k->pages[i].lines) {
			uint64_t at = k->pages[i].number & (n - 1);

			while (fresh[at].lines)
				at = (at + 1) & (n - 1);
			fresh[at] = k->pages[i];
		}
	k->pages = fresh;
	k->pages_mask = n - 1;
	return true;
}

bool pd_ls_recent_init(struct pd_lockset *l)
{
	return grow_pages(l);
}

static bool add_page(struct pd_lockset *l, uint64_t number)
{
	struct pd_known *k = &l->known;
	uint8_t *lines;
	uint64_t at;

	if (l->npages == MOST_PAGES || (l->npages * 2 >= k->pages_mask && !grow_pages(l)))
		return false;
	lines = pd_arena_alloc(l->arena, PAGE + ALIGN);
	if (!lines)
		return false;
	for (at = number & k->pages_mask; k->pages[at].lines;)
		at = (at + 1) & k->pages_mask;
	k->pages[at] = (struct pd_known_page){number, (void *)(lines + -(uintptr_t)lines % ALIGN)};
	l->npages++;
	return true;
}

/* The first line with an entry of this word; NULL: none, there are too many pages. */
static struct pd_known_line *line_of(struct pd_lockset *l, uint64_t word)
{
	struct pd_known_line *x = pd_known_line(&l->known, word);

	if (!x && add_page(l, word / PD_KNOWN_WORDS / PD_KNOWN_LINES))
		x = pd_known_line(&l->known, word);
	return x;
}

static bool is_stale(uint32_t known, uint32_t with)
{
	return (known ^ with) >= PD_KNOWN_SETS; /* of another generation */
}

/* Makes the known entry cover the new one, if possible; returns whether it does. */
static bool merge(uint32_t *way, uint64_t *who, uint32_t fresh, uint64_t bit)
{
	if ((*way ^ fresh) > UINT8_MAX)
		return false;
	if (*who == bit)
		*way |= fresh;
	else if (*way == fresh)
		*who |= bit;
	return *who & bit && pd_known_has(*way, fresh);
}

static bool is_empty(const struct pd_known_line *x)
{
	uint32_t any = 0;

	for (uint32_t i = 0; i < PD_KNOWN_WORDS; i++)
		any |= x->who[i];
	return !any;
}

static bool add_first(struct pd_known_line *x, uint32_t i, uint32_t way, uint32_t with,
		      uint64_t bit)
{
	uint64_t who;
	uint32_t known;

	if (is_stale(x->with, with) || (x->with != with && is_empty(x)))
		*x = (struct pd_known_line){.with = with};
	if (x->with != with)
		return false;
	who = x->who[i] ? x->who[i] : bit;
	known = x->who[i] ? pd_known_way(x, i) : way;
	if (!merge(&known, &who, way, bit))
		return false;
	x->who[i] = (uint32_t)who;
	memcpy(x->way[i], &known, sizeof(x->way[i]));
	return true;
}

static bool fits(uint32_t way, uint64_t who)
{
	return who <= PD_KNOWN_FIRST_BITS && way >> 8 < PD_KNOWN_FIRST_PLACES;
}

/* Puts an entry among the others; returns the known one, updated, if there is one. */
static struct pd_known_other *put_other(struct pd_lockset *l, const struct pd_known_other *fresh)
{
	struct pd_known *k = &l->known;
	struct pd_known_other *x;

	k->others = room(l, &l->recent_loads, k->others, &k->others_mask, sizeof(*x), MOST_OTHERS);
	if (!k->others)
		return NULL;
	x = pd_known_others(k, fresh->word, fresh->way, fresh->with);
	for (uint32_t i = 0; i < 2; i++)
		if (x[i].word == fresh->word && x[i].with == fresh->with &&
		    merge(&x[i].way, &x[i].who, fresh->way, fresh->who))
			return &x[i];
	if (x[0].who && !is_stale(x[0].with, fresh->with)) { /* keep the newer one first */
		l->recent_loads.evicted += x[1].who && !is_stale(x[1].with, fresh->with);
		x[1] = x[0];
	}
	*x = *fresh;
	return x;
}

/* Swaps the entry with one of the first ones, made when the word was new, if fewer threads load
 * that. */
static bool promote(struct pd_lockset *l, struct pd_known_line *x, struct pd_known_other *o)
{
	uint32_t i = o->word % PD_KNOWN_WORDS;
	struct pd_known_other was = *o;

	if (x->with != o->with || !fits(o->way, o->who) ||
	    pd_count_bits(o->who) <= pd_count_bits(x->who[i]))
		return false;
	was.who = x->who[i];
	was.way = pd_known_way(x, i);
	x->who[i] = (uint32_t)o->who;
	memcpy(x->way[i], &o->way, sizeof(x->way[i]));
	o->who = 0;
	if (was.who)
		put_other(l, &was);
	return true;
}

void pd_ls_load_remember(struct pd_lockset *l, uint64_t word, const struct pd_ls_load *r)
{
	struct pd_ls_thread *t = l->threads.v[r->tid];
	uint32_t way = r->place << 8 | r->mask;
	struct pd_known_other *o, fresh;
	struct pd_known_line *x;
	uint64_t bit;

	if (pd_ls_word_known(l, word)->sync ||
	    pd_ls_granule(word, pd_ls_word_known(l, word))->recycled ||
	    r->place >= PD_KNOWN_PLACES || r->set >= PD_KNOWN_SETS ||
	    r->epoch != pd_ls_epoch(t, r->tid))
		return;
	x = line_of(l, word);
	bit = give_bit(l, &l->recent_loads, &t->known.bit, pd_ls_forget_known);
	if (!bit)
		return;
	fresh = (struct pd_known_other){
		.word = word, .who = bit, .way = way, .with = with(t, r->set)};
	if (x && fits(way, bit) &&
	    (add_first(x, word % PD_KNOWN_WORDS, way, fresh.with, bit) ||
	     add_first(x + PD_KNOWN_LINES, word % PD_KNOWN_WORDS, way, fresh.with, bit)))
		return;
	o = put_other(l, &fresh);
	if (o && x && !promote(l, x + PD_KNOWN_LINES, o))
		promote(l, x, o);
}

/* ---- windows -------------------------------------------------------------------------------- */

_Static_assert(sizeof(struct pd_ls_closed) == ALIGN, "one line of the cache");

static bool is_like(const struct pd_lockset *l, const struct pd_ls_closed *k,
		    const struct pd_ls_window *x)
{
	return k->generation == l->windows_generation && k->place == x->place &&
	       k->flush == x->flush && k->set == x->set && k->effective == x->effective &&
	       k->mask == x->mask && k->how == x->how && k->end == x->end && k->only == x->only;
}

/* Ended by its own thread, which has learned nothing since the store. */
static bool is_of_now(const struct pd_ls_thread *t, uint32_t tid, uint32_t end_tid,
		      const struct pd_ls_then *then)
{
	return tid == end_tid && then == t->now;
}

static bool has_ended(const struct pd_ls_closed *k, uint32_t tid, const struct pd_ls_window *y)
{
	return y->tid == tid && y->end_tid == tid && !(k->mask & ~(uint32_t)y->mask) &&
	       k->set == y->set && k->effective == y->effective && k->how == y->how &&
	       k->end == y->end && k->only == y->only && !y->fresh;
}

void pd_ls_window_settle(struct pd_lockset *l, struct pd_ls_closed *k)
{
	const struct pd_ls_group *g = k->last_tid ? pd_pool_at(&l->groups, k->group) : NULL;

	for (uint32_t i = g ? g->first : 0; i;) {
		struct pd_ls_window *y = pd_pool_at(&l->windows, i);

		i = y->next;
		if (!has_ended(k, k->last_tid - 1, y))
			continue;
		y->end_step = PD_MAX(y->end_step, k->last_step);
		y->step = PD_MAX(y->step, k->last_step - k->last_took);
		break; /* the newest */
	}
	k->last_tid = 0;
}

bool pd_ls_window_recent(struct pd_lockset *l, struct pd_ls_closed *k, const struct pd_ls_open *o,
			 uint8_t mask, const struct pd_ls_close *c)
{
	const struct pd_ls_thread *t = l->threads.v[o->tid];

	if (!(k->who & t->window_bit && is_of_now(t, o->tid, c->tid, o->then) &&
	      k->generation == l->windows_generation && k->place == o->place &&
	      k->flush == c->flush && k->set == o->set && k->effective == c->set &&
	      k->mask == mask && k->how == o->how && k->end == c->how && k->only == c->only))
		return false;
	if (c->step - o->step > PD_LS_TOOK)
		return false;
	if (k->last_tid && k->last_step > pd_clock_get(&t->run, k->last_tid - 1))
		pd_ls_window_settle(l, k);
	k->last_tid = (o->tid + 1U) & 0x1ffff;
	k->last_took = (c->step - o->step) & PD_LS_TOOK;
	k->last_step = c->step;
	return true;
}

void pd_ls_window_remember(struct pd_lockset *l, struct pd_ls_closed *k,
			   const struct pd_ls_window *x)
{
	struct pd_ls_thread *t = l->threads.v[x->tid];
	uint64_t bit;

	if (!is_of_now(t, x->tid, x->end_tid, x->then))
		return;
	bit = give_bit(l, &l->recent_windows, &t->window_bit, windows_forget);
	if (!bit)
		return;
	if (!is_like(l, k, x)) {
		pd_ls_window_settle(l, k);
		k->generation = l->windows_generation;
		k->group = x->group;
		k->place = x->place;
		k->flush = x->flush;
		k->set = x->set;
		k->effective = x->effective;
		k->mask = x->mask;
		k->how = x->how & 3;
		k->end = x->end & 3;
		k->only = x->only & 0x1ffff;
		k->who = 0;
	}
	k->who |= bit;
}

/*
 * A load that has a lock in common with the last window is no race with it, whichever thread made
 * it.
 */
void pd_ls_window_load(struct pd_lockset *l, struct pd_ls_word *w, uint32_t set)
{
	struct pd_ls_closed *k = w->closed ? pd_pool_at(&l->closed, w->closed) : NULL;

	if (!k)
		return;
	k->loads_common = w->loads ? pd_locks_meet(&l->locks, k->loads_common, set) : set;
	if (k->who && !pd_locks_exclude(&l->locks, k->effective, set))
		k->who = 0;
}
