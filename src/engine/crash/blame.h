/*
 * blame.h - what is recorded of a failure: the crash before it, and the reads that could see
 * several values, with the stores behind them.
 *
 * A recovery that is executed records this itself. Where the walk reaches a leaf that is known to
 * be bad, but from another crash or with another store lost, nothing is executed: pd_blame_path
 * makes the same record from the walk's path.
 */
#ifndef PD_ENGINE_CRASH_BLAME_H
#define PD_ENGINE_CRASH_BLAME_H

#include "engine/crash/crash.h"
#include "engine/crash/walk.h"

/* The record of one read that saw class `pick` of `n`; `mask` selects the bytes of its block. */
struct pd_crash_choice pd_blame_choice(const struct pd_class *classes, uint32_t n, uint32_t pick,
				       uint64_t mask, uint32_t load, uint64_t addr);

/* The store behind class `c`, as a read of the bytes `mask` would have seen it. */
struct pd_crash_source pd_blame_source(const struct pd_class *c, const struct pd_class *seen,
				       uint64_t mask);
/* Sets the two words that a report shows: the first ones in which `c` and `seen` differ. */
void pd_blame_show(struct pd_crash_source *s, const struct pd_class *c, const struct pd_class *seen,
		   uint64_t mask);

/* Copies the crash that a recovery follows into its record. */
void pd_blame_crash(struct pd_crash_run *run, const struct pd_crash *crash);

/*
 * The walk's path after `crash` ends at `leaf`, which is known to be bad: returns the record of
 * that failure as if it had been executed. Choices that are new go to `noted`, in order. NULL:
 * memory ran out.
 */
struct pd_crash_run *pd_blame_path(const struct pd_walk *w, const struct pd_tree_node *leaf,
				   const struct pd_crash *crash,
				   void (*noted)(const struct pd_crash_choice *c));

#endif
