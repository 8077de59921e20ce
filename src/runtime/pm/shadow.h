/*
 * shadow.h - what PM should hold, and the stores that were not reported.
 *
 * Every pool has a second copy, at the same place in another window. It starts as the pool does and
 * gets every store that comes as an event. So wherever the two differ, code that was not
 * instrumented has written to PM: a *blind* store. Blind stores are looked for where they matter:
 * when bytes are loaded (if a listener wants loads), when a line is flushed, and in all of PM at
 * the end. A blind store is a loss, counted, and reported once per place, and it is repaired: from
 * then on it is a store of unknown origin.
 *
 * The shadow is also the memory that the model works on (model.h), since it is always readable and
 * writable and at one place, whatever the program does with its mappings.
 *
 * Precision lost: a blind store that writes the old value, or that is undone before the next check.
 */
#ifndef PD_RUNTIME_PM_SHADOW_H
#define PD_RUNTIME_PM_SHADOW_H

#include "event/abi.h"
#include "runtime/pm/pool.h"
#include <emmintrin.h>
#include <string.h>

#define PD_SHADOW_BASE PD_LAYOUT_SHADOW

/* The shadow of a byte of PM, by its distance from the start of the window. */
static inline uint8_t *pd_shadow(uint64_t off)
{
	return (uint8_t *)(PD_SHADOW_BASE + off);
}

/* A session begins: pools get their shadows. */
void pd_shadow_listen(void);

/* The pool is new, or its size has changed. */
void pd_shadow_pool(const struct pd_pool *p);

/*
 * The program's bytes `bytes` of PM at `off` differ from the shadow: reports and repairs a blind
 * store.
 */
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
 * Calls `each` for the pages from `from` to `to` that were written to. NULL: the kernel is asked,
 * which takes time for every existing page.
 */
extern PD_OWN void (*pd_shadow_written)(uint64_t from, uint64_t to, void (*each)(uint64_t page));

/* Checks all pages of all pools that were written to. */
void pd_shadow_check_all(void);

#endif
