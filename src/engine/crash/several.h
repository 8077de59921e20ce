/*
 * several.h - reads of recovery that can see several values (--ambiguous): each pair of a read and
 * a store that it can see is listed once, whether anything fails or not.
 *
 * The walk finds them (walk.h), so a crash point that needs no execution counts as well. Several
 * processes add concurrently, each pair by one compare and swap.
 */
#ifndef PD_ENGINE_CRASH_SEVERAL_H
#define PD_ENGINE_CRASH_SEVERAL_H

#include "engine/crash/choice.h"
#include "engine/crash/tree.h"
#include "model/line.h"

enum { PD_SEVERAL_KNOWN = 1 << 14 };

struct pd_several {
	struct pd_crash_several *list;
	uint64_t known[PD_SEVERAL_KNOWN]; /* digests of the pairs; 0: free */
	uint32_t n;
	uint32_t full; /* how often there was no room for a pair */
};

/*
 * Adds the pair of a read and one value that it can see; NULL: it is listed already, or there is no
 * room.
 */
struct pd_crash_several *pd_several_add(struct pd_several *s, const struct pd_tree_memory *mem,
					const struct pd_tree_node *node, const struct pd_class *c);

#endif
