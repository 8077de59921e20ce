/* check_hold.c - see check_hold.h. */
#include "runtime/check_hold.h"
#include "engine/crash/board.h"
#include "runtime/check.h"
#include "runtime/sched.h"
#include "runtime/session.h"
#include "runtime/tso.h"

enum { HOLD_STEPS = 3000, EFFECTS = 16 };

bool pd_hold_on;

static struct {
	bool held; /* the thread is kept from running */
	bool open; /* its store may not be durable yet */
	bool met;
	bool parked; /* it was held once since the store */
	uint32_t thread;
	uint32_t reader;
	uint32_t order; /* how long the log was after the store */
	uint64_t addr;
	uint64_t end;
	uint64_t steps;
	struct pd_sched_random random;
	struct pd_chooser base;
	/* What the reader has stored since. */
	struct {
		uint64_t line;
		uint32_t site;
		bool flushed;
	} effect[EFFECTS];
	uint32_t neffect;
} h;

/* ---- who runs ------------------------------------------------------------------------------- */

static uint32_t choose(void *ctx, enum pd_choice_kind kind, uint32_t n)
{
	uint32_t pick = h.base.pick(h.base.ctx, kind, n), others = 0;

	(void)ctx;
	if (kind != PD_CHOICE_THREAD || !h.held || !pd_sched.candidates)
		return pick;
	if (++h.steps > HOLD_STEPS) {
		h.held = false;
		return pick;
	}
	for (uint32_t i = 0; i < n; i++)
		others += pd_sched.live[pd_sched.candidates[i]]->number != h.thread;
	if (!others) { /* all wait, perhaps for this one */
		h.held = false;
		return pick;
	}
	while (pd_sched.live[pd_sched.candidates[pick]]->number == h.thread)
		pick = (pick + 1) % n;
	return pick;
}

void pd_hold_begin(void)
{
	pd_hold_on = pd_board()->hold.store != 0;
	if (!pd_hold_on)
		return;
	pd_tso_stop(); /* it is for the store to be seen before it is durable */
	h.base = pd_sched_random(&h.random, pd_rt.seed);
	pd_rt.chooser = (struct pd_chooser){choose, NULL};
}

/* ---- what happens --------------------------------------------------------------------------- */

static bool still_open(void)
{
	const struct pd_line *line = h.open ? pd_model_line(&pd_session.model, h.addr) : NULL;

	h.open = line && line->cur.log && line->cur.must < h.order;
	return h.open;
}

static void reader_stored(uint64_t off, uint32_t site)
{
	if (off / 64 == h.addr / 64 || h.neffect == EFFECTS)
		return; /* in one line a later store is never there without an earlier one */
	h.effect[h.neffect].line = off / 64;
	h.effect[h.neffect].site = site;
	h.effect[h.neffect++].flushed = false;
}

void pd_hold_stored(uint64_t off, size_t n, uint32_t site)
{
	uint32_t self = pd_thread_self();

	if (h.met && self == h.reader)
		reader_stored(off, site);
	if (site != pd_board()->hold.store || h.met)
		return;
	h.open = true;
	h.held = h.parked = pd_board()->hold.early;
	h.thread = self;
	h.order = pd_session.model.log->n;
	h.addr = off;
	h.end = off + n;
	h.steps = 0;
}

void pd_hold_persisting(uint64_t off, bool fence)
{
	if (h.met || h.parked || !h.open || pd_thread_self() != h.thread ||
	    (!fence && off / 64 != h.addr / 64) || !still_open())
		return;
	h.held = h.parked = true;
	h.steps = 0;
}

void pd_hold_loaded(uint64_t off, size_t n, uint32_t site)
{
	if (h.met || !h.open || site != pd_board()->hold.load || pd_thread_self() == h.thread ||
	    off >= h.end || off + n <= h.addr || !still_open())
		return;
	h.met = true;
	h.reader = pd_thread_self();
	h.steps = 0;
	pd_board()->hold.met = 1;
}

static void durable(uint32_t i)
{
	if (still_open() && !pd_board()->hold.effect) {
		pd_board()->hold.effect = h.effect[i].site;
		pd_check_publish(h.effect[i].site, false);
	}
	h.effect[i] = h.effect[--h.neffect];
}

void pd_hold_flushed(uint64_t off, bool at_once)
{
	if (!h.met || pd_thread_self() != h.reader)
		return;
	for (uint32_t i = h.neffect; i-- > 0;) {
		if (h.effect[i].line != off / 64)
			continue;
		h.effect[i].flushed = true;
		if (at_once)
			durable(i);
	}
}

void pd_hold_fenced(void)
{
	if (!h.met || pd_thread_self() != h.reader)
		return;
	for (uint32_t i = h.neffect; i-- > 0;)
		if (h.effect[i].flushed)
			durable(i);
}

bool pd_hold_here(void)
{
	return h.met && still_open();
}
