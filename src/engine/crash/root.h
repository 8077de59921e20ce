/*
 * root.h - the trees of recoveries: one for each state of the PM files (which exist, how large they
 * are) and number of crashes before.
 *
 * Several processes add concurrently. When the table is full a tree is not shared, and two
 * processes that add the same one may end up with two: more work, nothing missed.
 */
#ifndef PD_ENGINE_CRASH_ROOT_H
#define PD_ENGINE_CRASH_ROOT_H

#include "engine/crash/tree.h"

enum { PD_ROOTS = 256 };

struct pd_root {
	uint32_t ready; /* all other fields are written */
	struct pd_digest files;
	uint32_t depth;
	struct pd_tree_node node;
};

struct pd_roots {
	uint32_t n;
	struct pd_root v[PD_ROOTS];
};

/* The tree for this state of the files; NULL: memory ran out. */
struct pd_tree_node *pd_root_get(struct pd_roots *r, const struct pd_tree_memory *mem,
				 struct pd_digest files, uint32_t depth);

#endif
