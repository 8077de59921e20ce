/*
 * watch/fix.c - see watched.h: fixes that other findings, or other callers, have a say in.
 *
 * Of itself a needless flush or fence is to be left out. That is wrong advice where a fence has
 * nothing to wait for because a flush is missing before it, and where the instruction stands in a
 * function that others call and need (one that its name does not tell to be a wrapper:
 * watch/place.c knows those).
 */
#include "drive/watch/watched.h"
#include <stdio.h>
#include <string.h>

static bool is_extra(const struct pd_finding *f)
{
	return (f->kind == PD_KIND_LINT_EXTRA_FLUSH || f->kind == PD_KIND_LINT_EXTRA_FENCE) &&
	       f->nsites && !f->library;
}

static const char *keep(struct pd_watched *w, const char *text)
{
	return pd_arena_strndup(w->arena, text, strlen(text));
}

/* What may be needless for a reason, and how many callers it has in common with somebody who needs
 * that line. */
struct candidate {
	struct pd_finding *f;
	uint32_t shared;
	bool needed;
};

struct candidates {
	PD_VEC(struct candidate) all;
};

/* ---- a fence without its flush -------------------------------------------------------------- */

/* Whether frames of a place are those of a site, from its line outwards. */
static bool same_frames(const struct pd_finding_site *s, const struct pd_frame *frame, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (i > s->nstack || !pd_frame_same(i ? &s->stack[i - 1] : &s->at, &frame[i]))
			return false;
	return true;
}

/*
 * Whether it is one of the fences of a finding. Of a wrapper that has one for all its callers only
 * the outermost line is known; else all lines up to the caller must be the same, for a wrapper may
 * have a second fence.
 */
static bool is_fence_of(const struct pd_finding *f, const struct pd_watched_place *p)
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

static void mend_fence(struct pd_watched *w, struct pd_finding *fence,
		       const struct pd_watched_place *store)
{
	char text[400], place[200];

	pd_watched_short_place(&store->frame[store->at], place, sizeof(place));
	snprintf(text, sizeof(text),
		 "flush what %s stores before it: then it has something to wait for; leave it out "
		 "only if that need not be durable",
		 place);
	fence->fix = keep(w, text);
}

/* A missing flush: the fences before which it belongs. */
static void mend_fences(struct pd_watched *w, const struct pd_told *t, const struct candidates *c)
{
	static struct pd_watched_place before, store; /* large */

	for (uint32_t i = 1; i < t->nsites; i++) {
		if (t->site[i].role != PD_ROLE_BEFORE ||
		    !pd_watched_place(w, t->site[i].place, PD_ROLE_FENCE, &before) ||
		    !pd_watched_place(w, t->site[0].place, PD_ROLE_STORE, &store))
			continue;
		for (uint32_t k = 0; k < c->all.n; k++)
			if (c->all.v[k].f->kind == PD_KIND_LINT_EXTRA_FENCE &&
			    is_fence_of(c->all.v[k].f, &before))
				mend_fence(w, c->all.v[k].f, &store);
	}
}

/* ---- what others need ----------------------------------------------------------------------- */

static void compare(struct candidate *c, const struct pd_watched_place *p)
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

static void ask_others(struct pd_watched *w, struct candidates *c)
{
	static struct pd_watched_place p; /* large */

	for (uint32_t i = 0; i < w->lines.n; i++) {
		const struct pd_watched_line *l = &w->lines.v[i];

		if (4 * l->needless >= 3 * l->times ||
		    !pd_watched_place(w, l->place, PD_ROLE_FLUSH, &p))
			continue;
		for (uint32_t k = 0; k < c->all.n; k++)
			compare(&c->all.v[k], &p);
	}
}

static void tell_caller(struct pd_watched *w, const struct candidate *c)
{
	const struct pd_finding_site *s = &c->f->sites[0];
	const char *what = s->role == PD_ROLE_FLUSH ? "flush" : "fence";
	char text[PD_TOLD_TEXT * 2 + 300], place[200];
	uint32_t at = c->shared;

	while (at < s->nstack && pd_frame_is_system(&s->stack[at]))
		at++;
	if (!c->needed || c->f->nsites > 1 || at >= s->nstack)
		return;
	pd_watched_short_place(&s->stack[at], place, sizeof(place));
	snprintf(text, sizeof(text), "%s; called from %s, while other callers need the %s",
		 c->f->message, place, what);
	c->f->message = keep(w, text);
	snprintf(text, sizeof(text), "do without the %s at %s only; others need it", what, place);
	c->f->fix = keep(w, text);
}

void pd_watched_mend_fixes(struct pd_watched *w, struct pd_result *r)
{
	struct candidates c = {0};

	for (uint32_t i = 0; i < r->findings.items.n; i++) {
		struct pd_finding *f = r->findings.items.v[i];
		struct candidate *to = is_extra(f) ? pd_vec_push(&c.all, w->arena) : NULL;

		if (to)
			*to = (struct candidate){.f = f};
	}
	if (!c.all.n)
		return;
	ask_others(w, &c);
	for (uint32_t i = 0; i < c.all.n; i++)
		tell_caller(w, &c.all.v[i]);
	for (uint32_t i = w->told.n; i-- > 0;) /* the first one has the last word */
		if (w->told.v[i].count && w->told.v[i].kind == PD_KIND_LINT_MISSING_FLUSH)
			mend_fences(w, &w->told.v[i], &c);
}
