/*
 * check/torn.h - the torn engine inside the tested processes.
 *
 * In an execution that may crash it receives events as soon as there are several threads, and
 * accompanies the walk through the tree of recoveries at a crash point. In a recovery it marks the
 * reads in the tree: where they are in the source, and whether a checksum guards them.
 *
 * Thread rule: as in rt.h.
 */
#ifndef PD_RUNTIME_CHECK_TORN_H
#define PD_RUNTIME_CHECK_TORN_H

#include "runtime/base/rt.h"

struct pd_tree_node;
struct pd_walk;
struct pd_walk_visitor;

struct pd_check_torn {
	bool on;      /* races of this execution are searched for */
	bool marking; /* this is a recovery, and its reads are marked */
};

extern PD_OWN struct pd_check_torn pd_check_torn;

/* An execution begins, `depth` crashes after the first. */
void pd_check_torn_begin(uint32_t depth);

/* A crash point is about to be walked: the visitor for the walk; NULL: none. */
const struct pd_walk_visitor *pd_check_torn_visitor(const struct pd_walk *w,
						    enum pd_event_kind kind, uint32_t site);

/* In a recovery: the read at this node is of bytes at `block` that are new on its path. */
void pd_check_torn_mark(struct pd_tree_node *node, uint64_t block, uint64_t mask, uint32_t site);

/* In a recovery: reads again bytes that it has read before. */
void pd_check_torn_again(uint64_t block, uint64_t mask, uint32_t site);

/* The bytes of this block for which a second read matters. */
uint64_t pd_check_torn_compared(uint64_t block);

/* A checksum begins, or is compared: if it matched, what it has read may be used. */
void pd_check_torn_checksum(bool begin, bool matched);

#endif
