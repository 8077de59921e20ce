/* hook.c - see symbolic.h: calls of inline.c. */
#include "cc/symbolic/symbolic.h"

const struct pd_function pd_si_functions[] = {
#define PD_SI(name, signature) {"__pd_si_" #name, signature, 0},
#include "cc/symbolic/helper.def"
	{0},
};

LLVMValueRef pd_si_call(struct pd_sym *s, enum pd_si helper, LLVMValueRef *args)
{
	return pd_function_call(s->m, &pd_si_functions[helper], args);
}
