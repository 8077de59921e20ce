/*
 * raw.h - what an engine that watches a run reports, before places have names, and how it becomes
 * findings.
 *
 * The engine knows places only by number and PM only by address. It reports a finding when it is
 * first seen, so that it survives whatever happens to the program, and may report it again under
 * the same number: that replaces the earlier report (mostly with a higher count).
 *
 * In the tool, where all is known, the engine's own judge (pd_lint_judge, pd_lockset_join) makes
 * findings of these, and asks a *front* for the names.
 */
#ifndef PD_FINDING_RAW_H
#define PD_FINDING_RAW_H

#include "event/abi.h"
#include "finding/place.h"

enum { PD_RAW_SITES = 24 };

struct pd_raw_site {
	uint8_t role; /* enum pd_role */
	uint32_t place;
};

struct pd_raw_finding {
	uint32_t number; /* from 0, in the order in which they were first reported */
	uint32_t kind;	 /* enum pd_kind */
	uint32_t cause;	 /* enum pd_cause */
	bool confirmed;
	/* 0: nothing was reported under this number, or it was joined into another */
	uint64_t count;
	uint64_t of;	 /* how often it could have happened, where that matters; else 0 */
	uint64_t weight; /* estimated cost in nanoseconds, for kinds that cost time; else 0 */
	uint32_t nsites;
	struct pd_raw_site site[PD_RAW_SITES];
	struct pd_facts facts; /* ADDRESS without a file, SITE: which of these sites */
	const char *field;     /* NULL: not known */
};

/* Of a place that flushes or fences. */
enum pd_times {
	PD_TIMES_FENCE = 1, /* it is a fence, not a flush */
	/* It flushes lines that other threads store to, too: it cannot be removed */
	PD_TIMES_FOR_OTHERS = 2
};

struct pd_sink {
	void (*finding)(void *ctx, const struct pd_raw_finding *f);
	void (*loss)(void *ctx, enum pd_loss kind, uint32_t place, const char *what);
	/* Numbers for the report, once each, at the end. */
	void (*stat)(void *ctx, const char *name, uint64_t value);
	void *ctx;
	/* How often a flush or fence was executed, needless or not, at the end; may be NULL */
	void (*times)(void *ctx, uint32_t place, uint64_t n, uint32_t what); /* enum pd_times */
};

/* ---- names ---------------------------------------------------------------------------------- */

/* Knows the names of places, and which findings are wanted. */
struct pd_namer {
	/* False: nothing is known of the place. */
	bool (*place)(void *ctx, uint32_t number, enum pd_role role, struct pd_place *to);
	/* Turns an ADDRESS in the window into an offset in a file, if there is one. */
	void (*locate)(void *ctx, struct pd_fact *f);
	bool (*wants)(void *ctx, enum pd_kind kind);
	/* Whether findings inside this library count as the program's own. */
	bool (*wants_library)(void *ctx, const char *library);
	void *ctx;
	struct pd_arena *arena;
};

/*
 * Makes a finding with names; all that it points to is in the front's arena, or was there. The
 * first site is what it is about: if that is a wrapper's or a library's, its caller is the second.
 * False: it is not wanted, or concerns only the system (its locks in PM, and how it copies).
 */
bool pd_finding_resolve(const struct pd_namer *front, const struct pd_raw_finding *t,
			struct pd_finding *to);

#endif
