/*
 * check_findings.c - from failed recoveries to findings.
 *
 * The exploration executes every combination of lost stores that recovery can tell apart. So if recovery fails in
 * the same way with fewer stores lost, the others had no part in it. The *blame* of a failed recovery is the set of
 * reads that did not see the newest value, each with the store that was lost. Of all failures of one outcome only
 * those with minimal blame are looked at; one whose blame contains another's is counted there.
 *
 * Each of these is then run again, with suspects forced to be durable (runtime/check_least.h): what is left of its
 * blame is proven. Others that contain that are counted there, too.
 *
 * What kind of mistake it is follows from what was known of the lost store at the crash: flushed but not
 * fenced; never made durable until the program's end; or durable later, but too late for something
 * that recovery did see. With an empty blame everything that was stored was durable: the update as a
 * whole is not failure-atomic.
 */
#include "cli/check_failure.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AGAIN = 64 }; /* failures that are run again, at most */

static int compare_blamed(const void *a, const void *b)
{
	const struct blamed *x = a, *y = b;

	if (x->lost.site != y->lost.site)
		return x->lost.site < y->lost.site ? -1 : 1;
	return x->load < y->load ? -1 : x->load > y->load;
}

static uint32_t described(const struct pd_board_run *run)
{
	return PD_MIN(run->nchoice, PD_BOARD_CHOICES);
}

enum { LOST, NEEDED, MENDS };

/*
 * Which choices of a recovery count: those that lost something; if it was forced, those that it needs; of these,
 * where there are any, those without which it ends well: the others only keep it from failing in another way.
 */
static int level_of(const struct pd_board_run *run)
{
	uint32_t needed = 0, mends = 0;

	for (uint32_t i = 0; i < described(run); i++) {
		needed += run->choice[i].blamed;
		mends += run->choice[i].mended;
	}
	if (!run->forced || (!needed && run->lost))
		return LOST;
	return mends ? MENDS : NEEDED;
}

static bool counts(const struct pd_board_choice *c, int level)
{
	return level == MENDS ? c->mended : level == NEEDED ? c->blamed : c->pick > 0;
}

/* Of all recoveries in a row: what the first one did not see may be why the second one fails. */
static void find_blame(struct failure *f, struct pd_arena *a)
{
	uint32_t n = 0;

	for (const struct pd_board_run *run = f->run; run; run = run->parent)
		n += described(run);
	f->n = 0;
	f->blame = pd_new_array(a, struct blamed, n + 1);
	f->proven = level_of(f->run) != LOST;
	for (const struct pd_board_run *run = f->run; f->blame && run; run = run->parent) {
		int level = level_of(run);

		for (uint32_t i = 0; i < described(run); i++)
			if (counts(&run->choice[i], level))
				f->blame[f->n++] = (struct blamed){.load = run->choice[i].load,
								   .lost = run->choice[i].next,
								   .choice = &run->choice[i]};
	}
}

static void sort_blame(struct failure *f)
{
	uint32_t unique = 0;

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

/* ---- places ---------------------------------------------------------------------------------- */

/* The sites of the execution that crashed last: the first one, or a recovery. */
static struct pd_board_site *const *own_sites(const struct pd_board *b, const struct pd_board_run *run)
{
	return run->depth > 1 ? b->recover_site : b->first_site;
}

static void find_store(const struct pd_board *b, const struct pd_places *p, const struct failure *f,
		       struct blamed *l)
{
	const struct pd_again_event *e = pd_story_store(f->story, &l->lost);
	bool recovery = l->lost.exec > 0;

	l->at_store = pd_place(p, PD_ROLE_STORE, recovery,
			       site_of(recovery ? b->recover_site : b->first_site, l->lost.site),
			       e ? e->stack : NULL, e ? e->nstack : 0);
}

static void find_load(const struct pd_board *b, const struct pd_places *p, const struct failure *f,
		      struct blamed *l)
{
	const struct pd_again_event *e = NULL;

	for (const struct pd_board_run *run = f->run; run && !e; run = run->parent)
		if (l->choice >= run->choice && l->choice < run->choice + PD_BOARD_CHOICES)
			e = pd_story_load(f->story, run->depth, (uint32_t)(l->choice - run->choice));
	l->at_load = pd_place(p, PD_ROLE_LOAD, true, site_of(b->recover_site, l->load), e ? e->stack : NULL,
			      e ? e->nstack : 0);
}

static void find_places(const struct pd_board *b, const struct pd_places *p, struct failure *f)
{
	const struct pd_board_run *run = f->run;

	for (uint32_t i = 0; i < f->n; i++) {
		find_store(b, p, f, &f->blame[i]);
		find_load(b, p, f, &f->blame[i]);
	}
	f->at_crash = pd_place(p, PD_ROLE_CRASH, run->depth > 1, site_of(own_sites(b, run), run->crash_site),
			       run->stack, run->nstack);
	f->at_last = pd_place(p, PD_ROLE_STORE, run->depth > 1, site_of(own_sites(b, run), run->last_store),
			      NULL, 0);
	f->at_idle = pd_place(p, PD_ROLE_FLUSH, run->depth > 1, site_of(own_sites(b, run), run->idle_flush),
			      NULL, 0);
	f->at_fail = pd_place(p, PD_ROLE_FAIL, true, NULL, run->fail, run->nfail);
	for (uint32_t i = 0; f->story && f->story->passed.known && i < 2; i++) {
		f->at_waited[i] = pd_place(p, PD_ROLE_STORE, false,
					   site_of(b->first_site, f->story->passed.store[i]), NULL, 0);
		f->at_passed[i] = pd_place(p, PD_ROLE_LOAD, false, site_of(b->first_site, f->story->passed.load[i]),
					   NULL, 0);
	}
}

/* ---- a finding ------------------------------------------------------------------------------- */

struct teller {
	const struct pd_check_run *c;
	const struct pd_board *b;
	struct pd_result *r;
	struct failure *f;
	PD_VEC(struct pd_finding_site) sites;
};

static void add_site(struct teller *t, const struct pd_finding_site *s)
{
	struct pd_finding_site *to = pd_place_known(s) ? pd_vec_push(&t->sites, t->r->arena) : NULL;

	if (to)
		*to = *s;
}

static void add_check(struct teller *t)
{
	const struct pd_board_run *run = t->f->run;
	const struct pd_finding_site *fail = &t->f->at_fail;
	/* Not the function of perdure.h, but the one that asks. */
	bool own = fail->at.function && strcmp(fail->at.function, "pd_check_at") == 0 && fail->nstack;

	add_site(t, &(struct pd_finding_site){.role = PD_ROLE_CHECK,
					      .at = {.file = run->check_file, .line = run->check_line,
						     .function = own ? fail->stack[0].function : fail->at.function},
					      .nstack = fail->nstack - own,
					      .stack = fail->stack + own});
}

static char *keep(struct teller *t, const char *s)
{
	return pd_arena_strndup(t->r->arena, s, strlen(s));
}

/* Other ends that recovery comes to by the same cause. */
static void put_other_outcomes(const struct failure *f, FILE *m)
{
	static const char *const words[PD_OUTCOMES] = {
		[PD_OUTCOME_SIGNAL] = "is killed by a signal",
		[PD_OUTCOME_ABORT] = "aborts",
		[PD_OUTCOME_EXIT] = "ends with a bad status",
		[PD_OUTCOME_HANG] = "hangs",
		[PD_OUTCOME_DEADLOCK] = "deadlocks",
		[PD_OUTCOME_CHECK] = "fails a check",
	};
	const char *sep = "; in other crashes of this kind it ";

	for (uint32_t i = 0; i < PD_OUTCOMES; i++)
		if (words[i] && i != f->run->outcome && f->outcomes >> i & 1) {
			fprintf(m, "%s%s", sep, words[i]);
			sep = " or ";
		}
}

static char *message_text(struct teller *t)
{
	const struct failure *f = t->f;
	char what[400], where[300], load[300], store[300], *text = NULL, *kept;
	size_t n = 0;
	FILE *m = open_memstream(&text, &n);

	if (!m)
		return NULL;
	fputs(pd_check_outcome_text(f->run, what, sizeof(what)), m);
	if (pd_place_known(&f->at_fail) && f->run->outcome != PD_OUTCOME_CHECK)
		fprintf(m, " at %s", pd_place_text(&f->at_fail, where, sizeof(where)));
	fprintf(m, " after a crash %s", f->run->depth > 1 ? "of recovery itself, " : "");
	if (f->run->crash_kind == PD_EV_EXIT)
		fputs("at the very end, when the program had ended normally", m);
	else
		fprintf(m, "before %s", pd_place_text(&f->at_crash, where, sizeof(where)));
	if (!f->n)
		fputs(", even if everything stored before it is durable", m);
	if (f->cause == PD_CAUSE_STORE_BUFFER)
		fprintf(m, ": the load at %s came before the store at %s, of the same thread, was out of its store buffer",
			pd_place_text(&f->at_passed[0], load, sizeof(load)),
			pd_place_text(&f->at_waited[0], store, sizeof(store)));
	for (uint32_t i = 0; i < f->n; i++) {
		const struct pd_board_choice *c = f->blame[i].choice;

		fprintf(m, "%s %s read 0x%lx instead of 0x%lx, because the store at %s was lost", i ? ";" : ":",
			pd_place_text(&f->blame[i].at_load, load, sizeof(load)), (unsigned long)c->seen_value,
			(unsigned long)f->blame[i].lost.value,
			pd_place_text(&f->blame[i].at_store, store, sizeof(store)));
	}
	put_other_outcomes(f, m);
	fclose(m);
	kept = keep(t, text);
	free(text);
	return kept;
}

static uint32_t choices_of(const struct pd_board_run *run)
{
	return 1 + PD_MIN(run->nchoice, PD_BOARD_CHOICES);
}

/* Each crash point, then the picks of the recovery that follows it. */
static struct pd_witness witness_of(const struct failure *f, struct pd_arena *a)
{
	uint32_t n = 0, at;
	struct pd_choice *c;

	for (const struct pd_board_run *run = f->run; run; run = run->parent)
		n += choices_of(run);
	c = pd_new_array(a, struct pd_choice, n);
	if (!c)
		return (struct pd_witness){0};
	at = n;
	for (const struct pd_board_run *run = f->run; run; run = run->parent) {
		at -= choices_of(run);
		c[at] = (struct pd_choice){PD_CHOICE_CRASH, run->point + 1, run->point};
		for (uint32_t i = 0; i + 1 < choices_of(run); i++)
			c[at + 1 + i] = (struct pd_choice){PD_CHOICE_VALUE, run->choice[i].n,
							   run->choice[i].pick};
	}
	return (struct pd_witness){true, n, f->run->seed, c};
}

/*
 * What was lost makes the finding the same in another run; which reads miss it, and how recovery then fails,
 * may depend on what was executed. Where nothing was lost, it is the last store and the place of the failure.
 */
static void add_identity(struct teller *t)
{
	for (uint32_t i = 0; i < t->f->n; i++) {
		const struct pd_frame *own = pd_store_frame(t->b, &t->f->blame[i]);

		add_site(t, &t->f->blame[i].at_store);
		if (own != &t->f->blame[i].at_store.at)
			add_site(t, &(struct pd_finding_site){.role = PD_ROLE_CALLER, .at = *own});
	}
	if (t->f->n)
		return;
	if (t->f->cause == PD_CAUSE_STORE_BUFFER) { /* whichever thread was first */
		int first = t->f->at_waited[0].at.line > t->f->at_waited[1].at.line;

		add_site(t, &t->f->at_waited[first]);
		add_site(t, &t->f->at_waited[!first]);
		add_site(t, &t->f->at_passed[first]);
		add_site(t, &t->f->at_passed[!first]);
		return;
	}
	add_site(t, &t->f->at_last);
	if (t->f->run->outcome == PD_OUTCOME_CHECK)
		add_check(t);
	else
		add_site(t, &t->f->at_fail);
}

static void add_others(struct teller *t)
{
	const struct failure *f = t->f;

	for (uint32_t i = 0; i < f->n; i++)
		add_site(t, &f->blame[i].at_load);
	add_site(t, &f->at_crash);
	if (f->cause == PD_CAUSE_WRONG_TARGET)
		add_site(t, &f->at_idle);
	if (!f->n && f->cause != PD_CAUSE_STORE_BUFFER)
		; /* it is part of the identity */
	else if (f->run->outcome == PD_OUTCOME_CHECK)
		add_check(t);
	else
		add_site(t, &f->at_fail);
	for (uint32_t i = 0; i < f->also.n; i++)
		add_site(t, &f->also.v[i]);
}

static void tell(struct teller *t, const struct pd_places *places)
{
	const struct pd_board_run *run = t->f->run;
	char fix[1200];
	struct pd_finding f = {
		.kind = kind_of(run->outcome),
		.cause = t->f->cause,
		.confirmed = !pd_check_blind(t->c),
		.message = message_text(t),
		.count = t->f->count,
		.witness = witness_of(t->f, t->r->arena),
		.output = run->noutput
				  ? pd_arena_strndup(t->r->arena, run->output, run->noutput)
				  : NULL,
	};

	pd_fix_text(t->b, t->f, pd_check_line_shift(t->c) > 6, fix, sizeof(fix));
	f.fix = fix;
	add_identity(t);
	f.sites = t->sites.v;
	f.nsites = t->sites.n;
	f.id = f.nsites ? pd_finding_id(&f) : 0;
	add_others(t);
	f.sites = t->sites.v;
	f.nsites = t->sites.n;
	if (t->c->explain && t->f->story)
		f.explain = pd_story_text(t->f->story, t->f, places, t->b);
	if (pd_only_wants(&t->c->options.only, f.kind))
		pd_findings_add(&t->r->findings, &f);
}

/* ---- all of them ------------------------------------------------------------------------------ */

static int compare_failures(const void *a, const void *b)
{
	return better(a, b) ? -1 : better(b, a);
}

/* The recovery of a run that came to its end, with everything durable, if that fails; else NULL. */
static const struct pd_board_run *undisturbed(struct pd_check_run *c, uint64_t seed)
{
	struct pd_choice end = {PD_CHOICE_CRASH, 0, PD_BOARD_AT_END};
	struct pd_witness w = {true, 1, seed, &end};
	const struct pd_board_run *run;
	struct pd_error e;

	return !c->board->stop && pd_check_again(c, &w, &run, &e) ? run : NULL;
}

static bool same_end(const struct pd_board_run *a, const struct pd_board_run *b)
{
	return b && a->outcome == b->outcome && a->detail == b->detail && a->nfail == b->nfail &&
	       memcmp(a->fail, b->fail, a->nfail * sizeof(*a->fail)) == 0;
}

/* ---- once more --------------------------------------------------------------------------------- */

/* The failure with no more lost than it needs, and its story. */
static void force(struct pd_check_run *c, struct failure *f, struct pd_arena *a)
{
	const struct pd_board_run *least = NULL;
	struct pd_witness w = witness_of(f, a);

	f->story = pd_check_journals(c) ? pd_story_of(c, f, &w, &least) : NULL;
	if (!least)
		return;
	f->run = least;
	find_blame(f, a);
	sort_blame(f);
}

static bool take_in(struct failure *to, struct failure *from)
{
	if (to == from || to->subsumed || from->subsumed || !same_kind(from, to) || !contains(from, to))
		return false;
	from->subsumed = true;
	to->count += from->count;
	return true;
}

/* Number i is known now. It is counted where it is contained, or what contains it is counted there. */
static void sort_in(struct failure *f, uint32_t n, uint32_t i)
{
	for (uint32_t k = 0; k < n; k++)
		if (f[k].proven && take_in(&f[k], &f[i]))
			return;
	for (uint32_t k = 0; k < n; k++)
		take_in(&f[i], &f[k]);
}

/* A hang that is not proven takes its whole budget of events each time. */
static bool is_slow(const struct failure *f)
{
	return f->run->outcome == PD_OUTCOME_HANG && !strstr(f->run->text, "same state");
}

static void force_all(struct pd_check_run *c, struct failure *f, uint32_t n, bool slow, uint32_t *again,
		      struct pd_arena *a)
{
	for (uint32_t i = 0; i < n; i++) {
		if (f[i].subsumed || is_slow(&f[i]) != slow)
			continue;
		if (!c->board->stop && (*again)++ < AGAIN)
			force(c, &f[i], a);
		else
			c->not_again++;
		sort_in(f, n, i);
	}
}

/* What a failure does not tell by itself; not where there is no time left. */
static void learn(struct pd_check_run *c, const struct pd_places *places, struct failure *f, uint32_t n)
{
	const struct pd_board_run *quiet = NULL;
	uint32_t again = 0;
	bool asked = false;

	force_all(c, f, n, false, &again, places->arena);
	force_all(c, f, n, true, &again, places->arena);
	for (uint32_t i = 0; i < n; i++) {
		if (f[i].subsumed)
			continue;
		if (!f[i].n && f[i].run->depth == 1) {
			if (!asked)
				quiet = undisturbed(c, f[i].run->seed);
			asked = true;
			f[i].undisturbed = same_end(f[i].run, quiet);
		}
		find_places(c->board, places, &f[i]);
		f[i].cause = pd_cause_of(c->board, &f[i]);
		f[i].trusted = pd_trusted_by(&f[i]);
	}
}

/* The same way to the same end, by the crash; the earliest counts. */
static int compare_ways(const void *a, const void *b)
{
	const struct pd_board_run *x = *(const struct pd_board_run *const *)a;
	const struct pd_board_run *y = *(const struct pd_board_run *const *)b;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	if (x->signature != y->signature)
		return x->signature < y->signature ? -1 : 1;
	return x->when < y->when ? -1 : x->when > y->when;
}

static bool same_way(const struct pd_board_run *x, const struct pd_board_run *y)
{
	return x->node == y->node && x->signature == y->signature && x->parent == y->parent;
}

/*
 * Where PM has blind stores: it takes the loss of one, which may have been flushed unseen, or that of nothing, which
 * is as if those that were not noticed yet were lost.
 */
static bool is_doubtful(const struct failure *f)
{
	for (uint32_t i = 0; i < f->n; i++)
		if (!f->blame[i].lost.site)
			return true;
	return !f->n;
}

/*
 * Failures, each way to it once. Walkers may have come by one in any order, so those of later crashes are not counted;
 * random recoveries are.
 */
static struct failure *collect(const struct pd_check_run *c, struct pd_arena *a, uint32_t *n, uint32_t *doubtful)
{
	const struct pd_board *b = c->board;
	const struct pd_board_run **run = calloc(b->nfinding + 1, sizeof(*run));
	struct failure *f = calloc(b->nfinding + 1, sizeof(*f));
	uint32_t all = 0;

	*n = 0;
	for (const struct pd_board_run *r = b->findings; run && f && r && all < b->nfinding; r = r->next)
		run[all++] = r;
	if (all)
		qsort(run, all, sizeof(*run), compare_ways);
	for (uint32_t i = 0; i < all; i++) {
		if (*n && !run[i]->least && same_way(f[*n - 1].run, run[i])) {
			f[*n - 1].count += c->random > 0;
			continue;
		}
		if (run[i]->least)
			continue;
		f[*n] = (struct failure){.run = run[i], .count = 1, .outcomes = 1u << run[i]->outcome};
		find_blame(&f[*n], a);
		if (pd_check_blind(c) && is_doubtful(&f[*n]))
			(*doubtful)++;
		else
			(*n)++;
	}
	for (uint32_t i = 0; i < all; i++)
		for (uint32_t k = 0; run[i]->least && k < *n; k++)
			f[k].count += f[k].run == run[i]->least;
	free(run);
	return f;
}

void pd_check_findings(struct pd_check_run *c, struct pd_result *r)
{
	const struct pd_board *b = c->board;
	struct pd_places places = {r->arena, pd_symbols_open(c->first.pid), pd_symbols_open(c->worker[0][0].pid)};
	uint64_t executions = b->executions;
	uint32_t n, unproven = 0, blind = 0;
	struct failure *f = collect(c, r->arena, &n, &blind);

	pd_failures_resolve(f, n);
	for (uint32_t i = 0; i < n; i++)
		sort_blame(&f[i]);
	subsume(f, n);
	qsort(f, n, sizeof(*f), compare_failures);
	learn(c, &places, f, n);
	pd_failures_join(b, f, n, r->arena);
	for (uint32_t i = 0; i < n; i++) {
		struct teller t = {.c = c, .b = b, .r = r, .f = &f[i]};

		if (f[i].subsumed)
			continue;
		if (pd_check_blind(c) && is_doubtful(&f[i])) {
			blind++;
			continue;
		}
		unproven += f[i].n && !f[i].proven;
		tell(&t, &places);
	}
	if (blind)
		pd_result_limit(r, "%u failed recover%s left out that may come of that", blind, blind == 1 ? "y" : "ies");
	if (c->not_again)
		pd_result_stat_int(r, "failures_not_run_again", c->not_again);
	if (unproven)
		pd_result_stat_int(r, "unproven_causes", unproven);
	pd_result_stat_int(r, "blame_executions", (int64_t)(b->executions - executions + b->trials));
	pd_symbols_close(places.first);
	pd_symbols_close(places.recovery);
	free(f);
}

const char *pd_check_explain(struct pd_check_run *c, const struct pd_board_run *failed)
{
	struct pd_places places = {&c->arena, pd_symbols_open(c->first.pid),
				   pd_symbols_open(c->worker[0][0].pid)};
	const char *text = NULL;
	struct failure f = {.run = failed, .count = 1, .outcomes = 1u << failed->outcome};

	find_blame(&f, &c->arena);
	sort_blame(&f);
	force(c, &f, &c->arena);
	find_places(c->board, &places, &f);
	if (f.story)
		text = pd_story_text(f.story, &f, &places, c->board);
	pd_symbols_close(places.first);
	pd_symbols_close(places.recovery);
	return text;
}
