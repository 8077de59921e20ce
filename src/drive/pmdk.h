/*
 * pmdk.h - builds PMDK's libraries with perdure cc, beside those of the system.
 *
 * The user's source tree is copied and never written to. `to` becomes
 *
 *	lib/, lib/pkgconfig/, include/   what programs are compiled and run with
 *	tree/                            the copy, in which make has run; stacks name files in it
 *	log                              the output of make
 *	made-by-perdure                  what it was made of and with; a directory without it is not ours
 *
 * A second build with the same perdure compiles only what has changed; with another one,
 * everything.
 *
 * Thread rule: the main thread.
 */
#ifndef PD_DRIVE_PMDK_H
#define PD_DRIVE_PMDK_H

#include "base/arena.h"
#include "host/error.h"
#include <limits.h>
#include <stdint.h>
#include <stdio.h>

struct pd_pmdk {
	struct pd_arena *arena;
	const char *source; /* the user's tree */
	const char *to;
	uint32_t jobs;
	bool symbolic;	  /* for `explore` */
	char *const *set; /* VAR=VALUE for make; nset of them */
	int nset;
	FILE *progress; /* NULL: quiet */

	/* Output */
	char version[64];
	char from[PATH_MAX]; /* absolute, without links */
	char dir[PATH_MAX];
};

/* False also if make fails; then the error gives the path of its log. */
bool pd_pmdk_build(struct pd_pmdk *p, struct pd_error *e);

#endif
