/* demangle.h - readable names of C++ functions (event/name.h), from symbols and debug
 * information. */
#ifndef PD_HOST_DEMANGLE_H
#define PD_HOST_DEMANGLE_H

#include "base/arena.h"

/* Returns the name itself if nothing can be left out. Lives in the arena, or as long as `name`. */
const char *pd_demangle(struct pd_arena *a, const char *name);

/* The same for each word of a text. */
const char *pd_demangle_all(struct pd_arena *a, const char *text);

#endif
