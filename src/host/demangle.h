/*
 * demangle.h - names of C++ functions as the source has them.
 */
#ifndef PD_HOST_DEMANGLE_H
#define PD_HOST_DEMANGLE_H

#include "base/arena.h"

/* The name itself where it is not a mangled one. Lives in the arena, or as long as `name`. */
const char *pd_demangle(struct pd_arena *a, const char *name);

#endif
