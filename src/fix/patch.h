/*
 * patch.h - remedies as a patch: each is made at its place in the source, in the manner of the code around
 * it, or all are refused with a reason.
 *
 * To make something durable, what the program has for that is called: its own function for a range, a
 * pointer to libpmem2's, or two functions, one that flushes and one that fences; pmem_persist() where libpmem.h is included;
 * pmemobj_persist() with the pool that the function uses already. Where there is nothing, the patch brings
 * a function of a few lines along.
 *
 * A function of at most two statements that stores through a parameter stores for others: the change is made
 * where it is called, for what the parameter is there.
 *
 * Nothing is written: the patch is a value, of which a diff can be made (edit.h).
 *
 * Thread rule: one patch, one thread.
 */
#ifndef PD_FIX_PATCH_H
#define PD_FIX_PATCH_H

#include "fix/edit.h"
#include "fix/known.h"

/* Where sources come from. */
struct pd_fix_files {
	pd_fix_reader *read;
	/* The file of a frame as an absolute path without links; or why it is not to be changed */
	enum pd_no_remedy (*find)(void *arg, struct pd_arena *a, const char *file,
				  const char **path);
	void *arg;
};

/* A source, with what is to change in it. */
struct pd_patched {
	struct pd_knowledge k;
	struct pd_edits edits;
	bool has_range; /* a function that makes a range durable was put in */
};

enum { PD_PATCH_FILES = 8, PD_PATCH_CHANGES = 32 };

/* What was done, for a reader. */
struct pd_done {
	enum pd_remedy_what what;
	struct pd_frame at; /* where: not always the place of the remedy */
	const char *put;    /* what is new there; REMOVE: what went */
	bool fences;	    /* REMOVE: what went is also a fence */
};

struct pd_patch {
	struct pd_arena *arena;
	struct pd_fix_files files;
	uint32_t nfile;
	struct pd_patched *file[PD_PATCH_FILES];
	uint32_t ndone;
	struct pd_done done[PD_PATCH_CHANGES];
	struct pd_frame refused; /* where it could not be done */
	bool nomem;
};

void pd_patch_init(struct pd_patch *p, struct pd_arena *a, struct pd_fix_files files);

/* NONE: all of them are in the patch, with those of before. */
enum pd_no_remedy pd_patch_make(struct pd_patch *p, const struct pd_remedies *r);

#endif
