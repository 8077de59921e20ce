/*
 * judge.c - is a pair of a window and an access a race? (HawkSet, Algorithm 4.2)
 *
 * A window that is open when a load is committed will be judged when it closes. So in each pair one
 * side is complete and the other one is new, and only two of the orders of the three moments store,
 * end, load remain to be asked about:
 *   the load is new:   the end may happen before it; or it, committed late, before the store
 *   the window is new: the load may happen before the store; the end cannot happen before the load
 *
 * Locks that two accesses do not share say little where memory is handed on: by a list, a queue, an
 * allocator, from one list's lock to the next one's. It is stored to under one lock in one life and
 * under another one in the next, and a lock comes in between each time. So three kinds of pairs are
 * races only if they come close in the order of the run (recycle.c), too: two stores, at least one
 * under a lock; a load and a store that is overwritten before it is durable, the same; a load under
 * a lock and a store that a lock protects until it is durable. Without a lock in common, all of
 * them. A pair that this excludes is *apart*. Its word is marked, so that later accesses that look
 * alike, and may come close, are not passed over.
 *
 * Precision lost: such pairs that some lock kept apart each time by accident (counted:
 * pairs_apart).
 */
#include "base/hash.h"
#include "engine/lockset/state.h"

#define OPEN(l, i)   ((struct pd_ls_open *)pd_pool_at(&(l)->opens, (i)))
#define WINDOW(l, i) ((struct pd_ls_window *)pd_pool_at(&(l)->windows, (i)))
#define LOAD(l, i)   ((struct pd_ls_load *)pd_pool_at(&(l)->loads, (i)))

#define GROUP(l, i)  ((struct pd_ls_group *)pd_pool_at(&(l)->groups, (i)))
#define CLOSED(l, i) ((struct pd_ls_closed *)pd_pool_at(&(l)->closed, (i)))

/* A window that closed while its byte had an owner counts only for the looker (own.c). */
static bool is_for(const struct pd_ls_window *x, uint32_t tid)
{
	return !x->only || x->only == tid + 1U;
}

/*
 * Whether the load happened before the store, even if it is committed later; for stores to recycled
 * memory, in the order of the run.
 */
static bool load_before(const struct pd_ls_window *x, const struct pd_ls_load *r)
{
	return x->fresh ? pd_ls_knows(x->run, r->tid, r->step)
			: pd_ls_knows(x->then, r->tid, r->epoch);
}

/* A set of locks, at least one of which is more than a guess. */
static bool is_locked(struct pd_lockset *l, uint32_t set)
{
	return set && pd_locks_certain(&l->locks, set);
}

/* The order of the run counts for this pair, too. */
static bool must_be_close(struct pd_lockset *l, const struct pd_ls_window *x,
			  const struct pd_ls_load *r)
{
	if (!l->recycle || pd_locks_exclude(&l->locks, x->set, r->set))
		return false;
	if (x->end == PD_LS_OVERWRITTEN)
		return is_locked(l, x->set) || is_locked(l, r->set);
	return is_locked(l, x->effective) && is_locked(l, r->set);
}

/* Whether the window had ended before the load. */
static bool end_before(const struct pd_ls_close *c, bool fresh, const struct pd_ls_seen *s,
		       uint32_t tid)
{
	if (c->tid == tid)
		return c->seq < s->seq;
	return fresh ? pd_ls_knows(s->run, c->tid, c->step)
		     : pd_ls_knows(s->then, c->tid, c->epoch);
}

static bool window_before(const struct pd_ls_window *x, const struct pd_ls_seen *s, uint32_t tid)
{
	struct pd_ls_close end = {
		.tid = x->end_tid, .epoch = x->end_epoch, .step = x->end_step, .seq = x->end_seq};

	return end_before(&end, x->fresh, s, tid);
}

/* Whether a pair that would be a race is none, since a lock came in between in this run; s: the
 * load is new; NULL: the window is. */
static bool are_apart(struct pd_lockset *l, const struct pd_ls_window *x,
		      const struct pd_ls_load *r, const struct pd_ls_seen *s)
{
	struct pd_ls_close end = {.tid = x->end_tid, .step = x->end_step, .seq = x->end_seq};

	return must_be_close(l, x, r) &&
	       (pd_ls_knows(x->run, r->tid, r->step) || (s && end_before(&end, true, s, r->tid)));
}

static void race_or_apart(struct pd_lockset *l, uint64_t at, struct pd_ls_closed *k,
			  const struct pd_ls_window *x, const struct pd_ls_load *r,
			  const struct pd_ls_seen *s)
{
	if (!are_apart(l, x, r, s))
		pd_ls_race(l, at, x, r);
	else
		pd_ls_apart(l, at, k, x->place, r->place);
}

uint32_t pd_ls_after(const struct pd_lockset *l, const struct pd_ls_word *w,
		     const struct pd_ls_load *r, const struct pd_ls_seen *s)
{
	for (uint32_t i = w->open; i; i = OPEN(l, i)->next) {
		const struct pd_ls_open *o = OPEN(l, i);

		if (o->close.how == PD_LS_DURABLE && !(r->mask & ~o->mask) &&
		    end_before(&o->close, o->fresh, s, r->tid))
			return (uint32_t)o->close.seq;
	}
	return 0;
}

/* Whether the earlier of two stores happened before the other. */
static bool store_before(const struct pd_ls_window *y, const struct pd_ls_window *x)
{
	return x->fresh || y->fresh ? pd_ls_knows(x->run, y->tid, y->step)
				    : pd_ls_knows(x->then, y->tid, y->epoch);
}

/* ---- groups --------------------------------------------------------------------------------- */

uint32_t pd_ls_group_find(const struct pd_lockset *l, uint32_t first, uint32_t place,
			  uint32_t flush)
{
	uint32_t i = first;

	while (i && (GROUP(l, i)->place != place || GROUP(l, i)->flush != flush))
		i = GROUP(l, i)->next;
	return i;
}

uint32_t pd_ls_group_grow(struct pd_lockset *l, uint32_t *first, uint32_t i,
			  const struct pd_ls_group *member)
{
	struct pd_ls_group *g;

	if (!i) {
		i = pd_pool_take(&l->groups, l->arena);
		if (!i) {
			l->failed = true;
			return 0;
		}
		*GROUP(l, i) = *member;
		GROUP(l, i)->next = *first;
		*first = i;
	}
	g = GROUP(l, i);
	g->common = pd_locks_meet(&l->locks, g->common, member->common);
	g->common_set = pd_locks_meet(&l->locks, g->common_set, member->common_set);
	if (g->only != member->only)
		g->only = 0;
	g->threads |= member->threads;
	g->n++;
	return i;
}

/* ---- a load against windows ----------------------------------------------------------------- */

static void judge_load(struct pd_lockset *l, uint64_t at, struct pd_ls_closed *k,
		       const struct pd_ls_group *g, const struct pd_ls_load *r,
		       const struct pd_ls_seen *s)
{
	for (uint32_t i = g->first; i; i = WINDOW(l, i)->next) {
		const struct pd_ls_window *x = WINDOW(l, i);

		if (x->unread || x->tid == r->tid || !(x->mask & r->mask) || !is_for(x, r->tid) ||
		    load_before(x, r) || window_before(x, s, r->tid))
			continue;
		if (!pd_locks_exclude(&l->locks, x->effective, r->set))
			race_or_apart(l, at, k, x, r, s);
	}
}

void pd_ls_judge_load(struct pd_lockset *l, uint64_t at, const struct pd_ls_word *w,
		      const struct pd_ls_load *r, const struct pd_ls_seen *s)
{
	struct pd_ls_closed *k = w->closed ? CLOSED(l, w->closed) : NULL;

	if (!k || !k->first || pd_locks_exclude(&l->locks, k->common, r->set))
		return;
	if (k->last_tid && k->last_tid != r->tid + 1U)
		pd_ls_window_settle(l, k);
	for (uint32_t i = k->first; i; i = GROUP(l, i)->next) {
		const struct pd_ls_group *g = GROUP(l, i);

		if (g->only != r->tid + 1U && !pd_locks_exclude(&l->locks, g->common, r->set) &&
		    !pd_ls_race_is_reported(l, g->place, g->flush, r->place))
			judge_load(l, at, k, g, r, s);
	}
}

/* ---- a window against loads ----------------------------------------------------------------- */

/* Judges against the loads that were added or changed after this version. */
static void judge_group(struct pd_lockset *l, uint64_t at, struct pd_ls_closed *k,
			const struct pd_ls_group *g, const struct pd_ls_window *x, uint16_t version)
{
	for (uint32_t i = g->first; i; i = LOAD(l, i)->next) {
		const struct pd_ls_load *r = LOAD(l, i);

		if (r->version <= version || x->tid == r->tid || !(x->mask & r->mask) ||
		    !is_for(x, r->tid) || load_before(x, r) ||
		    (r->after && r->after == (uint32_t)x->end_seq))
			continue;
		if (!pd_locks_exclude(&l->locks, x->effective, r->set))
			race_or_apart(l, at, k, x, r, NULL);
	}
}

static void judge_loads(struct pd_lockset *l, uint64_t at, const struct pd_ls_word *w,
			const struct pd_ls_window *x, uint16_t version)
{
	if (!w->loads || x->unread ||
	    pd_locks_exclude(&l->locks, x->effective, CLOSED(l, w->closed)->loads_common))
		return;
	for (uint32_t i = w->loads; i; i = GROUP(l, i)->next) {
		const struct pd_ls_group *g = GROUP(l, i);

		if (g->only != x->tid + 1U &&
		    !pd_locks_exclude(&l->locks, x->effective, g->common) &&
		    !pd_ls_race_is_reported(l, x->place, x->flush, g->place))
			judge_group(l, at, CLOSED(l, w->closed), g, x, version);
	}
}

/* ---- a window against others ---------------------------------------------------------------- */

/*
 * Two unordered stores, at least one of them not atomic; if one is under a lock, they have to come
 * close. The window that closed earlier belongs to the earlier store: of two stores to a byte the
 * second one closes the first one's window.
 */
static void judge_stores_of(struct pd_lockset *l, uint64_t at, struct pd_ls_closed *k,
			    const struct pd_ls_group *g, const struct pd_ls_window *x)
{
	for (uint32_t i = g->first; i; i = WINDOW(l, i)->next) {
		const struct pd_ls_window *y = WINDOW(l, i);

		if (x->tid == y->tid || !(x->mask & y->mask) || y->how == PD_LS_LOCKED ||
		    !is_for(x, y->tid) || !is_for(y, x->tid) ||
		    (x->how == PD_LS_ATOMIC && y->how == PD_LS_ATOMIC) || store_before(y, x))
			continue;
		if (pd_locks_exclude(&l->locks, x->set, y->set))
			continue;
		if (l->recycle && (is_locked(l, x->set) || is_locked(l, y->set)) &&
		    pd_ls_knows(x->run, y->tid, y->step))
			pd_ls_apart(l, at, k, y->place, x->place);
		else
			pd_ls_write_race(l, at, y, x);
	}
}

static void judge_stores(struct pd_lockset *l, uint64_t at, struct pd_ls_closed *k,
			 const struct pd_ls_window *x)
{
	if (x->how == PD_LS_LOCKED || !k->first ||
	    pd_locks_exclude(&l->locks, x->set, k->common_set))
		return;
	for (uint32_t i = k->first; i; i = GROUP(l, i)->next) {
		const struct pd_ls_group *g = GROUP(l, i);

		if (g->only != x->tid + 1U && !pd_locks_exclude(&l->locks, x->set, g->common_set) &&
		    !pd_ls_write_race_is_reported(l, x->place, g->place))
			judge_stores_of(l, at, k, g, x);
	}
}

/* ---- windows of a word ---------------------------------------------------------------------- */

static bool alike(const struct pd_ls_window *a, const struct pd_ls_window *b)
{
	return a->place == b->place && a->flush == b->flush && a->set == b->set &&
	       a->effective == b->effective && a->tid == b->tid && a->end_tid == b->end_tid &&
	       a->end == b->end && a->how == b->how && a->only == b->only && a->fresh == b->fresh &&
	       a->unread == b->unread;
}

/* The same window again: only loads that are new since then have to be judged. */
static bool again(struct pd_lockset *l, uint64_t at, const struct pd_ls_word *w,
		  struct pd_ls_window *y, const struct pd_ls_window *x)
{
	if (x->fresh || x->mask & ~y->mask || y->then != x->then ||
	    (y->mask != x->mask &&
	     (y->version != x->version || y->end_epoch != x->end_epoch || y->end_tid != y->tid)))
		return false;
	if (y->version != x->version || CLOSED(l, w->closed)->apart)
		judge_loads(l, at, w, x, CLOSED(l, w->closed)->apart ? 0 : y->version);
	if (CLOSED(l, w->closed)->apart)
		judge_stores(l, at, CLOSED(l, w->closed), x);
	if (y->run != x->run) {
		pd_ls_drop(l, y->run);
		y->run = pd_ls_keep(x->run);
	}
	y->version = x->version;
	y->end_epoch = x->end_epoch;
	y->step = x->step;
	y->end_step = x->end_step;
	y->end_seq = x->end_seq;
	return true;
}

/* The entry of a window in a large group. */
static uint64_t *window_of_many(struct pd_lockset *l, const struct pd_ls_window *x)
{
	uint64_t key = pd_mix((uint64_t)x->group << 32 | x->set);

	key = pd_mix(key ^ ((uint64_t)x->effective << 32 | (uint64_t)x->tid << 16 | x->end_tid));
	key = pd_mix(key ^ ((uint64_t)x->only << 32 | (uint64_t)x->unread << 25 |
			    (uint64_t)x->fresh << 24 | (uint64_t)x->end << 16 |
			    (uint64_t)x->how << 8 | x->mask)) >>
	      1;
	return pd_map_put(&l->many, l->arena, key);
}

/*
 * A window that differs only in time, of the same bytes; 0: none. UINT32_MAX: it is this one again.
 */
static uint32_t find_window(struct pd_lockset *l, uint64_t at, const struct pd_ls_word *w,
			    const struct pd_ls_window *x)
{
	const struct pd_ls_group *g = GROUP(l, x->group);
	uint64_t *known;
	uint32_t found = 0;

	if (!(g->threads & pd_ls_group_bit(x->tid)))
		return 0;
	known = g->n > PD_LS_FEW ? window_of_many(l, x) : NULL;

	for (uint32_t i = known ? (uint32_t)*known : g->first; i;
	     i = known ? 0 : WINDOW(l, i)->next) {
		struct pd_ls_window *y = WINDOW(l, i);

		if (y->group != x->group || !alike(x, y))
			continue;
		if (again(l, at, w, y, x))
			return UINT32_MAX;
		if (y->mask == x->mask && !found)
			found = i; /* the newest */
	}
	return found;
}

/*
 * Whether a load that still waits (load.c) is no race with the later one, since it happened before,
 * but may be one with y: its thread has let others know of it by a release in the same line. One
 * load divides the windows of a thread that are alike but once.
 */
static bool is_waited_for(struct pd_lockset *l, uint64_t at, const struct pd_ls_window *y,
			  const struct pd_ls_window *x)
{
	for (uint32_t tid = 0; tid < l->threads.n; tid++) {
		const struct pd_ls_thread *t = l->threads.v[tid];

		for (uint32_t i = 0; t && i < t->seen.n; i++) {
			const struct pd_ls_seen *s = &t->seen.v[i];
			struct pd_ls_load r = {.tid = (uint16_t)tid,
					       .epoch = s->epoch,
					       .step = s->step,
					       .set = s->set};

			if (!load_before(x, &r) && !are_apart(l, x, &r, NULL))
				break; /* nor those that follow, which are later */
			if (s->word == at && s->mask & y->mask && !load_before(y, &r) &&
			    !are_apart(l, y, &r, NULL))
				return true;
		}
	}
	return false;
}

static void add_window(struct pd_lockset *l, struct pd_ls_closed *k, struct pd_ls_window *x)
{
	struct pd_ls_group member = {.place = x->place,
				     .flush = x->flush,
				     .common = x->effective,
				     .common_set = x->set,
				     .only = x->tid + 1U,
				     .threads = pd_ls_group_bit(x->tid)};
	uint32_t i = pd_pool_take(&l->windows, l->arena);
	uint64_t *many;

	k->common = k->first ? pd_locks_meet(&l->locks, k->common, x->effective) : x->effective;
	k->common_set = k->first ? pd_locks_meet(&l->locks, k->common_set, x->set) : x->set;
	x->group = pd_ls_group_grow(l, &k->first, x->group, &member);
	if (!i || !x->group) {
		l->failed = true;
		return;
	}
	x->next = GROUP(l, x->group)->first;
	*WINDOW(l, i) = *x;
	GROUP(l, x->group)->first = i;
	many = GROUP(l, x->group)->n > PD_LS_FEW ? window_of_many(l, x) : NULL;
	if (many)
		*many = i;
}

/*
 * A window that differs from an earlier one only in time: what was no race with the earlier one,
 * because of locks or because the load happened before, is none with this one either.
 */
static void judge(struct pd_lockset *l, uint64_t at, const struct pd_ls_word *w,
		  struct pd_ls_closed *k, struct pd_ls_window *x)
{
	uint32_t found; /* what it takes the place of */

	x->group = k->group && k->place == x->place && k->flush == x->flush
			   ? k->group
			   : pd_ls_group_find(l, k->first, x->place, x->flush);
	found = x->group ? find_window(l, at, w, x) : 0;
	if (found == UINT32_MAX)
		return;
	judge_loads(l, at, w, x, found ? WINDOW(l, found)->version : 0);
	judge_stores(l, at, k, x);
	if (found && is_waited_for(l, at, WINDOW(l, found), x))
		found = 0;
	pd_ls_keep(x->then);
	x->run = x->run ? pd_ls_keep(x->run) : NULL;
	if (!found) {
		add_window(l, k, x);
		return;
	}
	x->next = WINDOW(l, found)->next;
	pd_ls_drop(l, WINDOW(l, found)->then);
	pd_ls_drop(l, WINDOW(l, found)->run);
	*WINDOW(l, found) = *x;
}

static struct pd_ls_closed *make_closed(struct pd_lockset *l, struct pd_ls_word *w)
{
	struct pd_ls_closed *k;

	w->closed = pd_pool_take(&l->closed, l->arena);
	if (!w->closed) {
		l->failed = true;
		return NULL;
	}
	k = CLOSED(l, w->closed);
	*k = (struct pd_ls_closed){.loads_common = w->loads ? GROUP(l, w->loads)->common : 0};
	for (uint32_t i = w->loads; i; i = GROUP(l, i)->next)
		k->loads_common = pd_locks_meet(&l->locks, k->loads_common, GROUP(l, i)->common);
	return k;
}

/* Whether the store was durable, or overwritten, in time (buffered durability). */
static bool is_in_time(const struct pd_lockset *l, const struct pd_ls_open *o,
		       const struct pd_ls_close *c)
{
	return l->buffered && !o->due && (c->how != PD_LS_NEVER || l->stat_syncs);
}

/* Whether nothing but happens-before and locks decides about it, as for the word's other
 * windows. */
static bool may_be_recent(const struct pd_lockset *l, const struct pd_ls_closed *k,
			  const struct pd_ls_open *o, const struct pd_ls_close *c)
{
	return !o->fresh && !l->buffered && !k->apart &&
	       !(l->recycle && c->how == PD_LS_OVERWRITTEN);
}

void pd_ls_judge_window(struct pd_lockset *l, uint64_t at, struct pd_ls_word *w,
			const struct pd_ls_open *o, uint8_t mask, const struct pd_ls_close *c)
{
	struct pd_ls_closed *k = w->closed ? CLOSED(l, w->closed) : make_closed(l, w);
	struct pd_ls_window x;

	if (!k || (may_be_recent(l, k, o, c) && pd_ls_window_recent(l, k, o, mask, c)))
		return;
	x = (struct pd_ls_window){
		.place = o->place,
		.flush = c->flush,
		.fence = c->fence,
		.set = o->set,
		.effective = c->set,
		.epoch = o->epoch,
		.end_epoch = c->epoch,
		.tid = o->tid,
		.end_tid = c->tid,
		.version = w->version,
		.mask = mask,
		.how = o->how,
		.end = c->how,
		.end_seq = c->seq,
		.then = o->then,
		.run = o->run,
		.fresh = o->fresh,
		.unread = is_in_time(l, o, c),
		.step = o->step,
		.end_step = c->step,
		.only = c->only,
	};

	if (c->how == PD_LS_NEVER) { /* it never ends: before nothing */
		x.end_epoch = x.end_step = UINT32_MAX;
		x.end_seq = UINT64_MAX;
	}
	if (k->last_tid && k->last_tid != x.tid + 1U)
		pd_ls_window_settle(l, k);
	judge(l, at, w, k, &x);
	if (may_be_recent(l, k, o, c))
		pd_ls_window_remember(l, k, &x);
}
