/*
 * check/pace.h - watches whether a recovery hangs, and measures the pace of the program
 * (engine/crash/pace.h): PD_ZYGOTE_PACE is one more execution, from start to end, without crashes.
 */
#ifndef PD_RUNTIME_CHECK_PACE_H
#define PD_RUNTIME_CHECK_PACE_H

#include "engine/crash/pace.h"
#include "runtime/base/rt.h"
#include <sys/types.h>

struct pd_pace_watch {
	pid_t pid;
	int fd; /* -1: none */
	struct pd_pace_seen seen;
};

void pd_pace_watch(struct pd_pace_watch *w, pid_t pid);
void pd_pace_finish(struct pd_pace_watch *w);

/* Waits until the process ends or the next look is due. True: it has ended. */
bool pd_pace_ended(const struct pd_pace_watch *w);

/* Looks at the process: `events` is its count so far; `waits`: it waits for another recovery. */
void pd_pace_look(struct pd_pace_watch *w, uint64_t events, bool waits);

/* Whether it has been idle for too long. */
bool pd_pace_hangs(const struct pd_pace_watch *w);

/*
 * The event budget of a recovery, by what is known so far; and its final budget, once that is used
 * up: waits until the pace of the program is known. `trial`: the recovery only explains another
 * one.
 */
uint64_t pd_pace_events(bool trial);
uint64_t pd_pace_all_events(bool trial);

/* In the zygote: one execution that measures the program. Returns true in that execution, which
 * continues to main. */
bool pd_pace_measure(void);

#endif
