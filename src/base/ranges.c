/* ranges.c - see ranges.h. */
#include "base/ranges.h"

/* The first range that ends beyond `at`. */
static uint32_t find(const struct pd_ranges *r, uint64_t at)
{
	uint32_t lo = 0, hi = r->v.n;

	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;

		if (r->v.v[mid].to > at)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

static bool insert(struct pd_ranges *r, struct pd_arena *a, uint32_t i, uint64_t from, uint64_t to,
		   uint32_t place)
{
	struct pd_stretch *last = pd_vec_push(&r->v, a);

	if (!last)
		return false;
	if (i + 1 < r->v.n)
		memmove(&r->v.v[i + 1], &r->v.v[i], (r->v.n - 1 - i) * sizeof(*r->v.v));
	r->v.v[i] = (struct pd_stretch){from, to, place};
	return true;
}

uint64_t pd_ranges_add(struct pd_ranges *r, struct pd_arena *a, uint64_t from, uint64_t to,
		       uint32_t place, uint32_t *first)
{
	uint64_t there = 0;
	uint32_t i = find(r, from);

	while (from < to) {
		struct pd_stretch *next = i < r->v.n ? &r->v.v[i] : NULL;

		if (next && next->from <= from) {
			uint64_t end = PD_MIN(next->to, to);

			if (!there)
				*first = next->place;
			there += end - from;
			from = end;
		} else {
			uint64_t end = next ? PD_MIN(next->from, to) : to;

			if (!insert(r, a, i, from, end, place))
				return there;
			from = end;
		}
		i++;
	}
	return there;
}

void pd_ranges_remove(struct pd_ranges *r, struct pd_arena *a, uint64_t from, uint64_t to)
{
	for (uint32_t i = find(r, from); i < r->v.n && r->v.v[i].from < to;) {
		struct pd_stretch *p = &r->v.v[i], old = *p;

		if (old.from < from) {
			p->to = from;
			i++;
			if (old.to > to)
				insert(r, a, i, to, old.to, old.place);
		} else if (old.to > to) {
			p->from = to;
		} else {
			r->v.n--;
			if (i < r->v.n)
				memmove(p, p + 1, (r->v.n - i) * sizeof(*p));
		}
	}
}

uint64_t pd_ranges_missing(const struct pd_ranges *r, uint64_t from, uint64_t to)
{
	for (uint32_t i = find(r, from); from < to && i < r->v.n && r->v.v[i].from <= from; i++)
		from = r->v.v[i].to;
	return PD_MIN(from, to);
}

bool pd_ranges_has(struct pd_ranges *r, uint64_t from, uint64_t to)
{
	uint32_t i = find(r, from);

	if (i >= r->v.n || r->v.v[i].from > from || r->v.v[i].to < to)
		return false;
	r->last = i;
	return true;
}
