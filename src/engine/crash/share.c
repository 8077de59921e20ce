/* share.c - see share.h. */
#include "engine/crash/share.h"

enum { WALKERS_PER_JOB = 4 }; /* some walkers wait for others */

/* Walkers that were served PD_SHARE or more do not count: they would block the others. */
uint32_t pd_share_walkers(const struct pd_share *s)
{
	uint32_t n = s->jobs * WALKERS_PER_JOB;

	for (uint32_t i = 0; i < PD_SHARE_WALKERS; i++)
		n += s->walker[i].pid && s->walker[i].served >= PD_SHARE;
	return PD_MIN(n, PD_SHARE_WALKERS);
}

bool pd_share_is_turn(const struct pd_share *s, uint32_t walker)
{
	uint64_t mine = s->walker[walker].served;

	for (uint32_t i = 0; i < PD_SHARE_WALKERS; i++)
		if (i != walker && s->walker[i].pid && s->walker[i].waiting &&
		    s->walker[i].served / PD_SHARE < mine / PD_SHARE)
			return false;
	return true;
}

bool pd_share_is_hungry(const struct pd_share *s)
{
	return s->jobs > 1 && s->begun && __atomic_load_n(&s->walking, __ATOMIC_RELAXED) < s->jobs;
}

bool pd_share_is_little(const struct pd_share *s, uint64_t before)
{
	if (s->jobs > 1)
		return !s->begun && s->walker[0].served < PD_SHARE_FEW;
	return s->walker[0].served < before + PD_SHARE;
}

uint32_t pd_share_order(const struct pd_share *s)
{
	return s->jobs == 1 || s->begun ? PD_SHARE : PD_SHARE_FEW;
}

bool pd_share_is_alone(const struct pd_share *s)
{
	return s->jobs == 1 || !s->begun;
}
