/*
 * vec.h - a growing array of one type, in an arena.
 *
 *	PD_VEC(struct pd_site) sites;
 *
 * A vec starts as all zeros. The space of an outgrown array stays in the arena until that is reset:
 * at most as much again as the array itself.
 */
#ifndef PD_BASE_VEC_H
#define PD_BASE_VEC_H

#include "base/arena.h"

#define PD_VEC(type)                                                                               \
	struct {                                                                                   \
		type *v;                                                                           \
		uint32_t n;                                                                        \
		uint32_t cap;                                                                      \
	}

/* Makes room for one more; the address of the new last element, or NULL. */
#define pd_vec_push(vec, arena)                                                                    \
	(((vec)->n < (vec)->cap ||                                                                 \
	  pd_vec_grow((arena), (void **)&(vec)->v, &(vec)->cap, sizeof(*(vec)->v)))                \
		 ? &(vec)->v[(vec)->n++]                                                           \
		 : NULL)

/* Makes room for so many in all; where there is no memory, a push will say so. */
#define pd_vec_reserve(vec, arena, count)                                                          \
	pd_vec_grow_to((arena), (void **)&(vec)->v, &(vec)->cap, sizeof(*(vec)->v), (count))

static inline bool pd_vec_grow_to(struct pd_arena *a, void **v, uint32_t *cap, size_t size,
				  uint32_t to)
{
	void *p = to > *cap ? pd_arena_grow(a, *v, *cap * size, to * size) : NULL;

	if (!p)
		return to <= *cap;
	*v = p;
	*cap = to;
	return true;
}

static inline bool pd_vec_grow(struct pd_arena *a, void **v, uint32_t *cap, size_t size)
{
	uint32_t to = *cap ? *cap * 2 : 8;

	return to > *cap && pd_vec_grow_to(a, v, cap, size, to);
}

/* The address of element i, up to which elements are added, all zeros; NULL: out of memory. */
#define pd_vec_at(vec, arena, i)                                                                   \
	(pd_vec_extend((arena), (void **)&(vec)->v, &(vec)->n, &(vec)->cap, sizeof(*(vec)->v),     \
		       (i))                                                                        \
		 ? &(vec)->v[i]                                                                    \
		 : NULL)

static inline bool pd_vec_extend(struct pd_arena *a, void **v, uint32_t *n, uint32_t *cap,
				 size_t size, uint32_t i)
{
	while (*n <= i) {
		if (*n == *cap && !pd_vec_grow(a, v, cap, size))
			return false;
		memset((char *)*v + (*n)++ * size, 0, size);
	}
	return true;
}

#endif
