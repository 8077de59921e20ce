/* check/story.c - repeats a failure with a journal (engine/crash/again.h), and keeps that. See
 * check/failure.h. */
#include "drive/check/failure.h"
#include "engine/crash/end.h"
#include "report/words/words.h"
#include <string.h>

static void keep_journal(struct pd_story *s, uint32_t depth, const struct pd_again_journal *j,
			 struct pd_arena *a)
{
	uint64_t from = j->n > PD_AGAIN_EVENTS ? j->n - PD_AGAIN_EVENTS : 0;
	uint64_t early = PD_MIN(j->nchosen, PD_AGAIN_CHOSEN);

	s->event[depth] = pd_new_array(a, struct pd_again_event, early + j->n - from + 1);
	if (!s->event[depth])
		return;
	for (uint64_t i = j->nchosen - early; i < j->nchosen; i++)
		s->event[depth][s->n[depth]++] = j->chosen[i % PD_AGAIN_CHOSEN];
	for (uint64_t i = from; i < j->n; i++)
		s->event[depth][s->n[depth]++] = j->event[i % PD_AGAIN_EVENTS];
	s->crash[depth] = (uint32_t)((j->crashed ? PD_MAX(j->crash, from) : j->n) - from + early);
	s->dropped[depth] = from - early;
}

static void keep_certain(struct pd_story *s, uint32_t depth, const struct pd_again_journal *j,
			 struct pd_arena *a)
{
	uint64_t from = j->ncertain > PD_AGAIN_CERTAIN ? j->ncertain - PD_AGAIN_CERTAIN : 0;

	s->certain[depth] = pd_new_array(a, struct pd_again_certain, j->ncertain - from + 1);
	for (uint64_t i = from; s->certain[depth] && i < j->ncertain; i++)
		s->certain[depth][s->ncertain[depth]++] = j->certain[i % PD_AGAIN_CERTAIN];
}

static void keep_reads(struct pd_story *s, const struct pd_again_journal *j, struct pd_arena *a)
{
	uint64_t from = j->nread > PD_AGAIN_READS ? j->nread - PD_AGAIN_READS : 0;

	s->read = pd_new_array(a, struct pd_again_event, j->nread - from + 1);
	for (uint64_t i = from; s->read && i < j->nread; i++)
		s->read[s->nread++] = j->read[i % PD_AGAIN_READS];
}

/* Runs it again, with a journal of the lines that are watched. NULL: it ended in another way. */
static struct pd_story *record_story(struct pd_check_run *c, const struct pd_failure *f,
				     const struct pd_witness *w, const struct pd_crash_run **least)
{
	struct pd_again *again = &c->board->again;
	const struct pd_crash_run *failed;
	struct pd_story *s;
	struct pd_error e;
	bool ok;

	again->least = 1;
	ok = pd_check_again(c, w, &failed, &e);
	again->least = 0;
	if (!ok || !failed || !pd_end_alike(failed, f->run))
		return NULL;
	*least = failed;
	s = pd_new(&c->arena, struct pd_story);
	if (!s)
		return NULL;
	for (uint32_t d = 0; d <= f->run->depth && d <= PD_CRASH_DEPTH; d++)
		if (again->journal[d]) {
			keep_journal(s, d, again->journal[d], &c->arena);
			keep_certain(s, d, again->journal[d], &c->arena);
		}
	if (again->journal[0])
		keep_reads(s, again->journal[0], &c->arena);
	s->line_shift = pd_check_line_shift(c);
	s->passed = again->passed;
	s->file = pd_new_array(&c->arena, struct pd_again_file, again->nfile + 1);
	if (s->file) {
		s->nfile = again->nfile;
		memcpy(s->file, again->file, again->nfile * sizeof(*s->file));
	}
	return s;
}

/* What it waits for may be a lock that the crash has left as it was. True: there is more to
 * watch. */
static bool watch_circle(struct pd_check_run *c, const struct pd_story *s, uint32_t depth)
{
	uint64_t addr[PD_STORY_WORDS];
	uint32_t n = pd_story_circles(s, depth, addr, PD_LEN(addr));
	bool more = false;

	for (uint32_t i = 0; i < n; i++)
		more |= pd_check_watch_line(c, addr[i]);
	return more;
}

struct pd_story *pd_story_of(struct pd_check_run *c, const struct pd_failure *f,
			     const struct pd_witness *w, const struct pd_crash_run **least)
{
	struct pd_story *s, *more = NULL;

	pd_check_watch_lines(c, f->run);
	s = record_story(c, f, w, least);
	if (s && f->run->outcome == PD_OUTCOME_HANG && watch_circle(c, s, f->run->depth))
		more = record_story(c, f, w, least);
	return more ? more : s;
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

static struct pd_finding_site find_place(void *ctx, bool recovery, const struct pd_board_site *s,
					 const uint64_t *pc, uint32_t n)
{
	return pd_place(ctx, PD_ROLE_STORE, recovery, s, pc, n);
}

struct pd_steps pd_story_steps(const struct pd_failure *f, const struct pd_places *p,
			       const struct pd_explored *x)
{
	struct pd_step_places places = {find_place, (void *)(uintptr_t)p};

	return pd_failure_steps(x, f, &places, p->arena);
}
