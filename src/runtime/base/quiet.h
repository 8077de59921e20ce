/*
 * quiet.h - loads that nobody has to hear of, for the hooks to take themselves.
 *
 * Most loads of an execution tell the crash engine nothing: in the first one all that it wants of
 * them is their number; in a recovery a block that the crash left settled says something when its
 * bytes are read for the first time, and then never again. Such loads are *quiet*: the hook takes
 * the value where it is and counts. Everything else goes its way through access/mem.c, and the
 * engine says there which bytes are quiet from then on.
 *
 * The engine grants so many of them; the next one is an event again, so that whatever depends on
 * their number (a budget, a look at a loop) happens at the very event at which it would have
 * happened otherwise. It takes over the count with each event that it hears.
 *
 * Invariants:
 *  1. Bytes are in the table only if they are in the shadow as every load would
 *     see them, and the program may read them: all is forgotten when a mapping changes, or a veil
 *     is lifted (pm/veil.h).
 *  2. `limit` is 0 where somebody listens to loads who has not said `takes_quiet` (listen.h).
 *
 * Thread rule: as in rt.h.
 */
#ifndef PD_RUNTIME_BASE_QUIET_H
#define PD_RUNTIME_BASE_QUIET_H

#include "runtime/base/listen.h"
#include "runtime/base/rt.h"

enum { PD_QUIET_PAGES = 512, PD_QUIET_BLOCKS = 64 };

/* A page of PM and the bytes of it that are quiet. */
struct pd_quiet_page {
	uint64_t number; /* 1 + its home / 4096; 0: none */
	uint64_t blocks; /* a bit a block of 64 bytes: all of it */
	bool parts;	 /* of others some bytes: `bytes` has them */
};

struct pd_quiet {
	uint64_t passed; /* loads since the engine has counted them last */
	uint64_t limit;	 /* so many may */
	bool all;	 /* every load of memory at home is quiet, if the shadow agrees with it */
	uint32_t *site;	 /* where the last one is noted */
	uint64_t *off;
	struct pd_quiet_page page[PD_QUIET_PAGES];
	uint64_t bytes[PD_QUIET_PAGES][PD_QUIET_BLOCKS]; /* of its blocks, a bit a byte */
};

extern PD_OWN struct pd_quiet pd_quiet;

/* The engine has counted all so far, and grants so many more. */
static inline void pd_quiet_grant(uint64_t n)
{
	pd_quiet.passed = 0;
	pd_quiet.limit = pd_listen.takes_quiet ? n : 0;
}

/* Loads of these bytes of the block at this home are quiet. */
void pd_quiet_add(uint64_t block, uint64_t mask);

/* Loads of all bytes of these blocks of the page at this home are. */
void pd_quiet_add_blocks(uint64_t page, uint64_t blocks);

/* Whether something of the page at this home is. */
bool pd_quiet_knows(uint64_t page);

/* Nothing is, any more. */
void pd_quiet_forget(void);

/* n bytes at this home, where they lie in one block. */
static inline bool pd_quiet_has(uint64_t off, size_t n)
{
	uint64_t i = off / 4096 % PD_QUIET_PAGES, block = off / 64 % PD_QUIET_BLOCKS, at = off % 64;
	uint64_t mask = ((1ULL << n) - 1) << at;

	if (pd_quiet.page[i].number != off / 4096 + 1 || at + n > 64)
		return false;
	return pd_quiet.page[i].blocks >> block & 1 ||
	       (pd_quiet.page[i].parts && (pd_quiet.bytes[i][block] & mask) == mask);
}

#endif
