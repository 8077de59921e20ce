/* mem.c - see mem.h. */
#include "runtime/access/mem.h"
#include "runtime/access/announce.h"
#include "runtime/access/tso.h"
#include "runtime/base/listen.h"
#include "runtime/place/place.h"
#include "runtime/pm/pool.h"
#include "runtime/pm/shadow.h"
#include "runtime/pm/veil.h"
#include "runtime/thread/sched.h"
#include <string.h>

struct pd_mem pd_mem;

/* The window also holds reservations and other memory that is not a pool; slots of pools come
 * first. */
static bool is_pool(uint64_t addr)
{
	uint64_t off;

	return PD_IS_PM(addr) &&
	       (pd_likely(addr < PD_POOL_RESERVATIONS) || pd_pool_of_address(addr, &off));
}

static uint64_t home(uint64_t addr)
{
	return pd_pool_canonical(addr) - PD_PM_BASE;
}

/* Lets other threads run first, if there are any. */
static inline void point(void)
{
	if (pd_sched.nlive > 1)
		pd_rt_point();
}

/* The same before a flush, which some schedules delay. */
static void point_at_flush(uint64_t line)
{
	struct pd_thread *self = pd_sched.cur;

	if (pd_sched.nlive <= 1)
		return;
	self->flushing = PD_IS_PM(line);
	pd_rt_point();
	self->flushing = false;
}

/* How much of [addr, addr+n) is contiguous at home. */
static size_t piece(uint64_t addr, size_t n)
{
	return pd_likely(!pd_pool_away) ? n : PD_MIN(n, PD_PAGE - addr % PD_PAGE);
}

static inline void announce_from(enum pd_event_kind kind, uint64_t off, const void *data, size_t n,
				 uint32_t site, enum pd_order order,
				 const struct pd_walk_frame *frame)
{
	struct pd_event e = {.kind = (uint8_t)kind,
			     .order = (uint8_t)order,
			     .site = site,
			     .addr = off,
			     .size = n,
			     .data = data};

	if (kind == PD_EV_RMW || kind == PD_EV_ATOMIC_RMW)
		e.aux = pd_mem.was;
	else if (!site && PD_EV_PERSISTING >> kind & 1)
		e.aux = PD_EV_FOREIGN;
	pd_announce(&e, frame);
}

/* An access without a site is attributed by its stack. */
static inline __attribute__((always_inline)) void announce(enum pd_event_kind kind, uint64_t off,
							   const void *data, size_t n,
							   uint32_t site, enum pd_order order)
{
	announce_from(kind, off, data, n, site, order,
		      site || pd_place_in_libc() ? __builtin_frame_address(0) : NULL);
}

/* A fence makes something certain only if this thread has flushes pending. */
static void point_at_fence(enum pd_event_kind kind, uint32_t site)
{
	uint32_t tid;

	if (!pd_listen.point.n)
		return;
	tid = pd_thread_self();
	if (tid < pd_mem.model.threads.n && pd_mem.model.threads.v[tid].pending.n)
		pd_listen_point(kind, site);
}

/* Checks that the program's memory holds what it should. */
static inline void check_memory(uint64_t off, const void *bytes, size_t n, uint32_t site)
{
	if (pd_unlikely(pd_rt.buffered))
		pd_tso_check(off, bytes, n, site);
	else
		pd_shadow_check(off, bytes, n, site);
}

/* ---- loads ---------------------------------------------------------------------------------- */

/*
 * Bytes inside one block: asks the model for their value, which may be a choice; then the path of
 * the recovery records the read. In this order, block by block: a choice belongs to the read that
 * follows it.
 */
static void load_block(uint64_t off, uint8_t *to, uint32_t n, uint32_t site)
{
	struct pd_model *m = &pd_mem.model;

	pd_listen_deciding(off, n, site);
	if (m->nunsettled) {
		pd_mem.site = site;
		pd_mem.addr = off;
		pd_mem.mask = (n == 64 ? UINT64_MAX : (1ULL << n) - 1) << (off % PD_BLOCK);
		m->lens = pd_mem.lens;
		pd_model_load(m, pd_thread_self(), off, to, n, &pd_mem.value_chooser);
		m->lens.view = NULL;
	}
	pd_listen_decided(off, to, n, site);
}

/* A piece that is contiguous at home; `to` has what the program's memory holds. */
static void load_piece(uint64_t off, uint8_t *to, size_t n, uint32_t site)
{
	pd_listen_loaded(off, n, site);
	check_memory(off, to, n, site);
	while (pd_mem.modelling && n) {
		uint32_t k = (uint32_t)PD_MIN(n, PD_BLOCK - off % PD_BLOCK);
		uint64_t open = pd_mem.model.nunsettled;

		load_block(off, to, k, site);
		off += k;
		to += k;
		n -= k;
		/* A line of several blocks was settled: the program's memory has changed since it
		 * was read. */
		if (n && pd_mem.model.nunsettled != open)
			pd_pool_peek(to, PD_PM_BASE + off, n);
	}
}

/* memmove, in an instruction or two for plain accesses. */
static inline void copy(void *to, const void *from, size_t n)
{
	switch (n) {
	case 8:
		memcpy(to, from, 8);
		break;
	case 4:
		memcpy(to, from, 4);
		break;
	case 1:
		memcpy(to, from, 1);
		break;
	default:
		memmove(to, from, n);
	}
}

/* Copies from, and to, the program's memory. */
static inline void get(void *to, const void *from, size_t n)
{
	if (pd_unlikely(pd_veil_on))
		pd_veil_read(to, from, n);
	else
		copy(to, from, n);
}

static inline void put(void *to, const void *from, size_t n)
{
	if (pd_unlikely(pd_veil_on))
		pd_veil_write(to, from, n);
	else
		copy(to, from, n);
}

/*
 * Only an engine that watches hears this kind, and the memory is at home. (Accesses of libc to its
 * locks in PM are not the program's, and have no frame that shows where they come from.)
 */
static inline bool is_direct(enum pd_event_kind kind, uint64_t addr)
{
	return pd_listen.direct >> kind & 1 &&
	       addr - PD_PM_BASE < PD_POOL_RESERVATIONS - PD_PM_BASE && !pd_pool_away &&
	       !pd_tso_on && pd_sched.cur && !pd_sched.cur->in_libc;
}

void pd_mem_load_from(void *out, const void *from, size_t n, uint32_t site,
		      const struct pd_walk_frame *frame)
{
	uint64_t off = (uint64_t)from - PD_PM_BASE;

	if (!is_direct(PD_EV_LOAD, (uint64_t)from)) {
		pd_mem_load(out, from, n, site, PD_ORDER_NONE);
		return;
	}
	pd_announce_soon(off);
	point();
	copy(out, from, n);
	pd_shadow_check(off, out, n, site);
	announce_from(PD_EV_LOAD, off, out, n, site, PD_ORDER_NONE, frame);
}

void pd_mem_touch(uint64_t off, uint64_t n)
{
	pd_mem.touching = true;
	for (; n; off += PD_BLOCK, n -= PD_BLOCK) {
		uint8_t bytes[PD_BLOCK];

		memcpy(bytes, pd_shadow(off), sizeof(bytes));
		load_piece(off, bytes, sizeof(bytes), 0);
		announce(PD_EV_LOAD, off, bytes, sizeof(bytes), 0, PD_ORDER_NONE);
	}
	pd_mem.touching = false;
}

/* Bytes of a private mapping that are used for the first time are loaded from the file. */
static void fill_copy(const void *p, size_t n, uint32_t site)
{
	struct pd_copy_piece missing;
	uint8_t bytes[PD_BLOCK];

	while (pd_copy_missing((uint64_t)p, n, &missing)) {
		pd_pool_expose(missing.home, missing.n);
		pd_mem_load(bytes, (const void *)missing.home, missing.n, site, PD_ORDER_NONE);
		pd_pool_conceal(missing.home, missing.n);
		pd_copy_fill(&missing, bytes);
	}
}

static void load(void *out, const void *from, size_t n, uint32_t site, enum pd_order order,
		 const struct pd_lens *lens)
{
	uint8_t *to = out;
	uint64_t addr = (uint64_t)from;

	if (pd_unlikely(pd_copy_any))
		fill_copy(from, n, site);

	if (pd_unlikely(pd_listen.loading.n) && is_pool(addr))
		pd_listen_loading(home(addr), n, site);
	point();
	get(out, from, n);
	/* Nobody hears loads: blind stores are found when lines are flushed, and at the end. */
	if (pd_listen.deaf) {
		pd_rt.channel->events[PD_EV_LOAD]++;
		return;
	}
	if (!is_pool(addr))
		return;
	while (n) {
		size_t k = piece(addr, n);
		uint64_t off = home(addr);

		/* Not earlier: other threads may have run */
		pd_mem.lens = *lens;
		load_piece(off, to, k, site);
		pd_mem.lens.view = NULL;
		announce(PD_EV_LOAD, off, to, k, site, order);
		addr += k;
		to += k;
		n -= k;
	}
}

void pd_mem_load(void *out, const void *from, size_t n, uint32_t site, enum pd_order order)
{
	static const struct pd_lens all;

	load(out, from, n, site, order, &all);
}

void pd_mem_look(void *out, const void *from, uint32_t site, enum pd_order order,
		 const struct pd_lens *lens)
{
	load(out, from, lens->view->size, site, order, lens);
}

/* ---- stores --------------------------------------------------------------------------------- */

/* Atomic without release: the compiler may move earlier stores behind it. */
static bool is_relaxed(enum pd_order order)
{
	return order == PD_ORDER_RELAXED || order == PD_ORDER_ACQUIRE || order == PD_ORDER_CONSUME;
}

static void model_store(uint64_t off, const void *data, size_t n, uint32_t site,
			enum pd_event_kind kind, enum pd_order order)
{
	struct pd_model *m = &pd_mem.model;
	uint32_t tid = pd_thread_self();

	if (pd_unlikely(pd_rt.writing) && 1ULL << m->params.line_shift == PD_PAGE) {
		pd_model_store(m, tid, off, data, n, site, PD_LOGGED_WHOLE | PD_LOGGED_ATOMIC);
	} else if (kind == PD_EV_NTSTORE) {
		pd_model_store(m, tid, off, data, n, site, PD_LOGGED_NT);
	} else if (kind == PD_EV_RMW) {
		pd_model_rmw_store(m, tid, off, data, n, site);
		if (is_relaxed(order) && m->log->n)
			pd_log_at(m->log, m->log->n - 1)->flags |= PD_LOGGED_RELAXED;
	} else if (order == PD_ORDER_SEQ_CST) { /* compiled to xchg (P10) */
		point_at_fence(PD_EV_STORE, site);
		pd_model_rmw_begin(m, tid);
		pd_model_rmw_store(m, tid, off, data, n, site);
	} else {
		pd_model_store(m, tid, off, data, n, site,
			       order == PD_ORDER_NONE ? 0
			       : is_relaxed(order)    ? PD_LOGGED_ATOMIC | PD_LOGGED_RELAXED
						      : PD_LOGGED_ATOMIC);
	}
}

/*
 * Where reaching the cache is enough (eADR), each stored word makes something certain: power may
 * fail before it. A locked instruction stores all of its bytes as one.
 */
static void store_durably(uint64_t off, const uint8_t *data, size_t n, uint32_t site,
			  enum pd_event_kind kind, enum pd_order order)
{
	while (n) {
		size_t k = kind == PD_EV_RMW ? n : PD_MIN(n, PD_WORD - off % PD_WORD);

		pd_listen_point(PD_EV_STORE, site);
		model_store(off, data, k, site, kind, order);
		pd_listen_changed();
		off += k;
		data += k;
		n -= k;
	}
}

static inline void note_store(uint64_t off, const void *data, size_t n, uint32_t site,
			      enum pd_event_kind kind, enum pd_order order)
{
	pd_listen_storing(off, data, n, site);
	if (pd_mem.modelling && pd_mem.model.params.persists & PD_PERSISTS_STORE &&
	    kind != PD_EV_NTSTORE)
		store_durably(off, data, n, site, kind, order);
	else if (pd_mem.modelling)
		model_store(off, data, n, site, kind, order); /* writes the shadow */
	else
		copy(pd_shadow(off), data, n);
	pd_rt.channel->bytes_stored += n;
	pd_listen_stored(off, n, site);
	announce(kind, off, data, n, site, order);
}

void pd_mem_note_store(uint64_t off, const void *data, size_t n, uint32_t site,
		       enum pd_event_kind kind, enum pd_order order)
{
	note_store(off, data, n, site, kind, order);
}

static void note_pieces(uint64_t addr, const uint8_t *data, size_t n, uint32_t site,
			enum pd_event_kind kind, enum pd_order order)
{
	if (!is_pool(addr))
		return;
	while (n) {
		size_t k = piece(addr, n);

		note_store(home(addr), data, k, site, kind, order);
		addr += k;
		data += k;
		n -= k;
	}
}

/*
 * Puts a store into the thread's store buffer. False: it takes effect immediately, and all before
 * it have.
 */
static bool buffer_store(void *to, const void *data, size_t n, uint32_t site,
			 enum pd_event_kind kind, enum pd_order order)
{
	uint64_t addr = (uint64_t)to;

	if (kind != PD_EV_STORE || order == PD_ORDER_SEQ_CST || !is_pool(addr) ||
	    !pd_tso_takes(home(addr), n)) {
		pd_rt_drain();
		return false;
	}
	put(to, data, n);
	pd_tso_store(home(addr), data, n, site, order);
	return true;
}

void pd_mem_store(void *to, const void *data, size_t n, uint32_t site, enum pd_event_kind kind,
		  enum pd_order order)
{
	point();
	pd_sched_progress();
	if (pd_unlikely(pd_tso_on) && buffer_store(to, data, n, site, kind, order))
		return;
	put(to, data, n);
	note_pieces((uint64_t)to, data, n, site, kind, order);
}

void pd_rt_store(void *dst, const void *src, size_t n, uint32_t site, int kind)
{
	pd_mem_store(dst, src, n, site, (enum pd_event_kind)kind, PD_ORDER_NONE);
	pd_rt_drain_now(); /* libc or the kernel made the store: their callers do not buffer */
}

void pd_rt_load(void *dst, const void *src, size_t n, uint32_t site)
{
	pd_mem_load(dst, src, n, site, PD_ORDER_NONE);
}

/* ---- flushes and fences --------------------------------------------------------------------- */

static enum pd_event_kind flush_event(enum pd_flush kind)
{
	switch (kind) {
	case PD_FLUSH_CLFLUSH:
		return PD_EV_CLFLUSH;
	case PD_FLUSH_CLFLUSHOPT:
		return PD_EV_CLFLUSHOPT;
	case PD_FLUSH_CLWB:
		break;
	}
	return PD_EV_CLWB;
}

void pd_mem_flush_now(uint64_t line, enum pd_flush kind, uint32_t site)
{
	pd_listen_flushing(line, site);
	if (kind == PD_FLUSH_CLFLUSH)
		pd_listen_point(PD_EV_CLFLUSH, site);
	if (pd_mem.modelling)
		pd_model_flush(&pd_mem.model, pd_thread_self(), line, kind);
	announce(flush_event(kind), line, NULL, 64, site, PD_ORDER_NONE);
	pd_listen_flushed(line, kind == PD_FLUSH_CLFLUSH, site);
}

void pd_mem_flush(const void *p, enum pd_flush kind, uint32_t site)
{
	uint64_t line = (uint64_t)p & ~63ULL;
	uint8_t bytes[64];

	if (pd_unlikely(pd_listen.persisting.n) && PD_IS_PM(line) && is_pool(line))
		pd_listen_persisting(home(line), false);
	point_at_flush(line);
	if (!PD_IS_PM(line) || !is_pool(line)) {
		announce(flush_event(kind), line | PD_ADDR_OUTSIDE, NULL, 64, site, PD_ORDER_NONE);
		return;
	}
	/* Faults where the line is not mapped, as the instruction would. */
	get(bytes, (const void *)line, sizeof(bytes));
	check_memory(home(line), bytes, sizeof(bytes), site);
	if (pd_likely(!pd_rt.buffered) || !pd_tso_flush(home(line), kind, site))
		pd_mem_flush_now(home(line), kind, site);
}

void pd_mem_fence(enum pd_event_kind kind, enum pd_order order, uint32_t site)
{
	pd_listen_persisting(0, true);
	point();
	if (pd_likely(!pd_rt.buffered) || !pd_tso_fence(kind, order, site))
		pd_mem_fence_now(kind, order, site);
}

void pd_mem_fence_now(enum pd_event_kind kind, enum pd_order order, uint32_t site)
{
	if (kind == PD_EV_SFENCE || kind == PD_EV_MFENCE)
		point_at_fence(kind, site);
	if (pd_mem.modelling && kind == PD_EV_SFENCE)
		pd_model_sfence(&pd_mem.model, pd_thread_self());
	if (pd_mem.modelling && kind == PD_EV_MFENCE)
		pd_model_mfence(&pd_mem.model, pd_thread_self());
	if (kind == PD_EV_SFENCE || kind == PD_EV_MFENCE)
		pd_listen_fenced(site);
	announce(kind, 0, NULL, 0, site, order);
}

/* ---- locked instructions -------------------------------------------------------------------- */

void pd_mem_rmw_begin(void *old, const void *p, size_t n, uint32_t site)
{
	if (pd_unlikely(pd_copy_any))
		fill_copy(p, n, site);
	if (pd_unlikely(pd_listen.loading.n) && is_pool((uint64_t)p))
		pd_listen_loading(home((uint64_t)p), n, site);
	point();
	pd_rt_drain();
	point_at_fence(PD_EV_RMW, site);
	if (pd_mem.modelling)
		pd_model_rmw_begin(&pd_mem.model, pd_thread_self());
	pd_listen_fenced(site);
	get(old, p, n);
	if (!is_pool((uint64_t)p))
		return;
	load_piece(home((uint64_t)p), old, n, site);
}

void pd_mem_rmw_end(void *p, const void *fresh, size_t n, uint32_t site, enum pd_order order)
{
	uint8_t old[16];
	bool same;

	get(old, p, n);
	same = pd_mem_is_same(old, fresh, n);
	if (!same)
		pd_sched_progress();
	put(p, fresh, n);
	note_pieces((uint64_t)p, fresh, n, site, PD_EV_RMW, order);
	if (same) /* an exchange that found a lock held */
		pd_sched_spin();
}

void pd_mem_rmw_failed(void *p, const void *found, size_t n, uint32_t site, enum pd_order order)
{
	pd_sched_spin();
	if (is_pool((uint64_t)p))
		announce(PD_EV_RMW_FAILED, home((uint64_t)p), found, n, site, order);
}

void pd_mem_outside(enum pd_event_kind kind, const void *p, size_t n, enum pd_order order,
		    uint32_t site)
{
	bool fence = kind == PD_EV_ATOMIC_RMW ||
		     (kind == PD_EV_ATOMIC_STORE && order == PD_ORDER_SEQ_CST);

	if (fence)
		point_at_fence(kind, site);
	if (fence && pd_mem.modelling)
		pd_model_mfence(&pd_mem.model, pd_thread_self());
	if (fence)
		pd_listen_fenced(site);
	announce(kind, (uint64_t)p | PD_ADDR_OUTSIDE, p, n, site, order);
}

/* ---- inline asm ----------------------------------------------------------------------------- */

void pd_mem_asm_done(void *p, size_t n, bool locked, uint32_t site)
{
	uint64_t off = home((uint64_t)p);
	bool changed =
		is_pool((uint64_t)p) && !pd_veil_covers(off) && memcmp(pd_shadow(off), p, n) != 0;

	if (locked)
		point_at_fence(PD_EV_RMW, site);
	if (locked && pd_mem.modelling)
		pd_model_rmw_begin(&pd_mem.model, pd_thread_self());
	if (locked)
		pd_listen_fenced(site);
	if (changed)
		note_pieces((uint64_t)p, p, n, site, locked ? PD_EV_RMW : PD_EV_STORE,
			    PD_ORDER_NONE);
	else if (locked)
		announce(PD_EV_RMW_FAILED, off, p, n, site, PD_ORDER_NONE);
}

/* ---- what others say of PM ------------------------------------------------------------------ */

/* Reports a blind store to the model. */
static void note_blind(uint64_t off, const uint8_t *bytes, size_t n)
{
	note_store(off, bytes, n, 0, PD_EV_STORE, PD_ORDER_NONE);
}

static void model_msync(struct pd_event *e)
{
	pd_listen_point(PD_EV_MSYNC, e->site);
	if (pd_mem.modelling)
		pd_model_msync(&pd_mem.model, e->tid, e->addr, e->size);
}

/* What the program says of a range. Who logs it needs it. (P17) */
static void model_said(const struct pd_event *e)
{
	struct pd_model *m = &pd_mem.model;

	if (!pd_mem.modelling || e->addr & PD_ADDR_OUTSIDE)
		return;
	if (e->kind == PD_EV_TRANSIENT)
		pd_model_unneeded(m, e->addr, e->size);
	else if (e->kind == PD_EV_TX_ADD)
		pd_model_needed(m, e->addr, e->size);
	else
		pd_model_clean(m, e->addr, e->size);
}

static void model_event(struct pd_event *e)
{
	if (e->kind == PD_EV_MSYNC)
		model_msync(e);
	else
		model_said(e);
}

static void model_cut(uint64_t off, uint64_t n)
{
	if (pd_mem.modelling)
		pd_model_clear(&pd_mem.model, pd_thread_self(), off, n);
}

void pd_mem_listen(void)
{
	static const struct pd_listener memory = {.stays = true,
						  .wants = PD_EV_BIT(MSYNC) | PD_EV_BIT(TRANSIENT) |
							   PD_EV_BIT(CLEAN) | PD_EV_BIT(TX_ADD),
						  .event = model_event,
						  .cut = model_cut,
						  .blind = note_blind};

	pd_listen_add(&memory);
}
