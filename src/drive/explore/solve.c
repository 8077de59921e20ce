/* solve.c - see solve.h. */
#include "drive/explore/solve.h"
#include "base/bug.h"
#include "engine/explore/blast.h"
#include "engine/explore/query.h"
#include "host/host.h"
#include <ccadical.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

/* Everything kept is dropped when it has more variables than `TIMES` what a question needs, plus
 * SOME. */
enum { TIMES = 4, SOME = 20000, SAT = 10, UNSAT = 20 };

struct pd_solve {
	uint32_t input_size;
	struct pd_arena keep;	 /* graph, gates */
	struct pd_arena scratch; /* per question */
	struct pd_exprs *x;
	struct pd_blast *blast;
	CCaDiCaL *sat;
	/* Of the current question */
	struct pd_solve_limits limits;
	uint64_t began;
	enum pd_solve_why why;
};

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* ---- what is kept --------------------------------------------------------------------------- */

static void add_clause(void *ctx, const int32_t *literal, uint32_t n)
{
	struct pd_solve *s = ctx;

	for (uint32_t i = 0; i < n; i++)
		ccadical_add(s->sat, literal[i]);
	ccadical_add(s->sat, 0);
}

static bool is_over(struct pd_solve *s)
{
	if (s->limits.stop && __atomic_load_n(s->limits.stop, __ATOMIC_RELAXED))
		s->why = PD_SOLVE_STOP;
	else if (s->limits.ms && cpu_ns() - s->began > s->limits.ms * 1000000)
		s->why = PD_SOLVE_TIME;
	return s->why != PD_SOLVE_KNOWN;
}

static int terminate(void *ctx)
{
	return is_over(ctx);
}

static void drop(struct pd_solve *s)
{
	if (s->sat)
		ccadical_release(s->sat);
	pd_arena_finish(&s->keep);
	s->sat = NULL;
	s->x = NULL;
	s->blast = NULL;
}

static bool begin(struct pd_solve *s)
{
	pd_arena_init(&s->keep, pd_host_memory());
	s->sat = ccadical_init();
	ccadical_set_option(s->sat, "quiet", 1);
	ccadical_set_option(s->sat, "phase", 0); /* prefer small numbers: they make short loops */
	ccadical_set_terminate(s->sat, s, terminate);
	s->x = pd_exprs_create(&s->keep, s->input_size);
	if (s->x)
		s->blast = pd_blast_create(&s->keep, s->x, (struct pd_blast_sink){add_clause, s});
	return s->blast != NULL;
}

struct pd_solve *pd_solve_create(uint32_t input_size)
{
	struct pd_solve *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->input_size = input_size;
	pd_arena_init(&s->keep, pd_host_memory());
	pd_arena_init(&s->scratch, pd_host_memory());
	return s;
}

/* ---- a question ----------------------------------------------------------------------------- */

static bool fail(struct pd_solve *s, enum pd_solve_why why)
{
	if (s->why == PD_SOLVE_KNOWN)
		s->why = why;
	return false;
}

/* Reads its expressions, and adds clauses for all of them; false: `why` is set. */
static bool take_in(struct pd_solve *s, const uint8_t *question, uint32_t n, struct pd_query *q)
{
	enum pd_query_read read;
	uint64_t most;

	if (!s->blast && !begin(s))
		return fail(s, PD_SOLVE_MEMORY);
	pd_arena_reset(&s->scratch);
	read = pd_query_read(s->x, s->input_size, question, n, &s->scratch, q);
	if (read != PD_QUERY_READ)
		return fail(s, read == PD_QUERY_BAD ? PD_SOLVE_BAD : PD_SOLVE_MEMORY);
	most = s->limits.clauses ? pd_blast_size(s->blast).clauses + s->limits.clauses : 0;
	for (uint32_t i = 0; i < q->n; i++) {
		if (is_over(s))
			return false;
		if (!pd_blast_bits(s->blast, q->holds[i], most))
			return fail(s, most && pd_blast_size(s->blast).clauses > most
					       ? PD_SOLVE_SIZE
					       : PD_SOLVE_MEMORY);
	}
	return true;
}

/* A byte of the model; bits on which nothing depends are 0. */
static uint8_t byte_of(struct pd_solve *s, uint32_t index)
{
	uint8_t v = 0;

	for (uint32_t k = 0; k < 8; k++) {
		int32_t l = pd_blast_input(s->blast, index, k);

		if (l && ccadical_val(s->sat, l) > 0)
			v |= (uint8_t)(1U << k);
	}
	return v;
}

/* Writes the model's bytes on which the conditions depend; 0: there is no space. */
static uint32_t write_model(struct pd_solve *s, const struct pd_query *q, uint8_t *answer,
			    uint32_t size)
{
	uint8_t *input = pd_arena_alloc(&s->scratch, s->input_size + 1);
	uint8_t *used = pd_arena_alloc(&s->scratch, s->input_size + 1);
	uint32_t *at = pd_new_array(&s->scratch, uint32_t, s->input_size + 1), n = 0;
	uint8_t *value = pd_arena_alloc(&s->scratch, s->input_size + 1);

	if (!input || !used || !at || !value)
		return 0;
	for (uint32_t i = 0; i < q->n; i++) {
		uint32_t k;
		const uint32_t *support = pd_expr_support(s->x, q->holds[i], &k);

		while (k-- > 0)
			used[support[k]] = 1;
	}
	for (uint32_t i = 0; i < s->input_size; i++) {
		if (!used[i])
			continue;
		at[n] = i;
		value[n++] = input[i] = byte_of(s, i);
	}
	for (uint32_t i = 0; i < q->n; i++)
		PD_CHECK(pd_expr_value_under(s->x, q->holds[i], input) == 1,
			 "an answer does not meet the conditions");
	return pd_query_answer_write(at, value, n, answer, size);
}

static int32_t literal_of(struct pd_solve *s, pd_expr condition)
{
	return *pd_blast_bits(s->blast, condition, 0);
}

/* Assumes all conditions, or none: assumptions that are not solved under would apply to the next
 * question. False: one of them is the constant 0. */
static bool assume(struct pd_solve *s, const struct pd_query *q)
{
	for (uint32_t i = 0; i < q->n; i++) {
		if (literal_of(s, q->holds[i]) == PD_BLAST_FALSE)
			return false;
	}
	for (uint32_t i = 0; i < q->n; i++)
		ccadical_assume(s->sat, literal_of(s, q->holds[i]));
	return true;
}

static void decide(struct pd_solve *s, const struct pd_query *q, struct pd_solve_result *r,
		   uint8_t *answer, uint32_t size)
{
	int is = assume(s, q) ? ccadical_solve(s->sat) : UNSAT;

	if (is == UNSAT) {
		r->answer = PD_ASK_NO;
	} else if (is == SAT) {
		r->n = write_model(s, q, answer, size);
		if (r->n)
			r->answer = PD_ASK_YES;
		else
			fail(s, PD_SOLVE_MEMORY);
	} else {
		fail(s, PD_SOLVE_TIME);
	}
}

struct pd_solve_result pd_solve(struct pd_solve *s, struct pd_solve_limits limits,
				const uint8_t *question, uint32_t n, uint8_t *answer, uint32_t size)
{
	struct pd_solve_result r = {.answer = PD_ASK_UNKNOWN};
	struct pd_query q;
	bool ok;

	s->limits = limits;
	s->began = cpu_ns();
	s->why = PD_SOLVE_KNOWN;
	ok = take_in(s, question, n, &q);
	r.cone = ok ? pd_blast_cone(s->blast, q.holds, q.n) : 0;
	if (ok && pd_blast_size(s->blast).variables > TIMES * r.cone + SOME) {
		drop(s);
		r.anew = true;
		ok = take_in(s, question, n, &q);
	}
	if (ok) {
		r.variables = pd_blast_size(s->blast).variables;
		decide(s, &q, &r, answer, size);
	}
	r.why = r.answer == PD_ASK_UNKNOWN ? s->why : PD_SOLVE_KNOWN;
	if (s->why == PD_SOLVE_MEMORY || s->why == PD_SOLVE_SIZE || s->why == PD_SOLVE_TIME)
		drop(s); /* parts of it may be missing, or make the next one as slow */
	r.ns = cpu_ns() - s->began;
	return r;
}

/* ---- memory --------------------------------------------------------------------------------- */

/* std::set_new_handler; it has no C header. */
extern void (*set_new_handler(void (*)(void)))(void) __asm__("_ZSt15set_new_handlerPFvvE");

/* Bytes of data in use by the process. */
static uint64_t data_now(void)
{
	FILE *f = fopen("/proc/self/statm", "re");
	unsigned long long pages = 0;

	if (f) {
		if (fscanf(f, "%*u %*u %*u %*u %*u %llu", &pages) != 1)
			pages = 0;
		fclose(f);
	}
	return pages * 4096;
}

bool pd_solve_memory(uint64_t bytes, void (*out_of_memory)(void))
{
	struct rlimit l = {.rlim_cur = data_now() + bytes};

	l.rlim_max = l.rlim_cur;
	set_new_handler(out_of_memory);
	return setrlimit(RLIMIT_DATA, &l) == 0;
}
