/*
 * check/hold.h - confirming races in the first execution: what engine/lockset/meet.h decides is done
 * here.
 *
 * Thread rule: as in rt.h.
 */
#ifndef PD_RUNTIME_CHECK_HOLD_H
#define PD_RUNTIME_CHECK_HOLD_H

#include "runtime/base/rt.h"

struct pd_walk_watch;

/* An execution begins that may be held up: sets the chooser, and listens. */
void pd_hold_begin(void);

/* A recovery ends. */
void pd_hold_recovered(void);

/* Whether power may fail here. */
bool pd_hold_here(void);

/* At a crash point: what recoveries may miss; and what came of them. */
void pd_hold_watch(struct pd_walk_watch *w);
void pd_hold_judge(const struct pd_walk_watch *w);

extern PD_OWN bool pd_hold_on;

#endif
