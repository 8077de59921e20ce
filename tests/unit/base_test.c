/* base_test.c - arena, map, vec, sort, out, leb, glob, names. */
#include "unit/unit.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/names.h"
#include "base/out.h"
#include "base/sort.h"
#include "base/glob.h"
#include "base/leb.h"
#include "base/vec.h"

/* ---- arena ---------------------------------------------------------------------------------- */

static void arena_aligned_and_zeroed(void **state)
{
	struct unit_host h = {.left = -1};
	struct pd_arena a;

	(void)state;
	pd_arena_init(&a, unit_host(&h));
	for (size_t n = 1; n < 3000; n++) {
		uint8_t *p = pd_arena_alloc(&a, n);

		assert_non_null(p);
		assert_int_equal((uintptr_t)p % 16, 0);
		for (size_t i = 0; i < n; i++)
			assert_int_equal(p[i], 0);
		memset(p, 0xff, n);
	}
	pd_arena_finish(&a);
	assert_int_equal(h.live, 0);
	assert_int_equal(a.held, 0);
}

static void arena_reset_gives_zeroed_memory_again(void **state)
{
	struct unit_host h = {.left = -1};
	struct pd_arena a;

	(void)state;
	pd_arena_init(&a, unit_host(&h));
	for (int round = 0; round < 20; round++) {
		for (int i = 0; i < 200; i++) {
			uint8_t *p = pd_arena_alloc(&a, 1000);

			assert_non_null(p);
			for (int k = 0; k < 1000; k++)
				assert_int_equal(p[k], 0);
			memset(p, 0xa5, 1000);
		}
		pd_arena_reset(&a);
		assert_int_equal(h.live, 1);
		assert_int_equal(a.used, 0);
	}
	pd_arena_finish(&a);
	assert_int_equal(h.live, 0);
}

static void arena_goes_back_to_a_mark(void **state)
{
	struct unit_host h = {.left = -1};
	struct pd_arena a;
	uint8_t *first, *mark, *again;

	(void)state;
	pd_arena_init(&a, unit_host(&h));
	pd_arena_back(&a, NULL); /* there is nothing */
	first = pd_arena_alloc(&a, 100);
	memset(first, 1, 100);
	mark = a.cur;
	memset(pd_arena_alloc(&a, 1000), 2, 1000);
	pd_arena_back(&a, mark);
	again = pd_arena_alloc(&a, 1000);
	assert_true(again < first + 128);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(again[i], 0);
	assert_int_equal(first[99], 1);
	assert_non_null(pd_arena_alloc(&a, 1 << 20)); /* another block */
	pd_arena_back(&a, mark);
	assert_int_equal(a.used >= 1 << 20, 1); /* stays */
	pd_arena_finish(&a);
}

static void arena_failure_stays_until_reset(void **state)
{
	struct unit_host h = {.left = 1};
	struct pd_arena a;

	(void)state;
	pd_arena_init(&a, unit_host(&h));
	assert_non_null(pd_arena_alloc(&a, 100));
	assert_false(a.failed);
	assert_null(pd_arena_alloc(&a, 1 << 20));
	assert_true(a.failed);
	assert_non_null(pd_arena_alloc(&a, 100));
	assert_true(a.failed);
	pd_arena_reset(&a);
	assert_false(a.failed);
	assert_null(pd_arena_alloc(&a, SIZE_MAX - 100));
	pd_arena_finish(&a);
	assert_int_equal(h.live, 0);
}

static void arena_grow_keeps_content(void **state)
{
	struct unit_host h = {.left = -1};
	struct pd_arena a;
	uint8_t *p, *q;

	(void)state;
	pd_arena_init(&a, unit_host(&h));
	p = pd_arena_alloc(&a, 32);
	memset(p, 7, 32);
	assert_ptr_equal(pd_arena_grow(&a, p, 32, 128), p);
	assert_int_equal(p[31], 7);
	assert_int_equal(p[32], 0);
	assert_int_equal(p[127], 0);
	pd_arena_alloc(&a, 1);
	q = pd_arena_grow(&a, p, 128, 256);
	assert_ptr_not_equal(q, p);
	assert_int_equal(q[31], 7);
	assert_int_equal(q[255], 0);
	h.left = 0;
	assert_null(pd_arena_grow(&a, q, 256, 1 << 20));
	assert_int_equal(q[31], 7);
	pd_arena_finish(&a);
}

static void arena_strndup_terminates(void **state)
{
	struct unit_host h = {.left = -1};
	struct pd_arena a;

	(void)state;
	pd_arena_init(&a, unit_host(&h));
	assert_string_equal(pd_arena_strndup(&a, "abcdef", 3), "abc");
	assert_string_equal(pd_arena_strndup(&a, "", 0), "");
	pd_arena_finish(&a);
	h.left = 0;
	assert_null(pd_arena_strndup(&a, "abc", 3));
	pd_arena_finish(&a);
}

/* ---- map ------------------------------------------------------------------------------------ */

static void map_holds_what_was_put(void **state)
{
	enum { N = 20000 };
	struct unit_host h = {.left = -1};
	struct pd_arena a;
	struct pd_map m = {0};

	(void)state;
	pd_arena_init(&a, unit_host(&h));
	assert_null(pd_map_get(&m, 0));
	for (uint64_t i = 0; i < N; i++) {
		uint64_t *v = pd_map_put(&m, &a, i * 4096);

		assert_non_null(v);
		assert_int_equal(*v, 0);
		*v = i + 1;
	}
	assert_int_equal(m.n, N);
	for (uint64_t i = 0; i < N; i++) {
		assert_int_equal(*pd_map_get(&m, i * 4096), i + 1);
		assert_null(pd_map_get(&m, i * 4096 + 1));
		assert_int_equal(*pd_map_put(&m, &a, i * 4096), i + 1);
	}
	assert_int_equal(m.n, N);
	pd_arena_finish(&a);
}

static void map_survives_lack_of_memory(void **state)
{
	(void)state;
	for (long left = 0; left < 6; left++) {
		struct unit_host h = {.left = left};
		struct pd_arena a;
		struct pd_map m = {0};
		uint64_t n = 0;

		pd_arena_init(&a, unit_host(&h));
		while (n < 1000000) {
			uint64_t *v = pd_map_put(&m, &a, n);

			if (!v)
				break;
			*v = ~n;
			n++;
		}
		assert_true(n < 1000000);
		assert_int_equal(m.n, n);
		for (uint64_t i = 0; i < n; i++)
			assert_true(*pd_map_get(&m, i) == ~i);
		assert_null(pd_map_get(&m, n));
		pd_arena_finish(&a);
		assert_int_equal(h.live, 0);
	}
}

/* ---- vec ------------------------------------------------------------------------------------ */

static void vec_grows_and_survives_lack_of_memory(void **state)
{
	(void)state;
	for (long left = 0; left < 4; left++) {
		struct unit_host h = {.left = left};
		struct pd_arena a;
		PD_VEC(uint64_t) v = {0};
		uint32_t n = 0;

		pd_arena_init(&a, unit_host(&h));
		for (; n < 1000000; n++) {
			uint64_t *p = pd_vec_push(&v, &a);

			if (!p)
				break;
			*p = n * 3ULL;
		}
		assert_true(n < 1000000);
		assert_int_equal(v.n, n);
		for (uint32_t i = 0; i < n; i++)
			assert_int_equal(v.v[i], i * 3ULL);
		pd_arena_finish(&a);
	}
}

/* ---- out ------------------------------------------------------------------------------------ */

#define CHECK_FORMAT(expected, ...)                                                                \
	do {                                                                                       \
		char buf_[128];                                                                    \
		struct pd_outbuf b_;                                                               \
		pd_outbuf_init(&b_, buf_, sizeof(buf_));                                           \
		pd_outf(&b_.out, __VA_ARGS__);                                                     \
		assert_string_equal(buf_, expected);                                               \
		assert_int_equal(b_.n, strlen(expected));                                          \
		assert_int_equal(b_.lost, 0);                                                      \
	} while (0)

static void out_formats_as_printf(void **state)
{
	(void)state;
	CHECK_FORMAT("", "%s", "");
	CHECK_FORMAT("a%b", "a%%%c", 'b');
	CHECK_FORMAT("ab|cde", "%.*s|%s", 2, "abx", "cde");
	CHECK_FORMAT("  ab|ab  |", "%4s|%-4s|", "ab", "ab");
	CHECK_FORMAT("-7 7 2147483647 -2147483648", "%d %d %d %d", -7, 7, INT_MAX, INT_MIN);
	CHECK_FORMAT("4294967295 ff 0", "%u %x %u", UINT_MAX, 255u, 0u);
	CHECK_FORMAT("-9223372036854775808", "%ld", LONG_MIN);
	CHECK_FORMAT("18446744073709551615 ffffffffffffffff", "%lu %lx", ULONG_MAX, ULONG_MAX);
	CHECK_FORMAT("12", "%zu", (size_t)12);
	CHECK_FORMAT("0x10", "%p", (void *)16);
	CHECK_FORMAT("0042|   42|42   |", "%04d|%5d|%-5d|", 42, 42, 42);
	CHECK_FORMAT("-0042|  -42", "%05d|%5d", -42, -42);
	CHECK_FORMAT("00000000ab", "%010lx", 0xabUL);
}

static void out_counts_what_does_not_fit(void **state)
{
	char buf[8];
	struct pd_outbuf b;

	(void)state;
	pd_outbuf_init(&b, buf, sizeof(buf));
	pd_outs(&b.out, "12345");
	pd_outs(&b.out, "67890");
	assert_string_equal(buf, "1234567");
	assert_int_equal(b.lost, 3);
	pd_outbuf_init(&b, buf, 1);
	pd_outs(&b.out, "x");
	assert_string_equal(buf, "");
	assert_int_equal(b.lost, 1);
}

/* ---- hash ----------------------------------------------------------------------------------- */

static void digest_keeps_lengths_and_bytes_apart(void **state)
{
	static const char zeros[40];
	struct pd_digest seen[41];

	(void)state;
	for (size_t n = 0; n <= 40; n++) {
		seen[n] = PD_DIGEST_INIT;
		pd_digest_bytes(&seen[n], zeros, n);
		for (size_t k = 0; k < n; k++)
			assert_false(seen[k].a == seen[n].a || seen[k].b == seen[n].b);
	}
}

/* ---- sort ----------------------------------------------------------------------------------- */

struct card {
	uint32_t key;
	uint32_t number; /* as it came */
	char more[5];	 /* no power of two */
};

static int compare_cards(const void *a, const void *b)
{
	const struct card *x = a, *y = b;

	return x->key < y->key ? -1 : x->key > y->key;
}

/* Sorted, nothing gone, and equals in the order in which they came. */
static void assert_sorted(const struct card *v, uint32_t n)
{
	bool seen[200] = {false};

	for (uint32_t i = 0; i < n; i++) {
		assert_true(v[i].number < n && !seen[v[i].number]);
		seen[v[i].number] = true;
		assert_int_equal(v[i].more[4], (char)v[i].number);
		if (i)
			assert_true(v[i - 1].key < v[i].key ||
				    (v[i - 1].key == v[i].key && v[i - 1].number < v[i].number));
	}
}

static void sort_is_stable_with_and_without_memory(void **state)
{
	struct card v[200];
	uint64_t random = 1;

	(void)state;
	for (uint32_t n = 0; n < PD_LEN(v); n++)
		for (int memory = 0; memory < 2; memory++) {
			struct unit_host h = {.left = memory ? -1 : 0};
			struct pd_arena a;

			for (uint32_t i = 0; i < n; i++) {
				random = pd_mix(random + 1);
				v[i] = (struct card){random % (n / 3 + 1), i, {[4] = (char)i}};
			}
			pd_arena_init(&a, unit_host(&h));
			pd_sort(v, n, sizeof(*v), compare_cards, &a);
			assert_sorted(v, n);
			pd_arena_finish(&a);
		}
}

static bool less_keys(const void *keys, uint32_t a, uint32_t b)
{
	return ((const uint8_t *)keys)[a] < ((const uint8_t *)keys)[b];
}

static void sort_of_numbers_is_stable(void **state)
{
	uint8_t keys[100];

	(void)state;
	for (uint32_t n = 0; n <= PD_LEN(keys); n++) {
		struct unit_host h = {.left = -1};
		struct pd_arena a;
		uint32_t *order;

		for (uint32_t i = 0; i < n; i++)
			keys[i] = (uint8_t)(pd_mix(n * 128 + i) % (n / 3 + 1));
		pd_arena_init(&a, unit_host(&h));
		order = pd_sort_new(&a, n, less_keys, keys);
		assert_non_null(order);
		for (uint32_t i = 1; i < n; i++)
			assert_true(
				keys[order[i - 1]] < keys[order[i]] ||
				(keys[order[i - 1]] == keys[order[i]] && order[i - 1] < order[i]));
		pd_arena_finish(&a);
		h.left = 0;
		pd_arena_init(&a, unit_host(&h));
		assert_null(pd_sort_new(&a, n, less_keys, keys));
		pd_arena_finish(&a);
	}
}

/* ---- leb ------------------------------------------------------------------------------------ */

static const uint64_t numbers[] = {0,	   1,	       0x7f,	   0x80,      0x3fff,
				   0x4000, UINT32_MAX, 1ULL << 63, UINT64_MAX};

static uint32_t write_numbers(uint8_t *buf, uint32_t size, bool *full)
{
	struct pd_leb_writer w = {.buf = buf, .size = size};

	for (size_t i = 0; i < PD_LEN(numbers); i++)
		pd_leb_put(&w, numbers[i]);
	pd_leb_put_bytes(&w, "abc", 3);
	*full = w.full;
	return w.n;
}

static void leb_reads_what_was_written_and_knows_where_it_ends(void **state)
{
	uint8_t buf[64];
	bool full;
	uint32_t n = write_numbers(buf, sizeof(buf), &full);

	(void)state;
	assert_false(full);
	assert_int_equal(n, 1 + 1 + 1 + 2 + 2 + 3 + 5 + 10 + 10 + 3);
	for (uint32_t have = 0; have <= n; have++) {
		struct pd_leb_reader r = {.p = buf, .end = buf + have};
		const void *text;
		size_t i = 0;

		while (i < PD_LEN(numbers) && pd_leb_get(&r) == numbers[i] && pd_leb_ok(&r))
			i++;
		text = pd_leb_get_bytes(&r, 3);
		assert_int_equal(i == PD_LEN(numbers), have + 3 >= n);
		assert_int_equal(pd_leb_ok(&r), have == n);
		assert_false(r.bad);
		if (have == n)
			assert_memory_equal(text, "abc", 3);
	}
	for (uint32_t room = 0; room < n; room++) {
		assert_int_equal(write_numbers(buf, room, &full), room);
		assert_true(full);
	}
}

static void leb_refuses_what_is_too_long(void **state)
{
	uint8_t buf[16];
	struct pd_leb_reader r = {.p = buf, .end = buf + sizeof(buf)};

	(void)state;
	memset(buf, 0xff, sizeof(buf));
	pd_leb_get(&r);
	assert_true(r.bad);
	r = (struct pd_leb_reader){.p = (const uint8_t *)"\x05", .end = r.p};
	r.end = r.p + 1;
	assert_int_equal(pd_leb_get_small(&r, 4), 0);
	assert_true(r.bad);
}

/* ---- glob ----------------------------------------------------------------------------------- */

static const struct {
	const char *glob;
	const char *text;
	bool name;
	bool file;
} globs[] = {
	{"*", "", true, true},
	{"", "", true, true},
	{"", "a", false, false},
	{"a", "", false, false},
	{"?", "", false, false},
	{"?", "?", true, true},
	{"a*b*c", "axxbyybc", true, true},
	{"a*b*c", "axxbyyb", false, false},
	{"*ab", "aab", true, true},
	{"**a?", "bab", true, true},
	{"*.pm", "/mnt/x/y.pm", true, true},
	/* A matcher that tried everything would take until tomorrow. */
	{"*a*a*a*a*a*a*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false,
	 false},
	{"v::operator[]", "v::operator[]", true, true},
	{"v::operator[](int [5])", "v::operator[](int [5])", true, false},
	{"x[0-9].pm", "x7.pm", false, true},
	{"x[0-9].pm", "x[0-9].pm", true, false},
	{"x[!0-9]", "x7", false, false},
	{"x[!0-9]", "xa", false, true},
	{"x[]a]", "x]", false, true},
	{"x[a-]", "x-", false, true},
	{"x[\\]]", "x]", false, true},
	{"[", "[", true, true},
	{"\\*", "*", false, true},
	{"\\*", "ab", false, false},
	{"\\*", "\\ab", true, false},
	{"a\\", "a\\", true, true},
};

static void glob_of_names_and_of_files(void **state)
{
	(void)state;
	for (size_t i = 0; i < PD_LEN(globs); i++) {
		bool name = pd_glob_name(globs[i].glob, globs[i].text);
		bool file = pd_glob_file(globs[i].glob, globs[i].text);

		if (name != globs[i].name || file != globs[i].file)
			print_error("'%s' '%s'\n", globs[i].glob, globs[i].text);
		assert_int_equal(name, globs[i].name);
		assert_int_equal(file, globs[i].file);
	}
}

static void test_glob_path(void **state)
{
	(void)state;
	assert_true(pd_glob_path("x.pm", "sub/x.pm", "/a/sub/x.pm"));
	assert_true(pd_glob_path("sub/*", "sub/x.pm", "/a/sub/x.pm"));
	assert_true(pd_glob_path("/a/*/x.pm", NULL, "/a/sub/x.pm"));
	assert_true(pd_glob_path("./sub/x.pm", "sub/x.pm", "/a/sub/x.pm"));
	assert_true(pd_glob_path("sub/x.pm", "././sub/x.pm", "/a/sub/x.pm"));
	assert_false(pd_glob_path("y.pm", "sub/x.pm", "/a/sub/x.pm"));
	assert_false(pd_glob_path("sub/x.pm", NULL, "/a/sub/x.pm"));
	assert_false(pd_glob_path("", NULL, "/a/"));
}

static void names_are_added_once_and_as_far_as_there_is_room(void **state)
{
	char list[24] = "";

	(void)state;
	pd_names_add(list, sizeof(list), "");
	assert_string_equal(list, "");
	pd_names_add(list, sizeof(list), "pread of x");
	pd_names_add(list, sizeof(list), "read of x, pread of x");
	assert_string_equal(list, "pread of x, read of x");
	pd_names_add(list, sizeof(list), "y");
	assert_string_equal(list, "pread of x, read of x");
	list[10] = '\0';
	pd_names_add(list, sizeof(list), "much too long for it, y, 12345678");
	assert_string_equal(list, "pread of x, y, 12345678");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arena_aligned_and_zeroed),
		cmocka_unit_test(arena_reset_gives_zeroed_memory_again),
		cmocka_unit_test(arena_goes_back_to_a_mark),
		cmocka_unit_test(arena_failure_stays_until_reset),
		cmocka_unit_test(arena_grow_keeps_content),
		cmocka_unit_test(arena_strndup_terminates),
		cmocka_unit_test(map_holds_what_was_put),
		cmocka_unit_test(map_survives_lack_of_memory),
		cmocka_unit_test(vec_grows_and_survives_lack_of_memory),
		cmocka_unit_test(out_formats_as_printf),
		cmocka_unit_test(out_counts_what_does_not_fit),
		cmocka_unit_test(digest_keeps_lengths_and_bytes_apart),
		cmocka_unit_test(sort_is_stable_with_and_without_memory),
		cmocka_unit_test(sort_of_numbers_is_stable),
		cmocka_unit_test(leb_reads_what_was_written_and_knows_where_it_ends),
		cmocka_unit_test(leb_refuses_what_is_too_long),
		cmocka_unit_test(glob_of_names_and_of_files),
		cmocka_unit_test(test_glob_path),
		cmocka_unit_test(names_are_added_once_and_as_far_as_there_is_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
