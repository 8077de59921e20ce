/*
 * sort.h - the order of n things by a comparison, as a list of their numbers. Stable, n log n.
 */
#ifndef PD_ENGINE_LINEAR_SORT_H
#define PD_ENGINE_LINEAR_SORT_H

#include "base/arena.h"

typedef bool pd_sort_less(const void *ctx, uint32_t a, uint32_t b);

/* 0..n-1 in the order of `less`; NULL: memory ran out. */
uint32_t *pd_sort_new(struct pd_arena *a, uint32_t n, pd_sort_less *less, const void *ctx);

#endif
