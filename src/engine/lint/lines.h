/*
 * lines.h - the state of each cache line for lint: which bytes are not durable, and who wrote
 * them.
 *
 * A byte of PM is
 *
 *	dirty    stored and not flushed since (or flushed, but overwritten after that),
 *	pending  flushed, or stored past the cache, and the flushing thread has not fenced since,
 *	clean    neither: as it was when the run began, or durable.
 *
 * A flush makes the dirty and pending bytes of its line pending for its thread: one *pending
 * record*, in a list of the line and in a list of the thread. A fence takes all of its thread's
 * records, and with them the bytes become clean, whoever else waits for them. So a fence costs what
 * its thread has flushed, and does not revisit what was forgotten elsewhere.
 *
 * Writers are kept for each aligned word of 8 bytes: the place of the last store into it. Precision
 * lost: of two stores to different bytes of one word the earlier one has no name.
 *
 * Invariants:
 *  1. A byte is never dirty and pending.
 *  2. Each pending record is in exactly one line's list and one thread's list; a thread has at most
 *     one for a line.
 *  3. The words of what is dirty or pending are in line->written.
 *
 * A page that is *settled* has nothing dirty or pending, so it need not be looked at where lines
 * are judged or cleaned. pd_lint_line_make opens it.
 *
 * Memory: a page of 4 KB of PM that was stored to or flushed has a record of 3.5 KB; nothing
 * grows with the number of events.
 */
#ifndef PD_ENGINE_LINT_LINES_H
#define PD_ENGINE_LINT_LINES_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"

enum {
	PD_LINT_LINE = 64,
	PD_LINT_WORDS = 8,
	PD_LINT_PAGE = 4096,
	PD_LINT_LINES = 64,
	PD_LINT_RECENT = 64
};

struct pd_lint_pending {
	struct pd_lint_line *line;
	uint64_t addr; /* of the line */
	uint64_t mask; /* bytes that become clean at the thread's next fence */
	/* Bytes that were in mask and have been stored to since: the fence does not cover those */
	uint64_t overwritten;
	uint32_t place;	  /* of the flush; 0: non-temporal stores */
	uint32_t by_line; /* the next record of the same line; 0: none */
	uint16_t tid;
};

struct pd_lint_line {
	uint64_t dirty;
	uint32_t pending; /* the first record; 0: none */
	uint32_t flushed; /* place of the last flush that had something to do */
	uint32_t writer[PD_LINT_WORDS];
	/* A bit per word: */
	uint8_t written;  /* in this run */
	uint8_t loaded;	  /* read before it was written; only if asked for */
	uint8_t sync;	  /* changed by locked instructions: used for synchronisation */
	uint8_t zero;	  /* of those, set to 0 last: free locks */
	uint8_t unlogged; /* stored to by a transaction that had not logged them, at some time */
	/* Since there are threads: several have stored to it; 1 + the last one that did, 0: none */
	uint8_t shared;
	uint16_t last;
};

struct pd_lint_page {
	uint64_t addr;
	bool settled;
	struct pd_lint_line line[PD_LINT_LINES];
};

struct pd_lint_thread {
	PD_VEC(uint32_t) pending;
};

struct pd_lint_lines {
	struct pd_arena *arena;
	struct pd_map pages; /* address / PD_LINT_PAGE -> struct pd_lint_page */
	/* Cache, by the low bits of the page's number */
	struct pd_lint_page *recent[PD_LINT_RECENT];
	PD_VEC(struct pd_lint_page *) all;
	PD_VEC(struct pd_lint_page *) open;	/* those that are not settled */
	PD_VEC(struct pd_lint_pending) records; /* index 0 is unused */
	uint32_t free;				/* a list through by_line */
	PD_VEC(struct pd_lint_thread) threads;
	bool failed; /* memory ran out: results are not reliable from here on */
};

void pd_lint_lines_init(struct pd_lint_lines *s, struct pd_arena *a);

/* The line of this address, created if need be; NULL: memory ran out. */
struct pd_lint_line *pd_lint_line_make(struct pd_lint_lines *s, uint64_t addr);

/* The same, if its page was used recently; NULL: it was not. */
static inline struct pd_lint_line *pd_lint_line_near(const struct pd_lint_lines *s, uint64_t addr)
{
	struct pd_lint_page *p = s->recent[addr / PD_LINT_PAGE % PD_LINT_RECENT];

	return pd_likely(p && addr - p->addr < PD_LINT_PAGE && !p->settled)
		       ? &p->line[addr / PD_LINT_LINE % PD_LINT_LINES]
		       : NULL;
}

/* NULL: the line was never stored to or flushed. */
struct pd_lint_line *pd_lint_line_get(const struct pd_lint_lines *s, uint64_t addr);

/* Bytes of the line that wait for a fence of any thread. */
uint64_t pd_lint_line_pending(const struct pd_lint_lines *s, const struct pd_lint_line *l);

/* The record of this thread for this line; NULL: none. */
struct pd_lint_pending *pd_lint_pending_of(const struct pd_lint_lines *s,
					   const struct pd_lint_line *l, uint16_t tid);

/* Bytes were stored through the cache. */
void pd_lint_lines_store(struct pd_lint_lines *s, struct pd_lint_line *l, uint64_t mask,
			 uint32_t place);

/* The same for bytes in one word, if nothing of the line is pending. */
static inline void pd_lint_line_store(struct pd_lint_line *l, uint32_t word, uint64_t mask,
				      uint32_t place)
{
	l->written |= (uint8_t)(1u << word);
	l->writer[word] = place;
	l->dirty |= mask;
}

/* Bytes were stored past the cache, which also writes the line back (P11 in docs/model.md). */
void pd_lint_lines_ntstore(struct pd_lint_lines *s, struct pd_lint_line *l, uint64_t addr,
			   uint64_t mask, uint32_t place, uint16_t tid);

/* clwb, clflushopt: all that is dirty, or pending for others, is pending for this thread, too. */
void pd_lint_lines_flush(struct pd_lint_lines *s, struct pd_lint_line *l, uint64_t addr,
			 uint32_t place, uint16_t tid);

/* These bytes are durable, or treated as such. */
void pd_lint_lines_clean(struct pd_lint_lines *s, struct pd_lint_line *l, uint64_t mask);

/* Settles all pages that have nothing dirty or pending. Costs what there is. */
void pd_lint_lines_settle(struct pd_lint_lines *s);

/* How many records this thread has. */
uint32_t pd_lint_lines_waiting(const struct pd_lint_lines *s, uint16_t tid);

/* The thread fences: calls `each` for the records with overwritten bytes that are dirty, then
 * cleans all. */
typedef void pd_lint_each(void *ctx, const struct pd_lint_pending *p);
void pd_lint_lines_fence(struct pd_lint_lines *s, uint16_t tid, pd_lint_each *each, void *ctx);

/*
 * The same for an instruction that was hardly meant as a fence (locked ones): reports nothing, and
 * keeps records with overwritten bytes, and only those bytes, for a fence that is.
 */
void pd_lint_lines_fence_aside(struct pd_lint_lines *s, uint16_t tid);

/*
 * Visits the lines of [addr, addr+size) that have a state, in order of the first access to their
 * pages. The mask is the line's bytes in the range.
 */
typedef void pd_lint_visit(void *ctx, struct pd_lint_line *l, uint64_t addr, uint64_t mask);
void pd_lint_lines_visit(struct pd_lint_lines *s, uint64_t addr, uint64_t size,
			 pd_lint_visit *visit, void *ctx);

/* The same, but of settled pages any or none. */
void pd_lint_lines_visit_open(struct pd_lint_lines *s, uint64_t addr, uint64_t size,
			      pd_lint_visit *visit, void *ctx);

/*
 * Other threads store to the line, so a flush is needed whenever one of them has; that none had,
 * this time, is coincidence. A thread that flushes what others stored before it acts on it does
 * this.
 */
static inline bool pd_lint_is_others(const struct pd_lint_line *line, uint16_t tid)
{
	return line->shared || (line->last && line->last != (uint16_t)(tid + 1));
}

static inline uint32_t pd_lint_count(uint64_t mask)
{
	uint32_t n = 0;

	for (; mask; mask &= mask - 1)
		n++;
	return n;
}

/* The words that contain a byte of the mask. */
static inline uint8_t pd_lint_words(uint64_t mask)
{
	uint8_t words = 0;

	for (; mask; mask &= ~(0xffULL << __builtin_ctzll(mask) / 8 * 8))
		words |= (uint8_t)(1u << __builtin_ctzll(mask) / 8);
	return words;
}

/* The bytes of the line at `line` that are in [addr, addr+size). */
static inline uint64_t pd_lint_mask(uint64_t line, uint64_t addr, uint64_t size)
{
	uint64_t from = PD_MAX(addr, line), to = PD_MIN(addr + size, line + PD_LINT_LINE);

	if (from >= to)
		return 0;
	return (to - from == 64 ? UINT64_MAX : (1ULL << (to - from)) - 1) << (from - line);
}

#endif
