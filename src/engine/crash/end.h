/*
 * end.h - whether two recoveries failed in the same way.
 *
 * The same way is the same outcome, the same status or signal, and the same place: the calls that
 * led there, each once, so that a recursion counts the same however deep it is. A check that failed
 * is known by its text and line. A hang has no place: where it is when it is stopped says little.
 * Nor has a deadlock of several threads, since which of them comes last depends on the schedule: it
 * is known by who waits for what.
 */
#ifndef PD_ENGINE_CRASH_END_H
#define PD_ENGINE_CRASH_END_H

#include "engine/crash/run.h"

/* Equal digests: the same way. */
uint64_t pd_end_digest(const struct pd_board_run *run);

static inline bool pd_end_same(const struct pd_board_run *a, const struct pd_board_run *b)
{
	return a->outcome == b->outcome && a->detail == b->detail &&
	       pd_end_digest(a) == pd_end_digest(b);
}

#endif
