/*
 * called.h - functions of the program that act like synchronisation primitives, by their names
 * (--locks).
 *
 * Instrumented code reports calls of functions that may be such ones (src/cc/crash/call.c has the
 * words that their names must contain); those that the tool has named (event/function.h) become
 * events.
 *
 * Thread rule: as in rt.h.
 */
#ifndef PD_RUNTIME_PLACE_CALLED_H
#define PD_RUNTIME_PLACE_CALLED_H

#include "runtime/base/rt.h"

/* Takes texts as of event/function.h, one per line; NULL: none. */
void pd_called_start(const char *lines);

#endif
