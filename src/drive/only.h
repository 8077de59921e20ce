/*
 * only.h - --only KIND: the kinds of findings that a verb reports.
 *
 * KIND is a glob on the whole name of a kind ("lint/missing-flush") or on the part after the engine
 * ("missing-*"), or the name of an engine of the verb ("torn"). Repeatable: any of them matches.
 */
#ifndef PD_DRIVE_ONLY_H
#define PD_DRIVE_ONLY_H

#include "base/arena.h"
#include "finding/finding.h"
#include <stdio.h>

enum { PD_ONLY_ENGINES = 4 };

struct pd_only {
	uint64_t kinds[(PD_KIND_N + 63) / 64]; /* one bit each; all 0: every kind */
	/* "--only a, --only b", as far as it fits; "": every kind */
	char asked[120];
};

/* Adds the kinds of these engines (up to a NULL) that a glob selects; false: none. */
bool pd_only_take(struct pd_only *o, const char *const engines[PD_ONLY_ENGINES], const char *glob);

bool pd_only_wants(const struct pd_only *o, uint32_t kind);

/* Whether any kind of this engine is wanted. */
bool pd_only_wants_engine(const struct pd_only *o, const char *engine);

/* Removes findings of other kinds. */
void pd_only_filter(const struct pd_only *o, struct pd_findings *fs);

/* Whether a verb with these engines reports findings of this kind. */
bool pd_only_has(const char *const engines[PD_ONLY_ENGINES], uint32_t kind);

/* Prints the kinds of these engines, with their meaning. */
void pd_only_help(FILE *f, const char *const engines[PD_ONLY_ENGINES]);

#endif
