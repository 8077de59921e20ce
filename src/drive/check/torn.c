/* check/torn.c - adds names to the persistency races on the board, for the torn engine to judge
 * (engine/torn/verdict.h). */
#include "drive/check/failure.h"
#include "finding/owner.h"
#include "engine/torn/verdict.h"
#include "report/fields.h"
#include "report/words/limits.h"
#include <string.h>

bool pd_check_torn_prepare(struct pd_check_run *c, struct pd_error *e)
{
	struct pd_torn_table *t;

	if (c->no_torn)
		return true;
	t = pd_board_alloc(NULL, sizeof(*t));
	if (!t)
		return pd_error_set(e, PD_EXIT_INTERNAL, "out of shared memory");
	t->no_prefix = c->no_prefix;
	t->track = c->random != 0;
	c->board->torn = t;
	return true;
}

/* Adds names. */
struct namer {
	struct pd_explored x;
	struct pd_places places;
	struct pd_arena *arena;
	struct pd_failures surveyed; /* one for each schedule with a race */
};

static const char *field_of(struct namer *n, const struct pd_site *s, bool recovery)
{
	struct pd_symbols *symbols = recovery ? n->places.recovery : n->places.first;

	return s->type ? pd_field_name(symbols, n->arena, s->type, s->type_size, s->offset, s->size)
		       : NULL;
}

/* The library that contains the store, in its code or in an inlined header; NULL: the user's code.
 * What libpmem copies for its caller is the user's. */
static const char *library_of(struct namer *n, const struct pd_board_site *s)
{
	const char *name = pd_owner_header(n->arena, s->at.file);

	if (!name && s->library &&
	    pd_owner_of(s->library, true, s->at.function) == PD_OWNER_LIBRARY)
		name = pd_owner_library(n->arena, s->library);
	return name;
}

/* ---- transactions --------------------------------------------------------------------------- */

enum { SCHEDULES = 64, UNLOGGED = 8 };

/* What became of the stores of this race's schedule; NULL: not known. */
static const struct pd_surveyed *survey_of(const struct namer *n, const struct pd_torn_race *r)
{
	for (uint32_t i = 0; i < n->surveyed.n && !r->in_recovery && r->depth == 1; i++)
		if (n->surveyed.v[i].run->seed == r->seed)
			return n->surveyed.v[i].surveyed;
	return NULL;
}

/* A copy is often made for callers: without them it says little. */
static bool is_block(const struct namer *n, const struct pd_torn_race *r)
{
	const struct pd_board_site *s = pd_explored_site(&n->x, 0, r->store);

	return s && s->at.flags & PD_SITE_BLOCK;
}

/* Asks for one survey of each schedule with a race, where there are transactions, or copies. */
static void survey(struct pd_check_run *c, struct namer *n)
{
	const struct pd_torn_table *table = c->board->torn;
	struct pd_crash_run *run = pd_new_array(n->arena, struct pd_crash_run, SCHEDULES);
	struct pd_failures *fs = &n->surveyed;
	bool transactions = c->first.channel->events[PD_EV_TX_BEGIN] != 0;

	*fs = (struct pd_failures){.v = pd_new_array(n->arena, struct pd_failure, SCHEDULES),
				   .arena = n->arena};
	if (!run || !fs->v)
		return;
	for (const struct pd_torn_race *r = pd_torn_next(table, NULL); r;
	     r = pd_torn_next(table, r)) {
		uint32_t i = 0;

		while (i < fs->n && run[i].seed != r->seed)
			i++;
		if (i < fs->n || i == SCHEDULES || r->in_recovery || r->depth != 1 ||
		    !(transactions || is_block(n, r)))
			continue;
		run[i] = (struct pd_crash_run){.seed = r->seed, .depth = 1};
		fs->v[fs->n++] = (struct pd_failure){.run = &run[i], .surveys = true};
	}
	pd_survey_failures(c, &n->places, &n->x, fs);
}

static const struct pd_finding_site *place_of(const struct pd_surveyed *s, uint32_t number)
{
	static const struct pd_finding_site nowhere;

	return number ? &s->places[number - 1] : &nowhere;
}

static bool is_listed(const struct pd_finding_site *v, uint32_t n, const struct pd_finding_site *s)
{
	for (uint32_t i = 0; i < n; i++)
		if (pd_frame_same(&v[i].at, &s->at))
			return true;
	return false;
}

/* The transaction that a store was made in, and what that has not logged. */
static void describe_transaction(const struct namer *n, const struct pd_torn_race *r,
				 struct pd_torn_suspect *to)
{
	const struct pd_surveyed *s = survey_of(n, r);
	const struct pd_tx_span *span = s ? pd_span_find(&s->spans, r->tid, r->number) : NULL;
	struct pd_finding_site *list =
		span ? pd_new_array(n->arena, struct pd_finding_site, UNLOGGED) : NULL;

	if (!list)
		return;
	to->at_begin = *place_of(s, span->begin);
	to->at_begin.role = PD_ROLE_TX;
	to->unlogged = list;
	for (uint32_t i = 0; i < s->nunlogged && to->nunlogged < UNLOGGED; i++) {
		const struct pd_unlogged *u = &s->unlogged[i];

		if (u->tid == r->tid && u->first > span->from && u->first <= span->to &&
		    u->first <= span->left &&
		    !is_listed(list, to->nunlogged, place_of(s, u->place)))
			list[to->nunlogged++] = *place_of(s, u->place);
	}
}

/* The calls that led to a store of the first execution. */
static void describe_callers(const struct namer *n, const struct pd_torn_race *r,
			     struct pd_finding_site *store)
{
	const struct pd_surveyed *s = survey_of(n, r);
	uint32_t place = s && r->number && r->number <= s->n ? s->placed[r->number - 1] : 0;
	const struct pd_finding_site *at = place_of(s, place);

	if (!place || !pd_frame_same(&at->at, &store->at))
		return;
	*store = *at;
	store->role = PD_ROLE_STORE;
}

/* ---- races ---------------------------------------------------------------------------------- */

/* False: nothing is known about the sites of the race. */
static bool describe(struct namer *n, const struct pd_torn_race *r, struct pd_torn_suspect *to)
{
	uint32_t crashed = r->depth - 1;

	*to = (struct pd_torn_suspect){
		.race = r,
		.store = pd_explored_site(&n->x, r->in_recovery, r->store),
		.load = pd_explored_site(&n->x, 1, r->load),
	};
	if (!to->store || !to->load)
		return false;
	to->library = library_of(n, to->store);
	to->store_field = field_of(n, &to->store->at, r->in_recovery);
	to->load_field = field_of(n, &to->load->at, true);
	to->at_store = pd_place_of_site(&n->places, PD_ROLE_STORE, to->store);
	describe_callers(n, r, &to->at_store);
	to->at_load = pd_place_of_site(&n->places, PD_ROLE_LOAD, to->load);
	to->at_flush = pd_place_of_site(&n->places, PD_ROLE_FLUSH,
					pd_explored_site(&n->x, crashed, r->flush));
	describe_transaction(n, r, to);
	to->at_crash = pd_place_of_site(&n->places, PD_ROLE_CRASH,
					pd_explored_site(&n->x, crashed, r->crash));
	return true;
}

/* Whether the user counts this library as their own. */
static bool is_wanted(const struct pd_options *o, const char *library)
{
	return library && pd_owner_wanted(o->libraries.v, o->libraries.n, library);
}

static void report(const struct pd_check_run *c, struct pd_torn_verdicts *t, struct pd_result *r)
{
	const struct pd_torn_race *race;
	struct pd_finding f;

	while ((race = pd_torn_finding(t, &f))) {
		/* The crashes and picks that lead recovery to the load. */
		struct pd_check_way way = {race->parent, race->seed, race->point, race->npick,
					   race->picks};

		if (is_wanted(&c->options, f.library))
			f.library = NULL;
		f.witness = pd_check_witness_to(&way, r->arena);
		pd_findings_add(&r->findings, &f);
	}
}

struct counts {
	uint32_t races, prefix, unchanged, undone;
};

/* Collects the suspects of races. */
static struct counts collect(struct namer *namer, const struct pd_torn_table *table,
			     struct pd_arena *a, struct pd_torn_verdicts *t)
{
	struct counts n = {0};

	for (const struct pd_torn_race *i = pd_torn_next(table, NULL); i;
	     i = pd_torn_next(table, i)) {
		n.races++;
		n.prefix += i->prefix;
		n.unchanged += i->unchanged;
	}
	t->v = pd_new_array(a, struct pd_torn_suspect, n.races + 1);
	for (const struct pd_torn_race *i = t->v ? pd_torn_next(table, NULL) : NULL;
	     i && t->n < n.races; i = pd_torn_next(table, i)) {
		bool known = describe(namer, i, &t->v[t->n]);
		bool undone = known && pd_torn_is_undone(&t->v[t->n]);

		n.undone += undone;
		t->n += known && !undone;
	}
	return n;
}

void pd_check_torn_findings(struct pd_check_run *c, struct pd_result *r)
{
	const struct pd_board *b = c->board;
	bool any = b->torn && pd_torn_next(b->torn, NULL);
	struct pd_symbols *first = any ? pd_symbols_open(c->first.pid) : NULL;
	struct pd_symbols *recovery = any ? pd_symbols_open(c->worker[0][0].pid) : NULL;
	struct namer n = {{.first_site = b->first_site,
			   .recover_site = b->recover_site,
			   .nsite = PD_BOARD_SITES},
			  {r->arena, first, recovery, &c->options},
			  r->arena,
			  {0}};
	/* Findings of crashes; torn findings come after them. */
	struct pd_findings crashes = r->findings;
	struct pd_torn_verdicts t = {.crashes = &crashes,
				     .benign = c->benign,
				     .page = strcmp(c->model, "page") == 0,
				     .arena = r->arena};
	struct counts counts;

	if (any)
		survey(c, &n);
	counts = b->torn ? collect(&n, b->torn, r->arena, &t) : (struct counts){0};

	pd_torn_judge(&t);
	report(c, &t, r);
	pd_result_stat_int(r, "torn_races", counts.races);
	pd_result_stat_int(r, "torn_races_prefix", counts.prefix);
	pd_result_stat_int(r, "torn_told_by_crash", t.folded);
	pd_result_stat_int(r, "torn_unchanged", counts.unchanged);
	pd_result_stat_int(r, "torn_undone", counts.undone);
	if (b->torn && b->torn->failed)
		pd_limit_torn_memory(r, b->torn->failed);
	pd_symbols_close(first);
	pd_symbols_close(recovery);
}
