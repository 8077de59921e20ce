/*
 * order.c - happens-before between threads: vector clocks through everything but locks; and a
 * second clock through locks as well, the order of the run, for recycled memory (recycle.c).
 *
 * A thread's own component is its epoch. It advances whenever something of the thread becomes known
 * to others, so that all that happened in one epoch becomes known together. Snapshots of a clock
 * are shared and reference-counted: only open windows, waiting loads and pending flushes have one.
 */
#include "engine/lockset/state.h"

/* ---- threads -------------------------------------------------------------------------------- */

struct pd_ls_thread *pd_ls_thread_made(struct pd_lockset *l, uint32_t tid)
{
	struct pd_ls_thread *t;

	while (l->threads.n <= tid) {
		const struct pd_known_thread **known = pd_vec_push(&l->known_threads, l->arena);
		struct pd_ls_thread **at = known ? pd_vec_push(&l->threads, l->arena) : NULL;

		if (!at) {
			l->failed = true;
			return NULL;
		}
		*at = NULL;
		*known = NULL;
		l->known.threads = l->known_threads.v;
		l->known.nthreads = l->threads.n;
	}
	t = l->threads.v[tid];
	if (t)
		return t;
	t = pd_new(l->arena, struct pd_ls_thread);
	if (!t || !pd_clock_tick(&t->clock, l->arena, tid) ||
	    !pd_clock_tick(&t->run, l->arena, tid)) {
		l->failed = true;
		return NULL;
	}
	t->known.generation = l->generation << 20;
	pd_ls_holds(t);
	l->threads.v[tid] = t;
	l->known_threads.v[tid] = &t->known;
	return t;
}

/* ---- snapshots ------------------------------------------------------------------------------ */

static struct pd_ls_then *make_then(struct pd_lockset *l, uint32_t n)
{
	uint32_t cap = 2;
	struct pd_ls_then *s;

	while (1U << cap < n)
		cap++;
	s = l->free_then[cap % 16];
	if (s && s->cap == cap)
		l->free_then[cap % 16] = s->next;
	else
		s = pd_arena_alloc(l->arena, sizeof(*s) + sizeof(s->at[0]) * ((size_t)1 << cap));
	if (s) {
		s->cap = cap;
		s->refs = 1;
		s->n = n;
	} else {
		l->failed = true;
	}
	return s;
}

static struct pd_ls_then *then_of(struct pd_lockset *l, const struct pd_clock *c)
{
	struct pd_ls_then *s = make_then(l, c->at.n);

	if (s)
		memcpy(s->at, c->at.v, c->at.n * sizeof(uint32_t));
	return s;
}

struct pd_ls_then *pd_ls_now(struct pd_lockset *l, struct pd_ls_thread *t)
{
	if (!t->now)
		t->now = then_of(l, &t->clock);
	return t->now;
}

struct pd_ls_then *pd_ls_run(struct pd_lockset *l, struct pd_ls_thread *t)
{
	if (!t->run_now)
		t->run_now = then_of(l, &t->run);
	return t->run_now;
}

struct pd_ls_then *pd_ls_keep(struct pd_ls_then *then)
{
	then->refs++;
	return then;
}

void pd_ls_drop(struct pd_lockset *l, struct pd_ls_then *then)
{
	if (!then || --then->refs)
		return;
	then->next = l->free_then[then->cap % 16];
	l->free_then[then->cap % 16] = then;
}

static void changed(struct pd_lockset *l, struct pd_ls_thread *t)
{
	if (t->now)
		pd_ls_drop(l, t->now);
	t->now = NULL;
	t->window_bit = 0;
}

/* Marks the object for signals under a lock; no address has this bit. */
#define UNDER (1ULL << 62)

/* ---- edges ---------------------------------------------------------------------------------- */

static struct pd_ls_object *object_at(struct pd_lockset *l, uint64_t key, bool make)
{
	uint64_t *at = make ? pd_map_put(&l->objects, l->arena, key) : pd_map_get(&l->objects, key);

	if (at && !*at && make)
		*at = (uintptr_t)pd_new(l->arena, struct pd_ls_object);
	if (make && (!at || !*at))
		l->failed = true;
	return at ? (struct pd_ls_object *)(uintptr_t)*at : NULL;
}

static void run_changed(struct pd_lockset *l, struct pd_ls_thread *t)
{
	if (t->run_now)
		pd_ls_drop(l, t->run_now);
	t->run_now = NULL;
}

static void run_tick(struct pd_lockset *l, struct pd_ls_thread *t, uint32_t tid)
{
	t->run.at.v[tid]++; /* it has ticked when the thread was made */
	run_changed(l, t);
}

static void run_learn(struct pd_lockset *l, struct pd_ls_thread *t, const struct pd_clock *from)
{
	if (pd_clock_leq(from, &t->run))
		return;
	if (!pd_clock_join(&t->run, l->arena, from))
		l->failed = true;
	run_changed(l, t);
}

static void tick(struct pd_lockset *l, struct pd_ls_thread *t, uint32_t tid)
{
	if (!pd_clock_tick(&t->clock, l->arena, tid))
		l->failed = true;
	changed(l, t);
	t->known.bit = 0;
	run_tick(l, t, tid);
}

static void learn_clock(struct pd_lockset *l, struct pd_ls_thread *t, const struct pd_clock *from)
{
	if (pd_clock_leq(from, &t->clock))
		return;
	if (!pd_clock_join(&t->clock, l->arena, from))
		l->failed = true;
	changed(l, t);
}

static void learn(struct pd_lockset *l, struct pd_ls_thread *t, const struct pd_ls_object *from)
{
	learn_clock(l, t, &from->clock);
	run_learn(l, t, &from->run);
}

static void announce(struct pd_lockset *l, const struct pd_ls_thread *t, struct pd_ls_object *o)
{
	if (!pd_clock_join(&o->clock, l->arena, &t->clock) ||
	    !pd_clock_join(&o->run, l->arena, &t->run))
		l->failed = true;
}

/*
 * Locks are edges in the order of the run only. Readers come after writers, writers after all: a
 * writer that releases a lock knows all that the lock knew. A thread that knows the step of that
 * writer knows it, too, so most threads that take a lock learn nothing.
 */
bool pd_ls_take(struct pd_lockset *l, uint32_t tid, uint32_t lock, bool shared, bool guessed,
		uint32_t place)
{
	struct pd_ls_thread *t = l->threads.v[tid];
	struct pd_lock *x = &l->locks.locks.v[lock];

	if (!pd_locks_take(&l->locks, &t->holds, lock, shared, guessed, tid, place)) {
		l->failed = true;
		return false;
	}
	pd_ls_holds(t);
	if (x->step > pd_clock_get(&t->run, x->writer))
		run_learn(l, t, &x->written);
	if (!shared && x->read.at.n)
		run_learn(l, t, &x->read);
	return true;
}

bool pd_ls_give(struct pd_lockset *l, uint32_t tid, uint32_t lock)
{
	struct pd_ls_thread *t = l->threads.v[tid];
	const struct pd_held *h = pd_locks_held(&t->holds, lock);
	struct pd_lock *x = &l->locks.locks.v[lock];

	if (!h)
		return false;
	if (h->shared) {
		if (!pd_clock_join(&x->read, l->arena, &t->run))
			l->failed = true;
	} else {
		if (!pd_clock_copy(&x->written, l->arena, &t->run))
			l->failed = true;
		x->writer = tid;
		x->step = pd_ls_step(t, tid);
		x->read.at.n = 0;
	}
	run_tick(l, t, tid);
	pd_locks_give(&l->locks, &t->holds, lock);
	pd_ls_holds(t);
	return true;
}

/*
 * A thread that signals a condition under a lock has changed the condition; a thread that takes
 * that lock later may see this and not wait. So the signal orders it, too.
 */
static void signal_locks(struct pd_lockset *l, struct pd_ls_thread *t)
{
	for (uint32_t i = 0; i < t->holds.held.n; i++) {
		const struct pd_held *h = &t->holds.held.v[i];
		struct pd_ls_object *o = object_at(l, UNDER | l->locks.locks.v[h->lock].addr, true);

		if (o)
			announce(l, t, o);
		l->signalled = true;
	}
}

void pd_ls_signal(struct pd_lockset *l, uint32_t tid, uint64_t object)
{
	struct pd_ls_thread *t = pd_ls_thread(l, tid);
	struct pd_ls_object *o = t ? object_at(l, object, true) : NULL;

	if (!o)
		return;
	pd_ls_effect(l, tid, UINT64_MAX);
	announce(l, t, o);
	signal_locks(l, t);
	tick(l, t, tid);
}

void pd_ls_acquired(struct pd_lockset *l, uint32_t tid, uint64_t lock)
{
	struct pd_ls_thread *t = pd_ls_thread(l, tid);
	struct pd_ls_object *o = t && l->signalled ? object_at(l, UNDER | lock, false) : NULL;

	if (o)
		learn(l, t, o);
}

void pd_ls_wait(struct pd_lockset *l, uint32_t tid, uint64_t object)
{
	struct pd_ls_thread *t = pd_ls_thread(l, tid);
	struct pd_ls_object *o = t ? object_at(l, object, false) : NULL;

	if (o)
		learn(l, t, o);
}

void pd_ls_create(struct pd_lockset *l, uint32_t tid, uint32_t child)
{
	struct pd_ls_thread *t = pd_ls_thread(l, tid), *c = pd_ls_thread(l, child);

	if (!t || !c)
		return;
	pd_ls_effect(l, tid, UINT64_MAX);
	learn_clock(l, c, &t->clock);
	run_learn(l, c, &t->run);
	tick(l, t, tid);
}

/* The ended thread's clock still holds what it knew at its end. */
void pd_ls_join(struct pd_lockset *l, uint32_t tid, uint32_t other)
{
	struct pd_ls_thread *t = pd_ls_thread(l, tid), *o = pd_ls_thread(l, other);

	if (!t || !o)
		return;
	learn_clock(l, t, &o->clock);
	run_learn(l, t, &o->run);
}

void pd_ls_end_thread(struct pd_lockset *l, uint32_t tid)
{
	struct pd_ls_thread *t = pd_ls_thread(l, tid);

	if (!t)
		return;
	pd_ls_effect(l, tid, UINT64_MAX);
	changed(l, t);
}

/* ---- atomics -------------------------------------------------------------------------------- */

static bool acquires(uint8_t order)
{
	return order == PD_ORDER_CONSUME || order == PD_ORDER_ACQUIRE ||
	       order == PD_ORDER_ACQ_REL || order == PD_ORDER_SEQ_CST;
}

static bool releases(uint8_t order)
{
	return order == PD_ORDER_RELEASE || order == PD_ORDER_ACQ_REL || order == PD_ORDER_SEQ_CST;
}

static void read_object(struct pd_lockset *l, struct pd_ls_thread *t, const struct pd_ls_object *o,
			uint8_t order)
{
	if (acquires(order))
		learn(l, t, o);
	else if (!pd_clock_join(&t->promised, l->arena, &o->clock) ||
		 !pd_clock_join(&t->run_promised, l->arena, &o->run))
		l->failed = true;
}

/*
 * A store starts a release sequence or breaks one; a read-modify-write continues it. Others may
 * notice any write, even one that orders nothing.
 */
void pd_ls_atomic(struct pd_lockset *l, uint32_t tid, uint64_t object, bool reads, bool writes,
		  uint8_t order)
{
	struct pd_ls_thread *t = pd_ls_thread(l, tid);
	bool release = t && writes && (releases(order) || t->fenced);
	struct pd_ls_object *o = t ? object_at(l, object, release) : NULL;

	if (!t)
		return;
	if (o && reads)
		read_object(l, t, o, order);
	if (!o || !writes)
		return;
	if (!reads)
		o->clock.at.n = o->run.at.n = 0;
	if (!release)
		return;
	announce(l, t, o);
	tick(l, t, tid);
}

void pd_ls_cfence(struct pd_lockset *l, uint32_t tid, uint8_t order)
{
	struct pd_ls_thread *t = pd_ls_thread(l, tid);

	if (!t)
		return;
	if (releases(order))
		t->fenced = true;
	if (!acquires(order))
		return;
	learn_clock(l, t, &t->promised);
	run_learn(l, t, &t->run_promised);
}
