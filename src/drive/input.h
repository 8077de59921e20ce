/*
 * input.h - an input as a folder of files: it replaces what a program would read.
 *
 *	stdin              standard input
 *	args               the arguments that replace @@ in the command, separated by NUL
 *	files/NAME         is read in place of the file NAME
 *	pm/NAME+OFFSET     replaces the bytes of the PM file NAME from OFFSET on
 *	memory             the bytes that pd_symbolic() sets (perdure.h)
 *	sockets            what clients send to the program (event/script.h)
 *	faults             calls that fail, one per line (event/fault.h)
 *	schedule           the number of the schedule of threads (event/schedule.h)
 *
 * `perdure explore` makes such folders, one per path (drive/explore/input.c), and lint and check
 * take them (--input DIR). perdure provides standard input and arguments, the runtime the rest
 * (event/control.h, input=DIR; it also defines the form of NAME).
 *
 * Thread rule: the main thread.
 */
#ifndef PD_DRIVE_INPUT_H
#define PD_DRIVE_INPUT_H

#include "base/arena.h"
#include "host/error.h"
#include <jansson.h>
#include <limits.h>

#define PD_INPUT_PLACE "@@" /* in a command: replaced by an argument of the input */

struct pd_input {
	char dir[PATH_MAX];
	int fd;	      /* of the folder, for the program to inherit; -1: nothing for the runtime */
	int standard; /* of its `stdin`; -1: it has none */
	char setting[40]; /* "input=/proc/self/fd/N", or "" */
	bool temporary;	  /* pd_input_finish removes it */
};

/* Opens an existing folder. */
bool pd_input_open(struct pd_input *in, const char *dir, struct pd_error *e);

/* Closes it. Does nothing if it was never opened (all 0). */
void pd_input_finish(struct pd_input *in);

/* The command with each @@ replaced; unchanged if it has none. NULL: the input has another number
 * of arguments, or out of memory. */
char **pd_input_argv(const struct pd_input *in, struct pd_arena *a, char **argv,
		     struct pd_error *e);

/* The number of @@ in a command. */
uint32_t pd_input_places(char *const *argv);

/* The whole folder as an object, name -> bytes; NULL: it cannot be read, or is too large. */
json_t *pd_input_json(const char *dir, struct pd_error *e);

/* Writes such an object to a new folder. */
bool pd_input_from_json(struct pd_input *in, struct pd_arena *a, json_t *j, struct pd_error *e);

/* Copies the whole folder; `to` must not exist. */
bool pd_input_copy(const char *from, const char *to, struct pd_error *e);

/* Writes a file of the folder, and makes the folders above it. */
bool pd_input_put(const char *dir, const char *name, const void *bytes, size_t n,
		  struct pd_error *e);

/* The same for a folder `under` (files, pm) and a NAME of the program, with its '/' encoded. */
bool pd_input_put_named(const char *dir, const char *under, const char *name, const char *suffix,
			const void *bytes, size_t n, struct pd_error *e);

#endif
