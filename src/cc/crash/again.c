/*
 * again.c - removes redundant loads.
 *
 *	while (i < x->n && x->item[i].key < key)     x->n once, before the loop
 *	if (b->key[i] != key && b->key[i])           b->key[i] once
 *
 * A plain load of bytes that this thread has just loaded or stored, with nothing in between that
 * may change them or wait for another thread, carries no information: the same bytes, the same
 * locks, the same epoch; a recovery has already chosen the value. No correct program can notice,
 * and no native compiler would load again. So such a load is removed before it becomes an event. A
 * load that a loop would repeat moves before the loop if it is executed in any case; it is never
 * executed where the source would not.
 *
 * LLVM decides which loads these are, on a twin of the module that is thrown away: early-cse, which
 * removes a load if a dominating one has its value, and licm without speculation. The module itself
 * changes only here: loads are removed, or move to the end of the block that contains them in the
 * twin, with the arithmetic of their addresses. Stores and all other events stay.
 *
 *	- in the twin each value is named by its number, and each load has a user, an `assume` of number and
 *	  value: its operand afterwards is what the load became. The user also keeps unused loads alive;
 *	- whatever may wait, or orders threads or writes to the medium (calls that write, atomics, fences,
 *	  flushes, inline asm, volatile accesses), is followed by a call that may change all memory; and no
 *	  memory is promised to be private (`restrict`, new objects);
 *	- a loop that carries nothing from one iteration to the next waits for memory to change: its loads are
 *	  what it does, and stay. A native compiler hangs there, or drops the loop; perdure reports it;
 *	- a value replaces a load only if it dominates it in the module as it is then. So a wrong answer can
 *	  cost an opportunity, never correctness.
 *
 * Precision lost: these loads stay: parts of what was loaded, values known from different loads on
 * different paths, and whatever early-cse and licm give up on in very long functions.
 *
 * Functions that return twice, and functions that must not be optimised, are left alone.
 */
#include "cc/flow.h"
#include "cc/crash/crash.h"
#include "base/bug.h"
#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdio.h>
#include <string.h>

#define NONE  UINT32_MAX
#define DEPTH 16 /* of the arithmetic that moves with a load */

static const char passes[] = "function(early-cse<memssa>,loop-mssa(licm<no-allowspeculation>),"
			     "early-cse<memssa>)";

#define FOR_INSTRUCTIONS(fn, i)                                                                    \
	for (LLVMBasicBlockRef bb_ = LLVMGetFirstBasicBlock(fn); bb_;                              \
	     bb_ = LLVMGetNextBasicBlock(bb_))                                                     \
		for (LLVMValueRef next_, i = LLVMGetFirstInstruction(bb_);                         \
		     i && ((next_ = LLVMGetNextInstruction(i)), true); i = next_)

static void *pushed(void *p)
{
	PD_CHECK(p, "out of memory");
	return p;
}

static void add_attribute(struct pd_ir *m, LLVMValueRef fn, const char *name)
{
	LLVMAddAttributeAtIndex(fn, PD_IR_SELF, pd_ir_attribute(m, name));
}

static bool has_attribute(LLVMValueRef fn, const char *name)
{
	return LLVMGetEnumAttributeAtIndex(fn, PD_IR_SELF, pd_attribute_kind(name));
}

/* Decided in the module, before there is a twin. */
static bool is_left_alone(struct pd_ir *m, LLVMValueRef fn)
{
	return LLVMIsDeclaration(fn) || has_attribute(fn, "naked") ||
	       has_attribute(fn, "optnone") || has_attribute(fn, "presplitcoroutine") ||
	       pd_ir_calls_setjmp(m, fn);
}

static bool is_plain(LLVMValueRef i)
{
	return LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic && !LLVMGetVolatile(i);
}

static bool is_candidate(LLVMValueRef i)
{
	return LLVMIsALoadInst(i) && is_plain(i);
}

/* ---- loops that wait ------------------------------------------------------------------------ */

#define WAITS "__pd_waits"

static bool is_header(const struct pd_flow *g, uint32_t b)
{
	const pd_flow_numbers *preds = &g->blocks.v[b].preds;

	for (uint32_t p = 0; p < preds->n; p++)
		if (pd_flow_dominates(g, b, preds->v[p]))
			return true;
	return false;
}

static void mark_waits(struct pd_ir *m, LLVMValueRef mark, LLVMValueRef fn)
{
	struct pd_arena arena;
	struct pd_flow g = {.arena = &arena};

	pd_arena_init(&arena, m->arena.host);
	pd_flow_find(&g, fn);
	for (uint32_t b = 0; b < g.blocks.n; b++) {
		LLVMValueRef first = LLVMGetFirstInstruction(g.blocks.v[b].bb);

		if (LLVMIsAPHINode(first) || !is_header(&g, b))
			continue;
		LLVMPositionBuilderBefore(m->b, first);
		LLVMBuildCall2(m->b, LLVMGlobalGetValueType(mark), mark, NULL, 0, "");
	}
	pd_arena_finish(&arena);
}

/* Puts a call with unknown effects at the start of each such loop. */
void pd_waits_mark(struct pd_ir *m)
{
	LLVMValueRef mark = LLVMAddFunction(m->mod, WAITS, LLVMFunctionType(m->t_void, NULL, 0, 0));

	add_attribute(m, mark, "nounwind");
	for (LLVMValueRef fn = LLVMGetFirstFunction(m->mod); fn; fn = LLVMGetNextFunction(fn))
		if (!is_left_alone(m, fn))
			mark_waits(m, mark, fn);
}

static void unmark_waits(struct pd_ir *m)
{
	LLVMValueRef mark = LLVMGetNamedFunction(m->mod, WAITS);

	for (LLVMUseRef u; (u = LLVMGetFirstUse(mark)) != NULL;)
		LLVMInstructionEraseFromParent(LLVMGetUser(u));
	LLVMDeleteFunction(mark);
}

/* ---- the twin ------------------------------------------------------------------------------- */

static bool call_writes(struct pd_ir *m, LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call), fn = LLVMIsAFunction(callee);
	LLVMAttributeRef a = LLVMGetCallSiteEnumAttribute(call, PD_IR_SELF, m->attr.memory);
	uint64_t writes = fn && LLVMGetIntrinsicID(fn) ? PD_WRITES_OTHER : PD_WRITES;

	if (LLVMIsAInlineAsm(callee))
		return true;
	if (!a && fn)
		a = LLVMGetEnumAttributeAtIndex(fn, PD_IR_SELF, m->attr.memory);
	return !a || LLVMGetEnumAttributeValue(a) & writes;
}

/* Whether all knowledge about memory ends here. An invoke is a call that LLVM knows nothing
 * about. */
static bool ends_it(struct pd_ir *m, LLVMValueRef i)
{
	switch ((int)LLVMGetInstructionOpcode(i)) {
	case LLVMLoad:
	case LLVMStore:
		return !is_plain(i);
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
	case LLVMFence:
	case LLVMVAArg:
		return true;
	case LLVMCall:
		return LLVMGetTailCallKind(i) != LLVMTailCallKindMustTail && call_writes(m, i);
	default:
		return false;
	}
}

struct twin {
	struct pd_ir *m;
	LLVMModuleRef mod;
	LLVMValueRef assume, anything;
};

static void declare(struct twin *t)
{
	LLVMTypeRef none = LLVMFunctionType(t->m->t_void, NULL, 0, 0);

	t->assume = LLVMGetIntrinsicDeclaration(t->mod, LLVMLookupIntrinsicID("llvm.assume", 11),
						NULL, 0);
	t->anything = LLVMAddFunction(t->mod, "__pd_anything", none);
	add_attribute(t->m, t->anything, "nounwind");
	add_attribute(t->m, t->anything, "willreturn");
}

/* Names start with a character that cannot occur in a source. */
enum { VALUE = 1, BLOCK = 2 };

static void set_name(LLVMValueRef v, char kind, uint32_t n)
{
	char name[16];

	LLVMSetValueName2(v, name, (size_t)snprintf(name, sizeof(name), "%c%u", kind, n));
}

/* The number in one of our names. If LLVM derives a name from it, that has a suffix. */
static uint32_t number_in(LLVMValueRef v, char kind)
{
	size_t n;
	const char *name = LLVMGetValueName2(v, &n);
	uint32_t number = 0;

	if (n < 2 || n > 9 || name[0] != kind)
		return NONE;
	for (size_t i = 1; i < n; i++) {
		if (name[i] < '0' || name[i] > '9')
			return NONE;
		number = number * 10 + (uint32_t)(name[i] - '0');
	}
	return number;
}

/* The number must be the first operand: LLVM looks up the first operand of an `assume` whenever it
 * judges a value. */
static void watch(struct twin *t, LLVMValueRef load, uint32_t n)
{
	LLVMValueRef is = LLVMConstInt(t->m->t_i1, 1, 0), said[] = {pd_ir_const32(t->m, n), load};
	LLVMOperandBundleRef bundle = LLVMCreateOperandBundle("perdure", 7, said, PD_LEN(said));

	LLVMBuildCallWithOperandBundles(t->m->b, LLVMGlobalGetValueType(t->assume), t->assume, &is,
					1, &bundle, 1, "");
	LLVMDisposeOperandBundle(bundle);
}

static void forget(LLVMValueRef fn)
{
	unsigned noalias = pd_attribute_kind("noalias");

	for (unsigned i = 0; i <= LLVMCountParams(fn); i++)
		LLVMRemoveEnumAttributeAtIndex(fn, i, noalias);
}

static void prepare(struct twin *t, LLVMValueRef fn)
{
	unsigned noalias = pd_attribute_kind("noalias");
	uint32_t n = 0, blocks = 0;

	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
		set_name(LLVMBasicBlockAsValue(b), BLOCK, blocks++);
	FOR_INSTRUCTIONS (fn, i) {
		if (LLVMIsACallInst(i) || LLVMIsAInvokeInst(i))
			LLVMRemoveCallSiteEnumAttribute(i, LLVMAttributeReturnIndex, noalias);
		if (LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVoidTypeKind)
			set_name(i, VALUE, n);
		if (next_) {
			LLVMPositionBuilderBefore(t->m->b, next_);
			LLVMSetCurrentDebugLocation2(t->m->b, NULL);
			if (is_candidate(i))
				watch(t, i, n);
			else if (ends_it(t->m, i))
				LLVMBuildCall2(t->m->b, LLVMGlobalGetValueType(t->anything),
					       t->anything, NULL, 0, "");
		}
		n++;
	}
}

/* ---- what the twin says --------------------------------------------------------------------- */

struct value {
	LLVMValueRef inst;
	LLVMValueRef constant; /* what a load becomes: this argument or constant, */
	uint32_t like;	       /* or the value of that number, or NONE */
	uint32_t at;	       /* its index in its block */
};

struct move {
	uint32_t value, block;
};

struct plan {
	struct pd_ir *m;
	struct pd_flow flow;
	PD_VEC(struct value) values;
	PD_VEC(LLVMBasicBlockRef) blocks;
	PD_VEC(struct move) moves;
	struct pd_map number; /* instruction -> number + 1 */
	uint32_t last;
};

static void number_all(struct plan *p, LLVMValueRef fn)
{
	struct pd_arena *arena = p->flow.arena;

	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
		*(LLVMBasicBlockRef *)pushed(pd_vec_push(&p->blocks, arena)) = b;
	FOR_INSTRUCTIONS (fn, i) {
		*(uint64_t *)pushed(pd_map_put(&p->number, arena, (uintptr_t)i >> 1)) =
			p->values.n + 1;
		*(struct value *)pushed(pd_vec_push(&p->values, arena)) =
			(struct value){.inst = i, .like = NONE, .at = p->values.n};
	}
	p->last = p->values.n;
}

/* The value of the module that corresponds to a value of the twin. */
static void becomes(struct plan *p, struct value *e, LLVMValueRef fn, LLVMValueRef v)
{
	if (LLVMIsAConstantInt(v) || LLVMIsAConstantFP(v) || LLVMIsAConstantPointerNull(v)) {
		e->constant = v;
	} else if (LLVMIsAArgument(v)) {
		LLVMValueRef of = LLVMGetParamParent(v);

		for (unsigned i = 0; i < LLVMCountParams(of); i++)
			if (LLVMGetParam(of, i) == v)
				e->constant = LLVMGetParam(fn, i);
	} else if (LLVMIsAInstruction(v)) {
		uint32_t n = number_in(v, VALUE);

		e->like = n < p->values.n ? n : NONE;
	}
}

static bool is_watch(LLVMValueRef i)
{
	return LLVMIsACallInst(i) && LLVMGetNumOperandBundles(i) == 1 &&
	       LLVMGetNumOperands(i) == 4 && LLVMIsAConstantInt(LLVMGetOperand(i, 1));
}

static void read_twin(struct plan *p, LLVMValueRef fn, LLVMValueRef twin)
{
	FOR_INSTRUCTIONS (twin, i) {
		LLVMValueRef block = LLVMBasicBlockAsValue(LLVMGetInstructionParent(i));
		uint32_t b = number_in(block, BLOCK), n;

		if (is_watch(i)) {
			n = (uint32_t)LLVMConstIntGetZExtValue(LLVMGetOperand(i, 1));
			if (n < p->values.n && is_candidate(p->values.v[n].inst))
				becomes(p, &p->values.v[n], fn, LLVMGetOperand(i, 2));
			continue;
		}
		n = is_candidate(i) ? number_in(i, VALUE) : NONE;
		if (n < p->values.n && b < p->blocks.n && is_candidate(p->values.v[n].inst) &&
		    LLVMGetInstructionParent(p->values.v[n].inst) != p->blocks.v[b])
			*(struct move *)pushed(pd_vec_push(&p->moves, p->flow.arena)) =
				(struct move){n, b};
	}
}

/* ---- what is done --------------------------------------------------------------------------- */

static struct value *value_of(struct plan *p, LLVMValueRef inst)
{
	uint64_t *n = pd_map_get(&p->number, (uintptr_t)inst >> 1);

	PD_CHECK(n && *n, "an instruction from nowhere");
	return &p->values.v[*n - 1];
}

static bool block_dominates(struct plan *p, LLVMBasicBlockRef a, LLVMBasicBlockRef b)
{
	uint32_t from = pd_flow_number(&p->flow, a), to = pd_flow_number(&p->flow, b);

	return from != PD_FLOW_NONE && to != PD_FLOW_NONE && pd_flow_dominates(&p->flow, from, to);
}

static bool is_arithmetic(LLVMValueRef i)
{
	switch ((int)LLVMGetInstructionOpcode(i)) {
	case LLVMGetElementPtr:
	case LLVMBitCast:
	case LLVMAddrSpaceCast:
	case LLVMPtrToInt:
	case LLVMIntToPtr:
	case LLVMZExt:
	case LLVMSExt:
	case LLVMTrunc:
	case LLVMAdd:
	case LLVMSub:
	case LLVMMul:
	case LLVMShl:
	case LLVMAShr:
	case LLVMLShr:
	case LLVMAnd:
	case LLVMOr:
	case LLVMXor:
		return true;
	default:
		return false;
	}
}

/* Whether a value is known at the end of a block, or can be moved there. */
static bool can_be_at(struct plan *p, LLVMValueRef v, LLVMBasicBlockRef to, unsigned depth)
{
	if (!LLVMIsAInstruction(v) || block_dominates(p, LLVMGetInstructionParent(v), to))
		return true;
	if (!depth || !is_arithmetic(v))
		return false;
	for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(v); i++)
		if (!can_be_at(p, LLVMGetOperand(v, i), to, depth - 1))
			return false;
	return true;
}

/* Moves it to the end of a block, with its own place in the source. */
static void move_there(struct plan *p, LLVMValueRef inst, LLVMBasicBlockRef to)
{
	size_t n;
	const char *name = LLVMGetValueName2(inst, &n);

	LLVMPositionBuilderBefore(p->m->b, LLVMGetBasicBlockTerminator(to));
	LLVMSetCurrentDebugLocation2(p->m->b, NULL);
	LLVMInstructionRemoveFromParent(inst);
	LLVMInsertIntoBuilderWithName(p->m->b, inst, name);
	value_of(p, inst)->at = p->last++;
}

static void bring(struct plan *p, LLVMValueRef v, LLVMBasicBlockRef to)
{
	if (!LLVMIsAInstruction(v) || block_dominates(p, LLVMGetInstructionParent(v), to))
		return;
	for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(v); i++)
		bring(p, LLVMGetOperand(v, i), to);
	move_there(p, v, to);
}

static bool hoist(struct plan *p, const struct move *move)
{
	LLVMValueRef load = p->values.v[move->value].inst;
	LLVMBasicBlockRef to = p->blocks.v[move->block];

	if (!load || LLVMGetInstructionParent(load) == to ||
	    !LLVMIsABranchInst(LLVMGetBasicBlockTerminator(to)) ||
	    !block_dominates(p, to, LLVMGetInstructionParent(load)) ||
	    !can_be_at(p, LLVMGetOperand(load, 0), to, DEPTH))
		return false;
	bring(p, LLVMGetOperand(load, 0), to);
	move_there(p, load, to);
	return true;
}

static bool is_before(struct plan *p, LLVMValueRef v, LLVMValueRef load)
{
	LLVMBasicBlockRef from = LLVMGetInstructionParent(v), to = LLVMGetInstructionParent(load);

	if (from == to)
		return value_of(p, v)->at < value_of(p, load)->at;
	return !LLVMIsATerminatorInst(v) && block_dominates(p, from, to);
}

/* A promise about one load must hold for all loads that it replaces. */
static bool is_promised_the_same(struct pd_ir *m, LLVMValueRef a, LLVMValueRef b)
{
	static const char *const kinds[] = {"tbaa", "alias.scope", "noalias"};

	for (size_t i = 0; i < PD_LEN(kinds); i++) {
		unsigned kind =
			LLVMGetMDKindIDInContext(m->ctx, kinds[i], (unsigned)strlen(kinds[i]));

		if (LLVMGetMetadata(a, kind) != LLVMGetMetadata(b, kind))
			return false;
	}
	return true;
}

static bool take_out(struct plan *p, struct value *e)
{
	LLVMValueRef v = e->like == NONE ? e->constant : p->values.v[e->like].inst;

	if (!e->inst || !v || v == e->inst || LLVMTypeOf(v) != LLVMTypeOf(e->inst) ||
	    (LLVMIsAInstruction(v) && !is_before(p, v, e->inst)) ||
	    (LLVMIsALoadInst(v) && !is_promised_the_same(p->m, v, e->inst)))
		return false;
	LLVMReplaceAllUsesWith(e->inst, v);
	LLVMInstructionEraseFromParent(e->inst);
	e->inst = NULL;
	return true;
}

/* Repeats, since one move enables another: an address is known once the load that it comes from has
 * moved. */
static void follow(struct plan *p)
{
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = 0; i < p->moves.n; i++)
			changed |= hoist(p, &p->moves.v[i]);
		for (uint32_t i = 0; i < p->values.n; i++)
			changed |= take_out(p, &p->values.v[i]);
	}
}

static void work(struct pd_ir *m, LLVMValueRef fn, LLVMValueRef twin)
{
	struct plan p = {.m = m};
	struct pd_arena arena;

	pd_arena_init(&arena, m->arena.host);
	p.flow.arena = &arena;
	number_all(&p, fn);
	read_twin(&p, fn, twin);
	pd_flow_find(&p.flow, fn);
	follow(&p);
	pd_arena_finish(&arena);
}

void pd_again(struct pd_ir *m)
{
	struct twin t = {.m = m, .mod = LLVMCloneModule(m->mod)};
	LLVMPassBuilderOptionsRef o = LLVMCreatePassBuilderOptions();
	LLVMValueRef twin = LLVMGetFirstFunction(t.mod), fn = LLVMGetFirstFunction(m->mod);
	LLVMErrorRef e;

	declare(&t);
	for (; fn; fn = LLVMGetNextFunction(fn), twin = LLVMGetNextFunction(twin)) {
		forget(twin);
		if (!is_left_alone(m, fn))
			prepare(&t, twin);
	}
	e = LLVMRunPasses(t.mod, passes, m->tm, o);
	LLVMDisposePassBuilderOptions(o);
	if (e)
		LLVMConsumeError(e);
	fn = LLVMGetFirstFunction(m->mod);
	twin = LLVMGetFirstFunction(t.mod);
	for (; fn && !e; fn = LLVMGetNextFunction(fn), twin = LLVMGetNextFunction(twin))
		if (!is_left_alone(m, fn))
			work(m, fn, twin);
	LLVMDisposeModule(t.mod);
	unmark_waits(m);
}
