/* witness_test.c - witness text: round trip, bad input, lack of memory. */
#include "unit/tight.h"
#include "finding/witness.h"

/* xorshift64: the same sequence everywhere. */
static uint64_t next(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

static void print(const struct pd_witness *w, char *buf, size_t size)
{
	struct pd_outbuf b;

	pd_outbuf_init(&b, buf, size);
	pd_witness_print(&b.out, w);
	assert_int_equal(b.lost, 0);
}

struct fixture {
	struct unit_host h;
	struct pd_arena a;
};

static void set_up(struct fixture *x)
{
	x->h = (struct unit_host){.left = -1};
	pd_arena_init(&x->a, unit_host(&x->h));
}

static void reads_the_documented_form(void **state)
{
	static const char text[] = "c0x41 c1 v2/3 t1x5\n e0/7\ts9";
	struct pd_text_error err;
	struct pd_witness w = {.schedule = {.seed = 5}};
	struct fixture x;
	char buf[64];

	(void)state;
	set_up(&x);
	assert_true(pd_witness_parse(&x.a, text, sizeof(text) - 1, &w, &err));
	assert_true(w.given);
	assert_int_equal(w.schedule.seed, 5);
	assert_int_equal(w.n, 41 + 1 + 1 + 5 + 1 + 1);
	assert_int_equal(w.choices[40].pick, 0);
	assert_int_equal(w.choices[41].pick, 1);
	assert_int_equal(w.choices[42].kind, PD_CHOICE_VALUE);
	assert_int_equal(w.choices[42].n, 3);
	assert_int_equal(w.choices[43].kind, PD_CHOICE_THREAD);
	assert_int_equal(w.choices[48].n, 7);
	assert_int_equal(w.choices[49].pick, 9);
	assert_int_equal(w.choices[49].n, 10);
	print(&w, buf, sizeof(buf));
	assert_string_equal(buf, "c0x41 c1 v2 t1x5 e0/7 s9");
	pd_arena_finish(&x.a);
}

static void empty_is_no_choice(void **state)
{
	struct pd_text_error err;
	struct pd_witness w = {0};
	struct fixture x;
	char buf[4];

	(void)state;
	set_up(&x);
	assert_true(pd_witness_parse(&x.a, " \n", 2, &w, &err));
	assert_true(w.given);
	assert_int_equal(w.n, 0);
	print(&w, buf, sizeof(buf));
	assert_string_equal(buf, "");
	pd_arena_finish(&x.a);
}

static void random_round_trip(void **state)
{
	uint64_t seed = 0x9e3779b97f4a7c15ULL;
	struct fixture x;

	(void)state;
	set_up(&x);
	for (int round = 0; round < 2000; round++) {
		static char buf[64 * 1024];
		struct pd_choice c[200];
		struct pd_witness w = {.given = true, .choices = c}, back = {0};
		struct pd_text_error err;

		w.n = (uint32_t)(next(&seed) % 200);
		for (uint32_t i = 0; i < w.n; i++) {
			uint32_t n = (uint32_t)(next(&seed) % 8 ? next(&seed) % 4 + 1
								: next(&seed) % UINT32_MAX + 1);

			c[i] = (struct pd_choice){(uint32_t)(next(&seed) % PD_CHOICE_KINDS), n,
						  (uint32_t)(next(&seed) % n)};
			if (c[i].pick == UINT32_MAX)
				c[i].pick--;
			if (i && next(&seed) % 2)
				c[i] = c[i - 1];
		}
		print(&w, buf, sizeof(buf));
		assert_true(pd_witness_parse(&x.a, buf, strlen(buf), &back, &err));
		assert_int_equal(pd_witness_cmp(&w, &back), 0);
		pd_arena_reset(&x.a);
	}
	pd_arena_finish(&x.a);
}

struct bad {
	const char *text;
	uint32_t line, column;
	const char *expected;
};

static void bad_text_says_where(void **state)
{
	static const struct bad bad[] = {
		{"q1", 1, 1, "one of the letters c v t e s"},
		{"c1 x", 1, 4, "one of the letters c v t e s"},
		{"c", 1, 2, "the number of the choice"},
		{"c-1", 1, 2, "the number of the choice"},
		{"c4294967295", 1, 2, "the number of the choice"},
		{"c99999999999999999999999", 1, 2, "the number of the choice"},
		{"c1/", 1, 4, "the number of alternatives"},
		{"c1/99999999999", 1, 4, "the number of alternatives"},
		{"v2/2", 1, 1, "a choice below the number of alternatives"},
		{"c1\nv0/0", 2, 1, "a choice below the number of alternatives"},
		{"c1x", 1, 4, "how many times, 1 to 16777216"},
		{"c1x0", 1, 1, "how many times, 1 to 16777216"},
		{"c1x4000000000", 1, 4, "how many times, 1 to 16777216"},
		{"c1x16777216 c1", 1, 15, "at most 16777216 choices in all"},
		{"c1c1", 1, 3, "a space after a choice"},
		{"c1x2/3", 1, 5, "a space after a choice"},
	};
	struct fixture x;

	(void)state;
	set_up(&x);
	for (size_t i = 0; i < PD_LEN(bad); i++) {
		struct pd_text_error err = {0};
		struct pd_witness w = {.schedule = {.seed = 3}};

		assert_false(pd_witness_parse(&x.a, bad[i].text, strlen(bad[i].text), &w, &err));
		assert_false(err.nomem);
		assert_string_equal(err.expected, bad[i].expected);
		assert_int_equal(err.line, bad[i].line);
		assert_int_equal(err.column, bad[i].column);
		assert_false(w.given);
		assert_int_equal(w.n, 0);
	}
	assert_int_equal(x.a.held, 0);
	pd_arena_finish(&x.a);
}

/* Whatever comes, it is refused with a place inside the text or reads back as what it prints. */
static void noise_is_refused_or_understood(void **state)
{
	static const char alphabet[] = "cvtes0123456789/x \n?-\0";
	uint64_t seed = 42, understood = 0;
	struct fixture x;

	(void)state;
	set_up(&x);
	for (int round = 0; round < 100000; round++) {
		char text[16], buf[512];
		size_t n = next(&seed) % sizeof(text);
		struct pd_witness w = {0}, back = {0};
		struct pd_text_error err;

		if (x.a.held > 1 << 20)
			pd_arena_finish(&x.a);
		for (size_t i = 0; i < n; i++)
			text[i] = alphabet[next(&seed) % sizeof(alphabet)];
		if (!pd_witness_parse(&x.a, text, n, &w, &err)) {
			assert_non_null(err.expected);
			assert_true(err.got >= text && err.got + err.ngot <= text + n);
			continue;
		}
		if (w.n > 20)
			continue;
		understood++;
		print(&w, buf, sizeof(buf));
		assert_true(pd_witness_parse(&x.a, buf, strlen(buf), &back, &err));
		assert_int_equal(pd_witness_cmp(&w, &back), 0);
	}
	assert_true(understood > 1000);
	pd_arena_finish(&x.a);
}

static void lack_of_memory(void **state)
{
	(void)state;
	for (size_t room = 0; room < 400; room += 16) {
		struct pd_witness w = {0};
		struct pd_text_error err = {0};
		struct unit_host h;
		struct pd_arena a;
		bool ok;

		tight_init(&a, &h, room);
		ok = pd_witness_parse(&a, "c1x20", 5, &w, &err);
		assert_int_equal(ok, w.given);
		assert_true(ok || err.nomem);
		if (room < 20 * sizeof(struct pd_choice))
			assert_false(ok);
		tight_finish(&a, &h);
	}
}

static void better_witness(void **state)
{
	static const struct pd_choice c[] = {{0, 2, 0}, {0, 2, 1}};
	const struct pd_witness none = {0}, empty = {.given = true};
	const struct pd_witness one = {true, 1, .choices = c};
	const struct pd_witness other = {true, 1, .choices = c + 1};
	const struct pd_witness two = {true, 2, .choices = c};
	struct pd_witness late = two;

	(void)state;
	assert_true(pd_witness_cmp(&empty, &none) < 0);
	assert_true(pd_witness_cmp(&two, &none) < 0);
	assert_true(pd_witness_cmp(&empty, &one) < 0);
	assert_true(pd_witness_cmp(&one, &other) < 0);
	assert_true(pd_witness_cmp(&other, &two) < 0);
	assert_true(pd_witness_cmp(&two, &other) > 0);
	assert_int_equal(pd_witness_cmp(&two, &two), 0);
	late.schedule.policy = PD_POLICY_LATE;
	assert_true(pd_witness_cmp(&two, &late) < 0);
	assert_true(pd_witness_cmp(&late, &two) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_the_documented_form),
		cmocka_unit_test(empty_is_no_choice),
		cmocka_unit_test(random_round_trip),
		cmocka_unit_test(bad_text_says_where),
		cmocka_unit_test(noise_is_refused_or_understood),
		cmocka_unit_test(lack_of_memory),
		cmocka_unit_test(better_witness),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
