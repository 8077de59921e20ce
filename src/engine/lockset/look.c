/*
 * look.c - readers that take no lock, but look at its word before and after (seqlocks, optimistic
 * lock coupling).
 *
 * A reader reads a version, loads data, finds the same version again, and only then does something
 * that others can notice. If the writer holds the version's lock (spin.c) until its store is
 * durable, such a reader has not seen a store that is not: at the second look nobody holds the
 * lock. A reader that finds another version starts over and drops what it has loaded. So loads
 * between two looks at a word count as made with the word held for reading; but only those that
 * nobody can have noticed before the second look (struct pd_ls_seen): a load that was acted on
 * earlier is a load like any other.
 *
 * - A first look that finds the word taken does not count.
 * - A second look that finds another value must be at another place in the code: a thread that
 *   waits for a lock looks again at the same place, which says nothing about loads in between.
 * - A compare-and-swap of the word is a second look, never a first one.
 *
 * This excludes only windows during which another thread holds the word as a lock; for other
 * atomics it has no meaning. But a word is known as a lock only once it has been released, and
 * readers may come before that. A place that looks UNKNOWN_LOOKS times at words that are no locks
 * is ignored from then on.
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

/* Replaces the oldest look. */
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

/* Unnoticed loads of this thread since `since` were made under the lock. */
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
