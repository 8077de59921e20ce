/* verdict.c - findings of lint: one for each kind and place, counted, put into words. See
 * lint.h. */
#include "engine/lint/lint.h"

/* Programs that flush at more places than this get findings by caller only, and are told so. */
enum { TIMES_TOLD = 1 << 14 };

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
	f->told.kind = kind;
	f->told.number = l->findings.n - 1;
	return f;
}

void pd_lint_site(struct pd_lint_finding *f, enum pd_role role, uint32_t place)
{
	if (f->told.nsites < PD_TOLD_SITES)
		f->told.site[f->told.nsites++] = (struct pd_told_site){(uint8_t)role, place};
}

/* ---- words ---------------------------------------------------------------------------------- */

static bool has(const struct pd_lint_finding *f, enum pd_role role)
{
	for (uint32_t i = 0; i < f->told.nsites; i++)
		if (f->told.site[i].role == role && f->told.site[i].place)
			return true;
	return false;
}

static const char *until(const struct pd_lint_finding *f)
{
	switch ((enum pd_lint_when)f->when) {
	case PD_LINT_AT_UNMAP:
		return " before the file is unmapped";
	case PD_LINT_AT_POINT:
		return ", but {check} says that they are durable";
	case PD_LINT_AT_END:
	default:
		return "";
	}
}

static uint32_t times(const struct pd_lint *l, const struct pd_lint_finding *f)
{
	uint32_t place = f->told.site[0].place;

	return place < l->places.n ? l->places.v[place].times : 0;
}

static void missing_flush(const struct pd_lint *l, const struct pd_lint_finding *f,
			  struct pd_out *m, struct pd_out *fix)
{
	bool page = !(l->params.persists & PD_PERSISTS_FLUSH);

	pd_outf(m, "%lu byte%s at {pm:%lx}, stored at {store}, %s never %s%s",
		(unsigned long)f->size, f->size == 1 ? "" : "s", (unsigned long)f->addr,
		f->size == 1 ? "is" : "are", page ? "synced" : "flushed", until(f));
	if (has(f, PD_ROLE_TX))
		pd_outs(fix, "log the range in the transaction of {transaction}, before {store}: "
			     "what is logged is "
			     "flushed when it commits");
	else if (page)
		pd_outs(fix, "msync the page after {store}");
	else if (f->helped)
		pd_outs(fix, "another thread makes durable what {store} stores, but not this: let "
			     "the flush at {before} "
			     "reach it, before that thread stops");
	else if (has(f, PD_ROLE_BEFORE))
		pd_outs(fix, "flush the line after {store}, before the fence at {before}");
	else
		pd_outs(fix, "flush the line after {store}, and fence");
	pd_outs(fix, "; if recovery does not need it, say so with pd_transient()");
}

static void missing_fence(const struct pd_lint_finding *f, struct pd_out *m, struct pd_out *fix)
{
	const char *s = f->size == 1 ? "" : "s", *are = f->size == 1 ? "is" : "are";

	if (has(f, PD_ROLE_FLUSH)) {
		pd_outf(m,
			"%lu byte%s at {pm:%lx}, stored at {store}, %s flushed at {flush}, but the "
			"thread never "
			"fences after that%s",
			(unsigned long)f->size, s, (unsigned long)f->addr, are, until(f));
		pd_outs(fix, "add an sfence after the flush at {flush}, in the same thread");
	} else {
		pd_outf(m,
			"%lu byte%s at {pm:%lx} %s stored past the cache at {store}, but the "
			"thread never fences "
			"after that%s",
			(unsigned long)f->size, s, (unsigned long)f->addr, are, until(f));
		pd_outs(fix, "add an sfence after {store}, in the same thread");
	}
}

/* Why, most frequent first. How to mend it depends on all places of the line: the tool says
 * that. */
static void extra_flush(const struct pd_lint *l, const struct pd_lint_finding *f, struct pd_out *m)
{
	const struct {
		uint64_t n;
		const char *words;
	} why[] = {
		{f->pending, "the line was flushed already and waits for a fence"},
		{f->clean, "nothing has changed since the line was made durable"},
		{f->never, "nothing was ever stored to the line"},
	};
	uint64_t before = UINT64_MAX, most = 0;
	const char *sep = ":";

	pd_outs(m, "{needless} of {times} flushes at {flush} {have} nothing to write back");
	if (l->params.persists & PD_PERSISTS_STORE || !(l->params.persists & PD_PERSISTS_FLUSH)) {
		pd_outf(m, ": flushes do nothing in the model %s", l->params.name);
		return;
	}
	for (;; before = most, most = 0) {
		for (uint32_t i = 0; i < PD_LEN(why); i++)
			if (why[i].n < before)
				most = PD_MAX(most, why[i].n);
		if (!most)
			return;
		for (uint32_t i = 0; i < PD_LEN(why); i++)
			if (why[i].n == most) {
				pd_outf(m, "%s %s", sep, why[i].words);
				sep = ", or";
			}
	}
}

void pd_lint_put_cost(struct pd_out *m, uint64_t ns)
{
	if (ns >= 10000000)
		pd_outf(m, "; costs about %lu ms", (unsigned long)(ns / 1000000));
	else if (ns >= 10000)
		pd_outf(m, "; costs about %lu us", (unsigned long)(ns / 1000));
	else
		pd_outf(m, "; costs about %lu ns", (unsigned long)ns);
}

static uint64_t price(const struct pd_lint_finding *f)
{
	switch ((int)f->told.kind) { /* an int: the others cost nothing */
	case PD_KIND_LINT_EXTRA_FLUSH:
	case PD_KIND_LINT_EXTRA_AT_TIMES:
	case PD_KIND_LINT_FLUSH_VOLATILE:
		return f->told.count * PD_LINT_NS_FLUSH;
	case PD_KIND_LINT_EXTRA_FENCE:
		return f->told.count * PD_LINT_NS_FENCE;
	case PD_KIND_LINT_REDUNDANT_LOG:
		return f->told.count * PD_LINT_NS_LOG;
	default:
		return 0;
	}
}

static void words(const struct pd_lint *l, const struct pd_lint_finding *f, struct pd_out *m,
		  struct pd_out *fix)
{
	switch ((int)f->told.kind) { /* an int: only those that lint makes */
	case PD_KIND_LINT_MISSING_FLUSH:
		missing_flush(l, f, m, fix);
		break;
	case PD_KIND_LINT_TRANSIENT:
		pd_outf(m,
			"%lu byte%s at {pm:%lx}, stored at {store}, %s never flushed, and look%s "
			"like %s",
			(unsigned long)f->size, f->size == 1 ? "" : "s", (unsigned long)f->addr,
			f->size == 1 ? "is" : "are", f->size == 1 ? "s" : "",
			f->lock ? "a lock: changed by locked instructions, and 0 in the end"
				: "no data: not read before it was written in this run");
		pd_outs(fix, "keep it in ordinary memory; or, if recovery needs it, flush it after "
			     "{store}");
		break;
	case PD_KIND_LINT_MISSING_FENCE:
		missing_fence(f, m, fix);
		break;
	case PD_KIND_LINT_OVERWRITTEN:
		pd_outf(m,
			"{pm:%lx} is flushed at {flush} and stored to again at {store} before the "
			"fence at "
			"{before}, which makes neither value durable",
			(unsigned long)f->addr);
		pd_outs(fix, "flush again after {store}, or fence before it");
		break;
	case PD_KIND_LINT_EXTRA_FLUSH:
	case PD_KIND_LINT_EXTRA_AT_TIMES:
	case PD_KIND_LINT_EXTRA_FENCE:
		if (has(f, PD_ROLE_FENCE))
			pd_outs(m, "{needless} of {times} fences at {fence} {have} nothing to wait "
				   "for: no flush and "
				   "no non-temporal store since the last fence of the thread");
		else
			extra_flush(l, f, m);
		break;
	case PD_KIND_LINT_FLUSH_VOLATILE:
		pd_outf(m, "{flush} flushes memory that is not persistent, %lu time%s",
			(unsigned long)f->told.count, f->told.count == 1 ? "" : "s");
		pd_outs(fix, "leave the flush out, or flush what was meant; if the memory is a PM "
			     "file, name the file with --pm");
		break;
	case PD_KIND_LINT_REDUNDANT_LOG:
		pd_outf(m,
			"%lu byte%s at {pm:%lx} %s logged at {log} that this transaction has "
			"logged already",
			(unsigned long)f->size, f->size == 1 ? "" : "s", (unsigned long)f->addr,
			f->size == 1 ? "is" : "are");
		pd_outs(fix, "leave the second log out");
		break;
	}
}

static void put_range(const struct pd_lint_finding *f, struct pd_fact_list *to)
{
	pd_fact_put_address(to, PD_FACT_ADDRESS, f->addr, NULL);
	pd_fact_put(to, PD_FACT_SIZE, f->size);
}

static void put_facts(const struct pd_lint_finding *f, struct pd_fact_list *to)
{
	switch ((int)f->told.kind) { /* an int: only those that lint makes */
	case PD_KIND_LINT_UNLOGGED:
		put_range(f, to);
		pd_fact_put_if(to, PD_FACT_UNFLUSHED, f->unflushed);
		pd_fact_put(to, PD_FACT_FIX, PD_WORD_FIX_LOG);
		break;
	case PD_KIND_LINT_OPEN_TX:
		pd_fact_put(to, PD_FACT_FIX, PD_WORD_FIX_END_TX);
		break;
	}
}

/* What is needed more often than not is a note; the same finding, so that the last word counts. */
static void weigh(const struct pd_lint *l, struct pd_lint_finding *f)
{
	bool flush = f->told.kind == PD_KIND_LINT_EXTRA_FLUSH ||
		     (f->told.kind == PD_KIND_LINT_EXTRA_AT_TIMES && has(f, PD_ROLE_FLUSH));
	bool fence = f->told.kind == PD_KIND_LINT_EXTRA_FENCE ||
		     (f->told.kind == PD_KIND_LINT_EXTRA_AT_TIMES && has(f, PD_ROLE_FENCE));

	if (flush || fence)
		f->told.kind = 4 * f->told.count < 3 * (uint64_t)times(l, f)
				       ? PD_KIND_LINT_EXTRA_AT_TIMES
			       : flush ? PD_KIND_LINT_EXTRA_FLUSH
				       : PD_KIND_LINT_EXTRA_FENCE;
	f->told.of = flush || fence ? times(l, f) : 0;
	f->told.weight = price(f);
}

static void tell(struct pd_lint *l, struct pd_lint_finding *f)
{
	char message[PD_TOLD_TEXT], fix[PD_TOLD_TEXT];
	struct pd_fact facts[FACTS];
	struct pd_fact_list list = {.v = facts, .cap = FACTS};
	struct pd_outbuf m, x;

	pd_outbuf_init(&m, message, sizeof(message));
	pd_outbuf_init(&x, fix, sizeof(fix));
	weigh(l, f);
	words(l, f, &m.out, &x.out);
	put_facts(f, &list);
	f->told.facts = pd_facts_of(&list);
	f->told.message = m.n ? message : NULL;
	f->told.fix = x.n ? fix : NULL;
	l->tell->finding(l->tell->ctx, &f->told);
	f->told.message = f->told.fix = NULL;
	f->told.facts = (struct pd_facts){0};
	f->changed = false;
}

void pd_lint_seen(struct pd_lint *l, struct pd_lint_finding *f, uint64_t n)
{
	bool fresh = !f->told.count;

	f->told.count += n;
	f->changed = true;
	if (fresh)
		tell(l, f);
}

/* Of how many goes on where nothing needless happens any more. */
static bool is_old(const struct pd_lint *l, const struct pd_lint_finding *f)
{
	return f->changed || (f->told.of && f->told.of != times(l, f));
}

/*
 * For who knows lines: an optimiser makes several places of one line, of which some may be needed
 * always; and a function that flushes may be at fault, or some of those who call it.
 */
static void tell_times(const struct pd_lint *l)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < l->places.n; i++)
		n += l->places.v[i].times > 0;
	for (uint32_t i = 0; n <= TIMES_TOLD && i < l->places.n; i++)
		if (l->places.v[i].times)
			l->tell->times(l->tell->ctx, i, l->places.v[i].times, l->places.v[i].fence);
	if (n > TIMES_TOLD)
		l->tell->stat(l->tell->ctx, "flush_places_judged_alone", n);
}

/* Another thread makes durable, as a rule, what is stored there: then it is that thread that has
 * left something out. */
static void look_for_helper(struct pd_lint *l, struct pd_lint_finding *f)
{
	uint32_t store = f->told.nsites ? f->told.site[0].place : 0, i = 1;
	const struct pd_lint_place *p = store < l->places.n ? &l->places.v[store] : NULL;

	if (f->told.kind != PD_KIND_LINT_MISSING_FLUSH || !p || p->own || !p->helped ||
	    p->helped < 3 * f->told.count)
		return;
	while (i < f->told.nsites && f->told.site[i].role != PD_ROLE_BEFORE)
		i++;
	if (i == f->told.nsites)
		pd_lint_site(f, PD_ROLE_BEFORE, p->helper);
	else
		f->told.site[i].place = p->helper;
	f->helped = f->changed = true;
}

void pd_lint_tell_all(struct pd_lint *l)
{
	uint32_t extra = 0;

	for (uint32_t i = 0; i < l->findings.n; i++) {
		look_for_helper(l, &l->findings.v[i]);
		extra += l->findings.v[i].told.of > 0;
		if (is_old(l, &l->findings.v[i]))
			tell(l, &l->findings.v[i]);
	}
	if (extra && l->tell->times)
		tell_times(l);
}
