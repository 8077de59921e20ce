/*
 * result.h - the outcome of a run: findings, how far it got, what it could not see.
 *
 * Honesty is built in here rather than left to each engine. A fresh result is not complete; the
 * engine marks it when it has visited everything. Each limit that was hit is named. Each loss is
 * counted, with a few examples; a result with losses is not complete once it is finished. The
 * summary line and the exit status follow from these:
 *
 *	4  perdure itself failed (failure), or memory ran out for the result itself
 *	1  there is a finding that decides (not inside somebody else's library, not known from a baseline, and
 *	   no portability warning or note unless the run was strict)
 *	3  no such finding, but not complete, or something was lost: nobody may say "clean"
 *	0  no such finding, complete, nothing lost: clean, or nothing new
 *
 * Stats are an ordered list of names and values. The name decides how the values of two runs are
 * joined:
 *	*_log10    the logarithm of the sum
 *	*_max      the larger
 *	*_min      the smaller
 *	*_per_*    dropped: a joint ratio cannot be computed from two ratios
 *	jobs, seed and every text: kept if equal, else dropped
 *	others     added
 * A dropped value stays in the list as an empty text, which no writer shows.
 *
 * Thread rule: one result, one thread at a time.
 */
#ifndef PD_REPORT_RESULT_H
#define PD_REPORT_RESULT_H

#include "base/vec.h"
#include "event/abi.h"
#include "finding/finding.h"
#include "finding/suppress.h"
#include "host/error.h"
#include "host/outdir.h"
#include "report/coverage.h"

enum pd_stat_type { PD_STAT_INT, PD_STAT_REAL, PD_STAT_TEXT };

struct pd_stat {
	const char *name;
	enum pd_stat_type type;
	int64_t i;
	double real;
	const char *text;
};

/* A finding of the baseline that this result does not have. */
struct pd_gone {
	uint64_t id;
	enum pd_kind kind;
	const char *message;
};

enum { PD_LOSS_EXAMPLES = 5 };

struct pd_loss_count {
	const char *name;
	uint64_t count;
	uint32_t nexamples;
	const char *examples[PD_LOSS_EXAMPLES];
};

struct pd_result {
	struct pd_arena *arena;
	const char *version; /* of the perdure that made it */
	const char *verb;
	PD_VEC(const char *) command;
	/* The verb's arguments, word by word, with '--' before the program; and its working
	 * directory, NULL: neither is known */
	PD_VEC(const char *) arguments;
	const char *directory;
	bool complete;
	bool strict;	  /* portability warnings and notes decide, too */
	const char *only; /* the kinds that are reported: "for --only torn"; NULL: all */
	/* What "complete" refers to, if not to everything: "for one schedule"; NULL: everything */
	const char *scope;
	/* What the verb does not judge, and which one does; NULL: nothing */
	const char *not_judged;
	/* For check: what no recovery has tried; NULL: nothing is known to be missing */
	const char *not_exercised;
	PD_VEC(const char *) limits; /* phrases: "the time limit of 60 s" */
	/* The exact settings of each run in it, as JSON (docs/report-format.md): with them and its
	 * witness a finding can be replayed. Witnesses refer to them by number. */
	PD_VEC(const char *) settings;
	const char *failure; /* of perdure itself: a phrase */
	const char *out;     /* the directory, for replay; NULL: none */
	struct pd_findings findings;
	const struct pd_suppressions *suppressions; /* those that were used; NULL: none */
	const char *baseline;	     /* the name of the result for comparison; NULL: none */
	PD_VEC(struct pd_gone) gone; /* since then */
	PD_VEC(struct pd_stat) stats;
	PD_VEC(struct pd_loss_count) losses;
	struct pd_coverage coverage;
	bool nomem; /* a part of the result itself is missing */
};

void pd_result_init(struct pd_result *r, struct pd_arena *a, const char *verb);

void pd_result_command(struct pd_result *r, int argc, char *const *argv);

/* Records the verb's arguments, and the current directory. */
void pd_result_arguments(struct pd_result *r, uint32_t n, const char *const *words);

/* Records what was cut short, and by what: the result is then not complete. Repeating one changes
 * nothing. */
void pd_result_limit(struct pd_result *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

void pd_result_fail(struct pd_result *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The last value of a name wins. */
void pd_result_stat_int(struct pd_result *r, const char *name, int64_t v);
void pd_result_stat_real(struct pd_result *r, const char *name, double v);
void pd_result_stat_text(struct pd_result *r, const char *name, const char *v);
const struct pd_stat *pd_result_stat(const struct pd_result *r, const char *name);

/* example may be NULL; the first few different ones are kept. */
void pd_result_loss(struct pd_result *r, const char *name, uint64_t count, const char *example);
uint64_t pd_result_losses(const struct pd_result *r);

/* Texts are copied. */
void pd_result_covered(struct pd_result *r, const struct pd_covered *c);

/* Call it before writing: sorts findings and coverage, makes the sentences, and counts dropped
 * findings as a loss. May be called again. */
void pd_result_finish(struct pd_result *r);

/* Copies the settings; returns their number, the same one for equal settings. */
uint32_t pd_result_settings(struct pd_result *r, const char *json);

/* Joins the result of another run of the same or another shard; its witnesses then refer to
 * settings of r. */
void pd_result_join(struct pd_result *r, struct pd_result *from);

/* Marks findings that an earlier result also has as known, and records those that are gone
 * (--baseline). A joined result is compared again. */
void pd_result_compare(struct pd_result *r, const struct pd_result *before, const char *name);
void pd_result_uncompare(struct pd_result *r);
uint32_t pd_result_known(const struct pd_result *r);

/* The number of findings that decide the exit status. */
uint32_t pd_result_deciding(const struct pd_result *r);
enum pd_exit pd_result_status(const struct pd_result *r);

#endif
