/*
 * pick.h - which value a recovery sees where it could see several.
 */
#ifndef PD_ENGINE_CRASH_PICK_H
#define PD_ENGINE_CRASH_PICK_H

#include "engine/crash/suspect.h"
#include "model/line.h"

/* States of a crash that are bad for somebody who relies on one store. */
enum pd_worst {
	PD_WORST_NOT,
	PD_WORST_FEW,  /* as few stores durable as may be */
	PD_WORST_MANY, /* as many as may be */
};

/*
 * The choices of one crash that a witness has decided. All zero: none, and everything is explored.
 * So a replay is an exploration in which nothing is left to explore.
 */
struct pd_fixed {
	uint32_t point; /* power fails here, and nowhere else; 0: at each crash point in turn */
	uint32_t npick; /* of the recovery that follows; after these it sees the newest value */
	const uint32_t *picks;
};

/* What an execution is to do about its choices. */
struct pd_wish {
	const uint32_t *picks; /* the first ones */
	uint32_t npick;
	uint64_t random; /* seed of those after the picks; 0: every value is seen by somebody */
	uint32_t bias;	 /* in so many of 256 random picks a read does not see the newest value */
	bool narrow;	 /* the newest value of each read after the picks */
	bool forced;	 /* lines are as the suspects say, and else newest; there are no picks */
	uint32_t worst;	 /* enum pd_worst: as the suspects say, and else so; there are no picks */
	bool quick;	 /* what it reads is nobody's news: the like of it was run before */
	struct pd_suspects suspects;
};

enum {
	PD_PICK_ALL = -1,      /* each value, by an execution of its own */
	PD_PICK_DIVERGED = -2, /* there were other values before: it is not deterministic */
};

/* Choice number `at` of a recovery: a class of the line, from 0, or one of the above. */
int64_t pd_pick(const struct pd_wish *w, uint32_t at, const struct pd_line *line,
		const pd_classes *classes);

#endif
