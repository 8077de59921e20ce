/*
 * path.h - the path of one recovery: enters what it reads into the tree as it goes.
 *
 * Only bytes that the crash left and that are new on the path count: not those that the recovery
 * has written itself, nor those that it has read before. A look through a view (event/view.h) does
 * not read the bytes, but determines what the same look shows later.
 */
#ifndef PD_ENGINE_CRASH_PATH_H
#define PD_ENGINE_CRASH_PATH_H

#include "base/map.h"
#include "base/vec.h"
#include "engine/crash/run.h"

/* A question that was asked of some bytes. */
struct pd_path_asked {
	uint64_t block;
	uint64_t mask;
	struct pd_lens lens;
};

/*
 * The questions of a path, in a table of their numbers. A recovery asks thousands, and all of this
 * is memory that it touches for the first time: nothing is copied when there are more of them.
 */
struct pd_path_asks {
	uint32_t n;
	uint32_t mask;		    /* slots - 1 */
	struct pd_path_slot *slots; /* by hash */
	PD_VEC(struct pd_path_asked *) chunks;
};

struct pd_path {
	struct pd_map near; /* address / 512 -> struct pd_path_near */
	struct pd_path_asks asks;
	struct pd_tree_read *last; /* read that entered the tree; NULL: none did */
	struct pd_arena *arena;
	/* Choices whose block has not entered the path yet */
	uint32_t nlost;
	struct {
		uint64_t block;
		uint32_t site; /* of the store that was lost */
	} lost[16];
};

/* The bytes of a block that a read concerns. */
struct pd_path_bytes {
	uint64_t fresh; /* left by the crash, and read for the first time */
	uint64_t again; /* left by the crash, and read or looked at before */
};

/* The recovery reads the bytes `mask` of the block at `block`; `written` are those that it wrote
 * itself. False: memory ran out. */
bool pd_path_read(struct pd_path *p, uint64_t block, uint64_t mask, uint64_t written,
		  struct pd_path_bytes *bytes);

/*
 * The recovery looks at the bytes `mask` of the block through `lens`, whose view comes from
 * pd_tree_view. bytes->fresh is 0 where the path already determines what that shows. False: memory
 * ran out.
 */
bool pd_path_look(struct pd_path *p, uint64_t block, uint64_t mask, const struct pd_lens *lens,
		  struct pd_path_bytes *bytes);

/* The bytes of the block that were read or looked at so far. */
uint64_t pd_path_bytes_read(const struct pd_path *p, uint64_t block);

/* The current read does not see the newest store, which is of this site. */
void pd_path_lose(struct pd_path *p, uint64_t block, uint32_t site);

enum pd_path_step {
	PD_PATH_ON,
	PD_PATH_DIVERGED, /* another recovery did something else at this node */
	PD_PATH_FULL,	  /* memory ran out */
	PD_PATH_KNOWN,	  /* a recovery of another walker does the rest of this path */
};

/*
 * The run reads this block and finds `bytes`. Nodes below `to`, the node that the run was started
 * for, belong to this run (`owner`) or to another walker.
 */
enum pd_path_step pd_path_step(struct pd_path *p, struct pd_crash_run *run,
			       const struct pd_tree_memory *mem, const struct pd_tree_read *read,
			       const uint8_t *bytes, uint32_t owner, const struct pd_tree_node *to);

/* The same for the run alone, without entering it into the tree. */
void pd_path_note(struct pd_crash_run *run, const struct pd_tree_read *read, const uint8_t *bytes);

#endif
