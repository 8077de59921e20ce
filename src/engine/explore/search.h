/*
 * search.h - the frontier: records that were not run yet, and which of them is next.
 *
 * A heap by priority, in memory that grows up to a limit; records are in slots of two sizes, which
 * are reused. Policies:
 *
 *	pm        the distance to code that may change PM and that no path has reached (reach.h),
 *	          or, for a way that was never taken, to any PM; ways that were often tried are
 *	          farther. Without such code, the number of sites of PM that paths which took this
 *	          way at this branch were the first to reach (for a way that was never taken: the
 *	          other one). Every fourth turn goes to coverage
 *	coverage  branches whose other side was never taken; then those that were rarely flipped
 *	bfs, dfs  the fewest, the most steps
 *	random    any
 *
 * Among equals any comes first with pm and coverage, else the newest (bfs: the oldest).
 *
 * Agamotto 4.3 has priorities from a static analysis alone, and always takes the highest. The
 * interleaving keeps one policy from starving the other.
 *
 * Thread rule: the caller holds the lock.
 */
#ifndef PD_ENGINE_EXPLORE_SEARCH_H
#define PD_ENGINE_EXPLORE_SEARCH_H

#include "engine/explore/path.h"

enum pd_search_by {
	PD_SEARCH_PM,
	PD_SEARCH_COVERAGE,
	PD_SEARCH_BFS,
	PD_SEARCH_DFS,
	PD_SEARCH_RANDOM,
};

/* What is known of a record's branch. */
struct pd_search_worth {
	/* To PM that was not reached; UINT32_MAX: there is none, or it is not known */
	uint32_t distance;
	uint32_t near;	   /* to any PM, in the same way */
	uint32_t pm;	   /* sites of PM that this way led to */
	uint32_t new_edge; /* 1: this way was never taken here */
	uint32_t turned;   /* how often this way was taken */
	uint32_t tried;	   /* records of this way that were taken */
};

/*
 * Evaluates a record when it is put in, and again when it is about to be taken: it may be worth
 * less by then.
 */
struct pd_search_judge {
	struct pd_search_worth (*worth)(void *ctx, const struct pd_record *r);
	void *ctx;
};

struct pd_search_entry {
	uint64_t key;	 /* the largest comes first */
	uint64_t number; /* serial number; if its slot has another one, it was taken */
	uint64_t slot;	 /* offset */
};

/* Its array is part of the memory. */
struct pd_search_heap {
	uint64_t at; /* offset */
	uint64_t n;
};

struct pd_search {
	uint32_t by;   /* enum pd_search_by */
	uint32_t size; /* of inputs */
	uint64_t seed;
	uint64_t random;  /* state */
	uint64_t base;	  /* address of the memory */
	uint64_t used;	  /* bytes of slots */
	uint64_t max;	  /* limit of `used` */
	uint64_t free[2]; /* slots of each size that can be used again; 0: none */
	uint64_t n;	  /* records in the frontier */
	uint64_t most;	  /* peak of n */
	uint64_t come;	  /* records ever put in */
	uint64_t turn;
	uint64_t cap;		       /* entries that each heap has room for */
	struct pd_search_heap heap[2]; /* by the policy; and, for pm, by coverage */
};

/*
 * Uses zeroed memory at `base`: max bytes for slots, and behind them about as much again for heaps,
 * of which only the used part is touched. Records have an input of input_size bytes. False: max is
 * too small.
 */
bool pd_search_init(struct pd_search *s, enum pd_search_by by, uint64_t seed, void *base,
		    uint64_t max, uint32_t input_size);

/* Copies the record, with its input and pins. False: there is no room. */
bool pd_search_put(struct pd_search *s, const struct pd_record *r, const uint8_t *input,
		   const uint64_t *pins, const struct pd_search_judge *judge);

/* The next one, which stays in its slot until pd_search_drop; NULL: there is none. */
struct pd_record *pd_search_take(struct pd_search *s, const struct pd_search_judge *judge);
void pd_search_drop(struct pd_search *s, struct pd_record *r);

/* Puts back a record that was taken. */
void pd_search_return(struct pd_search *s, struct pd_record *r,
		      const struct pd_search_judge *judge);

/* Calls for each record in it, in no order. */
void pd_search_each(const struct pd_search *s, void (*each)(void *ctx, const struct pd_record *r),
		    void *ctx);

static inline const uint8_t *pd_record_input(const struct pd_record *r)
{
	return (const uint8_t *)(r + 1);
}

static inline const uint64_t *pd_record_pins(const struct pd_record *r)
{
	return (const uint64_t *)(pd_record_input(r) + ((r->size + 7) & ~7U));
}

#endif
