/*
 * quiet.h - loads that nobody has to hear of: the hooks complete them themselves.
 *
 * Most loads of an execution are nothing new to the crash engine. In the first execution it only
 * needs their number; in a recovery a settled block is news when its bytes are read for the first
 * time, and never again. Such loads are *quiet*: the hook takes the value where it is and counts.
 * All other loads go through access/mem.c, where the engine declares which bytes are quiet from
 * then on.
 *
 * The engine grants a number of quiet loads; the next one is an event again. So whatever depends on
 * the number of events (a budget, a loop test) happens at the same event as without quiet loads.
 * The engine takes over the count with each event that it hears.
 *
 * Bytes that were only looked at through a view (event/view.h) are not read by that; only the same
 * look again is quiet. Recent looks have a table of their own, which grows with their number: an
 * execution that looks little touches little of it.
 *
 * Invariants:
 *  1. Bytes are in the table only if the shadow has them as every load would see them, and the
 *     program may read them: the table is cleared when a mapping changes, or a veil is lifted
 *     (pm/veil.h).
 *  2. `limit` is 0 while a listener for loads has not set `takes_quiet` (listen.h).
 *
 * Thread rule: as in rt.h.
 */
#ifndef PD_RUNTIME_BASE_QUIET_H
#define PD_RUNTIME_BASE_QUIET_H

#include "event/view.h"
#include "runtime/base/listen.h"
#include "runtime/base/rt.h"

enum { PD_QUIET_PAGES = 512, PD_QUIET_BLOCKS = 64, PD_QUIET_LOOKS = 1024, PD_QUIET_FEW = 128 };

/* A page of PM and its quiet bytes. */
struct pd_quiet_page {
	uint64_t number; /* 1 + its home / 4096; 0: none */
	uint64_t blocks; /* bit per block of 64 bytes: all of it is quiet */
	bool parts;	 /* of other blocks some bytes are: see `bytes` */
};

/* A look at the bytes of a home. */
struct pd_quiet_look {
	uint64_t off;	     /* that, and the age of the table */
	struct pd_lens lens; /* its view is the program's; NULL: none */
};

struct pd_quiet {
	uint64_t passed; /* quiet loads since the engine last counted them */
	uint64_t limit;	 /* how many the engine has granted */
	bool all;	 /* every load of memory at home is quiet, if the shadow agrees with it */
	uint32_t *site;	 /* where the last one is recorded */
	uint64_t *off;
	struct pd_quiet_page page[PD_QUIET_PAGES];
	uint64_t bytes[PD_QUIET_PAGES][PD_QUIET_BLOCKS]; /* by block, a bit per byte */
	uint64_t age;	/* of the looks: what is older is forgotten */
	uint32_t looks; /* that were added */
	uint32_t more;	/* the table has PD_QUIET_FEW << more places */
	struct pd_quiet_look look[PD_QUIET_LOOKS];
};

extern PD_OWN struct pd_quiet pd_quiet;

/* The engine has counted all so far, and grants n more. */
static inline void pd_quiet_grant(uint64_t n)
{
	pd_quiet.passed = 0;
	pd_quiet.limit = pd_listen.takes_quiet ? n : 0;
}

/* Makes loads of the bytes `mask` of a block quiet. */
void pd_quiet_add(uint64_t block, uint64_t mask);

/* Makes loads of whole blocks of a page quiet. */
void pd_quiet_add_blocks(uint64_t page, uint64_t blocks);

/* Makes the same look quiet. */
void pd_quiet_add_look(uint64_t off, const struct pd_lens *lens);

/* Whether the table has anything of this page. */
bool pd_quiet_knows(uint64_t page);

/* Clears the table. */
void pd_quiet_forget(void);

/* Whether a load of n bytes at `off`, within one block, is quiet. */
static inline bool pd_quiet_has(uint64_t off, size_t n)
{
	uint64_t i = off / 4096 % PD_QUIET_PAGES, block = off / 64 % PD_QUIET_BLOCKS, at = off % 64;
	uint64_t mask = ((1ULL << n) - 1) << at;

	if (pd_quiet.page[i].number != off / 4096 + 1 || at + n > 64)
		return false;
	return pd_quiet.page[i].blocks >> block & 1 ||
	       (pd_quiet.page[i].parts && (pd_quiet.bytes[i][block] & mask) == mask);
}

/* Where the look has its place in the table. */
static inline struct pd_quiet_look *pd_quiet_look_at(uint64_t off, const struct pd_lens *lens)
{
	uint64_t h = (off + (uintptr_t)lens->view + 31 * lens->operand[0] + 37 * lens->operand[1]) *
		     0x9e3779b97f4a7c15;

	return &pd_quiet.look[h >> 32 & ((PD_QUIET_FEW << pd_quiet.more) - 1)];
}

static inline bool pd_quiet_has_look(uint64_t off, const struct pd_lens *lens)
{
	const struct pd_quiet_look *l = pd_quiet_look_at(off, lens);

	return l->off == off + pd_quiet.age && l->lens.view == lens->view &&
	       l->lens.operand[0] == lens->operand[0] && l->lens.operand[1] == lens->operand[1];
}

#endif
