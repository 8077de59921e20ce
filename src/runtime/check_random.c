/* check_random.c - see check_random.h. */
#include "runtime/check_random.h"
#include "runtime/rt.h"
#include <string.h>

enum {
	NESTED = 16,  /* a recovery that may crash does so at one of so many of its crash points */
	FEWER = 128,  /* executions, at most, to find the stores that matter */
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
 * Each recovery that is left falls on one of the crash points that are left, with equal chance. Only the
 * first execution counts them down; it is one process.
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

/* ---- which of the lost stores matter --------------------------------------------------------- */

static bool lost(const struct pd_board_run *run, uint32_t load, uint32_t store)
{
	for (uint32_t i = 0; i < PD_MIN(run->nchoice, PD_BOARD_CHOICES); i++)
		if (run->choice[i].pick && run->choice[i].load == load && run->choice[i].newest == store)
			return true;
	return false;
}

/* Something that is known to be enough was lost here, too. */
static bool explained(const struct pd_board_run *run)
{
	const struct pd_board_random *r = &pd_board()->random;

	for (uint32_t i = 0; i < PD_MIN(r->nleast, PD_LEN(r->least)); i++) {
		const struct pd_board_least *l = &r->least[i];
		uint32_t k = 0;

		if (!__atomic_load_n(&l->ready, __ATOMIC_ACQUIRE) || l->outcome != run->outcome ||
		    l->detail != run->detail)
			continue;
		while (k < l->n && lost(run, l->lost[k].load, l->lost[k].store))
			k++;
		if (k == l->n)
			return true;
	}
	return false;
}

static void remember(const struct pd_board_run *run)
{
	struct pd_board_random *r = &pd_board()->random;
	uint32_t at = __atomic_fetch_add(&r->nleast, 1, __ATOMIC_RELAXED);
	struct pd_board_least *l = &r->least[at % PD_LEN(r->least)];

	if (at >= PD_LEN(r->least))
		return; /* then more is executed than is needed */
	l->outcome = run->outcome;
	l->detail = run->detail;
	for (uint32_t i = 0; i < PD_MIN(run->nchoice, PD_BOARD_CHOICES); i++) {
		if (!run->choice[i].pick)
			continue;
		if (l->n == PD_LEN(l->lost))
			return;
		l->lost[l->n].load = run->choice[i].load;
		l->lost[l->n++].store = run->choice[i].newest;
	}
	__atomic_store_n(&l->ready, 1, __ATOMIC_RELEASE);
}

struct fewer {
	const struct pd_board_run *least;
	uint32_t outcome;
	uint32_t detail;
	uint32_t n;
	uint32_t pick[PD_BOARD_CHOICES];
	uint32_t tries;
	bool over;
};

static void take(struct fewer *f, const struct pd_board_run *run)
{
	f->least = run;
	f->n = PD_MIN(run->nchoice, PD_BOARD_CHOICES);
	for (uint32_t i = 0; i < f->n; i++)
		f->pick[i] = run->choice[i].pick;
	while (f->n && !f->pick[f->n - 1])
		f->n--; /* the newest value, as it is without a pick */
}

/* Whether it fails in the same way with the first n picks; if so they are the ones from now on. */
static bool still(struct fewer *f, uint32_t n, pd_random_execute execute)
{
	const struct pd_board_run *run;

	if (f->over || f->tries++ == FEWER)
		return false;
	f->over = !execute(f->pick, n, 1, 0, &run);
	if (!run || run->outcome != f->outcome || run->detail != f->detail)
		return false;
	take(f, run);
	return true;
}

static void find_least(struct fewer *f, pd_random_execute execute)
{
	if (still(f, 0, execute))
		return;
	for (uint32_t step = f->n / 2; step; step /= 2) /* the end of the path */
		while (step < f->n && still(f, f->n - step, execute))
			;
	for (uint32_t i = 0; i < f->n; i++) {
		uint32_t old = f->pick[i];

		if (!old)
			continue;
		f->pick[i] = 0;
		if (!still(f, f->n, execute))
			f->pick[i] = old;
	}
}

/* ---- drawing --------------------------------------------------------------------------------- */

void pd_random_draw(uint64_t when, uint32_t share, pd_random_execute execute)
{
	static const uint32_t bias[] = {32, 128, 224};
	uint64_t state = seed_of(when ^ 0x5555555555555555ULL);

	for (uint32_t i = 0; i < share; i++) {
		uint64_t seed = draw(&state) | 1;
		const struct pd_board_run *run;

		if (!execute(NULL, 0, seed, bias[i % PD_LEN(bias)], &run))
			return;
		if (run && !explained(run)) {
			struct fewer f = {.outcome = run->outcome, .detail = run->detail};

			take(&f, run);
			find_least(&f, execute);
			remember(f.least);
		}
	}
}

uint32_t pd_random_pick(const struct pd_board_order *o, uint32_t at, uint32_t n)
{
	uint64_t state = o->random + at * 0xd1b54a32d192ed03ULL;

	return below(&state, 256) < o->bias ? 1 + below(&state, n - 1) : 0;
}
