/*
 * unknown.h - why the end of a recovery is unknown: perdure could not run it to its end, or it did
 * not do the same again.
 *
 * Filled in by the process that notices it; a result that has one is incomplete. The words are made
 * in report/words.
 *
 * Thread rule: none; values.
 */
#ifndef PD_FINDING_UNKNOWN_H
#define PD_FINDING_UNKNOWN_H

#include "base/types.h"

enum pd_unknown_why {
	PD_UNKNOWN_NOT,
	/* perdure could not run it: */
	PD_UNKNOWN_BOARD,	 /* the shared memory is full */
	PD_UNKNOWN_MEMORY,	 /* so is the process's own */
	PD_UNKNOWN_PROCESS,	 /* no process could be made for it */
	PD_UNKNOWN_FILES,	 /* `text`: why its PM files could not be mapped */
	PD_UNKNOWN_RUNTIME,	 /* `text`: why the runtime gave up */
	PD_UNKNOWN_DEFECT,	 /* `text`: what is wrong with the runtime itself */
	PD_UNKNOWN_HISTORY_LONG, /* linear: too many operations for the judge */
	PD_UNKNOWN_HISTORY_BAD,	 /* linear: the history contradicts itself */
	/* It is not deterministic; with equal values of PM before, */
	PD_UNKNOWN_VALUES, /* a read had other values */
	PD_UNKNOWN_READ,   /* it made the read `now`, and the read `before` the last time */
	PD_UNKNOWN_MORE,   /* it made the read `now` where it had ended the last time */
	PD_UNKNOWN_ENDED,  /* it ended after the read `now` and had gone on the last time */
};

enum { PD_UNKNOWN_NAME = 200 };

struct pd_unknown_read {
	char file[PD_UNKNOWN_NAME]; /* of the source; "": not known */
	uint32_t line;
	char pm[PD_UNKNOWN_NAME]; /* the PM file that was read; "": not known */
	uint64_t offset;
};

struct pd_unknown {
	uint32_t why; /* enum pd_unknown_why */
	char text[PD_UNKNOWN_NAME];
	struct pd_unknown_read now;
	struct pd_unknown_read before;
};

/* Whether recovery is not deterministic; else perdure could not run it. */
static inline bool pd_unknown_is_divergence(enum pd_unknown_why why)
{
	return why >= PD_UNKNOWN_VALUES;
}

#endif
