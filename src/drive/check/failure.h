/*
 * check/failure.h - failed recoveries on their way to findings: between check/findings.c, which
 * sorts them, check/story.c, which runs them again to know more, and check/cause.c, which says why.
 */
#ifndef PD_DRIVE_CHECK_FAILURE_H
#define PD_DRIVE_CHECK_FAILURE_H

#include "drive/check/check.h"
#include "engine/crash/end.h"

enum { PD_PLACE_FRAMES = 32 };

/* A read that did not see the newest value, and the store whose loss made recovery fail. */
struct blamed {
	uint32_t load;
	/* Of the first execution */
	enum { PD_AT_END_UNKNOWN, PD_AT_END_OPEN, PD_AT_END_DURABLE } at_end;
	struct pd_board_source lost;
	const struct pd_board_choice *choice;
	/* From the story: where they are, with callers. */
	struct pd_finding_site at_store;
	struct pd_finding_site at_load;
};

struct failure {
	const struct pd_board_run *run;
	uint64_t end; /* how it ended: equal digests are the same way (engine/crash/end.h) */
	bool proven;  /* what is blamed was forced to be durable: it is all needed */
	struct blamed *blame;
	uint32_t n;
	uint64_t count;
	bool subsumed;
	struct pd_story *story; /* NULL: it was not run again */
	struct pd_finding_site at_crash;
	struct pd_finding_site at_fail;
	struct pd_finding_site at_last; /* the last store before the crash */
	/* The last flush before it that had nothing to write back */
	struct pd_finding_site at_idle;
	/* Stores that waited in store buffers while their threads ... */
	struct pd_finding_site at_waited[2];
	struct pd_finding_site at_passed[2]; /* ... loaded here, and missed each other */
	bool replayed;			     /* its witness has led to the same end once more */
	/* It was not run again to know more, for want of time or because there are so many */
	bool left;
	bool undisturbed; /* recovery fails like this after a run that nothing has disturbed, too */
	enum pd_cause cause;
	/* Where the order is wrong: site of the later store that recovery saw; 0: not known */
	uint32_t trusted;
	uint32_t outcomes; /* a bit for each outcome of those that are counted here */
	/* Loads and stores of others that have the same cause */
	PD_VEC(struct pd_finding_site) also;
};

/* ---- which failures are one (check/sort.c) -------------------------------------------------- */

/*
 * Failures from the board, each way to it once; calloc'ed. Those that may come of stores that
 * nobody reported are left out and counted in *doubtful.
 */
struct failure *pd_failures_collect(const struct pd_check_run *c, struct pd_arena *a, uint32_t *n,
				    uint32_t *doubtful);
bool pd_failure_is_doubtful(const struct failure *f);

/* What was lost in it, as far as is known; then each loss once. */
void pd_failure_blame(struct failure *f, struct pd_arena *a);
void pd_failure_sort_blame(struct failure *f);

/* Marks those that others account for as subsumed; the easiest to follow come first. */
void pd_failures_sort(struct failure *f, uint32_t n);

/* The crash of b comes so many crash points after that of a, in the same execution. */
bool pd_run_is_later_by(const struct pd_board_run *a, const struct pd_board_run *b,
			uint64_t points);

bool pd_failure_accounts_for(const struct failure *by, const struct failure *f);

/* Counts `from` in `to`, if that accounts for it. */
bool pd_failure_take_in(struct failure *to, struct failure *from);

/* ---- places (check/place.c) ----------------------------------------------------------------- */

struct pd_places {
	struct pd_arena *arena;
	struct pd_symbols *first; /* NULL: none */
	struct pd_symbols *recovery;
};

/*
 * A site of a finding: the place that the compiler has noted (NULL: none) and the calls that led
 * there. The innermost frame of the user's own code counts.
 */
struct pd_finding_site pd_place(const struct pd_places *p, enum pd_role role, bool recovery,
				const struct pd_board_site *s, const uint64_t *pc, uint32_t n);

bool pd_place_known(const struct pd_finding_site *s);

/* "notes.c:43", or "an unknown place". */
const char *pd_place_text(const struct pd_finding_site *s, char *buf, size_t n);

/* ---- the story (check/story.c) -------------------------------------------------------------- */

/* What one more execution of a failure has shown. */
struct pd_story {
	struct pd_again_event *event[PD_BOARD_DEPTH + 1]; /* by execution */
	uint32_t n[PD_BOARD_DEPTH + 1];
	uint32_t crash[PD_BOARD_DEPTH + 1]; /* how many of them were before the crash */
	uint64_t dropped[PD_BOARD_DEPTH + 1];
	uint32_t nfail;
	uint64_t fail[16];
	uint32_t nfile;
	struct pd_again_file *file;
	uint32_t line_shift;
	struct pd_again_passed passed;
};

/*
 * Runs a failure again, with as few stores lost as it needs (*least), and keeps what it tells; NULL
 * where that was not possible or it did not fail.
 */
struct pd_story *pd_story_of(struct pd_check_run *c, const struct failure *f,
			     const struct pd_witness *w, const struct pd_board_run **least);

/* The store that a read should have seen; NULL: not in the story. */
const struct pd_again_event *pd_story_store(const struct pd_story *s,
					    const struct pd_board_source *lost);
/* The last one of this site before the crash of execution `depth`. */
const struct pd_again_event *pd_story_last_store(const struct pd_story *s, uint32_t depth,
						 uint32_t site);
/* The read itself: choice number `i` of the execution `depth`. */
const struct pd_again_event *pd_story_load(const struct pd_story *s, uint32_t depth, uint32_t i);

/* The whole story as lines of text. */
char *pd_story_text(const struct pd_story *s, const struct failure *f, const struct pd_places *p,
		    const struct pd_board *b);

/* ---- check/cause.c, check/merge.c ----------------------------------------------------------- */

enum pd_cause pd_cause_of(const struct pd_board *b, const struct failure *f);

/* After that. */
uint32_t pd_trusted_by(const struct failure *f);

/* How to mend it, in one line; page: durable is what msync has written back. */
void pd_fix_text(const struct pd_board *b, const struct failure *f, bool page, char *text,
		 size_t n);

/* Whether the function of this site stores at one place only, as far as was seen: then it may store
 * for others. */
bool pd_site_stores_once(const struct pd_board *b, uint32_t site, uint32_t exec);

/* Whose store it was: its own place, or the caller's where a function stores for others. */
const struct pd_frame *pd_store_frame(const struct pd_board *b, const struct blamed *l);
/* The same of the last store before the crash. */
const struct pd_frame *pd_last_store_frame(const struct pd_board *b, const struct failure *f);

/* Joins failures that have one cause; sorted, the best to tell first. */
void pd_failures_join(const struct pd_board *b, struct failure *f, uint32_t n, struct pd_arena *a);

/*
 * Before all else: where the value next newer to the one that was seen fails as well, it is not
 * that store but a later one that is missing.
 */
void pd_failures_resolve(struct failure *f, uint32_t n);

/* "my.pm+0x40" */
const char *pd_story_where(const struct pd_story *s, uint64_t addr, char *buf, size_t n);

#endif
