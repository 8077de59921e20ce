/*
 * check/time.h - how the time of --time-limit is divided.
 *
 * The limit is for the whole of check, not just the exploration: findings are repeated afterwards,
 * to learn their causes (check/findings.c). So once something was found, the last quarter of the
 * time, at most 20 s, is for that. Something found at the very end still gets 3 s beyond the limit:
 * a finding without its cause is of little use. Two thirds of that are for finding out which stores
 * had to be lost, the rest for confirming, the easiest to follow first; that one gets as much again
 * if nothing was confirmed. An execution that does not stop when asked to is killed 2 s later
 * (check/run.c).
 *
 * In lockset the program's run comes first, and races are confirmed (confirm.c) in the remaining
 * time.
 *
 * All times are seconds from the start.
 */
#ifndef PD_DRIVE_CHECK_TIME_H
#define PD_DRIVE_CHECK_TIME_H

#include <stdbool.h>

enum { PD_EXPLAIN_LEAST = 3, PD_EXPLAIN_MOST = 20 };

/* The end of the exploration; found: a recovery has failed so far. */
static inline double pd_time_explores(double limit, bool found)
{
	double share = limit / 4 < PD_EXPLAIN_MOST ? limit / 4 : PD_EXPLAIN_MOST;

	return found ? limit - share : limit;
}

/* The end of explaining, if it begins now; limit 0: an interrupt has ended the exploration. */
static inline double pd_time_explains(double limit, double now)
{
	if (limit <= 0)
		return now + PD_EXPLAIN_MOST;
	return limit > now + PD_EXPLAIN_LEAST ? limit : now + PD_EXPLAIN_LEAST;
}

/* The end of finding out what failures need, if explaining begins `now`. */
static inline double pd_time_forces(double now, double deadline)
{
	return now + (deadline - now) * 2 / 3;
}

/* How long to confirm races: as --confirm says, within the limit (0: none), of which this much was
 * spent. */
static inline double pd_time_confirms(double asked, double limit, double spent)
{
	double left = limit > spent ? limit - spent : 0;

	return limit > 0 && left < asked ? left : asked;
}

#endif
