/*
 * join.h - races as findings: one for each store, with all flushes that make it durable and all
 * loads.
 *
 * The engine reports a race in parts (report.c). Which parts belong together shows only where
 * places have names: one source line may be many places. The id of a finding is that of its stores.
 */
#ifndef PD_ENGINE_LOCKSET_JOIN_H
#define PD_ENGINE_LOCKSET_JOIN_H

#include "finding/raw.h"

/* Adds a reported part to the set; returns the id of the finding that it belongs to, 0: none. */
uint64_t pd_lockset_join(const struct pd_namer *front, const struct pd_raw_finding *t,
			 struct pd_findings *to);

#endif
