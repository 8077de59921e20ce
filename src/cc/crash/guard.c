/*
 * guard.c - the branch before an access: is it to PM?
 *
 *	            c = is_pm(root)
 *	   c: hook(p, site)     not c: the access as in the source
 *	            v = one or the other
 *
 * The access itself stays, with all that clang said about it, so that code outside PM is optimised
 * as if nothing had been inserted. The hook takes any address: taking the branch too often costs
 * time, taking it too rarely loses an event.
 *
 * The question is not about the address but about its root, the value that it was computed from by
 * steps inside one object: a pointer into a struct or an array is in PM if and only if the object
 * is, because the window is a region of its own. In a loop over an array the root is invariant, and
 * the question can leave the loop (loop.c). These steps count as inside the object:
 *
 *	- by a constant, as to a member;
 *	- by an index of elements of two bytes or more, or into a declared array, unless it was
 *	  computed from pointers: that would be the distance of two objects;
 *	- by bytes, where the index provably is no distance: it has at most 32 bits or is counted up
 *	  from such. A self-relative pointer (this + offset) is a step by bytes that leaves the object.
 *
 * No object outside PM lies within 2^42 bytes of the window, and no counter gets that far.
 *
 * An access must not leave its side of the branch: if the optimiser executed a load early, because
 * it knows that the bytes are readable in any case, it would read PM past the hook. So it is not
 * told that.
 *
 * The question is a call of __pd_i_is_pm, a function without effects that the optimiser merges and
 * moves freely and knows nothing about; at the end it becomes a shift and a compare.
 */
#include "cc/crash/crash.h"
#include <string.h>

#define FAR    (1ULL << 40) /* a larger constant step leaves the object */
#define DEPTH  12	    /* of the expressions that are examined */
#define LEAVES 32
#define SAME   256 /* accesses in a function that may share a question */

/* ---- roots ---------------------------------------------------------------------------------- */

struct seen {
	LLVMValueRef v[LEAVES];
	unsigned n;
};

/* False if it was there already, or if the list is full: that is a reason to give up. */
static bool see(struct seen *s, LLVMValueRef v)
{
	for (unsigned i = 0; i < s->n; i++)
		if (s->v[i] == v)
			return false;
	if (s->n < LEAVES)
		s->v[s->n++] = v;
	return true;
}

static bool is_narrow(LLVMTypeRef t)
{
	return LLVMGetTypeKind(t) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(t) <= 32;
}

static bool constant_below(LLVMValueRef v, uint64_t limit)
{
	int64_t c;

	if (!LLVMIsAConstantInt(v) || LLVMGetIntTypeWidth(LLVMTypeOf(v)) > 64)
		return false;
	c = LLVMConstIntGetSExtValue(v);
	return c < (int64_t)limit && c > -(int64_t)limit;
}

static bool masked(LLVMValueRef v)
{
	LLVMValueRef by = LLVMGetOperand(v, 1);

	return constant_below(by, 1ULL << 32) && LLVMConstIntGetSExtValue(by) >= 0;
}

/* Whether `is` holds for both operands of an addition or a select, and for all values of a phi. */
static bool all_of(LLVMValueRef v, bool (*is)(LLVMValueRef, struct seen *, unsigned),
		   struct seen *s, unsigned depth)
{
	unsigned first = LLVMIsASelectInst(v) ? 1 : 0;
	unsigned n = (unsigned)LLVMGetNumOperands(v);

	if (!see(s, v))
		return true;
	if (!depth || s->n == LEAVES)
		return false;
	for (unsigned i = first; i < n; i++)
		if (!is(LLVMGetOperand(v, i), s, depth - 1))
			return false;
	return true;
}

/* At most 32 bits, or counted up from such a value. */
static bool is_count(LLVMValueRef v, struct seen *s, unsigned depth)
{
	if (is_narrow(LLVMTypeOf(v)) || constant_below(v, 1ULL << 32))
		return true;
	if (!LLVMIsAInstruction(v))
		return false;
	switch ((int)LLVMGetInstructionOpcode(v)) {
	case LLVMZExt:
	case LLVMSExt:
		return is_narrow(LLVMTypeOf(LLVMGetOperand(v, 0)));
	case LLVMAnd:
	case LLVMURem:
		return masked(v);
	case LLVMLShr:
		return LLVMIsAConstantInt(LLVMGetOperand(v, 1)) &&
		       LLVMConstIntGetZExtValue(LLVMGetOperand(v, 1)) >= 32;
	case LLVMAdd:
	case LLVMSub:
	case LLVMPHI:
	case LLVMSelect:
		return all_of(v, is_count, s, depth);
	default:
		return false;
	}
}

/* Not computed from pointers, as far as its arithmetic shows. */
static bool is_index(LLVMValueRef v, struct seen *s, unsigned depth)
{
	if (LLVMIsAConstantExpr(v))
		return false;
	if (!LLVMIsAInstruction(v))
		return true;
	switch ((int)LLVMGetInstructionOpcode(v)) {
	case LLVMPtrToInt:
		return false;
	case LLVMZExt:
	case LLVMSExt:
	case LLVMTrunc:
	case LLVMAdd:
	case LLVMSub:
	case LLVMMul:
	case LLVMSDiv:
	case LLVMUDiv:
	case LLVMShl:
	case LLVMAShr:
	case LLVMLShr:
	case LLVMXor:
	case LLVMOr:
	case LLVMPHI:
	case LLVMSelect:
		return all_of(v, is_index, s, depth);
	default:
		return true;
	}
}

static bool stays_in_object(struct pd_ir *m, LLVMValueRef gep)
{
	LLVMTypeRef t = LLVMGetGEPSourceElementType(gep);
	bool bytes = LLVMGetTypeKind(t) != LLVMArrayTypeKind && LLVMABISizeOfType(m->layout, t) < 2;

	for (unsigned i = 1; i < (unsigned)LLVMGetNumOperands(gep); i++) {
		LLVMValueRef index = LLVMGetOperand(gep, i);
		struct seen s = {.n = 0};

		if (constant_below(index, FAR))
			continue;
		if (LLVMGetTypeKind(LLVMTypeOf(index)) != LLVMIntegerTypeKind)
			return false;
		if (bytes || !LLVMIsInBounds(gep) ? !is_count(index, &s, DEPTH)
						  : !is_index(index, &s, DEPTH))
			return false;
	}
	return true;
}

/* One step from an address towards its root, or NULL. */
static LLVMValueRef step(struct pd_ir *m, LLVMValueRef v)
{
	LLVMOpcode op;

	if (LLVMIsAInstruction(v))
		op = LLVMGetInstructionOpcode(v);
	else if (LLVMIsAConstantExpr(v))
		op = LLVMGetConstOpcode(v);
	else
		return NULL;
	if (op == LLVMBitCast || op == LLVMAddrSpaceCast)
		return LLVMGetOperand(v, 0);
	if (op != LLVMGetElementPtr || LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMPointerTypeKind)
		return NULL;
	return stays_in_object(m, v) ? LLVMGetOperand(v, 0) : NULL;
}

LLVMValueRef pd_ir_base(struct pd_ir *m, LLVMValueRef v)
{
	for (LLVMValueRef down; (down = step(m, v)) != NULL;)
		v = down;
	return v;
}

/* The single value from which a pointer that advances through an object came. */
struct walk {
	struct seen seen;
	LLVMValueRef from;
};

static bool came_from(struct pd_ir *m, struct walk *w, LLVMValueRef v)
{
	v = pd_ir_base(m, v);
	if (LLVMIsAPHINode(v)) {
		if (!see(&w->seen, v))
			return true;
		if (w->seen.n == LEAVES)
			return false;
		for (unsigned i = 0; i < LLVMCountIncoming(v); i++)
			if (!came_from(m, w, LLVMGetIncomingValue(v, i)))
				return false;
		return true;
	}
	if (w->from && w->from != v)
		return false;
	w->from = v;
	return true;
}

/* The same, also through pointers that advance: decides whether the address is in PM. */
static LLVMValueRef guard_root(struct pd_ir *m, LLVMValueRef address)
{
	LLVMValueRef v = pd_ir_base(m, address);
	struct walk w = {.from = NULL};

	if (LLVMIsAPHINode(v) && came_from(m, &w, v) && w.from)
		v = w.from;
	/* A chain that starts from a number, such as an offset, says nothing. */
	return LLVMIsAConstant(v) ? address : v;
}

/* ---- the branch ----------------------------------------------------------------------------- */

static void unlink_and_append(LLVMBuilderRef b, LLVMValueRef inst)
{
	size_t n;
	const char *name = LLVMGetValueName2(inst, &n);

	/* The name is needed later: it marks bit-fields. */
	LLVMInstructionRemoveFromParent(inst);
	LLVMInsertIntoBuilderWithName(b, inst, name);
}

/*
 * Moves what precedes inst to a block of its own. The rest keeps the old block, so that phis behind
 * it still name the right predecessor; predecessors are redirected. (LLVM-C cannot split a block.
 * Without its terminator the block has no successors whose phis would be renamed.)
 */
static LLVMBasicBlockRef split(struct pd_ir *m, LLVMBuilderRef b, LLVMValueRef inst)
{
	LLVMBasicBlockRef rest = LLVMGetInstructionParent(inst);
	LLVMBasicBlockRef head = LLVMInsertBasicBlockInContext(m->ctx, rest, "");
	LLVMValueRef end = LLVMGetBasicBlockTerminator(rest);

	LLVMInstructionRemoveFromParent(end);
	LLVMReplaceAllUsesWith(LLVMBasicBlockAsValue(rest), LLVMBasicBlockAsValue(head));
	LLVMPositionBuilderAtEnd(b, rest);
	LLVMInsertIntoBuilder(b, end);
	LLVMPositionBuilderAtEnd(b, head);
	for (LLVMValueRef i; (i = LLVMGetFirstInstruction(rest)) != inst;)
		unlink_and_append(b, i);
	return head;
}

static LLVMBasicBlockRef block_before(struct pd_ir *m, LLVMBasicBlockRef b)
{
	return LLVMInsertBasicBlockInContext(m->ctx, b, "");
}

static void unlikely(struct pd_ir *m, LLVMValueRef branch)
{
	LLVMMetadataRef w[] = {
		LLVMMDStringInContext2(m->ctx, "branch_weights", 14),
		LLVMValueAsMetadata(pd_ir_const32(m, 1)),
		LLVMValueAsMetadata(pd_ir_const32(m, 2000)),
	};

	LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(m->ctx, "prof", 4),
			LLVMMetadataAsValue(m->ctx, LLVMMDNodeInContext2(m->ctx, w, PD_LEN(w))));
}

/*
 * The optimiser compares each branch with all others on the same condition, so a function with
 * thousands of accesses to one object would take minutes. Such a function sometimes asks about the
 * next byte instead, which has the same answer.
 */
static LLVMValueRef question(struct pd_ir *m, LLVMValueRef address)
{
	LLVMValueRef fn = LLVMGetBasicBlockParent(LLVMGetInsertBlock(m->b));
	LLVMValueRef root = guard_root(m, address), further;
	struct pd_crash *c = pd_crash(m);

	if (c->asking.fn != fn) {
		c->asking.fn = fn;
		c->asking.n = 0;
	}
	further = pd_ir_const32(m, c->asking.n++ / SAME);
	if (!LLVMIsNull(further))
		root = LLVMBuildGEP2(m->b, m->t_i8, root, &further, 1, "");
	return pd_helper_call(m, PD_HELPER_is_pm, &root);
}

void pd_guard_open(struct pd_ir *m, struct pd_guard *g, LLVMValueRef inst, LLVMValueRef address,
		   LLVMValueRef second)
{
	LLVMBuilderRef mover = LLVMCreateBuilderInContext(m->ctx);
	LLVMBasicBlockRef head = split(m, mover, inst), fast;
	LLVMValueRef c;

	g->inst = inst;
	g->rest = LLVMGetInstructionParent(inst);
	g->join = block_before(m, g->rest);
	fast = block_before(m, g->join);
	g->slow = block_before(m, g->join);
	LLVMPositionBuilderAtEnd(mover, fast);
	unlink_and_append(mover, inst);
	LLVMBuildBr(mover, g->join);
	LLVMDisposeBuilder(mover);

	LLVMPositionBuilderAtEnd(m->b, head);
	LLVMSetCurrentDebugLocation2(m->b, LLVMInstructionGetDebugLoc(inst));
	c = question(m, address);
	if (second)
		c = LLVMBuildOr(m->b, c, question(m, second), "");
	unlikely(m, LLVMBuildCondBr(m->b, c, g->slow, fast));
	LLVMPositionBuilderAtEnd(m->b, g->slow);
}

void pd_guard_close(struct pd_ir *m, struct pd_guard *g, LLVMValueRef value)
{
	LLVMBasicBlockRef fast = LLVMGetInstructionParent(g->inst);
	LLVMValueRef phi;

	LLVMBuildBr(m->b, g->join);
	LLVMPositionBuilderAtEnd(m->b, g->join);
	if (value) {
		phi = LLVMBuildPhi(m->b, LLVMTypeOf(value), "");
		LLVMReplaceAllUsesWith(g->inst, phi);
		LLVMAddIncoming(phi, &g->inst, &fast, 1);
		LLVMAddIncoming(phi, &value, &g->slow, 1);
	}
	LLVMBuildBr(m->b, g->rest);
}

/* ---- loads stay behind their question ------------------------------------------------------- */

static const char *const promises[] = {"dereferenceable", "dereferenceable_or_null"};

static void forget_of_call(LLVMValueRef call, const unsigned *kinds)
{
	for (unsigned at = 0; at <= LLVMGetNumArgOperands(call); at++)
		for (size_t i = 0; i < PD_LEN(promises); i++)
			LLVMRemoveCallSiteEnumAttribute(call, at, kinds[i]);
}

static void forget_of_load(struct pd_ir *m, LLVMValueRef load)
{
	for (size_t i = 0; i < PD_LEN(promises); i++) {
		unsigned n = (unsigned)strlen(promises[i]);

		LLVMSetMetadata(load, LLVMGetMDKindIDInContext(m->ctx, promises[i], n), NULL);
	}
}

static void forget_of_function(struct pd_ir *m, LLVMValueRef fn, const unsigned *kinds)
{
	for (unsigned at = 0; at <= LLVMCountParams(fn); at++)
		for (size_t i = 0; i < PD_LEN(promises); i++)
			LLVMRemoveEnumAttributeAtIndex(fn, at, kinds[i]);
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef v = LLVMGetFirstInstruction(b); v; v = LLVMGetNextInstruction(v))
			if (LLVMIsACallInst(v) || LLVMIsAInvokeInst(v))
				forget_of_call(v, kinds);
			else if (LLVMIsALoadInst(v))
				forget_of_load(m, v);
}

void pd_guards_hold(struct pd_ir *m)
{
	unsigned kinds[PD_LEN(promises)];

	for (size_t i = 0; i < PD_LEN(promises); i++)
		kinds[i] = LLVMGetEnumAttributeKindForName(promises[i], strlen(promises[i]));
	for (LLVMValueRef fn = LLVMGetFirstFunction(m->mod); fn; fn = LLVMGetNextFunction(fn))
		forget_of_function(m, fn, kinds);
}
