/* watch.h - verbs whose engine watches one run (drive/watch/run.h): the options that they share. */
#ifndef PD_CLI_WATCH_H
#define PD_CLI_WATCH_H

#include "cli/options.h"
#include "drive/watch/run.h"

/* For the verb's list of options; r is a struct pd_watch_run. */
#define PD_WATCH_OPTIONS(r)                                                                        \
	PD_OWN_MODEL(&(r).model), PD_OWN_SCHEDULE(&(r).schedule), PD_OWN_BINARY(&(r).binary),      \
		PD_OWN_FLAG("no-perf", 0, &(r).filter.no_performance,                              \
			    "do not report performance issues")

/* Runs the program, delivers the result, and returns the exit status. */
int pd_watch_verb(struct pd_watch_run *r);

#endif
