/* tuples.c - sets of equally long tuples of numbers. See litmus.h. */
#include "base/hash.h"
#include "base/sort.h"
#include "litmus/litmus.h"

void pd_tuples_init(struct pd_tuples *t, struct pd_arena *a, uint32_t width)
{
	*t = (struct pd_tuples){.arena = a, .width = width};
}

const uint64_t *pd_tuples_at(const struct pd_tuples *t, uint32_t i)
{
	return t->flat.v + (size_t)i * t->width;
}

static uint64_t key_of(const struct pd_tuples *t, const uint64_t *tuple)
{
	struct pd_digest d = PD_DIGEST_INIT;

	pd_digest_bytes(&d, tuple, t->width * sizeof(*tuple));
	return d.a >> 1;
}

static bool equal(const struct pd_tuples *t, uint64_t i, const uint64_t *tuple)
{
	return !t->width ||
	       memcmp(pd_tuples_at(t, (uint32_t)i), tuple, t->width * sizeof(*tuple)) == 0;
}

bool pd_tuples_has(const struct pd_tuples *t, const uint64_t *tuple)
{
	const uint64_t *at;

	for (uint64_t key = key_of(t, tuple); (at = pd_map_get(&t->index, key)); key++)
		if (equal(t, *at - 1, tuple))
			return true;
	return false;
}

int pd_tuples_add(struct pd_tuples *t, const uint64_t *tuple)
{
	uint64_t *at;

	for (uint64_t key = key_of(t, tuple);; key++) {
		at = pd_map_put(&t->index, t->arena, key);
		if (!at)
			return -1;
		if (!*at)
			break;
		if (equal(t, *at - 1, tuple))
			return 0;
	}
	for (uint32_t i = 0; i < t->width; i++) {
		uint64_t *v = pd_vec_push(&t->flat, t->arena);

		if (!v)
			return -1;
		*v = tuple[i];
	}
	*at = ++t->n;
	return 1;
}

static bool is_less(const void *tuples, uint32_t i, uint32_t j)
{
	const struct pd_tuples *t = tuples;
	const uint64_t *a = pd_tuples_at(t, i), *b = pd_tuples_at(t, j);

	for (uint32_t k = 0; k < t->width; k++)
		if (a[k] != b[k])
			return a[k] < b[k];
	return false;
}

/* Into a new set, because the index is made of places. */
void pd_tuples_sort(struct pd_tuples *t)
{
	uint32_t *order = pd_sort_new(t->arena, t->n, is_less, t);
	struct pd_tuples sorted;

	if (!order)
		return;
	pd_tuples_init(&sorted, t->arena, t->width);
	for (uint32_t i = 0; i < t->n; i++)
		pd_tuples_add(&sorted, pd_tuples_at(t, order[i]));
	if (sorted.n == t->n)
		*t = sorted;
}
