/* remedy.c - see remedy.h. */
#include "finding/remedy.h"
#include "finding/place.h"

/* ---- places --------------------------------------------------------------------------------- */

/* The frame that a reader can change: for code of system headers, its user; for a function that
 * only flushes or fences, its caller. */
static struct pd_remedy place(enum pd_remedy_what what, const struct pd_finding_site *s, bool wraps)
{
	struct pd_remedy r = {what, &s->at, s->nstack, s->stack, 0, s};

	while (r.nstack &&
	       (pd_frame_is_system(r.at) || (wraps && pd_place_is_wrapper(r.at->function)))) {
		r.at = r.stack++;
		r.nstack--;
		r.inner++;
	}
	return r;
}

static bool is_known(const struct pd_remedies *all, const struct pd_frame *at)
{
	for (uint32_t i = 0; i < all->n; i++)
		if (all->v[i].at->column == at->column && pd_frame_same(all->v[i].at, at))
			return true;
	return false;
}

static void add(struct pd_remedies *all, struct pd_remedy r)
{
	if (!r.at->file || !r.at->line || pd_frame_is_system(r.at))
		all->no = PD_NO_REMEDY_NO_PLACE;
	else if (!is_known(all, r.at) && all->n == PD_REMEDIES)
		all->no = PD_NO_REMEDY_TOO_MANY;
	else if (!is_known(all, r.at))
		all->v[all->n++] = r;
}

static const struct pd_finding_site *first(const struct pd_finding *f, enum pd_role role)
{
	for (uint32_t i = 0; i < f->nsites; i++)
		if (f->sites[i].role == role)
			return &f->sites[i];
	return NULL;
}

static void at_first(struct pd_remedies *all, enum pd_remedy_what what, const struct pd_finding *f,
		     enum pd_role role)
{
	const struct pd_finding_site *s = first(f, role);
	bool wraps = role == PD_ROLE_FLUSH || role == PD_ROLE_FENCE;

	if (s)
		add(all, place(what, s, wraps));
	else
		all->no = PD_NO_REMEDY_NO_PLACE;
}

/* Adds the remedy at the sites that a group of facts names. */
static void at_all(struct pd_remedies *all, enum pd_remedy_what what, const struct pd_finding *f,
		   enum pd_fact_group group, enum pd_fact_key key)
{
	for (uint32_t i = 0; i < pd_fact_count(&f->facts, group); i++) {
		const struct pd_fact *x = pd_fact_get(&f->facts, key, i);

		if (x && x->number < f->nsites)
			add(all, place(what, &f->sites[x->number], false));
	}
	if (!all->n && !all->no)
		all->no = PD_NO_REMEDY_NO_PLACE;
}

/* ---- what to do ----------------------------------------------------------------------------- */

static bool has(const struct pd_finding *f, enum pd_fact_key key)
{
	return pd_fact_get(&f->facts, key, 0);
}

static void of_lost(struct pd_remedies *all, enum pd_remedy_what what, const struct pd_finding *f)
{
	if (what == PD_REMEDY_PERSIST && has(f, PD_FACT_PAGE))
		what = PD_REMEDY_SYNC;
	at_all(all, what, f, PD_FACT_GROUP_LOST, PD_FACT_LOST_STORE);
}

static struct pd_frame frame_of(const struct pd_finding *f, enum pd_fact_key file,
				enum pd_fact_key line)
{
	return (struct pd_frame){.file = pd_fact_text(&f->facts, file),
				 .line = (uint32_t)pd_fact_number(&f->facts, line)};
}

static void of_order(struct pd_remedies *all, const struct pd_finding *f)
{
	if (has(f, PD_FACT_HELPER_FILE)) {
		all->no = PD_NO_REMEDY_OTHER_THREAD;
	} else if (f->kind == PD_KIND_LINEAR_VISIBLE && has(f, PD_FACT_READER)) {
		*all = pd_remedies_instead(f);
	} else if (f->kind == PD_KIND_LINEAR_VISIBLE) {
		/* One of several readers */
		at_all(all, PD_REMEDY_PERSIST_READ, f, PD_FACT_GROUP_LOST, PD_FACT_LOST_LOAD);
		all->unsure = true;
	} else if (has(f, PD_FACT_BEFORE_FILE) && !has(f, PD_FACT_PAGE)) {
		at_all(all, PD_REMEDY_MOVE, f, PD_FACT_GROUP_LOST, PD_FACT_LOST_STORE);
		all->unsure = true;
		all->before = frame_of(f, PD_FACT_BEFORE_FILE, PD_FACT_BEFORE_LINE);
	} else {
		of_lost(all, PD_REMEDY_PERSIST, f);
		if (!has(f, PD_FACT_TRUSTED_THREAD))
			all->before = frame_of(f, PD_FACT_TRUSTED_FILE, PD_FACT_TRUSTED_LINE);
	}
}

/* A failed recovery, of check and linear, and what an operation lost. */
static void of_cause(struct pd_remedies *all, const struct pd_finding *f)
{
	switch (f->cause) {
	case PD_CAUSE_MISSING_FLUSH:
	case PD_CAUSE_WRONG_TARGET:
		of_lost(all, PD_REMEDY_PERSIST, f);
		break;
	case PD_CAUSE_MISSING_FENCE:
		of_lost(all, has(f, PD_FACT_STREAMED) ? PD_REMEDY_FENCE : PD_REMEDY_FENCE_FLUSH, f);
		break;
	case PD_CAUSE_ORDER:
		of_order(all, f);
		break;
	case PD_CAUSE_STORE_BUFFER:
		at_all(all, PD_REMEDY_FULL_FENCE, f, PD_FACT_GROUP_PASSED, PD_FACT_PASSED_STORE);
		break;
	case PD_CAUSE_UNLOGGED:
		at_all(all, PD_REMEDY_LOG, f, PD_FACT_GROUP_UNLOGGED, PD_FACT_UNLOGGED_STORE);
		break;
	case PD_CAUSE_NOT_ATOMIC:
	case PD_CAUSE_OPEN_TX:
	case PD_CAUSE_TORN:
		all->no = PD_NO_REMEDY_LOGIC;
		break;
	case PD_CAUSE_LAYOUT:
		all->no = PD_NO_REMEDY_LAYOUT;
		break;
	case PD_CAUSE_UNSYNCED:
	case PD_CAUSE_LOCK_HELD:
	case PD_CAUSE_RECOVERY:
	case PD_CAUSE_UNKNOWN:
	case PD_CAUSE_N:
		all->no = PD_NO_REMEDY_KIND;
	}
}

static void of_torn(struct pd_remedies *all, const struct pd_finding *f)
{
	enum pd_word is = pd_fact_word(&f->facts, PD_FACT_STORE_IS);

	if (pd_fact_count(&f->facts, PD_FACT_GROUP_UNLOGGED)) {
		at_all(all, PD_REMEDY_LOG, f, PD_FACT_GROUP_UNLOGGED, PD_FACT_UNLOGGED_STORE);
	} else if (has(f, PD_FACT_BITFIELD) || is == PD_WORD_STORE_BITFIELD) {
		all->no = PD_NO_REMEDY_BITFIELD;
	} else if (pd_fact_number(&f->facts, PD_FACT_STORES) > 1) {
		all->no = PD_NO_REMEDY_KIND;
	} else if (f->kind == PD_KIND_TORN_BLOCK || is == PD_WORD_STORE_CONSTRUCTED) {
		/* It is complete when it can be found, provided that a later store makes it
		 * reachable. */
		at_first(all, has(f, PD_FACT_PAGE) ? PD_REMEDY_SYNC : PD_REMEDY_PERSIST, f,
			 PD_ROLE_STORE);
		all->unsure = true;
	} else if (is == PD_WORD_STORE_WIDE || is == PD_WORD_STORE_CROSSING ||
		   has(f, PD_FACT_READ_IN_PART)) {
		all->no = PD_NO_REMEDY_BLOCK;
	} else {
		at_first(all, PD_REMEDY_ATOMIC, f, PD_ROLE_STORE);
	}
}

static void of_needless(struct pd_remedies *all, const struct pd_finding *f)
{
	enum pd_word fix = pd_fact_word(&f->facts, PD_FACT_FIX);
	uint64_t times = pd_fact_number(&f->facts, PD_FACT_TIMES);

	if (fix != PD_WORD_FIX_LEAVE_OUT || has(f, PD_FACT_FOR_OTHERS) ||
	    pd_fact_number(&f->facts, PD_FACT_NEEDLESS) != times)
		all->no = fix == PD_WORD_FIX_FLUSH_FIRST ? PD_NO_REMEDY_WHAT_IS_MEANT
							 : PD_NO_REMEDY_AT_TIMES;
	else
		at_first(all, PD_REMEDY_REMOVE, f,
			 first(f, PD_ROLE_FLUSH) ? PD_ROLE_FLUSH : PD_ROLE_FENCE);
	/* A function that others call, too, and need stays as it is. */
	if (all->n && pd_fact_word(&f->facts, PD_FACT_CALLED) == PD_WORD_CALLED_SOME)
		all->v[0].inner = 0;
}

static void of_missing_flush(struct pd_remedies *all, const struct pd_finding *f)
{
	enum pd_word fix = pd_fact_word(&f->facts, PD_FACT_FIX);

	if (fix == PD_WORD_FIX_REACH)
		all->no = PD_NO_REMEDY_OTHER_THREAD;
	else
		at_first(all,
			 fix == PD_WORD_FIX_SYNC	? PD_REMEDY_SYNC
			 : fix == PD_WORD_FIX_LOG_IN_TX ? PD_REMEDY_LOG
							: PD_REMEDY_PERSIST,
			 f, PD_ROLE_STORE);
}

static void of_missing_fence(struct pd_remedies *all, const struct pd_finding *f)
{
	at_first(all, PD_REMEDY_FENCE, f,
		 pd_fact_word(&f->facts, PD_FACT_FIX) == PD_WORD_FIX_FENCE_AFTER_FLUSH
			 ? PD_ROLE_FLUSH
			 : PD_ROLE_STORE);
}

static void of_race(struct pd_remedies *all, const struct pd_finding *f)
{
	switch ((int)pd_fact_word(&f->facts, PD_FACT_FIX)) { /* an int: of lockset's */
	case PD_WORD_FIX_PERSIST_AT_ONCE:
	case PD_WORD_FIX_PERSIST_IN_LOCK:
	case PD_WORD_FIX_KEEP_LOCK:
		at_first(all, PD_REMEDY_PERSIST, f, PD_ROLE_STORE);
		break;
	/* What follows the store may keep the reader away without a lock */
	case PD_WORD_FIX_ONE_LOCK:
		at_first(all, PD_REMEDY_PERSIST, f, PD_ROLE_STORE);
		all->unsure = true;
		break;
	default:
		all->no = PD_NO_REMEDY_LOCK;
	}
}

static void of_lint(struct pd_remedies *all, const struct pd_finding *f)
{
	switch ((int)f->kind) { /* an int: only those of lint */
	case PD_KIND_LINT_MISSING_FLUSH:
		of_missing_flush(all, f);
		break;
	case PD_KIND_LINT_MISSING_FENCE:
		of_missing_fence(all, f);
		break;
	case PD_KIND_LINT_OVERWRITTEN:
		at_first(all, PD_REMEDY_PERSIST, f, PD_ROLE_STORE);
		break;
	case PD_KIND_LINT_UNLOGGED:
		at_first(all, PD_REMEDY_LOG, f, PD_ROLE_STORE);
		break;
	case PD_KIND_LINT_EXTRA_FLUSH:
	case PD_KIND_LINT_EXTRA_FENCE:
		of_needless(all, f);
		break;
	case PD_KIND_LINT_EXTRA_AT_TIMES:
		all->no = PD_NO_REMEDY_AT_TIMES;
		break;
	case PD_KIND_LINT_FLUSH_VOLATILE:
		all->no = PD_NO_REMEDY_WHAT_IS_MEANT;
		break;
	default:
		all->no = PD_NO_REMEDY_KIND;
	}
}

static bool is_between(const struct pd_finding *f, enum pd_kind from, enum pd_kind to)
{
	return f->kind >= from && f->kind <= to;
}

struct pd_remedies pd_remedies_instead(const struct pd_finding *f)
{
	struct pd_remedies all = {.unsure = true};
	const struct pd_fact *reader = pd_fact_get(&f->facts, PD_FACT_READER, 0);

	if (f->library || has(f, PD_FACT_PAGE) || !reader || reader->number >= f->nsites)
		all.no = PD_NO_REMEDY_KIND;
	else
		add(&all, place(PD_REMEDY_PERSIST_READ, &f->sites[reader->number], false));
	if (all.no)
		all.n = 0;
	return all;
}

struct pd_remedies pd_remedies_of(const struct pd_finding *f)
{
	struct pd_remedies all = {0};

	if (f->library)
		all.no = PD_NO_REMEDY_LIBRARY;
	else if (is_between(f, PD_KIND_CRASH_SIGNAL, PD_KIND_CRASH_CHECK) ||
		 is_between(f, PD_KIND_LINEAR_ORDER, PD_KIND_LINEAR_CHECK))
		of_cause(&all, f);
	else if (is_between(f, PD_KIND_TORN_SPLIT, PD_KIND_TORN_VOLATILE))
		of_torn(&all, f);
	else if (is_between(f, PD_KIND_LINT_MISSING_FLUSH, PD_KIND_LINT_CUSTOM_NOTE))
		of_lint(&all, f);
	else if (f->kind == PD_KIND_LOCKSET_PERSISTENT || f->kind == PD_KIND_LOCKSET_BENIGN)
		of_race(&all, f);
	else
		all.no = PD_NO_REMEDY_KIND;
	if (all.no)
		all.n = 0;
	return all;
}
