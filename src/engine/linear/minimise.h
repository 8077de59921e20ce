/*
 * minimise.h - reduces a workload to a short one that still goes wrong.
 *
 * Delta debugging (Zeller and Hildebrandt, TSE 2002): removes whole threads first, then all
 * operations on a key, then operations by ddmin, until none can be removed alone. Then fewer
 * threads do the rest, if that still goes wrong, and keys and values become small numbers in order
 * of appearance. The caller decides whether a workload goes wrong; the order of questions depends
 * only on its answers, and no question is repeated immediately.
 */
#ifndef PD_ENGINE_LINEAR_MINIMISE_H
#define PD_ENGINE_LINEAR_MINIMISE_H

#include "engine/linear/workload.h"

struct pd_minimise {
	const struct pd_linear_entry *table;
	bool (*fails)(void *ctx, const struct pd_workload *w);
	void *ctx;
	uint32_t budget; /* questions, at most; 0: no limit */
	/* Results. */
	uint32_t asked;
	bool cut_short; /* the budget or memory ran out: there may be a shorter one */
};

/* w goes wrong; reduces it in place. */
void pd_minimise(struct pd_minimise *m, struct pd_workload *w, struct pd_arena *a);

#endif
