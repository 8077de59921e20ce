/*
 * hook.c - calls of the runtime.
 *
 * Names and types come from event.def and helper.def alone: a hook that is added there can be
 * called here, and a call with the wrong number of arguments cannot be built.
 */
#include "cc/ir.h"
#include "base/bug.h"
#include <stdio.h>
#include <string.h>

#define MAX_ARGS 8

struct function {
	const char *name;
	const char *signature;
	char size; /* the letter for N, or 0 */
};

static const struct function hook_table[PD_HOOK_N] = {
#define PD_HOOK(name, signature, doc) {"__pd_" #name, signature, 0},
#define PD_HOOKS_SIZED(name, signature, doc)                                                       \
	{"__pd_" #name "1", signature, '1'}, {"__pd_" #name "2", signature, '2'},                  \
		{"__pd_" #name "4", signature, '4'}, {"__pd_" #name "8", signature, '8'},          \
		{"__pd_" #name "16", signature, 'x'},
#include "event/event.def"
};

static const struct function helper_table[PD_HELPER_N] = {
#define PD_HELPER(name, signature) {"__pd_i_" #name, signature, 0},
#include "cc/helper.def"
};

LLVMTypeRef pd_ir_int(struct pd_ir *m, unsigned bytes)
{
	return LLVMIntTypeInContext(m->ctx, bytes * 8);
}

LLVMValueRef pd_ir_const32(struct pd_ir *m, int64_t v)
{
	return LLVMConstInt(m->t_i32, (unsigned long long)v, 1);
}

LLVMValueRef pd_ir_const64(struct pd_ir *m, uint64_t v)
{
	return LLVMConstInt(m->t_i64, v, 0);
}

int pd_ir_size_index(uint64_t bytes)
{
	switch (bytes) {
	case 1:
		return 0;
	case 2:
		return 1;
	case 4:
		return 2;
	case 8:
		return 3;
	case 16:
		return 4;
	default:
		return -1;
	}
}

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

static LLVMTypeRef function_type(struct pd_ir *m, const struct function *f, unsigned *nargs)
{
	LLVMTypeRef args[MAX_ARGS];
	unsigned n = 0;

	for (const char *c = f->signature + 1; *c; c++) {
		PD_CHECK(n < MAX_ARGS, "a hook with too many arguments");
		args[n++] = letter_type(m, *c, f->size);
	}
	*nargs = n;
	return LLVMFunctionType(letter_type(m, f->signature[0], f->size), args, n, 0);
}

/* Small integers have to say how they are widened, or callee and caller may disagree. */
static void add_extensions(struct pd_ir *m, LLVMValueRef fn, bool is_call, const struct function *f)
{
	unsigned kind = LLVMGetEnumAttributeKindForName("zeroext", 7);

	for (unsigned i = 0; f->signature[i]; i++) {
		char c = f->signature[i] == 'N' ? f->size : f->signature[i];
		LLVMAttributeRef a;

		if (c != '1' && c != '2' && c != 'b')
			continue;
		a = LLVMCreateEnumAttribute(m->ctx, kind, 0);
		if (is_call)
			LLVMAddCallSiteAttribute(fn, i, a);
		else
			LLVMAddAttributeAtIndex(fn, i, a);
	}
}

static LLVMValueRef call(struct pd_ir *m, const struct function *f, LLVMValueRef *decl,
			 LLVMValueRef *args)
{
	unsigned n;
	LLVMTypeRef type = function_type(m, f, &n);
	LLVMValueRef r;

	if (!*decl)
		*decl = LLVMGetNamedFunction(m->mod, f->name);
	if (!*decl) {
		*decl = LLVMAddFunction(m->mod, f->name, type);
		LLVMAddAttributeAtIndex(*decl, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
					LLVMCreateEnumAttribute(m->ctx, m->attr.nounwind, 0));
		add_extensions(m, *decl, false, f);
	}
	r = LLVMBuildCall2(m->b, type, *decl, args, n, "");
	add_extensions(m, r, true, f);
	return r;
}

LLVMValueRef pd_hook_call(struct pd_ir *m, unsigned hook, LLVMValueRef *args)
{
	LLVMValueRef r;

	PD_CHECK(hook < PD_HOOK_N, "no such hook");
	r = call(m, &hook_table[hook], &m->hooks[hook], args);
	/* Often the last thing that a function does: a jump would leave that function out of the
	 * stack. */
	if (hook == PD_HOOK_flush || hook == PD_HOOK_fence)
		LLVMSetTailCallKind(r, LLVMTailCallKindNoTail);
	return r;
}

bool pd_is_hook_call(LLVMValueRef i)
{
	LLVMValueRef fn;
	size_t n;

	if (!LLVMIsACallInst(i))
		return false;
	fn = LLVMIsAFunction(LLVMGetCalledValue(i));
	return fn && strncmp(LLVMGetValueName2(fn, &n), "__pd_", 5) == 0 &&
	       strncmp(LLVMGetValueName2(fn, &n), "__pd_i_", 7) != 0;
}

LLVMValueRef pd_helper_call(struct pd_ir *m, enum pd_helper helper, LLVMValueRef *args)
{
	return call(m, &helper_table[helper], &m->helpers[helper], args);
}

/*
 * The bits of the `memory` attribute: reading (1) and writing (2) what arguments point to, and,
 * four times as high, memory that the program does not see.
 */
#define READS_ARGUMENT	(1u | 3u << 2)
#define WRITES_ARGUMENT (3u | 3u << 2)

static void add_attribute(struct pd_ir *m, LLVMValueRef fn, LLVMAttributeIndex at, const char *name,
			  uint64_t value)
{
	unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));

	LLVMAddAttributeAtIndex(fn, at, LLVMCreateEnumAttribute(m->ctx, kind, value));
}

static void promise(struct pd_ir *m, unsigned hook, uint64_t memory)
{
	LLVMValueRef fn = LLVMGetNamedFunction(m->mod, hook_table[hook].name);
	LLVMAttributeIndex self = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;

	if (!fn)
		return;
	add_attribute(m, fn, self, "memory", memory);
	add_attribute(m, fn, self, "willreturn", 0);
	for (unsigned i = 0; i < LLVMCountParams(fn); i++)
		if (LLVMTypeOf(LLVMGetParam(fn, i)) == m->t_ptr)
			add_attribute(m, fn, i + 1, "nocapture", 0);
}

/*
 * A plain access touches what it points to; other threads may run meanwhile, but without an atomic
 * or a call in between the language lets no thread rely on what another one does. No hook is ever
 * removed or merged with another one: each writes memory that the program does not see.
 */
void pd_hooks_promise(struct pd_ir *m)
{
	static const unsigned blocks[] = {PD_HOOK_loadb, PD_HOOK_storeb, PD_HOOK_memcpy,
					  PD_HOOK_memmove, PD_HOOK_memset};
	LLVMValueRef is_pm = LLVMGetNamedFunction(m->mod, "__pd_i_is_pm");

	for (unsigned i = 0; i < 5; i++) {
		promise(m, PD_HOOK_load + i, READS_ARGUMENT);
		promise(m, PD_HOOK_store + i, WRITES_ARGUMENT);
	}
	for (unsigned i = 0; i < PD_LEN(blocks); i++)
		promise(m, blocks[i], WRITES_ARGUMENT);
	if (is_pm)
		add_attribute(m, is_pm, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
			      "speculatable", 0);
}
