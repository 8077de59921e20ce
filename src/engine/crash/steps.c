/*
 * steps.c - selects the steps of a failure's story that are worth reading, in order. See failure.h.
 *
 * For each line at stake, what was done to it before the crash; the crash; what recovery read, and
 * how it ended; and what was tried to find the cause.
 */
#include "engine/crash/failure.h"

enum {
	LINES_SHOWN = 4,
	EVENTS_SHOWN = 24, /* of a line, before the crash */
	LAST_SHOWN = 8,	   /* stores shown where nothing was lost */
	READS_SHOWN = 24,
};

struct maker {
	const struct pd_explored *x;
	const struct pd_failure *f;
	const struct pd_story *s;
	const struct pd_step_places *places;
	struct pd_arena *arena;
	PD_VEC(struct pd_step) to;
	bool aside; /* current steps concern a line of which nothing was lost */
	bool full;  /* memory ran out */
};

static void add(struct maker *m, const struct pd_step *step)
{
	struct pd_step *to = pd_vec_push(&m->to, m->arena);

	if (!to) {
		m->full = true;
		return;
	}
	*to = *step;
	to->aside = m->aside;
}

static struct pd_finding_site place(const struct maker *m, uint32_t exec, uint32_t site,
				    const uint64_t *pc, uint32_t n)
{
	return m->places->find(m->places->ctx, exec > 0, pd_explored_site(m->x, exec, site), pc, n);
}

/* Whether the event concerns bytes of PM. A fence does not; a locked instruction elsewhere, which
 * is a fence too, has an address, but in no file. */
static bool is_of_pm(const struct pd_again_event *e)
{
	return pd_again_stores(e) || pd_again_flushes(e) || e->kind == PD_EV_LOAD ||
	       e->kind == PD_EV_RMW_FAILED;
}

static struct pd_step step_of(const struct maker *m, uint32_t exec, const struct pd_again_event *e)
{
	struct pd_step step = {.what = PD_STEP_EVENT,
			       .event = (enum pd_event_kind)e->kind,
			       .thread = e->tid,
			       .at = place(m, exec, e->site, e->stack, e->nstack),
			       .exec = exec,
			       .time = (uint64_t)(e - m->s->event[exec]) + m->s->dropped[exec],
			       .before = e->before,
			       .after = e->after};

	if (is_of_pm(e)) {
		step.address = pd_story_address(m->s, e->addr);
		step.size = e->size;
		step.value = e->value;
	}
	return step;
}

/* The index in the log up to which the line is durable after an event. */
static uint32_t certain(const struct maker *m, uint32_t exec, uint64_t line, uint64_t time)
{
	const struct pd_again_certain *v = m->s->certain[exec];

	for (uint32_t i = v ? m->s->ncertain[exec] : 0; i-- > 0;)
		if (v[i].line == line && v[i].event <= time)
			return v[i].must;
	return 0;
}

static void add_event(struct maker *m, uint32_t exec, uint64_t line, const struct pd_again_event *e)
{
	struct pd_step step = step_of(m, exec, e);

	step.certain = certain(m, exec, line, step.time);
	add(m, &step);
}

/* ---- the lines at stake --------------------------------------------------------------------- */

static bool about_line(const struct maker *m, const struct pd_again_event *e, uint64_t line)
{
	uint32_t shift = m->s->line_shift;

	if (e->kind == PD_EV_LOAD) /* of a recovery that crashed: it changes nothing */
		return false;
	if (!pd_again_stores(e) && !pd_again_flushes(e))
		/* A fence is in the journal because a flush of a line at stake waits for it */
		return true;
	return e->addr >> shift <= line && line <= (e->addr + (e->size ? e->size - 1 : 0)) >> shift;
}

/* What one execution did to a line up to its crash; the last part of it, if it is long. */
static void add_line_log(struct maker *m, uint32_t exec, uint64_t line)
{
	uint32_t n = 0, skip;

	for (uint32_t i = 0; i < m->s->crash[exec]; i++)
		n += about_line(m, &m->s->event[exec][i], line);
	skip = n > EVENTS_SHOWN ? n - EVENTS_SHOWN : 0;
	if (skip || m->s->dropped[exec])
		add(m, &(struct pd_step){.what = PD_STEP_LEFT_OUT});
	for (uint32_t i = 0; i < m->s->crash[exec]; i++) {
		const struct pd_again_event *e = &m->s->event[exec][i];

		if (!about_line(m, e, line) || (skip && skip--))
			continue;
		add_event(m, exec, line, e);
	}
}

/* The first flush of the line after the crash point. */
static const struct pd_again_event *late_flush(const struct maker *m, uint32_t exec, uint64_t line)
{
	for (uint32_t i = m->s->crash[exec]; i < m->s->n[exec]; i++)
		if (pd_again_flushes(&m->s->event[exec][i]) &&
		    about_line(m, &m->s->event[exec][i], line))
			return &m->s->event[exec][i];
	return NULL;
}

static void add_line(struct maker *m, uint32_t exec, uint64_t line)
{
	const struct pd_again_event *late = late_flush(m, exec, line);
	struct pd_step step = {.what = PD_STEP_LINE,
			       .page = m->s->line_shift > 6,
			       .recovery = exec > 0,
			       .line = line,
			       .exec = exec,
			       .address = pd_story_address(m->s, line << m->s->line_shift)};

	add(m, &step);
	add_line_log(m, exec, line);
	if (!late)
		return;
	add(m, &(struct pd_step){.what = PD_STEP_LATE});
	add_event(m, exec, line, late);
}

static uint64_t line_of(const struct maker *m, const struct pd_blamed *b)
{
	return b->choice->addr >> m->s->line_shift;
}

static bool is_listed(const struct maker *m, uint64_t line)
{
	for (uint32_t i = 0; i < m->to.n; i++)
		if (m->to.v[i].what == PD_STEP_LINE && m->to.v[i].line == line)
			return true;
	return false;
}

static void add_lines(struct maker *m)
{
	const struct pd_failure *f = m->f;
	uint32_t shown = 0;

	for (uint32_t i = 0; i < f->n && shown < LINES_SHOWN; i++) {
		uint64_t line = line_of(m, &f->blame[i]);

		if (is_listed(m, line) || f->blame[i].lost.exec > PD_CRASH_DEPTH)
			continue;
		shown++;
		add_line(m, f->blame[i].lost.exec, line);
	}
}

/* Adds lines of which recovery read the newest value though it could have seen another: often the
 * flag by which it trusts the lost store. Prefers the last reads. */
static void add_other_lines(struct maker *m)
{
	uint32_t shown = 0;

	m->aside = true;
	for (const struct pd_crash_choice *c = m->f->run->last; c && shown < LINES_SHOWN;
	     c = c->before) {
		uint64_t line = c->addr >> m->s->line_shift;

		if (is_listed(m, line) || !c->newest || c->newest_exec > PD_CRASH_DEPTH)
			continue;
		shown++;
		add_line(m, c->newest_exec, line);
	}
	m->aside = false;
}

/* The journal does not know when a line that is not watched became durable. */
static void add_last(struct maker *m, uint32_t exec, const struct pd_again_event *e)
{
	struct pd_step step = step_of(m, exec, e);

	add(m, &step);
}

static void add_last_stores(struct maker *m)
{
	uint32_t exec = m->f->run->depth - 1, n = m->s->crash[exec];

	add(m, &(struct pd_step){.what = PD_STEP_LAST});
	for (uint32_t i = n > LAST_SHOWN ? n - LAST_SHOWN : 0; i < n; i++)
		add_last(m, exec, &m->s->event[exec][i]);
}

/* ---- the crash ------------------------------------------------------------------------------ */

/* Explains why two threads did not see each other. */
static void add_passed(struct maker *m)
{
	const struct pd_again_passed *p = &m->s->passed;

	for (uint32_t i = 0; p->known && i < 1u + p->waited; i++)
		add(m, &(struct pd_step){.what = PD_STEP_PASSED,
					 .thread = p->tid[i],
					 .other_thread = p->tid[!i],
					 .at = m->f->at_passed[i],
					 .other = m->f->at_waited[i]});
}

static void add_crash(struct maker *m)
{
	uint32_t exec = m->f->run->depth - 1;

	add(m, &(struct pd_step){.what = PD_STEP_CRASH,
				 .at_exit = m->f->run->crash_kind == PD_EV_EXIT,
				 .after_store = pd_run_crashed_after_store(m->f->run),
				 .at = m->f->at_crash,
				 .event = (enum pd_event_kind)m->f->run->crash_kind,
				 .exec = exec,
				 .time = m->s->crash[exec] + m->s->dropped[exec]});
}

/* ---- recovery ------------------------------------------------------------------------------- */

/* Fills in what a read with several possible values has seen. */
static void put_chosen(const struct maker *m, const struct pd_again_event *e, struct pd_step *to)
{
	const struct pd_crash_choice *c = m->f->run->last;
	const struct pd_crash_source *newest;

	while (c && c->number != e->choice)
		c = c->before;
	if (!c)
		return;
	to->n = c->n;
	to->took_exec = c->seen_exec;
	to->took = c->seen_order;
	to->newest_exec = c->newest_exec;
	to->newest_at = c->newest_order;
	to->sees_newest = !c->pick;
	if (to->sees_newest)
		return;
	to->other = place(m, c->next.exec, c->next.site, NULL, 0);
	newest = &c->next;
	for (uint32_t i = 0; i < m->f->n; i++)
		if (m->f->blame[i].choice == c) {
			to->other = m->f->blame[i].at_store;
			newest = &m->f->blame[i].lost;
		}
	to->newest = newest->shown;
	to->seen = newest->shown_seen;
}

static bool same_event(const struct pd_again_event *a, const struct pd_again_event *b)
{
	return a->kind == b->kind && a->site == b->site && a->addr == b->addr &&
	       a->value == b->value && a->size == b->size && !b->chosen;
}

/* How many events from i on are the same. */
static uint32_t alike(const struct pd_again_event *v, uint32_t i, uint32_t n)
{
	uint32_t k = i + 1;

	while (k < n && same_event(&v[i], &v[k]))
		k++;
	return k - i;
}

/* A read that had a choice is journalled twice: with its choice, and when it is made. */
static bool is_done_twice(const struct pd_again_event *v, uint32_t i)
{
	return i && v[i - 1].chosen && !v[i].chosen && v[i].kind == PD_EV_LOAD &&
	       v[i - 1].site == v[i].site;
}

static void add_read(struct maker *m, const struct pd_again_event *e, uint32_t times)
{
	struct pd_step step = step_of(m, m->f->run->depth, e);

	if (e->kind == PD_EV_LOAD) {
		step.what = PD_STEP_READ;
		if (e->chosen)
			put_chosen(m, e, &step);
	}
	add(m, &step);
	if (times > 1)
		add(m, &(struct pd_step){.what = PD_STEP_TIMES, .n = times});
}

static void add_reads(struct maker *m)
{
	uint32_t exec = m->f->run->depth, n = m->s->n[exec], more;
	const struct pd_again_event *v = m->s->event[exec];
	uint32_t from = n, shown = 0;

	/* The last ones; a row of equal events counts once. */
	while (from && shown < READS_SHOWN) {
		from--;
		shown += !from || !same_event(&v[from - 1], &v[from]);
	}
	add(m, &(struct pd_step){.what = PD_STEP_RECOVERY});
	if (from || m->s->dropped[exec])
		add(m, &(struct pd_step){.what = PD_STEP_LEFT_OUT, .recovery = true});
	for (uint32_t i = 0; i < n; i += more) {
		more = v[i].chosen || i < from ? 1 : alike(v, i, n);
		if ((i >= from || v[i].chosen) && !is_done_twice(v, i))
			add_read(m, &v[i], more);
	}
}

static void add_end(struct maker *m)
{
	struct pd_fact_list l = {.arena = m->arena};
	struct pd_step step = {
		.what = PD_STEP_END, .kind = pd_run_kind(m->f->run), .at = m->f->at_fail};

	pd_run_facts(m->f->run, &l);
	step.end = pd_facts_of(&l);
	add(m, &step);
}

/* Adds what the trials with suspects forced durable have shown. */
static void add_tried(struct maker *m)
{
	const struct pd_failure *f = m->f;

	if (f->proven && !f->n)
		add(m, &(struct pd_step){.what = PD_STEP_TRIED_ALL});
	for (uint32_t i = 0; f->proven && i < f->n; i++)
		add(m, &(struct pd_step){.what = PD_STEP_TRIED,
					 .at = f->blame[i].at_store,
					 .well = f->blame[i].choice->ends_well});
}

struct pd_steps pd_failure_steps(const struct pd_explored *x, const struct pd_failure *f,
				 const struct pd_step_places *places, struct pd_arena *a)
{
	struct maker m = {.x = x, .f = f, .s = f->story, .places = places, .arena = a};

	if (f->n)
		add_lines(&m);
	else
		add_last_stores(&m);
	add_other_lines(&m);
	add_passed(&m);
	add_crash(&m);
	add_reads(&m);
	add_end(&m);
	add_tried(&m);
	return (struct pd_steps){m.full ? 0 : m.to.n, m.to.v};
}
