/* verdict.c - see verdict.h. */
#include "engine/torn/verdict.h"
#include "base/sort.h"
#include "event/abi.h"
#include "event/event.h"
#include "finding/text.h"

/* ---- what kind of store it is --------------------------------------------------------------- */

/* Recovery only compares it with a constant, and nothing else reads it: a half-done store equals no
 * constant that it would not equal otherwise. */
static bool is_compared(const struct pd_torn_suspect *s)
{
	return s->load->at.flags & PD_SITE_EQUAL && !s->load->reused;
}

/* A part that is smaller than the store, of a word or less: the store crosses words. */
static bool crosses_words(const struct pd_torn_suspect *s)
{
	return s->store->at.size && s->store->at.size <= 8 && s->race->size < s->store->at.size;
}

static bool is_block(const struct pd_torn_suspect *s)
{
	return s->store->at.flags & PD_SITE_BLOCK || s->store->at.size > 8;
}

/* This build makes the store with one instruction, which a crash keeps whole; and a byte has no
 * parts. */
static bool is_whole(const struct pd_torn_suspect *s)
{
	uint32_t flags = s->store->at.flags;

	if (s->store->at.size == 1)
		return true;
	return flags & (PD_SITE_WHOLE | PD_SITE_WIDENED) &&
	       !(flags & (PD_SITE_SPLIT | PD_SITE_SET | PD_SITE_COPY)) && !crosses_words(s);
}

static enum pd_kind kind_of(const struct pd_torn_suspect *s)
{
	if (s->race->guarded)
		return PD_KIND_TORN_BENIGN;
	if (s->race->unchanged)
		return PD_KIND_TORN_UNCHANGED;
	if (is_compared(s))
		return PD_KIND_TORN_COMPARED;
	if (is_block(s))
		return PD_KIND_TORN_BLOCK;
	if (s->store->at.flags & PD_SITE_VOLATILE && !crosses_words(s))
		return PD_KIND_TORN_VOLATILE;
	return is_whole(s) ? PD_KIND_TORN_STORE : PD_KIND_TORN_SPLIT;
}

/* Shown only with --benign. */
static bool is_hidden(const struct pd_torn_suspect *s)
{
	return s->kind == PD_KIND_TORN_BENIGN || s->kind == PD_KIND_TORN_UNCHANGED;
}

/* A plain store inside std::atomic: its other stores are atomic. */
static bool is_constructor(const struct pd_torn_suspect *s)
{
	const char *in = s->store->at.function; /* mangled, or without its class */

	return in && pd_frame_is_system(&(struct pd_frame){.file = s->store->at.file}) &&
	       pd_text_find(in, "atomic");
}

static enum pd_word nature(const struct pd_torn_suspect *s)
{
	uint32_t flags = s->store->at.flags;

	return flags & PD_SITE_BLOCK	  ? PD_WORD_STORE_BLOCK
	       : s->store->at.size > 8	  ? PD_WORD_STORE_WIDE
	       : crosses_words(s)	  ? PD_WORD_STORE_CROSSING
	       : flags & PD_SITE_BITFIELD ? PD_WORD_STORE_BITFIELD
	       : flags & PD_SITE_VOLATILE ? PD_WORD_STORE_VOLATILE
	       : is_constructor(s)	  ? PD_WORD_STORE_CONSTRUCTED
					  : PD_WORD_STORE_PLAIN;
}

/* What the compiler has made of it in this build. */
static enum pd_word fate(const struct pd_torn_suspect *s)
{
	uint32_t flags = s->store->at.flags;

	if (flags & PD_SITE_SPLIT)
		return PD_WORD_BUILD_SPLIT;
	if (flags & PD_SITE_SET)
		return PD_WORD_BUILD_SET;
	if (flags & PD_SITE_COPY)
		return PD_WORD_BUILD_COPY;
	if (s->kind == PD_KIND_TORN_SPLIT && !is_whole(s) && !crosses_words(s))
		return PD_WORD_BUILD_NOT_FOUND;
	return PD_WORD_NONE;
}

/* When a crash does harm. */
static enum pd_word window(const struct pd_torn_race *r)
{
	if (r->prefix)
		return r->flush ? PD_WORD_TORN_BEFORE_FLUSH : PD_WORD_TORN_UNORDERED_FLUSH;
	if (r->crash)
		return PD_WORD_TORN_BEFORE_CRASH;
	return r->crash_kind == PD_EV_EXIT    ? PD_WORD_TORN_UNTIL_END
	       : r->crash_kind == PD_EV_MSYNC ? PD_WORD_TORN_BEFORE_SYNC
					      : PD_WORD_TORN_BEFORE_ANYTHING;
}

/* ---- which are one -------------------------------------------------------------------------- */

static bool is_same_line(const struct pd_board_site *a, const struct pd_board_site *b)
{
	return a->at.line == b->at.line && pd_text_cmp(a->at.file, b->at.file) == 0;
}

/* Whether one range that is not logged accounts for both. */
static bool lack_same_log(const struct pd_torn_suspect *a, const struct pd_torn_suspect *b)
{
	for (uint32_t i = 0; i < a->nunlogged; i++)
		for (uint32_t k = 0; k < b->nunlogged; k++)
			if (pd_frame_same(&a->unlogged[i].at, &b->unlogged[k].at))
				return !is_hidden(a) && !is_hidden(b) &&
				       pd_text_cmp(a->library, b->library) == 0;
	return false;
}

enum { TOUCHING = 64 };

/*
 * Parts of what one copy writes, read as different fields: what fixes one fixes all. A place that
 * copies for several callers, or to several objects where its callers are not known, is not one.
 */
static bool is_same_copy(const struct pd_torn_suspect *a, const struct pd_torn_suspect *b)
{
	uint64_t p = a->race->addr, q = b->race->addr;

	return a->kind == PD_KIND_TORN_BLOCK && a->store == b->store &&
	       a->race->in_recovery == b->race->in_recovery &&
	       pd_callers_same(&a->at_store, &b->at_store) &&
	       (a->at_store.nstack || p - q + TOUCHING <= 2 * TOUCHING);
}

static bool belongs(const struct pd_torn_suspect *a, const struct pd_torn_suspect *b)
{
	if (lack_same_log(a, b))
		return true;
	if (!a->nunlogged == !b->nunlogged && a->kind == b->kind && is_same_copy(a, b))
		return true;
	return !a->nunlogged == !b->nunlogged && a->kind == b->kind &&
	       pd_text_cmp(a->field, b->field) == 0 && pd_text_cmp(a->library, b->library) == 0 &&
	       (a->field || is_same_line(a->store, b->store));
}

/* Whether b concerns the same store as a, and is harmful. */
static bool is_worse(const struct pd_torn_suspect *a, const struct pd_torn_suspect *b)
{
	return is_same_line(a->store, b->store) && a->store->at.column == b->store->at.column &&
	       b->kind != PD_KIND_TORN_COMPARED && !is_hidden(b) &&
	       pd_text_cmp(a->field, b->field) == 0;
}

/* A harmless load is counted with the harmful ones of the same store. */
static void join_harmless(struct pd_torn_verdicts *t)
{
	for (uint32_t i = 0; i < t->n; i++)
		for (uint32_t k = 0; k < t->n && t->v[i].kind == PD_KIND_TORN_COMPARED; k++)
			if (is_worse(&t->v[i], &t->v[k]))
				t->v[i].kind = t->v[k].kind;
}

static int compare_numbers(uint32_t a, uint32_t b)
{
	return a < b ? -1 : a > b;
}

/* The easiest to follow comes first. */
static int compare(const void *x, const void *y)
{
	const struct pd_torn_suspect *a = x, *b = y;
	int c = compare_numbers(a->race->prefix, b->race->prefix);

	if (!c)
		c = compare_numbers(a->race->depth, b->race->depth);
	if (!c)
		c = pd_text_cmp(a->store->at.file, b->store->at.file);
	if (!c)
		c = compare_numbers(a->store->at.line, b->store->at.line);
	if (!c)
		c = pd_text_cmp(a->load->at.file, b->load->at.file);
	return c ? c : compare_numbers(a->load->at.line, b->load->at.line);
}

bool pd_torn_is_undone(const struct pd_torn_suspect *s)
{
	return s->race->undone && !s->library;
}

/* Numbers the findings: what belongs to a member of one belongs to it. */
static void find_groups(struct pd_torn_verdicts *t)
{
	uint32_t *queue = pd_new_array(t->arena, uint32_t, t->n + 1), n = 0, group = 0;

	for (uint32_t i = 0; queue && i < t->n; i++) {
		if (t->v[i].group)
			continue;
		t->v[i].group = ++group;
		queue[n++] = i;
		while (n) {
			const struct pd_torn_suspect *s = &t->v[queue[--n]];

			for (uint32_t k = i + 1; k < t->n; k++)
				if (!t->v[k].group && belongs(&t->v[k], s)) {
					t->v[k].group = group;
					queue[n++] = k;
				}
		}
	}
}

void pd_torn_judge(struct pd_torn_verdicts *t)
{
	for (uint32_t i = 0; i < t->n; i++) {
		struct pd_torn_suspect *s = &t->v[i];

		s->kind = kind_of(s);
		/* A block covers many fields: the one that is read counts. */
		s->field = s->load_field && (!s->store_field || is_block(s)) ? s->load_field
									     : s->store_field;
	}
	join_harmless(t);
	pd_sort(t->v, t->n, sizeof(*t->v), compare, t->arena);
	find_groups(t);
}

/* ---- what a crash has shown already --------------------------------------------------------- */

static bool is_same_place(const struct pd_frame *a, const struct pd_frame *b)
{
	return a->line == b->line && a->column == b->column && a->file && b->file &&
	       pd_text_cmp(a->file, b->file) == 0;
}

static bool is_same_function(const struct pd_frame *a, const struct pd_frame *b)
{
	return a->file && a->function && pd_text_cmp(a->file, b->file) == 0 &&
	       pd_text_cmp(a->function, b->function) == 0;
}

/* Flushed, but not fenced; and a crash finding misses the same fence. */
static bool is_same_fence(const struct pd_torn_suspect *s, const struct pd_finding *f)
{
	for (uint32_t i = 0; s->race->unfenced && i < f->nsites; i++)
		if (f->sites[i].role == PD_ROLE_CRASH &&
		    is_same_place(&f->sites[i].at, &s->at_crash.at))
			return true;
	return false;
}

/* It is in a transaction that the crash finding blames. */
static bool is_in_transaction_of(const struct pd_torn_suspect *s, const struct pd_finding *f)
{
	for (uint32_t i = 0; i < f->nsites; i++) {
		const struct pd_finding_site *at = &f->sites[i];

		if (f->cause == PD_CAUSE_OPEN_TX && at->role == PD_ROLE_TX && s->at_begin.at.file &&
		    pd_frame_same(&at->at, &s->at_begin.at))
			return true;
		for (uint32_t k = 0; k < s->nunlogged && f->cause == PD_CAUSE_UNLOGGED; k++)
			if (at->role == PD_ROLE_STORE && pd_frame_same(&at->at, &s->unlogged[k].at))
				return true;
	}
	return false;
}

/*
 * A store whose loss made a recovery fail is reported there: the fix, a flush and a fence before
 * the store can be found, fixes this as well. The same holds for a store whose function has a crash
 * finding about a missing flush, if the store is never flushed, or about a missing fence, if it
 * needs the same fence. A store that is logged before it is made cannot be seen torn either.
 */
static bool is_lost_in(const struct pd_torn_suspect *s, const struct pd_finding *f)
{
	bool no_flush = f->cause == PD_CAUSE_MISSING_FLUSH || f->cause == PD_CAUSE_WRONG_TARGET;
	bool same = no_flush ? s->store->left_open > 0
			     : f->cause == PD_CAUSE_MISSING_FENCE && is_same_fence(s, f);

	if (is_in_transaction_of(s, f))
		return true;
	if (!no_flush && f->cause != PD_CAUSE_MISSING_FENCE && f->cause != PD_CAUSE_ORDER &&
	    f->cause != PD_CAUSE_TORN && f->cause != PD_CAUSE_UNLOGGED)
		return false;
	for (uint32_t i = 0; i < f->nsites; i++) {
		const struct pd_finding_site *at = &f->sites[i];

		if (at->role == PD_ROLE_STORE &&
		    (is_same_place(&at->at, &s->at_store.at) ||
		     (same && is_same_function(&at->at, &s->at_store.at))))
			return true;
	}
	return false;
}

static bool is_reported_by_crash(const struct pd_torn_verdicts *t, const struct pd_torn_suspect *s)
{
	for (uint32_t i = 0; i < t->crashes->items.n && !s->race->in_recovery; i++)
		if (is_lost_in(s, t->crashes->items.v[i]))
			return true;
	return false;
}

/* Whether crash findings report all of a finding. */
static bool is_needless(const struct pd_torn_verdicts *t, const struct pd_torn_suspect *first)
{
	for (const struct pd_torn_suspect *s = t->v; s < t->v + t->n; s++)
		if (s->group == first->group && !is_reported_by_crash(t, s))
			return false;
	return true;
}

/* ---- findings ------------------------------------------------------------------------------- */

struct maker {
	struct pd_torn_verdicts *t;
	const struct pd_torn_suspect *best;
	PD_VEC(struct pd_finding_site) sites;
};

/* Its number. */
static uint32_t add_site(struct maker *m, const struct pd_finding_site *s)
{
	struct pd_finding_site *to;
	uint32_t i = 0;

	while (i < m->sites.n &&
	       (m->sites.v[i].role != s->role || !is_same_place(&m->sites.v[i].at, &s->at)))
		i++;
	if (i == m->sites.n && (s->at.file || s->at.function) &&
	    (to = pd_vec_push(&m->sites, m->t->arena)))
		*to = *s;
	return i;
}

/* What its transaction has not logged. */
static void put_unlogged(struct maker *m, struct pd_fact_list *to)
{
	const struct pd_torn_suspect *s = m->best;

	if (!s->nunlogged)
		return;
	for (uint32_t i = 0; i < s->nunlogged; i++)
		pd_fact_put_nth(to, PD_FACT_UNLOGGED_STORE, i, add_site(m, &s->unlogged[i]));
	pd_fact_put(to, PD_FACT_TRANSACTION, add_site(m, &s->at_begin));
}

static struct pd_facts facts_of(struct maker *m, uint32_t stores)
{
	const struct pd_torn_suspect *s = m->best;
	struct pd_fact_list to = {.arena = m->t->arena};

	pd_fact_put(&to, PD_FACT_STORE_IS, nature(s));
	pd_fact_put_if(&to, PD_FACT_BUILD, fate(s));
	pd_fact_put(&to, PD_FACT_TORN_WHEN, window(s->race));
	pd_fact_put_if(&to, PD_FACT_PAGE, m->t->page);
	pd_fact_put_if(&to, PD_FACT_SIZE, s->store->at.size);
	pd_fact_put(&to, PD_FACT_STORES, stores);
	pd_fact_put_if(&to, PD_FACT_BITFIELD, s->store->at.flags & PD_SITE_BITFIELD ? 1 : 0);
	pd_fact_put_if(&to, PD_FACT_READ_IN_PART,
		       s->load->at.size && s->load->at.size < s->store->at.size);
	put_unlogged(m, &to);
	return pd_facts_of(&to);
}

/* The id of a field: only its name counts, and whose store it is. */
static uint64_t id_of(const struct pd_torn_suspect *s)
{
	struct pd_finding f = {
		.kind = s->kind, .field = s->field, .message = s->library ? s->library : s->field};

	if (s->nunlogged) /* of what is not logged, and where */
		f = (struct pd_finding){.kind = s->kind, .sites = &s->unlogged[0], .nsites = 1};
	return s->nunlogged || s->field ? pd_finding_id(&f) : 0;
}

static void make(struct pd_torn_verdicts *t, struct pd_torn_suspect *best, struct pd_finding *to)
{
	struct maker m = {.t = t, .best = best};
	struct pd_torn_suspect *end = t->v + t->n;
	uint32_t stores;

	*to = (struct pd_finding){.id = id_of(best),
				  .kind = best->kind,
				  .field = best->field,
				  .library = best->library};
	add_site(&m, &best->at_store);
	for (const struct pd_torn_suspect *s = t->v; s < end; s++)
		if (s->group == best->group)
			add_site(&m, &s->at_store);
	stores = m.sites.n;
	add_site(&m, &best->at_load);
	for (const struct pd_torn_suspect *s = t->v; s < end; s++)
		if (s->group == best->group) {
			add_site(&m, &s->at_load);
			to->count++;
		}
	add_site(&m, &best->at_flush);
	add_site(&m, &best->at_crash);
	to->facts = facts_of(&m, stores);
	to->sites = m.sites.v;
	to->nsites = m.sites.n;
}

/* Of races that are one for lack of a log, the worst kind stands for all. */
static struct pd_torn_suspect *worst_of(struct pd_torn_verdicts *t, struct pd_torn_suspect *first)
{
	struct pd_torn_suspect *worst = first;

	for (struct pd_torn_suspect *s = t->v; s < t->v + t->n; s++)
		if (lack_same_log(s, first) &&
		    pd_kind_info[s->kind].severity < pd_kind_info[worst->kind].severity)
			worst = s;
	return worst;
}

static void mark_reported(struct pd_torn_verdicts *t, struct pd_torn_suspect *first)
{
	for (struct pd_torn_suspect *s = t->v + t->n; s-- > t->v;)
		s->reported |= s->group == first->group;
}

const struct pd_torn_race *pd_torn_finding(struct pd_torn_verdicts *t, struct pd_finding *to)
{
	while (t->at < t->n) {
		struct pd_torn_suspect *s = &t->v[t->at++];
		bool needless;

		if (s->reported || (is_hidden(s) && !t->benign))
			continue;
		s = worst_of(t, s);
		needless = is_needless(t, s);
		t->folded += needless;
		if (!needless)
			make(t, s, to);
		mark_reported(t, s);
		if (!needless)
			return s->race;
	}
	return NULL;
}
