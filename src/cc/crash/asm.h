/*
 * asm.h - one inline asm while it is run on paper: its operands, and the registers as cells.
 */
#ifndef PD_CC_ASM_H
#define PD_CC_ASM_H

#include "cc/crash/asmtext.h"
#include "cc/crash/crash.h"

struct pd_asm_cell {
	char reg[12];	    /* "": an operand in whatever register */
	LLVMValueRef value; /* NULL: not known */
};

struct pd_asm_slot {
	bool indirect;	   /* memory: arg is its address */
	LLVMValueRef arg;  /* NULL for what is only a result */
	LLVMTypeRef type;  /* of the value, or of what the address leads to */
	unsigned size;	   /* of memory; 0: not known */
	int output;	   /* index of the result, or -1 */
	int cell;	   /* or -1 */
	char condition[8]; /* a result that is a flag: "z", "c", ... */
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
	/* The flags as i1, NULL: not known. */
	LLVMValueRef zf, cf, sf;
};

/* The cell of a register, made where it is new; "" makes a new one. -1: too many. */
int pd_asm_cell(struct pd_asm_run *a, const char *reg);

/* Runs one statement: emits its hooks, changes cells and flags. False: its meaning is not known. */
bool pd_asm_step(struct pd_asm_run *a, const struct pd_asm_statement *st);

/* What a result holds in the end, in its type; NULL: not known. */
LLVMValueRef pd_asm_output(struct pd_asm_run *a, const struct pd_asm_slot *s);

#endif
