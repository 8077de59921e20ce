/*
 * coverage.h - what a result says of its coverage: which stores were at stake at a crash, which of
 * them recovery read.
 *
 * One entry a place of the source that has stored to PM, and file that it stored to. All figures
 * are counts of these: of a file, of its entries; of the whole, of the places, each of which counts
 * once however many files it stores to.
 *
 * Thread rule: as result.h.
 */
#ifndef PD_REPORT_COVERAGE_H
#define PD_REPORT_COVERAGE_H

#include "base/vec.h"
#include "finding/finding.h"

struct pd_covered {
	struct pd_frame at; /* the store */
	const char *pm;	    /* the PM file */
	bool recovery;	    /* a recovery has stored, not the program */
	bool at_stake;
	bool read; /* by some recovery, at stake or durable */
	bool read_at_stake;
};

struct pd_coverage {
	bool known; /* the verb has looked */
	PD_VEC(struct pd_covered) items;
};

struct pd_coverage_count {
	uint32_t stores;
	uint32_t at_stake;
	uint32_t read; /* of those at stake, as is the next */
	uint32_t read_at_stake;
};

/* Puts the entries in order, and joins those of one place and file. */
void pd_coverage_finish(struct pd_coverage *c);

/* After that: of one PM file, or (NULL) of all. */
struct pd_coverage_count pd_coverage_of(const struct pd_coverage *c, const char *pm);

/* The first, in order, after this one (NULL: at all) of the PM files that occur; NULL: no more. */
const char *pd_coverage_next_file(const struct pd_coverage *c, const char *after);

#endif
