/*
 * sort.h - one sort for all: stable, so that equals stay in the order in which they came.
 *
 * A merge sort, bottom up, with as much scratch memory as the array takes. Where there is none left
 * it goes on by insertion: slower, with the same result.
 */
#ifndef PD_BASE_SORT_H
#define PD_BASE_SORT_H

#include "base/arena.h"

/* Negative: a comes first. */
typedef int pd_compare(const void *a, const void *b);

void pd_sort(void *v, uint32_t n, size_t size, pd_compare *compare, struct pd_arena *scratch);

#endif
