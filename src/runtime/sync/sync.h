/*
 * sync.h - what the primitives share.
 *
 * Each primitive is a state machine of our own over glibc's layout of the object: a mutex, rwlock,
 * spin lock, semaphore or once control says in its own words whether it is held and by whom, as
 * glibc would have it, because the object may lie in PM and be read by a recovery, or by glibc in a
 * run alone. Waiters are not in the object but in the scheduler. (So glibc's "contended" values
 * never appear, a mutex in use has lock word 1; and a condition variable's or barrier's counters do
 * not move.)
 *
 * The pattern of every operation, driven:
 *
 *	pd_sched_point();             another thread may be faster
 *	pd_sched_hold();              no thread sees the object half changed
 *	... test and set words; if it is not free: release, block, try again
 *	pd_sched_release();
 *	emit the edge
 *
 * Words in PM are read and written through the hooks of instrumented code: a load of crashed PM is
 * a choice, a store is an event, and power may fail at either.
 *
 * Thread rule: driven mode only; alone, every function passes on to libc.
 */
#ifndef PD_RUNTIME_SYNC_SYNC_H
#define PD_RUNTIME_SYNC_SYNC_H

#include "runtime/base/rt.h"
#include "runtime/thread/sched.h"
#include "runtime/thread/thread.h"
#include <time.h>

/* hook.c; from event.def, here only those in use. */
uint32_t __pd_aload4(void *p, const struct pd_site *site, int order);
void __pd_store4(void *p, uint32_t v, const struct pd_site *site);
uint32_t __pd_rmw4(void *p, uint32_t v, const struct pd_site *site, int op, int order);
uint32_t __pd_cas4(void *p, uint32_t old, uint32_t v, const struct pd_site *site, int ok, int fail);
void __pd_loadb(void *p, void *to, uint64_t n, const struct pd_site *site);
void __pd_storeb(void *p, void *from, uint64_t n, const struct pd_site *site, int flags);

/* Where libc's own accesses happen, as far as a report is concerned. */
extern PD_OWN const struct pd_site pd_sync_site;

/* Accesses in between are libc's, not the program's. Another thread may run meanwhile. */
static inline void pd_sync_enter(void)
{
	if (pd_sched.cur)
		pd_sched.cur->in_libc++;
}

static inline void pd_sync_leave(void)
{
	if (pd_sched.cur)
		pd_sched.cur->in_libc--;
}

static inline uint32_t pd_word_load(const void *p)
{
	uint32_t v;

	if (PD_IS_PM((uintptr_t)p)) {
		pd_sync_enter();
		v = __pd_aload4((void *)(uintptr_t)p, &pd_sync_site, PD_ORDER_RELAXED);
		pd_sync_leave();
		return v;
	}
	return *(const volatile uint32_t *)p;
}

static inline void pd_word_store(void *p, uint32_t v)
{
	if (PD_IS_PM((uintptr_t)p)) {
		pd_sync_enter();
		__pd_store4(p, v, &pd_sync_site);
		pd_sync_leave();
	} else {
		*(volatile uint32_t *)p = v;
	}
}

/* Stores with a full fence, as a locked instruction does. */
static inline void pd_word_swap(void *p, uint32_t v)
{
	if (PD_IS_PM((uintptr_t)p)) {
		pd_sync_enter();
		__pd_rmw4(p, v, &pd_sync_site, PD_RMW_XCHG, PD_ORDER_SEQ_CST);
		pd_sync_leave();
	} else {
		*(volatile uint32_t *)p = v;
	}
}

/* Returns the old value; if that is `old`, v was stored. */
static inline uint32_t pd_word_cas(void *p, uint32_t old, uint32_t v)
{
	uint32_t was;

	if (PD_IS_PM((uintptr_t)p)) {
		pd_sync_enter();
		was = __pd_cas4(p, old, v, &pd_sync_site, PD_ORDER_SEQ_CST, PD_ORDER_RELAXED);
		pd_sync_leave();
		return was;
	}
	was = *(volatile uint32_t *)p;
	if (was == old)
		*(volatile uint32_t *)p = v;
	return was;
}

/* Copies a whole object from or to a copy, for libc's own init and destroy functions. */
void pd_object_load(const void *obj, void *copy, size_t n);
void pd_object_store(void *obj, void *copy, size_t n);

/*
 * `r = real(copy, args...)`, driven, on a copy of an object in PM, else on the object itself:
 * libc's stores would bypass the hooks.
 */
#define PD_ON_COPY(r, obj, fresh, real, ...)                                                       \
	do {                                                                                       \
		__typeof__(*(obj)) copy_;                                                          \
                                                                                                   \
		if (!pd_thread_driven() || !PD_IS_PM((uintptr_t)(obj))) {                          \
			(r) = real((obj)__VA_OPT__(, ) __VA_ARGS__);                               \
			break;                                                                     \
		}                                                                                  \
		memset((void *)(uintptr_t)&copy_, 0, sizeof(copy_));                               \
		if (!(fresh))                                                                      \
			pd_object_load((const void *)(uintptr_t)(obj), (void *)(uintptr_t)&copy_,  \
				       sizeof(copy_));                                             \
		(r) = real(&copy_ __VA_OPT__(, ) __VA_ARGS__);                                     \
		if (!(r))                                                                          \
			pd_object_store((void *)(uintptr_t)(obj), (void *)(uintptr_t)&copy_,       \
					sizeof(copy_));                                            \
	} while (0)

/* For an argument that libc reads: replaces it by a copy, if it is in PM. */
#define PD_FROM_COPY(type, p)                                                                      \
	type from_;                                                                                \
                                                                                                   \
	if (pd_thread_driven() && PD_IS_PM((uintptr_t)(p))) {                                      \
		pd_object_load((p), &from_, sizeof(from_));                                        \
		(p) = &from_;                                                                      \
	}

/* From the session's start: listens for the end of threads, and for forks. */
void pd_sync_listen(void);

/*
 * A thread ends: marks the robust mutexes that it holds as having lost their owner. (sync/mutex.c)
 */
void pd_sync_end(struct pd_thread *t);

/* The futex system call, served by the scheduler; the result, or -errno. (sync/futex.c) */
long pd_futex(const long *a);

/* In the child of the program's fork. (sync/once.c) */
void pd_once_forked(void);

/* The mutex operations themselves, for those that are built on them; driven mode only. */
int pd_mutex_lock(pthread_mutex_t *m, uint64_t deadline);
int pd_mutex_unlock(pthread_mutex_t *m);

#endif
