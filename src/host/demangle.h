/*
 * demangle.h - names of C++ functions as people say them (event/name.h), of symbols and of debug
 * information.
 */
#ifndef PD_HOST_DEMANGLE_H
#define PD_HOST_DEMANGLE_H

#include "base/arena.h"

/* The name itself where there is nothing to leave out. Lives in the arena, or as long as `name`. */
const char *pd_demangle(struct pd_arena *a, const char *name);

#endif
