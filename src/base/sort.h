/*
 * sort.h - one sort for all: stable, so that equals stay in the order in which they came.
 *
 * A merge sort, bottom up, with as much scratch memory as the array takes. A short array, or one
 * for which no memory is left, is sorted by insertion: the same result without any.
 */
#ifndef PD_BASE_SORT_H
#define PD_BASE_SORT_H

#include "base/arena.h"

/* Negative: a comes first. */
typedef int pd_compare(const void *a, const void *b);

void pd_sort(void *v, uint32_t n, size_t size, pd_compare *compare, struct pd_arena *scratch);

/* Whether thing a comes before thing b. */
typedef bool pd_sort_less(const void *ctx, uint32_t a, uint32_t b);

/* The order of n things, as a list of their numbers, from 0 on; NULL: memory ran out. */
uint32_t *pd_sort_new(struct pd_arena *a, uint32_t n, pd_sort_less *less, const void *ctx);

#endif
