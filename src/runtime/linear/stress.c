/* stress.c - see stress.h. */
#include "runtime/linear/stress.h"
#include "runtime/linear/visit.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct done {
	uint64_t call, ret;
	struct pd_linear_op op;
};

struct worker {
	struct pd_stress *s;
	void *structure;
	atomic_uint_fast64_t *clock;
	pthread_barrier_t *start;
	pthread_t thread;
	uint32_t number;
	struct done *done;
	uint32_t ndone, cap;
	bool no_memory;
};

/* A returned value may be gone when the next operation runs. */
static bool keep_result(struct pd_linear_value *v)
{
	void *copy;

	if (!v->size)
		return true;
	copy = malloc(v->size);
	if (copy)
		v->data = memcpy(copy, v->data, v->size);
	return copy != NULL;
}

static struct done *call(struct worker *w, uint32_t entry, const struct pd_linear_value *args)
{
	const struct pd_linear_entry *e = &w->s->driver->table[entry];
	struct done *d = &w->done[w->ndone];

	if (w->ndone == w->cap || w->no_memory)
		return NULL;
	d->op = (struct pd_linear_op){.fn = w->s->fn[entry],
				      .nargs = (uint8_t)pd_entry_nargs(e),
				      .flags = (uint8_t)e->flags};
	memcpy(d->op.arg, args, sizeof(d->op.arg));
	d->call = atomic_fetch_add(w->clock, 1);
	e->call(w->structure, &d->op);
	d->ret = atomic_fetch_add(w->clock, 1);
	w->no_memory = !keep_result(&d->op.result);
	w->ndone++;
	return d;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	const struct pd_workload *all = &w->s->work;

	pthread_barrier_wait(w->start);
	for (uint32_t i = 0; i < all->ops.n; i++)
		if (all->ops.v[i].thread % w->s->nthreads == w->number)
			call(w, all->ops.v[i].entry, all->ops.v[i].arg);
	return NULL;
}

static bool prepare(struct worker *w, struct pd_stress *s, uint32_t number, uint32_t cap)
{
	w->s = s;
	w->number = number;
	w->cap = cap;
	w->done = calloc(cap + 1, sizeof(*w->done));
	return w->done != NULL;
}

static uint32_t share_of(const struct pd_stress *s, uint32_t number)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->work.ops.n; i++)
		n += s->work.ops.v[i].thread % s->nthreads == number;
	return n;
}

static const char *run_threads(struct pd_stress *s, struct worker *w, void *structure,
			       atomic_uint_fast64_t *clock)
{
	pthread_barrier_t start;
	uint32_t n = 0;

	pthread_barrier_init(&start, NULL, s->nthreads + 1);
	for (; n < s->nthreads; n++) {
		w[n].structure = structure;
		w[n].clock = clock;
		w[n].start = &start;
		/* Threads at the barrier cannot be stopped: the process ends. */
		if (pthread_create(&w[n].thread, NULL, work, &w[n]) != 0)
			return "cannot make that many threads";
	}
	pthread_barrier_wait(&start);
	for (uint32_t i = 0; i < n; i++)
		pthread_join(w[i].thread, NULL);
	pthread_barrier_destroy(&start);
	return NULL;
}

static const struct pd_linear_op *call_visit(void *ctx, uint32_t entry,
					     const struct pd_linear_value *args)
{
	const struct done *d = call(ctx, entry, args);

	return d ? &d->op : NULL;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static const char *gather(struct pd_stress *s, struct worker *w, uint32_t n)
{
	const char *wrong = NULL;

	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t k = 0; k < w[i].ndone; k++)
			if (!pd_op_history_add(&s->history, i < s->nthreads ? i + 1 : 0,
					       w[i].done[k].call, w[i].done[k].ret,
					       &w[i].done[k].op))
				wrong = "out of memory";
		if (w[i].no_memory)
			wrong = "out of memory";
	}
	return wrong;
}

static const char *run_all(struct pd_stress *s, struct worker *w)
{
	atomic_uint_fast64_t *clock = calloc(1, sizeof(*clock));
	struct worker *last = &w[s->nthreads];
	void *structure;
	const char *wrong;

	if (!clock)
		return "out of memory";
	structure = s->driver->open(s->path);
	if (!structure)
		return "the driver cannot open it";
	wrong = run_threads(s, w, structure, clock);
	if (wrong)
		return wrong;
	s->driver->close(structure);
	last->structure = s->driver->open(s->path);
	last->clock = clock;
	if (!last->structure)
		return "the driver cannot open it a second time";
	pd_visit_keys(s, PD_READS, (struct pd_visitor){call_visit, last});
	pd_visit_drain(s, (struct pd_visitor){call_visit, last});
	s->driver->close(last->structure);
	return gather(s, w, s->nthreads + 1);
}

const char *pd_stress_run(struct pd_stress *s)
{
	struct worker *w = calloc(s->nthreads + 1, sizeof(*w));
	uint32_t entries = pd_table_length(s->driver->table);
	const char *wrong = NULL;

	for (uint32_t i = 0; w && i < s->nthreads; i++)
		if (!prepare(&w[i], s, i, share_of(s, i)))
			wrong = "out of memory";
	if (!w || wrong || !prepare(&w[s->nthreads], s, s->nthreads, (s->work.ops.n + 2) * entries))
		return "out of memory";
	pd_op_history_init(&s->history, s->arena);
	/* The history has what the workers recorded, and the process is about to end. */
	return run_all(s, w);
}
