/* span.c - see span.h. */
#include "engine/crash/span.h"
#include "engine/crash/survey.h"

/* A transaction that is open, in the order of the brackets. */
struct level {
	struct level *around;
	uint32_t place;
	uint32_t visit;
	uint32_t call; /* the one that has to end it; 0: not known */
};

struct thread {
	struct level *top;
	uint32_t span; /* number of the one that is open; 0: none */
	uint32_t up;   /* largest number of calls between begin and end, in that one */
	bool loose;    /* it has lost a bracket */
};

struct finder {
	const struct pd_survey *s;
	const struct pd_survey_calls *calls;
	struct pd_arena *arena;
	uint32_t up;	 /* from the call that begins a transaction to the one that has to end it */
	uint32_t *after; /* by visit: the next one of its thread; NULL: not needed yet */
	PD_VEC(struct thread) threads;
	PD_VEC(struct pd_tx_span) spans;
};

static struct thread *thread_of(struct finder *f, uint16_t tid)
{
	while (f->threads.n <= tid) {
		struct thread *to = pd_vec_push(&f->threads, f->arena);

		if (!to)
			return NULL;
		*to = (struct thread){0};
	}
	return &f->threads.v[tid];
}

/* ---- calls ---------------------------------------------------------------------------------- */

/* Whether the call that began it has ended. */
static bool is_out(const struct finder *f, const struct level *l, uint32_t visit)
{
	return l->call && visit && !pd_survey_is_active(f->calls, l->call, visit);
}

static bool find_next_visits(struct finder *f)
{
	if (f->after)
		return true;
	f->after = pd_new_array(f->arena, uint32_t, f->s->nvisit + 1);
	for (uint32_t i = 0; f->after && i < f->s->nvisit; i++)
		f->after[f->s->visit[i].before] = i + 1;
	return f->after;
}

/* Length of the log at the first visit behind the call that began it; `otherwise`: there is
 * none. */
static uint32_t left_at(struct finder *f, const struct level *l, uint32_t otherwise)
{
	uint32_t visit = l->visit && find_next_visits(f) ? f->after[l->visit] : 0;

	while (visit && !is_out(f, l, visit))
		visit = f->after[visit];
	return visit ? f->s->visit[visit - 1].order : otherwise;
}

/* ---- brackets ------------------------------------------------------------------------------- */

/* Its innermost transaction was left, as is known at log length `order`. */
static void lose(struct finder *f, struct thread *t, uint32_t order)
{
	struct pd_tx_span *span = &f->spans.v[t->span - 1];
	const struct level *l = t->top;

	t->top = l->around;
	if (!t->loose)
		span->begin = l->place;
	t->loose = true;
	if (!t->top && span->left == UINT32_MAX)
		span->left = left_at(f, l, order);
}

static void begin(struct finder *f, struct thread *t, const struct pd_tx_step *e)
{
	struct level *l = pd_new(f->arena, struct level);
	struct pd_tx_span *span = t->span ? NULL : pd_vec_push(&f->spans, f->arena);

	if (!l || (!span && !t->span))
		return;
	if (span) {
		*span = (struct pd_tx_span){e->order, UINT32_MAX, e->place, UINT32_MAX, e->tid};
		t->span = f->spans.n;
	}
	*l = (struct level){t->top, e->place, e->visit, pd_survey_call(f->calls, e->visit, f->up)};
	t->top = l;
}

static void end(struct finder *f, struct thread *t, uint32_t order)
{
	struct pd_tx_span *span = t->span ? &f->spans.v[t->span - 1] : NULL;

	if (!span || !t->top)
		return;
	t->top = t->top->around;
	if (t->top)
		return;
	if (t->loose) {
		span->left = PD_MIN(span->left, order);
	} else {
		span->to = order;
		t->span = 0;
	}
}

static void take(struct finder *f, const struct pd_tx_step *e)
{
	struct thread *t = thread_of(f, e->tid);

	if (!t)
		return;
	while (t->top && (is_out(f, t->top, e->visit) ||
			  (e->begins && e->place && t->top->place == e->place)))
		lose(f, t, e->order);
	if (e->begins)
		begin(f, t, e);
	else
		end(f, t, e->order);
}

/* ---- who ends them -------------------------------------------------------------------------- */

static void measure(struct finder *f, const struct pd_tx_step *e)
{
	struct thread *t = thread_of(f, e->tid);
	struct level *l = t && e->begins ? pd_new(f->arena, struct level) : NULL;

	if (l) {
		*l = (struct level){t->top, e->place, e->visit, 0};
		t->top = l;
	} else if (t && !e->begins && t->top) {
		t->up = PD_MAX(t->up, pd_survey_ended(f->calls, t->top->visit, e->visit));
		t->top = t->top->around;
		if (!t->top)
			f->up = PD_MAX(f->up, t->up);
	}
}

static void measure_all(struct finder *f)
{
	for (uint32_t i = 0; i < f->s->nstep; i++)
		measure(f, &f->s->step[i]);
	f->threads.n = 0;
}

/* ---- all of it ------------------------------------------------------------------------------ */

/* The program has ended: what is open now, and was left? */
static void finish(struct finder *f)
{
	for (uint32_t i = 0; i < f->threads.n; i++) {
		struct thread *t = &f->threads.v[i];

		while (t->top && left_at(f, t->top, UINT32_MAX) != UINT32_MAX)
			lose(f, t, UINT32_MAX);
	}
}

struct pd_spans pd_spans_of(const struct pd_survey *s, const struct pd_survey_calls *c,
			    struct pd_arena *a)
{
	struct finder f = {.s = s, .calls = c, .arena = a};

	measure_all(&f);
	for (uint32_t i = 0; i < s->nstep; i++)
		take(&f, &s->step[i]);
	finish(&f);
	return (struct pd_spans){f.spans.n, f.spans.v};
}

const struct pd_tx_span *pd_span_find(const struct pd_spans *s, uint16_t tid, uint32_t order)
{
	for (uint32_t i = 0; i < s->n && s->v[i].from < order; i++)
		if (s->v[i].tid == tid && order <= s->v[i].to)
			return &s->v[i];
	return NULL;
}
