/*
 * lint.h - checks the rules of flushing and fencing in one run (Agamotto §3, §4.2.1; pmemcheck's
 * job).
 *
 * The state of every byte of PM that was stored to (lines.h) shows what is wrong:
 *
 *   missing-flush   a byte is dirty where it must not be: at the end, when its mapping goes away, or
 *                   where the program says pd_durable
 *   missing-fence   the same for a byte that is pending
 *   overwritten-unpersisted   a byte that is pending is stored to again, and its thread fences before
 *                   it is flushed again: the fence promises nothing about either value. Not said of
 *                   words that locked instructions change: those are locks and versions
 *   extra-flush     a flush of a line in which nothing is dirty and nothing waits for another thread.
 *                   Judged by place: what is needless three times out of four is reported, what is
 *                   needless less often is a note (extra-at-times): records that share lines
 *   extra-fence     an sfence before which its thread has not flushed anything, or stored past the
 *                   cache, since its last fence; an mfence as long as there is one thread. Locked
 *                   instructions are never extra
 *   flush-volatile  a flush outside PM
 *   transient       as missing-flush, for what looks like no data: a word that locked instructions
 *                   change and that is 0 in the end, as a lock is; and, in a file from before this run,
 *                   what is written and was not read before that (only where the settings have
 *                   transient=1, because it needs loads)
 *   unlogged-write, redundant-log, open-transaction   see tx.c. An unlogged store that is not flushed either
 *                   is one mistake: unlogged-write says so, and its missing-flush names the transaction,
 *                   by which the driver knows that it is reported already
 *
 * Settings: model=adr|eadr|page, transient=1.
 *
 * Findings are reported when they are first seen, and again with their counts at the end. There is
 * one for each kind and place (two places, where both matter).
 *
 * Invariant: the cost of an event does not depend on what happened before, but for fences, which
 * cost what their thread has flushed since the last one, and stores in transactions (logarithmic in
 * ranges logged).
 *
 * Thread rule: as in observer.h.
 */
#ifndef PD_ENGINE_LINT_LINT_H
#define PD_ENGINE_LINT_LINT_H

#include "base/ranges.h"
#include "engine/lint/lines.h"
#include "engine/observer.h"
#include "model/params.h"

/* The cost of needless work in nanoseconds; docs/engines/lint.md has the source of the numbers. */
enum {
	PD_LINT_NS_FLUSH = 100,
	PD_LINT_NS_FENCE = 15,
	PD_LINT_NS_LOG = 100,
};

/* More different findings than this are counted as a loss. */
enum { PD_LINT_FINDINGS = 1 << 16 };

enum pd_lint_when {
	PD_LINT_AT_END,
	PD_LINT_AT_UNMAP,
	PD_LINT_AT_POINT, /* pd_durable */
};

struct pd_lint_finding {
	struct pd_raw_finding raw;
	bool changed;	/* since it was last reported */
	bool lock;	/* transient: because it is a lock */
	bool helped;	/* missing-flush: another thread flushes other stores of this place */
	bool unflushed; /* unlogged, and never flushed either */
	uint8_t when;	/* enum pd_lint_when */
	uint64_t addr;
	uint64_t size;
	/* Unlogged writes of what may be a lock: how many, and the address of the last */
	uint64_t held;
	uint64_t held_at;
	/* Needless flushes, by reason */
	uint64_t clean;
	uint64_t pending;
	uint64_t never;
	uint64_t last; /* address and thread of the last one */
	uint16_t tid;
};

/* A finding about a transaction that may turn out to be none. */
struct pd_lint_held {
	uint32_t finding;
	uint32_t times;
	bool sync; /* to a word that may be a lock */
};

struct pd_lint_tx {
	uint32_t depth;
	uint32_t begin; /* place */
	struct pd_ranges logged;
	/* Of one that has logged nothing yet; see tx.c */
	bool logs;			  /* it has: what follows is not kept */
	bool flips;			  /* its last store may be its commit */
	bool reported;			  /* as never ended */
	PD_VEC(uint64_t) lines;		  /* it has stored to, and that may not be durable */
	PD_VEC(struct pd_lint_held) held; /* until it ends */
};

/* What is known of a place. */
struct pd_lint_place {
	uint32_t epoch; /* of the thread at its last store here */
	uint32_t after; /* the fence that followed the last store here that has one */
	uint32_t times; /* executions of a flush or fence here */
	/* Place where another thread has flushed what was stored here, without stores of its own */
	uint32_t helper;
	uint32_t helped; /* how often */
	/* Flushes here of lines that other threads store to */
	uint32_t others;
	uint16_t tid; /* thread that last stored here */
	bool fence;   /* the instruction here is a fence, not a flush */
	bool own;     /* the storing thread has also flushed it, at some time */
	bool varies;  /* different fences followed stores here */
	/* 1 + the finding about an unlogged store here; 0: none */
	uint32_t unlogged;
	/* Index, in `ignored`, of the range that the last store from here was in */
	uint32_t ignored;
};

struct pd_lint_flow {
	uint32_t epoch;		 /* fences so far */
	uint32_t work;		 /* flushes and non-temporal stores since the last one */
	PD_VEC(uint32_t) stored; /* places that stored since then */
	struct pd_lint_tx tx;
};

struct pd_lint {
	struct pd_observer observer; /* first: they have the same address */
	struct pd_arena *arena;
	struct pd_sink *sink;
	struct pd_params params;
	struct pd_lint_lines lines;
	bool transient;
	/* Flushes with nothing to write back, of lines that other threads store to */
	uint64_t helping;
	bool threads;			   /* there was more than one, at some time */
	PD_VEC(struct pd_lint_flow) flows; /* by thread */
	PD_VEC(struct pd_lint_place) places;
	PD_VEC(struct pd_lint_finding) findings;
	struct pd_map by_key;
	struct pd_ranges ignored;  /* exempt from logging */
	struct pd_ranges unneeded; /* pd_transient */
	struct pd_ranges mapped;   /* currently; a second mapping of the same bytes is in `again` */
	struct pd_ranges again;
	struct pd_ranges old;	 /* bytes from before this run */
	PD_VEC(uint64_t) opened; /* by pool: 1 + its size when it was first opened; 0: not yet */
	/* The current judgement */
	enum pd_lint_when when;
	uint32_t point;
	uint64_t stores;
	uint64_t flushes;
	uint64_t fences;
	uint64_t capped;
};

pd_observer_create pd_lint_create;

/* The one rule for what is rare: "mostly" is three times out of four. */
static inline bool pd_lint_is_mostly(uint64_t n, uint64_t of)
{
	return 4 * n >= 3 * of;
}

/* A flush or fence that had nothing to do, always or at times. */
static inline bool pd_lint_is_extra(enum pd_kind kind)
{
	return kind == PD_KIND_LINT_EXTRA_FLUSH || kind == PD_KIND_LINT_EXTRA_FENCE ||
	       kind == PD_KIND_LINT_EXTRA_AT_TIMES;
}

/* ---- for oracles: the state of a range ------------------------------------------------------ */

struct pd_lint_state {
	uint64_t dirty; /* number of bytes */
	uint64_t pending;
	/* Of the first byte that is not clean, or of the first word of the range; 0: unknown */
	uint32_t writer;
	uint32_t flusher; /* of the first pending byte */
};

struct pd_lint_state pd_lint_state(struct pd_lint *l, uint64_t addr, uint64_t size);

/* ---- between lint*.c ------------------------------------------------------------------------ */

struct pd_lint_flow *pd_lint_flow_make(struct pd_lint *l, uint16_t tid);

/* NULL: memory ran out. */
static inline struct pd_lint_flow *pd_lint_flow_of(struct pd_lint *l, uint16_t tid)
{
	return pd_likely(tid < l->flows.n) ? &l->flows.v[tid] : pd_lint_flow_make(l, tid);
}

/*
 * The finding of this kind about these places, added if it is new (count 0); NULL: there are too
 * many, which is counted. Follow with pd_lint_seen. Valid until the next call.
 */
struct pd_lint_finding *pd_lint_find(struct pd_lint *l, enum pd_kind kind, uint32_t a, uint32_t b);
void pd_lint_site(struct pd_lint_finding *f, enum pd_role role, uint32_t place);
struct pd_lint_place *pd_lint_place_make(struct pd_lint *l, uint32_t place);

/* NULL: memory ran out, or there are too many. */
static inline struct pd_lint_place *pd_lint_place_of(struct pd_lint *l, uint32_t place)
{
	return pd_likely(place < l->places.n) ? &l->places.v[place] : pd_lint_place_make(l, place);
}

/* Counts it, and reports it if it is new. */
void pd_lint_seen(struct pd_lint *l, struct pd_lint_finding *f, uint64_t times);

/* Reports all findings that have changed since their last report. */
void pd_lint_report_all(struct pd_lint *l);

/* Transactions (tx.c). */
void pd_lint_tx_event(struct pd_lint *l, const struct pd_event *e);
void pd_lint_tx_store(struct pd_lint *l, struct pd_lint_flow *f, const struct pd_event *e);
void pd_lint_tx_left(struct pd_lint *l, struct pd_lint_flow *f);
void pd_lint_tx_end(struct pd_lint *l);

/*
 * Whether a transaction that is open has stored this word. PM is unmapped, or the run ends: it
 * never ends in time, and is reported.
 */
bool pd_lint_tx_keeps(struct pd_lint *l, const struct pd_lint_line *line, uint32_t word,
		      uint64_t addr);

/* The finding about an unlogged store to this word, by its last writer; NULL: none. */
struct pd_lint_finding *pd_lint_tx_unlogged(struct pd_lint *l, const struct pd_lint_line *line,
					    uint32_t word);

#endif
