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

/* An execution begins that may be held up: sets the chooser. */
void pd_hold_begin(void);

/* The first thread is about to be made: from here on every execution is a snapshot. */
void pd_hold_serve(void);

/* This thread is about to flush, or to fence. */
void pd_hold_persisting(uint64_t off, bool fence);

/* It is about to load. */
void pd_hold_loading(uint64_t off, size_t n, uint32_t site);

/* Accesses to PM, after the model knows of them. */
void pd_hold_stored(uint64_t off, size_t n, uint32_t site);
void pd_hold_loaded(uint64_t off, size_t n, uint32_t site);
void pd_hold_flushed(uint64_t off, bool at_once, uint32_t site);
void pd_hold_fenced(uint32_t site);

/* A recovery ends. */
void pd_hold_recovered(void);

/* Whether power may fail here. */
bool pd_hold_here(void);

/* At a crash point: what recoveries may miss; and what came of them. */
void pd_hold_watch(struct pd_walk_watch *w);
void pd_hold_judge(const struct pd_walk_watch *w);

extern PD_OWN bool pd_hold_on;

#endif
