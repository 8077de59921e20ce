/* outcomes.c - see outcomes.h. */
#include "engine/crash/outcomes.h"

void pd_outcomes_add(struct pd_outcomes *o, uint64_t digest)
{
	digest |= 1;
	for (uint64_t i = digest % PD_OUTCOMES_KNOWN;; i = (i + 1) % PD_OUTCOMES_KNOWN) {
		uint64_t have = __atomic_load_n(&o->known[i], __ATOMIC_RELAXED);

		if (!have && __atomic_load_n(&o->n, __ATOMIC_RELAXED) >= PD_OUTCOMES_KNOWN / 2)
			return;
		if (!have && __atomic_compare_exchange_n(&o->known[i], &have, digest, false,
							 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			break;
		if (have == digest)
			return;
	}
	__atomic_fetch_add(&o->sum, digest, __ATOMIC_RELAXED);
	__atomic_fetch_add(&o->n, 1, __ATOMIC_RELAXED);
}
