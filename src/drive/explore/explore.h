/*
 * explore.h - perdure's side of `perdure explore`.
 *
 *	source.c   what is symbolic: from the options to the bytes of an input
 *	input.c    an input as a folder, and in words
 *	run.c      the shared memory, the program, and the loop that collects ended paths
 *	solver.h   solvers, which are child processes
 *	judge.c    repeats paths on their input, under lint, and makes the result
 *	result.c   statistics, what was cut and what was lost
 *	check.c    paths under check
 *	resume.c   the frontier in a file, and back
 *
 * The same program runs in two ways: it is explored (mode explore, one process per worker, all of
 * them on struct pd_explore), and it runs plainly, once for each path of interest
 * (drive/watch/run.h). Only what the second one shows is a finding.
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
	PD_EXPLORE_KEEP_ALL = 1000, /* number of inputs that are all kept; later only new ones */
	PD_EXPLORE_JUDGED = 1000,   /* paths that are repeated, at most */
};

/* A path of interest. */
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
	const char *begin_with; /* --input: a folder; NULL: built from the sources */
	const char *resume; /* a directory of results to continue; NULL: start from the beginning */
	bool check;
	bool no_in_place; /* run each path in a process of its own */

	/* Lengths of symbolic arguments, in the order of their @@ */
	uint32_t nlengths;
	uint32_t length[PD_EXPLORE_SOURCES];
	uint32_t nsources;
	struct pd_explore_source source[PD_EXPLORE_SOURCES];
	uint32_t input_size;
	uint32_t stdin_bytes;
	uint32_t memory_bytes; /* for pd_symbolic() */
	uint32_t faults;       /* faults of one path, at most; 0: no call fails */
	uint32_t fault_calls;  /* calls of one path that can fail */
	uint32_t schedules;    /* of threads; 0: option not given, the same as 1 */
	const char *script;    /* --sym-socket: the contents of the file; NULL: none */
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
	int capture;		  /* its output before the first path */
	double started, explored; /* in seconds */
	const char *interrupted;  /* by what; NULL: not interrupted */
	bool late, enough;
	bool shows_progress;
	char rest[200]; /* why the program ended before any path; "" */

	PD_VEC(struct pd_explore_path) judge; /* to be repeated */
	struct pd_map seen;		      /* ends of paths in it */
	uint64_t taken;			      /* ended paths received */
	uint64_t kept;			      /* inputs written */
	uint64_t not_judged;
	uint64_t not_kept;	/* because of disk errors: */
	struct pd_error unkept; /* the first one */
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

/* "", "2" or "2,1000"; NULL is the same as "" */
bool pd_explore_take_faults(struct pd_explore_run *x, const char *arg, struct pd_error *e);

/* Reads a script (event/script.h) from a file. */
bool pd_explore_take_script(struct pd_explore_run *x, const char *arg, struct pd_error *e);

/* After all options: assigns the bytes of the input to sources. Also completes argv. */
bool pd_explore_lay_out(struct pd_explore_run *x, struct pd_error *e);

/* The program's arguments for the exploration: each @@ becomes a word of its length. */
char **pd_explore_argv(struct pd_explore_run *x);

/* The initial input: fields of files have their contents, everything else is 0; or it comes from a
 * folder. */
bool pd_explore_first(struct pd_explore_run *x, uint8_t *input, struct pd_error *e);

/* What is symbolic, as a phrase: "inputs of 16 bytes (stdin 16)". */
const char *pd_explore_scope(struct pd_explore_run *x);

/* Takes the symbolic bytes of a script from another one with the same packets. */
bool pd_explore_packets(const struct pd_script *s, const struct pd_script *other, uint8_t *to);

/* ---- input.c -------------------------------------------------------------------------------- */

/* Makes a folder for these bytes, and for the calls that failed with them. */
bool pd_explore_write_input(const struct pd_explore_run *x, const uint8_t *input,
			    const struct pd_explore_fault *faults, const char *dir,
			    struct pd_error *e);

/* Reads it back: bytes for which there is no file keep their values. */
bool pd_explore_read_input(const struct pd_explore_run *x, const char *dir, uint8_t *input,
			   struct pd_error *e);

/* The input of a path, printable: stdin "a=\x00", argument 1 "-x". In the arena. */
const char *pd_explore_show_input(struct pd_explore_run *x, const struct pd_explore_path *p);

/* "inputs/000017" */
void pd_explore_folder(char *to, size_t room, uint64_t number);

/* ---- run.c ---------------------------------------------------------------------------------- */

/* Makes the board and initialises it; from a saved state, when resuming (resume.c). */
bool pd_explore_board_make(struct pd_explore_run *x, struct pd_error *e);

/* Starts the program, and collects ended paths, until all is done or time is over. */
bool pd_explore_execute(struct pd_explore_run *x, struct pd_error *e);

/* Handles one ended path. Called by the loop, and by tests. */
void pd_explore_take(struct pd_explore_run *x, const struct pd_explore_ended *t);

double pd_explore_seconds(const struct pd_explore_run *x);
void pd_explore_finish(struct pd_explore_run *x);

/* ---- judge.c, result.c, resume.c ------------------------------------------------------------- */

void pd_explore_judge(struct pd_explore_run *x);
void pd_explore_check(struct pd_explore_run *x);

void pd_explore_stats(struct pd_explore_run *x);
void pd_explore_limits(struct pd_explore_run *x);

/* Writes the state, if anything is left to do: another run can continue from it. */
bool pd_explore_save_state(struct pd_explore_run *x, struct pd_error *e);

/* Loads the state of the run that is continued into an initialised board; loads its findings,
 * before its directory is opened again. */
bool pd_explore_load_state(struct pd_explore_run *x, struct pd_error *e);
bool pd_explore_load_findings(struct pd_explore_run *x, struct pd_error *e);

#endif
