/*
 * field.c - which member of which struct an access is to, as far as the address says.
 *
 * Clang computes the address of a member from the struct's type, so the nearest such step before
 * the access names the type and the place in it; the debug information of the program then knows
 * the member (report/fields.h). A struct without a name is looked at as a part of the one around
 * it. An element of an array counts as its first, since a report names the array.
 *
 * All this is read off before anything is inlined or simplified, and kept with the instruction: an
 * address of a first member is soon the struct's own.
 *
 * Precision lost: an access through a pointer to the member itself has no field.
 */
#include "cc/ir.h"
#include <string.h>

/* The innermost struct with a name on the way of one address computation, and the place in it. */
struct step {
	LLVMTypeRef type; /* NULL: none on this step */
	uint64_t offset;  /* in it */
	uint64_t whole;	  /* in the type that the step starts from */
};

static bool has_name(LLVMTypeRef t)
{
	const char *name = LLVMGetTypeKind(t) == LLVMStructTypeKind ? LLVMGetStructName(t) : NULL;
	const char *dot = name ? strchr(name, '.') : NULL;

	return dot && strcmp(dot, ".anon") != 0 && strncmp(dot, ".anon.", 6) != 0;
}

static uint64_t constant(LLVMValueRef v)
{
	return LLVMIsAConstantInt(v) ? LLVMConstIntGetZExtValue(v) : 0;
}

static void enter(struct step *s, LLVMTypeRef t)
{
	if (has_name(t)) {
		s->type = t;
		s->offset = 0;
	}
}

static struct step take_step(struct pd_ir *m, LLVMValueRef gep)
{
	LLVMTypeRef t = LLVMGetGEPSourceElementType(gep);
	unsigned n = (unsigned)LLVMGetNumOperands(gep);
	struct step s = {0};

	if (n > 2)
		enter(&s, t);
	for (unsigned i = 2; i < n; i++) {
		uint64_t index = constant(LLVMGetOperand(gep, i)), by = 0;

		if (LLVMGetTypeKind(t) == LLVMStructTypeKind) {
			by = LLVMOffsetOfElement(m->layout, t, (unsigned)index);
			t = LLVMStructGetTypeAtIndex(t, (unsigned)index);
		} else if (LLVMGetTypeKind(t) == LLVMArrayTypeKind) {
			t = LLVMGetElementType(t);
		} else {
			break;
		}
		s.offset += by;
		s.whole += by;
		if (i + 1 < n)
			enter(&s, t);
	}
	return s;
}

static bool is_gep(LLVMValueRef v)
{
	return LLVMIsAGetElementPtrInst(v) ||
	       (LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == LLVMGetElementPtr);
}

/* Bytes counted by hand: clang does so for bases of classes. */
static uint64_t plain_bytes(struct pd_ir *m, LLVMValueRef gep)
{
	LLVMTypeRef t = LLVMGetGEPSourceElementType(gep);

	return t == m->t_i8 && LLVMGetNumOperands(gep) == 2 ? constant(LLVMGetOperand(gep, 1)) : 0;
}

static bool find_field(struct pd_ir *m, LLVMValueRef address, struct pd_ir_field *f)
{
	uint64_t offset = 0;

	for (; is_gep(address); address = LLVMGetOperand(address, 0)) {
		struct step s = take_step(m, address);

		if (s.type) {
			const char *name = LLVMGetStructName(s.type);

			*f = (struct pd_ir_field){strchr(name, '.') + 1, s.offset + offset,
						  LLVMABISizeOfType(m->layout, s.type), 0};
			return true;
		}
		offset += s.whole + plain_bytes(m, address);
	}
	return false;
}

/* ---- kept with the instruction -------------------------------------------------------------- */

static void keep(struct pd_ir *m, LLVMValueRef inst, const struct pd_ir_field *f)
{
	LLVMMetadataRef ops[] = {
		LLVMMDStringInContext2(m->ctx, f->type, strlen(f->type)),
		LLVMValueAsMetadata(pd_ir_const64(m, f->offset)),
		LLVMValueAsMetadata(pd_ir_const64(m, f->size)),
	};

	LLVMSetMetadata(inst, m->md_field,
			LLVMMetadataAsValue(m->ctx, LLVMMDNodeInContext2(m->ctx, ops, 3)));
}

static LLVMValueRef address_of(LLVMValueRef inst);

void pd_fields_note(struct pd_ir *m)
{
	for (LLVMValueRef fn = LLVMGetFirstFunction(m->mod); fn; fn = LLVMGetNextFunction(fn))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b;
		     b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
			     i = LLVMGetNextInstruction(i)) {
				LLVMValueRef p = address_of(i);
				struct pd_ir_field f;

				if (p && find_field(m, p, &f))
					keep(m, i, &f);
			}
}

bool pd_ir_field(struct pd_ir *m, LLVMValueRef inst, struct pd_ir_field *f)
{
	LLVMValueRef node = LLVMGetMetadata(inst, m->md_field), ops[3];
	unsigned n;

	if (!node || LLVMGetMDNodeNumOperands(node) != 3)
		return false;
	LLVMGetMDNodeOperands(node, ops);
	f->type = LLVMGetMDString(ops[0], &n);
	f->ntype = n;
	f->offset = LLVMConstIntGetZExtValue(ops[1]);
	f->size = LLVMConstIntGetZExtValue(ops[2]);
	return true;
}

/* The memory that an instruction writes to or reads from; NULL: not one place. */
static LLVMValueRef address_of(LLVMValueRef inst)
{
	LLVMValueRef p;

	switch ((int)LLVMGetInstructionOpcode(inst)) {
	case LLVMStore:
		return LLVMGetOperand(inst, 1);
	case LLVMLoad:
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
		return LLVMGetOperand(inst, 0);
	case LLVMCall:
	case LLVMInvoke:
		p = LLVMGetNumArgOperands(inst) ? LLVMGetOperand(inst, 0) : NULL;
		return p && LLVMGetTypeKind(LLVMTypeOf(p)) == LLVMPointerTypeKind ? p : NULL;
	default:
		return NULL;
	}
}
