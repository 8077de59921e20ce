/*
 * failure.h - from failed recoveries to findings: which of them are one failure, why they fail, and
 * what identifies them.
 *
 * A front end hands over the failed recoveries of an exploration (pd_failures_collect). Those that
 * others account for are counted with those (sort.c). The front end runs each of the rest again, in
 * the order that pd_rerun gives (rerun.c), with suspects forced durable: what is left of its blame
 * is proven, and failures that contain that blame are counted with it, too. Once the front end has
 * put places to what each rerun has shown, the engine concludes the cause (cause.c), joins failures
 * of one cause (merge.c), and gives each of the rest an id (identity.c).
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

/* What conclusions rest on, besides the failures of an exploration. */
struct pd_explored {
	/* By site number; NULL: not known */
	struct pd_board_site *const *first_site;
	struct pd_board_site *const *recover_site;
	uint32_t nsite;
	/* The first execution reached its end: which stores nobody makes durable is known */
	bool ended;
	/* By site of the first execution: 1 + the level of who has to make its stores durable
	 * (survey.h), 0: not known; NULL: not known of any */
	const uint8_t *level;
	/* By site: its function also calls others that store, so it does not only store for its
	 * callers; NULL: not known */
	const uint8_t *does_more;
	/* By site: caches 1 + whether it stores only once (merge.c), 0: not asked yet; NULL: no
	 * cache */
	uint8_t *stores_once;
	bool page; /* page model: a store is durable once msync or fsync has written it back */
};

/* The site record of execution `exec`, 0 being the first; NULL: not known. */
const struct pd_board_site *pd_explored_site(const struct pd_explored *x, uint32_t exec,
					     uint32_t site);

/* A read that did not see the newest value, and the store whose loss made recovery fail. */
struct pd_blamed {
	uint32_t load;
	/* Who has to make it durable, where that is not the function that stores */
	uint64_t owner;
	enum pd_at_end at_end; /* its state at the end of the first execution */
	bool passed; /* it was flushed, and recovery saw a later store of the same thread */
	struct pd_crash_source lost;
	const struct pd_crash_choice *choice;
	/* Filled in from the story: both places, with their callers. */
	struct pd_finding_site at_store;
	struct pd_finding_site at_load;
};

/* What the rerun of a failure has shown. */
struct pd_story {
	struct pd_again_event *event[PD_CRASH_DEPTH + 1]; /* by execution */
	uint32_t n[PD_CRASH_DEPTH + 1];
	uint32_t crash[PD_CRASH_DEPTH + 1]; /* how many of them precede the crash */
	uint64_t dropped[PD_CRASH_DEPTH + 1];
	/* The last times that lines at stake became durable, in order */
	struct pd_again_certain *certain[PD_CRASH_DEPTH + 1];
	uint32_t ncertain[PD_CRASH_DEPTH + 1];
	/* The last reads, before the first crash, of lines at stake that other threads had stored
	 * to */
	struct pd_again_event *read;
	uint32_t nread;
	uint32_t nfile;
	struct pd_again_file *file;
	uint32_t line_shift;
	struct pd_again_passed passed;
};

/* How far the workload of a driver was reduced to what the failure needs. */
struct pd_shorter {
	uint32_t left, all; /* operations; all 0: it was not reduced */
	bool cut;	    /* stopped by time or number of executions: a shorter one may exist */
};

struct pd_failure {
	const struct pd_crash_run *run;
	const struct pd_surveyed *surveyed; /* of its schedule; NULL: no survey */
	bool surveys;			    /* wants one in any case */
	uint64_t end; /* digest of how it ended: equal digests are the same way (end.h) */
	bool proven;  /* each blamed store was tried durable: all of them are needed */
	struct pd_blamed *blame;
	uint32_t n;
	uint64_t count;
	bool subsumed;
	const struct pd_story *story; /* NULL: it was not run again */
	struct pd_finding_site at_crash;
	struct pd_finding_site at_fail;
	struct pd_finding_site at_last;	    /* pd_failure_last_store */
	struct pd_finding_site at_early[4]; /* pd_failure_early_store */
	/* The last flush before the crash that had nothing to write back */
	struct pd_finding_site at_idle;
	struct pd_finding_site at_reader; /* pd_failure_reader */
	/* Stores that waited in store buffers while their threads ... */
	struct pd_finding_site at_waited[2];
	struct pd_finding_site at_passed[2]; /* ... loaded here, and missed each other */
	bool replayed;			     /* its witness led to the same end again */
	bool drifted; /* it did not, and the program had stored another value */
	/* Not run again, because time was short or there are too many */
	bool left;
	/* Recovery fails in the same way after a complete run with everything durable */
	bool undisturbed;
	bool unasked; /* time ran out before that was tried */
	/* A file that is not PM: had it been synced, recovery would not fail; NULL: none */
	const char *unsynced;
	enum pd_cause cause;
	/* Wrong order: site of the later store that recovery saw; 0: not known */
	uint32_t trusted;
	/* Missing fence: number in the log of the store that its thread went on to; 0: not known */
	uint32_t went_on;
	/* Wrong layout: the struct that straddles two lines, as the compiler names it, and where it
	 * is; NULL: none does */
	const char *straddling;
	struct pd_stretch object;
	struct pd_shorter shorter;
	/* Stores that their transactions did not log, and that make recovery fail */
	uint32_t nunlogged;
	const struct pd_unlogged *unlogged[8];
	/* A transaction that its function has left open, so that recovery rolls back what was done
	 * since; NULL: none */
	const struct pd_tx_span *open;
	uint32_t outcomes; /* bit set of enum pd_outcome: of all failures counted here */
	/* Loads and stores of other failures with the same cause */
	PD_VEC(struct pd_finding_site) also;
};

/* The failures of one exploration, in the caller's arena. */
struct pd_failures {
	struct pd_failure *v;
	uint32_t n;
	uint32_t doubtful; /* failures left out because unreported stores may have caused them */
	struct pd_arena *arena;
};

/* ---- which failures are one (sort.c) -------------------------------------------------------- */

struct pd_collecting {
	/* Recoveries were drawn at random: each is counted, also if its path was taken before */
	bool random;
	bool blind; /* uninstrumented code has changed PM: some failures are doubtful */
	bool repeated; /* recoveries may have been executed twice, by a run and the one that continued it */
};

/*
 * One failure for each way to it; sorts `run`. Walkers may reach one failure from several crashes,
 * in any order: only the earliest is counted.
 */
struct pd_failures pd_failures_collect(const struct pd_crash_run **run, uint32_t n,
				       struct pd_collecting how, struct pd_arena *a);

/*
 * With blind stores in PM: the failure either needs a blind store to be lost, which may have been
 * flushed unseen, or needs no loss, which is as if blind stores that nobody noticed yet were lost.
 */
bool pd_failure_is_doubtful(const struct pd_failure *f);

/* Collects what the run of a failure has lost, each loss once. */
void pd_failure_blame(struct pd_failure *f, struct pd_arena *a);

/* Marks failures that others account for as subsumed; sorts the easiest to follow first. */
void pd_failures_sort(struct pd_failures *fs);

/* The crash of b comes `points` crash points after that of a, in the same execution. */
bool pd_run_is_later_by(const struct pd_crash_run *a, const struct pd_crash_run *b,
			uint64_t points);

/* Counts `from` in `to`, if `to` accounts for it. */
bool pd_failure_take_in(struct pd_failure *to, struct pd_failure *from);

/* The first read that saw a store made after log length `order`, in the execution of the lost
 * store; NULL: none, or `order` is 0. */
const struct pd_crash_choice *pd_run_sees_after(const struct pd_crash_run *run,
						const struct pd_crash_source *lost, uint32_t order);

/* ---- which are run again, and when (rerun.c) ------------------------------------------------ */

enum { PD_RERUN_MOST = 256 }; /* failures run again, at most */

/* All zero to begin with, but for `failures`. */
struct pd_rerun {
	struct pd_failures *failures;
	uint32_t at;
	uint32_t done;
	bool slow; /* second round: those that use up their budget each time */
};

/*
 * The next failure to run again, cheap ones first; NULL: no more. Those that there is no time for
 * (`stopped`) or that exceed PD_RERUN_MOST are marked as left. Once the rerun is done, call
 * pd_rerun_sort_in.
 */
struct pd_failure *pd_rerun_next(struct pd_rerun *r, bool stopped);

/*
 * Nothing more will be learnt of f: counts it in a proven failure that accounts for it, or else
 * counts in f those that it accounts for.
 */
void pd_rerun_sort_in(struct pd_rerun *r, struct pd_failure *f);

/* ---- the story (story.c) -------------------------------------------------------------------- */

bool pd_again_stores(const struct pd_again_event *e);
bool pd_again_flushes(const struct pd_again_event *e);

/* The event of the lost store; NULL: not in the story. */
const struct pd_again_event *pd_story_store(const struct pd_story *s,
					    const struct pd_crash_source *lost);
/* The read itself: choice number `i` of the execution `depth`. */
const struct pd_again_event *pd_story_load(const struct pd_story *s, uint32_t depth, uint32_t i);

/* A word for which recovery waits by reading it over and over. */
struct pd_spin {
	uint64_t addr;
	uint32_t load; /* site of a read */
	uint32_t
		taken; /* site of the locked instruction that set it before the crash; 0: not known */
};

/*
 * Whether recovery waits for one word at its end: it reads nothing else, or of the words that it
 * reads in turn only this one is changed by locked instructions, and it leads to none of them.
 */
bool pd_story_spins(const struct pd_story *s, uint32_t depth, struct pd_spin *spin);

/* Store number i that recovery sees too early; NULL: there is none, or it is not in the story. */
const struct pd_again_event *pd_failure_early_store(const struct pd_failure *f, uint32_t i);

/* The store to show with a failure in which nothing is lost: the one that set the word on which
 * recovery spins; else one that it sees too early, else the last one before the crash. NULL: not in
 * the story. */
const struct pd_again_event *pd_failure_last_store(const struct pd_failure *f);

/* The last read of the first lost store by another thread, before that went on to what recovery
 * trusts, or before the crash; NULL: none is known. */
const struct pd_again_event *pd_failure_reader(const struct pd_failure *f);

enum { PD_STORY_WORDS = 8 }; /* of a loop that waits for a lock, at most */

/* The words, `max` at most, that recovery reads in turn at its end; 0: there are more, or it does
 * something else. */
uint32_t pd_story_circles(const struct pd_story *s, uint32_t depth, uint64_t *addr, uint32_t max);

/* A PM address as a fact: an offset in a file that the crash has left, if one contains it. */
struct pd_fact pd_story_address(const struct pd_story *s, uint64_t addr);

/* ---- why (cause.c) -------------------------------------------------------------------------- */

/* Sets the cause, and `trusted` where the order is wrong. */
void pd_failure_conclude(const struct pd_explored *x, struct pd_failure *f);

/* The read by which recovery trusts the lost store: it saw a later one; NULL: it saw none. */
const struct pd_crash_choice *pd_cause_trusts(const struct pd_failure *f);

/* The read that saw the last store before the lost one, by the same thread; NULL: it saw none. */
const struct pd_crash_choice *pd_cause_before(const struct pd_failure *f);

/*
 * The flush by another thread that makes such a store durable; NULL: there is none, or not for all
 * of them.
 */
const struct pd_board_site *pd_cause_helper(const struct pd_explored *x, const struct pd_blamed *l);

/* ---- transactions (unlogged.c) -------------------------------------------------------------- */

/* Finds the unlogged stores, or else the transaction left open, that are to blame; call before
 * pd_failure_conclude. */
void pd_failure_find_transaction(struct pd_failure *f);

/* Where unlogged store number i was made, and where the transaction to blame began. */
const struct pd_finding_site *pd_unlogged_store(const struct pd_failure *f, uint32_t i);
const struct pd_finding_site *pd_failure_transaction(const struct pd_failure *f);

/* Whether logging one range fixes both. */
bool pd_failures_same_log(const struct pd_explored *x, const struct pd_failure *a,
			  const struct pd_failure *b);

/* The range to log: the first store, and what is adjacent to it. */
struct pd_stretch pd_unlogged_range(const struct pd_explored *x, const struct pd_failure *f);

/* ---- layout (layout.c) ---------------------------------------------------------------------- */

/*
 * Whether the lost stores belong to structs that straddle two lines; sets `straddling` and
 * `object`.
 */
bool pd_failure_find_layout(const struct pd_explored *x, struct pd_failure *f);

/* ---- one bug, one finding (merge.c) --------------------------------------------------------- */

/*
 * How many calls up from this store is the function that has to make it durable; 0: the one that
 * stores.
 */
uint32_t pd_store_level(const struct pd_explored *x, uint32_t site, uint32_t exec);

/*
 * The frame that a store is attributed to: its own, or the caller's where a function stores for
 * others.
 */
const struct pd_frame *pd_store_frame(const struct pd_explored *x, const struct pd_blamed *l);
/* The frame shown with a finding, and part of its id: the caller's also for a function that has one
 * store and flushes it. */
const struct pd_frame *pd_store_shown(const struct pd_explored *x, const struct pd_blamed *l);
/* The frame of the last store before the crash. */
const struct pd_frame *pd_last_store_frame(const struct pd_explored *x, const struct pd_failure *f);

/* Joins failures of one cause; sorts the best to report first. */
void pd_failures_join(const struct pd_explored *x, struct pd_failures *fs);

/* ---- the finding (identity.c, facts.c) ------------------------------------------------------ */

static inline bool pd_finding_site_known(const struct pd_finding_site *s)
{
	return s->at.file || s->at.function;
}

/* PD_KIND_N: the run did not fail. */
enum pd_kind pd_run_kind(const struct pd_crash_run *run);

/* How it ended, as facts. */
void pd_run_facts(const struct pd_crash_run *run, struct pd_fact_list *to);

#define PD_NO_SITE UINT32_MAX

/* The sites of a finding, and the role of each. */
struct pd_failure_sites {
	PD_VEC(struct pd_finding_site) all;
	uint32_t identifying; /* number of leading sites that identify the finding in another run */
	uint32_t *store;      /* by index of the blame */
	uint32_t *load;
	uint32_t waited[2];
	uint32_t passed[2];
	uint32_t unlogged[8];
	uint32_t early[4];
	uint32_t transaction;
	uint32_t reader;
};

void pd_failure_sites(const struct pd_explored *x, const struct pd_failure *f,
		      struct pd_failure_sites *to, struct pd_arena *a);

/* The facts from which the report makes its sentences. */
struct pd_facts pd_failure_facts(const struct pd_explored *x, const struct pd_failure *f,
				 const struct pd_failure_sites *sites, struct pd_arena *a);

/* Finds the place, with names, of a site (NULL: none) and the calls that led there. */
struct pd_step_places {
	struct pd_finding_site (*find)(void *ctx, bool recovery, const struct pd_board_site *s,
				       const uint64_t *pc, uint32_t n);
	void *ctx;
};

/* What led to a failure that was run again, in reading order. (steps.c) */
struct pd_steps pd_failure_steps(const struct pd_explored *x, const struct pd_failure *f,
				 const struct pd_step_places *places, struct pd_arena *a);

/* Fills in kind, cause, id, sites, facts and count. */
void pd_failure_finding(const struct pd_explored *x, const struct pd_failure *f,
			struct pd_finding *to, struct pd_arena *a);

#endif
