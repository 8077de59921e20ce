/*
 * given.h - between a driver and the tool: which operations it executes, and their names.
 *
 * The tool cannot see into a driver. So the first execution writes its table and its operations to
 * the board, as text; and if the tool wants others (fewer, to minimise a finding, or more, to reach
 * more of the code), it writes these to the board, and each execution from then on executes those.
 *
 * Of the operations a recovery needs only the keys, and finds them there: what it costs does not
 * grow with the number of operations because of them.
 */
#ifndef PD_RUNTIME_LINEAR_GIVEN_H
#define PD_RUNTIME_LINEAR_GIVEN_H

#include "runtime/linear/stress.h"

/* The operations that the tool wants; NULL: those of the command line. */
const char *pd_given_work(size_t *n);

/* Publishes the operations of the command line, for the tool, and their keys, for recoveries; once.
 * `command`: a digest of the command line. */
void pd_given_publish(const struct pd_stress *s, uint64_t command);

/* In a recovery: the keys of the operations, if an execution with this command line has published
 * them; false: it has not. */
bool pd_given_keys(struct pd_stress *s, uint64_t command);

#endif
