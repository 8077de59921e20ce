/* sort.c - see sort.h. */
#include "base/sort.h"

enum { SHORT = 16 };

struct sorting {
	uint8_t *v;
	uint8_t *scratch;
	uint32_t n;
	size_t size;
	pd_compare *compare; /* NULL: numbers, by less */
	pd_sort_less *less;
	const void *ctx;
};

static uint8_t *at(uint8_t *v, const struct sorting *s, uint32_t i)
{
	return v + i * s->size;
}

/* Whether b has to come before a, which is before it now. */
static bool is_out_of_order(const struct sorting *s, const void *a, const void *b)
{
	if (s->compare)
		return s->compare(a, b) > 0;
	return s->less(s->ctx, *(const uint32_t *)b, *(const uint32_t *)a);
}

/* Two sorted runs that follow each other, [from, middle) and [middle, to), become one. */
static void merge(const struct sorting *s, uint32_t from, uint32_t middle, uint32_t to)
{
	uint32_t i = from, k = middle;

	for (uint32_t out = from; out < to; out++) {
		bool left = i < middle &&
			    (k == to || !is_out_of_order(s, at(s->v, s, i), at(s->v, s, k)));

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
		for (uint32_t k = i; k && is_out_of_order(s, at(s->v, s, k - 1), at(s->v, s, k));
		     k--)
			swap(at(s->v, s, k - 1), at(s->v, s, k), s->size);
}

static void sort(struct sorting *s, struct pd_arena *scratch)
{
	if (s->n > SHORT)
		s->scratch = pd_arena_alloc(scratch, s->n * s->size);
	if (s->scratch)
		by_merging(s);
	else
		by_insertion(s);
}

void pd_sort(void *v, uint32_t n, size_t size, pd_compare *compare, struct pd_arena *scratch)
{
	struct sorting s = {.v = v, .n = n, .size = size, .compare = compare};

	sort(&s, scratch);
}

uint32_t *pd_sort_new(struct pd_arena *a, uint32_t n, pd_sort_less *less, const void *ctx)
{
	uint32_t *v = pd_new_array(a, uint32_t, n + 1);
	struct sorting s = {
		.v = (uint8_t *)v, .n = n, .size = sizeof(*v), .less = less, .ctx = ctx};

	if (!v)
		return NULL;
	for (uint32_t i = 0; i < n; i++)
		v[i] = i;
	sort(&s, a);
	return v;
}
