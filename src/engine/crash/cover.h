/*
 * cover.h - coverage of `check`: which stores were at stake, and which of them recoveries read.
 *
 * A store is *at stake* at a crash if it is not certain to be durable there. A recovery *reads* it
 * if it reads a byte that the store may have left at that crash: a store at stake counts whether
 * recovery sees it or not; a durable one counts until another durable store overwrites the byte. A
 * run in which no store was at stake, or in which recovery read none of those at stake, has tested
 * nothing.
 *
 * Coverage is kept by place, not by store: a *place* is a source site and the PM file that it
 * stored to, and what happened to one store of a place counts for the place. Places are one table
 * in the memory that all processes share (board.h); a place is one word, its key and its flags,
 * added by one compare and swap. Flags are only ever set, and which ones depends only on a pair of
 * a crash and a read, so the table does not depend on the order in which processes work.
 *
 * *Meetings* (two threads that access one line, one after the other) answer another question:
 * whether another schedule of the threads shows anything new.
 *
 * Every pair of a crash and a read is looked at, also where the recovery is known and not executed
 * (walk.h). To keep that cheap, a node of the tree of recoveries remembers the crash at which it
 * was last looked at, and the newest store of its line then: at a later crash only newer stores can
 * add anything.
 */
#ifndef PD_ENGINE_CRASH_COVER_H
#define PD_ENGINE_CRASH_COVER_H

#include "engine/crash/tree.h"
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
	/* Crash points before this execution: its crash point n has number base + n */
	uint32_t base;
	uint32_t nplace;
	uint32_t full;			  /* how often there was no room for a place or a file */
	const char *file[PD_COVER_FILES]; /* names; NULL ends the list */
	uint64_t place[PD_COVER_PLACES];  /* key and flags; 0: free */
	/* 1 + which of them are taken, as they were; 0: somebody was faster */
	uint32_t ntaken;
	uint32_t taken[PD_COVER_PLACES];
	uint32_t npair;
	uint64_t pair[PD_COVER_PAIRS]; /* digests of meetings; 0: free */
	/* By site: enum pd_cover_did. No part of coverage */
	uint8_t did[PD_COVER_SITES];
};

/*
 * What has happened at a site. A recovery *finds* data when it reads a byte that is not 0 and that
 * it has not stored itself. Before that it may be what the program does with an empty file: it
 * shows nothing about data that was there before the crash.
 */
enum pd_cover_did {
	PD_COVER_TRIED = 1,   /* a recovery that had found data has stored */
	PD_COVER_ANEW = 2,    /* one that had not */
	PD_COVER_CHANGED = 4, /* the program has stored over something that is not 0 */
};

static inline bool pd_cover_did(const struct pd_cover *c, uint32_t site, enum pd_cover_did what)
{
	return __atomic_load_n(&c->did[site], __ATOMIC_RELAXED) & what;
}

static inline void pd_cover_do(struct pd_cover *c, uint32_t site, enum pd_cover_did what)
{
	__atomic_fetch_or(&c->did[site], (uint8_t)what, __ATOMIC_RELAXED);
}

struct pd_cover_place {
	uint32_t site;
	uint32_t file; /* index of its name */
	bool recovery; /* stored to by a recovery, not by the program itself */
};

/* The word of a place, added if it is new; NULL: the table is full. */
uint64_t *pd_cover_make(struct pd_cover *c, const struct pd_cover_place *p);

/* Decodes such a word; false: it is free. */
bool pd_cover_get(uint64_t word, struct pd_cover_place *p, uint32_t *flags);

/* That of the ith place, up to ntaken; 0: there is none. */
static inline uint64_t pd_cover_word(const struct pd_cover *c, uint32_t i)
{
	return c->taken[i] ? c->place[c->taken[i] - 1] : 0;
}

static inline void pd_cover_add(uint64_t *word, uint32_t flags)
{
	if (~__atomic_load_n(word, __ATOMIC_RELAXED) & flags)
		__atomic_fetch_or(word, flags, __ATOMIC_RELAXED);
}

/*
 * Recovery reads the bytes `mask` of a block of the line, after a crash that leaves this history of
 * it. Stores of the line up to number `after`, from 1, are counted already; 0: none are.
 */
void pd_cover_read(struct pd_cover *c, uint32_t file, const struct pd_history *h, uint32_t block,
		   uint64_t mask, uint32_t after);

/*
 * A read of the tree remembers that crash number `crash`, from 1, was looked at with stores of its
 * line up to `newest`. pd_cover_known returns the number of the last store of the line that was
 * counted for it already; UINT32_MAX: it was looked at for this very crash.
 */
uint32_t pd_cover_known(const struct pd_cover *c, const struct pd_tree_covered *covered,
			uint32_t crash);
void pd_cover_know(struct pd_tree_covered *covered, uint32_t crash, uint32_t newest);

/*
 * A thread accesses, at `site`, a line that another thread stored to last. A meeting is new if its
 * pair of sites is, or whether the second access is a store, or whether the first store is durable
 * by then. One process only.
 */
void pd_cover_met(struct pd_cover *c, const struct pd_history *h, uint32_t site, bool store);

/* Whether a run has tested anything. */
enum pd_tested {
	PD_TESTED,
	PD_TESTED_NO_STORE, /* the program stored nothing */
	PD_TESTED_NO_STAKE, /* none of its stores was at stake at a crash */
	PD_TESTED_NO_READ,  /* no recovery read a store at stake */
};

/* Judged by the program's own stores alone. */
enum pd_tested pd_cover_tested(const struct pd_cover *c);

/* A measure of coverage: grows with every new place, flag and meeting. */
uint64_t pd_cover_size(const struct pd_cover *c);

#endif
