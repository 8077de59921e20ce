/* check/hold.c - see check/hold.h. */
#include "runtime/check/hold.h"
#include "base/hash.h"
#include "protocol/board.h"
#include "engine/crash/walk.h"
#include "event/channel.h"
#include "runtime/check/check.h"
#include "runtime/check/walker.h"
#include "runtime/base/raw.h"
#include "runtime/thread/sched.h"
#include "runtime/session/session.h"
#include "runtime/thread/snapshot.h"
#include "runtime/access/tso.h"

enum {
	HOLD_STEPS = 3000,
	/* Loads of the same by the reader, which has stored nothing: it does not act on it */
	AGAIN = 4,
	ONE_IN = 4, /* times that the store is made, and that the load comes too early */
	EFFECTS = 16,
	SCOUTS_A_WINDOW = 3,
	SCOUTS = 60, /* recoveries at effects, of one execution */
	/* Of the latest stores: older ones, which nobody has read yet, are forgotten */
	WINDOWS = 2048,
};

bool pd_hold_on;

/* A store that may not be durable yet. */
struct window {
	uint64_t addr;
	uint64_t end;
	uint32_t from; /* its places in the log, from 1 */
	uint32_t to;   /* behind the last; 0: none */
	uint32_t thread;
	uint32_t number; /* from 1 */
};

static struct {
	struct window window[WINDOWS]; /* a ring, by number */
	uint32_t made;
	struct window next; /* whose thread is to be held */
	bool held;	    /* it is kept from running */
	uint64_t steps;
	/* 1 + the number of a thread that would load too early, and waits for the store; 0: none */
	uint32_t early;
	uint64_t waits;
	uint64_t drawn;
	bool met;
	struct window at; /* where they met */
	uint32_t reader;
	uint32_t again;
	uint32_t left; /* the number of a store that the reader did not act on */
	bool acts;     /* it has stored something since */
	uint32_t told; /* of that, so much was durable */
	bool scouting;
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

/* Somebody else than this one; n: there is nobody. */
static uint32_t but(uint32_t number, uint32_t pick, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++, pick = (pick + 1) % n)
		if (number_of(pick) != number)
			return pick;
	return n;
}

/* Somebody else than the one who is held; in three of four cases the reader. */
static uint32_t other(uint32_t pick, uint32_t n)
{
	uint32_t to = but(h.next.thread, pick, n);

	if (to == n || ++h.steps > HOLD_STEPS) { /* all wait, perhaps for this one */
		h.held = false;
		return pick;
	}
	for (uint32_t i = 0; h.met && h.steps % 4 && i < n; i++)
		if (number_of(i) == h.reader && h.reader != h.next.thread)
			return i;
	return to;
}

/* Somebody else than the one who waits for the store. */
static uint32_t not_early(uint32_t pick, uint32_t n)
{
	uint32_t to = but(h.early - 1, pick, n);

	if (to == n || ++h.waits > HOLD_STEPS) {
		h.early = 0;
		return pick;
	}
	return to;
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
	if (kind != PD_CHOICE_THREAD || !pd_sched.candidates)
		return pick;
	if (h.held)
		return other(pick, n);
	return h.early ? not_early(pick, n) : pick;
}

static void use_seed(void)
{
	pd_tso_stop(); /* it is for the store to be seen before it is durable */
	h.base = pd_sched_random(&h.random, pd_rt.seed);
	h.drawn = pd_rt.seed << 32;
	pd_rt.chooser = (struct pd_chooser){choose, NULL};
}

void pd_hold_begin(void)
{
	pd_hold_on = pd_board()->hold.store != 0;
	if (pd_hold_on)
		use_seed();
}

/* ---- snapshots ------------------------------------------------------------------------------ */

static void sort_windows(void)
{
	for (uint32_t i = 1; i < h.made; i++)
		for (uint32_t k = i; k && h.window[k - 1].from > h.window[k].from; k--) {
			struct window w = h.window[k];

			h.window[k] = h.window[k - 1];
			h.window[k - 1] = w;
		}
	for (uint32_t i = 0; i < h.made; i++)
		h.window[i].number = i + 1;
}

/* The store that is asked for now, as far as it was made before there were threads and is not
 * durable. */
static void find_windows(void)
{
	uint32_t shift = pd_session.model.params.line_shift, store = pd_board()->hold.store;

	h.made = 0;
	for (struct pd_line *line = pd_session.model.lines; line; line = line->next)
		for (uint32_t i = line->cur.log ? line->cur.first : 0; i && h.made < WINDOWS;) {
			const struct pd_store *s = pd_log_at(line->cur.log, i - 1);
			uint64_t addr = (line->cur.line << shift) + s->off;

			if (s->site == store && i > line->cur.must)
				h.window[h.made++] = (struct window){.addr = addr,
								     .end = addr + s->size,
								     .from = i,
								     .to = i + 1,
								     .thread = s->tid};
			i = s->next;
		}
	sort_windows();
}

static bool next_seed(uint64_t *seed)
{
	struct pd_zygote_order o;
	long n;

	do
		n = pd_raw_read(pd_session.zygote, &o, sizeof(o));
	while (n == -EINTR);
	*seed = o.seed;
	return n == sizeof(o) && o.what == PD_ZYGOTE_RUN;
}

void pd_hold_serve(void)
{
	static bool serves;
	long input = pd_check_input_offset();
	uint64_t seed = pd_rt.seed;

	if (serves)
		return;
	serves = true;
	do {
		struct pd_zygote_answer a = {0};
		pid_t pid = pd_snapshot_fork();

		if (pid == 0) {
			pd_raw_close(pd_session.zygote);
			pd_check_input_again(input);
			pd_session_seed(seed);
			use_seed();
			find_windows();
			return;
		}
		a.error = pid < 0 ? -pid : -pd_snapshot_wait(pid, &a.status);
		if (pd_raw_write(pd_session.zygote, &a, sizeof(a)) != sizeof(a))
			break;
	} while (next_seed(&seed));
	pd_raw(SYS_exit_group, 0, 0, 0, 0, 0, 0);
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

/* In some executions it is for each of many times that the store is made, and the load comes, to be
 * the one. */
static bool now_and_then(void)
{
	return !pd_board()->hold.rarely || pd_mix(++h.drawn) % ONE_IN == 0;
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
	*w = (struct window){.addr = off,
			     .end = off + n,
			     .from = logged - words + 1,
			     .to = logged + 1,
			     .thread = pd_thread_self(),
			     .number = h.made};
	h.early = 0;
	if (h.held || !now_and_then())
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
	h.acts = false;
	h.told = h.again = 0;
	h.steps = 1;
	if (!to->instance && is_drawn(&h.nmet))
		to->met = w->number;
}

/* The latest store of these bytes, if it is not durable; else NULL. */
static const struct window *window_of(uint64_t off, size_t n)
{
	uint32_t oldest = h.made > WINDOWS ? h.made - WINDOWS : 0;

	for (uint32_t i = h.made; i-- > oldest;) {
		const struct window *w = &h.window[i % WINDOWS];

		if (off < w->end && off + n > w->addr)
			return is_open(w) ? w : NULL;
	}
	return NULL;
}

/* Too early: the store is still to come, perhaps. */
void pd_hold_loading(uint64_t off, size_t n, uint32_t site)
{
	if (!pd_board()->hold.rarely || h.held || h.early || h.met || !is_wanted(site) ||
	    window_of(off, n) || !now_and_then())
		return;
	h.early = pd_thread_self() + 1;
	h.waits = 0;
}

/* It comes round again and again: go on, it may act on a later one. */
static void come_again(const struct window *w)
{
	if (h.acts || pd_thread_self() != h.reader || w->number != h.at.number || ++h.again < AGAIN)
		return;
	h.left = h.at.number;
	h.met = h.held = false;
}

void pd_hold_loaded(uint64_t off, size_t n, uint32_t site)
{
	const struct window *w = is_wanted(site) ? window_of(off, n) : NULL;

	if (!w || w->thread == pd_thread_self())
		return;
	if (h.met && is_open(&h.at))
		come_again(w);
	else if (w->number != h.left)
		meet(w);
}

/* A recovery that finds all but the store. */
static void scout(uint32_t site)
{
	struct pd_board_hold *to = &pd_board()->hold;
	uint32_t judged = to->judged, resets = to->resets;

	if (h.told > SCOUTS_A_WINDOW || to->scouts == SCOUTS || to->bad)
		return;
	h.scouting = true;
	if (pd_check_crash(PD_EV_SFENCE, site)) {
		to->scouts++;
		to->looked += to->judged > judged;
		to->reset += to->judged == judged && to->resets > resets;
	}
	h.scouting = false;
}

/* An effect without its cause. */
static void durable(uint32_t i, uint32_t site)
{
	struct pd_board_hold *to = &pd_board()->hold;
	uint32_t effect = h.effect[i].site;

	h.effect[i] = h.effect[--h.neffect];
	if (to->instance)
		return;
	if (!h.told++ && is_drawn(&h.nacted))
		to->acted = h.at.number;
	if (!to->bad)
		to->effect = effect;
	pd_check_publish(effect, false);
	scout(site);
}

void pd_hold_flushed(uint64_t off, bool at_once, uint32_t site)
{
	if (!h.neffect || !is_reader())
		return;
	for (uint32_t i = h.neffect; i-- > 0;) {
		if (h.effect[i].line != off / 64)
			continue;
		h.effect[i].flushed = true;
		if (at_once)
			durable(i, site);
	}
}

void pd_hold_fenced(uint32_t site)
{
	if (!h.neffect || !is_reader())
		return;
	for (uint32_t i = h.neffect; i-- > 0;)
		if (h.effect[i].flushed)
			durable(i, site);
}

/* ---- crashes -------------------------------------------------------------------------------- */

void pd_hold_recovered(void)
{
	struct pd_board_hold *to = &pd_board()->hold;
	uint64_t block = to->addr & ~(uint64_t)(PD_BLOCK - 1), mask;

	if (to->end <= to->addr || to->end > block + PD_BLOCK)
		return;
	mask = (to->end - to->addr == PD_BLOCK ? UINT64_MAX : (1ULL << (to->end - to->addr)) - 1)
	       << (to->addr - block);
	if (!(pd_check_bytes_read(block) & mask) && (pd_check_bytes_written(block) & mask) == mask)
		pd_board_count(to->resets);
}

bool pd_hold_here(void)
{
	const struct pd_board_hold *to = &pd_board()->hold;

	return h.met && to->instance == h.at.number && is_open(&h.at) && (h.acts || !to->acted);
}

void pd_hold_watch(struct pd_walk_watch *w)
{
	w->from = pd_hold_on ? h.at.from : 0;
	w->to = pd_hold_on ? h.at.to : 0;
	pd_board()->hold.addr = h.at.addr;
	pd_board()->hold.end = h.at.end;
	w->again = h.scouting && !pd_board()->hold.judged;
	w->line = h.at.addr >> pd_session.model.params.line_shift;
	w->only = pd_hold_on && (h.scouting || pd_board()->hold.scout);
}

void pd_hold_judge(const struct pd_walk_watch *w)
{
	struct pd_board_hold *to = &pd_board()->hold;
	struct pd_tree_node *none = NULL;

	if (!pd_hold_on)
		return;
	__atomic_fetch_add(&to->judged, w->good, __ATOMIC_RELAXED);
	if (w->bad)
		__atomic_compare_exchange_n(&to->bad, &none, w->bad, false, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED);
}
