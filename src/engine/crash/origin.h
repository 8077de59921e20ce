/*
 * origin.h - which reads of recovery so many states come of.
 *
 * Each read that could see several values has its part in the number of recoveries: as many values as it had beyond one, on each
 * path that came through it. Early reads count as much as late ones by that, of which there are more in the tree.
 */
#ifndef PD_ENGINE_CRASH_ORIGIN_H
#define PD_ENGINE_CRASH_ORIGIN_H

#include "engine/crash/root.h"
#include "base/arena.h"

/* The site below nsite whose reads have the largest part; 0: none has several values, or memory ran
 * out. What it needs on the way comes from the arena. */
uint32_t pd_origin_find(const struct pd_roots *r, uint32_t nsite, struct pd_arena *a);

#endif
