/*
 * check/stack.c - a stack for walks: a walk recurses once per choice on a path, and the program's
 * thread may have little stack left. See check.h.
 */
#include "protocol/board.h"
#include "runtime/check/check.h"
#include "runtime/base/raw.h"

/* Calls f on another stack. The frame is set up with rbp, so that the unwinder passes through
 * it. */
void pd_check_call_on(void *top, void (*f)(void *));
__asm__("	.text\n"
	"	.globl pd_check_call_on\n"
	"	.hidden pd_check_call_on\n"
	"	.type pd_check_call_on, @function\n"
	"pd_check_call_on:\n"
	"	.cfi_startproc\n"
	"	pushq %rbp\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset %rbp, -16\n"
	"	movq %rsp, %rbp\n"
	"	.cfi_def_cfa_register %rbp\n"
	"	movq %rdi, %rsp\n"
	"	xorl %edi, %edi\n"
	"	callq *%rsi\n"
	"	leave\n"
	"	.cfi_def_cfa %rsp, 8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"	.size pd_check_call_on, .-pd_check_call_on\n");

enum { LARGE_STACK = 256 << 20, SMALL_STACK = 16 << 20 };

static void *own_stack(void)
{
	static uint64_t size;
	static uint8_t *base;

	if (!base && !pd_board()->strict_memory)
		base = pd_raw_borrow(size = LARGE_STACK);
	if (!base)
		base = pd_raw_borrow(size = SMALL_STACK);
	if (!base)
		pd_rt_fail(4, "out of memory for a stack");
	return base + size;
}

void pd_check_on_own_stack(void (*f)(void *))
{
	pd_check_call_on(own_stack(), f);
}
