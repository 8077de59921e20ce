/*
 * alike.h - values of a byte that make no difference to a slice.
 *
 * The conditions of a slice see a byte only through the expressions that depend on it alone and are
 * operands of something that depends on others, too. Two values under which all of these are equal
 * are alike: one of them stands for both. A digit of a table, a masked bit, a comparison leave few.
 */
#ifndef PD_ENGINE_EXPLORE_ALIKE_H
#define PD_ENGINE_EXPLORE_ALIKE_H

#include "engine/explore/slice.h"

/* Removes values from the domains until no two in a domain are alike, for the conditions of the
 * slice and for `e`, if it is not 0. Keeps the value that `input` has, if it is in the domain. */
void pd_alike(struct pd_exprs *x, struct pd_slice *l, pd_expr e, const uint8_t *input);

#endif
