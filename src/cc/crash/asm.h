/* asm.h - one inline asm during its translation: its operands, and the registers as cells. */
#ifndef PD_CC_ASM_H
#define PD_CC_ASM_H

#include "cc/crash/asmtext.h"
#include "cc/crash/crash.h"

struct pd_asm_cell {
	char reg[12];	    /* "": an operand in any register */
	LLVMValueRef value; /* NULL: unknown */
};

struct pd_asm_slot {
	bool indirect;	   /* in memory: arg is its address */
	LLVMValueRef arg;  /* NULL for a pure output */
	LLVMTypeRef type;  /* of the value, or of what the address points to */
	unsigned size;	   /* in memory; 0: unknown */
	int output;	   /* index of the result, or -1 */
	int cell;	   /* or -1 */
	char condition[8]; /* of an output that is a flag: "z", "c", ... */
};

struct pd_asm_run {
	struct pd_ir *m;
	LLVMValueRef inst;
	struct pd_asm_slot slots[32];
	unsigned nslots;
	struct pd_asm_cell cells[48];
	unsigned ncells;
	unsigned nargs;
	int noutputs;
	bool clobbers_memory;
	bool unsupported;
	/* The flags as i1; NULL: unknown. */
	LLVMValueRef zf, cf, sf;
};

/* The cell of a register, created if necessary; "" creates a new one. -1: too many. */
int pd_asm_cell(struct pd_asm_run *a, const char *reg);

/* Translates one statement: emits its hooks, updates cells and flags. False: unknown. */
bool pd_asm_step(struct pd_asm_run *a, const struct pd_asm_statement *st);

/* The final value of an output, in its type; NULL: unknown. */
LLVMValueRef pd_asm_output(struct pd_asm_run *a, const struct pd_asm_slot *s);

#endif
