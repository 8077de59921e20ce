/*
 * check/pace.h - watches whether a recovery hangs, and measures what the program takes
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

/* Waits until it ends or the next look is due. True: it has ended. */
bool pd_pace_ended(const struct pd_pace_watch *w);

/* A look: it has had so many events by now, or `waits` for another recovery. */
void pd_pace_look(struct pd_pace_watch *w, uint64_t events, bool waits);

/* It has been idle for too long. */
bool pd_pace_hangs(const struct pd_pace_watch *w);

/*
 * How many events a recovery may have, by what is known; and when these are used up, how many in
 * all: that waits until it is known what the program takes. `trial`: a recovery that only explains
 * another one.
 */
uint64_t pd_pace_events(bool trial);
uint64_t pd_pace_all_events(bool trial);

/* In the zygote: one execution that shows what the program takes. True in that execution, which is
 * to go on to main. */
bool pd_pace_measure(void);

#endif
