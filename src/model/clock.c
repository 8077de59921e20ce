/* clock.c - see clock.h. */
#include "model/clock.h"

static bool reach(struct pd_clock *c, struct pd_arena *a, uint32_t n)
{
	while (c->at.n < n) {
		uint32_t *v = pd_vec_push(&c->at, a);

		if (!v)
			return false;
		*v = 0;
	}
	return true;
}

bool pd_clock_tick(struct pd_clock *c, struct pd_arena *a, uint32_t tid)
{
	if (!reach(c, a, tid + 1))
		return false;
	c->at.v[tid]++;
	return true;
}

bool pd_clock_join(struct pd_clock *into, struct pd_arena *a, const struct pd_clock *from)
{
	if (!reach(into, a, from->at.n))
		return false;
	for (uint32_t i = 0; i < from->at.n; i++)
		into->at.v[i] = PD_MAX(into->at.v[i], from->at.v[i]);
	return true;
}

bool pd_clock_copy(struct pd_clock *into, struct pd_arena *a, const struct pd_clock *from)
{
	if (!reach(into, a, from->at.n))
		return false;
	into->at.n = from->at.n;
	if (from->at.n)
		memcpy(into->at.v, from->at.v, from->at.n * sizeof(*from->at.v));
	return true;
}

bool pd_clock_leq(const struct pd_clock *a, const struct pd_clock *b)
{
	for (uint32_t i = 0; i < a->at.n; i++)
		if (a->at.v[i] > pd_clock_get(b, i))
			return false;
	return true;
}
