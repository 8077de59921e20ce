/*
 * random.h - random crash points and random reads, for programs too large to exhaust.
 *
 * Each schedule is run twice: once to count its crash points, once to crash at some of them. How
 * many recoveries a crash point gets, and what they read, follows from the seed alone, not from
 * which process executes them when.
 *
 * A recovery that fails at random has usually lost many stores that do not matter. It is executed
 * again with fewer of them lost, as long as it still fails (least.h).
 */
#ifndef PD_ENGINE_CRASH_RANDOM_H
#define PD_ENGINE_CRASH_RANDOM_H

#include "engine/crash/least.h"

enum pd_random_mode {
	PD_RANDOM_OFF,
	PD_RANDOM_COUNT, /* count crash points only */
	PD_RANDOM_DRAW,
};

/* The draws of one schedule. */
struct pd_random {
	uint32_t mode; /* enum pd_random_mode */
	uint64_t seed;
	uint32_t points; /* of this schedule, counted by the first pass */
	uint64_t left;	 /* recoveries still to draw */
};

/*
 * Failures of one crash point, reduced to the reads and lost stores that suffice. Those of other
 * crash points are not used: other processes find them earlier or later, and the report must not
 * depend on that.
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

/* The front end, which executes. */
struct pd_random_front {
	/* Executes a recovery with random picks. False: stop, no more executions. *bad is its
	 * record if it ended badly. */
	bool (*execute)(void *ctx, uint64_t random, uint32_t bias, struct pd_crash_run **bad);
	void *ctx;
	struct pd_least least; /* reduces what fails */
};

/*
 * How many recoveries crash point number `point` of an execution at this depth gets, in the
 * schedule of this seed. Those of the first execution are subtracted from `left`.
 */
uint32_t pd_random_share(struct pd_random *r, uint64_t schedule, uint32_t depth, uint32_t point);

/* Executes `share` recoveries. `known` is empty, and used for this crash point alone. */
void pd_random_draw(const struct pd_random *r, uint64_t schedule, uint64_t when, uint32_t share,
		    const struct pd_random_front *front, struct pd_random_known *known);

/* In a recovery: choice number `at` among n. `bias` of 256 do not see the newest value. */
uint32_t pd_random_pick(uint64_t random, uint32_t bias, uint32_t at, uint32_t n);

#endif
