/*
 * patch.h - makes a patch of remedies: edits each one in its place in the source, in the style of
 * the surrounding code, or refuses all of them with a reason.
 *
 * To make something durable, the patch calls what the program already uses: its own function for a
 * range, a pointer from libpmem2, or two functions, one that flushes and one that fences;
 * pmem_persist() where libpmem.h is included; pmemobj_persist() with the pool that the function
 * already uses. If there is nothing, the patch adds a function of a few lines.
 *
 * A function of at most two statements that stores through a parameter stores for its callers: the
 * change is made where it is called, to the argument.
 *
 * Nothing is written: the patch is a value, of which a diff can be made (edit.h).
 *
 * Thread rule: one patch, one thread.
 */
#ifndef PD_FIX_PATCH_H
#define PD_FIX_PATCH_H

#include "fix/edit.h"
#include "fix/known.h"

/* How sources are found and read. */
struct pd_fix_files {
	pd_fix_reader *read;
	/* The file of a frame as an absolute path without links; or the reason why it must not be
	 * changed */
	enum pd_no_remedy (*find)(void *arg, struct pd_arena *a, const char *file,
				  const char **path);
	void *arg;
};

/* A source, with its edits. */
struct pd_patched {
	struct pd_knowledge k;
	struct pd_edits edits;
	bool has_range; /* a function that makes a range durable was put in */
};

enum { PD_PATCH_FILES = 8, PD_PATCH_CHANGES = 32 };

/* What the patch does, for its reader. */
struct pd_done {
	enum pd_remedy_what what;
	struct pd_frame at; /* where; not always the place of the remedy */
	const char *put;    /* the new text; REMOVE: the removed text */
	bool fences;	    /* REMOVE: what is removed also fences */
};

struct pd_patch {
	struct pd_arena *arena;
	struct pd_fix_files files;
	uint32_t nfile;
	struct pd_patched *file[PD_PATCH_FILES];
	uint32_t ndone;
	struct pd_done done[PD_PATCH_CHANGES];
	uint32_t nasked; /* remedies so far: none is put in twice */
	struct pd_remedy asked[PD_PATCH_CHANGES];
	struct pd_frame refused; /* the place that was refused */
	bool nomem;
};

void pd_patch_init(struct pd_patch *p, struct pd_arena *a, struct pd_fix_files files);

/* Adds a remedy. NONE: all of it is in the patch, with the earlier ones. */
enum pd_no_remedy pd_patch_make(struct pd_patch *p, const struct pd_remedies *r);

#endif
