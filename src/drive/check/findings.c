/*
 * check/findings.c - from failed recoveries to findings.
 *
 * Failures that others account for are counted there (check/sort.c). Each one that is left is run
 * again, with suspects forced to be durable (runtime/check/least.h): what is left of its blame is
 * proven, and others that contain that are counted there, too. Then its cause is concluded
 * (check/cause.c) and failures of one cause are joined (check/merge.c).
 *
 * At last the choices of each finding, which are its witness, are made once more. It is *confirmed*
 * only if recovery fails again in the same way.
 */
#include "drive/check/failure.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AGAIN = 256 }; /* failures that are run again, at most */

/* ---- words ---------------------------------------------------------------------------------- */

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

/* ---- places --------------------------------------------------------------------------------- */

/* The sites of the execution that crashed last: the first one, or a recovery. */
static struct pd_board_site *const *own_sites(const struct pd_board *b,
					      const struct pd_board_run *run)
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

static bool is_of(const struct pd_board_choice *choice, const struct pd_board_run *run)
{
	for (const struct pd_board_choice *c = run->last; c; c = c->before)
		if (c == choice)
			return true;
	return false;
}

static void find_load(const struct pd_board *b, const struct pd_places *p, const struct failure *f,
		      struct blamed *l)
{
	const struct pd_again_event *e = NULL;

	for (const struct pd_board_run *run = f->run; run && !e; run = run->parent)
		if (is_of(l->choice, run))
			e = pd_story_load(f->story, run->depth, l->choice->number);
	l->at_load = pd_place(p, PD_ROLE_LOAD, true, site_of(b->recover_site, l->load),
			      e ? e->stack : NULL, e ? e->nstack : 0);
}

static void find_places(const struct pd_board *b, const struct pd_places *p, struct failure *f)
{
	const struct pd_board_run *run = f->run;
	const struct pd_again_event *last;

	for (uint32_t i = 0; i < f->n; i++) {
		find_store(b, p, f, &f->blame[i]);
		find_load(b, p, f, &f->blame[i]);
	}
	f->at_crash =
		pd_place(p, PD_ROLE_CRASH, run->depth > 1,
			 site_of(own_sites(b, run), run->crash_site), run->stack, run->nstack);
	last = pd_story_last_store(f->story, run->depth - 1, run->last_store);
	f->at_last = pd_place(p, PD_ROLE_STORE, run->depth > 1,
			      site_of(own_sites(b, run), run->last_store),
			      last ? last->stack : NULL, last ? last->nstack : 0);
	f->at_idle = pd_place(p, PD_ROLE_FLUSH, run->depth > 1,
			      site_of(own_sites(b, run), run->idle_flush), NULL, 0);
	f->at_fail = pd_place(p, PD_ROLE_FAIL, true, NULL, run->fail, run->nfail);
	for (uint32_t i = 0; f->story && f->story->passed.known && i < 2; i++) {
		f->at_waited[i] =
			pd_place(p, PD_ROLE_STORE, false,
				 site_of(b->first_site, f->story->passed.store[i]), NULL, 0);
		f->at_passed[i] =
			pd_place(p, PD_ROLE_LOAD, false,
				 site_of(b->first_site, f->story->passed.load[i]), NULL, 0);
	}
}

/* ---- a finding ------------------------------------------------------------------------------ */

struct teller {
	struct pd_check_run *c;
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
	bool own =
		fail->at.function && strcmp(fail->at.function, "pd_check_at") == 0 && fail->nstack;

	add_site(t, &(struct pd_finding_site){
			    .role = PD_ROLE_CHECK,
			    .at = {.file = run->check_file,
				   .line = run->check_line,
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
		[PD_OUTCOME_SIGNAL] = "is killed by a signal", [PD_OUTCOME_ABORT] = "aborts",
		[PD_OUTCOME_EXIT] = "ends with a bad status",  [PD_OUTCOME_HANG] = "hangs",
		[PD_OUTCOME_DEADLOCK] = "deadlocks",	       [PD_OUTCOME_CHECK] = "fails a check",
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
		fprintf(m,
			": the load at %s came before the store at %s, of the same thread, was out "
			"of its store buffer",
			pd_place_text(&f->at_passed[0], load, sizeof(load)),
			pd_place_text(&f->at_waited[0], store, sizeof(store)));
	for (uint32_t i = 0; i < f->n; i++) {
		const struct pd_board_source *lost = &f->blame[i].lost;

		fprintf(m, "%s %s read 0x%lx instead of 0x%lx, because the %s at %s was lost",
			i ? ";" : ":", pd_place_text(&f->blame[i].at_load, load, sizeof(load)),
			(unsigned long)lost->shown_seen, (unsigned long)lost->shown,
			lost->written ? "write" : "store",
			pd_place_text(&f->blame[i].at_store, store, sizeof(store)));
	}
	put_other_outcomes(f, m);
	fclose(m);
	kept = keep(t, text);
	free(text);
	return kept;
}

/* Whose store it is, where that is not who stores. */
static void add_caller(struct teller *t, const struct pd_frame *own,
		       const struct pd_finding_site *store)
{
	if (own != &store->at)
		add_site(t, &(struct pd_finding_site){.role = PD_ROLE_CALLER, .at = *own});
}

/*
 * What was lost makes the finding the same in another run; which reads miss it, and how recovery
 * then fails, may depend on what was executed. Where nothing was lost, it is the last store and the
 * place of the failure.
 */
static void add_identity(struct teller *t)
{
	for (uint32_t i = 0; i < t->f->n; i++) {
		add_site(t, &t->f->blame[i].at_store);
		add_caller(t, pd_store_frame(t->b, &t->f->blame[i]), &t->f->blame[i].at_store);
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
	add_caller(t, pd_last_store_frame(t->b, t->f), &t->f->at_last);
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

static void put_frame(struct pd_digest *d, const struct pd_frame *f)
{
	const char *slash = f->file ? strrchr(f->file, '/') : NULL,
		   *file = slash ? slash + 1 : f->file;

	pd_digest_u64(d, f->line);
	if (file)
		pd_digest_bytes(d, file, strlen(file));
	if (f->function)
		pd_digest_bytes(d, f->function, strlen(f->function));
}

/*
 * Beside its identifying sites: the cause; and where nothing was lost the status or signal and the
 * calls that led to the failure, since many failures may share a function that only reports them.
 */
static uint64_t id_of(const struct failure *f, const struct pd_finding *told)
{
	struct pd_digest d = PD_DIGEST_INIT;

	pd_digest_u64(&d, pd_finding_id(told));
	pd_digest_bytes(&d, pd_cause_info[f->cause].name, strlen(pd_cause_info[f->cause].name));
	if (!f->n) {
		pd_digest_u64(&d, f->run->detail);
		for (uint32_t i = 0; i < f->at_fail.nstack; i++)
			put_frame(&d, &f->at_fail.stack[i]);
	}
	return d.a & PD_FINDING_ID_MAX ? d.a & PD_FINDING_ID_MAX : 1;
}

static void tell(struct teller *t, const struct pd_places *places)
{
	const struct pd_board_run *run = t->f->run;
	char fix[1200];
	struct pd_finding f = {
		.kind = kind_of(run->outcome),
		.cause = t->f->cause,
		.confirmed = t->f->replayed && !pd_check_blind(t->c),
		.message = message_text(t),
		.count = t->f->count,
		.witness = pd_check_witness(run, t->r->arena),
		.output = run->noutput ? pd_arena_strndup(t->r->arena, run->output, run->noutput)
				       : NULL,
	};

	pd_fix_text(t->b, t->f, pd_check_line_shift(t->c) > 6, fix, sizeof(fix));
	f.fix = fix;
	add_identity(t);
	f.sites = t->sites.v;
	f.nsites = t->sites.n;
	f.id = id_of(t->f, &f);
	add_others(t);
	f.sites = t->sites.v;
	f.nsites = t->sites.n;
	if (t->c->explain && t->f->story)
		f.explain = pd_story_text(t->f->story, t->f, places, t->b);
	if (pd_only_wants(&t->c->options.only, f.kind))
		pd_findings_add(&t->r->findings, &f);
}

/* ---- all of them ---------------------------------------------------------------------------- */

/* The recovery of a run that came to its end, with everything durable, if that fails; else NULL. */
static const struct pd_board_run *undisturbed(struct pd_check_run *c, uint64_t seed)
{
	struct pd_choice end = {PD_CHOICE_CRASH, 0, PD_BOARD_AT_END};
	struct pd_witness w = {true, 1, seed, &end};
	const struct pd_board_run *run;
	struct pd_error e;

	return !c->board->stop && pd_check_again(c, &w, &run, &e) ? run : NULL;
}

/* The same, asked once for each schedule that matters; of very many, more than once. */
struct quiet {
	uint32_t n;
	struct {
		uint64_t seed;
		const struct pd_board_run *end; /* NULL: it ends well */
	} known[32];
};

static const struct pd_board_run *quiet_end(struct pd_check_run *c, struct quiet *q, uint64_t seed)
{
	const struct pd_board_run *end;

	for (uint32_t i = 0; i < q->n; i++)
		if (q->known[i].seed == seed)
			return q->known[i].end;
	end = undisturbed(c, seed);
	if (q->n < PD_LEN(q->known)) {
		q->known[q->n].seed = seed;
		q->known[q->n++].end = end;
	}
	return end;
}

/* ---- once more ------------------------------------------------------------------------------ */

/* The failure with no more lost than it needs, and its story. */
static void force(struct pd_check_run *c, struct failure *f, struct pd_arena *a)
{
	const struct pd_board_run *least = NULL;
	struct pd_witness w = pd_check_witness(f->run, a);

	f->story = pd_check_journals(c) ? pd_story_of(c, f, &w, &least) : NULL;
	if (!least)
		return;
	f->run = least;
	pd_failure_blame(f, a);
	pd_failure_sort_blame(f);
}

/* Number i is known now. It is counted where it belongs, or what belongs to it is counted there. */
static void sort_in(struct failure *f, uint32_t n, uint32_t i)
{
	for (uint32_t k = 0; k < n; k++)
		if (f[k].proven && pd_failure_take_in(&f[k], &f[i]))
			return;
	for (uint32_t k = 0; k < n; k++)
		pd_failure_take_in(&f[i], &f[k]);
}

/* A hang that is not proven takes its whole budget of events each time. */
static bool is_slow(const struct failure *f)
{
	return f->run->outcome == PD_OUTCOME_HANG && !strstr(f->run->text, "same state");
}

static void force_all(struct pd_check_run *c, struct failure *f, uint32_t n, bool slow,
		      uint32_t *again, struct pd_arena *a)
{
	for (uint32_t i = 0; i < n; i++) {
		if (f[i].subsumed || is_slow(&f[i]) != slow)
			continue;
		if (!c->board->stop && (*again)++ < AGAIN)
			force(c, &f[i], a);
		else
			f[i].left = true;
		sort_in(f, n, i);
	}
}

static void ask_about_lost(struct pd_again *a, const struct failure *f)
{
	a->nlost = a->ended = 0;
	for (uint32_t i = 0; i < f->n && a->nlost < PD_AGAIN_LOST; i++)
		if (!f->blame[i].lost.exec)
			a->lost[a->nlost++] = f->blame[i].lost.order;
}

static void take_answers(const struct pd_again *a, struct failure *f)
{
	for (uint32_t i = 0, k = 0; i < f->n && k < a->nlost; i++)
		if (!f->blame[i].lost.exec)
			f->blame[i].at_end = a->open[k++] ? PD_AT_END_OPEN : PD_AT_END_DURABLE;
}

/*
 * Makes the choices of the witness again: recovery must fail in the same way. The execution that
 * crashes goes on to its end, so what it made durable later is known, too.
 */
static void replay(struct pd_check_run *c, struct failure *f, struct pd_arena *a)
{
	struct pd_again *again = &c->board->again;
	struct pd_witness w = pd_check_witness(f->run, a);
	const struct pd_board_run *run = NULL;
	struct pd_error e;

	ask_about_lost(again, f);
	f->replayed = !c->board->stop && pd_check_again(c, &w, &run, &e) && run &&
		      pd_end_same(run, f->run);
	f->left = f->left || (!f->replayed && c->board->stop);
	if (again->ended)
		take_answers(again, f);
	again->nlost = 0;
}

/* What a failure does not tell by itself; not where there is no time left. */
static void learn(struct pd_check_run *c, const struct pd_places *places, struct failure *f,
		  uint32_t n)
{
	const struct pd_board_run *quiet;
	struct quiet known = {0};
	uint32_t again = 0;

	force_all(c, f, n, false, &again, places->arena);
	force_all(c, f, n, true, &again, places->arena);
	for (uint32_t i = 0; i < n; i++) {
		if (f[i].subsumed)
			continue;
		replay(c, &f[i], places->arena);
		if (!f[i].n && f[i].run->depth == 1) {
			quiet = quiet_end(c, &known, f[i].run->seed);
			f[i].undisturbed = quiet && pd_end_same(f[i].run, quiet);
		}
		find_places(c->board, places, &f[i]);
		f[i].cause = pd_cause_of(c->board, &f[i]);
		f[i].trusted = pd_trusted_by(&f[i]);
	}
}

/* What the findings are not sure of. */
static void limits(const struct pd_check_run *c, struct pd_result *r, uint32_t blind)
{
	if (blind)
		pd_result_limit(r, "%u failed recover%s left out that may come of that", blind,
				blind == 1 ? "y" : "ies");
	if (c->not_again)
		pd_result_limit(r,
				"%u failure%s found but not run again, for want of time or because "
				"there are more than %u",
				c->not_again, c->not_again == 1 ? "" : "s", AGAIN);
	if (c->not_replayed)
		pd_result_limit(
			r, "%u finding%s that did not fail again in the same way when replayed",
			c->not_replayed, c->not_replayed == 1 ? "" : "s");
	r->complete = !r->limits.n;
	pd_result_stat_int(r, "failures_not_run_again", c->not_again);
	pd_result_stat_int(r, "findings_not_replayed", c->not_replayed);
}

void pd_check_findings(struct pd_check_run *c, struct pd_result *r)
{
	const struct pd_board *b = c->board;
	struct pd_places places = {r->arena, pd_symbols_open(c->first.pid),
				   pd_symbols_open(c->worker[0][0].pid)};
	uint64_t executions = b->executions;
	uint32_t n, unproven = 0, blind = 0;
	struct failure *f = pd_failures_collect(c, r->arena, &n, &blind);

	pd_failures_sort(f, n);
	learn(c, &places, f, n);
	pd_failures_join(b, f, n, r->arena);
	for (uint32_t i = 0; i < n; i++) {
		struct teller t = {.c = c, .b = b, .r = r, .f = &f[i]};

		if (f[i].subsumed)
			continue;
		if (pd_check_blind(c) && pd_failure_is_doubtful(&f[i])) {
			blind++;
			continue;
		}
		unproven += f[i].n && !f[i].proven;
		c->not_again += f[i].left;
		c->not_replayed += !f[i].left && !f[i].replayed;
		tell(&t, &places);
	}
	limits(c, r, blind);
	if (unproven)
		pd_result_stat_int(r, "unproven_causes", unproven);
	pd_result_stat_int(r, "blame_executions",
			   (int64_t)(b->executions - executions + b->trials));
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

	pd_failure_blame(&f, &c->arena);
	pd_failure_sort_blame(&f);
	force(c, &f, &c->arena);
	find_places(c->board, &places, &f);
	if (f.story)
		text = pd_story_text(f.story, &f, &places, c->board);
	pd_symbols_close(places.first);
	pd_symbols_close(places.recovery);
	return text;
}
