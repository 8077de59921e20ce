/*
 * check/story.c - the whole story of a failure: it is run again, with a journal
 * (engine/crash/again.h), and that is told line by line. See check/failure.h.
 */
#include "drive/check/failure.h"
#include "engine/crash/end.h"
#include "report/words/words.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	LINES_SHOWN = 4,
	EVENTS_SHOWN = 24, /* of a line, before the crash */
	LAST_SHOWN = 8,	   /* stores, where nothing was lost */
	READS_SHOWN = 24,
};

/* ---- running it again ----------------------------------------------------------------------- */

static void keep_journal(struct pd_story *s, uint32_t depth, const struct pd_again_journal *j,
			 struct pd_arena *a)
{
	uint64_t from = j->n > PD_AGAIN_EVENTS ? j->n - PD_AGAIN_EVENTS : 0;

	s->event[depth] = pd_new_array(a, struct pd_again_event, j->n - from + 1);
	if (!s->event[depth])
		return;
	for (uint64_t i = from; i < j->n; i++)
		s->event[depth][s->n[depth]++] = j->event[i % PD_AGAIN_EVENTS];
	s->crash[depth] = (uint32_t)((j->crashed ? PD_MAX(j->crash, from) : j->n) - from);
	s->dropped[depth] = from;
}

struct pd_story *pd_story_of(struct pd_check_run *c, const struct pd_failure *f,
			     const struct pd_witness *w, const struct pd_crash_run **least)
{
	struct pd_again *again = &c->board->again;
	const struct pd_crash_run *failed;
	struct pd_story *s;
	struct pd_error e;
	bool ok;

	pd_check_watch_lines(c, f->run);
	again->least = 1;
	ok = pd_check_again(c, w, &failed, &e);
	again->least = 0;
	if (!ok || !failed || !pd_end_same(failed, f->run))
		return NULL;
	*least = failed;
	s = pd_new(&c->arena, struct pd_story);
	if (!s)
		return NULL;
	for (uint32_t d = 0; d <= f->run->depth && d <= PD_CRASH_DEPTH; d++)
		if (again->journal[d])
			keep_journal(s, d, again->journal[d], &c->arena);
	s->line_shift = pd_check_line_shift(c);
	s->passed = again->passed;
	s->file = pd_new_array(&c->arena, struct pd_again_file, again->nfile + 1);
	if (s->file) {
		s->nfile = again->nfile;
		memcpy(s->file, again->file, again->nfile * sizeof(*s->file));
	}
	return s;
}

void pd_check_put_end(FILE *to, const struct pd_crash_run *run)
{
	struct pd_fact fact[PD_WAITERS * 5 + 8];
	struct pd_fact_list l = {.v = fact, .cap = PD_LEN(fact)};
	struct pd_facts facts;

	pd_run_facts(run, &l);
	facts = pd_facts_of(&l);
	pd_words_end(to, pd_run_kind(run), &facts);
}

/* ---- text ----------------------------------------------------------------------------------- */

const char *pd_story_where(const struct pd_story *s, uint64_t addr, char *buf, size_t n)
{
	for (uint32_t i = 0; s && i < s->nfile; i++) {
		const struct pd_again_file *f = &s->file[i];
		const char *slash = strrchr(f->name, '/');

		if (addr < f->base || addr >= f->base + f->size)
			continue;
		snprintf(buf, n, "%s+0x%lx", slash ? slash + 1 : f->name,
			 (unsigned long)(addr - f->base));
		return buf;
	}
	snprintf(buf, n, "PM 0x%lx", (unsigned long)addr);
	return buf;
}

struct teller {
	FILE *f;
	const struct pd_story *s;
	const struct pd_failure *failure;
	const struct pd_places *p;
	const struct pd_explored *x;
};

static void put_place(struct teller *t, const struct pd_finding_site *at)
{
	char buf[300];

	fputs(pd_place_text(at, buf, sizeof(buf)), t->f);
	if (at->at.function)
		fprintf(t->f, " in %s", at->at.function);
	if (at->nstack) {
		struct pd_finding_site caller = {.at = at->stack[0]};

		fprintf(t->f, ", called from %s", pd_place_text(&caller, buf, sizeof(buf)));
	}
}

static struct pd_finding_site place_of(struct teller *t, uint32_t depth,
				       const struct pd_again_event *e)
{
	return pd_place(t->p, PD_ROLE_STORE, depth > 0, pd_explored_site(t->x, depth, e->site),
			e->stack, e->nstack);
}

static void put_event(struct teller *t, uint32_t depth, const struct pd_again_event *e)
{
	struct pd_finding_site at = place_of(t, depth, e);
	char where[300];

	fputs("  ", t->f);
	put_place(t, &at);
	if (e->tid)
		fprintf(t->f, " [thread %u]", e->tid);
	if (e->kind == PD_EV_RMW_FAILED)
		fprintf(t->f, ": compare-and-swap of %s finds 0x%lx",
			pd_story_where(t->s, e->addr, where, sizeof(where)),
			(unsigned long)e->value);
	else if (pd_again_stores(e))
		fprintf(t->f, ": %s of %lu byte%s to %s: 0x%lx%s",
			e->kind == PD_EV_RMW	   ? "locked store"
			: e->kind == PD_EV_NTSTORE ? "non-temporal store"
						   : "store",
			(unsigned long)e->size, e->size == 1 ? "" : "s",
			pd_story_where(t->s, e->addr, where, sizeof(where)),
			(unsigned long)e->value, e->size > 8 ? " ..." : "");
	else if (pd_again_flushes(e))
		fprintf(t->f, ": %s of %s", pd_event_info[e->kind].name,
			pd_story_where(t->s, e->addr, where, sizeof(where)));
	else
		fprintf(t->f, ": %s", pd_event_info[e->kind].name);
	fputc('\n', t->f);
}

static bool about_line(const struct teller *t, const struct pd_again_event *e, uint64_t line)
{
	uint32_t shift = t->s->line_shift;

	if (!pd_again_stores(e) && !pd_again_flushes(e))
		/* A fence: the journal has it because a flush of a line at stake waits for it */
		return true;
	return e->addr >> shift <= line && line <= (e->addr + (e->size ? e->size - 1 : 0)) >> shift;
}

/* What one execution did to a line, up to its crash; the last of it, if it is long. */
static void put_line_log(struct teller *t, uint32_t depth, uint64_t line)
{
	uint32_t n = 0, skip;

	for (uint32_t i = 0; i < t->s->crash[depth]; i++)
		n += about_line(t, &t->s->event[depth][i], line);
	skip = n > EVENTS_SHOWN ? n - EVENTS_SHOWN : 0;
	if (skip || t->s->dropped[depth])
		fprintf(t->f, "  (earlier ones are left out)\n");
	for (uint32_t i = 0; i < t->s->crash[depth]; i++) {
		const struct pd_again_event *e = &t->s->event[depth][i];

		if (!about_line(t, e, line) || (skip && skip--))
			continue;
		put_event(t, depth, e);
	}
}

/* The first flush of the line that the crash came before. */
static const struct pd_again_event *late_flush(const struct teller *t, uint32_t depth,
					       uint64_t line)
{
	for (uint32_t i = t->s->crash[depth]; i < t->s->n[depth]; i++)
		if (pd_again_flushes(&t->s->event[depth][i]) &&
		    about_line(t, &t->s->event[depth][i], line))
			return &t->s->event[depth][i];
	return NULL;
}

static uint64_t line_of(const struct teller *t, const struct pd_blamed *b)
{
	return b->choice->addr >> t->s->line_shift;
}

static void put_lines(struct teller *t)
{
	const struct pd_failure *f = t->failure;
	uint32_t shown = 0;
	char where[300];

	for (uint32_t i = 0; i < f->n && shown < LINES_SHOWN; i++) {
		uint64_t line = line_of(t, &f->blame[i]);
		uint32_t depth = f->blame[i].lost.exec;
		bool seen = depth > PD_CRASH_DEPTH;
		const struct pd_again_event *late;

		for (uint32_t k = 0; k < i; k++)
			seen = seen || line_of(t, &f->blame[k]) == line;
		if (seen)
			continue;
		shown++;
		fprintf(t->f, "the %s at %s, %s:\n", t->s->line_shift > 6 ? "page" : "cache line",
			pd_story_where(t->s, line << t->s->line_shift, where, sizeof(where)),
			depth ? "in the recovery that crashed" : "before the crash");
		put_line_log(t, depth, line);
		late = late_flush(t, depth, line);
		if (late) {
			fprintf(t->f, "  -- the crash -- and only after it would have come:\n");
			put_event(t, depth, late);
		}
	}
}

static void put_last_stores(struct teller *t)
{
	uint32_t depth = t->failure->run->depth - 1, n = t->s->crash[depth];

	fprintf(t->f, "nothing was lost: what was stored before the crash is durable. What "
		      "happened last to what "
		      "recovery reads:\n");
	for (uint32_t i = n > LAST_SHOWN ? n - LAST_SHOWN : 0; i < n; i++)
		put_event(t, depth, &t->s->event[depth][i]);
}

static void put_chosen(struct teller *t, const struct pd_again_event *e)
{
	const struct pd_crash_choice *c = t->failure->run->last;
	struct pd_finding_site at;
	const struct pd_crash_source *from;
	char buf[300];

	while (c && c->number != e->choice)
		c = c->before;
	if (!c)
		return;
	if (!c->pick) {
		fprintf(t->f, ", the newest of %u possible values", c->n);
		return;
	}
	at = pd_place(t->p, PD_ROLE_STORE, c->next.exec > 0,
		      pd_explored_site(t->x, c->next.exec, c->next.site), NULL, 0);
	from = &c->next;
	for (uint32_t i = 0; i < t->failure->n; i++)
		if (t->failure->blame[i].choice == c) {
			at = t->failure->blame[i].at_store;
			from = &t->failure->blame[i].lost;
		}
	if (c->size > 8)
		fprintf(t->f, ", with 0x%lx in it", (unsigned long)from->shown_seen);
	fprintf(t->f, ", not 0x%lx that %s stored (one of %u possible values)",
		(unsigned long)from->shown, pd_place_text(&at, buf, sizeof(buf)), c->n);
}

static bool same_event(const struct pd_again_event *a, const struct pd_again_event *b)
{
	return a->kind == b->kind && a->site == b->site && a->addr == b->addr &&
	       a->value == b->value && a->size == b->size && !b->chosen;
}

static void put_read(struct teller *t, uint32_t depth, const struct pd_again_event *e)
{
	struct pd_finding_site at = place_of(t, depth, e);
	char where[300];

	fputs("  ", t->f);
	put_place(t, &at);
	fprintf(t->f, ": reads %s: 0x%lx%s", pd_story_where(t->s, e->addr, where, sizeof(where)),
		(unsigned long)e->value, e->size > 8 ? " ..." : "");
	if (e->chosen)
		put_chosen(t, e);
	fputc('\n', t->f);
}

/* How many events from i on are alike. */
static uint32_t alike(const struct pd_again_event *v, uint32_t i, uint32_t n)
{
	uint32_t k = i + 1;

	while (k < n && same_event(&v[i], &v[k]))
		k++;
	return k - i;
}

static void put_reads(struct teller *t)
{
	uint32_t depth = t->failure->run->depth, n = t->s->n[depth], more;
	const struct pd_again_event *v = t->s->event[depth];
	uint32_t from = n, shown = 0;

	/* The last ones, counting those that are alike once. */
	while (from && shown < READS_SHOWN) {
		from--;
		shown += !from || !same_event(&v[from - 1], &v[from]);
	}
	fprintf(t->f, "recovery:\n");
	if (from || t->s->dropped[depth])
		fprintf(t->f, "  (earlier reads are left out, but for those that had a choice)\n");
	for (uint32_t i = 0; i < n; i += more) {
		more = v[i].chosen ? 1 : alike(v, i, n);
		if (i < from && !v[i].chosen) {
			more = 1;
			continue;
		}
		/* A read that was asked about comes once more when it is done. */
		if (i && v[i - 1].chosen && !v[i].chosen && v[i].kind == PD_EV_LOAD &&
		    v[i - 1].site == v[i].site)
			continue;
		if (v[i].kind == PD_EV_LOAD)
			put_read(t, depth, &v[i]);
		else
			put_event(t, depth, &v[i]);
		if (more > 1)
			fprintf(t->f, "  (%u times)\n", more);
	}
}

static void put_end(struct teller *t)
{
	pd_check_put_end(t->f, t->failure->run);
	if (pd_finding_site_known(&t->failure->at_fail)) {
		fputs(" at ", t->f);
		put_place(t, &t->failure->at_fail);
	}
	fputc('\n', t->f);
}

/* Why two threads did not see each other. */
static void put_passed(struct teller *t)
{
	const struct pd_failure *f = t->failure;
	const struct pd_again_passed *p = &t->s->passed;

	for (uint32_t i = 0; p->known && i < 1u + p->waited; i++) {
		fprintf(t->f, "thread %u loads at ", p->tid[i]);
		put_place(t, &f->at_passed[i]);
		fputs(" while what it stored before, at ", t->f);
		put_place(t, &f->at_waited[i]);
		fprintf(t->f, ", is still in its store buffer: thread %u does not see it\n",
			p->tid[!i]);
	}
}

/* What was tried with suspects forced to be durable. */
static void put_proof(struct teller *t)
{
	const struct pd_failure *f = t->failure;
	char buf[300];

	if (!f->proven)
		return;
	if (!f->n)
		fputs("tried: with all that was stored durable, recovery fails like this\n", t->f);
	for (uint32_t i = 0; i < f->n; i++)
		fprintf(t->f,
			"tried: with the store at %s durable, and all else as it was, recovery "
			"%s\n",
			pd_place_text(&f->blame[i].at_store, buf, sizeof(buf)),
			f->blame[i].choice->mended ? "ends well"
						   : "does not fail like this, but otherwise");
}

char *pd_story_text(const struct pd_story *s, const struct pd_failure *f, const struct pd_places *p,
		    const struct pd_explored *x)
{
	char *text = NULL, *kept;
	size_t n = 0;
	FILE *m = open_memstream(&text, &n);
	struct teller t = {m, s, f, p, x};

	if (!m)
		return NULL;
	if (f->n)
		put_lines(&t);
	else
		put_last_stores(&t);
	put_passed(&t);
	fputs("the power fails ", m);
	if (f->run->crash_kind == PD_EV_EXIT) {
		fputs("after the program has ended", m);
	} else {
		fputs("before ", m);
		put_place(&t, &f->at_crash);
	}
	fputc('\n', m);
	put_reads(&t);
	put_end(&t);
	put_proof(&t);
	fclose(m);
	kept = pd_arena_strndup(p->arena, text, n);
	free(text);
	return kept;
}
