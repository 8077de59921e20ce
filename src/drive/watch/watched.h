/*
 * watched.h - from what an engine has told about a run (finding/wire.h) to findings with names.
 *
 * Common to every verb whose engine watches one run, and to both front ends: a front end gives the
 * bytes of its trace (pd_watched_read), then pd_watched_findings turns what was told into findings
 * of a result.
 *
 * Places. A place is a stack; what is shown of it is the innermost frame that the reader can do
 * something about (watch/place.c): not libc's, not a header's of the system, not libpmem's. For a
 * flush or a fence in a function that does nothing else, `caller` is who called that. Is the frame
 * inside a library that the user did not build, the finding is the library's, with the user's
 * nearest frame as `caller`.
 *
 * Thread rule: the main thread.
 */
#ifndef PD_DRIVE_WATCH_WATCHED_H
#define PD_DRIVE_WATCH_WATCHED_H

#include "base/map.h"
#include "drive/losses.h"
#include "drive/only.h"
#include "event/trace.h"
#include "finding/wire.h"
#include "report/result.h"
#include "report/symbols.h"

struct pd_watched_site {
	const char *file;
	const char *function;
	uint32_t line;
	uint32_t column;
	uint32_t inlined_at;
};

struct pd_watched_pool {
	uint64_t base;
	uint64_t size;
	const char *name;
};

/* Who wants to see the events themselves, where they are traced. */
struct pd_watched_events {
	void (*event)(void *ctx, const struct pd_event *e);
	void (*pool)(void *ctx, uint32_t id, uint64_t base, uint64_t size, const char *name);
	void *ctx;
};

/* A place where a flush or fence was executed, needless or not. */
struct pd_watched_times {
	uint32_t place;
	uint64_t n;
	bool fence;
};

/* Places of flushes or fences that are the same in the source, with all callers. */
struct pd_watched_line {
	uint64_t digest;
	uint32_t place; /* one of them */
	bool library;	/* inside of one */
	uint32_t told;	/* 1 + the number of the finding; 0: none */
	uint64_t needless;
	uint64_t times;
};

/* Who calls a function that flushes or fences and does nothing else, and how often for nothing. */
struct pd_watched_use {
	uint64_t way; /* digest of the frames between, from the instruction on */
	struct pd_frame caller;
	uint64_t needless;
	uint64_t times;
};

struct pd_watched {
	struct pd_arena *arena;
	struct pd_map sites;  /* id -> struct pd_watched_site */
	struct pd_map places; /* number -> struct pd_wire_record */
	PD_VEC(struct pd_watched_pool) pools;
	PD_VEC(struct pd_wire_module) modules;
	PD_VEC(struct pd_told) told; /* by number; count 0: not told */
	struct pd_map ids;	     /* number -> the finding that it became */
	struct pd_map callers;	     /* a finding's id -> struct callers (watched.c) */
	PD_VEC(struct pd_watched_times) times;
	/* What all of those cost that are not inside of a library; 0: not known */
	uint64_t flushing_ns;
	PD_VEC(struct pd_watched_line) lines; /* watch/callers.c; by w->by_digest */
	struct pd_map by_digest;
	PD_VEC(struct pd_watched_use) uses;
	struct pd_losses losses;
	PD_VEC(struct {
		const char *name;
		uint64_t value;
	})
	stats;
	bool ended;			 /* in an orderly way */
	struct pd_watched_events events; /* event NULL: nobody */
	struct pd_trace_reader reader;
	struct pd_symbols *symbols; /* made when needed */
	uint32_t loaded;	    /* modules that are in it */
	struct pd_map frames;	    /* address -> struct resolved (watch/place.c) */
};

void pd_watched_init(struct pd_watched *w, struct pd_arena *a);
void pd_watched_finish(struct pd_watched *w);

/* Takes whole records from the bytes; how many were used, or -1: this is not a trace. */
long pd_watched_take(struct pd_watched *w, const void *bytes, size_t n);

/* Reads all that `read` gives (0: the end, -1: an error). False: it cannot be understood. */
bool pd_watched_read(struct pd_watched *w, long (*read)(void *ctx, void *buf, size_t n), void *ctx);

/* What to do with findings inside of libraries, and which kinds are wanted. */
struct pd_watched_filter {
	const char *const *libraries; /* names to be treated like the program; "all" */
	uint32_t nlibraries;
	struct pd_only only;
	bool no_performance;
	bool by_store; /* one finding a store and its flush, with all loads */
};

/* All that was told, as findings, stats and losses of the result. */
void pd_watched_findings(struct pd_watched *w, const struct pd_watched_filter *f,
			 struct pd_result *r);

/* One more: for what is found in the tool itself. */
void pd_watched_add(struct pd_watched *w, const struct pd_watched_filter *f,
		    const struct pd_told *t, struct pd_result *r);

/* "file.c:12", or what else is known. */
void pd_watched_short_place(const struct pd_frame *f, char *buf, size_t n);

/* ---- watch/callers.c ---------------------------------------------------------------------- */

/* Kinds whose messages speak of how often, or of what it costs. */
bool pd_watched_says_how_often(enum pd_kind kind);

/* What was told about places that are the same in the source becomes one, and is judged as one. */
void pd_watched_join_places(struct pd_watched *w);

/* What to do about a needless flush or fence. */
const char *pd_watched_extra_fix(const struct pd_told *t);

const char *pd_watched_with_cost(struct pd_watched *w, const char *message, uint64_t ns);

/* A finding of such a kind: one line is one finding, for each of those who call what flushes. */
void pd_watched_add_caller(struct pd_watched *w, const struct pd_finding *f, struct pd_result *r);

/* When all are added: what is needless whoever calls it is one finding, about the function and not
 * its callers. */
void pd_watched_join_callers(struct pd_watched *w, struct pd_result *r);

/* ---- watch/fix.c -------------------------------------------------------------------------- */

/* When all are there: what another finding, or another caller, has to say to "leave it out". */
void pd_watched_mend_fixes(struct pd_watched *w, struct pd_result *r);

/* ---- watch/place.c ------------------------------------------------------------------------ */

struct pd_watched_place {
	uint32_t n;
	struct pd_frame frame[PD_WIRE_FRAMES * 2]; /* innermost first */
	uint32_t at;				   /* the frame to show */
	const char *library;			   /* NULL: the user's own code */
	/* Of a library, the user's nearest frame; of a wrapper, who uses it; n: none */
	uint32_t caller;
	bool system; /* the innermost frame is libc's or the like */
};

/* False where nothing is known of it. */
bool pd_watched_place(struct pd_watched *w, uint32_t place, enum pd_role role,
		      struct pd_watched_place *p);

/* An address of the window becomes an offset in a file, where there is one. */
void pd_watched_locate(const struct pd_watched *w, struct pd_fact *f);

/* "x.pm+0x40" */
void pd_watched_address(const struct pd_watched *w, uint64_t addr, char *buf, size_t n);

#endif
