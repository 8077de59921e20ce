/*
 * look.c - readers that take no lock, but look at its word before and after (seqlocks, optimistic lock
 * coupling).
 *
 * Who has read a version, loads data, finds the same version again and only then does something that can be
 * noticed has not seen a store that is not durable yet, where the writer holds the version's lock (spin.c)
 * until it is: at the second look nobody holds it. Who finds another version begins again, and what it had
 * loaded is nothing. So the loads between two looks at a word count as if it had been held for reading;
 * but only those that nobody can have noticed before the second look (struct pd_ls_seen): what was acted on
 * before is a load like any other.
 *	- A first look that finds the word taken is none.
 *	- A second look that finds something else must be at another place in the code: waiting for a lock
 *	  is looking at it again at the same place, and says nothing of what was loaded in between.
 *	- A compare-and-swap of the word is a second look, and no first one.
 *
 * That excludes only windows during which another thread holds the word as a lock: of other atomics it
 * means nothing. But which words are locks is known only when they are given back for the first time, and
 * readers may come before. A place that looks UNKNOWN_LOOKS times at words that are none is not
 * believed any more.
 */
#include "engine/lockset/state.h"

enum { UNKNOWN_LOOKS = 64 };

struct looker {
	uint32_t unknown;
	bool at_locks;
};

static struct pd_ls_look *look_of(struct pd_ls_thread *t, uint64_t addr)
{
	for (uint32_t i = 0; i < PD_LS_LOOKS; i++)
		if (t->look[i].seq && t->look[i].addr == addr)
			return &t->look[i];
	return NULL;
}

/* In the place of the oldest. */
static void remember(struct pd_ls_thread *t, const struct pd_ls_look *look)
{
	struct pd_ls_look *to = &t->look[0];

	for (uint32_t i = 1; i < PD_LS_LOOKS; i++)
		if (t->look[i].seq < to->seq)
			to = &t->look[i];
	*to = *look;
}

static bool is_believed(struct pd_lockset *l, const struct pd_event *e, enum pd_ls_word_is is)
{
	struct looker *x;
	uint64_t *at = pd_map_put(&l->lookers, l->arena, e->site);

	if (at && !*at)
		*at = (uintptr_t)pd_new(l->arena, struct looker);
	if (!at || !*at) {
		l->failed = true;
		return false;
	}
	x = (struct looker *)(uintptr_t)*at;
	x->at_locks |= is == PD_LS_WORD_FREE || is == PD_LS_WORD_TAKEN;
	return x->at_locks || x->unknown++ < UNKNOWN_LOOKS;
}

/* What this thread has loaded since, and nobody has noticed, was loaded under the lock. */
static void loaded_under(struct pd_lockset *l, struct pd_ls_thread *t, const struct pd_event *e,
			 uint64_t since)
{
	uint32_t lock = UINT32_MAX;

	for (uint32_t i = t->seen.n; i-- > 0 && t->seen.v[i].seq > since;) {
		struct pd_ls_seen *s = &t->seen.v[i];

		if (lock == UINT32_MAX)
			lock = pd_locks_at(&l->locks, e->addr);
		if (lock == UINT32_MAX) {
			l->failed = true;
			return;
		}
		s->set = pd_locks_looked(&l->locks, s->set, lock, e->tid, e->site);
	}
}

void pd_ls_look(struct pd_lockset *l, const struct pd_event *e, uint64_t value, bool first)
{
	struct pd_ls_thread *t = l->spin && e->size <= 8 ? pd_ls_thread(l, e->tid) : NULL;
	enum pd_ls_word_is is = t ? pd_ls_spin_word(l, e->addr) : PD_LS_WORD_NO_LOCK;
	bool taken = is == PD_LS_WORD_TAKING || is == PD_LS_WORD_TAKEN;
	struct pd_ls_look *before = t ? look_of(t, e->addr) : NULL;

	if (before && is != PD_LS_WORD_NO_LOCK && t->seen.n &&
	    ((before->value == value && !taken) || before->place != e->site) &&
	    is_believed(l, e, is))
		loaded_under(l, t, e, before->seq);
	if (before)
		before->seq = 0;
	if (first && !taken && is != PD_LS_WORD_NO_LOCK)
		remember(t, &(struct pd_ls_look){e->addr, value, l->seq, e->site});
}
