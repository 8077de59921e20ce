/*
 * straight.h - is a history explained by the order of its responses?
 *
 * Operations that do not overlap have no other order, and most that do took effect in this one. It
 * needs one state and no record of configurations. A yes is final; anything else is left to the
 * search.
 */
#ifndef PD_ENGINE_LINEAR_STRAIGHT_H
#define PD_ENGINE_LINEAR_STRAIGHT_H

#include "engine/linear/search.h"

/* False: not known. */
bool pd_straight_explains(struct pd_search *s, struct pd_arena *arena);

#endif
