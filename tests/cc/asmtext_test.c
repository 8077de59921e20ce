/* asmtext_test.c - the text of inline asm, taken apart. */
#include "unit/unit.h"
#include "cc/crash/asmtext.h"
#include <stdio.h>

static struct pd_asm_text t;

static void parse(const char *s)
{
	pd_asm_parse(&t, s, strlen(s));
}

static void test_statements(void **state)
{
	(void)state;
	parse("clwb $0\n\tsfence ; ; nop # a comment; not code\n/* nor; this */ mfence");
	assert_int_equal(t.n, 4);
	assert_string_equal(t.v[0].mnemonic, "clwb");
	assert_string_equal(t.v[1].mnemonic, "sfence");
	assert_string_equal(t.v[2].mnemonic, "nop");
	assert_string_equal(t.v[3].mnemonic, "mfence");
	parse("");
	assert_int_equal(t.n, 0);
	parse(" \n\t; # nothing");
	assert_int_equal(t.n, 0);
	parse("/* never closed");
	assert_int_equal(t.n, 0);
}

static void test_prefixes(void **state)
{
	(void)state;
	parse("lock; LOCK xaddq $0,$1");
	assert_int_equal(t.n, 1);
	assert_true(t.v[0].lock);
	assert_string_equal(t.v[0].mnemonic, "xaddq");
	parse(".byte 0x66\nclflush $0");
	assert_int_equal(t.n, 1);
	assert_true(t.v[0].data16);
	assert_false(t.v[0].raw);
	parse("clflush $0; .byte 0x66");
	assert_true(t.v[1].raw);
	parse("rep; nop");
	assert_true(t.v[0].rep);
	parse("1: lock decl $0\n\tjnz 1b");
	assert_int_equal(t.n, 2);
	assert_true(t.v[0].lock);
	assert_false(t.v[0].raw);
}

static void test_operands(void **state)
{
	const struct pd_asm_operand *op;

	(void)state;
	parse("op $0, ${1:b}, $$-0x10, 8(%rdi)");
	op = t.v[0].op;
	assert_int_equal(t.v[0].n, 4);
	assert_int_equal(op[0].kind, PD_ASM_SLOT);
	assert_int_equal(op[1].kind, PD_ASM_SLOT);
	assert_int_equal(op[1].slot, 1);
	assert_int_equal(op[1].size, 1);
	assert_int_equal(op[2].kind, PD_ASM_IMM);
	assert_int_equal(op[2].number, -16);
	assert_int_equal(op[3].kind, PD_ASM_MEM);
	assert_int_equal(op[3].number, 8);
	assert_string_equal(op[3].reg, "di");
	parse("op ($2), ($0,$1,8), %fs:0, label");
	assert_int_equal(op[0].kind, PD_ASM_MEM);
	assert_int_equal(op[0].slot, 2);
	assert_int_equal(op[1].kind, PD_ASM_INDIRECT);
	assert_int_equal(op[2].kind, PD_ASM_INDIRECT);
	assert_int_equal(op[3].kind, PD_ASM_OTHER);
	parse("op 8$0, sym(%rip)");
	assert_int_equal(op[0].kind, PD_ASM_INDIRECT);
	assert_int_equal(op[1].kind, PD_ASM_INDIRECT);
	parse("op $0,$1,$2,$3,$4");
	assert_true(t.v[0].raw);
}

static void test_registers(void **state)
{
	static const struct {
		const char *name, *reg;
		unsigned size;
	} all[] = {
		{"rax", "ax", 8},  {"eax", "ax", 4},   {"ax", "ax", 2},	    {"al", "ax", 1},
		{"rsp", "sp", 8},  {"dil", "di", 1},   {"r8", "r8", 8},	    {"r15d", "r15", 4},
		{"r9w", "r9", 2},  {"r10b", "r10", 1}, {"xmm7", "xmm7", 16}, {"ymm7", "xmm7", 32},
		{"zmm31", "xmm31", 64},
	};
	struct pd_asm_operand op;

	(void)state;
	for (size_t i = 0; i < PD_LEN(all); i++) {
		assert_true(pd_asm_register(all[i].name, &op));
		assert_string_equal(op.reg, all[i].reg);
		assert_int_equal(op.size, all[i].size);
	}
	assert_false(pd_asm_register("st", &op));
	assert_false(pd_asm_register("k1", &op));
	assert_false(pd_asm_register("", &op));
}

static void test_choices(void **state)
{
	(void)state;
	parse("$(clwb $0$|clwb [$0]$)");
	assert_int_equal(t.n, 1);
	assert_int_equal(t.v[0].n, 1);
	assert_int_equal(t.v[0].op[0].kind, PD_ASM_SLOT);
}

/* What makes bytes that are not an instruction to us is never taken for nothing. */
static void test_raw(void **state)
{
	(void)state;
	parse(".byte 0x0f, 0xae, 0x3c, 0x24"); /* with a base and an index */
	assert_int_equal(t.n, 1);
	assert_true(t.v[0].raw);
	parse(".byte 0x0f, 0xae, 0x30"); /* xsaveopt, without the prefix that makes it clwb */
	assert_true(t.v[0].raw);
	parse(".byte 0x0f, 0xae, 0x3d"); /* relative to the next instruction */
	assert_true(t.v[0].raw);
	parse(".byte 0x0f, 0xae, 0x38");
	assert_string_equal(t.v[0].mnemonic, "clflush");
	assert_string_equal(t.v[0].op[0].reg, "ax");
	assert_false(t.v[0].raw);
	parse(".long 1");
	assert_true(t.v[0].raw);
	parse(".symver a, a@V1\n.globl b");
	assert_int_equal(t.n, 0);
	parse(".byte 0x66, 0x0F, 0xAE, 0xF8");
	assert_string_equal(t.v[0].mnemonic, "pcommit");
	assert_false(t.v[0].raw);
	parse(".byte 0xf3,0x90");
	assert_string_equal(t.v[0].mnemonic, "pause");
	parse("lock");
	assert_true(t.v[0].raw);
	parse("a_mnemonic_that_is_longer_than_any $0");
	assert_true(t.v[0].raw);
}

static void test_overflow(void **state)
{
	char buf[4 * PD_ASM_STATEMENTS * 2];
	size_t n = 0;

	(void)state;
	for (int i = 0; i < PD_ASM_STATEMENTS + 1; i++)
		n += (size_t)sprintf(buf + n, "nop;");
	pd_asm_parse(&t, buf, n);
	assert_int_equal(t.n, PD_ASM_STATEMENTS);
	assert_true(t.overflow);
}

/* Any text at all: no crash, and no more statements than there is room for. */
static void test_garbage(void **state)
{
	static const char alphabet[] = "$%{}()|:,;\n\t .#/*0x8abclockrep\"";
	char s[64];
	unsigned long seed = 1;

	(void)state;
	for (int i = 0; i < 200000; i++) {
		size_t n = (size_t)i % sizeof(s);

		for (size_t k = 0; k < n; k++) {
			seed = seed * 6364136223846793005UL + 1442695040888963407UL;
			s[k] = alphabet[(seed >> 33) % (sizeof(alphabet) - 1)];
		}
		pd_asm_parse(&t, s, n);
		assert_true(t.n <= PD_ASM_STATEMENTS);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_statements), cmocka_unit_test(test_prefixes),
		cmocka_unit_test(test_operands),   cmocka_unit_test(test_registers),
		cmocka_unit_test(test_choices),	   cmocka_unit_test(test_raw),
		cmocka_unit_test(test_overflow),   cmocka_unit_test(test_garbage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
