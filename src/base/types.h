/*
 * types.h - the few names that every file shares.
 *
 * The core (base, event, model, finding, engine) is freestanding: it may use the headers that C11
 * guarantees without a library, and the four mem* functions below, which every host provides.
 */
#ifndef PD_BASE_TYPES_H
#define PD_BASE_TYPES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PD_LEN(a)      (sizeof(a) / sizeof((a)[0]))
#define PD_MIN(a, b)   ((a) < (b) ? (a) : (b))
#define PD_MAX(a, b)   ((a) > (b) ? (a) : (b))

#define pd_likely(x)   __builtin_expect(!!(x), 1)
#define pd_unlikely(x) __builtin_expect(!!(x), 0)

/* A freestanding C11 compiler may call these four by itself, so every host has them. */
void *memcpy(void *restrict dst, const void *restrict src, size_t n);
void *memmove(void *dst, const void *src, size_t n);
void *memset(void *dst, int c, size_t n);
int memcmp(const void *a, const void *b, size_t n);

static inline uint32_t pd_count_bits(uint64_t bits)
{
	uint32_t n = 0;

	for (; bits; bits &= bits - 1)
		n++;
	return n;
}

#endif
