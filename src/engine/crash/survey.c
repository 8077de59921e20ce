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

/* The flush is nearer to the last store of the line than to this one. */
static bool is_chance(const struct pd_finding_site *places, const struct pd_survey_way *w)
{
	const struct pd_finding_site *flush = &places[w->flush - 1];

	return w->last && pd_survey_common(&places[w->store - 1], flush) <
				  pd_survey_common(&places[w->last - 1], flush);
}

/* A flush that is for this store: how many calls away from it. */
static bool flush_level(const struct pd_finding_site *places, const struct pd_survey_way *w,
			uint32_t *level)
{
	const struct pd_finding_site *store = &places[w->store - 1];
	uint32_t common = pd_survey_common(store, &places[w->flush - 1]);

	*level = store->nstack + 1 - common;
	return common && !is_chance(places, w);
}

bool pd_survey_level(const struct pd_finding_site *places, const struct pd_survey_way *w,
		     uint32_t *level)
{
	return flush_level(places, w, level) && (w->timely || !*level);
}

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

/* Late, and from farther away than where its owner is: whoever flushes there does so for all. */
static enum pd_at_end end_of(const struct pd_survey *s, const struct pd_finding_site *places,
			     uint32_t fate, uint32_t owner)
{
	const struct pd_survey_way *w = &s->way[(fate & ~PD_SURVEY_OPEN) - 1];
	uint32_t level;

	if (fate & PD_SURVEY_OPEN)
		return PD_AT_END_OPEN;
	if (!fate)
		return PD_AT_END_DURABLE;
	return flush_level(places, w, &level) && (w->timely || level <= owner) ? PD_AT_END_FLUSHED
									       : PD_AT_END_CHANCE;
}

/* Of the site of a place. */
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

/* What is durable by chance was forgotten, if another one of its owner was, in whichever schedule. */
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

/* Sites of which all stores have the same. */
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

bool pd_survey_judge(const struct pd_survey *s, const struct pd_finding_site *places,
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
				   pd_new_array(a, uint8_t, nsite + 1)};
	if (!of_place || !j.owner || !j.at_end || !seen || !to->site_owner || !to->site_at_end)
		return false;
	for (uint32_t i = 0; i < s->nplace; i++)
		of_place[i + 1] = owner_of(&places[i], level_at(s, i + 1, level, nsite));
	for (uint32_t i = 0; i < s->n; i++) {
		j.owner[i] = of_place[s->placed[i]];
		j.at_end[i] = (uint8_t)end_of(s, places, s->fate[i],
					      level_at(s, s->placed[i], level, nsite));
	}
	if (!judge_chance(&j))
		return false;
	judge_sites(&j, to, seen);
	return true;
}
