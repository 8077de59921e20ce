/*
 * failures.h - a made-up front end for what decides about failed recoveries
 * (engine/crash/failure.h): runs, reads and sites by hand.
 */
#ifndef PD_TESTS_FAILURES_H
#define PD_TESTS_FAILURES_H

#include "unit.h"
#include <stdio.h>
#include "engine/crash/end.h"
#include "engine/crash/failure.h"

enum { SITES = 64, NODES = 16 };

struct world {
	struct unit_host host;
	struct pd_arena arena;
	struct pd_board_site site[2][SITES];
	struct pd_board_site *by_number[2][SITES];
	struct pd_explored x;
	struct pd_tree_node node[NODES];
};

/* Site n of either program is line n of a function of its own, "f<n>". */
static inline void world_init(struct world *w)
{
	static char names[SITES][8];

	*w = (struct world){.host = {.left = -1}};
	pd_arena_init(&w->arena, unit_host(&w->host));
	for (uint32_t i = 0; i < 2; i++)
		for (uint32_t n = 1; n < SITES; n++) {
			snprintf(names[n], sizeof(names[n]), "f%u", n);
			w->site[i][n] =
				(struct pd_board_site){.at = {.file = i ? "recover.c" : "first.c",
							      .function = names[n],
							      .line = n}};
			w->by_number[i][n] = &w->site[i][n];
		}
	w->x = (struct pd_explored){.first_site = w->by_number[0],
				    .recover_site = w->by_number[1],
				    .nsite = SITES,
				    .ended = true};
}

static inline void world_finish(struct world *w)
{
	pd_arena_finish(&w->arena);
	assert_int_equal(w->host.live, 0);
}

/* A recovery that fails at address `where`, after crash point `when` of the default schedule. */
static inline struct pd_crash_run *run_new(struct world *w, uint32_t outcome, uint64_t where,
					   uint64_t when)
{
	struct pd_crash_run *r = pd_new(&w->arena, struct pd_crash_run);

	r->outcome = outcome;
	r->depth = 1;
	r->when = when;
	r->point = (uint32_t)when;
	r->nfail = 1;
	r->fail[0] = where;
	/* No two are the same recovery, unless a test says so. */
	r->path.a = (uintptr_t)r;
	r->node = &w->node[0];
	return r;
}

static inline struct pd_crash_choice *read_new(struct world *w, struct pd_crash_run *r,
					       uint32_t load)
{
	struct pd_crash_choice *c = pd_new(&w->arena, struct pd_crash_choice);

	c->before = r->last;
	c->number = r->nchoice++;
	c->n = 2;
	c->load = load;
	c->addr = 64 * load;
	r->last = c;
	return c;
}

/* The read at `load` misses the store at `store`, which is number `order` in the log. */
static inline struct pd_crash_choice *lose(struct world *w, struct pd_crash_run *r, uint32_t load,
					   uint32_t store, uint32_t order)
{
	struct pd_crash_choice *c = read_new(w, r, load);

	c->pick = 1;
	c->next = (struct pd_crash_source){.site = store, .order = order, .value = store};
	r->lost++;
	return c;
}

/* The read at `load` sees that store. */
static inline struct pd_crash_choice *see(struct world *w, struct pd_crash_run *r, uint32_t load,
					  uint32_t store, uint32_t order)
{
	struct pd_crash_choice *c = read_new(w, r, load);

	c->seen = store;
	c->seen_order = order;
	c->seen_value = store;
	return c;
}

static inline struct pd_finding_site place(enum pd_role role, const char *function, uint32_t line)
{
	return (struct pd_finding_site){.role = role,
					.at = {.function = function, .file = "p.c", .line = line}};
}

/* As the front end would: each place is its site. */
static inline void find_places(struct world *w, struct pd_failure *f)
{
	for (uint32_t i = 0; i < f->n; i++) {
		const struct pd_board_site *s =
			pd_explored_site(&w->x, f->blame[i].lost.exec, f->blame[i].lost.site);
		const struct pd_board_site *l = pd_explored_site(&w->x, 1, f->blame[i].load);

		f->blame[i].at_store = (struct pd_finding_site){
			.role = PD_ROLE_STORE, .at = {s->at.function, s->at.file, s->at.line, 0}};
		f->blame[i].at_load = (struct pd_finding_site){
			.role = PD_ROLE_LOAD, .at = {l->at.function, l->at.file, l->at.line, 0}};
	}
	f->at_fail = place(PD_ROLE_FAIL, "fails", (uint32_t)f->run->fail[0]);
	f->at_last = place(PD_ROLE_STORE, "last", f->run->last_store);
}

/* Of these runs, sorted. */
static inline struct pd_failures sorted(struct world *w, const struct pd_crash_run **run,
					uint32_t n)
{
	struct pd_failures fs = pd_failures_collect(run, n, (struct pd_collecting){0}, &w->arena);

	pd_failures_sort(&fs);
	return fs;
}

/* The failure of a run; NULL: it is not there. */
static inline struct pd_failure *failure_of(const struct pd_failures *fs,
					    const struct pd_crash_run *run)
{
	for (uint32_t i = 0; i < fs->n; i++)
		if (fs->v[i].run == run)
			return &fs->v[i];
	return NULL;
}

static inline uint32_t left_of(const struct pd_failures *fs)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < fs->n; i++)
		n += !fs->v[i].subsumed;
	return n;
}

#endif
