/*
 * linear_decide_test.c - the deciders of queues, stacks, priority queues and registers, and of
 * their cuts, against the search, on histories that are too long for the twin that tries every
 * order; and how often they know. RUNS= and SEED= for more.
 */
#include "unit/unit.h"
#include "engine/linear/buffered.h"
#include "engine/linear/cuts.h"
#include "engine/linear/decide.h"
#include <stdio.h>

enum { THREADS = 4, OPS = 13 };

struct gen {
	struct unit_host host;
	struct pd_arena a;
	struct pd_op_history h;
	const struct pd_linear_spec *spec;
	uint64_t random, now;
	uint32_t max;
	bool repeats, sizes, loses;
	struct pd_spec_memory m;
	_Alignas(16) uint8_t state[64];
	_Alignas(16) uint8_t before[8][64]; /* the last few */
	uint32_t nbefore;
	struct pd_linear_op going[THREADS];
	uint64_t called[THREADS];
	int phase[THREADS]; /* 0 idle, 1 called, 2 has taken effect */
};

static uint32_t draw(struct gen *g, uint32_t n)
{
	g->random = g->random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)((g->random >> 33) % n);
}

static void call(struct gen *g, uint32_t t)
{
	static const char *const names[4][4] = {{"enqueue", "dequeue", "peek", "size"},
						{"push", "pop", "top", "size"},
						{"push", "pop", "min", "size"},
						{"write", "read", "swap", "cas"}};
	static const struct pd_linear_spec *const specs[] = {&pd_spec_queue, &pd_spec_stack,
							     &pd_spec_priority_queue};
	uint32_t which = draw(g, g->sizes ? 4 : 3) * !!draw(g, 3), k = 0;
	struct pd_linear_op *o = &g->going[t];
	const char *name;

	while (k < 3 && g->spec != specs[k])
		k++;
	name = names[k][which];
	*o = (struct pd_linear_op){.fn = (uint16_t)pd_spec_op(g->spec, name, strlen(name))};
	o->nargs = (uint8_t)g->spec->ops[o->fn].nargs;
	o->arg[o->nargs == 2].word = g->repeats ? draw(g, 6) : ((uint64_t)g->now * 37 + 5) % 128;
	if (o->nargs == 2 && draw(g, 3)) /* a cas, mostly of what is there */
		memcpy(&o->arg[0].word, g->state, sizeof(o->arg[0].word));
	o->flags = draw(g, 30) == 0 ? PD_MAY_FAIL : 0;
	g->called[t] = g->now++;
}

static void take_effect(struct gen *g, struct pd_linear_op *o)
{
	unsigned way = (o->flags & PD_MAY_FAIL) && draw(g, 2);

	memcpy(g->before[g->nbefore++ % 8], g->state, sizeof(g->state));
	assert_int_equal(pd_spec_apply(g->spec, g->state, o, way, &o->result, &g->m.m), 1);
}

static void add(struct gen *g, uint32_t t, uint64_t ret)
{
	g->going[t].returned = ret != PD_NEVER && draw(g, 60) != 0;
	assert_true(pd_op_history_add(&g->h, t, g->called[t], ret, &g->going[t]));
	g->phase[t] = 0;
}

static void interrupt(struct gen *g)
{
	for (uint32_t t = 0; t < THREADS; t++) {
		if (!g->phase[t])
			continue;
		if (g->phase[t] == 1 && draw(g, 2))
			take_effect(g, &g->going[t]);
		add(g, t, PD_NEVER);
	}
	if (g->loses && g->nbefore && draw(g, 4))
		memcpy(g->state, g->before[draw(g, PD_MIN(g->nbefore, 8))], sizeof(g->state));
}

static void spoil(struct gen *g)
{
	struct pd_hop *x = &g->h.ops.v[draw(g, g->h.ops.n)], *y = &g->h.ops.v[draw(g, g->h.ops.n)];

	if (x->op.fn == y->op.fn && x->op.returned && y->op.returned) {
		struct pd_linear_value v = x->op.result;

		x->op.result = y->op.result;
		y->op.result = v;
	} else if (x->op.returned && x->op.nargs == 0) {
		x->op.result.word = draw(g, 2) ? PD_NONE : y->op.arg[0].word;
	}
}

static void generate(struct gen *g, uint64_t seed, const struct pd_linear_spec *spec, bool loses)
{
	memset(g, 0, sizeof(*g));
	g->loses = loses;
	g->host.left = -1;
	pd_arena_init(&g->a, unit_host(&g->host));
	pd_op_history_init(&g->h, &g->a);
	pd_spec_memory_init(&g->m, &g->a);
	g->spec = spec;
	g->random = seed * 0x9e3779b97f4a7c15ULL + 1;
	g->repeats = draw(g, 4) == 0;
	g->sizes = draw(g, 4) == 0;
	g->max = 4 + draw(g, OPS - 4);
	while (g->h.ops.n < g->max) {
		uint32_t t = draw(g, THREADS);

		if (draw(g, 40) == 0 && !(loses && g->h.crashes.n)) {
			interrupt(g);
			assert_true(pd_op_history_crash(&g->h, g->now++));
		} else if (g->phase[t] == 0) {
			call(g, t);
			g->phase[t] = 1;
		} else if (g->phase[t] == 1) {
			take_effect(g, &g->going[t]);
			g->phase[t] = 2;
		} else {
			add(g, t, g->now++);
		}
	}
	interrupt(g);
	for (uint32_t n = draw(g, 2) * draw(g, 16); n > 0; n--)
		spoil(g);
}

static uint32_t sort_by_call(const struct pd_op_history *h, uint32_t *which)
{
	for (uint32_t i = 0; i < h->ops.n; i++) {
		uint32_t k = i;

		for (; k > 0 && h->ops.v[which[k - 1]].call > h->ops.v[i].call; k--)
			which[k] = which[k - 1];
		which[k] = i;
	}
	return h->ops.n;
}

static void print(const struct gen *g, bool strict)
{
	printf("# %s%s\n", g->spec->name, strict ? ", strict" : "");
	for (uint32_t i = 0; i < g->h.ops.n; i++) {
		const struct pd_hop *x = &g->h.ops.v[i];

		printf("# [%ld,%ld] %s%s(%ld)", (long)x->call, (long)x->ret,
		       g->spec->ops[x->op.fn].name, x->op.flags ? "?" : "",
		       x->op.nargs ? (long)x->op.arg[0].word : 0);
		printf(x->op.returned ? " = %ld\n" : "\n", (long)x->op.result.word);
	}
	for (uint32_t i = 0; i < g->h.crashes.n; i++)
		printf("# crash %ld\n", (long)g->h.crashes.v[i]);
}

/* Of certain histories: those without repeated values and without sizes. */
struct tally {
	uint32_t certain, unknown, yes, no;
};

static bool agree(struct gen *g, struct tally *t)
{
	uint32_t which[OPS + THREADS + 64];
	struct pd_search s = {.spec = g->spec,
			      .history = &g->h,
			      .which = which,
			      .until = draw(g, 3) ? PD_NEVER : draw(g, (uint32_t)g->now),
			      .strict = draw(g, 2),
			      .limits = {.steps = 20000}};
	struct pd_arena step;
	enum pd_answer decided, found;

	s.n = sort_by_call(&g->h, which);
	pd_arena_init(&step, unit_host(&g->host));
	decided = pd_decide(&s, &step);
	pd_arena_reset(&step);
	found = pd_search_run(&s, &step);
	pd_arena_finish(&step);
	if (!g->repeats && !g->sizes) {
		t->certain++;
		t->unknown += decided == PD_ANSWER_LIMIT;
		t->yes += decided == PD_ANSWER_YES;
		t->no += decided == PD_ANSWER_NO;
	}
	if (decided == found || decided == PD_ANSWER_LIMIT || found == PD_ANSWER_LIMIT)
		return true;
	print(g, s.strict);
	printf("# until %ld: search %d, decided %d\n", (long)s.until, (int)found, (int)decided);
	return false;
}

/* The same for one crash that may lose the end. */
static bool cuts_agree(struct gen *g, struct tally *t)
{
	uint32_t which[OPS + THREADS + 64];
	struct pd_search s = {.spec = g->spec, .history = &g->h, .which = which, .until = PD_NEVER};
	struct pd_arena step, keep;
	struct pd_verdict v = {0};
	enum pd_answer decided = PD_ANSWER_LIMIT, found;
	struct pd_search first = s;

	first.n = s.n = sort_by_call(&g->h, which);
	if (g->h.crashes.n != 1)
		return true;
	pd_arena_init(&step, unit_host(&g->host));
	pd_arena_init(&keep, unit_host(&g->host));
	first.until = g->h.crashes.v[0];
	if (pd_search_run(&first, &step) == PD_ANSWER_YES) {
		pd_arena_reset(&step);
		decided = pd_cuts_decide(&s, &step);
		t->certain++;
		t->unknown += decided == PD_ANSWER_LIMIT;
		t->yes += decided == PD_ANSWER_YES;
		t->no += decided == PD_ANSWER_NO;
	}
	pd_arena_reset(&step);
	s.limits.steps = 20000;
	found = pd_buffered_judge(&s, &step, &v, &keep);
	pd_arena_finish(&keep);
	pd_arena_finish(&step);
	if (decided == found || decided == PD_ANSWER_LIMIT || found == PD_ANSWER_LIMIT)
		return true;
	print(g, false);
	printf("# search %d, decided %d\n", (int)found, (int)decided);
	return false;
}

static void compare(bool (*same)(struct gen *g, struct tally *t), bool loses, uint32_t rarest)
{
	static const struct pd_linear_spec *const specs[] = {
		&pd_spec_queue, &pd_spec_stack, &pd_spec_priority_queue, &pd_spec_register};
	const char *runs = getenv("RUNS"), *seed = getenv("SEED");
	uint64_t n = runs ? strtoull(runs, NULL, 0) : 2500,
		 first = seed ? strtoull(seed, NULL, 0) : 1;

	for (size_t k = 0; k < 4; k++) {
		struct tally t = {0};

		for (uint64_t i = 0; i < n; i++) {
			struct gen g;
			bool ok;

			generate(&g, first + i * 4 + k, specs[k], loses);
			ok = same(&g, &t);
			pd_arena_finish(&g.a);
			assert_int_equal(g.host.live, 0);
			if (!ok)
				fail_msg("seed %lu of %s", (unsigned long)(first + i * 4 + k),
					 specs[k]->name);
		}
		print_message("# %s: %u yes, %u no, %u unknown\n", specs[k]->name, t.yes, t.no,
			      t.unknown);
		/* Both answers are common, and the search is rarely needed. */
		assert_true(t.yes > t.certain / rarest && t.no > t.certain / rarest);
		assert_true(t.unknown < t.certain / 8);
	}
}

static void agrees_with_the_search(void **state)
{
	(void)state;
	compare(agree, false, 8);
}

static void cuts_agree_with_the_search(void **state)
{
	(void)state;
	compare(cuts_agree, true, 16);
}

/* ---- by themselves: a search would find the same, so only these see that it is not needed --- */

struct step {
	uint64_t call, ret;
	const char *name;
	uint64_t arg, result;
};

/* What the decider says of the operations and a crash (0: none). */
static enum pd_answer decided(const struct pd_linear_spec *spec, const struct step *v, size_t n,
			      uint64_t crash, bool strict)
{
	struct unit_host host = {.left = -1};
	struct pd_arena a, step;
	struct pd_op_history h;
	uint32_t which[16];
	struct pd_search s = {.spec = spec, .history = &h, .which = which, .until = PD_NEVER};
	enum pd_answer answer;

	pd_arena_init(&a, unit_host(&host));
	pd_arena_init(&step, unit_host(&host));
	pd_op_history_init(&h, &a);
	for (size_t i = 0; i < n; i++) {
		struct pd_linear_op o = {.returned = v[i].ret != PD_NEVER,
					 .arg = {{v[i].arg, NULL, 0}},
					 .result = {v[i].result, NULL, 0}};

		o.fn = (uint16_t)pd_spec_op(spec, v[i].name, strlen(v[i].name));
		o.nargs = (uint8_t)spec->ops[o.fn].nargs;
		which[i] = (uint32_t)i;
		assert_true(pd_op_history_add(&h, (uint32_t)i, v[i].call, v[i].ret, &o));
	}
	assert_true(!crash || pd_op_history_crash(&h, crash));
	s.n = sort_by_call(&h, which);
	s.strict = strict;
	answer = pd_decide(&s, &step);
	pd_arena_finish(&step);
	pd_arena_finish(&a);
	return answer;
}

/* What was interrupted shows only later than it may by the strict condition. */
static void strict_ends_with_the_crash(void **state)
{
	static const struct step queue[] = {{1, PD_NEVER, "enqueue", 7, 0},
					    {11, 12, "dequeue", 0, PD_NONE},
					    {13, 14, "dequeue", 0, 7}};
	static const struct step stack[] = {
		{1, PD_NEVER, "push", 7, 0}, {11, 12, "pop", 0, PD_NONE}, {13, 14, "pop", 0, 7}};

	(void)state;
	assert_int_equal(decided(&pd_spec_queue, queue, 3, 5, false), PD_ANSWER_YES);
	assert_int_equal(decided(&pd_spec_queue, queue, 3, 5, true), PD_ANSWER_NO);
	assert_int_equal(decided(&pd_spec_stack, stack, 3, 5, false), PD_ANSWER_YES);
	assert_int_equal(decided(&pd_spec_stack, stack, 3, 5, true), PD_ANSWER_NO);
}

/* Which of two overlapping values is at the bottom shows only where one is looked at. */
static void a_look_needs_the_top(void **state)
{
	static const struct step first_above[] = {{1, 4, "push", 1, 1},
						  {2, 5, "push", 2, 1},
						  {6, 7, "top", 0, 1},
						  {8, 12, "pop", 0, 1},
						  {9, 13, "pop", 0, 2}};
	static const struct step both[] = {{1, 4, "push", 1, 1},  {2, 5, "push", 2, 1},
					   {6, 7, "top", 0, 1},	  {8, 9, "top", 0, 2},
					   {10, 14, "pop", 0, 1}, {11, 15, "pop", 0, 2}};

	(void)state;
	assert_int_equal(decided(&pd_spec_stack, first_above, 5, 0, false), PD_ANSWER_YES);
	assert_int_equal(decided(&pd_spec_stack, both, 6, 0, false), PD_ANSWER_NO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(strict_ends_with_the_crash),
					   cmocka_unit_test(a_look_needs_the_top),
					   cmocka_unit_test(agrees_with_the_search),
					   cmocka_unit_test(cuts_agree_with_the_search)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
