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

static inline bool pd_vec_grow(struct pd_arena *a, void **v, uint32_t *cap, size_t size)
{
	uint32_t to = *cap ? *cap * 2 : 8;
	void *p;

	if (to < *cap)
		return false;
	p = pd_arena_grow(a, *v, *cap * size, to * size);
	if (!p)
		return false;
	*v = p;
	*cap = to;
	return true;
}

#endif
