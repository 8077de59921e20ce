/*
 * asmtext.h - the text of inline asm, parsed into statements and operands.
 *
 * AT&T syntax as in LLVM: $0 and ${0:b} are operands of the asm, $$5 is the number 5, %rax a
 * register, $(att$|intel$) a choice. Nothing here knows what an instruction does.
 */
#ifndef PD_CC_ASMTEXT_H
#define PD_CC_ASMTEXT_H

#include "base/types.h"

enum pd_asm_operand_kind {
	PD_ASM_SLOT,	 /* an operand of the asm: slot */
	PD_ASM_REG,	 /* reg, size */
	PD_ASM_IMM,	 /* number */
	PD_ASM_MEM,	 /* number(slot or reg) */
	PD_ASM_INDIRECT, /* memory in a form that is not parsed */
	PD_ASM_OTHER,	 /* a label, a symbol */
};

struct pd_asm_operand {
	enum pd_asm_operand_kind kind;
	int slot;     /* -1: none */
	char reg[12]; /* canonical: "ax" for %al to %rax, "xmm3" also for %ymm3 */
	unsigned size;
	int64_t number;
};

#define PD_ASM_OPERANDS 4

struct pd_asm_statement {
	char mnemonic[24]; /* lower case; empty: only a label or prefixes */
	bool lock;
	bool rep;
	bool data16; /* prefix 0x66 */
	bool raw;    /* a directive that may generate code, or something that was not understood */
	unsigned n;
	struct pd_asm_operand op[PD_ASM_OPERANDS];
};

#define PD_ASM_STATEMENTS 48

struct pd_asm_text {
	struct pd_asm_statement v[PD_ASM_STATEMENTS];
	unsigned n;
	bool overflow; /* the text is longer: the rest is not in v */
};

/* Sets reg and size from a name without its %; false: unknown register. */
bool pd_asm_register(const char *name, struct pd_asm_operand *op);

void pd_asm_parse(struct pd_asm_text *t, const char *s, size_t n);

#endif
