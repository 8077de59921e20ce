/*
 * check_hold.h - makes a race happen: the reader acts between a store and its persist.
 *
 * The tool names a store and a load (sites) on the board. In the first execution the thread that made the
 * store is held when it is about to flush its line or to fence, as long as others can run and for HOLD_STEPS
 * steps at most; whoever can, goes on at random. If the load comes meanwhile, by another thread and from those bytes, they have met:
 * from then until the store is durable there are crash points, and no others. If a store that the reader
 * makes after its load becomes durable meanwhile, there is an effect without its cause.
 *
 * Thread rule: as in rt.h.
 */
#ifndef PD_RUNTIME_CHECK_HOLD_H
#define PD_RUNTIME_CHECK_HOLD_H

#include "runtime/rt.h"

/* An execution begins that may be held up: sets the chooser. */
void pd_hold_begin(void);

/* This thread is about to flush, or to fence. */
void pd_hold_persisting(uint64_t off, bool fence);

/* Accesses to PM, after the model knows of them. */
void pd_hold_stored(uint64_t off, size_t n, uint32_t site);
void pd_hold_loaded(uint64_t off, size_t n, uint32_t site);
void pd_hold_flushed(uint64_t off, bool at_once);
void pd_hold_fenced(void);

/* Whether power may fail here. */
bool pd_hold_here(void);

extern bool pd_hold_on;

#endif
