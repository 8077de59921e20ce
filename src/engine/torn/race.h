/*
 * race.h - the persistency races of one exploration, in memory that its processes share.
 *
 * A race is a pair: the store that may be torn and the load that may see it half done, each by its
 * site. For each pair the table keeps the race that is easiest to follow: one seen in the execution
 * as it was is better than one that needs a prefix of it; then fewer crashes, the earlier crash
 * point, fewer choices. Several processes add concurrently, so a pair is a list of which the best
 * counts, and lists are only pushed to.
 */
#ifndef PD_ENGINE_TORN_RACE_H
#define PD_ENGINE_TORN_RACE_H

#include "base/types.h"

enum { PD_TORN_BUCKETS = 1 << 12 };

struct pd_torn_race {
	struct pd_torn_race *next;
	uint32_t store; /* site */
	uint32_t load;	/* site, of the recovery */
	/* The store is a recovery's, and its site belongs to the recovery's program */
	uint8_t in_recovery;
	uint8_t guarded;   /* the load is under a checksum */
	uint8_t unchanged; /* the store copies or fills a block, and writes the old values */
	uint8_t undone;	   /* recovery undoes the transaction of the store */
	/* The line was flushed after the store, and no fence has completed that */
	uint8_t unfenced;
	/* The line was flushed: the race needs a prefix of the execution without that flush */
	uint8_t prefix;
	uint8_t size; /* of the part of the store that is visible */
	uint16_t tid;
	uint16_t off;	 /* of that part, in its line */
	uint32_t flush;	 /* prefix: site of the first flush */
	uint32_t number; /* of the store, in the log of its execution */
	uint64_t addr;	 /* of the block that is read */
	/* The crash, and what recovery saw on its path to the load */
	uint64_t seed;
	uint32_t depth;
	uint32_t point;
	uint32_t crash;	     /* site */
	uint32_t crash_kind; /* enum pd_event_kind: the next event of the crashed execution */
	uint32_t npick;
	const uint32_t *picks;
	const void *parent; /* the recovery that crashed before; NULL: the first execution did */
};

struct pd_torn_table {
	/* Set by the tool */
	uint32_t no_prefix;
	uint32_t track; /* from the first event on, since crash points are left out */
	/* Set by the tested processes */
	uint32_t failed; /* memory ran out */
	struct pd_torn_race *bucket[PD_TORN_BUCKETS];
};

/* Whether the table has a race that is at least as good. */
bool pd_torn_known(const struct pd_torn_table *t, const struct pd_torn_race *r);

/* Adds it; the table owns r from then on. */
void pd_torn_add(struct pd_torn_table *t, struct pd_torn_race *r);

/* Iterates over the best race of each pair; start with NULL. */
const struct pd_torn_race *pd_torn_next(const struct pd_torn_table *t,
					const struct pd_torn_race *r);

#endif
