/* base/outside.c - see outside.h. */
#include "runtime/base/outside.h"

struct pd_outside pd_outside;
