/*
 * watch.h - verbs whose engine watches one run (drive/watch/run.h): the options that they share.
 */
#ifndef PD_CLI_WATCH_H
#define PD_CLI_WATCH_H

#include "cli/options.h"
#include "drive/watch/run.h"

/* Keys of the options that these verbs share; their own start at PD_WATCH_OWN. */
enum {
	PD_WATCH_MODEL = 500,
	PD_WATCH_SCHEDULE,
	PD_WATCH_NO_PERF,
	PD_WATCH_BINARY,
	PD_WATCH_OWN = 1,
};

#define PD_WATCH_OPTIONS                                                                           \
	{"model", PD_WATCH_MODEL, "NAME", 0, "adr (default), eadr or page; see docs/model.md", 0}, \
		{"schedule",                                                                       \
		 PD_WATCH_SCHEDULE,                                                                \
		 "HOW",                                                                            \
		 0,                                                                                \
		 "of the threads: default (run until it blocks), random, sparse (random, and "     \
		 "rarely in long runs), or "                                                       \
		 "pct[:DEPTH[:STEPS]]; see --seed",                                                \
		 0},                                                                               \
		{"binary",                                                                         \
		 PD_WATCH_BINARY,                                                                  \
		 NULL,                                                                             \
		 0,                                                                                \
		 "run it in Valgrind, instrumented or not (default: only where it is not)",        \
		 0},                                                                               \
		{"no-perf", PD_WATCH_NO_PERF, NULL, 0, "do not report performance issues", 0}

/* For one of the keys above. */
bool pd_watch_take_option(struct pd_watch_run *r, int key, const char *arg, struct pd_error *e);

/* Runs the program and delivers what came of it; the exit status. */
int pd_watch_verb(struct pd_watch_run *r);

#endif
