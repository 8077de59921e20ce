/*
 * eager.h - how many states an eager enumeration would have to visit, counted in the tested
 * process.
 *
 * These are the only numbers of its own that it has in floating point: the program's flags,
 * rounding and traps (feenableexcept) are kept apart from them.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef PD_RUNTIME_CHECK_EAGER_H
#define PD_RUNTIME_CHECK_EAGER_H

#include <stdbool.h>

#include "protocol/board.h"

/* May a crash here leave more than one state of PM? */
bool pd_eager_several(void);

/* Adds the states that a crash here may leave to those of the points counted before. */
void pd_eager_count(struct pd_board *b);

#endif
