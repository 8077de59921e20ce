/*
 * verdict.h - from persistency races to findings: one per field, with all its stores and loads.
 *
 * A race is a store and a load (race.h). Its kind follows from what the compiler has made of the
 * store and from how recovery uses the loaded value. Races of one kind on one field are one
 * finding, and so are the fields that one copy writes; its id is the field's, so that it does not
 * depend on how many sites were seen. Without the name of a field there is one finding per store. A
 * finding of which crash findings report every store is left out, and counted.
 *
 * What a transaction has stored is seen by recovery only if the transaction left out of its log
 * what leads there, or was never ended. So all races of such a transaction are one finding, and
 * belong to the crash finding that names what was left out.
 *
 * The front end gives names: of fields, of libraries, of places; and tells what transactions did.
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
	const char *library; /* library that has the store; NULL: the user's code */
	struct pd_finding_site at_store, at_load;
	struct pd_finding_site at_flush; /* of the prefix */
	struct pd_finding_site at_crash;
	/* Of its transaction, if it is a store of one: where that begins, and the stores, to
	 * different places of the source, that it has not logged */
	struct pd_finding_site at_begin;
	const struct pd_finding_site *unlogged;
	uint32_t nunlogged;
	/* The verdict */
	enum pd_kind kind;
	const char *field;
	uint32_t group; /* number of the finding that it is part of, from 1 */
	bool reported;
};

struct pd_torn_verdicts {
	struct pd_torn_suspect *v;
	uint32_t n;
	const struct pd_findings *crashes; /* findings about crashes */
	bool benign;			   /* harmless races are wanted, too */
	bool page;			   /* page model: a sync makes data durable */
	struct pd_arena *arena;
	/* What came of it */
	uint32_t folded; /* findings left out because of crash findings */
	uint32_t at;
};

/*
 * Whether it is none: recovery undoes the store before the user's code can read it, and what is
 * read there later is memory that is free, or allocated again. Only of a library that is not the
 * user's such stores count: those that libpmemobj announces as logged may be to data of its own.
 */
bool pd_torn_is_undone(const struct pd_torn_suspect *s);

/* Judges all suspects, and sorts them. */
void pd_torn_judge(struct pd_torn_verdicts *t);

/*
 * The next finding: kind, id, field, library, sites, facts, count. Returns the race that is easiest
 * to follow, for its witness; NULL: no more.
 */
const struct pd_torn_race *pd_torn_finding(struct pd_torn_verdicts *t, struct pd_finding *to);

#endif
