/*
 * join.h - races as findings: one for each store, with all that makes it durable and all loads.
 *
 * The engine reports a race in parts (report.c). Which of them are one is known where places have
 * names: a line of the source may be many places. The id of a finding is that of its stores.
 */
#ifndef PD_ENGINE_LOCKSET_JOIN_H
#define PD_ENGINE_LOCKSET_JOIN_H

#include "finding/raw.h"

/* Adds what was reported to the set. The id of the finding that it is now a part of; 0: none. */
uint64_t pd_lockset_join(const struct pd_namer *front, const struct pd_raw_finding *t,
			 struct pd_findings *to);

#endif
