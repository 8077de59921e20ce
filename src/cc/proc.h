/* proc.h - processes that the driver starts, and temporary files. */
#ifndef PD_CC_PROC_H
#define PD_CC_PROC_H

#include "cc/args.h"

/* From now on, a fatal signal removes temporaries first. */
void pd_proc_init(void);

/* Runs a program and waits. Returns its exit status, 128 + n if signal n ended it, 127 if it does
 * not exist. */
int pd_proc_run(const struct pd_strings *argv);

/* The same; also returns its stderr as a string (to be freed). */
int pd_proc_capture(const struct pd_strings *argv, char **err);

/* Replaces this process by that program; returns only on failure, with 127. */
int pd_proc_become(const struct pd_strings *argv);

/* The name of a temporary file in TMPDIR, or NULL after one line on stderr. */
char *pd_temp_name(const char *suffix);

void pd_temp_remove(void);

#endif
