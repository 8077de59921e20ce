/*
 * torn.h - persistency races: loads of a recovery that may see a store half done. (Yashme §4-6)
 *
 * The compiler may split a store that is not atomic, merge it with others or write something else
 * there first. A crash in between leaves a part of it. So a load of recovery that can see a plain
 * store races with the crash, unless the store was certainly complete when its line was written
 * back. It was (Definition 5.1, Theorem 1)
 *
 *  1. if the store is atomic: then there is no in-between;
 *  2. if recovery has read, before, an atomic release store to the same line that the store happens
 *     before: the line was written back after that one;
 *  3. if a clflush of the line happens after the store, or
 *  4. a clflushopt or clwb with a fence behind it; in both cases only if they are part of every
 *     prefix of the execution that explains what recovery has read so far: if one of the stores
 *     that it has read happens after them. Else there is an execution like this one which crashed
 *     before the flush.
 *
 * The engine follows the paths of recoveries at a crash (engine/crash/walk.h calls it; neither
 * knows the other) and judges every store that a read may see, in any version of the line.
 *
 * *Open* stores, those that a crash here may lose, have no flush after them: 3 and 4 do not apply,
 * and 2 is looked up in the line's own history. This needs only the model.
 *
 * *Settled* stores were flushed. With one thread they need not be judged: all that recovery has
 * read is from before the flush, so the same recovery is possible at the crash point right before
 * it, where the store was open. With several threads it may not be (§4.2), and then the engine
 * *tracks*: who wrote each byte that is certain, the flushes of each line with their clocks (hb.h),
 * and along a path the smallest prefix, as a clock. Tracking begins with the second thread, or
 * immediately where crash points are left out.
 *
 * Code that fills or copies a block writes only the result, byte by byte; where the memory had the
 * same values before, a part of it cannot be distinguished from the whole. Such races are
 * *unchanged*: a kind of their own, shown on request.
 *
 * 2 is decided for each version of the line separately: which stores recovery has read so far in
 * this line depends on the version. Versions of equal value are not the same here.
 *
 * Thread rule: one execution, one thread at a time; a snapshot of the process has its own.
 */
#ifndef PD_ENGINE_TORN_TORN_H
#define PD_ENGINE_TORN_TORN_H

#include "engine/torn/hb.h"
#include "engine/torn/race.h"
#include "model/model.h"

/* A read of recovery: bytes of a block that it has not read before and has not written. */
struct pd_torn_read {
	uint64_t block;
	uint64_t mask;
	uint32_t load; /* site */
	bool guarded;  /* by a checksum */
};

struct pd_torn_flush {
	uint64_t at;	 /* the instruction */
	uint64_t effect; /* when it was complete: the same for clflush, else the fence */
	uint32_t site;
	uint32_t tid;
};

/* What is tracked of a line. */
struct pd_torn_line {
	uint32_t last;	/* the newest store in `writer` */
	uint32_t first; /* where to begin if `writer` is empty; 0: nowhere */
	/* By byte: number of the store that wrote what is certain; 0: none that counts */
	uint32_t *writer;
	PD_VEC(struct pd_torn_flush) flushes;
};

struct pd_torn_pending {
	uint64_t line;
	uint64_t at;
	uint32_t site;
};

struct pd_torn_thread {
	PD_VEC(struct pd_torn_pending) pending;
};

/* Restored when the walk goes back on a path. */
struct pd_torn_undo {
	uint64_t key; /* block, or thread | PD_ADDR_OUTSIDE */
	uint64_t old;
};

struct pd_torn {
	struct pd_model *model;
	struct pd_arena *arena; /* lives as long as the execution */
	bool prefix;
	bool tracking;
	/* Bytes of the block that this execution, itself a recovery, has read; NULL: it is none */
	uint64_t (*read_before)(void *ctx, uint64_t block);
	void (*race)(void *ctx, const struct pd_torn_race *r);
	/* Whether a site copies or fills a block; NULL: none does. */
	bool (*is_block)(void *ctx, uint32_t site, bool in_recovery);
	void *ctx;
	struct pd_hb hb;
	struct pd_map lines; /* index -> struct pd_torn_line */
	PD_VEC(struct pd_torn_thread) threads;
	/* The current path */
	struct pd_arena path;
	struct pd_map seen; /* block -> bytes that were read */
	pd_hb_clock pre;    /* the smallest prefix that explains them */
	PD_VEC(struct pd_torn_undo) undo;
};

void pd_torn_init(struct pd_torn *t, struct pd_model *m, struct pd_arena *a, bool prefix);
void pd_torn_finish(struct pd_torn *t);

/* From here on, tracks what only several threads, or a crash point left out, can show. */
void pd_torn_track(struct pd_torn *t);

/* An event has happened, and the model has been updated; only while tracking. */
void pd_torn_event(struct pd_torn *t, const struct pd_event *e);

/* A crash here: its paths begin. */
void pd_torn_begin(struct pd_torn *t);

/*
 * The next read on the path, with the possible versions of the line (`crashed` NULL: it is
 * settled). pd_torn_took: it saw a value, which leaves these versions.
 */
void pd_torn_read(struct pd_torn *t, const struct pd_torn_read *r, const struct pd_history *crashed,
		  const struct pd_vset *set);
void pd_torn_took(struct pd_torn *t, const struct pd_torn_read *r, const struct pd_history *crashed,
		  const struct pd_vset *left);

/* The position on the path, and the way back to it. */
uint32_t pd_torn_mark(const struct pd_torn *t);
void pd_torn_back(struct pd_torn *t, uint32_t mark);

bool pd_torn_failed(const struct pd_torn *t);

#endif
