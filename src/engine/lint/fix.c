/*
 * fix.c - see judge.h: corrects fixes in view of other findings and other callers.
 *
 * By itself, a needless flush or fence can be removed. That is wrong advice if a fence has nothing
 * to wait for because the flush before it is missing, or if the instruction is in a function that
 * other callers need (one whose name does not show that it is a wrapper: finding/place.c recognises
 * those).
 */
#include "engine/lint/judge.h"

static bool may_be_wrong(const struct pd_finding *f)
{
	return (f->kind == PD_KIND_LINT_EXTRA_FLUSH || f->kind == PD_KIND_LINT_EXTRA_FENCE) &&
	       f->nsites && !f->library;
}

/* A finding whose fix may be wrong, and how many callers it shares with code that needs that
 * line. */
struct candidate {
	struct pd_finding *f;
	uint32_t shared;
	bool needed;
};

struct candidates {
	PD_VEC(struct candidate) all;
};

/* ---- a fence without its flush -------------------------------------------------------------- */

/* Whether the frames of a place are those of a site, from its line outwards. */
static bool same_frames(const struct pd_finding_site *s, const struct pd_frame *frame, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (i > s->nstack || !pd_frame_same(i ? &s->stack[i - 1] : &s->at, &frame[i]))
			return false;
	return true;
}

/*
 * Whether the place is one of the fences of a finding. For a wrapper with one finding for all its
 * callers only the outermost line is known; otherwise all lines up to the caller must agree, since
 * a wrapper may have a second fence.
 */
static bool is_fence_of(const struct pd_finding *f, const struct pd_place *p)
{
	const struct pd_finding_site *s = &f->sites[0];

	if (p->caller >= p->n || p->library)
		return f->nsites == 1 && same_frames(s, p->frame + p->at, PD_MIN(p->n - p->at, 2));
	if (!s->nstack && pd_frame_same(&s->at, &p->frame[p->caller - 1]))
		for (uint32_t i = 1; i < f->nsites; i++)
			if (pd_frame_same(&f->sites[i].at, &p->frame[p->caller]))
				return true;
	return same_frames(s, p->frame + p->at, p->caller - p->at + 1);
}

static void flush_first(struct pd_lint_judge *j, struct pd_finding *fence,
			const struct pd_frame *store)
{
	struct pd_facts kept = pd_lint_with(j->arena, &fence->facts, PD_FACT_FIX, 0);
	struct pd_fact_list list = {.arena = j->arena};

	for (uint32_t i = 0; i < kept.n; i++)
		if (kept.v[i].key != PD_FACT_FIX_FILE && kept.v[i].key != PD_FACT_FIX_LINE &&
		    kept.v[i].key != PD_FACT_FIX_FUNCTION)
			pd_fact_add(&list, &kept.v[i]);
	pd_fact_put(&list, PD_FACT_FIX, PD_WORD_FIX_FLUSH_FIRST);
	pd_fact_put_text(&list, PD_FACT_FIX_FILE, store->file);
	pd_fact_put_if(&list, PD_FACT_FIX_LINE, store->line);
	pd_fact_put_text(&list, PD_FACT_FIX_FUNCTION, store->function);
	fence->facts = pd_facts_of(&list);
}

/* A flush is missing: finds the fences that it belongs before. */
static void correct_fences(struct pd_lint_judge *j, const struct pd_raw_finding *t,
			   const struct candidates *c)
{
	struct pd_place before, store;

	for (uint32_t i = 1; i < t->nsites; i++) {
		if (t->site[i].role != PD_ROLE_BEFORE ||
		    !pd_lint_place(j, t->site[i].place, PD_ROLE_FENCE, &before) ||
		    !pd_lint_place(j, t->site[0].place, PD_ROLE_STORE, &store))
			continue;
		for (uint32_t k = 0; k < c->all.n; k++)
			if (c->all.v[k].f->kind == PD_KIND_LINT_EXTRA_FENCE &&
			    is_fence_of(c->all.v[k].f, &before))
				flush_first(j, c->all.v[k].f, &store.frame[store.at]);
	}
}

/* ---- what others need ----------------------------------------------------------------------- */

static void compare(struct candidate *c, const struct pd_place *p)
{
	const struct pd_finding_site *s = &c->f->sites[0];
	uint32_t n = 0;

	if (!pd_frame_same(&s->at, &p->frame[p->at]))
		return;
	while (n < s->nstack && p->at + 1 + n < p->n &&
	       pd_frame_same(&s->stack[n], &p->frame[p->at + 1 + n]))
		n++;
	c->needed = true;
	c->shared = PD_MAX(c->shared, n);
}

static void ask_others(struct pd_lint_judge *j, struct candidates *c)
{
	struct pd_place p;

	for (uint32_t i = 0; i < j->lines.n; i++) {
		const struct pd_lint_source *l = &j->lines.v[i];

		if (pd_lint_is_mostly(l->needless, l->times) ||
		    !pd_lint_place(j, l->place, PD_ROLE_FLUSH, &p))
			continue;
		for (uint32_t k = 0; k < c->all.n; k++)
			compare(&c->all.v[k], &p);
	}
}

/* A caller that is shown is the one of a function that only flushes; only a caller of that one is
 * news. */
static bool is_beyond_shown(const struct pd_finding *f, uint32_t at)
{
	const struct pd_finding_site *s = &f->sites[0];

	if (f->nsites == 1)
		return true;
	for (uint32_t i = 0; i < at && f->nsites == 2; i++)
		if (pd_frame_same(&s->stack[i], &f->sites[1].at))
			return true;
	return false;
}

static void blame_caller(struct pd_lint_judge *j, const struct candidate *c)
{
	const struct pd_finding_site *s = &c->f->sites[0];
	struct pd_facts *facts = &c->f->facts;
	uint32_t at = c->shared;

	while (at < s->nstack && pd_frame_is_system(&s->stack[at]))
		at++;
	if (!c->needed || at >= s->nstack || !is_beyond_shown(c->f, at))
		return;
	*facts = pd_lint_with(j->arena, facts, PD_FACT_CALLER_DEPTH, at + 1);
	*facts = pd_lint_with(j->arena, facts, PD_FACT_FIX, PD_WORD_FIX_LEAVE_OUT_THERE);
}

void pd_lint_correct_fixes(struct pd_lint_judge *j)
{
	struct candidates c = {0};

	for (uint32_t i = 0; i < j->to->items.n; i++) {
		struct pd_finding *f = j->to->items.v[i];
		struct candidate *to = may_be_wrong(f) ? pd_vec_push(&c.all, j->arena) : NULL;

		if (to)
			*to = (struct candidate){.f = f};
	}
	if (!c.all.n)
		return;
	ask_others(j, &c);
	for (uint32_t i = 0; i < c.all.n; i++)
		blame_caller(j, &c.all.v[i]);
	for (uint32_t i = j->run->nraw; i-- > 0;) /* in reverse order: the first one wins */
		if (j->run->raw[i].count && j->run->raw[i].kind == PD_KIND_LINT_MISSING_FLUSH)
			correct_fences(j, &j->run->raw[i], &c);
}
