/*
 * run.h - one run that an engine watches, from the options to the result.
 *
 * The program runs once, under the runtime (or under Valgrind, where nothing of it is
 * instrumented); the engine runs inside of it and is named by the mode. Everything that such runs
 * have in common is here; a verb adds its own options and settings (cli/watch.h).
 *
 * How the program ends. By itself, with whatever status: the engine has judged the whole run; a
 * status that is not 0 is named as what limits the result, because the program may have given up
 * early. By a signal, by the time limit, by ^C: what was found until then is reported, and that there
 * was no end.
 */
#ifndef PD_DRIVE_WATCH_RUN_H
#define PD_DRIVE_WATCH_RUN_H

#include "drive/options.h"
#include "drive/watch/watched.h"
#include "drive/driven.h"

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
	/* What the engine is given, as KEY=VALUE separated by blanks; model and schedule are added
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

void pd_watch_init(struct pd_watch_run *r, const char *mode);

/* Runs the program; what came of it is in `result`. */
bool pd_watch_run(struct pd_watch_run *r, struct pd_error *e);

void pd_watch_finish(struct pd_watch_run *r);

#endif
