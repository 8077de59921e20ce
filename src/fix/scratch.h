/*
 * scratch.h - a copy of a source tree, in which a patch is tried: the user's files are never
 * changed.
 *
 * Of a git work tree, it copies what git tracks and what is new and not ignored; of another folder,
 * everything but results of perdure and folders that CMake or Meson were configured in. Times and
 * modes are kept, so that a build makes only what is needed. A link to an absolute path below the
 * root leads to the same place in the copy.
 *
 * The copy is DIR/tree in a new folder of TMPDIR, which is removed in the end with all its
 * contents.
 */
#ifndef PD_FIX_SCRATCH_H
#define PD_FIX_SCRATCH_H

#include "base/arena.h"
#include "host/error.h"
#include <limits.h>

struct pd_scratch {
	char dir[PATH_MAX];
	char root[PATH_MAX];	 /* of the original; absolute, without links */
	char tree[PATH_MAX];	 /* of the copy */
	char left_out[PATH_MAX]; /* the first folder that was configured for its place; "": none */
	uint64_t files;
	uint64_t bytes;
};

/* A tree with more files is not a source tree, or takes too long to copy. */
enum { PD_SCRATCH_FILES = 200000 };
#define PD_SCRATCH_BYTES (4ull << 30)

bool pd_scratch_make(struct pd_scratch *s, const char *root, struct pd_error *e);
void pd_scratch_remove(struct pd_scratch *s);

/* Adds a file of the root that is not tracked. Ignores one that does not exist. */
bool pd_scratch_add(struct pd_scratch *s, const char *path, struct pd_error *e);

/* Maps a path below the root to the copy; leaves others as they are. False: too long. */
bool pd_scratch_path(const struct pd_scratch *s, const char *path, char to[PATH_MAX]);

/* The root of the git work tree that contains a file and does not ignore it; false: there is
 * none. */
bool pd_scratch_work_tree(const char *file, char root[PATH_MAX]);

#endif
