/*
 * lockset.c - see lockset.h; dispatches each event to the parts (state.h).
 */
#include "engine/lockset/state.h"

static bool outside(const struct pd_event *e)
{
	return e->addr & PD_ADDR_OUTSIDE;
}

/* ---- locks ---------------------------------------------------------------------------------- */

static void acquire(struct pd_lockset *l, const struct pd_event *e)
{
	struct pd_ls_thread *t = pd_ls_thread(l, e->tid);
	uint32_t lock = t ? pd_locks_at(&l->locks, e->addr) : UINT32_MAX;

	if (lock == UINT32_MAX ||
	    !pd_ls_take(l, e->tid, lock, e->aux == PD_LOCK_SHARED, false, e->site))
		l->failed = true;
	pd_ls_acquired(l, e->tid, e->addr);
	if (!outside(e) && e->size)
		/* libc's accesses to the words of its locks are not data */
		pd_ls_is_lock(l, e->addr, e->size);
}

/* A lock may be released by another thread than the one that took it; then that one no longer holds
 * it. */
static void release(struct pd_lockset *l, const struct pd_event *e)
{
	struct pd_ls_thread *t = pd_ls_thread(l, e->tid);
	uint32_t lock = t ? pd_locks_held_at(&l->locks, &t->holds, e->addr) : UINT32_MAX;

	if (!t || lock == UINT32_MAX)
		return;
	pd_ls_effect(l, e->tid, UINT64_MAX);
	if (pd_ls_give(l, e->tid, lock) || !l->locks.locks.v[lock].held)
		return;
	for (uint32_t i = 0; i < l->threads.n; i++)
		if (l->threads.v[i] && pd_ls_give(l, i, lock))
			return;
}

/* ---- accesses ------------------------------------------------------------------------------- */

/* The value loaded or stored. */
static uint64_t value_of(const struct pd_event *e)
{
	uint64_t v = 0;

	memcpy(&v, e->data, PD_MIN(e->size, sizeof(v)));
	return v;
}

/*
 * A locked instruction finds a word in a state that may have been looked at before; aux as in
 * event.def.
 */
static void look_again(struct pd_lockset *l, const struct pd_event *e)
{
	if (e->aux)
		pd_ls_look(l, e, e->aux - 1, false);
}

static void load(struct pd_lockset *l, const struct pd_event *e)
{
	struct pd_ls_thread *t = pd_ls_thread(l, e->tid);

	if (t && pd_unlikely(t->early))
		pd_ls_spin_early(l, t, e);
	if (pd_unlikely(l->ntickets || e->order != PD_ORDER_NONE || (t && t->drawn)) &&
	    pd_ls_ticket_load(l, e))
		return;
	if (e->order != PD_ORDER_NONE && e->data)
		pd_ls_look(l, e, value_of(e), true);
	if (e->order != PD_ORDER_NONE && !pd_ls_spin_is(l, e->addr))
		pd_ls_atomic(l, e->tid, e->addr, true, false, e->order);
	pd_ls_load(l, e);
}

/* Plain loads of the word order from now on, so each one counts. */
static void becomes_sync(struct pd_lockset *l, struct pd_ls_word *w)
{
	if (!w->sync && w->loads)
		pd_ls_forget_known(l);
	w->sync = 1;
}

static void note_atomic_store(struct pd_lockset *l, const struct pd_event *e)
{
	struct pd_ls_word *w = pd_ls_word_known(l, e->addr / 8);

	if (!w || (e->order == PD_ORDER_NONE && !w->sync))
		return;
	becomes_sync(l, w);
	pd_ls_atomic(l, e->tid, e->addr, false, true,
		     e->order == PD_ORDER_NONE ? PD_ORDER_RELAXED : e->order);
}

static void store(struct pd_lockset *l, const struct pd_event *e)
{
	if (pd_event_fences(e))
		pd_ls_fence(l, e->tid, e->site);
	if (l->nspin && pd_ls_spin_store(l, e)) {
		pd_ls_effect(l, e->tid, UINT64_MAX);
		return;
	}
	if (l->ntickets && pd_ls_ticket_store(l, e)) {
		pd_ls_effect(l, e->tid, UINT64_MAX);
		return;
	}
	pd_ls_store(l, e, e->order == PD_ORDER_NONE ? PD_LS_PLAIN : PD_LS_ATOMIC);
	note_atomic_store(l, e);
}

static void ntstore(struct pd_lockset *l, const struct pd_event *e)
{
	struct pd_event line = *e;

	pd_ls_store(l, e, PD_LS_PLAIN);
	for (line.addr = e->addr & ~63ULL; line.addr < e->addr + e->size; line.addr += 64)
		pd_ls_flush(l, &line, false);
}

static void rmw(struct pd_lockset *l, const struct pd_event *e)
{
	struct pd_ls_word *w;

	pd_ls_fence(l, e->tid, e->site);
	look_again(l, e);
	switch (pd_ls_spin_rmw(l, e)) {
	case PD_LS_IS_LOCK:
		pd_ls_effect(l, e->tid, UINT64_MAX);
		return;
	case PD_LS_STILL_TAKEN:
		pd_ls_load(l, e);
		return;
	case PD_LS_TAKING:
		break; /* it found nothing there, so it learned nothing */
	case PD_LS_NO_LOCK:
		if (pd_ls_ticket_rmw(l, e)) {
			pd_ls_effect(l, e->tid, UINT64_MAX);
			return;
		}
		pd_ls_load(l, e);
	}
	pd_ls_store(l, e, PD_LS_LOCKED);
	pd_ls_spin_done(l, e);
	w = pd_ls_word_known(l, e->addr / 8);
	if (w)
		becomes_sync(l, w);
	pd_ls_atomic(l, e->tid, e->addr, true, true, e->order);
}

static void rmw_failed(struct pd_lockset *l, const struct pd_event *e)
{
	pd_ls_fence(l, e->tid, e->site);
	if (e->data)
		pd_ls_look(l, e, value_of(e), false);
	if (pd_ls_spin_is(l, e->addr))
		return;
	pd_ls_atomic(l, e->tid, e->addr, true, false, e->order);
	pd_ls_load(l, e);
}

/*
 * An atomic outside PM. Accesses that are volatile but not atomic acquire and release, as on x86.
 */
static void atomic(struct pd_lockset *l, const struct pd_event *e, bool reads, bool writes)
{
	uint8_t order = e->order;

	if (order == PD_ORDER_NONE)
		order = writes ? PD_ORDER_RELEASE : PD_ORDER_ACQUIRE;
	if (pd_event_fences(e))
		pd_ls_fence(l, e->tid, e->site);
	if (!writes && e->data)
		pd_ls_look(l, e, value_of(e), true);
	else if (reads)
		look_again(l, e);
	if (writes)
		pd_ls_effect(l, e->tid, UINT64_MAX);
	if (reads && writes ? pd_ls_spin_rmw(l, e) == PD_LS_IS_LOCK
	    : writes	    ? pd_ls_spin_store(l, e)
			    : pd_ls_spin_is(l, e->addr))
		return;
	if (reads && writes ? pd_ls_ticket_rmw(l, e)
	    : writes	    ? pd_ls_ticket_store(l, e)
			    : pd_ls_ticket_load(l, e))
		return;
	pd_ls_atomic(l, e->tid, e->addr, reads, writes, order);
}

/* ---- all ------------------------------------------------------------------------------------ */

static void count_thread(struct pd_lockset *l, uint32_t tid)
{
	struct pd_ls_thread *t = pd_ls_thread(l, tid);

	if (pd_likely(!t || t->at_pm))
		return;
	t->at_pm = true;
	l->stat_threads++;
}

static void data_event(struct pd_lockset *l, const struct pd_event *e)
{
	count_thread(l, e->tid);
	switch ((int)e->kind) { /* an int: other kinds do not concern data */
	case PD_EV_LOAD:
		load(l, e);
		break;
	case PD_EV_STORE:
		store(l, e);
		break;
	case PD_EV_NTSTORE:
		ntstore(l, e);
		break;
	case PD_EV_RMW:
		rmw(l, e);
		break;
	case PD_EV_RMW_FAILED:
		rmw_failed(l, e);
		break;
	case PD_EV_CLFLUSH:
		pd_ls_flush(l, e, true);
		break;
	case PD_EV_CLFLUSHOPT:
	case PD_EV_CLWB:
		pd_ls_flush(l, e, false);
		break;
	case PD_EV_MSYNC:
		pd_ls_msync(l, e);
		break;
	}
}

static void order_event(struct pd_lockset *l, const struct pd_event *e)
{
	switch ((int)e->kind) {
	case PD_EV_MFENCE:
		pd_ls_cfence(l, e->tid, PD_ORDER_SEQ_CST);
		pd_ls_fence(l, e->tid, e->site);
		break;
	case PD_EV_SFENCE:
		pd_ls_fence(l, e->tid, e->site);
		break;
	case PD_EV_CFENCE:
		pd_ls_cfence(l, e->tid, e->order);
		break;
	case PD_EV_THREAD_CREATE:
		pd_ls_create(l, e->tid, (uint32_t)e->aux);
		break;
	case PD_EV_THREAD_END:
		pd_ls_end_thread(l, e->tid);
		break;
	case PD_EV_THREAD_JOIN:
		pd_ls_join(l, e->tid, (uint32_t)e->aux);
		break;
	case PD_EV_ACQUIRE:
		acquire(l, e);
		break;
	case PD_EV_RELEASE:
		release(l, e);
		break;
	case PD_EV_SIGNAL:
		pd_ls_signal(l, e->tid, e->addr);
		break;
	case PD_EV_WAIT:
		pd_ls_wait(l, e->tid, e->addr);
		break;
	case PD_EV_ATOMIC_LOAD:
		atomic(l, e, true, false);
		break;
	case PD_EV_ATOMIC_STORE:
		atomic(l, e, false, true);
		break;
	case PD_EV_ATOMIC_RMW:
		atomic(l, e, true, true);
		break;
	}
}

/* Kinds whose meaning does not depend on their place. */
static const uint64_t unplaced_kinds = PD_EV_BIT(RELEASE) | PD_EV_BIT(SIGNAL) | PD_EV_BIT(WAIT) |
				       PD_EV_BIT(CFENCE) | PD_EV_BIT(THREAD_CREATE) |
				       PD_EV_BIT(THREAD_END) | PD_EV_BIT(THREAD_JOIN) |
				       PD_EV_BIT(TRANSIENT) | PD_EV_BIT(DURABLE) |
				       PD_EV_BIT(CLEAN) | PD_EV_BIT(ALLOCATED) | PD_EV_BIT(FREED);
static const uint64_t data_kinds = PD_EV_BIT(LOAD) | PD_EV_BIT(STORE) | PD_EV_BIT(NTSTORE) |
				   PD_EV_BIT(RMW) | PD_EV_BIT(RMW_FAILED) | PD_EV_BIT(CLFLUSH) |
				   PD_EV_BIT(CLFLUSHOPT) | PD_EV_BIT(CLWB) | PD_EV_BIT(MSYNC);
static const uint64_t order_kinds =
	PD_EV_BIT(MFENCE) | PD_EV_BIT(SFENCE) | PD_EV_BIT(CFENCE) | PD_EV_BIT(THREAD_CREATE) |
	PD_EV_BIT(THREAD_END) | PD_EV_BIT(THREAD_JOIN) | PD_EV_BIT(ACQUIRE) | PD_EV_BIT(RELEASE) |
	PD_EV_BIT(SIGNAL) | PD_EV_BIT(WAIT) | PD_EV_BIT(ATOMIC_LOAD) | PD_EV_BIT(ATOMIC_STORE) |
	PD_EV_BIT(ATOMIC_RMW);

/* Memory that need not be durable: only the order between threads counts. */
static void transient_event(struct pd_lockset *l, const struct pd_event *e)
{
	bool ordered = e->order != PD_ORDER_NONE;

	switch ((int)e->kind) { /* an int: other kinds do not concern data */
	case PD_EV_LOAD:
		if (ordered)
			atomic(l, e, true, false);
		break;
	case PD_EV_STORE:
		if (ordered)
			atomic(l, e, false, true);
		break;
	case PD_EV_RMW:
		atomic(l, e, true, true);
		break;
	case PD_EV_RMW_FAILED:
		atomic(l, e, true, false);
		break;
	}
}

static bool is_transient(struct pd_lockset *l, const struct pd_event *e)
{
	return l->transient.v.n && e->size && e->kind != PD_EV_MSYNC &&
	       pd_ranges_has(&l->transient, e->addr, e->addr + e->size);
}

static void said(struct pd_lockset *l, const struct pd_event *e)
{
	uint32_t before;

	if (!outside(e))
		pd_ranges_add(&l->transient, l->arena, e->addr, e->addr + e->size, 0, &before);
}

/* False: the event is another one. */
static bool heard(struct pd_lockset *l, const struct pd_event *e)
{
	switch ((int)e->kind) { /* an int: all others are accesses and what orders them */
	case PD_EV_TRANSIENT:
		said(l, e);
		return true;
	case PD_EV_DURABLE:
		pd_ls_sync(l, e);
		return true;
	case PD_EV_CLEAN:
		if (!outside(e))
			pd_ls_clean(l, e);
		return true;
	case PD_EV_ALLOCATED:
		if (!outside(e))
			pd_ls_allocated(l, e);
		return true;
	case PD_EV_FREED:
		if (!outside(e))
			pd_ls_freed(l, e);
		return true;
	}
	return false;
}

static void event(struct pd_observer *o, const struct pd_event *e)
{
	struct pd_lockset *l = (struct pd_lockset *)o;

	l->seq += 2; /* leaves a number for the fence that a locked instruction contains */
	if (l->failed)
		return;
	if (!(data_kinds >> e->kind & 1)) {
		if (!heard(l, e))
			order_event(l, e);
	} else if (!outside(e) && pd_unlikely(is_transient(l, e)))
		transient_event(l, e);
	else if (!outside(e))
		data_event(l, e);
	if (l->failed)
		l->sink->loss(l->sink->ctx, PD_LOSS_CAPPED,
			      unplaced_kinds >> e->kind & 1 ? 0 : e->site,
			      "lockset: out of memory; nothing is watched from here on");
}

static void soon(struct pd_observer *o, uint64_t addr)
{
	pd_ls_word_soon((struct pd_lockset *)o, addr / 8);
}

static void end(struct pd_observer *o)
{
	struct pd_lockset *l = (struct pd_lockset *)o;

	pd_ls_finish(l);
	pd_ls_report_stats(l);
}

struct pd_observer *pd_lockset_create(struct pd_arena *a, struct pd_sink *sink,
				      const char *settings)
{
	struct pd_lockset *l = pd_new(a, struct pd_lockset);

	if (!l || !pd_locks_init(&l->locks, a))
		return NULL;
	l->observer = (struct pd_observer){.wants = data_kinds | order_kinds |
						    PD_EV_BIT(TRANSIENT) | PD_EV_BIT(CLEAN) |
						    PD_EV_BIT(ALLOCATED) | PD_EV_BIT(FREED),
					   .unplaced = unplaced_kinds,
					   .no_sync = true,
					   .event = event,
					   .soon = soon,
					   .known = &l->known,
					   .end = end};
	l->arena = a;
	if (!pd_ls_recent_init(l))
		return NULL;
	l->sink = sink;
	l->init = !pd_setting_is(settings, "init", "0");
	l->recycle = l->init && !pd_setting_is(settings, "recycle", "0");
	l->spin = !pd_setting_is(settings, "spin", "0");
	l->buffered = pd_setting_is(settings, "condition", "buffered");
	if (l->buffered)
		l->observer.wants |= PD_EV_BIT(DURABLE);
	l->windows_generation = 1; /* memory never written belongs to no generation */
	l->opens.size = sizeof(struct pd_ls_open);
	l->closed.size = sizeof(struct pd_ls_closed);
	l->windows.size = sizeof(struct pd_ls_window);
	l->loads.size = sizeof(struct pd_ls_load);
	l->groups.size = sizeof(struct pd_ls_group);
	l->splits.size = sizeof(struct pd_ls_split);
	return &l->observer;
}
