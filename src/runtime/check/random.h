/*
 * check/random.h - for programs that are too large to exhaust: random crash points and random
 * reads.
 *
 * The tool runs each schedule twice: once to count its crash points, once to crash at some of them.
 * How many recoveries a crash point gets, and what they read, follows from the seed alone, not from
 * who executes them when.
 *
 * A recovery that fails in this way has usually lost many stores that have nothing to do with it.
 * It is executed again with fewer of them lost, as long as it still fails (check/least.h).
 *
 * Thread rule: as in rt.h.
 */
#ifndef PD_RUNTIME_CHECK_RANDOM_H
#define PD_RUNTIME_CHECK_RANDOM_H

#include "runtime/check/least.h"

/* An execution with random picks; false where there is to be no more. *bad is how it went, if that
 * was not well. */
typedef bool (*pd_random_execute)(uint64_t random, uint32_t bias, const struct pd_board_run **bad);

/* How many recoveries the crash point gets: number `point` of an execution of this depth. */
uint32_t pd_random_share(uint32_t depth, uint32_t point);

/* Executes so many. */
void pd_random_draw(uint64_t when, uint32_t share, pd_random_execute execute,
		    pd_least_execute force);

/* In a recovery: choice number `at`, among n. */
uint32_t pd_random_pick(const struct pd_board_order *o, uint32_t at, uint32_t n);

#endif
