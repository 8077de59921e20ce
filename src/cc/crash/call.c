/*
 * call.c - calls: wrapped functions of the C library, by-value copies of structs, libatomic.
 *
 * If the module only declares a function of wrap.def, its wrapper replaces it wherever it is used,
 * also as a pointer. Direct calls that cannot touch PM get the original back, so that the optimiser
 * can use what it knows about it (strlen of a constant, printf of a constant); unless the function
 * can be made to fail (event/fault.def).
 */
#include "cc/crash/crash.h"
#include "base/bug.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct pd_wrap {
	const char *name;
	const char *arguments;
} wraps[] = {
#define PD_WRAP(name, arguments) {#name, arguments},
#include "cc/crash/wrap.def"
};

/* Functions that can be made to fail. */
static const char *const faulty[] = {
#define PD_FAULTY(name, faults) #name,
#include "event/fault.def"
};

static void set_callee(LLVMValueRef call, LLVMValueRef callee)
{
	LLVMSetOperand(call, (unsigned)LLVMGetNumOperands(call) - 1, callee);
}

/* ---- struct arguments ----------------------------------------------------------------------- */

/* The call itself copies a by-value argument: if it may come from PM, copy it here instead. */
static void copy_byval(struct pd_ir *m, LLVMValueRef inst)
{
	for (unsigned i = 0; i < LLVMGetNumArgOperands(inst); i++) {
		LLVMAttributeRef a = LLVMGetCallSiteEnumAttribute(inst, i + 1, m->attr.byval);
		LLVMValueRef p = LLVMGetOperand(inst, i);
		LLVMTypeRef t;
		uint64_t size;

		if (!a || pd_ir_not_pm(m, p))
			continue;
		t = LLVMGetTypeAttributeValue(a);
		size = LLVMStoreSizeOfType(m->layout, t);
		LLVMPositionBuilderBefore(m->b, inst);
		LLVMValueRef args[] = {
			p, pd_ir_temp(m, inst, t, PD_TEMP_BYVAL + i), pd_ir_const64(m, size),
			pd_site_of(m, inst, PD_SITE_BLOCK | pd_decides(m, inst), size)};
		LLVMSetOperand(inst, i, pd_helper_call(m, PD_HELPER_loadb, args));
	}
}

/* ---- libatomic ------------------------------------------------------------------------------ */

struct atomic_call {
	const char *name; /* without the prefix __atomic_ */
	int rmw;	  /* or -1 */
};

static const struct atomic_call atomics[] = {
	{"load", -1},
	{"store", -1},
	{"exchange", PD_RMW_XCHG},
	{"compare_exchange", -1},
	{"fetch_add", PD_RMW_ADD},
	{"fetch_sub", PD_RMW_SUB},
	{"fetch_and", PD_RMW_AND},
	{"fetch_or", PD_RMW_OR},
	{"fetch_xor", PD_RMW_XOR},
	{"fetch_nand", PD_RMW_NAND},
};

static LLVMValueRef arg(LLVMValueRef inst, unsigned i)
{
	return LLVMGetOperand(inst, i);
}

/* Memory of the caller beside the atomic itself: the expected value, or the result. */
static LLVMValueRef side_load(struct pd_ir *m, LLVMValueRef p, int index, LLVMValueRef site)
{
	LLVMValueRef args[] = {p, site};

	return pd_helper_call(m, PD_HELPER_load1 + (unsigned)index, args);
}

static void side_store(struct pd_ir *m, LLVMValueRef p, LLVMValueRef v, int index,
		       LLVMValueRef site)
{
	LLVMValueRef args[] = {p, v, site};

	pd_helper_call(m, PD_HELPER_store1 + (unsigned)index, args);
}

/* Operands of both forms: __atomic_exchange_8(p, value, order) takes values, the generic
 * __atomic_exchange(size, p, &value, &result, order) takes their addresses. */
static LLVMValueRef emit_atomic(struct pd_ir *m, LLVMValueRef inst, const struct atomic_call *c,
				int index, bool generic)
{
	unsigned k = generic ? 1 : 0;
	unsigned n = LLVMGetNumArgOperands(inst);
	LLVMValueRef site = pd_site_of(m, inst, PD_SITE_ATOMIC | pd_decides(m, inst), 1u << index);
	LLVMValueRef p = arg(inst, k), order = arg(inst, n - 1), v, old, expected, ok;

	if (strcmp(c->name, "load") == 0) {
		LLVMValueRef a[] = {p, site, order};

		v = pd_hook_call(m, PD_HOOK_aload + (unsigned)index, a);
		if (generic)
			side_store(m, arg(inst, 2), v, index, site);
		return v;
	}
	if (strcmp(c->name, "compare_exchange") == 0) {
		expected = side_load(m, arg(inst, k + 1), index, site);
		v = arg(inst, k + 2);
		v = generic ? side_load(m, v, index, site) : v;
		LLVMValueRef a[] = {p, expected, v, site, arg(inst, n - 2), order};

		old = pd_hook_call(m, PD_HOOK_cas + (unsigned)index, a);
		side_store(m, arg(inst, k + 1), old, index, site);
		ok = LLVMBuildICmp(m->b, LLVMIntEQ, old, expected, "");
		return LLVMBuildIntCast2(m->b, ok, LLVMTypeOf(inst), 0, "");
	}
	v = generic ? side_load(m, arg(inst, 2), index, site) : arg(inst, 1);
	if (c->rmw < 0) {
		LLVMValueRef a[] = {p, v, site, order};

		return pd_hook_call(m, PD_HOOK_astore + (unsigned)index, a);
	}
	LLVMValueRef a[] = {p, v, site, pd_ir_const32(m, c->rmw), order};
	old = pd_hook_call(m, PD_HOOK_rmw + (unsigned)index, a);
	if (generic)
		side_store(m, arg(inst, 3), old, index, site);
	return old;
}

/* Which function it is, and its size: from the digits at its end, or from its first argument. */
static const struct atomic_call *find_atomic(LLVMValueRef inst, const char *name, uint64_t *size,
					     bool *generic)
{
	for (size_t i = 0; i < PD_LEN(atomics); i++) {
		size_t n = strlen(atomics[i].name);
		const char *rest = name + n;

		if (strncmp(name, atomics[i].name, n) != 0 || (*rest && *rest != '_'))
			continue;
		*generic = !*rest;
		*size = 0;
		if (!*generic)
			*size = strtoull(rest + 1, NULL, 10);
		else if (LLVMIsAConstantInt(arg(inst, 0)))
			*size = LLVMConstIntGetZExtValue(arg(inst, 0));
		return &atomics[i];
	}
	return NULL;
}

static bool is_integer(LLVMTypeRef t)
{
	return LLVMGetTypeKind(t) == LLVMIntegerTypeKind;
}

static bool call_atomic(struct pd_ir *m, LLVMValueRef inst, const char *name)
{
	const struct atomic_call *c;
	LLVMValueRef r;
	uint64_t size;
	bool generic;
	int index;

	if (strncmp(name, "__atomic_", 9) != 0 || !LLVMIsACallInst(inst))
		return false;
	c = find_atomic(inst, name + 9, &size, &generic);
	if (!c)
		return false;
	index = pd_ir_size_index(size);
	/* libatomic protects an object of another size with an internal lock. */
	if (index < 0 || !is_integer(LLVMTypeOf(arg(inst, LLVMGetNumArgOperands(inst) - 1)))) {
		pd_loss_emit(m, inst, PD_LOSS_INTRINSIC, name, strlen(name));
		return true;
	}
	LLVMPositionBuilderBefore(m->b, inst);
	r = emit_atomic(m, inst, c, index, generic);
	if (LLVMGetTypeKind(LLVMTypeOf(inst)) != LLVMVoidTypeKind)
		LLVMReplaceAllUsesWith(inst, r);
	LLVMInstructionEraseFromParent(inst);
	return true;
}

/* ---- the C library -------------------------------------------------------------------------- */

static bool may_be_pm(struct pd_ir *m, LLVMValueRef v)
{
	return LLVMTypeOf(v) == m->t_ptr && !LLVMIsAConstantPointerNull(v) && !LLVMIsAFunction(v) &&
	       !pd_ir_not_pm(m, v);
}

static bool touches_pm(struct pd_ir *m, LLVMValueRef inst, const char *letters)
{
	unsigned n = LLVMGetNumArgOperands(inst);
	char c = '-';

	for (unsigned i = 0; i < n; i++) {
		if (c != '.')
			c = *letters ? *letters++ : '-';
		if (c == 'i' || c == 'f' || (c != '-' && may_be_pm(m, arg(inst, i))))
			return true;
	}
	return false;
}

static bool may_fail(const char *name)
{
	for (size_t i = 0; i < PD_LEN(faulty); i++)
		if (strcmp(faulty[i], name) == 0)
			return true;
	return false;
}

static LLVMValueRef call_site_variable(struct pd_ir *m)
{
	LLVMValueRef g = LLVMGetNamedGlobal(m->mod, "__pd_call_site");

	if (!g) {
		g = LLVMAddGlobal(m->mod, m->t_ptr, "__pd_call_site");
		LLVMSetThreadLocalMode(g, LLVMInitialExecTLSModel);
	}
	return g;
}

static LLVMValueRef wrapper_of(struct pd_ir *m, LLVMValueRef fn, const char *name)
{
	char buf[64];
	LLVMValueRef w;

	snprintf(buf, sizeof(buf), "__pd_w_%s", name);
	w = LLVMGetNamedFunction(m->mod, buf);
	return w ? w : LLVMAddFunction(m->mod, buf, LLVMGlobalGetValueType(fn));
}

static void call_wrapped(struct pd_ir *m, LLVMValueRef inst, LLVMValueRef fn,
			 const struct pd_wrap *w)
{
	LLVMPositionBuilderBefore(m->b, inst);
	LLVMBuildStore(m->b, pd_site_of(m, inst, PD_SITE_BLOCK | pd_decides(m, inst), 0),
		       call_site_variable(m));
	LLVMRemoveCallSiteEnumAttribute(inst, PD_IR_SELF, m->attr.memory);
	set_callee(inst, wrapper_of(m, fn, w->name));
}

static const struct pd_wrap *find_wrap(LLVMValueRef fn, const char *name)
{
	if (!LLVMIsDeclaration(fn))
		return NULL;
	for (size_t i = 0; i < PD_LEN(wraps); i++)
		if (strcmp(wraps[i].name, name) == 0)
			return &wraps[i];
	return NULL;
}

const char *pd_wrap_arguments(LLVMValueRef fn)
{
	size_t n;
	const struct pd_wrap *w = find_wrap(fn, LLVMGetValueName2(fn, &n));

	return w ? w->arguments : NULL;
}

/* The remaining uses of the plain function: calls that cannot touch PM, and pointers to it. */
static void wrap_rest(struct pd_ir *m, LLVMValueRef fn, const struct pd_wrap *w)
{
	PD_VEC(LLVMValueRef) calls = {0};
	bool pointers = false;

	for (LLVMUseRef u = LLVMGetFirstUse(fn); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef user = LLVMGetUser(u), *e;

		if ((LLVMIsACallInst(user) || LLVMIsAInvokeInst(user)) &&
		    LLVMGetCalledValue(user) == fn) {
			e = pd_vec_push(&calls, &m->arena);
			PD_CHECK(e, "out of memory");
			*e = user;
		} else {
			pointers = true;
		}
	}
	if (!pointers)
		return;
	LLVMReplaceAllUsesWith(fn, wrapper_of(m, fn, w->name));
	for (uint32_t i = 0; i < calls.n; i++)
		set_callee(calls.v[i], fn);
}

void pd_wrap_pointers(struct pd_ir *m)
{
	for (size_t i = 0; i < PD_LEN(wraps); i++) {
		LLVMValueRef fn = LLVMGetNamedFunction(m->mod, wraps[i].name);

		if (fn && LLVMIsDeclaration(fn))
			wrap_rest(m, fn, &wraps[i]);
	}
}

/* ---- locks of the program's own ------------------------------------------------------------- */

/* Which functions are locks is only known when the program runs (--locks); this decides by name
 * which may be. */
static bool may_be_lock(const char *name)
{
	static const char *const words[] = {"lock", "mutex", "latch", "acquire", "release",
					    "spin", "take",  "give",  "enter",	 "leave",
					    "sem_", "alloc", "free"};

	if (strncmp(name, "pthread_", 8) == 0 || strncmp(name, "__pd_", 5) == 0)
		return false;
	for (size_t i = 0; i < PD_LEN(words); i++) {
		const char *at = strstr(name, words[i]);

		/* Not block, clock */
		if (at && !(i == 0 && at > name && (at[-1] == 'b' || at[-1] == 'c')))
			return true;
	}
	return false;
}

static LLVMValueRef as_word(struct pd_ir *m, LLVMValueRef v)
{
	LLVMTypeRef t = LLVMTypeOf(v), word = m->t_i64;

	if (t == m->t_ptr)
		return LLVMBuildPtrToInt(m->b, v, word, "");
	if (LLVMGetTypeKind(t) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(t) <= 64)
		return LLVMBuildIntCast2(m->b, v, word, 1, "");
	return LLVMConstInt(word, 0, 0);
}

/* A struct pd_call, one per place: the runtime is asked only once about a call that it ignores. */
static LLVMValueRef call_record(struct pd_ir *m, const char *name)
{
	LLVMValueRef f[] = {LLVMBuildGlobalString(m->b, name, ""), pd_ir_const32(m, 0)};
	LLVMValueRef init = LLVMConstStructInContext(m->ctx, f, PD_LEN(f), 0);
	LLVMValueRef record = LLVMAddGlobal(m->mod, LLVMTypeOf(init), "");

	LLVMSetInitializer(record, init);
	LLVMSetLinkage(record, LLVMPrivateLinkage);
	return record;
}

static void report_call(struct pd_ir *m, LLVMValueRef inst, const char *name, int when,
			LLVMValueRef result)
{
	LLVMValueRef none = LLVMConstInt(m->t_i64, 0, 0);
	LLVMValueRef a[] = {call_record(m, name),
			    pd_ir_const32(m, when),
			    none,
			    none,
			    none,
			    result ? as_word(m, result) : none,
			    pd_site_of(m, inst, 0, 0)};

	for (unsigned i = 0; i < PD_MIN(LLVMGetNumArgOperands(inst), 3); i++)
		a[2 + i] = as_word(m, LLVMGetOperand(inst, i));
	pd_helper_call(m, PD_HELPER_called, a);
}

/* What an uninstrumented library does to PM is not seen; the runtime knows whether it is
 * instrumented. */
static void report_pmdk(struct pd_ir *m, LLVMValueRef inst, const char *name)
{
	LLVMPositionBuilderBefore(m->b, inst);
	report_call(m, inst, name, 0, NULL);
}

/* An invoke is reported as if it had returned: nothing can be inserted behind it. */
static void report_lock(struct pd_ir *m, LLVMValueRef inst, const char *name)
{
	bool has_result = LLVMGetTypeKind(LLVMTypeOf(inst)) != LLVMVoidTypeKind;

	if (LLVMIsACallInst(inst) && LLVMGetTailCallKind(inst) == LLVMTailCallKindMustTail)
		return;
	LLVMPositionBuilderBefore(m->b, inst);
	report_call(m, inst, name, 0, NULL);
	if (LLVMIsACallInst(inst))
		LLVMPositionBuilderBefore(m->b, LLVMGetNextInstruction(inst));
	report_call(m, inst, name, 1, LLVMIsACallInst(inst) && has_result ? inst : NULL);
}

/* ---- calls ---------------------------------------------------------------------------------- */

void pd_call(struct pd_ir *m, LLVMValueRef inst)
{
	LLVMValueRef callee = LLVMGetCalledValue(inst);
	LLVMValueRef fn = LLVMIsAFunction(callee);
	const struct pd_wrap *w;
	const char *name;
	size_t n;

	if (LLVMIsAInlineAsm(callee)) {
		pd_asm_call(m, inst);
		return;
	}
	if (fn && LLVMGetIntrinsicID(fn)) {
		pd_intrinsic(m, inst, fn);
		return;
	}
	copy_byval(m, inst);
	if (!fn)
		return;
	name = LLVMGetValueName2(fn, &n);
	if (call_atomic(m, inst, name))
		return;
	w = find_wrap(fn, name);
	if (w && (touches_pm(m, inst, w->arguments) || may_fail(name)))
		call_wrapped(m, inst, fn, w);
	else if (!w && may_be_lock(name))
		report_lock(m, inst, name);
	else if (!w && LLVMIsDeclaration(fn) && strncmp(name, "pmem", 4) == 0)
		report_pmdk(m, inst, name);
}
