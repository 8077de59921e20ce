/*
 * suspect.h - the state of a crash as versions of lines: what is varied when lost stores are forced
 * to be durable.
 */
#ifndef PD_ENGINE_CRASH_SUSPECT_H
#define PD_ENGINE_CRASH_SUSPECT_H

#include "base/types.h"

/*
 * A line that recovery is to find as it was after some of its stores, in one of the executions that
 * stored to it: what is looked for when lost stores are forced to be durable
 * (least.h).
 */
struct pd_crash_suspect {
	uint64_t line;	  /* index */
	uint32_t dim;	  /* 0: of the execution that crashed last */
	uint32_t version; /* that recovery finds */
	uint32_t newest;  /* that it could find */
	bool ends_well;	  /* with it durable recovery ends well, not only otherwise */
	/* Version is a place in the log of that execution: what was stored later is lost */
	bool by_order;
};

struct pd_suspects {
	const struct pd_crash_suspect *v;
	uint32_t n;
};

#endif
