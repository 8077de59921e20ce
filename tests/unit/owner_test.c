/* owner_test.c - whose code it is (src/finding/owner.c). */
#include "unit.h"
#include "finding/owner.h"
#include "host/host.h"

static void objects(void **state)
{
	static const struct {
		const char *object;
		bool instrumented;
		const char *function;
		enum pd_owner owner;
	} of[] = {
		{NULL, true, "main", PD_OWNER_USER},
		{"/home/u/app", false, "main", PD_OWNER_USER},
		{"/home/u/libmine.so", true, "f", PD_OWNER_USER},
		{"/usr/local/lib/libmine.so.1", true, "f", PD_OWNER_USER},
		{"/usr/local/lib/libmine.so.1", false, "f", PD_OWNER_LIBRARY},
		{"/usr/lib/x86_64-linux-gnu/libpmemobj.so.1", false, "f", PD_OWNER_LIBRARY},
		{"/home/u/pmdk/src/nondebug/libpmemobj.so.1", true, "f", PD_OWNER_LIBRARY},
		{"/home/u/libpmemobj-like.so", true, "f", PD_OWNER_USER},
		{"/home/u/pmdk/src/nondebug/libpmemobj.so.1", true, "pmemobj_memcpy",
		 PD_OWNER_AGENT},
		{"/home/u/pmdk/src/nondebug/libpmem.so.1", true, "f", PD_OWNER_AGENT},
		{"/lib/x86_64-linux-gnu/libc.so.6", false, "memcpy", PD_OWNER_SYSTEM},
	};

	(void)state;
	for (size_t i = 0; i < PD_LEN(of); i++)
		assert_int_equal(pd_owner_of(of[i].object, of[i].instrumented, of[i].function),
				 of[i].owner);
}

static void names(void **state)
{
	static const struct {
		const char *file;
		const char *library; /* NULL: none */
	} of[] = {
		{"/usr/include/libpmemobj/tx_base.h", "libpmemobj"},
		{"/usr/include/libpmemobj.h", "libpmemobj"},
		{"/usr/local/include/x/y/z.hpp", "x"},
		{"/usr/include/x86_64-linux-gnu/x.h", "x"},
		{"/usr/include/x86_64-linux-gnu/bits/string.h", NULL},
		{"/usr/include/x86_64-linux-gnu/c++/12/bits/c.h", NULL},
		{"/usr/include/c++/12/bits/stl_algo.h", NULL},
		{"/usr/lib/llvm-19/lib/clang/19/include/emmintrin.h", NULL},
		{"/home/u/usr/include/x.h", NULL},
		{"list.c", NULL},
	};
	struct pd_arena a;

	(void)state;
	pd_arena_init(&a, pd_host_memory());
	for (size_t i = 0; i < PD_LEN(of); i++) {
		const char *library = pd_owner_header(&a, of[i].file);

		assert_int_equal(!library, !of[i].library);
		if (library)
			assert_string_equal(library, of[i].library);
	}
	assert_string_equal(pd_owner_library(&a, "/usr/lib/libpmemobj.so.1.0.0"), "libpmemobj");
	pd_arena_finish(&a);
}

static void wanted(void **state)
{
	static const char *const all[] = {"all"}, *const globs[] = {"libx", "libp*"};

	(void)state;
	assert_true(pd_owner_wanted(all, 1, "libpmemobj"));
	assert_true(pd_owner_wanted(globs, 2, "libpmemobj"));
	assert_false(pd_owner_wanted(globs, 2, "libxy"));
	assert_false(pd_owner_wanted(globs, 0, "libx"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(objects),
		cmocka_unit_test(names),
		cmocka_unit_test(wanted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
