/* cut_test.c - what reads under one checksum can see: the rules of model/cut.h, by trying all
 * picks. */
#include "unit.h"
#include "model/state.h"

enum { MEM = 4096, WORDS = 16, PICKS = WORDS, SEEN = 64 };

/* Stores something to the lines from address 0 on, of which recovery reads all words. */
typedef void program(struct pd_model *m);

struct machine {
	struct unit_host host;
	struct pd_arena arena;
	struct pd_model m;
	uint8_t mem[MEM];
};

static void machine_init(struct machine *x)
{
	memset(x, 0, sizeof(*x));
	x->host.left = -1;
	pd_arena_init(&x->arena, unit_host(&x->host));
	pd_model_init(&x->m, &x->arena, PD_PARAMS_ADR, x->mem, false);
}

static void machine_finish(struct machine *x)
{
	pd_model_finish(&x->m);
	pd_arena_finish(&x->arena);
	assert_int_equal(x->host.live, 0);
}

/* Picks of one recovery: given ones first, then 0; and what each was one of. */
struct picks {
	uint32_t n;
	uint32_t pick[PICKS], of[PICKS];
};

static uint32_t pick(void *ctx, enum pd_choice_kind kind, uint32_t n)
{
	struct picks *p = ctx;

	(void)kind;
	assert_true(p->n < PICKS);
	p->of[p->n] = n;
	return p->pick[p->n++];
}

/* The next list of picks; false: that was the last. */
static bool next(struct picks *p)
{
	while (p->n && p->pick[p->n - 1] + 1 == p->of[p->n - 1])
		p->n--;
	if (!p->n)
		return false;
	p->pick[p->n - 1]++;
	memset(p->pick + p->n, 0, (PICKS - p->n) * sizeof(*p->pick));
	p->n = 0;
	return true;
}

/* What recoveries see, each once. */
struct seen {
	uint32_t n;
	uint64_t word[SEEN][WORDS];
};

struct setting {
	bool cut;
	bool imported; /* recovery starts from the exported state, as in another process */
	uint32_t wide; /* words that it reads with one load */
	bool twice;    /* the second half of the words feeds a checksum of its own */
};

static void crash(struct machine *x, program *run, bool imported)
{
	static uint8_t state[1 << 16];
	struct machine before;
	size_t n;

	machine_init(imported ? &before : x);
	run(imported ? &before.m : &x->m);
	if (!imported) {
		pd_model_crash(&x->m);
		return;
	}
	n = pd_model_export(&before.m, state, sizeof(state));
	assert_in_range(n, 1, sizeof(state));
	machine_init(x);
	assert_true(pd_model_import(&x->m, state, n));
	machine_finish(&before);
}

static void recover(program *run, struct setting s, struct picks *p, uint64_t *word)
{
	struct pd_chooser chooser = {pick, p};
	struct machine x;

	crash(&x, run, s.imported);
	for (uint32_t i = 0; i < WORDS; i += s.wide) {
		uint32_t group = s.twice && i >= WORDS / 2 ? 2 : 1;

		x.m.cutting = s.cut;
		if (group != x.m.cut.group)
			x.m.cut = (struct pd_cut){.group = group};
		pd_model_load(&x.m, 0, 8 * i, word + i, 8 * s.wide, &chooser);
	}
	machine_finish(&x);
}

static struct seen try_all(program *run, struct setting s)
{
	struct picks p = {0};
	struct seen seen = {0};

	do {
		assert_true(seen.n < SEEN);
		recover(run, s, &p, seen.word[seen.n]);
		for (uint32_t i = 0; i < seen.n; i++)
			assert_memory_not_equal(seen.word[i], seen.word[seen.n],
						sizeof(seen.word[i]));
		seen.n++;
	} while (next(&p));
	return seen;
}

/* So many contents, however recovery reads; what it reads is the same in this process and
 * another. */
static void expect(program *run, uint32_t n, bool twice)
{
	for (uint32_t wide = 1; wide <= 8; wide *= 2) {
		struct setting s = {.cut = true, .wide = wide, .twice = twice};
		struct seen here = try_all(run, s), there;

		s.imported = true;
		there = try_all(run, s);
		assert_int_equal(here.n, n);
		assert_int_equal(there.n, n);
		assert_memory_equal(here.word, there.word, sizeof(here.word));
	}
}

/* ---- programs ------------------------------------------------------------------------------- */

static void copy(struct pd_model *m, uint32_t word, uint32_t n, uint64_t value)
{
	uint64_t v[WORDS];

	for (uint32_t i = 0; i < n; i++)
		v[i] = value + i;
	pd_model_store(m, 0, 8 * word, v, 8 * n, 1, 0);
}

static void one_copy(struct pd_model *m)
{
	copy(m, 0, 8, 100);
}

static void word_by_word(struct pd_model *m)
{
	for (uint32_t i = 0; i < 8; i++)
		copy(m, i, 1, 100 + i);
}

static void copy_twice(struct pd_model *m)
{
	copy(m, 0, 8, 100);
	copy(m, 0, 8, 200);
}

static void two_lines(struct pd_model *m)
{
	copy(m, 0, 16, 100);
}

/* Only its last two words differ from what was there, durably, before. */
static void little_changes(struct pd_model *m)
{
	uint64_t v[8];

	copy(m, 0, 8, 100);
	pd_model_flush(m, 0, 0, PD_FLUSH_CLFLUSH);
	memcpy(v, m->mem, sizeof(v));
	v[6] = v[7] = 1;
	pd_model_store(m, 0, 0, v, sizeof(v), 1, 0);
}

/* ---- tests ---------------------------------------------------------------------------------- */

static bool has(const struct seen *s, uint64_t first, uint64_t last)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (s->word[i][0] == first && s->word[i][7] == last)
			return true;
	return false;
}

static void each_store_is_a_moment(void **state)
{
	(void)state;
	expect(word_by_word, 9, false);
}

/* None of it, all of it, and one moment in between. */
static void of_a_copy_one_moment_is_enough(void **state)
{
	struct seen s = try_all(one_copy, (struct setting){.cut = true, .wide = 1});

	(void)state;
	expect(one_copy, 3, false);
	assert_true(has(&s, 0, 0));
	assert_true(has(&s, 100, 107));
	assert_true(has(&s, 100, 0));
}

static void without_a_checksum_all_are_there(void **state)
{
	struct seen s = try_all(one_copy, (struct setting){.wide = 1});

	(void)state;
	assert_int_equal(s.n, 9);
}

/* What was complete at some time is always among them. */
static void what_was_complete_is_tried(void **state)
{
	struct seen s = try_all(copy_twice, (struct setting){.cut = true, .wide = 1});

	(void)state;
	assert_true(has(&s, 0, 0));
	assert_true(has(&s, 100, 107));
	assert_true(has(&s, 200, 207));
	assert_in_range(s.n, 4, 5);
}

/* The end of one line, where the copy goes on in the next, is a moment of its own. */
static void lines_are_told_apart(void **state)
{
	(void)state;
	expect(two_lines, 4, false);
}

static void each_checksum_has_one(void **state)
{
	(void)state;
	/* The first line in 3 ways; the second one, if nothing of it is known, too */
	expect(two_lines, 9, true);
}

static void the_part_that_changes_counts(void **state)
{
	(void)state;
	expect(little_changes, 3, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_store_is_a_moment),
		cmocka_unit_test(of_a_copy_one_moment_is_enough),
		cmocka_unit_test(without_a_checksum_all_are_there),
		cmocka_unit_test(what_was_complete_is_tried),
		cmocka_unit_test(lines_are_told_apart),
		cmocka_unit_test(each_checksum_has_one),
		cmocka_unit_test(the_part_that_changes_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
