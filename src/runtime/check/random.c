/* check/random.c - see check/random.h. */
#include "runtime/check/random.h"
#include "runtime/base/rt.h"
#include <string.h>

enum {
	NESTED = 16, /* a recovery that may crash does so at one of so many of its crash points */
};

static uint64_t draw(uint64_t *state)
{
	*state += 0x9e3779b97f4a7c15ULL;
	return pd_mix(*state);
}

/* From 0 to n - 1. */
static uint32_t below(uint64_t *state, uint32_t n)
{
	return (uint32_t)((draw(state) >> 32) * n >> 32);
}

static uint64_t seed_of(uint64_t when)
{
	const struct pd_board *b = pd_board();

	return pd_mix(pd_mix(b->random.seed + 1) + pd_mix(b->seed + 1) * 3 + when);
}

/*
 * Each recovery that is left falls on one of the crash points that are left, with equal chance.
 * Only the first execution counts them down; it is one process.
 */
uint32_t pd_random_share(uint32_t depth, uint32_t point)
{
	struct pd_board_random *r = &pd_board()->random;
	uint64_t state = seed_of(point);
	uint32_t share = 0, rest = r->points >= point ? r->points - point + 1 : 1;

	if (depth)
		return below(&state, NESTED) == 0;
	for (uint64_t i = 0; i < r->left; i++)
		share += below(&state, rest) == 0;
	r->left -= share;
	return share;
}

/* ---- what was lost before ------------------------------------------------------------------- */

/*
 * Failures of this crash point with what is enough to fail: reads and lost stores. Not of others,
 * which other processes look at, earlier or later: what is told must not depend on that.
 */
static struct {
	uint32_t n;
	struct least {
		const struct pd_board_run *run;
		uint32_t n;
		struct {
			uint32_t load, store;
		} lost[8];
	} v[64];
} here;

static bool lost(const struct pd_board_run *run, uint32_t load, uint32_t store)
{
	for (const struct pd_board_choice *c = run->last; c; c = c->before)
		if (c->pick && c->load == load && c->newest == store)
			return true;
	return false;
}

/* The failure that is known to need no more than what was lost here, too; NULL: there is none. */
static const struct pd_board_run *known(const struct pd_board_run *run)
{
	for (uint32_t i = 0; i < here.n; i++) {
		const struct least *l = &here.v[i];
		uint32_t k = 0;

		if (l->run->outcome != run->outcome || l->run->detail != run->detail)
			continue;
		while (k < l->n && lost(run, l->lost[k].load, l->lost[k].store))
			k++;
		if (k == l->n || pd_least_within(l->run, run))
			return l->run;
	}
	return NULL;
}

static void remember(const struct pd_board_run *run)
{
	struct least l = {.run = run};

	if (here.n == PD_LEN(here.v))
		return; /* then more is executed than is needed */
	for (const struct pd_board_choice *c = run->last; c; c = c->before) {
		if (!c->blamed)
			continue;
		if (l.n == PD_LEN(l.lost))
			return;
		l.lost[l.n].load = c->load;
		l.lost[l.n++].store = c->newest;
	}
	here.v[here.n++] = l;
}

/* ---- drawing -------------------------------------------------------------------------------- */

static void explain(struct pd_board_run *run, pd_least_execute force)
{
	const struct pd_board_run *least = known(run);

	if (!least) {
		least = pd_least(run, force);
		if (least && least != run)
			remember(least);
	}
	run->least = least == run ? NULL : least;
}

void pd_random_draw(uint64_t when, uint32_t share, pd_random_execute execute,
		    pd_least_execute force)
{
	static const uint32_t bias[] = {32, 128, 224};
	uint64_t state = seed_of(when ^ 0x5555555555555555ULL);

	here.n = 0;
	for (uint32_t i = 0; i < share; i++) {
		uint64_t seed = draw(&state) | 1;
		const struct pd_board_run *run;

		if (!execute(seed, bias[i % PD_LEN(bias)], &run))
			return;
		if (run)
			explain((struct pd_board_run *)run, force);
	}
}

uint32_t pd_random_pick(const struct pd_board_order *o, uint32_t at, uint32_t n)
{
	uint64_t state = o->random + at * 0xd1b54a32d192ed03ULL;

	return below(&state, 256) < o->bias ? 1 + below(&state, n - 1) : 0;
}
