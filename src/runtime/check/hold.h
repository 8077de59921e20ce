/*
 * check/hold.h - makes a race happen: the reader acts between a store and its persist.
 *
 * The tool names a store and loads (sites) on the board. In the first execution a thread that made
 * the store is held when it is about to flush its line or to fence, as long as others can run and
 * for HOLD_STEPS steps at most; whoever can, goes on at random. If one of the loads comes
 * meanwhile, by another thread and from those bytes, they have met, and the reader goes on more
 * often than others. If a store that it makes after its load becomes durable before the first one
 * is, there is an effect without its cause.
 *
 * The other way round, in some executions a thread that is about to load before anybody has made
 * the store waits for it; and not every time that the store is made somebody is held, so that it is
 * another time that they meet.
 *
 * At every effect one recovery is tried: with the store lost, and nothing else. That is quick, and
 * where the effect depends on the store it is what fails.
 *
 * The store may be made many times. Of all times that they met, and of all times that there was an
 * effect, one is drawn and told by number. The same seed makes the same execution again: then with
 * crash points, between that load and the moment when that store is durable, and nowhere else.
 * Where there was an effect, only after the reader's first store: before that nobody has acted.
 *
 * All executions of a program are the same until it makes its first thread. There the process
 * stays, and takes the place of the zygote: it is asked for executions by the tool, and each is a
 * snapshot of it.
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
