/*
 * point.h - where an execution may crash.
 *
 * A store only adds possible states; an instruction that makes something certain removes some. So
 * it is enough to crash right before those, if PM was stored to since the last crash point, and at
 * the end. Where stores themselves do (eADR), the first one removes the files as they were before.
 * A fence or locked instruction makes something certain only if its thread has flushes
 * waiting for one. Where recovery is checked against the results of operations, an operation that
 * returns makes something certain, too: that it has returned. (Jaaru §4, "Injecting failures".)
 */
#ifndef PD_ENGINE_CRASH_POINT_H
#define PD_ENGINE_CRASH_POINT_H

#include "engine/crash/random.h"
#include "event/event.h"

/* Crash point number for the end of an execution. */
#define PD_POINT_AT_END UINT32_MAX
#define PD_POINT_NEVER	(UINT32_MAX - 1)

/* What an execution is about to do. */
struct pd_point {
	enum pd_event_kind kind; /* the next event */
	bool pending;		 /* its thread has flushes that wait for a fence */
	uint64_t stores;	 /* to PM since the last crash point */
	bool returned;		 /* an operation has returned while some store is not durable */
	uint32_t depth;		 /* crashes before this execution ... */
	uint32_t crashes;	 /* ... and their limit */
	bool used_pm;		 /* it has PM files */
	uint32_t random;	 /* enum pd_random_mode */
	uint32_t fixed;		 /* power fails only at this crash point (pick.h); 0: at each */
	uint32_t number;	 /* of this crash point, from 1 */
};

/* Whether this is a crash point: power may fail before it. */
bool pd_point_is(const struct pd_point *p);

/* Whether power fails there in this run. */
bool pd_point_is_tried(const struct pd_point *p);

/*
 * Position of a crash among all: an earlier one has a smaller number. `before` is that of the crash
 * before this execution. Crashes of other schedules come after those of the default one, which is
 * the easiest to follow: a failure that happens in both is reported from there.
 */
uint64_t pd_point_when(uint64_t before, uint32_t number, bool default_schedule);

/* log10(10^a + 10^b), precise enough for a figure of which only the integer part matters. */
double pd_point_add_log10(double a, double b);

#endif
