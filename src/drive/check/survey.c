/* check/survey.c - runs the program again, to learn what became of each of its stores. See
 * check/failure.h; engine/crash/survey.h evaluates it. */
#include "drive/check/failure.h"
#include "base/hash.h"
#include "base/map.h"
#include "engine/crash/point.h"
#include <string.h>

/* Schedules with failures, at most; failures of others are sorted without a survey. */
enum { SCHEDULES = 64, LEVELS = 15 };

struct schedule {
	uint64_t seed;
	uint32_t work; /* which operations (check/work.c) */
	const struct pd_survey *survey;
	struct pd_finding_site *places;
	struct pd_survey_calls calls;
	struct pd_surveyed surveyed;
	bool known;
};

struct surveying {
	struct pd_check_run *c;
	const struct pd_places *p;
	struct pd_explored *x;
	struct pd_failures *fs;
	struct schedule schedule[SCHEDULES];
	uint32_t n;
};

static struct schedule *find(struct surveying *s, uint64_t seed, uint32_t work)
{
	seed = pd_named_without_crash(seed);
	for (uint32_t i = 0; i < s->n; i++)
		if (s->schedule[i].seed == seed && s->schedule[i].work == work)
			return &s->schedule[i];
	return NULL;
}

/* ---- running -------------------------------------------------------------------------------- */

/* Runs the program to its end, without a crash. */
static const struct pd_survey *run(struct pd_check_run *c, uint64_t seed, uint32_t work)
{
	struct pd_again *again = &c->board->again;
	struct pd_choice never = {PD_CHOICE_CRASH, 0, PD_POINT_NEVER};
	struct pd_witness w = {true, 1, pd_schedule_of(seed), &never, NULL, work};
	const struct pd_crash_run *failed;
	struct pd_error e;
	bool ok;

	again->surveys = 1;
	again->survey = NULL;
	ok = !c->board->stop && pd_check_again(c, &w, &failed, &e);
	again->surveys = 0;
	return ok ? again->survey : NULL;
}

/* Whether it has lost something of the first execution, or may have seen something that no
 * transaction has logged. */
static bool asks(const struct surveying *s, const struct pd_failure *f)
{
	if (f->surveys || (f->run->depth == 1 && s->c->first.channel->events[PD_EV_TX_BEGIN]))
		return true;
	for (uint32_t i = 0; i < f->n; i++)
		if (!f->blame[i].lost.exec && f->blame[i].lost.order)
			return true;
	return false;
}

static void run_all(struct surveying *s)
{
	for (uint32_t i = 0; i < s->fs->n; i++) {
		uint64_t seed = pd_named_without_crash(s->fs->v[i].run->seed);
		uint32_t work = s->fs->v[i].run->work;

		if (find(s, seed, work) || s->n == SCHEDULES || !asks(s, &s->fs->v[i]))
			continue;
		s->schedule[s->n++] = (struct schedule){
			.seed = seed, .work = work, .survey = run(s->c, seed, work)};
	}
}

/* ---- what it shows -------------------------------------------------------------------------- */

static void find_places(struct surveying *s, struct schedule *to)
{
	const struct pd_survey *v = to->survey;

	to->places = v ? pd_new_array(s->p->arena, struct pd_finding_site, v->nplace + 1) : NULL;
	for (uint32_t i = 0; to->places && i < v->nplace; i++)
		to->places[i] = pd_place(s->p, PD_ROLE_STORE, false,
					 pd_explored_site(s->x, 0, v->place[i].site),
					 v->place[i].stack, v->place[i].nstack);
	if (to->places)
		pd_survey_calls_init(&to->calls, v, to->places, s->p->arena);
}

static uint64_t digest(uint64_t line, const char *file, const char *function)
{
	struct pd_digest d = PD_DIGEST_INIT;

	pd_digest_u64(&d, line);
	if (file)
		pd_digest_bytes(&d, file, strlen(file));
	if (function)
		pd_digest_bytes(&d, function, strlen(function));
	return d.a >> 1;
}

/* Copies of one store in functions that it was inlined into count as one. */
static uint64_t key_of(const struct pd_explored *x, uint32_t site)
{
	const struct pd_board_site *v = pd_explored_site(x, 0, site);

	return v ? digest(v->at.line, v->at.file, v->at.function) : 0;
}

/* Finds functions that called others which stored. */
static void find_callers(const struct surveying *s, const struct schedule *v,
			 struct pd_map *callers)
{
	for (uint32_t i = 0; v->places && i < v->survey->nplace; i++) {
		const struct pd_finding_site *p = &v->places[i];
		const struct pd_board_site *site =
			pd_explored_site(s->x, 0, v->survey->place[i].site);

		for (uint32_t k = 0; site && site->stores && k < p->nstack; k++)
			if (p->stack[k].function && p->at.function &&
			    strcmp(p->stack[k].function, p->at.function) != 0)
				pd_map_put(callers, s->p->arena,
					   digest(0, p->stack[k].file, p->stack[k].function));
	}
}

static void mark_callers(struct surveying *s, const struct pd_map *callers, uint8_t *does_more)
{
	for (uint32_t i = 1; i < s->x->nsite; i++) {
		const struct pd_board_site *v = pd_explored_site(s->x, 0, i);

		does_more[i] = v && v->at.function &&
			       pd_map_get(callers, digest(0, v->at.file, v->at.function));
	}
	s->x->does_more = does_more;
}

/* The outermost function that makes a store durable in time is responsible. `levels`: 1 + that
 * level, by key. */
static void find_levels(const struct surveying *s, const struct schedule *v, struct pd_map *levels)
{
	uint32_t n;

	for (uint32_t i = 0; v->places && i < v->survey->nway; i++) {
		const struct pd_survey_way *w = &v->survey->way[i];
		uint64_t *to;

		if (!pd_survey_level(&v->calls, w, &n) || n >= LEVELS)
			continue;
		to = pd_map_put(levels, s->p->arena,
				key_of(s->x, v->survey->place[w->store - 1].site));
		if (to && n + 1 > *to)
			*to = n + 1;
	}
}

/* By site, for all that have a place; `final` as in pd_store_level. */
static void spread_levels(struct surveying *s, const struct pd_map *levels, uint8_t *level,
			  uint8_t *final)
{
	s->x->level = level;
	for (uint32_t k = 0; k < s->n; k++) {
		const struct schedule *v = &s->schedule[k];

		for (uint32_t i = 0; v->places && i < v->survey->nplace; i++) {
			uint32_t site = v->survey->place[i].site;
			uint64_t *n = pd_map_get(levels, key_of(s->x, site));

			if (site >= s->x->nsite || final[site] != UINT8_MAX)
				continue;
			level[site] = n ? (uint8_t)*n : 0;
			final[site] = (uint8_t)pd_store_level(s->x, site, 0);
		}
	}
}

static void judge(struct surveying *s)
{
	uint32_t n = s->x->nsite;
	uint8_t *level = pd_new_array(s->p->arena, uint8_t, n);
	uint8_t *final = pd_new_array(s->p->arena, uint8_t, n);
	uint8_t *does_more = pd_new_array(s->p->arena, uint8_t, n);
	struct pd_map levels = {0}, forgotten = {0}, callers = {0};

	if (!level || !final || !does_more)
		return;
	memset(final, UINT8_MAX, n);
	for (uint32_t k = 0; k < s->n; k++) {
		find_levels(s, &s->schedule[k], &levels);
		find_callers(s, &s->schedule[k], &callers);
	}
	mark_callers(s, &callers, does_more);
	spread_levels(s, &levels, level, final);
	for (uint32_t k = 0; k < 2 * s->n; k++) { /* twice: see pd_survey_judge */
		struct schedule *v = &s->schedule[k % s->n];

		v->known = v->places && pd_survey_judge(v->survey, &v->calls, final, n, &forgotten,
							&v->surveyed, s->p->arena);
		if (s->c->recover) /* its sites belong to another program */
			v->surveyed.nsite = 0;
	}
}

void pd_survey_failures(struct pd_check_run *c, const struct pd_places *p, struct pd_explored *x,
			struct pd_failures *fs)
{
	struct surveying *s = fs->n ? pd_new(p->arena, struct surveying) : NULL;

	if (!s)
		return;
	*s = (struct surveying){.c = c, .p = p, .x = x, .fs = fs};
	run_all(s);
	for (uint32_t k = 0; k < s->n; k++)
		find_places(s, &s->schedule[k]);
	judge(s);
	for (uint32_t i = 0; i < fs->n; i++) {
		const struct schedule *v = find(s, fs->v[i].run->seed, fs->v[i].run->work);

		if (v && v->known)
			fs->v[i].surveyed = &v->surveyed;
	}
}
