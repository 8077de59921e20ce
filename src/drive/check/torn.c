/*
 * check/torn.c - from persistency races to findings: one a field, with all its stores and loads.
 *
 * A race is a store and a load (engine/torn/race.h). Races of one kind on one field are one
 * finding; its id is the field's, so that it does not depend on how many sites were seen. Where
 * nothing names a field it is one finding a store. One whose every store is told by a crash finding
 * is left out, and counted.
 */
#include "drive/check/check.h"
#include "finding/owner.h"
#include "engine/torn/race.h"
#include "host/demangle.h"
#include "report/fields.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct racy {
	const struct pd_torn_race *race;
	const struct pd_board_site *store;
	const struct pd_board_site *load;
	const char *field;   /* NULL: not known */
	const char *library; /* that has the store; NULL: the user's */
	enum pd_kind kind;
	bool told;
};

struct teller {
	const struct pd_options *o;
	const struct pd_board *b;
	struct pd_result *r;
	struct pd_symbols *first; /* of the program, and of the one that recovers */
	struct pd_symbols *recovery;
	struct racy *racy;
	uint32_t n;
	uint32_t folded; /* findings that a crash finding makes needless */
	PD_VEC(struct pd_finding_site) sites;
	bool page; /* the page model: what makes durable is a sync */
};

bool pd_check_torn_prepare(struct pd_check_run *c, struct pd_error *e)
{
	struct pd_torn_table *t;

	if (c->no_torn)
		return true;
	t = pd_board_alloc(NULL, sizeof(*t));
	if (!t)
		return pd_error_set(e, PD_EXIT_INTERNAL, "out of shared memory");
	t->no_prefix = c->no_prefix;
	t->track = c->random != 0;
	c->board->torn = t;
	return true;
}

/* ---- what kind of store it is --------------------------------------------------------------- */

/* Recovery asks only whether it equals a constant, and nobody else asks: half of it equals nothing
 * new. */
static bool is_compared(const struct racy *r)
{
	return r->load->flags & PD_SITE_EQUAL && !r->load->reused;
}

/* A store of a word that was cut in two lies across words. */
static bool crosses_words(const struct racy *r)
{
	return r->store->size && r->store->size <= 8 && r->race->size < r->store->size;
}

/* This build makes it with one instruction, which a crash keeps whole. Of a byte there are no
 * parts. */
static bool is_whole(const struct racy *r)
{
	uint32_t flags = r->store->flags;

	if (r->store->size == 1)
		return true;
	return flags & (PD_SITE_WHOLE | PD_SITE_WIDENED) &&
	       !(flags & (PD_SITE_SPLIT | PD_SITE_SET | PD_SITE_COPY)) && !crosses_words(r);
}

static enum pd_kind kind_of(const struct racy *r)
{
	uint32_t flags = r->store->flags;

	if (r->race->guarded)
		return PD_KIND_TORN_BENIGN;
	if (r->race->unchanged)
		return PD_KIND_TORN_UNCHANGED;
	if (is_compared(r))
		return PD_KIND_TORN_COMPARED;
	if (flags & PD_SITE_BLOCK || r->store->size > 8)
		return PD_KIND_TORN_BLOCK;
	if (flags & PD_SITE_VOLATILE && !crosses_words(r))
		return PD_KIND_TORN_VOLATILE;
	return is_whole(r) ? PD_KIND_TORN_STORE : PD_KIND_TORN_SPLIT;
}

/* For who asks: --benign. */
static bool is_hidden(const struct racy *r)
{
	return r->kind == PD_KIND_TORN_BENIGN || r->kind == PD_KIND_TORN_UNCHANGED;
}

static const char *nature(const struct racy *r)
{
	uint32_t flags = r->store->flags;

	if (flags & PD_SITE_BLOCK)
		return "a block copy is no single store: any part of it may be there";
	if (r->store->size > 8)
		return "wider than 8 bytes: what a crash keeps whole is an aligned word";
	if (crosses_words(r))
		return "not aligned: it crosses a word, and a crash may keep one side of it";
	if (flags & PD_SITE_BITFIELD)
		return "a bit-field is stored by rewriting the word around it";
	if (flags & PD_SITE_VOLATILE)
		return "volatile: compilers keep such a store whole by habit; no language rule "
		       "says so";
	return "a plain store";
}

/* What the compiler has really made of it. */
static const char *fate(const struct racy *r)
{
	uint32_t flags = r->store->flags;

	if (flags & PD_SITE_SPLIT)
		return ", which this build splits into several stores";
	if (flags & PD_SITE_SET)
		return ", which this build makes a part of a memset";
	if (flags & PD_SITE_COPY)
		return ", which this build makes a part of a memcpy";
	if (r->kind == PD_KIND_TORN_SPLIT && !is_whole(r) && !crosses_words(r))
		return ", for which no instruction of this build could be found: the compiler has "
		       "merged it with others, or "
		       "removed it";
	return "";
}

/* ---- words ---------------------------------------------------------------------------------- */

static const char *place(const struct pd_board_site *s, char *buf, size_t n)
{
	const char *slash = s ? strrchr(s->file, '/') : NULL;

	if (s)
		snprintf(buf, n, "%.200s:%u", slash ? slash + 1 : s->file, s->line);
	else
		snprintf(buf, n, "an unknown place");
	return buf;
}

static char *text_of(struct teller *t, const char *fmt, ...)
{
	char buf[1200];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	return pd_arena_strndup(t->r->arena, buf, strlen(buf));
}

/* A place of the execution that crashed. */
static const struct pd_board_site *crashed_site(const struct teller *t,
						const struct pd_torn_race *r, uint32_t site)
{
	return pd_board_site(t->b, r->depth > 1, site);
}

/* From where to where a crash does the harm. */
static const char *window(struct teller *t, const struct racy *r, char *buf, size_t n)
{
	char end[300];

	if (r->race->prefix && r->race->flush)
		snprintf(buf, n,
			 "since nothing that it has read by then is ordered after the %s at %s, so "
			 "that power "
			 "could have failed before it",
			 t->page ? "sync" : "flush",
			 place(crashed_site(t, r->race, r->race->flush), end, sizeof(end)));
	else if (r->race->prefix)
		snprintf(buf, n,
			 t->page ? "although its page is synced, since no sync of it happens after "
				   "the store"
				 : "although its line is flushed, since no flush of it happens "
				   "after the store");
	else if (r->race->crash)
		snprintf(buf, n, "if power fails between the store and %s",
			 place(crashed_site(t, r->race, r->race->crash), end, sizeof(end)));
	else if (r->race->crash_kind == PD_EV_EXIT)
		snprintf(buf, n,
			 "if power fails any time after the store: until the end nothing makes it "
			 "durable");
	else
		snprintf(buf, n, "if power fails before %s makes it durable",
			 r->race->crash_kind == PD_EV_MSYNC ? "the next msync or fsync"
							    : "anything");
	return buf;
}

static const char *excuse(const struct racy *r)
{
	if (r->kind == PD_KIND_TORN_UNCHANGED)
		return "; harmless: it writes what was there before";
	return r->kind != PD_KIND_TORN_COMPARED
		       ? ""
		       : "; harmless: recovery only compares it with a constant there, and half of "
			 "it compares like the "
			 "old value or like the new one";
}

static char *message(struct teller *t, const struct racy *r)
{
	char store[300], load[300], when[700];

	return text_of(t, "%s%s%s%s may be torn when recovery reads it at %s, %s; %s%s%s",
		       r->field ? r->field : "the store", r->field ? ", stored at " : " at ",
		       place(r->store, store, sizeof(store)), r->field ? "," : "",
		       place(r->load, load, sizeof(load)), window(t, r, when, sizeof(when)),
		       nature(r), fate(r), excuse(r));
}

/* One line: there is no bug in this build. */
static char *warning(struct teller *t, const struct racy *r, uint32_t stores)
{
	char store[300], more[40] = "", what[80];
	bool bits = r->store->flags & PD_SITE_BITFIELD;

	if (stores > 1)
		snprintf(more, sizeof(more), " and %u more", stores - 1);
	snprintf(what, sizeof(what), bits ? "bit-field of a %u-byte word" : "plain %u-byte store",
		 r->store->size);
	return text_of(t, "%s%s%s%s: %s; a compiler may %s; use %s",
		       place(r->store, store, sizeof(store)), more, r->field ? " " : "",
		       r->field ? r->field : "", what,
		       r->store->size == 1 ? "write something else there first" : "split it",
		       bits ? "an _Atomic word" : "_Atomic");
}

static char *fix(struct teller *t, const struct racy *r)
{
	if (is_hidden(r))
		return NULL;
	if (r->kind == PD_KIND_TORN_COMPARED)
		return text_of(t, "none is needed as long as it is only compared; make it _Atomic "
				  "(std::atomic) to say "
				  "what is meant");
	if (r->kind == PD_KIND_TORN_BLOCK)
		return text_of(t,
			       "make it durable before it can be found: %s the copy, and only then "
			       "publish it by one atomic store (memory_order_release) that "
			       "recovery reads first",
			       t->page ? "msync" : "flush and fence");
	if (r->store->flags & PD_SITE_BITFIELD)
		return text_of(t, "a bit-field cannot be atomic: keep these flags in an atomic "
				  "word, and store that with "
				  "memory_order_release");
	/* A struct of a word that is assigned, of which recovery reads a part. */
	return text_of(
		t, "make %s%s _Atomic (std::atomic) and store it with memory_order_release%s%s",
		r->load->size && r->load->size < r->store->size ? "all that is stored with " : "",
		r->field ? r->field : "it",
		r->kind == PD_KIND_TORN_STORE
			? ": the same instruction, and then no compiler may split it"
			: ": on x86 that is one instruction",
		crosses_words(r) ? ", once it is aligned" : "");
}

/* ---- sites ---------------------------------------------------------------------------------- */

static struct pd_frame frame_of(struct teller *t, const struct pd_board_site *s)
{
	return (struct pd_frame){pd_demangle(t->r->arena, s->function), s->file, s->line,
				 s->column};
}

static bool is_there(const struct teller *t, enum pd_role role, const struct pd_board_site *s)
{
	for (uint32_t i = 0; i < t->sites.n; i++) {
		const struct pd_finding_site *f = &t->sites.v[i];

		if (f->role == role && f->at.line == s->line && f->at.column == s->column &&
		    strcmp(f->at.file, s->file) == 0)
			return true;
	}
	return false;
}

static void add_site(struct teller *t, enum pd_role role, const struct pd_board_site *s)
{
	struct pd_finding_site *to;
	struct pd_frame *stack;
	uint32_t depth = 0;

	if (!s || is_there(t, role, s) || !(to = pd_vec_push(&t->sites, t->r->arena)))
		return;
	*to = (struct pd_finding_site){.role = role, .at = frame_of(t, s)};
	for (const struct pd_board_site *in = s->inlined_at; in; in = in->inlined_at)
		depth++;
	stack = depth ? pd_new_array(t->r->arena, struct pd_frame, depth) : NULL;
	to->stack = stack;
	for (const struct pd_board_site *in = s->inlined_at; stack && in; in = in->inlined_at)
		stack[to->nstack++] = frame_of(t, in);
}

/* ---- the witness ---------------------------------------------------------------------------- */

/* The crashes and picks that lead recovery to the load. */
static struct pd_witness witness_of(struct teller *t, const struct pd_torn_race *r)
{
	struct pd_check_way way = {r->parent, r->seed, r->point, r->npick, r->picks};

	return pd_check_witness_to(&way, t->r->arena);
}

/* ---- findings ------------------------------------------------------------------------------- */

static bool is_same(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool belongs(const struct racy *a, const struct racy *b)
{
	if (a->kind != b->kind || !a->field != !b->field || !is_same(a->library, b->library))
		return false;
	return a->field ? strcmp(a->field, b->field) == 0
			: a->store->line == b->store->line &&
				  strcmp(a->store->file, b->store->file) == 0;
}

/* Of a field: what it is called is all that counts, and whose store it is. */
static uint64_t id_of(const struct racy *r)
{
	struct pd_finding f = {
		.kind = r->kind, .field = r->field, .message = r->library ? r->library : r->field};

	return r->field ? pd_finding_id(&f) : 0;
}

/* ---- what a crash has shown already --------------------------------------------------------- */

static bool is_same_place(const struct pd_frame *a, const struct pd_board_site *s)
{
	return a->line == s->line && a->column == s->column && a->file &&
	       strcmp(a->file, s->file) == 0;
}

static bool is_same_function(struct teller *t, const struct pd_frame *a,
			     const struct pd_board_site *s)
{
	return a->file && strcmp(a->file, s->file) == 0 && a->function &&
	       strcmp(a->function, pd_demangle(t->r->arena, s->function)) == 0;
}

/* Flushed, and the fence that should wait for that is the one that a crash finding misses. */
static bool is_same_fence(struct teller *t, const struct racy *r, const struct pd_finding *f)
{
	const struct pd_board_site *crash = crashed_site(t, r->race, r->race->crash);

	for (uint32_t i = 0; r->race->unfenced && crash && i < f->nsites; i++)
		if (f->sites[i].role == PD_ROLE_CRASH && is_same_place(&f->sites[i].at, crash))
			return true;
	return false;
}

/*
 * A store that some recovery failed for the loss of is reported there: what fixes that, a flush and
 * a fence before it can be found, fixes this too. So is one beside others of its function for which
 * a flush is missing, if nobody ever flushes it, or a fence, if it is the same that it would need.
 */
static bool is_lost_in(struct teller *t, const struct racy *r, const struct pd_finding *f)
{
	bool no_flush = f->cause == PD_CAUSE_MISSING_FLUSH || f->cause == PD_CAUSE_WRONG_TARGET;
	bool same = no_flush ? r->store->left_open > 0
			     : f->cause == PD_CAUSE_MISSING_FENCE && is_same_fence(t, r, f);

	if (!no_flush && f->cause != PD_CAUSE_MISSING_FENCE && f->cause != PD_CAUSE_ORDER &&
	    f->cause != PD_CAUSE_TORN)
		return false;
	for (uint32_t i = 0; i < f->nsites; i++) {
		const struct pd_finding_site *s = &f->sites[i];

		if (s->role == PD_ROLE_STORE && (is_same_place(&s->at, r->store) ||
						 (same && is_same_function(t, &s->at, r->store))))
			return true;
	}
	return false;
}

static bool is_told_by_crash(struct teller *t, const struct racy *r)
{
	const struct pd_findings *all = &t->r->findings;

	for (uint32_t i = 0; i < all->items.n && !r->race->in_recovery; i++)
		if (is_lost_in(t, r, all->items.v[i]))
			return true;
	return false;
}

/* Counts those that are told; all of them, or none. */
static bool fold(struct teller *t, uint32_t first)
{
	for (uint32_t i = first; i < t->n; i++)
		if (belongs(&t->racy[i], &t->racy[first]) && !is_told_by_crash(t, &t->racy[i]))
			return false;
	for (uint32_t i = first; i < t->n; i++)
		t->racy[i].told |= belongs(&t->racy[i], &t->racy[first]);
	t->folded++;
	return true;
}

static void tell(struct teller *t, uint32_t first)
{
	const struct racy *best = &t->racy[first];
	bool wanted = best->library &&
		      pd_owner_wanted(t->o->libraries.v, t->o->libraries.n, best->library);
	struct pd_finding f = {
		.id = id_of(best),
		.kind = best->kind,
		.field = best->field,
		.library = wanted ? NULL : best->library,
		.fix = fix(t, best),
		.witness = witness_of(t, best->race),
	};

	memset(&t->sites, 0, sizeof(t->sites));
	for (uint32_t i = first; i < t->n; i++)
		if (belongs(&t->racy[i], best))
			add_site(t, PD_ROLE_STORE, t->racy[i].store);
	f.message =
		best->kind == PD_KIND_TORN_STORE ? warning(t, best, t->sites.n) : message(t, best);
	for (uint32_t i = first; i < t->n; i++)
		if (belongs(&t->racy[i], best))
			add_site(t, PD_ROLE_LOAD, t->racy[i].load);
	for (uint32_t i = first; i < t->n; i++)
		if (belongs(&t->racy[i], best)) {
			t->racy[i].told = true;
			f.count++;
		}
	if (best->race->flush)
		add_site(t, PD_ROLE_FLUSH, crashed_site(t, best->race, best->race->flush));
	add_site(t, PD_ROLE_CRASH, crashed_site(t, best->race, best->race->crash));
	f.sites = t->sites.v;
	f.nsites = t->sites.n;
	pd_findings_add(&t->r->findings, &f);
}

static const char *field_of(struct teller *t, const struct pd_board_site *s, bool recovery)
{
	return s->type ? pd_field_name(recovery ? t->recovery : t->first, t->r->arena, s->type,
				       s->type_size, s->offset, s->size)
		       : NULL;
}

/*
 * The library that has the store, in its code or in a header that was inlined; NULL: the user's.
 * What libpmem copies for its caller is the user's.
 */
static const char *library_of(struct teller *t, const struct pd_board_site *s)
{
	const char *name = pd_owner_header(t->r->arena, s->file);

	if (!name && s->library && pd_owner_of(s->library, true, s->function) == PD_OWNER_LIBRARY)
		name = pd_owner_library(t->r->arena, s->library);
	return name;
}

static void describe(struct teller *t, struct racy *to, const struct pd_torn_race *r)
{
	const char *read = NULL;

	to->race = r;
	to->store = pd_board_site(t->b, r->in_recovery, r->store);
	to->load = pd_board_site(t->b, true, r->load);
	if (!to->store || !to->load)
		return;
	to->kind = kind_of(to);
	to->library = library_of(t, to->store);
	to->field = field_of(t, to->store, r->in_recovery);
	/* A block is of many fields: the one that is read counts. */
	if (!to->field || to->store->flags & PD_SITE_BLOCK || to->store->size > 8)
		read = field_of(t, to->load, true);
	if (read)
		to->field = read;
}

/* Whether one is about a store that is no longer harmless when another one is looked at. */
static bool is_worse(const struct racy *a, const struct racy *b)
{
	return b->store && b->load && b->store->line == a->store->line &&
	       b->store->column == a->store->column &&
	       strcmp(a->store->file, b->store->file) == 0 && b->kind != PD_KIND_TORN_COMPARED &&
	       !is_hidden(b) && (!a->field == !b->field) &&
	       (!a->field || strcmp(a->field, b->field) == 0);
}

/* A load that would not mind belongs to those of the same store that would. */
static void join_harmless(struct teller *t)
{
	for (uint32_t i = 0; i < t->n; i++) {
		struct racy *a = &t->racy[i];

		for (uint32_t k = 0;
		     k < t->n && a->store && a->load && a->kind == PD_KIND_TORN_COMPARED; k++)
			if (is_worse(a, &t->racy[k]))
				a->kind = t->racy[k].kind;
	}
}

static int compare(const void *x, const void *y)
{
	const struct racy *a = x, *b = y;
	int c;

	if (!a->store || !b->store || !a->load || !b->load)
		return !a->store || !a->load ? (!b->store || !b->load ? 0 : 1) : -1;
	if (a->race->prefix != b->race->prefix)
		return a->race->prefix - b->race->prefix;
	if (a->race->depth != b->race->depth)
		return a->race->depth < b->race->depth ? -1 : 1;
	if ((c = strcmp(a->store->file, b->store->file)))
		return c;
	if (a->store->line != b->store->line)
		return a->store->line < b->store->line ? -1 : 1;
	if ((c = strcmp(a->load->file, b->load->file)))
		return c;
	return a->load->line < b->load->line ? -1 : a->load->line > b->load->line;
}

void pd_check_torn_findings(const struct pd_check_run *c, struct pd_result *r)
{
	const struct pd_torn_table *table = c->board->torn;
	struct teller t = {.o = &c->options,
			   .b = c->board,
			   .r = r,
			   .first = pd_symbols_open(c->first.pid),
			   .recovery = pd_symbols_open(c->worker[0][0].pid),
			   .page = strcmp(c->model, "page") == 0};
	uint32_t n = 0, prefix = 0, unchanged = 0;

	for (const struct pd_torn_race *i = table ? pd_torn_next(table, NULL) : NULL; i;
	     i = pd_torn_next(table, i))
		n++;
	t.racy = calloc(n + 1, sizeof(*t.racy));
	for (const struct pd_torn_race *i = t.racy && table ? pd_torn_next(table, NULL) : NULL;
	     i && t.n < n; i = pd_torn_next(table, i)) {
		prefix += i->prefix;
		unchanged += i->unchanged;
		describe(&t, &t.racy[t.n++], i);
	}
	join_harmless(&t);
	qsort(t.racy, t.n, sizeof(*t.racy), compare);
	for (uint32_t i = 0; i < t.n && t.racy[i].store && t.racy[i].load; i++)
		if (!t.racy[i].told && (!is_hidden(&t.racy[i]) || c->benign) && !fold(&t, i))
			tell(&t, i);
	pd_result_stat_int(r, "torn_races", t.n);
	pd_result_stat_int(r, "torn_races_prefix", prefix);
	pd_result_stat_int(r, "torn_told_by_crash", t.folded);
	pd_result_stat_int(r, "torn_unchanged", unchanged);
	if (table && table->failed)
		pd_result_limit(r, "a limit of the shared memory for torn stores (%u times)",
				table->failed);
	pd_symbols_close(t.first);
	pd_symbols_close(t.recovery);
	free(t.racy);
}
