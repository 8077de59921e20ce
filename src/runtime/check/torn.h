/*
 * check/torn.h - the torn engine inside the tested processes.
 *
 * In an execution that may crash it hears of events as soon as there are several threads, and goes
 * along when the tree of recoveries is walked at a crash point. In a recovery it marks the reads in
 * the tree: where they are in the source, and whether a checksum guards them.
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
	bool on;      /* races of this execution are looked for */
	bool marking; /* this is a recovery, and its reads are marked */
};

extern PD_OWN struct pd_check_torn pd_check_torn;

/* An execution begins, `depth` crashes after the first. */
void pd_check_torn_begin(uint32_t depth);

/* A crash point is about to be looked at: who goes along; NULL: nobody. */
const struct pd_walk_visitor *pd_check_torn_visitor(const struct pd_walk *w,
						    enum pd_event_kind kind, uint32_t site);

/* In a recovery: bytes at home `block` that are new on its path are read at this node. */
void pd_check_torn_mark(struct pd_tree_node *node, uint64_t block, uint64_t mask, uint32_t site);

/* In a recovery: bytes that it has read before are read again. */
void pd_check_torn_again(uint64_t block, uint64_t mask, uint32_t site);

/* The bytes of this block for which that matters. */
uint64_t pd_check_torn_compared(uint64_t block);

/* A checksum is begun, or is compared and matches or not: what it has read may be used, or may
 * not. */
void pd_check_torn_checksum(bool begin, bool matched);

#endif
