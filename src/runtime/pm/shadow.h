/*
 * shadow.h - what PM should hold, and the stores that nobody reported.
 *
 * Every pool has a second copy, at the same place in another window. It starts as the pool does and
 * gets every store that comes as an event. So wherever the two differ, code that was not
 * instrumented has written to PM: a *blind* store. It is looked for where it matters: when bytes
 * are loaded (and somebody wants to know), when a line is flushed, and for all of PM at the end. A
 * blind store is a loss, counted and named once a place, and it is repaired: from then on it counts
 * as a store of unknown origin.
 *
 * The shadow is also the memory that the model works on (model.h), since it is always readable and
 * writable and at one place, whatever the program does with its mappings.
 *
 * What is missed: a blind store that writes what was there already, or that is undone before
 * anybody looks.
 */
#ifndef PD_RUNTIME_PM_SHADOW_H
#define PD_RUNTIME_PM_SHADOW_H

#include "event/abi.h"
#include "runtime/pm/pool.h"
#include <emmintrin.h>
#include <string.h>

#define PD_SHADOW_BASE PD_LAYOUT_SHADOW

/* Of a byte of PM, by its distance from the start of the window. */
static inline uint8_t *pd_shadow(uint64_t off)
{
	return (uint8_t *)(PD_SHADOW_BASE + off);
}

/* A session begins: pools get their shadows. */
void pd_shadow_listen(void);

/* The pool is new, or its size has changed. */
void pd_shadow_pool(const struct pd_pool *p);

/* The program's bytes at `bytes` are PM at `off` and differ from the shadow. */
void pd_shadow_blind(uint64_t off, const uint8_t *bytes, size_t n, uint32_t site);

static inline void pd_shadow_check(uint64_t off, const void *bytes, size_t n, uint32_t site)
{
	if (__builtin_expect(memcmp(pd_shadow(off), bytes, n) != 0, 0))
		pd_shadow_blind(off, bytes, n, site);
}

/* The same for a line. */
static inline void pd_shadow_check_line(uint64_t off, const void *bytes, uint32_t site)
{
	const __m128i *a = (const __m128i *)pd_shadow(off), *b = bytes;
	__m128i same = _mm_cmpeq_epi8(a[0], b[0]);

	for (int i = 1; i < 4; i++)
		same = _mm_and_si128(same, _mm_cmpeq_epi8(a[i], b[i]));
	if (__builtin_expect(_mm_movemask_epi8(same) != 0xffff, 0))
		pd_shadow_blind(off, bytes, 64, site);
}

/*
 * Who knows which pages were written to, from an address to another, and calls `each` for them. NULL: the
 * kernel is asked, which takes time for every page that there is.
 */
extern PD_OWN void (*pd_shadow_written)(uint64_t from, uint64_t to, void (*each)(uint64_t page));

/* All pages of all pools that were written to. */
void pd_shadow_check_all(void);

#endif
