/*
 * losses.h - what a run could not see, one entry a cause.
 *
 * A cause is a kind of loss, the place that reported it and the text, where words of the text that are
 * numbers do not count: a library that changes a hundred thousand words behind our back is one
 * cause, not as many. The first text stands for all of them, and `varied` says that it does.
 *
 * Looked up by a digest, so that a run with many causes costs no more for each. Thread rule: the
 * caller's.
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
	bool varied;	  /* not all had the same numbers */
	const char *what; /* the first one's */
};

struct pd_losses {
	PD_VEC(struct pd_lost) all; /* in the order of their first */
	struct pd_map by_cause;	    /* digest -> index + 1 */
};

/* Takes a record of a loss. False: memory ran out, and it is not counted. */
bool pd_losses_take(struct pd_losses *l, struct pd_arena *a, const struct pd_trace_record *r);

#endif
