/* driven.c - see driven.h. */
#include "runtime/linear/driven.h"
#include "engine/crash/run.h"
#include "engine/linear/draw.h"
#include "engine/linear/wrong.h"
#include "runtime/base/raw.h"
#include "runtime/check/check.h"
#include "runtime/linear/tests.h"
#include "runtime/linear/visit.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Operations of recovery that are drawn; events of a drain that never finds the end. */
enum { MORE_OPS = 4, MOST_VISITED = 100000 };

/* Of the judge; and of each question about what went wrong. */
#define LIMIT_BYTES (256ULL << 20)
#define WRONG_STEPS 100000

static struct {
	struct pd_stress *s;
	void *structure;
	uint64_t clock;
	bool no_memory;
} run;

bool pd_driven_crashes(void)
{
	return pd_rt.driven && pd_check.role != PD_CHECK_NONE;
}

static size_t pack(void *buf, size_t cap)
{
	return pd_op_history_pack(&run.s->history, buf, cap);
}

/* ---- operations ----------------------------------------------------------------------------- */

/* What was returned may be gone when the next operation runs. */
static struct pd_linear_value keep(struct pd_linear_value v)
{
	void *copy = v.size ? pd_arena_alloc(run.s->arena, v.size) : NULL;

	run.no_memory = run.no_memory || (v.size && !copy);
	v.data = copy ? memcpy(copy, v.data, v.size) : NULL;
	v.size = copy ? v.size : 0;
	return v;
}

static const struct pd_linear_op *call_by(uint32_t thread, uint32_t entry,
					  const struct pd_linear_value *args)
{
	struct pd_op_history *h = &run.s->history;
	const struct pd_linear_entry *e = &run.s->driver->table[entry];
	struct pd_linear_op op = {.fn = run.s->fn[entry],
				  .nargs = (uint8_t)pd_entry_nargs(e),
				  .flags = (uint8_t)e->flags};
	uint32_t number = h->ops.n;

	memcpy(op.arg, args, sizeof(op.arg));
	pd_rt_drain_now();
	if (run.no_memory || !pd_op_history_add(h, thread, run.clock++, PD_NEVER, &op)) {
		run.no_memory = true;
		return NULL;
	}
	e->call(run.structure, &op);
	pd_rt_drain_now();
	h->ops.v[number].op.returned = op.returned;
	h->ops.v[number].op.result = keep(op.result);
	h->ops.v[number].ret = run.clock++;
	pd_check_returned();
	return &h->ops.v[number].op;
}

/* ---- the first execution -------------------------------------------------------------------- */

static void do_share(uint32_t thread, uint32_t from, uint32_t to, bool all)
{
	for (uint32_t i = from; i < to; i++) {
		const struct pd_work *x = &run.s->work.ops.v[i];

		if (all || x->thread % run.s->nthreads == thread)
			call_by(thread, x->entry, x->arg);
	}
}

static void *work(void *number)
{
	do_share((uint32_t)(uintptr_t)number, run.s->alone, run.s->together, false);
	return NULL;
}

static const char *run_threads(void)
{
	pthread_t *t = calloc(run.s->nthreads, sizeof(*t));
	const char *wrong = t ? NULL : "out of memory";
	uint32_t n = 0;

	for (; t && n < run.s->nthreads && !wrong; n++)
		if (pthread_create(&t[n], NULL, work, (void *)(uintptr_t)n) != 0)
			wrong = "cannot make that many threads";
	for (uint32_t i = 0; i < n && !wrong; i++)
		pthread_join(t[i], NULL);
	free(t);
	return wrong;
}

static void operate(uint32_t thread, uint32_t i)
{
	call_by(thread, run.s->work.ops.v[i].entry, run.s->work.ops.v[i].arg);
}

static const char *run_schedule(struct pd_stress *s)
{
	do_share(s->nthreads, 0, s->alone, true);
	return s->alone < s->together ? run_threads() : NULL;
}

static const char *run_first(void)
{
	struct pd_stress *s = run.s;
	struct pd_tests_front front = {.stress = s, .operate = operate};
	bool tests = pd_tests_wanted();
	const char *wrong;

	run.structure = s->driver->open(s->path);
	if (!run.structure)
		return "the driver cannot open it";
	wrong = tests ? pd_tests_run(&front) : run_schedule(s);
	if (!wrong)
		s->driver->close(run.structure);
	return wrong ? wrong : run.no_memory ? "out of memory" : NULL;
}

/* ---- recovery ------------------------------------------------------------------------------- */

static const struct pd_linear_op *call_visit(void *ctx, uint32_t entry,
					     const struct pd_linear_value *args)
{
	(void)ctx;
	return run.s->history.ops.n < MOST_VISITED ? call_by(0, entry, args) : NULL;
}

static void visit_all(struct pd_visitor v)
{
	pd_visit_keys(run.s, PD_READS, run.s->arena, v);
	pd_visit_drain(run.s, v);
}

static void do_more(uint64_t seed)
{
	struct pd_workgen gen = {.seed = seed + 1, .nops = MORE_OPS, .nthreads = 1};
	struct pd_workload more = {0};

	if (!pd_workload_make(&more, run.s->arena, run.s->driver->table, &gen)) {
		run.no_memory = true;
		return;
	}
	for (uint32_t i = 0; i < more.ops.n; i++)
		call_by(0, more.ops.v[i].entry, more.ops.v[i].arg);
}

static void validate(uint64_t seed)
{
	struct pd_visitor v = {call_visit, NULL};

	visit_all(v);
	pd_visit_keys(run.s, PD_REMOVES, run.s->arena, v);
	pd_visit_keys(run.s, PD_READS, run.s->arena, v);
	do_more(seed);
	visit_all(v);
}

/* What the execution before left of the history, and the crash. */
static void take_history(void)
{
	size_t n;
	const void *left = pd_check_history_left(&n);
	struct pd_op_history *h = &run.s->history;

	if (n && !pd_op_history_unpack(h, left, n))
		pd_check_end(PD_OUTCOME_LOST, 0, "out of memory for the history");
	run.clock = 2 * (uint64_t)h->ops.n + h->crashes.n + 1;
	if (!pd_op_history_crash(h, run.clock++))
		pd_check_end(PD_OUTCOME_LOST, 0, "out of memory for the history");
}

static void write_out(void *ctx, const char *s, size_t n)
{
	(void)ctx;
	pd_raw_write(STDOUT_FILENO, s, n);
}

static void describe(uint32_t op, char *buf, size_t n)
{
	struct pd_outbuf b;

	pd_outbuf_init(&b, buf, n);
	pd_draw_op(run.s->spec, &run.s->history.ops.v[op], &b.out);
}

static void report(const struct pd_verdict *v)
{
	struct pd_limits limits = {LIMIT_BYTES, WRONG_STEPS};
	struct pd_out out = {write_out, NULL};
	char response[PD_RUN_OPERATION], operation[PD_RUN_OPERATION] = "";
	struct pd_wrong w = pd_wrong_of(&run.s->history, run.s->spec, run.s->driver->condition, v,
					limits, run.s->arena);

	/* What needs no crash shows at the end of the execution, and is told once. */
	if (w.kind == PD_KIND_LINEAR_ORDER && !pd_check_shows_order())
		return;
	describe(v->culprit, response, sizeof(response));
	if (w.named)
		describe(w.op, operation, sizeof(operation));
	pd_draw(&run.s->history, run.s->spec, v, &out);
	pd_check_unexplained(w.kind, response, operation);
}

static void judge(void)
{
	struct pd_limits limits = {.bytes = LIMIT_BYTES};
	struct pd_verdict v;

	pd_check_history_judged();
	v = pd_judge(&run.s->history, run.s->spec, run.s->driver->condition, limits, run.s->arena);
	if (v.answer == PD_ANSWER_NO && v.fault == PD_HISTORY_OK)
		report(&v);
	else if (v.answer != PD_ANSWER_YES)
		pd_check_end(PD_OUTCOME_LOST, 0,
			     v.fault ? "its history contradicts itself"
				     : "the history is too long to be judged; try fewer --ops");
}

static const char *recover(uint64_t seed)
{
	struct pd_stress *s = run.s;

	pd_check_linear();
	take_history();
	run.structure = s->driver->open(s->path);
	if (!run.structure)
		return "the driver cannot open what the crash left";
	validate(seed);
	if (run.no_memory)
		pd_check_end(PD_OUTCOME_LOST, 0, "out of memory for the history");
	judge();
	s->driver->close(run.structure);
	return NULL;
}

const char *pd_driven_run(struct pd_stress *s, uint64_t seed)
{
	run.s = s;
	pd_op_history_init(&s->history, s->arena);
	pd_check_history = pack;
	return pd_check.role == PD_CHECK_FIRST ? run_first() : recover(seed);
}
