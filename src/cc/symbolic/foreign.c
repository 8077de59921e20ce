/*
 * foreign.c - memory that is passed to functions which may not be instrumented.
 *
 * Lost labels of arguments are noticed when the callee does not take them (call.c). Lost labels of
 * the bytes that an argument points to are not: the function just reads them. So before a call the
 * runtime is shown each pointer, with the size of its target if the code gives it: an object of the
 * caller, a reference. Only the runtime knows whether the callee is instrumented.
 */
#include "cc/symbolic/symbolic.h"
#include "cc/relies.h"
#include <string.h>

static const char *const neutral[] = {
#define PD_NEUTRAL(name) #name,
#include "cc/symbolic/neutral.def"
};

static const char *const neutral_all[] = {
#define PD_NEUTRAL_ALL(prefix) #prefix,
#include "cc/symbolic/neutral.def"
};

static const char *const strings[] = {
#define PD_NEUTRAL_BUT(name) #name,
#include "cc/symbolic/neutral.def"
};

static const struct {
	const char *name;
	unsigned argument;
} only[] = {
#define PD_NEUTRAL_ONLY(name, n) {#name, n},
#include "cc/symbolic/neutral.def"
};

static const char *const output[] = {
#define PD_NEUTRAL_OUT(prefix) #prefix,
#include "cc/symbolic/neutral.def"
};

static bool has_prefix(const char *name, const char *const *prefix, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strncmp(name, prefix[i], strlen(prefix[i])) == 0)
			return true;
	return false;
}

static bool puts_out(LLVMValueRef call, LLVMValueRef fn)
{
	size_t n;

	return fn && LLVMGetNumArgOperands(call) &&
	       has_prefix(LLVMGetValueName2(fn, &n), output, PD_LEN(output));
}

/* In output.cc. */
static LLVMValueRef leads_out(struct pd_ir *m)
{
	static const char name[] = "__pd_sym_leads_out";
	LLVMValueRef fn = LLVMGetNamedFunction(m->mod, name);

	if (!fn)
		fn = LLVMAddFunction(m->mod, name, LLVMFunctionType(m->t_i1, &m->t_ptr, 1, 0));
	return fn;
}

LLVMValueRef pd_sym_goes_out(struct pd_sym *s, LLVMValueRef call, LLVMValueRef fn)
{
	struct pd_ir *m = s->m;
	LLVMValueRef stream, is;

	if (!puts_out(call, fn))
		return NULL;
	stream = LLVMGetOperand(call, 0);
	is = leads_out(m);
	return LLVMBuildCall2(m->b, LLVMGlobalGetValueType(is), is, &stream, 1, "");
}

static bool takes_strings(LLVMValueRef fn)
{
	size_t n;

	for (size_t i = 0; fn && i < PD_LEN(strings); i++)
		if (strcmp(LLVMGetValueName2(fn, &n), strings[i]) == 0)
			return true;
	return false;
}

/* The one argument that the function reads memory through, or -1: any. */
static int only_argument(LLVMValueRef fn)
{
	size_t n;

	for (size_t i = 0; fn && i < PD_LEN(only); i++)
		if (strcmp(LLVMGetValueName2(fn, &n), only[i].name) == 0)
			return (int)only[i].argument;
	return -1;
}

static bool is_neutral(LLVMValueRef fn)
{
	size_t n;
	const char *name = LLVMGetValueName2(fn, &n);

	if (only_argument(fn) >= 0)
		return false;
	for (size_t i = 0; i < PD_LEN(neutral); i++)
		if (strcmp(name, neutral[i]) == 0)
			return true;
	return has_prefix(name, neutral_all, PD_LEN(neutral_all));
}

/* A call that does not return has no result. */
static bool is_final(LLVMValueRef call, LLVMValueRef fn)
{
	unsigned kind = pd_attribute_kind("noreturn");

	return LLVMGetCallSiteEnumAttribute(call, PD_IR_SELF, kind) ||
	       (fn && LLVMGetEnumAttributeAtIndex(fn, PD_IR_SELF, kind));
}

/* 0: unknown. */
static uint64_t size_of(struct pd_sym *s, LLVMValueRef call, LLVMValueRef fn, unsigned argument)
{
	LLVMValueRef p = LLVMGetOperand(call, argument);
	unsigned kind = pd_attribute_kind("dereferenceable");
	LLVMAttributeRef a = LLVMGetCallSiteEnumAttribute(call, argument + 1, kind);

	if (takes_strings(fn))
		return PD_SYM_STRING;
	if (!a && fn && argument < LLVMCountParams(fn))
		a = LLVMGetEnumAttributeAtIndex(fn, argument + 1, kind);
	if (LLVMIsAAllocaInst(p) && LLVMIsAConstantInt(LLVMGetOperand(p, 0)))
		return LLVMStoreSizeOfType(s->m->layout, LLVMGetAllocatedType(p)) *
		       LLVMConstIntGetZExtValue(LLVMGetOperand(p, 0));
	if (LLVMIsAGlobalVariable(p) && LLVMTypeIsSized(LLVMGlobalGetValueType(p)))
		return LLVMStoreSizeOfType(s->m->layout, LLVMGlobalGetValueType(p));
	return a ? LLVMGetEnumAttributeValue(a) : 0;
}

/* A constructor does not read the object that it makes, whatever was in that memory before. */
static bool is_being_made(LLVMValueRef fn, unsigned argument)
{
	size_t n = 0;
	const char *name = fn ? LLVMGetValueName2(fn, &n) : "";

	return !argument && strncmp(name, "_ZN", 3) == 0 &&
	       (strstr(name, "C1E") || strstr(name, "C2E"));
}

static bool may_have_labels(struct pd_sym *s, LLVMValueRef call, unsigned argument)
{
	LLVMValueRef p = LLVMGetOperand(call, argument);

	return LLVMTypeOf(p) == s->m->t_ptr && !LLVMIsAConstantPointerNull(p) && !LLVMIsUndef(p) &&
	       !LLVMIsAFunction(p) && !pd_is_constant_memory(p) && !pd_byval(s, call, argument);
}

static LLVMValueRef name_of(struct pd_ir *m, LLVMValueRef fn)
{
	size_t n;
	const char *name = LLVMGetValueName2(fn, &n);

	return pd_site_string(m, name, n);
}

void pd_sym_show_memory(struct pd_sym *s, LLVMValueRef call, LLVMValueRef callee)
{
	struct pd_ir *m = s->m;
	LLVMValueRef fn = LLVMIsAFunction(callee), name = LLVMConstNull(m->t_ptr), site = NULL, out;
	int from = only_argument(fn);

	if ((fn && (!LLVMIsDeclaration(fn) || is_neutral(fn))) || is_final(call, fn))
		return;
	LLVMPositionBuilderBefore(m->b, call);
	LLVMSetCurrentDebugLocation2(m->b, LLVMInstructionGetDebugLoc(call));
	if (fn)
		name = name_of(m, fn);
	out = pd_sym_goes_out(s, call, fn);
	for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
		LLVMValueRef p = LLVMGetOperand(call, i);

		if (!may_have_labels(s, call, i) || (out && !i) || (from >= 0 && (int)i != from))
			continue;
		if (is_being_made(fn, i)) {
			PD_SI_CALL(s, clear, p, pd_ir_const64(m, size_of(s, call, fn, i)));
			continue;
		}
		site = site ? site : pd_site_of(m, call, 0, 0);
		if (out)
			p = LLVMBuildSelect(m->b, out, LLVMConstNull(m->t_ptr), p, "");
		PD_SI_CALL(s, show, site, callee, name, p,
			   pd_ir_const64(m, size_of(s, call, fn, i)));
	}
}
