/* random.c - see random.h. */
#include "engine/crash/random.h"

enum {
	NESTED = 16, /* a recovery that may crash does so at one of this many crash points */
};

static uint64_t draw(uint64_t *state)
{
	*state += 0x9e3779b97f4a7c15ULL;
	return pd_mix(*state);
}

/* Uniform, from 0 to n - 1. */
static uint32_t below(uint64_t *state, uint32_t n)
{
	return (uint32_t)((draw(state) >> 32) * n >> 32);
}

static uint64_t seed_of(const struct pd_random *r, uint64_t schedule, uint64_t when)
{
	return pd_mix(pd_mix(r->seed + 1) + pd_mix(schedule + 1) * 3 + when);
}

/* Each remaining recovery falls on one of the remaining crash points, all equally likely. */
uint32_t pd_random_share(struct pd_random *r, uint64_t schedule, uint32_t depth, uint32_t point)
{
	uint64_t state = seed_of(r, schedule, point);
	uint32_t share = 0, rest = r->points >= point ? r->points - point + 1 : 1;

	if (depth)
		return below(&state, NESTED) == 0;
	for (uint64_t i = 0; i < r->left; i++)
		share += below(&state, rest) == 0;
	r->left -= share;
	return share;
}

/* ---- what was lost before ------------------------------------------------------------------- */

static bool has_lost(const struct pd_crash_run *run, uint32_t load, uint32_t store)
{
	for (const struct pd_crash_choice *c = run->last; c; c = c->before)
		if (c->pick && c->load == load && c->newest == store)
			return true;
	return false;
}

/* A known failure for which the stores lost here suffice; NULL: there is none. */
static const struct pd_crash_run *find_known(const struct pd_random_known *known,
					     const struct pd_crash_run *run, uint32_t line_shift)
{
	for (uint32_t i = 0; i < known->n; i++) {
		const struct pd_random_least *l = &known->v[i];
		uint32_t k = 0;

		if (l->run->outcome != run->outcome || l->run->detail != run->detail)
			continue;
		while (k < l->n && has_lost(run, l->lost[k].load, l->lost[k].store))
			k++;
		if (k == l->n || pd_least_within(l->run, run, line_shift))
			return l->run;
	}
	return NULL;
}

static void remember(struct pd_random_known *known, const struct pd_crash_run *run)
{
	struct pd_random_least l = {.run = run};

	if (known->n == PD_LEN(known->v))
		return; /* costs some executions more, nothing else */
	for (const struct pd_crash_choice *c = run->last; c; c = c->before) {
		if (!c->blamed)
			continue;
		if (l.n == PD_LEN(l.lost))
			return;
		l.lost[l.n].load = c->load;
		l.lost[l.n++].store = c->newest;
	}
	known->v[known->n++] = l;
}

/* ---- drawing -------------------------------------------------------------------------------- */

static void explain(const struct pd_least *front, struct pd_random_known *known,
		    struct pd_crash_run *run)
{
	const struct pd_crash_run *least = find_known(known, run, front->model->params.line_shift);

	if (!least) {
		least = pd_least(front, run);
		if (least && least != run)
			remember(known, least);
	}
	run->least = least == run ? NULL : least;
}

void pd_random_draw(const struct pd_random *r, uint64_t schedule, uint64_t when, uint32_t share,
		    const struct pd_random_front *front, struct pd_random_known *known)
{
	static const uint32_t bias[] = {32, 128, 224};
	uint64_t state = seed_of(r, schedule, when ^ 0x5555555555555555ULL);

	known->n = 0;
	for (uint32_t i = 0; i < share; i++) {
		uint64_t seed = draw(&state) | 1;
		struct pd_crash_run *run;

		if (!front->execute(front->ctx, seed, bias[i % PD_LEN(bias)], &run))
			return;
		if (run)
			explain(&front->least, known, run);
	}
}

uint32_t pd_random_pick(uint64_t random, uint32_t bias, uint32_t at, uint32_t n)
{
	uint64_t state = random + at * 0xd1b54a32d192ed03ULL;

	return below(&state, 256) < bias ? 1 + below(&state, n - 1) : 0;
}
