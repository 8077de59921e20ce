/*
 * least_test.c - which lost stores a failure needs, with a made-up front end.
 *
 * A program is a list of stores, nothing flushed. A recovery reads all words, one a line or more,
 * and a predicate of what it saw says how it ends. "Executing" it is a loop over a model that has
 * crashed, with picks as pd_pick makes them; the choices are as pd_blame_choice writes them down.
 */
#include "unit.h"
#include "engine/crash/blame.h"
#include "engine/crash/least.h"
#include "engine/crash/pick.h"
#include "unit/grows.h"

enum { LINES = 24, MOST = 80, MEM = 64 * MOST, OPS = 40, CHOICES = 1 << 14 };

struct store {
	uint32_t line;
	uint64_t value;
	uint32_t words; /* from there on, into the next lines; 0: one */
};

struct made {
	const struct store *op;
	uint32_t n;
	uint32_t lines; /* that recovery reads, from the first one */
	bool across;	/* their first words, but for the first line */
	bool durable;	/* the first line is, at the crash */
	/* How it ends: enum pd_outcome */
	uint32_t (*outcome)(const uint64_t *seen);
	uint32_t trials, counted;
	uint32_t most; /* executions, then there is to be no more */
	uint32_t hang;
	struct pd_crash_choice choice[CHOICES];
	uint32_t nchoice;
	struct pd_crash_run last; /* that is no trial */
	const struct pd_tx *tx;	  /* NULL: there are no transactions */
};

struct machine {
	struct unit_host host;
	struct pd_arena arena;
	struct pd_model m;
	uint8_t mem[MEM];
};

static void play(struct machine *x, const struct made *f)
{
	memset(x, 0, sizeof(*x));
	x->host.left = -1;
	pd_arena_init(&x->arena, unit_host(&x->host));
	pd_model_init(&x->m, &x->arena, PD_PARAMS_ADR, x->mem, false);
	for (uint32_t i = 0; i < f->n; i++) {
		const struct store *s = &f->op[i];
		uint64_t value[8];
		uint32_t words = s->words ? s->words : 1;

		for (uint32_t k = 0; k < words; k++)
			value[k] = s->value;
		/* The last word of a line, so that a store of two is in two lines */
		pd_model_store(&x->m, 0, 64 * s->line + 56, value, 8 * words, i + 1, 0);
	}
	if (f->durable)
		pd_model_flush(&x->m, 0, 0, PD_FLUSH_CLFLUSH);
}

static void unplay(struct machine *x)
{
	pd_model_finish(&x->m);
	pd_arena_finish(&x->arena);
}

struct execution {
	struct made *f;
	struct machine x;
	struct pd_wish wish;
	struct pd_crash_run *run;
	uint64_t addr, mask;
};

static uint32_t pick(void *ctx, enum pd_choice_kind kind, uint32_t n)
{
	struct execution *e = ctx;
	int64_t at = pd_pick(&e->wish, e->run->nchoice, e->x.m.asked, e->x.m.classes);

	(void)kind;
	assert_true(at >= 0 && at < n);
	return (uint32_t)at;
}

static void chose(void *ctx, const struct pd_class *classes, uint32_t n, uint32_t at)
{
	struct execution *e = ctx;
	struct pd_crash_choice *c = &e->f->choice[e->f->nchoice++];

	assert_true(e->f->nchoice < CHOICES);
	*c = pd_blame_choice(classes, n, at, e->mask, 7, e->addr);
	c->before = e->run->last;
	c->number = e->run->nchoice++;
	e->run->last = c;
	e->run->lost += at != 0;
	if (e->wish.forced && at)
		pd_least_blame(e->wish.suspects, e->x.m.asked, e->x.m.classes, e->mask, c);
}

static void recover(struct made *f, const struct pd_wish *wish, struct pd_crash_run *run)
{
	struct execution e = {.f = f, .wish = *wish, .run = run};
	struct pd_chooser chooser = {pick, &e};
	uint64_t seen[MOST] = {0};

	memset(run, 0, sizeof(*run));
	play(&e.x, f);
	pd_model_crash(&e.x.m);
	e.x.m.chose = chose;
	e.x.m.ctx = &e;
	for (uint32_t i = 0; i < f->lines; i++) {
		/* The last word of the line; or the first one, which a wide store reaches */
		e.addr = f->across && i ? 64 * i : 64 * i + 56;
		e.mask = f->across && i ? 0xff : 0xffULL << 56;
		pd_model_load(&e.x.m, 0, e.addr, &seen[i], 8, &chooser);
	}
	run->outcome = f->outcome(seen);
	run->hang = f->hang;
	unplay(&e.x);
}

static bool execute(void *ctx, struct pd_suspects s, struct pd_crash_run *trial,
		    const struct pd_crash_run **bad)
{
	struct made *f = ctx;
	struct pd_wish wish = {.forced = true, .suspects = s};

	if (f->trials + f->counted == f->most)
		return false;
	f->trials += trial != NULL;
	f->counted += trial == NULL;
	recover(f, &wish, trial ? trial : &f->last);
	if (!trial)
		*bad = f->last.outcome == PD_OUTCOME_GOOD ? NULL : &f->last;
	return true;
}

static void *take(void *ctx, size_t n)
{
	(void)ctx;
	return calloc(1, n);
}

/* The failure that the search starts from: each read sees the oldest value that it can. */
static void lose_all(struct made *f, struct pd_crash_run *from)
{
	uint32_t picks[MOST], n = 0;

	for (uint32_t i = 0; i < f->lines; i++) {
		uint32_t stores = 0;

		for (uint32_t k = 0; k < f->n; k++)
			stores += f->op[k].line == i;
		if (stores) /* else it is no choice */
			picks[n++] = stores;
	}
	recover(f, &(struct pd_wish){.picks = picks, .npick = n}, from);
}

static const struct pd_crash_run *search(struct made *f, struct pd_crash_run *from)
{
	struct machine here;
	struct pd_least front = {.execute = execute,
				 .ctx = f,
				 .model = &here.m,
				 .memory = {take, NULL},
				 .tx = f->tx};
	const struct pd_crash_run *least;

	play(&here, f);
	least = pd_least(&front, from);
	unplay(&here);
	return least;
}

static const struct pd_crash_choice *only_blamed(const struct pd_crash_run *run)
{
	const struct pd_crash_choice *found = NULL;

	for (const struct pd_crash_choice *c = run->last; c; c = c->before)
		if (c->blamed) {
			assert_null(found);
			found = c;
		}
	return found;
}

/* ---- one of several lines is needed --------------------------------------------------------- */

static const struct store three[] = {{0, 1, 0}, {1, 1, 0}, {2, 1, 0}};

static uint32_t without_second(const uint64_t *seen)
{
	return seen[1] ? PD_OUTCOME_GOOD : PD_OUTCOME_ABORT;
}

static void finds_the_needed_line(void **state)
{
	struct made *f = calloc(1, sizeof(*f));
	struct pd_crash_run from;
	const struct pd_crash_run *least;
	const struct pd_crash_choice *c;

	(void)state;
	*f = (struct made){.op = three, .n = 3, .lines = 3, .outcome = without_second, .most = 999};
	lose_all(f, &from);
	assert_int_equal(from.outcome, PD_OUTCOME_ABORT);
	assert_int_equal(from.lost, 3);
	least = search(f, &from);
	assert_non_null(least);
	assert_ptr_not_equal(least, &from);
	assert_true(least->forced && least->proven);
	assert_int_equal(least->nneed, 1);
	assert_int_equal(least->need[0].line, 1);
	assert_int_equal(least->lost, 1);
	c = only_blamed(least);
	assert_non_null(c);
	assert_int_equal(c->next.site, 2);
	assert_int_equal(c->next.value, 1);
	assert_int_equal(c->addr, 64 + 56);
	assert_true(c->ends_well);
	assert_false(c->torn);
	assert_int_equal(f->counted, 1);
	free(f);
}

/* ---- two lines are needed ------------------------------------------------------------------- */

static uint32_t without_both(const uint64_t *seen)
{
	return seen[0] || seen[2] ? PD_OUTCOME_GOOD : PD_OUTCOME_ABORT;
}

static void finds_two(void **state)
{
	struct made *f = calloc(1, sizeof(*f));
	struct pd_crash_run from;
	const struct pd_crash_run *least;

	(void)state;
	*f = (struct made){.op = three, .n = 3, .lines = 3, .outcome = without_both, .most = 999};
	lose_all(f, &from);
	least = search(f, &from);
	assert_non_null(least);
	assert_int_equal(least->nneed, 2);
	assert_int_equal(least->need[0].line + least->need[1].line, 2);
	assert_int_equal(least->lost, 2);
	free(f);
}

/* ---- one of many stores of a line ----------------------------------------------------------- */

static const struct store many[] = {{0, 1, 0}, {0, 2, 0}, {0, 3, 0}, {0, 4, 0},
				    {0, 5, 0}, {0, 6, 0}, {0, 7, 0}};

static uint32_t below_five(const uint64_t *seen)
{
	return seen[0] >= 5 ? PD_OUTCOME_GOOD : PD_OUTCOME_ABORT;
}

static void raises_to_the_store(void **state)
{
	struct made *f = calloc(1, sizeof(*f));
	struct pd_crash_run from;
	const struct pd_crash_run *least;
	const struct pd_crash_choice *c;

	(void)state;
	*f = (struct made){.op = many, .n = 7, .lines = 1, .outcome = below_five, .most = 999};
	lose_all(f, &from);
	least = search(f, &from);
	assert_int_equal(least->nneed, 1);
	assert_int_equal(least->need[0].version, 4);
	c = only_blamed(least);
	assert_non_null(c);
	assert_int_equal(c->seen_value, 4);
	assert_int_equal(c->next.site, 5);
	assert_int_equal(c->next.order, 5);
	assert_int_equal(c->next.value, 5);
	assert_true(c->ends_well);
	assert_true(f->trials <= 6); /* all, none, and by halves */
	free(f);
}

/* ---- not the cause: with it durable it fails in another way --------------------------------- */

static uint32_t fails_either_way(const uint64_t *seen)
{
	return seen[1] ? PD_OUTCOME_SIGNAL : PD_OUTCOME_ABORT;
}

static void another_failure_cures_nothing(void **state)
{
	struct made *f = calloc(1, sizeof(*f));
	struct pd_crash_run from;
	const struct pd_crash_choice *c;

	(void)state;
	*f = (struct made){
		.op = three, .n = 3, .lines = 3, .outcome = fails_either_way, .most = 999};
	lose_all(f, &from);
	c = only_blamed(search(f, &from));
	assert_non_null(c);
	assert_int_equal(c->next.site, 2);
	assert_false(c->ends_well);
	free(f);
}

/* ---- no store at all ------------------------------------------------------------------------ */

static uint32_t always_fails(const uint64_t *seen)
{
	(void)seen;
	return PD_OUTCOME_ABORT;
}

static void needs_nothing(void **state)
{
	struct made *f = calloc(1, sizeof(*f));
	struct pd_crash_run from;
	const struct pd_crash_run *least;

	(void)state;
	*f = (struct made){.op = three, .n = 3, .lines = 3, .outcome = always_fails, .most = 999};
	lose_all(f, &from);
	least = search(f, &from);
	assert_int_equal(least->nneed, 0);
	assert_int_equal(least->lost, 0);
	assert_null(only_blamed(least));
	assert_int_equal(f->trials, 3);
	assert_int_equal(least->nearly, 0);
	free(f);
}

/* ---- what is seen too early ----------------------------------------------------------------- */

/* Line 1 gets three values, the others one. */
static const struct store often[] = {{0, 1, 0}, {1, 1, 0}, {1, 2, 0}, {2, 1, 0}, {1, 3, 0}};

static uint32_t second_in_line_1(const uint64_t *seen)
{
	return seen[1] >= 2 ? PD_OUTCOME_ABORT : PD_OUTCOME_GOOD;
}

static uint32_t line_0_or_2(const uint64_t *seen)
{
	return seen[0] || seen[2] ? PD_OUTCOME_ABORT : PD_OUTCOME_GOOD;
}

/* Nothing is lost. */
static const struct pd_crash_run *search_newest(struct made *f,
						uint32_t (*outcome)(const uint64_t *seen))
{
	const uint32_t picks[LINES] = {0};
	static struct pd_crash_run from;

	*f = (struct made){.op = often, .n = 5, .lines = 3, .outcome = outcome, .most = 999};
	recover(f, &(struct pd_wish){.picks = picks, .npick = 3}, &from);
	assert_int_equal(from.outcome, PD_OUTCOME_ABORT);
	return search(f, &from);
}

static void seen_too_early(void **state)
{
	struct made *f = calloc(1, sizeof(*f));
	const struct pd_crash_run *least;

	(void)state;
	least = search_newest(f, second_in_line_1);
	assert_int_equal(least->nneed, 0);
	assert_int_equal(least->nearly, 1);
	assert_int_equal(least->early[0], 3);
	least = search_newest(f, line_0_or_2);
	assert_int_equal(least->nearly, 2);
	assert_int_equal(least->early[0], 1);
	assert_int_equal(least->early[1], 4);
	free(f);
}

/* ---- it does not fail again, or nobody executes --------------------------------------------- */

static void gives_up(void **state)
{
	struct made *f = calloc(1, sizeof(*f));
	struct pd_crash_run from;

	(void)state;
	*f = (struct made){.op = three, .n = 3, .lines = 3, .outcome = without_second, .most = 999};
	lose_all(f, &from);
	from.outcome = PD_OUTCOME_SIGNAL; /* that it never ends in */
	assert_ptr_equal(search(f, &from), &from);
	for (uint32_t most = 0; most < 5; most++) {
		f->most = most;
		f->trials = f->counted = f->nchoice = 0;
		lose_all(f, &from);
		assert_null(search(f, &from));
	}
	free(f);
}

/* ---- few among many ------------------------------------------------------------------------- */

static struct store all_lines[LINES];

static uint32_t without_two_of_many(const uint64_t *seen)
{
	return seen[3] || seen[5] ? PD_OUTCOME_GOOD : PD_OUTCOME_HANG;
}

static void leaves_out_by_halves(void **state)
{
	struct made *f = calloc(1, sizeof(*f));
	struct pd_crash_run from;
	const struct pd_crash_run *least;

	(void)state;
	for (uint32_t i = 0; i < LINES; i++)
		all_lines[i] = (struct store){i, 1, 0};
	*f = (struct made){.op = all_lines,
			   .n = LINES,
			   .lines = LINES,
			   .outcome = without_two_of_many,
			   .hang = PD_HANG_LOOP,
			   .most = 999};
	lose_all(f, &from);
	least = search(f, &from);
	assert_non_null(least);
	assert_int_equal(least->nneed, 2);
	assert_true(least->proven);
	assert_int_equal(least->need[0].line + least->need[1].line, 8);
	assert_true(f->trials < 34);
	free(f);
}

static uint32_t without_all(const uint64_t *seen)
{
	uint64_t any = 0;

	for (uint32_t i = 0; i < LINES; i++)
		any |= seen[i];
	return any ? PD_OUTCOME_GOOD : PD_OUTCOME_HANG;
}

/* Each trial of a hang that is not proven takes its whole budget: few of them. */
static void few_trials_of_what_is_slow(void **state)
{
	struct made *f = calloc(1, sizeof(*f));
	struct pd_crash_run from;
	const struct pd_crash_run *least;

	(void)state;
	*f = (struct made){.op = all_lines,
			   .n = LINES,
			   .lines = LINES,
			   .outcome = without_all,
			   .hang = PD_HANG_LOOP,
			   .most = 999};
	for (uint32_t i = 0; i < LINES; i++)
		all_lines[i] = (struct store){i, 1, 0};
	lose_all(f, &from);
	least = search(f, &from);
	assert_non_null(least);
	assert_true(least->proven);
	assert_int_equal(least->nneed, LINES);
	assert_true(f->trials > 32);
	f->hang = PD_HANG_BUDGET;
	f->trials = f->counted = f->nchoice = 0;
	lose_all(f, &from);
	least = search(f, &from);
	assert_non_null(least);
	assert_false(least->proven);
	assert_int_equal(f->trials, 32);
	free(f);
}

/* ---- a store that is torn ------------------------------------------------------------------- */

static const struct store wide[] = {{0, 9, 2}};

static uint32_t second_alone(const uint64_t *seen)
{
	return !seen[0] && seen[1] ? PD_OUTCOME_ABORT : PD_OUTCOME_GOOD;
}

static uint32_t without_first(const uint64_t *seen)
{
	return seen[0] ? PD_OUTCOME_GOOD : PD_OUTCOME_ABORT;
}

static void a_part_of_a_store(void **state)
{
	const uint32_t picks[] = {1, 0};
	struct made *f = calloc(1, sizeof(*f));
	struct pd_crash_run from;
	const struct pd_crash_choice *c;

	(void)state;
	*f = (struct made){.op = wide,
			   .n = 1,
			   .lines = 2,
			   .across = true,
			   .outcome = second_alone,
			   .most = 999};
	recover(f, &(struct pd_wish){.picks = picks, .npick = 2}, &from);
	assert_int_equal(from.outcome, PD_OUTCOME_ABORT);
	c = only_blamed(search(f, &from));
	assert_non_null(c);
	assert_true(c->ends_well);
	assert_true(c->torn);
	/* It fails without any of it, too: the loss is what matters, not the tearing */
	f->outcome = without_first;
	f->nchoice = 0;
	recover(f, &(struct pd_wish){.picks = picks, .npick = 2}, &from);
	c = only_blamed(search(f, &from));
	assert_non_null(c);
	assert_false(c->torn);
	free(f);
}

/* ---- what another failure has lost ---------------------------------------------------------- */

static void within(void **state)
{
	struct pd_crash_choice old = {.addr = 64, .ndim = 1, .version = {2}};
	struct pd_crash_choice newer = {.addr = 64, .ndim = 1, .version = {3}};
	struct pd_crash_run least = {
		.when = 5, .nneed = 1, .need = {{.line = 1, .version = 2, .newest = 4}}};
	struct pd_crash_run run = {.when = 5, .last = &old};

	(void)state;
	assert_true(pd_least_within(&least, &run, 6));
	run.last = &newer;
	assert_false(pd_least_within(&least, &run, 6));
	run.last = NULL; /* it has not read it: newest */
	assert_false(pd_least_within(&least, &run, 6));
	run.last = &old;
	run.when = 6;
	assert_false(pd_least_within(&least, &run, 6));
	run.when = 5;
	run.seed = 1;
	assert_false(pd_least_within(&least, &run, 6));
	run.seed = 0;
	least.nneed = 9; /* more than are listed */
	assert_false(pd_least_within(&least, &run, 6));
}

/* ---- picks ---------------------------------------------------------------------------------- */

static void picks_in_order(void **state)
{
	struct pd_class v[3] = {0};
	pd_classes classes = {.v = v, .n = 3};
	const uint32_t picks[] = {2, 3};
	struct pd_wish w = {.picks = picks, .npick = 2};

	(void)state;
	assert_int_equal(pd_pick(&w, 0, NULL, &classes), 2);
	assert_int_equal(pd_pick(&w, 1, NULL, &classes), PD_PICK_DIVERGED);
	assert_int_equal(pd_pick(&w, 2, NULL, &classes), PD_PICK_ALL);
	w.narrow = true;
	assert_int_equal(pd_pick(&w, 2, NULL, &classes), 0);
	w.random = 77;
	w.bias = 256;
	assert_true(pd_pick(&w, 2, NULL, &classes) > 0);
	w.bias = 0;
	assert_int_equal(pd_pick(&w, 2, NULL, &classes), 0);
}

/* ---- what no transaction has logged ---------------------------------------------------------- */

/* It fails with the second line there and the third one not; or the other way. */
static uint32_t unlike(const uint64_t *seen)
{
	return seen[1] == seen[2] ? PD_OUTCOME_GOOD : PD_OUTCOME_ABORT;
}

static uint32_t with_second(const uint64_t *seen)
{
	return seen[1] ? PD_OUTCOME_ABORT : PD_OUTCOME_GOOD;
}

/* The transaction that is open has logged none of the stores; `open`: whether it is. */
static const struct pd_crash_run *search_in_tx(struct made *f, struct pd_tx *tx, bool open)
{
	static struct pd_unlogged found[MOST];
	static struct pd_tx_thread thread;
	struct pd_crash_run from;

	for (uint32_t i = 0; i < f->n; i++)
		found[i] = (struct pd_unlogged){.first = i + 1, .last = i + 1, .size = 8, .tx = 1};
	thread = (struct pd_tx_thread){.depth = open, .tx = 1};
	*tx = (struct pd_tx){.thread = {.v = &thread, .n = 1}, .found = {.v = found, .n = f->n}};
	f->tx = tx;
	recover(f, &(struct pd_wish){.forced = true}, &from);
	assert_int_not_equal(from.outcome, PD_OUTCOME_GOOD);
	return search(f, &from);
}

static void what_is_not_logged_is_named(void **state)
{
	struct made *f = calloc(1, sizeof(*f));
	const struct pd_crash_run *least;
	struct pd_tx tx;

	(void)state;
	*f = (struct made){.op = three, .n = 3, .lines = 3, .outcome = with_second, .most = 999};
	least = search_in_tx(f, &tx, true);
	assert_int_equal(least->nneed, 0); /* nothing is lost */
	assert_int_equal(least->nunlogged, 1);
	assert_int_equal(least->unlogged[0], 2);
	free(f);
}

static void what_has_committed_is_not(void **state)
{
	struct made *f = calloc(1, sizeof(*f));
	struct pd_tx tx;

	(void)state;
	*f = (struct made){.op = three, .n = 3, .lines = 3, .outcome = with_second, .most = 999};
	assert_int_equal(search_in_tx(f, &tx, false)->nunlogged, 0);
	free(f);
}

/* The commit: with it recovery ends well, whatever else is there. */
static uint32_t without_third(const uint64_t *seen)
{
	return seen[2] ? PD_OUTCOME_GOOD : PD_OUTCOME_ABORT;
}

/* Whether store `first` of thread `tid`, which is open, is blamed for a failure that needs the loss
 * of the third. */
static bool is_blamed_for_commit(uint32_t first, uint16_t tid, bool late, bool durable)
{
	static const struct pd_crash_suspect third = {.line = 2};
	struct made *f = calloc(1, sizeof(*f));
	struct pd_unlogged u = {.first = first,
				.last = first,
				.addr = 64 * (first - 1) + 56,
				.size = 8,
				.tx = 1,
				.tid = tid,
				.late = late};
	struct pd_tx_thread thread[2] = {{.depth = 1, .tx = 1}, {.depth = 1, .tx = 1}};
	struct pd_tx tx = {.thread = {.v = thread, .n = 2}, .found = {.v = &u, .n = 1}};
	const struct pd_crash_run *least;
	struct pd_crash_run from;
	bool blamed;

	*f = (struct made){.op = three,
			   .n = 3,
			   .lines = 3,
			   .durable = durable,
			   .outcome = without_third,
			   .most = 999};
	f->tx = &tx;
	recover(f, &(struct pd_wish){.forced = true, .suspects = {&third, 1}}, &from);
	least = search(f, &from);
	assert_int_equal(least->nneed, 1);
	blamed = least->nunlogged == 1 && least->unlogged[0] == first;
	assert_int_equal(least->nunlogged, blamed);
	free(f);
	return blamed;
}

/* A transaction that is undone wrongly, since its log has a new value. */
static void what_was_logged_late_is_named(void **state)
{
	(void)state;
	assert_true(is_blamed_for_commit(1, 0, true, false));
	assert_false(is_blamed_for_commit(1, 0, false, false));
	assert_false(is_blamed_for_commit(3, 0, true, false)); /* nothing after it is lost */
	assert_false(is_blamed_for_commit(1, 1, true, false)); /* another thread's is lost */
}

/* It shares its line with something that the commit has flushed: no crash takes it any more. */
static void what_is_durable_is_named(void **state)
{
	(void)state;
	assert_true(is_blamed_for_commit(1, 0, false, true));
	assert_false(is_blamed_for_commit(2, 0, false, true)); /* another line's is not durable */
	assert_false(is_blamed_for_commit(1, 1, false, true));
}

static const struct store two_of_three[] = {{0, 1, 0}, {1, 1, 0}, {1, 2, 0}};

/* Both of one line; the first of them is where it begins. */
static void the_first_store_of_a_line_is_named(void **state)
{
	struct made *f = calloc(1, sizeof(*f));
	const struct pd_crash_run *least;
	struct pd_tx tx;

	(void)state;
	*f = (struct made){.op = two_of_three, .n = 3, .lines = 3, .outcome = unlike, .most = 999};
	least = search_in_tx(f, &tx, true);
	assert_int_equal(least->nunlogged, 1);
	assert_int_equal(least->unlogged[0], 2);
	free(f);
}

static struct store one_each[MOST];
static uint32_t culprit;

static uint32_t with_culprit(const uint64_t *seen)
{
	return seen[culprit] ? PD_OUTCOME_ABORT : PD_OUTCOME_GOOD;
}

static uint32_t step;

static uint32_t with_any_of_some(const uint64_t *seen)
{
	for (uint32_t i = 0; i < MOST; i += step)
		if (seen[i])
			return PD_OUTCOME_HANG;
	return PD_OUTCOME_GOOD;
}

static struct made in_many_lines(uint32_t (*outcome)(const uint64_t *seen))
{
	for (uint32_t i = 0; i < MOST; i++)
		one_each[i] = (struct store){i, 1, 0};
	return (struct made){
		.op = one_each, .n = MOST, .lines = MOST, .outcome = outcome, .most = 999};
}

/* However many lines there are: which ones the model has first does not matter. */
static void one_of_many_is_named(void **state)
{
	struct made *f = calloc(1, sizeof(*f));
	struct pd_tx tx;

	(void)state;
	for (culprit = 0; culprit < MOST; culprit += MOST - 1) {
		const struct pd_crash_run *least;

		*f = in_many_lines(with_culprit);
		least = search_in_tx(f, &tx, true);
		assert_true(least->proven);
		assert_int_equal(least->nunlogged, 1);
		assert_int_equal(least->unlogged[0], culprit + 1);
	}
	free(f);
}

/* Where trials run out before it is known which ones are to blame, those left are not taken for
 * it. */
static void what_was_not_tried_is_not_blamed(void **state)
{
	struct made *f = calloc(1, sizeof(*f));
	const struct pd_crash_run *least;
	struct pd_tx tx;

	(void)state;
	step = 30;
	*f = in_many_lines(with_any_of_some);
	f->hang = PD_HANG_LOOP;
	least = search_in_tx(f, &tx, true);
	assert_true(least->proven);
	assert_int_equal(least->nunlogged, 3);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(least->unlogged[i] % step, 1);
	step = 9;
	*f = in_many_lines(with_any_of_some);
	f->hang = PD_HANG_BUDGET;
	least = search_in_tx(f, &tx, true);
	assert_false(least->proven);
	assert_int_equal(least->nunlogged, 0);
	free(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_needed_line),
		cmocka_unit_test(finds_two),
		cmocka_unit_test(raises_to_the_store),
		cmocka_unit_test(another_failure_cures_nothing),
		cmocka_unit_test(needs_nothing),
		cmocka_unit_test(seen_too_early),
		cmocka_unit_test(gives_up),
		cmocka_unit_test(leaves_out_by_halves),
		cmocka_unit_test(few_trials_of_what_is_slow),
		cmocka_unit_test(a_part_of_a_store),
		cmocka_unit_test(what_is_not_logged_is_named),
		cmocka_unit_test(what_has_committed_is_not),
		cmocka_unit_test(what_was_logged_late_is_named),
		cmocka_unit_test(what_is_durable_is_named),
		cmocka_unit_test(the_first_store_of_a_line_is_named),
		cmocka_unit_test(one_of_many_is_named),
		cmocka_unit_test(what_was_not_tried_is_not_blamed),
		cmocka_unit_test(within),
		cmocka_unit_test(picks_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
