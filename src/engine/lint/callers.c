/*
 * callers.c - see judge.h: one finding for many callers, or one for each of them.
 *
 * A needless flush or fence in a function that does nothing else (persist()) is usually its
 * callers' fault, and each caller has a finding of its own. But what is needless for all of them,
 * as a second fence in persist() is, is not their fault: then there is one finding, about the
 * instruction, that lists who calls it and how often. That requires to know the callers that need
 * it, too: run->times has all places where flushes and fences were executed. What is needless only
 * now and then is a note, and one for all callers.
 */
#include "base/hash.h"
#include "engine/lint/judge.h"
#include "finding/text.h"

enum { CALLERS_SHOWN = 8 };

/* From here on, work that is needless only at times is more than a note: docs/decisions/0009. */
enum { COSTLY_NS = 2000, COSTLY_PART = 10 };

/* ---- the verdict ---------------------------------------------------------------------------- */

/* Mostly needed, but the needless part is a large share of all flushing, and large enough to be
 * sure. */
static bool is_costly(const struct pd_lint_judge *j, uint64_t ns)
{
	return ns >= COSTLY_NS && ns * COSTLY_PART >= j->flushing_ns && j->flushing_ns;
}

static enum pd_kind kind_of(const struct pd_lint_judge *j, bool flush, bool mostly, uint64_t ns)
{
	if (!mostly && !is_costly(j, ns))
		return PD_KIND_LINT_EXTRA_AT_TIMES;
	return flush ? PD_KIND_LINT_EXTRA_FLUSH : PD_KIND_LINT_EXTRA_FENCE;
}

/*
 * The flush also covers lines that other threads store to: needless at times, it cannot be removed.
 */
static bool is_for_others(const struct pd_facts *f)
{
	return pd_fact_number(f, PD_FACT_FOR_OTHERS) > 0;
}

static void put_cost(const struct pd_lint_judge *j, struct pd_fact_list *to, uint64_t ns)
{
	pd_fact_put_if(to, PD_FACT_COST_NS, ns);
	if (is_costly(j, ns))
		pd_fact_put(to, PD_FACT_COST_PERCENT, ns * 100 / j->flushing_ns);
}

static enum pd_word fix_of(uint64_t needless, uint64_t times)
{
	return needless == times ? PD_WORD_FIX_LEAVE_OUT : PD_WORD_FIX_WHEN_NEEDED;
}

struct pd_facts pd_lint_weigh(const struct pd_lint_judge *j, const struct pd_raw_finding *t,
			      const struct pd_facts *f)
{
	struct pd_fact_list list = {.arena = j->arena};

	for (uint32_t i = 0; i < f->n; i++)
		pd_fact_add(&list, &f->v[i]);
	if (t->of) {
		pd_fact_put(&list, PD_FACT_NEEDLESS, t->count);
		pd_fact_put(&list, PD_FACT_TIMES, t->of);
		if (!is_for_others(f))
			pd_fact_put(&list, PD_FACT_FIX, fix_of(t->count, t->of));
	}
	put_cost(j, &list, t->weight);
	return pd_facts_of(&list);
}

/* ---- ways to the same line ------------------------------------------------------------------ */

/* How many findings share one id, and how often the one that stands for all was seen. */
struct ways {
	uint32_t n;
	uint64_t count;
	struct pd_facts facts;
};

bool pd_lint_says_how_often(enum pd_kind kind)
{
	return pd_lint_is_extra(kind) || kind == PD_KIND_LINT_FLUSH_VOLATILE ||
	       kind == PD_KIND_LINT_REDUNDANT_LOG;
}

/* One line is one finding, whoever calls it: it shows the most frequent caller, and says so. */
void pd_lint_add_way(struct pd_lint_judge *j, struct pd_finding *f)
{
	uint64_t id = pd_finding_id(f), *at = pd_map_put(&j->ways, j->arena, id);
	struct ways *w = at && *at ? (struct ways *)(uintptr_t)*at : pd_new(j->arena, struct ways);
	struct pd_finding *known = pd_findings_get(j->to, id);

	if (!at || !w || !known || !w->n) {
		if (at && w) {
			*w = (struct ways){1, f->count, f->facts};
			*at = (uintptr_t)w;
		}
		pd_findings_add(j->to, f);
		return;
	}
	w->n++;
	known->count += PD_MAX(f->count, 1);
	if (f->count > w->count ||
	    (f->count == w->count && pd_facts_cmp(&f->facts, &w->facts) < 0)) {
		known->sites = f->sites;
		known->nsites = f->nsites;
		w->facts = f->facts;
		w->count = f->count;
	}
	known->facts = pd_lint_with(j->arena, &w->facts, PD_FACT_CALLED, PD_WORD_CALLED_MOST);
	known->facts = pd_lint_with(j->arena, &known->facts, PD_FACT_NCALLERS, w->n);
}

/* ---- places that are one line --------------------------------------------------------------- */

static void digest_frame(struct pd_digest *d, const struct pd_frame *f)
{
	pd_digest_bytes(d, f->file ? f->file : "", pd_text_len(f->file));
	pd_digest_bytes(d, f->function ? f->function : "", pd_text_len(f->function));
	pd_digest_u64(d, f->line);
}

static uint64_t digest_of(const struct pd_frame *frame, uint32_t n)
{
	struct pd_digest d = PD_DIGEST_INIT;

	for (uint32_t i = 0; i < n; i++)
		digest_frame(&d, &frame[i]);
	return d.a >> 1; /* UINT64_MAX is not a key */
}

static struct pd_lint_source *line_of(struct pd_lint_judge *j, uint32_t place)
{
	struct pd_lint_source *l;
	uint64_t digest, *at;
	struct pd_place p;

	if (!pd_lint_place(j, place, PD_ROLE_FLUSH, &p))
		return NULL;
	digest = digest_of(p.frame, p.n);
	at = pd_map_put(&j->by_digest, j->arena, digest);
	if (at && *at)
		return &j->lines.v[*at - 1];
	l = at ? pd_vec_push(&j->lines, j->arena) : NULL;
	if (!l)
		return NULL;
	*l = (struct pd_lint_source){
		.digest = digest, .place = place, .library = p.library || p.system};
	*at = j->lines.n;
	return l;
}

/* Adds it to the first one reported of the line, and drops it as a finding. */
static void join_raw(struct pd_lint_judge *j, struct pd_raw_finding *t)
{
	struct pd_lint_source *l = line_of(j, t->site[0].place);
	struct pd_raw_finding *first = l && l->raw ? &j->run->raw[l->raw - 1] : NULL;
	bool others;

	if (!l)
		return;
	l->needless += t->count;
	l->times += t->of;
	if (!first || first->site[0].role != t->site[0].role) {
		l->raw = t->number + 1;
		return;
	}
	others = is_for_others(&first->facts) || is_for_others(&t->facts);
	if (t->count > first->count)
		first->facts = t->facts;
	if (others)
		first->facts = pd_lint_with(j->arena, &first->facts, PD_FACT_FOR_OTHERS, 1);
	first->count += t->count;
	first->weight += t->weight;
	t->count = 0;
}

static bool is_weighed(const struct pd_raw_finding *t)
{
	return t->count && t->of && t->nsites && pd_lint_is_extra((enum pd_kind)t->kind);
}

static void judge(const struct pd_lint_judge *j, struct pd_raw_finding *t)
{
	if (is_for_others(&t->facts))
		t->kind = PD_KIND_LINT_EXTRA_AT_TIMES;
	else
		t->kind = kind_of(j, t->site[0].role == PD_ROLE_FLUSH,
				  pd_lint_is_mostly(t->count, t->of), t->weight);
}

/* What a flush is attributed to: its line, or the caller of a function that does nothing else. */
static uint64_t about(const struct pd_lint_judge *j, uint32_t place)
{
	struct pd_place p;

	return pd_lint_place(j, place, PD_ROLE_FLUSH, &p)
		       ? digest_of(&p.frame[p.caller < p.n && !p.library ? p.caller : p.at], 1)
		       : 0;
}

static void note_others(struct pd_lint_judge *j, const struct pd_lint_times *t)
{
	if (t->others)
		pd_map_put(&j->others, j->arena, about(j, t->place));
}

/* Another path to the same line has shown that it is for others. */
static void mark_others(const struct pd_lint_judge *j, struct pd_raw_finding *t)
{
	if (!is_for_others(&t->facts) && t->site[0].role == PD_ROLE_FLUSH &&
	    pd_map_get(&j->others, about(j, t->site[0].place)))
		t->facts = pd_lint_with(j->arena, &t->facts, PD_FACT_FOR_OTHERS, 1);
}

static void judge_line(const struct pd_lint_judge *j, const struct pd_lint_source *l)
{
	struct pd_raw_finding *t = l->raw ? &j->run->raw[l->raw - 1] : NULL;

	if (!t)
		return;
	t->of = l->times;
	if (j->others.n)
		mark_others(j, t);
	judge(j, t);
}

static void add_times(struct pd_lint_judge *j, const struct pd_lint_times *t,
		      const struct pd_map *known)
{
	struct pd_lint_source *l = line_of(j, t->place);

	if (!l)
		return;
	if (!pd_map_get(known, t->place))
		l->times += t->n;
	note_others(j, t);
	if (!l->library)
		j->flushing_ns += t->n * (t->fence ? PD_LINT_NS_FENCE : PD_LINT_NS_FLUSH);
}

void pd_lint_join_lines(struct pd_lint_judge *j)
{
	struct pd_map known = {0};
	bool any = false;

	for (uint32_t i = 0; i < j->run->nraw; i++) {
		struct pd_raw_finding *t = &j->run->raw[i];

		if (!is_weighed(t))
			continue;
		any = true;
		pd_map_put(&known, j->arena, t->site[0].place);
		judge(j, t); /* for places without a known line */
		join_raw(j, t);
	}
	for (uint32_t i = 0; any && i < j->run->ntimes; i++)
		add_times(j, &j->run->times[i], &known);
	for (uint32_t i = 0; i < j->lines.n; i++)
		judge_line(j, &j->lines.v[i]);
}

/* ---- who uses what flushes ------------------------------------------------------------------ */

/* Whether the finding is about a function that only flushes or fences, and its caller. */
static bool is_wrapped(const struct pd_finding *f)
{
	return pd_lint_is_extra(f->kind) && !f->library && f->nsites == 2 &&
	       f->sites[1].role == PD_ROLE_CALLER;
}

/* How many of the callers are wrappers themselves. */
static uint32_t wrappers(const struct pd_finding *f)
{
	uint32_t n = 0;

	while (n < f->sites[0].nstack && !pd_frame_same(&f->sites[0].stack[n], &f->sites[1].at))
		n++;
	return n;
}

/* Digest of the path from the instruction to the outermost wrapper, whose line needs the change. */
static uint64_t way_of(const struct pd_finding *f)
{
	struct pd_digest d = PD_DIGEST_INIT;

	digest_frame(&d, &f->sites[0].at);
	for (uint32_t i = 0; i < wrappers(f); i++)
		digest_frame(&d, &f->sites[0].stack[i]);
	return d.a >> 1;
}

static struct pd_lint_use *use_of(const struct pd_lint_judge *j, uint64_t way,
				  const struct pd_frame *caller)
{
	for (uint32_t i = 0; i < j->uses.n; i++)
		if (j->uses.v[i].way == way && pd_frame_same(&j->uses.v[i].caller, caller))
			return &j->uses.v[i];
	return NULL;
}

static void count_uses(struct pd_lint_judge *j)
{
	for (uint32_t i = 0; i < j->lines.n; i++) {
		const struct pd_lint_source *l = &j->lines.v[i];
		struct pd_lint_use *u;
		struct pd_place p;
		uint64_t way;

		if (!pd_lint_place(j, l->place, PD_ROLE_FLUSH, &p) || p.library || p.caller >= p.n)
			continue;
		way = digest_of(p.frame + p.at, p.caller - p.at);
		u = use_of(j, way, &p.frame[p.caller]);
		if (!u && (u = pd_vec_push(&j->uses, j->arena)))
			*u = (struct pd_lint_use){way, p.frame[p.caller], 0, 0};
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
	uint32_t faulty; /* for which it is mostly needless */
	uint64_t times;
	uint64_t needless;		   /* sum over `parts` */
	bool others;			   /* one of them flushes for others */
	PD_VEC(struct pd_finding *) parts; /* most needless first */
	bool notes;			   /* some callers need it: only notes are joined */
	bool flush;
};

static void count_callers(const struct pd_lint_judge *j, struct joined *x)
{
	for (uint32_t i = 0; i < j->uses.n; i++) {
		const struct pd_lint_use *u = &j->uses.v[i];

		if (u->way != x->way)
			continue;
		x->callers++;
		x->faulty += pd_lint_is_mostly(u->needless, u->times);
		x->times += u->times;
	}
	x->notes = x->faulty < x->callers;
}

/* Whether a finding is joined: all are, or only notes. */
static bool is_part(const struct joined *x, const struct pd_finding *f)
{
	return is_wrapped(f) && way_of(f) == x->way &&
	       (!x->notes || f->kind == PD_KIND_LINT_EXTRA_AT_TIMES);
}

static void add_part(struct pd_lint_judge *j, struct joined *x, struct pd_finding *f)
{
	struct pd_finding **to = pd_vec_push(&x->parts, j->arena);
	uint32_t i = x->parts.n - 1;

	if (!to)
		return;
	x->needless += f->count;
	x->others = x->others || is_for_others(&f->facts);
	for (; i && x->parts.v[i - 1]->count < f->count; i--)
		x->parts.v[i] = x->parts.v[i - 1];
	x->parts.v[i] = f;
}

static uint64_t cost_of(const struct joined *x)
{
	return x->needless * (x->flush ? PD_LINT_NS_FLUSH : PD_LINT_NS_FENCE);
}

static struct pd_facts join_facts(const struct pd_lint_judge *j, const struct joined *x)
{
	struct pd_fact_list to = {.arena = j->arena};

	pd_fact_put(&to, PD_FACT_NEEDLESS, x->needless);
	pd_fact_put(&to, PD_FACT_TIMES, x->times);
	pd_fact_put(&to, PD_FACT_CALLED, x->notes ? PD_WORD_CALLED_SOME : PD_WORD_CALLED_ALL);
	pd_fact_put(&to, PD_FACT_NCALLERS, x->callers);
	pd_fact_put(&to, PD_FACT_NAFFECTED, x->parts.n);
	for (uint32_t i = 0; i < PD_MIN(x->parts.n, CALLERS_SHOWN); i++) {
		const struct pd_finding *part = x->parts.v[i];
		const struct pd_lint_use *u = use_of(j, x->way, &part->sites[1].at);

		pd_fact_put_nth(&to, PD_FACT_CALLER_SITE, i, i + 1);
		pd_fact_put_nth(&to, PD_FACT_CALLER_NEEDLESS, i, part->count);
		pd_fact_put_nth(&to, PD_FACT_CALLER_TIMES, i, u ? u->times : 0);
	}
	put_cost(j, &to, cost_of(x));
	pd_fact_put_if(&to, PD_FACT_FOR_OTHERS, x->others);
	if (!x->others)
		pd_fact_put(&to, PD_FACT_FIX, fix_of(x->needless, x->times));
	return pd_facts_of(&to);
}

/* The line that needs the change, and the callers. */
static struct pd_finding_site *join_sites(struct pd_lint_judge *j, const struct joined *x)
{
	const struct pd_finding_site *first = x->parts.v[0]->sites;
	uint32_t n = wrappers(x->parts.v[0]);
	struct pd_finding_site *s =
		pd_new_array(j->arena, struct pd_finding_site, CALLERS_SHOWN + 1);

	if (!s)
		return NULL;
	s[0] = (struct pd_finding_site){.role = first[0].role,
					.at = n ? first[0].stack[n - 1] : first[0].at};
	for (uint32_t i = 0; i < PD_MIN(x->parts.n, CALLERS_SHOWN); i++)
		s[i + 1] = x->parts.v[i]->sites[1];
	return s;
}

static void join(struct pd_lint_judge *j, const struct joined *x)
{
	struct pd_finding_site *s = join_sites(j, x);
	struct pd_finding f = {.nsites = 1, .sites = s, .count = x->needless};
	uint32_t kept = 0;

	if (!s)
		return;
	f.kind = x->others ? PD_KIND_LINT_EXTRA_AT_TIMES
			   : kind_of(j, x->flush, !x->notes, cost_of(x));
	f.id = pd_finding_id(&f); /* without the callers: those may change */
	f.nsites += PD_MIN(x->parts.n, CALLERS_SHOWN);
	f.facts = join_facts(j, x);
	for (uint32_t i = 0; i < j->to->items.n; i++)
		if (!is_part(x, j->to->items.v[i]))
			j->to->items.v[kept++] = j->to->items.v[i];
	j->to->items.n = kept;
	pd_findings_add(j->to, &f);
}

static bool is_first_of_way(const struct pd_lint_judge *j, uint32_t use)
{
	for (uint32_t i = 0; i < use; i++)
		if (j->uses.v[i].way == j->uses.v[use].way)
			return false;
	return true;
}

void pd_lint_join_callers(struct pd_lint_judge *j)
{
	count_uses(j);
	for (uint32_t i = 0; j->run->ended && i < j->uses.n; i++) {
		struct joined x = {.way = j->uses.v[i].way};

		if (!is_first_of_way(j, i))
			continue;
		count_callers(j, &x);
		for (uint32_t k = 0; k < j->to->items.n; k++)
			if (is_part(&x, j->to->items.v[k]))
				add_part(j, &x, j->to->items.v[k]);
		if (x.parts.n < 2)
			continue;
		x.flush = x.parts.v[0]->sites[0].role == PD_ROLE_FLUSH;
		join(j, &x);
	}
}
