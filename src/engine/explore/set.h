/*
 * set.h - sets of values of a byte: 256 bits.
 */
#ifndef PD_ENGINE_EXPLORE_SET_H
#define PD_ENGINE_EXPLORE_SET_H

#include "base/types.h"

struct pd_set {
	uint64_t w[4];
};

#define PD_SET_ALL ((struct pd_set){{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}})

static inline bool pd_set_has(const struct pd_set *s, uint8_t v)
{
	return s->w[v >> 6] >> (v & 63) & 1;
}

static inline void pd_set_and(struct pd_set *s, const struct pd_set *t)
{
	for (uint32_t i = 0; i < 4; i++)
		s->w[i] &= t->w[i];
}

static inline bool pd_set_is_empty(const struct pd_set *s)
{
	return !(s->w[0] | s->w[1] | s->w[2] | s->w[3]);
}

static inline bool pd_set_is_within(const struct pd_set *s, const struct pd_set *t)
{
	return !((s->w[0] & ~t->w[0]) | (s->w[1] & ~t->w[1]) | (s->w[2] & ~t->w[2]) |
		 (s->w[3] & ~t->w[3]));
}

static inline uint32_t pd_set_count(const struct pd_set *s)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < 4; i++)
		for (uint64_t w = s->w[i]; w; w &= w - 1)
			n++;
	return n;
}

/* The least value of at least `from`; 256: there is none. */
static inline uint32_t pd_set_next(const struct pd_set *s, uint32_t from)
{
	for (uint32_t i = from >> 6; i < 4; i++) {
		uint64_t w = s->w[i];

		if (i == from >> 6)
			w &= UINT64_MAX << (from & 63);
		if (w)
			return i * 64 + (uint32_t)__builtin_ctzll(w);
	}
	return 256;
}

/* The greatest value; the set is not empty. */
static inline uint32_t pd_set_last(const struct pd_set *s)
{
	uint32_t i = 3;

	while (i && !s->w[i])
		i--;
	return i * 64 + 63 - (uint32_t)__builtin_clzll(s->w[i]);
}

#endif
