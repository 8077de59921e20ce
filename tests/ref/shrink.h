/*
 * shrink.h - makes a program on which the two judges differ as small as it will go.
 */
#ifndef PD_TESTS_REF_SHRINK_H
#define PD_TESTS_REF_SHRINK_H

#include "litmus/litmus.h"

/* Whether the program is still of interest. */
typedef bool (*pd_shrink_test)(void *ctx, const struct pd_litmus *lit);

/* Changes *lit, which keeps passing the test; memory that it needs comes from a. */
void pd_shrink(struct pd_litmus *lit, struct pd_arena *a, pd_shrink_test test, void *ctx);

#endif
