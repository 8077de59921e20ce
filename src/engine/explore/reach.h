/*
 * reach.h - which code leads to PM that no path has changed yet, of all objects of a program.
 *
 * Each object has a table of its own code (event/reach.h). They are joined by names: who calls a name
 * comes to all functions that have it, who calls a pointer to all functions whose address is used and that
 * take as many arguments. A function returns to all who call it. The classes of memory are joined in the
 * same way, and then a site may change PM if its class may be PM.
 *
 * The distance of a way is the number of pieces of code up to the nearest target: a site that may change
 * PM and that no path has reached. It only grows, since targets only become fewer: by being reached, and
 * by what really happens. A site that paths came by MISSES times, without an event of PM, is a target no
 * longer: the memory that it changes is no PM.
 *
 * Agamotto 4.3.1 counts the PM instructions on the best way to the end of the program. In a program that
 * takes one command after the other that is the same number nearly everywhere; how near they are is not.
 *
 * Thread rule: pd_reaches_update and _distance under one lock; _passed by anybody.
 */
#ifndef PD_ENGINE_EXPLORE_REACH_H
#define PD_ENGINE_EXPLORE_REACH_H

#include "base/arena.h"
#include "event/reach.h"

struct pd_reaches;

/* NULL: no memory. */
struct pd_reaches *pd_reaches_create(struct pd_arena *a);

/* The table of an object whose n sites have numbers from `first` on. NULL: it has none. */
void pd_reaches_add(struct pd_reaches *r, const struct pd_reach *object, uint32_t first,
		    uint32_t n);

/* All objects are there. False: there was no memory; nothing is known then. */
bool pd_reaches_join(struct pd_reaches *r);

/* Sites have numbers below this one. */
uint32_t pd_reaches_sites(const struct pd_reaches *r);

/* Whether it may change PM; how many ways a branch has, 0: it is none. */
bool pd_reaches_pm(const struct pd_reaches *r, uint32_t site);
uint32_t pd_reaches_ways(const struct pd_reaches *r, uint32_t site);

/* Nodes and edges of the graph, that is what updating costs. */
uint64_t pd_reaches_size(const struct pd_reaches *r);

/* Distances anew: reached[site] is not 0 for those of the n sites that paths have reached. */
void pd_reaches_update(struct pd_reaches *r, const uint8_t *reached, uint32_t n);

/* From a site on, this way, to the nearest target; with `all` also to what paths have reached.
 * PD_REACH_NONE: there is none. */
uint32_t pd_reaches_distance(const struct pd_reaches *r, uint32_t site, uint32_t way, bool all);

/* A path went that way, and has ended. True: a target is none any more. */
bool pd_reaches_passed(struct pd_reaches *r, uint32_t site, uint32_t way, const uint8_t *reached,
		       uint32_t n);

#endif
