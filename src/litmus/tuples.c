/* tuples.c - sets of equally long tuples of numbers. See litmus.h. */
#include "base/hash.h"
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

static int compare(const struct pd_tuples *t, const uint64_t *a, const uint64_t *b)
{
	for (uint32_t i = 0; i < t->width; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

static void swap(struct pd_tuples *t, uint32_t i, uint32_t j)
{
	uint64_t *a = t->flat.v + (size_t)i * t->width, *b = t->flat.v + (size_t)j * t->width;

	for (uint32_t k = 0; k < t->width; k++) {
		uint64_t x = a[k];

		a[k] = b[k];
		b[k] = x;
	}
}

static void sift(struct pd_tuples *t, uint32_t root, uint32_t n)
{
	for (uint32_t child; (child = 2 * root + 1) < n; root = child) {
		if (child + 1 < n &&
		    compare(t, pd_tuples_at(t, child), pd_tuples_at(t, child + 1)) < 0)
			child++;
		if (compare(t, pd_tuples_at(t, root), pd_tuples_at(t, child)) >= 0)
			return;
		swap(t, root, child);
	}
}

/* Heap sort; the index is made anew because places change. */
void pd_tuples_sort(struct pd_tuples *t)
{
	struct pd_tuples sorted;

	for (uint32_t i = t->n / 2; i-- > 0;)
		sift(t, i, t->n);
	for (uint32_t n = t->n; n > 1; n--) {
		swap(t, 0, n - 1);
		sift(t, 0, n - 1);
	}
	pd_tuples_init(&sorted, t->arena, t->width);
	for (uint32_t i = 0; i < t->n; i++)
		pd_tuples_add(&sorted, pd_tuples_at(t, i));
	if (sorted.n == t->n)
		*t = sorted;
}
