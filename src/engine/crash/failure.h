/*
 * failure.h - failed recoveries on their way to findings: which of them are one, why they fail, and
 * what identifies them.
 *
 * A front end gives the failed recoveries of an exploration (pd_failures_collect). Those that others
 * account for are counted there (sort.c). Each that is left is run again by the front end, in the
 * order that pd_rerun says (rerun.c), with suspects forced to be durable: what is left of its blame
 * is proven, and others that contain that are counted there, too. When the front end has put places
 * to what each has shown, its cause is concluded (cause.c), failures of one cause are joined
 * (merge.c), and each that is left has an id (identity.c).
 *
 * Thread rule: one set of failures, one thread at a time.
 */
#ifndef PD_ENGINE_CRASH_FAILURE_H
#define PD_ENGINE_CRASH_FAILURE_H

#include "engine/crash/again.h"
#include "engine/crash/run.h"
#include "engine/crash/survey.h"
#include "event/event.h"
#include "event/site.h"
#include "finding/finding.h"
#include "finding/steps.h"

/* What an exploration has left that conclusions rest on, besides its failures. */
struct pd_explored {
	/* By number; NULL: not known */
	struct pd_board_site *const *first_site;
	struct pd_board_site *const *recover_site;
	uint32_t nsite;
	/* The first execution came to its end: which stores nobody makes durable is known */
	bool ended;
	/* By site of the first execution: who has to make its stores durable (survey.h); NULL: not
	 * known */
	const uint8_t *level; /* 1 + its level; 0: not known */
	/* By the same: its function also has others store, so it is not one that only stores for its
	 * callers; NULL: not known */
	const uint8_t *does_more;
	/* By the same: what pd_site_stores_once has answered, 1 + that; 0: it was not asked. NULL: it is
	 * asked each time */
	uint8_t *stores_once;
	bool page; /* the page model: durable is what msync or fsync has written back */
};

/* NULL: not known. exec: 0 is the first execution. */
const struct pd_board_site *pd_explored_site(const struct pd_explored *x, uint32_t exec,
					     uint32_t site);

/* A read that did not see the newest value, and the store whose loss made recovery fail. */
struct pd_blamed {
	uint32_t load;
	uint64_t owner;	       /* who has to make it durable, where that is not who stores */
	enum pd_at_end at_end; /* of the first execution */
	bool passed; /* it was flushed, and recovery saw what its thread stored after that */
	struct pd_crash_source lost;
	const struct pd_crash_choice *choice;
	/* From the story: where they are, with callers. */
	struct pd_finding_site at_store;
	struct pd_finding_site at_load;
};

/* What one more execution of a failure has shown. */
struct pd_story {
	struct pd_again_event *event[PD_CRASH_DEPTH + 1]; /* by execution */
	uint32_t n[PD_CRASH_DEPTH + 1];
	uint32_t crash[PD_CRASH_DEPTH + 1]; /* how many of them were before the crash */
	uint64_t dropped[PD_CRASH_DEPTH + 1];
	/* When lines at stake became durable: the last times, in order */
	struct pd_again_certain *certain[PD_CRASH_DEPTH + 1];
	uint32_t ncertain[PD_CRASH_DEPTH + 1];
	uint32_t nfile;
	struct pd_again_file *file;
	uint32_t line_shift;
	struct pd_again_passed passed;
};

/* The workload of a driver has shrunk to what the failure needs. */
struct pd_shorter {
	uint32_t left, all; /* operations; all 0: it has not */
	bool cut;	    /* by time, or the number of executions: there may be a shorter one */
};

struct pd_failure {
	const struct pd_crash_run *run;
	const struct pd_surveyed *surveyed; /* of its schedule; NULL: nothing is known */
	uint64_t end; /* how it ended: equal digests are the same way (end.h) */
	bool proven;  /* what is blamed was forced to be durable: it is all needed */
	struct pd_blamed *blame;
	uint32_t n;
	uint64_t count;
	bool subsumed;
	const struct pd_story *story; /* NULL: it was not run again */
	struct pd_finding_site at_crash;
	struct pd_finding_site at_fail;
	struct pd_finding_site at_last; /* pd_failure_last_store */
	/* The last flush before it that had nothing to write back */
	struct pd_finding_site at_idle;
	/* Stores that waited in store buffers while their threads ... */
	struct pd_finding_site at_waited[2];
	struct pd_finding_site at_passed[2]; /* ... loaded here, and missed each other */
	bool replayed;			     /* its witness has led to the same end once more */
	/* It was not run again to know more, for want of time or because there are so many */
	bool left;
	bool undisturbed; /* recovery fails like this after a run that nothing has disturbed, too */
	bool unasked;	  /* there was no time to find that out */
	enum pd_cause cause;
	/* Where the order is wrong: site of the later store that recovery saw; 0: not known */
	uint32_t trusted;
	/* Where a layout is wrong: the struct that straddles two lines, as the compiler names it, and
	 * where it is; NULL: none does */
	const char *straddling;
	struct pd_range object;
	struct pd_shorter shorter;
	/* Stores that their transactions have not logged, and that make recovery fail */
	uint32_t nunlogged;
	const struct pd_unlogged *unlogged[8];
	uint32_t outcomes; /* a bit for each outcome of those that are counted here */
	/* Loads and stores of others that have the same cause */
	PD_VEC(struct pd_finding_site) also;
};

/* Of one exploration, in the arena of who collects them. */
struct pd_failures {
	struct pd_failure *v;
	uint32_t n;
	uint32_t doubtful; /* further ones, which may come of stores that nobody reported */
	struct pd_arena *arena;
};

/* ---- which failures are one (sort.c) -------------------------------------------------------- */

struct pd_collecting {
	bool random; /* recoveries were drawn: each counts, however often its way was taken */
	bool blind;  /* PM was changed by code that nobody saw: some failures are doubtful */
};

/*
 * Failures, each way to it once; `run` is put in order. Walkers may have come to one in any order,
 * so those of later crashes are not counted.
 */
struct pd_failures pd_failures_collect(const struct pd_crash_run **run, uint32_t n,
				       struct pd_collecting how, struct pd_arena *a);

/*
 * Where PM has blind stores: it takes the loss of one, which may have been flushed unseen, or that
 * of nothing, which is as if those that were not noticed yet were lost.
 */
bool pd_failure_is_doubtful(const struct pd_failure *f);

/* What is lost in the run of a failure, each loss once. */
void pd_failure_blame(struct pd_failure *f, struct pd_arena *a);

/* Marks those that others account for as subsumed; the easiest to follow come first. */
void pd_failures_sort(struct pd_failures *fs);

/* The crash of b comes so many crash points after that of a, in the same execution. */
bool pd_run_is_later_by(const struct pd_crash_run *a, const struct pd_crash_run *b,
			uint64_t points);

bool pd_failure_accounts_for(const struct pd_failure *by, const struct pd_failure *f);

/* Counts `from` in `to`, if that accounts for it. */
bool pd_failure_take_in(struct pd_failure *to, struct pd_failure *from);

/*
 * Before all else: where the value next newer to the one that was seen fails as well, it is not
 * that store but a later one that is missing.
 */
void pd_failures_resolve(struct pd_failures *fs);

/* A store that recovery saw, made after the log had this length in the execution of the lost one;
 * NULL: none, or that is 0. */
const struct pd_crash_choice *pd_run_sees_after(const struct pd_crash_run *run,
						const struct pd_crash_source *lost, uint32_t order);

/* ---- which are run again, and when (rerun.c) ------------------------------------------------ */

enum { PD_RERUN_MOST = 256 }; /* failures that are run again, at most */

/* All zero but for the failures, to begin with. */
struct pd_rerun {
	struct pd_failures *failures;
	uint32_t at;
	uint32_t done;
	bool slow; /* the second round: those that take long */
};

/*
 * The next one to run again, cheap ones first; NULL: no more. Those that there is no time for
 * (stopped) or that are too many are marked as left. When the run is known, call pd_rerun_sort_in.
 */
struct pd_failure *pd_rerun_next(struct pd_rerun *r, bool stopped);

/* f is as well known as it will be: it is counted where it belongs, and what belongs to it there. */
void pd_rerun_sort_in(struct pd_rerun *r, struct pd_failure *f);

/* ---- the story (story.c) -------------------------------------------------------------------- */

bool pd_again_stores(const struct pd_again_event *e);
bool pd_again_flushes(const struct pd_again_event *e);

/* The store that a read should have seen; NULL: not in the story. */
const struct pd_again_event *pd_story_store(const struct pd_story *s,
					    const struct pd_crash_source *lost);
/* The last one of this site before the crash of execution `depth`. */
const struct pd_again_event *pd_story_last_store(const struct pd_story *s, uint32_t depth,
						 uint32_t site);
/* The read itself: choice number `i` of the execution `depth`. */
const struct pd_again_event *pd_story_load(const struct pd_story *s, uint32_t depth, uint32_t i);

/* The word that recovery reads over and over at its end; false: it does something else. */
bool pd_story_spins(const struct pd_story *s, uint32_t depth, uint64_t *addr);

/* The store that a failure in which nothing is lost is shown with: the one that has set the word
 * which recovery spins on; else the last one before the crash. NULL: not in the story. */
const struct pd_again_event *pd_failure_last_store(const struct pd_failure *f);

/* The words that recovery reads in turn at its end, at most `max`; 0: more than that, or it does
 * something else. */
uint32_t pd_story_circles(const struct pd_story *s, uint32_t depth, uint64_t *addr, uint32_t max);

/* An address of PM as facts have it: the offset in a file that the crash has left, if there is one. */
struct pd_fact pd_story_address(const struct pd_story *s, uint64_t addr);

/* ---- why (cause.c) -------------------------------------------------------------------------- */

/* Sets the cause, and the store that the order is wrong with. */
void pd_failure_conclude(const struct pd_explored *x, struct pd_failure *f);

/* The read of a later store than the one that was lost, by which recovery trusts that; NULL: it saw
 * none. */
const struct pd_crash_choice *pd_cause_trusts(const struct pd_failure *f);

/* Where another thread flushes what is stored there; NULL: that does not happen, or not only. */
const struct pd_board_site *pd_cause_helper(const struct pd_explored *x, const struct pd_blamed *l);

/* ---- transactions (unlogged.c) ---------------------------------------------------------------- */

/* Which stores that no transaction has logged are to blame; before pd_failure_conclude. */
void pd_failure_find_unlogged(struct pd_failure *f);

/* Where number i was made, and where its transaction began. */
const struct pd_finding_site *pd_unlogged_store(const struct pd_failure *f, uint32_t i);
const struct pd_finding_site *pd_unlogged_begin(const struct pd_failure *f);

/* One range to log fixes both. */
bool pd_failures_same_log(const struct pd_explored *x, const struct pd_failure *a,
			  const struct pd_failure *b);

/* What is to be logged: the first store, and what lies together with it. */
struct pd_range pd_unlogged_range(const struct pd_explored *x, const struct pd_failure *f);

/* ---- layout (layout.c) ---------------------------------------------------------------------- */

/* Whether what was lost is of structs that straddle two lines; sets which one. */
bool pd_failure_find_layout(const struct pd_explored *x, struct pd_failure *f);

/* ---- one bug, one finding (merge.c) --------------------------------------------------------- */

/* Whether the function of this site stores at one place only, as far as was seen: then it may store
 * for others. */
bool pd_site_stores_once(const struct pd_explored *x, uint32_t site, uint32_t exec);

/* How many calls away from this store is who has to make it durable: 0 is the function itself. */
uint32_t pd_store_level(const struct pd_explored *x, uint32_t site, uint32_t exec);

/* Whose store it was: its own place, or the caller's where a function stores for others. */
const struct pd_frame *pd_store_frame(const struct pd_explored *x, const struct pd_blamed *l);
/* The caller that is shown with a finding, and is part of its id: also of a function that has one
 * store, and flushes it. */
const struct pd_frame *pd_store_shown(const struct pd_explored *x, const struct pd_blamed *l);
/* The same of the last store before the crash. */
const struct pd_frame *pd_last_store_frame(const struct pd_explored *x, const struct pd_failure *f);

/* Joins failures that have one cause; sorted, the best to report first. */
void pd_failures_join(const struct pd_explored *x, struct pd_failures *fs);

/* ---- the finding (identity.c, facts.c) ------------------------------------------------------ */

static inline bool pd_finding_site_known(const struct pd_finding_site *s)
{
	return s->at.file || s->at.function;
}

/* PD_KIND_N: an end that is no failure. */
enum pd_kind pd_run_kind(const struct pd_crash_run *run);

/* How it ended, as facts. */
void pd_run_facts(const struct pd_crash_run *run, struct pd_fact_list *to);

#define PD_NO_SITE UINT32_MAX

/* The sites of a finding, and which of them is what. */
struct pd_failure_sites {
	PD_VEC(struct pd_finding_site) all;
	uint32_t identifying; /* so many come first, and make it the same in another run */
	uint32_t *store;      /* by number of the blame */
	uint32_t *load;
	uint32_t waited[2];
	uint32_t passed[2];
	uint32_t unlogged[8];
	uint32_t transaction;
};

void pd_failure_sites(const struct pd_explored *x, const struct pd_failure *f,
		      struct pd_failure_sites *to, struct pd_arena *a);

/* What words are made of. */
struct pd_facts pd_failure_facts(const struct pd_explored *x, const struct pd_failure *f,
				 const struct pd_failure_sites *sites, struct pd_arena *a);

/* A place with names, of a site (NULL: none) and the calls that led there. */
struct pd_step_places {
	struct pd_finding_site (*find)(void *ctx, bool recovery, const struct pd_board_site *s,
				       const uint64_t *pc, uint32_t n);
	void *ctx;
};

/* What led to a failure that was run again, in the order in which it is to be read. (steps.c) */
struct pd_steps pd_failure_steps(const struct pd_explored *x, const struct pd_failure *f,
				 const struct pd_step_places *places, struct pd_arena *a);

/* Kind, cause, id, sites, facts, count. */
void pd_failure_finding(const struct pd_explored *x, const struct pd_failure *f,
			struct pd_finding *to, struct pd_arena *a);

#endif
