/*
 * path.h - a recovery enters what it reads into the tree as it goes.
 *
 * Only bytes count that the crash left and that are new on the path: not those that the recovery
 * has written itself, and not those that it has read before. Who looks at bytes through a view
 * (event/view.h) has not read them, but knows what the same look shows.
 */
#ifndef PD_ENGINE_CRASH_PATH_H
#define PD_ENGINE_CRASH_PATH_H

#include "base/map.h"
#include "base/vec.h"
#include "engine/crash/run.h"

/* What was asked of which bytes. */
struct pd_path_asked {
	uint64_t block;
	uint64_t mask;
	struct pd_ask ask;
};

struct pd_path {
	struct pd_map read;   /* block -> bytes that were read already */
	struct pd_map looked; /* block -> bytes that were looked at through a view */
	struct pd_map asked;  /* hash of what was asked of which bytes -> 1 + its place in `asks` */
	PD_VEC(struct pd_path_asked) asks;
	struct pd_tree_read *last; /* that entered the tree; NULL: none did */
	struct pd_arena *arena;
	/* Choices whose block has not entered the path yet. */
	uint32_t nlost;
	struct {
		uint64_t block;
		uint32_t site; /* of the store that was lost */
	} lost[16];
};

/* Bytes of a block that are read. */
struct pd_path_bytes {
	uint64_t fresh; /* of what the crash left, for the first time */
	uint64_t again; /* the same, and they were read or looked at before */
};

/* The bytes `mask` of the block at home `block` are read; `written` are its own. False: memory ran
 * out. */
bool pd_path_read(struct pd_path *p, uint64_t block, uint64_t mask, uint64_t written,
		  struct pd_path_bytes *bytes);

/*
 * The bytes `mask` of the block are looked at: by `ask`, whose view is one of pd_tree_view.
 * bytes->fresh: 0 where the path knows what that shows. False: memory ran out.
 */
bool pd_path_look(struct pd_path *p, uint64_t block, uint64_t mask, const struct pd_ask *ask,
		  struct pd_path_bytes *bytes);

/* Which bytes of the block were read so far, or looked at. */
uint64_t pd_path_bytes_read(const struct pd_path *p, uint64_t block);

/* The read at hand does not see the newest store, which has this site. */
void pd_path_lose(struct pd_path *p, uint64_t block, uint32_t site);

enum pd_path_step {
	PD_PATH_ON,
	PD_PATH_DIVERGED, /* another recovery did something else at this node */
	PD_PATH_FULL,	  /* memory ran out */
	PD_PATH_KNOWN,	  /* another walker's recovery does the rest of this path */
};

/*
 * The run finds the bytes that it reads of this block to be as in `bytes`. Below `to`, the node that it
 * was to find out about, everything is its own, which is `owner`'s, or another walker's.
 */
enum pd_path_step pd_path_step(struct pd_path *p, struct pd_crash_run *run,
			       const struct pd_tree_memory *mem, const struct pd_tree_read *read,
			       const uint8_t *bytes, uint32_t owner, const struct pd_tree_node *to);

/* The same where the tree need not know: only the run itself does. */
void pd_path_note(struct pd_crash_run *run, const struct pd_tree_read *read, const uint8_t *bytes);

#endif
