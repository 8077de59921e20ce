/*
 * steps.h - what led to one failure, step by step, as facts: shown by --explain, and drawn by the
 * page.
 *
 * An engine lists the steps in reading order; report/words makes a line of each. A step also has
 * its time, so that steps can be put in the order in which they happened; and the indices of a
 * store in the log of its execution, and of the last store that is certainly durable, so that the
 * page can draw what of a line is durable when.
 */
#ifndef PD_FINDING_STEPS_H
#define PD_FINDING_STEPS_H

#include "event/event.h"
#include "finding/finding.h"

enum pd_step_what {
	PD_STEP_LINE,	   /* what follows happened to this line (address) */
	PD_STEP_LAST,	   /* nothing was lost; what follows happened last */
	PD_STEP_LEFT_OUT,  /* earlier events, or reads, are not listed */
	PD_STEP_EVENT,	   /* a store, flush or fence */
	PD_STEP_LATE,	   /* what follows would have come after the crash */
	PD_STEP_PASSED,	   /* a thread loads (at) while its own store (other) waits */
	PD_STEP_CRASH,	   /* power fails */
	PD_STEP_RECOVERY,  /* what follows is done by recovery */
	PD_STEP_READ,	   /* it reads */
	PD_STEP_TIMES,	   /* the previous step was taken n times */
	PD_STEP_END,	   /* how recovery ends */
	PD_STEP_TRIED,	   /* with this store durable it ends differently */
	PD_STEP_TRIED_ALL, /* with every store durable it ends the same */
};

struct pd_step {
	enum pd_step_what what;
	enum pd_event_kind event; /* EVENT */
	enum pd_kind kind;	  /* END */
	struct pd_facts end;	  /* END: how */
	bool page;		  /* LINE: it is a page */
	bool recovery;		  /* LINE: in a recovery that crashed; LEFT_OUT: reads of one */
	bool at_exit;		  /* CRASH: the program had ended */
	bool after_store;	  /* CRASH: right after the store there, not before it */
	bool well;		  /* TRIED: it does not fail */
	bool aside;		  /* about a line of which nothing was lost: drawn, not described */
	uint32_t thread;
	uint32_t other_thread; /* PASSED: the thread that does not see the store */
	/* Where it happens; function and file NULL: not known. */
	struct pd_finding_site at;
	/* PASSED: the store that waits. READ: the store of the newest value. */
	struct pd_finding_site other;
	uint64_t line;		/* LINE: its number in the window, for the engine */
	struct pd_fact address; /* as a fact: offset, and the file if there is one */
	uint64_t size;
	uint64_t value; /* of its first 8 bytes */
	/* READ that could see several values: how many, whether it sees the newest, which that is
	 * (newest), and the word of the value that differs, if it is longer */
	uint64_t n; /* 0: it could see only one. TIMES: how often */
	bool sees_newest;
	uint64_t newest;
	uint64_t seen;
	/* EVENT, READ: the execution, from 0, and the number of the event in what is known of it,
	 * from 0 */
	uint32_t exec;
	uint64_t time;
	/* EVENT: the length of the log before and after it, and the length up to which all stores
	 * to the LINE that it is listed for are then durable. CRASH: time is in its execution */
	uint32_t before;
	uint32_t after;
	uint32_t certain;
	/* READ that could see several values: the store that it saw, and the newest, as an
	 * execution and an index in its log; index 0: what was durable before */
	uint32_t took_exec;
	uint32_t took;
	uint32_t newest_exec;
	uint32_t newest_at;
};

/* The name of a kind of step, in JSON. */
extern const char *const pd_step_name[];
enum { PD_STEP_N = PD_STEP_TRIED_ALL + 1 };

/* Where a replay stops for a debugger. */
enum pd_stop {
	PD_STOP_NOWHERE,
	PD_STOP_CRASH, /* the power fails */
	PD_STOP_LOAD,  /* a read is about to see what decides */
	PD_STOP_START, /* start of a recovery that makes no choices */
};

#endif
