/* tso.c - see tso.h. */
#include "runtime/access/tso.h"
#include "base/hash.h"
#include "base/vec.h"
#include "model/order.h"
#include "runtime/access/mem.h"
#include "runtime/base/listen.h"
#include "runtime/pm/pool.h"
#include "runtime/thread/sched.h"
#include "runtime/pm/shadow.h"
#include "runtime/place/stack.h"
#include <string.h>

enum {
	ROOM = 16,   /* operations in one buffer */
	OLD = 32,    /* events of its thread for which an operation may stay the oldest */
	FRAMES = 24, /* of a call stack */
	CHECKED = 64,
};

struct waiting {
	uint8_t kind; /* enum pd_event_kind */
	uint8_t order;
	uint8_t size;
	uint8_t flush; /* enum pd_flush */
	uint32_t site;
	uint64_t off;
	uint8_t data[PD_WORD];
	uint32_t nstack;
	uintptr_t stack[FRAMES];
};

struct buffer {
	struct waiting op[ROOM]; /* oldest first */
	uint32_t n;
	uint32_t age; /* events since the oldest operation became the oldest */
};

bool pd_tso_on;

static struct {
	struct pd_arena arena;
	PD_VEC(struct buffer *) buffers; /* by thread */
	const struct waiting *leaving;
	uint64_t random;
	uint32_t leaves; /* one in this many events evicts the oldest operation */
	uint32_t parts;	 /* one in this many times other threads run first */
} tso;

static uint64_t draw(uint32_t n)
{
	tso.random += 0x9e3779b97f4a7c15ULL;
	return pd_mix(tso.random) % n;
}

static struct buffer *buffer_of(uint32_t thread)
{
	return thread < tso.buffers.n ? tso.buffers.v[thread] : NULL;
}

/* The running thread's buffer; NULL: nothing waits in it. */
static struct buffer *own(void)
{
	struct buffer *b = pd_rt.buffered && pd_inside() ? buffer_of(pd_thread_self()) : NULL;

	return b && b->n ? b : NULL;
}

static struct buffer *make_own(void)
{
	uint32_t self = pd_thread_self();
	struct buffer **at = pd_vec_at(&tso.buffers, &tso.arena, self);

	if (at && !*at)
		*at = pd_new(&tso.arena, struct buffer);
	if (!at || !*at)
		pd_rt_fail(4, "out of memory");
	return *at;
}

/* ---- what memory shows ---------------------------------------------------------------------- */

static bool is_store(const struct waiting *w)
{
	return w->kind == PD_EV_STORE;
}

static bool overlaps(const struct buffer *b, uint64_t off, size_t n)
{
	for (uint32_t i = 0; i < b->n; i++)
		if (is_store(&b->op[i]) && b->op[i].off < off + n &&
		    off < b->op[i].off + b->op[i].size)
			return true;
	return false;
}

/* Puts the thread's own stores on top of n bytes at off. (P6) */
static void overlay(const struct buffer *b, uint64_t off, size_t n, uint8_t *bytes)
{
	for (uint32_t i = 0; i < b->n; i++)
		for (uint32_t k = 0; is_store(&b->op[i]) && k < b->op[i].size; k++)
			if (b->op[i].off + k - off < n) /* wraps below off */
				bytes[b->op[i].off + k - off] = b->op[i].data[k];
}

/* Removes the thread's waiting stores from memory, unless another write has replaced them (a blind
 * store must still be found). */
static void hide(const struct buffer *b)
{
	for (uint32_t i = 0; i < b->n; i++) {
		const struct waiting *w = &b->op[i];
		uint8_t there[PD_WORD], mine[PD_WORD];

		if (!is_store(w))
			continue;
		pd_pool_peek(there, PD_PM_BASE + w->off, w->size);
		memcpy(mine, there, sizeof(mine));
		overlay(b, w->off, w->size, mine);
		for (uint32_t k = 0; k < w->size; k++)
			if (there[k] == mine[k])
				there[k] = *pd_shadow(w->off + k);
		pd_pool_poke(PD_PM_BASE + w->off, there, w->size);
	}
}

static void show(const struct buffer *b)
{
	for (uint32_t i = 0; i < b->n; i++)
		if (is_store(&b->op[i]))
			pd_pool_poke(PD_PM_BASE + b->op[i].off, b->op[i].data, b->op[i].size);
}

void pd_tso_show(void)
{
	const struct buffer *b = own();

	if (b)
		show(b);
}

void pd_tso_overlay(uint64_t off, size_t n, uint8_t *bytes)
{
	const struct buffer *b = own();

	if (b)
		overlay(b, off, n, bytes);
}

static void switching(uint32_t from, uint32_t to)
{
	const struct buffer *a = buffer_of(from), *b = buffer_of(to);

	if (a)
		hide(a);
	if (b)
		show(b);
}

void pd_tso_check(uint64_t off, const void *bytes, size_t n, uint32_t site)
{
	const struct buffer *b = own();
	uint8_t expected[CHECKED];

	if (!b || !overlaps(b, off, n)) {
		pd_shadow_check(off, bytes, n, site);
		return;
	}
	/* A recovery's reads are judged byte by byte: left by the crash, or stored by itself. */
	if (n <= CHECKED && !pd_mem.crashed) {
		memcpy(expected, pd_shadow(off), n);
		overlay(b, off, n, expected);
		if (memcmp(expected, bytes, n) == 0)
			return;
	}
	pd_tso_drain();
	pd_shadow_check(off, bytes, n, site);
}

/* ---- leaving -------------------------------------------------------------------------------- */

static enum pd_op op_of(const struct waiting *w)
{
	switch ((int)w->kind) { /* an int: few kinds wait */
	case PD_EV_STORE:
		return PD_OP_WRITE;
	case PD_EV_CLFLUSH:
		return PD_OP_FLUSH;
	case PD_EV_SFENCE:
		return PD_OP_SFENCE;
	default:
		return PD_OP_FLUSHOPT;
	}
}

static bool is_flushopt(const struct waiting *w)
{
	return w->kind == PD_EV_CLFLUSHOPT || w->kind == PD_EV_CLWB;
}

/* Whether one of the first n operations delays a clflushopt of this line. (P7) */
static bool held_up(const struct buffer *b, uint32_t n, uint64_t line)
{
	uint32_t shift = pd_mem.model.params.line_shift;

	for (uint32_t i = 0; i < n; i++)
		if (b->op[i].kind != PD_EV_CFENCE &&
		    pd_order_kept(op_of(&b->op[i]), PD_OP_FLUSHOPT,
				  b->op[i].off >> shift == line >> shift))
			return true;
	return false;
}

static void take_effect(const struct waiting *w)
{
	tso.leaving = w;
	if (is_store(w)) {
		pd_listen_unbuffered();
		pd_sched_progress();
		pd_mem_note_store(w->off, w->data, w->size, w->site, PD_EV_STORE,
				  (enum pd_order)w->order);
	} else if (w->kind == PD_EV_SFENCE || w->kind == PD_EV_CFENCE) {
		pd_mem_fence_now((enum pd_event_kind)w->kind, (enum pd_order)w->order, w->site);
	} else {
		pd_mem_flush_now(w->off, (enum pd_flush)w->flush, w->site);
	}
	tso.leaving = NULL;
}

static void leave(struct buffer *b, uint32_t i)
{
	struct waiting w = b->op[i];

	b->n--;
	pd_rt.buffered--;
	memmove(b->op + i, b->op + i + 1, (b->n - i) * sizeof(*b->op));
	take_effect(&w);
}

/* Evicts the oldest operation, and the flushes that only it delayed. */
static void evict(struct buffer *b)
{
	b->age = 0;
	leave(b, 0);
	for (uint32_t i = 0; i < b->n;)
		if (is_flushopt(&b->op[i]) && !held_up(b, i, b->op[i].off))
			leave(b, i);
		else
			i++;
}

void pd_tso_drain(void)
{
	struct buffer *b = own();

	while (b && b->n && !tso.leaving)
		evict(b);
}

/* Lets other threads run, sometimes: what waits, or has just left, makes a difference only then. */
static void others_first(void)
{
	if (!tso.leaving && draw(tso.parts) == 0)
		pd_sched_give_way();
}

static void drain_now(void)
{
	if (!pd_rt.unwinding)
		pd_tso_drain();
}

static void drain_in_turn(void)
{
	struct buffer *b = own();

	while (b && b->n && !pd_rt.unwinding && !tso.leaving) {
		others_first();
		if (b->n)
			evict(b);
	}
}

/* The thread has an event: an operation may leave its buffer first. Another thread may run. */
static void tick(void)
{
	struct buffer *b = own();

	if (!b || (++b->age < OLD && draw(tso.leaves) != 0))
		return;
	others_first();
	if (b->n)
		evict(b);
	others_first(); /* others see it before the current event */
}

/* ---- entering ------------------------------------------------------------------------------- */

static struct waiting *enter(enum pd_event_kind kind, uint64_t off, uint32_t site)
{
	struct buffer *b = make_own();
	struct waiting *w;

	if (b->n == ROOM)
		evict(b);
	w = &b->op[b->n++];
	pd_rt.buffered++;
	*w = (struct waiting){
		.kind = (uint8_t)kind, .order = PD_ORDER_NONE, .site = site, .off = off};
	/* The call that made an operation is what counts for a crash before it and for who made it,
	 * not the one that evicted it. */
	if (pd_listen.buffered.n || kind == PD_EV_SFENCE || kind == PD_EV_CLFLUSH)
		w->nstack = pd_rt_stack(w->stack, FRAMES);
	return w;
}

bool pd_tso_takes(uint64_t off, size_t n)
{
	return off % PD_WORD + n <= PD_WORD && pd_sched.nlive > 1 && !pd_sched.hold &&
	       !pd_sched.cur->in_libc && !tso.leaving;
}

void pd_tso_store(uint64_t off, const void *data, size_t n, uint32_t site, enum pd_order order)
{
	struct waiting *w = enter(PD_EV_STORE, off, site);

	w->order = (uint8_t)order;
	w->size = (uint8_t)n;
	memcpy(w->data, data, n);
	pd_listen_buffered(off, n, site);
}

bool pd_tso_flush(uint64_t line, enum pd_flush kind, uint32_t site)
{
	const struct buffer *b = own();

	if (!b || tso.leaving || (kind != PD_FLUSH_CLFLUSH && !held_up(b, b->n, line)))
		return false;
	enter(kind == PD_FLUSH_CLFLUSH	    ? PD_EV_CLFLUSH
	      : kind == PD_FLUSH_CLFLUSHOPT ? PD_EV_CLFLUSHOPT
					    : PD_EV_CLWB,
	      line, site)
		->flush = (uint8_t)kind;
	return true;
}

bool pd_tso_fence(enum pd_event_kind kind, enum pd_order order, uint32_t site)
{
	if (!own() || tso.leaving || kind == PD_EV_LFENCE)
		return false;
	/* A compiler fence orders earlier stores for an engine, which must hear of them in that
	 * order. */
	if (kind == PD_EV_SFENCE || (kind == PD_EV_CFENCE && order == PD_ORDER_RELEASE)) {
		enter(kind, 0, site)->order = (uint8_t)order;
		return true;
	}
	if (kind != PD_EV_CFENCE || (order != PD_ORDER_ACQUIRE && order != PD_ORDER_CONSUME))
		drain_in_turn();
	return false;
}

/* The call stack of the operation that is leaving a buffer; false: none is, or no stack was
 * kept. */
static bool stack_of_leaving(uintptr_t *pc, uint32_t max, uint32_t *n)
{
	const struct waiting *w = tso.leaving;

	if (!w || !w->nstack)
		return false;
	*n = PD_MIN(w->nstack, max);
	memcpy(pc, w->stack, *n * sizeof(*pc));
	return true;
}

/* ---- a schedule ----------------------------------------------------------------------------- */

void pd_tso_seed(uint64_t seed)
{
	pd_tso_stop();
	if (!seed)
		return;
	if (!tso.arena.host.grow)
		pd_arena_init(&tso.arena, pd_rt_memory());
	tso.random = pd_mix(seed ^ 0x74736f);
	tso.leaves = 4u << draw(4);
	tso.parts = 2u << draw(3);
	pd_rt.drain = drain_in_turn;
	pd_rt.drain_now = drain_now;
	pd_rt.switching = switching;
	pd_rt.tick = tick;
	pd_rt.stack = stack_of_leaving;
	pd_tso_on = true;
}

void pd_tso_stop(void)
{
	for (uint32_t i = 0; i < tso.buffers.n; i++)
		if (tso.buffers.v[i])
			tso.buffers.v[i]->n = 0;
	pd_rt.buffered = 0;
	pd_tso_on = false;
}
