/* linear_judge_test.c - the judge: examples of the papers, long histories, limits, facts of a
 * no. */
#include "unit/tight.h"
#include "engine/linear/judge.h"

struct bench {
	struct unit_host host;
	struct pd_arena a;
	struct pd_op_history h;
	const struct pd_linear_spec *spec;
};

static void begin(struct bench *b, const struct pd_linear_spec *spec)
{
	b->host = (struct unit_host){.left = -1};
	pd_arena_init(&b->a, unit_host(&b->host));
	pd_op_history_init(&b->h, &b->a);
	b->spec = spec;
}

static void end(struct bench *b)
{
	pd_arena_finish(&b->a);
	assert_int_equal(b->host.live, 0);
}

/* ret: PD_NEVER, or when it returned `result`. */
static void op(struct bench *b, uint32_t thread, uint64_t call, uint64_t ret, const char *name,
	       uint64_t x, uint64_t y, uint64_t result)
{
	int fn = pd_spec_op(b->spec, name, strlen(name));
	struct pd_linear_op o = {.fn = (uint16_t)fn,
				 .returned = ret != PD_NEVER,
				 .arg = {{x, NULL, 0}, {y, NULL, 0}},
				 .result = {result, NULL, 0}};

	assert_true(fn >= 0);
	o.nargs = (uint8_t)b->spec->ops[fn].nargs;
	assert_true(pd_op_history_add(&b->h, thread, call, ret, &o));
}

static void sync_op(struct bench *b, uint32_t thread, uint64_t call, uint64_t ret)
{
	struct pd_linear_op o = {.flags = PD_SYNC};

	assert_true(pd_op_history_add(&b->h, thread, call, ret, &o));
}

static struct pd_verdict judge(struct bench *b, enum pd_linear_condition c)
{
	return pd_judge(&b->h, b->spec, c, (struct pd_limits){0}, &b->a);
}

static bool holds(struct bench *b, enum pd_linear_condition c)
{
	struct pd_verdict v = judge(b, c);

	assert_int_equal(v.fault, PD_HISTORY_OK);
	assert_true(v.answer == PD_ANSWER_YES || v.answer == PD_ANSWER_NO);
	return v.answer == PD_ANSWER_YES;
}

/* Durinn, Fig. 1: an insert that returned, a second one that the crash interrupts, a get
 * meanwhile. */
static bool figure_1(uint64_t seen, uint64_t after)
{
	struct bench b;
	bool r;

	begin(&b, &pd_spec_map);
	op(&b, 1, 1, 2, "put", 7, 1, PD_NONE);
	op(&b, 1, 3, PD_NEVER, "put", 7, 2, 0);
	op(&b, 2, 4, 5, "get", 7, 0, seen);
	assert_true(pd_op_history_crash(&b.h, 6));
	op(&b, 2, 7, 8, "get", 7, 0, after);
	r = holds(&b, PD_DURABLE);
	end(&b);
	return r;
}

static void all_or_nothing(void **state)
{
	(void)state;
	assert_true(figure_1(1, 1));
	assert_true(figure_1(1, 2));
	assert_true(figure_1(2, 2));
	assert_false(figure_1(2, 1)); /* visible, not durable */
	assert_false(figure_1(1, PD_NONE));
	assert_false(figure_1(PD_NONE, 1));
	assert_false(figure_1(1, 3));
}

/* What was interrupted shows up late: not there, then there. */
static void late_effect(void **state)
{
	struct bench b;

	(void)state;
	begin(&b, &pd_spec_map);
	op(&b, 1, 1, PD_NEVER, "put", 7, 1, 0);
	assert_true(pd_op_history_crash(&b.h, 5));
	op(&b, 2, 7, 8, "get", 7, 0, PD_NONE);
	op(&b, 2, 9, 10, "get", 7, 0, 1);
	assert_true(holds(&b, PD_DURABLE));
	assert_false(holds(&b, PD_STRICT));
	assert_false(holds(&b, PD_BUFFERED));
	op(&b, 2, 11, 12, "get", 7, 0, PD_NONE);
	assert_false(holds(&b, PD_DURABLE));
	end(&b);
}

/* n puts, of which a crash leaves the first `left`. */
static bool loses_the_end(uint64_t left, int synced, enum pd_linear_condition c)
{
	struct bench b;
	bool r;

	begin(&b, &pd_spec_map);
	for (uint64_t k = 0; k < 6; k++) {
		op(&b, 1, 10 * k, 10 * k + 1, "put", k, 5, PD_NONE);
		if ((int)k + 1 == synced)
			sync_op(&b, 1, 10 * k + 2, 10 * k + 3);
	}
	assert_true(pd_op_history_crash(&b.h, 100));
	for (uint64_t k = 0; k < 6; k++)
		op(&b, 2, 110 + 10 * k, 111 + 10 * k, "get", k, 0, k < left ? 5 : PD_NONE);
	r = holds(&b, c);
	end(&b);
	return r;
}

static void buffered(void **state)
{
	struct bench b;

	(void)state;
	for (uint64_t left = 0; left <= 6; left++) {
		assert_true(loses_the_end(left, 0, PD_BUFFERED));
		assert_int_equal(loses_the_end(left, 3, PD_BUFFERED), left >= 3);
		assert_int_equal(loses_the_end(left, 3, PD_DURABLE), left == 6);
	}
	/* What survives is a beginning: not the second without the first. */
	begin(&b, &pd_spec_map);
	op(&b, 1, 1, 2, "put", 1, 5, PD_NONE);
	op(&b, 1, 3, 4, "put", 2, 5, PD_NONE);
	assert_true(pd_op_history_crash(&b.h, 9));
	op(&b, 1, 11, 12, "get", 1, 0, PD_NONE);
	op(&b, 1, 13, 14, "get", 2, 0, 5);
	assert_false(holds(&b, PD_BUFFERED));
	end(&b);
}

static void facts_of_a_no(void **state)
{
	struct pd_verdict v;
	struct bench b;

	(void)state;
	begin(&b, &pd_spec_queue);
	op(&b, 1, 1, 10, "enqueue", 5, 0, 1);
	op(&b, 2, 2, 9, "enqueue", 6, 0, 1);
	op(&b, 1, 11, 12, "dequeue", 0, 0, 7); /* 5 or 6 */
	op(&b, 2, 13, 14, "dequeue", 0, 0, 5);
	v = judge(&b, PD_DURABLE);
	assert_int_equal(v.answer, PD_ANSWER_NO);
	assert_true(v.exact && !v.has_key);
	assert_int_equal(v.culprit, 2);
	assert_int_equal(v.tries.n, 2);
	assert_int_equal(v.tries.v[0].n, 2);
	assert_int_equal(v.tries.v[0].expected.word + v.tries.v[1].expected.word, 11);
	assert_int_equal(v.tries.v[0].order[0], v.tries.v[0].expected.word - 5);
	assert_int_equal(v.nops, 4);
	end(&b);
	begin(&b, &pd_spec_map);
	for (uint64_t k = 0; k < 20; k++)
		op(&b, 1, 10 * k, 10 * k + 5, k % 2 ? "get" : "put", k / 2, 3,
		   k == 13 || k == 17 ? 4
		   : k % 2	      ? 3
				      : PD_NONE);
	v = judge(&b, PD_STRICT);
	assert_int_equal(v.answer, PD_ANSWER_NO);
	assert_true(v.has_key && v.key == 6);
	assert_int_equal(v.culprit, 13);
	assert_int_equal(v.parts, 10);
	assert_int_equal(v.parts_wrong, 2);
	assert_int_equal(v.nops, 2);
	assert_int_equal(v.tries.v[0].expected.word, 3);
	end(&b);
}

/* ---- long ones ------------------------------------------------------------------------------ */

struct threads {
	uint64_t random, now;
	struct pd_spec_memory m;
	_Alignas(16) uint8_t state[64];
	struct pd_linear_op going[8];
	uint64_t called[8];
	int phase[8]; /* 0 idle, 1 called, 2 has taken effect */
};

static uint64_t draw(struct threads *t, uint64_t n)
{
	t->random = t->random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (t->random >> 33) % n;
}

/* Queues and stacks have their size last. */
static void step(struct bench *b, struct threads *t, uint64_t keys, bool sizes)
{
	uint32_t i = (uint32_t)draw(t, 8), nfns = 0;
	struct pd_linear_op *o = &t->going[i];

	while (b->spec->ops[nfns].name)
		nfns++;
	nfns -= b->spec->order && !sizes ? 1 : 0;
	if (t->phase[i] == 0) {
		*o = (struct pd_linear_op){.fn = (uint16_t)draw(t, nfns), .returned = 1};
		o->nargs = (uint8_t)b->spec->ops[o->fn].nargs;
		for (int a = 0; a < o->nargs; a++)
			o->arg[a].word = b->spec->order ? t->now : draw(t, keys);
		t->called[i] = t->now++;
	} else if (t->phase[i] == 1) {
		assert_int_equal(pd_spec_apply(b->spec, t->state, o, 0, &o->result, &t->m.m), 1);
	} else {
		assert_true(pd_op_history_add(&b->h, i, t->called[i], t->now++, o));
	}
	t->phase[i] = (t->phase[i] + 1) % 3;
}

/* A history of 8 threads that is right, by taking effect at a random time. */
static void long_history(struct bench *b, uint32_t n, uint64_t keys, bool sizes)
{
	struct threads *t = pd_new(&b->a, struct threads);

	t->random = n;
	pd_spec_memory_init(&t->m, &b->a);
	while (b->h.ops.n < n)
		step(b, t, keys, sizes);
	for (uint32_t i = 0; i < 8; i++)
		if (t->phase[i])
			assert_true(
				pd_op_history_add(&b->h, i, t->called[i], PD_NEVER, &t->going[i]));
}

static void long_and_right(void **state)
{
	(void)state;
	for (size_t i = 0; pd_specs[i]; i++) {
		struct pd_verdict v;
		struct bench b;

		uint32_t n = 10000, most = pd_specs[i]->order ? 400 * n : 60 * n;
		struct pd_limits limits = {.bytes = 128u << 20, .steps = 60 * n};

		begin(&b, pd_specs[i]);
		long_history(&b, n, 1000, true);
		v = pd_judge(&b.h, b.spec, PD_DURABLE, limits, &b.a);
		assert_int_equal(v.answer, PD_ANSWER_YES);
		/* What it takes grows with the operations, not with the orders. */
		print_message("# %s: %lu steps, %lu configurations, %lu kB\n", b.spec->name,
			      (unsigned long)v.steps, (unsigned long)v.configurations,
			      (unsigned long)v.bytes / 1024);
		assert_true(v.steps < most);
		assert_true(v.bytes < 256u << 20);
		end(&b);
	}
}

/* An element is lost, of 8 threads, which a search alone does not find out in time. */
static void long_and_wrong(void **state)
{
	static const struct pd_linear_spec *const specs[] = {&pd_spec_queue, &pd_spec_stack};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		const char *out = i ? "pop" : "dequeue", *in = i ? "push" : "enqueue";
		struct pd_verdict v;
		struct bench b;

		begin(&b, specs[i]);
		long_history(&b, 2000, 0, false);
		op(&b, 20, 1u << 20, (1u << 20) + 1, in, 1u << 30, 0, 1);
		op(&b, 20, (1u << 20) + 2, (1u << 20) + 3, in, 1u << 29, 0, 1);
		op(&b, 20, (1u << 20) + 4, (1u << 20) + 5, out, 0, 0, 1u << (30 - i));
		op(&b, 20, (1u << 20) + 6, (1u << 20) + 7, out, 0, 0, 12345678);
		v = pd_judge(&b.h, b.spec, PD_STRICT, (struct pd_limits){.steps = 100000}, &b.a);
		assert_int_equal(v.answer, PD_ANSWER_NO);
		assert_true(v.tries.n > 0);
		assert_true(v.steps < 60 * 2000 + 60000);
		end(&b);
	}
}

static void says_that_it_gave_up(void **state)
{
	struct pd_limits few = {.steps = 50}, small = {.bytes = 4096};
	struct pd_verdict v;
	struct bench b;

	(void)state;
	begin(&b, &pd_spec_register);
	long_history(&b, 500, 10, false);
	v = pd_judge(&b.h, b.spec, PD_DURABLE, few, &b.a);
	assert_int_equal(v.answer, PD_ANSWER_LIMIT);
	assert_int_equal(v.parts_unknown, 1);
	v = pd_judge(&b.h, b.spec, PD_DURABLE, small, &b.a);
	assert_int_equal(v.answer, PD_ANSWER_LIMIT);
	assert_true(pd_op_history_crash(&b.h, 1u << 30));
	v = pd_judge(&b.h, b.spec, PD_BUFFERED, few, &b.a);
	assert_int_equal(v.answer, PD_ANSWER_LIMIT);
	assert_int_equal(judge(&b, PD_BUFFERED).answer, PD_ANSWER_YES);
	end(&b);
	/* A no of one key is a no, though others were given up. */
	begin(&b, &pd_spec_map);
	long_history(&b, 500, 3, false);
	op(&b, 20, 1u << 20, 2u << 20, "get", 77, 0, 5);
	few.steps = 20;
	v = pd_judge(&b.h, &pd_spec_map, PD_DURABLE, few, &b.a);
	assert_true(v.answer == PD_ANSWER_LIMIT || v.answer == PD_ANSWER_NO);
	end(&b);
}

static void buffered_and_long(void **state)
{
	struct bench b;

	(void)state;
	begin(&b, &pd_spec_map);
	long_history(&b, 2000, 100, false);
	assert_true(pd_op_history_crash(&b.h, 1u << 20));
	/* Nothing is left, which is a beginning, too: the farthest that a crash may lose. */
	for (uint64_t k = 0; k < 100; k++)
		op(&b, 1, (1u << 21) + 2 * k, (1u << 21) + 2 * k + 1, "get", k, 0, PD_NONE);
	assert_true(holds(&b, PD_BUFFERED));
	op(&b, 1, 1u << 22, (1u << 22) + 1, "get", 5, 0, 123456);
	assert_false(holds(&b, PD_BUFFERED));
	end(&b);
}

/* Whether the stack may have only `left` after the crash; a sync came after two pushes. */
static bool stack_after_cut(uint64_t left, bool synced)
{
	struct bench b;
	bool right;

	begin(&b, &pd_spec_stack);
	op(&b, 0, 1, 10, "push", 2, 0, 1);
	op(&b, 1, 5, 6, "push", 1, 0, 1);
	if (synced)
		sync_op(&b, 1, 11, 12);
	op(&b, 0, 13, 20, "pop", 0, 0, 2);
	assert_true(pd_op_history_crash(&b.h, 30));
	op(&b, 0, 41, 42, "pop", 0, 0, left);
	op(&b, 0, 43, 44, "pop", 0, 0, PD_NONE);
	right = holds(&b, PD_BUFFERED);
	end(&b);
	return right;
}

/* The pop is in the cut with its own result or not at all; the pushes are if they were synced. */
static void buffered_stack(void **state)
{
	(void)state;
	assert_true(stack_after_cut(1, true));
	assert_true(stack_after_cut(2, false));
	assert_false(stack_after_cut(2, true));
	assert_false(stack_after_cut(PD_NONE, true));
	assert_true(stack_after_cut(PD_NONE, false));
	assert_false(stack_after_cut(3, false));
}

/* A crash that loses the last twenty, of 8 threads; and one that loses what is before. */
static void buffered_queue_long(void **state)
{
	struct pd_limits limits = {.steps = 100000};
	struct bench b;

	(void)state;
	for (uint64_t wrong = 0; wrong < 2; wrong++) {
		begin(&b, &pd_spec_queue);
		for (uint64_t i = 0; i < 800; i++)
			op(&b, (uint32_t)(i % 8), 10 * i + 1, 10 * i + 75, "enqueue", i, 0, 1);
		assert_true(pd_op_history_crash(&b.h, 1u << 20));
		for (uint64_t i = 0; i < 780; i++)
			op(&b, 1, (1u << 21) + 2 * i, (1u << 21) + 2 * i + 1, "dequeue", 0, 0,
			   i + (wrong && i >= 400) * 9);
		op(&b, 1, 1u << 22, (1u << 22) + 1, "dequeue", 0, 0, PD_NONE);
		assert_int_equal(pd_judge(&b.h, b.spec, PD_BUFFERED, limits, &b.a).answer,
				 wrong ? PD_ANSWER_NO : PD_ANSWER_YES);
		end(&b);
	}
}

/* ---- a specification of the user's, with memory of its own ---------------------------------- */

static long alive;

struct own {
	uint64_t *sum;
};

static int own_apply(void *state, const struct pd_linear_op *o, unsigned way,
		     struct pd_linear_value *result, struct pd_linear_memory *m)
{
	struct own *s = state;

	(void)m;
	if (way > 0)
		return 0;
	if (!s->sum) {
		s->sum = calloc(1, sizeof(*s->sum));
		alive++;
	}
	result->word = *s->sum;
	if (o->fn == 0)
		*s->sum += o->arg[0].word;
	return 1;
}

static int own_clone(void *to, const void *from, struct pd_linear_memory *m)
{
	const struct own *f = from;
	struct own *t = to;

	(void)m;
	t->sum = NULL;
	if (f->sum) {
		t->sum = malloc(sizeof(*t->sum));
		*t->sum = *f->sum;
		alive++;
	}
	return 1;
}

static uint64_t own_value(const void *state)
{
	const struct own *s = state;

	return s->sum ? *s->sum : 0;
}

static int own_equal(const void *a, const void *b)
{
	return own_value(a) == own_value(b);
}

static void own_finish(void *state)
{
	struct own *s = state;

	alive -= s->sum != NULL;
	free(s->sum);
}

static void own_specification(void **state)
{
	static const struct pd_linear_spec_op ops[] = {
		{"add", PD_WRITES, 1}, {"read", PD_READS, 0}, {NULL, 0, 0}};
	static const struct pd_linear_spec spec = {
		"sum",	   ops,	 sizeof(struct own), own_apply, own_clone, own_equal,
		own_value, NULL, own_finish,	     0};
	struct pd_limits few = {.steps = 3};
	struct bench b;

	(void)state;
	begin(&b, &spec);
	op(&b, 1, 1, 10, "add", 5, 0, 0);
	op(&b, 2, 2, 9, "add", 7, 0, 5);
	op(&b, 1, 11, 12, "read", 0, 0, 12);
	op(&b, 3, 3, PD_NEVER, "add", 100, 0, 0);
	assert_true(holds(&b, PD_DURABLE));
	assert_true(pd_op_history_crash(&b.h, 100));
	op(&b, 1, 111, 112, "read", 0, 0, 112);
	assert_true(holds(&b, PD_STRICT));
	assert_true(holds(&b, PD_BUFFERED));
	assert_true(pd_op_history_crash(&b.h, 200));
	op(&b, 1, 211, 212, "read", 0, 0, 13);
	assert_false(holds(&b, PD_DURABLE));
	assert_false(holds(&b, PD_BUFFERED));
	assert_int_equal(pd_judge(&b.h, &spec, PD_DURABLE, few, &b.a).answer, PD_ANSWER_LIMIT);
	assert_int_equal(alive, 0);
	end(&b);
}

static void survives_no_memory(void **state)
{
	struct bench b;
	uint32_t unknown = 0;

	(void)state;
	begin(&b, &pd_spec_ordered_map);
	long_history(&b, 200, 5, true);
	op(&b, 20, 1u << 20, 2u << 20, "first", 0, 0, 5);
	for (int c = 0; c < 2; c++) {
		for (long left = 0; left < 12; left++) {
			struct pd_arena keep;
			struct unit_host host = {.left = left};
			struct pd_verdict v;

			pd_arena_init(&keep, unit_host(&host));
			b.h.arena->host = unit_host(&host);
			v = pd_judge(&b.h, b.spec, c ? PD_BUFFERED : PD_DURABLE,
				     (struct pd_limits){0}, &keep);
			assert_true(v.answer != PD_ANSWER_YES);
			unknown += v.answer == PD_ANSWER_NO_MEMORY;
			pd_arena_finish(&keep);
			assert_int_equal(host.live, 0);
		}
		assert_true(pd_op_history_crash(&b.h, 1u << 30));
	}
	assert_true(unknown > 4);
	b.h.arena->host = unit_host(&b.host);
	end(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_or_nothing),
		cmocka_unit_test(late_effect),
		cmocka_unit_test(buffered),
		cmocka_unit_test(facts_of_a_no),
		cmocka_unit_test(long_and_right),
		cmocka_unit_test(long_and_wrong),
		cmocka_unit_test(says_that_it_gave_up),
		cmocka_unit_test(buffered_and_long),
		cmocka_unit_test(buffered_stack),
		cmocka_unit_test(buffered_queue_long),
		cmocka_unit_test(own_specification),
		cmocka_unit_test(survives_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
