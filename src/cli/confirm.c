/* confirm.c - see confirm.h. */
#include "cli/confirm.h"
#include "cli/check.h"
#include "host/host.h"
#include <stdio.h>
#include <string.h>

enum verdict { POTENTIAL, BENIGN, EFFECT, FAILS };

struct confirm {
	struct pd_watch_run *r;
	const struct pd_confirm *how;
	struct pd_check_run check;
	uint64_t seed;
	uint64_t executions;
	bool late;
	struct pd_map verdicts; /* id of a finding -> enum verdict */
	const struct pd_board_run *failed; /* of the last try */
	uint32_t effect;
};

/* ---- one try --------------------------------------------------------------------------------- */

/* A recovery that failed and had read the older content of what the store has changed. */
static const struct pd_board_run *failed_without(const struct pd_board *b, const struct pd_board_run *until)
{
	for (const struct pd_board_run *x = b->findings; x && x != until; x = x->next)
		for (uint32_t i = 0; i < PD_MIN(x->nchoice, PD_BOARD_CHOICES); i++)
			if (x->choice[i].pick && x->choice[i].newest == b->hold.store)
				return x;
	return NULL;
}

static enum verdict try_once(struct confirm *c, uint32_t store, uint32_t load, bool early,
			     struct pd_error *e)
{
	struct pd_board *b = c->check.board;
	const struct pd_board_run *before = b->findings;

	b->hold = (struct pd_board_hold){.store = store, .load = load, .early = early};
	b->killed = 0;
	if (!pd_check_once(&c->check, ++c->seed, e))
		return POTENTIAL;
	c->executions++;
	c->failed = failed_without(b, before);
	if (c->failed)
		return FAILS;
	c->effect = b->hold.effect;
	if (!b->hold.effect)
		return POTENTIAL;
	return b->hold.judged ? BENIGN : EFFECT;
}

/* ---- what it means --------------------------------------------------------------------------- */

static const char *text(struct confirm *c, const char *how, const char *message)
{
	char buf[2400];

	snprintf(buf, sizeof(buf), "%s: %.2000s", how, message ? message : "");
	return pd_arena_strndup(&c->r->arena, buf, strlen(buf));
}

static void add_site(struct confirm *c, struct pd_finding *f, enum pd_role role, const struct pd_board_site *s)
{
	struct pd_finding_site *all = pd_new_array(&c->r->arena, struct pd_finding_site, f->nsites + 1);

	if (!all || !s)
		return;
	while (s->inlined_at && strstr(s->file, ".h"))
		s = s->inlined_at;
	memcpy(all, f->sites, f->nsites * sizeof(*all));
	all[f->nsites] = (struct pd_finding_site){
		.role = role,
		.at = {pd_arena_strndup(&c->r->arena, s->function, strlen(s->function)),
		       pd_arena_strndup(&c->r->arena, s->file, strlen(s->file)), s->line, s->column}};
	f->sites = all;
	f->nsites++;
}

static const struct pd_board_site *site_at(struct pd_board_site *const *table, uint32_t id)
{
	return id && id < PD_BOARD_SITES ? table[id] : NULL;
}

static void note(struct confirm *c, struct pd_finding *f, enum verdict v, const char *message)
{
	const struct pd_board *b = c->check.board;
	char outcome[300];

	f->confirmed = v == FAILS || v == EFFECT;
	if (v == FAILS) {
		pd_check_outcome_text(c->failed, outcome, sizeof(outcome));
		f->output = pd_arena_strndup(&c->r->arena, c->failed->output, c->failed->noutput);
		add_site(c, f, PD_ROLE_CRASH, site_at(b->first_site, c->failed->crash_site));
		f->message = text(c, "confirmed: recovery fails", message);
	} else if (v == EFFECT) {
		add_site(c, f, PD_ROLE_EFFECT, site_at(b->first_site, c->effect));
		f->message = text(c, "confirmed: effect without cause", message);
	} else if (v == BENIGN) {
		f->message = text(c, "recovery puts up with it", message);
	} else {
		f->message = text(c, "potential", message);
	}
}

/* ---- all of them ------------------------------------------------------------------------------ */

/* The static site that a place is at; 0: none. */
static uint32_t static_site(const struct pd_watched *w, uint32_t place)
{
	uint64_t *at = pd_map_get(&w->places, place);
	const struct pd_wire_record *r = at ? (const void *)(uintptr_t)*at : NULL;

	return r && r->nframes && r->frames[0].how == PD_WIRE_SITE ? r->frames[0].site : 0;
}

static bool in_time(struct confirm *c)
{
	c->late |= pd_check_seconds(&c->check) * 1e3 > (double)c->how->time_ms;
	return !c->late && !c->check.board->stop;
}

static enum verdict try_pair(struct confirm *c, uint32_t store, uint32_t load, struct pd_error *e)
{
	enum verdict best = POTENTIAL, v;

	for (uint32_t i = 0; i < c->how->tries && best != FAILS && in_time(c); i++) {
		v = try_once(c, store, load, i % 2, e);
		best = PD_MAX(best, v);
	}
	return best;
}

static void try_told(struct confirm *c, const struct pd_told *t, struct pd_error *e)
{
	uint64_t *id = pd_map_get(&c->r->watched.ids, t->number), *known;
	struct pd_finding *f = id ? pd_findings_get(&c->r->result.findings, *id) : NULL;
	uint32_t store = t->nsites ? static_site(&c->r->watched, t->site[0].place) : 0;
	const char *base = f ? f->message : NULL;

	if (!f || f->library || t->kind != PD_KIND_LOCKSET_PERSISTENT || !store)
		return;
	if (!in_time(c))
		return;
	known = pd_map_put(&c->verdicts, &c->r->arena, *id);
	for (uint32_t i = 0; known && i < t->nsites && *known != FAILS && in_time(c); i++) {
		enum verdict v;

		if (t->site[i].role != PD_ROLE_LOAD)
			continue;
		v = try_pair(c, store, static_site(&c->r->watched, t->site[i].place), e);
		if (v > (enum verdict)*known && v > BENIGN)
			note(c, f, v, base);
		*known = PD_MAX(*known, (uint64_t)v);
	}
}

static void finish_findings(struct confirm *c)
{
	struct pd_findings *fs = &c->r->result.findings;
	uint32_t n[4] = {0}, not_tried = 0;

	for (uint32_t i = 0; i < fs->items.n; i++) {
		struct pd_finding *f = fs->items.v[i];
		uint64_t *v = pd_map_get(&c->verdicts, f->id);

		if (f->kind != PD_KIND_LOCKSET_PERSISTENT)
			continue;
		if (!v) { /* in a library, or the time was over */
			not_tried++;
			continue;
		}
		n[*v]++;
		if (*v <= BENIGN)
			note(c, f, (enum verdict)*v, f->message);
		if (*v == BENIGN)
			f->kind = PD_KIND_LOCKSET_BENIGN;
	}
	pd_result_stat_int(&c->r->result, "confirmed_recovery_fails", n[FAILS]);
	pd_result_stat_int(&c->r->result, "confirmed_effect_without_cause", n[EFFECT]);
	pd_result_stat_int(&c->r->result, "potential", n[POTENTIAL]);
	pd_result_stat_int(&c->r->result, "benign", n[BENIGN]);
	pd_result_stat_int(&c->r->result, "not_tried", not_tried);
	pd_result_stat_int(&c->r->result, "confirming_executions", (int64_t)c->executions);
}

void pd_confirm(struct pd_watch_run *r, const struct pd_confirm *how)
{
	struct confirm c = {.r = r, .how = how,
			    .check = {.model = r->model, .hang_ms = 10000, .ok_exit = {1}, .capture = -1,
				      .input = -1, .crashes = 1, .jobs = 1, .no_torn = true}};
	struct pd_error e;

	pd_arena_init(&c.check.arena, pd_host_memory());
	c.check.options = r->options;
	c.check.options.quiet = true;
	c.seed = r->options.seed;
	if (!pd_check_board(&c.check, &e) || !pd_check_processes(&c.check, &e)) {
		pd_result_limit(&r->result, "races were not confirmed: %s", e.text);
	} else {
		for (uint32_t i = 0; i < r->watched.told.n; i++)
			if (r->watched.told.v[i].message)
				try_told(&c, &r->watched.told.v[i], &e);
		finish_findings(&c);
	}
	pd_check_finish(&c.check);
}
