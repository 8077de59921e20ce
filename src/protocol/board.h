/*
 * board.h - the memory that the processes of one exploration share.
 *
 * The tool, the process of the first execution, the zygote that starts recoveries and the
 * recoveries themselves all map this memory at the same address, so pointers in it are valid in all
 * of them. It only grows.
 *
 * At a crash point that needs executions the first execution splits off a *walker*, a snapshot of
 * itself that walks the tree of recoveries, and continues to the next crash point. *Workers*,
 * zygotes of recoveries, as many as jobs, execute recoveries for walkers; a worker does one order
 * at a time, with all that branches off. What several processes write concurrently is written by
 * one atomic instruction: counters, lists (pd_board_push) and the tree.
 *
 *	PD_BOARD_BASE   struct pd_board, then the memory of pd_board_alloc
 *	PD_BOARD_STATE  the states of the current crashes, one for each walker and depth
 *
 * It begins with its own description. The tool writes that, each process that maps the board
 * compares it, and the tool does so again when an execution has ended: a tested program may write
 * anywhere.
 */
#ifndef PD_PROTOCOL_BOARD_H
#define PD_PROTOCOL_BOARD_H

#include "engine/crash/again.h"
#include "engine/crash/checksum.h"
#include "engine/crash/crash.h"
#include "engine/crash/outcomes.h"
#include "engine/crash/pace.h"
#include "engine/crash/pick.h"
#include "engine/crash/point.h"
#include "engine/crash/random.h"
#include "engine/crash/root.h"
#include "engine/crash/several.h"
#include "engine/crash/share.h"
#include "engine/crash/tree.h"
#include "engine/linear/bounded.h"
#include "engine/linear/plan.h"
#include "engine/linear/workload.h"
#include "engine/lockset/meet.h"
#include "event/abi.h"
#include "event/choice.h"
#include "event/event.h"
#include "event/site.h"

#define PD_BOARD_BASE	    PD_LAYOUT_BOARD

#define PD_BOARD_STATE	    (PD_BOARD_BASE + (48ULL << 30))
#define PD_BOARD_STATE_SIZE (4ULL << 30)
#define PD_BOARD_SIZE	    ((48ULL << 30) + PD_BOARD_WALKERS * PD_BOARD_DEPTH * PD_BOARD_STATE_SIZE)

enum {
	PD_BOARD_SITES = 1 << 18, /* PMDK alone has 70,000 */
	PD_BOARD_DEPTH = PD_CRASH_DEPTH,
	PD_BOARD_WORKERS = 64,
	PD_BOARD_WALKERS = PD_SHARE_WALKERS,
	PD_BOARD_CROSSED = 8192,
	PD_BOARD_VIEWS = 2048,
	/* Increase it when the meaning of a field changes; a change of size is detected anyway */
	PD_BOARD_VERSION = 2,
};

#define PD_BOARD_MAGIC 0x6472616f622d6470ULL /* "pd-board" */

/* What a random recovery has read of what the crash left. */
struct pd_board_reads {
	struct pd_board_reads *next;
	uint32_t n;
	struct {
		uint64_t block, mask;
	} read[255];
};

/* A walker's order to a worker. */
struct pd_board_order {
	uint32_t walker; /* whose order this is */
	uint32_t worker;
	/* Process number of the walker: owner of the nodes that result */
	uint32_t owner;
	/* The pending node that the picks lead to; else NULL */
	struct pd_tree_node *to;
	const void *state;
	uint64_t state_n;
	const void *files;
	uint64_t files_n;
	const void *history; /* results of operations (runtime/check/check.h) */
	uint64_t history_n;
	struct pd_tree_node *root;
	struct pd_wish wish;
	struct pd_board_reads *reads;	  /* list for what it reads; NULL: not wanted */
	const struct pd_crash_run *ended; /* the record of the run, if it did not end well */
	struct pd_crash_run *trial;	  /* the record, if it is only a trial; NULL: it counts */
	struct pd_crash crash;
};

/* The slots of a process that explores one crash point. */
struct pd_board_walker {
	/* By the depth of the ordered execution */
	struct pd_board_order order[PD_BOARD_DEPTH + 1];
	/* By the depth of the ordering execution; reused */
	struct pd_board_reads *reads[PD_BOARD_DEPTH];
};

/* Zygotes of recoveries, one per depth. */
struct pd_board_worker {
	uint32_t pid;	     /* of the walker that it works for; 0: idle */
	uint32_t order_size; /* recoveries executed for the current order */
	/* One of its processes has died: it must not be used any more */
	uint32_t broken;
	int32_t socket[PD_BOARD_DEPTH]; /* [d] is for recoveries of depth d + 1 */
	struct pd_crash_run *free_runs; /* for reuse, of recoveries that ended well */
	struct pd_crash_choice *free_choices;
};

struct pd_torn_table;
struct pd_cover;

/* The operations of a driver, for the tool, which cannot see into it. */
struct pd_board_driver {
	struct pd_linear_entry *table; /* without functions */
	const char *text;   /* workload of the command line, as pd_workload_print writes it */
	uint32_t n;	    /* bytes */
	uint32_t threads;   /* an operation of a higher thread number is main's, and comes first */
	uint32_t condition; /* enum pd_linear_condition */
	uint32_t together;  /* number of operations that threads execute freely */
	uint64_t command;   /* a digest of the command line */
	const struct pd_work *keys; /* one operation for each key of that workload */
	uint32_t nkeys;
};

/* Tests of `linear` (engine/linear/plan.h, runtime/linear/tests.h). */
struct pd_board_tests {
	/* Set by the tool */
	/* Explore every state that recovery can distinguish, not just the worst ones */
	uint32_t all_states;
	/* Operations that replace those of the command line; NULL: none */
	const char *work;
	uint32_t nwork;	      /* bytes */
	uint32_t work_number; /* number of that workload; 0: the command line's */
	/* Bit set of sites that other workloads reach: the plan is for operations that reach more.
	 * NULL: for all */
	const uint8_t *known;
	/* 1 + site: a test is for the first access there, whichever store or load that is; 0:
	 * none */
	uint32_t by_site;
	uint32_t held; /* set by a test: 1 + the site of the access that it was for */
	/* Set by the tested processes: the plan, and its results */
	const struct pd_board_driver *driver;
	uint8_t *reached; /* bit set of sites at which the operations of the last pass access PM */
	/* The same for the pass that made the plan: what each operation does by itself */
	uint8_t *alone;
	uint32_t last_new; /* 1 + the last operation that was the first to reach an unknown site */
	const struct pd_plan *plan;
	struct pd_bounded_log bounded; /* what the last execution could have done (--exhaustive) */
	/* Meetings in which the second operation stored where none does by itself */
	struct pd_board_crossed {
		struct pd_named name;
		uint32_t site; /* of that store */
	} *crossed;	       /* room for PD_BOARD_CROSSED; NULL: not wanted */
	uint32_t ncrossed;     /* including those without room */
	uint64_t *results;     /* digests of the results of the operations, in order */
	uint32_t differs;      /* 1 + the operation that returned something else the second time */
	uint32_t
		run[3]; /* recoveries, by enum pd_worst; [0]: crashes, where all states are tried */
	uint32_t returned;  /* of the first kind: crashes after an operation */
	uint32_t pairs;	    /* of two or three operations that met */
	uint32_t apart;	    /* that did not meet although they were brought together */
	uint32_t unreached; /* points that did not recur when the operations were repeated */
	uint32_t unnamed;   /* tests whose name does not fit */
	uint32_t unmade;    /* tests for which no process could be created */
};

struct pd_board {
	/* Identification (pd_board_mark) */
	uint64_t magic;
	uint32_t version;
	uint32_t size;		/* of this struct */
	uint64_t used;		/* bytes, including this struct: pd_board_alloc */
	struct pd_cover *cover; /* NULL: coverage is off (engine/crash/cover.h) */
	/* Races found (engine/torn/race.h); NULL: not searched for */
	struct pd_torn_table *torn;
	/* Set by the tool */
	/* A recovery without an event for this long hangs (engine/crash/pace.h) */
	uint64_t hang_ms;
	uint32_t stop; /* no more executions: ^C, or time is up */
	/* A process killed from now on counts as the program's own failure */
	uint32_t last_try;
	uint32_t crashes;		       /* in a row, at most */
	uint32_t no_incremental;	       /* every crash point starts with an empty tree */
	uint32_t ambiguous;		       /* record reads that can see several values */
	uint32_t eager;			       /* decide every line before main */
	uint32_t by_value;		       /* split reads by value, whatever their view */
	struct pd_random random;	       /* if recoveries are drawn (engine/crash/random.h) */
	struct pd_checksum_functions checksum; /* of --checksum, and which of them were seen */
	struct pd_board_hold {		       /* a race that is to happen */
		struct pd_meet_asked asked;
		struct pd_meet_seen seen;
	} hold;
	struct pd_fixed fixed[PD_BOARD_DEPTH]; /* by the depth of the execution that crashes */
	struct pd_board_tests tests;
	uint64_t ok_exit[4];   /* bit per exit status */
	struct pd_again again; /* request for the rerun of one finding */
	uint32_t keeps_side;   /* power fails with all side files synced */
	/* Set by the tested processes */
	uint32_t has_side;		/* a crash has met side files */
	char unsynced[PD_UNKNOWN_NAME]; /* the first of them that keeps_side has changed */
	uint32_t points;		/* crash points found */
	uint32_t points_done;  /* those of the first execution that were explored completely */
	uint32_t points_run;   /* those that needed an execution */
	uint64_t executions;   /* recoveries */
	uint64_t trials;       /* further ones, to find out which stores had to be lost */
	uint32_t failed;       /* executions that ended badly */
	uint64_t leaves;       /* recoveries that crash points needed, known or executed */
	uint64_t first_events; /* of the first execution, up to its last crash point */
	struct pd_pace pace;   /* of the program itself */
	uint64_t eager_log10;  /* states that an eager checker would visit: bits of a double */
	uint32_t largest_kb;   /* memory of the largest recovery */
	uint32_t diverged;     /* recoveries that behaved differently with equal values ... */
	uint32_t lost;	       /* ... and recoveries whose end is unknown */
	/* Own processes that were killed: their work has to be repeated */
	uint32_t killed;
	/* Reserved memory counts as used: there are as many stacks as processes */
	uint32_t strict_memory;
	int32_t starved;   /* errno of a failure to create a process */
	uint32_t released; /* changes whenever a worker or a walker becomes free */
	uint32_t capped;   /* roots, sites or memory ran out */
	/* How often the first execution reached its end: once per schedule */
	uint32_t finished;
	uint32_t ended; /* it did at least once, also in a rerun: what it left open is known */
	uint64_t seed;	/* of the current schedule; 0: the default one */
	/* Of the first one of each */
	struct pd_unknown why_diverged, why_lost;
	/* Operations had returned before a crash: recovery announced some itself, and they were
	 * judged together (judged); it ended well and announced none (silent) */
	uint32_t judged;
	uint32_t silent;
	uint32_t misused;
	char misuse[PD_RUN_TEXT];  /* what the program did wrong, the first time */
	struct pd_several several; /* if asked for */
	/* The different ways in which recoveries ended: how, and what they printed */
	struct pd_outcomes outcomes;
	struct pd_tree_view *views; /* of reads (engine/crash/tree.h) */
	/* Some of them, by where they are in the program: any may be of another place */
	const struct pd_view *view_at[PD_BOARD_VIEWS];
	struct pd_tree_reads reads;    /* shared by all trees */
	struct pd_roots roots;	       /* of the trees of recoveries (engine/crash/root.h) */
	struct pd_crash_run *findings; /* failed runs: each with what was lost on its path */
	uint32_t nfinding;	       /* how many */
	struct pd_share share;	       /* which processes walk, and how work is shared */
	struct pd_board_walker walker[PD_BOARD_WALKERS];
	struct pd_board_worker worker[PD_BOARD_WORKERS];
	/* Described sites of the program and of its recovery, by site number */
	struct pd_board_site *first_site[PD_BOARD_SITES];
	struct pd_board_site *recover_site[PD_BOARD_SITES];
};

static inline void pd_board_mark(struct pd_board *b)
{
	b->magic = PD_BOARD_MAGIC;
	b->version = PD_BOARD_VERSION;
	b->size = sizeof(*b);
}

static inline bool pd_board_is_marked(const struct pd_board *b)
{
	return b->magic == PD_BOARD_MAGIC && b->version == PD_BOARD_VERSION &&
	       b->size == sizeof(*b);
}

PD_LAYOUT_CHECK(PD_BOARD_BASE + PD_BOARD_SIZE, PD_LAYOUT_BOARD_END);

static inline struct pd_board *pd_board(void)
{
	return (struct pd_board *)PD_BOARD_BASE;
}

/* What is known of a site of the program, or of its recovery; NULL: nothing. */
static inline struct pd_board_site *pd_board_site(const struct pd_board *b, bool recovery,
						  uint32_t site)
{
	return pd_site_find(recovery ? b->recover_site : b->first_site, PD_BOARD_SITES, site);
}

#define pd_board_count(counter) ((void)__atomic_fetch_add(&(counter), 1, __ATOMIC_RELAXED))

/* Zeroed; NULL: the board is full. */
static inline void *pd_board_alloc(void *ctx, size_t n)
{
	struct pd_board *b = pd_board();
	uint64_t size = (n + 15) & ~15ULL;
	uint64_t at = __atomic_fetch_add(&b->used, size, __ATOMIC_RELAXED);

	(void)ctx;
	if (at + size > PD_BOARD_STATE - PD_BOARD_BASE) {
		__atomic_fetch_sub(&b->used, size, __ATOMIC_RELAXED);
		pd_board_count(b->capped);
		return NULL;
	}
	return (char *)b + at;
}

/* Pushes an item with a member `next` to the front of a list. */
#define pd_board_push(list, item)                                                                  \
	do                                                                                         \
		(item)->next = __atomic_load_n(&(list), __ATOMIC_RELAXED);                         \
	while (!__sync_bool_compare_and_swap(&(list), (item)->next, (item)))

/* Whether a bit set of sites has this one. */
static inline bool pd_board_has_site(const uint8_t *bits, uint32_t site)
{
	return bits[site / 8] >> site % 8 & 1;
}

static inline double pd_board_eager(const struct pd_board *b)
{
	double d;

	memcpy(&d, &b->eager_log10, sizeof(d));
	return d;
}

static inline struct pd_tree_memory pd_board_memory(void)
{
	return (struct pd_tree_memory){pd_board_alloc, NULL, &pd_board()->reads, NULL};
}

#endif
