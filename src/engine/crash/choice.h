/*
 * choice.h - what is known of one read of recovery that could see several values: which one it saw,
 * and the stores behind that value and newer ones.
 */
#ifndef PD_ENGINE_CRASH_CHOICE_H
#define PD_ENGINE_CRASH_CHOICE_H

#include "base/types.h"

enum {
	PD_CRASH_DEPTH = 4, /* crashes in a row, at most */
};

/* A store, as a read that could have seen it knows it. */
struct pd_crash_source {
	uint32_t site;
	uint32_t exec;
	uint32_t order; /* its place in the log of that execution */
	uint32_t flush; /* it was flushed, without a fence, when the log was this long */
	uint64_t value; /* that the read would have seen; its first bytes */
	/* The first word of it that differs from what was seen, and what was seen there */
	uint64_t shown;
	uint64_t shown_seen;
	uint16_t tid;
	bool written; /* by a write call, in the page model */
};

/*
 * A read of recovery that could see several values. The choices of a path are a list from the last
 * one back, so that recoveries that branch off share what they have in common.
 */
struct pd_crash_choice {
	struct pd_crash_choice *before; /* NULL: it is the first one */
	uint32_t number;		/* on its path, from 0 */
	bool kept;			/* a failure has it on its path: it is not used again */
	uint32_t n;
	uint32_t pick;
	uint32_t load;	      /* site, of the recovery */
	uint32_t newest;      /* site of the store that gives the newest value, 0: none */
	uint32_t newest_exec; /* in which execution that was */
	/* Site of the store whose value was read; 0: the content from before */
	uint32_t seen;
	uint32_t seen_exec;
	uint16_t newest_tid; /* threads of both */
	uint16_t seen_tid;
	uint32_t size;
	uint32_t newest_order; /* places in the log of that execution */
	uint32_t seen_order;
	/* The newest store was flushed, without a fence, when the log was this long */
	uint32_t flush;
	/* Of the value next newer to the one that was seen, where that is not the newest */
	struct pd_crash_source next;
	uint64_t addr;
	uint64_t newest_value;
	uint64_t seen_value;
	/*
	 * Of a recovery that was executed: the newest versions of the line that the read leaves
	 * open, and that it would have left open had it seen the newest value; by crashed
	 * execution, the last one first.
	 */
	uint32_t ndim;
	uint32_t version[PD_CRASH_DEPTH];
	uint32_t newest_version[PD_CRASH_DEPTH];
	/* With the store in `next` durable recovery does not fail like this: that was tried ... */
	bool blamed;
	bool ends_well; /* ... and it ends well */
	/* Nor does it with the whole of that store lost, of which this is a part: that was tried,
	 * too */
	bool torn;
};

/* A read of recovery that can see several values, and one store that it can see. */
struct pd_crash_several {
	struct pd_crash_several *next;
	uint32_t load;
	struct pd_crash_source store; /* site 0: what was there before */
	uint64_t addr;
	uint32_t size;
};

#endif
