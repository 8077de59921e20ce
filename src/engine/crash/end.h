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

/* How a process ended. */
struct pd_end_status {
	bool signalled;	 /* else it has exited */
	uint32_t number; /* of the signal, or the status */
	bool aborted;	 /* by itself, that is */
	bool killed;	 /* by somebody else, perhaps */
};

/* The outcome, unless the recovery itself has said what it is. `ok_exit` has a bit a status. */
void pd_end_judge(struct pd_crash_run *run, const struct pd_end_status *s,
		  const uint64_t ok_exit[4]);

/* It said nothing of how it ended, and is not to blame for it. */
static inline bool pd_end_was_killed(const struct pd_crash_run *run, const struct pd_end_status *s)
{
	return run->outcome == PD_OUTCOME_NONE && s->killed;
}

static inline bool pd_end_is_bad(uint32_t outcome)
{
	return outcome > PD_OUTCOME_GOOD && outcome < PD_OUTCOME_DIVERGED;
}

/*
 * An execution was made for a node of which nothing was known, and nothing is known still: nobody
 * will come there. *diverged: it took another way than its reads decide.
 */
bool pd_end_is_lost_way(const struct pd_crash_run *run, const struct pd_tree_node *to,
			bool *diverged);

/* Equal digests: the same way. */
uint64_t pd_end_digest(const struct pd_crash_run *run);

/* The same but for what is concluded from operations that are gone: that depends on what was lost. */
bool pd_end_alike(const struct pd_crash_run *a, const struct pd_crash_run *b);

static inline bool pd_end_same(const struct pd_crash_run *a, const struct pd_crash_run *b)
{
	return a->outcome == b->outcome && a->detail == b->detail &&
	       pd_end_digest(a) == pd_end_digest(b);
}

#endif
