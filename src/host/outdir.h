/*
 * outdir.h - where a run saves what a report and a replay need; files that are complete or absent.
 *
 * --out DIR names the directory; without it a run takes the next free perdure.out/N or, if the
 * current directory cannot be written, a new directory in TMPDIR, and says so. DIR is created; it
 * may also be empty, or of an earlier run: a file ".perdure" marks ours, so that a typing error
 * does not scatter files over a home directory. An old result.json is removed immediately: a run
 * that dies must not be taken for the one before it.
 *
 * perdure.out/last is moved to N when the result is complete (pd_outdir_done), by renaming a link
 * over it; a run without a result does not move it.
 *
 * Files are written under a temporary name in the same directory and renamed when they are
 * complete. A failure removes what it began: after an error the disk is as before. Existing files
 * that are not regular (a pipe, /dev/stdout) are written in place.
 *
 * Invariant: pd_outdir_abandon removes only a directory that this run made.
 *
 * Thread rule: one thread per directory, and no child is started while a file is being written
 * (SIGXFSZ is ignored meanwhile, and children would inherit that); several processes may take
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
	bool made_base; /* also perdure.out */
	bool numbered;	/* perdure.out/N */
};

/* given == NULL: the default. */
bool pd_outdir_open(struct pd_outdir *d, const char *given, struct pd_error *e);

/* The largest N below `limit` of perdure.out/N; 0: none. */
unsigned long pd_outdir_newest(unsigned long limit);

/* The result is complete: points `last` at it. */
bool pd_outdir_done(struct pd_outdir *d, struct pd_error *e);

/* The run has failed: removes what it created. */
void pd_outdir_abandon(struct pd_outdir *d);

/* DIR/NAME; false if it is too long. */
bool pd_outdir_path(const struct pd_outdir *d, const char *name, char path[PATH_MAX]);

struct pd_filewriter {
	FILE *f;
	char path[PATH_MAX];
	char temp[PATH_MAX]; /* "": written in place */
	bool is_stdout;
	struct sigaction xfsz; /* saved: a limit on file sizes is an error, not our death */
};

/* path "-" is stdout. */
bool pd_file_begin(struct pd_filewriter *w, const char *path, struct pd_error *e);

/* Whether pd_file_begin is likely to work; existing files stay as they are. */
bool pd_file_try(const char *path, struct pd_error *e);

/* Closes the file and moves it into place. On failure it is removed. */
bool pd_file_commit(struct pd_filewriter *w, struct pd_error *e);

void pd_file_abandon(struct pd_filewriter *w);

/* The contents of a regular file, followed by 0, malloc'ed; NULL and an error if it cannot be read
 * or is larger than max. */
char *pd_file_read(const char *path, size_t max, size_t *n, struct pd_error *e);

#endif
