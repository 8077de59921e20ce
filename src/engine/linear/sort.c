/* sort.c - see sort.h. Merges runs of doubling length. */
#include "engine/linear/sort.h"

static void merge(const uint32_t *from, uint32_t *to, uint32_t lo, uint32_t mid, uint32_t hi,
		  pd_sort_less *less, const void *ctx)
{
	uint32_t a = lo, b = mid;

	for (uint32_t i = lo; i < hi; i++)
		to[i] = a < mid && (b >= hi || !less(ctx, from[b], from[a])) ? from[a++]
									     : from[b++];
}

uint32_t *pd_sort_new(struct pd_arena *a, uint32_t n, pd_sort_less *less, const void *ctx)
{
	uint32_t *from = pd_new_array(a, uint32_t, n + 1), *to = pd_new_array(a, uint32_t, n + 1);

	if (!from || !to)
		return NULL;
	for (uint32_t i = 0; i < n; i++)
		from[i] = i;
	for (uint64_t run = 1; run < n; run *= 2) {
		uint32_t *other = from;

		for (uint64_t lo = 0; lo < n; lo += 2 * run)
			merge(from, to, (uint32_t)lo, (uint32_t)PD_MIN(lo + run, n),
			      (uint32_t)PD_MIN(lo + 2 * run, n), less, ctx);
		from = to;
		to = other;
	}
	return from;
}
