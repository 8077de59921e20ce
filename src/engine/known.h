/*
 * known.h - loads that an observer (observer.h) need not hear of; front ends look them up inline,
 * because most loads are of this kind.
 *
 * A known load is: which bytes of which word, from which place, with which locks, by which thread.
 * The thread is a bit that the engine assigns, and withdraws as soon as the thread's loads would
 * count as different; when all bits are used up a new generation begins, and entries of older ones
 * are void. Only the engine writes to this, and knows why it is true.
 *
 * What counts is how many cache lines of the processor a lookup takes. Nearly all loads of a line
 * of PM are made with the same locks, and each word of it is loaded from one or two places (a
 * compiler duplicates the load of a loop): these are in two lines for each line of PM. All others
 * are in a hash table.
 */
#ifndef PD_ENGINE_KNOWN_H
#define PD_ENGINE_KNOWN_H

#include "base/types.h"

enum {
	PD_KNOWN_LINES = 64,	   /* of a page of PM */
	PD_KNOWN_WORDS = 8,	   /* of a line */
	PD_KNOWN_PLACES = 1 << 24, /* higher ones are never known, */
	PD_KNOWN_SETS = 1 << 20,   /* nor are these; the generation is above them */
	PD_KNOWN_GENERATIONS = 1 << 11,
	PD_KNOWN_FIRST_PLACES = 1 << 16, /* higher ones are among the others, */
};

#define PD_KNOWN_FIRST_BITS UINT32_MAX /* and so are these */
#define PD_KNOWN_NEVER	    UINT32_MAX /* no load is known with this */

/* A way: place << 8 | bytes of the word. */
struct pd_known_line {
	uint32_t with;		      /* generation << 20 | the set of locks */
	uint32_t who[PD_KNOWN_WORDS]; /* 0: none */
	uint8_t way[PD_KNOWN_WORDS][3];
	uint32_t unused; /* because a way is read as four bytes */
};

struct pd_known_page {
	uint64_t number;
	struct pd_known_line *lines; /* of its lines, then the second ones; NULL: no page */
};

struct pd_known_other {
	uint64_t word;
	uint64_t who;
	uint32_t way;
	uint32_t with;
	uint64_t unused;
};

struct pd_known_thread {
	uint64_t bit; /* 0: none */
	uint32_t with;
	uint32_t generation; /* << 20 */
};

struct pd_known {
	struct pd_known_page *pages; /* by number, with linear probing */
	struct pd_known_other *others;
	uint32_t pages_mask; /* one slot is always empty */
	uint32_t others_mask;
	uint32_t nthreads;
	const struct pd_known_thread **threads; /* may be NULL */
	uint64_t count;				/* of loads that were known */
};

/* The first entry of the line of this word; NULL: none. */
static inline struct pd_known_line *pd_known_line(const struct pd_known *k, uint64_t word)
{
	uint64_t line = word / PD_KNOWN_WORDS, number = line / PD_KNOWN_LINES;
	const struct pd_known_page *p = &k->pages[number & k->pages_mask];

	while (pd_unlikely(p->number != number) && p->lines)
		p = &k->pages[(uint64_t)(p + 1 - k->pages) & k->pages_mask];
	return p->lines ? &p->lines[line % PD_KNOWN_LINES] : NULL;
}

/* The two entries that may have it: they are in one cache line. */
static inline struct pd_known_other *pd_known_others(const struct pd_known *k, uint64_t word,
						     uint32_t way, uint32_t with)
{
	uint64_t at = word + ((way >> 8) * 0x9e3779b1U + with * 0x85ebca6bU) / 4096;

	return &k->others[at & k->others_mask & ~1U];
}

static inline uint32_t pd_known_way(const struct pd_known_line *x, uint32_t i)
{
	uint32_t way;

	memcpy(&way, x->way[i], sizeof(way));
	return way & 0xffffff;
}

/* From the same place, and at least these bytes. */
static inline bool pd_known_has(uint32_t known, uint32_t way)
{
	return (known ^ way) <= UINT8_MAX && !(way & ~known);
}

static inline bool pd_known_says(const struct pd_known_line *x, uint32_t i, uint32_t way,
				 const struct pd_known_thread *t)
{
	return x->with == t->with && pd_known_has(pd_known_way(x, i), way) && x->who[i] & t->bit;
}

static inline bool pd_known_other_says(const struct pd_known_other *o, uint64_t word, uint32_t way,
				       const struct pd_known_thread *t)
{
	return o->word == word && o->with == t->with && pd_known_has(o->way, way) &&
	       o->who & t->bit;
}

static inline bool pd_known_word(const struct pd_known *k, const struct pd_known_thread *t,
				 uint64_t word, uint32_t way)
{
	const struct pd_known_line *x = pd_known_line(k, word);
	const struct pd_known_other *o;
	uint32_t i = word % PD_KNOWN_WORDS;

	if (x && (pd_known_says(x, i, way, t) || pd_known_says(x + PD_KNOWN_LINES, i, way, t)))
		return true;
	if (!k->others)
		return false;
	o = pd_known_others(k, word, way, t->with);
	return pd_known_other_says(o, word, way, t) || pd_known_other_says(o + 1, word, way, t);
}

/* The bytes of a word. */
static inline uint8_t pd_known_bytes(uint64_t addr, uint64_t size)
{
	return (uint8_t)((0xffU >> (8 - size)) << addr % 8);
}

static inline bool pd_known_words(const struct pd_known *k, const struct pd_known_thread *t,
				  uint64_t addr, uint64_t size, uint32_t place)
{
	uint64_t end = addr + size;

	for (uint64_t next; addr < end; addr = next) {
		next = PD_MIN((addr | 7) + 1, end);
		if (!pd_known_word(k, t, addr / 8, place << 8 | pd_known_bytes(addr, next - addr)))
			return false;
	}
	return true;
}

/* Its address stays valid; NULL: there is nothing yet. */
static inline const struct pd_known_thread *pd_known_thread(const struct pd_known *k, uint32_t tid)
{
	return tid < k->nthreads ? k->threads[tid] : NULL;
}

/* Whether this LOAD, which is not atomic, is certainly nothing new, so that the event can be
 * dropped. */
static inline bool pd_known_load(struct pd_known *k, const struct pd_known_thread *t, uint64_t addr,
				 uint64_t size, uint32_t place)
{
	bool known;

	if (!t || place >= PD_KNOWN_PLACES)
		return false;
	known = addr % 8 + size <= 8
			? pd_known_word(k, t, addr / 8, place << 8 | pd_known_bytes(addr, size))
			: pd_known_words(k, t, addr, size, place);
	k->count += known;
	return known;
}

/* The same by the first lookups, which mostly suffice; false: try the others. */
static inline __attribute__((always_inline)) bool pd_known_at_once(struct pd_known *k,
								   const struct pd_known_thread *t,
								   uint64_t addr, uint64_t size,
								   uint32_t place)
{
	uint64_t number = addr / 64 / PD_KNOWN_LINES;
	const struct pd_known_page *p = &k->pages[number & k->pages_mask];
	uint32_t i = addr / 8 % PD_KNOWN_WORDS, way = place << 8 | pd_known_bytes(addr, size);
	const struct pd_known_line *x = &p->lines[addr / 64 % PD_KNOWN_LINES];

	if (pd_unlikely(addr % 8 + size > 8 || place >= PD_KNOWN_PLACES || !t) ||
	    pd_unlikely(p->number != number) || pd_unlikely(!p->lines) ||
	    (!pd_known_says(x, i, way, t) && !pd_known_says(x + PD_KNOWN_LINES, i, way, t)))
		return false;
	k->count++;
	return true;
}

#endif
