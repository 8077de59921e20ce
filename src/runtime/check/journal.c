/*
 * check/journal.c - records what happens to the lines at stake. See check/again.h.
 */
#include "runtime/check/check.h"
#include "runtime/base/listen.h"
#include "runtime/check/again.h"
#include "runtime/check/passed.h"
#include "runtime/session/session.h"
#include "runtime/thread/thread.h"
#include "runtime/place/stack.h"
#include <string.h>

enum { STACKS = 2000, SEVERAL = UINT32_MAX };

static struct {
	uint32_t length; /* of the log after the previous event */
	/* Bit per thread: it has flushed a line at stake and not fenced since */
	uint64_t pending[16];
	/* By watched line: the log length up to which it is durable */
	uint32_t must[PD_AGAIN_LINES];
	/* By watched line: 1 + the thread that has stored to it, if there is one; SEVERAL; 0:
	 * none */
	uint32_t writer[PD_AGAIN_LINES];
} journal;

static struct pd_again_journal *own(void)
{
	return pd_board()->again.journal[pd_check.depth];
}

/* Whether the event touches watched line number i. */
static bool touches(uint32_t i, uint64_t off, uint64_t n)
{
	uint32_t shift = pd_mem.model.params.line_shift;
	uint64_t line = pd_board()->again.line[i];

	return off >> shift <= line && line <= (off + (n ? n - 1 : 0)) >> shift;
}

static bool watched(uint64_t off, uint64_t n)
{
	const struct pd_again *a = &pd_board()->again;

	if (!a->nline)
		return true; /* nothing is at stake: the last events may help */
	for (uint32_t i = 0; i < a->nline; i++)
		if (touches(i, off, n))
			return true;
	return false;
}

/* Whether a fence of this thread orders a flush that is in the journal; clears that. */
static bool take_pending(uint32_t tid)
{
	uint64_t *word = &journal.pending[tid / 64 % PD_LEN(journal.pending)],
		 bit = 1ULL << (tid % 64);
	bool was = *word & bit;

	*word &= ~bit;
	return was;
}

static void set_pending(uint32_t tid)
{
	journal.pending[tid / 64 % PD_LEN(journal.pending)] |= 1ULL << (tid % 64);
}

/* Whether the event belongs in the story. */
static bool matters(enum pd_event_kind kind, uint64_t off, uint64_t n, uint32_t tid)
{
	/* An int: few kinds concern PM; addresses outside are in no line of it */
	switch ((int)kind) {
	case PD_EV_LOAD:
		return pd_check.role == PD_CHECK_RECOVERY;
	case PD_EV_RMW_FAILED:
		return take_pending(tid) | (pd_check.role == PD_CHECK_RECOVERY);
	case PD_EV_SFENCE:
	case PD_EV_MFENCE:
	case PD_EV_ATOMIC_RMW:
		return take_pending(tid);
	case PD_EV_RMW:
		return watched(off, n) | take_pending(tid);
	case PD_EV_STORE:
	case PD_EV_MSYNC:
	case PD_EV_CLFLUSH:
		return watched(off, n);
	case PD_EV_NTSTORE:
	case PD_EV_CLFLUSHOPT:
	case PD_EV_CLWB:
		if (watched(off, n))
			set_pending(tid);
		return watched(off, n);
	default:
		return false;
	}
}

static struct pd_again_event *new_event(struct pd_again_journal *j)
{
	struct pd_again_event *e = &j->event[j->n % PD_AGAIN_EVENTS];

	if (j->n++ >= PD_AGAIN_EVENTS && e->chosen)
		j->chosen[j->nchosen++ % PD_AGAIN_CHOSEN] = *e;
	return e;
}

/* Records which lines at stake the last event made durable, and up to where. */
static void note_certain(struct pd_again_journal *j)
{
	const struct pd_again *a = &pd_board()->again;

	for (uint32_t i = 0; i < a->nline; i++) {
		const struct pd_line *line =
			pd_model_line(&pd_mem.model, a->line[i] << pd_mem.model.params.line_shift);

		if (!line || line->cur.must == journal.must[i])
			continue;
		journal.must[i] = line->cur.must;
		j->certain[j->ncertain++ % PD_AGAIN_CERTAIN] = (struct pd_again_certain){
			.line = a->line[i], .event = j->n - 1, .must = line->cur.must};
	}
}

/* Which threads store to the lines at stake. */
static void note_writer(const struct pd_event *e)
{
	for (uint32_t i = 0; i < pd_board()->again.nline; i++)
		if (touches(i, e->addr, e->size) && journal.writer[i] != 1u + e->tid)
			journal.writer[i] = journal.writer[i] ? SEVERAL : 1u + e->tid;
}

static bool stored_by_others(const struct pd_event *e)
{
	for (uint32_t i = 0; i < pd_board()->again.nline; i++)
		if (journal.writer[i] && journal.writer[i] != 1u + e->tid &&
		    touches(i, e->addr, e->size))
			return true;
	return false;
}

/* A read, before the crash, of what another thread may have stored: that thread may act on it. Of
 * reads that are repeated the last one counts. */
static void note_read(struct pd_again_journal *j, const struct pd_event *e)
{
	struct pd_again_event *to = &j->read[(j->nread - 1) % PD_AGAIN_READS];

	if (!j->nread || to->site != e->site || to->tid != e->tid || to->addr != e->addr)
		to = &j->read[j->nread++ % PD_AGAIN_READS];
	*to = (struct pd_again_event){.kind = e->kind,
				      .tid = e->tid,
				      .site = e->site,
				      .addr = e->addr,
				      .size = e->size,
				      .before = journal.length,
				      .after = journal.length};
	if (j->nread < STACKS)
		to->nstack = pd_rt_stack((uintptr_t *)to->stack, PD_LEN(to->stack));
	pd_check_publish(e->site, false);
}

static bool only_reads(const struct pd_event *e)
{
	return e->kind == PD_EV_LOAD || e->kind == PD_EV_RMW_FAILED;
}

static bool stores(const struct pd_event *e)
{
	return e->kind == PD_EV_STORE || e->kind == PD_EV_NTSTORE || e->kind == PD_EV_RMW;
}

/* Records an event of PM; `length` is that of the log before it. */
static void note(struct pd_event *e)
{
	struct pd_again_journal *j = own();
	uint32_t before = journal.length;
	struct pd_again_event *to;
	bool wanted = false;

	journal.length = pd_mem.model.log->n;
	if (pd_check.journal && j && !j->crashed && !pd_check.depth) {
		if (stores(e))
			note_writer(e);
		else if (only_reads(e) && stored_by_others(e))
			note_read(j, e);
	}
	if (!pd_check.journal || !j || (j->crashed && j->n >= j->crash + PD_AGAIN_AFTER) ||
	    !matters((enum pd_event_kind)e->kind, e->addr, e->size, e->tid))
		return;
	to = new_event(j);
	*to = (struct pd_again_event){.kind = e->kind,
				      .tid = e->tid,
				      .site = e->site,
				      .addr = e->addr,
				      .size = e->size,
				      .before = before,
				      .after = journal.length};
	if (e->data)
		memcpy(&to->value, e->data, PD_MIN(e->size, sizeof(to->value)));
	/* Reads are too many, and those that had a choice have their stack; a recovery that hangs
	 * makes too many events. */
	if (!e->site || (e->kind != PD_EV_LOAD && e->kind != PD_EV_RMW_FAILED))
		wanted = !pd_check.depth || j->n < STACKS;
	if (wanted)
		to->nstack = pd_rt_stack((uintptr_t *)to->stack, PD_LEN(to->stack));
	if (e->kind != PD_EV_LOAD)
		note_certain(j);
	pd_check_publish(e->site, pd_check.depth > 0);
}

void pd_journal_begin(void)
{
	static const struct pd_listener journals = {.wants = PD_EV_ACCESSES | PD_EV_BIT(MSYNC),
						    .event = note};

	pd_check.journal = pd_board()->again.journals;
	if (!pd_check.journal)
		return;
	pd_listen_add(&journals);
	pd_passed_begin();
}

void pd_journal_crash(void)
{
	struct pd_again_journal *j = pd_check.journal ? own() : NULL;

	if (!j)
		return;
	j->crash = j->n;
	j->crashed = true;
}

void pd_journal_choice(const struct pd_crash_choice *c, uint32_t number)
{
	struct pd_again_journal *j = own();
	struct pd_again_event *e;

	if (!j)
		return;
	e = new_event(j);
	*e = (struct pd_again_event){.kind = PD_EV_LOAD,
				     .chosen = 1,
				     .tid = (uint16_t)pd_thread_self(),
				     .site = c->load,
				     .choice = number,
				     .addr = c->addr,
				     .size = c->size,
				     .value = c->seen_value};
	e->nstack = pd_rt_stack((uintptr_t *)e->stack, PD_LEN(e->stack));
}
