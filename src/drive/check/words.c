/*
 * check/words.c - what a failure is in words: what happened, and how to fix it. See check/failure.h.
 */
#include "drive/check/failure.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMED = 3 };

/* Why it does not go on: the sentence, from the facts. */
static const char *stuck_text(const struct pd_board_run *run, char *buf, size_t n)
{
	struct pd_outbuf b;

	switch ((enum pd_hang)run->hang) {
	case PD_HANG_LOOP:
		return "does not end: it comes back to the same state";
	case PD_HANG_IDLE:
		return "no event for too long: it loops or waits without touching PM, or needs a "
		       "longer --hang";
	case PD_HANG_BUDGET:
		return "does not end: its budget of events is used up; a longer --hang gives it "
		       "more";
	case PD_HANG_NOT:
	case PD_HANG_LIVELOCK:
		break;
	}
	pd_outbuf_init(&b, buf, n);
	pd_waits_put(&b.out, run->outcome == PD_OUTCOME_DEADLOCK, &run->waits);
	return buf;
}

const char *pd_check_outcome_text(const struct pd_board_run *run, char *buf, size_t n)
{
	char why[PD_RUN_TEXT];

	switch ((enum pd_outcome)run->outcome) {
	case PD_OUTCOME_SIGNAL:
		snprintf(buf, n, "recovery is killed by signal %u (%s)", run->detail,
			 strsignal((int)run->detail));
		break;
	case PD_OUTCOME_ABORT:
		snprintf(buf, n, "recovery aborts");
		break;
	case PD_OUTCOME_EXIT:
		snprintf(buf, n, "recovery ends with status %u", run->detail);
		break;
	case PD_OUTCOME_HANG:
		snprintf(buf, n, "recovery hangs (%s)", stuck_text(run, why, sizeof(why)));
		break;
	case PD_OUTCOME_DEADLOCK:
		snprintf(buf, n, "recovery deadlocks (%s)", stuck_text(run, why, sizeof(why)));
		break;
	case PD_OUTCOME_CHECK:
		snprintf(buf, n, "a check of the program fails: %s", run->text);
		break;
	case PD_OUTCOME_NONE:
	case PD_OUTCOME_GOOD:
	case PD_OUTCOME_DIVERGED:
	case PD_OUTCOME_LOST:
	case PD_OUTCOME_KNOWN:
	case PD_OUTCOMES:
	default:
		snprintf(buf, n, "recovery ends");
	}
	return buf;
}

/* Other ends that recovery comes to by the same cause. */
static void put_other_outcomes(const struct pd_failure *f, FILE *m)
{
	static const char *const words[PD_OUTCOMES] = {
		[PD_OUTCOME_SIGNAL] = "is killed by a signal", [PD_OUTCOME_ABORT] = "aborts",
		[PD_OUTCOME_EXIT] = "ends with a bad status",  [PD_OUTCOME_HANG] = "hangs",
		[PD_OUTCOME_DEADLOCK] = "deadlocks",	       [PD_OUTCOME_CHECK] = "fails a check",
	};
	const char *sep = "; in other crashes of this kind it ";

	for (uint32_t i = 0; i < PD_OUTCOMES; i++)
		if (words[i] && i != f->run->outcome && f->outcomes >> i & 1) {
			fprintf(m, "%s%s", sep, words[i]);
			sep = " or ";
		}
}

char *pd_message_text(const struct pd_failure *f, struct pd_arena *a)
{
	char what[400], where[300], load[300], store[300], *text = NULL, *kept;
	size_t n = 0;
	FILE *m = open_memstream(&text, &n);

	if (!m)
		return NULL;
	fputs(pd_check_outcome_text(f->run, what, sizeof(what)), m);
	if (pd_finding_site_known(&f->at_fail) && f->run->outcome != PD_OUTCOME_CHECK)
		fprintf(m, " at %s", pd_place_text(&f->at_fail, where, sizeof(where)));
	fprintf(m, " after a crash %s", f->run->depth > 1 ? "of recovery itself, " : "");
	if (f->run->crash_kind == PD_EV_EXIT)
		fputs("at the very end, when the program had ended normally", m);
	else
		fprintf(m, "before %s", pd_place_text(&f->at_crash, where, sizeof(where)));
	if (!f->n)
		fputs(", even if everything stored before it is durable", m);
	if (f->cause == PD_CAUSE_STORE_BUFFER)
		fprintf(m,
			": the load at %s came before the store at %s, of the same thread, was out "
			"of its store buffer",
			pd_place_text(&f->at_passed[0], load, sizeof(load)),
			pd_place_text(&f->at_waited[0], store, sizeof(store)));
	for (uint32_t i = 0; i < f->n; i++) {
		const struct pd_board_source *lost = &f->blame[i].lost;

		fprintf(m, "%s %s read 0x%lx instead of 0x%lx, because the %s at %s was lost",
			i ? ";" : ":", pd_place_text(&f->blame[i].at_load, load, sizeof(load)),
			(unsigned long)lost->shown_seen, (unsigned long)lost->shown,
			lost->written ? "write" : "store",
			pd_place_text(&f->blame[i].at_store, store, sizeof(store)));
	}
	put_other_outcomes(f, m);
	fclose(m);
	kept = pd_arena_strndup(a, text, n);
	free(text);
	return kept;
}

static bool same_place(const struct pd_finding_site *a, const struct pd_finding_site *b)
{
	return a->at.line == b->at.line && a->at.file && b->at.file &&
	       strcmp(a->at.file, b->at.file) == 0;
}

/* ---- the fix -------------------------------------------------------------------------------- */

static const char *site_text(const struct pd_board_site *s, char *buf, size_t n)
{
	struct pd_finding_site at = {.at = {.file = s ? s->file : NULL, .line = s ? s->line : 0}};

	return pd_place_text(&at, buf, n);
}

static void order_text(const struct pd_explored *x, const struct pd_failure *f, bool page,
		       const char *at, char *text, size_t n)
{
	const struct pd_board_source *lost = &f->blame[0].lost;
	const struct pd_board_choice *c = pd_cause_trusts(f);
	const struct pd_board_site *site = c ? pd_explored_site(x, c->seen_exec, c->seen) : NULL;
	const char *durable = !page	      ? "durable (flush and fence)"
			      : lost->written ? "durable (fsync)"
					      : "durable (msync)";
	const struct pd_board_site *stored = pd_explored_site(x, lost->exec, lost->site);
	const struct pd_board_site *flush = pd_cause_helper(x, &f->blame[0]);
	char later[300], at_helper[300];
	const char *helper = flush ? site_text(flush, at_helper, sizeof(at_helper)) : NULL;

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
			 c->seen_tid, at, helper, site_text(site, later, sizeof(later)),
			 page ? "sync" : "flush and fence");
	else if (helper)
		snprintf(text, n,
			 "let the store at %s, by which recovery trusts what %s stores, wait until "
			 "thread %u has made that "
			 "durable (at %s)",
			 site_text(site, later, sizeof(later)), at, stored->helper_tid, helper);
	else if (c->seen_tid != lost->tid)
		snprintf(text, n,
			 "make what %s stores %s before another thread can act on it, so before "
			 "the lock "
			 "is given back: thread %u has stored at %s meanwhile",
			 at, durable, c->seen_tid, site_text(site, later, sizeof(later)));
	else
		snprintf(text, n,
			 "make what %s stores %s before the store at %s, by which recovery trusts "
			 "it",
			 at, durable, site_text(site, later, sizeof(later)));
}

static void lock_text(const struct pd_failure *f, char *text, size_t n)
{
	char where[300];
	uint64_t addr;

	if (pd_story_spins(f->story, f->run->depth, &addr))
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

static void hang_text(const struct pd_failure *f, char *text, size_t n)
{
	bool idle = f->run->hang == PD_HANG_IDLE;
	char where[300];
	uint64_t addr[12];
	uint32_t k = pd_story_circles(f->story, f->run->depth, addr, PD_LEN(addr));
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
static void half_done_text(const struct pd_failure *f, char *text, size_t n)
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
static void buffer_text(const struct pd_failure *f, char *text, size_t n)
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

static bool is_streamed(const struct pd_failure *f)
{
	const struct pd_again_event *e = f->n ? pd_story_store(f->story, &f->blame[0].lost) : NULL;

	return e && e->kind == PD_EV_NTSTORE;
}

void pd_fix_text(const struct pd_explored *x, const struct pd_failure *f, bool page, char *text,
		 size_t n)
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
		order_text(x, f, page, at, text, n);
	}
}
