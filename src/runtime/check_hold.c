/* check_hold.c - see check_hold.h. */
#include "runtime/check_hold.h"
#include "base/hash.h"
#include "engine/crash/board.h"
#include "engine/crash/walk.h"
#include "runtime/check.h"
#include "runtime/check_walker.h"
#include "runtime/raw.h"
#include "runtime/sched.h"
#include "runtime/session.h"
#include "runtime/tso.h"

enum {
	HOLD_STEPS = 3000,
	EFFECTS = 16,
	WINDOWS = 256, /* of the latest stores: older ones, which nobody has read yet, are forgotten */
};

bool pd_hold_on;

/* A store that may not be durable yet. */
struct window {
	uint64_t addr;
	uint64_t end;
	uint32_t from;	 /* its places in the log, from 1 */
	uint32_t to;	 /* behind the last; 0: none */
	uint32_t thread;
	uint32_t number; /* from 1 */
};

static struct {
	struct window window[WINDOWS]; /* a ring, by number */
	uint32_t made;
	struct window next; /* whose thread is to be held */
	bool held;	    /* it is kept from running */
	uint64_t steps;
	bool met;
	struct window at; /* where they met */
	uint32_t reader;
	bool acts; /* it has stored something since */
	bool told; /* and that was durable */
	uint32_t nmet;
	uint32_t nacted;
	struct pd_sched_random random;
	struct pd_chooser base;
	/* What the reader has stored since, and is not durable. */
	struct {
		uint64_t line;
		uint32_t site;
		bool flushed;
	} effect[EFFECTS];
	uint32_t neffect;
} h;

static bool is_open(const struct window *w)
{
	const struct pd_line *line = w->to ? pd_model_line(&pd_session.model, w->addr) : NULL;

	return line && line->cur.log && line->cur.must < w->to - 1;
}

/* Nothing more can come of this execution. */
static _Noreturn void leave(void)
{
	pd_walker_drain();
	pd_raw(SYS_exit_group, 0, 0, 0, 0, 0, 0);
	__builtin_unreachable();
}

/* ---- who runs ------------------------------------------------------------------------------- */

static uint32_t number_of(uint32_t candidate)
{
	return pd_sched.live[pd_sched.candidates[candidate]]->number;
}

/* Somebody else than the one who is held; in three of four cases the reader. */
static uint32_t other(uint32_t pick, uint32_t n)
{
	uint32_t i = 0, others = 0;

	for (i = 0; i < n; i++)
		others += number_of(i) != h.next.thread;
	if (!others || ++h.steps > HOLD_STEPS) { /* all wait, perhaps for this one */
		h.held = false;
		return pick;
	}
	for (i = 0; h.met && h.steps % 4 && i < n; i++)
		if (number_of(i) == h.reader && h.reader != h.next.thread)
			return i;
	while (number_of(pick) == h.next.thread)
		pick = (pick + 1) % n;
	return pick;
}

static uint32_t choose(void *ctx, enum pd_choice_kind kind, uint32_t n)
{
	const struct pd_board *b = pd_board();
	uint32_t pick;

	(void)ctx;
	if (__atomic_load_n(&b->stop, __ATOMIC_RELAXED))
		leave();
	if (h.met && b->hold.instance == h.at.number && !is_open(&h.at))
		leave();
	pick = h.base.pick(h.base.ctx, kind, n);
	return kind == PD_CHOICE_THREAD && h.held && pd_sched.candidates ? other(pick, n) : pick;
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

/* Whether this is the reader, and the store is still not durable. */
static bool is_reader(void)
{
	h.met = h.met && is_open(&h.at);
	return h.met && pd_thread_self() == h.reader;
}

static void reader_stored(uint64_t off, uint32_t site)
{
	if (off / 64 == h.at.addr / 64 || h.neffect == EFFECTS)
		return; /* in one line a later store is never there without an earlier one */
	h.effect[h.neffect].line = off / 64;
	h.effect[h.neffect].site = site;
	h.effect[h.neffect++].flushed = false;
	h.acts = true;
}

void pd_hold_stored(uint64_t off, size_t n, uint32_t site)
{
	uint32_t logged = pd_session.model.log->n, words = (uint32_t)(off % 8 + n + 7) / 8;
	struct window *w;

	if (is_reader())
		reader_stored(off, site);
	if (site != pd_board()->hold.store)
		return;
	w = &h.window[h.made++ % WINDOWS];
	*w = (struct window){.addr = off, .end = off + n, .from = logged - words + 1, .to = logged + 1,
			     .thread = pd_thread_self(), .number = h.made};
	if (h.held)
		return;
	h.next = *w;
	h.held = pd_board()->hold.early;
	h.steps = 0;
}

void pd_hold_persisting(uint64_t off, bool fence)
{
	if (h.held || !h.next.to || pd_thread_self() != h.next.thread ||
	    (!fence && off / 64 != h.next.addr / 64))
		return;
	h.held = is_open(&h.next) && !h.steps; /* once is enough */
	h.steps = 1;
}

static bool is_wanted(uint32_t site)
{
	const struct pd_board_hold *to = &pd_board()->hold;

	for (uint32_t i = 0; i < to->nload; i++)
		if (to->load[i] == site)
			return true;
	return false;
}

/* One of all that there are, each as likely as the others. */
static bool is_drawn(uint32_t *n)
{
	++*n;
	return pd_mix(pd_rt.seed ^ (uint64_t)*n << 32) % *n == 0;
}

/* From now on it is for this store's thread to wait. */
static void meet(const struct window *w)
{
	struct pd_board_hold *to = &pd_board()->hold;

	h.met = h.held = true;
	h.at = h.next = *w;
	h.reader = pd_thread_self();
	h.neffect = 0;
	h.acts = h.told = false;
	h.steps = 1;
	if (!to->instance && is_drawn(&h.nmet))
		to->met = w->number;
}

/* The latest store of those bytes is the one that was read. */
void pd_hold_loaded(uint64_t off, size_t n, uint32_t site)
{
	uint32_t oldest = h.made > WINDOWS ? h.made - WINDOWS : 0;

	if (!is_wanted(site) || (h.met && is_open(&h.at)))
		return;
	for (uint32_t i = h.made; i-- > oldest;) {
		const struct window *w = &h.window[i % WINDOWS];

		if (off >= w->end || off + n <= w->addr)
			continue;
		if (w->thread != pd_thread_self() && is_open(w))
			meet(w);
		return;
	}
}

/* An effect without its cause. */
static void durable(uint32_t i)
{
	struct pd_board_hold *to = &pd_board()->hold;
	uint32_t site = h.effect[i].site;

	h.effect[i] = h.effect[--h.neffect];
	if (to->instance || h.told)
		return;
	h.told = true;
	if (!is_drawn(&h.nacted))
		return;
	to->acted = h.at.number;
	to->effect = site;
	pd_check_publish(site, false);
}

void pd_hold_flushed(uint64_t off, bool at_once)
{
	if (!h.neffect || !is_reader())
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
	if (!h.neffect || !is_reader())
		return;
	for (uint32_t i = h.neffect; i-- > 0;)
		if (h.effect[i].flushed)
			durable(i);
}

/* ---- crashes -------------------------------------------------------------------------------- */

bool pd_hold_here(void)
{
	const struct pd_board_hold *to = &pd_board()->hold;

	return h.met && to->instance == h.at.number && is_open(&h.at) && (h.acts || !to->acted);
}

void pd_hold_watch(struct pd_walk_watch *w)
{
	w->from = pd_hold_on ? h.at.from : 0;
	w->to = pd_hold_on ? h.at.to : 0;
	w->line = h.at.addr >> pd_session.model.params.line_shift;
	w->only = pd_hold_on && pd_board()->hold.scout;
}

void pd_hold_judge(const struct pd_walk_watch *w)
{
	struct pd_board_hold *to = &pd_board()->hold;
	struct pd_tree_node *none = NULL;

	if (!pd_hold_on)
		return;
	__atomic_fetch_add(&to->judged, w->good, __ATOMIC_RELAXED);
	if (w->bad)
		__atomic_compare_exchange_n(&to->bad, &none, w->bad, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}
