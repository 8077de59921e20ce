/*
 * coverage.h - the coverage in a result: which stores were at stake at a crash, and which of them
 * recovery read.
 *
 * There is one entry per place of the source that has stored to PM, and file that it stored to. All
 * figures count these: for a file its entries; for the whole result the places, each once however
 * many files it stores to.
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
	bool recovery;	    /* stored by a recovery, not by the program */
	bool at_stake;
	bool read; /* by some recovery, whether at stake or durable */
	bool read_at_stake;
};

struct pd_coverage {
	bool known; /* the verb determines coverage */
	PD_VEC(struct pd_covered) items;
};

struct pd_coverage_count {
	uint32_t stores;
	uint32_t at_stake;
	uint32_t read; /* of those at stake, like the next one */
	uint32_t read_at_stake;
};

/* Sorts the entries, and joins those of one place and file. */
void pd_coverage_finish(struct pd_coverage *c);

/* After that: counts for one PM file, or (NULL) for all. */
struct pd_coverage_count pd_coverage_of(const struct pd_coverage *c, const char *pm);

/* The next PM file after this one (NULL: the first), in order; NULL: no more. */
const char *pd_coverage_next_file(const struct pd_coverage *c, const char *after);

#endif
