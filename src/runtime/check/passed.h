/*
 * check/passed.h - finds loads that took effect before an earlier store of their own thread, in a
 * way that another thread could observe.
 *
 * A store waits in its buffer (tso.h) while its thread loads something else. Another thread, which
 * stored to that before, now loads and does not see the waiting store: the two have missed each
 * other. Each store comes before its thread's load, and yet neither load sees the other's store,
 * which is impossible if everything takes effect in program order. An mfence would prevent it, and
 * a reader of the finding has to know: nothing in the source looks wrong.
 *
 * Active only in an execution that is run again for its journal. The last pair before the crash is
 * kept on the board.
 *
 * Thread rule: as in rt.h.
 */
#ifndef PD_RUNTIME_CHECK_PASSED_H
#define PD_RUNTIME_CHECK_PASSED_H

#include "runtime/base/rt.h"

/* An execution begins that is run again for its journal. */
void pd_passed_begin(void);

#endif
