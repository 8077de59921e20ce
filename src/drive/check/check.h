/* check.h - the parts of `perdure check` and `perdure replay`: running the program (check/run.h),
 * making findings (check/findings.c), and keeping what a replay needs (check/save.c). */
#ifndef PD_DRIVE_CHECK_CHECK_H
#define PD_DRIVE_CHECK_CHECK_H

#include "drive/options.h"
#include "protocol/board.h"
#include "drive/driven.h"
#include "drive/input.h"
#include "report/symbols.h"
#include "report/result.h"
#include <stdio.h>

/* Operations that replace those of a driver's command line, on the board. (check/work.c) */
struct pd_check_work {
	const char *text;
	uint32_t n;		    /* bytes */
	const struct pd_plan *plan; /* plan of its tests; NULL: none */
};

#define PD_MINIMISE_BRIEFLY UINT32_MAX

/* What one pass of the first execution counts; restored if the pass must be repeated. */
struct pd_check_counts {
	uint32_t points, points_done, points_run, finished;
	uint64_t leaves, eager_log10, random;
};

/* What perdure knows beside the board; a resumed run begins with it (check/resume.c). */
struct pd_check_known {
	/* At the start of the current schedule: schedules that were run, and the target;
	 * coverage */
	struct pd_check_counts counts;
	uint32_t ran, schedules;
	uint64_t covered;
	uint32_t failed_before;
	uint32_t failed_schedules;	/* number in which the program itself failed */
	char why_failed[400];		/* the first of these */
	uint32_t again;			/* schedules that were cut and repeated */
	uint32_t killed;		/* processes of ours that were killed and replaced */
	uint64_t lost[PD_LOSS_N];	/* by the first execution: the largest number in any one */
	uint64_t lost_later[PD_LOSS_N]; /* by recoveries, in processes that have ended */
	/* Opaque functions that read PM, from processes that have ended */
	char readers[PD_CHANNEL_WHAT];
	uint32_t reader_kinds; /* PD_READER_ */
	/* Functions that may have made unreported stores; "": unknown */
	char suspects[PD_CHANNEL_WHAT];
	uint64_t
		did; /* kinds of events, one bit each: by recoveries, in processes that have ended */
	double seconds; /* time used */
};

struct pd_check_run {
	struct pd_arena arena;
	struct pd_options options;
	struct pd_result result;
	struct pd_board *board;
	int board_fd;
	int capture;		/* the output of the first execution */
	int input;		/* standard input of all executions; -1: inherited */
	const char *input_dir;	/* --input; NULL: none */
	struct pd_input *given; /* the open input folder; NULL: none */
	const char *directory;	/* working directory of a loaded run */
	const char *verb;	/* the running verb */
	const char *model;
	char **recover; /* another command for recovery; NULL: the same command */
	/* Specification of announced operations; NULL: not perdure linear, or a driver */
	const char *spec;
	const char *condition; /* its durability condition; NULL: durable */
	uint64_t hang_ms;
	uint64_t ok_exit[4];
	uint32_t crashes;
	uint32_t schedules;	  /* 0 with random: chosen automatically */
	bool automatic;		  /* add schedules while they show something new */
	uint32_t least;		  /* minimum for that; 0: the default of check */
	uint32_t asked_schedules; /* --schedules; 0: not given */
	const char *resume; /* a directory of results to continue; NULL: start from the beginning */
	const char *resumed; /* the circumstances in which that was made (check/resume.c) */
	struct pd_check_known known;
	/* At the start of this run, for its own rate; 0: nothing was known */
	uint64_t executions_before;
	uint32_t points_before;
	bool kept;	      /* what is known was saved, so that another run can continue */
	uint32_t last_points; /* crash points of the last schedule */
	const char *checksum[PD_CHECKSUM_NAMES]; /* functions that validate checksums */
	uint32_t nchecksum;
	uint64_t random;		    /* number of random recoveries; 0: explore all */
	uint32_t ran;			    /* schedules that were run */
	struct pd_meet_asked hold;	    /* a race to enforce; no store: none */
	bool tests;			    /* before schedules: the tests of a plan (linear) */
	bool all_states;		    /* explore all states in each of them */
	bool explain_points;		    /* list the points that they are about */
	uint32_t passes;		    /* executions to find these points */
	PD_VEC(struct pd_check_work) works; /* number 1 and up */
	bool exhaustive;		    /* all schedules with few preemptions, no tests */
	uint32_t preemptions;
	uint64_t schedules_left, schedules_beyond; /* of those: not run, and without a number */
	bool grows;		    /* look for other workloads, which reach more code */
	uint32_t proposed, refused; /* such workloads; those with which the program failed, */
	char why_refused[400];	    /* and how, the first of them */
	uint32_t crossed;      /* meetings that only concurrent runs have shown, and were tried */
	uint32_t crossed_left; /* similar ones that were not tried */
	uint32_t grown;	       /* places that only these workloads reach */
	/* At most so many executions to reduce the operations of a finding; 0: do not;
	 * PD_MINIMISE_BRIEFLY: as many as a user would wait for */
	uint32_t minimise;
	/* The phase after exploring, for progress; NULL: still exploring */
	struct {
		const char *does;
		uint32_t at; /* from 1 */
	} phase;
	bool wrong_alone;  /* one thread without a crash is enough to fail */
	const char *fewer; /* why there are fewer jobs than requested; NULL: there are not */
	bool moved;	   /* also if the program is at other addresses */
	bool no_incremental;
	bool eager;
	bool by_value;
	bool ambiguous;	 /* report reads that could see several values */
	bool explain;	 /* report the whole history of each finding */
	bool rechecking; /* repeated executions use the known tree */
	bool no_torn;
	bool no_prefix;
	bool benign;
	const char *interrupted; /* by what; NULL: not interrupted */
	bool cut; /* by an interrupt or the time limit: not everything was explored */
	/* Failures that were not repeated, for lack of time or because there are too many */
	uint32_t not_again;
	/* Findings that became a different finding with a shorter history */
	uint32_t not_minimised;
	double shortening_until; /* in seconds; 0: not begun */
	uint32_t not_replayed;	 /* findings whose witness did not lead to the same end again */
	uint32_t drifted;	 /* those of them for which the program had stored another value */
	double deadline;	 /* seconds from the start; 0: the time limit of the options */
	bool shows_progress;
	uint64_t expected; /* crash points, for progress; 0: unknown */
	double counted_at; /* time of the count, in seconds */
	const char *gdb;   /* the command of a debugger; NULL: none */
	bool gdb_failed;
	void (*tick)(
		struct pd_check_run *c); /* called several times a second during the run; or NULL */
	struct pd_driven origin,
		recover_origin; /* the processes from which all others are split off (drive/driven.h) */
	struct pd_driven first;
	struct pd_driven pace; /* measures the program's own pace when asked */
	char settings[300];    /* of each process */
	uint32_t jobs;
	struct pd_driven worker[PD_BOARD_WORKERS][PD_BOARD_DEPTH];
	double started;
	double until; /* time limit of one execution; 0: none */
	bool gave_up; /* it did not end in time, nor when asked to stop */
};

bool pd_check_board(struct pd_check_run *c, struct pd_error *e);

/* Runs everything to its end, or until it is stopped. */
bool pd_check_execute(struct pd_check_run *c, struct pd_error *e);

/* The same in two steps: starts the processes, for executions by pd_check_once. */
bool pd_check_processes(struct pd_check_run *c, struct pd_error *e);

/* Runs one execution on these processes to its end; false: impossible. */
bool pd_check_once(struct pd_check_run *c, uint64_t seed, struct pd_error *e);

/* The same with a time limit; *cut: it was exceeded. The processes remain usable. */
bool pd_check_once_for(struct pd_check_run *c, uint64_t seed, double seconds, bool *cut,
		       struct pd_error *e);

/* After pd_check_execute: lets failures be repeated, for a short time, even if a limit has ended
 * the exploration. False: the processes could not be started again. */
bool pd_check_resume(struct pd_check_run *c, struct pd_error *e);

/* Whether any kind of finding of this engine is wanted. */
static inline bool pd_check_wants(const struct pd_check_run *c, const char *engine)
{
	return pd_only_wants_engine(&c->options.only, engine);
}

/* The same for findings from recoveries that fail: of check, or of linear. */
static inline bool pd_check_wants_failures(const struct pd_check_run *c)
{
	return pd_check_wants(c, "crash") || pd_check_wants(c, "linear");
}

/*
 * Whether PM was changed or flushed unseen by code that was not instrumented: no crash after that
 * need be possible. (check/processes.c)
 */
bool pd_check_blind(const struct pd_check_run *c);

/* Of a process of recoveries that ends. (check/processes.c) */
void pd_check_know_readers(struct pd_check_known *k, const struct pd_channel *ch);

/* How often that happened, in all executions so far. */
uint64_t pd_check_lost(const struct pd_check_run *c, enum pd_loss kind);

/* Whether the program, or a recovery, has created a thread. */
bool pd_check_has_threads(const struct pd_check_run *c);

double pd_check_seconds(const struct pd_check_run *c);
void pd_check_finish(struct pd_check_run *c);

/* ---- check/again.c -------------------------------------------------------------------------- */

/* The choices that lead to the end of a recovery. */
struct pd_witness pd_check_witness(const struct pd_crash_run *run, struct pd_arena *a);

/* What leads into a recovery: the run that crashed before it (NULL: the first run), the crash
 * point, and the first picks. */
struct pd_check_way {
	const struct pd_crash_run *parent;
	uint64_t seed;
	uint32_t point;
	uint32_t npick;
	const uint32_t *picks;
};
struct pd_witness pd_check_witness_to(const struct pd_check_way *way, struct pd_arena *a);

/* Makes exactly the choices of a witness; *failed is NULL if recovery did not fail. */
bool pd_check_again(struct pd_check_run *c, const struct pd_witness *w,
		    const struct pd_crash_run **failed, struct pd_error *e);

/* Explores all crashes of a schedule or test, apart from the main exploration; new failures come
 * first in the board's list. */
bool pd_check_explore(struct pd_check_run *c, uint64_t seed, struct pd_error *e);

/* The number of crashes in a witness. */
uint32_t pd_check_crashes(const struct pd_witness *w);

/* From now on executions write journals about lines for which a failed recovery had a choice. */
bool pd_check_journals(struct pd_check_run *c);
void pd_check_watch_lines(struct pd_check_run *c, const struct pd_crash_run *last);

/* Also the line of this address; false: it was one of them, or there are too many. */
bool pd_check_watch_line(struct pd_check_run *c, uint64_t addr);
uint32_t pd_check_line_shift(const struct pd_check_run *c);

/* A tick: attaches the debugger if an execution has stopped for it. (check/gdb.c) */
void pd_check_gdb(struct pd_check_run *c);

/* Makes findings of what is on the board: one per cause. Failures are repeated for this, so the
 * board's counters no longer describe the exploration. */
void pd_check_findings(struct pd_check_run *c, struct pd_result *r);

/* Phase number `at` after exploring begins, for progress. NULL: no more. */
void pd_check_phase(struct pd_check_run *c, const char *does, uint32_t at);

/* Adds notes about reads that could see several values. (check/ambiguous.c) */
void pd_check_ambiguous(const struct pd_check_run *c, struct pd_result *r);

/* After a cut: the read that causes most states. (check/ambiguous.c) */
void pd_check_origin(struct pd_check_run *c);

/* The witness of a failure, with the places of its choices. */
struct pd_witness pd_check_witness_at(struct pd_check_run *c, const struct pd_crash_run *run);

/* The whole history of a failure that was just repeated; NULL: it did not fail again. */
const char *pd_check_explain(struct pd_check_run *c, const struct pd_crash_run *failed);

/* Adds histories to the findings of a result that was kept in `dir`. */
bool pd_check_explain_all(struct pd_result *r, const char *dir, struct pd_error *e);

/* The torn engine: before the exploration, and its findings. */
bool pd_check_torn_prepare(struct pd_check_run *c, struct pd_error *e);
void pd_check_torn_findings(struct pd_check_run *c, struct pd_result *r);

/* Announced operations (perdure.h): selects the specification by name; the settings for processes;
 * an error if the program announces them wrongly; a limit if no recovery announced any.
 * (check/announced.c) */
bool pd_check_spec(struct pd_check_run *c, const char *name, struct pd_error *e);
void pd_check_announced_settings(const struct pd_check_run *c, char *text, size_t room);
bool pd_check_announced_well(const struct pd_check_run *c, struct pd_error *e);
bool pd_check_announced_any(const struct pd_check_run *c, struct pd_result *r);

/* Other operations for a driver: use them from now on, or (0) its own again; keep one more, 0 if
 * there is no space; the command with these operations. (check/work.c) */
void pd_check_work_use(struct pd_check_run *c, uint32_t number);
uint32_t pd_check_work_add(struct pd_check_run *c, const char *text, uint32_t n);
char **pd_check_work_command(struct pd_check_run *c, uint32_t number);

/* One execution of a driver for this purpose; workloads that reach more of its code, with their
 * tests. (check/schedules.c, check/grow.c) */
bool pd_check_named(struct pd_check_run *c, enum pd_named_kind kind, struct pd_error *e);
bool pd_check_grow(struct pd_check_run *c, struct pd_error *e);

/* The plan of the current workload and its tests, and tests for what only meetings of operations
 * showed. (check/tests.c) */
bool pd_check_plan_tests(struct pd_check_run *c, struct pd_error *e);

/* Runs one schedule, whether or not the program fails in it; all with few preemptions; what was
 * left out, and what that means. (check/schedules.c, check/exhaust.c) */
bool pd_check_schedule(struct pd_check_run *c, uint64_t seed, struct pd_error *e);
bool pd_check_exhaust(struct pd_check_run *c, struct pd_error *e);
void pd_check_exhausted(const struct pd_check_run *c, struct pd_result *r);

/* Coverage: before the exploration, the result, and a limit if nothing was tested.
 * (check/cover.c) */
bool pd_check_cover_prepare(struct pd_check_run *c, struct pd_error *e);
void pd_check_coverage(struct pd_check_run *c, struct pd_result *r);
void pd_check_was_tested(const struct pd_check_run *c, struct pd_result *r);
/* After coverage: what recovery has not tried. */
void pd_check_not_exercised(struct pd_check_run *c, struct pd_result *r);

/* Tests of linear: statistics, what was left out, and (--explain-points) their points.
 * (check/tests.c) */
void pd_check_tests_stats(const struct pd_check_run *c, struct pd_result *r);
void pd_check_tests_limits(const struct pd_check_run *c, struct pd_result *r);
void pd_check_tests_list(struct pd_check_run *c, FILE *to);

/*
 * If the run was cut, saves what is known in the directory, so that another run can continue
 * (c->kept). That run loads it before its processes exist, and then checks that everything else is
 * unchanged. (check/resume.c)
 */
bool pd_check_save_state(struct pd_check_run *c, const struct pd_outdir *out, struct pd_error *e);
bool pd_check_load_state(struct pd_check_run *c, struct pd_error *e);
bool pd_check_same(struct pd_check_run *c, struct pd_error *e);

/* Whether any recovery did this, as far as known: nothing is known of killed processes. */
bool pd_check_recovery_did(const struct pd_check_run *c, enum pd_event_kind kind);

/* "recovery aborts" and the like. */
void pd_check_put_end(FILE *to, const struct pd_crash_run *run);

/* Writes the settings of a run into its result; loads those of a result that was kept in `dir`, by
 * their number. Loading also sets environment variables. */
bool pd_check_save(struct pd_check_run *c, const struct pd_outdir *d, struct pd_error *e);
/* Writes the settings alone into any result; returns their number. */
bool pd_check_settings(struct pd_check_run *c, struct pd_result *r, uint32_t *number,
		       struct pd_error *e);
/* The number, in the result, of the settings with this workload. */
uint32_t pd_check_settings_with(struct pd_check_run *c, uint32_t work);
bool pd_check_load(struct pd_check_run *c, const struct pd_result *r, uint32_t number,
		   const char *dir, struct pd_error *e);
/* Loads what a kept result was given beside its options: variables and standard input. */
bool pd_check_load_given(struct pd_check_run *c, const struct pd_result *r, const char *dir,
			 struct pd_error *e);
/* After pd_check_load: changes to the directory of the run. */
bool pd_check_enter(const struct pd_check_run *c, struct pd_error *e);

#endif
