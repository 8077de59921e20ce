/* survey.c - see survey.h. */
#include "engine/crash/survey.h"
#include "base/hash.h"
#include "base/map.h"
#include "finding/text.h"

const struct pd_frame *pd_survey_frame(const struct pd_finding_site *s, uint32_t level)
{
	level = PD_MIN(level, s->nstack);
	return level ? &s->stack[level - 1] : &s->at;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && pd_text_cmp(a, b) == 0);
}

uint32_t pd_survey_common(const struct pd_finding_site *a, const struct pd_finding_site *b)
{
	uint32_t n = 0;

	while (n <= a->nstack && n <= b->nstack) {
		const struct pd_frame *x = pd_survey_frame(a, a->nstack - n);
		const struct pd_frame *y = pd_survey_frame(b, b->nstack - n);

		if (!x->function || !same_text(x->function, y->function) ||
		    !same_text(x->file, y->file))
			break;
		n++;
		if (x->line != y->line)
			break;
	}
	return n;
}

/* ---- calls ---------------------------------------------------------------------------------- */

static uint32_t depth_of(const struct pd_survey_calls *c, uint32_t call)
{
	return call ? c->calls.v[call - 1].depth : 0;
}

/* The call at this depth around `call`, or `call` itself. */
static uint32_t call_around(const struct pd_survey_calls *c, uint32_t call, uint32_t depth)
{
	while (depth_of(c, call) > depth)
		call = c->calls.v[call - 1].from;
	return call;
}

/* Calls active at both places continue; all deeper ones were made since the previous visit. */
static bool add_visit(struct pd_survey_calls *c, const struct pd_survey *s, uint32_t i,
		      struct pd_arena *a)
{
	const struct pd_survey_visit *v = &s->visit[i];
	const struct pd_finding_site *to = &c->places[v->place - 1];
	uint32_t from = v->before ? s->visit[v->before - 1].place : 0;
	uint32_t kept = from ? pd_survey_common(&c->places[from - 1], to) : 0;
	uint32_t call = v->before ? call_around(c, c->at[v->before - 1], kept) : 0;

	for (uint32_t depth = depth_of(c, call); depth < to->nstack + 1; depth++) {
		struct pd_survey_call *made = pd_vec_push(&c->calls, a);

		if (!made)
			return false;
		*made = (struct pd_survey_call){call, depth + 1};
		call = c->calls.n;
	}
	c->at[i] = call;
	return true;
}

bool pd_survey_calls_init(struct pd_survey_calls *c, const struct pd_survey *s,
			  const struct pd_finding_site *places, struct pd_arena *a)
{
	*c = (struct pd_survey_calls){.places = places, .nvisit = s->nvisit};
	c->at = pd_new_array(a, uint32_t, s->nvisit + 1);
	for (uint32_t i = 0; c->at && i < s->nvisit; i++)
		if (!add_visit(c, s, i, a))
			c->at = NULL;
	return c->at;
}

uint32_t pd_survey_call(const struct pd_survey_calls *c, uint32_t visit, uint32_t up)
{
	uint32_t call = c->at && visit ? c->at[visit - 1] : 0;

	return depth_of(c, call) > up ? call_around(c, call, depth_of(c, call) - up) : 0;
}

bool pd_survey_is_active(const struct pd_survey_calls *c, uint32_t call, uint32_t visit)
{
	return c->at && call_around(c, c->at[visit - 1], depth_of(c, call)) == call;
}

uint32_t pd_survey_ended(const struct pd_survey_calls *c, uint32_t visit, uint32_t later)
{
	uint32_t call = pd_survey_call(c, visit, 0), n = 0;

	for (; call && later && !pd_survey_is_active(c, call, later); n++)
		call = c->calls.v[call - 1].from;
	return n;
}

/* How many calls, from the outermost one, are active at both visits. */
static uint32_t shared(const struct pd_survey_calls *c, uint32_t place, uint32_t visit,
		       uint32_t other_place, uint32_t other_visit)
{
	uint32_t n = pd_survey_common(&c->places[place - 1], &c->places[other_place - 1]);
	uint32_t x, y;

	if (!c->at || !visit || !other_visit)
		return n;
	x = call_around(c, c->at[visit - 1], n);
	y = call_around(c, c->at[other_visit - 1], n);
	while (x != y) {
		uint32_t depth = PD_MIN(depth_of(c, x), depth_of(c, y)) - 1;

		x = call_around(c, x, depth);
		y = call_around(c, y, depth);
	}
	return depth_of(c, x);
}

static uint32_t shared_by_flush(const struct pd_survey_calls *c, const struct pd_survey_way *w)
{
	return shared(c, w->store, w->store_visit, w->flush, w->flush_visit);
}

/* The flush is nearer to the last store to the line than to this one. */
static bool is_chance(const struct pd_survey_calls *c, const struct pd_survey_way *w)
{
	return w->last &&
	       shared_by_flush(c, w) < shared(c, w->last, w->last_visit, w->flush, w->flush_visit);
}

/* For a flush that is meant for this store: sets *level to the number of calls up from it. */
static bool flush_level(const struct pd_survey_calls *c, const struct pd_survey_way *w,
			uint32_t *level)
{
	uint32_t common = shared_by_flush(c, w);

	*level = c->places[w->store - 1].nstack + 1 - common;
	return common && !is_chance(c, w);
}

bool pd_survey_level(const struct pd_survey_calls *c, const struct pd_survey_way *w,
		     uint32_t *level)
{
	return flush_level(c, w, level) && (w->timely || !*level);
}

/* ---- owners and fates ----------------------------------------------------------------------- */

static uint64_t owner_of(const struct pd_finding_site *s, uint32_t level)
{
	const struct pd_frame *f = pd_survey_frame(s, level);
	struct pd_digest d = PD_DIGEST_INIT;

	if (!level)
		return 0;
	pd_digest_u64(&d, f->line);
	for (uint32_t i = 0; i < 2; i++) {
		const char *text = i ? f->file : f->function;

		if (text)
			pd_digest_bytes(&d, text, pd_text_len(text));
	}
	return d.a;
}

/* A late flush from farther up than the owner is by chance: it covers everything. */
static enum pd_at_end end_of(const struct pd_survey *s, const struct pd_survey_calls *calls,
			     uint32_t fate, uint32_t owner)
{
	const struct pd_survey_way *w;
	uint32_t level;

	if (fate & PD_SURVEY_OPEN)
		return PD_AT_END_OPEN;
	if (!fate)
		return PD_AT_END_DURABLE;
	w = &s->way[fate - 1];
	return flush_level(calls, w, &level) && (w->timely || level <= owner) ? PD_AT_END_FLUSHED
									      : PD_AT_END_CHANCE;
}

/* The level of the site of a place. */
static uint32_t level_at(const struct pd_survey *s, uint32_t place, const uint8_t *level,
			 uint32_t nsite)
{
	uint32_t site = place ? s->place[place - 1].site : 0;

	return site < nsite ? level[site] : 0;
}

struct judge {
	const struct pd_survey *s;
	uint64_t *owner;
	uint8_t *at_end;
	struct pd_map *forgotten;
	struct pd_arena *arena;
};

static uint64_t key_of(const struct judge *j, uint32_t i)
{
	const struct pd_survey *s = j->s;

	return pd_mix(j->owner[i] ^ (s->placed[i] ? s->place[s->placed[i] - 1].site : 0)) >> 1;
}

/*
 * A store that is durable by chance counts as forgotten if another store of its owner is open, in
 * any schedule.
 */
static bool judge_chance(struct judge *j)
{
	for (uint32_t i = 0; i < j->s->n; i++)
		if (j->at_end[i] == PD_AT_END_OPEN &&
		    !pd_map_put(j->forgotten, j->arena, key_of(j, i)))
			return false;
	for (uint32_t i = 0; i < j->s->n; i++)
		if (j->at_end[i] == PD_AT_END_CHANCE && pd_map_get(j->forgotten, key_of(j, i)))
			j->at_end[i] = PD_AT_END_OPEN;
	return true;
}

/* Sets owner and fate of the sites whose stores all agree. */
static void judge_sites(const struct judge *j, struct pd_surveyed *to, uint8_t *seen)
{
	for (uint32_t i = 0; i < j->s->n; i++) {
		uint32_t site = j->s->placed[i] ? j->s->place[j->s->placed[i] - 1].site : 0;

		if (site >= to->nsite)
			continue;
		if (!seen[site]) {
			to->site_owner[site] = j->owner[i];
			to->site_at_end[site] = j->at_end[i];
		}
		if (to->site_owner[site] != j->owner[i])
			to->site_owner[site] = 0;
		if (to->site_at_end[site] != j->at_end[i])
			to->site_at_end[site] = PD_AT_END_UNKNOWN;
		seen[site] = 1;
	}
}

bool pd_survey_judge(const struct pd_survey *s, const struct pd_survey_calls *calls,
		     const uint8_t *level, uint32_t nsite, struct pd_map *forgotten,
		     struct pd_surveyed *to, struct pd_arena *a)
{
	uint64_t *of_place = pd_new_array(a, uint64_t, s->nplace + 1);
	struct judge j = {s, pd_new_array(a, uint64_t, s->n + 1),
			  pd_new_array(a, uint8_t, s->n + 1), forgotten, a};
	uint8_t *seen = pd_new_array(a, uint8_t, nsite + 1);

	*to = (struct pd_surveyed){s->n,
				   j.owner,
				   j.at_end,
				   nsite,
				   pd_new_array(a, uint64_t, nsite + 1),
				   pd_new_array(a, uint8_t, nsite + 1),
				   s->nunlogged,
				   s->unlogged,
				   calls->places,
				   s->place,
				   pd_spans_of(s, calls, a),
				   s->placed};
	if (!of_place || !j.owner || !j.at_end || !seen || !to->site_owner || !to->site_at_end)
		return false;
	for (uint32_t i = 0; i < s->nplace; i++)
		of_place[i + 1] = owner_of(&calls->places[i], level_at(s, i + 1, level, nsite));
	for (uint32_t i = 0; i < s->n; i++) {
		j.owner[i] = of_place[s->placed[i]];
		j.at_end[i] = (uint8_t)end_of(s, calls, s->fate[i],
					      level_at(s, s->placed[i], level, nsite));
	}
	if (!judge_chance(&j))
		return false;
	judge_sites(&j, to, seen);
	return true;
}
