/*
 * check.h - the parts of `perdure check` and `perdure replay`: running it (check/run.c), reporting
 * what came of it (check/findings.c), and keeping what a replay needs (check/save.c).
 */
#ifndef PD_DRIVE_CHECK_CHECK_H
#define PD_DRIVE_CHECK_CHECK_H

#include "drive/options.h"
#include "protocol/board.h"
#include "drive/driven.h"
#include "drive/input.h"
#include "report/symbols.h"
#include "report/result.h"
#include <stdio.h>

/* Operations that take the place of those of a driver's command line, on the board. (check/work.c) */
struct pd_check_work {
	const char *text;
	uint32_t n;		    /* bytes */
	const struct pd_plan *plan; /* of its tests; NULL: it has none */
};

#define PD_MINIMISE_BRIEFLY UINT32_MAX

/* What one pass of the first execution counts, for a pass that has to be done again. */
struct pd_check_counts {
	uint32_t points, points_done, points_run, finished;
	uint64_t leaves, eager_log10, random;
};

/* What the tool knows beside the board; a run that goes on begins with it (check/resume.c). */
struct pd_check_known {
	/* Of the moment when the schedule at hand began: schedules that were run, and are to be; coverage */
	struct pd_check_counts counts;
	uint32_t ran, schedules;
	uint64_t covered;
	uint32_t failed_before;
	uint32_t failed_schedules;	/* in which the program itself failed */
	char why_failed[400];		/* the first of these */
	uint32_t again;			/* schedules that were cut and begun again */
	uint32_t killed;		/* processes of ours that had to be replaced */
	uint64_t lost[PD_LOSS_N];	/* by the first execution: the most that one has lost */
	uint64_t lost_later[PD_LOSS_N]; /* by recoveries of processes that are gone */
	/* Functions that read PM and cannot be seen into, of processes that are gone */
	char readers[PD_CHANNEL_WHAT];
	/* Whose the stores are that nobody reported; "": not known */
	char suspects[PD_CHANNEL_WHAT];
	uint64_t did;	/* kinds of events, a bit each: of recoveries of processes that are gone */
	double seconds; /* that it took */
};

struct pd_check_run {
	struct pd_arena arena;
	struct pd_options options;
	struct pd_result result;
	struct pd_board *board;
	int board_fd;
	int capture;		/* what the first execution prints */
	int input;		/* standard input of all executions; -1: as it is */
	const char *input_dir;	/* --input; NULL: none */
	struct pd_input *given; /* the folder of what it is run on; NULL: none */
	const char *directory;	/* of a run that was loaded */
	const char *verb;	/* who runs it */
	const char *model;
	char **recover; /* another command for recovery; NULL: the same */
	/* Of operations that the program announces; NULL: it is not of perdure linear, or a driver */
	const char *spec;
	const char *condition; /* what a crash may undo of them; NULL: durable */
	uint64_t hang_ms;
	uint64_t ok_exit[4];
	uint32_t crashes;
	uint32_t schedules;	  /* 0, with random: as many as seem right */
	bool automatic;		  /* as many schedules as there is something new in */
	uint32_t least;		  /* of these, so many at least; 0: as check has it */
	uint32_t asked_schedules; /* --schedules; 0: nobody has asked */
	const char *resume;	  /* a directory of results to go on with; NULL: from the start */
	const char *resumed;	  /* what was so when that was made (check/resume.c) */
	struct pd_check_known known;
	/* When this run began, for its own rate; 0: nothing was known */
	uint64_t executions_before;
	uint32_t points_before;
	bool kept;				 /* what is known, so that it can be gone on with */
	uint32_t last_points;			 /* crash points of the last schedule */
	const char *checksum[PD_CHECKSUM_NAMES]; /* names of functions */
	uint32_t nchecksum;
	uint64_t random;		    /* so many random recoveries; 0: all */
	uint32_t ran;			    /* schedules that were run */
	struct pd_meet_asked hold;	    /* a race that is to happen; no store: none */
	bool tests;			    /* before these: the tests of a plan (linear) */
	bool all_states;		    /* of which each is run for all states */
	bool explain_points;		    /* that were found for them */
	uint32_t passes;		    /* executions for that */
	PD_VEC(struct pd_check_work) works; /* number 1 and those after it */
	bool exhaustive;		    /* all schedules with few preemptions, and no tests */
	uint32_t preemptions;
	uint64_t schedules_left, schedules_beyond; /* of those: not run, and without a number */
	bool grows;		    /* other workloads are looked for, which reach more code */
	uint32_t proposed, refused; /* such workloads; those with which the program failed */
	uint32_t crossed;      /* meetings that only concurrent runs have shown, and were tried */
	uint32_t crossed_left; /* that were alike, and were not */
	uint32_t grown;	       /* places that only they reach */
	/* Executions by which the operations of a finding are made fewer, at most; 0: they are not;
	 * PD_MINIMISE_BRIEFLY: as many as a user would wait for */
	uint32_t minimise;
	/* What is done after exploring, for the progress; NULL: it explores */
	struct {
		const char *does;
		uint32_t at; /* from 1 */
	} phase;
	bool wrong_alone;  /* one thread and no crash are enough for it to fail */
	const char *fewer; /* why there are fewer jobs than were asked for; NULL: there are not */
	bool moved;	   /* and the program, at other addresses */
	bool no_incremental;
	bool eager;
	bool by_value;
	bool ambiguous; /* reads that could see several values, too */
	bool explain;	/* the whole story of each finding */
	bool probing;	/* what is run again goes through the tree that is known */
	bool no_torn;
	bool no_prefix;
	bool benign;
	const char *interrupted; /* by what; NULL: it was not */
	bool cut;		 /* by an interrupt or the time limit: not all was explored */
	/* Failures that were not run again, for want of time or because there are so many */
	uint32_t not_again;
	/* Findings of which a shorter history was not the same finding any more */
	uint32_t not_minimised;
	double shortening_until; /* seconds; 0: it has not begun */
	uint32_t not_replayed;	 /* findings whose witness did not lead to the same end once more */
	double deadline;	 /* seconds from the start; 0: the time limit of the options */
	bool shows_progress;
	uint64_t expected; /* crash points, for progress; 0: not known */
	double counted_at; /* seconds */
	const char *gdb;   /* the command of a debugger; NULL: none */
	bool gdb_failed;
	void (*tick)(struct pd_check_run *c);	 /* several times a second while it runs; or NULL */
	struct pd_driven origin, recover_origin; /* of all the others (drive/driven.h) */
	struct pd_driven first;
	struct pd_driven pace; /* shows what the program takes, if anybody asks */
	char settings[300];    /* of each process */
	uint32_t jobs;
	struct pd_driven worker[PD_BOARD_WORKERS][PD_BOARD_DEPTH];
	double started;
	double until; /* of one execution; 0: no limit */
	bool gave_up; /* it did not end in time, and not when it was asked to */
};

bool pd_check_board(struct pd_check_run *c, struct pd_error *e);

/* Runs everything to its end, or until it is stopped. */
bool pd_check_execute(struct pd_check_run *c, struct pd_error *e);

/* The same in two steps: the processes, for executions of pd_check_once. */
bool pd_check_processes(struct pd_check_run *c, struct pd_error *e);

/* One execution on the processes that are there, to its end; false where it cannot be. */
bool pd_check_once(struct pd_check_run *c, uint64_t seed, struct pd_error *e);

/* The same, for so long at most; *cut: it was not enough. The processes are then there for the next
 * one. */
bool pd_check_once_for(struct pd_check_run *c, uint64_t seed, double seconds, bool *cut,
		       struct pd_error *e);

/*
 * After pd_check_execute: failures can be run again, for a short time, also where a limit has ended
 * the exploration. False: the processes could not be started again.
 */
bool pd_check_resume(struct pd_check_run *c, struct pd_error *e);

/* Whether anything that this engine finds is wanted. */
static inline bool pd_check_wants(const struct pd_check_run *c, const char *engine)
{
	return pd_only_wants_engine(&c->options.only, engine);
}

/* The same of what is found by recoveries that fail: of check, or of linear. */
static inline bool pd_check_wants_failures(const struct pd_check_run *c)
{
	return pd_check_wants(c, "crash") || pd_check_wants(c, "linear");
}

/*
 * Whether PM was changed by code that was not instrumented: what that code has flushed is not
 * known, so no crash after it need be possible.
 */
static inline bool pd_check_blind(const struct pd_check_run *c)
{
	return c->known.lost[PD_LOSS_BLIND] != 0;
}

/* Whether the program, or a recovery, has made a thread. */
bool pd_check_has_threads(const struct pd_check_run *c);

double pd_check_seconds(const struct pd_check_run *c);
void pd_check_finish(struct pd_check_run *c);

/* ---- check/again.c -------------------------------------------------------------------------- */

/* The choices that lead to the end of a recovery. */
struct pd_witness pd_check_witness(const struct pd_crash_run *run, struct pd_arena *a);

/* Those that lead into a recovery: the one that crashed before it (NULL: the first run), where, and
 * its first picks. */
struct pd_check_way {
	const struct pd_crash_run *parent;
	uint64_t seed;
	uint32_t point;
	uint32_t npick;
	const uint32_t *picks;
};
struct pd_witness pd_check_witness_to(const struct pd_check_way *way, struct pd_arena *a);

/* Makes the choices of a witness, and no others; *failed is NULL where recovery did not fail. */
bool pd_check_again(struct pd_check_run *c, const struct pd_witness *w,
		    const struct pd_crash_run **failed, struct pd_error *e);

/*
 * All crashes of a schedule or test, apart from the exploration; failures that are new come first in
 * the board's list.
 */
bool pd_check_explore(struct pd_check_run *c, uint64_t seed, struct pd_error *e);

/* How many crashes a witness has. */
uint32_t pd_check_crashes(const struct pd_witness *w);

/* From now on the executions write journals, of the lines that a failed recovery had a choice
 * about. */
bool pd_check_journals(struct pd_check_run *c);
void pd_check_watch_lines(struct pd_check_run *c, const struct pd_crash_run *last);
uint32_t pd_check_line_shift(const struct pd_check_run *c);

/* A tick: attaches the debugger where an execution has stopped for it. (replay_gdb.c) */
void pd_check_gdb(struct pd_check_run *c);

/*
 * Turns what is on the board into findings: one a cause. Failures are run again for it, so that
 * counts of the board are not those of the exploration any more.
 */
void pd_check_findings(struct pd_check_run *c, struct pd_result *r);

/* From here on number `at` of what is to be done after exploring: shown where progress is. NULL: no
 * more. */
void pd_check_phase(struct pd_check_run *c, const char *does, uint32_t at);

/* Reads that could see several values, as notes. (check/ambiguous.c) */
void pd_check_ambiguous(const struct pd_check_run *c, struct pd_result *r);

/* Where exploring was cut short: which read most states come of. (check/ambiguous.c) */
void pd_check_origin(struct pd_check_run *c);

/* The witness of a failure, and where its choices were made. */
struct pd_witness pd_check_witness_at(struct pd_check_run *c, const struct pd_crash_run *run);

/* The whole story of a failure that was just run again; NULL: it did not fail once more. */
const char *pd_check_explain(struct pd_check_run *c, const struct pd_crash_run *failed);

/* Adds their stories to the findings of a result that was kept in `dir`. (explain.c) */
bool pd_check_explain_all(struct pd_result *r, const char *dir, struct pd_error *e);

/* The torn engine: before the exploration, and what came of it. */
bool pd_check_torn_prepare(struct pd_check_run *c, struct pd_error *e);
void pd_check_torn_findings(const struct pd_check_run *c, struct pd_result *r);

/* Operations that the program announces (perdure.h): their specification by its name; what the
 * processes are set to; the error of a program that announces them wrongly, or none; a limit where
 * no recovery announced any. (check/announced.c) */
bool pd_check_spec(struct pd_check_run *c, const char *name, struct pd_error *e);
void pd_check_announced_settings(const struct pd_check_run *c, char *text, size_t room);
bool pd_check_announced_well(const struct pd_check_run *c, struct pd_error *e);
bool pd_check_announced_any(const struct pd_check_run *c, struct pd_result *r);

/* Other operations for a driver: from here on those, or (0) its own again; one more that is kept, 0 if
 * there is no room; the command with these operations. (check/work.c) */
void pd_check_work_use(struct pd_check_run *c, uint32_t number);
uint32_t pd_check_work_add(struct pd_check_run *c, const char *text, uint32_t n);
char **pd_check_work_command(struct pd_check_run *c, uint32_t number);

/* One execution of a driver for this; and workloads that reach more of its code, with their tests.
 * (check/run.c, check/grow.c) */
bool pd_check_named(struct pd_check_run *c, enum pd_named_kind kind, struct pd_error *e);
bool pd_check_grow(struct pd_check_run *c, struct pd_error *e);

/* The plan of the workload at hand and its tests, and those of what showed only when operations met.
 * (check/tests.c) */
bool pd_check_plan_tests(struct pd_check_run *c, struct pd_error *e);

/* One schedule, whether or not the program fails in it; all with few preemptions; what was left out, and
 * what that means. (check/run.c, check/exhaust.c) */
bool pd_check_schedule(struct pd_check_run *c, uint64_t seed, struct pd_error *e);
bool pd_check_exhaust(struct pd_check_run *c, struct pd_error *e);
void pd_check_exhausted(const struct pd_check_run *c, struct pd_result *r);

/* Coverage: before the exploration, what came of it, and a limit where nothing was tested.
 * (check/cover.c) */
bool pd_check_cover_prepare(struct pd_check_run *c, struct pd_error *e);
void pd_check_coverage(struct pd_check_run *c, struct pd_result *r);
void pd_check_was_tested(const struct pd_check_run *c, struct pd_result *r);
/* After coverage: what recovery has not tried. */
void pd_check_not_exercised(struct pd_check_run *c, struct pd_result *r);

/* Tests of linear: their figures, what was left out, and (--explain-points) what they are about.
 * (check/tests.c) */
void pd_check_tests_stats(const struct pd_check_run *c, struct pd_result *r);
void pd_check_tests_limits(const struct pd_check_run *c, struct pd_result *r);
void pd_check_tests_list(struct pd_check_run *c, FILE *to);

/*
 * Where it was cut: keeps what is known in the directory, so that another run can go on (c->kept). Such a run takes it
 * before its processes are there, and then sees whether all else is as it was. (check/resume.c)
 */
bool pd_check_save_state(struct pd_check_run *c, const struct pd_outdir *out, struct pd_error *e);
bool pd_check_load_state(struct pd_check_run *c, struct pd_error *e);
bool pd_check_same(struct pd_check_run *c, struct pd_error *e);

/* Whether any recovery did, as far as is known: of processes that were killed nothing is. */
bool pd_check_recovery_did(const struct pd_check_run *c, enum pd_event_kind kind);

/* "recovery aborts" and the like. */
void pd_check_put_end(FILE *to, const struct pd_crash_run *run);

/* The settings of a run into its result, and those of a result that was kept in `dir`, by their
 * number; loading sets variables of the environment, too. */
bool pd_check_save(struct pd_check_run *c, const struct pd_outdir *d, struct pd_error *e);
/* The settings alone, into any result: their number. */
bool pd_check_settings(struct pd_check_run *c, struct pd_result *r, uint32_t *number,
		       struct pd_error *e);
/* The number, in the result, of the settings with this workload. */
uint32_t pd_check_settings_with(struct pd_check_run *c, uint32_t work);
bool pd_check_load(struct pd_check_run *c, const struct pd_result *r, uint32_t number,
		   const char *dir, struct pd_error *e);
/* What a result that was kept in `dir` was given beside its options: variables and standard input. */
bool pd_check_load_given(struct pd_check_run *c, const struct pd_result *r, const char *dir,
			 struct pd_error *e);
/* After pd_check_load: to the directory that it ran in. */
bool pd_check_enter(const struct pd_check_run *c, struct pd_error *e);

#endif
