/* sort.c - see sort.h. */
#include "base/sort.h"

struct sorting {
	uint8_t *v;
	uint8_t *scratch;
	uint32_t n;
	size_t size;
	pd_compare *compare;
};

static uint8_t *at(uint8_t *v, const struct sorting *s, uint32_t i)
{
	return v + i * s->size;
}

/* Two sorted runs that follow each other, [from, middle) and [middle, to), become one. */
static void merge(const struct sorting *s, uint32_t from, uint32_t middle, uint32_t to)
{
	uint32_t i = from, k = middle;

	for (uint32_t out = from; out < to; out++) {
		bool left =
			i < middle && (k == to || s->compare(at(s->v, s, i), at(s->v, s, k)) <= 0);

		memcpy(at(s->scratch, s, out), at(s->v, s, left ? i++ : k++), s->size);
	}
	memcpy(at(s->v, s, from), at(s->scratch, s, from), (to - from) * s->size);
}

static void by_merging(const struct sorting *s)
{
	for (uint64_t run = 1; run < s->n; run *= 2)
		for (uint64_t from = 0; from + run < s->n; from += 2 * run)
			merge(s, (uint32_t)from, (uint32_t)(from + run),
			      (uint32_t)PD_MIN(from + 2 * run, (uint64_t)s->n));
}

static void swap(uint8_t *a, uint8_t *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint8_t t = a[i];

		a[i] = b[i];
		b[i] = t;
	}
}

static void by_insertion(const struct sorting *s)
{
	for (uint32_t i = 1; i < s->n; i++)
		for (uint32_t k = i; k && s->compare(at(s->v, s, k - 1), at(s->v, s, k)) > 0; k--)
			swap(at(s->v, s, k - 1), at(s->v, s, k), s->size);
}

void pd_sort(void *v, uint32_t n, size_t size, pd_compare *compare, struct pd_arena *scratch)
{
	struct sorting s = {v, NULL, n, size, compare};

	if (n < 2)
		return;
	s.scratch = pd_arena_alloc(scratch, n * size);
	if (s.scratch)
		by_merging(&s);
	else
		by_insertion(&s);
}
