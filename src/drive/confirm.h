/*
 * confirm.h - makes the races that `perdure lockset` has inferred happen, and crashes there.
 *
 * For each race the program is executed with the storing thread held until the reader has acted
 * (engine/lockset/meet.h), then again with crashes of `perdure check` in between. The outcomes:
 *   failed      a recovery that read the store's bytes and did not find it there failed, and failed again
 *               from its witness: only this is confirmed
 *   observed    something that the reader stored afterwards was durable before the store was
 *   tolerated   the same, but recoveries looked for the store, worked without it, and ended well
 *   potential   none of these was seen
 */
#ifndef PD_DRIVE_CONFIRM_H
#define PD_DRIVE_CONFIRM_H

#include "drive/watch/run.h"

struct pd_confirm {
	/* Schedules per race; up to twice as many if nothing happened in them, and four times to
	 * see whether it is benign */
	uint32_t turns;
	/* A race is benign after this many crashes at which the reader had acted */
	uint32_t acts;
	uint64_t time_ms; /* for all races together */
};

/* Sets the verdicts of r->result's findings. Obstacles, including lack of time, become limits. */
void pd_confirm(struct pd_watch_run *r, const struct pd_confirm *how);

#endif
