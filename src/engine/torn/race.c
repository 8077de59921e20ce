/* race.c - see race.h. */
#include "engine/torn/race.h"
#include "base/hash.h"

static uint32_t bucket_of(const struct pd_torn_race *r)
{
	uint64_t key = (uint64_t)r->store << 32 | r->load;

	return (uint32_t)(pd_mix(key + r->undone * 8 + r->in_recovery * 4 + r->unchanged * 2 +
				 r->guarded) %
			  PD_TORN_BUCKETS);
}

static bool same_pair(const struct pd_torn_race *a, const struct pd_torn_race *b)
{
	return a->store == b->store && a->load == b->load && a->in_recovery == b->in_recovery &&
	       a->guarded == b->guarded && a->unchanged == b->unchanged && a->undone == b->undone;
}

/* Whether a is easier to follow; false for equal ones. */
static bool better(const struct pd_torn_race *a, const struct pd_torn_race *b)
{
	if (a->prefix != b->prefix)
		return a->prefix < b->prefix;
	if (a->depth != b->depth)
		return a->depth < b->depth;
	if (a->seed != b->seed)
		return a->seed < b->seed;
	if (a->point != b->point)
		return a->point < b->point;
	return a->npick < b->npick;
}

static const struct pd_torn_race *best(const struct pd_torn_table *t,
				       const struct pd_torn_race *like)
{
	const struct pd_torn_race *r = NULL;

	for (const struct pd_torn_race *i =
		     __atomic_load_n(&t->bucket[bucket_of(like)], __ATOMIC_ACQUIRE);
	     i; i = i->next)
		if (same_pair(i, like) && (!r || better(i, r)))
			r = i;
	return r;
}

bool pd_torn_known(const struct pd_torn_table *t, const struct pd_torn_race *r)
{
	const struct pd_torn_race *b = best(t, r);

	return b && !better(r, b);
}

void pd_torn_add(struct pd_torn_table *t, struct pd_torn_race *r)
{
	struct pd_torn_race **head = &t->bucket[bucket_of(r)];

	r->next = __atomic_load_n(head, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(head, &r->next, r, false, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED))
		;
}

const struct pd_torn_race *pd_torn_next(const struct pd_torn_table *t, const struct pd_torn_race *r)
{
	uint32_t b = r ? bucket_of(r) : 0;
	const struct pd_torn_race *i = r ? r->next : t->bucket[0];

	for (;; i = i->next) {
		while (!i && ++b < PD_TORN_BUCKETS)
			i = t->bucket[b];
		if (!i)
			return NULL;
		if (best(t, i) == i)
			return i;
	}
}
