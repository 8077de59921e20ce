/*
 * given.h - between a driver and the tool: which operations it does, and what it calls them.
 *
 * The tool cannot see into a driver. So the first execution writes its table and its operations to
 * the board, as text; and where the tool wants others (fewer, to minimise a finding, or more, to reach
 * more of the code), it writes these to the board, and each execution from then on does those.
 */
#ifndef PD_RUNTIME_LINEAR_GIVEN_H
#define PD_RUNTIME_LINEAR_GIVEN_H

#include "runtime/linear/stress.h"

/* What the tool wants to be done; NULL: what the command line says. */
const char *pd_given_work(size_t *n);

/* The command line's operations, for the tool; once. */
void pd_given_publish(const struct pd_stress *s);

#endif
