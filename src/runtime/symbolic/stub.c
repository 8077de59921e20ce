/*
 * stub.c - entries that keep registers, for calls that stand in loops and are hardly ever made.
 *
 * Instrumented code calls these as preserve_most of LLVM: all general registers stay as they are
 * but r11 and the one of the result. The functions themselves are compiled by any compiler. Frames
 * have a frame pointer, as all of the runtime's.
 */

#define ENTRY(name)                                                                                \
	".text\n\t.p2align 4\n\t"                                                                  \
	".globl __pd_sym_" name "\n\t.type __pd_sym_" name ", @function\n"                         \
	"__pd_sym_" name ":\n\t"                                                                   \
	".cfi_startproc\n\t"                                                                       \
	"endbr64\n\t"                                                                              \
	"pushq %rbp\n\t.cfi_def_cfa_offset 16\n\t.cfi_offset 6, -16\n\t"                           \
	"movq %rsp, %rbp\n\t.cfi_def_cfa_register 6\n\t"                                           \
	"pushq %rax\n\tpushq %rcx\n\tpushq %rdx\n\tpushq %rsi\n\t"                                 \
	"pushq %rdi\n\tpushq %r8\n\tpushq %r9\n\tpushq %r10\n\t"                                   \
	"call pd_sym_hook_" name "\n\t"                                                            \
	"popq %r10\n\tpopq %r9\n\tpopq %r8\n\tpopq %rdi\n\t"                                       \
	"popq %rsi\n\tpopq %rdx\n\tpopq %rcx\n\t"
#define LEAVE(name)                                                                                \
	"popq %rbp\n\t.cfi_def_cfa 7, 8\n\tret\n\t.cfi_endproc\n\t"                                \
	".size __pd_sym_" name ", . - __pd_sym_" name "\n"

#define VALUE(name)   __asm__(ENTRY(#name) "addq $8, %rsp\n\t" LEAVE(#name))
#define NOTHING(name) __asm__(ENTRY(#name) "popq %rax\n\t" LEAVE(#name))

VALUE(binary);
VALUE(cast);
VALUE(load);
VALUE(load_at);
NOTHING(store);
NOTHING(store_at);
NOTHING(branch);
NOTHING(switch);
NOTHING(pin);
