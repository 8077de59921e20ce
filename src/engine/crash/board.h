/*
 * board.h - what the processes of one exploration share.
 *
 * The tool, the process of the first execution, the zygote that starts recoveries and the recoveries
 * themselves all map this memory at the same address, so pointers in it mean the same to all. It only
 * grows. One process writes at a time: the first execution waits while a recovery runs, and a recovery
 * waits for those that branch off from it.
 *
 *	PD_BOARD_BASE   struct pd_board, then what pd_board_alloc hands out
 *	PD_BOARD_STATE  the state of the crash at hand: made anew for each crash point
 */
#ifndef PD_ENGINE_CRASH_BOARD_H
#define PD_ENGINE_CRASH_BOARD_H

#include "engine/crash/again.h"
#include "engine/crash/tree.h"
#include "event/abi.h"
#include "event/choice.h"
#include "event/event.h"

#define PD_BOARD_BASE (5ULL << PD_PM_SHIFT)
#define PD_BOARD_SIZE (64ULL << 30)
#define PD_BOARD_STATE (PD_BOARD_BASE + (48ULL << 30))

enum {
	PD_BOARD_SITES = 1 << 16,
	PD_BOARD_CHOICES = 256, /* on one path, that are described; more are only counted */
	PD_BOARD_OUTPUT = 4096,
	PD_BOARD_ROOTS = 256,
	PD_BOARD_DEPTH = 4, /* crashes in a row, at most */
	PD_BOARD_OUTCOMES = 1 << 16,
};

/* Where the state of the crash that ends execution number `depth` is. */
#define PD_BOARD_STATE_SIZE (4ULL << 30)

/* A place of the source, for the tool. */
struct pd_board_site {
	const char *file;
	const char *function;
	uint32_t line;
	uint32_t column;
	const struct pd_board_site *inlined_at;
	uint64_t left_open; /* stores of this site that were not durable at the end of the first execution */
};

/* A read of recovery that could see several values. */
struct pd_board_choice {
	uint32_t n;
	uint32_t pick;
	uint32_t load;        /* site, of the recovery */
	uint32_t newest;      /* site of the store that gives the newest value, 0: none */
	uint32_t newest_exec; /* in which execution that was */
	uint32_t seen;        /* site of the store whose value was read; 0: the content from before */
	uint32_t seen_exec;
	uint32_t size;
	uint32_t newest_order; /* places in the log of that execution */
	uint32_t seen_order;
	uint32_t flush; /* the newest store was flushed, without a fence, when the log was this long */
	uint64_t addr;
	uint64_t newest_value;
	uint64_t seen_value;
};

/* A recovery that is being executed, or that has ended badly. */
struct pd_board_run {
	struct pd_board_run *next; /* findings */
	const struct pd_board_run *parent; /* the recovery that crashed before this one; NULL: the first run */
	struct pd_tree_node *node; /* where it is in the tree */
	struct pd_digest path;     /* all that it has read: equal digests are the same recovery */
	uint64_t signature;        /* of what was lost on its path (tree.h) */
	uint64_t seed;             /* of its schedule */
	uint32_t outcome;          /* enum pd_outcome; set by itself where only it can know */
	uint32_t detail;
	uint32_t depth;            /* which execution this is; 1 is the first recovery */
	uint32_t point;            /* crash point, from 1, of the execution before */
	uint32_t crash_site;       /* of the first execution */
	uint32_t crash_kind;       /* enum pd_event_kind: what was about to happen */
	uint32_t nchoice;
	struct pd_board_choice choice[PD_BOARD_CHOICES];
	uint64_t events;
	uint32_t waiting;       /* for another recovery: that one may hang, this one does not */
	uint32_t last_store;    /* site of the last store before the crash */
	uint32_t idle_flush;    /* site of the last flush before it that had nothing to write back */
	uint32_t idle_order;    /* and how long the log was then */
	uint32_t nstack;
	uint64_t stack[16];     /* where the crash was */
	uint32_t check_line;    /* of a pd_check that failed */
	char check_file[200];
	uint32_t last_load; /* site of the last read of PM */
	uint32_t lost;      /* choices on its path that did not read the newest value */
	uint32_t noutput;
	uint32_t nfail;
	uint64_t fail[16]; /* where it failed */
	char text[256]; /* what it says of itself: the condition that failed, who waits for what */
	char output[PD_BOARD_OUTPUT];
};

/* What the first execution asks of the recovery zygote. */
struct pd_board_order {
	const void *state;
	uint64_t state_n;
	const void *files;
	uint64_t files_n;
	struct pd_tree_node *root;
	const uint32_t *picks;
	uint32_t npick;
	uint32_t depth;
	uint32_t point;
	uint32_t crash_site;
	uint32_t crash_kind;
	uint32_t last_store;
	uint32_t idle_flush;
	uint32_t idle_order;
	uint32_t nstack;
	uint64_t stack[16];
	const struct pd_board_run *parent;
};

struct pd_board_root {
	struct pd_digest files;
	uint32_t depth; /* recoveries that may crash in turn are not the same as those that may not */
	struct pd_tree_node node;
};

struct pd_board {
	uint64_t used;
	/* Set by the tool */
	uint64_t event_limit; /* of one recovery; 0: by what the first execution took */
	uint64_t hang_ms;
	uint32_t stop; /* no more executions: ^C, or the time is over */
	uint32_t crashes;        /* in a row */
	uint32_t no_incremental; /* every crash point starts with an empty tree */
	uint32_t eager;          /* every line is decided before main */
	uint32_t replaying;      /* crash at the points of `replay` and make its picks, and nothing else */
	struct pd_board_replay {
		uint32_t point;
		uint32_t npick; /* of the recovery that follows */
		const uint32_t *picks;
	} replay[PD_BOARD_DEPTH];
	uint64_t ok_exit[4]; /* a bit a status */
	struct pd_again again; /* asked for where one finding is run again */
	/* Set by the tested processes */
	uint32_t points; /* crash points found */
	uint32_t points_run; /* those that needed an execution */
	uint64_t executions; /* recoveries */
	uint64_t leaves;     /* recoveries that were needed, known or executed */
	uint64_t first_events;
	double eager_log10;
	uint32_t diverged;
	uint32_t lost;
	uint32_t capped;   /* roots, sites or memory ran out */
	uint32_t finished; /* how often the first execution got to its end: once for each schedule */
	uint64_t seed;     /* of the schedule that is being run; 0: the default one */
	char note[256];    /* the first divergence or failure */
	/* Different ways in which recoveries ended: how, and what they printed. */
	uint32_t noutcome;
	uint64_t outcome_sum; /* of their digests: equal sums are equal sets */
	uint64_t outcome[PD_BOARD_OUTCOMES];
	uint32_t nroot;
	struct pd_board_root root[PD_BOARD_ROOTS];
	struct pd_board_run *findings;
	struct pd_board_run *free_runs; /* of recoveries that ended well: to be used again */
	uint32_t nfinding;
	struct pd_board_order order[PD_BOARD_DEPTH + 1]; /* by the depth of the execution that is asked for */
	struct pd_board_site *first_site[PD_BOARD_SITES];
	struct pd_board_site *recover_site[PD_BOARD_SITES];
};

static inline struct pd_board *pd_board(void)
{
	return (struct pd_board *)PD_BOARD_BASE;
}

/* Zeroed; NULL: the board is full. */
static inline void *pd_board_alloc(void *ctx, size_t n)
{
	struct pd_board *b = pd_board();
	uint64_t at = (b->used + 15) & ~15ULL;

	(void)ctx;
	if (n > PD_BOARD_STATE - PD_BOARD_BASE - at) {
		b->capped++;
		return NULL;
	}
	b->used = at + n;
	return (void *)(PD_BOARD_BASE + at);
}

static inline struct pd_tree_memory pd_board_memory(void)
{
	return (struct pd_tree_memory){pd_board_alloc, NULL};
}

#endif
