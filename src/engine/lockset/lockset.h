/*
 * lockset.h - persistent races: another thread can see PM data before it is durable.
 *
 * An observer of one run (engine/observer.h). After HawkSet (thesis, ch. 4, Algorithm 4.2), online:
 * every pair of a store and a load of the same byte by different threads is judged when the later
 * of the two is complete, and only what can still be part of a pair is kept.
 *
 * The window of a store is from the store until it is durable: until a fence after a flush of its
 * line by the same thread, or by one that the store happens before; or until it is overwritten; or
 * open to the end of the run. The pair of a window and a load is a race unless
 *   (a) one thread made both, or the load happens before the store, or the end of the window happens
 *       before the load; or
 *   (b) the storing thread holds a lock over the whole window which the load holds too, not both as
 *       readers (effective locksets; "over the whole window": acquired before the store and not
 *       released since); or
 *   (c) the window closed while the byte was known to one thread only (initialization removal); or
 *   (d) the reader makes the line durable itself before anything that it does can be seen (helping).
 *
 * Happens-before comes from create and join, signal and wait, and atomics. Locks order nothing
 * here: the next run may take them in another order, which is what locksets are for. (But a
 * condition that is signalled under a lock orders who takes that lock later.)
 *
 * Memory grows with distinct (place, lockset, thread) at each word, never with the number of
 * accesses: of two accesses that differ only in time the later one is as hard to order, so it
 * stands for both.
 *
 * Precision lost: an atomic's edge, once seen, counts as if every schedule had it.
 *
 * Settings: init=0 turns initialization removal off; spin=0 turns off the recognition of locks that
 * are made of atomics.
 */
#ifndef PD_ENGINE_LOCKSET_LOCKSET_H
#define PD_ENGINE_LOCKSET_LOCKSET_H

#include "engine/observer.h"

pd_observer_create pd_lockset_create;

#endif
