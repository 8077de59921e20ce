/*
 * cause.c - why a recovery fails. See failure.h.
 *
 * sort.c and rerun.c have determined which stores had to be lost. The kind of mistake follows from
 * the state of the lost store at the crash:
 *
 *   only a part of it is lost, and with all of it lost recovery does not fail    torn
 *   nobody had flushed it by the end of the program                             missing flush
 *     ... though a line in which nothing was new had been flushed after it        wrong flush target
 *   it was flushed, and its thread stored something later that recovery saw, or
 *   the program ended                                                           missing fence
 *     ... where the store and what recovery saw are of a struct that straddles two lines, that is
 *     the reason, for this one as for the next (layout.c)                          layout
 *   it became durable later, but too late for what recovery saw; also where it was another thread
 *   that acted on it in the meantime                                             order
 *
 * Of several lost stores the first one in the order of this table has the cause, and becomes the
 * first of the blame: a store that is flushed in time for some recoveries explains nothing that a
 * store that is never flushed does not.
 *
 * Before all these: an unlogged store of a transaction, without which recovery ends well or which
 * recovery misses, is the cause, whatever else was lost; else a transaction that was left open, so
 * that recovery rolls back all that was done since (unlogged.c).
 *
 * Where nothing was lost (a held lock is tested before all else, and also where only the stores to
 * the lock itself were lost):
 *
 *   recovery waits for a lock that was held before the crash                    lock held
 *   two threads missed each other, since stores waited in their buffers          store buffer
 *   the program had ended: no crash is needed                                    recovery
 *   else the update as a whole                                                   not failure-atomic
 */
#include "engine/crash/failure.h"
#include "finding/text.h"

enum { PIECES = 64 };

const struct pd_board_site *pd_explored_site(const struct pd_explored *x, uint32_t exec,
					     uint32_t site)
{
	return pd_site_find(exec ? x->recover_site : x->first_site, x->nsite, site);
}

static const struct pd_board_site *store_site(const struct pd_explored *x,
					      const struct pd_blamed *l)
{
	return pd_explored_site(x, l->lost.exec, l->lost.site);
}

/*
 * Nobody makes the store durable. Where the survey does not show who flushed it, other open stores
 * of the same site count: then the flush was by chance, meant for something else in the line. If a
 * function stores for its callers, other stores of its site prove nothing.
 */
static bool left_open(const struct pd_explored *x, const struct pd_blamed *l)
{
	const struct pd_board_site *s = store_site(x, l);

	if (l->lost.exec)
		return s && s->left_open;
	if (l->at_end == PD_AT_END_OPEN)
		return true;
	if (l->at_end == PD_AT_END_FLUSHED || l->at_end == PD_AT_END_CHANCE ||
	    (l->at_end == PD_AT_END_DURABLE && pd_store_level(x, l->lost.site, l->lost.exec)))
		return false;
	return s && s->left_open;
}

/* A completed operation is lost. */
static bool had_returned(const struct pd_crash_run *run)
{
	return run->outcome == PD_OUTCOME_HISTORY && run->detail == PD_KIND_LINEAR_LOST &&
	       run->crash_kind == PD_EV_MARK;
}

/* The store was flushed, and then its thread went on without a fence, or returned from the
 * operation: a later fence, meant for something else, comes too late. */
static bool fence_is_missing(const struct pd_explored *x, const struct pd_failure *f,
			     const struct pd_blamed *l)
{
	const struct pd_crash_choice *c = pd_run_sees_after(f->run, &l->lost, l->lost.flush);

	if (l->lost.flush && had_returned(f->run))
		return true;
	/* Another thread went on: if the fence came eventually, the order is wrong. */
	return c && (c->seen_tid == l->lost.tid || left_open(x, l));
}

static bool lock_is_held(const struct pd_failure *f)
{
	struct pd_spin spin;

	if (f->run->outcome == PD_OUTCOME_DEADLOCK)
		return pd_waits_for_nobody(&f->run->waits);
	if (f->run->outcome != PD_OUTCOME_HANG || !pd_story_spins(f->story, f->run->depth, &spin))
		return false;
	for (uint32_t i = 0; i < f->n; i++)
		if (f->blame[i].choice->addr != spin.addr)
			return false;
	return true; /* it was held, or its release was lost */
}

static bool is_same_place(const struct pd_site *a, const struct pd_site *b)
{
	return a->column && a->line == b->line && a->column == b->column &&
	       a->inlined_at == b->inlined_at && pd_text_cmp(a->function, b->function) == 0;
}

/* One copy in the source that the compiler has split into several stores: they share a place, but
 * have sites of their own. */
static bool is_piece_of(const struct pd_explored *x, const struct pd_blamed *l,
			const struct pd_crash_choice *c)
{
	const struct pd_board_site *lost = store_site(x, l);
	const struct pd_board_site *seen = pd_explored_site(x, 0, c->seen);

	return lost && seen && !l->lost.exec && !c->seen_exec && c->seen != l->lost.site &&
	       c->seen_tid == l->lost.tid && is_same_place(&lost->at, &seen->at) &&
	       (c->seen_order > l->lost.order ? c->seen_order - l->lost.order
					      : l->lost.order - c->seen_order) < PIECES;
}

static bool sees_other_pieces(const struct pd_explored *x, const struct pd_failure *f)
{
	for (uint32_t i = 0; i < f->n; i++)
		for (const struct pd_crash_choice *c = f->run->last; c; c = c->before)
			if (is_piece_of(x, &f->blame[i], c))
				return true;
	return false;
}

/* Why this store was lost; ORDER: for no reason of its own. */
static enum pd_cause cause_of_loss(const struct pd_explored *x, const struct pd_failure *f,
				   const struct pd_blamed *l)
{
	bool open = left_open(x, l);

	if (l->choice->torn)
		return PD_CAUSE_TORN;
	if (open && !l->lost.flush)
		return f->run->idle_flush && f->run->idle_order >= l->lost.order
			       ? PD_CAUSE_WRONG_TARGET
			       : PD_CAUSE_MISSING_FLUSH;
	return open || fence_is_missing(x, f, l) ? PD_CAUSE_MISSING_FENCE : PD_CAUSE_ORDER;
}

/* Puts the lost store that explains the failure first. */
static enum pd_cause cause_of_losses(const struct pd_explored *x, struct pd_failure *f)
{
	static const uint8_t rank[PD_CAUSE_N] = {[PD_CAUSE_TORN] = 3,
						 [PD_CAUSE_WRONG_TARGET] = 2,
						 [PD_CAUSE_MISSING_FLUSH] = 2,
						 [PD_CAUSE_MISSING_FENCE] = 1};
	enum pd_cause cause = cause_of_loss(x, f, &f->blame[0]);
	struct pd_blamed first;
	uint32_t at = 0;

	for (uint32_t i = 1; i < f->n; i++) {
		enum pd_cause c = cause_of_loss(x, f, &f->blame[i]);

		if (rank[c] > rank[cause]) {
			cause = c;
			at = i;
		}
	}
	first = f->blame[at];
	memmove(&f->blame[1], &f->blame[0], at * sizeof(first));
	f->blame[0] = first;
	return cause;
}

static enum pd_cause cause_of(const struct pd_explored *x, struct pd_failure *f)
{
	enum pd_cause cause;

	if (lock_is_held(f) && !f->undisturbed)
		return PD_CAUSE_LOCK_HELD;
	if (f->nunlogged)
		return PD_CAUSE_UNLOGGED;
	if (f->open)
		return PD_CAUSE_OPEN_TX;
	/* A schedule without buffers is explored first, so this failure needs the buffers. */
	if (!f->n && f->run->depth == 1 && f->story && f->story->passed.known)
		return PD_CAUSE_STORE_BUFFER;
	if (!f->n)
		return f->undisturbed ? PD_CAUSE_RECOVERY
		       : f->unsynced  ? PD_CAUSE_UNSYNCED
		       : f->unasked   ? PD_CAUSE_UNKNOWN
				      : PD_CAUSE_NOT_ATOMIC;
	cause = cause_of_losses(x, f);
	if (cause != PD_CAUSE_ORDER)
		return cause;
	/* If the program never reached its end, the store may be one that nobody flushes. */
	return !x->ended		 ? PD_CAUSE_UNKNOWN
	       : sees_other_pieces(x, f) ? PD_CAUSE_TORN
					 : PD_CAUSE_ORDER;
}

const struct pd_crash_choice *pd_cause_trusts(const struct pd_failure *f)
{
	return f->n ? pd_run_sees_after(f->run, &f->blame[0].lost, f->blame[0].lost.order) : NULL;
}

const struct pd_crash_choice *pd_cause_before(const struct pd_failure *f)
{
	const struct pd_crash_source *lost = f->n ? &f->blame[0].lost : NULL;
	const struct pd_crash_choice *last = NULL;

	for (const struct pd_crash_choice *c = lost ? f->run->last : NULL; c; c = c->before)
		if (c->seen && c->seen != lost->site && c->seen_exec == lost->exec &&
		    c->seen_tid == lost->tid && c->seen_order < lost->order &&
		    (!last || c->seen_order > last->seen_order))
			last = c;
	return last;
}

const struct pd_board_site *pd_cause_helper(const struct pd_explored *x, const struct pd_blamed *l)
{
	const struct pd_board_site *stored = store_site(x, l);

	return stored && !stored->flushes_itself ? pd_explored_site(x, 0, stored->helper) : NULL;
}

/* The store that the fence should come before. */
static uint32_t went_on_to(const struct pd_failure *f)
{
	const struct pd_crash_source *lost = &f->blame[0].lost;
	const struct pd_crash_choice *c = pd_run_sees_after(f->run, lost, lost->flush);

	return c && !lost->exec && c->seen_tid == lost->tid ? c->seen_order : 0;
}

/* With all of the struct in one line it would be no mistake. */
static bool depends_on_layout(enum pd_cause c)
{
	return c == PD_CAUSE_ORDER || c == PD_CAUSE_MISSING_FLUSH || c == PD_CAUSE_WRONG_TARGET;
}

void pd_failure_conclude(const struct pd_explored *x, struct pd_failure *f)
{
	const struct pd_crash_choice *c;

	f->cause = cause_of(x, f);
	c = pd_cause_trusts(f);
	if (depends_on_layout(f->cause) && pd_failure_find_layout(x, f))
		f->cause = PD_CAUSE_LAYOUT;
	f->trusted = c && f->cause == PD_CAUSE_ORDER ? c->seen : 0;
	f->went_on = f->cause == PD_CAUSE_MISSING_FENCE ? went_on_to(f) : 0;
}
