/*
 * origin.h - which reads of recovery cause most of its states.
 *
 * A read that could see several values adds to the number of recoveries: its values beyond the
 * first, on each path through it. So weighted, early reads count as much as late ones, of which the
 * tree has more.
 */
#ifndef PD_ENGINE_CRASH_ORIGIN_H
#define PD_ENGINE_CRASH_ORIGIN_H

#include "engine/crash/root.h"
#include "base/arena.h"

/* The site, below nsite, whose reads add most; 0: no read has several values, or memory ran out.
 * Scratch memory comes from the arena. */
uint32_t pd_origin_find(const struct pd_roots *r, uint32_t nsite, struct pd_arena *a);

#endif
