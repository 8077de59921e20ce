/* link.c - functions of the C library whose code is compiled with the program: library.c. */
#include "cc/symbolic/symbolic.h"
#include "cc/pass.h"
#include <stdio.h>
#include <string.h>

static const char *const ours[] = {"getopt", "getopt_long", "getopt_long_only"};

static LLVMValueRef used(struct pd_ir *m, const char *name)
{
	LLVMValueRef fn = LLVMGetNamedFunction(m->mod, name);

	return fn && LLVMIsDeclaration(fn) && LLVMGetFirstUse(fn) ? fn : NULL;
}

static LLVMValueRef own(struct pd_ir *m, const char *name)
{
	char full[64];

	snprintf(full, sizeof(full), "__pd_lib_%s", name);
	return LLVMGetNamedFunction(m->mod, full);
}

/*
 * A module that uses std::cin needs its buffer (streams.cc), also if it calls no function that is
 * in the archive: std::istreambuf_iterator calls only virtual ones. One reference brings the
 * archive in.
 */
static void need_streams(struct pd_ir *m)
{
	LLVMValueRef cin = LLVMGetNamedGlobal(m->mod, "_ZSt3cin"), get, need;

	if (!cin || !LLVMGetFirstUse(cin))
		return;
	get = LLVMGetNamedFunction(m->mod, "_ZNSi3getEv");
	if (!get)
		get = LLVMAddFunction(m->mod, "_ZNSi3getEv",
				      LLVMFunctionType(m->t_void, NULL, 0, 0));
	need = LLVMAddGlobal(m->mod, LLVMTypeOf(get), "__pd_sym_needs_streams");
	LLVMSetInitializer(need, get);
	LLVMSetLinkage(need, LLVMWeakODRLinkage);
	LLVMSetVisibility(need, LLVMHiddenVisibility);
	LLVMSetGlobalConstant(need, true);
}

void pd_sym_link_library(struct pd_ir *m)
{
	bool any = false;

	need_streams(m);
	for (size_t i = 0; i < PD_LEN(ours); i++)
		any |= used(m, ours[i]) != NULL;
	if (!any || !pd_pass_link(m, "symbolic-library"))
		return;
	for (size_t i = 0; i < PD_LEN(ours); i++) {
		if (used(m, ours[i]))
			LLVMReplaceAllUsesWith(used(m, ours[i]), own(m, ours[i]));
		LLVMSetLinkage(own(m, ours[i]), LLVMLinkOnceODRLinkage);
	}
	LLVMSetLinkage(LLVMGetNamedGlobal(m->mod, "__pd_lib_getopt_state"), LLVMLinkOnceODRLinkage);
}
