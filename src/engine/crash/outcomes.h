/*
 * outcomes.h - the set of different ways in which recoveries ended, as digests.
 *
 * Several processes add concurrently. A full set drops new digests: the figure is then a lower
 * bound, and nothing else depends on it.
 */
#ifndef PD_ENGINE_CRASH_OUTCOMES_H
#define PD_ENGINE_CRASH_OUTCOMES_H

#include "base/types.h"

enum { PD_OUTCOMES_KNOWN = 1 << 16 };

struct pd_outcomes {
	uint32_t n;
	uint64_t sum; /* of the digests: equal sums are equal sets */
	uint64_t known[PD_OUTCOMES_KNOWN];
};

void pd_outcomes_add(struct pd_outcomes *o, uint64_t digest);

#endif
