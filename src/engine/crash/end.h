/*
 * end.h - whether two recoveries failed in the same way.
 *
 * The same way means the same outcome, the same status or signal, and the same place: the calls
 * that led there, each counted once, so that the depth of a recursion does not matter. A failed
 * check is identified by its text and line. A hang has no place, since where it is stopped says
 * little. Nor has a deadlock of several threads, since the schedule decides which of them blocks
 * last: it is identified by who waits for what.
 */
#ifndef PD_ENGINE_CRASH_END_H
#define PD_ENGINE_CRASH_END_H

#include "engine/crash/run.h"

/* How a process ended. */
struct pd_end_status {
	bool signalled;	 /* else it exited */
	uint32_t number; /* signal number, or exit status */
	bool aborted;	 /* the process aborted itself */
	bool killed;	 /* perhaps by another process */
};

/*
 * Sets the outcome, unless the recovery has set it itself. `ok_exit` has one bit per exit status.
 */
void pd_end_judge(struct pd_crash_run *run, const struct pd_end_status *s,
		  const uint64_t ok_exit[4]);

/* It recorded no outcome and is not to blame for its death. */
static inline bool pd_end_was_killed(const struct pd_crash_run *run, const struct pd_end_status *s)
{
	return run->outcome == PD_OUTCOME_NONE && s->killed;
}

static inline bool pd_end_is_bad(uint32_t outcome)
{
	return outcome > PD_OUTCOME_GOOD && outcome < PD_OUTCOME_DIVERGED;
}

/*
 * An execution was started for the node `to`, and ended without finding out anything about it:
 * nobody else will. *diverged: it left the path that its reads decide.
 */
bool pd_end_is_lost_way(const struct pd_crash_run *run, const struct pd_tree_node *to,
			bool *diverged);

/* Equal digests mean failed in the same way. */
uint64_t pd_end_digest(const struct pd_crash_run *run);

/*
 * The same way, apart from what is concluded from lost operations: that depends on the stores lost.
 */
bool pd_end_alike(const struct pd_crash_run *a, const struct pd_crash_run *b);

static inline bool pd_end_same(const struct pd_crash_run *a, const struct pd_crash_run *b)
{
	return a->outcome == b->outcome && a->detail == b->detail &&
	       pd_end_digest(a) == pd_end_digest(b);
}

/*
 * Two recoveries from the same choices: a read that had the same values to choose from, as far as
 * their number goes, saw another value. So an execution before them has stored another one.
 */
bool pd_end_other_values(const struct pd_crash_run *a, const struct pd_crash_run *b);

#endif
