/*
 * asmstep.c - what the known instructions of inline asm do.
 *
 * Each function here handles one statement: it reads cells (registers and operands as IR values),
 * emits the hook for the effect on memory, and writes cells and flags. For a form that it does not
 * know it returns false, and the caller deletes what was emitted.
 *
 * Known: flushes and fences; xchg; locked xadd, cmpxchg, cmpxchg16b, add, sub, and, or, xor, inc,
 * dec, bts, btr, btc; setcc and the sbb idiom on their flags; mov between registers and memory,
 * also of vectors; movnti, movnt*, movdiri, movdir64b; rep movs, and rep stos of equal bytes;
 * prefetches and pcommit, which do nothing.
 */
#include "cc/crash/asm.h"
#include <stdio.h>
#include <string.h>

typedef const struct pd_asm_statement *statement;
typedef const struct pd_asm_operand *operand;

/* ---- reading and writing operands ----------------------------------------------------------- */

static bool is_memory(const struct pd_asm_run *a, operand op)
{
	if (op->kind == PD_ASM_SLOT)
		return op->slot < (int)a->nslots && a->slots[op->slot].indirect;
	return op->kind == PD_ASM_MEM;
}

static int cell_of(struct pd_asm_run *a, operand op)
{
	if (op->slot >= 0)
		return op->slot < (int)a->nslots ? a->slots[op->slot].cell : -1;
	return op->kind == PD_ASM_REG || op->kind == PD_ASM_MEM ? pd_asm_cell(a, op->reg) : -1;
}

/* The address of a memory operand, or NULL. */
static LLVMValueRef address(struct pd_asm_run *a, operand op)
{
	struct pd_ir *m = a->m;
	LLVMValueRef v, disp;
	int c;

	if (op->kind == PD_ASM_SLOT)
		return a->slots[op->slot].arg;
	c = cell_of(a, op);
	v = c >= 0 ? a->cells[c].value : NULL;
	if (!v)
		return NULL;
	if (LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMIntegerTypeKind)
		v = LLVMBuildIntToPtr(m->b, v, m->t_ptr, "");
	if (LLVMTypeOf(v) != m->t_ptr)
		return NULL;
	if (!op->number)
		return v;
	disp = pd_ir_const64(m, (uint64_t)op->number);
	return LLVMBuildGEP2(m->b, m->t_i8, v, &disp, 1, "");
}

static bool is_scalar(LLVMTypeRef t)
{
	LLVMTypeKind k = LLVMGetTypeKind(t);

	return k == LLVMIntegerTypeKind || k == LLVMPointerTypeKind || k == LLVMFloatTypeKind ||
	       k == LLVMDoubleTypeKind;
}

static LLVMValueRef widen(struct pd_asm_run *a, LLVMValueRef v, unsigned size)
{
	LLVMTypeRef t = LLVMTypeOf(v);
	unsigned have = (unsigned)LLVMStoreSizeOfType(a->m->layout, t);

	v = pd_ir_to_int(a->m, v, have);
	return LLVMBuildIntCast2(a->m->b, v, pd_ir_int(a->m, size), 0, "");
}

/* A register, operand or number as an integer of this size; NULL: unknown. */
static LLVMValueRef read_value(struct pd_asm_run *a, operand op, unsigned size)
{
	LLVMValueRef v;
	int c;

	if (op->kind == PD_ASM_IMM)
		return LLVMConstInt(pd_ir_int(a->m, size), (unsigned long long)op->number, 1);
	if (op->kind != PD_ASM_SLOT && op->kind != PD_ASM_REG)
		return NULL;
	c = cell_of(a, op);
	v = c >= 0 ? a->cells[c].value : NULL;
	return v && is_scalar(LLVMTypeOf(v)) ? widen(a, v, size) : NULL;
}

/* Writing 32 bits of a register clears the rest, writing fewer keeps it. */
static bool write_cell(struct pd_asm_run *a, int c, LLVMValueRef v, unsigned size)
{
	struct pd_ir *m = a->m;
	LLVMValueRef old, keep;

	if (c < 0)
		return false;
	old = a->cells[c].value;
	if (size < 4 && old && is_scalar(LLVMTypeOf(old))) {
		unsigned have = (unsigned)LLVMStoreSizeOfType(m->layout, LLVMTypeOf(old));

		if (have > size) {
			keep = LLVMConstInt(pd_ir_int(m, have), ~0ULL << (8 * size), 0);
			keep = LLVMBuildAnd(m->b, widen(a, old, have), keep, "");
			v = LLVMBuildOr(m->b, keep, widen(a, v, have), "");
		}
	}
	a->cells[c].value = v;
	return true;
}

static bool write_value(struct pd_asm_run *a, operand op, LLVMValueRef v, unsigned size)
{
	if (op->kind != PD_ASM_SLOT && op->kind != PD_ASM_REG)
		return false;
	return write_cell(a, cell_of(a, op), v, size);
}

static LLVMValueRef condition(struct pd_asm_run *a, const char *c)
{
	static const struct {
		const char *name;
		char flag;
		bool negate;
	} all[] = {
		{"z", 'z', false}, {"e", 'z', false}, {"nz", 'z', true},   {"ne", 'z', true},
		{"c", 'c', false}, {"b", 'c', false}, {"nae", 'c', false}, {"nc", 'c', true},
		{"nb", 'c', true}, {"ae", 'c', true}, {"s", 's', false},   {"ns", 's', true},
	};

	for (size_t i = 0; i < PD_LEN(all); i++) {
		LLVMValueRef f;

		if (strcmp(all[i].name, c) != 0)
			continue;
		f = all[i].flag == 'z' ? a->zf : all[i].flag == 'c' ? a->cf : a->sf;
		return f && all[i].negate ? LLVMBuildNot(a->m->b, f, "") : f;
	}
	return NULL;
}

LLVMValueRef pd_asm_output(struct pd_asm_run *a, const struct pd_asm_slot *s)
{
	struct pd_ir *m = a->m;
	uint64_t size = LLVMStoreSizeOfType(m->layout, s->type);
	LLVMValueRef v;

	if (s->condition[0]) {
		v = condition(a, s->condition);
		return v ? LLVMBuildIntCast2(m->b, v, s->type, 0, "") : NULL;
	}
	v = s->cell >= 0 ? a->cells[s->cell].value : NULL;
	if (!v || LLVMTypeOf(v) == s->type)
		return v;
	if (is_scalar(s->type) && is_scalar(LLVMTypeOf(v)))
		return pd_ir_from_int(m, widen(a, v, (unsigned)size), s->type);
	return LLVMStoreSizeOfType(m->layout, LLVMTypeOf(v)) == size
		       ? LLVMBuildBitCast(m->b, v, s->type, "")
		       : NULL;
}

/* ---- sizes ---------------------------------------------------------------------------------- */

/* Whether this is the instruction `base`, possibly with a suffix. Sets the size if a suffix gives
 * it, else 0. */
static bool is_instruction(const char *mnemonic, const char *base, unsigned *size)
{
	size_t n = strlen(base);
	const char *at;

	*size = 0;
	if (strncmp(mnemonic, base, n) != 0)
		return false;
	if (!mnemonic[n])
		return true;
	at = strchr("bwlq", mnemonic[n]);
	if (mnemonic[n + 1] || !at)
		return false;
	*size = 1u << (at - "bwlq");
	return true;
}

static unsigned operand_size(struct pd_asm_run *a, operand op)
{
	const struct pd_asm_slot *s;

	if (op->size)
		return op->size;
	if (op->slot < 0 || op->slot >= (int)a->nslots || op->kind != PD_ASM_SLOT)
		return 0;
	s = &a->slots[op->slot];
	return s->type ? (unsigned)LLVMStoreSizeOfType(a->m->layout, s->type) : 0;
}

/* A register gives the size more reliably than memory, whose type may be a whole struct. */
static unsigned size_of(struct pd_asm_run *a, statement st, unsigned suffix)
{
	unsigned best = 0;

	if (suffix)
		return suffix;
	for (unsigned i = 0; i < st->n; i++) {
		unsigned s = operand_size(a, &st->op[i]);

		if (s && !is_memory(a, &st->op[i]) && st->op[i].kind != PD_ASM_IMM)
			return s;
		best = s ? s : best;
	}
	return best;
}

static LLVMValueRef site(struct pd_asm_run *a, unsigned flags, unsigned size)
{
	return pd_site_of(a->m, a->inst, PD_SITE_ASM | pd_decides(a->m, a->inst) | flags, size);
}

/* ---- flushes and fences --------------------------------------------------------------------- */

static int flush_kind(statement st)
{
	if (strcmp(st->mnemonic, "clflushopt") == 0)
		return PD_FLUSH_CLFLUSHOPT;
	if (strcmp(st->mnemonic, "clflush") == 0)
		return st->data16 ? PD_FLUSH_CLFLUSHOPT : PD_FLUSH_CLFLUSH;
	if (strcmp(st->mnemonic, "clwb") == 0)
		return PD_FLUSH_CLWB;
	/* clwb is encoded as xsaveopt with a prefix */
	return strcmp(st->mnemonic, "xsaveopt") == 0 && st->data16 ? (int)PD_FLUSH_CLWB : -1;
}

static bool step_flush(struct pd_asm_run *a, statement st, int kind)
{
	LLVMValueRef p = st->n == 1 && is_memory(a, &st->op[0]) ? address(a, &st->op[0]) : NULL;

	if (!p)
		return false;
	LLVMValueRef args[] = {p, pd_ir_const32(a->m, kind), site(a, 0, 0)};
	pd_hook_call(a->m, PD_HOOK_flush, args);
	return true;
}

static int fence_kind(statement st)
{
	if (strcmp(st->mnemonic, "sfence") == 0)
		return PD_FENCE_SFENCE;
	if (strcmp(st->mnemonic, "mfence") == 0)
		return PD_FENCE_MFENCE;
	return strcmp(st->mnemonic, "lfence") == 0 ? (int)PD_FENCE_LFENCE : -1;
}

static bool step_fence(struct pd_asm_run *a, int kind)
{
	LLVMValueRef args[] = {pd_ir_const32(a->m, kind), site(a, 0, 0)};

	pd_hook_call(a->m, PD_HOOK_fence, args);
	return true;
}

/* ---- locked instructions -------------------------------------------------------------------- */

static LLVMValueRef emit_rmw(struct pd_asm_run *a, LLVMValueRef p, LLVMValueRef v, int op,
			     unsigned size)
{
	LLVMValueRef args[] = {p, v, site(a, PD_SITE_ATOMIC, size), pd_ir_const32(a->m, op),
			       pd_ir_const32(a->m, PD_ORDER_SEQ_CST)};

	return pd_hook_call(a->m, PD_HOOK_rmw + (unsigned)pd_ir_size_index(size), args);
}

static LLVMValueRef emit_cas(struct pd_asm_run *a, LLVMValueRef p, LLVMValueRef expected,
			     LLVMValueRef desired, unsigned size)
{
	LLVMValueRef args[] = {p,
			       expected,
			       desired,
			       site(a, PD_SITE_ATOMIC, size),
			       pd_ir_const32(a->m, PD_ORDER_SEQ_CST),
			       pd_ir_const32(a->m, PD_ORDER_SEQ_CST)};
	LLVMValueRef old = pd_hook_call(a->m, PD_HOOK_cas + (unsigned)pd_ir_size_index(size), args);

	a->zf = LLVMBuildICmp(a->m->b, LLVMIntEQ, old, expected, "");
	a->cf = a->sf = NULL;
	return old;
}

static void flags_of(struct pd_asm_run *a, LLVMValueRef result, LLVMValueRef carry)
{
	LLVMValueRef zero = LLVMConstNull(LLVMTypeOf(result));

	a->zf = LLVMBuildICmp(a->m->b, LLVMIntEQ, result, zero, "");
	a->sf = LLVMBuildICmp(a->m->b, LLVMIntSLT, result, zero, "");
	a->cf = carry;
}

/* Separates the memory operand from the other one. */
static bool split(struct pd_asm_run *a, statement st, LLVMValueRef *p, operand *other)
{
	int mem = st->n != 2		     ? -1
		  : is_memory(a, &st->op[1]) ? 1
		  : is_memory(a, &st->op[0]) ? 0
					     : -1;

	if (mem < 0)
		return false;
	*p = address(a, &st->op[mem]);
	*other = &st->op[1 - mem];
	return *p && !is_memory(a, *other);
}

static bool step_xchg(struct pd_asm_run *a, statement st, unsigned suffix)
{
	unsigned size = size_of(a, st, suffix);
	LLVMValueRef p, v;
	operand reg;

	if (!split(a, st, &p, &reg) || pd_ir_size_index(size) < 0 || size > 8)
		return false;
	v = read_value(a, reg, size);
	return v && write_value(a, reg, emit_rmw(a, p, v, PD_RMW_XCHG, size), size);
}

static bool step_xadd(struct pd_asm_run *a, statement st, unsigned suffix)
{
	unsigned size = size_of(a, st, suffix);
	LLVMValueRef p, v, old, sum;
	operand reg;

	if (!split(a, st, &p, &reg) || pd_ir_size_index(size) < 0 || size > 8)
		return false;
	v = read_value(a, reg, size);
	if (!v)
		return false;
	old = emit_rmw(a, p, v, PD_RMW_ADD, size);
	sum = LLVMBuildAdd(a->m->b, old, v, "");
	flags_of(a, sum, LLVMBuildICmp(a->m->b, LLVMIntULT, sum, old, ""));
	return write_value(a, reg, old, size);
}

static bool step_cmpxchg(struct pd_asm_run *a, statement st, unsigned suffix)
{
	struct pd_asm_operand ax = {.kind = PD_ASM_REG, .slot = -1, .reg = "ax"};
	unsigned size = size_of(a, st, suffix);
	LLVMValueRef p, v, expected;
	operand reg;

	if (!split(a, st, &p, &reg) || pd_ir_size_index(size) < 0 || size > 8)
		return false;
	v = read_value(a, reg, size);
	expected = read_value(a, &ax, size);
	return v && expected && write_value(a, &ax, emit_cas(a, p, expected, v, size), size);
}

static LLVMValueRef pair(struct pd_asm_run *a, const char *low, const char *high)
{
	struct pd_asm_operand l = {.kind = PD_ASM_REG, .slot = -1}, h = l;
	LLVMBuilderRef b = a->m->b;
	LLVMValueRef lv, hv;

	snprintf(l.reg, sizeof(l.reg), "%s", low);
	snprintf(h.reg, sizeof(h.reg), "%s", high);
	lv = read_value(a, &l, 8);
	hv = read_value(a, &h, 8);
	if (!lv || !hv)
		return NULL;
	lv = LLVMBuildZExt(b, lv, a->m->t_i128, "");
	hv = LLVMBuildZExt(b, hv, a->m->t_i128, "");
	return LLVMBuildOr(b, lv, LLVMBuildShl(b, hv, LLVMConstInt(a->m->t_i128, 64, 0), ""), "");
}

/* Compares rdx:rax with memory; if equal, stores rcx:rbx. */
static bool step_cmpxchg16b(struct pd_asm_run *a, statement st)
{
	LLVMValueRef p = st->n == 1 && is_memory(a, &st->op[0]) ? address(a, &st->op[0]) : NULL;
	LLVMValueRef expected, desired, old, high;
	LLVMBuilderRef b = a->m->b;

	expected = p ? pair(a, "ax", "dx") : NULL;
	desired = p ? pair(a, "bx", "cx") : NULL;
	if (!expected || !desired)
		return false;
	old = emit_cas(a, p, expected, desired, 16);
	high = LLVMBuildLShr(b, old, LLVMConstInt(a->m->t_i128, 64, 0), "");
	return write_cell(a, pd_asm_cell(a, "ax"), LLVMBuildTrunc(b, old, a->m->t_i64, ""), 8) &&
	       write_cell(a, pd_asm_cell(a, "dx"), LLVMBuildTrunc(b, high, a->m->t_i64, ""), 8);
}

static LLVMValueRef apply(struct pd_asm_run *a, int op, LLVMValueRef x, LLVMValueRef y)
{
	switch (op) {
	case PD_RMW_ADD:
		return LLVMBuildAdd(a->m->b, x, y, "");
	case PD_RMW_SUB:
		return LLVMBuildSub(a->m->b, x, y, "");
	case PD_RMW_AND:
		return LLVMBuildAnd(a->m->b, x, y, "");
	case PD_RMW_OR:
		return LLVMBuildOr(a->m->b, x, y, "");
	default:
		return LLVMBuildXor(a->m->b, x, y, "");
	}
}

static LLVMValueRef carry_of(struct pd_asm_run *a, int op, LLVMValueRef old, LLVMValueRef v,
			     LLVMValueRef result)
{
	if (op == PD_RMW_ADD)
		return LLVMBuildICmp(a->m->b, LLVMIntULT, result, old, "");
	if (op == PD_RMW_SUB)
		return LLVMBuildICmp(a->m->b, LLVMIntULT, old, v, "");
	return LLVMConstNull(a->m->t_i1);
}

/* lock orl $0,(%rsp): a full fence without mfence. */
static bool is_stack_fence(statement st)
{
	return st->n == 2 && st->op[0].kind == PD_ASM_IMM && st->op[1].kind == PD_ASM_MEM &&
	       st->op[1].slot < 0 && strcmp(st->op[1].reg, "sp") == 0 && st->op[0].number == 0;
}

static bool step_arithmetic(struct pd_asm_run *a, statement st, int op, unsigned suffix)
{
	unsigned size = size_of(a, st, suffix);
	LLVMValueRef p, v, old, result;

	if (is_stack_fence(st) && (op == PD_RMW_ADD || op == PD_RMW_OR || op == PD_RMW_XOR))
		return step_fence(a, PD_FENCE_MFENCE);
	if (st->n != 2 || !is_memory(a, &st->op[1]) || pd_ir_size_index(size) < 0 || size > 8)
		return false;
	p = address(a, &st->op[1]);
	v = read_value(a, &st->op[0], size);
	if (!p || !v)
		return false;
	old = emit_rmw(a, p, v, op, size);
	result = apply(a, op, old, v);
	flags_of(a, result, carry_of(a, op, old, v, result));
	return true;
}

static bool step_increment(struct pd_asm_run *a, statement st, int op, unsigned suffix)
{
	unsigned size = size_of(a, st, suffix);
	LLVMValueRef p, one;

	if (st->n != 1 || !is_memory(a, &st->op[0]) || pd_ir_size_index(size) < 0 || size > 8)
		return false;
	p = address(a, &st->op[0]);
	if (!p)
		return false;
	one = LLVMConstInt(pd_ir_int(a->m, size), 1, 0);
	flags_of(a, apply(a, op, emit_rmw(a, p, one, op, size), one), a->cf);
	return true;
}

/* A bit number in a register may address memory beyond the operand, as one string of bits. */
static bool step_bit(struct pd_asm_run *a, statement st, int op, unsigned suffix)
{
	LLVMBuilderRef b = a->m->b;
	unsigned size = size_of(a, st, suffix);
	LLVMValueRef p, bit, word, mask, old, sixty_three;

	if (st->n != 2 || !is_memory(a, &st->op[1]) || (size != 2 && size != 4 && size != 8))
		return false;
	p = address(a, &st->op[1]);
	bit = read_value(a, &st->op[0], size);
	if (!p || !bit)
		return false;
	sixty_three = LLVMConstInt(LLVMTypeOf(bit), size * 8 - 1, 0);
	if (st->op[0].kind != PD_ASM_IMM) {
		unsigned shift = size == 8 ? 6 : size == 4 ? 5 : 4;

		word = LLVMBuildAShr(b, bit, LLVMConstInt(LLVMTypeOf(bit), shift, 0), "");
		word = LLVMBuildSExtOrBitCast(b, word, a->m->t_i64, "");
		p = LLVMBuildGEP2(b, pd_ir_int(a->m, size), p, &word, 1, "");
	}
	bit = LLVMBuildAnd(b, bit, sixty_three, "");
	mask = LLVMBuildShl(b, LLVMConstInt(LLVMTypeOf(bit), 1, 0), bit, "");
	old = emit_rmw(a, p, op == PD_RMW_AND ? LLVMBuildNot(b, mask, "") : mask, op, size);
	a->zf = a->sf = NULL;
	a->cf = LLVMBuildICmp(b, LLVMIntNE, LLVMBuildAnd(b, old, mask, ""),
			      LLVMConstNull(LLVMTypeOf(old)), "");
	return true;
}

/* ---- what follows a locked instruction ------------------------------------------------------ */

static bool step_set(struct pd_asm_run *a, statement st)
{
	LLVMValueRef c = condition(a, st->mnemonic + 3);

	if (!c || st->n != 1 || is_memory(a, &st->op[0]))
		return false;
	return write_value(a, &st->op[0], LLVMBuildZExt(a->m->b, c, a->m->t_i8, ""), 1);
}

static bool same_operand(operand x, operand y)
{
	return x->kind == y->kind && x->slot == y->slot && strcmp(x->reg, y->reg) == 0;
}

/* sbb x,x: sets all bits of x to the carry. */
static bool step_sbb(struct pd_asm_run *a, statement st, unsigned suffix)
{
	unsigned size = size_of(a, st, suffix);

	if (st->n != 2 || !same_operand(&st->op[0], &st->op[1]) || !a->cf || !size || size > 8)
		return false;
	return write_value(a, &st->op[0], LLVMBuildSExt(a->m->b, a->cf, pd_ir_int(a->m, size), ""),
			   size);
}

/* ---- moves ---------------------------------------------------------------------------------- */

static bool step_store(struct pd_asm_run *a, LLVMValueRef p, LLVMValueRef v, unsigned size, bool nt)
{
	LLVMValueRef args[] = {p, v, site(a, nt ? PD_SITE_NT : PD_SITE_VOLATILE, size)};

	pd_hook_call(a->m,
		     (nt ? PD_HOOK_ntstore : PD_HOOK_store) + (unsigned)pd_ir_size_index(size),
		     args);
	return true;
}

static bool step_mov(struct pd_asm_run *a, statement st, unsigned suffix, bool nt)
{
	unsigned size = size_of(a, st, suffix);
	bool to_memory = st->n == 2 && is_memory(a, &st->op[1]);
	bool from_memory = st->n == 2 && is_memory(a, &st->op[0]);
	LLVMValueRef p, v;

	if (st->n != 2 || (to_memory && from_memory) || pd_ir_size_index(size) < 0 || size > 8)
		return false;
	if (from_memory) {
		p = address(a, &st->op[0]);
		if (!p || nt)
			return false;
		LLVMValueRef args[] = {p, site(a, PD_SITE_VOLATILE, size)};

		v = pd_hook_call(a->m, PD_HOOK_load + (unsigned)pd_ir_size_index(size), args);
		return write_value(a, &st->op[1], v, size);
	}
	v = read_value(a, &st->op[0], size);
	if (!v)
		return false;
	if (!to_memory)
		return !nt && write_value(a, &st->op[1], v, size);
	p = address(a, &st->op[1]);
	return p && step_store(a, p, v, size, nt);
}

static bool load_vector(struct pd_asm_run *a, statement st, unsigned size)
{
	struct pd_ir *m = a->m;
	LLVMTypeRef t = LLVMVectorType(m->t_i8, size);
	LLVMValueRef temp = pd_ir_temp(m, a->inst, t, 0);
	LLVMValueRef p = address(a, &st->op[0]);

	if (!p)
		return false;
	LLVMValueRef args[] = {p, temp, pd_ir_const64(m, size), site(a, PD_SITE_VOLATILE, size)};
	pd_hook_call(m, PD_HOOK_loadb, args);
	return write_value(a, &st->op[1], LLVMBuildLoad2(m->b, t, temp, ""), size);
}

static bool store_vector(struct pd_asm_run *a, statement st, unsigned size, bool nt)
{
	struct pd_ir *m = a->m;
	LLVMValueRef p = address(a, &st->op[1]), v, temp;
	int c = cell_of(a, &st->op[0]);

	v = c >= 0 ? a->cells[c].value : NULL;
	if (!p || !v || LLVMStoreSizeOfType(m->layout, LLVMTypeOf(v)) < size)
		return false;
	temp = pd_ir_temp(m, a->inst, LLVMTypeOf(v), 0);
	LLVMBuildStore(m->b, v, temp);
	LLVMValueRef args[] = {p, temp, pd_ir_const64(m, size),
			       site(a, nt ? PD_SITE_NT : PD_SITE_VOLATILE, size),
			       pd_ir_const32(m, nt ? PD_STORE_NT : 0)};
	pd_hook_call(m, PD_HOOK_storeb, args);
	return true;
}

/* movdqa and similar moves of whole vector registers. */
static bool step_vector(struct pd_asm_run *a, statement st, bool nt)
{
	bool to_memory = st->n == 2 && is_memory(a, &st->op[1]);
	bool from_memory = st->n == 2 && is_memory(a, &st->op[0]);
	unsigned size;

	if (to_memory == from_memory || st->n != 2)
		return false;
	size = operand_size(a, &st->op[to_memory ? 0 : 1]);
	if (size != 16 && size != 32 && size != 64)
		return false;
	return to_memory ? store_vector(a, st, size, nt) : load_vector(a, st, size);
}

static bool is_vector_move(const char *s, bool *nt)
{
	static const char *const plain[] = {"movdqa",	"movdqu",   "movaps",	"movups",
					    "movapd",	"movupd",   "lddqu",	"movdqu8",
					    "movdqu64", "movdqa64", "movdqu32", "movdqa32"};
	static const char *const past[] = {"movntdq", "movntps", "movntpd"};

	s += s[0] == 'v';
	for (size_t i = 0; i < PD_LEN(past); i++)
		if ((*nt = strcmp(s, past[i]) == 0))
			return true;
	for (size_t i = 0; i < PD_LEN(plain); i++)
		if (strcmp(s, plain[i]) == 0)
			return true;
	/* A non-temporal load is a load. */
	return strcmp(s, "movntdqa") == 0;
}

/* movdir64b source, %destination: one non-temporal store of 64 bytes. */
static bool step_movdir64b(struct pd_asm_run *a, statement st)
{
	struct pd_ir *m = a->m;
	LLVMTypeRef t = LLVMArrayType2(m->t_i8, 64);
	LLVMValueRef temp = pd_ir_temp(m, a->inst, t, 0), p, dst, where;

	p = st->n == 2 && is_memory(a, &st->op[0]) ? address(a, &st->op[0]) : NULL;
	dst = p ? read_value(a, &st->op[1], 8) : NULL;
	if (!dst)
		return false;
	where = site(a, PD_SITE_NT, 64);
	LLVMValueRef load[] = {p, temp, pd_ir_const64(m, 64), where};
	pd_hook_call(m, PD_HOOK_loadb, load);
	LLVMValueRef store[] = {LLVMBuildIntToPtr(m->b, dst, m->t_ptr, ""), temp,
				pd_ir_const64(m, 64), where, pd_ir_const32(m, PD_STORE_NT)};
	pd_hook_call(m, PD_HOOK_storeb, store);
	return true;
}

static LLVMValueRef read_register(struct pd_asm_run *a, const char *reg, unsigned size)
{
	struct pd_asm_operand op = {.kind = PD_ASM_REG, .slot = -1};

	snprintf(op.reg, sizeof(op.reg), "%s", reg);
	return read_value(a, &op, size);
}

/* What rep stos of this width repeats, as the byte of a memset; NULL: its bytes may differ. */
static LLVMValueRef repeated_byte(struct pd_asm_run *a, unsigned size)
{
	LLVMValueRef v = read_register(a, "ax", size);
	uint64_t n, byte;

	if (!v || size == 1)
		return v;
	if (!LLVMIsAConstantInt(v))
		return NULL;
	n = LLVMConstIntGetZExtValue(v);
	byte = n & 0xff;
	for (unsigned i = 1; i < size; i++)
		if ((n >> 8 * i & 0xff) != byte)
			return NULL;
	return LLVMConstInt(a->m->t_i8, byte, 0);
}

/* rep movs and rep stos, with the direction flag clear as the ABI demands. */
static bool step_string(struct pd_asm_run *a, statement st)
{
	struct pd_ir *m = a->m;
	bool move = strncmp(st->mnemonic, "movs", 4) == 0;
	const char *at = st->mnemonic[4] ? strchr("bwlq", st->mnemonic[4]) : NULL;
	LLVMValueRef di, src, n, bytes;

	if (!at || st->n || !st->rep)
		return false;
	di = read_register(a, "di", 8);
	src = move ? read_register(a, "si", 8) : repeated_byte(a, 1u << (at - "bwlq"));
	n = read_register(a, "cx", 8);
	if (!di || !src || !n)
		return false;
	bytes = LLVMBuildShl(m->b, n, pd_ir_const64(m, (uint64_t)(at - "bwlq")), "");
	LLVMValueRef args[] = {LLVMBuildIntToPtr(m->b, di, m->t_ptr, ""),
			       move ? LLVMBuildIntToPtr(m->b, src, m->t_ptr, "")
				    : LLVMBuildZExt(m->b, src, m->t_i32, ""),
			       bytes, site(a, PD_SITE_BLOCK, 0)};
	pd_hook_call(m, move ? PD_HOOK_memcpy : PD_HOOK_memset, args);
	if (move && !write_cell(a, pd_asm_cell(a, "si"), LLVMBuildAdd(m->b, src, bytes, ""), 8))
		return false;
	return write_cell(a, pd_asm_cell(a, "di"), LLVMBuildAdd(m->b, di, bytes, ""), 8) &&
	       write_cell(a, pd_asm_cell(a, "cx"), pd_ir_const64(m, 0), 8);
}

/* ---- which one it is ------------------------------------------------------------------------ */

struct locked {
	const char *name;
	int op;
	bool (*step)(struct pd_asm_run *a, statement st, int op, unsigned suffix);
};

static const struct locked locked_table[] = {
	{"add", PD_RMW_ADD, step_arithmetic}, {"sub", PD_RMW_SUB, step_arithmetic},
	{"and", PD_RMW_AND, step_arithmetic}, {"or", PD_RMW_OR, step_arithmetic},
	{"xor", PD_RMW_XOR, step_arithmetic}, {"inc", PD_RMW_ADD, step_increment},
	{"dec", PD_RMW_SUB, step_increment},  {"bts", PD_RMW_OR, step_bit},
	{"btr", PD_RMW_AND, step_bit},	      {"btc", PD_RMW_XOR, step_bit},
};

static bool step_locked(struct pd_asm_run *a, statement st)
{
	unsigned suffix;

	if (strcmp(st->mnemonic, "cmpxchg16b") == 0)
		return step_cmpxchg16b(a, st);
	if (is_instruction(st->mnemonic, "xadd", &suffix))
		return step_xadd(a, st, suffix);
	if (is_instruction(st->mnemonic, "cmpxchg", &suffix))
		return step_cmpxchg(a, st, suffix);
	for (size_t i = 0; i < PD_LEN(locked_table); i++)
		if (is_instruction(st->mnemonic, locked_table[i].name, &suffix))
			return locked_table[i].step(a, st, locked_table[i].op, suffix);
	return false;
}

static bool step_plain(struct pd_asm_run *a, statement st)
{
	unsigned suffix;
	bool nt = false;

	if (strncmp(st->mnemonic, "set", 3) == 0)
		return step_set(a, st);
	if (is_instruction(st->mnemonic, "sbb", &suffix))
		return step_sbb(a, st, suffix);
	if (is_instruction(st->mnemonic, "mov", &suffix))
		return step_mov(a, st, suffix, false);
	if (is_instruction(st->mnemonic, "movnti", &suffix) ||
	    is_instruction(st->mnemonic, "movdiri", &suffix))
		return step_mov(a, st, suffix, true);
	if (strcmp(st->mnemonic, "movdir64b") == 0)
		return step_movdir64b(a, st);
	if (is_vector_move(st->mnemonic, &nt))
		return step_vector(a, st, nt);
	return false;
}

bool pd_asm_step(struct pd_asm_run *a, statement st)
{
	int kind;
	unsigned suffix;
	LLVMValueRef s;

	if (st->raw)
		return false;
	if (strcmp(st->mnemonic, "pause") == 0 ||
	    (st->rep && (!st->mnemonic[0] || strcmp(st->mnemonic, "nop") == 0))) {
		s = site(a, 0, 0);
		pd_hook_call(a->m, PD_HOOK_pause, &s);
		return true;
	}
	/* The ABI demands a clear direction flag anyway. */
	if (strcmp(st->mnemonic, "nop") == 0 || strcmp(st->mnemonic, "cld") == 0)
		return st->n == 0;
	/* A hint reads nothing. pcommit never shipped: a fence makes its work unnecessary. */
	if (strncmp(st->mnemonic, "prefetch", 8) == 0 || strcmp(st->mnemonic, "pcommit") == 0)
		return true;
	if ((kind = flush_kind(st)) >= 0)
		return step_flush(a, st, kind);
	if ((kind = fence_kind(st)) >= 0)
		return step_fence(a, kind);
	if (is_instruction(st->mnemonic, "xchg", &suffix))
		return step_xchg(a, st, suffix);
	if (strncmp(st->mnemonic, "movs", 4) == 0 || strncmp(st->mnemonic, "stos", 4) == 0)
		return step_string(a, st);
	return st->lock ? step_locked(a, st) : step_plain(a, st);
}
