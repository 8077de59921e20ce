/* relies_test.c - another LLVM than the pass was written for is noticed (src/cc/relies.c). */
#include "cc/relies.h"
#include "cc/crash/crash.h"
#include "unit/unit.h"

static char why[256];

static bool fails(struct pd_relies r, const char *says)
{
	why[0] = '\0';
	if (pd_relies_check(&r, why, sizeof(why)))
		return false;
	if (strncmp(why, "LLVM ", 5) == 0 && strstr(why, says) && !strchr(why, '\n') &&
	    strstr(why, "; build perdure with LLVM "))
		return true;
	print_error("'%s'\n", why);
	return false;
}

static void test_this_one(void **state)
{
	(void)state;
	assert_true(pd_debug_check(why, sizeof(why)));
	assert_true(pd_relies_check(&pd_mode_crash.relies, why, sizeof(why)));
	assert_true(pd_relies_check(&(struct pd_relies){0}, why, sizeof(why)));
}

static void test_names(void **state)
{
	static const char *const attributes[] = {"nounwind", "neverwinds", NULL};
	static const char *const intrinsics[] = {"llvm.x86.clwb", "llvm.x86.clwx", NULL};

	(void)state;
	assert_true(fails((struct pd_relies){.attributes = attributes},
			  "has no attribute 'neverwinds'"));
	assert_true(fails((struct pd_relies){.intrinsics = intrinsics},
			  "has no intrinsic 'llvm.x86.clwx'"));
}

static bool encoded(const char *name, const char *text, uint64_t value, const char *says)
{
	struct pd_encoding e[] = {{name, text, value}, {0}};

	return fails((struct pd_relies){.encodings = e}, says);
}

static void test_encodings(void **state)
{
	(void)state;
	assert_true(encoded("memory", "memory(argmem: read)", 2,
			    "encodes 'memory(argmem: read)' as 1, not as 2"));
	assert_true(encoded("memory", "memory(moon: read)", 1, "does not know 'memory(moon"));
	assert_true(encoded("memory", "nounwind", 0, "does not know 'nounwind'"));
	assert_true(encoded("mammory", "nounwind", 0, "does not know 'nounwind'"));
}

/* Each bit of the enum is one of those that are compared. */
static void test_all_bits(void **state)
{
	uint64_t bits = 0;

	(void)state;
	for (const struct pd_encoding *e = pd_memory_bits; e->name; e++)
		bits |= e->value;
	assert_int_equal(bits, PD_MEMORY_ARGUMENTS | PD_MEMORY_HIDDEN | PD_MEMORY_OTHER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_this_one),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_encodings),
		cmocka_unit_test(test_all_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
