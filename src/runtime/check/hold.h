/*
 * check/hold.h - confirms races in the first execution: acts on what engine/lockset/meet.h decides.
 *
 * Thread rule: as in rt.h.
 */
#ifndef PD_RUNTIME_CHECK_HOLD_H
#define PD_RUNTIME_CHECK_HOLD_H

#include "runtime/base/rt.h"

struct pd_walk_watch;

/* An execution begins in which threads may be held: sets the chooser, and listens. */
void pd_hold_begin(void);

/* A recovery ends: counts it if it has overwritten the watched bytes without reading them. */
void pd_hold_recovered(void);

/* Whether power may fail here. */
bool pd_hold_here(void);

/* At a crash point: sets the store that recoveries may miss; afterwards, judges what they did. */
void pd_hold_watch(struct pd_walk_watch *w);
void pd_hold_judge(const struct pd_walk_watch *w);

extern PD_OWN bool pd_hold_on;

#endif
