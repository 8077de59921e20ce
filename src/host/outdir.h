/*
 * outdir.h - where a run leaves what a report and a replay need, and files that are whole or
 * absent.
 *
 * --out DIR names the directory; without it a run takes the next free perdure.out/N, or a new
 * directory in TMPDIR where this one cannot be written, and says so. The directory is made, or may
 * exist if it is empty or is of an earlier run: a file ".perdure" marks ours, so that a slip of the
 * finger does not scatter files over a home directory. An old result.json is removed immediately: a run
 * that dies must not be taken for the one before it.
 *
 * perdure.out/last is moved to N when the result is there (pd_outdir_done), by renaming a link over
 * it; a run that leaves nothing does not move it.
 *
 * Files are written beside their place under a temporary name and renamed when they are complete
 * and no error has occurred. Whatever fails removes what it began: after an error the disk is as
 * before. What exists and is no regular file (a pipe, /dev/stdout) is written in place.
 *
 * Invariant: pd_outdir_abandon removes only a directory that this run made.
 *
 * Thread rule: one thread a directory, and no child is started while a file is being written
 * (SIGXFSZ is ignored meanwhile, and that would be inherited); several processes may take
 * perdure.out/N at the same time (mkdir decides).
 */
#ifndef PD_HOST_OUTDIR_H
#define PD_HOST_OUTDIR_H

#include "host/error.h"
#include <limits.h>
#include <signal.h>
#include <stdio.h>

#define PD_OUT_DEFAULT "perdure.out"
#define PD_OUT_RESULT  "result.json"

struct pd_outdir {
	char path[PATH_MAX];
	bool made;	/* by this run */
	bool made_base; /* perdure.out too */
	bool numbered;	/* perdure.out/N */
};

/* given == NULL: the default. */
bool pd_outdir_open(struct pd_outdir *d, const char *given, struct pd_error *e);

/* The largest N below `limit` of perdure.out/N; 0: there is none. */
unsigned long pd_outdir_newest(unsigned long limit);

/* The result is in place: points `last` at it. */
bool pd_outdir_done(struct pd_outdir *d, struct pd_error *e);

/* The run has failed: takes away what it made. */
void pd_outdir_abandon(struct pd_outdir *d);

/* DIR/NAME; false where that is too long. */
bool pd_outdir_path(const struct pd_outdir *d, const char *name, char path[PATH_MAX]);

struct pd_filewriter {
	FILE *f;
	char path[PATH_MAX];
	char temp[PATH_MAX]; /* "": written in place */
	bool is_stdout;
	struct sigaction
		xfsz; /* as it was: a limit on file sizes is an error of ours, not our death */
};

/* path "-" is stdout. */
bool pd_file_begin(struct pd_filewriter *w, const char *path, struct pd_error *e);

/* Whether pd_file_begin will do, as far as can be said; what is there stays as it is. */
bool pd_file_try(const char *path, struct pd_error *e);

/* Closes and puts the file in its place. On failure it is gone. */
bool pd_file_commit(struct pd_filewriter *w, struct pd_error *e);

void pd_file_abandon(struct pd_filewriter *w);

/*
 * The whole of a regular file, terminated, malloc'ed; NULL and an error where it cannot be read or
 * is larger than max.
 */
char *pd_file_read(const char *path, size_t max, size_t *n, struct pd_error *e);

#endif
