/*
 * share.h - how work is shared out: which crash points have walkers, and whose turn it is.
 *
 * Crash points have their turns: a worker executes PD_SHARE recoveries, more or less, for an order,
 * and then works for the walker that it has worked least for. So a crash point with a million
 * states does not keep others from being looked at while there is time.
 */
#ifndef PD_ENGINE_CRASH_SHARE_H
#define PD_ENGINE_CRASH_SHARE_H

#include "base/types.h"

enum {
	PD_SHARE =
		256, /* recoveries at a time for one crash point, before others have their turn */
	PD_SHARE_WALKERS = 128,
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
	struct pd_share_walker walker[PD_SHARE_WALKERS];
};

/* How many walkers there may be now. */
uint32_t pd_share_walkers(const struct pd_share *s);

/* Nobody who waits for a worker has had less than this walker. */
bool pd_share_is_turn(const struct pd_share *s, uint32_t walker);

/* Too few walkers to keep all workers busy: work is to be shared. */
bool pd_share_is_hungry(const struct pd_share *s);

/* The only job has so little to do, since it had executed `before`, that nobody is split off for
 * it. */
bool pd_share_is_little(const struct pd_share *s, uint64_t before);

#endif
