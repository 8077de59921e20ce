/*
 * front.h - which front end a program is run by, and how it is started.
 *
 * A program that was compiled with perdure cc brings the runtime along. Any other is run by the
 * Valgrind tool; --binary asks for that in any case.
 */
#ifndef PD_DRIVE_FRONT_H
#define PD_DRIVE_FRONT_H

#include "host/error.h"
#include <limits.h>

enum pd_front {
	PD_FRONT_RUNTIME, /* it has to be instrumented */
	PD_FRONT_ANY,	  /* the runtime for one that is instrumented, else Valgrind */
	PD_FRONT_BINARY,  /* Valgrind */
};

/* Looks `name` up in PATH and decides *front; false where it cannot be run. */
bool pd_front_choose(const char *name, char path[PATH_MAX], enum pd_front *front, bool *dynamic,
		     struct pd_error *e);

/* The tool for Valgrind: false where it is missing. */
bool pd_front_tool(char path[PATH_MAX], struct pd_error *e);

#endif
