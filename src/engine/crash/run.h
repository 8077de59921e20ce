/*
 * run.h - one recovery: the crash that it came after, what it chose, and how it ended.
 */
#ifndef PD_ENGINE_CRASH_RUN_H
#define PD_ENGINE_CRASH_RUN_H

#include "base/hash.h"
#include "engine/crash/choice.h"
#include "engine/crash/suspect.h"
#include "engine/crash/tree.h"
#include "event/wait.h"

enum {
	PD_RUN_OUTPUT = 4096,
	PD_RUN_OPERATION = 160,
	PD_RUN_HISTORY = 16, /* operations of a history that are kept ... */
	PD_RUN_HISTORY_TEXT = 64,
	PD_RUN_HISTORY_CRASHES = 8,
	PD_RUN_TEXT = 1024, /* two places and two files in it, whose paths may be long */
};

/* Why a recovery counts as hanging. */
enum pd_hang {
	PD_HANG_NOT,
	PD_HANG_LOOP,	  /* it comes back to the same state: proven */
	PD_HANG_IDLE,	  /* no event for too long */
	PD_HANG_BUDGET,	  /* all its events are used up */
	PD_HANG_LIVELOCK, /* its threads only wait for each other */
};

/* A history that cannot be explained: when its operations were called and returned, and its crashes;
 * what happened is numbered from 0. */
struct pd_run_history {
	uint32_t n;
	uint32_t before; /* operations that are not in it */
	uint32_t ncrash;
	uint32_t crash[PD_RUN_HISTORY_CRASHES];
	struct {
		uint32_t thread;
		uint32_t call;
		uint32_t ret;
		bool wrong;
		char text[PD_RUN_HISTORY_TEXT];
	} op[PD_RUN_HISTORY];
};

/* A recovery that is being executed, or that has ended badly. */
struct pd_crash_run {
	struct pd_crash_run *next; /* findings */
	/* The recovery that crashed before this one; NULL: the first run */
	const struct pd_crash_run *parent;
	struct pd_tree_node *node; /* where it is in the tree */
	struct pd_digest path;	   /* all that it has read: equal digests are the same recovery */
	uint64_t signature;	   /* of what was lost on its path (tree.h) */
	bool inside;		   /* past the node that it was to find out about */
	bool trial;		   /* it is not counted, and its end is nobody's news */
	uint64_t seed;		   /* of its schedule */
	uint32_t work;		   /* which workload it was (crash.h) */
	uint32_t outcome;	   /* enum pd_outcome; set by itself where only it can know */
	uint32_t detail;
	uint32_t depth; /* which execution this is; 1 is the first recovery */
	uint32_t point; /* crash point, from 1, of the execution before */
	/* The same with those of all executions before, to be compared */
	uint64_t when;
	uint32_t crash_site; /* of the first execution */
	uint32_t crash_kind; /* enum pd_event_kind: what was about to happen */
	uint32_t nchoice;
	struct pd_crash_choice *last; /* choice; NULL: there was none */
	/* The last one of the recovery that it has branched off */
	struct pd_crash_choice *inherited;
	uint64_t events;
	uint32_t waiting;    /* for another recovery: that one may hang, this one does not */
	uint32_t last_store; /* site of the last store before the crash */
	/* Site of the last flush before it that had nothing to write back */
	uint32_t idle_flush;
	uint32_t idle_order; /* and how long the log was then */
	uint32_t nstack;
	uint64_t stack[24];  /* where the crash was */
	uint32_t check_line; /* of a pd_check that failed */
	char check_file[200];
	uint32_t last_load; /* site of the last read of PM */
	uint64_t last_addr; /* and what it read: distance from the start of the window */
	/* It drives a structure: what fails is reported in terms of its operations */
	bool linear;
	bool silent;   /* it should have announced operations, and ended without */
	uint32_t lost; /* choices on its path that did not read the newest value */
	uint32_t noutput;
	uint32_t nfail;
	uint64_t fail[24];     /* where it failed */
	uint32_t hang;	       /* enum pd_hang */
	struct pd_waits waits; /* of a deadlock or livelock: who waits for what */
	/* The condition that failed, the response that nothing explains, or why nothing is known of
	 * its end */
	char text[PD_RUN_TEXT];
	char operation[PD_RUN_OPERATION]; /* that is at fault; "": not known */
	struct pd_run_history history;
	char output[PD_RUN_OUTPUT];
	/* The same failure with as few stores lost as it needs; NULL: not known */
	const struct pd_crash_run *least;
	/* Its lines are as suspects say: choices that are blamed are the ones that it needs ... */
	bool forced;
	bool proven;	/* ... each of which was tried, none left out for want of trials */
	uint32_t nneed; /* and these are the suspects, if they are few */
	struct pd_crash_suspect need[8];
	/* Without these stores, that no transaction has logged, recovery ends well: places in the log of
	 * the first execution */
	uint32_t nunlogged;
	uint32_t unlogged[8];
};

/* The choices of a run in order; `to` has room for all of them. */
static inline void pd_board_choices(const struct pd_crash_run *run,
				    const struct pd_crash_choice **to)
{
	for (const struct pd_crash_choice *c = run->last; c; c = c->before)
		to[c->number] = c;
}

/* Whatever refers to the run from now on: its choices stay. */
static inline void pd_board_keep_choices(const struct pd_crash_run *run)
{
	for (struct pd_crash_choice *c = run->last; c && !c->kept; c = c->before)
		c->kept = true;
}

/* A hang that takes all of its budget each time. */
static inline bool pd_run_is_slow(const struct pd_crash_run *run)
{
	return run->outcome == PD_OUTCOME_HANG && run->hang != PD_HANG_LOOP;
}

#endif
