/*
 * access/hook_atomic.c - atomic accesses, to PM or not.
 *
 * Driven, one thread runs at a time, so an atomic access is a plain one with an event and a chance
 * for others to run. Alone, it is the real thing: with the strongest order, which is never wrong.
 */
#include "runtime/access/hook.h"
#include "runtime/thread/sched.h"

typedef unsigned __int128 u128;
typedef __int128 i128;

/* ---- arithmetic ----------------------------------------------------------------------------- */

static i128 as_signed(u128 v, size_t n)
{
	unsigned shift = (unsigned)(128 - 8 * n);

	return (i128)(v << shift) >> shift;
}

/* fmax and fmin without libm: a NaN gives way to a number. */
static u128 float_op(enum pd_rmw op, u128 a, u128 b)
{
	float x, y, r;

	memcpy(&x, &a, sizeof(x));
	memcpy(&y, &b, sizeof(y));
	r = op == PD_RMW_FADD	? x + y
	    : op == PD_RMW_FSUB ? x - y
	    : op == PD_RMW_FMAX ? (x != x || y > x ? y : x)
				: (x != x || y < x ? y : x);
	a = 0;
	memcpy(&a, &r, sizeof(r));
	return a;
}

static u128 double_op(enum pd_rmw op, u128 a, u128 b)
{
	double x, y, r;

	memcpy(&x, &a, sizeof(x));
	memcpy(&y, &b, sizeof(y));
	r = op == PD_RMW_FADD	? x + y
	    : op == PD_RMW_FSUB ? x - y
	    : op == PD_RMW_FMAX ? (x != x || y > x ? y : x)
				: (x != x || y < x ? y : x);
	a = 0;
	memcpy(&a, &r, sizeof(r));
	return a;
}

static u128 apply(enum pd_rmw op, u128 a, u128 b, size_t n)
{
	switch (op) {
	case PD_RMW_XCHG:
		return b;
	case PD_RMW_ADD:
		return a + b;
	case PD_RMW_SUB:
		return a - b;
	case PD_RMW_AND:
		return a & b;
	case PD_RMW_NAND:
		return ~(a & b);
	case PD_RMW_OR:
		return a | b;
	case PD_RMW_XOR:
		return a ^ b;
	case PD_RMW_MAX:
		return as_signed(a, n) > as_signed(b, n) ? a : b;
	case PD_RMW_MIN:
		return as_signed(a, n) < as_signed(b, n) ? a : b;
	case PD_RMW_UMAX:
		return a > b ? a : b;
	case PD_RMW_UMIN:
		return a < b ? a : b;
	case PD_RMW_FADD:
	case PD_RMW_FSUB:
	case PD_RMW_FMAX:
	case PD_RMW_FMIN:
		return n == 4 ? float_op(op, a, b) : double_op(op, a, b);
	case PD_RMW_UINC_WRAP:
		return a >= b ? 0 : a + 1;
	case PD_RMW_UDEC_WRAP:
		return a == 0 || a > b ? b : a - 1;
	}
	return b;
}

/* ---- driven --------------------------------------------------------------------------------- */

static void driven_load(void *out, const void *p, size_t n, int order, uint32_t site,
			const struct pd_lens *lens)
{
	if (pd_hook_is_pm(p)) {
		if (lens)
			pd_mem_look(out, p, site, (enum pd_order)order, lens);
		else
			pd_mem_load(out, p, n, site, (enum pd_order)order);
	} else {
		pd_rt_point();
		memcpy(out, p, n);
		pd_mem_outside(PD_EV_ATOMIC_LOAD, p, n, (enum pd_order)order, site);
	}
	pd_sched_loaded(p, out, n);
}

static void driven_store(void *p, const void *v, size_t n, int order, uint32_t site)
{
	if (pd_hook_is_pm(p)) {
		pd_mem_store(p, v, n, site, PD_EV_STORE, (enum pd_order)order);
		return;
	}
	pd_rt_point();
	pd_rt_drain(); /* visible immediately, and after all earlier stores */
	pd_sched_progress();
	memcpy(p, v, n);
	pd_mem_outside(PD_EV_ATOMIC_STORE, p, n, (enum pd_order)order, site);
}

static void begin_rmw(void *old, const void *p, size_t n, uint32_t site)
{
	if (pd_hook_is_pm(p)) {
		pd_mem_rmw_begin(old, p, n, site);
	} else {
		pd_rt_point();
		pd_rt_drain();
		memcpy(old, p, n);
	}
}

static void end_rmw(void *p, const void *fresh, size_t n, int order, uint32_t site)
{
	bool same;

	if (pd_hook_is_pm(p)) {
		pd_mem_rmw_end(p, fresh, n, site, (enum pd_order)order);
		return;
	}
	same = pd_mem_is_same(p, fresh, n);
	if (!same)
		pd_sched_progress();
	memcpy(p, fresh, n);
	pd_mem_outside(PD_EV_ATOMIC_RMW, p, n, (enum pd_order)order, site);
	if (same)
		pd_sched_spin();
}

static void failed_rmw(void *p, const void *found, size_t n, int order, uint32_t site)
{
	if (pd_hook_is_pm(p)) {
		pd_mem_rmw_failed(p, found, n, site, (enum pd_order)order);
		return;
	}
	pd_mem_outside(PD_EV_ATOMIC_RMW, p, n, (enum pd_order)order, site);
	pd_sched_spin();
}

/* ---- the hooks ------------------------------------------------------------------------------ */

#define CAS(p, expected, desired) __sync_val_compare_and_swap((p), (expected), (desired))

#define NATIVE(bits, type)                                                                         \
	static type native_rmw##bits(void *p, type v, enum pd_rmw op)                              \
	{                                                                                          \
		type old = native_load##bits(p), seen;                                             \
                                                                                                   \
		while ((seen = CAS((type *)p, old, (type)apply(op, old, v, sizeof(v)))) != old)    \
			old = seen;                                                                \
		return old;                                                                        \
	}

#define NATIVE_LOAD(bits, type)                                                                    \
	static type native_load##bits(const void *p)                                               \
	{                                                                                          \
		return __atomic_load_n((const type *)p, __ATOMIC_SEQ_CST);                         \
	}

NATIVE_LOAD(1, uint8_t)
NATIVE_LOAD(2, uint16_t)
NATIVE_LOAD(4, uint32_t)
NATIVE_LOAD(8, uint64_t)

/* 16 bytes have no plain atomic load. A compare-exchange that changes nothing is one, but needs the
 * page to be writable: as with the library's own.
 */
static u128 native_load16(const void *p)
{
	return CAS((u128 *)p, 0, 0);
}

NATIVE(1, uint8_t)
NATIVE(2, uint16_t)
NATIVE(4, uint32_t)
NATIVE(8, uint64_t)
NATIVE(16, u128)

#define ATOMIC(bits, type)                                                                         \
	type __pd_aload##bits(void *p, const struct pd_site *s, int order);                        \
	void __pd_astore##bits(void *p, type v, const struct pd_site *s, int order);               \
	type __pd_rmw##bits(void *p, type v, const struct pd_site *s, int op, int order);          \
	type __pd_cas##bits(void *p, type expected, type desired, const struct pd_site *s, int ok, \
			    int fail);                                                             \
                                                                                                   \
	PD_EXPORT type __pd_aload##bits(void *p, const struct pd_site *s, int order)               \
	{                                                                                          \
		type v;                                                                            \
                                                                                                   \
		if (pd_hook_is_quiet(&v, p, sizeof(v), s, NULL)) {                                 \
			pd_sched_loaded(p, &v, sizeof(v));                                         \
			return v;                                                                  \
		}                                                                                  \
		if (!pd_inside())                                                                  \
			return native_load##bits(p);                                               \
		driven_load(&v, p, sizeof(v), order, s->id, NULL);                                 \
		return v;                                                                          \
	}                                                                                          \
	PD_EXPORT void __pd_astore##bits(void *p, type v, const struct pd_site *s, int order)      \
	{                                                                                          \
		if (pd_inside())                                                                   \
			driven_store(p, &v, sizeof(v), order, s->id);                              \
		else                                                                               \
			native_rmw##bits(p, v, PD_RMW_XCHG);                                       \
	}                                                                                          \
	PD_EXPORT type __pd_rmw##bits(void *p, type v, const struct pd_site *s, int op, int order) \
	{                                                                                          \
		type old, fresh;                                                                   \
                                                                                                   \
		if (!pd_inside())                                                                  \
			return native_rmw##bits(p, v, (enum pd_rmw)op);                            \
		begin_rmw(&old, p, sizeof(old), s->id);                                            \
		fresh = (type)apply((enum pd_rmw)op, old, v, sizeof(old));                         \
		pd_mem.was = op == PD_RMW_XCHG ? (uint64_t)old + 1 : 0;                            \
		end_rmw(p, &fresh, sizeof(fresh), order, s->id);                                   \
		return old;                                                                        \
	}                                                                                          \
	PD_EXPORT type __pd_cas##bits(void *p, type expected, type desired,                        \
				      const struct pd_site *s, int ok, int fail)                   \
	{                                                                                          \
		type old;                                                                          \
                                                                                                   \
		if (!pd_inside())                                                                  \
			return CAS((type *)p, expected, desired);                                  \
		begin_rmw(&old, p, sizeof(old), s->id);                                            \
		pd_mem.was = (uint64_t)old + 1;                                                    \
		if (old == expected)                                                               \
			end_rmw(p, &desired, sizeof(desired), ok, s->id);                          \
		else                                                                               \
			failed_rmw(p, &old, sizeof(old), fail, s->id);                             \
		return old;                                                                        \
	}

#define ASK(bits, type)                                                                            \
	type __pd_aask##bits(void *p, const struct pd_site *s, int order,                          \
			     const struct pd_view *view, uint64_t a, uint64_t b);                  \
                                                                                                   \
	PD_EXPORT type __pd_aask##bits(void *p, const struct pd_site *s, int order,                \
				       const struct pd_view *view, uint64_t a, uint64_t b)         \
	{                                                                                          \
		struct pd_lens lens = {view, {a, b}};                                              \
		type v;                                                                            \
                                                                                                   \
		if (pd_likely(!pd_mem.crashed))                                                    \
			return __pd_aload##bits(p, s, order);                                      \
		if (pd_hook_is_quiet(&v, p, sizeof(v), s, &lens))                                  \
			pd_sched_loaded(p, &v, sizeof(v));                                         \
		else                                                                               \
			driven_load(&v, p, sizeof(v), order, s->id, &lens);                        \
		return v;                                                                          \
	}

ATOMIC(1, uint8_t)
ATOMIC(2, uint16_t)
ATOMIC(4, uint32_t)
ATOMIC(8, uint64_t)
ATOMIC(16, u128)

ASK(1, uint8_t)
ASK(2, uint16_t)
ASK(4, uint32_t)
ASK(8, uint64_t)
