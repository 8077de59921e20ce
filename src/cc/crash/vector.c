/*
 * vector.c - vector intrinsics that touch some lanes of memory: masked, gathering, scattering.
 *
 * All of them are handled by four hooks. Lane values go through a temporary, the mask becomes one
 * byte per lane, and intrinsics that compute addresses from a base and an index vector, or pack
 * their lanes (expandload, compressstore), get an array of lane addresses.
 */
#include "cc/crash/crash.h"
#include <string.h>

/* Temporaries that are live at the same time. */
enum {
	SLOT_VALUE,
	SLOT_MASK,
	SLOT_ADDRESS,
};

struct lanes {
	LLVMTypeRef type; /* of the value: a vector */
	unsigned n;
	unsigned size; /* bytes per lane */
	LLVMValueRef value;
	LLVMValueRef mask;    /* <n x i1> */
	LLVMValueRef address; /* a pointer, or <n x ptr> */
	unsigned flags;	      /* enum pd_store_flags */
};

static LLVMValueRef spill(struct pd_ir *m, LLVMValueRef inst, LLVMValueRef v, unsigned slot)
{
	LLVMValueRef temp = pd_ir_temp(m, inst, LLVMTypeOf(v), slot);

	LLVMBuildStore(m->b, v, temp);
	return temp;
}

static LLVMValueRef spill_mask(struct pd_ir *m, LLVMValueRef inst, const struct lanes *l)
{
	LLVMTypeRef bytes = LLVMVectorType(m->t_i8, l->n);

	return spill(m, inst, LLVMBuildZExt(m->b, l->mask, bytes, ""), SLOT_MASK);
}

static void set_type(struct pd_ir *m, struct lanes *l, LLVMTypeRef type)
{
	l->type = type;
	l->n = LLVMGetVectorSize(type);
	l->size = (unsigned)LLVMStoreSizeOfType(m->layout, LLVMGetElementType(type));
}

/* Calls a hook that fills the temporary, which then has the instruction's value. */
static void emit_load(struct pd_ir *m, LLVMValueRef inst, const struct lanes *l)
{
	bool gather = LLVMGetTypeKind(LLVMTypeOf(l->address)) == LLVMVectorTypeKind;
	LLVMValueRef temp = spill(m, inst, l->value, SLOT_VALUE);
	LLVMValueRef args[] = {gather ? spill(m, inst, l->address, SLOT_ADDRESS) : l->address,
			       temp,
			       spill_mask(m, inst, l),
			       pd_ir_const32(m, l->size),
			       pd_ir_const64(m, l->n),
			       pd_site_of(m, inst, pd_decides(m, inst), (uint64_t)l->size * l->n)};

	pd_hook_call(m, gather ? PD_HOOK_gather : PD_HOOK_maskload, args);
	LLVMReplaceAllUsesWith(inst, LLVMBuildLoad2(m->b, l->type, temp, ""));
	LLVMInstructionEraseFromParent(inst);
}

static void emit_store(struct pd_ir *m, LLVMValueRef inst, const struct lanes *l)
{
	bool scatter = LLVMGetTypeKind(LLVMTypeOf(l->address)) == LLVMVectorTypeKind;
	unsigned flags = l->flags & PD_STORE_NT ? PD_SITE_NT : 0;
	LLVMValueRef args[] = {scatter ? spill(m, inst, l->address, SLOT_ADDRESS) : l->address,
			       spill(m, inst, l->value, SLOT_VALUE),
			       spill_mask(m, inst, l),
			       pd_ir_const32(m, l->size),
			       pd_ir_const64(m, l->n),
			       pd_site_of(m, inst, flags, (uint64_t)l->size * l->n),
			       pd_ir_const32(m, l->flags)};

	pd_hook_call(m, scatter ? PD_HOOK_scatter : PD_HOOK_maskstore, args);
	LLVMInstructionEraseFromParent(inst);
}

/* ---- LLVM's own ----------------------------------------------------------------------------- */

/* Lane k of a packed access is preceded by one element for each active lane below it. */
static LLVMValueRef packed_addresses(struct pd_ir *m, const struct lanes *l, LLVMValueRef base)
{
	LLVMValueRef v = LLVMGetPoison(LLVMVectorType(m->t_ptr, l->n));
	LLVMValueRef before = pd_ir_const64(m, 0);
	LLVMTypeRef element = LLVMGetElementType(l->type);

	for (unsigned i = 0; i < l->n; i++) {
		LLVMValueRef at = pd_ir_const32(m, i);
		LLVMValueRef p = LLVMBuildGEP2(m->b, element, base, &before, 1, "");
		LLVMValueRef taken = LLVMBuildExtractElement(m->b, l->mask, at, "");

		v = LLVMBuildInsertElement(m->b, v, p, at, "");
		before = LLVMBuildAdd(m->b, before, LLVMBuildZExt(m->b, taken, m->t_i64, ""), "");
	}
	return v;
}

static bool generic(struct pd_ir *m, LLVMValueRef inst, const char *name)
{
	const char *op = name + strlen("llvm.masked.");
	bool packed = strncmp(op, "expandload", 10) == 0 || strncmp(op, "compressstore", 13) == 0;
	bool load = op[0] == 'l' || op[0] == 'g' || op[0] == 'e';
	/* (address, align, mask, value) or (value, address, align, mask); packed ones have no
	 * align */
	unsigned mask = packed ? (load ? 1 : 2) : (load ? 2 : 3);
	struct lanes l = {
		.value = LLVMGetOperand(inst, load ? mask + 1 : 0),
		.address = LLVMGetOperand(inst, load ? 0 : 1),
		.mask = LLVMGetOperand(inst, mask),
		.flags = LLVMGetMetadata(inst, m->md_nontemporal) ? PD_STORE_NT : 0,
	};

	set_type(m, &l, LLVMTypeOf(l.value));
	if (packed)
		l.address = packed_addresses(m, &l, l.address);
	if (load)
		emit_load(m, inst, &l);
	else
		emit_store(m, inst, &l);
	return true;
}

/* ---- x86's ---------------------------------------------------------------------------------- */

/* AVX selects the lanes whose sign bit is set. */
static LLVMValueRef sign_mask(struct pd_ir *m, LLVMValueRef v)
{
	LLVMTypeRef t = LLVMTypeOf(v);
	LLVMTypeRef e = LLVMGetElementType(t);
	unsigned bits = (unsigned)LLVMSizeOfTypeInBits(m->layout, e);

	t = LLVMVectorType(LLVMIntTypeInContext(m->ctx, bits), LLVMGetVectorSize(t));
	v = LLVMBuildBitCast(m->b, v, t, "");
	return LLVMBuildICmp(m->b, LLVMIntSLT, v, LLVMConstNull(t), "");
}

static void avx_mask_load(struct pd_ir *m, LLVMValueRef inst)
{
	struct lanes l = {
		.value = LLVMConstNull(LLVMTypeOf(inst)),
		.address = LLVMGetOperand(inst, 0),
		.mask = sign_mask(m, LLVMGetOperand(inst, 1)),
	};

	set_type(m, &l, LLVMTypeOf(inst));
	emit_load(m, inst, &l);
}

static void avx_mask_store(struct pd_ir *m, LLVMValueRef inst)
{
	struct lanes l = {
		.value = LLVMGetOperand(inst, 2),
		.address = LLVMGetOperand(inst, 0),
		.mask = sign_mask(m, LLVMGetOperand(inst, 1)),
	};

	set_type(m, &l, LLVMTypeOf(l.value));
	emit_store(m, inst, &l);
}

static void sse_mask_move(struct pd_ir *m, LLVMValueRef inst)
{
	struct lanes l = {
		.value = LLVMGetOperand(inst, 0),
		.address = LLVMGetOperand(inst, 2),
		.mask = sign_mask(m, LLVMGetOperand(inst, 1)),
		.flags = PD_STORE_NT,
	};

	set_type(m, &l, LLVMTypeOf(l.value));
	emit_store(m, inst, &l);
}

static LLVMValueRef indexed_addresses(struct pd_ir *m, LLVMValueRef base, LLVMValueRef index,
				      LLVMValueRef scale)
{
	unsigned n = LLVMGetVectorSize(LLVMTypeOf(index));
	LLVMValueRef v = LLVMGetPoison(LLVMVectorType(m->t_ptr, n));
	LLVMValueRef by = LLVMBuildIntCast2(m->b, scale, m->t_i64, 0, "");

	for (unsigned i = 0; i < n; i++) {
		LLVMValueRef at = pd_ir_const32(m, i);
		LLVMValueRef k = LLVMBuildExtractElement(m->b, index, at, "");

		k = LLVMBuildMul(m->b, LLVMBuildIntCast2(m->b, k, m->t_i64, 1, ""), by, "");
		v = LLVMBuildInsertElement(m->b, v, LLVMBuildGEP2(m->b, m->t_i8, base, &k, 1, ""),
					   at, "");
	}
	return v;
}

/* (source, base, index, mask, scale); the mask of AVX2 is a vector of sign bits. */
static bool x86_gather(struct pd_ir *m, LLVMValueRef inst)
{
	LLVMValueRef index = LLVMGetOperand(inst, 2), mask = LLVMGetOperand(inst, 3);
	LLVMTypeRef mt = LLVMTypeOf(mask);
	struct lanes l = {.value = LLVMGetOperand(inst, 0)};

	set_type(m, &l, LLVMTypeOf(inst));
	if (LLVMGetTypeKind(mt) != LLVMVectorTypeKind ||
	    LLVMGetVectorSize(LLVMTypeOf(index)) != l.n || LLVMGetVectorSize(mt) != l.n)
		return false;
	l.mask = LLVMGetElementType(mt) == m->t_i1 ? mask : sign_mask(m, mask);
	l.address = indexed_addresses(m, LLVMGetOperand(inst, 1), index, LLVMGetOperand(inst, 4));
	emit_load(m, inst, &l);
	return true;
}

/* (base, mask, index, value, scale) */
static bool x86_scatter(struct pd_ir *m, LLVMValueRef inst)
{
	LLVMValueRef index = LLVMGetOperand(inst, 2), mask = LLVMGetOperand(inst, 1);
	LLVMTypeRef mt = LLVMTypeOf(mask);
	struct lanes l = {.value = LLVMGetOperand(inst, 3), .mask = mask};

	set_type(m, &l, LLVMTypeOf(l.value));
	if (LLVMGetTypeKind(mt) != LLVMVectorTypeKind || LLVMGetVectorSize(mt) != l.n ||
	    LLVMGetElementType(mt) != m->t_i1 || LLVMGetVectorSize(LLVMTypeOf(index)) != l.n)
		return false;
	l.address = indexed_addresses(m, LLVMGetOperand(inst, 0), index, LLVMGetOperand(inst, 4));
	emit_store(m, inst, &l);
	return true;
}

static bool starts(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

/* A gather or scatter with fewer indices than lanes is left unchanged, and counted by the
 * caller. */
bool pd_vector_intrinsic(struct pd_ir *m, LLVMValueRef inst, const char *name)
{
	LLVMPositionBuilderBefore(m->b, inst);
	if (starts(name, "llvm.masked."))
		return generic(m, inst, name);
	if (!starts(name, "llvm.x86."))
		return false;
	if (strstr(name, ".maskload."))
		avx_mask_load(m, inst);
	else if (strstr(name, ".maskstore."))
		avx_mask_store(m, inst);
	else if (strcmp(name, "llvm.x86.sse2.maskmov.dqu") == 0)
		sse_mask_move(m, inst);
	else if (starts(name, "llvm.x86.avx2.gather.") ||
		 starts(name, "llvm.x86.avx512.mask.gather"))
		return x86_gather(m, inst);
	else if (starts(name, "llvm.x86.avx512.mask.scatter"))
		return x86_scatter(m, inst);
	else
		return false;
	return true;
}
