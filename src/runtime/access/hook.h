/*
 * hook.h - the hooks of event.def, and what the files hook*.c share.
 */
#ifndef PD_RUNTIME_ACCESS_HOOK_H
#define PD_RUNTIME_ACCESS_HOOK_H

#include "runtime/access/mem.h"
#include "runtime/base/quiet.h"
#include "runtime/base/rt.h"
#include "runtime/pm/pool.h"
#include "runtime/pm/shadow.h"
#include "runtime/pm/veil.h"
#include "runtime/thread/door.h"
#include "runtime/thread/sched.h"
#include <string.h>

static inline bool pd_hook_is_pm(const void *p)
{
	return PD_IS_PM((uint64_t)p) && pd_inside_pm();
}

/* Whether a load may be quiet: the engine has granted one, and no other thread runs first. */
static inline bool pd_hook_may_be_quiet(const void *p)
{
	return pd_quiet.passed < pd_quiet.limit &&
	       pd_likely((uint64_t)p - PD_PM_BASE < PD_POOL_RESERVATIONS - PD_PM_BASE) &&
	       pd_likely(pd_door == PD_DOOR_INSIDE) && pd_likely(!pd_pool_away) &&
	       pd_likely(!pd_rt.buffered) && pd_likely(pd_sched.passed || pd_sched.nlive <= 1);
}

/* A load of n bytes, a constant, if it is quiet (base/quiet.h): completes it and returns true. It
 * looks by `lens`; NULL: it reads all of them. */
static inline __attribute__((always_inline)) bool pd_hook_is_quiet(void *out, const void *p,
								   size_t n,
								   const struct pd_site *s,
								   const struct pd_lens *lens)
{
	uint64_t off = (uint64_t)p - PD_PM_BASE;

	if (!pd_hook_may_be_quiet(p))
		return false;
	if (pd_veil_on ? !pd_quiet_has(off, n) && !(lens && pd_quiet_has_look(off, lens))
		       : !pd_quiet.all)
		return false;
	memcpy(out, pd_veil_on ? pd_shadow(off) : p, n);
	if (!pd_veil_on && memcmp(out, pd_shadow(off), n) != 0)
		return false; /* a blind store */
	pd_quiet.passed++;
	pd_sched.passed -= pd_sched.nlive > 1; /* as pd_sched_passes does */
	*pd_quiet.site = s->id;
	*pd_quiet.off = off;
	return true;
}

/* Copies any memory to a temporary. */
static inline void pd_hook_read(void *to, const void *p, size_t n, uint32_t site)
{
	if (pd_hook_is_pm(p))
		pd_mem_load(to, p, n, site, PD_ORDER_NONE);
	else
		memcpy(to, p, n);
}

/* Copies a temporary to any memory. */
static inline void pd_hook_write(void *p, const void *from, size_t n, uint32_t site,
				 enum pd_event_kind kind)
{
	if (pd_hook_is_pm(p))
		pd_mem_store(p, from, n, site, kind, PD_ORDER_NONE);
	else
		memcpy(p, from, n);
}

void __pd_loadb(void *p, void *to, uint64_t n, const struct pd_site *s);
void __pd_storeb(void *p, void *from, uint64_t n, const struct pd_site *s, int flags);
void __pd_maskload(void *p, void *to, void *mask, int size, uint64_t lanes,
		   const struct pd_site *s);
void __pd_maskstore(void *p, void *from, void *mask, int size, uint64_t lanes,
		    const struct pd_site *s, int flags);
void __pd_gather(void *ptrs, void *to, void *mask, int size, uint64_t lanes,
		 const struct pd_site *s);
void __pd_scatter(void *ptrs, void *from, void *mask, int size, uint64_t lanes,
		  const struct pd_site *s);
void __pd_memcpy(void *d, void *s, uint64_t n, const struct pd_site *site);
void __pd_memmove(void *d, void *s, uint64_t n, const struct pd_site *site);
void __pd_memset(void *d, int c, uint64_t n, const struct pd_site *site);
void __pd_flush(void *p, int kind, const struct pd_site *s);
void __pd_fence(int kind, const struct pd_site *s);
void __pd_cfence(int order, const struct pd_site *s);
void __pd_pause(const struct pd_site *s);
uint32_t __pd_xact(int what, const struct pd_site *s);
void __pd_asm_pre(void *p, uint64_t n, int kind, const struct pd_site *s);
void __pd_asm_post(void *p, uint64_t n, int kind, const struct pd_site *s);
void __pd_loss(int kind, const struct pd_site *s);

#endif
