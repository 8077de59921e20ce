/*
 * check/again.c - repeats one failure on the existing processes of a run. See check.h.
 *
 * The witness of a finding is the list of its choices: the crash point at which power fails, and
 * the value of each read of recovery that could return several. Repeating it means exploring these
 * choices and no others.
 */
#include "drive/check/check.h"
#include <string.h>

/* ---- the witness ---------------------------------------------------------------------------- */

static uint32_t choices_of(const struct pd_crash_run *last)
{
	uint32_t n = 0;

	for (const struct pd_crash_run *run = last; run; run = run->parent)
		n += 1 + run->nchoice;
	return n;
}

/* Writes each crash point, followed by the picks of its recovery, before c[at]. */
static void put_runs(const struct pd_crash_run *last, struct pd_choice *c, uint32_t at)
{
	for (const struct pd_crash_run *run = last; run; run = run->parent) {
		at -= 1 + run->nchoice;
		c[at] = (struct pd_choice){PD_CHOICE_CRASH, run->point + 1, run->point};
		for (const struct pd_crash_choice *v = run->last; v; v = v->before)
			c[at + 1 + v->number] = (struct pd_choice){PD_CHOICE_VALUE, v->n, v->pick};
	}
}

struct pd_witness pd_check_witness(const struct pd_crash_run *run, struct pd_arena *a)
{
	uint32_t n = choices_of(run);
	struct pd_choice *c = pd_new_array(a, struct pd_choice, n);

	if (!c)
		return (struct pd_witness){0};
	put_runs(run, c, n);
	return (struct pd_witness){true, n, pd_schedule_of(run->seed), c, NULL, run->work};
}

struct pd_witness pd_check_witness_to(const struct pd_check_way *way, struct pd_arena *a)
{
	uint32_t before = choices_of(way->parent), n = before + 1 + way->npick;
	struct pd_choice *c = pd_new_array(a, struct pd_choice, n);

	if (!c)
		return (struct pd_witness){0};
	put_runs(way->parent, c, before);
	c[before] = (struct pd_choice){PD_CHOICE_CRASH, way->point + 1, way->point};
	for (uint32_t i = 0; i < way->npick; i++)
		c[before + 1 + i] =
			(struct pd_choice){PD_CHOICE_VALUE, way->picks[i] + 1, way->picks[i]};
	return (struct pd_witness){true, n, pd_schedule_of(way->seed), c, NULL, 0};
}

/* ---- making its choices again --------------------------------------------------------------- */

/* Copies the witness to the board; false: not a witness of check. */
static bool set_choices(struct pd_board *b, const struct pd_witness *w, struct pd_error *e)
{
	struct pd_fixed *at = NULL;

	b->crashes = 0;
	for (uint32_t i = 0; i < w->n; i++) {
		const struct pd_choice *c = &w->choices[i];

		if (c->kind == PD_CHOICE_CRASH && c->pick && b->crashes < PD_BOARD_DEPTH) {
			uint32_t *picks = pd_board_alloc(NULL, w->n * sizeof(*picks));

			at = &b->fixed[b->crashes++];
			*at = (struct pd_fixed){.point = c->pick, .picks = picks};
		} else if (c->kind == PD_CHOICE_VALUE && at && at->picks) {
			((uint32_t *)at->picks)[at->npick++] = c->pick;
		} else {
			return pd_error_set(e, PD_EXIT_USAGE,
					    "this finding's witness is not one of "
					    "'perdure check'");
		}
	}
	return at || pd_error_set(e, PD_EXIT_USAGE, "this finding's witness has no crash");
}

/* Makes a debugger stop at the last read that did not see the newest value. */
static void set_stop(struct pd_board *b)
{
	struct pd_again *a = &b->again;

	a->stop_depth = b->crashes;
	a->stop_choice = 0;
	for (uint32_t d = 0; d < b->crashes; d++)
		for (uint32_t i = 0; i < b->fixed[d].npick; i++)
			if (b->fixed[d].picks[i]) {
				a->stop_depth = d + 1;
				a->stop_choice = i + 1;
			}
}

uint32_t pd_check_crashes(const struct pd_witness *w)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < w->n; i++)
		n += w->choices[i].kind == PD_CHOICE_CRASH;
	return n;
}

static void clear_journals(struct pd_again *a)
{
	a->passed.known = false;
	for (uint32_t d = 0; d < PD_LEN(a->journal); d++)
		if (a->journal[d]) {
			a->journal[d]->n = a->journal[d]->nchosen = a->journal[d]->ncertain =
				a->journal[d]->nread = 0;
			a->journal[d]->crashed = false;
		}
}

/* Counters of an exploration: repeated executions must not change them. */
struct explored {
	uint32_t crashes, no_incremental, nfinding, finished, hangs;
	struct pd_cover *cover;
	struct pd_torn_table *torn;
};

static struct explored set_apart(const struct pd_check_run *c)
{
	struct pd_board *b = c->board;
	struct explored x = {b->crashes,    b->no_incremental, b->nfinding, b->finished,
			     b->pace.hangs, b->cover,	       b->torn};

	b->no_incremental = !c->rechecking;
	b->cover = NULL;
	b->torn = NULL;
	b->again.files = 1;
	return x;
}

static void restore(struct pd_board *b, const struct explored *x)
{
	memset(b->fixed, 0, sizeof(b->fixed));
	b->crashes = x->crashes;
	b->no_incremental = x->no_incremental;
	b->nfinding = x->nfinding;
	b->finished = x->finished;
	b->pace.hangs = x->hangs;
	b->cover = x->cover;
	b->torn = x->torn;
	b->again.files = 0;
}

/* The newest failure since `before` of the recovery after the last crash: one that crashes in turn
 * may fail at its own end as well, later, and that is another failure. */
static const struct pd_crash_run *newest(const struct pd_board *b,
					 const struct pd_crash_run *before)
{
	for (const struct pd_crash_run *r = b->findings; r != before; r = r->next)
		if (r->depth == b->crashes)
			return r;
	return NULL;
}

bool pd_check_again(struct pd_check_run *c, const struct pd_witness *w,
		    const struct pd_crash_run **failed, struct pd_error *e)
{
	struct pd_board *b = c->board;
	const struct pd_crash_run *before = b->findings;
	struct explored explored = set_apart(c);
	uint32_t work = b->tests.work_number;
	bool ok = set_choices(b, w, e);

	b->pace.hangs = 0; /* what is confirmed gets the whole budget */
	pd_check_work_use(c, w->settings);
	set_stop(b);
	clear_journals(&b->again);
	b->seed = pd_schedule_number(&w->schedule);
	ok = ok && pd_check_once(c, b->seed, e);
	*failed = ok ? newest(b, before) : NULL;
	restore(b, &explored);
	pd_check_work_use(c, work);
	return ok;
}

bool pd_check_explore(struct pd_check_run *c, uint64_t seed, struct pd_error *e)
{
	struct pd_board *b = c->board;
	struct explored explored = set_apart(c);
	bool ok;

	b->again.files = 0;
	b->seed = seed;
	ok = pd_check_once(c, seed, e);
	restore(b, &explored);
	return ok;
}

bool pd_check_journals(struct pd_check_run *c)
{
	struct pd_again *a = &c->board->again;

	for (uint32_t d = 0; d <= c->crashes && d < PD_LEN(a->journal); d++) {
		if (!a->journal[d])
			a->journal[d] = pd_board_alloc(NULL, sizeof(*a->journal[d]));
		if (!a->journal[d])
			return false;
	}
	a->journals = 1;
	return true;
}

/* Of the model that the run uses: log2 of the unit of write-back. */
uint32_t pd_check_line_shift(const struct pd_check_run *c)
{
	return c->model && c->model[0] == 'p' ? 12 : 6;
}

bool pd_check_watch_line(struct pd_check_run *c, uint64_t addr)
{
	struct pd_again *a = &c->board->again;
	uint64_t line = addr >> pd_check_line_shift(c);

	for (uint32_t k = 0; k < a->nline; k++)
		if (a->line[k] == line)
			return false;
	if (a->nline == PD_AGAIN_LINES)
		return false;
	a->line[a->nline++] = line;
	return true;
}

void pd_check_watch_lines(struct pd_check_run *c, const struct pd_crash_run *last)
{
	c->board->again.nline = 0;
	for (const struct pd_crash_run *run = last; run; run = run->parent)
		for (const struct pd_crash_choice *v = run->last; v; v = v->before)
			pd_check_watch_line(c, v->addr);
}
