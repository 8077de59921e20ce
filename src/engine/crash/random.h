/*
 * random.h - for programs that are too large to exhaust: random crash points and random reads.
 *
 * Each schedule is run twice: once to count its crash points, once to crash at some of them. How
 * many recoveries a crash point gets, and what they read, follows from the seed alone, not from who
 * executes them when.
 *
 * A recovery that fails in this way has usually lost many stores that have nothing to do with it.
 * It is executed again with fewer of them lost, as long as it still fails (least.h).
 */
#ifndef PD_ENGINE_CRASH_RANDOM_H
#define PD_ENGINE_CRASH_RANDOM_H

#include "engine/crash/least.h"

enum pd_random_mode {
	PD_RANDOM_OFF,
	PD_RANDOM_COUNT, /* only crash points are counted */
	PD_RANDOM_DRAW,
};

/* What is drawn of one schedule. */
struct pd_random {
	uint32_t mode; /* enum pd_random_mode */
	uint64_t seed;
	uint32_t points; /* of this schedule, as the first pass has counted them */
	uint64_t left;	 /* recoveries that are still to be drawn */
};

/*
 * Failures of one crash point with what is enough to fail: reads and lost stores. Not of others,
 * which other processes look at, earlier or later: what is reported must not depend on that.
 */
struct pd_random_known {
	uint32_t n;
	struct pd_random_least {
		const struct pd_crash_run *run;
		uint32_t n;
		struct {
			uint32_t load, store;
		} lost[8];
	} v[64];
};

/* Who executes. */
struct pd_random_front {
	/* An execution with random picks; false where there is to be no more. *bad is how it went,
	 * if that was not well. */
	bool (*execute)(void *ctx, uint64_t random, uint32_t bias, struct pd_crash_run **bad);
	void *ctx;
	struct pd_least least; /* explains what fails */
};

/*
 * How many recoveries the crash point gets: number `point` of an execution of this depth, in the
 * schedule of this seed. Those of the first execution count down what is left.
 */
uint32_t pd_random_share(struct pd_random *r, uint64_t schedule, uint32_t depth, uint32_t point);

/* Executes so many. `known` is empty, and used for this crash point alone. */
void pd_random_draw(const struct pd_random *r, uint64_t schedule, uint64_t when, uint32_t share,
		    const struct pd_random_front *front, struct pd_random_known *known);

/* In a recovery: choice number `at`, among n. In `bias` of 256 a read does not see the newest
 * value. */
uint32_t pd_random_pick(uint64_t random, uint32_t bias, uint32_t at, uint32_t n);

#endif
