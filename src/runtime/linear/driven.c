/* driven.c - see driven.h. */
#include "runtime/linear/driven.h"
#include "runtime/check/check.h"
#include "runtime/linear/bounded.h"
#include "runtime/linear/record.h"
#include "runtime/linear/tests.h"
#include "runtime/linear/visit.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Number of random operations of recovery; limit on a drain that never ends. */
enum { MORE_OPS = 4, MOST_VISITED = 100000 };

static struct {
	struct pd_stress *s;
	void *structure;
	struct pd_record record;
} run;

bool pd_driven_crashes(void)
{
	return pd_record_crashes();
}

/* ---- operations ----------------------------------------------------------------------------- */

static const struct pd_linear_op *call(uint32_t entry, const struct pd_linear_value *args)
{
	const struct pd_linear_entry *e = &run.s->driver->table[entry];
	struct pd_linear_op op = {.fn = run.s->fn[entry],
				  .nargs = (uint8_t)pd_entry_nargs(e),
				  .flags = (uint8_t)e->flags};
	uint32_t number;

	memcpy(op.arg, args, sizeof(op.arg));
	if (!pd_record_call(&run.record, &op, &number))
		return NULL;
	e->call(run.structure, &op);
	pd_loop_next();
	return pd_record_return(&run.record, number, &op);
}

static const struct pd_linear_op *call_visit(void *ctx, uint32_t entry,
					     const struct pd_linear_value *args)
{
	(void)ctx;
	return run.s->history.ops.n < MOST_VISITED ? call(entry, args) : NULL;
}

static void visit_all(struct pd_visitor v)
{
	pd_visit_keys(run.s, PD_READS, v);
	pd_visit_drain(run.s, v);
}

/* ---- the first execution -------------------------------------------------------------------- */

/*
 * Executes the share of one thread; operations that belong to none of them are main's, under the
 * next number.
 */
static void do_share(uint32_t thread)
{
	for (uint32_t i = 0; i < run.s->together; i++) {
		const struct pd_work *x = &run.s->work.ops.v[i];

		if (PD_MIN(x->thread, run.s->nthreads) != thread)
			continue;
		pd_bounded_calls();
		call(x->entry, x->arg);
	}
}

static void *work(void *number)
{
	do_share((uint32_t)(uintptr_t)number);
	return NULL;
}

/* Whether anything is left to do after main's share. */
static bool has_shares(void)
{
	for (uint32_t i = 0; i < run.s->together; i++)
		if (run.s->work.ops.v[i].thread < run.s->nthreads)
			return true;
	return false;
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

static void operate(uint32_t i)
{
	call(run.s->work.ops.v[i].entry, run.s->work.ops.v[i].arg);
}

static void look(void)
{
	visit_all((struct pd_visitor){call_visit, NULL});
}

static const char *run_schedule(struct pd_stress *s)
{
	const char *wrong;

	do_share(s->nthreads);
	pd_bounded_begin(false);
	wrong = has_shares() ? run_threads() : NULL;
	if (!wrong)
		look();
	return wrong;
}

static const char *run_first(void)
{
	struct pd_stress *s = run.s;
	struct pd_tests_front front = {.stress = s, .operate = operate, .look = look};
	bool tests = pd_tests_wanted();
	const char *wrong;

	run.structure = s->driver->open(s->path);
	if (!run.structure)
		return "the driver cannot open it";
	wrong = tests ? pd_tests_run(&front) : run_schedule(s);
	if (!wrong)
		s->driver->close(run.structure);
	if (!wrong && tests)
		pd_tests_closed();
	return wrong ? wrong : run.record.no_memory ? "out of memory" : NULL;
}

/* ---- recovery ------------------------------------------------------------------------------- */

static void do_more(uint64_t seed)
{
	struct pd_workgen gen = {.seed = seed + 1, .nops = MORE_OPS, .nthreads = 1};
	struct pd_workload more = {0};

	if (!pd_workload_make(&more, run.s->arena, run.s->driver->table, &gen)) {
		run.record.no_memory = true;
		return;
	}
	for (uint32_t i = 0; i < more.ops.n; i++)
		call(more.ops.v[i].entry, more.ops.v[i].arg);
}

static void validate(uint64_t seed)
{
	struct pd_visitor v = {call_visit, NULL};

	visit_all(v);
	pd_visit_keys(run.s, PD_REMOVES, v);
	pd_visit_keys(run.s, PD_READS, v);
	do_more(seed);
	visit_all(v);
}

static const char *recover(uint64_t seed)
{
	struct pd_stress *s = run.s;

	run.structure = s->driver->open(s->path);
	if (!run.structure)
		return "the driver cannot open what the crash left";
	validate(seed);
	pd_record_judge(&run.record);
	s->driver->close(run.structure);
	return NULL;
}

static uintptr_t code_of(uint16_t fn)
{
	const struct pd_linear_entry *table = run.s->driver->table;

	for (uint32_t i = 0; table[i].name; i++)
		if (run.s->fn[i] == fn && !(table[i].flags & PD_SYNC))
			return (uintptr_t)table[i].call;
	return 0;
}

const char *pd_driven_run(struct pd_stress *s, uint64_t seed)
{
	run.s = s;
	run.record = (struct pd_record){.spec = s->spec,
					.condition = s->driver->condition,
					.history = &s->history,
					.arena = s->arena,
					.code = code_of};
	pd_record_begin(&run.record);
	return pd_check.role == PD_CHECK_FIRST ? run_first() : recover(seed);
}
