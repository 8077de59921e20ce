/*
 * watch/callers.c - see watched.h: one finding for many callers, or one for each of them.
 *
 * A needless flush or fence in a function that does nothing else (persist()) is its callers' fault,
 * as a rule, each of which has a finding of its own. But what is needless for all of them, as a
 * second fence in persist() is, has nothing to do with them: then it is one finding, about the
 * instruction, that lists who calls it and how often. For that it must be known who calls it and
 * needs it: w->times has all places where flushes and fences were executed. What is needless only
 * now and then is a note, and one for all callers.
 */
#include "base/hash.h"
#include "base/out.h"
#include "drive/watch/watched.h"
#include "engine/lint/lint.h"
#include <stdio.h>
#include <string.h>

enum { CALLERS_NAMED = 4, CALLERS_SHOWN = 8 };

/* From where on what is needless only at times is more than a note: docs/decisions/0009. */
enum { COSTLY_NS = 2000, COSTLY_PART = 10 };

/* ---- stacks that end in the same line ------------------------------------------------------- */

/* The one that is told. */
struct callers {
	uint32_t n;
	uint64_t count;
	const char *message; /* without the others */
};

bool pd_watched_says_how_often(enum pd_kind kind)
{
	return kind == PD_KIND_LINT_EXTRA_FLUSH || kind == PD_KIND_LINT_EXTRA_FENCE ||
	       kind == PD_KIND_LINT_EXTRA_AT_TIMES || kind == PD_KIND_LINT_FLUSH_VOLATILE ||
	       kind == PD_KIND_LINT_REDUNDANT_LOG;
}

/* One line is one finding, whoever calls it: the message is about who does most often, and says
 * so. */
static void add_with_callers(struct pd_watched *w, const struct pd_finding *f, uint64_t id,
			     struct pd_result *r)
{
	uint64_t *at = pd_map_put(&w->callers, w->arena, id);
	struct callers *c =
		at && *at ? (struct callers *)(uintptr_t)*at : pd_new(w->arena, struct callers);
	struct pd_finding *known = pd_findings_get(&r->findings, id);
	char text[PD_TOLD_TEXT * 2];

	if (!at || !c || !known || !c->n) {
		if (at && c) {
			*c = (struct callers){1, f->count, f->message};
			*at = (uintptr_t)c;
		}
		pd_findings_add(&r->findings, f);
		return;
	}
	c->n++;
	known->count += PD_MAX(f->count, 1);
	if (f->count > c->count || (f->count == c->count && strcmp(f->message, c->message) < 0)) {
		known->sites = f->sites;
		known->nsites = f->nsites;
		known->fix = f->fix;
		c->message = f->message;
		c->count = f->count;
	}
	snprintf(text, sizeof(text), "%s; the most frequent of %u callers", c->message, c->n);
	known->message = pd_arena_strndup(w->arena, text, strlen(text));
}

void pd_watched_add_caller(struct pd_watched *w, const struct pd_finding *f, struct pd_result *r)
{
	add_with_callers(w, f, pd_finding_id(f), r);
}

/* ---- places that are one line --------------------------------------------------------------- */

static bool is_extra(enum pd_kind kind)
{
	return kind == PD_KIND_LINT_EXTRA_FLUSH || kind == PD_KIND_LINT_EXTRA_FENCE ||
	       kind == PD_KIND_LINT_EXTRA_AT_TIMES;
}

static void digest_frame(struct pd_digest *d, const struct pd_frame *f)
{
	const char *file = f->file ? f->file : "", *function = f->function ? f->function : "";

	pd_digest_bytes(d, file, strlen(file));
	pd_digest_bytes(d, function, strlen(function));
	pd_digest_u64(d, f->line);
}

static uint64_t digest_of(const struct pd_frame *frame, uint32_t n)
{
	struct pd_digest d = PD_DIGEST_INIT;

	for (uint32_t i = 0; i < n; i++)
		digest_frame(&d, &frame[i]);
	return d.a >> 1; /* UINT64_MAX is not a key */
}

static struct pd_watched_line *line_of(struct pd_watched *w, uint32_t place)
{
	static struct pd_watched_place p; /* large */
	struct pd_watched_line *l;
	uint64_t digest, *at;

	if (!pd_watched_place(w, place, PD_ROLE_FLUSH, &p))
		return NULL;
	digest = digest_of(p.frame, p.n);
	at = pd_map_put(&w->by_digest, w->arena, digest);
	if (at && *at)
		return &w->lines.v[*at - 1];
	l = at ? pd_vec_push(&w->lines, w->arena) : NULL;
	if (!l)
		return NULL;
	*l = (struct pd_watched_line){
		.digest = digest, .place = place, .library = p.library || p.system};
	*at = w->lines.n;
	return l;
}

/* Into the first that was told of the line; the other is no finding any more. */
static void join_told(struct pd_watched *w, struct pd_told *t)
{
	struct pd_watched_line *l = line_of(w, t->site[0].place);
	struct pd_told *first = l && l->told ? &w->told.v[l->told - 1] : NULL;

	if (!l)
		return;
	l->needless += t->count;
	l->times += t->of;
	if (!first || first->site[0].role != t->site[0].role) {
		l->told = t->number + 1;
		return;
	}
	first->count += t->count;
	first->weight += t->weight;
	if (t->count > first->count - t->count)
		first->message = t->message;
	t->count = 0;
}

static bool is_told(const struct pd_told *t)
{
	return t->count && t->of && t->nsites && is_extra((enum pd_kind)t->kind);
}

/* Needed as a rule, but what is not is a good part of all flushing, and enough to be sure of
 * that. */
static bool is_costly(const struct pd_watched *w, uint64_t ns)
{
	return ns >= COSTLY_NS && ns * COSTLY_PART >= w->flushing_ns && w->flushing_ns;
}

static void judge_line(struct pd_watched *w, const struct pd_watched_line *l)
{
	struct pd_told *t = l->told ? &w->told.v[l->told - 1] : NULL;

	if (!t)
		return;
	t->of = l->times;
	t->kind = 4 * t->count < 3 * t->of && !is_costly(w, t->weight) ? PD_KIND_LINT_EXTRA_AT_TIMES
		  : t->site[0].role == PD_ROLE_FENCE		       ? PD_KIND_LINT_EXTRA_FENCE
								       : PD_KIND_LINT_EXTRA_FLUSH;
}

void pd_watched_join_places(struct pd_watched *w)
{
	struct pd_map told = {0};
	struct pd_watched_line *l;
	bool any = false;

	for (uint32_t i = 0; i < w->told.n; i++)
		if (is_told(&w->told.v[i])) {
			pd_map_put(&told, w->arena, w->told.v[i].site[0].place);
			join_told(w, &w->told.v[i]);
			any = true;
		}
	for (uint32_t i = 0; any && i < w->times.n; i++) {
		const struct pd_watched_times *t = &w->times.v[i];

		if (!(l = line_of(w, t->place)))
			continue;
		if (!pd_map_get(&told, t->place))
			l->times += t->n;
		if (!l->library)
			w->flushing_ns += t->n * (t->fence ? PD_LINT_NS_FENCE : PD_LINT_NS_FLUSH);
	}
	for (uint32_t i = 0; i < w->lines.n; i++)
		judge_line(w, &w->lines.v[i]);
}

static const char *extra_fix(bool flush, bool always)
{
	if (flush)
		return always ? "leave the flush out" : "flush only lines that have changed";
	return always ? "leave the fence out" : "fence only after something was flushed";
}

const char *pd_watched_extra_fix(const struct pd_told *t)
{
	return extra_fix(t->site[0].role == PD_ROLE_FLUSH, t->count == t->of);
}

static void put_cost(const struct pd_watched *w, struct pd_out *o, uint64_t ns)
{
	pd_lint_put_cost(o, ns);
	if (is_costly(w, ns))
		pd_outf(o, ", %lu%% of what all flushes and fences cost",
			(unsigned long)(ns * 100 / w->flushing_ns));
}

const char *pd_watched_with_cost(struct pd_watched *w, const char *message, uint64_t ns)
{
	char text[PD_TOLD_TEXT * 2];
	struct pd_outbuf o;

	if (!ns || !message)
		return message;
	pd_outbuf_init(&o, text, sizeof(text));
	pd_outs(&o.out, message);
	put_cost(w, &o.out, ns);
	return pd_arena_strndup(w->arena, text, o.n);
}

/* ---- who uses what flushes ------------------------------------------------------------------ */

/* Whether it is about a function that only flushes or fences, and who calls that. */
static bool is_wrapped(const struct pd_finding *f)
{
	return is_extra(f->kind) && !f->library && f->nsites == 2 &&
	       f->sites[1].role == PD_ROLE_CALLER;
}

/* How many of the callers are such functions themselves. */
static uint32_t wrappers(const struct pd_finding *f)
{
	uint32_t n = 0;

	while (n < f->sites[0].nstack && !pd_frame_same(&f->sites[0].stack[n], &f->sites[1].at))
		n++;
	return n;
}

/* From the instruction to the outermost of them, whose line is to be mended. */
static uint64_t way_of(const struct pd_finding *f)
{
	struct pd_digest d = PD_DIGEST_INIT;

	digest_frame(&d, &f->sites[0].at);
	for (uint32_t i = 0; i < wrappers(f); i++)
		digest_frame(&d, &f->sites[0].stack[i]);
	return d.a >> 1;
}

static struct pd_watched_use *use_of(const struct pd_watched *w, uint64_t way,
				     const struct pd_frame *caller)
{
	for (uint32_t i = 0; i < w->uses.n; i++)
		if (w->uses.v[i].way == way && pd_frame_same(&w->uses.v[i].caller, caller))
			return &w->uses.v[i];
	return NULL;
}

static void count_uses(struct pd_watched *w)
{
	static struct pd_watched_place p; /* large */

	for (uint32_t i = 0; i < w->lines.n; i++) {
		const struct pd_watched_line *l = &w->lines.v[i];
		struct pd_watched_use *u;
		uint64_t way;

		if (!pd_watched_place(w, l->place, PD_ROLE_FLUSH, &p) || p.library ||
		    p.caller >= p.n)
			continue;
		way = digest_of(p.frame + p.at, p.caller - p.at);
		u = use_of(w, way, &p.frame[p.caller]);
		if (!u && (u = pd_vec_push(&w->uses, w->arena)))
			*u = (struct pd_watched_use){way, p.frame[p.caller], 0, 0};
		if (u) {
			u->needless += l->needless;
			u->times += l->times;
		}
	}
}

/* ---- one for all of them -------------------------------------------------------------------- */

struct joined {
	uint64_t way;
	uint32_t callers;
	uint32_t faulty; /* of which three of four are needless */
	uint64_t times;
	uint64_t needless;		   /* of the parts */
	PD_VEC(struct pd_finding *) parts; /* most needless first */
	bool notes;
	bool flush;
};

static void count_callers(const struct pd_watched *w, struct joined *j)
{
	for (uint32_t i = 0; i < w->uses.n; i++) {
		const struct pd_watched_use *u = &w->uses.v[i];

		if (u->way != j->way)
			continue;
		j->callers++;
		j->faulty += 4 * u->needless >= 3 * u->times;
		j->times += u->times;
	}
	j->notes = j->faulty < j->callers;
}

/* Findings that become one: all, or those that are notes. */
static bool is_part(const struct joined *j, const struct pd_finding *f)
{
	return is_wrapped(f) && way_of(f) == j->way &&
	       (!j->notes || f->kind == PD_KIND_LINT_EXTRA_AT_TIMES);
}

static void add_part(struct pd_watched *w, struct joined *j, struct pd_finding *f)
{
	struct pd_finding **to = pd_vec_push(&j->parts, w->arena);
	uint32_t i = j->parts.n - 1;

	if (!to)
		return;
	j->needless += f->count;
	for (; i && j->parts.v[i - 1]->count < f->count; i--)
		j->parts.v[i] = j->parts.v[i - 1];
	j->parts.v[i] = f;
}

static void put_callers(struct pd_watched *w, const struct joined *j, struct pd_out *o)
{
	char place[300];

	for (uint32_t i = 0; i < PD_MIN(j->parts.n, CALLERS_NAMED); i++) {
		const struct pd_frame *caller = &j->parts.v[i]->sites[1].at;
		const struct pd_watched_use *u = use_of(w, j->way, caller);

		pd_watched_short_place(caller, place, sizeof(place));
		pd_outf(o, "%s %s (%lu of %lu)", i ? "," : "", place,
			(unsigned long)j->parts.v[i]->count, (unsigned long)(u ? u->times : 0));
	}
	if (j->parts.n > CALLERS_NAMED)
		pd_outf(o, ", and %u more", j->parts.n - CALLERS_NAMED);
}

static const char *join_message(struct pd_watched *w, const struct joined *j,
				const struct pd_frame *at)
{
	char text[PD_TOLD_TEXT * 2], place[300];
	struct pd_outbuf o;

	pd_outbuf_init(&o, text, sizeof(text));
	pd_watched_short_place(at, place, sizeof(place));
	pd_outf(&o.out, "%lu of %lu %s at %s have nothing to %s, ", (unsigned long)j->needless,
		(unsigned long)j->times, j->flush ? "flushes" : "fences", place,
		j->flush ? "write back" : "wait for");
	if (j->notes)
		pd_outf(&o.out, "for %u of %u callers:", j->parts.n, j->callers);
	else
		pd_outf(&o.out, "whichever of %u callers it is for:", j->callers);
	put_callers(w, j, &o.out);
	put_cost(w, &o.out, j->needless * (j->flush ? PD_LINT_NS_FLUSH : PD_LINT_NS_FENCE));
	return pd_arena_strndup(w->arena, text, o.n);
}

/* The line to be mended, and the callers. */
static struct pd_finding_site *join_sites(struct pd_watched *w, const struct joined *j)
{
	const struct pd_finding_site *first = j->parts.v[0]->sites;
	uint32_t n = wrappers(j->parts.v[0]);
	struct pd_finding_site *s =
		pd_new_array(w->arena, struct pd_finding_site, CALLERS_SHOWN + 1);

	if (!s)
		return NULL;
	s[0] = (struct pd_finding_site){.role = first[0].role,
					.at = n ? first[0].stack[n - 1] : first[0].at};
	for (uint32_t i = 0; i < PD_MIN(j->parts.n, CALLERS_SHOWN); i++)
		s[i + 1] = j->parts.v[i]->sites[1];
	return s;
}

static void join(struct pd_watched *w, const struct joined *j, struct pd_result *r)
{
	struct pd_finding_site *s = join_sites(w, j);
	struct pd_finding to = {.nsites = 1, .sites = s, .count = j->needless};
	uint32_t kept = 0;

	if (!s)
		return;
	to.kind = j->notes && !is_costly(w, j->needless * (j->flush ? PD_LINT_NS_FLUSH
								    : PD_LINT_NS_FENCE))
			  ? PD_KIND_LINT_EXTRA_AT_TIMES
		  : j->flush ? PD_KIND_LINT_EXTRA_FLUSH
			     : PD_KIND_LINT_EXTRA_FENCE;
	to.id = pd_finding_id(&to); /* before the callers come: those may change */
	to.nsites += PD_MIN(j->parts.n, CALLERS_SHOWN);
	to.message = join_message(w, j, &s[0].at);
	to.fix = extra_fix(j->flush, j->needless == j->times);
	for (uint32_t i = 0; i < r->findings.items.n; i++)
		if (!is_part(j, r->findings.items.v[i]))
			r->findings.items.v[kept++] = r->findings.items.v[i];
	r->findings.items.n = kept;
	pd_findings_add(&r->findings, &to);
}

void pd_watched_join_callers(struct pd_watched *w, struct pd_result *r)
{
	count_uses(w);
	for (uint32_t i = 0; w->ended && i < w->uses.n; i++) {
		struct joined j = {.way = w->uses.v[i].way};
		bool first = true;

		for (uint32_t k = 0; k < i; k++)
			first &= w->uses.v[k].way != j.way;
		if (!first)
			continue;
		count_callers(w, &j);
		for (uint32_t k = 0; k < r->findings.items.n; k++)
			if (is_part(&j, r->findings.items.v[k]))
				add_part(w, &j, r->findings.items.v[k]);
		if (j.parts.n < 2)
			continue;
		j.flush = j.parts.v[0]->sites[0].role == PD_ROLE_FLUSH;
		join(w, &j, r);
	}
}
