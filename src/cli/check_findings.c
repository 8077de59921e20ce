/*
 * check_findings.c - from failed recoveries to findings.
 *
 * The exploration executes every combination of lost stores that recovery can tell apart. So the
 * cause of a failure needs no guess: if recovery fails in the same way with fewer stores lost, the
 * others had no part in it. The *blame* of a failed recovery is the set of reads that did not see the
 * newest value, each with the store that was lost. Of all failures of one outcome only those with
 * minimal blame are told; one whose blame contains another's is counted there.
 *
 * What kind of mistake it is follows from what was known of the lost store at the crash: flushed but not
 * fenced; never made durable until the program's end; or durable later, but too late for something
 * that recovery did see. With an empty blame everything that was stored was durable: the update as a
 * whole is not failure-atomic.
 */
#include "cli/check.h"
#include "host/demangle.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES = 24 };

struct blamed {
	uint32_t load;
	uint32_t store;
	const struct pd_board_choice *choice;
};

struct failure {
	const struct pd_board_run *run;
	struct blamed *blame;
	uint32_t n;
	uint64_t count;
	bool subsumed;
};

static int compare_blamed(const void *a, const void *b)
{
	const struct blamed *x = a, *y = b;

	if (x->store != y->store)
		return x->store < y->store ? -1 : 1;
	return x->load < y->load ? -1 : x->load > y->load;
}

static uint32_t described(const struct pd_board_run *run)
{
	return PD_MIN(run->nchoice, PD_BOARD_CHOICES);
}

/* Of all recoveries in a row: what the first one did not see may be why the second one fails. */
static void find_blame(struct failure *f, const struct pd_board_run *last, struct pd_arena *a)
{
	uint32_t n = 0, unique = 0;

	*f = (struct failure){.run = last, .count = 1};
	for (const struct pd_board_run *run = last; run; run = run->parent)
		n += described(run);
	f->blame = pd_new_array(a, struct blamed, n + 1);
	for (const struct pd_board_run *run = last; f->blame && run; run = run->parent)
		for (uint32_t i = 0; i < described(run); i++)
			if (run->choice[i].pick)
				f->blame[f->n++] = (struct blamed){
					run->choice[i].load, run->choice[i].newest, &run->choice[i]};
	if (f->n)
		qsort(f->blame, f->n, sizeof(*f->blame), compare_blamed);
	for (uint32_t i = 0; i < f->n; i++)
		if (!unique || compare_blamed(&f->blame[unique - 1], &f->blame[i]) != 0)
			f->blame[unique++] = f->blame[i];
	f->n = unique;
}

/* Whether all of a's blame is in b's. */
static bool contains(const struct failure *b, const struct failure *a)
{
	uint32_t j = 0;

	for (uint32_t i = 0; i < a->n; i++) {
		while (j < b->n && compare_blamed(&b->blame[j], &a->blame[i]) < 0)
			j++;
		if (j == b->n || compare_blamed(&b->blame[j], &a->blame[i]) != 0)
			return false;
	}
	return true;
}

static bool same_kind(const struct failure *a, const struct failure *b)
{
	if (a->run->outcome != b->run->outcome || a->run->detail != b->run->detail)
		return false;
	/* Where nothing was lost there is no blame to compare: the same recovery, or the same crash. */
	return a->n || b->n || a->run->crash_site == b->run->crash_site ||
	       (a->run->path.a == b->run->path.a && a->run->path.b == b->run->path.b);
}

/*
 * The one that is easier to follow: fewer crashes, less blame, the earlier schedule and crash, fewer
 * choices. No two are equal, so that it does not matter which was executed first.
 */
static bool better(const struct failure *a, const struct failure *b)
{
	const struct pd_board_run *x = a->run, *y = b->run;

	if (x->depth != y->depth)
		return x->depth < y->depth;
	if (a->n != b->n)
		return a->n < b->n;
	if (x->seed != y->seed)
		return x->seed < y->seed;
	if (x->when != y->when)
		return x->when < y->when;
	if (x->nchoice != y->nchoice)
		return x->nchoice < y->nchoice;
	if (x->path.a != y->path.a)
		return x->path.a < y->path.a;
	return x < y;
}

static void subsume(struct failure *f, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = 0; j < n && !f[i].subsumed; j++)
			if (i != j && !f[j].subsumed && same_kind(&f[i], &f[j]) &&
			    contains(&f[i], &f[j]) && (!contains(&f[j], &f[i]) || better(&f[j], &f[i]))) {
				f[i].subsumed = true;
				f[j].count += f[i].count;
			}
}

/* ---- words ----------------------------------------------------------------------------------- */

static struct pd_board_site *site_of(struct pd_board_site *const *table, uint32_t id)
{
	return id && id < PD_BOARD_SITES ? table[id] : NULL;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static const char *place(const struct pd_board_site *s, char *buf, size_t n)
{
	if (s)
		snprintf(buf, n, "%s:%u", base_name(s->file), s->line);
	else
		snprintf(buf, n, "an unknown place");
	return buf;
}

const char *pd_check_outcome_text(const struct pd_board_run *run, char *buf, size_t n)
{
	switch ((enum pd_outcome)run->outcome) {
	case PD_OUTCOME_SIGNAL:
		snprintf(buf, n, "recovery is killed by signal %u (%s)", run->detail,
			 strsignal((int)run->detail));
		break;
	case PD_OUTCOME_ABORT:
		snprintf(buf, n, "recovery aborts");
		break;
	case PD_OUTCOME_EXIT:
		snprintf(buf, n, "recovery ends with status %u", run->detail);
		break;
	case PD_OUTCOME_HANG:
		snprintf(buf, n, "recovery hangs (%s)", run->text);
		break;
	case PD_OUTCOME_DEADLOCK:
		snprintf(buf, n, "recovery deadlocks (%s)", run->text);
		break;
	case PD_OUTCOME_CHECK:
		snprintf(buf, n, "a check of the program fails: %s", run->text);
		break;
	case PD_OUTCOME_NONE:
	case PD_OUTCOME_GOOD:
	case PD_OUTCOME_DIVERGED:
	case PD_OUTCOME_LOST:
	case PD_OUTCOME_KNOWN:
	case PD_OUTCOMES:
	default:
		snprintf(buf, n, "recovery ends");
	}
	return buf;
}

static enum pd_kind kind_of(uint32_t outcome)
{
	static const enum pd_kind kinds[PD_OUTCOMES] = {
		[PD_OUTCOME_SIGNAL] = PD_KIND_CRASH_SIGNAL,
		[PD_OUTCOME_ABORT] = PD_KIND_CRASH_ABORT,
		[PD_OUTCOME_EXIT] = PD_KIND_CRASH_EXIT,
		[PD_OUTCOME_HANG] = PD_KIND_CRASH_HANG,
		[PD_OUTCOME_DEADLOCK] = PD_KIND_CRASH_DEADLOCK,
		[PD_OUTCOME_CHECK] = PD_KIND_CRASH_CHECK,
	};

	return kinds[outcome];
}

/* ---- a finding ------------------------------------------------------------------------------- */

struct teller {
	const struct pd_board *b;
	struct pd_result *r;
	const struct failure *f;
	struct pd_symbols *symbols; /* NULL: none */
	PD_VEC(struct pd_finding_site) sites;
};

static struct pd_frame frame_of(struct teller *t, const struct pd_board_site *s)
{
	return (struct pd_frame){pd_demangle(t->r->arena, s->function), s->file, s->line, s->column};
}

static void add_site(struct teller *t, enum pd_role role, const struct pd_board_site *s)
{
	struct pd_finding_site *to;
	uint32_t depth = 0;
	struct pd_frame *stack;

	if (!s || !(to = pd_vec_push(&t->sites, t->r->arena)))
		return;
	*to = (struct pd_finding_site){.role = role, .at = frame_of(t, s)};
	for (const struct pd_board_site *in = s->inlined_at; in; in = in->inlined_at)
		depth++;
	stack = depth ? pd_new_array(t->r->arena, struct pd_frame, depth) : NULL;
	if (!stack)
		return;
	to->stack = stack;
	for (s = s->inlined_at; s; s = s->inlined_at)
		stack[to->nstack++] = frame_of(t, s);
}

/* The calls that led to the crash, at the site of the crash; libc's start of the program is left out. */
static void add_stack(struct teller *t)
{
	const struct pd_board_run *run = t->f->run;
	struct pd_finding_site *crash = t->sites.n ? &t->sites.v[t->sites.n - 1] : NULL;
	struct pd_frame *stack;
	uint32_t n = 0, skip;

	if (!crash || crash->role != PD_ROLE_CRASH || !t->symbols || !run->nstack)
		return;
	stack = pd_new_array(t->r->arena, struct pd_frame, FRAMES);
	for (uint32_t i = 0; stack && i < run->nstack && n < FRAMES; i++) {
		n += pd_symbols_frames(t->symbols, t->r->arena, run->stack[i], stack + n, FRAMES - n);
		if (n && stack[n - 1].function && strcmp(stack[n - 1].function, "main") == 0)
			break;
	}
	/* The innermost frame is the crash itself. */
	skip = n && stack[0].line == crash->at.line;
	crash->stack = stack + skip;
	crash->nstack = n - skip;
}

static void add_check(struct teller *t)
{
	struct pd_finding_site *to = pd_vec_push(&t->sites, t->r->arena);

	if (to)
		*to = (struct pd_finding_site){
			.role = PD_ROLE_CHECK,
			.at = {.file = t->f->run->check_file, .line = t->f->run->check_line}};
}

static const struct pd_board_site *store_site(const struct teller *t, const struct blamed *b)
{
	return site_of(b->choice->newest_exec ? t->b->recover_site : t->b->first_site, b->store);
}

/* The sites of the execution that crashed last: the first one, or a recovery. */
static struct pd_board_site *const *own_sites(const struct teller *t)
{
	return t->f->run->depth > 1 ? t->b->recover_site : t->b->first_site;
}

static const struct pd_board_site *crash_site(const struct teller *t)
{
	return site_of(own_sites(t), t->f->run->crash_site);
}

/*
 * Whether recovery saw a store of the same thread that was made after this one had been flushed: only a
 * fence was missing. Another thread's store is not held up by this one's fence.
 */
static bool overtaken(const struct pd_board_run *run, const struct pd_board_choice *lost)
{
	for (uint32_t i = 0; lost->flush && i < PD_MIN(run->nchoice, PD_BOARD_CHOICES); i++) {
		const struct pd_board_choice *c = &run->choice[i];

		if (c->seen && c->seen_exec == lost->newest_exec &&
		    c->seen_tid == lost->newest_tid && c->seen_order > lost->flush)
			return true;
	}
	return false;
}

static enum pd_cause cause_of(const struct teller *t)
{
	const struct failure *f = t->f;
	const struct pd_board_site *s;

	if (!f->n)
		return PD_CAUSE_NOT_ATOMIC;
	for (uint32_t i = 0; i < f->n; i++)
		if (overtaken(f->run, f->blame[i].choice))
			return PD_CAUSE_MISSING_FENCE;
	for (uint32_t i = 0; i < f->n; i++)
		if ((s = store_site(t, &f->blame[i])) && s->left_open)
			return f->blame[i].choice->flush ? PD_CAUSE_MISSING_FENCE
			       : f->run->idle_flush &&
					       f->run->idle_order >= f->blame[i].choice->newest_order
				       ? PD_CAUSE_WRONG_TARGET
				       : PD_CAUSE_MISSING_FLUSH;
	return PD_CAUSE_ORDER;
}

static char *keep(struct teller *t, const char *s)
{
	return pd_arena_strndup(t->r->arena, s, strlen(s));
}

static char *fix_text(struct teller *t, enum pd_cause cause)
{
	char at[300] = "", flush[300], text[900];

	if (t->f->n)
		place(store_site(t, &t->f->blame[0]), at, sizeof(at));
	switch (cause) {
	case PD_CAUSE_MISSING_FLUSH:
		snprintf(text, sizeof(text), "flush the line after the store at %s, and fence", at);
		break;
	case PD_CAUSE_MISSING_FENCE:
		snprintf(text, sizeof(text),
			 "add an sfence after the flush of what %s stores, before going on", at);
		break;
	case PD_CAUSE_NOT_ATOMIC:
		snprintf(text, sizeof(text), "make the update at once: log it first, or build it aside and "
					     "publish it by one aligned 8-byte store");
		break;
	case PD_CAUSE_WRONG_TARGET:
		snprintf(text, sizeof(text), "flush the line of what %s stores: the flush at %s is of another one",
			 at, place(site_of(own_sites(t), t->f->run->idle_flush), flush, sizeof(flush)));
		break;
	case PD_CAUSE_ORDER:
	case PD_CAUSE_UNKNOWN:
	case PD_CAUSE_N:
	default:
		snprintf(text, sizeof(text),
			 "make what %s stores durable (flush and fence) before what recovery trusts it by",
			 at);
	}
	return keep(t, text);
}

static char *message_text(struct teller *t)
{
	const struct failure *f = t->f;
	char what[400], where[300], load[300], store[300], text[1800];
	int n;

	place(crash_site(t), where, sizeof(where));
	n = snprintf(text, sizeof(text), "%s after a crash %s%s%s",
		     pd_check_outcome_text(f->run, what, sizeof(what)),
		     f->run->depth > 1 ? "of recovery itself, " : "",
		     f->run->crash_kind == PD_EV_EXIT ? "after the program had ended normally" : "before ",
		     f->run->crash_kind == PD_EV_EXIT ? "" : where);
	if (!f->n)
		snprintf(text + n, sizeof(text) - (size_t)n,
			 ", even if everything stored before it is durable");
	for (uint32_t i = 0; i < f->n && (size_t)n < sizeof(text); i++) {
		const struct pd_board_choice *c = f->blame[i].choice;

		n += snprintf(text + n, sizeof(text) - (size_t)n,
			      "%s %s read 0x%lx instead of 0x%lx, because the store at %s was lost",
			      i ? ";" : ":", place(site_of(t->b->recover_site, c->load), load, sizeof(load)),
			      (unsigned long)c->seen_value, (unsigned long)c->newest_value,
			      place(store_site(t, &f->blame[i]), store, sizeof(store)));
	}
	return keep(t, text);
}

static uint32_t choices_of(const struct pd_board_run *run)
{
	return 1 + PD_MIN(run->nchoice, PD_BOARD_CHOICES);
}

/* Each crash point, then the picks of the recovery that follows it. */
static struct pd_witness witness_of(struct teller *t)
{
	uint32_t n = 0, at;
	struct pd_choice *c;

	for (const struct pd_board_run *run = t->f->run; run; run = run->parent)
		n += choices_of(run);
	c = pd_new_array(t->r->arena, struct pd_choice, n);
	if (!c)
		return (struct pd_witness){0};
	at = n;
	for (const struct pd_board_run *run = t->f->run; run; run = run->parent) {
		at -= choices_of(run);
		c[at] = (struct pd_choice){PD_CHOICE_CRASH, run->point + 1, run->point};
		for (uint32_t i = 0; i + 1 < choices_of(run); i++)
			c[at + 1 + i] = (struct pd_choice){PD_CHOICE_VALUE, run->choice[i].n,
							   run->choice[i].pick};
	}
	return (struct pd_witness){true, n, t->f->run->seed, c};
}

static void tell(struct teller *t)
{
	const struct pd_board_run *run = t->f->run;
	enum pd_cause cause = cause_of(t);
	struct pd_finding f = {
		.kind = kind_of(run->outcome),
		.cause = cause,
		.confirmed = true,
		.message = message_text(t),
		.fix = fix_text(t, cause),
		.count = t->f->count,
		.witness = witness_of(t),
		.output = run->noutput
				  ? pd_arena_strndup(t->r->arena, run->output, run->noutput)
				  : NULL,
	};

	for (uint32_t i = 0; i < t->f->n; i++)
		add_site(t, PD_ROLE_STORE, store_site(t, &t->f->blame[i]));
	for (uint32_t i = 0; i < t->f->n; i++)
		add_site(t, PD_ROLE_LOAD, site_of(t->b->recover_site, t->f->blame[i].load));
	/* Without a lost store it is the last one, and where the power failed, that tell findings apart. */
	if (!t->f->n)
		add_site(t, PD_ROLE_STORE, site_of(own_sites(t), run->last_store));
	add_site(t, PD_ROLE_CRASH, crash_site(t));
	add_stack(t);
	if (cause == PD_CAUSE_WRONG_TARGET)
		add_site(t, PD_ROLE_FLUSH, site_of(own_sites(t), run->idle_flush));
	if (run->outcome == PD_OUTCOME_CHECK)
		add_check(t);
	f.sites = t->sites.v;
	f.nsites = t->sites.n;
	pd_findings_add(&t->r->findings, &f);
}

void pd_check_findings(const struct pd_board *b, struct pd_symbols *symbols, struct pd_result *r)
{
	struct failure *f = calloc(b->nfinding + 1, sizeof(*f));
	uint32_t n = 0;

	for (const struct pd_board_run *run = b->findings; f && run && n < b->nfinding; run = run->next)
		find_blame(&f[n++], run, r->arena);
	subsume(f, n);
	for (uint32_t i = 0; i < n; i++) {
		struct teller t = {.b = b, .r = r, .f = &f[i], .symbols = symbols};

		if (!f[i].subsumed)
			tell(&t);
	}
	free(f);
}
