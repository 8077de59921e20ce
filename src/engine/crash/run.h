/*
 * run.h - one recovery: the crash before it, its choices, and how it ended.
 */
#ifndef PD_ENGINE_CRASH_RUN_H
#define PD_ENGINE_CRASH_RUN_H

#include "base/hash.h"
#include "engine/crash/choice.h"
#include "engine/crash/suspect.h"
#include "engine/crash/tree.h"
#include "event/event.h"
#include "event/schedule.h"
#include "event/wait.h"
#include "finding/diagram.h"
#include "finding/unknown.h"

enum {
	PD_RUN_OUTPUT = 4096,
	PD_RUN_OPERATION = 160,
	PD_RUN_TEXT = 1024,
};

/* Why a recovery counts as hanging. */
enum pd_hang {
	PD_HANG_NOT,
	PD_HANG_LOOP,	  /* it comes back to the same state: proven */
	PD_HANG_IDLE,	  /* no event for too long */
	PD_HANG_BUDGET,	  /* its budget of events is used up */
	PD_HANG_LIVELOCK, /* its threads only wait for each other */
};

/* A recovery that is being executed, or that has ended badly. */
struct pd_crash_run {
	struct pd_crash_run *next; /* in the list of findings */
	/* The recovery that crashed before this one; NULL: the first execution did */
	const struct pd_crash_run *parent;
	struct pd_tree_node *node; /* its current node in the tree */
	/* Digest of all that it has read: equal digests are the same recovery */
	struct pd_digest path;
	uint64_t signature; /* of the stores lost on its path (tree.h) */
	bool inside;	    /* past the node that it was started for */
	/* Only explains another run: not counted, and its end is not reported */
	bool trial;
	uint64_t seed; /* of its schedule */
	uint32_t work; /* number of the workload (crash.h) */
	/* Enum pd_outcome; set by the recovery itself where only it can know */
	uint32_t outcome;
	uint32_t detail;
	uint32_t depth; /* number of this execution; 1 is the first recovery */
	uint32_t point; /* crash point, from 1, of the execution before */
	/* Its crash among those of all executions, for comparison (pd_point_when) */
	uint64_t when;
	uint32_t crash_site; /* in the first execution */
	uint32_t crash_kind; /* enum pd_event_kind: the next event of the crashed execution */
	uint32_t nchoice;
	struct pd_crash_choice *last; /* choice; NULL: none yet */
	/* The last choice of the recovery that it branched off */
	struct pd_crash_choice *inherited;
	uint64_t events;
	uint64_t spent;	     /* of its budget of events */
	uint32_t waiting;    /* for another recovery, which may hang; this one does not */
	uint32_t last_store; /* site of the last store before the crash */
	/* Site of the last flush before the crash that had nothing to write back */
	uint32_t idle_flush;
	uint32_t idle_order; /* length of the log at that flush ... */
	uint32_t length;     /* ... and at the crash */
	uint32_t nstack;
	uint64_t stack[24];  /* of the crash */
	uint32_t check_line; /* of a pd_check that failed */
	char check_file[200];
	uint32_t last_load; /* site of the last read of PM */
	uint64_t last_addr; /* the address that it read: offset in the window */
	/* It drives a structure: failures are reported in terms of its operations */
	bool linear;
	bool silent;   /* it should have announced operations, and announced none */
	uint32_t lost; /* choices on its path that did not read the newest value */
	uint32_t nfail;
	uint64_t fail[24]; /* stack of the failure */
	/* It ran out of stack: of the stack only what repeats is kept, if anything does */
	bool out_of_stack;
	bool computes;	       /* it hangs, and not in a system call */
	uint32_t hang;	       /* enum pd_hang */
	struct pd_waits waits; /* deadlock or livelock: who waits for what */
	/* The condition that failed, or the response that nothing explains */
	char text[PD_RUN_TEXT];
	/* The operation at fault; if the recovery does not end, the only one that the crash
	 * interrupted. "": not known */
	char operation[PD_RUN_OPERATION];
	bool in_part;		   /* of which something is there after all */
	struct pd_diagram diagram; /* of linear; its n is 0: there is none */
	/* What comes before is known to branches, too: a recovery goes on after a failed check */
	uint32_t noutput;
	struct pd_unknown unknown; /* DIVERGED, LOST: why */
	char output[PD_RUN_OUTPUT];
	/* The same failure with as few stores lost as it needs; NULL: not reduced */
	const struct pd_crash_run *least;
	/* Its lines were forced to the versions of suspects: the blamed choices are those that it
	 * needs ... */
	bool forced;
	bool proven;	/* ... and all of them were tried, none skipped for lack of trials */
	uint32_t nneed; /* the suspects that it needs, if they are few */
	struct pd_crash_suspect need[8];
	/* Stores that no transaction has logged and without which recovery ends well: indices in
	 * the log of the first execution */
	uint32_t nunlogged;
	uint32_t unlogged[8];
	/* Nothing was lost: stores without which recovery ends well, of those that a crash here
	 * could take: indices in that log */
	uint32_t nearly;
	uint32_t early[4];
};

/* The run is referred to from now on: its choices must not be reused. */
static inline void pd_board_keep_choices(const struct pd_crash_run *run)
{
	for (struct pd_crash_choice *c = run->last; c && !c->kept; c = c->before)
		c->kept = true;
}

/* Tests of linear crash right after a store; all other crash points come before an event. */
static inline bool pd_run_crashed_after_store(const struct pd_crash_run *run)
{
	return run->depth == 1 && run->crash_kind == PD_EV_STORE &&
	       pd_schedule_of(run->seed).policy == PD_POLICY_TEST;
}

/* A hang that uses up its whole budget each time. */
static inline bool pd_run_is_slow(const struct pd_crash_run *run)
{
	return run->outcome == PD_OUTCOME_HANG && run->hang != PD_HANG_LOOP;
}

#endif
