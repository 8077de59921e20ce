/*
 * reach.h - which code leads to PM that no path has changed yet, over all objects of a program.
 *
 * Each object has a table of its own code (event/reach.h). They are joined by names: a call of a
 * name reaches all functions that have it, a call of a pointer all functions whose address is taken
 * and that take as many arguments. A function returns to all its callers. The classes of memory are
 * joined in the same way, and then a site may change PM if its class may be PM.
 *
 * The distance of a way is the number of pieces of code to the nearest target: a site that may
 * change PM and that no path has reached. It only grows, since targets only become fewer: by being
 * reached, and by observation. A site that paths passed MISSES times, without an event of PM, is no
 * longer a target: the memory that it changes is not PM.
 *
 * Agamotto 4.3.1 counts the PM instructions on the best way to the end of the program. In a program
 * that executes one command after the other that number is nearly the same everywhere; their
 * distance is not.
 *
 * Thread rule: pd_reaches_update and _distance under one lock; _passed by any thread.
 */
#ifndef PD_ENGINE_EXPLORE_REACH_H
#define PD_ENGINE_EXPLORE_REACH_H

#include "base/arena.h"
#include "event/reach.h"

struct pd_reaches;

/* NULL: no memory. */
struct pd_reaches *pd_reaches_create(struct pd_arena *a);

/* Adds the table of an object whose n sites have numbers from `first` on. NULL: it has none. */
void pd_reaches_add(struct pd_reaches *r, const struct pd_reach *object, uint32_t first,
		    uint32_t n);

/* All objects were added. False: memory ran out, and nothing is known. */
bool pd_reaches_join(struct pd_reaches *r);

/* Site numbers are below this. */
uint32_t pd_reaches_sites(const struct pd_reaches *r);

/* Whether it may change PM; how many ways a branch has, 0: it is no branch. */
bool pd_reaches_pm(const struct pd_reaches *r, uint32_t site);
uint32_t pd_reaches_ways(const struct pd_reaches *r, uint32_t site);

/* Recomputes distances: reached[site] is not 0 for those of the n sites that paths have reached. */
void pd_reaches_update(struct pd_reaches *r, const uint8_t *reached, uint32_t n);

/* Distance from a site, this way, to the nearest target; with `all` also to sites that paths have
 * reached. PD_REACH_NONE: there is none. */
uint32_t pd_reaches_distance(const struct pd_reaches *r, uint32_t site, uint32_t way, bool all);

/* A path that took that way has ended. True: a target was dropped. */
bool pd_reaches_passed(struct pd_reaches *r, uint32_t site, uint32_t way, const uint8_t *reached,
		       uint32_t n);

#endif
