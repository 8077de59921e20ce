/*
 * input.h - an input as a folder of files: what a program is given in place of what it would read.
 *
 *	stdin              standard input
 *	args               the arguments for which the command has @@, with a NUL between them
 *	files/NAME         is read in place of the file NAME
 *	pm/NAME+OFFSET     lies over the bytes of the PM file NAME from OFFSET on
 *	memory             what pd_symbolic() gives out (perdure.h)
 *	sockets            what clients send to the program (event/script.h)
 *	faults             calls that fail, a line each (event/fault.h)
 *	schedule           the number of the schedule that threads run by (event/schedule.h)
 *
 * `perdure explore` makes such folders, one for each path (drive/explore/input.c), and any of them can be
 * given to lint and check (--input DIR). Standard input and arguments are the tool's to see to, the
 * rest is the runtime's (event/control.h, input=DIR; NAME is written as it says there).
 *
 * Thread rule: the main thread.
 */
#ifndef PD_DRIVE_INPUT_H
#define PD_DRIVE_INPUT_H

#include "base/arena.h"
#include "host/error.h"
#include <jansson.h>
#include <limits.h>

#define PD_INPUT_PLACE "@@" /* in a command: an argument of the input */

struct pd_input {
	char dir[PATH_MAX];
	int fd;	      /* of the folder, for the program to inherit; -1: nothing is the runtime's */
	int standard; /* of its `stdin`; -1: there is none */
	char setting[40]; /* "input=/proc/self/fd/N", or "" */
	bool sockets;	  /* it has clients */
	bool temporary;	  /* it goes when this is finished */
};

/* Of a folder that is there. */
bool pd_input_open(struct pd_input *in, const char *dir, struct pd_error *e);

/* Closes it; before that nothing is to be done with one that was never opened (all 0). */
void pd_input_finish(struct pd_input *in);

/* The command with each @@ replaced; as it is, where it has none. NULL: the input has another number
 * of arguments, or memory ran out. */
char **pd_input_argv(const struct pd_input *in, struct pd_arena *a, char **argv,
		     struct pd_error *e);

/* How many @@ a command has. */
uint32_t pd_input_places(char *const *argv);

/* All of the folder as an object, name -> bytes; NULL: it cannot be read, or is too large. */
json_t *pd_input_json(const char *dir, struct pd_error *e);

/* And back, in a folder that is made for it. */
bool pd_input_from_json(struct pd_input *in, struct pd_arena *a, json_t *j, struct pd_error *e);

/* A copy of the whole folder, which must not be there. */
bool pd_input_copy(const char *from, const char *to, struct pd_error *e);

/* A file of the folder; the folders that it is in are made. */
bool pd_input_put(const char *dir, const char *name, const void *bytes, size_t n,
		  struct pd_error *e);

/* The same of a folder `under` (files, pm) and a NAME of the program's, with what is written for
 * its '/'. */
bool pd_input_put_named(const char *dir, const char *under, const char *name, const char *suffix,
			const void *bytes, size_t n, struct pd_error *e);

#endif
