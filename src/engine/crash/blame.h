/*
 * blame.h - what is written down of a failure: the crash that it came after, and the reads that
 * could see several values, with the stores behind them.
 *
 * A recovery that is executed writes this of itself. Where the walk reaches an end that is known to
 * be bad by another crash, or by another read that lacks a store, there is nothing to execute: it
 * knows the same.
 */
#ifndef PD_ENGINE_CRASH_BLAME_H
#define PD_ENGINE_CRASH_BLAME_H

#include "engine/crash/crash.h"
#include "engine/crash/walk.h"

/* One read: number `pick` of n classes was seen, at these bytes of its block. */
struct pd_crash_choice pd_blame_choice(const struct pd_class *classes, uint32_t n, uint32_t pick,
				       uint64_t mask, uint32_t load, uint64_t addr);

/* A store as a read of these bytes would have seen it. */
struct pd_crash_source pd_blame_source(const struct pd_class *c, const struct pd_class *seen,
				       uint64_t mask);
/* The words that are shown: where two values of a read differ first. */
void pd_blame_show(struct pd_crash_source *s, const struct pd_class *c, const struct pd_class *seen,
		   uint64_t mask);

/* The crash that a recovery comes after. */
void pd_blame_crash(struct pd_crash_run *run, const struct pd_crash *crash);

/*
 * The walk's path after this crash ends badly, at a leaf whose recovery is known: the account of
 * it, as if it had been executed. Choices that are new go to `noted`, in order. NULL: memory ran
 * out.
 */
struct pd_crash_run *pd_blame_path(const struct pd_walk *w, const struct pd_tree_node *leaf,
				   const struct pd_crash *crash,
				   void (*noted)(const struct pd_crash_choice *c));

#endif
