/*
 * minimise.h - the shortest workload that still goes wrong, by leaving things out.
 *
 * Delta debugging (Zeller and Hildebrandt, TSE 2002): whole threads first, then all operations on a
 * key, then operations by ddmin, which ends where none can be left out alone. Then fewer threads do
 * what is left, where that goes wrong, too, and keys and values become small numbers in the order in
 * which they come. The caller says whether a workload goes wrong; it is asked in an order that
 * depends on nothing but its answers, and never twice in a row about the same.
 */
#ifndef PD_ENGINE_LINEAR_MINIMISE_H
#define PD_ENGINE_LINEAR_MINIMISE_H

#include "engine/linear/workload.h"

struct pd_minimise {
	const struct pd_linear_entry *table;
	bool (*fails)(void *ctx, const struct pd_workload *w);
	void *ctx;
	uint32_t budget; /* questions at most; 0: as many as it takes */
	/* Results. */
	uint32_t asked;
	bool cut_short; /* the budget was used up, or memory: there may be a shorter one */
};

/* w goes wrong; shrinks it in place. */
void pd_minimise(struct pd_minimise *m, struct pd_workload *w, struct pd_arena *a);

#endif
