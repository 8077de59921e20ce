/*
 * suppress.h - findings that the user has judged and does not want to see again.
 *
 *	# why this is all right
 *	[log header is rebuilt]
 *	kind = lint/missing-*
 *	function = log_open
 *	file = log.c:120
 *	field = log.*
 *
 * One format for all engines. An entry is a name in brackets and the patterns below it; it matches
 * a finding if all of its patterns do. A '#' at the beginning of a line is a comment. Patterns are
 * globs ('*' and '?'):
 *   kind      the finding's kind; required; must be able to match some kind that exists
 *   id        the finding's id, exactly
 *   field     the finding's field
 *   library   the library that it was attributed to
 *   role      limits function, file and caller to sites of this role
 *   function  the function of a site
 *   file      the file of the same site: the path or a tail of it after a '/'; ":LINE" may follow
 *   caller    a function in the stack of the same site
 *
 * Invariant: a text with an error leaves the list as it was.
 *
 * Thread rule: one list, one thread at a time (matching counts uses).
 */
#ifndef PD_FINDING_SUPPRESS_H
#define PD_FINDING_SUPPRESS_H

#include "finding/finding.h"
#include "finding/text.h"

struct pd_suppression {
	const char *name;
	const char *source; /* the file that it is in, and the line of its name */
	uint32_t line;
	uint64_t uses; /* findings suppressed */

	const char *kind;
	const char *id;
	const char *field;
	const char *library;
	const char *role;
	const char *function;
	const char *file;
	uint32_t file_line; /* 0: any */
	const char *caller;
};

struct pd_suppressions {
	struct pd_arena *arena;
	PD_VEC(struct pd_suppression) items;
};

void pd_suppress_init(struct pd_suppressions *s, struct pd_arena *a);

/* Adds the entries of a text; `source` is copied and only shown. */
bool pd_suppress_parse(struct pd_suppressions *s, const char *source, const char *text, size_t n,
		       struct pd_text_error *err);

/* The first entry that matches f, counting its use; or NULL. */
struct pd_suppression *pd_suppress_match(struct pd_suppressions *s, const struct pd_finding *f);

/* Removes from the set what an entry matches, and counts it in fs->suppressed. */
void pd_findings_suppress(struct pd_findings *fs, struct pd_suppressions *s);

/* Prints an entry for f and findings like it: the same kind at the same line of the same
 * function. */
void pd_suppress_print(struct pd_out *o, const struct pd_finding *f);

/* Iterates over the entries that have matched nothing: start with *at = 0; NULL at the end. */
const struct pd_suppression *pd_suppress_unused(const struct pd_suppressions *s, uint32_t *at);

#endif
