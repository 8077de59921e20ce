/*
 * tree.h - the tree of recoveries: everything that recoveries have done so far.
 *
 * A recovery is a deterministic program whose only input is what the crash left in PM. So it is a
 * decision tree: a node is a read of bytes that the crash left, an edge is the value that it found,
 * a leaf is how it ended. Executing a recovery adds a path; everything that is in the tree is known
 * without executing it again, whichever crash point asks. That is what makes the exploration
 * incremental: a crash point at which every possible path is in the tree costs no execution.
 *
 * A read counts only the bytes that were not written by the recovery itself and not read before on
 * the path: other bytes decide nothing.
 *
 * Where the recovery looks at what it reads through a view (event/view.h) the edge is what it sees
 * there, not the value: whatever looks the same leads to the same node. The bytes do not count as
 * read then: another look at them, through another view, is another node.
 *
 * The state of files (which exist, how large they are) decides, too: each different state has a
 * tree of its own (root.h).
 *
 * Thread rule: the memory is shared between processes at one address (board.h), and several of them
 * write concurrently. So nodes are never freed, a field that is set never changes, and edges are
 * only added, each by one compare and swap. A node of which nothing is known yet is *pending*: it
 * has an owner, whose execution finds out what happens there; everybody else waits or works
 * elsewhere, so that nothing is executed twice.
 */
#ifndef PD_ENGINE_CRASH_TREE_H
#define PD_ENGINE_CRASH_TREE_H

#include "base/arena.h"
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
	PD_OUTCOME_HISTORY,  /* no order of the operations explains what they returned */
	PD_OUTCOME_DIVERGED, /* the recovery is not deterministic */
	PD_OUTCOME_LOST,     /* perdure itself failed in it */
	PD_OUTCOME_KNOWN,    /* another recovery does the rest of this one's path */
	PD_OUTCOMES
};

/* One set of lost stores that leads to a bad end. */
struct pd_tree_blame {
	struct pd_tree_blame *next;
	uint64_t signature;
	uint64_t when; /* of the crash: an earlier one has a smaller number (pd_point_when) */
};

/* What is known of a bad leaf. */
struct pd_tree_bad {
	struct pd_tree_blame *blames; /* those that are known */
	const void *run;	      /* the recovery that ended there, as the front end knows it */
};

/*
 * Of a shared read: a crash at which it was looked at << 32, and the newest store then (cover.h):
 * the latest, and an earlier one for walkers that are behind.
 */
struct pd_tree_covered {
	uint64_t latest;
	uint64_t before;
};

/*
 * A read. Most paths read the same things, so equal reads of a tree are stored once (struct
 * pd_tree_reads), and a node only points to one.
 */
struct pd_tree_read {
	uint64_t block; /* address of the 64-byte block */
	uint64_t mask;	/* which of its bytes; not 0 */
	uint32_t group; /* the checksum that it feeds (model/cut.h); 0: none */
	uint32_t site;	/* in the recovery; for messages */
	/* How its bytes are looked at (the view comes from pd_tree_view); view NULL: as they are */
	struct pd_lens lens;
	struct pd_tree_covered covered;
	struct pd_tree_read *next; /* in the same bucket */
	/* The read that followed it on the latest path: a guess for the next one */
	struct pd_tree_read *then;
};

enum { PD_TREE_BUCKETS = 1 << 15, PD_TREE_CHUNKS = 1 << 10, PD_TREE_CHUNK = 1 << 10 };

/* Kept together, apart from the nodes: each process that walks a path visits many of them. */
struct pd_tree_reads {
	struct pd_tree_read *bucket[PD_TREE_BUCKETS];
	/* PD_TREE_CHUNK reads each; NULL: not allocated yet */
	struct pd_tree_read *chunk[PD_TREE_CHUNKS];
	uint32_t n; /* reads taken from the chunks */
};

/*
 * A node is reached by one value of the read before it. There is one for every value that any
 * recovery has read, so it is kept small.
 */
struct pd_tree_node {
	struct pd_tree_node *next; /* reached by another value of the same read */
	/* The bytes of that value (pd_tree_value), or a pointer to them if there are more than 8 */
	union {
		uint8_t bytes[8];
		const uint8_t *many;
	} value;
	struct pd_tree_read *read;  /* NULL: not known; set only after `first` is */
	struct pd_tree_node *first; /* reached by a value of `read` */
	struct pd_tree_bad *bad;    /* bad leaf only */
	uint32_t owner;		    /* process that finds out about it; 0: none */
	uint16_t detail;	    /* of a leaf: signal number, exit status */
	uint8_t outcome;	    /* of a leaf: enum pd_outcome */
	/* Where torn stores are looked for: the read is made by the program's own code ... */
	uint8_t marked : 1;
	/* ... and feeds a checksum, and its value is used only if that matches */
	uint8_t guarded : 1;
};

/* Allocates zeroed memory that is never freed; alloc returns NULL when none is left. */
struct pd_tree_memory {
	void *(*alloc)(void *ctx, size_t n);
	void *ctx;
	struct pd_tree_reads *reads; /* of the tree; NULL: reads are not shared */
	struct pd_tree_read **last;  /* last read of the current path; NULL: not known */
};

/* Packs the bytes of `block` (64 of them) that the mask selects; returns how many. */
uint32_t pd_tree_pack(const uint8_t *block, uint64_t mask, uint8_t *value);

/* The same, as `lens` sees them; NULL: all of them. */
uint32_t pd_tree_value(const uint8_t *block, uint64_t mask, const struct pd_lens *lens,
		       uint8_t *value);

/* The views, shared by all processes: equal ones are stored once. NULL: memory ran out. */
struct pd_tree_view {
	struct pd_tree_view *next;
	struct pd_view view;
};
const struct pd_view *pd_tree_view(struct pd_tree_view **all, const struct pd_tree_memory *mem,
				   const struct pd_view *view);

/* How the read of a node looks at its bytes; NULL: as they are. */
static inline const struct pd_lens *pd_tree_lens(const struct pd_tree_node *node)
{
	return node->read->lens.view ? &node->read->lens : NULL;
}

/*
 * The child for this value; NULL: no recovery has seen it here. All values of a node have the same
 * number of bytes.
 */
struct pd_tree_node *pd_tree_find(const struct pd_tree_node *node, const uint8_t *value,
				  uint32_t n);

/* The only child, after a read of what no crash can change: every recovery that reaches the node
 * reads the same. */
struct pd_tree_node *pd_tree_only(const struct pd_tree_node *node);

/* Neither a read nor an end is known. */
bool pd_tree_pending(const struct pd_tree_node *node);

/* Claims a pending node for `owner`; false: it is not pending, or another process has it. */
bool pd_tree_claim(struct pd_tree_node *node, uint32_t owner);

/* The child for this value, created for `owner` if it is new (*mine). NULL: memory ran out. */
struct pd_tree_node *pd_tree_add(struct pd_tree_node *node, const struct pd_tree_memory *mem,
				 const uint8_t *value, uint32_t n, uint32_t owner, bool *mine);

/*
 * One step of an execution: at `node` it reads and finds `value` (pd_tree_value). Returns the
 * child, created for `owner` if it is new. NULL: with *diverged set, an earlier execution did
 * something else at this node; else memory ran out.
 */
struct pd_tree_node *pd_tree_step(struct pd_tree_node *node, const struct pd_tree_memory *mem,
				  const struct pd_tree_read *read, const uint8_t *value,
				  uint32_t owner, bool *diverged);

/* The record of a bad leaf, created if need be; NULL: memory ran out. */
struct pd_tree_bad *pd_tree_bad(struct pd_tree_node *leaf, const struct pd_tree_memory *mem);

/* Clears the owners of pending nodes, whose processes are gone. False: memory ran out. */
bool pd_tree_disown(struct pd_tree_node *root, struct pd_arena *a);

/* Records how a recovery ended here. */
void pd_tree_end(struct pd_tree_node *leaf, uint32_t outcome, uint32_t detail);

/* What one read that did not see the newest value contributes to the signature of a path. */
static inline uint64_t pd_tree_lost(const struct pd_tree_node *node, uint32_t newest_site)
{
	return pd_mix((uintptr_t)node + ((uint64_t)newest_site << 48));
}

/*
 * Whether this set of lost stores, with which a bad leaf is reached, is new or was known of later
 * crash points only; records it. So the first crash point at which it is possible is reported, in
 * whatever order crash points are explored.
 */
bool pd_tree_blame_is_new(struct pd_tree_node *leaf, const struct pd_tree_memory *mem,
			  uint64_t signature, uint64_t when);

#endif
