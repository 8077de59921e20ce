/*
 * access.c - load, store and atomic instructions become calls.
 *
 * A plain access gets a branch (guard.c) or, in unoptimised code, goes through an inlined helper
 * that tests for PM. An atomic one always calls its hook, in PM or not: it orders threads, and a
 * locked one fences everything before it. So does a volatile one, because old code spins on them;
 * except on a local variable that no other function has seen. Accesses that provably go to local or
 * global variables are not PM and stay unchanged.
 *
 * Integers of 1 to 16 bytes, floats and pointers are passed as values; everything else (vectors,
 * long double, odd bit widths) is loaded from or stored to the place itself or, in PM, a temporary
 * that the hook copies.
 */
#include "cc/crash/crash.h"
#include "base/hash.h"
#include <string.h>

#define PROVENANCE_DEPTH 8

/* ---- addresses ------------------------------------------------------------------------------ */

static bool is_thread_local_address(LLVMValueRef v)
{
	LLVMValueRef f;
	const char *name;
	size_t n;

	if (!LLVMIsACallInst(v))
		return false;
	f = LLVMIsAFunction(LLVMGetCalledValue(v));
	if (!f || !LLVMGetIntrinsicID(f))
		return false;
	name = LLVMGetValueName2(f, &n);
	return strncmp(name, "llvm.threadlocal.address", 24) == 0;
}

static bool is_byval_argument(struct pd_ir *m, LLVMValueRef v)
{
	LLVMValueRef fn;

	if (!LLVMIsAArgument(v))
		return false;
	fn = LLVMGetParamParent(v);
	for (unsigned i = 0; i < LLVMCountParams(fn); i++)
		if (LLVMGetParam(fn, i) == v)
			return LLVMGetEnumAttributeAtIndex(fn, i + 1, m->attr.byval) != NULL;
	return false;
}

static bool not_pm(struct pd_ir *m, LLVMValueRef v, unsigned depth)
{
	v = pd_ir_base(m, v);
	if (LLVMIsAAllocaInst(v) || LLVMIsAGlobalVariable(v) || is_thread_local_address(v) ||
	    is_byval_argument(m, v))
		return true;
	if (!depth)
		return false;
	if (LLVMIsASelectInst(v))
		return not_pm(m, LLVMGetOperand(v, 1), depth - 1) &&
		       not_pm(m, LLVMGetOperand(v, 2), depth - 1);
	if (!LLVMIsAPHINode(v) || LLVMCountIncoming(v) > 4)
		return false;
	for (unsigned i = 0; i < LLVMCountIncoming(v); i++)
		if (!not_pm(m, LLVMGetIncomingValue(v, i), depth / 2))
			return false;
	return true;
}

bool pd_ir_not_pm(struct pd_ir *m, LLVMValueRef address)
{
	return not_pm(m, address, PROVENANCE_DEPTH);
}

/* Marks only where the lifetime of a variable begins or ends. */
static bool is_lifetime(LLVMValueRef call)
{
	LLVMValueRef f = LLVMIsAFunction(LLVMGetCalledValue(call));
	size_t n;

	return f && strncmp(LLVMGetValueName2(f, &n), "llvm.lifetime.", 14) == 0;
}

static bool is_private_use(LLVMValueRef user, LLVMValueRef address);

static bool has_private_uses(LLVMValueRef address)
{
	for (LLVMUseRef u = LLVMGetFirstUse(address); u; u = LLVMGetNextUse(u))
		if (!is_private_use(LLVMGetUser(u), address))
			return false;
	return true;
}

static bool is_private_use(LLVMValueRef user, LLVMValueRef address)
{
	if (LLVMIsAStoreInst(user))
		return LLVMGetOperand(user, 0) != address;
	if (LLVMIsAGetElementPtrInst(user))
		return has_private_uses(user);
	return LLVMIsALoadInst(user) ||
	       (LLVMIsACallInst(user) && (is_lifetime(user) || pd_asm_is_request(user)));
}

/* Whether the address is of a variable of this function that is only loaded, stored, and passed to
 * Valgrind requests. */
static bool is_private(struct pd_ir *m, LLVMValueRef address)
{
	LLVMValueRef base = pd_ir_base(m, address);

	return LLVMIsAAllocaInst(base) && has_private_uses(base);
}

/* ---- values --------------------------------------------------------------------------------- */

/* The index of the integer hook for a type, or -1 if it is passed through memory. */
static int value_index(struct pd_ir *m, LLVMTypeRef t)
{
	LLVMTypeKind k = LLVMGetTypeKind(t);

	switch ((int)k) {
	case LLVMIntegerTypeKind:
	case LLVMPointerTypeKind:
	case LLVMHalfTypeKind:
	case LLVMBFloatTypeKind:
	case LLVMFloatTypeKind:
	case LLVMDoubleTypeKind:
	case LLVMFP128TypeKind:
		return pd_ir_size_index(LLVMStoreSizeOfType(m->layout, t));
	default:
		return -1;
	}
}

static void replace(LLVMValueRef inst, LLVMValueRef by)
{
	if (by)
		LLVMReplaceAllUsesWith(inst, by);
	LLVMInstructionEraseFromParent(inst);
}

/* Clang names the values that it makes for bit-fields, and the driver asks it to keep names: that
 * distinguishes a bit-field's part of a word from the same masking written by hand. */
static bool is_bitfield(LLVMValueRef v)
{
	size_t n;
	const char *name = LLVMGetValueName2(v, &n);

	return strncmp(name, "bf.load", 7) == 0 || strncmp(name, "bf.set", 6) == 0;
}

static unsigned access_flags(LLVMValueRef inst, LLVMValueRef value)
{
	unsigned flags = 0;

	if (LLVMGetOrdering(inst) != LLVMAtomicOrderingNotAtomic)
		flags |= PD_SITE_ATOMIC;
	if (LLVMGetVolatile(inst))
		flags |= PD_SITE_VOLATILE;
	if (is_bitfield(value))
		flags |= PD_SITE_BITFIELD;
	return flags;
}

enum { CASTS = 2 };

/* Whether the value is only compared, for equality, with constants: always the same one. */
static bool only_compared(LLVMValueRef v, LLVMValueRef *with, int casts)
{
	for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef user = LLVMGetUser(u), other;

		if (casts && LLVMIsAZExtInst(user)) {
			if (!only_compared(user, with, casts - 1))
				return false;
			continue;
		}
		if (!LLVMIsAICmpInst(user) || (LLVMGetICmpPredicate(user) != LLVMIntEQ &&
					       LLVMGetICmpPredicate(user) != LLVMIntNE))
			return false;
		other = LLVMGetOperand(user, LLVMGetOperand(user, 0) == v);
		if ((!LLVMIsAConstantInt(other) && !LLVMIsAConstantPointerNull(other)) ||
		    (*with && *with != other))
			return false;
		*with = other;
	}
	return *with != NULL;
}

static unsigned load_flags(struct pd_ir *m, LLVMValueRef inst)
{
	LLVMValueRef with = NULL;

	return access_flags(inst, inst) | (only_compared(inst, &with, CASTS) ? PD_SITE_EQUAL : 0) |
	       pd_decides(m, inst);
}

static bool left_alone(struct pd_ir *m, LLVMValueRef inst, LLVMValueRef address)
{
	if (LLVMGetOrdering(inst) != LLVMAtomicOrderingNotAtomic)
		return false;
	return LLVMGetVolatile(inst) ? is_private(m, address) : pd_ir_not_pm(m, address);
}

static enum pd_order order_of(LLVMAtomicOrdering o)
{
	switch (o) {
	case LLVMAtomicOrderingNotAtomic:
		return PD_ORDER_NONE;
	case LLVMAtomicOrderingUnordered:
	case LLVMAtomicOrderingMonotonic:
		return PD_ORDER_RELAXED;
	case LLVMAtomicOrderingAcquire:
		return PD_ORDER_ACQUIRE;
	case LLVMAtomicOrderingRelease:
		return PD_ORDER_RELEASE;
	case LLVMAtomicOrderingAcquireRelease:
		return PD_ORDER_ACQ_REL;
	case LLVMAtomicOrderingSequentiallyConsistent:
		return PD_ORDER_SEQ_CST;
	}
	return PD_ORDER_SEQ_CST;
}

/* ---- loads ---------------------------------------------------------------------------------- */

static LLVMValueRef load_block(struct pd_ir *m, LLVMValueRef inst, LLVMValueRef site, uint64_t size)
{
	LLVMValueRef p = LLVMGetOperand(inst, 0);
	LLVMTypeRef t = LLVMTypeOf(inst);
	LLVMValueRef from = pd_ir_temp(m, inst, t, 0);
	LLVMValueRef args[] = {p, from, pd_ir_const64(m, size), site};
	LLVMValueRef r;

	if (LLVMGetVolatile(inst))
		pd_hook_call(m, PD_HOOK_loadb, args);
	else
		from = pd_helper_call(m, PD_HELPER_loadb, args);
	r = LLVMBuildLoad2(m->b, t, from, "");
	LLVMSetAlignment(r, PD_MIN(LLVMGetAlignment(inst), 16));
	return r;
}

static enum pd_helper load_helper(struct pd_ir *m, LLVMTypeRef t, int index)
{
	if (t == m->t_float)
		return PD_HELPER_loadf;
	if (t == m->t_double)
		return PD_HELPER_loadd;
	if (t == m->t_ptr)
		return PD_HELPER_loadp;
	return PD_HELPER_load1 + (unsigned)index;
}

/* The hook of a load; `said` is what view.c noted about it, or NULL. */
static LLVMValueRef load_hook(struct pd_ir *m, LLVMValueRef inst, LLVMValueRef site, int index,
			      LLVMValueRef *said)
{
	bool atomic = LLVMGetOrdering(inst) != LLVMAtomicOrderingNotAtomic;
	LLVMValueRef order = pd_ir_const32(m, order_of(LLVMGetOrdering(inst)));
	LLVMValueRef args[3 + 1 + PD_VIEW_OPERANDS] = {LLVMGetOperand(inst, 0), site, order};
	unsigned n = atomic ? 3 : 2;

	if (!said)
		return pd_hook_call(m, (atomic ? PD_HOOK_aload : PD_HOOK_load) + (unsigned)index,
				    args);
	args[n++] = said[0];
	for (unsigned i = 1; i <= PD_VIEW_OPERANDS; i++)
		args[n++] = pd_ir_to_int(m, said[i], 8);
	return pd_hook_call(m, (atomic ? PD_HOOK_aask1 : PD_HOOK_ask1) + (unsigned)index, args);
}

static LLVMValueRef load_value(struct pd_ir *m, LLVMValueRef inst, LLVMValueRef site, int index,
			       LLVMValueRef *said)
{
	LLVMTypeRef t = LLVMTypeOf(inst);
	LLVMAtomicOrdering o = LLVMGetOrdering(inst);
	LLVMValueRef args[] = {LLVMGetOperand(inst, 0), site};
	enum pd_helper helper = load_helper(m, t, index);
	LLVMValueRef r;

	if (o != LLVMAtomicOrderingNotAtomic || LLVMGetVolatile(inst))
		r = load_hook(m, inst, site, index, said);
	else if ((r = pd_helper_call(m, helper, args)) && LLVMTypeOf(r) == t)
		return r;
	return pd_ir_from_int(m, r, t);
}

/* The alias information about types holds for the hook, too. */
static void keep_type(struct pd_ir *m, LLVMValueRef inst, LLVMValueRef hook)
{
	LLVMValueRef tbaa = LLVMGetMetadata(inst, m->md_tbaa);

	if (tbaa)
		LLVMSetMetadata(hook, m->md_tbaa, tbaa);
}

static void guarded_load(struct pd_ir *m, LLVMValueRef inst, LLVMValueRef site, int index,
			 uint64_t size, LLVMValueRef *said)
{
	LLVMTypeRef t = LLVMTypeOf(inst);
	LLVMValueRef p = LLVMGetOperand(inst, 0), v, temp;
	struct pd_guard g;

	pd_guard_open(m, &g, inst, p, NULL);
	if (index >= 0) {
		v = load_hook(m, inst, site, index, said);
		keep_type(m, inst, v);
		v = pd_ir_from_int(m, v, t);
	} else {
		temp = pd_ir_temp(m, inst, t, 0);
		LLVMValueRef block[] = {p, temp, pd_ir_const64(m, size), site};

		pd_hook_call(m, PD_HOOK_loadb, block);
		v = LLVMBuildLoad2(m->b, t, temp, "");
	}
	pd_guard_close(m, &g, v);
}

/* A plain access behind a branch, which the optimiser may transform. */
static bool guarded(struct pd_ir *m, LLVMValueRef inst)
{
	return pd_crash_guards(m) && LLVMGetOrdering(inst) == LLVMAtomicOrderingNotAtomic &&
	       !LLVMGetVolatile(inst);
}

void pd_access_load(struct pd_ir *m, LLVMValueRef inst)
{
	LLVMTypeRef t = LLVMTypeOf(inst);
	uint64_t size = LLVMStoreSizeOfType(m->layout, t);
	int index = value_index(m, t);
	LLVMValueRef site, noted[1 + PD_VIEW_OPERANDS], *said;

	if (left_alone(m, inst, LLVMGetOperand(inst, 0)))
		return;
	said = pd_view_take(m, inst, noted) ? noted : NULL;
	LLVMPositionBuilderBefore(m->b, inst);
	if (index < 0 && LLVMGetOrdering(inst) != LLVMAtomicOrderingNotAtomic) {
		pd_loss_emit(m, inst, PD_LOSS_INTRINSIC, "atomic load of an odd type", 26);
		return;
	}
	site = pd_site_of(m, inst, load_flags(m, inst), size);
	if (guarded(m, inst)) {
		guarded_load(m, inst, site, index, size, said);
		return;
	}
	replace(inst, index < 0 ? load_block(m, inst, site, size)
				: load_value(m, inst, site, index, said));
}

/* ---- stores --------------------------------------------------------------------------------- */

static void store_block(struct pd_ir *m, LLVMValueRef inst, LLVMValueRef site, uint64_t size,
			bool nt)
{
	LLVMValueRef v = LLVMGetOperand(inst, 0), p = LLVMGetOperand(inst, 1);
	LLVMValueRef temp = pd_ir_temp(m, inst, LLVMTypeOf(v), 0);
	LLVMValueRef to_args[] = {p, temp};
	LLVMValueRef args[] = {p, temp, pd_ir_const64(m, size), site,
			       pd_ir_const32(m, nt ? PD_STORE_NT : 0)};
	bool direct = nt || LLVMGetVolatile(inst);
	LLVMValueRef st;

	st = LLVMBuildStore(m->b, v,
			    direct ? temp : pd_helper_call(m, PD_HELPER_storeb_to, to_args));
	LLVMSetAlignment(st, PD_MIN(LLVMGetAlignment(inst), 16));
	if (direct)
		pd_hook_call(m, PD_HOOK_storeb, args);
	else
		pd_helper_call(m, PD_HELPER_storeb_done, args);
}

static void store_value(struct pd_ir *m, LLVMValueRef inst, LLVMValueRef site, int index, bool nt)
{
	LLVMValueRef v = LLVMGetOperand(inst, 0);
	LLVMTypeRef t = LLVMTypeOf(v);
	LLVMAtomicOrdering o = LLVMGetOrdering(inst);
	bool plain = o == LLVMAtomicOrderingNotAtomic && !LLVMGetVolatile(inst) && !nt;
	LLVMValueRef args[] = {LLVMGetOperand(inst, 1), v, site, pd_ir_const32(m, order_of(o))};
	enum pd_helper helper = PD_HELPER_store1 + (unsigned)index;

	if (plain && t == m->t_float)
		helper = PD_HELPER_storef;
	else if (plain && t == m->t_double)
		helper = PD_HELPER_stored;
	else if (plain && t == m->t_ptr)
		helper = PD_HELPER_storep;
	else
		args[1] = pd_ir_to_int(m, v, 1u << index);
	if (plain)
		pd_helper_call(m, helper, args);
	else if (o != LLVMAtomicOrderingNotAtomic)
		pd_hook_call(m, PD_HOOK_astore + (unsigned)index, args);
	else
		pd_hook_call(m, (nt ? PD_HOOK_ntstore : PD_HOOK_store) + (unsigned)index, args);
}

static void guarded_store(struct pd_ir *m, LLVMValueRef inst, LLVMValueRef site, int index,
			  uint64_t size)
{
	LLVMValueRef v = LLVMGetOperand(inst, 0), p = LLVMGetOperand(inst, 1), temp;
	struct pd_guard g;

	pd_guard_open(m, &g, inst, p, NULL);
	if (index >= 0) {
		LLVMValueRef args[] = {p, pd_ir_to_int(m, v, 1u << index), site};

		keep_type(m, inst, pd_hook_call(m, PD_HOOK_store + (unsigned)index, args));
	} else {
		temp = pd_ir_temp(m, inst, LLVMTypeOf(v), 0);
		LLVMValueRef args[] = {p, temp, pd_ir_const64(m, size), site, pd_ir_const32(m, 0)};

		LLVMBuildStore(m->b, v, temp);
		pd_hook_call(m, PD_HOOK_storeb, args);
	}
	pd_guard_close(m, &g, NULL);
}

void pd_access_store(struct pd_ir *m, LLVMValueRef inst)
{
	LLVMValueRef v = LLVMGetOperand(inst, 0);
	LLVMTypeRef t = LLVMTypeOf(v);
	uint64_t size = LLVMStoreSizeOfType(m->layout, t);
	bool nt = LLVMGetMetadata(inst, m->md_nontemporal) != NULL;
	bool atomic = LLVMGetOrdering(inst) != LLVMAtomicOrderingNotAtomic;
	int index = value_index(m, t);
	LLVMValueRef site;

	if (left_alone(m, inst, LLVMGetOperand(inst, 1)))
		return;
	LLVMPositionBuilderBefore(m->b, inst);
	if (index < 0 && atomic) {
		pd_loss_emit(m, inst, PD_LOSS_INTRINSIC, "atomic store of an odd type", 27);
		return;
	}
	site = pd_site_of(
		m, inst, access_flags(inst, v) | pd_fate_of(m, inst) | (nt ? PD_SITE_NT : 0), size);
	if (guarded(m, inst) && !nt) {
		guarded_store(m, inst, site, index, size);
		return;
	}
	if (index < 0)
		store_block(m, inst, site, size, nt);
	else
		store_value(m, inst, site, index, nt && !atomic);
	replace(inst, NULL);
}

/* ---- atomics -------------------------------------------------------------------------------- */

static int rmw_operation(LLVMAtomicRMWBinOp op)
{
	switch (op) {
	case LLVMAtomicRMWBinOpXchg:
		return PD_RMW_XCHG;
	case LLVMAtomicRMWBinOpAdd:
		return PD_RMW_ADD;
	case LLVMAtomicRMWBinOpSub:
		return PD_RMW_SUB;
	case LLVMAtomicRMWBinOpAnd:
		return PD_RMW_AND;
	case LLVMAtomicRMWBinOpNand:
		return PD_RMW_NAND;
	case LLVMAtomicRMWBinOpOr:
		return PD_RMW_OR;
	case LLVMAtomicRMWBinOpXor:
		return PD_RMW_XOR;
	case LLVMAtomicRMWBinOpMax:
		return PD_RMW_MAX;
	case LLVMAtomicRMWBinOpMin:
		return PD_RMW_MIN;
	case LLVMAtomicRMWBinOpUMax:
		return PD_RMW_UMAX;
	case LLVMAtomicRMWBinOpUMin:
		return PD_RMW_UMIN;
	case LLVMAtomicRMWBinOpFAdd:
		return PD_RMW_FADD;
	case LLVMAtomicRMWBinOpFSub:
		return PD_RMW_FSUB;
	case LLVMAtomicRMWBinOpFMax:
		return PD_RMW_FMAX;
	case LLVMAtomicRMWBinOpFMin:
		return PD_RMW_FMIN;
	case LLVMAtomicRMWBinOpUIncWrap:
		return PD_RMW_UINC_WRAP;
	case LLVMAtomicRMWBinOpUDecWrap:
		return PD_RMW_UDEC_WRAP;
	}
	return -1;
}

static unsigned locked_flags(struct pd_ir *m, LLVMValueRef inst)
{
	return PD_SITE_ATOMIC | (LLVMGetVolatile(inst) ? PD_SITE_VOLATILE : 0) |
	       pd_decides(m, inst);
}

void pd_access_rmw(struct pd_ir *m, LLVMValueRef inst)
{
	LLVMTypeRef t = LLVMTypeOf(inst);
	int index = value_index(m, t);
	int op = rmw_operation(LLVMGetAtomicRMWBinOp(inst));
	unsigned flags = locked_flags(m, inst);

	if (index < 0 || op < 0) {
		pd_loss_emit(m, inst, PD_LOSS_INTRINSIC, "atomicrmw of an odd type", 24);
		return;
	}
	LLVMPositionBuilderBefore(m->b, inst);
	LLVMValueRef args[] = {LLVMGetOperand(inst, 0),
			       pd_ir_to_int(m, LLVMGetOperand(inst, 1), 1u << index),
			       pd_site_of(m, inst, flags, 1u << index), pd_ir_const32(m, op),
			       pd_ir_const32(m, order_of(LLVMGetOrdering(inst)))};
	replace(inst, pd_ir_from_int(m, pd_hook_call(m, PD_HOOK_rmw + (unsigned)index, args), t));
}

void pd_access_cas(struct pd_ir *m, LLVMValueRef inst)
{
	LLVMTypeRef t = LLVMTypeOf(LLVMGetOperand(inst, 2));
	int index = value_index(m, t);
	unsigned flags = locked_flags(m, inst);
	LLVMValueRef old, pair;

	if (index < 0) {
		pd_loss_emit(m, inst, PD_LOSS_INTRINSIC, "cmpxchg of an odd type", 22);
		return;
	}
	LLVMPositionBuilderBefore(m->b, inst);
	LLVMValueRef args[] = {LLVMGetOperand(inst, 0),
			       pd_ir_to_int(m, LLVMGetOperand(inst, 1), 1u << index),
			       pd_ir_to_int(m, LLVMGetOperand(inst, 2), 1u << index),
			       pd_site_of(m, inst, flags, 1u << index),
			       pd_ir_const32(m, order_of(LLVMGetCmpXchgSuccessOrdering(inst))),
			       pd_ir_const32(m, order_of(LLVMGetCmpXchgFailureOrdering(inst)))};
	old = pd_hook_call(m, PD_HOOK_cas + (unsigned)index, args);
	pair = LLVMGetPoison(LLVMTypeOf(inst));
	pair = LLVMBuildInsertValue(m->b, pair, pd_ir_from_int(m, old, t), 0, "");
	pair = LLVMBuildInsertValue(m->b, pair, LLVMBuildICmp(m->b, LLVMIntEQ, old, args[1], ""), 1,
				    "");
	replace(inst, pair);
}

/* A fence between a thread and its own signal handlers only concerns the compiler. */
void pd_access_fence(struct pd_ir *m, LLVMValueRef inst)
{
	enum pd_order order = order_of(LLVMGetOrdering(inst));
	bool full = order == PD_ORDER_SEQ_CST;
	LLVMValueRef args[2];

	if (LLVMIsAtomicSingleThread(inst))
		return;
	LLVMPositionBuilderBefore(m->b, inst);
	args[0] = pd_ir_const32(m, full ? (int)PD_FENCE_MFENCE : (int)order);
	args[1] = pd_site_of(m, inst, PD_SITE_ATOMIC, 0);
	pd_hook_call(m, full ? PD_HOOK_fence : PD_HOOK_cfence, args);
	replace(inst, NULL);
}
