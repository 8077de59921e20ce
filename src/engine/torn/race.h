/*
 * race.h - the persistency races of one exploration, in memory that its processes share.
 *
 * A race is a pair: the store that may be torn and the load that may see it half done, each by its
 * site. The table keeps, for each pair, the one that is easiest to follow: seen in the execution as
 * it was, before one that takes a prefix of it; fewer crashes; the earlier crash point; fewer
 * choices. Several processes add to it at the same time, so a pair is a list of which the best counts, and
 * lists are only pushed to.
 */
#ifndef PD_ENGINE_TORN_RACE_H
#define PD_ENGINE_TORN_RACE_H

#include "base/types.h"

enum { PD_TORN_BUCKETS = 1 << 12 };

struct pd_torn_race {
	struct pd_torn_race *next;
	uint32_t store; /* site */
	uint32_t load;	/* site, of the recovery */
	/* The store is a recovery's, and its site one of the recovery's program */
	uint8_t in_recovery;
	uint8_t guarded;   /* the load is under a checksum */
	uint8_t unchanged; /* the store is a block's, and writes what was there */
	/* The line was flushed after the store, and no fence waited for that */
	uint8_t unfenced;
	/* The line was flushed: it takes a prefix of the execution without that */
	uint8_t prefix;
	uint8_t size; /* of the part of the store that is seen */
	uint16_t tid;
	uint16_t off;	 /* of that part, in its line */
	uint32_t flush;	 /* prefix: site of the first flush of it */
	uint32_t number; /* of the store, in the log of its execution */
	uint64_t addr;	 /* of the block that is read */
	/* The crash, and what recovery saw on its way to the load. */
	uint64_t seed;
	uint32_t depth;
	uint32_t point;
	uint32_t crash;	     /* site */
	uint32_t crash_kind; /* enum pd_event_kind: what was about to happen */
	uint32_t npick;
	const uint32_t *picks;
	const void *parent; /* the recovery that crashed before; NULL: the first execution */
};

struct pd_torn_table {
	/* Set by the tool */
	uint32_t no_prefix;
	uint32_t track; /* from the first event on: crash points are left out */
	/* Set by the tested processes */
	uint32_t failed; /* memory ran out */
	struct pd_torn_race *bucket[PD_TORN_BUCKETS];
};

/* Whether a race that is at least as good is there already. */
bool pd_torn_known(const struct pd_torn_table *t, const struct pd_torn_race *r);

/* Adds it; r is the table's from then on. */
void pd_torn_add(struct pd_torn_table *t, struct pd_torn_race *r);

/* The best of each pair, one after the other: start with NULL. */
const struct pd_torn_race *pd_torn_next(const struct pd_torn_table *t,
					const struct pd_torn_race *r);

#endif
