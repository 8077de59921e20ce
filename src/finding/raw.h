/*
 * raw.h - what an engine that watches a run reports, before places have names, and how it becomes
 * findings.
 *
 * The engine knows places by number and PM by address only. It reports a finding when it is first
 * seen, so that it survives whatever happens to the program, and may report it again under the same
 * number: that replaces what was reported before (a higher count, mostly).
 *
 * Where all is known, in the tool, the engine's own judge (pd_lint_judge, pd_lockset_judge) makes
 * findings of these: it asks a *front* for the names.
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
	uint64_t count;	 /* 0: nothing was reported under this number, or it is part of another */
	uint64_t of;	 /* how often it might have been, where that matters; else 0 */
	uint64_t weight; /* estimated cost in nanoseconds, for kinds that cost time; else 0 */
	uint32_t nsites;
	struct pd_raw_site site[PD_RAW_SITES];
	struct pd_facts facts; /* ADDRESS without a file, SITE: which of these sites */
	const char *field;     /* NULL: not known */
};

/* Of a place that flushes or fences. */
enum pd_times {
	PD_TIMES_FENCE = 1, /* it fences, and does not flush */
	/* Lines that other threads store to, too: it cannot be left out */
	PD_TIMES_FOR_OTHERS = 2
};

struct pd_sink {
	void (*finding)(void *ctx, const struct pd_raw_finding *f);
	void (*loss)(void *ctx, enum pd_loss kind, uint32_t place, const char *what);
	/* Numbers for the report, once each, at the end. */
	void (*stat)(void *ctx, const char *name, uint64_t value);
	void *ctx;
	/* How often a flush (or a fence) was executed, needless or not, at the end; NULL: nobody
	 * asks. */
	void (*times)(void *ctx, uint32_t place, uint64_t n, uint32_t what); /* enum pd_times */
};

/* ---- names ---------------------------------------------------------------------------------- */

/* Who knows what places are called, and what is wanted. */
struct pd_namer {
	/* False where nothing is known of the place. */
	bool (*place)(void *ctx, uint32_t number, enum pd_role role, struct pd_place *to);
	/* An ADDRESS of the window becomes an offset in a file, where there is one. */
	void (*locate)(void *ctx, struct pd_fact *f);
	bool (*wants)(void *ctx, enum pd_kind kind);
	/* Findings inside of this library are the program's own. */
	bool (*wants_library)(void *ctx, const char *library);
	void *ctx;
	struct pd_arena *arena;
};

/*
 * As a finding with names; all that it points to is the front's arena's, or was there. The first
 * site is what it is about: if that is a wrapper's or a library's, its caller is the second. False:
 * it is not wanted, or it is the system's own affair (its locks in PM, and how it copies).
 */
bool pd_finding_resolve(const struct pd_namer *front, const struct pd_raw_finding *t,
			struct pd_finding *to);

#endif
