/* answers_test.c - the caches of answers: a worker's own, and the one that all share; and what they
 * go by. */
#include "unit/unit.h"
#include "engine/explore/common.h"

enum { BYTES = 64 };

struct fixture {
	struct unit_host h;
	struct pd_arena a;
	struct pd_exprs *x;
	struct pd_answers *s;
	struct pd_slice l;
};

static void begin(struct fixture *f)
{
	memset(f, 0, sizeof(*f));
	f->h.left = -1;
	pd_arena_init(&f->a, unit_host(&f->h));
	f->x = pd_exprs_create(&f->a, BYTES);
	f->s = pd_answers_create(&f->a, f->x);
	assert_non_null(f->s);
}

/* A slice of n bytes from the first on, which may have any value. */
static void slice_of(struct fixture *f, uint32_t first, uint32_t n)
{
	f->l.byte.n = f->l.domain.n = f->l.holds.n = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t *byte = pd_vec_push(&f->l.byte, &f->a);
		struct pd_set *any = pd_vec_push(&f->l.domain, &f->a);

		assert_true(byte && any);
		*byte = first + i;
		memset(any, 0xff, sizeof(*any));
	}
}

/* As many as make the cache begin anew, several times: what is found is what was kept. */
static void answers_stay_or_go(void **state)
{
	static const uint32_t lengths[] = {1, 3, 60};
	uint32_t found = 0;
	struct fixture f;

	(void)state;
	begin(&f);
	for (uint64_t k = 1; k < 20000; k++) {
		for (uint64_t j = k > 40 ? k - 40 : 1; j <= k; j += 40) {
			struct pd_digest d = {pd_mix(j), j};
			uint8_t input[BYTES] = {0};
			enum pd_ask_answer answer;
			uint32_t n = lengths[j % 3];

			slice_of(&f, 2, n);
			if (j == k) {
				memset(input, (int)(k % 251), sizeof(input));
				pd_answers_keep(f.s, d, &f.l, input,
						k % 5 ? PD_ASK_YES : PD_ASK_UNKNOWN);
				memset(input, 0, sizeof(input));
			}
			if (!pd_answers_find(f.s, d, &f.l, input, &answer)) {
				assert_int_not_equal(j, k);
				continue;
			}
			found++;
			assert_int_equal(answer, j % 5 ? PD_ASK_YES : PD_ASK_UNKNOWN);
			for (uint32_t i = 0; i < BYTES; i++)
				assert_int_equal(input[i],
						 j % 5 && i >= 2 && i < 2 + n ? j % 251 : 0);
		}
	}
	assert_true(found > 30000);
	pd_arena_finish(&f.a);
}

/* What all workers know: yes with values, no; never what one of them could not decide. */
static void common_has_no_unknown(void **state)
{
	struct pd_common *c = calloc(1, pd_common_size(BYTES));
	enum pd_ask_answer answer = PD_ASK_UNKNOWN;
	uint8_t input[BYTES], got[BYTES] = {0};
	struct fixture f;

	(void)state;
	begin(&f);
	slice_of(&f, 5, 20);
	for (uint32_t i = 0; i < BYTES; i++)
		input[i] = (uint8_t)(i * 7);
	pd_common_keep(c, (struct pd_digest){1, 2}, &f.l, input, BYTES, PD_ASK_UNKNOWN);
	assert_false(pd_common_find(c, (struct pd_digest){1, 2}, &f.l, got, &answer));
	pd_common_keep(c, (struct pd_digest){1, 3}, &f.l, input, BYTES, PD_ASK_NO);
	assert_true(pd_common_find(c, (struct pd_digest){1, 3}, &f.l, got, &answer));
	assert_int_equal(answer, PD_ASK_NO);
	pd_common_keep(c, (struct pd_digest){1, 4}, &f.l, input, BYTES, PD_ASK_YES);
	assert_true(pd_common_find(c, (struct pd_digest){1, 4}, &f.l, got, &answer));
	assert_int_equal(answer, PD_ASK_YES);
	for (uint32_t i = 0; i < BYTES; i++)
		assert_int_equal(got[i], i >= 5 && i < 25 ? i * 7 : 0);
	assert_false(pd_common_find(c, (struct pd_digest){2, 4}, &f.l, got, &answer));
	pd_arena_finish(&f.a);
	free(c);
}

/* Who was away for long gets the inputs that are still there, in their order, each once. */
static void inputs_that_are_gone(void **state)
{
	struct pd_common *c = calloc(1, pd_common_size(BYTES));
	uint8_t input[BYTES] = {0}, last = 0;
	uint64_t seen = 0;
	uint32_t n = 0;
	struct fixture f;

	(void)state;
	begin(&f);
	slice_of(&f, 0, 1);
	for (uint32_t i = 1; i <= 150; i++) {
		input[0] = (uint8_t)i;
		pd_common_keep(c, (struct pd_digest){i, i}, &f.l, input, BYTES, PD_ASK_YES);
	}
	while (pd_common_next(c, &seen, input, BYTES)) {
		assert_true(n == 0 || input[0] == last + 1);
		last = input[0];
		n++;
	}
	assert_int_equal(last, 150);
	assert_true(n > 10 && n < 150);
	pd_arena_finish(&f.a);
	free(c);
}

/* Both caches know a condition by its digest. */
static void digests_tell_operands_apart(void **state)
{
	struct pd_digest d[4];
	struct fixture f;
	pd_expr in[4];

	(void)state;
	begin(&f);
	for (uint32_t i = 0; i < 4; i++)
		in[i] = pd_expr_input(f.x, i);
	for (uint32_t i = 0; i < 4; i++) {
		pd_expr is = pd_expr_binary(f.x, PD_SYM_ULT, in[i == 1 ? 1 : 0],
					    pd_expr_const(f.x, 8, 77));

		d[i] = pd_expr_digest(f.x,
				      pd_expr_ite(f.x, is, in[i == 2 ? 3 : 2], in[i == 3 ? 3 : 1]));
	}
	for (uint32_t i = 0; i < 4; i++)
		for (uint32_t k = 0; k < i; k++)
			assert_true(d[i].a != d[k].a && d[i].b != d[k].b);
	pd_arena_finish(&f.a);
}

/* More sets of bytes than are kept in passing. */
static void sets_of_bytes(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	for (uint32_t i = 0; i < BYTES; i++)
		for (uint32_t k = 0; k < i; k++) {
			pd_expr e = pd_expr_binary(f.x, PD_SYM_ADD, pd_expr_input(f.x, i),
						   pd_expr_input(f.x, k));
			uint32_t n;
			const uint32_t *byte = pd_expr_support(f.x, e, &n);

			assert_int_equal(n, 2);
			assert_int_equal(byte[0], k);
			assert_int_equal(byte[1], i);
		}
	pd_arena_finish(&f.a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_stay_or_go),
		cmocka_unit_test(common_has_no_unknown),
		cmocka_unit_test(inputs_that_are_gone),
		cmocka_unit_test(digests_tell_operands_apart),
		cmocka_unit_test(sets_of_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
