/*
 * explore_core.c - what the core of symbolic execution costs: making an expression that is there
 * and one that is not, a value, a truth table, a question by what answers it, and all that is asked
 * along one path of a parser. No program runs, no solver either: those are measured elsewhere.
 */
#include "bench.h"
#include "engine/explore/node.h"
#include "engine/explore/path.h"
#include "engine/explore/wide.h"
#include "host/host.h"
#include <stdlib.h>

enum { INPUT = 16, N = 200000, ROUNDS = 5 };

struct world {
	struct pd_arena arena;
	struct pd_exprs *x;
	struct pd_ask *q;
	uint8_t input[INPUT], found[INPUT];
};

/* CPU time: others may be at work. */
static double cpu_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void begin(struct world *w)
{
	pd_arena_init(&w->arena, pd_host_memory());
	w->x = pd_exprs_create(&w->arena, INPUT);
	w->q = pd_ask_create(&w->arena, w->x, INPUT, (struct pd_ask_solver){0});
	memset(w->input, 'a', INPUT);
	pd_ask_begin(w->q, w->input);
}

static pd_expr constant(struct world *w, uint32_t width, uint64_t v)
{
	return pd_expr_const(w->x, width, v);
}

static pd_expr byte(struct world *w, uint32_t i)
{
	return pd_expr_extend(w->x, PD_SYM_ZEXT, pd_expr_input(w->x, i), 32);
}

static pd_expr op(struct world *w, enum pd_sym_op o, pd_expr a, uint64_t v)
{
	return pd_expr_binary(w->x, o, a, constant(w, pd_expr_width(w->x, a), v));
}

/* ---- expressions ---------------------------------------------------------------------------- */

static void constructors(void)
{
	struct world w;
	double t, hit = 1, miss = 1, rewritten = 1, four = 1;

	for (int round = 0; round < ROUNDS; round++) {
		pd_expr wide, e = 0, part[4];

		begin(&w);
		wide = pd_expr_concat(w.x, byte(&w, 0), byte(&w, 1));
		t = cpu_now();
		for (uint32_t i = 0; i < N; i++)
			e = pd_expr_binary(w.x, PD_SYM_MUL, wide,
					   pd_expr_const(w.x, 64, 3 + 2 * i));
		t = cpu_now() - t;
		miss = PD_MIN(miss, t / N / 2);
		bench_keep(e);
		t = cpu_now();
		for (uint32_t i = 0; i < N; i++)
			e = pd_expr_binary(w.x, PD_SYM_MUL, wide,
					   pd_expr_const(w.x, 64, 3 + 2 * (i & 1023)));
		t = cpu_now() - t;
		hit = PD_MIN(hit, t / N / 2);
		bench_keep(e);
		t = cpu_now();
		for (uint32_t i = 0; i < N; i++)
			e = pd_expr_binary(w.x, PD_SYM_EQ, wide,
					   pd_expr_const(w.x, 64, (uint64_t)(i & 1) << 32));
		t = cpu_now() - t;
		rewritten = PD_MIN(rewritten, t / N / 2);
		bench_keep(e);
		e = op(&w, PD_SYM_MUL, byte(&w, 2), 77);
		t = cpu_now();
		for (uint32_t i = 0; i < N / 4; i++) {
			for (uint32_t k = 0; k < 4; k++)
				part[k] = pd_expr_extract(w.x, e, 8 * k, 8);
			for (uint32_t k = 1; k < 4; k++)
				part[0] = pd_expr_concat(w.x, part[k], part[0]);
			bench_keep(part[0]);
		}
		t = cpu_now() - t;
		four = PD_MIN(four, t / (N / 4));
		pd_arena_finish(&w.arena);
	}
	bench_ns("constructor, the node is there", hit, 0);
	bench_ns("constructor, a rule's result is there", rewritten, 0);
	bench_ns("constructor, a new node", miss, 0);
	bench_ns("a word of 4 bytes stored and loaded again (7 constructors)", four, 0);
}

static pd_expr digits(struct world *w, uint32_t first, uint32_t n)
{
	pd_expr e = constant(w, 32, 0);

	for (uint32_t i = 0; i < n; i++)
		e = pd_expr_binary(w->x, PD_SYM_ADD, op(w, PD_SYM_MUL, e, 10),
				   op(w, PD_SYM_SUB, byte(w, first + i), '0'));
	return e;
}

static void values(void)
{
	struct world w;
	double t;
	pd_expr e;
	uint64_t work = 0;
	uint32_t n = 0;

	begin(&w);
	e = digits(&w, 0, 4);
	t = cpu_now();
	for (uint32_t i = 0; i < N; i++)
		bench_keep(pd_expr_value_under(w.x, e, w.input));
	bench_ns("value of a number of 4 digits", (cpu_now() - t) / N, 0);
	t = cpu_now();
	for (uint32_t i = 0; i < N / 20; i++, n++)
		bench_keep(pd_wide(w.x, e, 1, w.input, &work)[7]);
	t = cpu_now() - t;
	bench_ns("the same for all values of one byte", t / n, 0);
	bench_ns("  for each node", t / (double)work, 0);
	pd_arena_finish(&w.arena);
}

/* ---- questions ------------------------------------------------------------------------------ */

/* Time of one question, which `by` answers. */
static void question(struct world *w, const char *what, pd_expr *also, uint32_t n,
		     enum pd_ask_by by)
{
	const struct pd_ask_stats *s = pd_ask_stats(w->q);
	uint64_t before = s->asked[by][0] + s->asked[by][1];
	double t = cpu_now();

	for (uint32_t i = 0; i < n; i++)
		bench_keep(pd_ask(w->q, also[i], w->found));
	t = cpu_now() - t;
	bench_ns(what, t / n, 0);
	before = s->asked[by][0] + s->asked[by][1] - before;
	if (before != n)
		printf("  (%llu of %u by it)\n", (unsigned long long)before, n);
}

static void questions(void)
{
	enum { MANY = 4000 };
	struct world w;
	static pd_expr also[MANY];
	pd_expr number, double_byte;

	begin(&w);
	for (uint32_t i = 0; i < 4; i++) {
		pd_ask_assume(w.q, pd_expr_not(w.x, op(&w, PD_SYM_ULT, byte(&w, i), '0')));
		pd_ask_assume(w.q, op(&w, PD_SYM_ULT, byte(&w, i), '9' + 1));
	}
	memset(w.input, '5', 4);
	pd_ask_begin(w.q, w.input);
	for (uint32_t i = 0; i < MANY; i++)
		also[i] =
			op(&w, PD_SYM_EQ, op(&w, PD_SYM_AND, byte(&w, 8), 0x7d), (i % 200) & 0x7d);
	question(&w, "question about one byte, truth tables not made yet", also, 200,
		 PD_ASK_BY_DOMAIN);
	question(&w, "question about one byte", also, MANY, PD_ASK_BY_DOMAIN);
	for (uint32_t i = 0; i < 4; i++) {
		pd_ask_assume(w.q, pd_expr_not(w.x, op(&w, PD_SYM_ULT, byte(&w, i), '0')));
		pd_ask_assume(w.q, op(&w, PD_SYM_ULT, byte(&w, i), '9' + 1));
	}
	double_byte =
		pd_expr_binary(w.x, PD_SYM_ADD, byte(&w, 9), op(&w, PD_SYM_MUL, byte(&w, 10), 3));
	for (uint32_t i = 0; i < 256; i++)
		also[i] = op(&w, PD_SYM_EQ, double_byte, 300 + i);
	question(&w, "question about two bytes, by product", also, 200, PD_ASK_BY_PRODUCT);
	question(&w, "the same once more, by known input or cache", also, 200, PD_ASK_BY_CACHE);
	number = digits(&w, 0, 4);
	for (uint32_t i = 0; i < 100; i++)
		also[i] = op(&w, PD_SYM_EQ, number, 31 + 97 * i);
	question(&w, "number of 4 digits equal to a constant, by product", also, 100,
		 PD_ASK_BY_PRODUCT);
	for (uint32_t i = 0; i < 20; i++)
		also[i] = op(&w, PD_SYM_EQ, number, 10000 + i);
	question(&w, "the same, to one that it cannot be", also, 20, PD_ASK_BY_PRODUCT);
	pd_arena_finish(&w.arena);
}

/* ---- a path --------------------------------------------------------------------------------- */

static bool drop(void *ctx, const struct pd_record *r, const uint8_t *input, const uint64_t *pins)
{
	(void)r;
	(void)pins;
	*(uint64_t *)ctx += input[0];
	return true;
}

/* 32 branches on single bytes: as those of a parser. */
static void run_path(struct world *w, struct pd_path *p, const struct pd_record *r)
{
	pd_path_begin(p, r, w->input);
	for (uint32_t i = 0; i < 32; i++) {
		pd_expr e = byte(w, i % 8);
		uint64_t v = "pgdq"[i / 8];

		pd_path_branch(p, i, op(w, PD_SYM_EQ, e, v), w->input[i % 8] == v);
	}
}

static void paths(void)
{
	enum { PATHS = 5000 };
	struct world w;
	struct pd_record root = {.size = INPUT},
			 leaf = {.size = INPUT, .depth = 1, .bound = 30, .site = 30};
	struct pd_path_flipped out;
	struct pd_path *p;
	uint64_t sum = 0;
	double run = 0, all = 0, own = 0, t;

	begin(&w);
	p = pd_path_create(&w.arena, w.x, (struct pd_path_limits){1000, 16, NULL});
	for (uint32_t i = 0; i < PATHS; i++) {
		t = cpu_now();
		run_path(&w, p, &root);
		run += cpu_now() - t;
		t = cpu_now();
		pd_path_flip(p, w.q, drop, &sum, &out);
		all += cpu_now() - t;
		leaf.prefix = 0;
		run_path(&w, p, &leaf);
		t = cpu_now();
		pd_path_flip(p, w.q, drop, &sum, &out);
		own += cpu_now() - t;
	}
	bench_keep(sum);
	bench_ns("32 branches along a path, each", run / PATHS / 32, 0);
	bench_ns("32 of them turned round, each", all / PATHS / 32, 0);
	bench_ns("a path that has diverged is noticed in", own / PATHS, 0);
	pd_arena_finish(&w.arena);
}

int main(void)
{
	constructors();
	values();
	questions();
	paths();
	return bench_exceeded;
}
