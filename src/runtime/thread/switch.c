/*
 * thread/switch.c - the three places where a thread's registers are saved and restored.
 *
 * A saved context is what lies on the thread's own stack: mxcsr and the x87 control word (8 bytes),
 * r15, r14, r13, r12, rbx, rbp, return address. Everything else is the caller's to save by the ABI.
 *
 *	pd_thread_swap(save, to, fs)   leave one context, enter another
 *	pd_thread_park(save)           leave one context and end this kernel thread
 *	pd_thread_spawn(...)           enter a context with a new kernel thread
 *
 * Once the context is saved, another kernel thread may enter it; but it does so only after the
 * kernel has cleared `gone`, which is after the last instruction of pd_thread_park.
 */
#include "runtime/thread/thread.h"

uint8_t pd_thread_fsgsbase;

#define SAVE                                                                                       \
	"	pushq %rbp\n"                                                                            \
	"	.cfi_adjust_cfa_offset 8\n"                                                              \
	"	pushq %rbx\n"                                                                            \
	"	.cfi_adjust_cfa_offset 8\n"                                                              \
	"	pushq %r12\n"                                                                            \
	"	.cfi_adjust_cfa_offset 8\n"                                                              \
	"	pushq %r13\n"                                                                            \
	"	.cfi_adjust_cfa_offset 8\n"                                                              \
	"	pushq %r14\n"                                                                            \
	"	.cfi_adjust_cfa_offset 8\n"                                                              \
	"	pushq %r15\n"                                                                            \
	"	.cfi_adjust_cfa_offset 8\n"                                                              \
	"	subq $8, %rsp\n"                                                                         \
	"	.cfi_adjust_cfa_offset 8\n"                                                              \
	"	stmxcsr (%rsp)\n"                                                                        \
	"	fnstcw 4(%rsp)\n"                                                                        \
	"	movq %rsp, (%rdi)\n"

#define RESTORE                                                                                    \
	"	ldmxcsr (%rsp)\n"                                                                        \
	"	fldcw 4(%rsp)\n"                                                                         \
	"	addq $8, %rsp\n"                                                                         \
	"	popq %r15\n"                                                                             \
	"	popq %r14\n"                                                                             \
	"	popq %r13\n"                                                                             \
	"	popq %r12\n"                                                                             \
	"	popq %rbx\n"                                                                             \
	"	popq %rbp\n"                                                                             \
	"	ret\n"

#define FUNCTION(name)                                                                             \
	"	.globl " name "\n"                                                                 \
	"	.hidden " name "\n"                                                                \
	"	.type " name ", @function\n" name ":\n"                                            \
	"	.cfi_startproc\n"

#define END(name)                                                                                  \
	"	.cfi_endproc\n"                                                                          \
	"	.size " name ", .-" name "\n"

__asm__("	.text\n" FUNCTION("pd_thread_swap") SAVE
	"	movq %rsi, %rsp\n"
	"	cmpb $0, pd_thread_fsgsbase(%rip)\n"
	"	je 1f\n"
	"	wrfsbase %rdx\n"
	"2:\n" RESTORE "1:	movl $158, %eax\n" /* arch_prctl */
	"	movl $0x1002, %edi\n"		   /* ARCH_SET_FS */
	"	movq %rdx, %rsi\n"
	"	syscall\n"
	"	jmp 2b\n" END("pd_thread_swap")

		FUNCTION("pd_thread_park") SAVE
	"	movl $60, %eax\n" /* exit: of this kernel thread only */
	"	xorl %edi, %edi\n"
	"	syscall\n"
	"	hlt\n" END("pd_thread_park")

		FUNCTION("pd_thread_spawn") "	movq %rcx, %r10\n"
					    "	movl $56, %eax\n" /* clone */
					    "	syscall\n"
					    "	testq %rax, %rax\n"
					    "	jz 3f\n"
					    "	ret\n"
					    "3:\n" RESTORE END("pd_thread_spawn"));
