/*
 * known.h - loads that an observer (observer.h) need not be told of, as front ends look for them: here and
 * not behind a call, because most loads are of this kind.
 *
 * A table by lines of PM says which bytes of it were loaded from which places, by whom, with which locks.
 * "Whom" is a bit that the engine gives to a thread, and takes back as soon as its loads are other loads;
 * the same for all bits is the generation. The engine alone writes to this, and knows why it is true.
 */
#ifndef PD_ENGINE_KNOWN_H
#define PD_ENGINE_KNOWN_H

#include "base/types.h"

enum {
	PD_KNOWN_WORDS = 8, /* of a line */
	PD_KNOWN_MORE = 2, /* several places load from a word: a compiler makes more than one of a loop */
	PD_KNOWN_PLACES = 1 << 24, /* those beyond are never known */
};

/* A way: place << 8 | the word's bytes; 0 is none. */
struct pd_known_line {
	uint64_t line;
	uint32_t set;
	uint32_t generation;
	uint32_t first[PD_KNOWN_WORDS];
	uint64_t unused[2];
	uint64_t who[PD_KNOWN_WORDS];
	uint32_t more[PD_KNOWN_WORDS][PD_KNOWN_MORE]; /* the newest first */
	uint64_t more_who[PD_KNOWN_WORDS][PD_KNOWN_MORE];
};

struct pd_known_thread {
	uint64_t bit; /* 0: none */
	uint32_t set;
};

struct pd_known {
	struct pd_known_line *lines; /* where any thread has a bit */
	uint32_t mask;
	uint32_t generation;
	uint32_t nthreads;
	const struct pd_known_thread **threads; /* some are NULL */
	uint64_t count; /* of loads that were known */
};

/* Two sets of locks that the same line is loaded with are often neighbours. */
static inline struct pd_known_line *pd_known_line(const struct pd_known *k, uint64_t line, uint32_t set)
{
	return &k->lines[(line * 2 + (set & 1)) & k->mask];
}

static inline bool pd_known_is_about(const struct pd_known *k, const struct pd_known_line *x, uint64_t line,
				     uint32_t set)
{
	return x->line == line && x->set == set && x->generation == k->generation;
}

/* The same place, and at least these bytes. */
static inline bool pd_known_has(uint32_t known, uint32_t way)
{
	return (known ^ way) <= UINT8_MAX && !(way & ~known);
}

static inline bool pd_known_word(const struct pd_known_line *x, uint32_t i, uint32_t way, uint64_t bit)
{
	if (pd_likely(pd_known_has(x->first[i], way) && x->who[i] & bit))
		return true;
	for (uint32_t k = 0; k < PD_KNOWN_MORE; k++)
		if (pd_known_has(x->more[i][k], way) && x->more_who[i][k] & bit)
			return true;
	return false;
}

static inline bool pd_known_words(const struct pd_known_line *x, uint64_t bytes, uint32_t place, uint64_t bit)
{
	for (uint32_t i = 0; i < PD_KNOWN_WORDS && bytes; i++, bytes >>= 8)
		if (bytes & 0xff && !pd_known_word(x, i, place << 8 | (bytes & 0xff), bit))
			return false;
	return true;
}

/* Whether this LOAD, which is not atomic, is certain to be nothing new: the event need not be given. */
static inline __attribute__((always_inline)) bool
pd_known_load(struct pd_known *k, uint32_t tid, uint64_t addr, uint64_t size, uint32_t place)
{
	const struct pd_known_thread *t = tid < k->nthreads ? k->threads[tid] : NULL;
	uint64_t line = addr / 64, from = addr % 64, bytes;
	const struct pd_known_line *x;

	if (!t || !t->bit || size - 1 >= 64 - from || place >= PD_KNOWN_PLACES)
		return false;
	x = pd_known_line(k, line, t->set);
	if (!pd_known_is_about(k, x, line, t->set))
		return false;
	bytes = UINT64_MAX >> (64 - size);
	if (!(from % 8 + size <= 8 ? pd_known_word(x, (uint32_t)from / 8,
						   place << 8 | (uint8_t)(bytes << from % 8), t->bit)
				   : pd_known_words(x, bytes << from, place, t->bit)))
		return false;
	k->count++;
	return true;
}

#endif
