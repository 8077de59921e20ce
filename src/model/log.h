/*
 * log.h - the stores of one execution in the order in which they reached the cache.
 *
 * A store's place in the log is its time: "version v of a line" means that line after all stores of
 * index < v. The stores of one line are chained by `next`, so that a line can walk its own history
 * without looking at others'. 24 bytes a store, whatever the number of lines.
 *
 * The log is an array of chunks that double in size: an index never moves, nothing is copied.
 */
#ifndef PD_MODEL_LOG_H
#define PD_MODEL_LOG_H

#include "base/arena.h"
#include "base/vec.h"

enum pd_logged_flags {
	PD_LOGGED_NT = 1,
	PD_LOGGED_RMW = 2,
	PD_LOGGED_ATOMIC = 4,
	PD_LOGGED_PART = 8,	/* not the first word of its store */
	PD_LOGGED_RELAXED = 16, /* atomic, but orders nothing before it */
	/* All words of its store in one line become durable together (P15: a write call and a
	 * page) */
	PD_LOGGED_WHOLE = 32,
	PD_LOGGED_OPEN = 64, /* ... and this is not the last of them */
	/* Nobody needs it after a crash: it counts as durable the moment it is made, alone (P17) */
	PD_LOGGED_UNNEEDED = 128,
};

/* One store as the medium sees it: at most PD_WORD bytes, inside one aligned word. */
struct pd_store {
	uint64_t value; /* little-endian, in the low `size` bytes */
	uint32_t site;
	uint32_t next; /* 1 + index of this line's next store, folded or not; 0: none yet */
	uint16_t off;  /* in the line */
	uint16_t tid;
	uint8_t size;
	uint8_t flags; /* enum pd_logged_flags */
};

enum {
	PD_LOG_FIRST = 64,  /* stores in the first chunk */
	PD_LOG_CHUNKS = 25, /* 64 * (2^25 - 1) stores: just below 2^31 */
};

struct pd_log {
	uint32_t n;
	uint32_t exec;	      /* the execution's number, from 0 */
	bool unneeded;	      /* some store is PD_LOGGED_UNNEEDED */
	uint32_t tip_end;     /* index at which the newest chunk ends */
	struct pd_store *tip; /* so that tip[i] is store i, for i in the newest chunk */
	struct pd_store *chunk[PD_LOG_CHUNKS];
	/* Of an imported log (state.h): the index that each store had in the original */
	PD_VEC(uint32_t) order;
};

static inline struct pd_store *pd_log_at(const struct pd_log *log, uint32_t i)
{
	uint32_t k = 31 - (uint32_t)__builtin_clz(i / PD_LOG_FIRST + 1);

	return &log->chunk[k][i - PD_LOG_FIRST * ((1u << k) - 1)];
}

/* Mask of the bytes that a store covers in its block of 64. */
static inline uint64_t pd_store_mask(uint32_t off, uint32_t size)
{
	return (0xffULL >> (8 - size)) << (off % 64);
}

/* Writes the low `size` (1..8) bytes of v to p; most are 8. */
static inline void pd_store_put(uint8_t *p, uint64_t v, uint32_t size)
{
	if (pd_likely(size == 8)) {
		memcpy(p, &v, 8);
		return;
	}
	for (; size; size--, v >>= 8)
		*p++ = (uint8_t)v;
}

/* Room for store number log->n, zeroed, or NULL (no memory, or too many). The caller counts it. */
struct pd_store *pd_log_next(struct pd_log *log, struct pd_arena *a);

#endif
