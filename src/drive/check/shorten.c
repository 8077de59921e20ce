/*
 * check/shorten.c - the shortest workload that still shows a failure. See check/failure.h;
 * engine/linear/minimise.h decides what to leave out, and in which order.
 *
 * Each proposal is an execution with all its crashes: the same test, or the same schedule, with
 * fewer operations. It shows the failure if a recovery fails in the same way and has lost the same
 * stores. The operations that a test is about stay, and are renumbered; which of their stores it
 * was may have changed, so it is also looked for by its place.
 */
#include "drive/check/failure.h"
#include "engine/crash/end.h"
#include "engine/linear/minimise.h"
#include <math.h>
#include <string.h>

enum { ROLES = 3 };

enum { BRIEFLY = 120 }; /* default limit of executions; then also of time: */

/* For one finding, and for all, in seconds; checked between executions. */
static const double seconds_each = 1.5, seconds_all = 8;

struct shortening {
	struct pd_check_run *c;
	const struct pd_failure *f;
	struct pd_failure lost; /* what such a failed recovery has lost, before it is explained */
	const struct pd_board_driver *driver;
	struct pd_arena *arena;
	struct pd_named name;
	bool test;	/* a test; else a schedule */
	uint32_t roles; /* operations that the test is about: of threads 1 to this */
	uint32_t site;	/* 1 + the site that they are about; 0: none */
	char *text;	/* on the board */
	uint32_t room;
	double until;
	bool late;
	uint32_t all; /* original number of operations */
	/* The latest failure */
	const struct pd_crash_run *run;
	char *best;
	uint32_t nbest;
};

static bool fails(void *ctx, const struct pd_workload *w);

/* ---- the failure, again ---------------------------------------------------------------------- */

/* One place of the source may have several numbers: where it was inlined. */
static bool is_one_place(const struct pd_board *b, const struct pd_crash_source *x,
			 const struct pd_crash_source *y)
{
	const struct pd_board_site *p = pd_board_site(b, x->exec > 0, x->site);
	const struct pd_board_site *q = pd_board_site(b, y->exec > 0, y->site);

	return x->exec == y->exec &&
	       (x->site == y->site || (p && q && p->at.line == q->at.line && p->at.file &&
				       q->at.file && strcmp(p->at.file, q->at.file) == 0));
}

static bool lost_there(const struct shortening *s, const struct pd_failure *f,
		       const struct pd_crash_source *lost)
{
	for (uint32_t i = 0; i < f->n; i++)
		if (is_one_place(s->c->board, &f->blame[i].lost, lost))
			return true;
	return false;
}

static bool is_same(const struct shortening *s, const struct pd_crash_run *run)
{
	struct pd_failure g = {.run = run};

	if (run->depth != s->f->run->depth || !pd_end_alike(run, s->f->run))
		return false;
	pd_failure_blame(&g, s->arena);
	for (uint32_t i = 0; i < s->lost.n; i++)
		if (!lost_there(s, &g, &s->lost.blame[i].lost))
			return false;
	return s->lost.n || !g.n;
}

/* Only stores that had to be lost were blamed; the recovery as executed has lost more, or another
 * store to the same bytes. So what it loses is determined with the whole workload. */
static bool begin(struct shortening *s, const struct pd_workload *w)
{
	const struct pd_crash_run *before = s->c->board->findings;

	s->lost = *s->f;
	if (fails(s, w))
		return true;
	for (const struct pd_crash_run *r = s->c->board->findings; r != before; r = r->next)
		if (r->depth == s->f->run->depth && pd_end_alike(r, s->f->run)) {
			s->lost = (struct pd_failure){.run = r};
			pd_failure_blame(&s->lost, s->arena);
			return fails(s, w);
		}
	return false;
}

static const struct pd_crash_run *explore(struct shortening *s, uint64_t seed, uint32_t by_site)
{
	struct pd_board *b = s->c->board;
	const struct pd_crash_run *before = b->findings, *first = NULL;
	struct pd_error e;
	bool ok;

	b->tests.by_site = by_site;
	b->tests.held = 0;
	ok = pd_check_explore(s->c, seed, &e);
	b->tests.by_site = 0;
	for (const struct pd_crash_run *r = b->findings; ok && r != before; r = r->next)
		if (is_same(s, r) && (!first || r->when < first->when))
			first = r;
	return first;
}

/* ---- proposals ------------------------------------------------------------------------------- */

struct text {
	char *to;
	uint32_t n, room;
};

static void put_text(void *ctx, const char *s, size_t n)
{
	struct text *t = ctx;

	if (t->n + n <= t->room)
		memcpy(t->to + t->n, s, n);
	t->n += (uint32_t)n;
}

/* Writes it to the board. In a test, thread numbers encode the roles of operations. */
static bool write_down(struct shortening *s, const struct pd_workload *w, uint32_t *n)
{
	struct text t = {s->text, 0, s->room};
	struct pd_out out = {put_text, &t};

	for (uint32_t i = 0; i < w->ops.n; i++) {
		struct pd_work x = w->ops.v[i];
		struct pd_workload one = {{&x, 1, 1}};

		if (s->test)
			x.thread = 0;
		pd_workload_print(&one, s->driver->table, &out);
	}
	*n = t.n;
	return t.n <= t.room;
}

/* The name of the test with the remaining operations; 0: one that it needs is missing. */
static uint64_t name_of(const struct shortening *s, const struct pd_workload *w)
{
	uint32_t at[ROLES + 1] = {0}, found = 0;
	struct pd_named name = s->name;

	for (uint32_t i = 0; i < w->ops.n; i++) {
		uint32_t role = w->ops.v[i].thread;

		if (role && role <= ROLES) {
			at[role] = i;
			found++;
		}
	}
	name.op = at[1];
	name.second = at[2];
	name.third = at[3];
	return found == s->roles ? pd_named_seed(&name) : 0;
}

static bool fails(void *ctx, const struct pd_workload *w)
{
	struct shortening *s = ctx;
	struct pd_board_tests *t = &s->c->board->tests;
	uint64_t seed = s->test ? name_of(s, w) : s->f->run->seed;
	const struct pd_crash_run *run;
	uint32_t n;

	s->late = s->late || s->c->board->stop || pd_check_seconds(s->c) > s->until;
	if (s->late || (s->test && !seed) || !write_down(s, w, &n))
		return false;
	t->work = s->text;
	t->nwork = n;
	t->work_number = s->c->works.n + 1;
	run = explore(s, seed, 0);
	if (!run && s->site)
		run = explore(s, seed, s->site);
	pd_check_work_use(s->c, 0);
	if (!run)
		return false;
	s->run = run;
	s->nbest = n;
	memcpy(s->best, s->text, n);
	return true;
}

/* ---- what is there to begin with ------------------------------------------------------------- */

/* In a test: keeps the operations that it is about, and none after them. */
static void prepare_test(struct shortening *s, struct pd_workload *w)
{
	uint32_t op[ROLES] = {s->name.op, s->name.second, s->name.third}, last = 0;

	s->roles = pd_named_roles(&s->name);
	for (uint32_t i = 0; i < w->ops.n; i++)
		w->ops.v[i].thread = 0;
	for (uint32_t r = 0; r < s->roles && op[r] < w->ops.n; r++) {
		w->ops.v[op[r]].thread = r + 1;
		last = PD_MAX(last, op[r] + 1);
	}
	if (last)
		w->ops.n = last;
}

static bool prepare(struct shortening *s, struct pd_workload *w)
{
	uint32_t work = s->f->run->work, n = s->driver->n;
	const char *text = s->driver->text;
	struct pd_workload_error e;

	if (work && work <= s->c->works.n) {
		text = s->c->works.v[work - 1].text;
		n = s->c->works.v[work - 1].n;
	}
	if (!pd_workload_parse(w, s->arena, s->driver->table, text, n, &e))
		return false;
	s->all = w->ops.n;
	s->test = pd_named_of(s->f->run->seed, &s->name);
	s->room = n + 8 * w->ops.n;
	s->text = pd_board_alloc(NULL, s->room + 1);
	s->best = pd_arena_alloc(s->arena, s->room + 1);
	if (s->test)
		prepare_test(s, w);
	else if (!work)
		w->ops.n = PD_MIN(w->ops.n, s->driver->together);
	return s->text && s->best && w->ops.n;
}

static uint32_t count_lines(const char *s, uint32_t n)
{
	uint32_t lines = 0;

	for (uint32_t i = 0; i < n; i++)
		lines += s[i] == '\n';
	return lines;
}

bool pd_check_shorten(struct pd_check_run *c, const struct pd_failure *f,
		      const struct pd_crash_run **run, struct pd_shorter *how)
{
	double now = pd_check_seconds(c);
	struct shortening s = {
		.c = c, .f = f, .driver = c->board->tests.driver, .arena = &c->arena};
	bool briefly = c->minimise == PD_MINIMISE_BRIEFLY;
	struct pd_minimise m = {
		.fails = fails, .ctx = &s, .budget = briefly ? BRIEFLY : c->minimise};
	struct pd_workload w = {0};

	if (!c->shortening_until)
		c->shortening_until = now + seconds_all;
	s.until = briefly ? PD_MIN(now + seconds_each, c->shortening_until) : HUGE_VAL;
	if (!s.driver || !c->minimise || c->board->stop || !prepare(&s, &w))
		return false;
	m.table = s.driver->table;
	if (!begin(&s, &w))
		return false;
	s.site = s.test ? c->board->tests.held : 0;
	pd_minimise(&m, &w, s.arena);
	if (!s.run || !pd_check_work_add(c, s.best, s.nbest))
		return false;
	*run = s.run;
	*how = (struct pd_shorter){count_lines(s.best, s.nbest), s.all, m.cut_short || s.late};
	return true;
}
