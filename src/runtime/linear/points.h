/*
 * points.h - linearization points that the user has listed (--points FILE): FILE:LINE, one on a
 * line.
 */
#ifndef PD_RUNTIME_LINEAR_POINTS_H
#define PD_RUNTIME_LINEAR_POINTS_H

#include "event/abi.h"
#include "runtime/linear/stress.h"

/* Whether this place is one of them; there is a list. */
bool pd_points_has(const struct pd_stress *stress, const struct pd_site *s);

#endif
