/*
 * names.h - a list of names in one string, with ", " between them.
 */
#ifndef PD_BASE_NAMES_H
#define PD_BASE_NAMES_H

#include "base/types.h"

/* Adds those of `names` that `list` does not have yet, as far as there is room. */
void pd_names_add(char *list, size_t room, const char *names);

#endif
