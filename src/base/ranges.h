/*
 * ranges.h - a set of address ranges, each with the place that added it.
 *
 * Sorted, disjoint; a byte belongs to the place that added it first. Used for few ranges that are
 * looked up often: what a transaction has logged, what nobody needs after a crash.
 */
#ifndef PD_BASE_RANGES_H
#define PD_BASE_RANGES_H

#include "base/arena.h"
#include "base/vec.h"

struct pd_stretch {
	uint64_t from;
	uint64_t to;
	uint32_t place;
};

struct pd_ranges {
	PD_VEC(struct pd_stretch) v;
	uint32_t last; /* index of the range that pd_ranges_has last found */
};

/* Adds the bytes that are not in the set yet. Returns how many were; *first is the place of the
 * first of them. */
uint64_t pd_ranges_add(struct pd_ranges *r, struct pd_arena *a, uint64_t from, uint64_t to,
		       uint32_t place, uint32_t *first);

void pd_ranges_remove(struct pd_ranges *r, struct pd_arena *a, uint64_t from, uint64_t to);

/* The first byte of [from, to) that is not in the set; `to`: all are. */
uint64_t pd_ranges_missing(const struct pd_ranges *r, uint64_t from, uint64_t to);

/* Whether all of it is in one range: in the i-th, or in any. */
static inline bool pd_ranges_again(const struct pd_ranges *r, uint32_t i, uint64_t from,
				   uint64_t to)
{
	return i < r->v.n && r->v.v[i].from <= from && to <= r->v.v[i].to;
}

bool pd_ranges_has(struct pd_ranges *r, uint64_t from, uint64_t to);

#endif
