/*
 * explore.h - the memory that the processes of one symbolic exploration share.
 *
 *	tool       creates this memory, starts the program, keeps the solvers, collects paths that
 *	           have ended, judges
 *	origin     the program, up to its first use of a byte of the input: the checkpoint. There it
 *	           splits off the workers, and then only replaces those that die
 *	worker     takes a record from the frontier, runs the program from the checkpoint with its
 *	           input, asks for inputs that leave the path, puts those into the frontier
 *	solver     a child of the tool: answers what a worker could not cheaply answer itself
 *	           (engine/explore/ask.h)
 *
 * All map it at one address, so pointers are valid in all of them. A worker's graph of expressions,
 * path and caches are in a region of its own, also here, so that they outlive the processes in
 * which single paths run.
 *
 * A record is in exactly one place: in the frontier, or in the slot of the worker that runs it. If
 * a worker is killed, the tool puts its record back, once; the second time it is counted as lost.
 *
 * The lock is a word: 0, or the pid that holds it. A process that waits checks that the holder is
 * alive.
 *
 * Thread rule: what has no lock is written by the side that its comment names.
 */
#ifndef PD_PROTOCOL_EXPLORE_H
#define PD_PROTOCOL_EXPLORE_H

#include "engine/explore/ask.h"
#include "engine/explore/path.h"
#include "engine/explore/reach.h"
#include "engine/explore/search.h"
#include "event/abi.h"
#include "event/fault.h"
#include "event/layout.h"
#include "event/schedule.h"
#include "event/script.h"

#define PD_EXPLORE_BASE	  PD_LAYOUT_BOARD
#define PD_EXPLORE_REGION (32ULL << 30) /* address space of a worker's own region */
#define PD_EXPLORE_SIZE	  (PD_EXPLORE_FRONTIER + PD_EXPLORE_REGION * (PD_EXPLORE_WORKERS + 1))
/* Offset of the frontier behind the board; the workers' regions follow. */
#define PD_EXPLORE_FRONTIER (1ULL << 30)
/* Before it, answers that all workers share (engine/explore/common.h). */
#define PD_EXPLORE_COMMON (PD_EXPLORE_REACH / 2)
/* And where the code of all objects leads (engine/explore/reach.h). */
#define PD_EXPLORE_REACH (PD_EXPLORE_FRONTIER / 2)

#define PD_EXPLORE_MAGIC 0x726f6c7078652d70ULL /* "p-explor" */

enum {
	PD_EXPLORE_VERSION = 4,
	PD_EXPLORE_WORKERS = 64,
	PD_EXPLORE_SOURCES = 64,
	PD_EXPLORE_NAME = 256,
	PD_EXPLORE_QUERY = 1 << 20,
	PD_EXPLORE_ENDED = 1024,    /* ended paths that the tool has not collected yet, at most */
	PD_EXPLORE_FINDINGS = 4096, /* kinds and places of what a watcher reported */
	PD_EXPLORE_EDGES = 1 << 20, /* of branches */
	PD_EXPLORE_PM_SITES = 1 << 18,
	PD_EXPLORE_INPUT = 1 << 16, /* bytes of an input, at most */
	PD_EXPLORE_LOSSES = 64,
	PD_EXPLORE_FAULTS = 8, /* per path, at most */
};

/* What is symbolic: n bytes of the input, from `first` on. */
enum pd_source_kind {
	PD_SOURCE_ARG,	 /* an argument: its number is in `at`; exactly n bytes, and a NUL */
	PD_SOURCE_STDIN, /* the first n bytes; then the end */
	PD_SOURCE_FILE,	 /* bytes from offset `at` on of a file; with `whole`: all of it, n bytes */
	PD_SOURCE_PM,	 /* bytes from offset `at` on of a PM file, when it is first mapped */
	PD_SOURCE_MEMORY, /* what pd_symbolic() names, assigned as the program asks */
	/* A byte per call that may fail (event/fault.def): an enum pd_fault; any other value: it
	 * does not fail */
	PD_SOURCE_FAULT,
	/* A byte that selects the schedule of threads, from the first that is created on: 0, or any
	 * value that is none: each runs until it blocks */
	PD_SOURCE_SCHEDULE,
	/* Bytes of packets, in the order of the script (event/script.h), of which `at` is a
	 * digest */
	PD_SOURCE_SOCKET,
};

struct pd_explore_source {
	uint32_t kind;
	uint32_t whole;
	uint64_t at;
	uint32_t first;
	uint32_t n;
	/* The most bytes of it that any path has used: written by the workers, atomic. Less than n
	 * at the end is worth a note; more than n of MEMORY or FAULT: it was too small. */
	uint32_t used;
	uint32_t pad;
	/* FILE, PM: as the program opens it, or a name that leads to the same file */
	char name[PD_EXPLORE_NAME];
};

/* A call that has failed on a path. */
struct pd_explore_fault {
	uint32_t call;	   /* from 1; 0 ends the list */
	uint16_t function; /* enum pd_faulty */
	uint16_t how;	   /* enum pd_fault */
	uint32_t line;	   /* of the call; 0: not known */
	char file[52];	   /* the last part of its name, truncated if longer */
};

enum pd_query_state { PD_QUERY_IDLE, PD_QUERY_ASKED, PD_QUERY_TAKEN, PD_QUERY_ANSWERED };

/*
 * A query for a solver. The worker writes it while IDLE or ANSWERED (with solver and tries 0), sets
 * it to ASKED, increments solver_event and wakes one waiter there. A solver claims it by setting
 * `solver` from 0 to its pid; then the query is its own, and TAKEN. It writes the answer, and wakes
 * the waiter on `state`. If a solver dies of it, the tool acts: it is ASKED once more, then
 * UNKNOWN. After `stop` all answers are UNKNOWN, and mean nothing. A worker that takes over the
 * region of a killed one waits until its query is ANSWERED.
 */
struct pd_explore_query {
	uint32_t state;	 /* a futex */
	uint32_t answer; /* enum pd_ask_answer */
	uint32_t n;	 /* bytes, as engine/explore/query.h writes them */
	uint32_t solver; /* pid of the solver that has claimed it */
	uint32_t tries;	 /* solvers that have died of it */
	uint32_t pad;
	uint64_t ns;			 /* of CPU time */
	uint8_t bytes[PD_EXPLORE_QUERY]; /* the query; then, for YES, the answer */
};

enum pd_outcome {
	PD_OUTCOME_EXIT,    /* `status` is the exit status */
	PD_OUTCOME_SIGNAL,  /* it is the signal */
	PD_OUTCOME_HANG,    /* longer than the limit of a path */
	PD_OUTCOME_ASSUMED, /* pd_assume() did not hold: not a path of the program */
	PD_OUTCOME_FAILED,  /* the runtime gave up: `what` says why */
	PD_OUTCOMES
};

/* A path that has ended, for the tool. */
struct pd_explore_ended {
	uint64_t number;
	uint64_t digest;
	uint32_t outcome; /* enum pd_outcome */
	uint32_t status;
	uint32_t site;	      /* of the branch that the path was made for */
	uint32_t new_edges;   /* branches that it was the first to cover */
	uint32_t new_finding; /* it was the first with a finding of some kind at some place */
	uint32_t stored;      /* it stored to PM in a new way (digest of sites) */
	uint64_t place;	      /* SIGNAL, HANG: digest of the calls where it stood; 0: not known */
	char what[120];	      /* FAILED; or the text of a failed assertion */
	struct pd_explore_fault fault[PD_EXPLORE_FAULTS];
	uint8_t input[]; /* input_size bytes */
};

enum pd_worker_state { PD_WORKER_NONE, PD_WORKER_IDLE, PD_WORKER_RUNNING, PD_WORKER_GONE };

struct pd_explore_worker {
	uint32_t pid;
	uint32_t state;	  /* enum pd_worker_state */
	uint64_t record;  /* address of the current record; 0: none */
	uint32_t retried; /* an earlier worker died of this record */
	uint32_t pad;
	uint64_t runs, forks, in_place;
	uint64_t from_snapshots;	    /* runs that did not start at the checkpoint */
	uint64_t snapshots, snapshots_gone; /* taken; and given up for others */
	/* Of the current run, written by the process that runs it */
	uint32_t new_sites;		 /* of PM */
	uint32_t new_edges, new_finding; /* as in struct pd_explore_ended */
	uint32_t failed, assumed;
	/* Digest of the sites that have stored to PM, in order of their first store */
	uint64_t stored;
	char what[120];
	struct pd_explore_fault fault[PD_EXPLORE_FAULTS];
	struct pd_ask_stats asked;
	uint64_t solver_ns;
	struct pd_explore_query query;
};

/* What a watcher reported, over all paths. The tool finds it in its own run by kind and line. */
struct pd_explore_finding {
	uint64_t key;	 /* digest of kind and place; 0: none */
	uint64_t paths;	 /* number of paths that have it */
	uint64_t number; /* of the first of these; 0: it has not ended yet */
	uint16_t kind;	 /* enum pd_kind */
	uint16_t worker; /* that ran the first one */
	uint32_t line;	 /* of its (first) place; 0: not known */
	char file[64];	 /* the last part of its name, truncated if longer */
};

/* Something was concretised, cut or not understood: becomes a loss of the result. */
struct pd_explore_loss {
	uint64_t key;
	uint64_t count;
	uint32_t site;
	uint32_t why;  /* enum pd_sym_why, or PD_SYM_WHYS: see `what` */
	char what[80]; /* otherwise the function (CALL), or "file.c:12"; or "" */
};

struct pd_explore {
	uint64_t magic;
	uint32_t version;
	uint32_t size; /* of this struct */

	/*
	 * Set by the tool, before it starts the program; as are the ring of ended paths (empty) and
	 * the frontier (pd_search_init), with a record for each initial input: bound 0, depth 0. A
	 * source of MEMORY is the last one.
	 */
	uint32_t jobs;
	uint32_t input_size;
	uint32_t nsources;
	struct pd_explore_source source[PD_EXPLORE_SOURCES];
	struct pd_path_limits limits;
	uint32_t addresses; /* addresses that a symbolic pointer is resolved to, at most */
	uint32_t path_ms;   /* time limit of a path */
	uint64_t max_paths; /* 0: no limit */
	uint64_t max_bytes; /* of a worker's region, and of the frontier */
	/* This many paths are all passed to the tool; later ones only if they are new */
	uint32_t keep_all;
	uint32_t no_in_place; /* run each path in a process of its own */
	uint32_t no_solver;
	uint32_t snapshot_us;	 /* of a run, after which a snapshot pays */
	uint64_t snapshot_bytes; /* for those of a worker; 0: there are none */
	uint32_t faults;	 /* per path, at most */
	uint32_t schedules;	 /* of a source SCHEDULE: number of schedules */
	uint64_t schedule_seed;	 /* schedule i is PCT with this seed and i (event/schedule.h) */
	uint64_t query_ms;
	char script[PD_SCRIPT_TEXT]; /* of a source SOCKET */
	uint32_t stop;		     /* ^C, or time is up */
	/* The first input, which the program has before the checkpoint */
	uint8_t seed[PD_EXPLORE_INPUT];

	/* Counters, atomic */
	uint64_t paths;	  /* that have ended */
	uint64_t numbers; /* given to runs that have ended: paths, and what has left them */
	uint64_t
		diverged; /* runs that left the path that their record predicted; they are no paths */
	uint64_t assumed; /* paths that ended because pd_assume() did not hold */
	uint64_t unknown; /* queries without an answer */
	uint64_t steps_cut, pins_cut;
	uint64_t frontier_cut;	      /* records without room */
	uint64_t lost;		      /* records that killed two workers */
	uint64_t pinned[PD_SYM_WHYS]; /* values used as they are, by reason; others are tried */
	uint64_t dropped;	      /* labels that did not match memory */
	uint64_t edges;		      /* branches covered, per direction */
	uint64_t branches;	      /* number of edges in all instrumented code; 0: not known */
	uint64_t pm_reached;	      /* sites of PM events that were reached */
	uint64_t pm_sites;	      /* number of such sites; 0: not known */
	uint32_t checkpoint;	      /* the program has used its input: workers are running */
	uint32_t over;		      /* nothing is left, or stop: the origin ends */
	uint32_t diverged_at;	      /* site of the first divergence */
	char diverged_what[80];	      /* the same as "file.c:12"; or "" */

	/* Of the program, set by the origin before the first path */
	uint32_t symbolic;     /* objects compiled for symbolic execution; 0: the origin ends */
	uint32_t not_symbolic; /* objects compiled with perdure cc, but not for this */
	char not_symbolic_what[PD_EXPLORE_NAME]; /* the first of these */

	uint32_t waiting;      /* a futex: records have arrived, or all is over */
	uint32_t ended_event;  /* a futex for the tool */
	uint32_t solver_event; /* a futex for solvers */

	uint32_t lock; /* of the frontier */
	uint32_t busy; /* workers that run a record */
	struct pd_search search;
	struct pd_reaches *reach; /* made at the checkpoint; NULL: nothing is known of the code */
	uint32_t reach_stale;	  /* there are fewer targets now */
	uint64_t reach_next;	  /* time in ns at which distances may be recomputed */

	uint32_t ended_lock;
	uint32_t ended_first, ended_n; /* ring of ended paths */
	uint64_t ended_at;	       /* offset of the ring: PD_EXPLORE_ENDED slots */
	uint32_t ended_slot;	       /* bytes of each */

	uint32_t table_lock; /* of findings and losses */
	uint32_t nfindings, nlosses, nways;
	struct pd_explore_finding finding[PD_EXPLORE_FINDINGS];
	/* Digests of sites that have stored to PM, one per path */
	uint64_t way[PD_EXPLORE_FINDINGS];
	uint64_t findings_cut; /* findings without room */
	struct pd_explore_loss loss[PD_EXPLORE_LOSSES];
	uint64_t losses_cut; /* kinds of losses without room */

	/* How often each edge was taken, up to 255 (pd_explore_edge) */
	uint8_t edge[PD_EXPLORE_EDGES];
	uint16_t tried[PD_EXPLORE_EDGES]; /* records meant to take each edge, up to 65535 */
	/* By edge: sites of PM that paths through it were the first to reach, up to 255 */
	uint8_t led[PD_EXPLORE_EDGES];
	uint8_t pm_site[PD_EXPLORE_PM_SITES]; /* sites that a PM event came from */
	struct pd_explore_worker worker[PD_EXPLORE_WORKERS];
};

/* ---- locks, and the ring of ended paths ------------------------------------------------------ */

/* Takes a lock; false: *by holds it. If that process is gone, try again with `gone` set to it. */
static inline bool pd_explore_try_lock(uint32_t *lock, uint32_t pid, uint32_t gone, uint32_t *by)
{
	*by = gone;
	return __atomic_compare_exchange_n(lock, by, pid, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

static inline void pd_explore_unlock(uint32_t *lock)
{
	__atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}

/* Entry i of the ring; the caller holds ended_lock. */
static inline struct pd_explore_ended *pd_explore_ended_at(const struct pd_explore *b, uint32_t i)
{
	uint64_t slot = (b->ended_first + i) % PD_EXPLORE_ENDED;

	return (struct pd_explore_ended *)((uintptr_t)b + b->ended_at + slot * b->ended_slot);
}

/* The number of a schedule, as event/schedule.h has it. */
static inline uint64_t pd_explore_schedule(uint64_t seed, uint32_t i)
{
	struct pd_schedule s = {.policy = PD_POLICY_PCT, .seed = seed + i};

	return i ? pd_schedule_number(&s) : 0;
}

/* The index at which a step is counted: a site and the direction taken. */
static inline uint32_t pd_explore_edge(uint32_t site, uint32_t way)
{
	return (site * 4 + (way < 3 ? way : 3)) % PD_EXPLORE_EDGES;
}

#endif
