/*
 * losses.h - what a run could not see, one entry per cause.
 *
 * A cause is a kind of loss, the place that reported it and the text, ignoring words of the text
 * that are numbers: a library that changes a hundred thousand words unseen is one cause. The first
 * text stands for all, and `varied` says that they differed.
 *
 * Entries are looked up by a digest, so the cost of each is independent of their number. Thread
 * rule: the caller's.
 */
#ifndef PD_DRIVE_LOSSES_H
#define PD_DRIVE_LOSSES_H

#include "base/map.h"
#include "base/vec.h"
#include "event/trace.h"

struct pd_lost {
	enum pd_loss kind;
	uint32_t place;
	uint64_t count;
	bool varied;	  /* the numbers differed */
	const char *what; /* of the first one */
};

struct pd_losses {
	PD_VEC(struct pd_lost) all; /* in order of first appearance */
	struct pd_map by_cause;	    /* digest -> index + 1 */
};

/* Adds a loss. False: out of memory, and it was not counted. */
bool pd_losses_take(struct pd_losses *l, struct pd_arena *a, const struct pd_trace_record *r);

#endif
