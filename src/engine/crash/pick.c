/* pick.c - see pick.h. */
#include "engine/crash/pick.h"
#include "engine/crash/least.h"
#include "engine/crash/random.h"

static bool is_suspect(struct pd_suspects all, const struct pd_line *line)
{
	for (uint32_t i = 0; i < all.n; i++)
		if (all.v[i].line == line->cur.line)
			return true;
	return false;
}

/* Fewest stores means the lowest versions, compared from the newest execution back. */
static bool is_older(const struct pd_vset *a, const struct pd_vset *b)
{
	for (uint32_t d = 0; d < a->ndim && d < b->ndim; d++)
		if (a->span[d].lo != b->span[d].lo)
			return a->span[d].lo < b->span[d].lo;
	return false;
}

/* The box of a set with the lowest versions, as a set. */
static struct pd_vset oldest_box(const struct pd_vset *set)
{
	struct pd_vset best = *set;

	for (uint32_t b = 1; b < set->nbox; b++) {
		struct pd_vset box = *set;

		box.span = set->span + (size_t)b * set->ndim;
		if (is_older(&box, &best))
			best = box;
	}
	return best;
}

static int64_t oldest(const pd_classes *classes)
{
	uint32_t best = 0;
	struct pd_vset box = oldest_box(&classes->v[0].set);

	for (uint32_t i = 1; i < classes->n; i++) {
		struct pd_vset other = oldest_box(&classes->v[i].set);

		if (is_older(&other, &box)) {
			best = i;
			box = other;
		}
	}
	return best;
}

static int64_t pick_worst(const struct pd_wish *w, const struct pd_line *line,
			  const pd_classes *classes)
{
	if (is_suspect(w->suspects, line))
		return pd_least_pick(w->suspects, line, classes);
	return w->worst == PD_WORST_FEW ? oldest(classes) : 0;
}

int64_t pd_pick(const struct pd_wish *w, uint32_t at, const struct pd_line *line,
		const pd_classes *classes)
{
	if (w->worst)
		return pick_worst(w, line, classes);
	if (w->forced)
		return pd_least_pick(w->suspects, line, classes);
	if (at < w->npick)
		return w->picks[at] < classes->n ? (int64_t)w->picks[at] : PD_PICK_DIVERGED;
	if (w->random)
		return pd_random_pick(w->random, w->bias, at, classes->n);
	return w->narrow ? 0 : PD_PICK_ALL;
}
