/*
 * linear_judge.c - what judging a history costs: time an operation by specification and by number
 * of threads, of histories that can be explained and that cannot, and how it grows with their
 * length.
 *
 * A history is made by threads that take effect at a random time between call and response. After
 * nine tenths of it power fails; what was interrupted has taken effect or not. Of a wrong one, one
 * operation before the crash returned and is lost (the usual bug), or one response is something
 * that nobody wrote. Every figure is the least of several runs. Values differ; keys are drawn from
 * a quarter as many as there are operations.
 *
 *	linear_judge [OPERATIONS [SPECIFICATION]]
 */
#include "bench.h"
#include "engine/linear/judge.h"
#include "host/host.h"
#include <stdlib.h>
#include <string.h>

enum { RUNS = 3, THREADS = 8, STEPS = 300000 };

enum wrong { RIGHT, LOST, INVENTED };

/* What programs do with each structure, by name; some operations more often. */
static const struct mix {
	const char *spec, *label;
	const char *ops[8];
} mixes[] = {
	{"map", "map", {"put", "get", "remove", "put", "get", "contains"}},
	{"multimap", "multimap", {"add", "get", "remove", "contains", "count"}},
	{"set", "set", {"add", "remove", "contains"}},
	{"ordered-map",
	 "ordered-map, scans",
	 {"put", "get", "remove", "put", "get", "scan_n", "next"}},
	{"queue", "queue", {"enqueue", "dequeue"}},
	{"queue", "queue, peek", {"enqueue", "dequeue", "enqueue", "peek"}},
	{"queue", "queue, peek, size", {"enqueue", "dequeue", "peek", "size"}},
	{"stack", "stack", {"push", "pop"}},
	{"stack", "stack, top", {"push", "pop", "push", "top"}},
	{"stack", "stack, top, size", {"push", "pop", "top", "size"}},
	{"priority-queue", "priority-queue", {"push", "pop", "push", "min"}},
	{"register", "register", {"read", "write", "cas", "swap"}},
	{"counter", "counter", {"read", "increment", "decrement", "fetch_add"}},
	{"array", "array", {"get", "set", "swap"}},
};

struct maker {
	struct pd_op_history h;
	const struct mix *mix;
	const struct pd_linear_spec *spec;
	uint32_t nthreads, n;
	enum wrong wrong;
	uint64_t random, now, value;
	struct pd_spec_memory memory;
	_Alignas(16) uint8_t state[64];
	struct pd_linear_op going[THREADS];
	uint64_t called[THREADS];
	int phase[THREADS]; /* 0 idle, 1 called, 2 has taken effect */
};

static uint64_t draw(struct maker *m, uint64_t n)
{
	return (bench_random(&m->random) >> 11) % n;
}

static void call(struct maker *m, uint32_t i)
{
	struct pd_linear_op *o = &m->going[i];
	uint32_t n = 0;
	const char *name;
	bool keyed = m->spec->key || m->spec->size == sizeof(uint64_t);

	while (n < 8 && m->mix->ops[n])
		n++;
	name = m->mix->ops[draw(m, n)];
	*o = (struct pd_linear_op){.returned = 1};
	o->fn = (uint16_t)pd_spec_op(m->spec, name, strlen(name));
	o->nargs = (uint8_t)m->spec->ops[o->fn].nargs;
	for (int a = 0; a < o->nargs; a++)
		o->arg[a].word = a == 0 && keyed ? draw(m, m->n / 4) : ++m->value;
	if (strcmp(name, "scan_n") == 0)
		o->arg[1].word = 10;
	if (m->spec == &pd_spec_priority_queue)
		o->arg[0].word = draw(m, 1u << 30); /* one value twice: rare */
	if (m->spec == &pd_spec_multimap && o->nargs == 2)
		o->arg[1].word = draw(m, 4);
	m->called[i] = m->now++;
}

static void take_effect(struct maker *m, uint32_t i)
{
	uint8_t before[64];
	struct pd_linear_op *o = &m->going[i];

	memcpy(before, m->state, sizeof(before));
	if (pd_spec_apply(m->spec, m->state, o, 0, &o->result, &m->memory.m) != 1)
		exit(4);
	if (m->wrong == LOST && m->h.ops.n > m->n / 2 && memcmp(before, m->state, 64) != 0) {
		memcpy(m->state, before, sizeof(before));
		m->wrong = RIGHT;
	}
	if (m->wrong == INVENTED && m->h.ops.n > m->n / 2 &&
	    m->spec->ops[o->fn].effect != PD_WRITES && !o->result.size) {
		o->result.word = 1ULL << 40;
		m->wrong = RIGHT;
	}
}

static void add(struct maker *m, uint32_t i, uint64_t ret)
{
	if (!pd_op_history_add(&m->h, i, m->called[i], ret, &m->going[i]))
		exit(4);
}

/* What is going is interrupted; it has taken effect or not. */
static void interrupt(struct maker *m)
{
	for (uint32_t i = 0; i < m->nthreads; i++) {
		if (m->phase[i] == 1 && draw(m, 2))
			take_effect(m, i);
		m->going[i].returned = 0;
		if (m->phase[i])
			add(m, i, PD_NEVER);
		m->phase[i] = 0;
	}
}

static void step(struct maker *m)
{
	uint32_t i = (uint32_t)draw(m, m->nthreads);

	if (!m->h.crashes.n && m->h.ops.n >= m->n - m->n / 10) {
		interrupt(m);
		pd_op_history_crash(&m->h, m->now++);
	}
	if (m->phase[i] == 0)
		call(m, i);
	else if (m->phase[i] == 1)
		take_effect(m, i);
	else
		add(m, i, m->now++);
	m->phase[i] = (m->phase[i] + 1) % 3;
}

static void make(struct maker *m, const struct mix *mix, uint32_t nthreads, uint32_t n,
		 enum wrong wrong, struct pd_arena *a)
{
	memset(m, 0, sizeof(*m));
	m->mix = mix;
	m->spec = pd_spec_find(mix->spec);
	m->nthreads = nthreads;
	m->n = n;
	m->wrong = wrong;
	m->random = 88172645463325252ULL + n;
	pd_op_history_init(&m->h, a);
	pd_spec_memory_init(&m->memory, a);
	while (m->h.ops.n < n)
		step(m);
	interrupt(m);
}

/* Others may use the machine, too. */
static double processor_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Nanoseconds an operation. */
static double judge(const struct mix *mix, uint32_t nthreads, uint32_t n, enum wrong wrong,
		    enum pd_linear_condition c, enum pd_answer *answer)
{
	struct pd_limits limits = {.steps = STEPS, .bytes = 1u << 30};
	struct pd_arena a, keep;
	struct maker m;
	double best = 1e9;

	pd_arena_init(&a, pd_host_memory());
	make(&m, mix, nthreads, n, wrong, &a);
	for (int r = 0; r < RUNS; r++) {
		double t = processor_time();

		pd_arena_init(&keep, pd_host_memory());
		*answer = pd_judge(&m.h, m.spec, c, limits, &keep).answer;
		pd_arena_finish(&keep);
		t = processor_time() - t;
		best = t < best ? t : best;
		if (t > 0.2)
			break;
	}
	pd_arena_finish(&a);
	return best / n * 1e9;
}

static void cell(const struct mix *mix, uint32_t nthreads, uint32_t n, enum wrong wrong,
		 enum pd_linear_condition c)
{
	static const char *const mark[] = {"", "!", "?", "m"};
	enum pd_answer answer;
	double ns = judge(mix, nthreads, n, wrong, c, &answer);

	printf(" %10.0f%-1s", ns, mark[answer]);
	fflush(stdout);
}

static void table(const char *spec, uint32_t n)
{
	static const uint32_t threads[] = {1, 2, 8};
	static const char *const conditions[] = {"durable", "buffered", "strict"};

	printf("%u operations, ns each; !: cannot be explained, ?: given up after %d steps\n", n,
	       STEPS);
	printf("%-28s %32s   %32s   %32s\n", "", "right: 1, 2, 8 threads", "lost: 1, 2, 8",
	       "invented: 1, 2, 8");
	for (size_t i = 0; i < sizeof(mixes) / sizeof(*mixes); i++)
		for (int c = PD_DURABLE; c <= PD_STRICT; c++) {
			if (spec && strcmp(mixes[i].spec, spec) != 0)
				continue;
			printf("%-18s %-9s", c ? "" : mixes[i].label, conditions[c]);
			for (int w = RIGHT; w <= INVENTED; w++, printf("  "))
				for (int t = 0; t < 3; t++)
					cell(&mixes[i], threads[t], n, (enum wrong)w,
					     (enum pd_linear_condition)c);
			printf("\n");
		}
}

/* Ten times as many operations: time for each of them. */
static void growth(const struct mix *mix, uint32_t n)
{
	char what[64];
	enum pd_answer answer;
	double few = judge(mix, THREADS, n / 10, RIGHT, PD_DURABLE, &answer);
	double many = judge(mix, THREADS, n, RIGHT, PD_DURABLE, &answer);

	snprintf(what, sizeof(what), "%s: an operation of %u, to one of %u", mix->label, n, n / 10);
	bench_ratio(what, many, few, mix->spec[0] == 'm' ? 3 : 0);
}

int main(int argc, char **argv)
{
	uint32_t n = argc > 1 ? (uint32_t)atoi(argv[1]) : 10000;

	table(argc > 2 ? argv[2] : NULL, n);
	for (size_t i = 0; i < sizeof(mixes) / sizeof(*mixes); i++)
		if (argc <= 2 || strcmp(mixes[i].spec, argv[2]) == 0)
			growth(&mixes[i], n);
	return bench_verdict();
}
