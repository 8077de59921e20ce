/*
 * proc.h - processes that the driver starts, and files that it must not leave behind.
 */
#ifndef PD_CC_PROC_H
#define PD_CC_PROC_H

#include "cc/args.h"

/* From here on a signal removes temporaries before it takes its course. */
void pd_proc_init(void);

/* Runs a program and waits: its exit status, 128 + n where signal n ended it, 127 if there is
 * none. */
int pd_proc_run(const struct pd_strings *argv);

/* The same, with its stderr as a string (to be freed). */
int pd_proc_capture(const struct pd_strings *argv, char **err);

/* Becomes that program; returns only with 127. */
int pd_proc_become(const struct pd_strings *argv);

/* The name of a temporary file in TMPDIR, or NULL after one line on stderr. */
char *pd_temp_name(const char *suffix);

void pd_temp_remove(void);

#endif
