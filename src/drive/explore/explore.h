/*
 * explore.h - the tool's side of `perdure explore`.
 *
 *	source.c   what is symbolic: from the options to the bytes of an input
 *	input.c    an input as a folder, and in words
 *	run.c      the shared memory, the program, and the loop that takes what has ended
 *	solvers    are children of the tool (solver.h)
 *	judge.c    paths again, on their input, by lint; what comes of it is the result
 *	result.c   figures, what was cut and what was lost
 *	check.c    paths by check
 *	resume.c   the frontier in a file, and back
 *
 * Two of the runs in it are the same program: the one that is explored (mode explore, one process for
 * each worker, all of them on struct pd_explore), and the plain one that is run once for each path that
 * is worth a look (drive/watch/run.h). Only what the second shows is a finding.
 *
 * Thread rule: the main thread.
 */
#ifndef PD_DRIVE_EXPLORE_EXPLORE_H
#define PD_DRIVE_EXPLORE_EXPLORE_H

#include "base/vec.h"
#include "drive/driven.h"
#include "drive/input.h"
#include "drive/explore/solver.h"
#include "drive/options.h"
#include "host/outdir.h"
#include "protocol/explore.h"
#include "report/result.h"

enum {
	PD_EXPLORE_KEEP_ALL = 1000, /* inputs that are all kept; then those that are new */
	PD_EXPLORE_JUDGED = 1000,   /* paths that are run again, at most */
};

/* A path that is worth a look. */
struct pd_explore_path {
	uint64_t number;
	uint32_t outcome, status;
	uint32_t findings; /* new ones */
	bool stored;
	char what[120];
	const uint8_t *input;
	struct pd_explore_fault fault[PD_EXPLORE_FAULTS];
};

struct pd_explore_run {
	struct pd_arena arena;
	struct pd_options options; /* argv has @@ for symbolic arguments */
	struct pd_result result;
	struct pd_outdir out;
	const char *model;
	const char *search;
	const char *begin_with; /* --input: a folder; NULL: as source.c has it */
	const char *resume;	/* a directory of results; NULL: from the start */
	bool check;
	bool no_in_place; /* each path in a process of its own */

	/* Lengths of symbolic arguments, in the order of their @@ */
	uint32_t nlengths;
	uint32_t length[PD_EXPLORE_SOURCES];
	uint32_t nsources;
	struct pd_explore_source source[PD_EXPLORE_SOURCES];
	uint32_t input_size;
	uint32_t stdin_bytes;
	uint32_t memory_bytes; /* for pd_symbolic() */
	uint32_t faults;       /* that a path may have; 0: no call fails */
	uint32_t fault_calls;  /* that may fail, of a path */
	uint32_t schedules;    /* of threads; 0: as many as without the option, which is 1 */
	const char *script;    /* --sym-socket: what the file has; NULL: nothing */
	struct pd_script *packets;
	uint64_t path_ms, query_ms, max_paths;
	uint64_t max_bytes;	 /* --memory */
	uint64_t snapshot_bytes; /* --snapshots */
	uint32_t snapshot_us;	 /* --snapshot-after */

	struct pd_explore *board;
	int board_fd;
	struct pd_solvers *solvers;
	struct pd_solvers_stats solved;
	struct pd_driven origin;
	int capture;		  /* what it prints before the first path */
	double started, explored; /* seconds */
	const char *interrupted;  /* by what; NULL: it was not */
	bool late, enough;
	bool shows_progress;
	char rest[200]; /* why the program ended before any path; "" */

	PD_VEC(struct pd_explore_path) judge; /* to be run again */
	struct pd_map seen;		      /* ends of paths that are in it already */
	uint64_t taken;			      /* ended paths that the tool was given */
	uint64_t kept;			      /* inputs in files */
	uint64_t not_judged;
	uint64_t not_kept;	/* because of the disk: */
	struct pd_error unkept; /* the first of these */
	uint64_t failed;	/* paths that the runtime gave up: */
	char failed_what[120];
	uint32_t not_again;    /* ends that the plain program did not show */
	uint32_t not_reported; /* findings of watchers that it did not show */
	uint32_t not_checked;
	char not_checked_why[300];
	uint32_t checked, not_checked_time;
	uint32_t unchecked; /* check takes no program that fails by itself */
};

/* ---- source.c ------------------------------------------------------------------------------- */

bool pd_explore_take_args(struct pd_explore_run *x, const char *arg, struct pd_error *e);
bool pd_explore_take_file(struct pd_explore_run *x, const char *arg, struct pd_error *e);
bool pd_explore_take_pm(struct pd_explore_run *x, const char *arg, struct pd_error *e);

/* "", "2" or "2,1000": NULL is the same as "" */
bool pd_explore_take_faults(struct pd_explore_run *x, const char *arg, struct pd_error *e);

/* The file of a script (event/script.h). */
bool pd_explore_take_script(struct pd_explore_run *x, const char *arg, struct pd_error *e);

/* After all options: which byte of the input is whose. Also completes argv. */
bool pd_explore_lay_out(struct pd_explore_run *x, struct pd_error *e);

/* The program's arguments for the exploration: each @@ a word of its length. */
char **pd_explore_argv(struct pd_explore_run *x);

/* The input that is begun with: fields of files as they are, all else 0; or that of a folder. */
bool pd_explore_first(struct pd_explore_run *x, uint8_t *input, struct pd_error *e);

/* What is symbolic, as a phrase: "inputs of 16 bytes (stdin 16)". */
const char *pd_explore_scope(struct pd_explore_run *x);

/* The symbolic bytes of a script as another one with the same packets has them. */
bool pd_explore_packets(const struct pd_script *s, const struct pd_script *other, uint8_t *to);

/* ---- input.c -------------------------------------------------------------------------------- */

/* A folder for these bytes, and for the calls that have failed with them; it is made. */
bool pd_explore_write_input(const struct pd_explore_run *x, const uint8_t *input,
			    const struct pd_explore_fault *faults, const char *dir,
			    struct pd_error *e);

/* And back: what a file does not have stays as it is. */
bool pd_explore_read_input(const struct pd_explore_run *x, const char *dir, uint8_t *input,
			   struct pd_error *e);

/* What the input of a path has, printable: stdin "a=\x00", argument 1 "-x". In the arena. */
const char *pd_explore_show_input(struct pd_explore_run *x, const struct pd_explore_path *p);

/* "inputs/000017" */
void pd_explore_folder(char *to, size_t room, uint64_t number);

/* ---- run.c ---------------------------------------------------------------------------------- */

/* Makes the board and fills it in; with what there was, if it goes on (resume.c). */
bool pd_explore_board_make(struct pd_explore_run *x, struct pd_error *e);

/* Starts the program, and takes what has ended, until all is over or the time is. */
bool pd_explore_execute(struct pd_explore_run *x, struct pd_error *e);

/* One ended path: keeps what is to be kept of it. Called by the loop, and by tests. */
void pd_explore_take(struct pd_explore_run *x, const struct pd_explore_ended *t);

double pd_explore_seconds(const struct pd_explore_run *x);
void pd_explore_finish(struct pd_explore_run *x);

/* ---- judge.c, result.c, resume.c ------------------------------------------------------------- */

void pd_explore_judge(struct pd_explore_run *x);
void pd_explore_check(struct pd_explore_run *x);

void pd_explore_stats(struct pd_explore_run *x);
void pd_explore_limits(struct pd_explore_run *x);

/* Writes the state, if anything is left to do: another run goes on from there. */
bool pd_explore_save_state(struct pd_explore_run *x, struct pd_error *e);

/* Into a board that is filled in: the state of the run that is continued; and its findings, before its
 * directory is opened again. */
bool pd_explore_load_state(struct pd_explore_run *x, struct pd_error *e);
bool pd_explore_load_findings(struct pd_explore_run *x, struct pd_error *e);

#endif
