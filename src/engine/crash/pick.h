/*
 * pick.h - which value a recovery sees where it could see several.
 */
#ifndef PD_ENGINE_CRASH_PICK_H
#define PD_ENGINE_CRASH_PICK_H

#include "engine/crash/suspect.h"
#include "model/line.h"

/* Crash states chosen to be bad for a program that relies on one store. */
enum pd_worst {
	PD_WORST_NOT,
	PD_WORST_FEW,  /* as few stores durable as possible */
	PD_WORST_MANY, /* as many as possible */
};

/*
 * The choices of one crash that a witness has fixed. All zero: nothing is fixed, everything is
 * explored. So a replay is an exploration in which nothing is left to explore.
 */
struct pd_fixed {
	uint32_t point; /* power fails at this crash point only; 0: at each in turn */
	uint32_t npick; /* of the recovery that follows; later reads see the newest value */
	const uint32_t *picks;
};

/* How an execution makes its choices. */
struct pd_wish {
	const uint32_t *picks; /* the first ones */
	uint32_t npick;
	uint64_t random; /* seed of those after `picks`; 0: one execution for each value */
	uint32_t bias;	 /* out of 256 random picks, how many do not see the newest value */
	bool narrow;	 /* reads after `picks` see the newest value */
	bool forced;	 /* lines are as `suspects` say, others newest; there are no picks */
	/* Enum pd_worst: lines are as `suspects` say, others so; there are no picks */
	uint32_t worst;
	/* Nothing is recorded of its reads: an equivalent recovery was run before */
	bool quick;
	struct pd_suspects suspects;
};

enum {
	PD_PICK_ALL = -1,      /* each value, in an execution of its own */
	PD_PICK_DIVERGED = -2, /* there were other values before: recovery is not deterministic */
};

/* What choice number `at` of a recovery sees: a class of the line, from 0, or one of the above. */
int64_t pd_pick(const struct pd_wish *w, uint32_t at, const struct pd_line *line,
		const pd_classes *classes);

#endif
