/* checksum_test.c - which reads feed a checksum; and reads that can see several values. */
#include "unit.h"
#include "engine/crash/checksum.h"
#include "engine/crash/several.h"
#include "unit/grows.h"

static void names(void **state)
{
	(void)state;
	assert_true(pd_checksum_is_name_of("crc", "crc"));
	assert_false(pd_checksum_is_name_of("crc", "crc32"));
	assert_false(pd_checksum_is_name_of("crc", "my_crc"));
	assert_true(pd_checksum_is_name_of("crc", "_Z3crcPKcm"));
	assert_true(pd_checksum_is_name_of("crc", "_ZN3log3crcEPKcm"));
	assert_false(pd_checksum_is_name_of("crc", "_Z5crc32PKcm"));
	assert_false(pd_checksum_is_name_of("crc", "_Z6my_crcPKcm"));
	assert_true(pd_checksum_is_name_of("checksum_of_x", "_Z13checksum_of_xv"));
	assert_false(pd_checksum_is_name_of("crc", "x_Z3crc"));
	assert_false(pd_checksum_is_name_of("crc", ""));
}

static struct pd_checksums sums;
static struct pd_checksum_functions none, crc = {.name = {"adler", "crc"}};

static void ranges(void **state)
{
	uint32_t first;

	(void)state;
	memset(&sums, 0, sizeof(sums));
	assert_int_equal(pd_checksum_group(&sums, &none, 0, 100, 8, NULL, NULL), 0);
	pd_checksum_begin_range(&sums, 0, 100, 16);
	first = pd_checksum_group(&sums, &none, 0, 100, 8, NULL, NULL);
	assert_true(first);
	assert_int_equal(pd_checksum_group(&sums, &none, 0, 108, 8, NULL, NULL), first);
	assert_int_equal(pd_checksum_group(&sums, &none, 0, 109, 8, NULL, NULL), 0);
	assert_int_equal(pd_checksum_group(&sums, &none, 0, 99, 8, NULL, NULL), 0);
	assert_int_equal(pd_checksum_group(&sums, &none, 1, 100, 8, NULL, NULL), 0);
	pd_checksum_end_range(&sums, 0);
	assert_int_equal(pd_checksum_group(&sums, &none, 0, 100, 8, NULL, NULL), 0);
	pd_checksum_begin_range(&sums, 0, 100, 16);
	assert_int_not_equal(pd_checksum_group(&sums, &none, 0, 100, 8, NULL, NULL), first);
	pd_checksum_begin_range(&sums, 999, 0, 8); /* those with high numbers share one place */
	assert_true(pd_checksum_group(&sums, &none, 500, 0, 8, NULL, NULL));
}

/* Their numbers are beyond the table: one says nothing about another. */
static void many_sites(void **state)
{
	struct pd_site in = {.function = "crc", .id = PD_CHECKSUM_SITES + 1};
	struct pd_site out = {.function = "main", .id = PD_CHECKSUM_SITES + 2};

	(void)state;
	for (int first = 0; first < 2; first++) {
		memset(&sums, 0, sizeof(sums));
		if (first)
			assert_true(pd_checksum_group(&sums, &crc, 0, 0, 8, &in, NULL));
		assert_int_equal(pd_checksum_group(&sums, &crc, 0, 8, 8, &out, NULL), 0);
		assert_true(pd_checksum_group(&sums, &crc, 0, 16, 8, &in, NULL));
	}
}

static void functions(void **state)
{
	struct pd_site outer = {.function = "crc", .id = 2};
	struct pd_site inner = {.function = "get", .id = 3, .inlined_at = &outer};
	struct pd_site other = {.function = "main", .id = 4};
	uint32_t first;

	(void)state;
	memset(&sums, 0, sizeof(sums));
	first = pd_checksum_group(&sums, &crc, 0, 0, 8, &outer, NULL);
	assert_true(first);
	assert_int_equal(pd_checksum_group(&sums, &crc, 0, 8, 8, &inner, NULL), first);
	assert_int_equal(pd_checksum_group(&sums, &crc, 0, 16, 8, &other, NULL), 0);
	/* Something else was read in between: that is another checksum */
	assert_int_not_equal(pd_checksum_group(&sums, &crc, 0, 0, 8, &outer, NULL), first);
	assert_int_equal(crc.used[0], 0);
	assert_int_equal(crc.used[1], 1);
	assert_int_equal(pd_checksum_group(&sums, &crc, 0, 0, 8, NULL, NULL), 0);
}

static void those_of_pmdk(void **state)
{
	static const char lib[] = "/opt/pmdk/libpmemobj.so.1", own[] = "/home/me/libmine.so";
	static const struct pd_site sum = {.function = "util_checksum_compute", .id = 7},
				    same = {.function = "util_checksum_compute", .id = 8},
				    other = {.function = "obj_boot", .id = 9};

	(void)state;
	memset(&sums, 0, sizeof(sums));
	assert_true(pd_checksum_group(&sums, &none, 0, 0, 8, &sum, lib));
	assert_int_equal(pd_checksum_group(&sums, &none, 0, 8, 8, &other, lib), 0);
	/* The user's own function of that name is not known to be one */
	assert_int_equal(pd_checksum_group(&sums, &none, 0, 0, 8, &same, own), 0);
}

/* ---- several values ------------------------------------------------------------------------- */

static void *take(void *ctx, size_t n)
{
	(void)ctx;
	return calloc(1, n);
}

static void each_pair_once(void **state)
{
	struct pd_several *s = calloc(1, sizeof(*s));
	struct pd_tree_memory mem = {take, NULL, NULL, NULL};
	struct pd_store by = {.site = 9, .tid = 2};
	struct pd_class c = {.source = &by, .source_exec = 1, .source_order = 6}, before = {0};
	struct pd_tree_read read = {.block = 128, .mask = 0xff0, .site = 3};
	struct pd_tree_node node = {.read = &read};
	const struct pd_crash_several *x;

	(void)state;
	c.value[4] = 0x2a;
	x = pd_several_add(s, &mem, &node, &c);
	assert_non_null(x);
	assert_int_equal(x->load, 3);
	assert_int_equal(x->addr, 132);
	assert_int_equal(x->size, 8);
	assert_int_equal(x->store.site, 9);
	assert_int_equal(x->store.tid, 2);
	assert_int_equal(x->store.exec, 1);
	assert_int_equal(x->store.order, 6);
	assert_int_equal(x->store.value, 0x2a);
	assert_null(pd_several_add(s, &mem, &node, &c));
	assert_non_null(pd_several_add(s, &mem, &node, &before));
	c.source_exec = 0;
	assert_non_null(pd_several_add(s, &mem, &node, &c));
	assert_int_equal(s->n, 3);
	assert_ptr_equal(s->list->next->next, x);
	for (read.site = 100; read.site < 100 + PD_SEVERAL_KNOWN; read.site++)
		pd_several_add(s, &mem, &node, &c);
	assert_int_equal(s->n, PD_SEVERAL_KNOWN / 2);
	assert_int_equal(s->full, PD_SEVERAL_KNOWN / 2 + 3);
	free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),     cmocka_unit_test(many_sites),
		cmocka_unit_test(ranges),    cmocka_unit_test(those_of_pmdk),
		cmocka_unit_test(functions), cmocka_unit_test(each_pair_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
