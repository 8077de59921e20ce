/*
 * reach.c - where the code of all objects leads. See explore.h.
 *
 * The graph is in shared memory: the origin makes it once; a worker recomputes distances while it
 * holds the lock of the frontier. That takes time in proportion to the program, so at most a
 * twentieth of the time is spent on it. Objects that are loaded later are not in it.
 */
#include "runtime/base/raw.h"
#include "runtime/explore/explore.h"
#include "runtime/place/site.h"
#include <time.h>

enum { SHARE = 20 };

static struct pd_arena arena;
static uint64_t used;

static void *grow(void *ctx, size_t n)
{
	uint8_t *at = (uint8_t *)pd_exploring.board + PD_EXPLORE_REACH + used;

	(void)ctx;
	n = (n + 4095) & ~(size_t)4095;
	if (used + n > PD_EXPLORE_FRONTIER - PD_EXPLORE_REACH)
		return NULL;
	used += n;
	return at;
}

static void release(void *ctx, void *at, size_t n)
{
	(void)ctx, (void)at, (void)n;
}

static void add(void *ctx, const struct pd_module *m, uint32_t first)
{
	pd_reaches_add(ctx, m->reach, first, m->nsites);
}

static uint32_t ways_of(const struct pd_reaches *r, uint32_t site)
{
	return PD_MIN(pd_reaches_ways(r, site), 4U); /* as pd_explore_edge counts them */
}

bool pd_reach_is_news(uint32_t site)
{
	const struct pd_reaches *r = pd_exploring.board->reach;

	return r && !pd_reaches_pm(r, site);
}

bool pd_reach_is_new_edge(uint32_t site, uint32_t way)
{
	const struct pd_reaches *r = pd_exploring.board->reach;

	return r && PD_MIN(way, 3U) >= ways_of(r, site);
}

/* If an exploration is continued, it is known. */
static void count(struct pd_explore *b)
{
	if (b->pm_sites || b->branches)
		return;
	for (uint32_t i = 0; i < pd_reaches_sites(b->reach); i++) {
		b->pm_sites += pd_reaches_pm(b->reach, i);
		b->branches += ways_of(b->reach, i);
	}
}

void pd_reach_start(void)
{
	struct pd_explore *b = pd_exploring.board;
	struct pd_reaches *r;

	pd_arena_init(&arena, (struct pd_host){grow, release, NULL});
	r = pd_reaches_create(&arena);
	if (!r)
		return;
	pd_site_each_module(add, r);
	if (!pd_reaches_join(r))
		return;
	b->reach = r;
	count(b);
	pd_reaches_update(r, b->pm_site, PD_EXPLORE_PM_SITES);
}

static uint64_t now(void)
{
	struct timespec t;

	pd_raw(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&t, 0, 0, 0, 0);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

void pd_reach_refresh(void)
{
	struct pd_explore *b = pd_exploring.board;
	uint64_t begun, ended;

	if (!b->reach || !b->reach_stale || b->search.by != PD_SEARCH_PM)
		return;
	begun = now();
	if (begun < b->reach_next)
		return;
	b->reach_stale = 0;
	pd_reaches_update(b->reach, b->pm_site, PD_EXPLORE_PM_SITES);
	ended = now();
	b->reach_next = ended + SHARE * (ended - begun);
}

void pd_reach_passed(uint32_t site, uint32_t way)
{
	struct pd_explore *b = pd_exploring.board;

	if (b->reach && b->search.by == PD_SEARCH_PM &&
	    pd_reaches_passed(b->reach, site, way, b->pm_site, PD_EXPLORE_PM_SITES))
		b->reach_stale = 1;
}
