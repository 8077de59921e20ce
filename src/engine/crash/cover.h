/*
 * cover.h - coverage of `check`: which stores were at stake, and which of them recoveries read.
 *
 * A store is *at stake* at a crash if it is not certain to be durable there. A recovery *reads* it
 * if it reads a byte that the store may have left at that crash: of a store at stake, whether it
 * finds it or not; of one that is durable, while nothing that is durable has overwritten the byte.
 * A run in which no store was at stake, or in which recovery read none of those that were, has
 * tested nothing.
 *
 * Kept by place, not by store: a *place* is a site of the source and the PM file that it stored to,
 * and what happened to one store of a place happened to the place. Places are one table in the
 * memory that all processes share (board.h); a place is one word, its key and its flags, made by
 * one compare and swap. Flags are only ever added, and what is added depends only on the pair of a
 * crash and a read, so that the table is the same in whatever order processes come to these.
 *
 * For the question whether another schedule of the threads shows anything new there are also
 * *meetings*: two threads that access one line, one after the other.
 *
 * Every pair of a crash and a read is looked at, also where recovery is known and not executed
 * again (walk.h). So that it costs little, a node of the tree of recoveries remembers the crash at
 * which it was last looked at, and the newest store of its line then: at a later crash only newer
 * stores can add anything.
 */
#ifndef PD_ENGINE_CRASH_COVER_H
#define PD_ENGINE_CRASH_COVER_H

#include "model/line.h"

enum pd_cover_flag {
	PD_COVER_STORED = 1,
	PD_COVER_AT_STAKE = 2,
	PD_COVER_READ = 4,
	PD_COVER_READ_AT_STAKE = 8, /* at a crash at which it was at stake */
};

enum {
	PD_COVER_SITES = 1 << 16,
	PD_COVER_FILES = 1 << 10,
	PD_COVER_PLACES = 1 << 16,
	PD_COVER_PAIRS = 1 << 14,
};

struct pd_cover {
	/* Crash points before the execution at hand: its crash point n is base + n */
	uint32_t base;
	uint32_t nplace;
	uint32_t full;			  /* so often there was no room for a place or a file */
	const char *file[PD_COVER_FILES]; /* names; NULL: none from here on */
	uint64_t place[PD_COVER_PLACES];  /* key and flags; 0: free */
	uint32_t npair;
	uint64_t pair[PD_COVER_PAIRS]; /* digests of meetings; 0: free */
	/* Bits of sites: stored to by recoveries in which power does not fail; not part of the above */
	uint8_t tried[PD_COVER_SITES / 8];
};

static inline bool pd_cover_tried(const struct pd_cover *c, uint32_t site)
{
	return __atomic_load_n(&c->tried[site / 8], __ATOMIC_RELAXED) >> site % 8 & 1;
}

static inline void pd_cover_try(struct pd_cover *c, uint32_t site)
{
	__atomic_fetch_or(&c->tried[site / 8], (uint8_t)(1 << site % 8), __ATOMIC_RELAXED);
}

struct pd_cover_place {
	uint32_t site;
	uint32_t file; /* index of its name */
	bool recovery; /* a recovery has stored */
};

/* The word of a place, made where it is new; NULL: there is no room. */
uint64_t *pd_cover_make(struct pd_cover *c, const struct pd_cover_place *p);

/* Takes such a word apart; false: it is free. */
bool pd_cover_get(uint64_t word, struct pd_cover_place *p, uint32_t *flags);

static inline void pd_cover_add(uint64_t *word, uint32_t flags)
{
	if (~__atomic_load_n(word, __ATOMIC_RELAXED) & flags)
		__atomic_fetch_or(word, flags, __ATOMIC_RELAXED);
}

/*
 * Recovery reads the bytes `mask` of a block of the line, after a crash that leaves this history of
 * it. `after` is the index, from 1, of a store of the line: those up to it are known; 0: none are.
 */
void pd_cover_read(struct pd_cover *c, uint32_t file, const struct pd_history *h, uint32_t block,
		   uint64_t mask, uint32_t after);

/*
 * What a node of the tree remembers (`covered`): crash number `crash`, from 1, was looked at with
 * stores of its line up to `newest`. By it, up to which store of the line the node's reads are
 * known; UINT32_MAX: it was looked at at this very crash.
 */
uint32_t pd_cover_known(const struct pd_cover *c, const uint64_t *covered, uint32_t crash);
void pd_cover_know(uint64_t *covered, uint32_t crash, uint32_t newest);

/*
 * Two threads meet: one accesses a line (at this site) that another one has stored to last. What is
 * new about it is which two sites these are, whether the second is a store, and whether the first
 * is durable by then. By one process.
 */
void pd_cover_met(struct pd_cover *c, const struct pd_history *h, uint32_t site, bool store);

/* Whether a run has tested anything. */
enum pd_tested {
	PD_TESTED,
	PD_TESTED_NO_STORE, /* the program has stored nothing */
	PD_TESTED_NO_STAKE, /* nothing of it was at stake at a crash */
	PD_TESTED_NO_READ,  /* no recovery has read what was */
};

/* Of what the program itself has stored. */
enum pd_tested pd_cover_tested(const struct pd_cover *c);

/* How much is covered: it grows with every place, flag and meeting that is new. */
uint64_t pd_cover_size(const struct pd_cover *c);

#endif
