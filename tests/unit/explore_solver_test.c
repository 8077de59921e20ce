/*
 * explore_solver_test.c - solver processes, with this process as the tool and all of the workers:
 * what they answer, and what becomes of a question when one has no time or memory, dies, or is
 * stopped.
 */
#include "unit.h"
#include "drive/explore/solver.h"
#include "engine/explore/query.h"
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { INPUTS = 16, WORKERS = 4 };

struct fixture {
	struct unit_host memory;
	struct pd_arena a, scratch;
	struct pd_exprs *x;
	struct pd_explore *board;
	struct pd_solvers *s;
	uint8_t input[INPUTS];
};

static void begin(struct fixture *f, uint32_t n, uint64_t max_bytes, uint64_t query_ms)
{
	*f = (struct fixture){.memory = {.left = -1}};
	pd_arena_init(&f->a, unit_host(&f->memory));
	pd_arena_init(&f->scratch, unit_host(&f->memory));
	f->x = pd_exprs_create(&f->a, INPUTS);
	f->board = mmap(NULL, sizeof(*f->board), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_true(f->board != MAP_FAILED);
	f->board->jobs = WORKERS;
	f->board->input_size = INPUTS;
	f->board->query_ms = query_ms;
	f->s = pd_solvers_start(f->board, n, max_bytes);
	assert_non_null(f->s);
}

static struct pd_solvers_stats end(struct fixture *f)
{
	struct pd_solvers_stats stats = pd_solvers_stop(f->s);

	munmap(f->board, sizeof(*f->board));
	pd_arena_finish(&f->a);
	pd_arena_finish(&f->scratch);
	return stats;
}

/* ---- the worker's side ---------------------------------------------------------------------- */

static struct pd_explore_query *slot(struct fixture *f, uint32_t worker)
{
	return &f->board->worker[worker].query;
}

static void submit(struct fixture *f, struct pd_explore_query *q)
{
	q->solver = q->tries = 0;
	__atomic_store_n(&q->state, PD_QUERY_ASKED, __ATOMIC_SEQ_CST);
	__atomic_fetch_add(&f->board->solver_event, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &f->board->solver_event, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void ask(struct fixture *f, uint32_t worker, const pd_expr *holds, uint32_t n)
{
	struct pd_explore_query *q = slot(f, worker);

	q->n = pd_query_write(f->x, holds, n, &f->scratch, q->bytes, PD_EXPLORE_QUERY);
	assert_true(q->n > 0);
	submit(f, q);
}

static void await(struct fixture *f, uint32_t worker, uint32_t state)
{
	while (__atomic_load_n(&slot(f, worker)->state, __ATOMIC_SEQ_CST) != state) {
		pd_solvers_poll(f->s);
		sched_yield();
	}
}

/* The answer; of a YES the input was put into f->input. */
static uint32_t answer(struct fixture *f, uint32_t worker)
{
	struct pd_explore_query *q = slot(f, worker);

	await(f, worker, PD_QUERY_ANSWERED);
	if (q->answer == PD_ASK_YES)
		assert_true(pd_query_answer_read(q->bytes, q->n, f->input, INPUTS));
	return q->answer;
}

/* ---- questions ------------------------------------------------------------------------------ */

/* n bytes of the input as a number of 64 bits. */
static pd_expr number(struct fixture *f, uint32_t first, uint32_t n)
{
	pd_expr e = pd_expr_input(f->x, first);

	for (uint32_t i = 1; i < n; i++)
		e = pd_expr_concat(f->x, pd_expr_input(f->x, first + i), e);
	return pd_expr_extend(f->x, PD_SYM_ZEXT, e, 64);
}

static pd_expr is(struct fixture *f, enum pd_sym_op op, pd_expr a, uint64_t b)
{
	return pd_expr_binary(f->x, op, a, pd_expr_const(f->x, 64, b));
}

/* a * b is this number, and neither is below 2. */
static void ask_factors(struct fixture *f, uint32_t worker, uint64_t of, uint32_t bytes)
{
	pd_expr a = number(f, 0, bytes), b = number(f, bytes, bytes),
		one = pd_expr_const(f->x, 64, 1);
	pd_expr holds[3] = {is(f, PD_SYM_EQ, pd_expr_binary(f->x, PD_SYM_MUL, a, b), of),
			    pd_expr_binary(f->x, PD_SYM_ULT, one, a),
			    pd_expr_binary(f->x, PD_SYM_ULT, one, b)};

	ask(f, worker, holds, 3);
}

static void ask_easy(struct fixture *f, uint32_t worker)
{
	ask_factors(f, worker, 12347ULL * 3, 2);
}

/* Nobody factors this in the time that a test has. */
static void ask_hard(struct fixture *f, uint32_t worker)
{
	ask_factors(f, worker, 2654435761ULL * 3266489917ULL, 4);
}

static void check_easy(struct fixture *f, uint32_t worker)
{
	uint32_t a, b;

	ask_easy(f, worker);
	assert_int_equal(answer(f, worker), PD_ASK_YES);
	a = f->input[0] | (uint32_t)f->input[1] << 8;
	b = f->input[2] | (uint32_t)f->input[3] << 8;
	assert_int_equal(a * b, 12347 * 3);
	assert_true(a > 1 && b > 1);
}

/* ---- tests ---------------------------------------------------------------------------------- */

static void yes_and_no(void **state)
{
	struct fixture f;
	struct pd_solvers_stats stats;

	(void)state;
	begin(&f, 1, 0, 10000);
	memset(f.input, 77, INPUTS);
	check_easy(&f, 0);
	assert_int_equal(f.input[4], 77); /* nothing asks for that */
	ask_factors(&f, 1, 12347, 2);	  /* a prime */
	assert_int_equal(answer(&f, 1), PD_ASK_NO);
	check_easy(&f, 3);
	stats = end(&f);
	assert_int_equal(stats.answers[PD_ASK_YES], 2);
	assert_int_equal(stats.answers[PD_ASK_NO], 1);
	assert_true(stats.ns >= stats.most_ns && stats.most_ns > 0);
	assert_int_equal(stats.died, 0);
}

/* One that never holds leaves nothing behind for the next. */
static void never(void **state)
{
	struct fixture f;
	pd_expr a, holds[2];

	(void)state;
	begin(&f, 1, 0, 0);
	a = number(&f, 0, 2);
	holds[0] = is(&f, PD_SYM_EQ, a, 5);
	holds[1] = pd_expr_const(f.x, 1, 0);
	ask(&f, 0, holds, 2);
	assert_int_equal(answer(&f, 0), PD_ASK_NO);
	holds[0] = is(&f, PD_SYM_EQ, a, 6);
	ask(&f, 0, holds, 1);
	assert_int_equal(answer(&f, 0), PD_ASK_YES);
	assert_int_equal(f.input[0], 6);
	end(&f);
}

static void all_at_the_same_time(void **state)
{
	struct fixture f;
	struct pd_solvers_stats stats;

	(void)state;
	begin(&f, 3, 0, 0);
	for (uint32_t round = 1; round <= 20; round++) {
		for (uint32_t w = 0; w < WORKERS; w++) {
			pd_expr holds = is(&f, PD_SYM_EQ,
					   pd_expr_binary(f.x, PD_SYM_UREM, number(&f, w, 4),
							  pd_expr_const(f.x, 64, 1000 + w)),
					   round * 7);

			ask(&f, w, &holds, 1);
		}
		for (uint32_t w = 0; w < WORKERS; w++) {
			uint32_t v;

			assert_int_equal(answer(&f, w), PD_ASK_YES);
			memcpy(&v, f.input + w, 4);
			assert_int_equal(v % (1000 + w), round * 7);
		}
	}
	stats = end(&f);
	assert_int_equal(stats.answers[PD_ASK_YES], 20 * WORKERS);
	assert_int_equal(stats.started, 3);
}

static void out_of_time(void **state)
{
	struct fixture f;
	struct pd_solvers_stats stats;

	(void)state;
	begin(&f, 1, 0, 20);
	ask_hard(&f, 0);
	assert_int_equal(answer(&f, 0), PD_ASK_UNKNOWN);
	f.board->query_ms = 0;
	check_easy(&f, 0);
	stats = end(&f);
	assert_int_equal(stats.unknown[PD_SOLVE_TIME], 1);
	assert_int_equal(stats.answers[PD_ASK_UNKNOWN], 1);
}

static void out_of_memory(void **state)
{
	struct fixture f;
	struct pd_solvers_stats stats;
	pd_expr e, holds;

	(void)state;
#ifdef __SANITIZE_ADDRESS__
	UNIT_SKIP(); /* its allocator dies where memory is limited */
#endif
	begin(&f, 1, 16 << 20, 0);
	check_easy(&f, 0);
	e = number(&f, 0, 8);
	for (uint32_t i = 0; i < 24; i++)
		e = pd_expr_binary(f.x, i % 2 ? PD_SYM_UREM : PD_SYM_MUL, e, number(&f, i % 8, 8));
	holds = is(&f, PD_SYM_EQ, e, 4711);
	ask(&f, 1, &holds, 1);
	assert_int_equal(answer(&f, 1), PD_ASK_UNKNOWN);
	check_easy(&f, 0);
	stats = end(&f);
	assert_int_equal(stats.unknown[PD_SOLVE_MEMORY], 1);
	assert_int_equal(stats.died, 0);
}

static void too_large(void **state)
{
	struct fixture f;
	struct pd_solvers_stats stats;
	pd_expr e, holds;

	(void)state;
	begin(&f, 1, 0, 0);
	e = number(&f, 0, 8);
	for (uint32_t i = 0; i < 100; i++)
		e = pd_expr_binary(f.x, i % 2 ? PD_SYM_UREM : PD_SYM_MUL, e, number(&f, i % 8, 8));
	holds = is(&f, PD_SYM_EQ, e, 4711);
	ask(&f, 1, &holds, 1);
	assert_int_equal(answer(&f, 1), PD_ASK_UNKNOWN);
	stats = end(&f);
	assert_int_equal(stats.unknown[PD_SOLVE_SIZE], 1);
}

/* Who dies is replaced, and the next one tries the question; but only one. */
static void killed(void **state)
{
	struct fixture f;
	struct pd_solvers_stats stats;
	uint32_t first;

	(void)state;
	begin(&f, 1, 0, 0);
	ask_hard(&f, 2);
	await(&f, 2, PD_QUERY_TAKEN);
	first = slot(&f, 2)->solver;
	kill((pid_t)first, SIGKILL);
	while (__atomic_load_n(&slot(&f, 2)->solver, __ATOMIC_SEQ_CST) == first)
		pd_solvers_poll(f.s);
	await(&f, 2, PD_QUERY_TAKEN);
	kill((pid_t)slot(&f, 2)->solver, SIGSEGV);
	assert_int_equal(answer(&f, 2), PD_ASK_UNKNOWN);
	check_easy(&f, 2);
	stats = end(&f);
	assert_int_equal(stats.unknown[PD_SOLVE_DIED], 1);
	assert_int_equal(stats.died, 2);
	assert_int_equal(stats.started, 3);
}

/* Solvers that never get to answer anything are given up, and nobody waits for them. */
static void killed_each_time(void **state)
{
	struct fixture f;
	struct pd_solvers_stats stats;

	(void)state;
	begin(&f, 1, 0, 0);
	for (uint32_t i = 0; i < 40 && !pd_solvers_stats(f.s).given_up; i++) {
		ask_hard(&f, 0);
		while (slot(&f, 0)->state != PD_QUERY_ANSWERED) {
			if (slot(&f, 0)->state == PD_QUERY_TAKEN)
				kill((pid_t)slot(&f, 0)->solver, SIGKILL);
			pd_solvers_poll(f.s);
		}
		assert_int_equal(slot(&f, 0)->answer, PD_ASK_UNKNOWN);
	}
	ask_easy(&f, 1);
	assert_int_equal(answer(&f, 1), PD_ASK_UNKNOWN);
	stats = end(&f);
	assert_int_equal(stats.given_up, 1);
}

static void stopped(void **state)
{
	struct fixture f;
	struct pd_solvers_stats stats;

	(void)state;
	begin(&f, 2, 0, 0);
	ask_hard(&f, 0);
	await(&f, 0, PD_QUERY_TAKEN);
	f.board->stop = 1;
	assert_int_equal(answer(&f, 0), PD_ASK_UNKNOWN);
	f.board->stop = 0;
	ask_hard(&f, 1);
	stats = pd_solvers_stop(f.s);
	assert_int_equal(slot(&f, 1)->state, PD_QUERY_ANSWERED);
	assert_int_equal(slot(&f, 1)->answer, PD_ASK_UNKNOWN);
	assert_int_equal(stats.unknown[PD_SOLVE_STOP], 2);
	f.s = pd_solvers_start(f.board, 1, 0);
	end(&f);
}

static void no_question(void **state)
{
	struct fixture f;
	struct pd_solvers_stats stats;

	(void)state;
	begin(&f, 1, 0, 0);
	memset(slot(&f, 0)->bytes, 0xff, 100);
	slot(&f, 0)->n = 100;
	submit(&f, slot(&f, 0));
	assert_int_equal(answer(&f, 0), PD_ASK_UNKNOWN);
	slot(&f, 0)->n = UINT32_MAX;
	submit(&f, slot(&f, 0));
	assert_int_equal(answer(&f, 0), PD_ASK_UNKNOWN);
	check_easy(&f, 0);
	stats = end(&f);
	assert_int_equal(stats.unknown[PD_SOLVE_BAD], 2);
	assert_int_equal(stats.died, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(yes_and_no),
		cmocka_unit_test(never),
		cmocka_unit_test(all_at_the_same_time),
		cmocka_unit_test(out_of_time),
		cmocka_unit_test(out_of_memory),
		cmocka_unit_test(too_large),
		cmocka_unit_test(killed),
		cmocka_unit_test(killed_each_time),
		cmocka_unit_test(stopped),
		cmocka_unit_test(no_question),
	};

	return cmocka_run_group_tests_name("explore solver", tests, NULL, NULL);
}
