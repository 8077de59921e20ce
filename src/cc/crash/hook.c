/* hook.c - see crash.h: calls of inline.c, and what the optimiser may assume about hooks. */
#include "cc/crash/crash.h"

const struct pd_function pd_helpers[] = {
#define PD_HELPER(name, signature) {"__pd_i_" #name, signature, 0},
#include "cc/crash/helper.def"
	{0},
};

LLVMValueRef pd_helper_call(struct pd_ir *m, enum pd_helper helper, LLVMValueRef *args)
{
	return pd_function_call(m, &pd_helpers[helper], args);
}

const struct pd_encoding pd_memory_bits[] = {
	{"memory", "memory(none)", 0},
	{"memory", "memory(argmem: read)", PD_READS_ARGUMENTS},
	{"memory", "memory(argmem: write)", PD_WRITES_ARGUMENTS},
	{"memory", "memory(inaccessiblemem: read)", PD_READS_HIDDEN},
	{"memory", "memory(inaccessiblemem: write)", PD_WRITES_HIDDEN},
	{"memory", "memory(read, argmem: none, inaccessiblemem: none)", PD_READS_OTHER},
	{"memory", "memory(write, argmem: none, inaccessiblemem: none)", PD_WRITES_OTHER},
	{0},
};

static void add_attribute(struct pd_ir *m, LLVMValueRef fn, LLVMAttributeIndex at, const char *name,
			  uint64_t value)
{
	unsigned kind = pd_attribute_kind(name);

	LLVMAddAttributeAtIndex(fn, at, LLVMCreateEnumAttribute(m->ctx, kind, value));
}

static void promise(struct pd_ir *m, unsigned hook, uint64_t memory)
{
	LLVMValueRef fn = pd_hook_declared(m, hook);

	if (!fn)
		return;
	add_attribute(m, fn, PD_IR_SELF, "memory", memory);
	add_attribute(m, fn, PD_IR_SELF, "willreturn", 0);
	for (unsigned i = 0; i < LLVMCountParams(fn); i++)
		if (LLVMTypeOf(LLVMGetParam(fn, i)) == m->t_ptr)
			add_attribute(m, fn, i + 1, "nocapture", 0);
}

/*
 * A plain access touches what it points to. Other threads may run in between, but without an atomic
 * or a call the language lets no thread rely on what another one does. No hook is ever removed or
 * merged with another one: each writes memory that the program cannot access.
 */
void pd_hooks_promise(struct pd_ir *m)
{
	static const unsigned blocks[] = {PD_HOOK_loadb, PD_HOOK_storeb, PD_HOOK_memcpy,
					  PD_HOOK_memmove, PD_HOOK_memset};
	LLVMValueRef is_pm = LLVMGetNamedFunction(m->mod, "__pd_i_is_pm");

	for (unsigned i = 0; i < 5; i++) {
		promise(m, PD_HOOK_load + i, PD_READS_ARGUMENTS | PD_MEMORY_HIDDEN);
		promise(m, PD_HOOK_store + i, PD_MEMORY_ARGUMENTS | PD_MEMORY_HIDDEN);
	}
	for (unsigned i = 0; i < 4; i++)
		promise(m, PD_HOOK_ask1 + i, PD_READS_ARGUMENTS | PD_MEMORY_HIDDEN);
	for (unsigned i = 0; i < PD_LEN(blocks); i++)
		promise(m, blocks[i], PD_MEMORY_ARGUMENTS | PD_MEMORY_HIDDEN);
	if (is_pm)
		add_attribute(m, is_pm, PD_IR_SELF, "speculatable", 0);
}
