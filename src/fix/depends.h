/*
 * depends.h - whether statements can change places, or go with the if or loop around them, as far
 * as tokens tell: by the names of what is stored and read.
 *
 * Aliases are not seen. What is moved is therefore written only after the patched program was run.
 */
#ifndef PD_FIX_DEPENDS_H
#define PD_FIX_DEPENDS_H

#include "fix/stored.h"

/* A statement that stores, and what it stores to. */
struct pd_storing {
	struct pd_statement st;
	struct pd_stored o;
};

/* Whether `first` can be moved behind `second`, which comes later in the same block: nothing from
 * there on to the end of `second` reads what it stores, or stores what it reads. */
bool pd_may_move(const struct pd_knowledge *k, const struct pd_storing *first,
		 const struct pd_storing *second);

/* Whether evaluating the head of an if or a for, which a statement begins with, has no effect that
 * outlives it. */
bool pd_head_is_idle(const struct pd_knowledge *k, const struct pd_statement *st);

#endif
