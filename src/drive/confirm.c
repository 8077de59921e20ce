/*
 * confirm.c - see confirm.h.
 *
 * engine/lockset/confirm.h decides what is tried next, and what follows from it. All recoveries
 * share one tree, so what one race has shown costs nothing for the next.
 */
#include "drive/confirm.h"
#include "drive/check/check.h"
#include "drive/check/failure.h"
#include "drive/check/time.h"
#include "engine/crash/end.h"
#include "engine/lockset/confirm.h"
#include "host/host.h"
#include "report/words/limits.h"
#include <stdio.h>
#include <string.h>

enum { STORES = 8, WAYS = 4 };

/* One race, or several that differ only in what makes the store durable. */
struct race {
	/* A line may have several, from different callers or as copies by the optimiser: try them
	 * in turn */
	uint32_t nstore;
	struct pd_meet_place store[STORES];
	uint32_t nload;
	struct pd_meet_place load[PD_MEET_LOADS];
	uint64_t id;	   /* of the finding */
	struct race *same; /* the race whose verdict this one shares; NULL: it has its own */
	struct pd_confirm_race is;
	const struct pd_crash_run *failed;
	struct pd_witness witness; /* if set: it fails, and failed again in the same way */
	bool anyway;		   /* a recovery that finds everything fails, too, */
	bool another;		   /* or one that finds the store, but not later ones, */
	uint32_t decides;	   /* of those, the site of one that the failure needs */
	/* The execution that was found to fail: its schedule, and who was held. */
	uint64_t seed;
	struct pd_meet_asked asked;
};

struct confirm {
	struct pd_watch_run *r;
	struct pd_confirm_policy policy;
	double seconds; /* limit for all of it */
	bool limited;	/* by the time limit: must not be exceeded */
	struct pd_check_run check;
	uint64_t executions;
	bool judged;	/* a recovery looked at what threads had stored */
	double longest; /* longest execution without crashes, in seconds */
	PD_VEC(struct race) races;
};

/* ---- one turn ------------------------------------------------------------------------------- */

static double time_left(const struct confirm *c)
{
	return c->seconds - pd_check_seconds(&c->check);
}

static const struct pd_crash_run *run_at(const struct pd_board *b, const struct pd_tree_node *leaf)
{
	for (const struct pd_crash_run *x = b->findings; x; x = x->next)
		if (x->node == leaf)
			return x;
	return NULL;
}

static void set_hold(struct confirm *c, const struct race *r)
{
	struct pd_board_hold *hold = &c->check.board->hold;

	*hold = (struct pd_board_hold){
		.asked = {.store = r->store[r->is.turns / WAYS % r->nstore], .nload = r->nload}};
	memcpy(hold->asked.load, r->load, r->nload * sizeof(*r->load));
	pd_confirm_begin(&r->is, &hold->asked);
}

static bool execute(struct confirm *c, uint64_t seed, double seconds, bool *cut, struct pd_error *e)
{
	c->executions++;
	c->check.board->seed = seed;
	return pd_check_once_for(&c->check, seed, seconds, cut, e);
}

/* Whether the read missed the store of the race, or the same one at another time: a loop stores,
 * and only one is held. */
static bool misses(const struct pd_crash_choice *x, const struct pd_meet_asked *asked,
		   const struct pd_meet_seen *seen)
{
	if (x->next.exec)
		return false;
	return (x->next.order >= seen->from && x->next.order < seen->to) ||
	       (!asked->store.ncaller && x->next.site == asked->store.site);
}

/* Whether, for each line that the failure needs lost, the first store it misses is not that of the
 * race. site: of the earliest of these stores. */
static bool blames_another(const struct pd_crash_run *least, const struct pd_board_hold *hold,
			   uint32_t *site)
{
	bool any = false;

	for (const struct pd_crash_choice *x = least->last; x; x = x->before) {
		if (x->blamed && misses(x, &hold->asked, &hold->seen))
			return false;
		if (x->blamed)
			*site = x->next.site;
		any |= x->blamed;
	}
	return any;
}

/*
 * Finds out which stores must be lost for the failure, as `check` does (engine/crash/least.h). A
 * line is lost from some store on: later stores to it are lost as well, and recovery may miss one
 * of those.
 */
static bool is_for_another(struct confirm *c, struct race *r, const struct pd_witness *w)
{
	struct pd_board *b = c->check.board;
	const struct pd_crash_run *least = NULL;
	struct pd_error e;
	bool ok;

	b->hold = (struct pd_board_hold){.asked = r->asked};
	b->again.least = 1;
	c->executions++;
	ok = pd_check_again(&c->check, w, &least, &e);
	b->again.least = 0;
	return ok && least && least->proven && blames_another(least, &b->hold, &r->decides);
}

/* The first failure: records what makes it fail again. */
static void note_failure(struct confirm *c, struct race *r, uint64_t seed)
{
	const struct pd_board_hold *hold = &c->check.board->hold;

	if (!r->is.fails || r->failed)
		return;
	r->failed = run_at(c->check.board, hold->seen.bad);
	r->seed = seed;
	r->asked = hold->asked;
}

/* Repeats the execution, with crashes where the threads met or, if the reader acted, there. */
static bool crash(struct confirm *c, struct race *r, uint64_t seed, double end, struct pd_error *e)
{
	struct pd_board_hold *hold = &c->check.board->hold;
	double seconds = PD_MAX(end - pd_check_seconds(&c->check), c->longest * 2);
	bool cut = false;

	if (c->limited)
		seconds = PD_MIN(seconds, PD_MAX(time_left(c), 0));
	pd_confirm_begin_crashes(&hold->asked, &hold->seen);
	if (!execute(c, seed, seconds, &cut, e))
		return false;
	pd_confirm_crashed(&r->is, &hold->seen, cut);
	note_failure(c, r, seed);
	return true;
}

/* The same crash with nothing lost: if it fails, the store is not the reason. */
static bool fails_anyway(struct confirm *c, const struct race *r, const struct pd_witness *w)
{
	struct pd_witness all = *w;
	const struct pd_crash_run *again = NULL;
	struct pd_error e;

	all.n = 1; /* the crash; reads see the newest values */
	c->check.board->hold = (struct pd_board_hold){.asked = r->asked};
	c->executions++;
	return pd_check_again(&c->check, &all, &again, &e) && again &&
	       pd_end_same(again, r->failed);
}

/* Repeats the execution, the crash and the choices of recovery from what `perdure replay` gets. If
 * it fails in the same way, this is the witness. */
static void replay(struct confirm *c, struct race *r)
{
	struct pd_board *b = c->check.board;
	struct pd_witness w = {0};
	const struct pd_crash_run *again = NULL;
	struct pd_error e;

	if (!r->failed)
		return;
	w = pd_check_witness_at(&c->check, r->failed);
	c->check.hold = r->asked;
	b->hold = (struct pd_board_hold){.asked = r->asked};
	c->executions++;
	w.given = w.given && pd_check_again(&c->check, &w, &again, &e) && again &&
		  pd_end_same(again, r->failed) &&
		  pd_check_settings(&c->check, &c->r->result, &w.settings, &e);
	r->anyway = w.given && fails_anyway(c, r, &w);
	r->another = w.given && !r->anyway && is_for_another(c, r, &w);
	w.given = w.given && !r->anyway && !r->another;
	if (w.given)
		pd_witness_copy(&c->r->arena, &w);
	r->witness = w;
}

static bool take_turn(struct confirm *c, struct race *r, double seconds, struct pd_error *e)
{
	struct pd_schedule s = {PD_POLICY_HELD, .seed = c->r->options.seed + 1 + r->is.turns};
	uint64_t seed = pd_schedule_number(&s);
	double start = pd_check_seconds(&c->check);
	const struct pd_meet_seen *seen = &c->check.board->hold.seen;
	bool cut, crashes;

	set_hold(c, r);
	if (!execute(c, seed, seconds, &cut, e))
		return false;
	if (!cut && !seen->acted)
		c->longest = PD_MAX(c->longest, pd_check_seconds(&c->check) - start);
	crashes = pd_confirm_took_turn(&r->is, &c->policy, seen);
	note_failure(c, r, seed);
	return !crashes || crash(c, r, seed, start + seconds, e);
}

/* ---- all of them ---------------------------------------------------------------------------- */

static bool decided(const struct confirm *c, const struct race *r)
{
	return pd_confirm_is_decided(&r->is, &c->policy);
}

static uint32_t count_open(const struct confirm *c, uint32_t from)
{
	uint32_t n = 0;

	for (uint32_t i = from; i < c->races.n; i++)
		n += !decided(c, &c->races.v[i]);
	return n;
}

/* Do not begin what cannot be expected to finish in time. */
static bool go_on(const struct confirm *c)
{
	return !c->check.board->stop && time_left(c) > c->longest;
}

static bool all_rounds(struct confirm *c, struct pd_error *e)
{
	bool ok = true;

	while (ok && go_on(c) && count_open(c, 0))
		for (uint32_t i = 0; ok && i < c->races.n && go_on(c); i++) {
			struct race *r = &c->races.v[i];
			/* The first round serves all races; later ones may use up the rest. */
			if (!decided(c, r))
				ok = take_turn(c, r,
					       pd_confirm_share(time_left(c), count_open(c, i),
								c->longest),
					       e);
		}
	return ok;
}

/* ---- which there are ------------------------------------------------------------------------ */

/* No site: not in instrumented code. */
static struct pd_meet_place place_of(struct confirm *c, uint32_t place)
{
	struct pd_meet_place p = {0};

	p.ncaller = pd_watched_callers(&c->r->watched, place, &p.site, p.caller, PD_MEET_CALLERS);
	return p;
}

static bool is_same(const struct pd_meet_place *a, const struct pd_meet_place *b)
{
	return a->site == b->site && a->ncaller == b->ncaller &&
	       memcmp(a->caller, b->caller, a->ncaller * sizeof(*a->caller)) == 0;
}

static bool has_load(const struct race *r, const struct pd_meet_place *p)
{
	for (uint32_t i = 0; i < r->nload; i++)
		if (is_same(&r->load[i], p))
			return true;
	return false;
}

static void add_load(struct race *r, const struct pd_meet_place *p)
{
	if (p->site && r->nload < PD_MEET_LOADS && !has_load(r, p))
		r->load[r->nload++] = *p;
}

static void add_store(struct race *r, const struct pd_meet_place *p)
{
	for (uint32_t i = 0; i < r->nstore; i++)
		if (is_same(&r->store[i], p))
			return;
	if (r->nstore < STORES)
		r->store[r->nstore++] = *p;
}

static struct race *race_of(struct confirm *c, uint64_t id)
{
	for (uint32_t i = 0; i < c->races.n; i++)
		if (c->races.v[i].id == id)
			return &c->races.v[i];
	return NULL;
}

static void add_race(struct confirm *c, const struct pd_raw_finding *t)
{
	uint64_t *id = pd_map_get(&c->r->watched.ids, t->number);
	struct pd_finding *f = id ? pd_findings_get(&c->r->result.findings, *id) : NULL;
	struct pd_meet_place at, store = {0};
	struct race *r;

	if (t->nsites)
		store = place_of(c, t->site[0].place);
	if (!f || f->library || t->kind != PD_KIND_LOCKSET_PERSISTENT || !store.site)
		return;
	r = race_of(c, *id);
	if (!r) {
		r = pd_vec_push(&c->races, &c->r->arena);
		if (!r)
			return;
		*r = (struct race){.id = *id};
	}
	add_store(r, &store);
	for (uint32_t i = 0; i < t->nsites; i++)
		if (t->site[i].role == PD_ROLE_LOAD) {
			at = place_of(c, t->site[i].place);
			add_load(r, &at);
		}
}

static bool equal(const struct race *a, const struct race *b)
{
	bool all = a->nstore == b->nstore && a->nload == b->nload;

	for (uint32_t i = 0; all && i < a->nstore; i++)
		all = is_same(&a->store[i], &b->store[i]);
	for (uint32_t i = 0; all && i < a->nload; i++)
		all = has_load(b, &a->load[i]);
	return all;
}

static void collect(struct confirm *c)
{
	for (uint32_t i = 0; i < c->r->watched.raw.n; i++)
		if (c->r->watched.raw.v[i].count)
			add_race(c, &c->r->watched.raw.v[i]);
	for (uint32_t i = 0; i < c->races.n; i++)
		for (uint32_t k = 0; k < i && !c->races.v[i].same; k++)
			if (equal(&c->races.v[i], &c->races.v[k]) && !c->races.v[k].same) {
				c->races.v[i].same = &c->races.v[k];
				c->races.v[i].is.same = true;
			}
}

/* ---- what it means -------------------------------------------------------------------------- */

static void put_fact(struct confirm *c, struct pd_finding *f, enum pd_fact_key key, uint64_t number)
{
	struct pd_fact_list list = {.arena = &c->r->arena};

	for (uint32_t i = 0; i < f->facts.n; i++)
		if (f->facts.v[i].key != key)
			pd_fact_add(&list, &f->facts.v[i]);
	pd_fact_put_if(&list, key, number);
	f->facts = pd_facts_of(&list);
}

static void put_verdict(struct confirm *c, struct pd_finding *f, enum pd_word verdict,
			enum pd_word why)
{
	put_fact(c, f, PD_FACT_VERDICT, verdict);
	put_fact(c, f, PD_FACT_VERDICT_WHY, why);
}

static void add_site(struct confirm *c, struct pd_finding *f, enum pd_role role,
		     const struct pd_board_site *site)
{
	struct pd_places places = {.arena = &c->r->arena};
	struct pd_finding_site *all =
		pd_new_array(&c->r->arena, struct pd_finding_site, f->nsites + 1);

	if (!all || !site)
		return;
	memcpy(all, f->sites, f->nsites * sizeof(*all));
	all[f->nsites++] = pd_place_of_site(&places, role, site);
	f->sites = all;
}

/* Why it stays potential. */
static enum pd_word why_potential(const struct race *r)
{
	if (!r->nload)
		return PD_WORD_WHY_NOT_INSTRUMENTED;
	return r->is.met ? PD_WORD_WHY_NO_EFFECT : PD_WORD_WHY_NEVER_MET;
}

static enum pd_word verdict_word(const struct confirm *c, const struct race *r)
{
	static const enum pd_word words[] = {[PD_CONFIRM_POTENTIAL] = PD_WORD_VERDICT_POTENTIAL,
					     [PD_CONFIRM_BENIGN] = PD_WORD_VERDICT_TOLERATED,
					     [PD_CONFIRM_HELPED] = PD_WORD_VERDICT_HELPED,
					     [PD_CONFIRM_UNREAD] = PD_WORD_VERDICT_UNREAD,
					     [PD_CONFIRM_EFFECT] = PD_WORD_VERDICT_OBSERVED,
					     [PD_CONFIRM_FAILS] = PD_WORD_VERDICT_FAILED};
	enum pd_confirm_verdict v = pd_confirm_verdict(&r->is, c->judged);

	if (r->another)
		return PD_WORD_VERDICT_ANOTHER;
	if (v == PD_CONFIRM_FAILS && r->anyway)
		return PD_WORD_VERDICT_FAILS_ANYWAY;
	return v == PD_CONFIRM_FAILS && !r->witness.given ? PD_WORD_VERDICT_NOT_REPLAYED : words[v];
}

/* Whether the store that decides is that of a race of which this run has a failure: that one is the
 * finding, and this one adds nothing to it. */
static bool is_decided(const struct confirm *c, const struct race *r)
{
	for (uint32_t i = 0; r->another && i < c->races.n; i++) {
		const struct race *x = &c->races.v[i];

		for (uint32_t k = 0; x->witness.given && k < x->nstore; k++)
			if (x->store[k].site == r->decides)
				return true;
	}
	return false;
}

static void note(struct confirm *c, struct pd_finding *f, const struct race *r)
{
	const struct pd_board *b = c->check.board;
	enum pd_word v = verdict_word(c, r);

	f->confirmed = v == PD_WORD_VERDICT_FAILED;
	f->witness = f->confirmed ? r->witness : f->witness;
	if (r->is.effect)
		add_site(c, f, PD_ROLE_EFFECT, pd_board_site(b, false, r->is.effect));
	if (r->failed) {
		f->output = pd_arena_strndup(&c->r->arena, r->failed->output, r->failed->noutput);
		add_site(c, f, PD_ROLE_CRASH, pd_board_site(b, false, r->failed->crash_site));
	}
	put_verdict(c, f, v, v == PD_WORD_VERDICT_POTENTIAL ? why_potential(r) : PD_WORD_NONE);
	put_fact(c, f, PD_FACT_SCHEDULES, r->is.turns);
	put_fact(c, f, PD_FACT_MET, r->is.met);
	put_fact(c, f, PD_FACT_CLOSE, r->is.close);
	if (v == PD_WORD_VERDICT_TOLERATED || v == PD_WORD_VERDICT_HELPED ||
	    v == PD_WORD_VERDICT_UNREAD || is_decided(c, r))
		f->kind = PD_KIND_LOCKSET_BENIGN;
}

/* Whether recovery looked at what threads had stored, in any of the crashes. */
static bool is_judged(const struct confirm *c)
{
	for (uint32_t i = 0; i < c->races.n; i++)
		if (pd_confirm_is_judged(&c->races.v[i].is))
			return true;
	return false;
}

static void finish_findings(struct confirm *c)
{
	struct pd_findings *fs = &c->r->result.findings;
	uint32_t n[PD_CONFIRM_VERDICTS] = {0}, not_tried = 0, not_replayed = 0, cut = 0;

	for (uint32_t i = 0; i < c->races.n; i++) {
		struct race *r = &c->races.v[i];

		if (!r->is.fails || r->same)
			continue;
		replay(c, r);
		not_replayed += !r->witness.given && !r->anyway && !r->another;
	}
	c->judged = is_judged(c);
	for (uint32_t i = 0; i < fs->items.n; i++) {
		struct pd_finding *f = fs->items.v[i];
		const struct race *r = race_of(c, f->id);

		if (f->kind != PD_KIND_LOCKSET_PERSISTENT)
			continue;
		if (r && r->same)
			r = r->same;
		if (!r || !r->is.turns) {
			put_verdict(c, f, PD_WORD_VERDICT_NOT_TRIED,
				    !r		 ? PD_WORD_WHY_LIBRARY
				    : c->limited ? PD_WORD_WHY_TIME_LIMIT
						 : PD_WORD_WHY_CONFIRM_TIME);
			not_tried++;
			continue;
		}
		n[pd_confirm_verdict(&r->is, c->judged)]++;
		cut += r->is.cut;
		note(c, f, r);
	}
	pd_result_stat_int(&c->r->result, "confirmed_recovery_fails", n[PD_CONFIRM_FAILS]);
	pd_result_stat_int(&c->r->result, "effect_without_cause", n[PD_CONFIRM_EFFECT]);
	pd_result_stat_int(&c->r->result, "potential", n[PD_CONFIRM_POTENTIAL]);
	pd_result_stat_int(&c->r->result, "benign", n[PD_CONFIRM_BENIGN]);
	pd_result_stat_int(&c->r->result, "helped", n[PD_CONFIRM_HELPED]);
	pd_result_stat_int(&c->r->result, "unread", n[PD_CONFIRM_UNREAD]);
	if (n[PD_CONFIRM_UNREAD])
		pd_limit_races_unread(&c->r->result, n[PD_CONFIRM_UNREAD]);
	if (not_replayed)
		pd_limit_races_not_replayed(&c->r->result, not_replayed);
	pd_result_stat_int(&c->r->result, "not_tried", not_tried);
	pd_result_stat_int(&c->r->result, "recoveries_cut", cut);
	pd_result_stat_int(&c->r->result, "confirming_executions", (int64_t)c->executions);
	pd_result_stat_int(&c->r->result, "confirming_recoveries",
			   (int64_t)c->check.board->executions);
}

/* No time for a race does not mean that it cannot happen. */
static void report_unfinished(const struct confirm *c)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < c->races.n; i++) {
		const struct race *r = &c->races.v[i];

		n += pd_confirm_is_unfinished(&r->is, &c->policy);
	}
	if (n)
		pd_limit_races_left(&c->r->result,
				    c->check.board->stop ? PD_UNCONFIRMED_INTERRUPT
				    : c->limited	 ? PD_UNCONFIRMED_TIME_LIMIT
							 : PD_UNCONFIRMED_CONFIRM,
				    n);
}

void pd_confirm(struct pd_watch_run *r, const struct pd_confirm *how)
{
	double asked = (double)how->time_ms / 1e3;
	struct confirm c = {.r = r,
			    .policy = {how->turns, how->acts},
			    .check = {.model = r->model,
				      .hang_ms = 10000,
				      .ok_exit = {1},
				      .capture = -1,
				      .input = -1,
				      .crashes = 1,
				      .jobs = 1,
				      .no_torn = true}};
	struct pd_error e;

	pd_arena_init(&c.check.arena, pd_host_memory());
	c.check.options = r->options;
	c.check.options.quiet = true;
	c.check.options.time_limit_ms = 0;
	c.seconds = pd_time_confirms(asked, (double)r->options.time_limit_ms / 1e3, r->spent);
	c.limited = c.seconds < asked;
	collect(&c);
	if (!pd_check_board(&c.check, &e) || !pd_check_processes(&c.check, &e) ||
	    !all_rounds(&c, &e))
		pd_limit_races_not_tried(&r->result, e.text);
	else
		report_unfinished(&c);
	if (c.check.board)
		finish_findings(&c);
	pd_check_finish(&c.check);
}
