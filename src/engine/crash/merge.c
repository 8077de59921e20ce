/*
 * merge.c - one bug, one finding. See failure.h.
 *
 * Many reads may miss one lost store, and each may fail in its own way: that is one bug. So
 * failures are joined if they have lost the same stores for the same cause, whatever recovery then
 * did; and if their losses are the same mistake of the same function about the same cache line: a
 * constructor that does not flush loses as many stores as it has members, but one flush is missing.
 *
 * The same store means the same source line. Where a caller has to make durable what a function
 * stores (engine/crash/survey.h), it also means the same call. A function with a single store that
 * calls nothing else that stores may store on behalf of other code, for various reasons; there the
 * caller counts, too.
 *
 * Where nothing was lost, failures are joined that end in the same way for the same cause. If the
 * cause is an update that is not atomic, the crashes must also be in the same function, in the
 * same call of a library, or at adjacent crash points, which are in one update. Failures that wait
 * for locks are joined if they wait at the same place.
 *
 * An operation of a structure that was interrupted and is there in part (linear/unrecovered, or
 * recovery does not end well) is one update, whichever of its stores were lost: failures are joined
 * if the same operation was interrupted in the same function, which made all that was lost, and
 * none of it lacks a flush. So are stores of it that may tear, or that straddle two lines, if it
 * fails without any loss, too: then making the update atomic is the fix, and fixes them.
 *
 * Stores that were flushed, and whose thread then went on to the same store without a fence, lack
 * one fence, whichever lines they are in.
 *
 * Structs of one type that straddle two lines are one mistake, whichever stores it loses.
 *
 * Precision lost: two mistakes of one function about one line of memory are one finding until the
 * first is fixed; so are two updates of one function that fail at the same place.
 */
#include "engine/crash/failure.h"
#include "finding/text.h"

enum { ALSO = 12 };

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && pd_text_cmp(a, b) == 0);
}

static bool same_function(const struct pd_frame *a, const struct pd_frame *b)
{
	return a->function && same_text(a->function, b->function) && same_text(a->file, b->file);
}

static bool is_only_store(const struct pd_explored *e, uint32_t site)
{
	const struct pd_board_site *own = pd_explored_site(e, 0, site);

	for (uint32_t i = 1; own && i < e->nsite; i++) {
		const struct pd_board_site *s = e->first_site[i];

		if (s && s->stores &&
		    (s->at.line != own->at.line || s->at.column != own->at.column) &&
		    same_text(s->at.function, own->at.function) &&
		    same_text(s->at.file, own->at.file))
			return false;
	}
	return true;
}

/* Whether the function of this site was seen to store at one place only: then it may store on
 * behalf of its callers. */
static bool site_stores_once(const struct pd_explored *e, uint32_t site, uint32_t exec)
{
	uint8_t *known = e->stores_once && site < e->nsite ? &e->stores_once[site] : NULL;

	if (exec)
		return true; /* unknown for recoveries: count the caller */
	if (!known)
		return is_only_store(e, site);
	if (!*known)
		*known = 1 + is_only_store(e, site);
	return *known - 1;
}

/* Whether the function may store on behalf of its callers. */
static bool stores_for_others(const struct pd_explored *e, uint32_t site, uint32_t exec)
{
	if (!exec && e->does_more && site < e->nsite && e->does_more[site])
		return false;
	return site_stores_once(e, site, exec);
}

uint32_t pd_store_level(const struct pd_explored *e, uint32_t site, uint32_t exec)
{
	bool known = e->level && !exec && site < e->nsite && e->level[site];

	return known ? e->level[site] - 1u : stores_for_others(e, site, exec);
}

static uint32_t level_of(const struct pd_explored *e, const struct pd_blamed *l)
{
	return pd_store_level(e, l->lost.site, l->lost.exec);
}

const struct pd_frame *pd_last_store_frame(const struct pd_explored *e, const struct pd_failure *f)
{
	const struct pd_again_event *last = pd_failure_last_store(f);
	uint32_t site = last ? last->site : f->run->last_store;

	/* What calls a library does not store for its callers */
	return f->at_last.nstack && !f->at_last.inside &&
			       site_stores_once(e, site, f->run->depth - 1)
		       ? &f->at_last.stack[0]
		       : &f->at_last.at;
}

const struct pd_frame *pd_store_frame(const struct pd_explored *e, const struct pd_blamed *l)
{
	return pd_survey_frame(&l->at_store, level_of(e, l));
}

const struct pd_frame *pd_store_shown(const struct pd_explored *e, const struct pd_blamed *l)
{
	uint32_t once = stores_for_others(e, l->lost.site, l->lost.exec);

	return pd_survey_frame(&l->at_store, PD_MAX(once, level_of(e, l)));
}

static bool same_store(const struct pd_explored *e, const struct pd_blamed *x,
		       const struct pd_blamed *y)
{
	return x->lost.exec == y->lost.exec && pd_frame_same(&x->at_store.at, &y->at_store.at) &&
	       pd_frame_same(pd_store_frame(e, x), pd_store_frame(e, y));
}

/* Whether all stores that b has lost are among those of a: fixing b fixes a. */
static bool includes(const struct pd_explored *e, const struct pd_failure *a,
		     const struct pd_failure *b)
{
	for (uint32_t i = 0; i < b->n; i++) {
		uint32_t k = 0;

		while (k < a->n && !same_store(e, &a->blame[k], &b->blame[i]))
			k++;
		if (k == a->n)
			return false;
	}
	return true;
}

/*
 * All failures: those that were joined or counted elsewhere still show which stores lie together.
 */
struct all {
	const struct pd_explored *e;
	const struct pd_failure *f;
	uint32_t n;
};

static bool near(uint64_t x, uint64_t y)
{
	return x / 64 == y / 64;
}

/* Whether this store was ever lost in the line of this address. */
static bool lost_near(const struct all *all, const struct pd_crash_source *store, uint64_t addr)
{
	for (uint32_t i = 0; i < all->n; i++)
		for (uint32_t k = 0; k < all->f[i].n; k++) {
			const struct pd_blamed *l = &all->f[i].blame[k];

			if (l->lost.site == store->site && l->lost.exec == store->exec &&
			    near(l->choice->addr, addr))
				return true;
		}
	return false;
}

/* Whether the story has this store in the line of this address. */
static bool stored_near(const struct pd_story *s, const struct pd_crash_source *store,
			uint64_t addr)
{
	for (uint32_t i = 0; s && i < s->n[store->exec]; i++) {
		const struct pd_again_event *v = &s->event[store->exec][i];

		if (v->site == store->site && v->site && near(v->addr, addr))
			return true;
	}
	return false;
}

static bool near_each_other(const struct all *all, const struct pd_failure *a,
			    const struct pd_blamed *x, const struct pd_failure *b,
			    const struct pd_blamed *y)
{
	if (near(x->choice->addr, y->choice->addr))
		return true;
	/* For a function that stores for its callers, another caller's store says nothing about the
	 * address. */
	if ((level_of(all->e, x) || level_of(all->e, y)) &&
	    !pd_frame_same(pd_store_frame(all->e, x), pd_store_frame(all->e, y)))
		return false;
	return lost_near(all, &x->lost, y->choice->addr) ||
	       lost_near(all, &y->lost, x->choice->addr) ||
	       stored_near(b->story, &x->lost, y->choice->addr) ||
	       stored_near(a->story, &y->lost, x->choice->addr);
}

/* All lost stores are by the same function, to the same object. */
static bool same_object(const struct all *all, const struct pd_failure *a,
			const struct pd_failure *b)
{
	for (uint32_t i = 0; i < a->n; i++)
		for (uint32_t k = 0; k < b->n; k++)
			if (!same_function(pd_store_frame(all->e, &a->blame[i]),
					   pd_store_frame(all->e, &b->blame[k])) ||
			    !near_each_other(all, a, &a->blame[i], b, &b->blame[k]))
				return false;
	return true;
}

static bool is_never_flushed(enum pd_cause c)
{
	return c == PD_CAUSE_MISSING_FLUSH || c == PD_CAUSE_WRONG_TARGET;
}

/* Whether the same thing may be missing: an unknown cause may be any. */
static bool same_cause(const struct pd_failure *a, const struct pd_failure *b)
{
	return a->cause == b->cause || (is_never_flushed(a->cause) && is_never_flushed(b->cause)) ||
	       a->cause == PD_CAUSE_UNKNOWN || b->cause == PD_CAUSE_UNKNOWN;
}

/* Neither store is ever made durable; or both come too late for the same later store. */
static bool same_mistake(const struct pd_failure *a, const struct pd_failure *b)
{
	if (is_never_flushed(a->cause) && is_never_flushed(b->cause))
		return true;
	return a->cause == b->cause &&
	       (a->cause == PD_CAUSE_MISSING_FENCE ||
		(a->cause == PD_CAUSE_ORDER && a->trusted && a->trusted == b->trusted));
}

/* One fence, before the store that the thread went on to, makes both durable. */
static bool same_fence(const struct pd_failure *a, const struct pd_failure *b)
{
	return a->cause == PD_CAUSE_MISSING_FENCE && b->cause == PD_CAUSE_MISSING_FENCE &&
	       a->went_on && a->went_on == b->went_on && a->run->seed == b->run->seed &&
	       a->run->work == b->run->work;
}

/*
 * Instructions of one source line, in the same calls, are one place. A hang may be stopped anywhere
 * in its loop, so there the function counts.
 */
static bool same_end(const struct pd_failure *a, const struct pd_failure *b)
{
	if (a->run->outcome != b->run->outcome || a->run->detail != b->run->detail)
		return false;
	if (a->run->outcome == PD_OUTCOME_HANG)
		return same_function(&a->at_fail.at, &b->at_fail.at) &&
		       pd_callers_same(&a->at_fail, &b->at_fail);
	return a->end == b->end ||
	       (a->run->outcome != PD_OUTCOME_CHECK && pd_finding_site_known(&a->at_fail) &&
		pd_frame_same(&a->at_fail.at, &b->at_fail.at) &&
		pd_callers_same(&a->at_fail, &b->at_fail));
}

/* Which function it was inlined into does not matter. */
static bool same_line(const struct pd_board_site *a, const struct pd_board_site *b)
{
	return a && b && a->at.line && a->at.line == b->at.line && a->at.column == b->at.column &&
	       pd_text_cmp(a->at.file, b->at.file) == 0;
}

/* Whoever waits: it is in the same loop, and the locks were taken at the same place. */
static bool same_lock(const struct pd_explored *x, const struct pd_failure *a,
		      const struct pd_failure *b)
{
	struct pd_spin s, t;

	if (a->run->depth != b->run->depth || !pd_story_spins(a->story, a->run->depth, &s) ||
	    !pd_story_spins(b->story, b->run->depth, &t))
		return false;
	return same_line(pd_explored_site(x, a->run->depth, s.load),
			 pd_explored_site(x, a->run->depth, t.load)) &&
	       same_line(pd_explored_site(x, a->run->depth - 1, s.taken),
			 pd_explored_site(x, a->run->depth - 1, t.taken));
}

/* Whichever of several locks it is: the mistake is at the one place that waits for them. */
static bool same_wait(const struct pd_explored *x, const struct pd_failure *a,
		      const struct pd_failure *b)
{
	if (a->run->outcome == PD_OUTCOME_HANG && b->run->outcome == PD_OUTCOME_HANG &&
	    same_lock(x, a, b))
		return true;
	return same_end(a, b) &&
	       (a->run->outcome != PD_OUTCOME_HANG || a->run->last_load == b->run->last_load);
}

/* There is no crash point between the two crashes. */
static bool follow_each_other(const struct pd_crash_run *a, const struct pd_crash_run *b)
{
	return pd_run_is_later_by(a, b, 1) || pd_run_is_later_by(b, a, 1);
}

/* A call of a library is one update of whoever calls it. */
static bool same_library_call(const struct pd_finding_site *a, const struct pd_finding_site *b)
{
	return a->inside && b->inside && same_text(a->inside, b->inside) &&
	       pd_frame_same(&a->at, &b->at);
}

/* Both fail although nothing was lost. */
static bool same_update(const struct pd_explored *e, const struct pd_failure *a,
			const struct pd_failure *b)
{
	if (a->cause != b->cause || !same_end(a, b))
		return false;
	if (a->cause == PD_CAUSE_NOT_ATOMIC)
		return same_function(pd_last_store_frame(e, a), pd_last_store_frame(e, b)) ||
		       same_library_call(&a->at_crash, &b->at_crash) ||
		       follow_each_other(a->run, b->run);
	return true;
}

/* Operations are the same by name, up to their arguments. */
static bool same_operation(const char *a, const char *b)
{
	while (*a && *a != '(' && *a == *b) {
		a++;
		b++;
	}
	return *a == '(' && *b == '(';
}

/* Whether one operation is there in part: recovery shows it, or does not end well. */
static bool is_partial(const struct pd_crash_run *run)
{
	if (run->outcome == PD_OUTCOME_HISTORY)
		return pd_run_kind(run) == PD_KIND_LINEAR_PARTIAL;
	return run->linear && run->operation[0];
}

/* Whether an update that is made atomic does not fail for this reason any more. */
static bool is_of_update(enum pd_cause cause)
{
	return cause == PD_CAUSE_ORDER || cause == PD_CAUSE_NOT_ATOMIC || cause == PD_CAUSE_TORN ||
	       cause == PD_CAUSE_LAYOUT;
}

/* The function that was interrupted, if it made all that was lost, and recovery should complete it.
 */
static const struct pd_frame *interrupted_in(const struct pd_explored *e,
					     const struct pd_failure *f)
{
	const struct pd_frame *last = pd_last_store_frame(e, f);

	if (!is_partial(f->run) || !is_of_update(f->cause))
		return NULL;
	for (uint32_t i = 0; i < f->n; i++)
		if (!same_function(last, pd_store_frame(e, &f->blame[i])))
			return NULL;
	return last;
}

/* Fixing what is torn, or straddles lines, fixes nothing else. */
static bool same_interrupted(const struct pd_explored *e, const struct pd_failure *b,
			     const struct pd_failure *a)
{
	const struct pd_frame *x = interrupted_in(e, a), *y = interrupted_in(e, b);
	bool narrow = b->cause == PD_CAUSE_TORN || b->cause == PD_CAUSE_LAYOUT ||
		      ((a->cause == PD_CAUSE_TORN || a->cause == PD_CAUSE_LAYOUT) &&
		       b->cause != PD_CAUSE_NOT_ATOMIC);

	return x && y && !narrow && same_function(x, y) &&
	       same_operation(a->run->operation, b->run->operation);
}

/* Whether fixing b fixes a. */
static bool explains(const struct all *all, const struct pd_failure *b, const struct pd_failure *a)
{
	if (a->cause == PD_CAUSE_LOCK_HELD && b->cause == PD_CAUSE_LOCK_HELD)
		return same_wait(all->e, a, b);
	if (a->cause == PD_CAUSE_UNLOGGED || b->cause == PD_CAUSE_UNLOGGED)
		return a->cause == b->cause && pd_failures_same_log(all->e, a, b);
	if (a->cause == PD_CAUSE_OPEN_TX || b->cause == PD_CAUSE_OPEN_TX)
		return a->cause == b->cause && pd_frame_same(&pd_failure_transaction(a)->at,
							     &pd_failure_transaction(b)->at);
	if (a->cause == PD_CAUSE_LAYOUT && b->cause == PD_CAUSE_LAYOUT)
		return same_text(a->straddling, b->straddling);
	if (same_interrupted(all->e, b, a))
		return true;
	if (!a->n && !b->n)
		return same_update(all->e, a, b);
	if (!a->n || !b->n)
		return false;
	return (same_cause(a, b) && includes(all->e, a, b)) ||
	       (same_mistake(a, b) && same_object(all, a, b)) || same_fence(a, b);
}

static void add_site(struct pd_failure *f, const struct pd_finding_site *s, struct pd_arena *a)
{
	struct pd_finding_site *to;

	for (uint32_t i = 0; i < f->n; i++)
		if (pd_frame_same(&f->blame[i].at_load.at, &s->at) ||
		    pd_frame_same(&f->blame[i].at_store.at, &s->at))
			return;
	for (uint32_t i = 0; i < f->also.n; i++)
		if (f->also.v[i].role == s->role && pd_frame_same(&f->also.v[i].at, &s->at))
			return;
	if (pd_finding_site_known(s) && f->also.n < ALSO && (to = pd_vec_push(&f->also, a)))
		*to = *s;
}

/* Adds the other failure's unlogged stores. */
static void join_unlogged(struct pd_failure *to, const struct pd_failure *from, struct pd_arena *a)
{
	for (uint32_t i = 0; i < from->nunlogged; i++) {
		uint32_t k = 0;

		while (k < to->nunlogged && !pd_frame_same(&pd_unlogged_store(to, k)->at,
							   &pd_unlogged_store(from, i)->at))
			k++;
		if (k < to->nunlogged)
			continue;
		if (k < PD_LEN(to->unlogged) && to->surveyed == from->surveyed)
			to->unlogged[to->nunlogged++] = from->unlogged[i];
		else
			add_site(to, pd_unlogged_store(from, i), a);
	}
}

/* Of two that lack one fence, the one that was flushed later is shown: after its flush is the place
 * for both. */
static void show_later_flush(struct pd_failure *to, struct pd_failure *from)
{
	struct pd_failure f = *to;

	if (!same_fence(to, from) || to->blame[0].lost.flush >= from->blame[0].lost.flush)
		return;
	*to = *from;
	*from = f;
}

static void join(struct pd_failure *to, struct pd_failure *from, struct pd_arena *a)
{
	show_later_flush(to, from);
	from->subsumed = true;
	to->count += from->count;
	to->outcomes |= from->outcomes;
	if (from->cause == PD_CAUSE_UNLOGGED) {
		join_unlogged(to, from, a);
		return;
	}
	for (uint32_t i = 0; i < from->n; i++)
		add_site(to, &from->blame[i].at_store, a);
	for (uint32_t i = 0; i < from->n; i++)
		add_site(to, &from->blame[i].at_load, a);
	for (uint32_t i = 0; i < from->also.n; i++)
		add_site(to, &from->also.v[i], a);
}

void pd_failures_join(const struct pd_explored *e, struct pd_failures *fs)
{
	const struct all all = {e, fs->v, fs->n};

	/* The easiest to follow come first, and take in the others. */
	for (uint32_t i = 0; i < fs->n; i++)
		for (uint32_t k = i + 1; k < fs->n && !fs->v[i].subsumed; k++)
			if (!fs->v[k].subsumed && explains(&all, &fs->v[i], &fs->v[k]))
				join(&fs->v[i], &fs->v[k], fs->arena);
}
