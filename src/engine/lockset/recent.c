/*
 * recent.c - what has just been found to be nothing new, so that the same need not be looked for again.
 *
 * Both tables only ever say what a walk through the lists of the word would say, too. They forget: an
 * entry that another one needs is overwritten. They start small and grow while they are filled.
 *
 * A load: these bytes of this line were loaded by this thread in this epoch, from this place, with these
 * locks; the word keeps that load, and its state cannot change any more. It stays true: a load is given up
 * for a later one of the same thread, which is of a later epoch, or for one of a thread that knows the
 * whole epoch, which has ended then.
 * A window: which one of the word's closed windows this thread had last. A closed window keeps
 * its number, and all that makes it unlike others, for good.
 */
#include "engine/lockset/state.h"

enum { ALIGN = 64, FIRST = 32, MOST = 1 << 15, THREADS = 64 };

/* 0: there is no table. */
static uint64_t room(struct pd_lockset *l, struct pd_ls_recent *r, size_t size)
{
	uint64_t n = r->table ? (r->mask + 1) * 4 : FIRST;
	uint8_t *fresh;

	if (r->table && (r->puts++ <= r->mask || n > MOST))
		return r->mask + 1;
	fresh = pd_arena_alloc(l->arena, n * size + ALIGN);
	if (!fresh)
		return r->table ? r->mask + 1 : 0;
	fresh += -(uintptr_t)fresh % ALIGN;
	memset(fresh, 0, n * size);
	*r = (struct pd_ls_recent){.table = fresh, .mask = n - 1};
	return n;
}

/* What is close together in PM stays so, thread by thread: in a small structure no two are in the same slot. */
static uint64_t slot(const struct pd_lockset *l, const struct pd_ls_recent *r, uint64_t at, uint32_t tid)
{
	return (at * PD_MIN(l->threads.n, THREADS) + tid) & r->mask;
}

/* ---- loads ---------------------------------------------------------------------------------- */

enum { WAYS = 4 }; /* places at which a word was loaded: a compiler makes several of one loop */

/* One thread's loads of a line, in as few lines of the cache as can be. */
struct recent_load {
	uint64_t line;
	uint32_t set;
	uint32_t epoch;
	uint32_t tid;
	uint32_t turn; /* which way is given up next */
	uint8_t mask[PD_LS_LINE][WAYS];
	uint64_t unused;
	uint32_t place[PD_LS_LINE][WAYS];
};

_Static_assert(sizeof(struct recent_load) == 192, "three lines of the cache");

static struct recent_load *load_at(const struct pd_lockset *l, uint64_t line, uint32_t tid)
{
	return (struct recent_load *)l->recent_loads.table + slot(l, &l->recent_loads, line, tid);
}

static bool is_same(const struct recent_load *x, uint64_t line, uint32_t tid, uint32_t set, uint32_t epoch)
{
	return x->line == line && x->tid == tid && x->set == set && x->epoch == epoch;
}

static bool word_recent(const struct recent_load *x, uint32_t i, uint8_t mask, uint32_t place)
{
	for (uint32_t k = 0; k < WAYS; k++)
		if (x->place[i][k] == place && !(mask & ~x->mask[i][k]))
			return true;
	return false;
}

bool pd_ls_load_recent(const struct pd_lockset *l, const struct pd_event *e, uint32_t set, uint32_t epoch)
{
	uint64_t from = e->addr % 64, bytes;
	const struct recent_load *x;

	if (!l->recent_loads.table || from + e->size > 64)
		return false;
	x = load_at(l, e->addr / 64, e->tid);
	if (!is_same(x, e->addr / 64, e->tid, set, epoch))
		return false;
	bytes = UINT64_MAX >> (64 - e->size) << from;
	for (uint32_t i = (uint32_t)from / 8; i < PD_LS_LINE && bytes >> i * 8; i++)
		if (!word_recent(x, i, (uint8_t)(bytes >> i * 8), e->site))
			return false;
	return true;
}

void pd_ls_load_remember(struct pd_lockset *l, uint64_t word, const struct pd_ls_load *r)
{
	uint64_t line = word / PD_LS_LINE;
	uint32_t i = word % PD_LS_LINE, k = 0;
	struct recent_load *x;

	if (!room(l, &l->recent_loads, sizeof(*x)))
		return;
	x = load_at(l, line, r->tid);
	if (!is_same(x, line, r->tid, r->set, r->epoch))
		*x = (struct recent_load){.line = line, .set = r->set, .epoch = r->epoch, .tid = r->tid};
	while (k < WAYS && x->mask[i][k] && x->place[i][k] != r->place)
		k++;
	if (k == WAYS)
		k = x->turn++ % WAYS;
	if (x->place[i][k] != r->place)
		x->mask[i][k] = 0;
	x->place[i][k] = r->place;
	x->mask[i][k] |= r->mask;
}

/* ---- windows -------------------------------------------------------------------------------- */

struct recent_window {
	uint64_t word;
	uint32_t window;
};

uint32_t pd_ls_window_recent(const struct pd_lockset *l, uint64_t word, uint32_t tid)
{
	const struct recent_window *x = l->recent_windows.table;

	if (!x)
		return 0;
	x += slot(l, &l->recent_windows, word, tid);
	return x->word == word ? x->window : 0;
}

void pd_ls_window_remember(struct pd_lockset *l, uint64_t word, uint32_t tid, uint32_t window)
{
	struct recent_window *x;

	if (!room(l, &l->recent_windows, sizeof(*x)))
		return;
	x = l->recent_windows.table;
	x[slot(l, &l->recent_windows, word, tid)] = (struct recent_window){word, window};
}
