/*
 * check/passed.h - loads that came before an earlier store of their own thread, and somebody could
 * notice.
 *
 * A store waits in its buffer (tso.h), its thread loads something else, and another thread, which
 * has stored to that before it looked, does not see the store yet: the two have missed each other,
 * which cannot happen if everything takes effect in the order of the program. Both stores came
 * before both loads, and yet both loads after neither. That is what mfence is for, and what a
 * reader of a finding has to know: nothing in the source looks wrong.
 *
 * Only where an execution is run again for its journal. The last pair before the crash is kept, on
 * the board.
 *
 * Thread rule: as in rt.h.
 */
#ifndef PD_RUNTIME_CHECK_PASSED_H
#define PD_RUNTIME_CHECK_PASSED_H

#include "runtime/base/rt.h"

/* An execution begins that is run again for its journal. */
void pd_passed_begin(void);

#endif
