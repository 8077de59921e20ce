/* lockset_bench.h - the lockset engine on a bench: events go in, what it tells is kept. */
#ifndef UNIT_LOCKSET_BENCH_H
#define UNIT_LOCKSET_BENCH_H

#include "unit/unit.h"
#include "engine/lockset/lockset.h"
#include "ref/lockset.h"
#include <stdio.h>

enum { FOUND = 512 };

struct found {
	struct ref_races races;
	uint32_t losses;
	uint64_t bytes;
	uint64_t helped;
};

struct bench {
	struct unit_host h;
	struct pd_arena arena;
	struct pd_sink sink;
	struct pd_observer *o;
	struct found f;
	struct pd_event last;
	uint64_t known; /* loads that need not be told of */
};

/* ---- what the engine tells ------------------------------------------------------------------ */

static inline void add(struct ref_races *r, struct ref_race x)
{
	if (ref_races_have(r, &x))
		return;
	assert_true(r->n < REF_RACES);
	r->v[r->n++] = x;
}

/* A finding that was withdrawn has a count of 0. */
static inline void settle(struct ref_races *r, struct ref_race x, bool there)
{
	if (there) {
		add(r, x);
		return;
	}
	for (uint32_t i = 0; i < r->n; i++)
		if (memcmp(&r->v[i], &x, sizeof(x)) == 0)
			r->v[i--] = r->v[--r->n];
}

static inline void on_finding(void *ctx, const struct pd_raw_finding *t)
{
	struct bench *b = ctx;
	bool write = t->kind == PD_KIND_LOCKSET_WRITE;
	uint32_t store[2] = {0}, ns = 0, flush = 0;

	assert_true(pd_fact_word(&t->facts, PD_FACT_FIX) && t->nsites >= 2);
	for (uint32_t i = 0; i < t->nsites; i++) {
		if (t->site[i].role == PD_ROLE_STORE)
			store[ns++] = t->site[i].place;
		if (t->site[i].role == PD_ROLE_FLUSH)
			flush = t->site[i].place;
	}
	if (write) {
		struct ref_race x;

		memset(&x, 0, sizeof(x));
		x.write = true;
		x.store = store[0];
		x.other = ns > 1 ? store[1] : store[0];
		settle(&b->f.races, x, t->count);
	}
	for (uint32_t i = 0; i < t->nsites && !write; i++) {
		struct ref_race x;

		if (t->site[i].role != PD_ROLE_LOAD)
			continue;
		memset(&x, 0, sizeof(x));
		x.store = store[0];
		x.other = flush;
		x.load = t->site[i].place;
		settle(&b->f.races, x, t->count);
	}
}

static inline void on_loss(void *ctx, enum pd_loss kind, uint32_t place, const char *what)
{
	struct bench *b = ctx;

	(void)place;
	assert_int_equal(kind, PD_LOSS_CAPPED);
	assert_non_null(what);
	b->f.losses++;
}

static inline void on_stat(void *ctx, const char *name, uint64_t value)
{
	struct bench *b = ctx;

	if (strcmp(name, "engine_bytes") == 0)
		b->f.bytes = value;
	if (strcmp(name, "loads_helped") == 0)
		b->f.helped = value;
}

static inline bool start(struct bench *b, const char *settings)
{
	memset(b, 0, sizeof(*b));
	b->h.left = -1;
	pd_arena_init(&b->arena, unit_host(&b->h));
	b->sink = (struct pd_sink){on_finding, on_loss, on_stat, b, NULL};
	b->o = pd_lockset_create(&b->arena, &b->sink, settings);
	return b->o != NULL;
}

static inline void finish(struct bench *b)
{
	b->o->end(b->o);
	pd_arena_finish(&b->arena);
	assert_int_equal(b->h.live, 0);
}

/* As front ends do it. */
static inline void give(struct bench *b, const struct pd_event *e)
{
	if (e->kind == PD_EV_LOAD && e->order == PD_ORDER_NONE &&
	    pd_known_load(b->o->known, pd_known_thread(b->o->known, e->tid), e->addr, e->size,
			  e->site))
		b->known++;
	else
		b->o->event(b->o, e);
}

#endif
