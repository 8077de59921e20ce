/*
 * tree.h - everything that recoveries have done so far.
 *
 * A recovery is a deterministic program whose only input is what the crash left in PM. So it is a
 * decision tree: a node is a read of bytes that the crash left, an edge is the value that it found,
 * a leaf is how it ended. Executing a recovery adds a path; everything that is in the tree is known
 * without executing it again, whichever crash point asks. That is what makes the exploration
 * incremental: a crash point at which every possible path is in the tree costs no execution.
 *
 * A read counts only the bytes that were not written by the recovery itself and not read before on
 * the path: others do not decide anything.
 *
 * Where the recovery looks at what it reads through a view (event/view.h) the edge is what it sees
 * there, not the value: whatever looks the same leads to the same node. The bytes do not count as
 * read by that; who looks at them again, in another way, is at another node.
 *
 * The state of files (which exist, how large they are) decides too; it is the first edge, from a
 * root that has as many children as there were different states.
 *
 * Memory is shared between processes at one address (board.h), and several of them write at the same time.
 * So nodes are never freed, what is set is never changed, and edges are only added, each by one
 * compare and swap. A node that was made because somebody is about to find out what happens there
 * is *pending*: it has an owner, and whoever else comes there waits or goes elsewhere, so that
 * nothing is executed twice.
 */
#ifndef PD_ENGINE_CRASH_TREE_H
#define PD_ENGINE_CRASH_TREE_H

#include "base/hash.h"
#include "base/types.h"
#include "event/view.h"

enum pd_outcome {
	PD_OUTCOME_NONE, /* not known: an execution is under way, or the node is a read */
	PD_OUTCOME_GOOD,
	PD_OUTCOME_SIGNAL,
	PD_OUTCOME_ABORT,
	PD_OUTCOME_EXIT,
	PD_OUTCOME_HANG,
	PD_OUTCOME_DEADLOCK,
	PD_OUTCOME_CHECK,    /* a pd_check failed */
	PD_OUTCOME_HISTORY,  /* what operations returned cannot be explained */
	PD_OUTCOME_DIVERGED, /* the recovery is not deterministic */
	PD_OUTCOME_LOST,     /* perdure itself failed in it */
	PD_OUTCOME_KNOWN,    /* another recovery does the rest of this one's path */
	PD_OUTCOMES
};

struct pd_tree_edge;

/* One way of losing stores that leads to a bad end. */
struct pd_tree_blame {
	struct pd_tree_blame *next;
	uint64_t signature;
	uint64_t when; /* of the crash: an earlier one has a smaller number */
};

struct pd_tree_node {
	uint64_t block; /* address of the 64 bytes that are read from */
	uint64_t mask;	/* which of them; 0: no read is known here, else there is an edge */
	uint32_t load;	/* site of the read, of the recovery */
	/* The read is under a checksum, and what it read is not used unless that matches */
	uint32_t guarded;
	const struct pd_ask *ask; /* how it is looked at; NULL: as it is */
	struct pd_tree_edge *edges;
	uint32_t outcome; /* enum pd_outcome; of a leaf */
	uint32_t detail;  /* signal number, exit status */
	uint32_t group;	  /* of a read: the checksum that it feeds (model/cut.h); 0: none */
	uint32_t owner;	  /* process number of who finds out about it; 0: nobody */
	uint32_t site;	  /* of a read: where it is, of the recovery; for messages */
	/* Of a read: the crash at which it was last looked at, and the newest store then
	 * (cover.h) */
	uint64_t covered;
	struct pd_tree_blame *blames; /* of a bad leaf: those that are known */
	/* Of a bad leaf: the recovery that ended there, as its front end knows it */
	const void *run;
};

struct pd_tree_edge {
	struct pd_tree_edge *next;
	struct pd_tree_node *to;
	uint32_t n;
	uint8_t value[]; /* the bytes of the mask, in order; or what was seen of them */
};

/* What is read. */
struct pd_tree_read {
	uint64_t block;
	uint64_t mask;
	uint32_t group;	   /* the checksum that it feeds; 0: none */
	struct pd_ask ask; /* its view is one of pd_tree_view, or NULL */
};

/* Zeroed memory that lasts; NULL: none left. */
struct pd_tree_memory {
	void *(*alloc)(void *ctx, size_t n);
	void *ctx;
};

/* The bytes of `block` (64 of them) that the mask selects, packed; returns how many. */
uint32_t pd_tree_pack(const uint8_t *block, uint64_t mask, uint8_t *value);

/* The same as somebody sees them who asks like this, or NULL: all of them. */
uint32_t pd_tree_value(const uint8_t *block, uint64_t mask, const struct pd_ask *ask,
		       uint8_t *value);

/* Views as all processes know them: equal ones are one. NULL: memory ran out. */
struct pd_tree_view {
	struct pd_tree_view *next;
	struct pd_view view;
};
const struct pd_view *pd_tree_view(struct pd_tree_view **all, const struct pd_tree_memory *mem,
				   const struct pd_view *view);

/* NULL: no recovery has seen this value here. */
struct pd_tree_node *pd_tree_find(const struct pd_tree_node *node, const uint8_t *value,
				  uint32_t n);

/* After a read of what no crash can change: every recovery that comes to the node finds the same
 * there. */
struct pd_tree_node *pd_tree_only(const struct pd_tree_node *node);

/* Nothing is known of it: neither a read nor an end. */
bool pd_tree_pending(const struct pd_tree_node *node);

/* True: nobody was at this pending node, and now `owner` is. */
bool pd_tree_claim(struct pd_tree_node *node, uint32_t owner);

/* The node after this value, made for `owner` where it is new (*mine). NULL: memory ran out. */
struct pd_tree_node *pd_tree_add(struct pd_tree_node *node, const struct pd_tree_memory *mem,
				 const uint8_t *value, uint32_t n, uint32_t owner, bool *mine);

/*
 * One step of an execution: at `node` it reads and finds value (pd_tree_value). The node that
 * follows, made for `owner` where it is new. NULL with *diverged where an earlier execution did
 * something else at this node, or where memory ran out.
 */
struct pd_tree_node *pd_tree_step(struct pd_tree_node *node, const struct pd_tree_memory *mem,
				  const struct pd_tree_read *read, const uint8_t *value,
				  uint32_t owner, bool *diverged);

/* How a recovery ended here. */
void pd_tree_end(struct pd_tree_node *leaf, uint32_t outcome, uint32_t detail);

/* The share of one read that did not see the newest value in the signature of a path. */
static inline uint64_t pd_tree_lost(const struct pd_tree_node *node, uint32_t newest_site)
{
	return pd_mix((uintptr_t)node + ((uint64_t)newest_site << 48));
}

/*
 * True if this way of coming to a bad leaf is new, or was known only of later crash points; it is
 * noted. So the first crash point at which it is possible is reported, whichever was looked at first.
 */
bool pd_tree_blame_is_new(struct pd_tree_node *leaf, const struct pd_tree_memory *mem,
			  uint64_t signature, uint64_t when);

#endif
