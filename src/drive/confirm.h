/*
 * confirm.h - makes the races that `perdure lockset` has inferred happen, and crashes there.
 *
 * For each race: an execution of the program in which the storing thread is held until the reader
 * has acted (engine/lockset/meet.h), and the same again with crashes of `perdure check` between.
 * What can come of a race:
 *   failed      a recovery that read the store's bytes and did not find it there failed, and failed again
 *               from its witness: only this is confirmed
 *   observed    something that the reader stored afterwards was durable before the store was
 *   tolerated   the same, but recoveries looked for the store, did without it, and ended well
 *   potential   none of these was seen
 */
#ifndef PD_DRIVE_CONFIRM_H
#define PD_DRIVE_CONFIRM_H

#include "drive/watch/run.h"

struct pd_confirm {
	/* Schedules for each race; up to twice as many where nothing came of them, and four times
	 * to see whether it is benign */
	uint32_t turns;
	/* So many crashes after the reader has acted are enough to call it benign */
	uint32_t acts;
	uint64_t time_ms; /* for all of them together */
};

/* Marks findings of r->result. What stood in the way of trying, the time too, is said as a
 * limit. */
void pd_confirm(struct pd_watch_run *r, const struct pd_confirm *how);

#endif
