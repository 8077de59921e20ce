/*
 * edit.h - edits of a text: the changed text, and the unified diff.
 *
 * The same edits produce two texts. One is the patched file. The other is for the trial build that
 * shows whether the patch helps: there a #line directive follows each change of the number of
 * lines, so that every other place keeps its line number, and findings keep their ids.
 *
 * Invariant: edits are in the order of the text and do not overlap.
 */
#ifndef PD_FIX_EDIT_H
#define PD_FIX_EDIT_H

#include "fix/source.h"
#include <stdio.h>

struct pd_edit {
	uint32_t at;  /* an offset */
	uint32_t cut; /* number of bytes removed */
	const char *put;
};

struct pd_edits {
	const struct pd_source *source;
	PD_VEC(struct pd_edit) v;
	bool overlap; /* two edits overlapped, so one is missing */
	bool nomem;
};

void pd_edit_add(struct pd_edits *e, struct pd_arena *a, uint32_t at, uint32_t cut,
		 const char *put);

/* malloc'ed; NULL: no memory. */
char *pd_edit_text(const struct pd_edits *e, bool keep_lines, size_t *n);

/* False: no memory. `name` is the path of the file in the patch. */
bool pd_edit_diff(const struct pd_edits *e, const char *name, FILE *to);

#endif
