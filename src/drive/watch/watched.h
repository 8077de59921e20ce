/*
 * watched.h - from an engine's reports about a run (finding/wire.h) to findings with names.
 *
 * Common to all verbs whose engine watches one run, and to both front ends: a front end passes the
 * bytes of its trace (pd_watched_read), then pd_watched_findings turns the reports into findings of
 * a result.
 *
 * The engines decide which reports are findings, and what they say (engine/lint/judge.h,
 * engine/lockset/join.h); here are the names that they ask for.
 *
 * Thread rule: the main thread.
 */
#ifndef PD_DRIVE_WATCH_WATCHED_H
#define PD_DRIVE_WATCH_WATCHED_H

#include "base/map.h"
#include "drive/losses.h"
#include "drive/only.h"
#include "engine/lint/judge.h"
#include "event/site.h"
#include "event/trace.h"
#include "finding/wire.h"
#include "report/result.h"
#include "report/symbols.h"

struct pd_watched_pool {
	uint64_t base;
	uint64_t size;
	const char *name;
};

/* A receiver of the events themselves, if they are traced. */
struct pd_watched_events {
	void (*event)(void *ctx, const struct pd_event *e);
	void (*pool)(void *ctx, uint32_t id, uint64_t base, uint64_t size, const char *name);
	void *ctx;
};

struct pd_watched {
	struct pd_arena *arena;
	struct pd_map sites;  /* id -> struct pd_site */
	struct pd_map places; /* number -> struct pd_wire_record */
	PD_VEC(struct pd_watched_pool) pools;
	PD_VEC(struct pd_wire_module) modules;
	PD_VEC(struct pd_raw_finding) raw; /* by number; count 0: not reported */
	struct pd_map ids;		   /* of races: number -> its finding */
	PD_VEC(struct pd_lint_times) times;
	struct pd_losses losses;
	PD_VEC(struct {
		const char *name;
		uint64_t value;
	})
	stats;
	bool ended;			 /* normally */
	struct pd_watched_events events; /* event NULL: none */
	struct pd_trace_reader reader;
	struct pd_symbols *symbols; /* created when needed */
	uint32_t loaded;	    /* number of modules in it */
	struct pd_map frames;	    /* address -> struct resolved (watch/place.c) */
};

void pd_watched_init(struct pd_watched *w, struct pd_arena *a);
void pd_watched_finish(struct pd_watched *w);

/* Reads everything that `read` returns (0: the end, -1: an error). False: invalid. */
bool pd_watched_read(struct pd_watched *w, long (*read)(void *ctx, void *buf, size_t n), void *ctx);

/* What to do with findings inside libraries, and which kinds are wanted. */
struct pd_watched_filter {
	const char *const *libraries; /* libraries to be treated like the program; "all" */
	uint32_t nlibraries;
	struct pd_only only;
	bool no_performance;
	bool by_store; /* one finding per store, with all flushes and loads */
};

/* Turns all reports into findings, stats and losses of the result. */
void pd_watched_findings(struct pd_watched *w, const struct pd_watched_filter *f,
			 struct pd_result *r);

/* Adds one that was found in perdure's own process. */
void pd_watched_add(struct pd_watched *w, const struct pd_watched_filter *f,
		    const struct pd_raw_finding *t, struct pd_result *r);

/* False if it is unknown. */
bool pd_watched_place(struct pd_watched *w, uint32_t place, enum pd_role role, struct pd_place *p);

/* The member that the access at this place goes to ("node.next"); NULL: unknown. */
const char *pd_watched_field(struct pd_watched *w, uint32_t place);

/*
 * The calls that led to a place, from its site outwards to the user's own code, as offsets in their
 * files of code: none if the site itself is in the user's code. At most `max`; *site is 0 if it is
 * not in instrumented code.
 */
uint32_t pd_watched_callers(struct pd_watched *w, uint32_t place, uint32_t *site, uint64_t *to,
			    uint32_t max);

/* Turns an address of the window into an offset in a file, if there is one. */
void pd_watched_locate(const struct pd_watched *w, struct pd_fact *f);

#endif
