/*
 * linear_twin_test.c - the judge of histories against its naive twin (tests/ref/linear.c), which
 * tries every order: random histories of a few operations, all specifications and conditions,
 * crashes, pending operations, syncs. RUNS= and SEED= for more. A failing run prints its history.
 */
#include "unit/unit.h"
#include "engine/linear/judge.h"
#include "ref/linear.h"
#include <stdio.h>

enum { THREADS = 4, SNAPSHOTS = REF_OPS + 1 };

struct gen {
	uint64_t random;
	const struct pd_linear_spec *spec;
	struct ref_history h;
	struct ref_state state;
	struct ref_state durable[SNAPSHOTS]; /* where a crash may lead back to, of buffered ones */
	int ndurable;
	struct ref_state began; /* the era, so */
	int going[THREADS];	/* an operation, or -1 */
	bool done[REF_OPS];	/* has taken effect */
	uint64_t pairs[REF_OPS][2 * REF_ENTRIES];
	uint64_t now;
	bool distinct; /* values, of what is known by its values */
};

static uint32_t draw(struct gen *g, uint32_t n)
{
	g->random = g->random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)((g->random >> 33) % n);
}

/* ---- a history, mostly right ---------------------------------------------------------------- */

static void call(struct gen *g, int thread)
{
	int i = g->h.n++, nfns = 0;
	struct ref_op *x = &g->h.op[i];

	while (g->spec->ops[nfns].name)
		nfns++;
	x->op.fn = (uint16_t)draw(g, (uint32_t)nfns);
	x->name = g->spec->ops[x->op.fn].name;
	x->op.nargs = (uint8_t)g->spec->ops[x->op.fn].nargs;
	for (int a = 0; a < x->op.nargs; a++)
		x->op.arg[a].word = draw(g, 3) + (a == 0 && draw(g, 8) == 0);
	if (g->distinct) {
		bool cas = strcmp(x->name, "cas") == 0;

		x->op.arg[cas].word = (uint64_t)(i * 5 + 3) % 16;
		if (cas) /* what an earlier one may have written, or what was there at first */
			x->op.arg[0].word = i ? g->h.op[draw(g, (uint32_t)i)].op.arg[0].word : 0;
	}
	if (draw(g, 8) == 0)
		x->op.flags = PD_MAY_FAIL;
	if (draw(g, 8) == 0) {
		x->op = (struct pd_linear_op){.flags = PD_SYNC};
		x->name = "sync";
	}
	x->call = g->now++;
	x->ret = UINT64_MAX;
	x->era = g->h.ncrashes;
	g->going[thread] = i;
}

static void take_effect(struct gen *g, int i)
{
	struct ref_op *x = &g->h.op[i];
	struct ref_way way[REF_WAYS];
	int w;

	g->done[i] = true;
	if (x->op.flags & PD_SYNC) {
		g->ndurable = 0;
	} else {
		w = (int)draw(g, (uint32_t)ref_apply(g->h.spec, &g->state, x, way));
		g->state = way[w].to;
		x->op.result.word = way[w].result;
		x->op.result.size = (size_t)way[w].npairs * 8;
		memcpy(g->pairs[i], way[w].pairs, x->op.result.size);
		x->op.result.data = x->op.result.size ? g->pairs[i] : NULL;
	}
	g->durable[g->ndurable++] = g->state;
}

static void reply(struct gen *g, int thread)
{
	struct ref_op *x = &g->h.op[g->going[thread]];

	x->ret = g->now++;
	x->op.returned = draw(g, 6) != 0 && !(x->op.flags & PD_SYNC);
	if (!x->op.returned)
		x->op.result = (struct pd_linear_value){0};
	g->going[thread] = -1;
}

static void crash(struct gen *g)
{
	g->h.ncrashes++;
	g->now++;
	for (int t = 0; t < THREADS; t++)
		g->going[t] = -1;
	if (draw(g, 2)) {
		/* Somebody helps, after the crash. */
		for (int i = 0; i < g->h.n; i++)
			if (!g->done[i] && !(g->h.op[i].op.flags & PD_SYNC) && draw(g, 3) == 0)
				take_effect(g, i);
	}
	if (g->h.condition == PD_BUFFERED || draw(g, 8) == 0)
		g->state = g->durable[draw(g, (uint32_t)g->ndurable)];
	if (draw(g, 6) == 0) /* whatever a sync has promised */
		g->state = g->began;
	g->began = g->durable[0] = g->state;
	g->ndurable = 1;
}

static void spoil(struct gen *g)
{
	struct ref_op *x = &g->h.op[draw(g, (uint32_t)g->h.n)];

	if (x->ret == UINT64_MAX || (x->op.flags & PD_SYNC))
		return;
	x->op.returned = 1;
	if (x->op.result.size && draw(g, 2)) {
		uint64_t *pairs = (uint64_t *)(uintptr_t)x->op.result.data;

		pairs[draw(g, (uint32_t)(x->op.result.size / 8))] = draw(g, 3);
		return;
	}
	x->op.result = (struct pd_linear_value){.word = draw(g, 5) ? draw(g, 3) : PD_NONE};
	if (g->distinct && x->op.result.word != PD_NONE && draw(g, 4))
		x->op.result.word = (uint64_t)(draw(g, (uint32_t)g->h.n) * 5 + 3) % 16;
}

static void generate(struct gen *g, uint64_t seed, const struct pd_linear_spec *spec)
{
	int max;

	memset(g, 0, sizeof(*g));
	g->random = seed * 0x9e3779b97f4a7c15ULL + 1;
	g->spec = spec;
	g->h.spec = spec->name;
	g->h.condition = (enum pd_linear_condition)draw(g, 3);
	g->ndurable = 1;
	g->distinct =
		(spec->order || spec == &pd_spec_priority_queue || spec == &pd_spec_register) &&
		draw(g, 3) > 0;
	max = 2 + (int)draw(g, REF_OPS - 2);
	for (int t = 0; t < THREADS; t++)
		g->going[t] = -1;
	for (int step = 0; step < 60; step++) {
		int t = (int)draw(g, THREADS);

		if (draw(g, 12) == 0 && g->h.ncrashes < 2)
			crash(g);
		else if (g->going[t] < 0 && g->h.n < max)
			call(g, t);
		else if (g->going[t] >= 0 && !g->done[g->going[t]])
			take_effect(g, g->going[t]);
		else if (g->going[t] >= 0)
			reply(g, t);
	}
	if (g->h.n == 0)
		call(g, 0);
	for (uint32_t n = draw(g, 4); n > 1; n--)
		spoil(g);
}

/* ---- both ----------------------------------------------------------------------------------- */

static void convert(const struct ref_history *r, struct pd_op_history *h, struct pd_arena *a)
{
	uint64_t crash = 0;

	pd_op_history_init(h, a);
	for (int i = 0; i < r->n; i++)
		assert_true(pd_op_history_add(h, (uint32_t)i, 2 * r->op[i].call + 1,
					      r->op[i].ret == UINT64_MAX ? PD_NEVER
									 : 2 * r->op[i].ret + 1,
					      &r->op[i].op));
	for (int c = 0; c < r->ncrashes; c++) {
		for (int i = 0; i < r->n; i++) {
			if (r->op[i].era > c)
				continue;
			crash = 2 * r->op[i].call + 2 > crash ? 2 * r->op[i].call + 2 : crash;
			if (r->op[i].ret != UINT64_MAX && 2 * r->op[i].ret + 2 > crash)
				crash = 2 * r->op[i].ret + 2;
		}
		/* Two crashes with nothing between them: the second one has to come later. */
		assert_true(pd_op_history_crash(h, crash));
		crash++;
	}
}

static void print(const struct ref_history *h)
{
	printf("# %s, condition %d\n", h->spec, (int)h->condition);
	for (int i = 0; i < h->n; i++) {
		const struct ref_op *x = &h->op[i];

		printf("# %d era %d [%ld,%ld] %s%s(", i, x->era, (long)x->call, (long)x->ret,
		       x->name, x->op.flags & PD_MAY_FAIL ? "?" : "");
		for (int a = 0; a < x->op.nargs; a++)
			printf(" %ld", (long)x->op.arg[a].word);
		printf(" )");
		if (x->op.returned)
			printf(" = %ld", (long)x->op.result.word);
		printf("\n");
	}
}

/* What is known up to the response of the culprit, with it or without. */
static struct ref_history up_to(const struct ref_history *h, int culprit, bool with)
{
	struct ref_history p = *h;
	uint64_t until = h->op[culprit].ret;

	p.n = 0;
	for (int i = 0; i < h->n; i++) {
		struct ref_op x = h->op[i];

		if (x.call > until)
			continue;
		if (x.ret != UINT64_MAX && (x.ret > until || (x.ret == until && !with)))
			x.ret = UINT64_MAX;
		p.op[p.n++] = x;
	}
	return p;
}

/* Whether the order, and then the culprit with the result that was expected, is a run. */
static bool is_run(const struct ref_history *h, const struct ref_state *s, const struct pd_try *t,
		   uint32_t at, uint32_t culprit)
{
	struct ref_way way[REF_WAYS];
	uint32_t i = at < t->n ? t->order[at] : culprit;
	const struct ref_op *x = &h->op[i];
	int n = ref_apply(h->spec, s, x, way);
	bool known = x->op.returned && x->ret < h->op[culprit].ret;

	for (int w = 0; w < n; w++) {
		if (at == t->n && way[w].result == t->expected.word &&
		    (size_t)way[w].npairs * 8 == t->expected.size)
			return true;
		if (at < t->n && (!known || way[w].result == x->op.result.word) &&
		    is_run(h, &way[w].to, t, at + 1, culprit))
			return true;
	}
	return false;
}

static bool facts_hold(const struct ref_history *h, const struct pd_verdict *v)
{
	struct ref_history before = up_to(h, (int)v->culprit, false);
	struct ref_history with = up_to(h, (int)v->culprit, true);
	struct ref_state s = {0};

	if (!v->exact || !ref_linearizable(&before) || ref_linearizable(&with) || !v->tries.n)
		return false;
	for (uint32_t i = 0; i < v->tries.n && !v->has_key; i++)
		if (!is_run(h, &s, &v->tries.v[i], 0, v->culprit))
			return false;
	return true;
}

static bool agree(struct gen *g, uint32_t *yes)
{
	struct unit_host host = {.left = -1};
	struct pd_arena a;
	struct pd_op_history h;
	struct pd_verdict v;
	bool expected = ref_linearizable(&g->h), ok;

	pd_arena_init(&a, unit_host(&host));
	convert(&g->h, &h, &a);
	v = pd_judge(&h, g->spec, g->h.condition, (struct pd_limits){0}, &a);
	ok = v.fault == PD_HISTORY_OK && v.answer == (expected ? PD_ANSWER_YES : PD_ANSWER_NO);
	if (ok && !expected && !(g->h.condition == PD_BUFFERED && g->h.ncrashes))
		ok = facts_hold(&g->h, &v);
	if (!ok) {
		print(&g->h);
		printf("# twin %d, answer %d, fault %d, culprit %u, tries %u\n", expected,
		       (int)v.answer, (int)v.fault, v.culprit, v.tries.n);
	}
	pd_arena_finish(&a);
	assert_int_equal(host.live, 0);
	*yes += expected;
	return ok;
}

static void agrees_with_the_twin(void **state)
{
	const char *runs = getenv("RUNS"), *seed = getenv("SEED");
	uint64_t n = runs ? strtoull(runs, NULL, 0) : 3000,
		 first = seed ? strtoull(seed, NULL, 0) : 1;

	(void)state;
	for (size_t k = 0; pd_specs[k]; k++) {
		uint32_t yes = 0;

		for (uint64_t i = 0; i < n; i++) {
			struct gen g;

			generate(&g, first + i * 16 + k, pd_specs[k]);
			if (!agree(&g, &yes))
				fail_msg("seed %lu of %s", (unsigned long)(first + i * 16 + k),
					 pd_specs[k]->name);
		}
		/* Neither answer is rare, or the comparison shows little. */
		if (n >= 1000) {
			assert_true(yes > n / 8);
			assert_true(yes < n - n / 8);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(agrees_with_the_twin)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
