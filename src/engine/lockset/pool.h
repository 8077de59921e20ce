/*
 * pool.h - objects of one size, by number, reused when they are freed.
 *
 * Numbers and addresses stay valid while the pool grows. 0 is none. The first member of every
 * object is `uint32_t next`, which the pool uses while the object is free.
 */
#ifndef PD_ENGINE_LOCKSET_POOL_H
#define PD_ENGINE_LOCKSET_POOL_H

#include "base/vec.h"

enum { PD_POOL_CHUNK = 1024, PD_POOL_ALIGN = 64 /* a cache line of the processor */ };

struct pd_pool {
	PD_VEC(uint8_t *) chunks;
	uint32_t size;
	uint32_t used; /* numbers ever given out */
	uint32_t free; /* first free one */
};

static inline void *pd_pool_at(const struct pd_pool *p, uint32_t i)
{
	return p->chunks.v[i / PD_POOL_CHUNK] + (size_t)(i % PD_POOL_CHUNK) * p->size;
}

/* 0: memory ran out. */
static inline uint32_t pd_pool_take(struct pd_pool *p, struct pd_arena *a)
{
	uint32_t i = p->free;
	uint8_t **chunk;

	if (i) {
		p->free = *(uint32_t *)pd_pool_at(p, i);
		return i;
	}
	i = p->used + 1;
	if (i / PD_POOL_CHUNK >= p->chunks.n) {
		uint8_t *fresh = pd_arena_alloc(a, (size_t)PD_POOL_CHUNK * p->size + PD_POOL_ALIGN);

		chunk = fresh ? pd_vec_push(&p->chunks, a) : NULL;
		if (!chunk)
			return 0;
		*chunk = fresh + -(uintptr_t)fresh % PD_POOL_ALIGN;
	}
	p->used = i;
	return i;
}

static inline void pd_pool_give(struct pd_pool *p, uint32_t i)
{
	*(uint32_t *)pd_pool_at(p, i) = p->free;
	p->free = i;
}

#endif
