/*
 * x86_test.c - lengths of instructions are those that objdump finds, in all code of this program
 * and of libraries with vector code; flushes and fences are recognised, with their addresses.
 */
#include "unit.h"
#include "event/x86.h"
#include <stdio.h>
#include <unistd.h>

struct line {
	unsigned long at;
	uint8_t bytes[32];
	size_t n;
	char text[120];
};

/* "  401000:\tf3 0f 1e fa          \tendbr64" */
static bool read_line(char *text, struct line *l)
{
	char *p = strchr(text, '\t'), *name;
	unsigned byte;
	int used;

	if (!p || sscanf(text, " %lx:", &l->at) != 1)
		return false;
	name = strchr(p + 1, '\t');
	if (!name)
		return false;
	*name = '\0';
	for (l->n = 0; l->n < sizeof(l->bytes) && sscanf(p, " %2x%n", &byte, &used) == 1; p += used)
		l->bytes[l->n++] = (uint8_t)byte;
	snprintf(l->text, sizeof(l->text), "%s", name + 1);
	return l->n != 0;
}

static enum pd_x86_is by_name(const char *text)
{
	static const struct {
		const char *name;
		enum pd_x86_is is;
	} known[] = {{"clflush ", PD_X86_CLFLUSH}, {"clflushopt ", PD_X86_CLFLUSHOPT},
		     {"clwb ", PD_X86_CLWB},	   {"sfence", PD_X86_SFENCE},
		     {"mfence", PD_X86_MFENCE},	   {"lfence", PD_X86_LFENCE}};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strncmp(text, known[i].name, strlen(known[i].name)) == 0)
			return known[i].is;
	return PD_X86_OTHER;
}

/* What is not compared: data in code, and a wait before an instruction of the x87, which objdump
 * shows as one with it. */
static bool is_left_out(const struct line *l)
{
	return strstr(l->text, "(bad)") || strstr(l->text, ".byte") || l->bytes[0] == 0x9b;
}

static unsigned compare_all(const char *path)
{
	char command[300], text[400];
	struct line l;
	struct pd_x86 in;
	unsigned compared = 0;
	FILE *f;

	snprintf(command, sizeof(command), "objdump -d --insn-width=15 '%s' 2>/dev/null", path);
	f = popen(command, "r");
	assert_non_null(f);
	while (fgets(text, sizeof(text), f)) {
		if (!read_line(text, &l) || is_left_out(&l))
			continue;
		if (!pd_x86_read(l.bytes, l.n, &in) || in.length != l.n || in.is != by_name(l.text))
			fail_msg("%s: read as %u bytes, kind %u: %s", path, in.length, in.is, text);
		compared++;
	}
	pclose(f);
	return compared;
}

static void test_lengths(void **state)
{
	static const char *const libraries[] = {"/lib/x86_64-linux-gnu/libm.so.6",
						"/usr/lib/x86_64-linux-gnu/libpmem.so.1"};
	char self[200] = "";

	(void)state;
	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	if (system("objdump --version >/dev/null 2>&1"))
		UNIT_SKIP();
	assert_true(compare_all(self) > 1000);
	for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++)
		if (access(libraries[i], R_OK) == 0)
			assert_true(compare_all(libraries[i]) > 1000);
}

static void test_persisting(void **state)
{
	static const struct {
		uint8_t bytes[12];
		uint8_t n, is;
		uint64_t address;
	} cases[] = {
		{{0x0f, 0xae, 0x38}, 3, PD_X86_CLFLUSH, 100},			  /* (%rax) */
		{{0x66, 0x0f, 0xae, 0x7f, 0xc0}, 5, PD_X86_CLFLUSHOPT, 107 - 64}, /* -64(%rdi) */
		{{0x66, 0x41, 0x0f, 0xae, 0x34, 0x24}, 6, PD_X86_CLWB, 112},	  /* (%r12) */
		{{0x66, 0x0f, 0xae, 0x74, 0xc8, 0x08}, 6, PD_X86_CLWB, 100 + 8 * 101 + 8},
		{{0x66, 0x42, 0x0f, 0xae, 0x34, 0x20}, 6, PD_X86_CLWB, 100 + 112},
		{{0x66, 0x0f, 0xae, 0x34, 0x25, 0, 1, 0, 0}, 9, PD_X86_CLWB, 256},
		{{0x66, 0x0f, 0xae, 0x35, 0x10, 0, 0, 0}, 8, PD_X86_CLWB, 5000 + 8 + 16},
		{{0x0f, 0xae, 0xf8}, 3, PD_X86_SFENCE, 0},
		{{0x0f, 0xae, 0xf0}, 3, PD_X86_MFENCE, 0},
		{{0x0f, 0xae, 0xe8}, 3, PD_X86_LFENCE, 0},
		{{0x0f, 0xae, 0x30}, 3, PD_X86_OTHER, 0},	/* xsaveopt */
		{{0xf3, 0x0f, 0xae, 0xf0}, 4, PD_X86_OTHER, 0}, /* umonitor */
		{{0x66, 0x0f, 0xae, 0xf0}, 4, PD_X86_OTHER, 0}, /* tpause */
	};
	uint64_t reg[PD_X86_REGISTERS];
	struct pd_x86 in;

	(void)state;
	for (unsigned i = 0; i < PD_X86_REGISTERS; i++)
		reg[i] = 100 + i;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_true(pd_x86_read(cases[i].bytes, cases[i].n, &in));
		assert_int_equal(in.length, cases[i].n);
		assert_int_equal(in.is, cases[i].is);
		if (cases[i].address)
			assert_int_equal(pd_x86_address(&in, cases[i].bytes, reg, 5000),
					 cases[i].address);
		for (size_t n = 0; n < cases[i].n; n++)
			assert_false(pd_x86_read(cases[i].bytes, n, &in));
	}
}

static void test_odd_addresses(void **state)
{
	static const uint8_t segment[] = {0x65, 0x0f, 0xae, 0x38};
	static const uint8_t plain[] = {0x3e, 0x0f, 0xae, 0x38};
	struct pd_x86 in;

	(void)state;
	assert_true(pd_x86_read(segment, sizeof(segment), &in) && in.segment == 0x65);
	assert_true(pd_x86_read(plain, sizeof(plain), &in) && !in.segment);
	assert_int_equal(in.is, PD_X86_CLFLUSH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_persisting),
		cmocka_unit_test(test_odd_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
