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

/* One way of losing stores that leads to a bad end. */
struct pd_tree_blame {
	struct pd_tree_blame *next;
	uint64_t signature;
	uint64_t when; /* of the crash: an earlier one has a smaller number */
};

/* Of a bad leaf. */
struct pd_tree_bad {
	struct pd_tree_blame *blames; /* those that are known */
	const void *run;	      /* the recovery that ended there, as its front end knows it */
};

/*
 * What is read. Paths are many, and what they read is mostly the same: equal reads of a tree are one
 * (struct pd_tree_reads), so that a node need not say more than which.
 */
struct pd_tree_read {
	uint64_t block; /* address of the 64 bytes that are read from */
	uint64_t mask;	/* which of them; not 0 */
	uint32_t group; /* the checksum that it feeds (model/cut.h); 0: none */
	uint32_t site;	/* where it is, of the recovery; for messages */
	struct pd_ask
		ask; /* how it is looked at: its view is one of pd_tree_view; NULL: as it is */
	/* Of one of a tree: the crash at which it was last looked at, and the newest store then
	 * (cover.h) */
	uint64_t covered;
	struct pd_tree_read *next; /* of the same bucket */
	struct pd_tree_read *then; /* what somebody has read next: mostly, others do, too */
};

enum { PD_TREE_BUCKETS = 1 << 15, PD_TREE_CHUNKS = 1 << 10, PD_TREE_CHUNK = 1 << 10 };

/* Close together, apart from the nodes: each process that walks a path comes to many of them. */
struct pd_tree_reads {
	struct pd_tree_read *bucket[PD_TREE_BUCKETS];
	struct pd_tree_read *chunk[PD_TREE_CHUNKS]; /* PD_TREE_CHUNK of them each; NULL: none yet */
	uint32_t n;				    /* that were taken of the chunks */
};

/*
 * A node is what comes after one value of the read before it; there are as many as recoveries have
 * read, so it is small.
 */
struct pd_tree_node {
	struct pd_tree_node *next; /* after another value of the same read */
	/* The bytes of that value (pd_tree_value), or where they are, if they are more than 8 */
	union {
		uint8_t bytes[8];
		const uint8_t *many;
	} value;
	struct pd_tree_read *read;  /* NULL: none is known here, else there is a node after it */
	struct pd_tree_node *first; /* after a value of it */
	struct pd_tree_bad *bad;    /* of a bad leaf */
	uint32_t owner;		    /* process number of who finds out about it; 0: nobody */
	uint16_t detail;	    /* of a leaf: signal number, exit status */
	uint8_t outcome;	    /* of a leaf: enum pd_outcome */
	/* Of a read, where torn stores are looked for: it is one of the program's own ... */
	uint8_t marked : 1;
	/* ... and under a checksum, and what it read is not used unless that matches */
	uint8_t guarded : 1;
};

/* Zeroed memory that lasts; NULL: none left. */
struct pd_tree_memory {
	void *(*alloc)(void *ctx, size_t n);
	void *ctx;
	struct pd_tree_reads *reads; /* of the tree; NULL: each node has its own */
	struct pd_tree_read **last;  /* of the path at hand; NULL: it is not known */
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

/* How the read of a node looks at its bytes; NULL: as they are. */
static inline const struct pd_ask *pd_tree_ask(const struct pd_tree_node *node)
{
	return node->read->ask.view ? &node->read->ask : NULL;
}

/* NULL: no recovery has seen this value here. All values of a node have the same number of bytes. */
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

/* What is known of a bad leaf; NULL: memory ran out. */
struct pd_tree_bad *pd_tree_bad(struct pd_tree_node *leaf, const struct pd_tree_memory *mem);

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
