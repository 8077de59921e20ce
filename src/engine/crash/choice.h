/*
 * choice.h - the record of one read of recovery that could see several values: the value that it
 * saw, and the stores behind that value and newer ones.
 */
#ifndef PD_ENGINE_CRASH_CHOICE_H
#define PD_ENGINE_CRASH_CHOICE_H

#include "base/types.h"

enum {
	PD_CRASH_DEPTH = 4, /* crashes in a row, at most */
};

/* A store that a read could have seen. */
struct pd_crash_source {
	uint32_t site;
	uint32_t exec;
	uint32_t order; /* index in the log of that execution */
	uint32_t flush; /* length of the log when it was flushed without a fence */
	uint64_t value; /* that the read would have seen; its first 8 bytes */
	/* The first word of that value that differs from what was seen, and what was seen there */
	uint64_t shown;
	uint64_t shown_seen;
	uint16_t tid;
	bool written; /* by a write call (page model) */
};

/*
 * A read of recovery that could see several values. The choices of a path are a list from the last
 * one back, so that recoveries that branch off share their common part.
 */
struct pd_crash_choice {
	struct pd_crash_choice *before; /* NULL: this is the first one */
	uint32_t number;		/* on its path, from 0 */
	bool kept;			/* on the path of a failure: its memory is not reused */
	uint32_t n;
	uint32_t pick;
	uint32_t load;	      /* site of the read, in the recovery */
	uint32_t newest;      /* site of the store of the newest value; 0: none */
	uint32_t newest_exec; /* the execution that made it */
	/* Site of the store whose value was read; 0: content from before the first execution */
	uint32_t seen;
	uint32_t seen_exec;
	uint16_t newest_tid; /* threads of the two stores */
	uint16_t seen_tid;
	uint32_t size;
	uint32_t newest_order; /* indices in the logs of their executions */
	uint32_t seen_order;
	/* Length of the log when the newest store was flushed without a fence */
	uint32_t flush;
	/* The store of the next newer value than the one seen, where that is not the newest */
	struct pd_crash_source next;
	uint64_t addr;
	uint64_t newest_value;
	uint64_t seen_value;
	/*
	 * Of an executed recovery: the newest version of the line that this read leaves possible,
	 * and the one that it would leave possible had it seen the newest value; by crashed
	 * execution, the last one first.
	 */
	uint32_t ndim;
	uint32_t version[PD_CRASH_DEPTH];
	uint32_t newest_version[PD_CRASH_DEPTH];
	/* Tried: with the store in `next` durable, recovery does not fail in this way ... */
	bool blamed;
	bool ends_well; /* ... and it ends well */
	/* Tried: with the whole store lost, of which this is a part, recovery does not fail in this
	 * way either: only a torn store makes it fail */
	bool torn;
};

/* A read of recovery that can see several values, and one of the stores that it can see. */
struct pd_crash_several {
	struct pd_crash_several *next;
	uint32_t load;
	struct pd_crash_source store; /* site 0: content from before */
	uint64_t addr;
	uint32_t size;
};

#endif
