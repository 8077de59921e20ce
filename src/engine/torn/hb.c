/* hb.c - see hb.h. */
#include "engine/torn/hb.h"

/* A lock is a different object from the words that it consists of. */
#define LOCK (1ULL << 62)

/* ---- clocks --------------------------------------------------------------------------------- */

/* Returns whether something changed. */
static bool raise_part(pd_hb_clock *c, struct pd_arena *a, uint32_t tid, uint64_t to)
{
	uint64_t *part = pd_vec_at(c, a, tid);

	if (!part || *part >= to)
		return false;
	*part = to;
	return true;
}

static bool join(pd_hb_clock *into, struct pd_arena *a, const pd_hb_clock *from)
{
	bool changed = false;

	for (uint32_t i = 0; i < from->n; i++)
		if (from->v[i])
			changed |= raise_part(into, a, i, from->v[i]);
	return changed;
}

static pd_hb_clock *object_of(struct pd_hb *hb, uint64_t addr)
{
	uint64_t *at = pd_map_put(&hb->objects, hb->arena, addr);

	if (at && !*at)
		*at = (uintptr_t)pd_arena_alloc(hb->arena, sizeof(pd_hb_clock));
	return at ? (pd_hb_clock *)(uintptr_t)*at : NULL;
}

/* ---- edges ---------------------------------------------------------------------------------- */

/* The thread knows more from time `from` on. */
static void new_segment(struct pd_hb *hb, struct pd_hb_thread *t, uint64_t from)
{
	struct pd_hb_segment *s = pd_vec_push(&t->segments, hb->arena);
	uint64_t *at = s ? pd_new_array(hb->arena, uint64_t, t->now.n) : NULL;

	if (!s)
		return;
	if (at)
		memcpy(at, t->now.v, t->now.n * sizeof(*at));
	*s = (struct pd_hb_segment){from, at, at ? t->now.n : 0};
}

static void learn(struct pd_hb *hb, uint32_t tid, const pd_hb_clock *from, uint64_t at)
{
	struct pd_hb_thread *t = pd_vec_at(&hb->threads, hb->arena, tid);

	if (t && from && join(&t->now, hb->arena, from))
		new_segment(hb, t, at);
}

/* Adds all that the thread has done and knows to a clock. */
static void publish_clock(struct pd_hb *hb, uint32_t tid, pd_hb_clock *into, uint64_t at)
{
	struct pd_hb_thread *t = pd_vec_at(&hb->threads, hb->arena, tid);

	if (!t || !into)
		return;
	join(into, hb->arena, &t->now);
	raise_part(into, hb->arena, tid, at);
}

static void forget(pd_hb_clock *c)
{
	if (c && c->n)
		memset(c->v, 0, c->n * sizeof(*c->v));
}

static void create(struct pd_hb *hb, uint32_t tid, uint32_t child, uint64_t at)
{
	struct pd_hb_thread *t = pd_vec_at(&hb->threads, hb->arena, PD_MAX(tid, child));

	if (!t)
		return;
	t = &hb->threads.v[child];
	publish_clock(hb, tid, &t->now, at);
	new_segment(hb, t, 0);
}

/* ---- atomics -------------------------------------------------------------------------------- */

static bool acquires(uint8_t order)
{
	return order != PD_ORDER_RELAXED && order != PD_ORDER_RELEASE;
}

static bool releases(uint8_t order)
{
	return order != PD_ORDER_RELAXED && order != PD_ORDER_ACQUIRE && order != PD_ORDER_CONSUME;
}

static void atomic_load(struct pd_hb *hb, const struct pd_event *e, uint64_t at)
{
	pd_hb_clock *o = object_of(hb, e->addr);
	struct pd_hb_thread *t = pd_vec_at(&hb->threads, hb->arena, e->tid);

	if (!o || !t)
		return;
	if (acquires(e->order))
		learn(hb, e->tid, o, at);
	else
		join(&t->acquired, hb->arena, o);
}

static void publish(struct pd_hb *hb, const struct pd_event *e, pd_hb_clock *o, uint64_t at)
{
	struct pd_hb_thread *t = pd_vec_at(&hb->threads, hb->arena, e->tid);

	if (!o || !t)
		return;
	if (releases(e->order))
		publish_clock(hb, e->tid, o, at);
	else
		join(o, hb->arena, &t->released);
}

/* A store begins a release sequence, or ends one; a read-modify-write continues it. */
static void atomic_store(struct pd_hb *hb, const struct pd_event *e, uint64_t at)
{
	pd_hb_clock *o = object_of(hb, e->addr);

	forget(o);
	publish(hb, e, o, at);
}

static void fence(struct pd_hb *hb, const struct pd_event *e, uint8_t order, uint64_t at)
{
	struct pd_hb_thread *t = pd_vec_at(&hb->threads, hb->arena, e->tid);

	if (!t)
		return;
	if (acquires(order))
		learn(hb, e->tid, &t->acquired, at);
	t = pd_vec_at(&hb->threads, hb->arena, e->tid);
	if (releases(order))
		publish_clock(hb, e->tid, &t->released, at);
}

/* ---- events --------------------------------------------------------------------------------- */

static uint32_t words_of(const struct pd_event *e)
{
	return e->size ? (uint32_t)((e->addr + e->size - 1) / 8 - e->addr / 8) + 1 : 0;
}

/* A locked instruction that stores to PM, or a sequentially consistent store, which is one. */
static bool is_locked_store(const struct pd_event *e)
{
	return e->kind == PD_EV_RMW || (e->kind == PD_EV_STORE && e->order == PD_ORDER_SEQ_CST);
}

struct pd_hb_now pd_hb_tick(struct pd_hb *hb, const struct pd_event *e, uint32_t stores)
{
	struct pd_hb_now now;

	now.at = PD_MAX(hb->last, pd_hb_store_time(stores)) + 1;
	hb->last = now.at;
	now.locked = now.at;
	if (is_locked_store(e))
		now.locked = pd_hb_store_time(stores - PD_MIN(words_of(e), stores) + 1) - 1;
	return now;
}

void pd_hb_event(struct pd_hb *hb, const struct pd_event *e, struct pd_hb_now now)
{
	bool atomic = e->order != PD_ORDER_NONE;
	const uint64_t *at;

	switch ((int)e->kind) { /* an int: most kinds order nothing */
	case PD_EV_THREAD_CREATE:
		create(hb, e->tid, (uint32_t)e->aux, now.at);
		break;
	case PD_EV_THREAD_END:
		if (pd_vec_at(&hb->threads, hb->arena, e->tid))
			publish_clock(hb, e->tid, &hb->threads.v[e->tid].end, now.at);
		break;
	case PD_EV_THREAD_JOIN:
		if (pd_vec_at(&hb->threads, hb->arena, (uint32_t)e->aux))
			learn(hb, e->tid, &hb->threads.v[e->aux].end, now.at);
		break;
	case PD_EV_ACQUIRE:
	case PD_EV_WAIT:
		learn(hb, e->tid, object_of(hb, e->addr | LOCK), now.at);
		break;
	case PD_EV_RELEASE:
	case PD_EV_SIGNAL:
		publish_clock(hb, e->tid, object_of(hb, e->addr | LOCK), now.at);
		break;
	case PD_EV_LOAD:
	case PD_EV_ATOMIC_LOAD:
	case PD_EV_RMW_FAILED:
		if (atomic || e->kind == PD_EV_RMW_FAILED)
			atomic_load(hb, e, now.at);
		break;
	case PD_EV_STORE:
	case PD_EV_NTSTORE:
	case PD_EV_ATOMIC_STORE:
		if (atomic)
			atomic_store(hb, e, now.at);
		else if ((at = pd_map_get(&hb->objects, e->addr)))
			/* A thread that reads it synchronises with nobody */
			forget((pd_hb_clock *)(uintptr_t)*at);
		break;
	case PD_EV_RMW: /* of inline asm: no order given, the strongest assumed */
	case PD_EV_ATOMIC_RMW:
		atomic_load(hb, e, now.locked);
		publish(hb, e, object_of(hb, e->addr), now.at);
		break;
	case PD_EV_CFENCE:
		fence(hb, e, e->order, now.at);
		break;
	case PD_EV_MFENCE:
		fence(hb, e, PD_ORDER_SEQ_CST, now.at);
		break;
	default:
		break;
	}
}

/* ---- questions ------------------------------------------------------------------------------ */

const uint64_t *pd_hb_clock_at(const struct pd_hb *hb, uint32_t tid, uint64_t at, uint32_t *n)
{
	const struct pd_hb_thread *t = tid < hb->threads.n ? &hb->threads.v[tid] : NULL;
	uint32_t lo = 0, hi = t ? t->segments.n : 0;

	*n = 0;
	if (!hi || t->segments.v[0].from > at)
		return NULL;
	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (t->segments.v[mid].from <= at)
			lo = mid;
		else
			hi = mid;
	}
	*n = t->segments.v[lo].n;
	return t->segments.v[lo].at;
}

bool pd_hb_before(const struct pd_hb *hb, uint32_t tid, uint64_t at, uint32_t tid2, uint64_t at2)
{
	const uint64_t *clock;
	uint32_t n;

	if (tid == tid2)
		return at < at2;
	clock = pd_hb_clock_at(hb, tid2, at2, &n);
	return tid < n && clock[tid] >= at;
}
