/*
 * watch_run.h - a verb whose engine watches one run: from its options to the exit status.
 *
 * The program runs once, under the runtime (or under Valgrind, where nothing of it is
 * instrumented); the engine runs inside of it and is named by the mode. Everything that such verbs
 * have in common is here; a verb adds its own options and settings.
 *
 * How the program ends. By itself, with whatever status: the engine has judged the whole run; a
 * status that is not 0 is named as what limits the result, because the program may have given up
 * early. By a signal, by the time limit, by ^C: what was found until then is told, and that there
 * was no end.
 */
#ifndef PD_CLI_WATCH_RUN_H
#define PD_CLI_WATCH_RUN_H

#include "cli/options.h"
#include "cli/watched.h"
#include "host/driven.h"

/* Where a function was named. */
struct pd_lock_line {
	const char *file; /* as it was asked for */
	unsigned line;
	bool shipped; /* with perdure: a set of which few programs use all */
	const char *name;
};

struct pd_watch_run {
	struct pd_arena arena;
	struct pd_options options;
	struct pd_watched watched;
	struct pd_watched_filter filter;
	struct pd_result result;
	const char *mode; /* the engine's, and the verb */
	/* What the engine is told, as KEY=VALUE separated by blanks; model and schedule are added
	 * here. */
	const char *settings;
	const char *model;
	const char *not_judged; /* as in struct pd_result */
	const char *schedule;
	PD_VEC(const char *) functions;	   /* that are locks (event/function.h) */
	PD_VEC(struct pd_lock_line) lines; /* of each, where it comes from */
	PD_VEC(bool) called;		   /* of each, after the run */
	bool binary;
	bool instrumented;		 /* it ran under the runtime, not under Valgrind */
	int status;			 /* of waitpid */
	char elsewhere[PD_CHANNEL_WHAT]; /* as in the channel */
	bool late;			 /* the time limit */
	double spent;			 /* seconds, when `more` is called */
	/* After the run, before the report; may be NULL. */
	void (*more)(struct pd_watch_run *r, void *ctx);
	void *ctx;
};

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
		{"no-perf", PD_WATCH_NO_PERF, NULL, 0, "do not report what only costs time", 0}

void pd_watch_init(struct pd_watch_run *r, const char *mode);

/* For one of the keys above. */
bool pd_watch_take_option(struct pd_watch_run *r, int key, const char *arg, struct pd_error *e);

/* Runs the program and delivers what came of it; the exit status. */
int pd_watch_run(struct pd_watch_run *r);

void pd_watch_finish(struct pd_watch_run *r);

#endif
