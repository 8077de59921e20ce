/*
 * steps.h - what led to one failure, step by step, as facts: what --explain shows.
 *
 * An engine lists the steps in the order in which they are to be read; report/words makes a line of
 * each.
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
	PD_STEP_CRASH,	   /* the power fails */
	PD_STEP_RECOVERY,  /* what follows is done by recovery */
	PD_STEP_READ,	   /* it reads */
	PD_STEP_TIMES,	   /* the step before was taken so often (n) */
	PD_STEP_END,	   /* how recovery ends */
	PD_STEP_TRIED,	   /* with this store durable it ends otherwise */
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
	bool well;		  /* TRIED: it does not fail */
	uint32_t thread;
	uint32_t other_thread; /* PASSED: that does not see the store */
	/* Where it happens; function and file NULL: not known. */
	struct pd_finding_site at;
	/* PASSED: the store that waits. READ: the store that makes the newest value. */
	struct pd_finding_site other;
	struct pd_fact address; /* as a fact: offset, and the file if there is one */
	uint64_t size;
	uint64_t value; /* of its first 8 bytes */
	/* READ that could see several values: how many, whether it sees the newest, which that is
	 * (newest), and the word of value that differs, where it is longer than that */
	uint64_t n; /* 0: it could not. TIMES: how often */
	bool sees_newest;
	uint64_t newest;
	uint64_t seen;
};

struct pd_steps {
	uint32_t n; /* 0: none are known, or memory ran out */
	const struct pd_step *v;
};

/* Where a replay stops for a debugger. */
enum pd_stop {
	PD_STOP_NOWHERE,
	PD_STOP_CRASH, /* the power fails */
	PD_STOP_LOAD,  /* a read is about to see what decides */
	PD_STOP_START, /* of a recovery in which nothing has to be chosen */
};

#endif
