/*
 * locks.h - sets of locks, each set stored once.
 *
 * A lock is a small number, and its mode goes with it. A set is the sorted list of 2 * lock +
 * shared; equal sets have equal numbers, 0 is the empty one. A held lock also has the time at which
 * it was taken (HawkSet §4.3.3, the logical clock): a lock that is held now and was taken before
 * some moment has been held ever since. So the effective lockset needs no sets of pairs, just that
 * comparison.
 *
 * Sets are never freed: there are as many as distinct ones.
 */
#ifndef PD_ENGINE_LOCKSET_LOCKS_H
#define PD_ENGINE_LOCKSET_LOCKS_H

#include "base/map.h"
#include "base/vec.h"
#include "model/clock.h"

enum { PD_LOCK_TAKEN = 6 };

struct pd_lock {
	uint64_t addr;
	uint32_t held; /* number of threads that hold it now */
	bool guess;    /* recognised, but not released yet */
	/* Order of the run: what the last writer knew that has released it, */
	struct pd_clock written;
	uint32_t writer;      /* which thread that was, */
	uint32_t step;	      /* and at which of its steps; 0: none yet */
	struct pd_clock read; /* and what readers knew that have released it since */
	uint32_t alone[2]; /* the sets of just this lock, exclusive and shared; 0: not made yet */
	struct {
		uint32_t who;	/* 2 * thread + shared */
		uint32_t place; /* where that thread last took it in this mode; 0: none */
	} taken[PD_LOCK_TAKEN]; /* of the last threads, for reports */
};

struct pd_lock_set {
	uint16_t n;
	bool excludes; /* two holders of it exclude each other: not all locks are shared */
	uint32_t next; /* with the same hash; 0: none */
	const uint32_t *lock;
};

struct pd_held {
	uint32_t lock;
	uint32_t since; /* on this thread's clock */
	uint16_t count; /* for recursive locks */
	bool shared;
	bool guessed; /* recognised (spin.c), not announced */
};

struct pd_locks {
	struct pd_arena *arena;
	PD_VEC(struct pd_lock) locks;
	PD_VEC(struct pd_lock_set) sets;
	struct pd_map by_addr; /* address -> lock + 1 */
	struct pd_map by_hash; /* hash -> set */
	uint64_t left_out;     /* sets in which not all locks of a thread had room */
};

/* What one thread holds. */
struct pd_holds {
	PD_VEC(struct pd_held) held;
	uint32_t clock; /* number of acquisitions so far */
	uint32_t set;	/* of all that is held */
};

bool pd_locks_init(struct pd_locks *l, struct pd_arena *a);

/* The number of the lock at this address, added if it is new; UINT32_MAX: memory ran out. */
uint32_t pd_locks_at(struct pd_locks *l, uint64_t addr);

/* From now on the lock at this address is another one. */
bool pd_locks_anew(struct pd_locks *l, uint64_t addr);

/* The number of the lock at this address, found faster if this thread holds it. */
static inline uint32_t pd_locks_held_at(struct pd_locks *l, const struct pd_holds *h, uint64_t addr)
{
	for (uint32_t i = h->held.n; i-- > 0;)
		if (l->locks.v[h->held.v[i].lock].addr == addr)
			return h->held.v[i].lock;
	return pd_locks_at(l, addr);
}

/* NULL: the thread does not hold it. */
const struct pd_held *pd_locks_held(const struct pd_holds *h, uint32_t lock);

bool pd_locks_take(struct pd_locks *l, struct pd_holds *h, uint32_t lock, bool shared, bool guessed,
		   uint32_t tid, uint32_t place);

/* False: it was not held. */
bool pd_locks_give(struct pd_locks *l, struct pd_holds *h, uint32_t lock);

/* The set of locks that are held and were already held at this time of the thread's clock. */
uint32_t pd_locks_still(struct pd_locks *l, const struct pd_holds *h, uint32_t clock);
static inline uint32_t pd_locks_since(struct pd_locks *l, const struct pd_holds *h, uint32_t clock)
{
	return pd_likely(clock == h->clock) ? h->set : pd_locks_still(l, h, clock);
}

/* Whether threads that hold these sets cannot be there at the same time. */
bool pd_locks_exclude_any(const struct pd_locks *l, uint32_t a, uint32_t b);
static inline bool pd_locks_exclude(const struct pd_locks *l, uint32_t a, uint32_t b)
{
	return a == b ? l->sets.v[a].excludes : a && b && pd_locks_exclude_any(l, a, b);
}

/* The locks of both sets, shared if one of them is: what excludes the result excludes both. */
uint32_t pd_locks_meet(struct pd_locks *l, uint32_t a, uint32_t b);

/* The set plus this lock, shared: the thread has found it free at this place. */
uint32_t pd_locks_looked(struct pd_locks *l, uint32_t set, uint32_t lock, uint32_t tid,
			 uint32_t place);

/* The set without locks that are only guessed. */
uint32_t pd_locks_certain(struct pd_locks *l, uint32_t set);

/* Where this thread took the lock (2 * lock + shared); if that is forgotten, where another one
 * did. */
uint32_t pd_locks_place(const struct pd_locks *l, uint32_t lock, uint32_t tid);

/* A lock in both sets, whatever the modes; UINT32_MAX: none. */
uint32_t pd_locks_common(const struct pd_locks *l, uint32_t a, uint32_t b);

#endif
