/* facts_test.c - facts: the list itself, making and asking, as bytes and back. */
#include "unit/unit.h"
#include "finding/facts.h"

static struct unit_host host = {.left = -1};

static struct pd_fact_list sample(struct pd_arena *a)
{
	struct pd_fact_list l = {.arena = a};

	pd_fact_put_address(&l, PD_FACT_ADDRESS, 0x40, "/mnt/x.pm");
	pd_fact_put(&l, PD_FACT_SIZE, 8);
	pd_fact_put_if(&l, PD_FACT_UNFLUSHED, false);
	pd_fact_put(&l, PD_FACT_FIX, PD_WORD_FIX_LOG);
	for (uint32_t i = 0; i < 3; i++) {
		pd_fact_put_nth(&l, PD_FACT_LOST_STORE, i, i);
		pd_fact_put_nth(&l, PD_FACT_LOST_EXPECTED, i, UINT64_MAX - i);
	}
	return l;
}

/* Names are what JSON has: each once, in small letters, and each word's set is some fact's. */
static void the_list_is_sound(void **state)
{
	(void)state;
	for (int i = 0; i < PD_FACT_N; i++) {
		const struct pd_fact_info *k = &pd_fact_info[i];

		assert_int_equal(pd_fact_find(k->group, k->name), i);
		assert_int_equal(strspn(k->name, "abcdefghijklmnopqrstuvwxyz0123456789_"),
				 strlen(k->name));
		assert_int_equal(k->type == PD_FACT_IS_WORD, strcmp(k->words, "NONE") != 0);
		assert_true(*k->doc);
		for (int g = 1; g < PD_FACT_GROUP_N; g++)
			assert_true(k->group != PD_FACT_GROUP_NONE ||
				    strcmp(k->name, pd_fact_group_name[g]) != 0);
	}
	for (int i = 1; i < PD_WORD_N; i++) {
		bool used = false;

		assert_int_equal(pd_word_find(pd_word_info[i].set, pd_word_info[i].name), i);
		for (int k = 0; k < PD_FACT_N; k++)
			used |= strcmp(pd_fact_info[k].words, pd_word_info[i].set) == 0;
		assert_true(used);
	}
}

static void what_was_put_is_there(void **state)
{
	struct pd_arena a;
	struct pd_fact_list l;
	struct pd_facts f;

	(void)state;
	pd_arena_init(&a, unit_host(&host));
	l = sample(&a);
	f = pd_facts_of(&l);
	assert_int_equal(pd_fact_number(&f, PD_FACT_SIZE), 8);
	assert_string_equal(pd_fact_text(&f, PD_FACT_ADDRESS), "/mnt/x.pm");
	assert_int_equal(pd_fact_number(&f, PD_FACT_ADDRESS), 0x40);
	assert_null(pd_fact_get(&f, PD_FACT_UNFLUSHED, 0));
	assert_int_equal(pd_fact_word(&f, PD_FACT_FIX), PD_WORD_FIX_LOG);
	assert_int_equal(pd_fact_count(&f, PD_FACT_GROUP_LOST), 3);
	assert_true(pd_fact_get(&f, PD_FACT_LOST_EXPECTED, 2)->number == UINT64_MAX - 2);
	assert_null(pd_fact_get(&f, PD_FACT_LOST_STORE, 3));
	pd_arena_finish(&a);
}

static void a_list_of_ones_own_is_not_outgrown(void **state)
{
	struct pd_fact room[2];
	struct pd_fact_list l = {.v = room, .cap = 2};

	(void)state;
	for (uint32_t i = 0; i < 5; i++)
		pd_fact_put(&l, PD_FACT_SIZE, i);
	assert_int_equal(l.n, 2);
	assert_int_equal(l.dropped, 3);
}

static void order_is_total(void **state)
{
	struct pd_arena a;
	struct pd_fact_list l, m;
	struct pd_facts f, g;

	(void)state;
	pd_arena_init(&a, unit_host(&host));
	l = sample(&a);
	m = sample(&a);
	f = pd_facts_of(&l);
	g = pd_facts_copy(&a, &f);
	assert_int_equal(pd_facts_cmp(&f, &g), 0);
	assert_ptr_not_equal(f.v[0].text, g.v[0].text);
	m.v[m.n - 1].number++;
	g = pd_facts_of(&m);
	assert_true(pd_facts_cmp(&f, &g) < 0);
	assert_true(pd_facts_cmp(&g, &f) > 0);
	m.v[0].text = "/mnt/a.pm";
	assert_true(pd_facts_cmp(&f, &g) > 0);
	pd_arena_finish(&a);
}

static void bytes_and_back(void **state)
{
	uint8_t buf[256];
	struct pd_leb_writer w = {.buf = buf, .size = sizeof(buf)};
	struct pd_leb_reader r;
	struct pd_arena a;
	struct pd_fact_list l;
	struct pd_facts f, back;

	(void)state;
	pd_arena_init(&a, unit_host(&host));
	l = sample(&a);
	f = pd_facts_of(&l);
	pd_facts_encode(&w, &f);
	assert_false(w.full);
	r = (struct pd_leb_reader){.p = buf, .end = buf + w.n};
	back = pd_facts_decode(&r, &a);
	assert_true(pd_leb_ok(&r) && r.p == r.end);
	assert_int_equal(pd_facts_cmp(&f, &back), 0);
	for (uint32_t cut = 0; cut < w.n; cut++) {
		r = (struct pd_leb_reader){.p = buf, .end = buf + cut};
		back = pd_facts_decode(&r, &a);
		assert_true(r.more);
		assert_int_equal(back.n, 0);
	}
	pd_arena_finish(&a);
}

/* A word of another set, a key that is none: refused, not shown as something else. */
static void false_bytes_are_refused(void **state)
{
	const uint8_t cases[][4] = {
		{1, PD_FACT_FIX, 0, PD_WORD_NONE},
		{1, PD_FACT_FIX, 0, PD_WORD_N},
		{1, PD_FACT_N, 0, 0},
	};
	struct pd_arena a;

	(void)state;
	pd_arena_init(&a, unit_host(&host));
	for (uint32_t i = 0; i < PD_LEN(cases); i++) {
		struct pd_leb_reader r = {.p = cases[i], .end = cases[i] + 4};

		assert_int_equal(pd_facts_decode(&r, &a).n, 0);
		assert_true(r.bad);
	}
	pd_arena_finish(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_list_is_sound),
		cmocka_unit_test(what_was_put_is_there),
		cmocka_unit_test(a_list_of_ones_own_is_not_outgrown),
		cmocka_unit_test(order_is_total),
		cmocka_unit_test(bytes_and_back),
		cmocka_unit_test(false_bytes_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
