/*
 * line_test.c - the classes of a version set, against a look at each of its versions.
 *
 * Random stores, flushes and crashes of one line; then its set is split again and again, by values
 * and through views, and one class is kept each time. Each version must be in the class of what it
 * looks like, and in no other.
 */
#include "unit.h"
#include "model/model.h"
#include "base/hash.h"

enum { MEM = 1 << 12, RUNS = 300, SPLITS = 4, MOST_STORES = 60, DEPTHS = 8 };

struct world {
	struct unit_host host;
	struct pd_arena arena;
	struct pd_model m;
	uint8_t *mem;
	uint64_t random;
};

static uint32_t draw(struct world *w, uint32_t n)
{
	w->random = pd_mix(w->random + 1);
	return (uint32_t)(w->random >> 33) % n;
}

/* ---- one version ---------------------------------------------------------------------------- */

/* Overwrites `bytes` as version v of this history does. */
static void apply(const struct pd_history *h, uint32_t v, uint8_t *bytes)
{
	for (uint32_t i = 0; i < PD_BLOCK; i++)
		if (h->known[0] >> i & 1)
			bytes[i] = h->base[i];
	for (uint32_t i = h->first; i && i <= v; i = pd_log_at(h->log, i - 1)->next) {
		const struct pd_store *s = pd_log_at(h->log, i - 1);

		for (uint32_t k = 0; k < s->size; k++)
			bytes[s->off + k] = (uint8_t)(s->value >> 8 * k);
	}
}

/* The line's content if history d has version v[d]; the oldest comes last. */
static void content(const struct pd_history *h, const uint32_t *v, uint8_t *bytes)
{
	if (h->older)
		content(h->older, v + 1, bytes);
	apply(h, *v, bytes);
}

static bool has(const struct pd_vset *set, const uint32_t *v)
{
	for (uint32_t b = 0; b < set->nbox; b++) {
		const struct pd_span *box = set->span + b * set->ndim;
		uint32_t d = 0;

		while (d < set->ndim && v[d] >= box[d].lo && v[d] <= box[d].hi)
			d++;
		if (d == set->ndim)
			return true;
	}
	return false;
}

/* Steps to the next version of all; false: there is none. */
static bool step(const struct pd_history *h, uint32_t *v)
{
	if (*v < PD_MAX(h->last, h->must)) {
		++*v;
		return true;
	}
	if (!h->older || !step(h->older, v + 1))
		return false;
	*v = h->must;
	return true;
}

/* ---- all of them ---------------------------------------------------------------------------- */

struct question {
	uint64_t need;
	struct pd_lens lens;
};

static uint32_t look(const struct question *q, const uint8_t *bytes, uint8_t *seen)
{
	if (q->lens.view)
		return pd_view_look(&q->lens, bytes + __builtin_ctzll(q->need), seen);
	for (uint32_t i = 0; i < PD_BLOCK; i++)
		seen[i] = q->need >> i & 1 ? bytes[i] : 0;
	return PD_BLOCK;
}

/* Each version of the set is in the one class that looks like it. Returns how many there are. */
static uint32_t compare(const struct pd_history *h, const struct pd_vset *set,
			const struct question *q, const pd_classes *classes)
{
	uint8_t bytes[PD_BLOCK], seen[PD_BLOCK], shown[PD_BLOCK];
	uint32_t v[DEPTHS] = {h->must, h->older ? h->older->must : 0}, found = 0;

	do {
		uint32_t in = 0, n;

		content(h, v, bytes);
		n = look(q, bytes, seen);
		for (uint32_t i = 0; i < classes->n; i++) {
			const struct pd_class *c = &classes->v[i];

			if (!has(&c->set, v))
				continue;
			in++;
			look(q, c->value, shown);
			assert_memory_equal(seen, shown, n);
		}
		assert_int_equal(in, has(set, v));
		found += in;
	} while (step(h, v));
	return found;
}

/* After one crash versions have an order: a class has the value of its newest. */
static void compare_newest(const struct pd_history *h, const pd_classes *classes, uint64_t need)
{
	for (uint32_t i = 0; i < classes->n; i++) {
		const struct pd_vset *set = &classes->v[i].set;
		uint8_t bytes[PD_BLOCK];
		uint32_t newest = 0;

		for (uint32_t b = 0; b < set->nbox; b++)
			newest = PD_MAX(newest, set->span[b].hi);
		content(h, &newest, bytes);
		for (uint64_t m = need; m; m &= m - 1)
			assert_int_equal(classes->v[i].value[__builtin_ctzll(m)],
					 bytes[__builtin_ctzll(m)]);
	}
}

static void compare_only(struct world *w, const struct pd_history *h, const struct pd_vset *set,
			 uint64_t need)
{
	uint8_t value[PD_BLOCK];
	pd_classes classes;
	bool only = pd_vset_only(h, set, 0, need, &w->arena, value);

	assert_true(pd_vset_classes(h, set, 0, need, NULL, &w->arena, &classes));
	assert_int_equal(only, classes.n == 1);
	if (only)
		assert_memory_equal(value, classes.v[0].value, PD_BLOCK);
}

static void differ(const struct question *q, const pd_classes *classes)
{
	uint8_t one[PD_BLOCK], other[PD_BLOCK];

	for (uint32_t i = 0; i < classes->n; i++)
		for (uint32_t k = 0; k < i; k++) {
			uint32_t n = look(q, classes->v[i].value, one);

			look(q, classes->v[k].value, other);
			assert_memory_not_equal(one, other, n);
			assert_true(classes->v[k].newest > classes->v[i].newest);
		}
}

static struct {
	struct pd_view view;
	struct pd_view_step step[2];
} parity = {{.steps = 2, .size = 8, .parts = 1},
	    {{.op = PD_VIEW_AND, .bits = 64, .c = 1}, {.op = PD_VIEW_BITS, .bits = 64}}},
  equal = {{.steps = 1, .size = 8}, {{.op = PD_VIEW_EQ, .bits = 64, .with = 1}}};

static struct question ask(struct world *w)
{
	struct question q = {.need = 0xffULL << 8 * draw(w, 4)};

	switch (draw(w, 3)) {
	case 0:
		q.lens.view = &parity.view;
		break;
	case 1:
		q.lens = (struct pd_lens){&equal.view, {draw(w, 9)}};
		break;
	default:
		if (draw(w, 2))
			q.need = 0xf0f << draw(w, 8);
	}
	return q;
}

static void execute(struct world *w)
{
	for (uint32_t n = draw(w, MOST_STORES); n; n--) {
		uint64_t value = draw(w, 9), at = 8 * draw(w, 4);
		uint32_t size = draw(w, 4) ? 8 : 1;

		pd_model_store(&w->m, 0, at, &value, size, n, 0);
		if (!draw(w, 20)) {
			pd_model_flush(&w->m, 0, 0, PD_FLUSH_CLWB);
			pd_model_sfence(&w->m, 0);
		}
	}
	pd_model_crash(&w->m);
}

static void split(struct world *w, const struct pd_line *line)
{
	struct pd_vset set = line->set;

	for (uint32_t i = 0; i < SPLITS; i++) {
		struct question q = ask(w);
		pd_classes classes;

		assert_true(pd_vset_classes(line->crashed, &set, 0, q.need, &q.lens, &w->arena,
					    &classes));
		differ(&q, &classes);
		assert_true(compare(line->crashed, &set, &q, &classes) > 0);
		if (set.ndim == 1)
			compare_newest(line->crashed, &classes, q.need);
		compare_only(w, line->crashed, &set, q.need);
		set = classes.v[draw(w, classes.n)].set;
	}
}

static void test_each_version(void **state)
{
	uint32_t once = 0, twice = 0;

	(void)state;
	for (uint32_t run = 0; run < RUNS; run++) {
		struct world w = {.host.left = -1, .random = run};
		struct pd_line *line;

		w.mem = calloc(1, MEM);
		pd_arena_init(&w.arena, unit_host(&w.host));
		pd_model_init(&w.m, &w.arena, PD_PARAMS_ADR, w.mem, false);
		for (uint32_t crashes = 1 + run % 2; crashes; crashes--)
			execute(&w);
		line = pd_model_line(&w.m, 0);
		if (line && line->crashed) {
			once += line->set.ndim == 1;
			twice += line->set.ndim == 2;
			split(&w, line);
		}
		pd_model_finish(&w.m);
		pd_arena_finish(&w.arena);
		assert_int_equal(w.host.live, 0);
		free(w.mem);
	}
	assert_true(once > RUNS / 4 && twice > RUNS / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_version)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
