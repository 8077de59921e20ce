/*
 * model.h - the persistency model: events in, allowed crash states out.
 *
 * One struct pd_model is one machine: the memory as its threads see it, a store buffer per thread,
 * and what each line's past leaves open about the medium. It passes through executions that each
 * end in a crash. docs/model.md has the rules (P1...); buffer.h and line.h say how they are
 * computed.
 *
 * The model never decides. Its caller decides which thread runs, what leaves a buffer and when
 * power fails, by calling the functions below; the chooser decides which of several values a load
 * of crashed memory returns. (docs/ARCHITECTURE.md, "Engines decide, front ends act".)
 *
 * Memory is the caller's: byte `addr` of PM is mem[addr]. The model writes it when stores reach the
 * cache and when a crashed line is settled, and reads it for loads.
 *
 * Errors: memory can run out. Functions then do what they still can and the arena's `failed` is
 * set; the caller checks pd_model_failed before it trusts a result.
 */
#ifndef PD_MODEL_MODEL_H
#define PD_MODEL_MODEL_H

#include "base/hash.h"
#include "base/map.h"
#include "base/ranges.h"
#include "event/choice.h"
#include "event/event.h"
#include "model/buffer.h"
#include "model/cut.h"
#include "model/line.h"
#include "model/params.h"

enum { PD_LINES_A_PAGE = 64 };

/* Adjacent lines; only those that were stored to exist. */
struct pd_page {
	struct pd_line *line[PD_LINES_A_PAGE];
};

struct pd_model {
	struct pd_params params;
	struct pd_arena *arena; /* lives as long as the model */
	uint8_t *mem;
	/*
	 * With buffered stores (TSO) the caller evicts; without, every store reaches the cache
	 * immediately, which is one of the allowed behaviours, and the cheapest.
	 */
	bool buffered;
	uint32_t exec;	     /* crashes so far */
	uint32_t nunsettled; /* lines whose content is open */
	struct pd_log *log;  /* of this execution */
	PD_VEC(struct pd_buffer) threads;
	struct pd_map pages; /* address >> (line_shift + 6) -> struct pd_page */
	uint64_t last_key;   /* page used last: most accesses are near the previous one */
	struct pd_page *last_page;
	struct pd_line *lines; /* all, in the order in which they were first stored to */
	struct pd_line **lines_tail;
	/* The number of images, as of the last call of pd_model_eager_log10 (whole.c) */
	struct {
		struct pd_line *touched; /* lines that have changed since */
		uint32_t lines;		 /* with open stores */
		double log10;
	} open;
	struct pd_arena step;	   /* for one operation */
	struct pd_ranges unneeded; /* what nobody needs after a crash (P17) */
	bool cutting;		   /* the load feeds a checksum; set by the caller */
	struct pd_cut cut;	   /* times that the checksum has left; initialised by the caller */
	struct pd_lens lens;	   /* the view of the load; set by the caller */
	/*
	 * wrote: memory has changed other than by the current store (a line was settled, a buffer
	 * evicted). chose: a load had a choice; what it could see, and the pick. Both may be NULL.
	 */
	void (*wrote)(void *ctx, uint64_t addr, uint32_t n);
	void (*chose)(void *ctx, const struct pd_class *classes, uint32_t n, uint32_t pick);
	/* While the chooser or `chose` runs: the line ... */
	const struct pd_line *asked;
	const pd_classes *classes;		    /* ... and what the load could see */
	bool (*survives)(void *ctx, uint64_t addr); /* see state.h; NULL: everything does */
	void *ctx;
	struct pd_log no_log; /* stands in if there was no memory for the first log */
};

void pd_model_init(struct pd_model *m, struct pd_arena *arena, struct pd_params params,
		   uint8_t *mem, bool buffered);
void pd_model_finish(struct pd_model *m);

bool pd_model_failed(const struct pd_model *m);

/* Instructions of thread tid. Sizes are free: stores are split at words (P2). */
void pd_model_store(struct pd_model *m, uint32_t tid, uint64_t addr, const void *data, uint64_t n,
		    uint32_t site, uint32_t flags);
void pd_model_flush(struct pd_model *m, uint32_t tid, uint64_t addr, enum pd_flush kind);
void pd_model_sfence(struct pd_model *m, uint32_t tid);
void pd_model_mfence(struct pd_model *m, uint32_t tid);

/* A locked instruction: before its load; and its store (not called if a CAS failed). (P10) */
void pd_model_rmw_begin(struct pd_model *m, uint32_t tid);
void pd_model_rmw_store(struct pd_model *m, uint32_t tid, uint64_t addr, const void *data,
			uint64_t n, uint32_t site);

/* msync and its kin: when it returns, these bytes are on the medium. (P15) */
void pd_model_msync(struct pd_model *m, uint32_t tid, uint64_t addr, uint64_t n);

/* A file is truncated here: stores to whole lines are gone, and zeros are durable in their place
 * immediately. */
void pd_model_clear(struct pd_model *m, uint32_t tid, uint64_t addr, uint64_t n);

/* Recovery does not need what is stored in this range from now on; or it does, after all. (P17) */
void pd_model_unneeded(struct pd_model *m, uint64_t addr, uint64_t n);
void pd_model_needed(struct pd_model *m, uint64_t addr, uint64_t n);

/* Recovery does not need what was stored in this range until now. (P17) */
void pd_model_clean(struct pd_model *m, uint64_t addr, uint64_t n);

/* Loads n bytes to out. Asks the chooser where crashed lines leave several values. */
void pd_model_load(struct pd_model *m, uint32_t tid, uint64_t addr, void *out, uint64_t n,
		   const struct pd_chooser *chooser);

/* Whether a load of these bytes would ask the chooser. */
bool pd_model_load_is_open(struct pd_model *m, uint64_t addr, uint64_t n);

/* The store buffer's oldest entry takes effect. (P4) */
bool pd_model_can_evict(const struct pd_model *m, uint32_t tid);
void pd_model_evict(struct pd_model *m, uint32_t tid);

/* Power fails. Threads, buffers and pending flushes are gone. */
void pd_model_crash(struct pd_model *m);

/* log10 of the number of images that a crash now could leave, counted as an eager checker would. */
double pd_model_eager_log10(struct pd_model *m);

/* Equal digests: no continuation and no crash can distinguish the two states. */
void pd_model_digest(struct pd_model *m, struct pd_digest *d);

struct pd_line *pd_model_line(struct pd_model *m, uint64_t addr);

/* For state.c: creates a line; shows the newest version of an unsettled one in memory. */
struct pd_line *pd_model_make_line(struct pd_model *m, uint64_t addr);
bool pd_model_show_newest(struct pd_model *m, struct pd_line *line);

#endif
