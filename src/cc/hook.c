/*
 * hook.c - calls of the runtime.
 *
 * Names and types come only from tables of signatures: event.def, and those of modes. A hook that
 * is added there can be called here; a call with the wrong number of arguments does not compile.
 */
#include "cc/ir.h"
#include "base/bug.h"
#include <stdio.h>
#include <string.h>

#define MAX_ARGS 8

static const struct pd_function hook_table[PD_HOOK_N] = {
#define PD_HOOK(name, signature, doc) {"__pd_" #name, signature, 0},
#define PD_HOOKS_SIZED(name, signature, doc)                                                       \
	{"__pd_" #name "1", signature, '1'}, {"__pd_" #name "2", signature, '2'},                  \
		{"__pd_" #name "4", signature, '4'}, {"__pd_" #name "8", signature, '8'},          \
		{"__pd_" #name "16", signature, 'x'},
#include "event/event.def"
};

static LLVMTypeRef letter_type(struct pd_ir *m, char letter, char size)
{
	switch (letter == 'N' ? size : letter) {
	case 'v':
		return m->t_void;
	case 'b':
		return m->t_i1;
	case '1':
		return m->t_i8;
	case '2':
		return pd_ir_int(m, 2);
	case '4':
	case 'i':
		return m->t_i32;
	case '8':
	case 'l':
		return m->t_i64;
	case 'x':
		return m->t_i128;
	case 'f':
		return m->t_float;
	case 'd':
		return m->t_double;
	case 'p':
	case 's':
		return m->t_ptr;
	default:
		PD_BUG("unknown letter in a hook's signature");
	}
}

LLVMTypeRef pd_function_type(struct pd_ir *m, const struct pd_function *f)
{
	LLVMTypeRef args[MAX_ARGS];
	unsigned n = 0;

	for (const char *c = f->signature + 1; *c; c++) {
		PD_CHECK(n < MAX_ARGS, "a hook with too many arguments");
		args[n++] = letter_type(m, *c, f->size);
	}
	return LLVMFunctionType(letter_type(m, f->signature[0], f->size), args, n, 0);
}

/* Small integers must state how they are extended, or callee and caller may disagree. */
static void add_extensions(struct pd_ir *m, LLVMValueRef fn, bool is_call,
			   const struct pd_function *f)
{
	for (unsigned i = 0; f->signature[i]; i++) {
		char c = f->signature[i] == 'N' ? f->size : f->signature[i];
		LLVMAttributeRef a;

		if (c != '1' && c != '2' && c != 'b')
			continue;
		a = pd_ir_attribute(m, "zeroext");
		if (is_call)
			LLVMAddCallSiteAttribute(fn, i, a);
		else
			LLVMAddAttributeAtIndex(fn, i, a);
	}
}

LLVMValueRef pd_function_call(struct pd_ir *m, const struct pd_function *f, LLVMValueRef *args)
{
	LLVMValueRef fn = LLVMGetNamedFunction(m->mod, f->name), r;
	LLVMTypeRef type = pd_function_type(m, f);

	if (!fn) {
		fn = LLVMAddFunction(m->mod, f->name, type);
		LLVMAddAttributeAtIndex(fn, PD_IR_SELF, pd_ir_attribute(m, "nounwind"));
		add_extensions(m, fn, false, f);
	}
	r = LLVMBuildCall2(m->b, type, fn, args, LLVMCountParamTypes(type), "");
	add_extensions(m, r, true, f);
	return r;
}

LLVMValueRef pd_hook_call(struct pd_ir *m, unsigned hook, LLVMValueRef *args)
{
	LLVMValueRef r;

	PD_CHECK(hook < PD_HOOK_N, "no such hook");
	r = pd_function_call(m, &hook_table[hook], args);
	/* These are often the last call in a function: as a jump it would remove the function from
	 * the stack. */
	if (hook == PD_HOOK_flush || hook == PD_HOOK_fence)
		LLVMSetTailCallKind(r, LLVMTailCallKindNoTail);
	return r;
}

/* Also true for the helpers of modes, and for functions that handle labels (cc/symbolic). */
bool pd_is_hook_call(LLVMValueRef i)
{
	static const char *const others[] = {"__pd_i_", "__pd_si_", "__pd_sym_"};
	LLVMValueRef fn;
	const char *name;
	size_t n;

	if (!LLVMIsACallInst(i))
		return false;
	fn = LLVMIsAFunction(LLVMGetCalledValue(i));
	name = fn ? LLVMGetValueName2(fn, &n) : "";
	for (size_t k = 0; k < PD_LEN(others); k++)
		if (strncmp(name, others[k], strlen(others[k])) == 0)
			return false;
	return strncmp(name, "__pd_", 5) == 0;
}

LLVMValueRef pd_hook_declared(struct pd_ir *m, unsigned hook)
{
	return LLVMGetNamedFunction(m->mod, hook_table[hook].name);
}
