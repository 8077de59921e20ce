/*
 * check/cause.c - why a recovery fails, and what to do about it. See check/failure.h.
 *
 * Which stores had to be lost is known (check/findings.c). What kind of mistake that is follows
 * from what was known of the lost store at the crash:
 *
 *   only a part of it is lost, and with all of it lost recovery does not fail    torn
 *   it was flushed, and its thread stored something later that recovery saw      missing fence
 *   nobody had made it durable by the end of the program                        missing flush
 *     ... though a line in which nothing was new had been flushed after it        wrong flush target
 *   it became durable later, but too late for what recovery saw; also where it was another thread
 *   that acted on it in the meantime                                             order
 *
 * Where nothing was lost:
 *
 *   recovery waits for a lock that somebody held before the crash               lock held
 *   two threads missed each other, since stores waited in their buffers          store buffer
 *   the program had ended: no crash is needed                                    recovery
 *   else the update as a whole                                                   not failure-atomic
 */
#include "drive/check/failure.h"
#include <stdio.h>
#include <string.h>

enum { SPINS = 8, ROUND = 32, NAMED = 3, PIECES = 64 };

static const struct pd_board_site *store_site(const struct pd_board *b, const struct blamed *l)
{
	return l->lost.site && l->lost.site < PD_BOARD_SITES
		       ? (l->lost.exec ? b->recover_site : b->first_site)[l->lost.site]
		       : NULL;
}

/*
 * Nobody makes it durable; or somebody does only by chance, with a flush that is for something else
 * in the line, since other stores of the same place are left. Where a function stores for others,
 * these say nothing.
 */
static bool left_open(const struct pd_board *b, const struct blamed *l)
{
	const struct pd_board_site *s = store_site(b, l);

	if (l->at_end == PD_AT_END_OPEN)
		return true;
	if (l->at_end == PD_AT_END_DURABLE && pd_site_stores_once(b, l->lost.site, l->lost.exec))
		return false;
	return s && s->left_open;
}

/* A store that recovery saw, made after the log had this length in the execution of the lost
 * one. */
static const struct pd_board_choice *seen_after(const struct pd_board_run *run,
						const struct pd_board_source *lost, uint32_t order)
{
	const struct pd_board_choice *first = NULL;

	for (const struct pd_board_choice *c = order ? run->last : NULL; c; c = c->before)
		if (c->seen && c->seen_exec == lost->exec && c->seen_order > order)
			first = c;
	return first;
}

/* Flushed, and then its thread went on without a fence. */
static bool fence_is_missing(const struct pd_board *b, const struct failure *f,
			     const struct blamed *l)
{
	const struct pd_board_choice *c = seen_after(f->run, &l->lost, l->lost.flush);

	/* Another thread went on: if the fence came after all, it is the order that is wrong. */
	return c && (c->seen_tid == l->lost.tid || left_open(b, l));
}

/* Whether it changes nothing: a read, or a locked instruction that stores what was there. */
static bool only_looks(const struct pd_again_event *e, const struct pd_again_event *before)
{
	return e->kind == PD_EV_LOAD || e->kind == PD_EV_RMW_FAILED ||
	       (e->kind == PD_EV_RMW && before->kind == PD_EV_RMW && before->value == e->value);
}

/* The word that recovery reads over and over at its end; false: it does something else. */
static bool spins_on(const struct failure *f, uint64_t *addr)
{
	const struct pd_story *s = f->story;
	uint32_t depth = f->run->depth, n = s ? s->n[depth] : 0;

	if (n <= SPINS)
		return false;
	*addr = s->event[depth][n - 1].addr;
	for (uint32_t i = n - SPINS; i < n; i++) {
		const struct pd_again_event *e = &s->event[depth][i];

		if (e->addr != *addr || e->size > 8 || !only_looks(e, e - 1))
			return false;
	}
	return true;
}

static bool lock_is_held(const struct failure *f)
{
	uint64_t addr;

	if (f->run->outcome == PD_OUTCOME_DEADLOCK)
		return strstr(f->run->text, "held by no thread of this execution");
	if (f->run->outcome != PD_OUTCOME_HANG || !spins_on(f, &addr))
		return false;
	for (uint32_t i = 0; i < f->n; i++)
		if (f->blame[i].choice->addr != addr)
			return false;
	return true; /* it was held, or its release was lost */
}

/* One copy of the source that the compiler has made several stores of: those have one place, and
 * sites of their own. */
static bool is_piece_of(const struct pd_board *b, const struct blamed *l,
			const struct pd_board_choice *c)
{
	const struct pd_board_site *lost = store_site(b, l);
	const struct pd_board_site *seen =
		c->seen && c->seen < PD_BOARD_SITES ? b->first_site[c->seen] : NULL;

	return lost && seen && !l->lost.exec && !c->seen_exec && c->seen != l->lost.site &&
	       c->seen_tid == l->lost.tid && lost->column && lost->line == seen->line &&
	       lost->column == seen->column && lost->inlined_at == seen->inlined_at &&
	       strcmp(lost->function, seen->function) == 0 &&
	       (c->seen_order > l->lost.order ? c->seen_order - l->lost.order
					      : l->lost.order - c->seen_order) < PIECES;
}

static bool sees_other_pieces(const struct pd_board *b, const struct failure *f)
{
	for (uint32_t i = 0; i < f->n; i++)
		for (const struct pd_board_choice *c = f->run->last; c; c = c->before)
			if (is_piece_of(b, &f->blame[i], c))
				return true;
	return false;
}

enum pd_cause pd_cause_of(const struct pd_board *b, const struct failure *f)
{
	if (lock_is_held(f) && !f->undisturbed)
		return PD_CAUSE_LOCK_HELD;
	/* A schedule without buffers comes first, so this failure is not one of the default one. */
	if (!f->n && f->run->depth == 1 && f->story && f->story->passed.known)
		return PD_CAUSE_STORE_BUFFER;
	if (!f->n)
		return f->undisturbed ? PD_CAUSE_RECOVERY : PD_CAUSE_NOT_ATOMIC;
	for (uint32_t i = 0; i < f->n; i++)
		if (f->blame[i].choice->torn)
			return PD_CAUSE_TORN;
	for (uint32_t i = 0; i < f->n; i++)
		if (fence_is_missing(b, f, &f->blame[i]))
			return PD_CAUSE_MISSING_FENCE;
	for (uint32_t i = 0; i < f->n; i++)
		if (left_open(b, &f->blame[i]))
			return f->blame[i].lost.flush ? PD_CAUSE_MISSING_FENCE
			       : f->run->idle_flush && f->run->idle_order >= f->blame[i].lost.order
				       ? PD_CAUSE_WRONG_TARGET
				       : PD_CAUSE_MISSING_FLUSH;
	/* If the program never came to its end, the store may be one that nobody flushes. */
	return !b->ended		 ? PD_CAUSE_UNKNOWN
	       : sees_other_pieces(b, f) ? PD_CAUSE_TORN
					 : PD_CAUSE_ORDER;
}

uint32_t pd_trusted_by(const struct failure *f)
{
	const struct pd_board_choice *c =
		f->n && f->cause == PD_CAUSE_ORDER
			? seen_after(f->run, &f->blame[0].lost, f->blame[0].lost.order)
			: NULL;

	return c ? c->seen : 0;
}

static bool same_place(const struct pd_finding_site *a, const struct pd_finding_site *b)
{
	return a->at.line == b->at.line && a->at.file && b->at.file &&
	       strcmp(a->at.file, b->at.file) == 0;
}

/* ---- the fix -------------------------------------------------------------------------------- */

/* Where another thread flushes what is stored there; NULL: that does not happen, or not only. */
static const char *helper_of(const struct pd_board *b, const struct pd_board_site *stored,
			     char *buf, size_t n)
{
	const struct pd_board_site *s = stored && !stored->flushes_itself && stored->helper &&
							stored->helper < PD_BOARD_SITES
						? b->first_site[stored->helper]
						: NULL;
	struct pd_finding_site at = {.at = {.file = s ? s->file : NULL, .line = s ? s->line : 0}};

	return s ? pd_place_text(&at, buf, n) : NULL;
}

static void order_text(const struct pd_board *b, const struct failure *f, bool page, const char *at,
		       char *text, size_t n)
{
	const struct pd_board_source *lost = &f->blame[0].lost;
	const struct pd_board_choice *c = seen_after(f->run, lost, lost->order);
	const struct pd_board_site *site =
		c && c->seen < PD_BOARD_SITES
			? (c->seen_exec ? b->recover_site : b->first_site)[c->seen]
			: NULL;
	struct pd_finding_site seen = {
		.at = {.file = site ? site->file : NULL, .line = site ? site->line : 0}};
	const char *durable = !page	      ? "durable (flush and fence)"
			      : lost->written ? "durable (fsync)"
					      : "durable (msync)";
	const struct pd_board_site *stored = store_site(b, &f->blame[0]);
	char later[300], at_helper[300];
	const char *helper = helper_of(b, stored, at_helper, sizeof(at_helper));

	if (!site)
		snprintf(text, n,
			 "recovery sees a part of the update without what %s stores: make that %s "
			 "before what recovery "
			 "trusts it by, or make the update at once: log it first, or publish it by "
			 "one aligned "
			 "8-byte store",
			 at, durable);
	else if (helper && c->seen_tid == stored->helper_tid)
		snprintf(text, n,
			 "thread %u, which makes durable what %s stores (at %s), has stored at %s "
			 "before it did: let it %s "
			 "first, since recovery trusts what it finds by that store",
			 c->seen_tid, at, helper, pd_place_text(&seen, later, sizeof(later)),
			 page ? "sync" : "flush and fence");
	else if (helper)
		snprintf(text, n,
			 "let the store at %s, by which recovery trusts what %s stores, wait until "
			 "thread %u has made that "
			 "durable (at %s)",
			 pd_place_text(&seen, later, sizeof(later)), at, stored->helper_tid,
			 helper);
	else if (c->seen_tid != lost->tid)
		snprintf(text, n,
			 "make what %s stores %s before another thread can act on it, so before "
			 "the lock "
			 "is given back: thread %u has stored at %s meanwhile",
			 at, durable, c->seen_tid, pd_place_text(&seen, later, sizeof(later)));
	else
		snprintf(text, n,
			 "make what %s stores %s before the store at %s, by which recovery trusts "
			 "it",
			 at, durable, pd_place_text(&seen, later, sizeof(later)));
}

static void lock_text(const struct failure *f, char *text, size_t n)
{
	char where[300];
	uint64_t addr;

	if (spins_on(f, &addr))
		snprintf(text, n,
			 "recovery waits for %s, which nobody will change any more: reset locks "
			 "when the "
			 "file is opened, or keep them outside of persistent memory",
			 pd_story_where(f->story, addr, where, sizeof(where)));
	else
		snprintf(text, n,
			 "initialise locks anew when the file is opened, or keep them outside of "
			 "persistent "
			 "memory");
}

#define AT_ONCE                                                                                    \
	"make the update at once: log it first, or build it aside and publish it by one aligned "  \
	"8-byte store"

/* The words that recovery reads in turn at its end, at most `max`; 0: more than that, or it does
 * something else. */
static uint32_t goes_round(const struct failure *f, uint64_t *addr, uint32_t max)
{
	const struct pd_story *s = f->story;
	uint32_t depth = f->run->depth, n = s ? s->n[depth] : 0, k = 0;

	for (uint32_t i = n; i-- > 0 && i + ROUND >= n;) {
		const struct pd_again_event *e = &s->event[depth][i];
		uint32_t have = 0;

		while (have < k && addr[have] != e->addr)
			have++;
		if (e->kind != PD_EV_LOAD || (have == k && k == max))
			return 0;
		addr[have] = e->addr;
		k += have == k;
	}
	return n > ROUND ? k : 0;
}

static void hang_text(const struct failure *f, char *text, size_t n)
{
	bool idle = strstr(f->run->text, "no event") != NULL;
	char where[300];
	uint64_t addr[12];
	uint32_t k = goes_round(f, addr, PD_LEN(addr));
	int at = 0;

	if (idle || !k) {
		snprintf(text, n,
			 "see what recovery does at %s, where it %s; let it expect what the crash "
			 "leaves, or " AT_ONCE,
			 pd_place_text(&f->at_fail, where, sizeof(where)),
			 idle ? "loops or waits without touching PM (if it is only slow, give "
				"--hang more time)"
			      : "does not come to an end");
		return;
	}
	for (uint32_t i = 0; i < PD_MIN(k, NAMED); i++)
		at += snprintf(text + at, n - (size_t)at, "%s%s",
			       i == 0	   ? "recovery reads "
			       : i + 1 < k ? ", "
					   : " and ",
			       pd_story_where(f->story, addr[i], where, sizeof(where)));
	if (k > NAMED)
		at += snprintf(text + at, n - (size_t)at, " and %u more words", k - NAMED);
	snprintf(text + at, n - (size_t)at,
		 " over and over, which nobody will change any more: reset what it waits for "
		 "when the file is opened, or let it notice that it goes in a circle, or " AT_ONCE);
}

/* Nothing was lost: it is the update, or what recovery makes of it. */
static void half_done_text(const struct failure *f, char *text, size_t n)
{
	switch (f->run->outcome) {
	case PD_OUTCOME_HANG:
		hang_text(f, text, n);
		return;
	case PD_OUTCOME_DEADLOCK:
		snprintf(text, n,
			 "locks of recovery are taken in an order that can block, or are in PM and "
			 "as the crash left "
			 "them: initialise those anew when the file is opened");
		return;
	case PD_OUTCOME_SIGNAL:
		snprintf(text, n,
			 AT_ONCE "; where recovery follows a pointer that is kept in PM: what is "
				 "not in PM is gone "
				 "after a crash");
		return;
	default:
		snprintf(text, n, AT_ONCE "; or let recovery expect it half done");
	}
}

/* One fence is not enough where both waited. */
static void buffer_text(const struct failure *f, char *text, size_t n)
{
	char store[300], load[300];
	int at = snprintf(text, n, "put an mfence between the store at %s and the load at %s",
			  pd_place_text(&f->at_waited[0], store, sizeof(store)),
			  pd_place_text(&f->at_passed[0], load, sizeof(load)));
	bool same = same_place(&f->at_waited[0], &f->at_waited[1]) &&
		    same_place(&f->at_passed[0], &f->at_passed[1]);

	if (f->story->passed.waited && !same)
		at += snprintf(text + at, n - (size_t)at,
			       ", and between the store at %s and the load at %s",
			       pd_place_text(&f->at_waited[1], store, sizeof(store)),
			       pd_place_text(&f->at_passed[1], load, sizeof(load)));
	snprintf(text + at, n - (size_t)at,
		 ": a load may come before an earlier store of its thread, and an sfence "
		 "does not keep it from that");
}

static bool is_streamed(const struct failure *f)
{
	const struct pd_again_event *e = f->n ? pd_story_store(f->story, &f->blame[0].lost) : NULL;

	return e && e->kind == PD_EV_NTSTORE;
}

void pd_fix_text(const struct pd_board *b, const struct failure *f, bool page, char *text, size_t n)
{
	char at[300] = "", flush[300];

	if (f->n)
		pd_place_text(&f->blame[0].at_store, at, sizeof(at));
	switch (f->cause) {
	case PD_CAUSE_MISSING_FLUSH:
		if (page)
			snprintf(text, n,
				 f->n && f->blame[0].lost.written
					 ? "fsync the file after the write at %s"
					 : "msync the page after the store at %s",
				 at);
		else
			snprintf(text, n, "flush the line after the store at %s, and fence", at);
		return;
	case PD_CAUSE_MISSING_FENCE:
		snprintf(text, n,
			 is_streamed(f) ? "add an sfence after the non-temporal store at %s, "
					  "before going on"
					: "add an sfence after the flush of what %s stores, before "
					  "going on",
			 at);
		return;
	case PD_CAUSE_NOT_ATOMIC:
		half_done_text(f, text, n);
		return;
	case PD_CAUSE_TORN:
		snprintf(text, n,
			 "publish what %s stores atomically: by one aligned 8-byte store after it "
			 "is durable, or let recovery "
			 "validate it, by a checksum for instance",
			 at);
		return;
	case PD_CAUSE_STORE_BUFFER:
		buffer_text(f, text, n);
		return;
	case PD_CAUSE_WRONG_TARGET:
		snprintf(text, n,
			 "flush the line of what %s stores: the flush at %s is of another one", at,
			 pd_place_text(&f->at_idle, flush, sizeof(flush)));
		return;
	case PD_CAUSE_LOCK_HELD:
		lock_text(f, text, n);
		return;
	case PD_CAUSE_RECOVERY:
		snprintf(text, n,
			 "no crash is needed for this: let the program come to its end, and start "
			 "recovery on the "
			 "file that it leaves");
		return;
	case PD_CAUSE_ORDER:
	case PD_CAUSE_UNKNOWN:
	case PD_CAUSE_N:
	default:
		order_text(b, f, page, at, text, n);
	}
}
