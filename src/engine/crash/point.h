/*
 * point.h - where an execution may crash.
 *
 * Stores only add possible states; an instruction that makes something certain takes some away. So
 * it is enough to crash right before those, if PM was stored to since the last crash point, and at
 * the end. A fence or a locked instruction makes something certain only where its thread has
 * flushes that wait for one. Where recovery is asked what became of operations, each that returns
 * makes something certain, too: that it returned. (Jaaru §4, "Injecting failures".)
 */
#ifndef PD_ENGINE_CRASH_POINT_H
#define PD_ENGINE_CRASH_POINT_H

#include "engine/crash/random.h"
#include "event/event.h"

/* A crash point: the end of an execution. */
#define PD_POINT_AT_END UINT32_MAX
#define PD_POINT_NEVER	(UINT32_MAX - 1)

/* An execution that is about to do something. */
struct pd_point {
	enum pd_event_kind kind; /* what */
	bool pending;		 /* its thread has flushes that wait for a fence */
	uint64_t stores;	 /* to PM, since the last crash point */
	bool returned;		 /* an operation has returned while something is not durable */
	uint32_t depth;		 /* crashes before this execution ... */
	uint32_t crashes;	 /* ... and how many there may be */
	bool used_pm;		 /* it has PM files */
	uint32_t random;	 /* enum pd_random_mode */
	uint32_t fixed;		 /* power fails only at this one (pick.h); 0: at each */
	uint32_t number;	 /* of this one, from 1 */
};

/* Whether it is a crash point: power may fail before. */
bool pd_point_is(const struct pd_point *p);

/* Whether power fails there in this run. */
bool pd_point_is_tried(const struct pd_point *p);

/*
 * When a crash is, among all: an earlier one has a smaller number. `before` is when the execution
 * before crashed. What fails in the default schedule, too, is reported from there: it is the
 * easiest to follow. So crashes of other schedules come later.
 */
uint64_t pd_point_when(uint64_t before, uint32_t number, bool default_schedule);

/* log10(10^a + 10^b), near enough for a figure of which the integer part matters. */
double pd_point_add_log10(double a, double b);

#endif
