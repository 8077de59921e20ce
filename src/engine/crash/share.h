/*
 * share.h - how work is shared out: which crash points have walkers, and whose turn it is.
 *
 * Crash points have their turns: a worker executes PD_SHARE recoveries, more or less, for an order,
 * and then works for the walker that it has worked least for. So a crash point with a million
 * states does not keep others from being looked at while there is time.
 *
 * A program that needs few recoveries is done before others are of any help: until PD_SHARE_FEW of them
 * have been executed nobody is split off, however many jobs there are.
 */
#ifndef PD_ENGINE_CRASH_SHARE_H
#define PD_ENGINE_CRASH_SHARE_H

#include "base/types.h"

enum {
	PD_SHARE =
		256, /* recoveries at a time for one crash point, before others have their turn */
	PD_SHARE_WALKERS = 128,
	PD_SHARE_FEW = 24,
};

/* Who looks at one crash point. */
struct pd_share_walker {
	uint32_t pid;	  /* 0: free */
	uint32_t waiting; /* for a worker */
	uint64_t served;  /* recoveries executed for it so far */
};

struct pd_share {
	uint32_t jobs;
	uint32_t walking; /* walkers that do not wait for another one */
	uint32_t begun;	  /* there is enough to do for several jobs */
	struct pd_share_walker walker[PD_SHARE_WALKERS];
};

/* How many walkers there may be now. */
uint32_t pd_share_walkers(const struct pd_share *s);

/* Nobody who waits for a worker has had less than this walker. */
bool pd_share_is_turn(const struct pd_share *s, uint32_t walker);

/* Too few walkers to keep all workers busy: work is to be shared. */
bool pd_share_is_hungry(const struct pd_share *s);

/* There is so little to do that nobody is split off for it: for one job, since it had executed `before`. */
bool pd_share_is_little(const struct pd_share *s, uint64_t before);

/* After so many recoveries for one order the rest is left to others. */
uint32_t pd_share_order(const struct pd_share *s);

/* Whoever crashes looks at its crash points itself, as walker 0, until there is more to do. */
bool pd_share_is_alone(const struct pd_share *s);

#endif
