/*
 * field.c - which member of which struct an access is to, as far as the address shows.
 *
 * Clang computes the address of a member from the struct's type. So the nearest such step before
 * the access gives the type and the offset in it; the program's debug information then gives the
 * member (report/fields.h). A struct without a name is treated as part of the enclosing one. An
 * element of an array counts as the first one, since reports name the array.
 *
 * Fields are determined before anything is inlined or simplified, and kept with the instruction:
 * later the address of a first member becomes that of the struct.
 *
 * Members inside std::atomic mean nothing to a reader: the field is the member that has this type.
 * Its functions are inlined, and its accesses are examined again afterwards; so are stores into
 * which the copy of a struct was taken apart.
 *
 * Precision lost: a load through a pointer to the member itself has no field.
 */
#include "cc/ir.h"
#include <string.h>

/* The innermost named struct in one address computation, and the offset in it. */
struct step {
	LLVMTypeRef type; /* NULL: none in this step */
	uint64_t offset;  /* in it */
	uint64_t whole;	  /* offset in the type that the step starts from */
};

static bool is_atomic_type(const char *name)
{
	return strncmp(name, "std::__atomic_", 14) == 0 || strncmp(name, "std::atomic", 11) == 0;
}

static bool has_name(LLVMTypeRef t)
{
	const char *name = LLVMGetTypeKind(t) == LLVMStructTypeKind ? LLVMGetStructName(t) : NULL;
	const char *dot = name ? strchr(name, '.') : NULL;

	return dot && strcmp(dot, ".anon") != 0 && strncmp(dot, ".anon.", 6) != 0 &&
	       !is_atomic_type(dot + 1);
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

/* An offset in bytes, which clang uses for base classes. */
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

/* Functions of std::atomic whose names say more than what they do: constructors, operators. */
static bool is_of_atomic(const char *name)
{
	if (strncmp(name, "_ZN", 3) != 0)
		return false;
	name += 3 + strspn(name + 3, "VK");
	return strncmp(name, "St13__atomic_base", 17) == 0 || strncmp(name, "St6atomic", 9) == 0;
}

void pd_fields_inline_atomics(struct pd_ir *m)
{
	LLVMAttributeRef always = LLVMCreateEnumAttribute(m->ctx, m->attr.alwaysinline, 0);
	unsigned never = pd_attribute_kind("noinline");

	for (LLVMValueRef fn = LLVMGetFirstFunction(m->mod); fn; fn = LLVMGetNextFunction(fn)) {
		size_t n;

		if (!LLVMGetFirstBasicBlock(fn) || !is_of_atomic(LLVMGetValueName2(fn, &n)))
			continue;
		LLVMRemoveEnumAttributeAtIndex(fn, PD_IR_SELF, never);
		LLVMAddAttributeAtIndex(fn, PD_IR_SELF, always);
	}
}

static void note(struct pd_ir *m, LLVMValueRef inst, LLVMValueRef address)
{
	struct pd_ir_field f;

	if (address && find_field(m, address, &f))
		keep(m, inst, &f);
}

void pd_fields_note(struct pd_ir *m)
{
	for (LLVMValueRef fn = LLVMGetFirstFunction(m->mod); fn; fn = LLVMGetNextFunction(fn))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b;
		     b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
			     i = LLVMGetNextInstruction(i))
				note(m, i, address_of(i));
}

/* Whether clang has generated this for a function of std::atomic. */
static bool comes_from_atomic(LLVMValueRef inst)
{
	LLVMMetadataRef at = LLVMInstructionGetDebugLoc(inst);
	LLVMMetadataRef file = at ? LLVMDIScopeGetFile(LLVMDILocationGetScope(at)) : NULL;
	unsigned n = 0;
	const char *name = file ? LLVMDIFileGetFilename(file, &n) : "";

	return (n >= 13 && memcmp(name + n - 13, "atomic_base.h", 13) == 0) ||
	       (n >= 7 && memcmp(name + n - 7, "/atomic", 7) == 0);
}

void pd_fields_note_new(struct pd_ir *m)
{
	for (LLVMValueRef fn = LLVMGetFirstFunction(m->mod); fn; fn = LLVMGetNextFunction(fn))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b;
		     b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
			     i = LLVMGetNextInstruction(i))
				if (!LLVMIsACallInst(i) && !LLVMGetMetadata(i, m->md_field) &&
				    (LLVMIsAStoreInst(i) || comes_from_atomic(i)))
					note(m, i, address_of(i));
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

/* The address that an instruction writes to or reads from; NULL: not a single one. */
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
