/*
 * decide.c - which reads may decide where the program goes on: guarded reads (Durinn, OSDI 2022,
 * section 5.2, "guarded protection").
 *
 *	if (entry->valid)      the load of `valid` is one
 *		use(entry->key);   the load of `key` is not, unless it is compared
 *
 * The analysis goes backwards, from all conditions of the module to what they are computed from.
 * Conditions are those of branches, switches and selects, the target of an indirect jump or call,
 * and what a compare-exchange expects. There are few questions to ask about a value, each is asked
 * once, and answering takes time proportional to its operands or uses: so it is linear in the size
 * of the module.
 *
 *	VALUE     it may decide. Then its operands may; an argument leads to what callers pass, the
 *	          result of a call to what the function returns
 *	POINTEE   an address: what is read there may decide. Leads to the variable it belongs to,
 *	          in this function or in a caller
 *	WRITTEN   an address: what is written there may decide. Leads along the uses of a variable, into
 *	          functions that it is passed to, to everything stored or copied there
 *	RETURNED  a function: its result may decide. RETURNS_ADDRESS: what is read where that points to
 *	READ      a call or a copy: what it reads itself may decide
 *
 * The address of a load does not decide: a pointer that is only followed is no condition, one that
 * is compared is. Variables, local and global, are treated as a whole. The analysis ends at other
 * memory, on the heap or in PM; a load from PM is marked by itself.
 *
 * Precision lost: the result of a function that others may call, outside of this module or through
 * a pointer, is assumed to decide there. What is passed to a function of another module and decides
 * only there is missed, and so is what goes through the heap or through stored addresses.
 */
#include "cc/crash/crash.h"
#include "base/bug.h"
#include "base/hash.h"
#include <string.h>

enum {
	VALUE = 1,
	POINTEE = 2,
	WRITTEN = 4,
	RETURNED = 8,
	RETURNS_ADDRESS = 16,
	READ = 32,
	ADDRESS_TAKEN = 64, /* a function: it may be called through a pointer; needs no work */
};

struct task {
	LLVMValueRef v;
	unsigned what;
};

struct caller {
	LLVMValueRef call;
	uint32_t next; /* 1 + another call of the same function; 0: none */
};

struct decide {
	struct pd_ir *m;
	struct pd_map *known; /* value -> questions asked about it */
	PD_VEC(struct task) work;
	PD_VEC(struct caller) callers;
	struct pd_map first;  /* function, or type of an indirect call -> 1 + its first caller */
	struct pd_map passed; /* type of an indirect call, argument, question -> 1 */
	unsigned noalias;
};

static void *pushed(void *p)
{
	PD_CHECK(p, "out of memory");
	return p;
}

static uint64_t *put(struct decide *d, struct pd_map *map, uint64_t key)
{
	return pushed(pd_map_put(map, &d->m->arena, key >> 1));
}

/* Returns whether the question is new. */
static bool set(struct decide *d, LLVMValueRef v, unsigned what)
{
	uint64_t *known = put(d, d->known, (uintptr_t)v);
	bool is_new = !(*known & what);

	*known |= what;
	return is_new;
}

static bool is_known(struct decide *d, LLVMValueRef v, unsigned what)
{
	const uint64_t *known = pd_map_get(d->known, (uintptr_t)v >> 1);

	return known && *known & what;
}

static bool is_pointer(LLVMValueRef v)
{
	return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMPointerTypeKind;
}

/* Constants decide nothing, and only addresses lead anywhere. */
static bool is_pointless(LLVMValueRef v, unsigned what)
{
	return (what == VALUE && LLVMIsAConstant(v)) || (what == POINTEE && !is_pointer(v));
}

static void ask(struct decide *d, LLVMValueRef v, unsigned what)
{
	if (!is_pointless(v, what) && set(d, v, what))
		*(struct task *)pushed(pd_vec_push(&d->work, &d->m->arena)) =
			(struct task){v, what};
}

/* ---- calls ---------------------------------------------------------------------------------- */

static bool is_call(LLVMValueRef v)
{
	return LLVMIsACallInst(v) || LLVMIsAInvokeInst(v) || LLVMIsACallBrInst(v);
}

/* NULL: only known at run time. */
static LLVMValueRef callee_of(LLVMValueRef call)
{
	LLVMValueRef f = LLVMGetCalledValue(call);

	while (LLVMIsAGlobalAlias(f))
		f = LLVMAliasGetAliasee(f);
	return LLVMIsAFunction(f);
}

static const char *name_of(LLVMValueRef fn)
{
	size_t n;

	return LLVMGetValueName2(fn, &n);
}

static bool starts(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

/* Anything that it gets may be returned or written. */
static void ask_arguments(struct decide *d, LLVMValueRef call)
{
	ask(d, call, READ);
	for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
		LLVMValueRef a = LLVMGetOperand(call, i);

		ask(d, a, is_pointer(a) ? POINTEE : VALUE);
	}
}

/* Functions of the C library whose result depends on the bytes that they get. Other wrapped
 * functions return whether they failed. */
static bool answers_by_content(const char *name)
{
	static const char *const prefixes[] = {
		"mem",		 "str",	       "wmem", "wcs",  "bcmp",	"index",   "rindex",
		"rawmem",	 "__memcmpeq", "ato",  "a64l", "lfind", "lsearch", "__isoc23_strto",
		"__isoc23_wcsto"};

	for (size_t i = 0; i < PD_LEN(prefixes); i++)
		if (starts(name, prefixes[i]))
			return true;
	return false;
}

/* The result is new memory, whatever its size. */
static bool allocates(struct decide *d, LLVMValueRef call, LLVMValueRef fn)
{
	return LLVMGetCallSiteEnumAttribute(call, LLVMAttributeReturnIndex, d->noalias) ||
	       (fn && LLVMGetEnumAttributeAtIndex(fn, LLVMAttributeReturnIndex, d->noalias));
}

static void ask_intrinsic(struct decide *d, LLVMValueRef call, LLVMValueRef fn)
{
	LLVMAttributeRef a = LLVMGetEnumAttributeAtIndex(fn, PD_IR_SELF, d->m->attr.memory);
	bool pure = a && !(LLVMGetEnumAttributeValue(a) & (PD_MEMORY_ARGUMENTS | PD_MEMORY_OTHER));

	ask_arguments(d, call);
	for (unsigned i = 0; pure && i < LLVMGetNumArgOperands(call); i++)
		ask(d, LLVMGetOperand(call, i), VALUE);
}

/* Its result may decide. */
static void ask_result(struct decide *d, LLVMValueRef call)
{
	LLVMValueRef fn = callee_of(call);

	if (fn && LLVMGetIntrinsicID(fn))
		ask_intrinsic(d, call, fn);
	else if (fn && !LLVMIsDeclaration(fn))
		ask(d, fn, RETURNED);
	else if (!allocates(d, call, fn) &&
		 (!fn || !pd_wrap_arguments(fn) || answers_by_content(name_of(fn))))
		ask_arguments(d, call);
}

/* ---- arguments ------------------------------------------------------------------------------ */

static unsigned index_of(LLVMValueRef argument)
{
	LLVMValueRef fn = LLVMGetParamParent(argument);
	unsigned i = 0;

	while (LLVMGetParam(fn, i) != argument)
		i++;
	return i;
}

static void ask_callers(struct decide *d, void *of, unsigned index, unsigned what, bool by_value)
{
	const uint64_t *first = pd_map_get(&d->first, (uintptr_t)of >> 1);

	for (uint32_t i = first ? (uint32_t)*first : 0; i; i = d->callers.v[i - 1].next) {
		LLVMValueRef call = d->callers.v[i - 1].call;

		if (index >= LLVMGetNumArgOperands(call))
			continue;
		ask(d, LLVMGetOperand(call, index), what);
		if (by_value)
			ask(d, call, READ);
	}
}

static void ask_argument(struct decide *d, LLVMValueRef argument, unsigned what)
{
	LLVMValueRef fn = LLVMGetParamParent(argument);
	LLVMTypeRef type = LLVMGlobalGetValueType(fn);
	unsigned index = index_of(argument);
	bool by_value = LLVMGetEnumAttributeAtIndex(fn, index + 1, d->m->attr.byval) != NULL;
	uint64_t *done;

	ask_callers(d, fn, index, what, by_value);
	if (!is_known(d, fn, ADDRESS_TAKEN))
		return;
	done = put(d, &d->passed, pd_mix(pd_mix((uintptr_t)type + index) + what));
	if (!*done)
		ask_callers(d, type, index, what, by_value);
	*done = 1;
}

/* ---- a value -------------------------------------------------------------------------------- */

static void ask_operands(struct decide *d, LLVMValueRef v, unsigned what)
{
	for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(v); i++)
		ask(d, LLVMGetOperand(v, i), what);
}

static void visit_value(struct decide *d, LLVMValueRef v)
{
	if (LLVMIsAArgument(v)) {
		ask_argument(d, v, VALUE);
		return;
	}
	if (!LLVMIsAInstruction(v))
		return;
	switch ((int)LLVMGetInstructionOpcode(v)) {
	case LLVMLoad:
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
		ask(d, LLVMGetOperand(v, 0), POINTEE);
		break;
	case LLVMCall:
	case LLVMInvoke:
	case LLVMCallBr:
		ask_result(d, v);
		break;
	case LLVMAlloca:
	case LLVMLandingPad:
	case LLVMVAArg:
		break;
	default:
		ask_operands(d, v, VALUE);
	}
}

static void visit_returned(struct decide *d, LLVMValueRef fn, unsigned what)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b)) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(b);

		if (end && LLVMIsAReturnInst(end))
			ask_operands(d, end, what);
	}
}

/* ---- addresses ------------------------------------------------------------------------------ */

/* The opcode of an instruction or a constant expression; 0: neither. */
static int opcode_of(LLVMValueRef v)
{
	if (LLVMIsAInstruction(v))
		return (int)LLVMGetInstructionOpcode(v);
	return LLVMIsAConstantExpr(v) ? (int)LLVMGetConstOpcode(v) : 0;
}

/* For an address returned by a call. */
static void follow_result(struct decide *d, LLVMValueRef call)
{
	LLVMValueRef fn = callee_of(call);

	if (fn && LLVMGetIntrinsicID(fn))
		ask_arguments(d, call);
	else if (fn && !LLVMIsDeclaration(fn))
		ask(d, fn, RETURNS_ADDRESS);
}

static void visit_pointee(struct decide *d, LLVMValueRef v)
{
	if (LLVMIsAArgument(v))
		ask_argument(d, v, POINTEE);
	if (LLVMIsAAllocaInst(v) || LLVMIsAGlobalVariable(v))
		ask(d, v, WRITTEN);
	switch (opcode_of(v)) {
	case LLVMGetElementPtr:
	case LLVMBitCast:
	case LLVMAddrSpaceCast:
	case LLVMFreeze:
		ask(d, LLVMGetOperand(v, 0), POINTEE);
		break;
	case LLVMSelect:
	case LLVMPHI:
		ask_operands(d, v, POINTEE);
		break;
	case LLVMCall:
	case LLVMInvoke:
		follow_result(d, v);
		break;
	default:
		break;
	}
}

/* Whether a function that is only declared here just reads what an argument points to. */
static bool only_reads(LLVMValueRef fn, unsigned index)
{
	const char *letters = fn ? pd_wrap_arguments(fn) : NULL;

	return letters && index < strlen(letters) && strchr("r-f", letters[index]);
}

/* An argument of this call is the address of a variable, or of a part of one. */
static void visit_passed(struct decide *d, LLVMValueRef call, unsigned index)
{
	LLVMValueRef fn = callee_of(call);

	if (fn && !LLVMIsDeclaration(fn)) {
		if (index < LLVMCountParams(fn) &&
		    !LLVMGetEnumAttributeAtIndex(fn, index + 1, d->m->attr.byval))
			ask(d, LLVMGetParam(fn, index), WRITTEN);
		return;
	}
	if (fn && LLVMGetIntrinsicID(fn) && starts(name_of(fn), "llvm.mem") && index)
		return;
	if (!only_reads(fn, index))
		ask_arguments(d, call);
}

static void visit_use(struct decide *d, LLVMValueRef user, LLVMValueRef address)
{
	switch (opcode_of(user)) {
	case LLVMStore:
		if (LLVMGetOperand(user, 0) != address)
			ask(d, LLVMGetOperand(user, 0), VALUE);
		break;
	case LLVMAtomicRMW:
		ask(d, LLVMGetOperand(user, 1), VALUE);
		break;
	case LLVMAtomicCmpXchg:
		ask(d, LLVMGetOperand(user, 2), VALUE);
		break;
	case LLVMGetElementPtr:
	case LLVMBitCast:
	case LLVMAddrSpaceCast:
	case LLVMFreeze:
	case LLVMSelect:
	case LLVMPHI:
		ask(d, user, WRITTEN);
		break;
	case LLVMCall:
	case LLVMInvoke:
	case LLVMCallBr:
		for (unsigned i = 0; i < LLVMGetNumArgOperands(user); i++)
			if (LLVMGetOperand(user, i) == address)
				visit_passed(d, user, i);
		break;
	default:
		break;
	}
}

static void visit(struct decide *d, const struct task *t)
{
	switch (t->what) {
	case VALUE:
		visit_value(d, t->v);
		break;
	case POINTEE:
		visit_pointee(d, t->v);
		break;
	case WRITTEN:
		for (LLVMUseRef u = LLVMGetFirstUse(t->v); u; u = LLVMGetNextUse(u))
			visit_use(d, LLVMGetUser(u), t->v);
		break;
	case RETURNED:
		visit_returned(d, t->v, VALUE);
		break;
	case RETURNS_ADDRESS:
		visit_returned(d, t->v, POINTEE);
		break;
	default:
		break;
	}
}

/* ---- where it starts ------------------------------------------------------------------------ */

static void note_call(struct decide *d, LLVMValueRef call)
{
	LLVMValueRef fn = callee_of(call);
	void *key = fn ? (void *)fn : (void *)LLVMGetCalledFunctionType(call);
	uint64_t *first = put(d, &d->first, (uintptr_t)key);

	*(struct caller *)pushed(pd_vec_push(&d->callers, &d->m->arena)) =
		(struct caller){call, (uint32_t)*first};
	*first = d->callers.n;
	if (!fn && !LLVMIsAInlineAsm(LLVMGetCalledValue(call)))
		ask(d, LLVMGetCalledValue(call), VALUE);
	if (LLVMIsACallBrInst(call) || (fn && starts(name_of(fn), "__atomic_compare_exchange")))
		ask_arguments(d, call);
}

static void start_at(struct decide *d, LLVMValueRef i)
{
	switch ((int)LLVMGetInstructionOpcode(i)) {
	case LLVMBr:
		if (LLVMIsConditional(i))
			ask(d, LLVMGetCondition(i), VALUE);
		break;
	case LLVMSwitch:
	case LLVMIndirectBr:
	case LLVMSelect:
		ask(d, LLVMGetOperand(i, 0), VALUE);
		break;
	case LLVMAtomicCmpXchg: /* compared right here */
		ask(d, i, VALUE);
		ask(d, LLVMGetOperand(i, 1), VALUE);
		break;
	case LLVMCall:
	case LLVMInvoke:
	case LLVMCallBr:
		note_call(d, i);
		break;
	default:
		break;
	}
}

static bool is_address_taken(LLVMValueRef fn)
{
	for (LLVMUseRef u = LLVMGetFirstUse(fn); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef user = LLVMGetUser(u);
		unsigned as_argument = 0;

		if (!is_call(user))
			return true;
		for (unsigned i = 0; i < LLVMGetNumArgOperands(user); i++)
			as_argument += LLVMGetOperand(user, i) == fn;
		if (as_argument || LLVMGetCalledValue(user) != fn)
			return true;
	}
	return false;
}

/* Unknown callers may use its result. That of main is an exit status. */
static bool has_other_callers(LLVMValueRef fn)
{
	LLVMLinkage l = LLVMGetLinkage(fn);

	return l != LLVMInternalLinkage && l != LLVMPrivateLinkage &&
	       l != LLVMAvailableExternallyLinkage && strcmp(name_of(fn), "main") != 0;
}

static void start_in(struct decide *d, LLVMValueRef fn)
{
	bool taken = is_address_taken(fn);

	if (taken)
		set(d, fn, ADDRESS_TAKEN);
	if (taken || has_other_callers(fn))
		ask(d, fn, RETURNED);
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			start_at(d, i);
}

void pd_decides_find(struct pd_ir *m)
{
	struct decide d = {
		.m = m, .known = &pd_crash(m)->decides, .noalias = pd_attribute_kind("noalias")};

	for (LLVMValueRef fn = LLVMGetFirstFunction(m->mod); fn; fn = LLVMGetNextFunction(fn))
		if (!LLVMIsDeclaration(fn))
			start_in(&d, fn);
	while (d.work.n) {
		struct task t = d.work.v[--d.work.n];

		visit(&d, &t);
	}
}

unsigned pd_decides(struct pd_ir *m, LLVMValueRef inst)
{
	const uint64_t *known = pd_map_get(&pd_crash(m)->decides, (uintptr_t)inst >> 1);
	unsigned what = is_call(inst) ? READ : VALUE;

	return known && *known & what ? PD_SITE_GUARD : 0;
}
