/*
 * place.h - where an event comes from: a static site and the calls that led there, as one number.
 *
 * Engines that watch a run want the stacks of stores and flushes, so a stack must not cost more than the
 * event itself. `perdure cc` keeps frame pointers, so the callers are a chain of words; the number is
 * found in a table by a hash of them. Numbers start at 1 and are dense.
 *
 * The chain is followed only inside the thread's own stack and upwards. What is lost: callers behind
 * code without frame pointers (a callback from a library), and frames beyond PD_PLACE_DEPTH.
 *
 * Thread rule: as in rt.h.
 */
#ifndef PD_RUNTIME_PLACE_H
#define PD_RUNTIME_PLACE_H

#include "finding/wire.h"
#include "runtime/rt.h"

enum { PD_PLACE_DEPTH = 16 };

/* Here and now; site 0 is unknown, the callers are then all there is. */
uint32_t pd_place_here(uint32_t site);

/* Without callers. */
uint32_t pd_place_site(uint32_t site);

/* Memory that places hold. */
uint64_t pd_place_bytes(void);

/* For pd_wire_source. */
uint32_t pd_place_frames(void *ctx, uint32_t place, struct pd_wire_frame *to, uint32_t max);

/* Defines the files of code that places have been seen in and that are not defined yet. */
void pd_place_modules(struct pd_wire_teller *t);

#endif
