/*
 * lockset.h - the races of a run, naively: every access is kept, every pair compared, a byte at a
 * time.
 *
 * Straight from the definition in src/engine/lockset/lockset.h, with nothing of its code. Locks are
 * the announced ones only.
 */
#ifndef PD_TESTS_REF_LOCKSET_H
#define PD_TESTS_REF_LOCKSET_H

#include "event/event.h"

enum { REF_EVENTS = 400, REF_THREADS = 5, REF_BYTES = 256, REF_LOCKS = 4, REF_RACES = 4096 };

struct ref_race {
	bool write;
	uint32_t store;
	uint32_t other; /* the flush (0: none), or of two stores the second */
	uint32_t load;	/* 0: two stores */
};

struct ref_races {
	uint32_t n;
	struct ref_race v[REF_RACES];
};

/* By field: the bytes between them are anything. */
static inline bool ref_races_have(const struct ref_races *r, const struct ref_race *x)
{
	for (uint32_t i = 0; i < r->n; i++)
		if (r->v[i].write == x->write && r->v[i].store == x->store &&
		    r->v[i].other == x->other && r->v[i].load == x->load)
			return true;
	return false;
}

/* Initialization removal, and recycled memory as well. */
enum ref_rules { REF_ALL, REF_INIT, REF_RECYCLE };

void ref_lockset(const struct pd_event *e, uint32_t n, enum ref_rules rules, struct ref_races *out);

#endif
