/*
 * verdict.h - from persistency races to findings: one a field, with all its stores and loads.
 *
 * A race is a store and a load (race.h). What kind of finding it is follows from what the compiler
 * has made of the store and what recovery does with what it loads. Races of one kind on one field
 * are one finding; its id is the field's, so that it does not depend on how many sites were seen.
 * Where nothing names a field it is one finding a store. One whose every store is reported by a
 * crash finding is left out, and counted.
 *
 * The front end gives names: of fields, of libraries, of places.
 *
 * Thread rule: one set of verdicts, one thread at a time.
 */
#ifndef PD_ENGINE_TORN_VERDICT_H
#define PD_ENGINE_TORN_VERDICT_H

#include "engine/torn/race.h"
#include "event/site.h"
#include "finding/finding.h"

struct pd_torn_suspect {
	const struct pd_torn_race *race;
	const struct pd_board_site *store;
	const struct pd_board_site *load;
	const char *store_field; /* NULL: not known */
	const char *load_field;
	const char *library; /* that has the store; NULL: the user's */
	struct pd_finding_site at_store, at_load;
	struct pd_finding_site at_flush; /* of the prefix */
	struct pd_finding_site at_crash;
	/* The verdict */
	enum pd_kind kind;
	const char *field;
	bool reported;
};

struct pd_torn_verdicts {
	struct pd_torn_suspect *v;
	uint32_t n;
	const struct pd_findings *crashes; /* what crashes have shown already */
	bool benign;			   /* what cannot do harm is wanted, too */
	bool page;			   /* the page model: what makes durable is a sync */
	struct pd_arena *arena;
	/* What came of it */
	uint32_t folded; /* findings that a crash finding makes needless */
	uint32_t at;
};

/* Judges each, and puts them in order. */
void pd_torn_judge(struct pd_torn_verdicts *t);

/*
 * The next finding: kind, id, field, library, sites, facts, count. The race that is easiest to
 * follow is returned, for its witness; NULL: no more.
 */
const struct pd_torn_race *pd_torn_finding(struct pd_torn_verdicts *t, struct pd_finding *to);

#endif
