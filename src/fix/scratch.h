/*
 * scratch.h - a copy of a source tree, in which a patch is tried: nothing of the user's is changed.
 *
 * Of a git work tree it has what git tracks, and what is new and not ignored; of another folder everything
 * but results of perdure. Times and modes are kept, so that a build makes only what is needed. A link
 * to an absolute path below the root leads to the same place in the copy.
 *
 * The copy is DIR/tree in a new folder of TMPDIR, which is removed with all that is in it.
 */
#ifndef PD_FIX_SCRATCH_H
#define PD_FIX_SCRATCH_H

#include "base/arena.h"
#include "host/error.h"
#include <limits.h>

struct pd_scratch {
	char dir[PATH_MAX];
	char root[PATH_MAX]; /* what is copied; absolute, without links */
	char tree[PATH_MAX]; /* the copy */
	uint64_t files;
	uint64_t bytes;
};

/* More is no source tree, or takes too long. */
enum { PD_SCRATCH_FILES = 200000 };
#define PD_SCRATCH_BYTES (4ull << 30)

bool pd_scratch_make(struct pd_scratch *s, const char *root, struct pd_error *e);
void pd_scratch_remove(struct pd_scratch *s);

/* One more file of the root, which is not tracked. What is not there is left out. */
bool pd_scratch_add(struct pd_scratch *s, const char *path, struct pd_error *e);

/* The same place in the copy, of a path below the root; others as they are. False: too long. */
bool pd_scratch_path(const struct pd_scratch *s, const char *path, char to[PATH_MAX]);

/* The root of the git work tree that has a file, and that does not ignore it; false: there is none. */
bool pd_scratch_work_tree(const char *file, char root[PATH_MAX]);

#endif
