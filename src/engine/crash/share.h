/*
 * share.h - how work is shared: which crash points have walkers, and whose turn it is.
 *
 * Crash points take turns: a worker executes about PD_SHARE recoveries for one order, then works
 * for the walker that has been served least. So a crash point with a million states does not starve
 * the others.
 *
 * A program that needs few recoveries finishes before a second process could help: until
 * PD_SHARE_FEW of them were executed no walker is split off, whatever the number of jobs.
 */
#ifndef PD_ENGINE_CRASH_SHARE_H
#define PD_ENGINE_CRASH_SHARE_H

#include "base/types.h"

enum {
	PD_SHARE = 256, /* recoveries for one crash point before the others get their turn */
	PD_SHARE_WALKERS = 128,
	PD_SHARE_FEW = 24,
};

/* The process that explores one crash point. */
struct pd_share_walker {
	uint32_t pid;	  /* 0: free */
	uint32_t waiting; /* waits for a worker */
	uint64_t served;  /* recoveries executed for it so far */
};

struct pd_share {
	uint32_t jobs;
	uint32_t walking; /* walkers that do not wait for another walker */
	uint32_t begun;	  /* there is enough work for several jobs */
	struct pd_share_walker walker[PD_SHARE_WALKERS];
};

/* How many walkers may exist now. */
uint32_t pd_share_walkers(const struct pd_share *s);

/* No walker that waits for a worker was served less than this one. */
bool pd_share_is_turn(const struct pd_share *s, uint32_t walker);

/* Too few walkers to keep all workers busy: split work off. */
bool pd_share_is_hungry(const struct pd_share *s);

/* So little work that nothing is split off: `before` recoveries had been executed when it began. */
bool pd_share_is_little(const struct pd_share *s, uint64_t before);

/* The number of recoveries for one order; the rest is left to others. */
uint32_t pd_share_order(const struct pd_share *s);

/* The crashing process explores its crash points itself, as walker 0, until there is more work. */
bool pd_share_is_alone(const struct pd_share *s);

#endif
