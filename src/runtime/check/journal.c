/* check/journal.c - what happens to the lines at stake, written down. See check/again.h. */
#include "runtime/check/check.h"
#include "runtime/check/again.h"
#include "runtime/session/session.h"
#include <string.h>

enum { STACKS = 2000 };

static struct {
	uint32_t length;      /* of the log after the event before */
	uint64_t pending[16]; /* a bit a thread: it has flushed a line at stake and not fenced */
} journal;

static struct pd_again_journal *own(void)
{
	return pd_board()->again.journal[pd_check.depth];
}

static bool watched(uint64_t off, uint64_t n)
{
	const struct pd_again *a = &pd_board()->again;
	uint32_t shift = pd_session.model.params.line_shift;

	if (!a->nline)
		return true; /* nothing is at stake: what happened last may help */
	for (uint32_t i = 0; i < a->nline; i++)
		if (off >> shift <= a->line[i] && a->line[i] <= (off + (n ? n - 1 : 0)) >> shift)
			return true;
	return false;
}

/* Whether a fence of this thread orders a flush that is in the journal; then no more. */
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

/* Whether a reader of the story wants it. */
static bool matters(enum pd_event_kind kind, uint64_t off, uint64_t n, uint32_t tid)
{
	/* An int: few kinds are about PM; addresses outside are no line of it */
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
	return &j->event[j->n++ % PD_AGAIN_EVENTS];
}

void pd_journal_event(enum pd_event_kind kind, uint64_t off, const void *data, size_t n,
		      uint32_t site)
{
	struct pd_again_journal *j = own();
	uint32_t before = journal.length, tid = pd_thread_self();
	struct pd_again_event *e;
	bool wanted = false;

	journal.length = pd_session.model.log->n;
	if (!j || (j->crashed && j->n >= j->crash + PD_AGAIN_AFTER) || !matters(kind, off, n, tid))
		return;
	e = new_event(j);
	*e = (struct pd_again_event){.kind = (uint8_t)kind,
				     .tid = (uint16_t)tid,
				     .site = site,
				     .addr = off,
				     .size = n,
				     .before = before,
				     .after = journal.length};
	if (data)
		memcpy(&e->value, data, PD_MIN(n, sizeof(e->value)));
	/* Reads are many, and those that had a choice have their stack; a recovery that hangs does
	 * much. */
	if (!site || (kind != PD_EV_LOAD && kind != PD_EV_RMW_FAILED))
		wanted = !pd_check.depth || j->n < STACKS;
	if (wanted)
		e->nstack = pd_rt_stack((uintptr_t *)e->stack, PD_LEN(e->stack));
	pd_check_publish(site, pd_check.depth > 0);
}

void pd_journal_crash(void)
{
	struct pd_again_journal *j = pd_check.journal ? own() : NULL;

	if (!j)
		return;
	j->crash = j->n;
	j->crashed = true;
}

void pd_journal_choice(const struct pd_board_choice *c, uint32_t number)
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
