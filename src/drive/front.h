/*
 * front.h - the front end that runs a program, and how it is started.
 *
 * A program that was compiled with perdure cc brings the runtime along. Any other is run by the
 * Valgrind tool; --binary asks for that in any case.
 */
#ifndef PD_DRIVE_FRONT_H
#define PD_DRIVE_FRONT_H

#include "host/error.h"
#include <limits.h>

enum pd_front {
	PD_FRONT_RUNTIME, /* the program must be instrumented */
	PD_FRONT_ANY,	  /* the runtime for an instrumented program, else Valgrind */
	PD_FRONT_BINARY,  /* Valgrind */
};

/* Looks `name` up in PATH and decides *front; false: it cannot be run. */
bool pd_front_choose(const char *name, char path[PATH_MAX], enum pd_front *front, bool *dynamic,
		     struct pd_error *e);

/* Whether `name` can be found, in PATH if it has no '/', and may be executed. */
bool pd_front_exists(const char *name);

/* The path of the tool for Valgrind: false if it is missing. */
bool pd_front_tool(char path[PATH_MAX], struct pd_error *e);

#endif
