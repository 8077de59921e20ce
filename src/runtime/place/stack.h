/* stack.h - the program's own call stack. */
#ifndef PD_RUNTIME_PLACE_STACK_H
#define PD_RUNTIME_PLACE_STACK_H

#include "base/types.h"

/* Innermost first; returns how many. */
uint32_t pd_rt_stack(uintptr_t *pc, uint32_t max);

#endif
