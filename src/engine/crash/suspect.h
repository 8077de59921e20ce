/*
 * suspect.h - a crash state as versions of lines: what is varied when lost stores are forced
 * durable (least.h).
 */
#ifndef PD_ENGINE_CRASH_SUSPECT_H
#define PD_ENGINE_CRASH_SUSPECT_H

#include "base/types.h"

/*
 * A line in the version that recovery has to find, counted in one of the executions that stored to
 * it.
 */
struct pd_crash_suspect {
	uint64_t line;	  /* index */
	uint32_t dim;	  /* which of these executions; 0: the one that crashed last */
	uint32_t version; /* the one that recovery finds */
	uint32_t newest;  /* the newest one that it could find */
	bool ends_well;	  /* with this line newest recovery ends well, not just in another way */
	/* `version` is an index in the log of that execution: later stores are lost */
	bool by_order;
};

struct pd_suspects {
	const struct pd_crash_suspect *v;
	uint32_t n;
};

#endif
