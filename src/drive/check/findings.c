/*
 * check/findings.c - from failed recoveries to findings: the executions that are repeated for them.
 *
 * The engine says which failures are one, which are repeated and in which order, and why they fail
 * (engine/crash/failure.h). This file collects failures from the board, runs them, and finds names
 * for the places in the result. Finally the choices of each finding, which are its witness, are
 * made once more. It is *confirmed* only if recovery fails again in the same way.
 */
#include "drive/check/failure.h"
#include "drive/check/time.h"
#include "engine/crash/end.h"
#include "report/words/limits.h"
#include "report/words/words.h"
#include "host/interrupt.h"
#include <stdlib.h>
#include <string.h>

/* ---- places --------------------------------------------------------------------------------- */

static void find_store(const struct pd_explored *x, const struct pd_places *p,
		       const struct pd_failure *f, struct pd_blamed *l)
{
	const struct pd_again_event *e = pd_story_store(f->story, &l->lost);
	bool recovery = l->lost.exec > 0;

	l->at_store = pd_place(p, PD_ROLE_STORE, recovery,
			       pd_explored_site(x, l->lost.exec, l->lost.site), e ? e->stack : NULL,
			       e ? e->nstack : 0);
}

static bool is_of(const struct pd_crash_choice *choice, const struct pd_crash_run *run)
{
	for (const struct pd_crash_choice *c = run->last; c; c = c->before)
		if (c == choice)
			return true;
	return false;
}

static void find_load(const struct pd_explored *x, const struct pd_places *p,
		      const struct pd_failure *f, struct pd_blamed *l)
{
	const struct pd_again_event *e = NULL;

	for (const struct pd_crash_run *run = f->run; run && !e; run = run->parent)
		if (is_of(l->choice, run))
			e = pd_story_load(f->story, run->depth, l->choice->number);
	l->at_load = pd_place(p, PD_ROLE_LOAD, true, pd_explored_site(x, 1, l->load),
			      e ? e->stack : NULL, e ? e->nstack : 0);
}

static void find_reader(const struct pd_explored *x, const struct pd_places *p,
			struct pd_failure *f)
{
	const struct pd_again_event *e = pd_failure_reader(f);

	if (e)
		f->at_reader = pd_place(p, PD_ROLE_READER, false, pd_explored_site(x, 0, e->site),
					e->stack, e->nstack);
}

static void find_places(const struct pd_explored *x, const struct pd_places *p,
			struct pd_failure *f)
{
	const struct pd_crash_run *run = f->run;
	const struct pd_again_event *last;

	find_reader(x, p, f);

	for (uint32_t i = 0; i < f->n; i++) {
		find_store(x, p, f, &f->blame[i]);
		find_load(x, p, f, &f->blame[i]);
	}
	f->at_crash = pd_place(p, PD_ROLE_CRASH, run->depth > 1,
			       pd_explored_site(x, run->depth - 1, run->crash_site), run->stack,
			       run->nstack);
	last = pd_failure_last_store(f);
	f->at_last =
		pd_place(p, PD_ROLE_STORE, run->depth > 1,
			 pd_explored_site(x, run->depth - 1, last ? last->site : run->last_store),
			 last ? last->stack : NULL, last ? last->nstack : 0);
	for (uint32_t i = 0; i < PD_LEN(f->at_early); i++) {
		const struct pd_again_event *e = pd_failure_early_store(f, i);

		if (e)
			f->at_early[i] =
				pd_place(p, PD_ROLE_STORE, false, pd_explored_site(x, 0, e->site),
					 e->stack, e->nstack);
	}
	f->at_idle = pd_place(p, PD_ROLE_FLUSH, run->depth > 1,
			      pd_explored_site(x, run->depth - 1, run->idle_flush), NULL, 0);
	f->at_fail = pd_place(p, PD_ROLE_FAIL, true, NULL, run->fail, run->nfail);
	for (uint32_t i = 0; f->story && f->story->passed.known && i < 2; i++) {
		f->at_waited[i] =
			pd_place(p, PD_ROLE_STORE, false,
				 pd_explored_site(x, 0, f->story->passed.store[i]), NULL, 0);
		f->at_passed[i] =
			pd_place(p, PD_ROLE_LOAD, false,
				 pd_explored_site(x, 0, f->story->passed.load[i]), NULL, 0);
	}
}

/* ---- a finding ------------------------------------------------------------------------------ */

struct explaining {
	struct pd_check_run *c;
	struct pd_result *r;
	struct pd_explored x;
	struct pd_places places;
};

static struct pd_frame frame_of(const struct explaining *e, enum pd_role role, uint32_t exec,
				uint32_t site)
{
	return pd_place(&e->places, role, exec > 0, pd_explored_site(&e->x, exec, site), NULL, 0)
		.at;
}

/* The witness, with the places of its choices. */
static struct pd_witness describe_witness(const struct explaining *e,
					  const struct pd_crash_run *last, struct pd_arena *a)
{
	struct pd_witness w = pd_check_witness(last, a);
	struct pd_chosen *to = pd_new_array(a, struct pd_chosen, w.n + 1);
	uint32_t at = w.n;

	w.chosen = to;
	for (const struct pd_crash_run *run = to ? last : NULL; run; run = run->parent) {
		at -= 1 + run->nchoice;
		to[at].at = frame_of(e, PD_ROLE_CRASH, run->depth - 1, run->crash_site);
		to[at].next = pd_event_info[run->crash_kind].name;
		for (const struct pd_crash_choice *v = run->last; v; v = v->before) {
			to[at + 1 + v->number].at = frame_of(e, PD_ROLE_LOAD, 1, v->load);
			to[at + 1 + v->number].seen = v->seen_value;
		}
	}
	return w;
}

static void report(struct explaining *e, const struct pd_failure *failure)
{
	const struct pd_crash_run *run = failure->run;
	struct pd_arena *a = e->r->arena;
	struct pd_finding f;

	pd_failure_finding(&e->x, failure, &f, a);
	f.confirmed = failure->replayed && !pd_check_blind(e->c);
	f.witness = describe_witness(e, run, a);
	f.witness.settings = pd_check_settings_with(e->c, run->work);
	f.output = run->noutput ? pd_arena_strndup(a, run->output, run->noutput) : NULL;
	if (failure->story)
		f.story = pd_story_steps(failure, &e->places, &e->x);
	if (e->c->explain)
		f.explain = pd_words_steps(a, &f.story);
	if (pd_only_wants(&e->c->options.only, f.kind))
		pd_findings_add(&e->r->findings, &f);
}

/* ---- all of them ---------------------------------------------------------------------------- */

/* The recovery of a complete run with everything durable, if it fails; else NULL. One that was
 * stopped early shows nothing. */
static const struct pd_crash_run *undisturbed(struct pd_check_run *c, uint64_t seed, uint32_t work)
{
	struct pd_choice end = {PD_CHOICE_CRASH, 0, PD_POINT_AT_END};
	struct pd_witness w = {true, 1, pd_schedule_of(seed), &end, NULL, work};
	const struct pd_crash_run *run;
	struct pd_error e;

	return !c->board->stop && pd_check_again(c, &w, &run, &e) && !c->board->stop ? run : NULL;
}

/* The same, remembered for each schedule that matters; if there are very many, some are asked
 * again. */
struct quiet {
	uint32_t n;
	struct {
		uint64_t seed;
		uint32_t work;
		const struct pd_crash_run *end; /* NULL: it ends well */
	} known[32];
};

static const struct pd_crash_run *quiet_end(struct pd_check_run *c, struct quiet *q, uint64_t seed,
					    uint32_t work)
{
	const struct pd_crash_run *end;

	for (uint32_t i = 0; i < q->n; i++)
		if (q->known[i].seed == seed && q->known[i].work == work)
			return q->known[i].end;
	end = undisturbed(c, seed, work);
	if (q->n < PD_LEN(q->known)) {
		q->known[q->n].seed = seed;
		q->known[q->n].work = work;
		q->known[q->n++].end = end;
	}
	return end;
}

/* ---- once more ------------------------------------------------------------------------------ */

/* Repeats the failure with no more lost than it needs, and keeps its story. */
static void force(struct pd_check_run *c, struct pd_failure *f, struct pd_arena *a)
{
	const struct pd_crash_run *least = NULL;
	struct pd_witness w = pd_check_witness(f->run, a);

	f->story = pd_check_journals(c) ? pd_story_of(c, f, &w, &least) : NULL;
	if (!least)
		return;
	f->run = least;
	pd_failure_blame(f, a);
}

static bool is_asked(const struct pd_blamed *l)
{
	return !l->lost.exec && l->at_end == PD_AT_END_UNKNOWN;
}

static void ask_about_lost(struct pd_again *a, const struct pd_failure *f)
{
	a->nlost = a->ended = 0;
	for (uint32_t i = 0; i < f->n && a->nlost < PD_AGAIN_LOST; i++)
		if (is_asked(&f->blame[i]))
			a->lost[a->nlost++] = f->blame[i].lost.order;
}

static void take_answers(const struct pd_again *a, struct pd_failure *f)
{
	for (uint32_t i = 0, k = 0; i < f->n && k < a->nlost; i++)
		if (is_asked(&f->blame[i]))
			f->blame[i].at_end = a->open[k++] ? PD_AT_END_OPEN : PD_AT_END_DURABLE;
}

/* Makes the choices of the witness again: recovery must fail in the same way. The crashed execution
 * runs on to its end, which shows what it made durable later. */
static void replay(struct pd_check_run *c, struct pd_failure *f, struct pd_arena *a)
{
	struct pd_again *again = &c->board->again;
	struct pd_witness w = pd_check_witness(f->run, a);
	const struct pd_crash_run *run = NULL;
	struct pd_error e;

	ask_about_lost(again, f);
	f->replayed = !c->board->stop && pd_check_again(c, &w, &run, &e) && run &&
		      pd_end_same(run, f->run);
	f->drifted = !f->replayed && run && pd_end_other_values(run, f->run);
	f->left = f->left || (!f->replayed && c->board->stop);
	if (again->ended)
		take_answers(again, f);
	again->nlost = 0;
}

/* Whether it fails with every store durable; and with side files as given. */
static bool fails_durably(struct pd_check_run *c, const struct pd_crash_run *run, bool keeps_side,
			  struct pd_arena *a)
{
	struct pd_witness w = pd_check_witness(run, a);
	const struct pd_crash_run *end = NULL;
	struct pd_error e;
	bool ok;

	w.n = PD_MIN(w.n, 1); /* the crash, without what recovery then saw */
	c->board->keeps_side = keeps_side;
	ok = pd_check_again(c, &w, &end, &e);
	c->board->keeps_side = 0;
	return !ok || c->board->stop || (end && (keeps_side || pd_end_same(run, end)));
}

/* The file that is not PM and that should have been synced before this crash; NULL: none, or that
 * is not known. */
static const char *unsynced_file(struct pd_check_run *c, const struct pd_crash_run *run,
				 struct pd_arena *a)
{
	struct pd_board *b = c->board;

	if (!b->has_side || b->stop)
		return NULL;
	memset(b->unsynced, 0, sizeof(b->unsynced));
	if (fails_durably(c, run, true, a) || !*b->unsynced || !fails_durably(c, run, false, a) ||
	    b->stop)
		return NULL;
	return pd_arena_strndup(a, b->unsynced, strlen(b->unsynced));
}

/* Replays its witness, resolves its places, and infers the cause. */
static void conclude(struct explaining *e, struct pd_explored *x, struct pd_failure *f,
		     struct quiet *known)
{
	struct pd_check_run *c = e->c;

	replay(c, f, e->r->arena);
	if (!f->n && f->run->depth == 1) {
		const struct pd_crash_run *quiet = quiet_end(c, known, f->run->seed, f->run->work);

		f->undisturbed = quiet && pd_end_same(f->run, quiet);
		f->unasked = !quiet && c->board->stop;
		if (!f->undisturbed && !f->unasked)
			f->unsynced = unsynced_file(c, f->run, e->r->arena);
	}
	find_places(x, &e->places, f);
	x->ended = c->board->ended;
	pd_failure_find_transaction(f);
	pd_failure_conclude(x, f);
}

/* Time is over, and nothing is confirmed: use a little more, for the finding that is easiest to
 * follow. */
static void confirm_first(struct explaining *e, struct pd_failures *fs)
{
	struct pd_failure *first = NULL;
	struct quiet known = {0};
	struct pd_error error;

	for (struct pd_failure *f = fs->v + fs->n; f-- > fs->v;) {
		if (!f->subsumed && f->replayed)
			return;
		first = f->subsumed ? first : f;
	}
	if (!first || !e->c->board->stop || e->c->deadline <= 0 || pd_interrupt_came() ||
	    !pd_check_resume(e->c, &error))
		return;
	first->left = false;
	conclude(e, &e->x, first, &known);
}

/* Learns what a failure does not show by itself, while there is time. */
static void learn(struct explaining *e, struct pd_failures *fs)
{
	struct pd_check_run *c = e->c;
	struct pd_rerun rerun = {.failures = fs};
	double until = c->deadline > 0 ? pd_time_forces(pd_check_seconds(c), c->deadline) : 0;
	struct quiet known = {0};
	struct pd_failure *f;
	uint32_t n = 0;

	while ((f = pd_rerun_next(&rerun,
				  c->board->stop || (until > 0 && pd_check_seconds(c) > until)))) {
		pd_check_phase(c, "finding the cause of failure", ++n);
		force(c, f, fs->arena);
		pd_rerun_sort_in(&rerun, f);
	}
	for (f = fs->v, n = 0; f < fs->v + fs->n; f++) {
		if (f->subsumed)
			continue;
		pd_check_phase(c, "replaying failure", ++n);
		conclude(e, &e->x, f, &known);
	}
	confirm_first(e, fs);
}

/* ---- the shortest history ------------------------------------------------------------------- */

static uint64_t id_of(const struct explaining *e, const struct pd_explored *x,
		      const struct pd_failure *f)
{
	struct pd_finding known;

	pd_failure_finding(x, f, &known, e->r->arena);
	return known.id;
}

/* Replaces it by the same failure with fewer operations. That must be the same finding, and its
 * witness must lead to it: otherwise the old one stays. */
static void use_shorter(struct explaining *e, struct pd_failure *f)
{
	struct pd_arena *a = e->r->arena;
	struct pd_explored x = e->x;
	struct pd_failure g = {
		.count = f->count, .outcomes = f->outcomes, .left = f->left, .also = {0}};
	struct pd_failures one = {&g, 1, 0, a};
	struct quiet known = {0};

	if (!pd_check_shorten(e->c, f, &g.run, &g.shorter))
		return;
	pd_failure_blame(&g, a);
	pd_survey_failures(e->c, &e->places, &x, &one);
	x.level = e->x.level;
	x.does_more = e->x.does_more;
	force(e->c, &g, a);
	g.end = f->end;
	conclude(e, &x, &g, &known);
	g.also = f->also;
	if (g.replayed && id_of(e, &e->x, &g) == id_of(e, &e->x, f))
		*f = g;
	else
		e->c->not_minimised++;
}

/* Limits: what is uncertain about the findings. */
static void limits(const struct pd_check_run *c, struct pd_result *r, uint32_t blind)
{
	if (blind)
		pd_limit_doubtful(r, blind);
	if (c->not_again)
		pd_limit_not_run_again(r, c->not_again, PD_RERUN_MOST);
	if (c->not_replayed)
		pd_limit_not_replayed(r, c->not_replayed, c->drifted);
	r->complete = !r->limits.n;
	pd_result_stat_int(r, "failures_not_run_again", c->not_again);
	pd_result_stat_int(r, "findings_not_replayed", c->not_replayed);
}

/* Collects failures from the board. */
static struct pd_failures collect(const struct pd_check_run *c, struct pd_arena *a)
{
	const struct pd_board *b = c->board;
	const struct pd_crash_run **run =
		pd_new_array(a, const struct pd_crash_run *, b->nfinding + 1);
	struct pd_collecting how = {
		.random = c->random > 0, .blind = pd_check_blind(c), .repeated = c->resume};
	uint32_t n = 0;

	for (const struct pd_crash_run *r = b->findings; run && r && n < b->nfinding; r = r->next)
		run[n++] = r;
	return pd_failures_collect(run, n, how, a);
}

/* `any`: there is something to name. */
static struct explaining explaining(struct pd_check_run *c, struct pd_result *r, struct pd_arena *a,
				    bool any)
{
	const struct pd_board *b = c->board;

	return (struct explaining){c,
				   r,
				   {.first_site = b->first_site,
				    .recover_site = b->recover_site,
				    .nsite = PD_BOARD_SITES,
				    .stores_once = pd_new_array(a, uint8_t, PD_BOARD_SITES),
				    .ended = b->ended,
				    .page = pd_check_line_shift(c) > 6},
				   {a, any ? pd_symbols_open(c->first.pid) : NULL,
				    any ? pd_symbols_open(c->worker[0][0].pid) : NULL,
				    &c->options}};
}

static void finish(struct explaining *e)
{
	pd_symbols_close(e->places.first);
	pd_symbols_close(e->places.recovery);
}

void pd_check_findings(struct pd_check_run *c, struct pd_result *r)
{
	const struct pd_board *b = c->board;
	struct explaining e = explaining(c, r, r->arena, b->nfinding);
	uint64_t executions = b->executions;
	uint32_t unproven = 0;
	struct pd_failures fs = collect(c, r->arena);

	pd_survey_failures(c, &e.places, &e.x, &fs);
	pd_failures_sort(&fs);
	learn(&e, &fs);
	pd_failures_join(&e.x, &fs);
	for (struct pd_failure *f = fs.v; f < fs.v + fs.n; f++) {
		if (f->subsumed)
			continue;
		if (f->replayed && !f->left) {
			if (c->minimise)
				pd_check_phase(c, "minimising the history of finding",
					       r->findings.items.n + 1);
			use_shorter(&e, f);
		}
		if (pd_check_blind(c) && pd_failure_is_doubtful(f)) {
			fs.doubtful++;
			continue;
		}
		unproven += f->n && !f->proven;
		c->not_again += f->left;
		c->not_replayed += !f->left && !f->replayed;
		c->drifted += !f->left && f->drifted;
		report(&e, f);
	}
	pd_check_phase(c, NULL, 0);
	limits(c, r, fs.doubtful);
	if (unproven)
		pd_result_stat_int(r, "unproven_causes", unproven);
	if (c->not_minimised)
		pd_result_stat_int(r, "findings_not_minimised", c->not_minimised);
	pd_result_stat_int(r, "blame_executions",
			   (int64_t)(b->executions - executions + b->trials));
	finish(&e);
}

struct pd_witness pd_check_witness_at(struct pd_check_run *c, const struct pd_crash_run *run)
{
	struct explaining e = explaining(c, NULL, &c->arena, true);
	struct pd_witness w = describe_witness(&e, run, &c->arena);

	finish(&e);
	return w;
}

const char *pd_check_explain(struct pd_check_run *c, const struct pd_crash_run *failed)
{
	struct explaining e = explaining(c, NULL, &c->arena, true);
	struct pd_steps steps = {0};
	struct pd_failure f = {.run = failed, .count = 1, .outcomes = 1u << failed->outcome};

	pd_failure_blame(&f, &c->arena);
	force(c, &f, &c->arena);
	find_places(&e.x, &e.places, &f);
	if (f.story)
		steps = pd_story_steps(&f, &e.places, &e.x);
	finish(&e);
	return pd_words_steps(&c->arena, &steps);
}
