/* verdict.c - findings of lint: one for each kind and place, counted, with its facts. See
 * lint.h. */
#include "engine/lint/lint.h"

/*
 * Programs that flush at more places than this get findings by caller only, and a statistic says
 * so.
 */
enum { TIMES_REPORTED = 1 << 14 };

/* Of one finding, at most. */
enum { FACTS = 16 };

struct pd_lint_finding *pd_lint_find(struct pd_lint *l, enum pd_kind kind, uint32_t a, uint32_t b)
{
	uint64_t key = (uint64_t)kind << 56 | (uint64_t)(a & 0xfffffff) << 28 | (b & 0xfffffff);
	uint64_t *at = pd_map_get(&l->by_key, key);
	struct pd_lint_finding *f;

	if (at)
		return &l->findings.v[*at];
	f = l->findings.n < PD_LINT_FINDINGS ? pd_vec_push(&l->findings, l->arena) : NULL;
	at = f ? pd_map_put(&l->by_key, l->arena, key) : NULL;
	if (!at) {
		l->findings.n -= f != NULL;
		l->capped++;
		return NULL;
	}
	*at = l->findings.n - 1;
	memset(f, 0, sizeof(*f));
	f->raw.kind = kind;
	f->raw.number = l->findings.n - 1;
	return f;
}

void pd_lint_site(struct pd_lint_finding *f, enum pd_role role, uint32_t place)
{
	if (f->raw.nsites < PD_RAW_SITES)
		f->raw.site[f->raw.nsites++] = (struct pd_raw_site){(uint8_t)role, place};
}

/* ---- facts ---------------------------------------------------------------------------------- */

static bool has(const struct pd_lint_finding *f, enum pd_role role)
{
	for (uint32_t i = 0; i < f->raw.nsites; i++)
		if (f->raw.site[i].role == role && f->raw.site[i].place)
			return true;
	return false;
}

static uint32_t times(const struct pd_lint *l, const struct pd_lint_finding *f)
{
	uint32_t place = f->raw.site[0].place;

	return place < l->places.n ? l->places.v[place].times : 0;
}

static void put_range(const struct pd_lint_finding *f, struct pd_fact_list *to)
{
	pd_fact_put_address(to, PD_FACT_ADDRESS, f->addr, NULL);
	pd_fact_put(to, PD_FACT_SIZE, f->size);
}

static void put_when(const struct pd_lint_finding *f, struct pd_fact_list *to)
{
	static const enum pd_word words[] = {
		[PD_LINT_AT_END] = PD_WORD_AT_END,
		[PD_LINT_AT_UNMAP] = PD_WORD_AT_UNMAP,
		[PD_LINT_AT_POINT] = PD_WORD_AT_POINT,
	};

	pd_fact_put(to, PD_FACT_WHEN, words[f->when]);
}

/* Whether the same fence has followed each store at this place, so that a flush before it is
 * enough. */
static bool is_always_fenced(const struct pd_lint *l, uint32_t place)
{
	const struct pd_lint_place *p = place < l->places.n ? &l->places.v[place] : NULL;

	return p && !p->varies && p->tid < l->flows.n &&
	       p->epoch != l->flows.v[p->tid].epoch + 1; /* fenced since the last store */
}

static enum pd_word fix_of_missing_flush(const struct pd_lint *l, const struct pd_lint_finding *f)
{
	if (has(f, PD_ROLE_TX))
		return PD_WORD_FIX_LOG_IN_TX;
	if (!(l->params.persists & PD_PERSISTS_FLUSH))
		return PD_WORD_FIX_SYNC;
	if (f->helped)
		return PD_WORD_FIX_REACH;
	return has(f, PD_ROLE_BEFORE) && is_always_fenced(l, f->raw.site[0].place)
		       ? PD_WORD_FIX_FLUSH_BEFORE
		       : PD_WORD_FIX_FLUSH_AND_FENCE;
}

/* States the reasons. The fix depends on all places of the line: pd_lint_judge decides it. */
static void put_extra_flush(const struct pd_lint *l, const struct pd_lint_finding *f,
			    struct pd_fact_list *to)
{
	uint32_t place = f->raw.site[0].place;

	if (l->params.persists & PD_PERSISTS_STORE || !(l->params.persists & PD_PERSISTS_FLUSH))
		pd_fact_put_text(to, PD_FACT_MODEL, l->params.name);
	pd_fact_put_if(to, PD_FACT_PENDING, f->pending);
	pd_fact_put_if(to, PD_FACT_CLEAN, f->clean);
	pd_fact_put_if(to, PD_FACT_NEVER, f->never);
	if (place < l->places.n && l->params.persists & PD_PERSISTS_FLUSH)
		pd_fact_put_if(to, PD_FACT_FOR_OTHERS, l->places.v[place].others != 0);
}

static uint64_t price(const struct pd_lint_finding *f)
{
	switch ((int)f->raw.kind) { /* an int: other kinds cost nothing */
	case PD_KIND_LINT_EXTRA_FLUSH:
	case PD_KIND_LINT_FLUSH_VOLATILE:
		return f->raw.count * PD_LINT_NS_FLUSH;
	case PD_KIND_LINT_EXTRA_FENCE:
		return f->raw.count * PD_LINT_NS_FENCE;
	case PD_KIND_LINT_REDUNDANT_LOG:
		return f->raw.count * PD_LINT_NS_LOG;
	default:
		return 0;
	}
}

static void put_facts(const struct pd_lint *l, const struct pd_lint_finding *f,
		      struct pd_fact_list *to)
{
	switch ((int)f->raw.kind) { /* an int: only those that lint makes */
	case PD_KIND_LINT_MISSING_FLUSH:
		put_range(f, to);
		put_when(f, to);
		pd_fact_put_if(to, PD_FACT_PAGE, !(l->params.persists & PD_PERSISTS_FLUSH));
		pd_fact_put(to, PD_FACT_FIX, fix_of_missing_flush(l, f));
		break;
	case PD_KIND_LINT_MISSING_FENCE:
		put_range(f, to);
		put_when(f, to);
		pd_fact_put(to, PD_FACT_FIX,
			    has(f, PD_ROLE_FLUSH) ? PD_WORD_FIX_FENCE_AFTER_FLUSH
						  : PD_WORD_FIX_FENCE_AFTER_STORE);
		break;
	case PD_KIND_LINT_TRANSIENT:
		put_range(f, to);
		pd_fact_put(to, PD_FACT_LOOKS_LIKE,
			    f->lock ? PD_WORD_LIKE_LOCK : PD_WORD_LIKE_SCRATCH);
		pd_fact_put(to, PD_FACT_FIX, PD_WORD_FIX_MOVE_OUT);
		break;
	case PD_KIND_LINT_OVERWRITTEN:
		pd_fact_put_address(to, PD_FACT_ADDRESS, f->addr, NULL);
		pd_fact_put(to, PD_FACT_FIX, PD_WORD_FIX_FLUSH_AGAIN);
		break;
	case PD_KIND_LINT_EXTRA_FLUSH:
		put_extra_flush(l, f, to);
		break;
	case PD_KIND_LINT_FLUSH_VOLATILE:
		pd_fact_put(to, PD_FACT_NEEDLESS, f->raw.count);
		pd_fact_put(to, PD_FACT_FIX, PD_WORD_FIX_LEAVE_OUT);
		break;
	case PD_KIND_LINT_UNLOGGED:
		put_range(f, to);
		pd_fact_put_if(to, PD_FACT_UNFLUSHED, f->unflushed);
		pd_fact_put(to, PD_FACT_FIX, PD_WORD_FIX_LOG);
		break;
	case PD_KIND_LINT_REDUNDANT_LOG:
		put_range(f, to);
		pd_fact_put(to, PD_FACT_FIX, PD_WORD_FIX_LEAVE_OUT);
		break;
	case PD_KIND_LINT_OPEN_TX:
		pd_fact_put(to, PD_FACT_FIX, PD_WORD_FIX_END_TX);
		break;
	}
}

static void report(struct pd_lint *l, struct pd_lint_finding *f)
{
	struct pd_fact facts[FACTS];
	struct pd_fact_list list = {.v = facts, .cap = FACTS};

	f->raw.of = pd_lint_is_extra((enum pd_kind)f->raw.kind) ? times(l, f) : 0;
	f->raw.weight = price(f);
	put_facts(l, f, &list);
	f->raw.facts = pd_facts_of(&list);
	l->sink->finding(l->sink->ctx, &f->raw);
	f->raw.facts = (struct pd_facts){0};
	f->changed = false;
}

void pd_lint_seen(struct pd_lint *l, struct pd_lint_finding *f, uint64_t n)
{
	bool fresh = !f->raw.count;

	f->raw.count += n;
	f->changed = true;
	if (fresh)
		report(l, f);
}

/* Whether its report is outdated: `of` grows even if nothing needless happens any more. */
static bool is_old(const struct pd_lint *l, const struct pd_lint_finding *f)
{
	return f->changed || (f->raw.of && f->raw.of != times(l, f));
}

static uint32_t what_of(const struct pd_lint_place *p)
{
	return (p->fence ? PD_TIMES_FENCE : 0) | (p->others ? PD_TIMES_FOR_OTHERS : 0);
}

/*
 * Reports all counts, for the part that knows lines: an optimiser makes several places of one line,
 * some of which may always be needed; and either a wrapper may be at fault, or some of its callers.
 */
static void report_times(const struct pd_lint *l)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < l->places.n; i++)
		n += l->places.v[i].times > 0;
	for (uint32_t i = 0; n <= TIMES_REPORTED && i < l->places.n; i++)
		if (l->places.v[i].times)
			l->sink->times(l->sink->ctx, i, l->places.v[i].times,
				       what_of(&l->places.v[i]));
	if (n > TIMES_REPORTED)
		l->sink->stat(l->sink->ctx, "flush_places_judged_alone", n);
}

/* Another thread usually makes durable what is stored there: then that thread has omitted
 * something. */
static void look_for_helper(struct pd_lint *l, struct pd_lint_finding *f)
{
	uint32_t store = f->raw.nsites ? f->raw.site[0].place : 0, i = 1;
	const struct pd_lint_place *p = store < l->places.n ? &l->places.v[store] : NULL;

	if (f->raw.kind != PD_KIND_LINT_MISSING_FLUSH || !p || p->own || !p->helped ||
	    !pd_lint_is_mostly(p->helped, p->helped + f->raw.count))
		return;
	while (i < f->raw.nsites && f->raw.site[i].role != PD_ROLE_BEFORE)
		i++;
	if (i == f->raw.nsites)
		pd_lint_site(f, PD_ROLE_BEFORE, p->helper);
	else
		f->raw.site[i].place = p->helper;
	f->helped = f->changed = true;
}

static bool is_others_now(const struct pd_lint *l, uint64_t addr, uint16_t tid)
{
	const struct pd_lint_line *line = pd_lint_line_get(&l->lines, addr);

	return line && pd_lint_is_others(line, tid);
}

/* Checks whether other threads have since stored to the lines that were flushed for nothing. */
static void look_for_others(struct pd_lint *l, struct pd_lint_finding *f)
{
	uint32_t place = f->raw.nsites ? f->raw.site[0].place : 0;

	if (f->raw.kind != PD_KIND_LINT_EXTRA_FLUSH || place >= l->places.n ||
	    l->places.v[place].others ||
	    (!is_others_now(l, f->addr, f->tid) && !is_others_now(l, f->last, f->tid)))
		return;
	l->places.v[place].others = 1;
	f->changed = true;
}

void pd_lint_report_all(struct pd_lint *l)
{
	uint32_t extra = 0;

	for (uint32_t i = 0; i < l->findings.n; i++) {
		look_for_helper(l, &l->findings.v[i]);
		look_for_others(l, &l->findings.v[i]);
		extra += l->findings.v[i].raw.of > 0;
		if (is_old(l, &l->findings.v[i]))
			report(l, &l->findings.v[i]);
	}
	if (extra && l->sink->times)
		report_times(l);
}
