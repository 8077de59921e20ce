/*
 * excerpt.h - lines of source files, for a page: those of places in a result, with a few around
 * each.
 *
 * A result may come from anywhere and name any file, and a page is sent to others: so only regular
 * files with the name of a C or C++ source are read.
 */
#ifndef PD_REPORT_EXCERPT_H
#define PD_REPORT_EXCERPT_H

#include "base/arena.h"
#include "base/vec.h"
#include "finding/finding.h"
#include <jansson.h>
#include <time.h>

struct pd_excerpt {
	const char *file;
	PD_VEC(uint32_t) lines; /* of places, in order of arrival */
};

struct pd_excerpts {
	struct pd_arena *arena;
	PD_VEC(struct pd_excerpt) files;
	uint32_t last; /* the file that was used last */
};

void pd_excerpt_want(struct pd_excerpts *x, const struct pd_frame *at);

/* {"FILE": {"lines": {"41": "text", ...}, "changed": true}}. A file that cannot be read has no
 * lines; `changed` marks one that is newer than `made`. NULL: out of memory. */
json_t *pd_excerpts_json(const struct pd_excerpts *x, time_t made);

#endif
