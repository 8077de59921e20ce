/*
 * hook.c - the hooks that instrumented code calls: plain accesses, flushes, fences, blocks. See
 * event.def.
 *
 * Plain loads and stores come here only for PM, volatile ones always. Alone, nothing is in the
 * window; the access is then made as the compiler would have.
 */
#include "runtime/access/hook.h"
#include "runtime/access/mem.h"
#include "runtime/access/announce.h"
#include "runtime/place/place.h"
#include "runtime/pm/pool.h"
#include "runtime/thread/sched.h"
#include "runtime/pm/shadow.h"
#include "runtime/pm/veil.h"
#include <string.h>

typedef unsigned __int128 u128;

/* A volatile store outside PM: other threads see it only after all earlier stores. */
static inline void outside(void *p, const void *v, size_t n)
{
	pd_rt_drain();
	memcpy(p, v, n);
}

/*
 * A load that need not be announced: no other thread may run first, and the engine has seen the
 * same load before. Blind stores are found elsewhere (shadow.h).
 */
static inline bool may_be_known(const void *p)
{
	return pd_likely(pd_listen.known != NULL) && pd_likely(pd_door == PD_DOOR_INSIDE) &&
	       pd_likely(!pd_pool_away) &&
	       pd_likely((uint64_t)p - PD_PM_BASE < PD_POOL_RESERVATIONS - PD_PM_BASE) &&
	       pd_likely(pd_sched.passed || pd_sched.nlive <= 1);
}

static inline __attribute__((always_inline)) bool is_known(const void *p, size_t n, uint32_t site,
							   const struct pd_walk_frame *frame)
{
	if (!may_be_known(p) ||
	    !pd_known_at_once(pd_listen.known, pd_sched.cur->known, (uint64_t)p - PD_PM_BASE, n,
			      pd_place_again(site, frame)))
		return false;
	pd_sched.passed -= pd_sched.passed != 0;
	return true;
}

/* The same where the last load from here was by another thread, or by another path, or is one of
 * several. */
static bool is_known_after_all(const void *p, size_t n, uint32_t site,
			       const struct pd_walk_frame *frame)
{
	uint32_t place;

	if (!may_be_known(p))
		return false;
	place = pd_place_again(site, frame);
	if (!place)
		place = pd_place_from(site, frame);
	if (!pd_sched.cur->known)
		pd_sched.cur->known = pd_known_thread(pd_listen.known, pd_sched.cur->number);
	if (!pd_known_load(pd_listen.known, pd_sched.cur->known, (uint64_t)p - PD_PM_BASE, n,
			   place))
		return false;
	pd_sched.passed -= pd_sched.passed != 0;
	return true;
}

/* The same where no listener wants loads. */
static inline bool is_unwanted(void)
{
	if (!pd_listen.deaf || pd_unlikely(pd_door != PD_DOOR_INSIDE) ||
	    pd_unlikely(!pd_sched.passed && pd_sched.nlive > 1))
		return false;
	pd_sched.passed -= pd_sched.passed != 0;
	return true;
}

/* ---- what an engine that watches hears, and nobody else ----------------------------------- */

/* Whether only the engine hears this kind, and the memory is at home. */
static inline bool is_direct(enum pd_event_kind kind, uint64_t addr)
{
	return pd_listen.direct >> kind & 1 &&
	       addr - PD_PM_BASE < PD_POOL_RESERVATIONS - PD_PM_BASE && !pd_pool_away &&
	       pd_door == PD_DOOR_INSIDE;
}

/* Lets other threads run first, if there are any. */
static inline void point(void)
{
	if (pd_sched.nlive > 1 && !pd_sched_passes())
		pd_rt_point();
}

static inline void announce(enum pd_event_kind kind, uint64_t addr, const void *data, size_t n,
			    uint32_t site, const struct pd_walk_frame *frame)
{
	struct pd_event e = {.kind = (uint8_t)kind,
			     .order = PD_ORDER_NONE,
			     .site = site,
			     .addr = addr,
			     .size = n,
			     .data = data};

	pd_announce_direct(&e, frame);
}

static inline __attribute__((always_inline)) void direct_store(void *to, const void *data, size_t n,
							       uint32_t site,
							       enum pd_event_kind kind,
							       const struct pd_walk_frame *frame)
{
	uint64_t off = (uint64_t)to - PD_PM_BASE;

	pd_announce_soon(off);
	point();
	pd_sched_progress();
	memcpy(to, data, n);
	memcpy(pd_shadow(off), data, n);
	pd_rt.channel->bytes_stored += n;
	announce(kind, off, data, n, site, frame);
}

static inline void direct_flush(const void *p, enum pd_event_kind kind, uint32_t site,
				const struct pd_walk_frame *frame)
{
	uint64_t line = (uint64_t)p & ~63ULL;

	point();
	/* Faults where the line is not mapped, as the instruction would. */
	(void)*(const volatile uint8_t *)p;
	pd_shadow_check_line(line - PD_PM_BASE, (const void *)line, site);
	announce(kind, line - PD_PM_BASE, NULL, 64, site, frame);
}

/* ---- plain accesses ------------------------------------------------------------------------- */

#define PLAIN(bits, type)                                                                          \
	type __pd_load##bits(void *p, const struct pd_site *s);                                    \
	void __pd_store##bits(void *p, type v, const struct pd_site *s);                           \
	void __pd_ntstore##bits(void *p, type v, const struct pd_site *s);                         \
                                                                                                   \
	static __attribute__((noinline)) type load##bits(void *p, uint32_t site,                   \
							 const struct pd_walk_frame *frame)        \
	{                                                                                          \
		type v;                                                                            \
                                                                                                   \
		if (!pd_hook_is_pm(p) || is_known_after_all(p, sizeof(v), site, frame))            \
			memcpy(&v, p, sizeof(v));                                                  \
		else                                                                               \
			pd_mem_load_from(&v, p, sizeof(v), site, frame);                           \
		return v;                                                                          \
	}                                                                                          \
	static __attribute__((noinline)) type watched_load##bits(void *p, const struct pd_site *s) \
	{                                                                                          \
		const struct pd_walk_frame *frame = __builtin_frame_address(0);                    \
		type v;                                                                            \
                                                                                                   \
		if (!is_known(p, sizeof(v), s->id, frame))                                         \
			return load##bits(p, s->id, frame);                                        \
		memcpy(&v, p, sizeof(v));                                                          \
		return v;                                                                          \
	}                                                                                          \
	PD_EXPORT type __pd_load##bits(void *p, const struct pd_site *s)                           \
	{                                                                                          \
		type v;                                                                            \
                                                                                                   \
		if (pd_hook_is_quiet(&v, p, sizeof(v), s, NULL))                                   \
			return v;                                                                  \
		if (!is_unwanted())                                                                \
			return watched_load##bits(p, s);                                           \
		memcpy(&v, p, sizeof(v));                                                          \
		return v;                                                                          \
	}                                                                                          \
	static __attribute__((noinline)) void store##bits(void *p, type v,                         \
							  const struct pd_site *s)                 \
	{                                                                                          \
		if (pd_hook_is_pm(p))                                                              \
			pd_mem_store(p, &v, sizeof(v), s->id, PD_EV_STORE, PD_ORDER_NONE);         \
		else                                                                               \
			outside(p, &v, sizeof(v));                                                 \
	}                                                                                          \
	PD_EXPORT void __pd_store##bits(void *p, type v, const struct pd_site *s)                  \
	{                                                                                          \
		if (pd_likely(is_direct(PD_EV_STORE, (uint64_t)p)))                                \
			direct_store(p, &v, sizeof(v), s->id, PD_EV_STORE,                         \
				     __builtin_frame_address(0));                                  \
		else                                                                               \
			store##bits(p, v, s);                                                      \
	}                                                                                          \
	PD_EXPORT void __pd_ntstore##bits(void *p, type v, const struct pd_site *s)                \
	{                                                                                          \
		if (pd_likely(is_direct(PD_EV_NTSTORE, (uint64_t)p)))                              \
			direct_store(p, &v, sizeof(v), s->id, PD_EV_NTSTORE,                       \
				     __builtin_frame_address(0));                                  \
		else if (pd_hook_is_pm(p))                                                         \
			pd_mem_store(p, &v, sizeof(v), s->id, PD_EV_NTSTORE, PD_ORDER_NONE);       \
		else                                                                               \
			memcpy(p, &v, sizeof(v));                                                  \
	}

/* What is done with a value matters only after a crash. */
#define ASK(bits, type)                                                                            \
	type __pd_ask##bits(void *p, const struct pd_site *s, const struct pd_view *view,          \
			    uint64_t a, uint64_t b);                                               \
                                                                                                   \
	static __attribute__((noinline)) type ask##bits(void *p, const struct pd_site *s,          \
							const struct pd_view *view, uint64_t a,    \
							uint64_t b)                                \
	{                                                                                          \
		struct pd_lens lens = {view, {a, b}};                                              \
		type v;                                                                            \
                                                                                                   \
		if (pd_hook_is_pm(p))                                                              \
			pd_mem_look(&v, p, s->id, PD_ORDER_NONE, &lens);                           \
		else                                                                               \
			memcpy(&v, p, sizeof(v));                                                  \
		return v;                                                                          \
	}                                                                                          \
	PD_EXPORT type __pd_ask##bits(void *p, const struct pd_site *s,                            \
				      const struct pd_view *view, uint64_t a, uint64_t b)          \
	{                                                                                          \
		struct pd_lens lens = {view, {a, b}};                                              \
		type v;                                                                            \
                                                                                                   \
		if (pd_hook_is_quiet(&v, p, sizeof(v), s, &lens))                                  \
			return v;                                                                  \
		if (pd_unlikely(pd_mem.crashed))                                                   \
			return ask##bits(p, s, view, a, b);                                        \
		if (!is_unwanted())                                                                \
			return watched_load##bits(p, s);                                           \
		memcpy(&v, p, sizeof(v));                                                          \
		return v;                                                                          \
	}

PLAIN(1, uint8_t)
PLAIN(2, uint16_t)
PLAIN(4, uint32_t)
PLAIN(8, uint64_t)
PLAIN(16, u128)

ASK(1, uint8_t)
ASK(2, uint16_t)
ASK(4, uint32_t)
ASK(8, uint64_t)

/* ---- blocks --------------------------------------------------------------------------------- */

PD_EXPORT void __pd_loadb(void *p, void *to, uint64_t n, const struct pd_site *s)
{
	pd_hook_read(to, p, n, s->id);
}

PD_EXPORT void __pd_storeb(void *p, void *from, uint64_t n, const struct pd_site *s, int flags)
{
	enum pd_event_kind kind = flags & PD_STORE_NT ? PD_EV_NTSTORE : PD_EV_STORE;

	if (pd_unlikely(!is_direct(kind, (uint64_t)p)))
		pd_hook_write(p, from, n, s->id, kind);
	else if (n == 64)
		direct_store(p, from, 64, s->id, kind, __builtin_frame_address(0));
	else
		direct_store(p, from, n, s->id, kind, __builtin_frame_address(0));
}

/*
 * PM to PM is copied in pieces through a temporary, so that what is loaded is what is stored. Where
 * the ranges overlap, the order of the pieces matters as it does for the bytes of memmove.
 */
static void copy(uint8_t *d, const uint8_t *s, uint64_t n, uint32_t site)
{
	uint8_t buf[1024];
	bool down = (uint64_t)(d - s) < n;

	for (uint64_t done = 0; done < n;) {
		uint64_t k = PD_MIN(n - done, sizeof(buf));
		uint64_t at = down ? n - done - k : done;

		pd_hook_read(buf, s + at, k, site);
		pd_hook_write(d + at, buf, k, site, PD_EV_STORE);
		done += k;
	}
}

PD_EXPORT void __pd_memcpy(void *d, void *s, uint64_t n, const struct pd_site *site)
{
	if (pd_hook_is_pm(d) || pd_hook_is_pm(s))
		copy(d, s, n, site->id);
	else
		memcpy(d, s, n);
}

PD_EXPORT void __pd_memmove(void *d, void *s, uint64_t n, const struct pd_site *site)
{
	if (pd_hook_is_pm(d) || pd_hook_is_pm(s))
		copy(d, s, n, site->id);
	else
		memmove(d, s, n);
}

PD_EXPORT void __pd_memset(void *d, int c, uint64_t n, const struct pd_site *site)
{
	uint8_t buf[1024];

	if (!pd_hook_is_pm(d)) {
		memset(d, c, n);
		return;
	}
	memset(buf, c, PD_MIN(n, sizeof(buf)));
	for (uint64_t done = 0; done < n;) {
		uint64_t k = PD_MIN(n - done, sizeof(buf));

		pd_hook_write((uint8_t *)d + done, buf, k, site->id, PD_EV_STORE);
		done += k;
	}
}

/* ---- lanes of vectors ----------------------------------------------------------------------- */

static bool lane_on(const uint8_t *mask, uint64_t lane)
{
	return mask[lane] != 0;
}

PD_EXPORT void __pd_maskload(void *p, void *to, void *mask, int size, uint64_t lanes,
			     const struct pd_site *s)
{
	for (uint64_t i = 0; i < lanes; i++)
		if (lane_on(mask, i))
			pd_hook_read((uint8_t *)to + i * (uint64_t)size,
				     (uint8_t *)p + i * (uint64_t)size, (size_t)size, s->id);
}

PD_EXPORT void __pd_maskstore(void *p, void *from, void *mask, int size, uint64_t lanes,
			      const struct pd_site *s, int flags)
{
	for (uint64_t i = 0; i < lanes; i++)
		if (lane_on(mask, i))
			pd_hook_write((uint8_t *)p + i * (uint64_t)size,
				      (uint8_t *)from + i * (uint64_t)size, (size_t)size, s->id,
				      flags & PD_STORE_NT ? PD_EV_NTSTORE : PD_EV_STORE);
}

PD_EXPORT void __pd_gather(void *ptrs, void *to, void *mask, int size, uint64_t lanes,
			   const struct pd_site *s)
{
	for (uint64_t i = 0; i < lanes; i++)
		if (lane_on(mask, i))
			pd_hook_read((uint8_t *)to + i * (uint64_t)size, ((void **)ptrs)[i],
				     (size_t)size, s->id);
}

PD_EXPORT void __pd_scatter(void *ptrs, void *from, void *mask, int size, uint64_t lanes,
			    const struct pd_site *s)
{
	for (uint64_t i = 0; i < lanes; i++)
		if (lane_on(mask, i))
			pd_hook_write(((void **)ptrs)[i], (uint8_t *)from + i * (uint64_t)size,
				      (size_t)size, s->id, PD_EV_STORE);
}

/* ---- flushes and fences --------------------------------------------------------------------- */

PD_EXPORT void __pd_flush(void *p, int kind, const struct pd_site *s)
{
	static const enum pd_event_kind events[] = {
		[PD_FLUSH_CLFLUSH] = PD_EV_CLFLUSH,
		[PD_FLUSH_CLFLUSHOPT] = PD_EV_CLFLUSHOPT,
		[PD_FLUSH_CLWB] = PD_EV_CLWB,
	};

	if (pd_likely(is_direct(events[kind], (uint64_t)p)))
		direct_flush(p, events[kind], s->id, __builtin_frame_address(0));
	else if (pd_inside())
		pd_mem_flush(p, (enum pd_flush)kind, s->id);
	else /* every x86-64 has clflush, and it is the strongest of the three */
		__asm__ volatile("clflush %0" : "+m"(*(volatile char *)p));
}

PD_EXPORT void __pd_fence(int kind, const struct pd_site *s)
{
	static const enum pd_event_kind events[] = {
		[PD_FENCE_SFENCE] = PD_EV_SFENCE,
		[PD_FENCE_MFENCE] = PD_EV_MFENCE,
		[PD_FENCE_LFENCE] = PD_EV_LFENCE,
	};

	if (pd_likely(is_direct(events[kind], PD_PM_BASE))) {
		point();
		announce(events[kind], 0, NULL, 0, s->id, __builtin_frame_address(0));
	} else if (pd_inside()) {
		pd_mem_fence(events[kind], PD_ORDER_NONE, s->id);
	} else {
		__asm__ volatile("mfence" : : : "memory");
	}
}

PD_EXPORT void __pd_cfence(int order, const struct pd_site *s)
{
	if (!pd_inside())
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
	else
		pd_mem_fence(order == PD_ORDER_SEQ_CST ? PD_EV_MFENCE : PD_EV_CFENCE,
			     (enum pd_order)order, s->id);
}

PD_EXPORT void __pd_pause(const struct pd_site *s)
{
	(void)s;
	if (pd_inside())
		pd_sched_spin();
	else
		__asm__ volatile("pause");
}

/* ---- inline asm, and what is not understood ------------------------------------------------- */

PD_EXPORT void __pd_asm_pre(void *p, uint64_t n, int kind, const struct pd_site *s)
{
	uint8_t buf[64];

	(void)kind;
	pd_rt_drain();
	for (uint64_t done = 0; pd_hook_is_pm(p) && done < n; done += sizeof(buf))
		pd_mem_load(buf, (uint8_t *)p + done, PD_MIN(n - done, sizeof(buf)), s->id,
			    PD_ORDER_NONE);
	if (pd_unlikely(pd_veil_on) && pd_hook_is_pm(p))
		pd_veil_hold(p, n);
}

static void asm_done(void *p, uint64_t n, bool locked, uint32_t site)
{
	pd_mem_asm_done(p, n, locked, site);
	if (pd_unlikely(pd_veil_on))
		pd_veil_release(p, n);
}

PD_EXPORT void __pd_asm_post(void *p, uint64_t n, int kind, const struct pd_site *s)
{
	pd_mem.was = 0;
	if (pd_hook_is_pm(p))
		asm_done(p, n, kind == PD_ASM_LOCKED, s->id);
	else if (kind == PD_ASM_LOCKED && pd_inside())
		pd_mem_outside(PD_EV_ATOMIC_RMW, p, n, PD_ORDER_SEQ_CST, s->id);
}

PD_EXPORT void __pd_loss(int kind, const struct pd_site *s)
{
	pd_rt_loss((enum pd_loss)kind, s->id, NULL);
}
