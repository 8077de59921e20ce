/* made_test.c - stores in assembly, and what writes them (src/cc/crash/made.c). */
#include "cc/crash/made.h"
#include "host/host.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static struct pd_arena arena;
static pd_made_list list;

/* The pieces of one instruction that comes of store 0. */
static void read_one(const char *instruction)
{
	char text[200];

	memset(&list, 0, sizeof(list));
	snprintf(text, sizeof(text), "f:\n\t.loc\t1 %d 3 is_stmt 0\n\t%s\n", PD_MADE_LINE, instruction);
	assert_true(pd_made_read(text, strlen(text), &arena, &list));
}

static void sizes(void **state)
{
	static const struct {
		const char *instruction;
		uint32_t size;
		int64_t at;
		bool modifies;
	} of[] = {
		{"movq\t%rax, (%rdi)", 8, 0, false},
		{"movq\t$1, 8(%rdi)", 8, 8, false},
		{"movl\t%esi, -4(%rdi,%rcx,8)", 4, -4, false},
		{"movw\t%si, 2(%rdi)", 2, 2, false},
		{"movb\t$1, g+12(%rip)                  # imm = 1", 1, 12, false},
		{"movabsq\t%rax, 4096", 8, 4096, false},
		{"movss\t%xmm0, (%rdi)", 4, 0, false},
		{"movsd\t%xmm0, (%rdi)", 8, 0, false},
		{"movq\t%xmm0, (%rdi)", 8, 0, false},
		{"movups\t%xmm0, 16(%rdi)", 16, 16, false},
		{"vmovups\t%ymm0, 32(%rdi)", 32, 32, false},
		{"vmovdqu64\t%zmm17, 64(%rdi)", 64, 64, false},
		{"vmovlps\t%xmm0, (%rdi)", 8, 0, false},
		{"pextrd\t$1, %xmm0, 4(%rdi)", 4, 4, false},
		{"vpextrq\t$1, %xmm0, 8(%rdi)", 8, 8, false},
		{"setne\t(%rdi)", 1, 0, false},
		{"incq\t(%rdi)", 8, 0, true},
		{"orb\t$1, 33(%rdi)", 1, 33, true},
		{"andq\t$0, (%rdi,%rax,8)", 8, 0, true},
	};

	(void)state;
	for (size_t i = 0; i < PD_LEN(of); i++) {
		read_one(of[i].instruction);
		assert_int_equal(list.n, 1);
		assert_false(list.v[0].odd || list.v[0].call);
		assert_int_equal(list.v[0].size, of[i].size);
		assert_int_equal(list.v[0].at, of[i].at);
		assert_int_equal(list.v[0].modifies, of[i].modifies);
	}
}

static void no_stores(void **state)
{
	static const char *const of[] = {
		"movq\t8(%rdi), %rax", "cmpq\t$0, (%rdi)",	"testb\t$1, 8(%rdi)", "leaq\t8(%rdi), %rax",
		"clflush\t(%rdi)",     "callq\t*8(%rax)",	"jmp\t*(%rax)",	      "pushq\t8(%rdi)",
		"movq\t%rax, 8(%rsp)", "prefetcht0\t64(%rdi)", "addq\t(%rdi), %rax", ".p2align\t4", "callq\tother@PLT",
		"ucomisd\t(%rdi), %xmm0", "# movq %rax, (%rdi)",
	};

	(void)state;
	for (size_t i = 0; i < PD_LEN(of); i++) {
		read_one(of[i]);
		assert_int_equal(list.n, 0);
	}
}

static void blocks_and_odd_ones(void **state)
{
	static const char *const blocks[] = {"callq\tmemset@PLT", "jmp\tmemcpy@PLT                      # TAILCALL",
					     "callq\t*memmove@GOTPCREL(%rip)", "rep;stosq\t%rax, %es:(%rdi)"};
	static const char *const odd[] = {"vmovups\t%zmm0, (%rdi) {%k1}", "vpscatterdd\t%zmm0, (%rdi,%zmm1,4) {%k1}",
					  "fstpt\t(%rdi)", "newstore\t%rax, (%rdi)"};

	(void)state;
	for (size_t i = 0; i < PD_LEN(blocks); i++) {
		read_one(blocks[i]);
		assert_true(list.n == 1 && list.v[0].call);
	}
	for (size_t i = 0; i < PD_LEN(odd); i++) {
		read_one(odd[i]);
		assert_true(list.n == 1 && list.v[0].odd);
	}
}

/* Whose instruction it is; spills, inline asm and other functions are nobody's. */
static void whose(void **state)
{
	static const char text[] = "f:                  # @f\n"
				   "\tpushq\t%rbp\n"
				   "\tmovq\t%rsp, %rbp\n"
				   "\t.loc\t1 536870914 0\n" /* store 2 */
				   "\tmovq\t%rax, -8(%rbp)\n"
				   "\tmovl\t%eax, 4(%rdi)\n"
				   "\tmovl\t%eax, (%rdi)\n"
				   "\tmovl\t%eax, (%rdi)\n"
				   "\t#APP\n\tmovq\t%rax, (%rdi)\n\t#NO_APP\n"
				   ".LBB0_1:\n"
				   "\t.loc\t1 77 0\n"
				   "\tmovl\t%eax, 12(%rdi)\n"
				   "\t.loc\t1 536870912 9 is_stmt 1\n" /* store 0 */
				   "\tmovl\t%eax, (%rsi)\n"
				   "g:\n"
				   "\tmovl\t%eax, 20(%rdi)\n"
				   "\t.loc\t2 536870913 0\n" /* store 1 */
				   "\tmovq\t%rax, (%rbp)\n";
	static const struct {
		uint32_t store;
		int64_t at;
	} want[] = {{0, 0}, {1, 0}, {2, 0}, {2, 4}};

	(void)state;
	memset(&list, 0, sizeof(list));
	assert_true(pd_made_read(text, sizeof(text) - 1, &arena, &list));
	assert_int_equal(list.n, PD_LEN(want));
	for (size_t i = 0; i < PD_LEN(want); i++) {
		assert_int_equal(list.v[i].store, want[i].store);
		assert_int_equal(list.v[i].at, want[i].at);
	}
	assert_true(list.v[2].base == list.v[3].base && list.v[1].base != list.v[2].base);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes),
		cmocka_unit_test(no_stores),
		cmocka_unit_test(blocks_and_odd_ones),
		cmocka_unit_test(whose),
	};
	int failed;

	pd_arena_init(&arena, pd_host_memory());
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	pd_arena_finish(&arena);
	return failed;
}
