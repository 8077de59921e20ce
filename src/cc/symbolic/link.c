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

void pd_sym_link_library(struct pd_ir *m)
{
	bool any = false;

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
